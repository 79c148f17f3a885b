/* SPDX-License-Identifier: MIT */
/*
 * Traps (RDNA3 ISA guide, chapters 3.4.9 and 4; the Linux kernel's handler for what it finds at entry).
 *
 * Entry writes the pc to TTMP0 and TTMP1 15:0, the number of the s_trap to TTMP1 23:16 and the host trap flag to bit
 * 24, sets PRIV and goes to TBA. Everything else is the program's own state, live. The saved pc is the s_trap itself,
 * and the next instruction for every other cause; what happened is in TRAPSTS.
 */
#include "sq/sq.h"

#include <inttypes.h>
#include <stdio.h>

#include "cp/registers.h"
#include "sq/interpret.h"
#include "vm/vm.h"

static uint64_t
banked_address(const struct wave *wave, uint32_t low)
{
   uint32_t vmid = wave->vm->vmid;
   uint64_t units =
      registers_get_vmid(wave->gpu, vmid, low) | (uint64_t)(registers_get_vmid(wave->gpu, vmid, low + 4) & 0xff) << 32;
   return (uint64_t)((int64_t)(units << 8 << 16) >> 16);
}

uint64_t
sq_trap_base(const struct wave *wave)
{
   return banked_address(wave, REG_SQ_SHADER_TBA_LO);
}

uint64_t
sq_trap_memory(const struct wave *wave)
{
   return banked_address(wave, REG_SQ_SHADER_TMA_LO);
}

bool
sq_trap_installed(const struct wave *wave)
{
   return registers_get_vmid(wave->gpu, wave->vm->vmid, REG_SQ_SHADER_TBA_HI) & TBA_HI_TRAP_EN;
}

static bool
can_enter(const struct wave *wave)
{
   return !wave->priv && wave->status & STATUS_TRAP_EN && sq_trap_installed(wave);
}

static void
enter(struct sq_wave *sq_wave, uint32_t trap_id)
{
   struct wave *wave = &sq_wave->wave;
   wave->sreg[SREG_TTMP0] = wave->pc;
   wave->sreg[SREG_TTMP0 + 1] = (wave->pc >> 32 & 0xffff) | trap_id << 16 | (wave->host_trap ? 1u << 24 : 0);
   if (wave->host_trap)
      wave->trapsts |= TRAPSTS_HOST_TRAP;
   wave->host_trap = false;
   wave->priv = true;
   wave->pc = sq_trap_base(wave);
   struct sq *sq = wave->gpu->sq;
   if (sq->trap_observer)
      sq->trap_observer(sq->trap_observer_user, wave, true);
}

void
sq_take_pending_traps(struct sq_wave *sq_wave)
{
   struct wave *wave = &sq_wave->wave;
   bool step_done = sq_wave->step_trap && !sq_wave->in_barrier && wave->mode & MODE_TRAP_AFTER_INST;
   if (!(sq_wave->start_trap || wave->host_trap || step_done) || wave->priv)
      return;
   if (!can_enter(wave)) {
      /* Without a handler exceptions and host traps are ignored. */
      sq_wave->start_trap = false;
      wave->host_trap = false;
      if (step_done)
         sq_wave->step_trap = false;
      return;
   }
   if (sq_wave->start_trap)
      wave->trapsts |= TRAPSTS_WAVE_START;
   sq_wave->start_trap = false;
   if (step_done) {
      wave->trapsts |= TRAPSTS_TRAP_AFTER_INST;
      sq_wave->step_trap = false;
   }
   enter(sq_wave, 0);
}

void
sq_trap_step(struct sq_wave *sq_wave)
{
   struct wave *wave = &sq_wave->wave;
   if (!can_enter(wave))
      return;
   wave->trapsts |= TRAPSTS_TRAP_AFTER_INST;
   enter(sq_wave, 0);
}

bool
sq_trap_wave_end(struct sq_wave *sq_wave)
{
   struct wave *wave = &sq_wave->wave;
   if (!(wave->mode & MODE_WAVE_END) || !can_enter(wave))
      return false;
   /* The handler returns to the s_endpgm, which then ends the wave. */
   wave->pc -= 4;
   wave->mode &= ~MODE_WAVE_END;
   wave->trapsts |= TRAPSTS_WAVE_END;
   enter(sq_wave, 0);
   return true;
}

/* ---- without a handler ---- */

/* The instruction itself, through the page tables. */
static void
describe_instruction(const struct wave *wave, uint64_t pc, char *text, size_t size)
{
   uint8_t code[20];
   size_t have = sizeof(code);
   while (have && vm_copy_from(wave->vm, pc, code, have))
      have -= 4;
   isa_describe(code, have, wave->wave64, text, size);
}

static void
describe(const struct sq_wave *sq_wave, struct vgpu_fault *fault)
{
   const struct wave *wave = &sq_wave->wave;
   const struct sq_dispatch *dispatch = &sq_wave->queue->dispatch;
   char what[120];
   switch (fault->kind) {
   case VGPU_FAULT_MEMORY:
      snprintf(what, sizeof(what), "memory fault: %s 0x%" PRIx64,
               wave->fault.execute ? "instruction fetch from"
               : fault->write      ? "write to"
                                   : "read from",
               fault->va);
      break;
   case VGPU_FAULT_DEALLOCATED_VGPR:
      snprintf(what, sizeof(what), "access to a VGPR after MSG_DEALLOC_VGPRS");
      break;
   default: {
      char name[96];
      describe_instruction(wave, fault->pc, name, sizeof(name));
      snprintf(what, sizeof(what), "illegal instruction: %s", name);
      break;
   }
   }
   snprintf(fault->text, sizeof(fault->text),
            "%s, at pc 0x%" PRIx64 " (shader at 0x%" PRIx64 " %s 0x%" PRIx64
            "), dispatch %u of the job, workgroup (%u,%u,%u), wave %u%s",
            what, fault->pc, dispatch->pc, fault->pc >= dispatch->pc ? "+" : "-",
            fault->pc >= dispatch->pc ? fault->pc - dispatch->pc : dispatch->pc - fault->pc, dispatch->ordinal,
            wave->workgroup->id[0], wave->workgroup->id[1], wave->workgroup->id[2], wave->index,
            wave->priv ? ", in the trap handler" : "");
}

/* The first fault of a job is the one that is told. */
static void
note_fault(struct sq_wave *wave, enum vgpu_fault_kind kind)
{
   struct sq_queue *queue = wave->queue;
   if (queue->fault.kind != VGPU_FAULT_NONE)
      return;
   queue->fault = (struct vgpu_fault){
      .kind = kind,
      .va = kind == VGPU_FAULT_MEMORY ? wave->wave.fault.va : 0,
      .pc = wave->wave.fault.pc,
      .write = kind == VGPU_FAULT_MEMORY && wave->wave.fault.write,
   };
   describe(wave, &queue->fault);
}

static enum vgpu_fault_kind
fault_kind(const struct wave *wave)
{
   if (wave->fault.deallocated_vgpr)
      return VGPU_FAULT_DEALLOCATED_VGPR;
   return wave->fault.cause == TRAPSTS_MEM_VIOL ? VGPU_FAULT_MEMORY : VGPU_FAULT_ILLEGAL_INSTRUCTION;
}

void
sq_trap(struct sq_wave *sq_wave, bool stepped)
{
   struct wave *wave = &sq_wave->wave;
   if (!wave->fault.cause) {
      if (can_enter(wave))
         enter(sq_wave, wave->trap_id);
      else
         wave->pc += 4; /* the handler was taken away while the wave ran: a no-op, as without TRAP_EN */
      return;
   }

   if (wave->fault.cause & (TRAPSTS_ARITHMETIC | TRAPSTS_ADDR_WATCH)) {
      if (!can_enter(wave))
         return; /* as above */
      if (stepped)
         wave->trapsts |= TRAPSTS_TRAP_AFTER_INST;
      enter(sq_wave, 0);
      return;
   }

   enum vgpu_fault_kind kind = fault_kind(wave);
   if (kind == VGPU_FAULT_MEMORY) {
      uint32_t access = wave->fault.execute ? VM_EXECUTE : wave->fault.write ? VM_WRITE : VM_READ;
      registers_report_fault(wave->gpu, wave->vm, wave->fault.va, access);
      /* Whatever a handler makes of it: the kernel hears of page faults, and the job has failed. */
      note_fault(sq_wave, kind);
   }
   if (!can_enter(wave)) {
      note_fault(sq_wave, kind);
      sq_wave->queue->faulted = true;
      return;
   }
   if (stepped)
      wave->trapsts |= TRAPSTS_TRAP_AFTER_INST;
   enter(sq_wave, 0);
}
