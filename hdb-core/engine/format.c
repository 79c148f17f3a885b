/* SPDX-License-Identifier: MIT */
#include "engine/format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A number of at most two digits; -1: there is none, -2: too large. */
static int
take_number(const char **text)
{
   if (**text < '0' || **text > '9')
      return -1;
   char *end;
   unsigned long number = strtoul(*text, &end, 10);
   *text = end;
   return number < 100 ? (int)number : -2;
}

/* What stands behind a '%'. Lengths (h, l, j, z, t) and the shading
 * languages' v2 to v4 say nothing that the value does not. */
bool
format_take_conversion(const char **text, struct hdb_expr_conversion *conversion)
{
   *conversion = (struct hdb_expr_conversion){.precision = -1};
   size_t flags = strspn(*text, "-+ #0");
   if (flags >= sizeof(conversion->flags))
      return false;
   memcpy(conversion->flags, *text, flags);
   *text += flags;
   conversion->width = take_number(text);
   if (**text == '.') {
      ++*text;
      conversion->precision = take_number(text);
      if (conversion->precision == -1)
         conversion->precision = 0;
   }
   if (**text == 'v' && (*text)[1] >= '2' && (*text)[1] <= '4')
      *text += 2;
   *text += strspn(*text, "hljzt");
   conversion->kind = **text;
   if (!**text || !strchr("diouxXcpsaAeEfFgG", **text) || conversion->width == -2 || conversion->precision == -2)
      return false;
   ++*text;
   return true;
}

int
format_check(const char *format, size_t count, char **error)
{
   struct hdb_expr_conversion conversion;
   const char *why = NULL;
   size_t taken = 0;
   while (!why && *(format += strcspn(format, "%"))) {
      format++;
      if (*format == '%')
         format++;
      else if (!format_take_conversion(&format, &conversion))
         why = "a % that begins no conversion; %d %u %x %f %g %c %s and their kin, %% for itself";
      else if (taken++ == count)
         why = "more conversions in the format than arguments";
   }
   if (!why && taken < count)
      why = "more arguments than conversions in the format";
   *error = why ? strdup(why) : NULL;
   return why ? -EINVAL : 0;
}
