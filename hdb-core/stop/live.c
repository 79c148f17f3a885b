/* SPDX-License-Identifier: MIT */
/*
 * Waves that are on the GPU and have not stopped, by the card's own registers (SQ_IND): they tell where a wave is that
 * does not answer. PC and STATUS can be read at any time.
 */
#include <errno.h>

#include "stop/private.h"
#include "target/registers.h"
#include "wave/slot.h"

static enum hdb_live_state
state_of(uint32_t status)
{
   return status & STATUS_NO_VGPRS     ? HDB_LIVE_ENDING
          : !(status & STATUS_TRAP_EN) ? HDB_LIVE_UNARMED
          : status & STATUS_IN_BARRIER ? HDB_LIVE_BARRIER
          : status & STATUS_PRIV       ? HDB_LIVE_HANDLER
                                       : HDB_LIVE_RUNNING;
}

/* False: it has ended meanwhile. */
static bool
look_at(struct hdb_machine *machine, uint32_t slot, struct hdb_live_wave *live)
{
   uint32_t status = machine_read_wave(machine, slot, SQ_WAVE_STATUS);
   uint32_t low = machine_read_wave(machine, slot, SQ_WAVE_PC_LO),
            high = machine_read_wave(machine, slot, SQ_WAVE_PC_HI);
   if (!(status & STATUS_VALID))
      return false;
   *live = (struct hdb_live_wave){
      .slot = slot, .state = state_of(status), .pc = hdb_canonical(low | (uint64_t)(high & 0xffff) << 32)};
   machine_undisplace(machine, &live->pc);
   pthread_mutex_lock(&machine->lock);
   const struct shader *shader = machine_shader_at(machine, live->pc);
   live->shader = shader ? shader->info : NULL;
   pthread_mutex_unlock(&machine->lock);
   return true;
}

int
hdb_machine_live_waves(struct hdb_machine *machine, struct hdb_live_wave *waves, int capacity)
{
   int count = 0;
   if (!machine_has_registers(machine))
      return -ENOTSUP;
   for (uint32_t first = 0; first < SLOT_COUNT; first += SLOTS_PER_SIMD) {
      for (uint32_t active = machine_active_waves(machine, first); active; active &= active - 1) {
         uint32_t slot = first + __builtin_ctz(active);
         const struct machine_wave *known = machine->in_slot[slot];
         struct hdb_live_wave ignored;
         if ((known && known->wave.run == HDB_WAVE_STOPPED) || !machine_owns_slot(machine, slot))
            continue;
         count += look_at(machine, slot, count < capacity ? &waves[count] : &ignored);
      }
   }
   return machine->failure ? machine->failure : count;
}
