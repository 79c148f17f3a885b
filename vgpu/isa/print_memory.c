/* SPDX-License-Identifier: MIT */
#include "isa/print.h"

/* ---- DS ---- */

static void
put_swizzle(struct text *text, unsigned pattern)
{
   if (!pattern)
      return;
   put(text, " offset:");
   if (pattern >= 0xc000) { /* FFT and rotation have no names */
      put(text, "%u", pattern);
      return;
   }
   if (pattern & 0x8000) {
      if (pattern & 0x7f00)
         put(text, "%u", pattern);
      else
         put(text, "swizzle(QUAD_PERM,%u,%u,%u,%u)", pattern & 3, pattern >> 2 & 3, pattern >> 4 & 3, pattern >> 6 & 3);
      return;
   }
   unsigned and_mask = pattern & 0x1f, or_mask = pattern >> 5 & 0x1f, xor_mask = pattern >> 10 & 0x1f;
   if (and_mask == 0x1f && !or_mask && xor_mask && !(xor_mask & (xor_mask - 1))) {
      put(text, "swizzle(SWAP,%u)", xor_mask);
      return;
   }
   if (and_mask == 0x1f && !or_mask && xor_mask && !(xor_mask & (xor_mask + 1))) {
      put(text, "swizzle(REVERSE,%u)", xor_mask + 1);
      return;
   }
   unsigned group = 32 - and_mask;
   if (!xor_mask && group >= 2 && group <= 32 && !(group & (group - 1)) && or_mask < group && !(or_mask & and_mask)) {
      put(text, "swizzle(BROADCAST,%u,%u)", group, or_mask);
      return;
   }
   /* A character for each bit of the lane number: 0, 1, preserved, inverted. */
   put(text, "swizzle(BITMASK_PERM,\"");
   for (int i = 4; i >= 0; i--) {
      unsigned from_0 = ((0 & and_mask) | or_mask) ^ xor_mask, from_1 = ((0x1f & and_mask) | or_mask) ^ xor_mask;
      unsigned zero = from_0 >> i & 1, one = from_1 >> i & 1;
      put(text, "%c", zero == one ? (zero ? '1' : '0') : zero ? 'i' : 'p');
   }
   put(text, "\")");
}

static void
print_ds(const struct inst *inst, struct text *text)
{
   const struct isa_op *op = inst->op;
   bool first = true;
   if (op->dst != TYPE_NONE) {
      put_separator(text, &first);
      put_vgprs(text, inst->dst, isa_type_dwords(op->dst));
   }
   for (unsigned n = 0; n < 3; n++) {
      if (op->src[n] == TYPE_NONE)
         continue;
      put_separator(text, &first);
      put_vgprs(text, inst->src[n] - SRC_VGPR0, isa_type_dwords(op->src[n]));
   }
   unsigned offset = (uint16_t)inst->offset;
   if (op->flags & OP_SWIZZLE) {
      put_swizzle(text, offset);
   } else if (op->flags & OP_2ADDR) {
      if (offset & 0xff)
         put(text, " offset0:%u", offset & 0xff);
      if (offset >> 8)
         put(text, " offset1:%u", offset >> 8);
   } else if (offset) {
      put(text, " offset:%u", offset);
   }
   if (inst->flags & INST_GDS)
      put(text, " gds");
}

/* ---- FLAT, GLOBAL, SCRATCH ---- */

static void
put_flat_address(struct text *text, const struct inst *inst, bool *first)
{
   unsigned vaddr = inst->src[0] - SRC_VGPR0, saddr = inst->src[2];
   if (inst->op->flags & OP_ADDTID)
      return;
   put_separator(text, first);
   if (inst->encoding == ISA_SCRATCH) {
      if (inst->flags & INST_OFFEN)
         put_vgprs(text, vaddr, 1);
      else
         put(text, "off");
   } else {
      put_vgprs(text, vaddr, inst->encoding == ISA_GLOBAL && saddr != 124 ? 1 : 2);
   }
}

static void
put_flat_saddr(struct text *text, const struct inst *inst, bool *first)
{
   unsigned saddr = inst->src[2];
   if (inst->encoding == ISA_FLAT)
      return;
   put_separator(text, first);
   if (saddr == 124)
      put(text, "off");
   else
      put_scalar(text, saddr, inst->encoding == ISA_SCRATCH ? 1 : 2);
}

static void
print_flat(const struct inst *inst, struct text *text)
{
   const struct isa_op *op = inst->op;
   bool first = true;
   bool returns = op->flags & OP_LOAD || (op->flags & OP_ATOMIC && inst->flags & INST_GLC);
   if (returns && op->dst != TYPE_NONE) {
      put_separator(text, &first);
      put_vgprs(text, inst->dst, isa_type_dwords(op->dst));
   }
   put_flat_address(text, inst, &first);
   if (op->src[1] != TYPE_NONE) {
      put_separator(text, &first);
      put_vgprs(text, inst->src[1] - SRC_VGPR0, isa_type_dwords(op->src[1]));
   }
   put_flat_saddr(text, inst, &first);
   /* FLAT has an unsigned offset; its top bit is shown although the hardware does not use it. */
   int offset = inst->encoding == ISA_FLAT ? (int)(inst->word[0] & 0x1fff) : inst->offset;
   if (offset)
      put(text, " offset:%d", offset);
   put_caching(text, inst);
}

/* ---- MUBUF and MTBUF ---- */

/* Numbers: RDNA3 ISA guide, 9.1.3, table of unified formats. */
static const char *
format_name(unsigned format)
{
   static const char *const names[] = {
      "BUF_FMT_INVALID",
      "BUF_FMT_8_UNORM",
      "BUF_FMT_8_SNORM",
      "BUF_FMT_8_USCALED",
      "BUF_FMT_8_SSCALED",
      "BUF_FMT_8_UINT",
      "BUF_FMT_8_SINT",
      "BUF_FMT_16_UNORM",
      "BUF_FMT_16_SNORM",
      "BUF_FMT_16_USCALED",
      "BUF_FMT_16_SSCALED",
      "BUF_FMT_16_UINT",
      "BUF_FMT_16_SINT",
      "BUF_FMT_16_FLOAT",
      "BUF_FMT_8_8_UNORM",
      "BUF_FMT_8_8_SNORM",
      "BUF_FMT_8_8_USCALED",
      "BUF_FMT_8_8_SSCALED",
      "BUF_FMT_8_8_UINT",
      "BUF_FMT_8_8_SINT",
      "BUF_FMT_32_UINT",
      "BUF_FMT_32_SINT",
      "BUF_FMT_32_FLOAT",
      "BUF_FMT_16_16_UNORM",
      "BUF_FMT_16_16_SNORM",
      "BUF_FMT_16_16_USCALED",
      "BUF_FMT_16_16_SSCALED",
      "BUF_FMT_16_16_UINT",
      "BUF_FMT_16_16_SINT",
      "BUF_FMT_16_16_FLOAT",
      "BUF_FMT_10_11_11_FLOAT",
      "BUF_FMT_11_11_10_FLOAT",
      "BUF_FMT_10_10_10_2_UNORM",
      "BUF_FMT_10_10_10_2_SNORM",
      "BUF_FMT_10_10_10_2_UINT",
      "BUF_FMT_10_10_10_2_SINT",
      "BUF_FMT_2_10_10_10_UNORM",
      "BUF_FMT_2_10_10_10_SNORM",
      "BUF_FMT_2_10_10_10_USCALED",
      "BUF_FMT_2_10_10_10_SSCALED",
      "BUF_FMT_2_10_10_10_UINT",
      "BUF_FMT_2_10_10_10_SINT",
      "BUF_FMT_8_8_8_8_UNORM",
      "BUF_FMT_8_8_8_8_SNORM",
      "BUF_FMT_8_8_8_8_USCALED",
      "BUF_FMT_8_8_8_8_SSCALED",
      "BUF_FMT_8_8_8_8_UINT",
      "BUF_FMT_8_8_8_8_SINT",
      "BUF_FMT_32_32_UINT",
      "BUF_FMT_32_32_SINT",
      "BUF_FMT_32_32_FLOAT",
      "BUF_FMT_16_16_16_16_UNORM",
      "BUF_FMT_16_16_16_16_SNORM",
      "BUF_FMT_16_16_16_16_USCALED",
      "BUF_FMT_16_16_16_16_SSCALED",
      "BUF_FMT_16_16_16_16_UINT",
      "BUF_FMT_16_16_16_16_SINT",
      "BUF_FMT_16_16_16_16_FLOAT",
      "BUF_FMT_32_32_32_UINT",
      "BUF_FMT_32_32_32_SINT",
      "BUF_FMT_32_32_32_FLOAT",
      "BUF_FMT_32_32_32_32_UINT",
      "BUF_FMT_32_32_32_32_SINT",
      "BUF_FMT_32_32_32_32_FLOAT",
   };
   return format < sizeof names / sizeof names[0] ? names[format] : NULL;
}

static void
print_buffer(const struct inst *inst, struct text *text)
{
   const struct isa_op *op = inst->op;
   bool first = true, offen = inst->flags & INST_OFFEN, idxen = inst->flags & INST_IDXEN;
   unsigned data = isa_type_dwords(op->src[1] != TYPE_NONE ? op->src[1] : op->dst);
   if (!data && !(op->flags & OP_LOAD))
      return; /* cache control */
   if (data) {
      put_separator(text, &first);
      put_vgprs(text, inst->dst, data + (inst->flags & INST_TFE ? 1 : 0));
   }
   put_separator(text, &first);
   if (offen || idxen)
      put_vgprs(text, inst->src[0] - SRC_VGPR0, (unsigned)offen + idxen);
   else
      put(text, "off");
   put_separator(text, &first);
   put_scalar(text, inst->src[1], 4);
   put_separator(text, &first);
   put_source(text, inst, 2, TYPE_B32);
   if (inst->encoding == ISA_MTBUF && inst->opcode_x != 1) {
      const char *name = format_name(inst->opcode_x);
      if (name)
         put(text, " format:[%s]", name);
      else
         put(text, " format:%u", inst->opcode_x);
   }
   put(text, "%s%s", idxen ? " idxen" : "", offen ? " offen" : "");
   if (inst->offset)
      put(text, " offset:%d", inst->offset);
   put_caching(text, inst);
   if (inst->flags & INST_TFE)
      put(text, " tfe");
}

void
print_memory(const struct inst *inst, struct text *text)
{
   put(text, "%s", inst->op->name);
   switch (inst->encoding) {
   case ISA_DS:
      print_ds(inst, text);
      break;
   case ISA_FLAT:
   case ISA_GLOBAL:
   case ISA_SCRATCH:
      print_flat(inst, text);
      break;
   default:
      print_buffer(inst, text);
      break;
   }
}
