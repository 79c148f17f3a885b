/* SPDX-License-Identifier: MIT */
/*
 * The vector ALU, compiled once for each wave size and CPU level: WAVE_SIZE is 32 or 64, VALU_TABLE the name of the
 * table of functions. The semantics stand in the tables of the families.
 */
#include <x86intrin.h>

#include "isa/hwreg.h"
#include "isa/lane_division.h"
#include "isa/lane_integer.h"
#include "isa/vector.h"

/* ---- DPP (RDNA3 ISA guide, 7.7) ---- */

/* The lane that `lane` reads, or -1: none. */
static int
dpp16_lane(unsigned control, int lane)
{
   int row = lane & ~15, in_row = lane & 15, n = control & 15;
   if (control < 0x100)
      return (lane & ~3) | (control >> (lane & 3) * 2 & 3);
   switch (control >> 4) {
   case 0x10: /* row_shl */
      return in_row + n < 16 ? lane + n : -1;
   case 0x11: /* row_shr */
      return in_row >= n ? lane - n : -1;
   case 0x12: /* row_ror */
      return row | ((in_row - n) & 15);
   case 0x14: /* row_mirror, row_half_mirror */
      return n == 0 ? row | (15 - in_row) : (lane & ~7) | (7 - (lane & 7));
   case 0x15: /* row_share */
      return row | n;
   default: /* row_xmask */
      return row | (in_row ^ n);
   }
}

static void
permute(struct operands *o, const struct wave *wave, const struct inst *inst)
{
   uint64_t exec = wave_exec(wave);
   uint32_t source[LANES], *result = o->buffer[0][0];
   memcpy(source, o->lo[0], sizeof source);
   for (int l = 0; l < LANES; l++) {
      int from;
      bool keep = true;
      if (inst->flags & INST_DPP8) {
         from = (l & ~7) | (inst->dpp >> (8 + (l & 7) * 3) & 7);
      } else {
         from = dpp16_lane(inst->dpp >> 8 & 0x1ff, l);
         keep = (inst->dpp >> (28 + l / 16 % 4) & 1) && (inst->dpp >> (24 + l / 4 % 4) & 1);
      }
      bool valid = from >= 0 && ((inst->flags & INST_FI) || (exec >> from & 1));
      bool zero = inst->flags & (INST_BOUND_CTRL | INST_DPP8);
      o->lane_mask[l] = keep && (valid || zero) ? wave->exec_mask[l] : 0;
      result[l] = valid ? source[from] : 0;
   }
   o->lo[0] = result;
   o->mask = o->lane_mask;
}

/* ---- modifiers ---- */

static inline float
clamped(float value, bool dx10_clamp)
{
   if (value != value)
      return dx10_clamp ? 0 : value;
   return value > 1 ? 1 : value > 0 ? value : 0;
}

/* One source through its modifiers, by operand type. */
static void
modify_source(struct operands *o, const struct inst *inst, unsigned n, enum isa_type type)
{
   bool absolute = inst->abs >> n & 1, negative = inst->neg >> n & 1, high = inst->op_sel >> n & 1;
   bool packed = type == TYPE_PF16 || type == TYPE_PBF16 || type == TYPE_P16;
   if (inst->encoding == ISA_VOP3P && packed) {
      /* abs is neg_hi: each half of the operation has its own choice and sign. */
      bool high_of_high = inst->op_sel_hi >> n & 1;
      uint32_t flip = type == TYPE_P16 ? 0 : (negative ? 0x8000u : 0) | (absolute ? 0x80000000u : 0);
      for (unsigned l = 0; l < LANES; l++) {
         uint32_t value = o->lo[n][l];
         uint32_t low = high ? value >> 16 : value & 0xffff, upper = high_of_high ? value >> 16 : value & 0xffff;
         o->buffer[n][0][l] = (low | upper << 16) ^ flip;
      }
      o->lo[n] = o->buffer[n][0];
      return;
   }
   if (inst->encoding == ISA_VOP3P) {
      for (unsigned l = 0; l < LANES && type == TYPE_F32 && negative; l++)
         o->buffer[n][0][l] = o->lo[n][l] ^ 0x80000000;
      if (type == TYPE_F32 && negative)
         o->lo[n] = o->buffer[n][0];
      return;
   }
   bool half = type == TYPE_F16 || type == TYPE_B16 || type == TYPE_U16 || type == TYPE_I16;
   if (half && high) {
      for (unsigned l = 0; l < LANES; l++)
         o->buffer[n][0][l] = o->lo[n][l] >> 16;
      o->lo[n] = o->buffer[n][0];
   }
   if (!absolute && !negative)
      return;
   if (type == TYPE_PF16 || type == TYPE_PBF16) {
      for (unsigned l = 0; l < LANES; l++)
         o->buffer[n][0][l] = (absolute ? o->lo[n][l] & 0x7fff7fff : o->lo[n][l]) ^ (negative ? 0x80008000 : 0);
      o->lo[n] = o->buffer[n][0];
      return;
   }
   bool wide = type == TYPE_F64;
   if (type != TYPE_F32 && type != TYPE_B32 && type != TYPE_F16 && type != TYPE_B16 && !wide)
      return; /* room in the encoding, but no meaning */
   uint32_t sign = half ? 0x8000 : 0x80000000;
   const uint32_t *source = wide ? o->hi[n] : o->lo[n];
   uint32_t *result = o->buffer[n][wide];
   for (unsigned l = 0; l < LANES; l++) {
      uint32_t value = absolute ? source[l] & ~sign : source[l];
      result[l] = negative ? value ^ sign : value;
   }
   if (wide)
      o->hi[n] = result;
   else
      o->lo[n] = result;
}

static void __attribute__((noinline))
modify_sources(struct operands *o, const struct wave *wave, const struct inst *inst)
{
   if (inst->flags & (INST_DPP8 | INST_DPP16))
      permute(o, wave, inst);
   for (unsigned n = 0; n < 3; n++) {
      enum isa_type type = inst->op->src[n];
      if (type != TYPE_NONE && type != TYPE_MASK && type != TYPE_VCC)
         modify_source(o, inst, n, type);
   }
}

/* Multiplying the result is left out where denormals are kept (RDNA3 ISA guide, 7.2.3). */
static float
result_factor(const struct wave *wave, const struct inst *inst, bool wide)
{
   static const float factor[4] = {1, 2, 4, 0.5f};
   bool denormals = wave->mode >> (wide ? 7 : 5) & 1;
   return inst->encoding == ISA_VOP3P || denormals || (wave->mode & MODE_IEEE) ? 1 : factor[inst->omod & 3];
}

static void __attribute__((noinline))
finish_result(struct operands *o, struct wave *wave, const struct inst *inst, enum isa_type type)
{
   bool clamp = inst->flags & INST_CLAMP, dx10_clamp = wave->mode & MODE_DX10_CLAMP;
   bool wide = type_dwords(type) == 2, half = type == TYPE_B16 || type == TYPE_U16 || type == TYPE_I16;
   float factor = result_factor(wave, inst, type == TYPE_F64);
   uint32_t *lo = o->result[0], *hi = o->result[1];
   for (unsigned l = 0; l < LANES && type == TYPE_F32; l++) {
      float value = as_float(lo[l]) * factor;
      lo[l] = float_bits(clamp ? clamped(value, dx10_clamp) : value);
   }
   for (unsigned l = 0; l < LANES && type == TYPE_F64; l++) {
      double value = as_double(lo[l] | (uint64_t)hi[l] << 32) * factor;
      if (clamp)
         value = value != value ? (dx10_clamp ? 0 : value) : value > 1 ? 1 : value > 0 ? value : 0;
      lo[l] = (uint32_t)double_bits(value);
      hi[l] = (uint32_t)(double_bits(value) >> 32);
   }
   uint32_t *dlo = vgpr_destination(wave, inst->dst), *dhi = vgpr_destination(wave, inst->dst + 1u);
   bool to_high = half && inst->op_sel & 8;
   for (unsigned l = 0; l < LANES && dlo; l++) {
      uint32_t value = !half     ? lo[l]
                       : to_high ? (dlo[l] & 0xffff) | lo[l] << 16
                                 : (dlo[l] & 0xffff0000) | (lo[l] & 0xffff);
      dlo[l] = select_lane(o->mask[l], value, dlo[l]);
   }
   for (unsigned l = 0; l < LANES && wide && dhi; l++)
      dhi[l] = select_lane(o->mask[l], hi[l], dhi[l]);
}

#ifdef __F16C__
/* The usual case of the following: nearest even, denormals kept. */
static void
convert_halfs(uint16_t *halfs, const uint32_t *floats)
{
   for (unsigned l = 0; l < LANES; l += 8) {
      __m256 eight = _mm256_loadu_ps((const float *)(floats + l));
      _mm_storeu_si128((__m128i *)(halfs + l), _mm256_cvtps_ph(eight, _MM_FROUND_TO_NEAREST_INT));
   }
}

static bool
finish_half_quickly(struct operands *o, struct wave *wave, const struct inst *inst, uint32_t *vgpr)
{
   bool usual = !(inst->flags & INST_MODIFIED) && inst->encoding != ISA_VOP3P && (wave->mode >> 2 & 3) == 0 &&
                wave->mode >> 7 & 1;
   if (!usual)
      return false;
   uint16_t halfs[LANES];
   convert_halfs(halfs, o->result[0]);
   for (unsigned l = 0; l < LANES; l++)
      vgpr[l] = select_lane(o->mask[l] & 0xffff, halfs[l], vgpr[l]);
   return true;
}
#else
static bool
finish_half_quickly(struct operands *o, struct wave *wave, const struct inst *inst, uint32_t *vgpr)
{
   return false;
}
#endif

/* Results of 16 bits are computed as floats; here they become halfs. */
static void __attribute__((noinline)) finish_half(struct operands *o, struct wave *wave, const struct inst *inst)
{
   uint32_t *vgpr = vgpr_destination(wave, inst->dst);
   if (!vgpr || finish_half_quickly(o, wave, inst, vgpr))
      return;
   enum rounding rounding = wave->mode >> 2 & 3;
   bool modified = inst->flags & INST_MODIFIED;
   bool clamp = inst->flags & INST_CLAMP, dx10_clamp = wave->mode & MODE_DX10_CLAMP;
   bool flush = !(wave->mode >> 7 & 1);
   bool to_high = inst->op_sel & 8 && inst->encoding != ISA_VOP3P;
   if (inst->encoding == ISA_VOP3P)
      to_high = inst->op->flags & OP_HIGH_RESULT;
   float factor = modified ? result_factor(wave, inst, true) : 1;
   for (unsigned l = 0; l < LANES; l++) {
      if (!o->mask[l])
         continue;
      float value = as_float(o->result[0][l]);
      if (factor != 1)
         value = from_half(to_half(value, rounding)) * factor;
      if (clamp)
         value = clamped(value, dx10_clamp);
      uint16_t half = to_half(value, rounding);
      if (flush && !(half & 0x7c00))
         half &= 0x8000;
      vgpr[l] = to_high ? (vgpr[l] & 0xffff) | (uint32_t)half << 16 : (vgpr[l] & 0xffff0000) | half;
   }
}

/* ---- a function for each line of the tables ---- */

/* Lanes do not depend on each other: the destination is a source only lane by lane. */
#define EACH_LANE _Pragma("GCC ivdep") for (unsigned l = 0; l < LANES; l++)

#define OPERANDS(dt, at, bt, ct)                                                                                    \
   struct operands o;                                                                                               \
   begin(&o, wave, inst, TYPE_##at, TYPE_##bt, TYPE_##ct, TYPE_##dt);                                               \
   const uint32_t *lo0 = o.lo[0], *lo1 = o.lo[1], *lo2 = o.lo[2], *hi0 = o.hi[0], *hi1 = o.hi[1], *hi2 = o.hi[2];   \
   const uint32_t *mask = o.mask;                                                                                   \
   uint32_t *dlo = o.dlo, *dhi = o.dhi;                                                                             \
   const bool clamp = inst->flags & INST_CLAMP;                                                                     \
   const bool dx10_clamp = wave->mode & MODE_DX10_CLAMP;                                                            \
   const enum rounding rounding = wave->mode >> 2 & 3;                                                              \
   const uint64_t vcc = mask_read(wave, SREG_VCC_LO);                                                               \
   (void)lo0, (void)lo1, (void)lo2, (void)hi0, (void)hi1, (void)hi2, (void)mask, (void)dlo, (void)dhi, (void)clamp; \
   (void)rounding, (void)vcc, (void)dx10_clamp

#define LANE_VALUES(at, bt, ct) \
   C_##at A = LOAD_##at(0);     \
   C_##bt B = LOAD_##bt(1);     \
   C_##ct C = LOAD_##ct(2);     \
   (void)A, (void)B, (void)C

#define ENTER_MODE(dt, at)                                      \
   const bool wide_mode = uses_wide_mode(TYPE_##dt, TYPE_##at); \
   if (wide_mode)                                               \
   _mm_setcsr(mxcsr_of_mode(wave->mode, true))
#define LEAVE_MODE \
   if (wide_mode)  \
   _mm_setcsr(mxcsr_of_mode(wave->mode, false))

#define LANE_FUNCTION(name, dt, at, bt, ct, ...)                           \
   static enum isa_result name(struct wave *wave, const struct inst *inst) \
   {                                                                       \
      OPERANDS(dt, at, bt, ct);                                            \
      ENTER_MODE(dt, at);                                                  \
      EACH_LANE                                                            \
      {                                                                    \
         LANE_VALUES(at, bt, ct);                                          \
         C_##dt D;                                                         \
         __VA_ARGS__;                                                      \
         STORE_##dt(D);                                                    \
      }                                                                    \
      LEAVE_MODE;                                                          \
      end(&o, wave, inst, TYPE_##dt);                                      \
      return ISA_NEXT;                                                     \
   }

#define CARRY_FUNCTION(name, dt, at, bt, ct, ...)                          \
   static enum isa_result name(struct wave *wave, const struct inst *inst) \
   {                                                                       \
      OPERANDS(dt, at, bt, ct);                                            \
      uint32_t carries[LANES];                                             \
      ENTER_MODE(dt, at);                                                  \
      EACH_LANE                                                            \
      {                                                                    \
         LANE_VALUES(at, bt, ct);                                          \
         C_##dt D;                                                         \
         bool CARRY;                                                       \
         __VA_ARGS__;                                                      \
         carries[l] = CARRY ? mask[l] : 0;                                 \
         STORE_##dt(D);                                                    \
      }                                                                    \
      LEAVE_MODE;                                                          \
      end(&o, wave, inst, TYPE_##dt);                                      \
      mask_write(wave, inst->sdst, gather_mask(carries));                  \
      return ISA_NEXT;                                                     \
   }

/* Inactive lanes get a 0 bit. */
#define COMPARE_FUNCTIONS(name, at, bt, condition)                                  \
   static uint64_t compare_##name(struct wave *wave, const struct inst *inst)       \
   {                                                                                \
      OPERANDS(NONE, at, bt, NONE);                                                 \
      uint32_t holds[LANES];                                                        \
      ENTER_MODE(B32, at);                                                          \
      EACH_LANE                                                                     \
      {                                                                             \
         LANE_VALUES(at, bt, NONE);                                                 \
         holds[l] = condition ? mask[l] : 0;                                        \
      }                                                                             \
      LEAVE_MODE;                                                                   \
      return gather_mask(holds);                                                    \
   }                                                                                \
   static enum isa_result v_cmp_##name(struct wave *wave, const struct inst *inst)  \
   {                                                                                \
      mask_write(wave, inst->dst, compare_##name(wave, inst));                      \
      return ISA_NEXT;                                                              \
   }                                                                                \
   static enum isa_result v_cmpx_##name(struct wave *wave, const struct inst *inst) \
   {                                                                                \
      mask_write(wave, SREG_EXEC_LO, compare_##name(wave, inst));                   \
      return ISA_NEXT;                                                              \
   }

#define VOP1(opcode, name, dt, at, flags, ...) LANE_FUNCTION(name, dt, at, NONE, NONE, __VA_ARGS__)
#define VOP1_WHOLE(...)
#include "isa/vop1.inc"
#undef VOP1
#undef VOP1_WHOLE

#define VOP2(opcode, name, dt, at, bt, ct, flags, ...) LANE_FUNCTION(name, dt, at, bt, ct, __VA_ARGS__)
#define VOP2_CARRY(opcode, name, dt, at, bt, ct, flags, ...) CARRY_FUNCTION(name, dt, at, bt, ct, __VA_ARGS__)
#include "isa/vop2.inc"
#undef VOP2
#undef VOP2_CARRY

#define VOPC(opcode, name, at, bt, flags, condition) COMPARE_FUNCTIONS(name, at, bt, (condition))
#define VOPC_CLASS(opcode, name, at, bt, raw, condition) COMPARE_FUNCTIONS(name, raw, U32, (condition))
#include "isa/vopc.inc"
#undef VOPC
#undef VOPC_CLASS

#define VOP3(opcode, name, dt, at, bt, ct, flags, ...) LANE_FUNCTION(name, dt, at, bt, ct, __VA_ARGS__)
#define VOP3_CARRY(opcode, name, dt, at, bt, ct, flags, ...) CARRY_FUNCTION(name, dt, at, bt, ct, __VA_ARGS__)
#define VOP3_WHOLE(...)
#define VOP3_NAME(...)
#include "isa/vop3.inc"
#undef VOP3
#undef VOP3_CARRY
#undef VOP3_WHOLE
#undef VOP3_NAME

/* Sources of v_fma_mix: a float, or a half of the register. */
static inline float
mix_source(const struct inst *inst, unsigned n, uint32_t bits)
{
   float value = !(inst->op_sel_hi >> n & 1) ? as_float(bits)
                 : inst->op_sel >> n & 1     ? high_half(bits)
                                             : low_half(bits);
   if (inst->abs >> n & 1)
      value = fabsf(value);
   return inst->neg >> n & 1 ? -value : value;
}

#define VOP3P(opcode, name, dt, at, bt, ct, flags, ...) LANE_FUNCTION(name, dt, at, bt, ct, __VA_ARGS__)
#define VOP3P_MIX(opcode, name, dt, flags, ...)                                                                   \
   static enum isa_result name(struct wave *wave, const struct inst *inst)                                        \
   {                                                                                                              \
      OPERANDS(dt, B32, B32, B32);                                                                                \
      EACH_LANE                                                                                                   \
      {                                                                                                           \
         float A = mix_source(inst, 0, lo0[l]), B = mix_source(inst, 1, lo1[l]), C = mix_source(inst, 2, lo2[l]); \
         C_##dt D;                                                                                                \
         __VA_ARGS__;                                                                                             \
         STORE_##dt(D);                                                                                           \
      }                                                                                                           \
      end(&o, wave, inst, TYPE_##dt);                                                                             \
      return ISA_NEXT;                                                                                            \
   }
#define VOP3P_NAME(...)
#include "isa/vop3p.inc"
#undef VOP3P
#undef VOP3P_MIX
#undef VOP3P_NAME

/* ---- VOPD: both operations read before either writes ---- */

typedef void (*dual_fn)(uint32_t *result, const uint32_t *lo0, const uint32_t *lo1, const uint32_t *lo2,
                        const struct inst *inst, uint64_t vcc);

#define VOPD(opcode, name, at, bt, ct, ...)                                                                   \
   static void name(uint32_t *restrict result, const uint32_t *lo0, const uint32_t *lo1, const uint32_t *lo2, \
                    const struct inst *inst, uint64_t vcc)                                                    \
   {                                                                                                          \
      const float K = as_float(inst->literal);                                                                \
      (void)K;                                                                                                \
      EACH_LANE                                                                                               \
      {                                                                                                       \
         C_##at A = LOAD_##at(0);                                                                             \
         C_##bt B = LOAD_##bt(1);                                                                             \
         float C = as_float(lo2[l]);                                                                          \
         (void)A, (void)B, (void)C;                                                                           \
         __typeof__(0 ? DUAL_RESULT_##at : DUAL_RESULT_##at) D;                                               \
         __VA_ARGS__;                                                                                         \
         result[l] = DUAL_BITS_##at(D);                                                                       \
      }                                                                                                       \
   }
#define DUAL_RESULT_F32 1.0f
#define DUAL_RESULT_PF16 1.0f
#define DUAL_RESULT_PBF16 1.0f
#define DUAL_RESULT_B32 1u
#define DUAL_RESULT_U32 1u
#define DUAL_BITS_F32 float_bits
#define DUAL_BITS_PF16 float_bits
#define DUAL_BITS_PBF16 float_bits
#define DUAL_BITS_B32
#define DUAL_BITS_U32
#include "isa/vopd.inc"
#undef VOPD

static const dual_fn duals[ISA_VOPD_OPS] = {
#define VOPD(opcode, name, ...) [opcode] = name,
#include "isa/vopd.inc"
#undef VOPD
};

static const uint32_t *
dual_source(const struct wave *wave, const struct inst *inst, unsigned selector, uint64_t value, uint32_t *buffer)
{
   if (selector >= SRC_VGPR0)
      return vgpr_source(wave, selector - SRC_VGPR0);
   struct inst scalar = {.src = {(uint16_t)selector}, .value = {value}};
   spread(buffer, source32(wave, &scalar, 0));
   return buffer;
}

static void
blend(struct wave *wave, unsigned index, const uint32_t *result)
{
   uint32_t *vgpr = vgpr_destination(wave, index);
   for (unsigned l = 0; l < LANES && vgpr; l++)
      vgpr[l] = select_lane(wave->exec_mask[l], result[l], vgpr[l]);
}

static enum isa_result
execute_vopd(struct wave *wave, const struct inst *inst)
{
   uint32_t result_x[LANES], result_y[LANES], buffer_x[LANES], buffer_y[LANES];
   uint64_t vcc = mask_read(wave, SREG_VCC_LO);
   refresh_exec(wave);
   duals[inst->opcode_x](result_x, dual_source(wave, inst, inst->src[0], inst->value[0], buffer_x),
                         vgpr_source(wave, inst->src[1] - SRC_VGPR0), vgpr_source(wave, inst->dst), inst, vcc);
   duals[inst->opcode_y](result_y, dual_source(wave, inst, inst->src_y[0], inst->value[1], buffer_y),
                         vgpr_source(wave, inst->src_y[1] - SRC_VGPR0), vgpr_source(wave, inst->dst_y), inst, vcc);
   blend(wave, inst->dst, result_x);
   blend(wave, inst->dst_y, result_y);
   return ISA_NEXT;
}

#include "isa/vector_whole.h"

const struct isa_valu VALU_TABLE = {
   .vop1 =
      {
#define VOP1(opcode, name, ...) [opcode] = name,
#define VOP1_WHOLE VOP1
#include "isa/vop1.inc"
      },
   .vop2 =
      {
#define VOP2(opcode, name, ...) [opcode] = name,
#define VOP2_CARRY VOP2
#include "isa/vop2.inc"
      },
   .vopc =
      {
#define VOPC(opcode, name, ...) [opcode] = v_cmp_##name, [128 + opcode] = v_cmpx_##name,
#define VOPC_CLASS VOPC
#include "isa/vopc.inc"
      },
   .vop3 =
      {
#define VOP3(opcode, name, ...) [opcode] = name,
#define VOP3_CARRY VOP3
#define VOP3_WHOLE VOP3
#define VOP3_NAME(...)
#include "isa/vop3.inc"
      },
   .vop3p =
      {
#define VOP3P(opcode, name, ...) [opcode] = name,
#define VOP3P_MIX VOP3P
#define VOP3P_NAME(...)
#include "isa/vop3p.inc"
      },
   .vopd = execute_vopd,
};
