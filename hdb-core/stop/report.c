/* SPDX-License-Identifier: MIT */
/* Waves that have stopped: who they are, why, and whether that is of interest. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "stop/private.h"
#include "target/registers.h"
#include "target/target.h"
#include "wave/slot.h"

void
machine_count_stopped(struct hdb_machine *machine, int change)
{
   machine->stopped_count += change;
   bool hold = machine->stopped_count;
   if (hold != machine->time_held)
      machine->target->ops->hold_time(machine->target, hold);
   machine->time_held = hold;
}

static int
compare_waves(const void *a, const void *b)
{
   const struct hdb_wave *x = *(struct hdb_wave *const *)a, *y = *(struct hdb_wave *const *)b;
   if (x->workgroup_known != y->workgroup_known)
      return x->workgroup_known ? -1 : 1;
   for (int i = 2; i >= 0 && x->workgroup_known; i--)
      if (x->workgroup[i] != y->workgroup[i])
         return x->workgroup[i] < y->workgroup[i] ? -1 : 1;
   if (x->workgroup_known && x->index != y->index)
      return x->index < y->index ? -1 : 1;
   return x->id < y->id ? -1 : x->id > y->id;
}

/* A stop of which nothing is known yet. */
static void
begin_stop(struct hdb_wave *wave)
{
   wave->run = HDB_WAVE_STOPPED;
   wave->notice = HDB_STOP_NEW;
   wave->judged = false;
   wave->hit = 0;
   wave->hit_lanes = wave->hit_order = 0;
}

void
machine_end_wave(struct hdb_machine *machine, struct machine_wave *wave)
{
   if (wave->wave.run == HDB_WAVE_STOPPED || wave->arrived)
      machine_count_stopped(machine, -1);
   machine->in_slot[wave->wave.slot] = NULL;
   for (size_t i = 0; i < machine->wave_count; i++)
      if (machine->waves[i] == wave) {
         array_remove(machine->waves, machine->wave_count, i);
         break;
      }
   free(wave);
}

static struct machine_wave *
wave_in_slot(struct hdb_machine *machine, uint32_t slot)
{
   struct machine_wave *wave = machine->in_slot[slot];
   if (wave && hdb_slot_is_fresh(hdb_trap_slot(&machine->trap, slot))) {
      machine_end_wave(machine, wave);
      wave = NULL;
   }
   if (wave)
      return wave;
   wave = calloc(1, sizeof(*wave));
   if (!wave)
      return NULL;
   struct machine_wave **place = array_append(machine->waves, machine->wave_count);
   if (!place) {
      free(wave);
      return NULL;
   }
   *place = wave;
   wave->wave.id = ++*machine->last_wave_id;
   wave->wave.slot = slot;
   machine->in_slot[slot] = wave;
   return wave;
}

/* A dimension whose workgroup id isn't passed to the shader is known when no dispatch has more than one there. */
static void
complete_workgroup(struct hdb_machine *machine, struct machine_wave *wave)
{
   uint32_t ttmp11 = slot_read(machine_slot(machine, wave), SLOT_HEADER_DWORD(H_TTMP + 11));
   if (wave->wave.workgroup_known || (ttmp11 & NOTED_MAGIC_MASK) != NOTED_MAGIC || !wave->wave.shader)
      return;
   pthread_mutex_lock(&machine->lock);
   struct shader *shader = machine_find_shader(machine, wave->wave.shader);
   wave->wave.workgroup_known = shader && ttmp11 & 1u << NOTED_WAVE_BIT;
   for (int i = 0; i < 3 && shader; i++)
      wave->wave.workgroup_known &= ttmp11 & 1u << (NOTED_X_BIT + i) || shader->flat[i];
   pthread_mutex_unlock(&machine->lock);
}

static bool
passes_filter(const struct hdb_machine *machine, const struct hdb_wave *wave)
{
   return !machine->filtered || !memcmp(wave->workgroup, machine->filter, sizeof(machine->filter));
}

/* Whether the code really has an s_trap at a pc (and not just the instruction cache of the wave that met one). */
static bool
code_has_trap(const struct hdb_wave *wave)
{
   if (!wave->shader)
      return true;
   const uint8_t *code = wave->shader->code;
   uint32_t word;
   memcpy(&word, code + (wave->pc - wave->shader->va), sizeof(word));
   return instruction_is_trap(word);
}

/* Sets the cause; false: not of interest. */
static bool
judge_trap(struct hdb_machine *machine, struct machine_wave *wave, bool entry_mark)
{
   struct hdb_wave *w = &wave->wave;
   pthread_mutex_lock(&machine->lock);
   const struct plant *plant = machine_plant_in_force(machine, w->pc);
   bool planted = plant, breakpoint = plant && plant->count[PLANT_BREAKPOINT];
   pthread_mutex_unlock(&machine->lock);
   if (breakpoint) {
      w->cause = HDB_STOP_BREAKPOINT;
      return wave->to_barrier || (w->exec && passes_filter(machine, w));
   }
   if (planted && w->trap_id == TRAP_ENTRY && entry_mark && machine->trap.want & 1u << WANT_ENTRY_BIT) {
      w->cause = HDB_STOP_ENTRY;
      return passes_filter(machine, w) || machine->trap.want & 1u << WANT_HALT_BIT;
   }
   if (planted) {
      w->cause = HDB_STOP_HALT;
      return wave->to_barrier || (w->trap_id == TRAP_ENTRY && machine->trap.want & 1u << WANT_HALT_BIT);
   }
   w->cause = HDB_STOP_TRAP;
   return code_has_trap(w) && w->exec;
}

/* Whether a wave that was halted is about to run into a breakpoint: resuming leads past it, so that this is its hit.
 * One at the start of the displaced copy has had it already. */
static bool
is_before_breakpoint(struct hdb_machine *machine, const struct hdb_wave *wave, uint64_t raw_pc)
{
   pthread_mutex_lock(&machine->lock);
   const struct plant *plant = machine_plant_in_force(machine, wave->pc);
   bool before = plant && plant->count[PLANT_BREAKPOINT] && plant->go_on != raw_pc;
   pthread_mutex_unlock(&machine->lock);
   return before && wave->exec && passes_filter(machine, wave);
}

static bool
judge(struct hdb_machine *machine, struct machine_wave *wave, uint64_t raw_pc)
{
   struct hdb_wave *w = &wave->wave;
   uint32_t mode = slot_read(machine_slot(machine, wave), SLOT_HEADER_DWORD(H_MODE));
   bool entry_mark = mode & 1u << MODE_ENTRY_MARK_BIT;
   /* At the end of a displaced instruction a step shows in MODE only: it was an s_trap that went to the handler. */
   bool stepped = w->trapsts & TRAPSTS_TRAP_AFTER_INST || mode & MODE_TRAP_AFTER_INST;
   if (w->trap_id == TRAP_ENTRY && w->trapsts & TRAPSTS_HOST_TRAP && !code_has_trap(w))
      w->trap_id = 0; /* the handler takes it that there is one at each first instruction */
   if (w->trap_id)
      return judge_trap(machine, wave, entry_mark);
   if (w->trapsts & TRAPSTS_FAULTS) {
      w->cause = w->trapsts & TRAPSTS_FAULTS & ~TRAPSTS_WATCHES ? HDB_STOP_FAULT : HDB_STOP_WATCH;
   } else if (w->trapsts & TRAPSTS_WAVE_START && entry_mark && machine->trap.want & 1u << WANT_ENTRY_BIT) {
      w->cause = HDB_STOP_ENTRY;
      return passes_filter(machine, w) || machine->trap.want & 1u << WANT_HALT_BIT;
   } else if (wave->halting || w->trapsts & (TRAPSTS_HOST_TRAP | TRAPSTS_WAVE_START)) {
      w->cause = is_before_breakpoint(machine, w, raw_pc) ? HDB_STOP_BREAKPOINT : HDB_STOP_HALT;
   } else if (stepped) {
      w->cause = HDB_STOP_STEP;
      return wave->stepping;
   } else {
      w->cause = HDB_STOP_FAULT;
   }
   return true;
}

/* The wave itself knows best which VMID the kernel has given to the program. */
static void
check_vmid(struct hdb_machine *machine, const struct hdb_wave *wave)
{
   uint32_t vmid = HW_ID2_VMID(wave->hw_id2);
   if (!machine_has_registers(machine) || vmid == machine->trap.vmid)
      return;
   int error = machine->target->ops->note_vmid(machine->target, vmid);
   if (error)
      machine->failure = error;
   else
      machine->trap.vmid = vmid;
}

/* True: a stop to be shown. */
static bool
take_report(struct hdb_machine *machine, uint32_t slot)
{
   struct machine_wave *wave = wave_in_slot(machine, slot);
   if (!wave) { /* out of memory: at least don't keep it */
      hdb_mailbox_send(hdb_trap_slot(&machine->trap, slot), COMMAND_RESUME);
      machine->target->ops->wake(machine->target);
      return false;
   }
   hdb_slot_decode(machine_slot(machine, wave), &wave->wave);
   check_vmid(machine, &wave->wave);
   wave->pc_edited = false;
   wave->vgprs_edited = false;
   uint64_t raw_pc = wave->wave.pc;
   if (!machine_undisplace(machine, &wave->wave.pc)) {
      wave->halting = true;
      wave->watched |= wave->wave.trapsts & TRAPSTS_WATCHES; /* the handler clears them */
      machine_let_go(machine, wave, raw_pc, HDB_RESUME_STEP, 0, 0);
      return false;
   }
   wave->wave.trapsts |= wave->watched;
   wave->watched = 0;
   pthread_mutex_lock(&machine->lock);
   struct shader *shader = machine_shader_at(machine, wave->wave.pc);
   wave->wave.shader = shader ? shader->info : NULL;
   pthread_mutex_unlock(&machine->lock);
   complete_workgroup(machine, wave);

   bool shown = judge(machine, wave, raw_pc);
   if (!shown) {
      bool stale = wave->wave.trap_id && !code_has_trap(&wave->wave);
      uint64_t pc = stale ? wave->wave.pc : machine_resume_pc(machine, wave);
      enum hdb_resume_how how = wave->stepping ? wave->how : HDB_RESUME_CONTINUE;
      machine_let_go(machine, wave, pc, how, wave->low, wave->high);
      return false;
   }
   bool along = wave->to_barrier && wave->wave.cause == HDB_STOP_HALT;
   begin_stop(&wave->wave);
   wave->stepping = false;
   wave->halting = false;
   wave->to_barrier = false;
   machine_count_stopped(machine, 1);
   return !along; /* the stepped wave's own report is the one that matters */
}

uint32_t
machine_take_arrived(struct hdb_machine *machine)
{
   uint32_t shown = 0;
   for (size_t i = 0; i < machine->wave_count; i++) {
      struct machine_wave *wave = machine->waves[i];
      if (!wave->arrived)
         continue;
      wave->arrived = false;
      begin_stop(&wave->wave);
      wave->wave.cause = HDB_STOP_STEP;
      shown++;
   }
   return shown;
}

uint32_t
machine_take_reports(struct hdb_machine *machine)
{
   uint32_t shown = machine_take_arrived(machine);
   int slot;
   bool any = false;
   for (; (slot = hdb_trap_next_stopped(&machine->trap)) >= 0; any = true)
      shown += take_report(machine, slot);
   if (any)
      qsort(machine->waves, machine->wave_count, sizeof(*machine->waves), compare_waves);
   return shown;
}
