/* SPDX-License-Identifier: MIT */
/* What of a decoded instruction has an effect: many encodings mean the same. */
#include <string.h>

#include "encoding_line.h"

/* What ds_swizzle_b32 does with the lanes 0 and 31 says all of AND, OR and XOR masks (RDNA3 ISA guide, 12.1). */
static int32_t
swizzle_of(int32_t pattern)
{
   int32_t and_mask = pattern & 31, or_mask = pattern >> 5 & 31, xor_mask = pattern >> 10 & 31;
   if (pattern & 0x8000)
      return pattern;
   return (or_mask ^ xor_mask) | ((and_mask | or_mask) ^ xor_mask) << 8;
}

/* Of memory instructions, what does not matter for how they are encoded. */
static void
forget_unused_memory(struct inst *inst)
{
   const struct isa_op *op = inst->op;
   bool flat = inst->encoding == ISA_FLAT || inst->encoding == ISA_GLOBAL || inst->encoding == ISA_SCRATCH;
   bool buffer = inst->encoding == ISA_MUBUF || inst->encoding == ISA_MTBUF;
   bool has_data = op->dst != TYPE_NONE || op->src[1] != TYPE_NONE;
   if (flat) {
      if (!(op->flags & OP_LOAD) && !(op->flags & OP_ATOMIC && inst->flags & INST_GLC))
         inst->dst = 0;
      if (op->src[1] == TYPE_NONE)
         inst->src[1] = 0;
      if (op->flags & OP_ADDTID || (inst->encoding == ISA_SCRATCH && !(inst->flags & INST_OFFEN)))
         inst->src[0] = 0;
   } else if (buffer) {
      if (!has_data)
         inst->dst = 0;
      if (!(inst->flags & (INST_OFFEN | INST_IDXEN)))
         inst->src[0] = 0;
      if (!has_data && !(op->flags & OP_LOAD)) { /* cache control */
         inst->src[1] = inst->src[2] = 0;
         inst->value[2] = 0;
         inst->offset = 0;
         inst->flags &= (uint16_t)~INST_SLC;
      }
   }
}

/* Bits of an operand that count. */
static uint64_t
operand_mask(enum isa_type type)
{
   return isa_type_is_half(type) ? 0xffff : isa_type_dwords(type) < 2 ? 0xffffffff : UINT64_MAX;
}

static void
forget_unused_vector(struct inst *inst)
{
   const struct isa_op *op = inst->op;
   unsigned sources = 0, halves = isa_type_is_half(op->dst) ? 8 : 0;
   for (unsigned n = 0; n < 3; n++) {
      sources |= (op->src[n] != TYPE_NONE) << n;
      halves |= isa_type_is_half(op->src[n]) << n;
   }
   if (inst->encoding == ISA_VOP3P) {
      inst->op_sel &= (uint8_t)sources;
      inst->op_sel_hi &= (uint8_t)(op->flags & OP_WMMA ? 0 : sources);
   } else if (inst->encoding <= ISA_VOP3SD && !(op->flags & OP_SEL) && op->src[0] != TYPE_VGPR) {
      inst->op_sel &= (uint8_t)halves;
   } else if (op->src[0] == TYPE_VGPR) { /* v_permlane: FI and BOUND_CTRL */
      inst->op_sel &= op->flags & OP_SEL ? 3 : 0;
      inst->abs = inst->neg = 0;
   } else if (op->src[0] == TYPE_PF16 || op->src[0] == TYPE_PBF16) { /* v_dot2_f16_f16: sources as a whole */
      inst->op_sel &= 12;
   }
   for (unsigned n = 0; n < 3 && inst->encoding != ISA_VOP3P; n++) { /* integers have no signs to change */
      if (op->src[n] == TYPE_I16 || op->src[n] == TYPE_U16 || op->src[n] == TYPE_I32 || op->src[n] == TYPE_U32) {
         inst->abs &= (uint8_t) ~(1u << n);
         inst->neg &= (uint8_t) ~(1u << n);
      }
   }
   if (inst->flags & INST_DPP16)
      inst->dpp &= 0xff0dffff; /* abs and neg have become the sources' */
}

/* Clears all that is encoded and has no effect. */
static struct inst
meaning_of(const struct inst *inst)
{
   struct inst out = *inst;
   const struct isa_op *op = inst->op;
   bool memory = inst->encoding >= ISA_FLAT && inst->encoding <= ISA_MIMG;
   memset(out.word, 0, sizeof out.word);
   out.size = 0;
   out.flags &= (uint16_t)~INST_MODIFIED;
   for (unsigned n = 0; n < 3 && inst->encoding != ISA_VOPD && !memory; n++) {
      if (op->src[n] == TYPE_NONE || op->src[n] == TYPE_IMM)
         out.src[n] = 0, out.value[n] = 0;
   }
   for (unsigned n = 0; n < 3; n++) {
      bool constant = out.src[n] >= SRC_INTEGER_0 && out.src[n] <= SRC_LITERAL &&
                      !(out.src[n] >= SRC_SHARED_BASE && out.src[n] < SRC_HALF) &&
                      !(out.src[n] > SRC_INV_2PI && out.src[n] < SRC_LITERAL);
      if (constant)
         out.src[n] = SRC_LITERAL;
      out.value[n] &= memory || inst->encoding == ISA_VOPD ? 0xffffffff : operand_mask(op->src[n]);
   }
   if (inst->encoding == ISA_VOPD && out.src_y[0] >= SRC_INTEGER_0 && out.src_y[0] <= SRC_LITERAL)
      out.src_y[0] = SRC_LITERAL;
   if (op->dst == TYPE_NONE && !memory)
      out.dst = 0;
   if (inst->encoding < ISA_VOP1 && strcmp(op->name, "s_setreg_imm32_b32"))
      out.literal = 0;
   if (!strcmp(op->name, "s_waitcnt")) /* bit 3 is no counter's */
      out.offset |= 8;
   if (!strncmp(op->name, "s_sendmsg", 9)) /* what is not the message's number is shown as a number if it counts */
      out.offset &= 0xff;
   if (!strcmp(op->name, "s_delay_alu"))
      out.offset &= 0x7ff;
   if (!strcmp(op->name, "lds_direct_load")) /* wait_vdst without channel and attribute */
      out.offset &= 0xf00;
   if (op->flags & OP_SWIZZLE)
      out.offset = swizzle_of(out.offset);
   if (memory)
      forget_unused_memory(&out);
   else if (inst->encoding >= ISA_VOP1 && inst->encoding <= ISA_VOP3P)
      forget_unused_vector(&out);
   return out;
}

const char *
difference_of(const struct inst *first, const struct inst *second)
{
   struct inst a = meaning_of(first), b = meaning_of(second);
#define CHECK(field)                               \
   if (memcmp(&a.field, &b.field, sizeof a.field)) \
      return #field;
   CHECK(op)
   CHECK(execute)
   CHECK(encoding)
   CHECK(flags)
   CHECK(dst)
   CHECK(sdst)
   CHECK(src)
   CHECK(value)
   CHECK(offset)
   CHECK(abs)
   CHECK(neg)
   CHECK(op_sel)
   CHECK(omod)
   CHECK(dpp)
   CHECK(op_y)
   CHECK(dst_y)
   CHECK(src_y)
#undef CHECK
   return NULL;
}
