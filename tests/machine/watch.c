/* SPDX-License-Identifier: MIT */
#include "watch.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "isa/pending.h"
#include "sq/interpret.h"
#include "sq/sq.h"
#include "stop/private.h"
#include "target/registers.h"
#include "wave/slot.h"

/* The state that a program can see, with loads under way landed. */
struct snapshot {
   uint64_t pc;
   uint32_t sreg[SREG_COUNT];
   uint32_t scc, mode, status, trapsts, hw_id1, hw_id2;
   uint32_t wave_size, vgpr_count, index, workgroup[3];
   uint64_t scratch_base;
   uint32_t vgpr[256][64];
};

/* Displaced instructions: a wave on its way through one traps where no stop is to be. */
static bool
is_displaced(const struct watch *watch, uint64_t pc)
{
   return pc - watch->machine->trap.displaced.va < DISPLACED_SIZE * DISPLACED_CAPACITY;
}

void
watch_report(struct watch *watch, uint64_t *counter, const char *format, ...)
{
   va_list list;
   va_start(list, format);
   pthread_mutex_lock(&watch->lock);
   ++*counter;
   if (!watch->result->first[0])
      vsnprintf(watch->result->first, sizeof(watch->result->first), format, list);
   pthread_mutex_unlock(&watch->lock);
   va_end(list);
}

static void
take_snapshot(struct snapshot *snapshot, const struct wave *wave, uint64_t pc)
{
   struct wave copy = *wave;
   if (!(wave->status & STATUS_NO_VGPRS))
      memcpy(snapshot->vgpr, wave->vgpr, wave->vgpr_count * sizeof(*wave->vgpr));
   copy.vgpr = snapshot->vgpr;
   copy.pending = pending_copy(wave->pending);
   wave_drain(&copy);
   memcpy(snapshot->sreg, copy.sreg, sizeof(copy.sreg));
   snapshot->pc = hdb_canonical(pc);
   snapshot->scc = wave->scc;
   snapshot->mode = wave->mode & ~MODE_TRAP_AFTER_INST;
   snapshot->status = wave->status & ~STATUS_IN_BARRIER; /* others may arrive meanwhile */
   snapshot->trapsts = wave->trapsts;
   snapshot->hw_id1 = wave->hw_id1;
   snapshot->hw_id2 = wave->hw_id2;
   snapshot->wave_size = wave->wave64 ? 64 : 32;
   snapshot->vgpr_count = wave->status & STATUS_NO_VGPRS ? 0 : wave->vgpr_count;
   snapshot->index = wave->index;
   memcpy(snapshot->workgroup, wave->workgroup->id, sizeof(snapshot->workgroup));
   snapshot->scratch_base = wave->scratch_base;
}

/* Not TTMPs, which user code can't see; but 6, 7 and 13 belong to SPI. */
static bool
is_watched(uint32_t sreg)
{
   return sreg < SREG_TTMP0 || sreg > SREG_NULL || sreg == SREG_TTMP0 + 6 || sreg == SREG_TTMP0 + 7 ||
          sreg == SREG_TTMP0 + 13;
}

static void
compare_states(struct watch *watch, const struct snapshot *a, const struct snapshot *b)
{
   uint64_t *counter = &watch->result->state_differences;
   for (uint32_t i = 0; i < SREG_COUNT; i++)
      if (is_watched(i) && a->sreg[i] != b->sreg[i])
         watch_report(watch, counter, "pc 0x%llx: scalar %u was 0x%x, is 0x%x", (unsigned long long)a->pc, i,
                      a->sreg[i], b->sreg[i]);
   if (a->pc != b->pc && !is_displaced(watch, a->pc) && !is_displaced(watch, b->pc))
      watch_report(watch, counter, "pc was 0x%llx, is 0x%llx", (unsigned long long)a->pc, (unsigned long long)b->pc);
   if (a->scc != b->scc)
      watch_report(watch, counter, "pc 0x%llx: SCC was %u, is %u", (unsigned long long)a->pc, a->scc, b->scc);
   if (a->mode != b->mode)
      watch_report(watch, counter, "MODE was 0x%x, is 0x%x", a->mode, b->mode);
   if (a->status != b->status)
      watch_report(watch, counter, "STATUS was 0x%x, is 0x%x", a->status, b->status);
   if (a->scratch_base != b->scratch_base)
      watch_report(watch, counter, "FLAT_SCRATCH changed");
   for (uint32_t i = 0; i < a->vgpr_count; i++)
      if (memcmp(a->vgpr[i], b->vgpr[i], a->wave_size * 4))
         watch_report(watch, counter, "pc 0x%llx: v%u changed", (unsigned long long)a->pc, i);
}

static uint32_t
slot_of(const struct wave *wave)
{
   struct slot_place place = {
      .wave = wave->hw_id1 & 31,
      .simd = wave->hw_id1 >> 8 & 3,
      .wgp = wave->hw_id1 >> 10 & 15,
      .sa = wave->hw_id1 >> 16 & 1,
      .se = wave->hw_id1 >> 18 & 7,
   };
   return hdb_slot_number(&place);
}

static void
observe(void *user, const struct wave *wave, bool entered)
{
   struct watch *watch = user;
   uint32_t slot = slot_of(wave);
   if (entered) {
      if (!watch->at_entry[slot])
         watch->at_entry[slot] = malloc(sizeof(struct snapshot));
      uint64_t pc = wave->sreg[SREG_TTMP0] | (uint64_t)(wave->sreg[SREG_TTMP0 + 1] & 0xffff) << 32;
      take_snapshot(watch->at_entry[slot], wave, pc);
      watch->result->traps++;
      bool host_trap = wave->sreg[SREG_TTMP0 + 1] & 1 << 24 && !(wave->trapsts & TRAPSTS_TRAP_AFTER_INST);
      if (!(wave->status & STATUS_NO_VGPRS) && !is_displaced(watch, hdb_canonical(pc)) && !host_trap)
         watch->result->entries++;
   } else {
      take_snapshot(watch->now, wave, wave->pc);
      compare_states(watch, watch->at_entry[slot], watch->now);
   }
}

/* ---- slots ---- */

void
watch_compare_slot(struct watch *watch, struct hdb_wave *wave)
{
   struct hdb_machine *machine = watch->machine;
   const struct snapshot *state = watch->at_entry[wave->slot];
   uint64_t *counter = &watch->result->slot_differences;
   for (uint32_t reg = 0; reg < SREG_COUNT; reg++) {
      uint32_t value;
      if (is_watched(reg) && !hdb_wave_read_scalar(machine, wave, reg, &value) && value != state->sreg[reg])
         watch_report(watch, counter, "slot: scalar %u is 0x%x, slot has 0x%x", reg, state->sreg[reg], value);
   }
   if (wave->vgpr_count != state->vgpr_count || wave->wave_size != state->wave_size)
      watch_report(watch, counter, "slot: %u VGPRs of %u lanes, slot has %u of %u", state->vgpr_count, state->wave_size,
                   wave->vgpr_count, wave->wave_size);
   for (uint32_t i = 0; i < state->vgpr_count; i++) {
      uint32_t lanes[64];
      if (hdb_wave_read_vgpr(machine, wave, i, lanes) || memcmp(lanes, state->vgpr[i], state->wave_size * 4))
         watch_report(watch, counter, "slot: v%u differs", i);
   }
   if (wave->pc != state->pc && !is_displaced(watch, state->pc))
      watch_report(watch, counter, "slot: pc is 0x%llx, slot has 0x%llx", (unsigned long long)state->pc,
                   (unsigned long long)wave->pc);
   if ((wave->status & STATUS_SCC) != state->scc)
      watch_report(watch, counter, "slot: SCC is %u", state->scc);
   if (wave->mode != (state->mode & ~(1u << MODE_ENTRY_MARK_BIT)))
      watch_report(watch, counter, "slot: MODE is 0x%x, slot has 0x%x", state->mode, wave->mode);
   if (wave->hw_id1 != state->hw_id1 || wave->hw_id2 != state->hw_id2)
      watch_report(watch, counter, "slot: HW_ID differs");
   if (wave->trapsts != state->trapsts)
      watch_report(watch, counter, "slot: TRAPSTS is 0x%x, slot has 0x%x", state->trapsts, wave->trapsts);
   if (!wave->workgroup_known || memcmp(wave->workgroup, state->workgroup, sizeof(state->workgroup)) ||
       wave->index != state->index)
      watch_report(watch, counter, "slot: workgroup %u,%u,%u wave %u, slot has %u,%u,%u wave %u", state->workgroup[0],
                   state->workgroup[1], state->workgroup[2], state->index, wave->workgroup[0], wave->workgroup[1],
                   wave->workgroup[2], wave->index);
}

/* ---- stops ---- */

static bool
is_first_stop(struct watch *watch, const struct hdb_wave *wave)
{
   if (wave->id >= watch->seen_size) {
      uint32_t size = 2 * wave->id;
      watch->seen = realloc(watch->seen, size);
      memset(watch->seen + watch->seen_size, 0, size - watch->seen_size);
      watch->seen_size = size;
   }
   bool first = !watch->seen[wave->id];
   watch->seen[wave->id] = true;
   return first;
}

void
watch_step_stopped(struct watch *watch, bool barriers)
{
   struct hdb_wave *const *waves;
   size_t count = hdb_machine_waves(watch->machine, &waves);
   for (size_t i = 0; i < count; i++) {
      struct hdb_wave *wave = waves[i];
      if (wave->run != HDB_WAVE_STOPPED)
         continue;
      watch->result->stops++;
      enum hdb_stop_cause cause = is_first_stop(watch, wave) ? HDB_STOP_ENTRY : HDB_STOP_STEP;
      if (wave->cause != cause && !(barriers && wave->cause == HDB_STOP_HALT))
         watch_report(watch, &watch->result->wrong_stops, "stopped at 0x%llx for reason %d",
                      (unsigned long long)wave->pc, wave->cause);
      watch_compare_slot(watch, wave);
      hdb_machine_resume(watch->machine, wave, HDB_RESUME_STEP, 0, 0);
   }
}

void
watch_stop_and_go(struct watch *watch)
{
   hdb_machine_stop_all(watch->machine);
   struct hdb_wave *const *waves;
   size_t count = hdb_machine_waves(watch->machine, &waves);
   for (size_t i = 0; i < count; i++) {
      if (waves[i]->run != HDB_WAVE_STOPPED)
         continue;
      watch->result->stops++;
      if (waves[i]->cause != HDB_STOP_HALT)
         watch_report(watch, &watch->result->wrong_stops, "stopped at 0x%llx for reason %d",
                      (unsigned long long)waves[i]->pc, waves[i]->cause);
      watch_compare_slot(watch, waves[i]);
   }
   hdb_machine_resume_all(watch->machine);
}

/* ---- life ---- */

void
watch_begin(struct watch *watch, struct vgpu *gpu, struct hdb_machine *machine, struct check_result *result)
{
   memset(watch, 0, sizeof(*watch));
   memset(result, 0, sizeof(*result));
   pthread_mutex_init(&watch->lock, NULL);
   watch->gpu = gpu;
   watch->machine = machine;
   watch->result = result;
   watch->at_entry = calloc(SLOT_COUNT, sizeof(*watch->at_entry));
   watch->now = calloc(1, sizeof(*watch->now));
   gpu->sq->trap_observer_user = watch;
   gpu->sq->trap_observer = observe;
}

void
watch_pause(struct watch *watch)
{
   watch->gpu->sq->trap_observer = NULL;
}

void
watch_end(struct watch *watch)
{
   watch_pause(watch);
   for (uint32_t i = 0; i < SLOT_COUNT; i++)
      free(watch->at_entry[i]);
   free(watch->at_entry);
   free(watch->now);
   free(watch->seen);
   pthread_mutex_destroy(&watch->lock);
}

bool
check_passed(const struct check_result *result)
{
   return !result->state_differences && !result->slot_differences && !result->wrong_stops && !result->wrong_results &&
          !result->unfinished;
}

void
check_print(FILE *file, const char *name, const struct check_result *result)
{
   fprintf(file, "%s: %llu traps, %llu stops; differences: state %llu, slot %llu, stops %llu, results %llu%s", name,
           (unsigned long long)result->traps, (unsigned long long)result->stops,
           (unsigned long long)result->state_differences, (unsigned long long)result->slot_differences,
           (unsigned long long)result->wrong_stops, (unsigned long long)result->wrong_results,
           result->unfinished ? ", unfinished" : "");
   fprintf(file, result->first[0] ? "; first: %s\n" : "%s\n", result->first);
   fflush(file);
}
