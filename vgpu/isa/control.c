/* SPDX-License-Identifier: MIT */
/* Control flow, waits and traps (RDNA3 ISA guide, chapter 4). */
#include "isa/access.h"
#include "isa/pending.h"
#include "isa/scalar.h"
#include "isa/table.h"
#include "sq/interpret.h"

enum isa_result
isa_raise(struct wave *wave, const struct inst *inst, uint32_t cause)
{
   wave->trapsts |= cause;
   wave->fault.cause = cause;
   wave->fault.pc = wave->pc;
   wave->trap_id = 0;
   wave->pc += inst->size;
   return ISA_TRAP;
}

enum isa_result
isa_raise_memory(struct wave *wave, const struct inst *inst, uint64_t va, bool write)
{
   wave->fault.va = va;
   wave->fault.write = write;
   wave->fault.execute = false;
   wave->fault.deallocated_vgpr = false;
   return isa_raise(wave, inst, TRAPSTS_MEM_VIOL);
}

enum isa_result
isa_illegal(struct wave *wave, const struct inst *inst)
{
   return isa_raise(wave, inst, TRAPSTS_ILLEGAL_INST);
}

static uint64_t
canonical(uint64_t va)
{
   return (uint64_t)((int64_t)(va << 16) >> 16);
}

static enum isa_result
jump(struct wave *wave, uint64_t pc)
{
   wave->pc = canonical(pc) & ~UINT64_C(3);
   return ISA_JUMP;
}

/* simm16 counts dwords from the following instruction. */
static enum isa_result
branch(struct wave *wave, const struct inst *inst, bool taken)
{
   return taken ? jump(wave, wave->pc + inst->size + (int64_t)inst->offset * 4) : ISA_NEXT;
}

#define SOPP(...)
#define SOPP_HINT(...)
#define SOPP_BRANCH(opcode, name, condition)                               \
   static enum isa_result name(struct wave *wave, const struct inst *inst) \
   {                                                                       \
      return branch(wave, inst, condition);                                \
   }
#define SOPP_NAME(...)
#include "isa/sopp.inc"
#undef SOPP
#undef SOPP_HINT
#undef SOPP_BRANCH
#undef SOPP_NAME

static enum isa_result
nothing(struct wave *wave, const struct inst *inst)
{
   return ISA_NEXT;
}

enum isa_result
execute_s_version(struct wave *wave, const struct inst *inst)
{
   return ISA_NEXT;
}

enum isa_result
execute_s_call_b64(struct wave *wave, const struct inst *inst)
{
   sreg_write64(wave, inst->dst, wave->pc + inst->size);
   return branch(wave, inst, true);
}

enum isa_result
execute_s_getpc_b64(struct wave *wave, const struct inst *inst)
{
   sreg_write64(wave, inst->dst, wave->pc + inst->size);
   return ISA_NEXT;
}

enum isa_result
execute_s_setpc_b64(struct wave *wave, const struct inst *inst)
{
   return jump(wave, source64(wave, inst, 0));
}

enum isa_result
execute_s_swappc_b64(struct wave *wave, const struct inst *inst)
{
   uint64_t target = source64(wave, inst, 0);
   sreg_write64(wave, inst->dst, wave->pc + inst->size);
   return jump(wave, target);
}

/* Outside of the trap handler it is no instruction that a program may use. */
enum isa_result
execute_s_rfe_b64(struct wave *wave, const struct inst *inst)
{
   if (!wave->priv)
      return isa_illegal(wave, inst);
   jump(wave, source64(wave, inst, 0));
   wave->priv = false;
   return ISA_LEAVE;
}

/* A no-op without a handler, and in the handler (RDNA3 ISA guide, 4.2). */
enum isa_result
execute_s_trap(struct wave *wave, const struct inst *inst)
{
   if (wave->priv || !(wave->status & STATUS_TRAP_EN))
      return ISA_NEXT;
   wave->trap_id = (uint8_t)inst->offset;
   return ISA_TRAP;
}

/* Runs the body of a loop for the lower half of a wave of 64, then for the upper; halves that are off are left out. The
 * SGPR keeps the half of EXEC that waits (RDNA2 ISA guide, 12.2). */
enum isa_result
execute_s_subvector_loop_begin(struct wave *wave, const struct inst *inst)
{
   uint32_t low = wave->sreg[SREG_EXEC_LO], high = wave->sreg[SREG_EXEC_HI];
   if (!(low | high))
      return branch(wave, inst, true);
   sreg_write(wave, inst->dst, low ? high : low);
   if (low)
      sreg_write(wave, SREG_EXEC_HI, 0);
   return ISA_NEXT;
}

enum isa_result
execute_s_subvector_loop_end(struct wave *wave, const struct inst *inst)
{
   uint32_t waiting = sreg_read(wave, inst->dst);
   if (wave->sreg[SREG_EXEC_HI]) {
      sreg_write(wave, SREG_EXEC_LO, waiting);
      return ISA_NEXT;
   }
   if (!waiting)
      return ISA_NEXT;
   sreg_write(wave, SREG_EXEC_HI, waiting);
   sreg_write(wave, inst->dst, wave->sreg[SREG_EXEC_LO]);
   sreg_write(wave, SREG_EXEC_LO, 0);
   return branch(wave, inst, true);
}

/* Pixels are not killed on a wave that has none. */
enum isa_result
execute_s_setkill(struct wave *wave, const struct inst *inst)
{
   return ISA_NEXT;
}

/* HALT, bit 0; bit 2 chooses FATAL_HALT, which stops the trap handler as well. */
enum isa_result
execute_s_sethalt(struct wave *wave, const struct inst *inst)
{
   uint32_t bit = inst->offset & 4 ? STATUS_FATAL_HALT : STATUS_HALT;
   if (!(inst->offset & 1)) {
      wave->status &= ~bit;
      return ISA_NEXT;
   }
   wave->status |= bit;
   return ISA_HALT;
}

enum isa_result
execute_s_sleep(struct wave *wave, const struct inst *inst)
{
   wave->sleep_clocks = (inst->offset & 0x7f) * 64;
   return ISA_SLEEP;
}

enum isa_result
execute_s_barrier(struct wave *wave, const struct inst *inst)
{
   return ISA_BARRIER;
}

enum isa_result
execute_s_endpgm(struct wave *wave, const struct inst *inst)
{
   wave_drain(wave);
   return ISA_END;
}

enum isa_result
execute_s_endpgm_saved(struct wave *wave, const struct inst *inst)
{
   return execute_s_endpgm(wave, inst);
}

enum isa_result
execute_s_icache_inv(struct wave *wave, const struct inst *inst)
{
   icache_invalidate(wave->icache);
   return ISA_NEXT;
}

/* EXPcnt 2:0, LGKMcnt 9:4, VMcnt 15:10 (RDNA3 ISA guide, 16.5). */
enum isa_result
execute_s_waitcnt(struct wave *wave, const struct inst *inst)
{
   unsigned imm = (uint16_t)inst->offset;
   wave_wait(wave, imm >> 10 & 63, imm >> 4 & 63, ~0u);
   return ISA_NEXT;
}

enum isa_result
execute_s_wait_idle(struct wave *wave, const struct inst *inst)
{
   wave_wait(wave, 0, 0, 0);
   return ISA_NEXT;
}

/* The SGPR of these, NULL in practice, is added to the immediate. */
static unsigned
wait_count(const struct wave *wave, const struct inst *inst)
{
   return sreg_read(wave, inst->dst) + (uint16_t)inst->offset;
}

enum isa_result
execute_s_waitcnt_vscnt(struct wave *wave, const struct inst *inst)
{
   wave_wait(wave, ~0u, ~0u, wait_count(wave, inst));
   return ISA_NEXT;
}

enum isa_result
execute_s_waitcnt_vmcnt(struct wave *wave, const struct inst *inst)
{
   wave_wait(wave, wait_count(wave, inst), ~0u, ~0u);
   return ISA_NEXT;
}

enum isa_result
execute_s_waitcnt_lgkmcnt(struct wave *wave, const struct inst *inst)
{
   wave_wait(wave, ~0u, wait_count(wave, inst), ~0u);
   return ISA_NEXT;
}

/* Exports are done at once. */
enum isa_result
execute_s_waitcnt_expcnt(struct wave *wave, const struct inst *inst)
{
   return ISA_NEXT;
}

/* Registers chosen by M0: sources or destinations beyond the last SGPR read 0 and are dropped. */
static uint32_t
indexed_read(const struct wave *wave, unsigned selector)
{
   return selector < SREG_SGPR_COUNT ? wave->sreg[selector] : 0;
}

static void
indexed_write(struct wave *wave, unsigned selector, uint32_t value)
{
   if (selector < SREG_SGPR_COUNT)
      wave->sreg[selector] = value;
}

enum isa_result
execute_s_movrels_b32(struct wave *wave, const struct inst *inst)
{
   sreg_write(wave, inst->dst, indexed_read(wave, inst->src[0] + wave->sreg[SREG_M0]));
   return ISA_NEXT;
}

enum isa_result
execute_s_movrels_b64(struct wave *wave, const struct inst *inst)
{
   unsigned source = inst->src[0] + wave->sreg[SREG_M0];
   sreg_write64(wave, inst->dst, indexed_read(wave, source) | (uint64_t)indexed_read(wave, source + 1) << 32);
   return ISA_NEXT;
}

enum isa_result
execute_s_movreld_b32(struct wave *wave, const struct inst *inst)
{
   indexed_write(wave, inst->dst + wave->sreg[SREG_M0], source32(wave, inst, 0));
   return ISA_NEXT;
}

enum isa_result
execute_s_movreld_b64(struct wave *wave, const struct inst *inst)
{
   uint64_t value = source64(wave, inst, 0);
   indexed_write(wave, inst->dst + wave->sreg[SREG_M0], (uint32_t)value);
   indexed_write(wave, inst->dst + wave->sreg[SREG_M0] + 1, (uint32_t)(value >> 32));
   return ISA_NEXT;
}

enum isa_result
execute_s_movrelsd_2_b32(struct wave *wave, const struct inst *inst)
{
   uint32_t m0 = wave->sreg[SREG_M0];
   indexed_write(wave, inst->dst + (m0 >> 16 & 0x3ff), indexed_read(wave, inst->src[0] + (m0 & 0x3ff)));
   return ISA_NEXT;
}

/* src_shared_base and the like are the upper half of a 64-bit address, its lower half being 0; read as 32 bits they
 * are that upper half (RDNA3 ISA guide, 15.2). */
uint64_t
special_source(const struct wave *wave, unsigned selector, bool wide)
{
   uint32_t bases = wave->sh_mem_bases, value = 0;
   switch (selector) {
   case SRC_SHARED_BASE:
      value = bases & 0xffff0000;
      break;
   case SRC_SHARED_LIMIT:
      value = bases & 0xffff0000;
      return wide ? (uint64_t)value << 32 | 0xffffffff : value;
   case SRC_PRIVATE_BASE:
      value = bases << 16;
      break;
   case SRC_PRIVATE_LIMIT:
      value = bases << 16;
      return wide ? (uint64_t)value << 32 | 0xffffffff : value;
   case SRC_VCCZ:
      return wave_vccz(wave);
   case SRC_EXECZ:
      return wave_execz(wave);
   case SRC_SCC:
      return wave->scc;
   default: /* POPS and LDS direct belong to pixel waves */
      return 0;
   }
   return wide ? (uint64_t)value << 32 : value;
}

const isa_execute_fn execute_sopp[ISA_SOPP_OPS] = {
#define SOPP(opcode, name, flags) [opcode] = execute_##name,
#define SOPP_HINT(opcode, name, flags) [opcode] = nothing,
#define SOPP_BRANCH(opcode, name, condition) [opcode] = name,
#define SOPP_NAME(...)
#include "isa/sopp.inc"
};
