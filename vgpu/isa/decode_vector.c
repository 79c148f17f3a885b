/* SPDX-License-Identifier: MIT */
/* VOP1, VOP2, VOPC, VOP3, VOP3P, VOPD and their DPP and literal dwords (RDNA3 ISA guide, 15.3). */
#include <errno.h>

#include "isa/decode.h"

enum {
   VCC = 106,
   VOP3_VOP2 = 256, /* VOP3 opcodes of VOP2 and VOP1 instructions; VOPC's begin at 0 */
   VOP3_VOP1 = 384
};

/* For TYPE_VGPR and such the selector decides whether there is an instruction at all. */
static int
decode_vector_source(struct inst *inst, unsigned n, unsigned selector, enum isa_type type)
{
   switch (type) {
   case TYPE_VGPR:
   case TYPE_VGPR16:
      if (selector < SRC_VGPR0)
         return -EINVAL;
      break;
   case TYPE_SREG:
      if (selector >= SRC_VGPR0 || selector == SRC_LDS_DIRECT)
         return -EINVAL;
      break;
   case TYPE_MASK:
   case TYPE_VCC:
      if (selector >= SRC_VGPR0 || selector == SRC_LDS_DIRECT || decode_is_constant(selector) || selector == 126 ||
          selector == 127) /* nor EXEC */
         return -EINVAL;
      return decode_source(inst, n, selector, inst->flags & INST_WAVE64 ? TYPE_B64 : TYPE_B32);
   case TYPE_MATRIX:
      return selector < SRC_VGPR0 && !decode_is_constant(selector)
                ? -EINVAL
                : decode_source(inst, n, selector, isa_operand_dwords(inst, type) == 8 ? TYPE_B256 : TYPE_B128);
   case TYPE_B128:
   case TYPE_B256:
      if (selector < SRC_VGPR0 && !(inst->op->flags & OP_WMMA))
         return -EINVAL;
      break;
   default:
      break;
   }
   if (inst->op->flags & OP_WMMA && selector < SRC_VGPR0)
      return -EINVAL;
   return decode_source(inst, n, selector, type);
}

/* abs and neg that the instruction has room for, a bit a source. */
static unsigned
modifiable_sources(const struct isa_op *op)
{
   unsigned mask = 0;
   for (unsigned n = 0; n < 3; n++) {
      enum isa_type type = op->src[n];
      bool real =
         type != TYPE_NONE && type != TYPE_MASK && type != TYPE_VCC && type != TYPE_TIED && type != TYPE_TIED16;
      if (real && (op->flags & OP_MODS || (isa_type_is_float(type))))
         mask |= 1u << n;
   }
   return mask;
}

/* quad_perm, row_shl, row_shr, row_ror, row_mirror, row_half_mirror, row_share, row_xmask. */
static bool
is_dpp_control(unsigned control)
{
   unsigned n = control & 15, group = control >> 4;
   return control < 0x100 || ((group == 0x10 || group == 0x11 || group == 0x12) && n) || (group == 0x14 && n < 2) ||
          group == 0x15 || group == 0x16;
}

/* The dword after an instruction whose SRC0 says DPP (RDNA3 ISA guide, 15.3.9 and 15.3.10). */
static int
take_dpp(struct inst *inst, size_t size, unsigned *selector)
{
   bool dpp16 = *selector == SRC_DPP16;
   if (inst->op->flags & OP_NO_DPP)
      return -EINVAL;
   if (isa_type_dwords(inst->op->dst) == 2 || isa_type_dwords(inst->op->src[0]) == 2 ||
       isa_type_dwords(inst->op->src[1]) == 2)
      return -EINVAL;
   int status = take_dword(inst, size, &inst->dpp);
   if (status)
      return status;
   inst->flags |= INST_MODIFIED | (dpp16 ? INST_DPP16 : INST_DPP8);
   if (dpp16) {
      inst->flags |= (inst->dpp >> 18 & 1 ? INST_FI : 0) | (inst->dpp >> 19 & 1 ? INST_BOUND_CTRL : 0);
      /* abs and neg of two sources, where the instruction has no room of its own for them. */
      if (!is_dpp_control(inst->dpp >> 8 & 0x1ff))
         return -EINVAL;
      if (inst->size == 8) {
         inst->neg = (uint8_t)((inst->dpp >> 20 & 1) | (inst->dpp >> 22 & 1) << 1);
         inst->abs = (uint8_t)((inst->dpp >> 21 & 1) | (inst->dpp >> 23 & 1) << 1);
         if ((inst->neg | inst->abs) & ~modifiable_sources(inst->op))
            return -EINVAL;
      }
   } else if (*selector == SRC_DPP8_FI) {
      inst->flags |= INST_FI;
   }
   *selector = SRC_VGPR0 + (inst->dpp & 0xff);
   return 0;
}

static bool
is_dpp(unsigned selector)
{
   return selector == SRC_DPP16 || selector == SRC_DPP8 || selector == SRC_DPP8_FI;
}

/* In the 32-bit encodings a VGPR of 16-bit operands is one of 128, and the top bit chooses its half (true16). */
static unsigned
half_register(struct inst *inst, unsigned selector, enum isa_type type, unsigned op_sel_bit)
{
   if (!isa_type_is_half(type) || selector < SRC_VGPR0 + 128)
      return selector;
   inst->op_sel |= (uint8_t)(1 << op_sel_bit);
   inst->flags |= INST_MODIFIED;
   return selector - 128;
}

/* The source that is the destination as it was. */
static void
tie(struct inst *inst)
{
   enum isa_type type = inst->op->src[2];
   if (type == TYPE_TIED || type == TYPE_TIED16 || type == TYPE_TIEDP16)
      inst->src[2] = (uint16_t)(SRC_VGPR0 + inst->dst);
}

/* A VOP1, VOP2 or VOPC in its 32-bit encoding: SRC0 9 bits, VSRC1 8 bits, VDST 8 bits. */
static int
decode_short(struct inst *inst, size_t size, unsigned src0, unsigned vsrc1, unsigned vdst)
{
   const struct isa_op *op = inst->op;
   bool fma_literal = op->src[1] == TYPE_LITERAL || op->src[2] == TYPE_LITERAL || op->src[1] == TYPE_LITERAL16 ||
                      op->src[2] == TYPE_LITERAL16;
   int status = 0;
   if (is_dpp(src0)) {
      if (fma_literal || op->src[0] == TYPE_NONE)
         return -EINVAL;
      status = take_dpp(inst, size, &src0);
   } else if (fma_literal || (src0 == SRC_LITERAL && op->src[0] != TYPE_NONE)) {
      status = take_dword(inst, size, &inst->literal);
   }
   if (status)
      return status;

   unsigned vgpr1 = SRC_VGPR0 + vsrc1;
   vdst = half_register(inst, SRC_VGPR0 + vdst, op->dst, 3) - SRC_VGPR0;
   src0 = half_register(inst, src0, op->src[0], 0);
   if (op->src[1] == TYPE_LITERAL || op->src[1] == TYPE_LITERAL16) {
      /* v_fmamk: the literal is the second source, VSRC1 the third. */
      vgpr1 = half_register(inst, vgpr1, op->src[2], 2);
      status = decode_source(inst, 1, SRC_LITERAL, op->src[1]);
      if (!status)
         status = decode_vector_source(inst, 2, vgpr1, op->src[2]);
   } else if (op->src[1] != TYPE_NONE) {
      vgpr1 = half_register(inst, vgpr1, op->src[1], 1);
      status = decode_vector_source(inst, 1, vgpr1, op->src[1]);
      if (!status && (op->src[2] == TYPE_LITERAL || op->src[2] == TYPE_LITERAL16))
         status = decode_source(inst, 2, SRC_LITERAL, op->src[2]);
   }
   if (!status && op->src[0] != TYPE_NONE)
      status = decode_vector_source(inst, 0, src0, op->src[0]);
   if (status)
      return status;
   if (op->src[2] == TYPE_VCC)
      inst->src[2] = VCC;
   inst->sdst = VCC;
   inst->dst = (uint16_t)(inst->encoding == ISA_VOPC ? VCC : vdst);
   if (op->dst == TYPE_SREG) { /* v_readfirstlane */
      if (vdst > 127)
         return -EINVAL;
   } else if (inst->encoding != ISA_VOPC && vdst + isa_type_dwords(op->dst) > 256) {
      return -EINVAL;
   }
   tie(inst);
   return 0;
}

static int
decode_vop1(struct inst *inst, size_t size)
{
   unsigned opcode = field(inst, 9, 8);
   inst->encoding = ISA_VOP1;
   if (opcode >= ISA_VOP1_OPS || !isa_vop1[opcode].name)
      return -EINVAL;
   inst->op = &isa_vop1[opcode];
   inst->execute = isa_valu(inst->flags & INST_WAVE64, inst->exceptions)->vop1[opcode];
   if (inst->op->src[0] == TYPE_NONE) {
      inst->flags &= (uint16_t)~INST_VGPR;
      return unused_field(inst, field(inst, 17, 8));
   }
   return decode_short(inst, size, field(inst, 0, 9), 0, field(inst, 17, 8));
}

static int
decode_vop2(struct inst *inst, size_t size)
{
   unsigned opcode = field(inst, 25, 6);
   inst->encoding = ISA_VOP2;
   if (!isa_vop2[opcode].name)
      return -EINVAL;
   inst->op = &isa_vop2[opcode];
   inst->execute = isa_valu(inst->flags & INST_WAVE64, inst->exceptions)->vop2[opcode];
   return decode_short(inst, size, field(inst, 0, 9), field(inst, 9, 8), field(inst, 17, 8));
}

static int
decode_vopc(struct inst *inst, size_t size)
{
   unsigned opcode = field(inst, 17, 8);
   inst->encoding = ISA_VOPC;
   if (!isa_vopc[opcode].name)
      return -EINVAL;
   inst->op = &isa_vopc[opcode];
   inst->execute = isa_valu(inst->flags & INST_WAVE64, inst->exceptions)->vopc[opcode];
   return decode_short(inst, size, field(inst, 0, 9), field(inst, 9, 8), 0);
}

int
decode_vop_short(struct inst *inst, size_t size)
{
   inst->flags |= INST_VGPR;
   unsigned top = inst->word[0] >> 25;
   return top == 0x3f ? decode_vop1(inst, size) : top == 0x3e ? decode_vopc(inst, size) : decode_vop2(inst, size);
}

/* ---- VOP3 ---- */

static bool
find_vop3(struct inst *inst, unsigned opcode)
{
   const struct isa_valu *valu = isa_valu(inst->flags & INST_WAVE64, inst->exceptions);
   if (opcode < VOP3_VOP2) {
      inst->op = &isa_vopc[opcode];
      inst->execute = valu->vopc[opcode];
      inst->encoding = ISA_VOPC;
   } else if (opcode < VOP3_VOP2 + ISA_VOP2_OPS) {
      inst->op = &isa_vop2[opcode - VOP3_VOP2];
      inst->execute = valu->vop2[opcode - VOP3_VOP2];
      inst->encoding = ISA_VOP2;
   } else if (opcode >= VOP3_VOP1 && opcode < VOP3_VOP1 + ISA_VOP1_OPS) {
      inst->op = &isa_vop1[opcode - VOP3_VOP1];
      inst->execute = valu->vop1[opcode - VOP3_VOP1];
      inst->encoding = ISA_VOP1;
   } else {
      inst->op = &isa_vop3[opcode];
      inst->execute = valu->vop3[opcode];
      inst->encoding = inst->op->flags & OP_CARRY ? ISA_VOP3SD : ISA_VOP3;
      return inst->op->name;
   }
   inst->flags |= INST_E64;
   return inst->op->name && !(inst->op->flags & OP_NO_E64);
}

static int
check_modifiers(const struct inst *inst)
{
   unsigned sources = modifiable_sources(inst->op);
   if (inst->neg & ~sources || inst->abs & ~sources)
      return -EINVAL;
   if (inst->omod && !(inst->op->flags & OP_OMOD))
      return -EINVAL;
   if (inst->flags & INST_CLAMP && !(inst->op->flags & OP_CLAMP))
      return -EINVAL;
   /* op_sel of a source that is not there. */
   bool two_sources = inst->op->src[2] == TYPE_NONE || inst->op->src[2] == TYPE_TIED16;
   if (inst->op->flags & OP_SEL && two_sources && inst->op_sel & 4)
      return -EINVAL;
   return 0;
}

int
decode_vop3(struct inst *inst, size_t size)
{
   inst->size = 8;
   inst->flags |= INST_VGPR;
   if (size < 8)
      return -ENODATA;
   if (!find_vop3(inst, field(inst, 16, 10)))
      return -EINVAL;
   const struct isa_op *op = inst->op;
   bool carry = op->flags & OP_CARRY;
   unsigned selector[3] = {field(inst, 32, 9), field(inst, 41, 9), field(inst, 50, 9)};
   inst->dst = (uint16_t)field(inst, 0, 8);
   inst->neg = (uint8_t)field(inst, 61, 3);
   inst->omod = (uint8_t)field(inst, 59, 2);
   inst->flags |= field(inst, 15, 1) ? INST_CLAMP : 0;
   if (carry) {
      inst->sdst = (uint16_t)field(inst, 8, 7);
   } else {
      inst->abs = (uint8_t)field(inst, 8, 3);
      inst->op_sel = (uint8_t)field(inst, 11, 4);
   }
   int status = check_modifiers(inst);
   if (!status && op->dst == TYPE_NONE && inst->encoding == ISA_VOP1) /* v_nop */
      status = unused_field(inst, inst->dst);
   if (status)
      return status;

   int tied = op->src[2] == TYPE_TIED || op->src[2] == TYPE_TIED16;
   bool literal = false;
   for (unsigned n = 0; n < 3; n++) {
      bool used = op->src[n] != TYPE_NONE && !(n == 2 && tied);
      if (!used && (status = unused_field(inst, selector[n])))
         return status;
      literal |= used && selector[n] == SRC_LITERAL;
   }
   if (is_dpp(selector[0])) {
      status = take_dpp(inst, size, &selector[0]);
      if (status)
         return status;
   }
   if (literal) {
      status = take_dword(inst, size, &inst->literal);
      if (status)
         return status;
   }
   for (unsigned n = 0; n < 3; n++) {
      if (op->src[n] == TYPE_NONE || (n == 2 && tied))
         continue;
      status = decode_vector_source(inst, n, selector[n], op->src[n]);
      if (status)
         return status;
   }

   struct inst mask = {0};
   enum isa_type mask_type = inst->flags & INST_WAVE64 ? TYPE_B64 : TYPE_B32;
   if (carry) {
      if (decode_source(&mask, 0, inst->sdst, mask_type))
         return -EINVAL;
      inst->sdst = mask.src[0];
   }
   if (inst->encoding == ISA_VOPC && op->dst == TYPE_VCC) {
      if (inst->dst > 127 || decode_source(&mask, 0, inst->dst, mask_type))
         return -EINVAL;
      inst->dst = mask.src[0];
   } else if (op->dst == TYPE_SREG) {
      if (inst->dst > 127)
         return -EINVAL;
   } else if (inst->dst + isa_type_dwords(op->dst) > 256 && op->dst != TYPE_NONE) {
      return -EINVAL;
   }
   if (inst->abs || inst->neg || inst->omod || inst->flags & INST_CLAMP || inst->op_sel)
      inst->flags |= INST_MODIFIED;
   tie(inst);
   return 0;
}

/* ---- VOP3P ---- */

int
decode_vop3p(struct inst *inst, size_t size)
{
   unsigned opcode = field(inst, 16, 7);
   inst->encoding = ISA_VOP3P;
   inst->size = 8;
   inst->flags |= INST_VGPR;
   if (size < 8)
      return -ENODATA;
   if (!isa_vop3p[opcode].name || field(inst, 23, 1))
      return -EINVAL;
   const struct isa_op *op = inst->op = &isa_vop3p[opcode];
   inst->execute = isa_valu(inst->flags & INST_WAVE64, inst->exceptions)->vop3p[opcode];
   inst->dst = (uint16_t)field(inst, 0, 8);
   inst->abs = (uint8_t)field(inst, 8, 3); /* neg_hi; abs for v_fma_mix */
   inst->op_sel = (uint8_t)field(inst, 11, 3);
   inst->op_sel_hi = (uint8_t)(field(inst, 59, 2) | field(inst, 14, 1) << 2);
   inst->neg = (uint8_t)field(inst, 61, 3);
   inst->flags |= field(inst, 15, 1) ? INST_CLAMP : 0;
   if ((inst->flags & INST_CLAMP && !(op->flags & OP_CLAMP)) ||
       (inst->op_sel && (op->flags & (OP_WMMA | OP_SEL)) == OP_WMMA))
      return -EINVAL;

   unsigned selector[3] = {field(inst, 32, 9), field(inst, 41, 9), field(inst, 50, 9)};
   bool literal = false;
   int status = 0;
   for (unsigned n = 0; n < 3; n++) {
      bool used = op->src[n] != TYPE_NONE;
      if (!used && (status = unused_field(inst, selector[n] | ((inst->op_sel | inst->neg | inst->abs) >> n & 1))))
         return status;
      literal |= used && selector[n] == SRC_LITERAL;
   }
   if (is_dpp(selector[0])) {
      bool can = op->src[0] == TYPE_MIX || (op->src[0] == TYPE_PF16 && op->dst == TYPE_F32);
      if (!can || (op->src[0] == TYPE_MIX && selector[1] < SRC_VGPR0))
         return -EINVAL;
      status = take_dpp(inst, size, &selector[0]);
   }
   if (literal && !status)
      status = take_dword(inst, size, &inst->literal);
   for (unsigned n = 0; n < 3 && !status; n++) {
      if (op->src[n] != TYPE_NONE)
         status = decode_vector_source(inst, n, selector[n], op->src[n]);
   }
   if (status)
      return status;
   if (inst->dst + isa_operand_dwords(inst, op->dst) > 256)
      return -EINVAL;
   if (inst->abs || inst->neg || inst->op_sel || inst->op_sel_hi != 7 || inst->flags & INST_CLAMP)
      inst->flags |= INST_MODIFIED;
   return 0;
}

/* ---- VOPD: two at once; second destinations are of the other parity (RDNA3 ISA guide, 15.3.7) ---- */

static int
decode_dual(struct inst *inst, unsigned slot, const struct isa_op *op, unsigned src0, unsigned vsrc1)
{
   int status = decode_source(inst, slot, src0, op->src[0]);
   if (status)
      return status;
   src0 = inst->src[slot];
   if (op->src[1] == TYPE_NONE && unused_field(inst, vsrc1))
      return -EINVAL;
   if (slot == 0) {
      inst->src[1] = (uint16_t)(SRC_VGPR0 + vsrc1);
   } else {
      inst->src_y[0] = (uint16_t)src0;
      inst->src_y[1] = (uint16_t)(SRC_VGPR0 + vsrc1);
   }
   return 0;
}

int
decode_vopd(struct inst *inst, size_t size)
{
   if (inst->flags & INST_WAVE64)
      return -EINVAL;
   inst->encoding = ISA_VOPD;
   inst->size = 8;
   inst->flags |= INST_VGPR;
   if (size < 8)
      return -ENODATA;
   unsigned x = field(inst, 22, 4), y = field(inst, 17, 5);
   if (!isa_vopd[x].name || !isa_vopd[y].name)
      return -EINVAL;
   inst->op = &isa_vopd[x];
   inst->op_y = &isa_vopd[y];
   inst->opcode_x = (uint8_t)x;
   inst->opcode_y = (uint8_t)y;
   inst->execute = isa_valu(inst->flags & INST_WAVE64, inst->exceptions)->vopd;
   unsigned src_x = field(inst, 0, 9), src_y = field(inst, 32, 9);
   if (src_x == SRC_LITERAL || src_y == SRC_LITERAL || inst->op->src[2] == TYPE_LITERAL ||
       inst->op_y->src[2] == TYPE_LITERAL) {
      int status = take_dword(inst, size, &inst->literal);
      if (status)
         return status;
   }
   inst->dst = (uint16_t)field(inst, 56, 8);
   inst->dst_y = (uint16_t)(field(inst, 49, 7) << 1 | !(inst->dst & 1));
   /* The second first: both use src[] and value[] of their slot, and the first's VSRC1 is src[1]. */
   int status = decode_dual(inst, 1, inst->op_y, src_y, field(inst, 41, 8));
   return status ? status : decode_dual(inst, 0, inst->op, src_x, field(inst, 9, 8));
}
