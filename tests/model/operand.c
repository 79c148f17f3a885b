/* SPDX-License-Identifier: MIT */
/* What an operand stands for (RDNA3 ISA guide, 7.2 and 7.2.2.2). */
#include "model.h"

/* 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1/(2*pi) */
static const uint16_t half_constant[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};
static const uint32_t single_constant[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                           0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
static const uint64_t double_constant[] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
                                           0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
                                           0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

static uint32_t
scalar_register(const struct machine *machine, unsigned number)
{
   return number < MODEL_SGPRS ? machine->sgpr[number] : 0;
}

bits
operand_value(const struct operand *operand, enum type type, const struct machine *machine, unsigned lane)
{
   unsigned size = type == MASK ? (machine->wave64 ? 64 : 32) : type_bits(type);
   unsigned number = (unsigned)operand->value;
   bits value = 0;
   switch (operand->kind) {
   case VGPR:
      /* 7.2.7: a source VGPR that is out of range reads as VGPR0. */
      for (unsigned i = 0; i < (size + 31) / 32; i++)
         value |= (bits)machine->vgpr[number + i < MODEL_VGPRS ? number + i : 0][lane] << 32 * i;
      return value;
   case SGPR:
      value = scalar_register(machine, number);
      return size == 64 ? value | (bits)scalar_register(machine, number + 1) << 32 : value;
   case VCC:
      return size == 64 ? machine->vcc : number ? machine->vcc >> 32 : machine->vcc & UINT32_MAX;
   case EXEC:
      return size == 64 ? machine->exec : number ? machine->exec >> 32 : machine->exec & UINT32_MAX;
   case M0:
      return machine->m0;
   case INLINE_INTEGER:
      return size == 64 ? (uint64_t)(int64_t)operand->value : (uint32_t)operand->value;
   case INLINE_FLOAT:
      if (type == BF16) /* "the BF16 operand selects the upper 16 bits of the FP32 constant" (7.5.1) */
         return single_constant[number] >> 16;
      return size == 64                    ? double_constant[number]
             : size == 16 || type == PKF16 ? half_constant[number]
                                           : single_constant[number];
   case LITERAL:
      if (size != 64)
         return (uint32_t)operand->value;
      return type == F64   ? (bits)(uint32_t)operand->value << 32
             : type == I64 ? (uint64_t)(int64_t)operand->value
                           : (uint32_t)operand->value;
   case NO_OPERAND:
   case NULL_REGISTER:
      break;
   }
   return 0;
}
