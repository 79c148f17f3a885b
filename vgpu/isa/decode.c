/* SPDX-License-Identifier: MIT */
/* Bits to instructions (RDNA3 ISA guide, chapter 15). What LLVM does not accept is refused. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "isa/decode.h"

uint32_t
field(const struct inst *inst, unsigned low, unsigned bits)
{
   uint64_t pair = inst->word[low / 32];
   if (low % 32 + bits > 32)
      pair |= (uint64_t)inst->word[low / 32 + 1] << 32;
   return (uint32_t)(pair >> low % 32) & (bits == 32 ? ~0u : (1u << bits) - 1);
}

int
unused_field(const struct inst *inst, unsigned value)
{
   return value && !inst->lenient ? -EINVAL : 0;
}

int
take_dword(struct inst *inst, size_t size, uint32_t *dword)
{
   if (inst->size + 4u > size)
      return -ENODATA;
   *dword = inst->word[inst->size / 4];
   inst->size += 4;
   return 0;
}

/* ---- operands ---- */

/* A scalar register as source or destination of so many dwords. Pairs are aligned to two, larger ones to four; the odd
 * bits are ignored. VCC is the hardware's s[106:107], and ACO allocates s[104:107] (aco_ir.cpp, sgpr_limit), which LLVM
 * refuses. -EINVAL: no such register. */
static int
scalar_register(unsigned selector, unsigned dwords)
{
   if (selector == SRC_NULL || dwords <= 1)
      return (int)selector;
   unsigned align = dwords == 2 ? 2 : 4;
   if (selector < 106) {
      selector &= ~(align - 1);
      return selector + dwords <= 108 ? (int)selector : -EINVAL;
   }
   if (selector >= 108 && selector < 124) {
      selector = 108 + ((selector - 108) & ~(align - 1));
      return selector + dwords <= 124 ? (int)selector : -EINVAL;
   }
   return dwords == 2 && (selector == 106 || selector == 126) ? (int)selector : -EINVAL;
}

/* 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1/(2 pi), as bits: the host may be rounding in any direction here. */
static const uint64_t inline_doubles[9] = {
   UINT64_C(0x3fe0000000000000), UINT64_C(0xbfe0000000000000), UINT64_C(0x3ff0000000000000),
   UINT64_C(0xbff0000000000000), UINT64_C(0x4000000000000000), UINT64_C(0xc000000000000000),
   UINT64_C(0x4010000000000000), UINT64_C(0xc010000000000000), UINT64_C(0x3fc45f306dc9c882)};
static const uint32_t inline_floats[9] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                          0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
static const uint16_t inline_bfloats[9] = {0x3f00, 0xbf00, 0x3f80, 0xbf80, 0x4000, 0xc000, 0x4080, 0xc080, 0x3e22};
static const uint16_t inline_halfs[9] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};

/* What an inline constant or literal means to an operand of that type. */
static uint64_t
constant_value(unsigned selector, enum isa_type type, uint32_t literal)
{
   if (selector >= SRC_INTEGER_0 && selector < SRC_MINUS_1)
      return selector - SRC_INTEGER_0;
   if (selector >= SRC_MINUS_1 && selector <= 208)
      return (uint64_t)(int64_t)(192 - (int)selector);
   if (selector >= SRC_HALF && selector <= SRC_INV_2PI) {
      unsigned n = selector - SRC_HALF;
      if (isa_type_dwords(type) == 2)
         return inline_doubles[n];
      if (type == TYPE_BF16)
         return inline_bfloats[n];
      if (isa_type_is_half(type) || type == TYPE_PF16 || type == TYPE_TIED16 || type == TYPE_LITERAL16)
         return inline_halfs[n];
      return inline_floats[n];
   }
   if (type == TYPE_F64)
      return (uint64_t)literal << 32;
   if (type == TYPE_I64)
      return (uint64_t)(int64_t)(int32_t)literal;
   return literal;
}

bool
decode_is_constant(unsigned selector)
{
   return (selector >= SRC_INTEGER_0 && selector <= 208) || (selector >= SRC_HALF && selector <= SRC_INV_2PI) ||
          selector == SRC_LITERAL;
}

int
decode_source(struct inst *inst, unsigned n, unsigned selector, enum isa_type type)
{
   unsigned dwords = isa_type_dwords(type);
   if (selector >= SRC_VGPR0) {
      if (selector - SRC_VGPR0 + dwords > 256)
         return -EINVAL;
   } else if (selector < SRC_INTEGER_0) {
      int reg = scalar_register(selector, dwords);
      if (reg < 0)
         return reg;
      selector = (unsigned)reg;
   } else if (decode_is_constant(selector)) {
      inst->value[n] = constant_value(selector, type, inst->literal);
      /* v_pk_fmac_f16 has no op_sel: gfx11 gives both halves a float constant (measured on Navi31: LLVM issue 94116).
       */
      if (inst->encoding == ISA_VOP2 && inst->op->dst == TYPE_PF16 && selector >= SRC_HALF && selector <= SRC_INV_2PI)
         inst->value[n] |= inst->value[n] << 16;
   } else if (selector < SRC_SHARED_BASE || selector == 249 || selector == SRC_DPP16) {
      return -EINVAL;
   } else if (selector == SRC_LDS_DIRECT && dwords > 1) {
      return -EINVAL;
   }
   inst->src[n] = (uint16_t)selector;
   return 0;
}

static int
decode_scalar_destination(struct inst *inst, unsigned selector, enum isa_type type)
{
   int reg = scalar_register(selector, isa_type_dwords(type));
   if (reg < 0)
      return reg;
   inst->dst = (uint16_t)reg;
   return 0;
}

/* Scalar instructions read no VGPRs and nothing of pixel waves. */
static int
decode_scalar_source(struct inst *inst, unsigned n, unsigned selector, enum isa_type type)
{
   if (type == TYPE_NONE)
      return 0;
   if (selector == SRC_LDS_DIRECT || (inst->op->flags & OP_NO_CONSTANT && decode_is_constant(selector)))
      return -EINVAL;
   return decode_source(inst, n, selector, type);
}

/* ---- families ---- */

static bool
wants_literal(unsigned selector)
{
   return selector == SRC_LITERAL;
}

static int
decode_sop2(struct inst *inst, size_t size)
{
   unsigned opcode = field(inst, 23, 7), a = field(inst, 0, 8), b = field(inst, 8, 8);
   inst->encoding = ISA_SOP2;
   if (!(inst->op = LOOKUP(isa_sop2, opcode)))
      return -EINVAL;
   inst->execute = execute_sop2[opcode];
   if (wants_literal(a) || wants_literal(b))
      TRY(take_dword(inst, size, &inst->literal));
   TRY(decode_scalar_source(inst, 0, a, inst->op->src[0]));
   TRY(decode_scalar_source(inst, 1, b, inst->op->src[1]));
   return decode_scalar_destination(inst, field(inst, 16, 7), inst->op->dst);
}

static int
decode_sop1(struct inst *inst, size_t size)
{
   unsigned opcode = field(inst, 8, 8), a = field(inst, 0, 8);
   inst->encoding = ISA_SOP1;
   if (!(inst->op = LOOKUP(isa_sop1, opcode)))
      return -EINVAL;
   inst->execute = execute_sop1[opcode];
   if (inst->op->src[0] == TYPE_IMM) {
      inst->offset = (int32_t)a;
   } else {
      if (wants_literal(a) && inst->op->src[0] != TYPE_NONE)
         TRY(take_dword(inst, size, &inst->literal));
      TRY(decode_scalar_source(inst, 0, a, inst->op->src[0]));
   }
   return inst->op->dst == TYPE_NONE ? 0 : decode_scalar_destination(inst, field(inst, 16, 7), inst->op->dst);
}

static int
decode_sopc(struct inst *inst, size_t size)
{
   unsigned opcode = field(inst, 16, 7), a = field(inst, 0, 8), b = field(inst, 8, 8);
   inst->encoding = ISA_SOPC;
   if (!(inst->op = LOOKUP(isa_sopc, opcode)))
      return -EINVAL;
   inst->execute = execute_sopc[opcode];
   if (wants_literal(a) || wants_literal(b))
      TRY(take_dword(inst, size, &inst->literal));
   TRY(decode_scalar_source(inst, 0, a, inst->op->src[0]));
   return decode_scalar_source(inst, 1, b, inst->op->src[1]);
}

static int
decode_sopk(struct inst *inst, size_t size)
{
   unsigned opcode = field(inst, 23, 5);
   inst->encoding = ISA_SOPK;
   if (!(inst->op = LOOKUP(isa_sopk, opcode)))
      return -EINVAL;
   inst->execute = execute_sopk[opcode];
   inst->offset = (int16_t)field(inst, 0, 16);
   if (opcode == ISA_S_SETREG_IMM32)
      TRY(take_dword(inst, size, &inst->literal));
   return decode_scalar_destination(inst, field(inst, 16, 7), inst->op->dst);
}

static int
decode_sopp(struct inst *inst, size_t size)
{
   unsigned opcode = field(inst, 16, 7);
   inst->encoding = ISA_SOPP;
   if (!(inst->op = LOOKUP(isa_sopp, opcode)))
      return -EINVAL;
   inst->execute = execute_sopp[opcode];
   inst->offset = (int16_t)field(inst, 0, 16);
   return inst->op->flags & OP_NO_IMM ? unused_field(inst, (uint16_t)inst->offset) : 0;
}

static int
decode_smem(struct inst *inst, size_t size)
{
   unsigned opcode = field(inst, 18, 8);
   inst->encoding = ISA_SMEM;
   inst->size = 8;
   if (size < 8)
      return -ENODATA;
   if (!(inst->op = LOOKUP(isa_smem, opcode)))
      return -EINVAL;
   inst->execute = execute_smem[opcode];
   if (inst->op->src[0] == TYPE_NONE) /* cache control has no operands */
      return field(inst, 13, 2) ? -EINVAL : 0;
   inst->offset = (int32_t)(field(inst, 32, 21) << 11) >> 11;
   inst->flags |= (field(inst, 13, 1) ? INST_DLC : 0) | (field(inst, 14, 1) ? INST_GLC : 0);
   int base = scalar_register(field(inst, 0, 6) * 2, isa_type_dwords(inst->op->src[0]));
   if (base < 0)
      return base;
   inst->src[0] = (uint16_t)base;
   inst->src[1] = (uint16_t)field(inst, 57, 7);
   if (inst->op->dst == TYPE_IMM) {
      inst->dst = (uint16_t)field(inst, 6, 7);
      return inst->flags & (INST_GLC | INST_DLC) ? -EINVAL : 0;
   }
   unsigned dst = field(inst, 6, 7);
   if (dst == 125 || dst >= 126) /* neither M0 nor EXEC */
      return -EINVAL;
   return decode_scalar_destination(inst, dst, inst->op->dst);
}

static int
decode_vinterp(struct inst *inst, size_t size)
{
   inst->encoding = ISA_VINTERP;
   inst->size = 8;
   if (size < 8)
      return -ENODATA;
   if (!(inst->op = LOOKUP(isa_vinterp, field(inst, 16, 7))))
      return -EINVAL;
   inst->flags |= INST_VGPR | (field(inst, 15, 1) ? INST_CLAMP : 0);
   inst->dst = (uint16_t)field(inst, 0, 8);
   inst->offset = (int32_t)field(inst, 8, 3); /* wait_exp */
   inst->op_sel = (uint8_t)field(inst, 11, 4);
   inst->neg = (uint8_t)field(inst, 61, 3);
   for (unsigned n = 0; n < 3; n++) {
      unsigned selector = field(inst, 32 + 9 * n, 9);
      if (selector < SRC_VGPR0)
         return -EINVAL;
      inst->src[n] = (uint16_t)selector;
   }
   return inst->op->src[0] == TYPE_F32 && inst->op_sel ? -EINVAL : 0;
}

static int
decode_ldsdir(struct inst *inst, size_t size)
{
   inst->encoding = ISA_LDSDIR;
   if (!(inst->op = LOOKUP(isa_ldsdir, field(inst, 20, 4))))
      return -EINVAL;
   inst->flags |= INST_VGPR;
   inst->dst = (uint16_t)field(inst, 0, 8);
   inst->offset = (int32_t)field(inst, 8, 12); /* channel, attribute, wait_vdst */
   return 0;
}

static int
decode_exp(struct inst *inst, size_t size)
{
   static const struct isa_op export = {.name = "exp"};
   inst->encoding = ISA_EXP;
   inst->op = &export;
   inst->size = 8;
   inst->flags |= INST_VGPR;
   return size < 8 ? -ENODATA : 0;
}

static int
decode_family(struct inst *inst, size_t size)
{
   uint32_t word = inst->word[0];
   if (word >> 30 == 2) {
      if (word >> 23 == 0x17d)
         return decode_sop1(inst, size);
      if (word >> 23 == 0x17e)
         return decode_sopc(inst, size);
      if (word >> 23 == 0x17f)
         return decode_sopp(inst, size);
      return word >> 28 == 0xb ? decode_sopk(inst, size) : decode_sop2(inst, size);
   }
   if (!(word >> 31))
      return decode_vop_short(inst, size);
   switch (word >> 26) {
   case 0x32:
      return decode_vopd(inst, size);
   case 0x33:
      return word >> 24 == 0xcc   ? decode_vop3p(inst, size)
             : word >> 24 == 0xcd ? decode_vinterp(inst, size)
             : word >> 24 == 0xce ? decode_ldsdir(inst, size)
                                  : -EINVAL;
   case 0x35:
      return decode_vop3(inst, size);
   case 0x36:
      return decode_ds(inst, size);
   case 0x37:
      return decode_flat(inst, size);
   case 0x38:
   case 0x3a:
      return decode_buffer(inst, size);
   case 0x3c:
      return decode_mimg(inst, size);
   case 0x3d:
      return decode_smem(inst, size);
   case 0x3e:
      return decode_exp(inst, size);
   default:
      return -EINVAL;
   }
}

static int
decode(const void *code, size_t size, bool wave64, bool lenient, bool exceptions, struct inst *inst)
{
   if (size < 4)
      return -ENODATA;
   memset(inst, 0, sizeof *inst);
   inst->lenient = lenient;
   inst->exceptions = exceptions;
   size &= ~(size_t)3;
   memcpy(inst->word, code, size < sizeof inst->word ? size : sizeof inst->word);
   inst->size = 4;
   inst->flags = wave64 ? INST_WAVE64 : 0;
   int result = decode_family(inst, size);
   if (result)
      return result;
   /* Only the words that belong to it. */
   memset(inst->word + inst->size / 4, 0, sizeof inst->word - inst->size);
   if (!inst->execute)
      inst->execute = isa_illegal;
   return 0;
}

int
isa_decode(const void *code, size_t size, bool wave64, struct inst *inst)
{
   return decode(code, size, wave64, false, false, inst);
}

int
isa_decode_lenient(const void *code, size_t size, bool wave64, bool exceptions, struct inst *inst)
{
   return decode(code, size, wave64, true, exceptions, inst);
}

void
isa_describe(const void *code, size_t size, bool wave64, char *text, size_t text_size)
{
   struct inst inst = {0};
   int result = isa_decode(code, size, wave64, &inst);
   unsigned bytes = result ? (size < 8 ? (unsigned)size & ~3u : 8) : inst.size, length = 0;
   if (text_size)
      text[0] = 0;
   for (unsigned i = 0; i < bytes && length < text_size; i += 4) {
      uint32_t word;
      memcpy(&word, (const uint8_t *)code + i, sizeof word);
      length += (unsigned)snprintf(text + length, text_size - length, "%s%08x", i ? " " : "", word);
   }
   if (inst.op && length < text_size)
      snprintf(text + length, text_size - length, " (%s)", inst.op->name);
}
