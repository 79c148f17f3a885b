/* SPDX-License-Identifier: MIT */
#include "value.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the floats: bits of the fraction, the smallest normal's exponent. */
static const struct {
   const char *name;
   uint32_t size;
   bool is_signed, is_float;
   int fraction, min_exponent;
} types[] = {
   [TYPE_U8] = {"u8", 1, false, false, 0, 0},      [TYPE_I8] = {"i8", 1, true, false, 0, 0},
   [TYPE_U16] = {"u16", 2, false, false, 0, 0},    [TYPE_I16] = {"i16", 2, true, false, 0, 0},
   [TYPE_U32] = {"u32", 4, false, false, 0, 0},    [TYPE_I32] = {"i32", 4, true, false, 0, 0},
   [TYPE_U64] = {"u64", 8, false, false, 0, 0},    [TYPE_I64] = {"i64", 8, true, false, 0, 0},
   [TYPE_F16] = {"f16", 2, true, true, 10, -14},   [TYPE_F32] = {"f32", 4, true, true, 23, -126},
   [TYPE_F64] = {"f64", 8, true, true, 52, -1022},
};

uint32_t
type_size(enum type type)
{
   return types[type].size;
}

bool
type_is_float(enum type type)
{
   return types[type].is_float;
}

bool
type_parse(const char *word, enum type *type)
{
   for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
      if (!strcmp(word, types[i].name)) {
         *type = (enum type)i;
         return true;
      }
   }
   return false;
}

static uint64_t
mask_of(enum type type)
{
   return UINT64_MAX >> (64 - 8 * types[type].size);
}

static double
to_double(enum type type, uint64_t bits)
{
   union {
      uint64_t bits;
      _Float16 half;
      float single;
      double real;
   } number = {.bits = bits};
   return type == TYPE_F16 ? (double)number.half : type == TYPE_F32 ? (double)number.single : number.real;
}

static uint64_t
from_double(enum type type, double value)
{
   union {
      uint64_t bits;
      _Float16 half;
      float single;
      double real;
   } number = {0};
   if (type == TYPE_F16)
      number.half = (_Float16)value;
   else if (type == TYPE_F32)
      number.single = (float)value;
   else
      number.real = value;
   return number.bits;
}

static int64_t
sign_extend(enum type type, uint64_t bits)
{
   const unsigned unused = 64 - 8 * types[type].size;
   return (int64_t)(bits << unused) >> unused;
}

bool
value_parse(enum type type, const char *word, uint64_t *bits)
{
   char *end;
   errno = 0;
   if (types[type].is_float) {
      *bits = from_double(type, strtod(word, &end));
      return end != word && !*end;
   }
   /* A signed type's bits may be given in hexadecimal, too. */
   *bits = *word == '-' ? (uint64_t)strtoll(word, &end, 0) : strtoull(word, &end, 0);
   const bool fits =
      *word == '-' ? types[type].is_signed && sign_extend(type, *bits) == (int64_t)*bits : *bits <= mask_of(type);
   *bits &= mask_of(type);
   return end != word && !*end && !errno && fits;
}

void
value_print(enum type type, uint64_t bits, char *text, size_t size)
{
   const int digits = (int)(2 * types[type].size);
   if (types[type].is_float)
      snprintf(text, size, "%.*g (0x%0*" PRIx64 ")", types[type].fraction / 3 + 2, to_double(type, bits), digits, bits);
   else if (types[type].is_signed)
      snprintf(text, size, "%" PRId64 " (0x%0*" PRIx64 ")", sign_extend(type, bits), digits, bits);
   else
      snprintf(text, size, "%" PRIu64 " (0x%0*" PRIx64 ")", bits, digits, bits);
}

/* The distance from `value` to the next number of its type. */
static double
ulp(enum type type, double value)
{
   int exponent;
   frexp(value, &exponent);
   exponent--;
   if (value == 0 || exponent < types[type].min_exponent)
      exponent = types[type].min_exponent;
   return ldexp(1.0, exponent - types[type].fraction);
}

bool
value_matches(const struct expected *expected, uint64_t bits)
{
   if (bits == expected->bits)
      return true;
   if (!types[expected->type].is_float)
      return false;
   const double is = to_double(expected->type, bits), should_be = to_double(expected->type, expected->bits);
   if (isnan(should_be))
      return isnan(is);
   if (!isfinite(should_be) || !isfinite(is))
      return false;
   const double slack = fmax(expected->absolute, expected->ulps * ulp(expected->type, should_be));
   return slack > 0 && fabs(is - should_be) <= slack;
}
