/* SPDX-License-Identifier: MIT */
/* What SPIR-V's operations compute, worked out by hand from the specification. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "symbols/operations.h"

#define GLSL(number) (OPERATION_GLSL | GLSLstd450##number)
#define UNDEFINED UINT64_MAX, false
#define IS(value) (value), true

struct row {
   uint32_t operation, from, to;
   uint64_t operands[3], value;
   bool defined;
};

static const struct row rows[] = {
   {SpvOpIAdd, 32, 32, {0xffffffff, 2}, IS(1)},
   {SpvOpIAdd, 8, 8, {200, 100}, IS(44)},
   {SpvOpISub, 16, 16, {1, 2}, IS(0xffff)},
   {SpvOpIMul, 64, 64, {0x100000001, 0x100000001}, IS(0x200000001)},
   {SpvOpUDiv, 32, 32, {0xfffffffe, 3}, IS(0x55555554)},
   {SpvOpUDiv, 32, 32, {1, 0}, UNDEFINED},
   {SpvOpSDiv, 32, 32, {0xfffffff9, 2}, IS(0xfffffffd)}, /* -7 / 2 */
   {SpvOpSDiv, 32, 32, {0x80000000, 0xffffffff}, IS(0x80000000)},
   {SpvOpSRem, 32, 32, {0xfffffff9, 3}, IS(0xffffffff)}, /* the dividend's sign */
   {SpvOpSMod, 32, 32, {0xfffffff9, 3}, IS(2)},          /* the divisor's */
   {SpvOpSMod, 32, 32, {7, 0xfffffffd}, IS(0xfffffffe)},
   {SpvOpUMod, 32, 32, {0xfffffff9, 16}, IS(9)},
   {SpvOpIAddCarry, 32, 32, {0xffffffff, 1}, IS(1)},
   {SpvOpIAddCarry, 32, 32, {0xfffffffe, 1}, IS(0)},
   {SpvOpISubBorrow, 32, 32, {1, 2}, IS(1)},
   {SpvOpUMulExtended, 32, 32, {0xffffffff, 0xffffffff}, IS(0xfffffffe)},
   {SpvOpSMulExtended, 32, 32, {0xffffffff, 2}, IS(0xffffffff)},
   {SpvOpUMulExtended, 64, 64, {1ull << 63, 6}, IS(3)},
   {SpvOpShiftLeftLogical, 32, 32, {0x80000001, 1}, IS(2)},
   {SpvOpShiftRightLogical, 32, 32, {0x80000000, 31}, IS(1)},
   {SpvOpShiftRightArithmetic, 32, 32, {0x80000000, 31}, IS(0xffffffff)},
   {SpvOpShiftRightArithmetic, 8, 8, {0x80, 3}, IS(0xf0)},
   {SpvOpShiftLeftLogical, 32, 32, {1, 32}, UNDEFINED},
   {SpvOpNot, 16, 16, {0x00ff}, IS(0xff00)},
   {SpvOpSNegate, 32, 32, {1}, IS(0xffffffff)},
   {SpvOpLogicalNot, 1, 1, {1}, IS(0)},
   {SpvOpSLessThan, 32, 1, {0xffffffff, 0}, IS(1)},
   {SpvOpULessThan, 32, 1, {0xffffffff, 0}, IS(0)},
   {SpvOpSGreaterThanEqual, 8, 1, {0x80, 0x7f}, IS(0)},
   {SpvOpSConvert, 8, 32, {0x80}, IS(0xffffff80)},
   {SpvOpUConvert, 8, 32, {0x80}, IS(0x80)},
   {SpvOpUConvert, 32, 8, {0x1234}, IS(0x34)},
   {SpvOpBitcast, 32, 32, {0x3f800000}, IS(0x3f800000)},
   {SpvOpBitcast, 32, 64, {0x3f800000}, UNDEFINED}, /* two make one */
   {SpvOpConvertUToPtr, 64, 64, {0x8000000012345678}, IS(0x8000000012345678)},
   {SpvOpConvertPtrToU, 64, 32, {0x8000000012345678}, IS(0x12345678)},
   {SpvOpSelect, 32, 32, {1, 5, 6}, IS(5)},
   {SpvOpSelect, 32, 32, {0, 5, 6}, IS(6)},
   {SpvOpBitFieldUExtract, 32, 32, {0xabcd1234, 12, 8}, IS(0xd1)},
   {SpvOpBitFieldSExtract, 32, 32, {0xabcd1234, 12, 8}, IS(0xffffffd1)},
   {SpvOpBitFieldUExtract, 32, 32, {0xffffffff, 4, 0}, IS(0)},
   {SpvOpBitFieldUExtract, 32, 32, {0xffffffff, 20, 20}, UNDEFINED},
   {SpvOpBitReverse, 32, 32, {0x00000003}, IS(0xc0000000)},
   {SpvOpBitCount, 32, 32, {0xf0f00001}, IS(9)},
   {GLSL(SAbs), 32, 32, {0xfffffffb}, IS(5)},
   {GLSL(SSign), 32, 32, {0xfffffffb}, IS(0xffffffff)},
   {GLSL(SSign), 32, 32, {5}, IS(1)},
   {GLSL(FindILsb), 32, 32, {0x50}, IS(4)},
   {GLSL(FindILsb), 32, 32, {0}, IS(0xffffffff)},
   {GLSL(FindUMsb), 32, 32, {0x50}, IS(6)},
   {GLSL(FindSMsb), 32, 32, {0xffffff0f}, IS(7)}, /* the highest zero of a negative one */
   {GLSL(FindSMsb), 32, 32, {0xffffffff}, IS(0xffffffff)},
   {GLSL(SMin), 32, 32, {0xffffffff, 1}, IS(0xffffffff)},
   {GLSL(UMin), 32, 32, {0xffffffff, 1}, IS(1)},
   {GLSL(SMax), 32, 32, {0xffffffff, 1}, IS(1)},
   {GLSL(UMax), 32, 32, {0xffffffff, 1}, IS(0xffffffff)},
   {GLSL(SClamp), 32, 32, {0xffffff00, 0xfffffffe, 2}, IS(0xfffffffe)},
   {GLSL(UClamp), 32, 32, {9, 0, 4}, IS(4)},
   {GLSL(UClamp), 32, 32, {9, 4, 0}, UNDEFINED},
   /* Floats: only what is exact, whatever becomes of denormals. */
   {SpvOpFNegate, 32, 32, {0x3f800000}, IS(0xbf800000)},
   {SpvOpFNegate, 32, 32, {0}, IS(0x80000000)},
   {SpvOpFNegate, 32, 32, {0x00000001}, UNDEFINED}, /* denormal */
   {SpvOpFNegate, 32, 32, {0x7fc00000}, UNDEFINED}, /* NaN */
   {GLSL(FAbs), 64, 64, {0xc000000000000000}, IS(0x4000000000000000)},
   {SpvOpConvertUToF, 32, 32, {0x01000000}, IS(0x4b800000)},
   {SpvOpConvertUToF, 32, 32, {0x01000001}, UNDEFINED}, /* would be rounded */
   {SpvOpConvertSToF, 32, 32, {0xffffffff}, IS(0xbf800000)},
   {SpvOpConvertFToU, 32, 32, {0x40600000}, IS(3)},          /* 3.5 */
   {SpvOpConvertFToS, 32, 32, {0xc0600000}, IS(0xfffffffd)}, /* -3.5 */
   {SpvOpConvertFToS, 32, 32, {0x4f000000}, UNDEFINED},      /* 2^31 */
   {SpvOpConvertFToU, 32, 32, {0xbf800000}, UNDEFINED},      /* -1 */
   {SpvOpFConvert, 32, 64, {0x3fc00000}, IS(0x3ff8000000000000)},
   {SpvOpFConvert, 64, 32, {0x3ff8000000000000}, IS(0x3fc00000)},
   {SpvOpFConvert, 64, 32, {0x3ff0000000000001}, UNDEFINED},
   /* What the compiler may contract, reorder or approximate. */
   {SpvOpFAdd, 32, 32, {0x3f800000, 0x3f800000}, UNDEFINED},
   {SpvOpFMul, 32, 32, {0x3f800000, 0x3f800000}, UNDEFINED},
   {GLSL(Sqrt), 32, 32, {0x3f800000}, UNDEFINED},
   {SpvOpPhi, 32, 32, {1, 1}, UNDEFINED},
};

static void
test_values(void **state)
{
   for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
      const struct row *row = &rows[i];
      uint64_t value = 0;
      bool defined = operation_compute(row->operation, row->operands, row->from, row->to, &value);
      if (defined != row->defined || (defined && value != row->value))
         fail_msg("row %zu, operation %u: %#lx, %d; expected %#lx, %d", i, row->operation, (unsigned long)value,
                  defined, (unsigned long)row->value, row->defined);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {cmocka_unit_test(test_values)};
   return cmocka_run_group_tests(tests, NULL, NULL);
}
