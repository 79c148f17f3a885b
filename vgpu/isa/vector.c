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

#include "isa/vector_modify.h"

#include "isa/vector_exceptions.h"

/* ---- a function for each line of the tables ---- */

/* Lanes do not depend on each other: the destination is a source only lane by lane. */
#define EACH_LANE _Pragma("GCC ivdep") for (unsigned l = 0; l < LANES; l++)

#define OPERANDS(dt, at, bt, ct, op_bits)                                                                           \
   struct operands o;                                                                                               \
   const uint32_t op_flags = op_bits;                                                                               \
   const bool wide_floats =                                                                                         \
      is_wide_float(TYPE_##at) || is_wide_float(TYPE_##bt) || is_wide_float(TYPE_##ct) || is_wide_float(TYPE_##dt); \
   begin(&o, wave, inst, TYPE_##at, TYPE_##bt, TYPE_##ct, TYPE_##dt, wide_floats, op_flags);                        \
   const uint32_t *lo0 = o.lo[0], *lo1 = o.lo[1], *lo2 = o.lo[2], *hi0 = o.hi[0], *hi1 = o.hi[1], *hi2 = o.hi[2];   \
   const uint32_t *mask = o.mask;                                                                                   \
   uint32_t *dlo = o.dlo, *dhi = o.dhi;                                                                             \
   const bool clamp = inst->flags & INST_CLAMP;                                                                     \
   const bool dx10_clamp = wave->mode & MODE_DX10_CLAMP;                                                            \
   const uint32_t mode = wave->mode;                                                                                \
   const uint64_t vcc = mask_read(wave, SREG_VCC_LO);                                                               \
   (void)lo0, (void)lo1, (void)lo2, (void)hi0, (void)hi1, (void)hi2, (void)mask, (void)dlo, (void)dhi, (void)clamp; \
   (void)mode, (void)vcc, (void)dx10_clamp, (void)op_flags

#define LANE_VALUES(at, bt, ct) \
   C_##at A = LOAD_##at(0);     \
   C_##bt B = LOAD_##bt(1);     \
   C_##ct C = LOAD_##ct(2);     \
   (void)A, (void)B, (void)C

/* The host's rounding and denormals, where they are not those of MODE for 32 bits. Sources of 64 bits have been seen
 * to, also where the result is a float. */
#define ENTER_MODE(dt, at)                                                         \
   const bool own_mode = op_flags & OP_OWN_MODE;                                   \
   const bool wide_mode = uses_wide_mode(TYPE_##dt, TYPE_##at);                    \
   const bool narrowing = TYPE_##dt == TYPE_F32 && TYPE_##at == TYPE_F64;          \
   const bool denormals = op_flags & OP_OWN_DENORMALS;                             \
   if (own_mode)                                                                   \
      _mm_setcsr(_MM_MASK_MASK | (wide_mode ? 0 : _MM_FLUSH_ZERO_ON | MXCSR_DAZ)); \
   else if (wide_mode || narrowing || denormals)                                   \
   _mm_setcsr(mxcsr_of_mode(wave->mode, wide_mode) &                               \
              ~((narrowing || denormals ? MXCSR_DAZ : 0u) | (denormals ? _MM_FLUSH_ZERO_ON : 0u)))
#define LEAVE_MODE                                      \
   if (own_mode || wide_mode || narrowing || denormals) \
   _mm_setcsr(mxcsr_of_mode(wave->mode, false))

#define LANE_FUNCTION(name, dt, at, bt, ct, op_bits, ...)                  \
   static enum isa_result name(struct wave *wave, const struct inst *inst) \
   {                                                                       \
      OPERANDS(dt, at, bt, ct, op_bits);                                   \
      ENTER_MODE(dt, at);                                                  \
      EACH_LANE                                                            \
      {                                                                    \
         LANE_VALUES(at, bt, ct);                                          \
         C_##dt D;                                                         \
         WATCH(at, bt, ct);                                                \
         __VA_ARGS__;                                                      \
         RAISE(#name, dt, at, bt, ct);                                     \
         STORE_##dt(D);                                                    \
      }                                                                    \
      LEAVE_MODE;                                                          \
      end(&o, wave, inst, TYPE_##dt, wide_floats, op_flags);               \
      return SETTLE(wave, inst);                                           \
   }

#define CARRY_FUNCTION(name, dt, at, bt, ct, ...)                          \
   static enum isa_result name(struct wave *wave, const struct inst *inst) \
   {                                                                       \
      OPERANDS(dt, at, bt, ct, 0);                                         \
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
      end(&o, wave, inst, TYPE_##dt, wide_floats, op_flags);               \
      mask_write(wave, inst->sdst, gather_mask(carries));                  \
      return ISA_NEXT;                                                     \
   }

/* Inactive lanes get a 0 bit. */
#define COMPARE_FUNCTIONS(name, at, bt, condition)                                  \
   static uint64_t compare_##name(struct wave *wave, const struct inst *inst)       \
   {                                                                                \
      OPERANDS(NONE, at, bt, NONE, 0);                                              \
      uint32_t holds[LANES];                                                        \
      ENTER_MODE(B32, at);                                                          \
      EACH_LANE                                                                     \
      {                                                                             \
         LANE_VALUES(at, bt, NONE);                                                 \
         WATCH(at, bt, NONE);                                                       \
         holds[l] = condition ? mask[l] : 0;                                        \
         RAISE_COMPARED;                                                            \
      }                                                                             \
      LEAVE_MODE;                                                                   \
      return gather_mask(holds);                                                    \
   }                                                                                \
   static enum isa_result v_cmp_##name(struct wave *wave, const struct inst *inst)  \
   {                                                                                \
      mask_write(wave, inst->dst, compare_##name(wave, inst));                      \
      return SETTLE(wave, inst);                                                    \
   }                                                                                \
   static enum isa_result v_cmpx_##name(struct wave *wave, const struct inst *inst) \
   {                                                                                \
      mask_write(wave, SREG_EXEC_LO, compare_##name(wave, inst));                   \
      return SETTLE(wave, inst);                                                    \
   }

#define VOP1(opcode, name, dt, at, flags, ...) LANE_FUNCTION(name, dt, at, NONE, NONE, flags, __VA_ARGS__)
#define VOP1_WHOLE(...)
#include "isa/vop1.inc"
#undef VOP1
#undef VOP1_WHOLE

#define VOP2(opcode, name, dt, at, bt, ct, flags, ...) LANE_FUNCTION(name, dt, at, bt, ct, flags, __VA_ARGS__)
#define VOP2_CARRY(opcode, name, dt, at, bt, ct, flags, ...) CARRY_FUNCTION(name, dt, at, bt, ct, __VA_ARGS__)
#include "isa/vop2.inc"
#undef VOP2
#undef VOP2_CARRY

#define VOPC(opcode, name, at, bt, flags, condition) COMPARE_FUNCTIONS(name, at, bt, (condition))
#define VOPC_CLASS(opcode, name, at, bt, raw, condition) COMPARE_FUNCTIONS(name, raw, U32, (condition))
#include "isa/vopc.inc"
#undef VOPC
#undef VOPC_CLASS

#define VOP3(opcode, name, dt, at, bt, ct, flags, ...) LANE_FUNCTION(name, dt, at, bt, ct, flags, __VA_ARGS__)
#define VOP3_CARRY(opcode, name, dt, at, bt, ct, flags, ...) CARRY_FUNCTION(name, dt, at, bt, ct, __VA_ARGS__)
#define VOP3_WHOLE(...)
#include "isa/vop3.inc"
#undef VOP3
#undef VOP3_CARRY
#undef VOP3_WHOLE

/* Sources of v_fma_mix: a float, or a half of the register. */
static inline float
mix_source(const struct inst *inst, uint32_t mode, unsigned n, uint32_t bits)
{
   float value = as_float(bits);
   if (inst->op_sel_hi >> n & 1) {
      uint32_t half = inst->op_sel >> n & 1 ? bits >> 16 : bits & 0xffff;
      value = from_half((uint16_t)(mode & MODE_DENORM_IN_WIDE ? half : flush_half(half)));
   }
   if (inst->abs >> n & 1)
      value = fabsf(value);
   return inst->neg >> n & 1 ? -value : value;
}

#define VOP3P(opcode, name, dt, at, bt, ct, flags, ...) LANE_FUNCTION(name, dt, at, bt, ct, flags, __VA_ARGS__)
#define VOP3P_MIX(opcode, name, dt, flags, ...)                                              \
   static enum isa_result name(struct wave *wave, const struct inst *inst)                   \
   {                                                                                         \
      OPERANDS(dt, B32, B32, B32, 0);                                                        \
      EACH_LANE                                                                              \
      {                                                                                      \
         float A = mix_source(inst, mode, 0, lo0[l]);                                        \
         float B = mix_source(inst, mode, 1, lo1[l]), C = mix_source(inst, mode, 2, lo2[l]); \
         C_##dt D;                                                                           \
         WATCH(B32, B32, B32);                                                               \
         __VA_ARGS__;                                                                        \
         RAISE(#name, dt, F32, F32, F32);                                                    \
         STORE_##dt(D);                                                                      \
      }                                                                                      \
      end(&o, wave, inst, TYPE_##dt, wide_floats, op_flags);                                 \
      return SETTLE(wave, inst);                                                             \
   }
#define VOP3P_WHOLE(...)
#include "isa/vop3p.inc"
#undef VOP3P
#undef VOP3P_MIX
#undef VOP3P_WHOLE

#include "isa/vector_dual.h"
#include "isa/vector_matrix.h"
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
#include "isa/vop3.inc"
      },
   .vop3p =
      {
#define VOP3P(opcode, name, ...) [opcode] = name,
#define VOP3P_MIX VOP3P
#define VOP3P_WHOLE VOP3P
#include "isa/vop3p.inc"
      },
   .vopd = execute_vopd,
};
