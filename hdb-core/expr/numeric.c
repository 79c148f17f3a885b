/* SPDX-License-Identifier: MIT */
/* Numbers: their bits, and from one type to another. */
#include <math.h>
#include <string.h>

#include "expr/private.h"

uint64_t
numeric_address(const struct numeric *number)
{
   return number_wrap(HDB_TYPE_UINT, number->bits, number->at[0]).u;
}

union number
number_wrap(enum hdb_type_kind kind, uint32_t bits, union number number)
{
   switch (kind) {
   case HDB_TYPE_BOOL:
      number.u = number.u != 0;
      break;
   case HDB_TYPE_INT:
      if (bits < 64)
         number.i = (int64_t)(number.u << (64 - bits)) >> (64 - bits);
      break;
   case HDB_TYPE_UINT:
      if (bits < 64)
         number.u &= (1ull << bits) - 1;
      break;
   case HDB_TYPE_FLOAT:
      if (bits == 32)
         number.f = (float)number.f;
      else if (bits == 16)
         number.f = half_to_double(half_from_double(number.f));
      break;
   default:
      break;
   }
   return number;
}

union number
number_decode(enum hdb_type_kind kind, uint32_t bits, const void *bytes)
{
   union number number = {.u = 0};
   memcpy(&number.u, bytes, bits / 8);
   if (kind != HDB_TYPE_FLOAT)
      return number_wrap(kind, bits, number);
   if (bits == 32) {
      float single;
      memcpy(&single, bytes, sizeof(single));
      number.f = single;
   } else if (bits == 16) {
      number.f = half_to_double(number.u);
   }
   return number;
}

void
number_encode(enum hdb_type_kind kind, uint32_t bits, union number number, void *bytes)
{
   float single = kind == HDB_TYPE_FLOAT ? (float)number.f : 0;
   if (kind == HDB_TYPE_FLOAT && bits == 32)
      memcpy(&number.u, &single, sizeof(single));
   else if (kind == HDB_TYPE_FLOAT && bits == 16)
      number.u = half_from_double(number.f);
   memcpy(bytes, &number.u, bits / 8);
}

bool
number_is_true(enum hdb_type_kind kind, union number number)
{
   return kind == HDB_TYPE_FLOAT ? number.f != 0 : number.u != 0;
}

/* C leaves open what becomes of a float that an integer can't hold; here it is the nearest one, and 0 for NaN. */
static union number
from_float(double number, enum hdb_type_kind kind, uint32_t bits)
{
   union number result = {.u = 0};
   number = trunc(number);
   if (isnan(number))
      return result;
   if (kind == HDB_TYPE_UINT) {
      double end = ldexp(1, bits);
      result.u = number <= 0 ? 0 : number >= end ? (bits == 64 ? UINT64_MAX : (1ull << bits) - 1) : (uint64_t)number;
   } else {
      double end = ldexp(1, bits - 1);
      int64_t most = bits == 64 ? INT64_MAX : (1ll << (bits - 1)) - 1;
      result.i = number >= end ? most : number < -end ? -most - 1 : (int64_t)number;
   }
   return result;
}

union number
number_convert(enum hdb_type_kind from, union number number, enum hdb_type_kind kind, uint32_t bits)
{
   union number result = number;
   if (kind == HDB_TYPE_BOOL)
      result.u = number_is_true(from, number);
   else if (kind == HDB_TYPE_FLOAT && from == HDB_TYPE_INT)
      result.f = bits == 32 ? (float)number.i : (double)number.i;
   else if (kind == HDB_TYPE_FLOAT && from != HDB_TYPE_FLOAT)
      result.f = bits == 32 ? (float)number.u : (double)number.u;
   else if (kind != HDB_TYPE_FLOAT && from == HDB_TYPE_FLOAT)
      result = from_float(number.f, kind, bits);
   return number_wrap(kind, bits, result);
}

void
numeric_convert(struct numeric *number, enum hdb_type_kind kind, uint32_t bits)
{
   for (uint32_t i = 0; i < numeric_count(number); i++)
      number->at[i] = number_convert(number->kind, number->at[i], kind, bits);
   number->kind = kind;
   number->bits = kind == HDB_TYPE_BOOL ? 32 : bits;
}
