/* SPDX-License-Identifier: MIT */
#include "engine/format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NUMBER 999
#define TOO_LARGE -2

/* A width or precision; -1: there is none. */
static int
take_number(const char **text)
{
   if (**text < '0' || **text > '9')
      return -1;
   char *end;
   unsigned long number = strtoul(*text, &end, 10);
   *text = end;
   return number <= MAX_NUMBER ? (int)number : TOO_LARGE;
}

static bool
is_too_large(const struct hdb_expr_conversion *conversion)
{
   return conversion->width == TOO_LARGE || conversion->precision == TOO_LARGE;
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
   if (!**text || !strchr("diouxXcpsaAeEfFgG", **text) || is_too_large(conversion))
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
         why = is_too_large(&conversion)
                  ? "a width or precision of more than 999"
                  : "a % that begins no conversion; %d %u %x %f %g %c %s and their kin, %% for itself";
      else if (taken++ == count)
         why = "more conversions in the format than arguments";
   }
   if (!why && taken < count)
      why = "more arguments than conversions in the format";
   *error = why ? strdup(why) : NULL;
   return why ? -EINVAL : 0;
}
