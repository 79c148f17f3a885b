/* SPDX-License-Identifier: MIT */
/*
 * SPIR-V specification, 3.49.11 (conversion), 3.49.13 (arithmetic), 3.49.14 (bit), 3.49.15 (relational and logical
 * instructions); GLSL.std.450 for the extended ones. The machine may flush denormals, and fuse or reorder what rounds.
 */
#include "symbols/operations.h"

#include <math.h>
#include <string.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

static uint64_t
mask(uint64_t value, uint32_t bits)
{
   return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

static int64_t
extend(uint64_t value, uint32_t bits)
{
   return bits && bits < 64 ? (int64_t)(value << (64 - bits)) >> (64 - bits) : (int64_t)value;
}

/* ---- how many operands ---- */

static unsigned
extended_operands(uint32_t number)
{
   switch (number) {
   case GLSLstd450SAbs:
   case GLSLstd450SSign:
   case GLSLstd450FindILsb:
   case GLSLstd450FindSMsb:
   case GLSLstd450FindUMsb:
   case GLSLstd450FAbs:
      return 1;
   case GLSLstd450UMin:
   case GLSLstd450SMin:
   case GLSLstd450UMax:
   case GLSLstd450SMax:
      return 2;
   case GLSLstd450UClamp:
   case GLSLstd450SClamp:
      return 3;
   default:
      return 0;
   }
}

unsigned
operation_operands(uint32_t operation)
{
   if (operation >= OPERATION_GLSL)
      return extended_operands(operation - OPERATION_GLSL);
   switch (operation) {
   case SpvOpUConvert:
   case SpvOpSConvert:
   case SpvOpBitcast:
   case SpvOpConvertPtrToU:
   case SpvOpConvertUToPtr:
   case SpvOpSNegate:
   case SpvOpNot:
   case SpvOpLogicalNot:
   case SpvOpBitReverse:
   case SpvOpBitCount:
   case SpvOpFConvert:
   case SpvOpConvertUToF:
   case SpvOpConvertSToF:
   case SpvOpConvertFToU:
   case SpvOpConvertFToS:
   case SpvOpFNegate:
      return 1;
   case SpvOpIAdd:
   case SpvOpISub:
   case SpvOpIMul:
   case SpvOpUDiv:
   case SpvOpUMod:
   case SpvOpSDiv:
   case SpvOpSRem:
   case SpvOpSMod:
   case SpvOpIAddCarry:
   case SpvOpISubBorrow:
   case SpvOpUMulExtended:
   case SpvOpSMulExtended:
   case SpvOpShiftRightLogical:
   case SpvOpShiftRightArithmetic:
   case SpvOpShiftLeftLogical:
   case SpvOpBitwiseOr:
   case SpvOpBitwiseAnd:
   case SpvOpBitwiseXor:
   case SpvOpLogicalOr:
   case SpvOpLogicalAnd:
   case SpvOpLogicalEqual:
   case SpvOpLogicalNotEqual:
   case SpvOpIEqual:
   case SpvOpINotEqual:
   case SpvOpUGreaterThan:
   case SpvOpUGreaterThanEqual:
   case SpvOpULessThan:
   case SpvOpULessThanEqual:
   case SpvOpSGreaterThan:
   case SpvOpSGreaterThanEqual:
   case SpvOpSLessThan:
   case SpvOpSLessThanEqual:
      return 2;
   case SpvOpSelect:
   case SpvOpBitFieldSExtract:
   case SpvOpBitFieldUExtract:
      return 3;
   default:
      return 0;
   }
}

/* ---- floats ---- */

/* As a double, which holds all that the others can. */
static bool
read_float(uint64_t a, uint32_t bits, double *value)
{
   if (bits == 32) {
      float single;
      uint32_t low = a;
      memcpy(&single, &low, sizeof(single));
      *value = single;
      return fpclassify(single) == FP_NORMAL || single == 0;
   }
   memcpy(value, &a, sizeof(*value));
   return bits == 64 && (fpclassify(*value) == FP_NORMAL || *value == 0);
}

static bool
write_float(double value, uint32_t bits, uint64_t *a)
{
   *a = 0;
   if (bits == 32) {
      float single = (float)value;
      memcpy(a, &single, sizeof(single));
      return single == value && (fpclassify(single) == FP_NORMAL || single == 0);
   }
   memcpy(a, &value, sizeof(value));
   return bits == 64;
}

static bool
convert_float(uint32_t operation, uint64_t a, uint32_t from, uint32_t to, uint64_t *value)
{
   double number;
   uint64_t sign = from ? UINT64_C(1) << (from - 1) : 0;
   if (operation == SpvOpConvertUToF)
      return mask(a, 53) == a && write_float((double)a, to, value);
   if (operation == SpvOpConvertSToF) {
      int64_t x = extend(a, from);
      return (int64_t)(double)x == x && extend(x, 54) == x && write_float((double)x, to, value);
   }
   if (!read_float(a, from, &number))
      return false;
   switch (operation) {
   case SpvOpFConvert:
      return write_float(number, to, value);
   case SpvOpFNegate:
      *value = a ^ sign;
      return true;
   case OPERATION_GLSL | GLSLstd450FAbs:
      *value = a & ~sign;
      return true;
   case SpvOpConvertFToU:
      *value = number > -1 && number < ldexp(1, (int)to) ? (uint64_t)trunc(number) : 0;
      return number > -1 && number < ldexp(1, (int)to);
   default: /* SpvOpConvertFToS */
      number = trunc(number);
      if (number < -ldexp(1, (int)to - 1) || number >= ldexp(1, (int)to - 1))
         return false;
      *value = (uint64_t)(int64_t)number;
      return true;
   }
}

/* ---- bits ---- */

static uint64_t
reverse(uint64_t a, uint32_t bits)
{
   uint64_t value = 0;
   for (uint32_t i = 0; i < bits; i++)
      value |= (a >> i & 1) << (bits - 1 - i);
   return value;
}

/* -1: there is none. */
static uint64_t
highest_bit(uint64_t a)
{
   return a ? (uint64_t)(63 - __builtin_clzll(a)) : UINT64_MAX;
}

/* Base, offset, count. */
static bool
extract(uint32_t operation, const uint64_t *operands, uint32_t bits, uint64_t *value)
{
   uint64_t offset = operands[1], count = operands[2];
   if (offset > bits || count > bits - offset)
      return false;
   uint64_t field = count ? mask(operands[0] >> offset, count) : 0;
   *value = operation == SpvOpBitFieldSExtract ? (uint64_t)extend(field, count) : field;
   return true;
}

/* ---- one operand ---- */

static bool
compute_unary(uint32_t operation, uint64_t a, uint32_t from, uint32_t to, uint64_t *value)
{
   int64_t x = extend(a, from);
   switch (operation) {
   case SpvOpSConvert:
      *value = x;
      return true;
   case SpvOpUConvert:
   case SpvOpConvertPtrToU:
   case SpvOpConvertUToPtr:
      *value = a;
      return true;
   case SpvOpBitcast:
      *value = a;
      return from == to;
   case SpvOpSNegate:
      *value = -a;
      return true;
   case SpvOpNot:
      *value = ~a;
      return true;
   case SpvOpLogicalNot:
      *value = !a;
      return true;
   case SpvOpBitReverse:
      *value = reverse(a, from);
      return true;
   case SpvOpBitCount:
      *value = __builtin_popcountll(a);
      return true;
   case OPERATION_GLSL | GLSLstd450SAbs:
      *value = x < 0 ? -a : a;
      return true;
   case OPERATION_GLSL | GLSLstd450SSign:
      *value = x < 0 ? UINT64_MAX : (uint64_t)(x > 0);
      return true;
   case OPERATION_GLSL | GLSLstd450FindILsb:
      *value = a ? (uint64_t)__builtin_ctzll(a) : UINT64_MAX;
      return true;
   case OPERATION_GLSL | GLSLstd450FindUMsb:
      *value = highest_bit(a);
      return true;
   case OPERATION_GLSL | GLSLstd450FindSMsb:
      *value = highest_bit(x < 0 ? mask(~a, from) : a);
      return true;
   default:
      return convert_float(operation, a, from, to, value);
   }
}

/* ---- two and more ---- */

static bool
divide(uint32_t operation, uint64_t a, uint64_t b, int64_t x, int64_t y, uint64_t *value)
{
   if (!b)
      return false;
   switch (operation) {
   case SpvOpUDiv:
      *value = a / b;
      return true;
   case SpvOpUMod:
      *value = a % b;
      return true;
   case SpvOpSDiv:
      *value = y == -1 ? -(uint64_t)x : (uint64_t)(x / y);
      return true;
   case SpvOpSRem:
      *value = y == -1 ? 0 : x % y;
      return true;
   default: /* SpvOpSMod: the sign is the divisor's */
      x = y == -1 ? 0 : x % y;
      *value = x != 0 && (x < 0) != (y < 0) ? x + y : x;
      return true;
   }
}

static bool
shift(uint32_t operation, uint64_t a, uint64_t b, int64_t x, uint32_t bits, uint64_t *value)
{
   if (b >= bits)
      return false;
   *value = operation == SpvOpShiftLeftLogical    ? a << b
            : operation == SpvOpShiftRightLogical ? a >> b
                                                  : (uint64_t)(x >> b);
   return true;
}

/* The upper half of a sum, difference or product. */
static bool
carry(uint32_t operation, uint64_t a, uint64_t b, int64_t x, int64_t y, uint32_t bits, uint64_t *value)
{
   switch (operation) {
   case SpvOpIAddCarry:
      *value = mask(a + b, bits) < a;
      return true;
   case SpvOpISubBorrow:
      *value = a < b;
      return true;
   case SpvOpUMulExtended:
      *value = (uint64_t)((unsigned __int128)a * b >> bits);
      return true;
   default: /* SpvOpSMulExtended */
      *value = (uint64_t)((__int128)x * y >> bits);
      return true;
   }
}

static bool
compute_binary(uint32_t operation, uint64_t a, uint64_t b, uint32_t bits, uint64_t *value)
{
   int64_t x = extend(a, bits), y = extend(b, bits);
   switch (operation) {
   case SpvOpIAdd:
      *value = a + b;
      return true;
   case SpvOpISub:
      *value = a - b;
      return true;
   case SpvOpIMul:
      *value = a * b;
      return true;
   case SpvOpUDiv:
   case SpvOpUMod:
   case SpvOpSDiv:
   case SpvOpSRem:
   case SpvOpSMod:
      return divide(operation, a, b, x, y, value);
   case SpvOpIAddCarry:
   case SpvOpISubBorrow:
   case SpvOpUMulExtended:
   case SpvOpSMulExtended:
      return carry(operation, a, b, x, y, bits, value);
   case SpvOpShiftRightLogical:
   case SpvOpShiftRightArithmetic:
   case SpvOpShiftLeftLogical:
      return shift(operation, a, b, x, bits, value);
   case SpvOpBitwiseOr:
   case SpvOpLogicalOr:
      *value = a | b;
      return true;
   case SpvOpBitwiseAnd:
   case SpvOpLogicalAnd:
      *value = a & b;
      return true;
   case SpvOpBitwiseXor:
      *value = a ^ b;
      return true;
   case SpvOpIEqual:
   case SpvOpLogicalEqual:
      *value = a == b;
      return true;
   case SpvOpINotEqual:
   case SpvOpLogicalNotEqual:
      *value = a != b;
      return true;
   case SpvOpUGreaterThan:
      *value = a > b;
      return true;
   case SpvOpUGreaterThanEqual:
      *value = a >= b;
      return true;
   case SpvOpULessThan:
      *value = a < b;
      return true;
   case SpvOpULessThanEqual:
      *value = a <= b;
      return true;
   case SpvOpSGreaterThan:
      *value = x > y;
      return true;
   case SpvOpSGreaterThanEqual:
      *value = x >= y;
      return true;
   case SpvOpSLessThan:
      *value = x < y;
      return true;
   case SpvOpSLessThanEqual:
      *value = x <= y;
      return true;
   case OPERATION_GLSL | GLSLstd450UMin:
      *value = a < b ? a : b;
      return true;
   case OPERATION_GLSL | GLSLstd450UMax:
      *value = a > b ? a : b;
      return true;
   case OPERATION_GLSL | GLSLstd450SMin:
      *value = x < y ? a : b;
      return true;
   case OPERATION_GLSL | GLSLstd450SMax:
      *value = x > y ? a : b;
      return true;
   default:
      return false;
   }
}

static bool
compute_ternary(uint32_t operation, const uint64_t *operands, uint32_t bits, uint64_t *value)
{
   uint64_t a = operands[0], low = operands[1], high = operands[2];
   int64_t x = extend(a, bits), y = extend(low, bits), z = extend(high, bits);
   switch (operation) {
   case SpvOpSelect:
      *value = a ? low : high;
      return true;
   case SpvOpBitFieldSExtract:
   case SpvOpBitFieldUExtract:
      return extract(operation, operands, bits, value);
   case OPERATION_GLSL | GLSLstd450UClamp:
      *value = a < low ? low : a > high ? high : a;
      return low <= high;
   case OPERATION_GLSL | GLSLstd450SClamp:
      *value = x < y ? low : x > z ? high : a;
      return y <= z;
   default:
      return false;
   }
}

bool
operation_compute(uint32_t operation, const uint64_t *operands, uint32_t from, uint32_t to, uint64_t *value)
{
   bool defined = false;
   if (from > 64 || to > 64)
      return false;
   switch (operation_operands(operation)) {
   case 1:
      defined = compute_unary(operation, operands[0], from, to, value);
      break;
   case 2:
      defined = compute_binary(operation, operands[0], operands[1], from, value);
      break;
   case 3:
      defined = compute_ternary(operation, operands, from, value);
      break;
   }
   if (defined)
      *value = mask(*value, to);
   return defined;
}
