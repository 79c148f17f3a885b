/* SPDX-License-Identifier: MIT */
/* Resuming stopped waves. */
#include <errno.h>

#include "stop/private.h"
#include "target/registers.h"
#include "target/target.h"
#include "wave/slot.h"

uint64_t
machine_resume_pc(struct hdb_machine *machine, struct machine_wave *wave)
{
   uint64_t pc = wave->wave.pc;
   pthread_mutex_lock(&machine->lock);
   const struct plant *plant = machine_plant_in_force(machine, pc);
   if (plant)
      pc = plant->go_on;
   else if (wave->wave.trap_id && wave->wave.cause == HDB_STOP_TRAP && !wave->pc_edited)
      pc += 4; /* the program's own s_trap: a trap leaves the PC at it */
   pthread_mutex_unlock(&machine->lock);
   return pc;
}

void
machine_let_go(struct hdb_machine *machine, struct machine_wave *wave, uint64_t pc, enum hdb_resume_how how,
               uint64_t low, uint64_t high)
{
   uint8_t *slot = machine_slot(machine, wave);
   uint64_t trap_pc = hdb_trap_pc(pc), trap_low = hdb_trap_pc(low);
   uint32_t mode = slot_read(slot, SLOT_HEADER_DWORD(H_MODE)) & ~MODE_TRAP_AFTER_INST;
   slot_write(slot, SLOT_HEADER_DWORD(H_PC_LO), trap_pc);
   slot_write(slot, SLOT_HEADER_DWORD(H_PC_HI), trap_pc >> 32);
   slot_write(slot, SLOT_HEADER_DWORD(H_MODE), mode | (how == HDB_RESUME_CONTINUE ? 0 : MODE_TRAP_AFTER_INST));
   slot_write(slot, MAIL_RANGE_LOW, trap_low);
   slot_write(slot, MAIL_RANGE_LOW + 4, trap_low >> 32);
   slot_write(slot, MAIL_RANGE_SIZE, high - low);
   slot_write(slot, MAIL_RANGE_ON, how == HDB_RESUME_STEP_RANGE);
   wave->how = how;
   wave->low = low;
   wave->high = high;
   wave->wave.run = HDB_WAVE_RUNNING;
   hdb_mailbox_send(slot, wave->vgprs_edited ? COMMAND_RESUME_VGPRS : COMMAND_RESUME);
   machine->target->ops->wake(machine->target);
}

int
hdb_machine_resume(struct hdb_machine *machine, struct hdb_wave *public_wave, enum hdb_resume_how how, uint64_t low,
                   uint64_t high)
{
   struct machine_wave *wave = (struct machine_wave *)public_wave;
   if (wave->wave.run != HDB_WAVE_STOPPED || (how == HDB_RESUME_STEP_RANGE && high - low > UINT32_MAX))
      return -EINVAL;
   uint64_t pc = machine_resume_pc(machine, wave);
   bool over = pc == wave->wave.pc + 4; /* a pad, or a trap of the program's: passed without running anything */
   wave->stepping = how != HDB_RESUME_CONTINUE;
   wave->resumed_at = machine_now_ms();
   if (over && (how == HDB_RESUME_STEP || (how == HDB_RESUME_STEP_RANGE && pc - low >= high - low))) {
      wave->wave.pc = pc;
      wave->wave.trap_id = 0;
      wave->wave.run = HDB_WAVE_RUNNING;
      wave->stepping = false;
      wave->arrived = true;
      return 0;
   }
   machine_count_stopped(machine, -1);
   machine_let_go(machine, wave, pc, how, low, high);
   return 0;
}

int
hdb_machine_resume_all(struct hdb_machine *machine)
{
   machine_end_barrier_run(machine);
   machine_take_arrived(machine);
   for (size_t i = 0; i < machine->wave_count; i++) {
      struct machine_wave *wave = machine->waves[i];
      wave->stepping = false;
      if (wave->wave.run == HDB_WAVE_STOPPED)
         hdb_machine_resume(machine, &wave->wave, HDB_RESUME_CONTINUE, 0, 0);
   }
   if (machine->installed)
      machine_stall(machine, false);
   machine_release(machine);
   return 0;
}

int
hdb_machine_kill(struct hdb_machine *machine, struct hdb_wave *public_wave)
{
   struct machine_wave *wave = (struct machine_wave *)public_wave;
   if (wave->wave.run != HDB_WAVE_STOPPED)
      return -EINVAL;
   machine->edits++;
   hdb_mailbox_send(machine_slot(machine, wave), COMMAND_KILL);
   machine->target->ops->wake(machine->target);
   machine_end_wave(machine, wave);
   return 0;
}
