/* SPDX-License-Identifier: MIT */
#include <x86intrin.h>

#include "cp/ring.h"
#include "gpu.h"
#include "isa/access.h"
#include "isa/hwreg.h"
#include "isa/watch.h"
#include "sq/icache.h"
#include "sq/interpret.h"
#include "stats.h"

static enum isa_result
fetch_fault(struct wave *wave, uint64_t va)
{
   wave->fault.va = va;
   wave->fault.pc = wave->pc;
   wave->fault.write = false;
   wave->fault.execute = true;
   wave->fault.deallocated_vgpr = false;
   wave->trap_id = 0;
   wave->trapsts |= TRAPSTS_MEM_VIOL;
   wave->fault.cause = TRAPSTS_MEM_VIOL;
   return ISA_TRAP;
}

static enum isa_result
deallocated_vgpr(struct wave *wave, const struct inst *inst)
{
   wave->fault.deallocated_vgpr = true;
   return isa_raise(wave, inst, TRAPSTS_ILLEGAL_INST);
}

/* The decoded instruction at the wave's pc, or NULL with the fault recorded. */
static const struct inst *
decoded(struct wave *wave, struct icache *icache, struct icache_line **line)
{
   uint64_t pc = wave->pc;
   const bool exceptions = wave_counts_exceptions(wave, wave->mode);
   struct icache_line *here = icache_line(icache, wave->vm, wave->wave64, exceptions, pc);
   if (!here) {
      *line = NULL;
      fetch_fault(wave, pc);
      return NULL;
   }
   struct inst *inst = &here->inst[(pc - here->va) / 4];
   if (!inst->execute) {
      struct inst fresh;
      int result = icache_decode(icache, here, pc, &fresh);
      /* Fetching the rest of it may have thrown out the line. */
      here = icache_line(icache, wave->vm, wave->wave64, exceptions, pc);
      if (!here || result == -ENODATA) {
         *line = NULL;
         fetch_fault(wave, here ? here->va + ICACHE_LINE_SIZE : pc);
         return NULL;
      }
      inst = &here->inst[(pc - here->va) / 4];
      *inst = fresh;
   }
   *line = here;
   return inst;
}

/* Expanded for each of its users: `stats` NULL and `watched` false leave no trace of them. */
static __attribute__((always_inline)) inline enum isa_result
run(struct wave *wave, struct icache *icache, uint32_t *budget, struct stats_waves *stats, bool watched)
{
   const bool check_vgprs = (wave->status & STATUS_NO_VGPRS) && (wave->gpu->options.flags & VGPU_CHECK_DEALLOC);
   struct icache_line *line = NULL;
   enum isa_result result = ISA_NEXT;
   uint32_t left = *budget;

   while (left) {
      const struct inst *inst;
      uint64_t offset = line ? wave->pc - line->va : ICACHE_LINE_SIZE;
      /* An empty vm: the line was invalidated by this wave. */
      if (offset < ICACHE_LINE_SIZE && line->inst[offset / 4].execute && line->vm) {
         inst = &line->inst[offset / 4];
      } else {
         inst = decoded(wave, icache, &line);
         if (!inst) {
            result = ISA_TRAP;
            break;
         }
      }
      left--;
      if (__builtin_expect(check_vgprs && (inst->flags & INST_VGPR), 0)) {
         result = deallocated_vgpr(wave, inst);
         break;
      }
      if (stats)
         stats->instructions[stats_family_of(inst)]++;
      unsigned size = inst->size;
      result = inst->execute(wave, inst);
      if (watched && wave->watch_hits)
         result = watch_raise(wave, inst, result);
      if (__builtin_expect(result == ISA_NEXT, 1)) {
         wave->pc += size;
      } else if (result != ISA_JUMP) {
         if (result == ISA_LEAVE)
            result = ISA_NEXT;
         else if (result != ISA_TRAP)
            wave->pc += size;
         break;
      }
   }
   *budget = left;
   return left || result != ISA_JUMP ? result : ISA_NEXT;
}

static __attribute__((noinline)) enum isa_result
run_watched(struct wave *wave, struct icache *icache, uint32_t *budget)
{
   return run(wave, icache, budget, wave->stats, true);
}

/* What enters or leaves the trap handler leaves the loop, too. */
static __attribute__((noinline)) enum isa_result
run_counted(struct wave *wave, struct icache *icache, uint32_t *budget)
{
   struct stats *stats = wave->gpu->stats;
   wave->stats = wave->priv ? &stats->handler : &stats->program;
   uint64_t begin = vgpu_running_ns(wave->gpu);
   enum isa_result result =
      wave->watched ? run_watched(wave, icache, budget) : run(wave, icache, budget, wave->stats, false);
   wave->stats->ns += vgpu_running_ns(wave->gpu) - begin;
   wave->stats = NULL;
   return result;
}

enum isa_result
wave_interpret(struct wave *wave, struct icache *icache, uint32_t *budget)
{
   unsigned host_mxcsr = _mm_getcsr();
   _mm_setcsr(mxcsr_of_mode(wave->mode, false));
   wave->icache = icache;
   wave->watched = atomic_load_explicit(&wave->gpu->watched_vmids, memory_order_relaxed) >> wave->vm->vmid & 1;
   enum isa_result result = wave->gpu->stats ? run_counted(wave, icache, budget)
                            : wave->watched  ? run_watched(wave, icache, budget)
                                             : run(wave, icache, budget, NULL, false);
   wave->icache = NULL;
   _mm_setcsr(host_mxcsr);
   return result;
}
