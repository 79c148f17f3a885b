/* SPDX-License-Identifier: MIT */
/* Where our decoder and printer differ from LLVM 19 on purpose, and why. */
#include <string.h>

#include "encoding_line.h"

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
   const struct isa_op *op = line->inst.op;
   unsigned halves = isa_type_is_half(op->dst) << 3;
   for (unsigned n = 0; n < 3; n++)
      halves |= isa_type_is_half(op->src[n]) << n;
   if (!from || strstr(line->llvm, "op_sel") || !(line->inst.op_sel & halves))
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

static bool
is_packed_fmac(const struct line *line)
{
   return has_literal(line) && strstr(line->ours, "v_pk_fmac_f16");
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
   {"literals of v_pk_fmac_f16, which LLVM makes inline constants, that gfx11 gives to both halves (llvm-project "
    "94116)",
    is_packed_fmac},
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

const char *
why_taken(const struct line *line)
{
   return REASON(taken_beyond_llvm, line);
}

const char *
why_refused(const struct line *line)
{
   return REASON(refused_beyond_llvm, line);
}

const char *
why_told_otherwise(const struct line *line)
{
   return REASON(told_beyond_llvm, line);
}

bool
is_not_assembled(const struct line *line)
{
   for (size_t i = 0; i < sizeof not_assembled / sizeof not_assembled[0]; i++) {
      if (strstr(line->again.error, not_assembled[i]))
         return true;
   }
   return false;
}
