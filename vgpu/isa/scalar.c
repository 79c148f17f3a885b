/* SPDX-License-Identifier: MIT */
/* Scalar arithmetic: SOP1, SOP2, SOPC and SOPK, whose semantics stand in their tables. */
#include "isa/access.h"
#include "isa/scalar.h"
#include "isa/table.h"

/* C types of operand types, and how to get at them. */
#define C_B32 uint32_t
#define C_U32 uint32_t
#define C_I32 int32_t
#define C_B64 uint64_t
#define C_U64 uint64_t
#define C_I64 int64_t
#define READ_B32(n) source32(wave, inst, n)
#define READ_U32(n) source32(wave, inst, n)
#define READ_I32(n) (int32_t) source32(wave, inst, n)
#define READ_B64(n) source64(wave, inst, n)
#define READ_U64(n) source64(wave, inst, n)
#define READ_I64(n) (int64_t) source64(wave, inst, n)
#define OLD_B32 sreg_read(wave, inst->dst)
#define OLD_U32 sreg_read(wave, inst->dst)
#define OLD_I32 (int32_t) sreg_read(wave, inst->dst)
#define OLD_B64 sreg_read64(wave, inst->dst)
#define WRITE_B32 sreg_write
#define WRITE_U32 sreg_write
#define WRITE_I32 sreg_write
#define WRITE_B64 sreg_write64
#define WRITE_U64 sreg_write64
#define WRITE_I64 sreg_write64

#define SCC wave->scc
#define IMM inst->offset
#define UIMM (uint32_t)(uint16_t) inst->offset

/* A write to a TTMP outside of the trap handler is dropped, and SCC stays (RDNA3 ISA guide, 3.4.9). */
#define DROPPED (is_ttmp(inst->dst) && !wave->priv)

static uint64_t
bit_field_unsigned(uint64_t value, unsigned offset, unsigned width, unsigned bits)
{
   value >>= offset;
   return width >= bits ? value : value & ((UINT64_C(1) << width) - 1);
}

/* The field beyond the operand's top counts as zeros: it is cut out first, then its own top bit is extended. */
static int64_t
bit_field_signed(uint64_t value, unsigned offset, unsigned width, unsigned bits)
{
   if (!width)
      return 0;
   int64_t extended = bits == 32 ? (int32_t)value : (int64_t)value;
   extended >>= offset;
   return width >= 64 ? extended : (int64_t)((uint64_t)extended << (64 - width)) >> (64 - width);
}

static uint32_t
reverse_bits32(uint32_t value)
{
   value = (value & 0x55555555) << 1 | (value >> 1 & 0x55555555);
   value = (value & 0x33333333) << 2 | (value >> 2 & 0x33333333);
   value = (value & 0x0f0f0f0f) << 4 | (value >> 4 & 0x0f0f0f0f);
   return __builtin_bswap32(value);
}

static uint64_t
replicate_bits(uint32_t value)
{
   uint64_t result = 0;
   for (unsigned i = 0; i < 32; i++)
      result |= (uint64_t)(value >> i & 1) * 3 << (i * 2);
   return result;
}

/* A bit for each group of four that has any set. */
static uint64_t
quad_mask(uint64_t value)
{
   uint64_t result = 0;
   for (unsigned i = 0; i < 16; i++)
      result |= (uint64_t)((value >> (i * 4) & 15) != 0) << i;
   return result;
}

static uint64_t
whole_quads(uint64_t value)
{
   uint64_t result = 0;
   for (unsigned i = 0; i < 16; i++)
      result |= (value >> (i * 4) & 15 ? UINT64_C(15) : 0) << (i * 4);
   return result;
}

#define SOP2(opcode, name, dt, at, bt, ...)                                \
   static enum isa_result name(struct wave *wave, const struct inst *inst) \
   {                                                                       \
      if (DROPPED)                                                         \
         return ISA_NEXT;                                                  \
      C_##at A = READ_##at(0);                                             \
      C_##bt B = READ_##bt(1);                                             \
      C_##dt D;                                                            \
      __VA_ARGS__;                                                         \
      WRITE_##dt(wave, inst->dst, D);                                      \
      return ISA_NEXT;                                                     \
   }
#include "isa/sop2.inc"
#undef SOP2

#define SOP1(opcode, name, dt, at, ...)                                    \
   static enum isa_result name(struct wave *wave, const struct inst *inst) \
   {                                                                       \
      if (DROPPED)                                                         \
         return ISA_NEXT;                                                  \
      C_##at A = READ_##at(0);                                             \
      C_##dt D = OLD_##dt;                                                 \
      __VA_ARGS__;                                                         \
      WRITE_##dt(wave, inst->dst, D);                                      \
      return ISA_NEXT;                                                     \
   }
#define EXEC_B32 wave->sreg[SREG_EXEC_LO]
#define EXEC_B64 wave_exec(wave)
#define SOP1_EXEC(opcode, name, type, expression)                           \
   static enum isa_result name(struct wave *wave, const struct inst *inst)  \
   {                                                                        \
      C_##type A = READ_##type(0), EXEC = EXEC_##type, result = expression; \
      WRITE_##type(wave, inst->dst, EXEC);                                  \
      WRITE_##type(wave, SREG_EXEC_LO, result);                             \
      SCC = result != 0;                                                    \
      return ISA_NEXT;                                                      \
   }
#define SOP1_WREXEC(opcode, name, type, expression)                         \
   static enum isa_result name(struct wave *wave, const struct inst *inst)  \
   {                                                                        \
      C_##type A = READ_##type(0), EXEC = EXEC_##type, result = expression; \
      WRITE_##type(wave, inst->dst, result);                                \
      WRITE_##type(wave, SREG_EXEC_LO, result);                             \
      SCC = result != 0;                                                    \
      return ISA_NEXT;                                                      \
   }
#define SOP1_CONTROL(...)
#include "isa/sop1.inc"
#undef SOP1
#undef SOP1_EXEC
#undef SOP1_WREXEC
#undef SOP1_CONTROL

#define SOPC(opcode, name, at, bt, condition)                              \
   static enum isa_result name(struct wave *wave, const struct inst *inst) \
   {                                                                       \
      C_##at A = READ_##at(0);                                             \
      C_##bt B = READ_##bt(1);                                             \
      SCC = condition;                                                     \
      return ISA_NEXT;                                                     \
   }
#include "isa/sopc.inc"
#undef SOPC

#define SOPK(opcode, name, dt, ...)                                        \
   static enum isa_result name(struct wave *wave, const struct inst *inst) \
   {                                                                       \
      if (DROPPED)                                                         \
         return ISA_NEXT;                                                  \
      C_##dt D = OLD_##dt;                                                 \
      __VA_ARGS__;                                                         \
      WRITE_##dt(wave, inst->dst, D);                                      \
      return ISA_NEXT;                                                     \
   }
#define SOPK_COMPARE(opcode, name, dt, condition)                          \
   static enum isa_result name(struct wave *wave, const struct inst *inst) \
   {                                                                       \
      C_##dt D = OLD_##dt;                                                 \
      SCC = condition;                                                     \
      return ISA_NEXT;                                                     \
   }
#define SOPK_CONTROL(opcode, name, dt)
#include "isa/sopk.inc"
#undef SOPK
#undef SOPK_COMPARE
#undef SOPK_CONTROL

const isa_execute_fn execute_sop2[ISA_SOP2_OPS] = {
#define SOP2(opcode, name, ...) [opcode] = name,
#include "isa/sop2.inc"
};

const isa_execute_fn execute_sop1[ISA_SOP1_OPS] = {
#define SOP1(opcode, name, ...) [opcode] = name,
#define SOP1_EXEC SOP1
#define SOP1_WREXEC SOP1
#define SOP1_CONTROL(opcode, name, ...) [opcode] = execute_##name,
#include "isa/sop1.inc"
};

const isa_execute_fn execute_sopc[ISA_SOPC_OPS] = {
#define SOPC(opcode, name, ...) [opcode] = name,
#include "isa/sopc.inc"
};

const isa_execute_fn execute_sopk[ISA_SOPK_OPS] = {
#define SOPK(opcode, name, ...) [opcode] = name,
#define SOPK_COMPARE SOPK
#define SOPK_CONTROL(opcode, name, ...) [opcode] = execute_##name,
#include "isa/sopk.inc"
};
