/* SPDX-License-Identifier: MIT */
/* A number as text. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/private.h"

static bool
comes_back(uint32_t bits, const char *text, double number)
{
   double back = strtod(text, NULL);
   return bits == 64   ? back == number
          : bits == 32 ? (float)back == (float)number
                       : half_from_double(back) == half_from_double(number);
}

/* Where %g would change to an exponent is of no use here: 100000 is better than 1e+05. */
#define FIXED_FROM (-5)

/* As few digits as give the same number back. */
static void
print_float(FILE *out, uint32_t bits, double number)
{
   char text[40];
   int digits = 1, most = bits == 64 ? 17 : bits == 32 ? 9 : 5;
   if (!isfinite(number)) {
      fprintf(out, "%s%s", signbit(number) ? "-" : "", isnan(number) ? "nan" : "inf");
      return;
   }
   for (; digits < most; digits++) {
      snprintf(text, sizeof(text), "%.*e", digits - 1, number);
      if (comes_back(bits, text, number))
         break;
   }
   snprintf(text, sizeof(text), "%.*e", digits - 1, number);
   int exponent = atoi(strchr(text, 'e') + 1);
   if (exponent >= FIXED_FROM && exponent < most)
      fprintf(out, "%.*f", digits - 1 > exponent ? digits - 1 - exponent : 0, number);
   else
      fprintf(out, "%s", text);
}

static void
print_binary(FILE *out, uint64_t bits)
{
   int last = bits ? 63 - __builtin_clzll(bits) : 0;
   for (; last >= 0; last--)
      fputc('0' + (bits >> last & 1), out);
}

static void
print_character(FILE *out, int64_t number)
{
   uint8_t c = number;
   fprintf(out, "%" PRId64 " ", number);
   if (isprint(c) && c != '\'' && c != '\\')
      fprintf(out, "'%c'", c);
   else
      fprintf(out, "'\\%03o'", c);
}

static const char *
enumerator_name(const struct hdb_type *type, union number number)
{
   for (uint32_t i = 0; i < type->enumerator_count; i++) {
      if (number_wrap(type->kind, type->bits, (union number){.i = type->enumerators[i].value}).u == number.u)
         return type->enumerators[i].name;
   }
   return NULL;
}

static void
print_natural(FILE *out, const struct hdb_type *type, union number number)
{
   const char *name = enumerator_name(type, number);
   if (name)
      fputs(name, out);
   else if (type == &expr_register_type || type == &expr_pair_type)
      fprintf(out, "0x%" PRIx64, number.u);
   else if (type->kind == HDB_TYPE_BOOL)
      fputs(number.u ? "true" : "false", out);
   else if (type->kind == HDB_TYPE_FLOAT)
      print_float(out, type->bits, number.f);
   else if (type->kind == HDB_TYPE_INT)
      fprintf(out, "%" PRId64, number.i);
   else
      fprintf(out, "%" PRIu64, number.u);
}

/* A format means the bits: the integer formats those of a float, `f` those of an integer, if there is such a float. */
void
print_number(FILE *out, const struct hdb_type *type, union number number, char format)
{
   uint8_t bytes[8] = {0};
   uint32_t bits = type->bits;
   number_encode(type->kind, bits, number, bytes);
   uint64_t raw = number_decode(HDB_TYPE_UINT, bits, bytes).u;
   int64_t with_sign = number_decode(HDB_TYPE_INT, bits, bytes).i;
   switch (format) {
   case 'x':
   case 'a':
      fprintf(out, "0x%" PRIx64, raw);
      break;
   case 'z':
      fprintf(out, "0x%0*" PRIx64, (int)bits / 4, raw);
      break;
   case 'd':
      fprintf(out, "%" PRId64, with_sign);
      break;
   case 'u':
      fprintf(out, "%" PRIu64, raw);
      break;
   case 'o':
      fprintf(out, raw ? "0%" PRIo64 : "%" PRIo64, raw);
      break;
   case 't':
      print_binary(out, raw);
      break;
   case 'c':
      print_character(out, type->kind == HDB_TYPE_INT ? with_sign : (int64_t)raw);
      break;
   case 'f':
      if (type->kind == HDB_TYPE_FLOAT || (type->kind != HDB_TYPE_BOOL && bits >= 16))
         print_float(out, bits, number_decode(HDB_TYPE_FLOAT, bits, bytes).f);
      else
         print_natural(out, type, number);
      break;
   default:
      print_natural(out, type, number);
      break;
   }
}
