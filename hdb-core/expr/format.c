/* SPDX-License-Identifier: MIT */
/* An expression as a conversion of printf's shows it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "expr/private.h"

/* "%-8.3" and the length and letter of the C library's, for a conversion of a 64-bit integer or a double. */
static void
write_directive(const struct hdb_expr_conversion *conversion, const char *length, char directive[32])
{
   int size = snprintf(directive, 32, "%%%s", conversion->flags);
   if (conversion->width >= 0)
      size += snprintf(directive + size, 32 - size, "%d", conversion->width);
   if (conversion->precision >= 0)
      size += snprintf(directive + size, 32 - size, ".%d", conversion->precision);
   snprintf(directive + size, 32 - size, "%s%c", length, conversion->kind);
}

/* The bits: those of a float as they are, an integer's no wider than its type. */
static uint64_t
bits_of(const struct numeric *number, uint32_t component)
{
   uint8_t bytes[8] = {0};
   number_encode(number->kind, number->bits, number->at[component], bytes);
   return number_decode(HDB_TYPE_UINT, number->bits, bytes).u;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* made of parts that were checked one by one */
static void
print_component(FILE *out, const struct hdb_expr_conversion *conversion, const struct numeric *number,
                uint32_t component)
{
   char directive[32];
   union number of = number->at[component];
   switch (conversion->kind) {
   case 'd':
   case 'i':
      write_directive(conversion, "ll", directive);
      fprintf(out, directive, (long long)number_convert(number->kind, of, HDB_TYPE_INT, 64).i);
      break;
   case 'c':
      write_directive(conversion, "", directive);
      fprintf(out, directive, (int)(uint8_t)number_convert(number->kind, of, HDB_TYPE_INT, 64).i);
      break;
   case 'u':
      write_directive(conversion, "ll", directive);
      of = number->kind == HDB_TYPE_FLOAT ? number_convert(number->kind, of, HDB_TYPE_UINT, 64)
                                          : (union number){.u = bits_of(number, component)};
      fprintf(out, directive, (unsigned long long)of.u);
      break;
   case 'o':
   case 'x':
   case 'X':
      write_directive(conversion, "ll", directive);
      fprintf(out, directive, (unsigned long long)bits_of(number, component));
      break;
   case 'p':
      fprintf(out, "0x%llx", (unsigned long long)bits_of(number, component));
      break;
   default:
      write_directive(conversion, "", directive);
      fprintf(out, directive, number_convert(number->kind, of, HDB_TYPE_FLOAT, 64).f);
      break;
   }
}

/* What `print` shows, as a text is shown: to a width, and no more than so many characters. */
static void
print_text(FILE *out, const struct hdb_expr_conversion *conversion, const char *text)
{
   char directive[32];
   write_directive(conversion, "", directive);
   fprintf(out, directive, text);
}
#pragma GCC diagnostic pop

void
hdb_expr_print_scalar(enum hdb_type_kind kind, uint32_t bits, const void *bytes,
                      const struct hdb_expr_conversion *conversion, FILE *out)
{
   struct numeric number = numeric_scalar(kind, bits);
   number.at[0] = number_decode(kind, bits, bytes);
   if (conversion->kind != 's') {
      print_component(out, conversion, &number, 0);
      return;
   }
   char text[64] = "";
   FILE *stream = fmemopen(text, sizeof(text), "w");
   if (!stream)
      return;
   print_number(stream, expr_scalar_type(kind, bits), number.at[0], 0);
   fclose(stream);
   print_text(out, conversion, text);
}

static int
print_numbers(struct expr *expr, FILE *out, const struct hdb_expr_conversion *conversion, uint32_t column,
              const struct value *value)
{
   struct numeric number = numeric_scalar(HDB_TYPE_UINT, 64);
   int result = value->type->kind == HDB_TYPE_POINTER ? value_load_pointer(expr, column, value, &number.at[0].u)
                                                      : value_load(expr, column, value, &number);
   for (uint32_t i = 0; !result && i < numeric_count(&number); i++) {
      fputs(i ? ", " : "", out);
      print_component(out, conversion, &number, i);
   }
   return result;
}

int
print_converted(struct expr *expr, FILE *out, const struct hdb_expr_conversion *conversion, uint32_t column,
                const struct value *value, char format)
{
   if (conversion && conversion->kind != 's')
      return print_numbers(expr, out, conversion, column, value);
   if (!conversion || (conversion->width < 0 && conversion->precision < 0)) {
      print_value(expr, out, value, format);
      return 0;
   }
   char *text = NULL;
   size_t size;
   FILE *stream = open_memstream(&text, &size);
   if (!stream)
      return -ENOMEM;
   print_value(expr, stream, value, format);
   int result = fclose(stream) ? -ENOMEM : 0;
   if (!result)
      print_text(out, conversion, text);
   free(text);
   return result;
}
