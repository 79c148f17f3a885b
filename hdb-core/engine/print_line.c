/* SPDX-License-Identifier: MIT */
#include "engine/print_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/format.h"

char *
print_check(const struct hdb_print *print)
{
   char *error = NULL;
   if (print->error)
      return strdup(print->error);
   format_check(print->format, print->argument_count, &error);
   return error;
}

static const uint32_t *
print_argument(FILE *out, const struct hdb_print_argument *argument, const struct hdb_expr_conversion *conversion,
               const uint32_t *values)
{
   for (uint32_t i = 0; i < argument->components; i++) {
      fputs(i ? ", " : "", out);
      hdb_expr_print_scalar(argument->kind, argument->bits, values, conversion, out);
      values += argument->bits == 64 ? 2 : 1;
   }
   return values;
}

char *
print_make_line(const struct hdb_print *print, const uint32_t *values)
{
   const struct hdb_print_argument *argument = print->arguments;
   const char *format = print->format;
   char *line;
   size_t size;
   FILE *out = open_memstream(&line, &size);
   if (!out)
      return NULL;
   while (*format) {
      size_t length = strcspn(format, "%");
      bool percent = format[length] == '%' && format[length + 1] == '%';
      struct hdb_expr_conversion conversion;
      fwrite(format, 1, length + percent, out);
      format += length + percent;
      if (!*format || (*format++ == '%' && percent))
         continue;
      format_take_conversion(&format, &conversion);
      /* GLSL_EXT_debug_printf has "%ul" for what C has "%lu" for. */
      if (conversion.kind == 'u' && argument->bits == 64 && *format == 'l')
         format++;
      values = print_argument(out, argument++, &conversion, values);
   }
   if (fclose(out))
      return NULL;
   if (size && line[size - 1] == '\n')
      line[size - 1] = 0;
   return line;
}
