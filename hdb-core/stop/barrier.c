/* SPDX-License-Identifier: MIT */
/*
 * Stepping over s_barrier. A wave in the trap handler does not arrive at a barrier, so while a stepped wave waits in
 * one, the stopped waves of its workgroup run up to the instruction behind it (a TRAP_HALT is planted there),
 * breakpoints in force.
 */
#include "stop/private.h"
#include "target/registers.h"
#include "target/target.h"

#define FINISH_LIMIT 100 /* ms */

static bool
same_workgroup(const struct hdb_wave *a, const struct hdb_wave *b)
{
   if (a->workgroup_known && b->workgroup_known)
      return a->shader == b->shader && a->workgroup[0] == b->workgroup[0] && a->workgroup[1] == b->workgroup[1] &&
             a->workgroup[2] == b->workgroup[2];
   /* A workgroup sits in one WGP: HW_ID1's WGP 13:10, SA 16, SE 20:18. */
   const uint32_t wgp = 0x1d3c00;
   return (a->hw_id1 & wgp) == (b->hw_id1 & wgp);
}

static bool
holds_up(const struct hdb_wave *wave, const struct hdb_wave *stepped)
{
   return wave->run == HDB_WAVE_STOPPED && same_workgroup(wave, stepped);
}

static bool
is_held_up(const struct hdb_machine *machine, const struct hdb_wave *stepped)
{
   for (size_t i = 0; i < machine->wave_count; i++)
      if (holds_up(&machine->waves[i]->wave, stepped))
         return true;
   return false;
}

/* The wave cannot go on before the stops of these have been shown. False: there are none. */
static bool
make_pending_stops_new(struct hdb_machine *machine, const struct hdb_wave *stepped)
{
   bool any = false;
   for (size_t i = 0; i < machine->wave_count; i++) {
      struct hdb_wave *wave = &machine->waves[i]->wave;
      if (!holds_up(wave, stepped) || wave->notice != HDB_STOP_PENDING)
         continue;
      wave->notice = HDB_STOP_NEW;
      any = true;
   }
   return any;
}

static void
begin_barrier_run(struct hdb_machine *machine, struct machine_wave *stepped)
{
   uint64_t pc = machine_read_wave(machine, stepped->wave.slot, SQ_WAVE_PC_LO);
   pc |= (uint64_t)machine_read_wave(machine, stepped->wave.slot, SQ_WAVE_PC_HI) << 32;
   pc = hdb_canonical(pc);
   machine->barrier = (struct barrier_run){.active = true, .wave = stepped->wave.id};

   pthread_mutex_lock(&machine->lock);
   struct shader *shader = machine_shader_at(machine, pc);
   if (shader && !machine_plant_trap(machine, shader, pc - shader->info->va, PLANT_HALT)) {
      machine->barrier.shader = shader->info;
      machine->barrier.pc = pc - shader->info->va;
   }
   pthread_mutex_unlock(&machine->lock);

   for (size_t i = 0; i < machine->wave_count; i++) {
      struct machine_wave *wave = machine->waves[i];
      if (!holds_up(&wave->wave, &stepped->wave))
         continue;
      wave->to_barrier = true;
      wave->stepping = false;
      hdb_machine_resume(machine, &wave->wave, HDB_RESUME_CONTINUE, 0, 0);
   }
   machine_release(machine);
}

void
machine_end_barrier_run(struct hdb_machine *machine)
{
   if (!machine->barrier.active)
      return;
   machine->barrier.active = false;
   for (size_t i = 0; i < machine->wave_count; i++)
      machine->waves[i]->to_barrier = false;
   if (!machine->barrier.shader)
      return;
   pthread_mutex_lock(&machine->lock);
   struct shader *shader = machine_find_shader(machine, machine->barrier.shader);
   if (shader)
      machine_unplant_trap(machine, shader, machine->barrier.pc, PLANT_HALT);
   pthread_mutex_unlock(&machine->lock);
}

static bool
others_under_way(const struct hdb_machine *machine)
{
   for (size_t i = 0; i < machine->wave_count; i++)
      if (machine->waves[i]->to_barrier)
         return true;
   return false;
}

bool
machine_check_barrier(struct hdb_machine *machine)
{
   /* A range step goes on behind the barrier, perhaps into the next one, without the stepped wave reporting. */
   if (!others_under_way(machine))
      machine_end_barrier_run(machine);
   for (size_t i = 0; i < machine->wave_count && !machine->barrier.active; i++) {
      struct machine_wave *wave = machine->waves[i];
      if (!wave->stepping || !is_held_up(machine, &wave->wave))
         continue;
      uint32_t status = machine_read_wave(machine, wave->wave.slot, SQ_WAVE_STATUS);
      if (!(status & STATUS_IN_BARRIER) || status & STATUS_PRIV)
         continue;
      if (make_pending_stops_new(machine, &wave->wave))
         return true;
      begin_barrier_run(machine, wave);
   }
   return false;
}

void
machine_finish_barrier(struct hdb_machine *machine)
{
   if (!machine->barrier.active)
      return;
   const struct hdb_wave *stepped = hdb_machine_find_wave(machine, machine->barrier.wave);
   if (stepped && stepped->run == HDB_WAVE_RUNNING)
      return; /* another wave has hit a breakpoint on its way */
   int64_t deadline = machine_now_ms() + FINISH_LIMIT;
   while (others_under_way(machine) && machine_now_ms() < deadline) {
      if (!machine->target->ops->wait_interrupt(machine->target, 1))
         machine_reap(machine);
      machine_take_reports(machine);
   }
   machine_end_barrier_run(machine);
}
