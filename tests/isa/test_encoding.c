/* SPDX-License-Identifier: MIT */
/*
 * The decoder and the printer against LLVM. For random encodings of every opcode, with every kind of operand and every
 * modifier:
 *  - bytes to LLVM's text, and that by its assembler to the same bytes, or to others that mean the same to our decoder
 *    (fields that an instruction does not use, literals that are inline constants);
 *  - our text is LLVM's, or is assembled to the same bytes as LLVM's;
 *  - what LLVM refuses is refused.
 * Where the two differ on purpose stands in the tables below, with the reasons.
 *
 *    test-isa-encoding [SEED [ENCODINGS PER OPCODE]]
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "encodings.h"
#include "isa/isa.h"
#include "isa/table.h"
#include "llvm_mc.h"

#define TEXT 300

static uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
static unsigned per_opcode = 40;

struct line {
   struct encoding encoding;
   struct inst inst;       /* size 0: refused */
   char ours[TEXT];        /* empty: refused */
   char llvm[TEXT];        /* empty: refused */
   struct llvm_line again; /* LLVM's text assembled */
   struct llvm_line own;   /* our text assembled, where it is another */
};

struct lines {
   struct line *line;
   size_t count, capacity;
   bool wave64;
};

/* ---- where the two differ on purpose ---- */

struct difference {
   const char *why;
   bool (*applies)(const struct line *line);
};

static bool
has_halves(const struct line *line)
{
   return strstr(line->ours, ".h") || strstr(line->ours, ".l");
}

static bool
reaches_vcc(const struct line *line)
{
   return strstr(line->ours, ":107]");
}

static bool
is_gather_of_halves(const struct line *line)
{
   return !strncmp(line->ours, "image_gather4", 13) && strstr(line->ours, " d16") &&
          (line->encoding.word[1] >> 8 & 255) > 252;
}

static bool
is_mov_b16(const struct line *line)
{
   return !strncmp(line->ours, "v_mov_b16_e64", 13);
}

/* LLVM refuses, we take. */
static const struct difference taken_beyond_llvm[] = {
   {"halves of registers in 32-bit encodings (true16, v_swap_b16 too): gfx1100 has them and ACO emits them",
    has_halves},
   {"v_mov_b16 in its 64-bit encoding, likewise", is_mov_b16},
   {"s[104:107] and the like: ACO allocates ranges that end in VCC, which lies there", reaches_vcc},
   {"image_gather4 with D16 at v253 or v254: LLVM looks for four registers before it sees D16", is_gather_of_halves},
};

static bool
wants_a_vgpr(const struct line *line)
{
   return strstr(line->llvm, "src_") || strstr(line->llvm, "null");
}

static bool
moves_a_half(const struct line *line)
{
   return !strncmp(line->llvm, "v_mov_b16", 9);
}

/* LLVM takes, we refuse. */
static const struct difference refused_beyond_llvm[] = {
   {"scalars that LLVM lets stand where the hardware wants a VGPR, or an SGPR to write to", wants_a_vgpr},
   {"signs of v_mov_b16 with DPP, which moves bits", moves_a_half},
};

/* As LLVM's but for op_sel. */
static bool
has_op_sel_more(const struct line *line)
{
   const char *from = strstr(line->ours, " op_sel:[");
   if (!from || strstr(line->llvm, "op_sel"))
      return false;
   const char *to = strchr(from, ']');
   size_t before = (size_t)(from - line->ours);
   return to && !strncmp(line->ours, line->llvm, before) && !strcmp(to + 1, line->llvm + before);
}

static bool
has_literal(const struct line *line)
{
   const struct inst *inst = &line->inst;
   return inst->src[0] == SRC_LITERAL || inst->src[1] == SRC_LITERAL || inst->src[2] == SRC_LITERAL;
}

static bool
is_double(const struct line *line)
{
   const struct isa_op *op = line->inst.op;
   return has_literal(line) && (op->src[0] == TYPE_F64 || op->src[1] == TYPE_F64 || op->src[2] == TYPE_F64);
}

static bool
has_integer_halves(const struct line *line)
{
   bool integer = false;
   for (unsigned n = 0; n < 3; n++)
      integer |=
         line->inst.op->src[n] == TYPE_I16 || line->inst.op->src[n] == TYPE_U16 || line->inst.op->src[n] == TYPE_B16;
   return has_literal(line) && integer;
}

static bool
is_mix(const struct line *line)
{
   return has_literal(line) && line->inst.op->flags & OP_MIX;
}

static bool
is_dual_dot(const struct line *line)
{
   return line->inst.size == 12 && strstr(line->ours, "v_dual_dot2acc");
}

static bool
is_packed_bf16(const struct line *line)
{
   return has_literal(line) && strstr(line->ours, "_bf16");
}

/* Both take, we say or mean something else. */
static const struct difference told_beyond_llvm[] = {
   {"op_sel of 16-bit operands, which gfx1100 has and ACO emits, LLVM 19 only where gfx10 had it, too",
    has_op_sel_more},
   {"literals of doubles, their upper halves, which LLVM makes inline integers of 64 bits", is_double},
   {"literals of 16-bit integers, which LLVM makes inline floats", has_integer_halves},
   {"literals of v_fma_mix, of which LLVM makes inline constants by the lower half alone", is_mix},
   {"literals of v_dual_dot2acc_f32_f16, two halves, which LLVM takes for a float", is_dual_dot},
   {"literals of bfloats, which LLVM makes inline constants, that the hardware takes for floats (llvm-project 209861)",
    is_packed_bf16},
};

/* Why LLVM does not assemble what it has printed: rules of the hardware that its disassembler and our decoder do not
 * know. The text is compared all the same. */
static const char *const not_assembled[] = {
   "violates constant bus restrictions",
   "only one unique literal operand is allowed",
   "operands must use different VGPR banks", /* VOPD */
   "invalid operand for instruction",        /* scalars besides DPP, SOFFSET as a literal, no V# */
   "src1 immediate operand invalid",
   "src0 must be null", /* s_waitcnt_vscnt */
   "execz and vccz are not supported",
   "register not available",
   "lds_direct is not supported",
   "expected a 12-bit unsigned offset", /* FLAT's top bit */
   "expected a 20-bit unsigned offset",
   "TFE modifier has no meaning for store instructions",
   "expected a value name", /* s_delay_alu */
   "out of bounds interpolation attribute number",
   "image data size does not match", /* of forms that LLVM has not, as one address in NSA form */
   "image address size does not match",
   "invalid dim; must be MSAA type",
   "invalid image_gather dmask",
   "invalid atomic image dmask",
};

static const char *
reason(const struct difference *table, size_t count, const struct line *line)
{
   for (size_t i = 0; i < count; i++) {
      if (table[i].applies(line))
         return table[i].why;
   }
   return NULL;
}
#define REASON(table, line) reason(table, sizeof table / sizeof table[0], line)

/* ---- all lines of a mode ---- */

static bool
is_valid(void *user, const struct encoding *encoding)
{
   const struct lines *lines = user;
   struct inst inst;
   return !isa_decode(encoding->word, sizeof encoding->word, lines->wave64, &inst);
}

static void
add(void *user, const struct encoding *encoding)
{
   struct lines *lines = user;
   if (lines->count == lines->capacity) {
      lines->capacity = lines->capacity ? lines->capacity * 2 : 4096;
      lines->line = realloc(lines->line, lines->capacity * sizeof *lines->line);
      assert_non_null(lines->line);
   }
   struct line *line = &lines->line[lines->count++];
   memset(line, 0, sizeof *line);
   line->encoding = *encoding;
   if (isa_decode(encoding->word, sizeof encoding->word, lines->wave64, &line->inst))
      line->inst.size = 0;
   else
      isa_print(&line->inst, 0, line->ours, sizeof line->ours);
}

static void
ask_llvm(struct lines *lines)
{
   const char *features = lines->wave64 ? "+wavefrontsize64" : "+wavefrontsize32,-wavefrontsize64";
   struct llvm_line *ask = calloc(lines->count, sizeof *ask);
   assert_non_null(ask);
   for (size_t i = 0; i < lines->count; i++) {
      struct line *line = &lines->line[i];
      ask[i].size = line->inst.size ? line->inst.size : sizeof line->encoding.word;
      memcpy(ask[i].word, line->encoding.word, ask[i].size);
   }
   llvm_disassemble(ask, lines->count, features);
   for (size_t i = 0; i < lines->count; i++)
      strcpy(lines->line[i].llvm, ask[i].text);
   llvm_assemble(ask, lines->count, features);
   for (size_t i = 0; i < lines->count; i++) {
      struct line *line = &lines->line[i];
      line->again = ask[i];
      strcpy(ask[i].text, strcmp(line->ours, line->llvm) ? line->ours : "");
   }
   llvm_assemble(ask, lines->count, features);
   for (size_t i = 0; i < lines->count; i++)
      lines->line[i].own = ask[i];
   free(ask);
}

/* ---- judgement ---- */

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
      inst->op_sel &= 3;
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
      inst->dpp &= inst->flags & INST_E64 || inst->encoding >= ISA_VOP3 ? 0xff0dffff : 0xfffdffff;
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

/* In what two instructions differ, NULL if they do the same though they may be encoded differently. */
static const char *
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

enum verdict { SAME, OTHER_BYTES, REFUSED, ON_PURPOSE, NOT_ASSEMBLED, WRONG, VERDICTS };

static bool
same_bytes(const struct llvm_line *a, const struct llvm_line *b)
{
   return a->size && a->size == b->size && !memcmp(a->word, b->word, a->size);
}

static bool
is_encoding(const struct line *line, const struct llvm_line *bytes)
{
   return bytes->size && bytes->size == line->inst.size && !memcmp(bytes->word, line->encoding.word, bytes->size);
}

static bool
means_the_same(const struct line *line, const struct llvm_line *bytes, bool wave64)
{
   struct inst inst;
   return bytes->size && !isa_decode(bytes->word, bytes->size, wave64, &inst) && inst.size == bytes->size &&
          !difference_of(&line->inst, &inst);
}

static enum verdict
judge(const struct line *line, bool wave64)
{
   const struct llvm_line *again = &line->again;
   bool taken = line->inst.size;
   if (!line->llvm[0])
      return !taken ? REFUSED : REASON(taken_beyond_llvm, line) ? ON_PURPOSE : WRONG;
   if (!again->size) {
      bool alike =
         !taken || !strcmp(line->ours, line->llvm) || line->inst.encoding == ISA_MIMG || REASON(told_beyond_llvm, line);
      for (size_t i = 0; i < sizeof not_assembled / sizeof not_assembled[0]; i++) {
         if (strstr(again->error, not_assembled[i]))
            return alike ? NOT_ASSEMBLED : WRONG;
      }
      return WRONG;
   }
   if (!taken)
      return REASON(refused_beyond_llvm, line) ? ON_PURPOSE : WRONG;
   bool alike = !strcmp(line->ours, line->llvm);
   if (alike && is_encoding(line, again))
      return SAME;
   /* Our text may also be better than LLVM's, which loses some constants. */
   if ((alike || same_bytes(&line->own, again)) && means_the_same(line, again, wave64))
      return OTHER_BYTES;
   if (!alike && means_the_same(line, &line->own, wave64))
      return OTHER_BYTES;
   return REASON(told_beyond_llvm, line) ? ON_PURPOSE : WRONG;
}

/* ---- what has been seen to agree ---- */

/* Parts of the text: every modifier, every kind of operand. */
static const char *const parts[] = {
   "_e32 ",
   "_e64 ",
   "_dpp ",
   "_e64_dpp ",
   " :: ",
   /* operands */
   " s1",
   " s[",
   " v1",
   " v[",
   " vcc",
   "vcc_lo",
   "vcc_hi",
   "exec_lo",
   "exec_hi",
   " exec",
   "ttmp",
   " m0",
   " null",
   "src_scc",
   "src_shared_base",
   "src_shared_limit",
   "src_private_base",
   "src_private_limit",
   " 0x",
   " 64",
   " -1",
   " -16",
   " 0.5",
   " -0.5",
   " 1.0",
   " -1.0",
   " 2.0",
   " -2.0",
   " 4.0",
   " -4.0",
   "0.15915494",
   "0.15915494309189532",
   " off",
   /* the vector ALU */
   " clamp",
   " mul:2",
   " mul:4",
   " div:2",
   "neg(",
   " -v",
   " -s",
   "|v",
   "|s",
   "-|v",
   "sext(",
   " op_sel:[",
   " op_sel_hi:[",
   " neg_lo:[",
   " neg_hi:[",
   " dpp8:[",
   " fi:1",
   " quad_perm:[",
   " row_shl:",
   " row_shr:",
   " row_ror:",
   " row_mirror",
   " row_half_mirror",
   " row_share:",
   " row_xmask:",
   " row_mask:0x",
   " bank_mask:0x",
   " bound_ctrl:1",
   " wait_exp:",
   " wait_vdst:",
   "attr1",
   /* scalar */
   "hwreg(HW_REG_MODE",
   "hwreg(HW_REG_HW_ID1, ",
   "sendmsg(MSG_",
   "sendmsg(MSG_RTN_",
   "vmcnt(",
   "lgkmcnt(",
   "expcnt(",
   "depctr_",
   "instid0(",
   "instskip(",
   "instid1(",
   /* memory */
   " offset:",
   " offset:-",
   " offset:0x",
   " offset0:",
   " offset1:",
   " gds",
   " glc",
   " slc",
   " dlc",
   " tfe",
   " idxen",
   " offen",
   " idxen offen",
   " format:[BUF_FMT_",
   " format:1",
   "swizzle(QUAD_PERM,",
   "swizzle(BITMASK_PERM,",
   "swizzle(SWAP,",
   "swizzle(REVERSE,",
   "swizzle(BROADCAST,",
   /* images */
   " dmask:0x",
   " dim:SQ_RSRC_IMG_1D ",
   " dim:SQ_RSRC_IMG_2D ",
   " dim:SQ_RSRC_IMG_3D ",
   " dim:SQ_RSRC_IMG_CUBE ",
   " dim:SQ_RSRC_IMG_1D_ARRAY ",
   " dim:SQ_RSRC_IMG_2D_ARRAY ",
   " dim:SQ_RSRC_IMG_2D_MSAA ",
   " dim:SQ_RSRC_IMG_2D_MSAA_ARRAY ",
   ", [v",
   " unorm",
   " r128",
   " a16",
   " lwe",
   " d16",
};
enum { PARTS = sizeof parts / sizeof parts[0], LEAST = 1 };

static const struct {
   const struct isa_op *ops;
   unsigned count;
} tables[] = {
   {isa_sop1, ISA_SOP1_OPS},       {isa_sop2, ISA_SOP2_OPS},     {isa_sopc, ISA_SOPC_OPS},   {isa_sopk, ISA_SOPK_OPS},
   {isa_sopp, ISA_SOPP_OPS},       {isa_smem, ISA_SMEM_OPS},     {isa_vop1, ISA_VOP1_OPS},   {isa_vop2, ISA_VOP2_OPS},
   {isa_vopc, ISA_VOPC_OPS},       {isa_vop3, ISA_VOP3_OPS},     {isa_vop3p, ISA_VOP3P_OPS}, {isa_vopd, ISA_VOPD_OPS},
   {isa_vinterp, ISA_VINTERP_OPS}, {isa_ldsdir, ISA_LDSDIR_OPS}, {isa_ds, ISA_DS_OPS},       {isa_flat, ISA_FLAT_OPS},
   {isa_global, ISA_FLAT_OPS},     {isa_scratch, ISA_FLAT_OPS},  {isa_mubuf, ISA_MUBUF_OPS}, {isa_mtbuf, ISA_MTBUF_OPS},
   {isa_mimg, ISA_MIMG_OPS},
};
enum { TABLES = sizeof tables / sizeof tables[0] };

struct coverage {
   unsigned part[PARTS];
   unsigned op[TABLES][ISA_VOP3_OPS];
};

static void
count_op(struct coverage *coverage, const struct isa_op *op)
{
   for (unsigned t = 0; op && t < TABLES; t++) {
      if (op >= tables[t].ops && op < tables[t].ops + tables[t].count)
         coverage->op[t][op - tables[t].ops]++;
   }
}

static void
cover(struct coverage *coverage, const struct line *line)
{
   count_op(coverage, line->inst.op);
   count_op(coverage, line->inst.op_y);
   char text[TEXT + 1];
   snprintf(text, sizeof text, "%s ", line->ours); /* so that any modifier ends in a space */
   for (unsigned p = 0; p < PARTS; p++)
      coverage->part[p] += strstr(text, parts[p]) != NULL;
}

/* Whether anything is missing; waves of 64 have no VOPD and no matrices of eight registers, LLVM no v_swap_b16. */
static bool
has_gaps(const struct coverage *coverage, bool wave64)
{
   bool gaps = false;
   for (unsigned p = 0; p < PARTS; p++) {
      if (coverage->part[p] >= LEAST || (wave64 && !strcmp(parts[p], " :: ")))
         continue;
      print_error("\"%s\": %u times\n", parts[p], coverage->part[p]);
      gaps = true;
   }
   for (unsigned t = 0; t < TABLES; t++) {
      for (unsigned i = 0; i < tables[t].count; i++) {
         const char *name = tables[t].ops[i].name;
         if (!name || coverage->op[t][i] >= LEAST || (wave64 && tables[t].ops == isa_vopd) ||
             !strcmp(name, "v_swap_b16"))
            continue;
         print_error("%s: %u times\n", name, coverage->op[t][i]);
         gaps = true;
      }
   }
   return gaps;
}

static void
complain(const struct line *line)
{
   print_error("%08x %08x %08x: \"%s\", LLVM \"%s\"", line->encoding.word[0], line->encoding.word[1],
               line->encoding.word[2], line->ours, line->llvm);
   if (line->again.size) {
      struct inst inst;
      const char *what = NULL;
      if (line->inst.size && !isa_decode(line->again.word, line->again.size, line->inst.flags & INST_WAVE64, &inst))
         what = difference_of(&line->inst, &inst);
      print_error(", again %08x %08x %08x: %s", line->again.word[0], line->again.word[1], line->again.word[2],
                  what ? what : "the same");
   }
   print_error(" %s\n", line->again.error);
}

static void
compare(bool wave64)
{
   struct lines lines = {.wave64 = wave64};
   struct random random = {seed};
   encodings_each_sorted(&random, per_opcode, per_opcode / 4 + 1, is_valid, add, &lines);
   ask_llvm(&lines);

   unsigned verdicts[VERDICTS] = {0};
   struct coverage *coverage = calloc(1, sizeof *coverage);
   assert_non_null(coverage);
   for (size_t i = 0; i < lines.count; i++) {
      enum verdict verdict = judge(&lines.line[i], wave64);
      if (getenv("N") && strstr(lines.line[i].ours,getenv("N"))) { print_error("%d ",verdict);complain(&lines.line[i]);} if (verdicts[verdict]++ < 20 && verdict == WRONG)
         complain(&lines.line[i]);
      if (verdict == SAME || verdict == OTHER_BYTES)
         cover(coverage, &lines.line[i]);
   }
   print_message(
      "%u the same, %u by other bytes, %u refused by both, %u different on purpose, %u not assembled by LLVM, "
      "%u wrong\n",
      verdicts[SAME], verdicts[OTHER_BYTES], verdicts[REFUSED], verdicts[ON_PURPOSE], verdicts[NOT_ASSEMBLED],
      verdicts[WRONG]);
   bool gaps = has_gaps(coverage, wave64);
   free(coverage);
   free(lines.line);
   assert_int_equal(verdicts[WRONG], 0);
   assert_false(gaps);
   assert_true(verdicts[SAME] > 700 * per_opcode);
   assert_true(verdicts[REFUSED] > 700 * per_opcode);
   assert_true(verdicts[NOT_ASSEMBLED] < verdicts[SAME] / 8);
}

static void
test_wave64(void **state)
{
   compare(true);
}

static void
test_wave32(void **state)
{
   compare(false);
}

/* Any bytes at all, also too few of them. */
static void
test_any_bytes(void **state)
{
   struct random random = {12345};
   unsigned decoded = 0;
   for (unsigned i = 0; i < 2000000; i++) {
      uint32_t words[ENCODING_WORDS];
      struct inst inst;
      char text[64]; /* shorter than some */
      for (unsigned w = 0; w < ENCODING_WORDS; w++)
         words[w] = random_bits(&random, 32);
      size_t size = i % (sizeof words + 1);
      int result = isa_decode(words, size, i & 1, &inst);
      if (result)
         continue;
      decoded++;
      assert_true(inst.size <= size && inst.size % 4 == 0);
      assert_non_null(inst.execute);
      int length = isa_print(&inst, 0, text, sizeof text);
      assert_true(length > 0);
      assert_non_null(memchr(text, 0, sizeof text));
      isa_describe(words, size, i & 1, text, sizeof text);
      assert_non_null(memchr(text, 0, sizeof text));
   }
   assert_true(decoded > 100000);
}

static void
test_cut_off(void **state)
{
   struct inst inst;
   uint32_t add_with_literal[2] = {0x060804ff, 0x3fc00000};
   assert_int_equal(isa_decode(add_with_literal, 4, true, &inst), -ENODATA);
   assert_int_equal(isa_decode(add_with_literal, 8, true, &inst), 0);
   assert_int_equal(inst.size, 8);
   assert_int_equal(isa_decode(add_with_literal, 2, true, &inst), -ENODATA);
   assert_int_equal(isa_decode((uint32_t[]){0xffffffff}, 4, true, &inst), -EINVAL);
}

static void
test_describe(void **state)
{
   char text[100];
   isa_describe((uint32_t[]){0xcc404004, 0x1c1a0502}, 8, true, text, sizeof text);
   assert_string_equal(text, "cc404004 1c1a0502 (v_wmma_f32_16x16x16_f16)");
   isa_describe((uint32_t[]){0xffffffff, 0x12345678}, 8, true, text, sizeof text);
   assert_string_equal(text, "ffffffff 12345678");
}

int
main(int argc, char **argv)
{
   if (argc > 1)
      seed = strtoull(argv[1], NULL, 0);
   if (argc > 2)
      per_opcode = (unsigned)strtoul(argv[2], NULL, 0);
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wave64),  cmocka_unit_test(test_wave32),   cmocka_unit_test(test_any_bytes),
      cmocka_unit_test(test_cut_off), cmocka_unit_test(test_describe),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
