/* SPDX-License-Identifier: MIT */
#include "isa/print.h"

/* ---- suffixes ---- */

static void
put_suffix(struct text *text, const struct inst *inst)
{
   bool dpp = inst->flags & (INST_DPP8 | INST_DPP16);
   bool has_short = inst->encoding == ISA_VOP1 || inst->encoding == ISA_VOP2 || inst->encoding == ISA_VOPC;
   if (dpp) {
      if (inst->encoding == ISA_VOPC && !(inst->flags & INST_E64))
         return;
      put(text, inst->flags & INST_E64 || !has_short ? "_e64_dpp" : "_dpp");
   } else if (has_short && !(inst->op->flags & OP_NO_SUFFIX)) {
      put(text, inst->flags & INST_E64 ? "_e64" : "_e32");
   }
}

/* ---- sources ---- */

/* Whether abs and neg of a source are shown: they are where they mean something. */
static bool
shows_modifiers(const struct inst *inst, unsigned n)
{
   enum isa_type type = inst->op->src[n];
   if (type == TYPE_MIX)
      return true;
   if (inst->encoding == ISA_VOP3P)
      return false;
   /* v_ldexp_f16 calls its exponent a half. */
   bool exponent = type == TYPE_I16 && inst->op->dst == TYPE_F16 && inst->flags & INST_E64;
   return isa_type_is_float(type) || (inst->op->flags & OP_MODS && (type == TYPE_B32 || type == TYPE_B16 || exponent));
}

/* As what a constant is written: halfs by their bits where what they go into is floating point. */
static enum isa_type
printed_type(const struct inst *inst, unsigned n)
{
   const struct isa_op *op = inst->op;
   enum isa_type type = op->src[n];
   bool mods = op->flags & OP_MODS;
   if (type == TYPE_B16 && inst->encoding == ISA_VOPC)
      return inst->src[n] == SRC_LITERAL ? TYPE_B32 : TYPE_PF16;
   if ((type == TYPE_B16 && mods && op->src[2] != TYPE_MASK) || (type == TYPE_I16 && mods && op->dst == TYPE_F16))
      return TYPE_F16;
   return type;
}

/* The register of a 16-bit operand that true16 encodes as a half, or any other source. */
static void
put_plain_source(struct text *text, const struct inst *inst, unsigned n)
{
   enum isa_type type = inst->op->src[n];
   bool short_form = !(inst->flags & INST_E64) &&
                     (inst->encoding == ISA_VOP1 || inst->encoding == ISA_VOP2 || inst->encoding == ISA_VOPC);
   if (type == TYPE_MASK || type == TYPE_VCC) {
      put_mask(text, inst, inst->src[n]);
      return;
   }
   if (type == TYPE_LITERAL || type == TYPE_LITERAL16) {
      put(text, "0x%x", inst->literal);
      return;
   }
   put_source(text, inst, n, printed_type(inst, n));
   if (isa_type_is_half(type) && inst->src[n] >= SRC_VGPR0 && short_form &&
       (inst->op_sel >> n & 1 || inst->op->flags & OP_TRUE16))
      put(text, inst->op_sel >> n & 1 ? ".h" : ".l");
}

static void
put_modified_source(struct text *text, const struct inst *inst, unsigned n)
{
   enum isa_type type = inst->op->src[n];
   bool absolute = inst->abs >> n & 1, negative = inst->neg >> n & 1;
   bool integer = type == TYPE_I16 || type == TYPE_U16 || type == TYPE_I32 || type == TYPE_U32;
   bool dpp = inst->flags & (INST_DPP8 | INST_DPP16);
   bool short_ldexp = type == TYPE_I16 && dpp && !(inst->flags & INST_E64);
   if (integer && negative && (short_ldexp || inst->op->flags & (dpp ? OP_SEXT | OP_SEL : OP_SEXT))) {
      put(text, "sext(");
      put_plain_source(text, inst, n);
      put(text, ")");
      return;
   }
   if (!shows_modifiers(inst, n) || (!absolute && !negative)) {
      put_plain_source(text, inst, n);
      return;
   }
   bool constant = inst->src[n] >= SRC_INTEGER_0 && inst->src[n] <= SRC_LITERAL;
   bool wrap = negative && !absolute && constant && !(inst->src[n] >= SRC_SHARED_BASE && inst->src[n] < SRC_HALF) &&
               !(inst->src[n] > SRC_INV_2PI && inst->src[n] < SRC_LITERAL);
   put(text, "%s%s", negative ? (wrap ? "neg(" : "-") : "", absolute ? "|" : "");
   put_plain_source(text, inst, n);
   put(text, "%s%s", absolute ? "|" : "", wrap ? ")" : "");
}

/* ---- what follows the operands ---- */

static void
put_bits(struct text *text, const char *name, unsigned bits, unsigned count)
{
   put(text, " %s:[", name);
   for (unsigned i = 0; i < count; i++)
      put(text, "%s%u", i ? "," : "", bits >> i & 1);
   put(text, "]");
}

static unsigned
source_count(const struct isa_op *op)
{
   unsigned count = 0;
   while (count < 3 && op->src[count] != TYPE_NONE)
      count++;
   return count;
}

static void
put_op_sel(struct text *text, const struct inst *inst)
{
   const struct isa_op *op = inst->op;
   unsigned count = source_count(op);
   if (inst->encoding == ISA_VOP3P) {
      unsigned all = (1u << count) - 1;
      if (op->flags & OP_MIX) {
         if (inst->op_sel)
            put_bits(text, "op_sel", inst->op_sel, count);
         if (inst->op_sel_hi)
            put_bits(text, "op_sel_hi", inst->op_sel_hi, count);
         return;
      }
      if (inst->op_sel & all)
         put_bits(text, "op_sel", inst->op_sel, count);
      if ((inst->op_sel_hi & all) != all && (op->flags & (OP_WMMA | OP_SEL)) != OP_WMMA)
         put_bits(text, "op_sel_hi", inst->op_sel_hi, count);
      if (inst->neg & all)
         put_bits(text, "neg_lo", inst->neg, count);
      if (inst->abs & all)
         put_bits(text, "neg_hi", inst->abs, count);
      return;
   }
   if (!inst->op_sel || !(inst->flags & INST_MODIFIED))
      return;
   bool e32 = (inst->encoding == ISA_VOP1 || inst->encoding == ISA_VOP2) && !(inst->flags & INST_E64);
   if (e32)
      return;
   bool all = op->flags & OP_SEL;
   if (all && op->src[0] == TYPE_VGPR) { /* v_permlane: FI and BOUND_CTRL */
      if (inst->op_sel & 3)
         put_bits(text, "op_sel", inst->op_sel, 2);
      return;
   }
   unsigned bits = (inst->op_sel & ((1u << count) - 1)) | (unsigned)(inst->op_sel >> 3) << count;
   for (unsigned n = 0; n < count; n++) { /* packed sources are used as a whole */
      if (all ? op->src[n] == TYPE_PF16 || op->src[n] == TYPE_PBF16 : !isa_type_is_half(op->src[n]))
         bits &= ~(1u << n);
   }
   if (!all && !isa_type_is_half(op->dst))
      bits &= ~(1u << count);
   if (bits)
      put_bits(text, "op_sel", bits, count + 1);
}

static void
put_dpp16(struct text *text, unsigned control)
{
   unsigned n = control & 15;
   switch (control >> 4) {
   case 0x10:
   case 0x11:
   case 0x12:
      if (n)
         put(text, " %s:%u", control >> 4 == 0x10 ? "row_shl" : control >> 4 == 0x11 ? "row_shr" : "row_ror", n);
      else
         put(text, " /* Invalid dpp_ctrl value */");
      break;
   case 0x14:
      put(text, n == 0   ? " row_mirror"
                : n == 1 ? " row_half_mirror"
                         : " /* row_bcast is not supported starting from GFX10 */");
      break;
   case 0x15:
      put(text, " row_share:%u", n);
      break;
   case 0x16:
      put(text, " row_xmask:%u", n);
      break;
   default:
      put(text, " quad_perm:[%u,%u,%u,%u]", control & 3, control >> 2 & 3, control >> 4 & 3, control >> 6 & 3);
      break;
   }
}

static void
put_dpp(struct text *text, const struct inst *inst)
{
   if (inst->flags & INST_DPP8) {
      put(text, " dpp8:[");
      for (unsigned i = 0; i < 8; i++)
         put(text, "%s%u", i ? "," : "", inst->dpp >> (8 + i * 3) & 7);
      put(text, "]");
   } else if (inst->flags & INST_DPP16) {
      put_dpp16(text, inst->dpp >> 8 & 0x1ff);
      put(text, " row_mask:0x%x bank_mask:0x%x", inst->dpp >> 28, inst->dpp >> 24 & 15);
      if (inst->flags & INST_BOUND_CTRL)
         put(text, " bound_ctrl:1");
   }
   if (inst->flags & INST_FI)
      put(text, " fi:1");
}

static void
put_output_modifiers(struct text *text, const struct inst *inst)
{
   static const char *const omods[4] = {"", " mul:2", " mul:4", " div:2"};
   if (inst->flags & INST_CLAMP)
      put(text, " clamp");
   if (inst->encoding != ISA_VOP3P)
      put(text, "%s", omods[inst->omod & 3]);
}

/* ---- families ---- */

static void
put_destination(struct text *text, const struct inst *inst, bool *first)
{
   const struct isa_op *op = inst->op;
   if (inst->encoding == ISA_VOPC) {
      if (op->dst == TYPE_NONE)
         return; /* EXEC */
      put_separator(text, first);
      put_mask(text, inst, inst->dst);
      return;
   }
   if (op->dst == TYPE_NONE)
      return;
   put_separator(text, first);
   if (op->dst == TYPE_SREG)
      put_scalar(text, inst->dst, 1);
   else
      put_vgprs(text, inst->dst, isa_operand_dwords(inst, op->dst));
   bool e32 = (inst->encoding == ISA_VOP1 || inst->encoding == ISA_VOP2) && !(inst->flags & INST_E64);
   if (e32 && isa_type_is_half(op->dst) && (inst->op_sel & 8 || op->flags & OP_TRUE16))
      put(text, inst->op_sel & 8 ? ".h" : ".l");
   if (op->flags & OP_CARRY) {
      put_separator(text, first);
      put_mask(text, inst, inst->sdst);
   }
}

static void
put_dual(struct text *text, const struct inst *inst, const struct isa_op *op, unsigned dst, const uint16_t *src,
         uint64_t value)
{
   bool literal = op->src[2] == TYPE_LITERAL, literal_first = op->flags & OP_FMAMK;
   put(text, "%s v%u, ", op->name, dst);
   bool fixed_literal = inst->op->src[2] == TYPE_LITERAL || inst->op_y->src[2] == TYPE_LITERAL;
   enum isa_type type = src[0] == SRC_LITERAL && fixed_literal ? TYPE_B32 : (enum isa_type)op->src[0];
   put_operand(text, src[0], type, value, inst->literal);
   if (literal && literal_first)
      put(text, ", 0x%x", inst->literal);
   if (op->src[1] != TYPE_NONE)
      put(text, ", v%u", src[1] - SRC_VGPR0);
   if (literal && !literal_first)
      put(text, ", 0x%x", inst->literal);
}

static void
print_vopd(const struct inst *inst, struct text *text)
{
   put_dual(text, inst, inst->op, inst->dst, inst->src, inst->value[0]);
   put(text, " :: ");
   put_dual(text, inst, inst->op_y, inst->dst_y, inst->src_y, inst->value[1]);
}

static void
print_vinterp(const struct inst *inst, struct text *text)
{
   put(text, "%s v%u", inst->op->name, inst->dst);
   for (unsigned n = 0; n < 3; n++)
      put(text, ", %sv%u", inst->neg >> n & 1 ? "-" : "", inst->src[n] - SRC_VGPR0);
   if (inst->flags & INST_CLAMP)
      put(text, " clamp");
   if (inst->op_sel)
      put_bits(text, "op_sel", inst->op_sel, 4);
   put(text, " wait_exp:%d", inst->offset);
}

static void
print_ldsdir(const struct inst *inst, struct text *text)
{
   unsigned channel = inst->offset & 3, attribute = inst->offset >> 2 & 63, wait = inst->offset >> 8 & 15;
   put(text, "%s v%u", inst->op->name, inst->dst);
   if (inst->op == &isa_ldsdir[0])
      put(text, ", attr%u.%c", attribute, "xyzw"[channel]);
   put(text, " wait_vdst:%u", wait);
}

void
print_vector(const struct inst *inst, struct text *text)
{
   bool first = true;
   if (inst->encoding == ISA_VOPD) {
      print_vopd(inst, text);
      return;
   }
   if (inst->encoding == ISA_VINTERP) {
      print_vinterp(inst, text);
      return;
   }
   if (inst->encoding == ISA_LDSDIR) {
      print_ldsdir(inst, text);
      return;
   }
   put(text, "%s", inst->op->name);
   put_suffix(text, inst);
   put_destination(text, inst, &first);
   for (unsigned n = 0; n < 3; n++) {
      enum isa_type type = inst->op->src[n];
      if (type == TYPE_NONE || type == TYPE_TIED || type == TYPE_TIED16 || type == TYPE_TIEDP16)
         continue;
      put_separator(text, &first);
      put_modified_source(text, inst, n);
   }
   put_op_sel(text, inst);
   put_output_modifiers(text, inst);
   put_dpp(text, inst);
}
