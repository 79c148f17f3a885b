/* SPDX-License-Identifier: MIT */
/* The builtin functions on bits: reinterpretation, packing, bit fields. */
#include <math.h>
#include <string.h>

#include "expr/private.h"

/* ---- reinterpretation ---- */

static int
reinterpret(struct call *call, enum hdb_type_kind kind)
{
   const struct numeric *a = &call->arguments[0];
   *call->out = *a;
   call->out->kind = kind;
   if (a->kind == HDB_TYPE_BOOL || (kind == HDB_TYPE_FLOAT && a->bits == 8))
      return call_fail(call, "a number of 16, 32 or 64 bits expected");
   for (uint32_t i = 0; i < numeric_count(a); i++) {
      uint8_t bytes[8];
      number_encode(a->kind, a->bits, a->at[i], bytes);
      call->out->at[i] = number_decode(kind, a->bits, bytes);
   }
   return 0;
}

static int
run_as_float(struct call *call)
{
   return reinterpret(call, HDB_TYPE_FLOAT);
}

static int
run_as_int(struct call *call)
{
   return reinterpret(call, HDB_TYPE_INT);
}

static int
run_as_uint(struct call *call)
{
   return reinterpret(call, HDB_TYPE_UINT);
}

/* ---- packing ---- */

struct packing {
   const char *name;
   enum hdb_type_kind kind; /* UINT: unorm, INT: snorm, FLOAT: half */
   uint32_t bits, count;
};

static const struct packing packings[] = {
   {"Half2x16", HDB_TYPE_FLOAT, 16, 2}, {"Unorm2x16", HDB_TYPE_UINT, 16, 2}, {"Snorm2x16", HDB_TYPE_INT, 16, 2},
   {"Unorm4x8", HDB_TYPE_UINT, 8, 4},   {"Snorm4x8", HDB_TYPE_INT, 8, 4},
};

static const struct packing *
find_packing(const char *name)
{
   for (size_t i = 0; i < sizeof(packings) / sizeof(packings[0]); i++) {
      if (strcmp(packings[i].name, name) == 0)
         return &packings[i];
   }
   return &packings[0];
}

static double
clamp(double x, double low, double high)
{
   return x > low ? x < high ? x : high : low;
}

/* GLSL 4.60, 8.4 */
static int
run_pack(struct call *call)
{
   const struct packing *packing = find_packing(call->name + strlen("pack"));
   struct numeric *a = &call->arguments[0];
   if (a->rows != packing->count || a->matrix)
      return call_fail(call, "a vector of %u components expected", packing->count);
   numeric_convert(a, HDB_TYPE_FLOAT, 32);
   *call->out = numeric_scalar(HDB_TYPE_UINT, 32);
   double scale = ldexp(1, packing->bits - (packing->kind == HDB_TYPE_INT)) - 1;
   uint32_t mask = (1u << packing->bits) - 1, word = 0;
   for (uint32_t i = 0; i < packing->count; i++) {
      double x = a->at[i].f;
      uint32_t field = packing->kind == HDB_TYPE_FLOAT  ? half_from_double(x)
                       : packing->kind == HDB_TYPE_UINT ? (uint32_t)rint(clamp(x, 0, 1) * scale)
                                                        : (uint32_t)(int32_t)rint(clamp(x, -1, 1) * scale);
      word |= (field & mask) << (i * packing->bits);
   }
   call->out->at[0].u = word;
   return 0;
}

static int
run_unpack(struct call *call)
{
   const struct packing *packing = find_packing(call->name + strlen("unpack"));
   struct numeric *a = &call->arguments[0];
   if (numeric_count(a) != 1)
      return call_fail(call, "a uint expected");
   numeric_convert(a, HDB_TYPE_UINT, 32);
   *call->out = numeric_scalar(HDB_TYPE_FLOAT, 32);
   call->out->rows = packing->count;
   double scale = ldexp(1, packing->bits - (packing->kind == HDB_TYPE_INT)) - 1;
   for (uint32_t i = 0; i < packing->count; i++) {
      union number field = {.u = a->at[0].u >> (i * packing->bits)};
      field = number_wrap(packing->kind == HDB_TYPE_INT ? HDB_TYPE_INT : HDB_TYPE_UINT, packing->bits, field);
      double x = packing->kind == HDB_TYPE_FLOAT  ? half_to_double(field.u)
                 : packing->kind == HDB_TYPE_UINT ? (double)field.u / scale
                                                  : clamp((double)field.i / scale, -1, 1);
      call->out->at[i] = number_wrap(HDB_TYPE_FLOAT, 32, (union number){.f = x});
   }
   return 0;
}

/* HLSL's, component by component. */
static int
run_f32tof16(struct call *call)
{
   numeric_convert(&call->arguments[0], HDB_TYPE_FLOAT, 32);
   *call->out = call->arguments[0];
   call->out->kind = HDB_TYPE_UINT;
   for (uint32_t i = 0; i < numeric_count(call->out); i++)
      call->out->at[i].u = half_from_double(call->arguments[0].at[i].f);
   return 0;
}

static int
run_f16tof32(struct call *call)
{
   numeric_convert(&call->arguments[0], HDB_TYPE_UINT, 32);
   *call->out = call->arguments[0];
   call->out->kind = HDB_TYPE_FLOAT;
   for (uint32_t i = 0; i < numeric_count(call->out); i++)
      call->out->at[i].f = half_to_double(call->arguments[0].at[i].u);
   return 0;
}

/* Two dwords and 64 bits, the lower half first: packDouble2x32, packUint2x32 and asdouble(low, high). */
static int
pack64(struct call *call, enum hdb_type_kind kind)
{
   struct numeric *a = &call->arguments[0];
   if (call->count == 1 && (a->rows != 2 || a->matrix))
      return call_fail(call, "two uints expected");
   numeric_convert(a, HDB_TYPE_UINT, 32);
   uint64_t high = a->at[1].u;
   if (call->count == 2) {
      numeric_convert(&call->arguments[1], HDB_TYPE_UINT, 32);
      high = call->arguments[1].at[0].u;
   }
   uint64_t bits = high << 32 | a->at[0].u;
   *call->out = numeric_scalar(kind, 64);
   call->out->at[0] = number_decode(kind, 64, &bits);
   return 0;
}

static int
run_pack_double(struct call *call)
{
   return pack64(call, HDB_TYPE_FLOAT);
}

static int
run_pack_uint64(struct call *call)
{
   return pack64(call, HDB_TYPE_UINT);
}

static int
run_unpack64(struct call *call)
{
   const struct numeric *a = &call->arguments[0];
   uint32_t halves[2];
   if (numeric_count(a) != 1 || a->bits != 64)
      return call_fail(call, "a number of 64 bits expected");
   number_encode(a->kind, 64, a->at[0], halves);
   *call->out = numeric_scalar(HDB_TYPE_UINT, 32);
   call->out->rows = 2;
   call->out->at[0].u = halves[0];
   call->out->at[1].u = halves[1];
   return 0;
}

/* ---- bit fields ---- */

static int
need_integers(struct call *call)
{
   for (uint32_t i = 0; i < call->count; i++) {
      struct numeric *a = &call->arguments[i];
      if (a->kind == HDB_TYPE_BOOL)
         numeric_convert(a, HDB_TYPE_INT, 32);
      if (a->kind == HDB_TYPE_FLOAT)
         return call_fail(call, "integers expected");
   }
   *call->out = call->arguments[0];
   return 0;
}

static uint64_t
bits_of(const struct numeric *a, uint32_t i)
{
   return number_wrap(HDB_TYPE_UINT, a->bits, a->at[i]).u;
}

static int
run_bit_count(struct call *call)
{
   int result = need_integers(call);
   for (uint32_t i = 0; !result && i < numeric_count(call->out); i++)
      call->out->at[i].u = __builtin_popcountll(bits_of(&call->arguments[0], i));
   return result;
}

static int
run_reverse(struct call *call)
{
   int result = need_integers(call);
   for (uint32_t i = 0; !result && i < numeric_count(call->out); i++) {
      uint64_t from = bits_of(&call->arguments[0], i);
      union number to = {.u = 0};
      for (uint32_t bit = 0; bit < call->out->bits; bit++)
         to.u |= (from >> bit & 1) << (call->out->bits - 1 - bit);
      call->out->at[i] = number_wrap(call->out->kind, call->out->bits, to);
   }
   return result;
}

/* findMSB of a negative number is that of its complement (GLSL 4.60, 8.8). */
static int
find_bit(struct call *call, bool least)
{
   int result = need_integers(call);
   const struct numeric *a = &call->arguments[0];
   call->out->kind = HDB_TYPE_INT;
   for (uint32_t i = 0; !result && i < numeric_count(a); i++) {
      uint64_t bits = bits_of(a, i);
      if (!least && a->kind == HDB_TYPE_INT && a->at[i].i < 0)
         bits = bits_of(&(struct numeric){.bits = a->bits, .at[0].u = ~bits}, 0);
      call->out->at[i].i = !bits ? -1 : least ? __builtin_ctzll(bits) : 63 - __builtin_clzll(bits);
   }
   return result;
}

static int
run_find_least(struct call *call)
{
   return find_bit(call, true);
}

static int
run_find_most(struct call *call)
{
   return find_bit(call, false);
}

/* The offset and width of a field, within the number. */
static int
need_field(struct call *call, uint32_t first, uint32_t *offset, uint32_t *width)
{
   int result = need_integers(call);
   uint64_t low = call->arguments[first].at[0].u, count = call->arguments[first + 1].at[0].u;
   uint32_t bits = call->arguments[0].bits;
   if (!result && (low > bits || count > bits - low))
      result = call_fail(call, "the field is not within %u bits", bits);
   *offset = (uint32_t)low;
   *width = (uint32_t)count;
   return result;
}

static int
run_extract(struct call *call)
{
   uint32_t offset, width;
   int result = need_field(call, 1, &offset, &width);
   for (uint32_t i = 0; !result && i < numeric_count(call->out); i++) {
      union number field = {.u = width ? bits_of(&call->arguments[0], i) >> offset : 0};
      call->out->at[i] = width ? number_wrap(call->out->kind, width, field) : field;
   }
   return result;
}

static int
run_insert(struct call *call)
{
   uint32_t offset, width;
   int result = need_field(call, 2, &offset, &width);
   if (!result && numeric_count(&call->arguments[1]) != numeric_count(&call->arguments[0]))
      return call_fail(call, "two values of one size expected");
   uint64_t mask = width == 64 ? UINT64_MAX : (1ull << width) - 1;
   for (uint32_t i = 0; !result && width && i < numeric_count(call->out); i++) {
      union number to = {.u = (bits_of(&call->arguments[0], i) & ~(mask << offset)) |
                              (call->arguments[1].at[i].u & mask) << offset};
      call->out->at[i] = number_wrap(call->out->kind, call->out->bits, to);
   }
   return result;
}

const struct function bit_functions[] = {
   {"floatBitsToInt", 1, 1, run_as_int},
   {"floatBitsToUint", 1, 1, run_as_uint},
   {"intBitsToFloat", 1, 1, run_as_float},
   {"uintBitsToFloat", 1, 1, run_as_float},
   {"doubleBitsToInt64", 1, 1, run_as_int},
   {"doubleBitsToUint64", 1, 1, run_as_uint},
   {"int64BitsToDouble", 1, 1, run_as_float},
   {"uint64BitsToDouble", 1, 1, run_as_float},
   {"float16BitsToInt16", 1, 1, run_as_int},
   {"float16BitsToUint16", 1, 1, run_as_uint},
   {"int16BitsToFloat16", 1, 1, run_as_float},
   {"uint16BitsToFloat16", 1, 1, run_as_float},
   {"asfloat", 1, 1, run_as_float},
   {"asint", 1, 1, run_as_int},
   {"asuint", 1, 1, run_as_uint},
   {"asdouble", 2, 2, run_pack_double},
   {"packHalf2x16", 1, 1, run_pack},
   {"packUnorm2x16", 1, 1, run_pack},
   {"packSnorm2x16", 1, 1, run_pack},
   {"packUnorm4x8", 1, 1, run_pack},
   {"packSnorm4x8", 1, 1, run_pack},
   {"unpackHalf2x16", 1, 1, run_unpack},
   {"unpackUnorm2x16", 1, 1, run_unpack},
   {"unpackSnorm2x16", 1, 1, run_unpack},
   {"unpackUnorm4x8", 1, 1, run_unpack},
   {"unpackSnorm4x8", 1, 1, run_unpack},
   {"packDouble2x32", 1, 1, run_pack_double},
   {"packUint2x32", 1, 1, run_pack_uint64},
   {"unpackDouble2x32", 1, 1, run_unpack64},
   {"unpackUint2x32", 1, 1, run_unpack64},
   {"f32tof16", 1, 1, run_f32tof16},
   {"f16tof32", 1, 1, run_f16tof32},
   {"bitCount", 1, 1, run_bit_count},
   {"countbits", 1, 1, run_bit_count},
   {"bitfieldReverse", 1, 1, run_reverse},
   {"reversebits", 1, 1, run_reverse},
   {"findLSB", 1, 1, run_find_least},
   {"firstbitlow", 1, 1, run_find_least},
   {"findMSB", 1, 1, run_find_most},
   {"firstbithigh", 1, 1, run_find_most},
   {"bitfieldExtract", 3, 3, run_extract},
   {"bitfieldInsert", 4, 4, run_insert},
   {NULL},
};
