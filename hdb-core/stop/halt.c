/* SPDX-License-Identifier: MIT */
/* What goes by registers: host traps, launches held back, which waves there are. */
#include <errno.h>
#include <string.h>

#include "stop/private.h"
#include "target/registers.h"
#include "target/target.h"
#include "wave/slot.h"

#define QUIET_LIMIT 20 /* ms without a further wave reporting */

int
machine_host_trap(struct hdb_machine *machine)
{
   struct hdb_bank bank = machine_vmid_bank(machine);
   uint32_t command = SQ_CMD_TRAP | SQ_CMD_BROADCAST | SQ_CMD_CHECK_VMID | machine->trap.vmid << SQ_CMD_VMID_SHIFT;
   return machine->target->ops->write_register(machine->target, &bank, REG_SQ_CMD, command);
}

void
machine_stall(struct hdb_machine *machine, bool stall)
{
   if (machine->stalled == stall)
      return;
   machine->stalled = stall;
   struct hdb_bank bank = machine_vmid_bank(machine);
   const struct hdb_target_ops *ops = machine->target->ops;
   uint32_t value;
   if (!ops->read_register(machine->target, &bank, REG_SPI_GDBG_PER_VMID_CNTL, &value))
      ops->write_register(machine->target, &bank, REG_SPI_GDBG_PER_VMID_CNTL,
                          stall ? value | GDBG_STALL_VMID : value & ~GDBG_STALL_VMID);
}

static struct hdb_bank
simd_bank(const struct slot_place *place)
{
   return (struct hdb_bank){.se = place->se, .sa = place->sa, .instance = place->wgp << 2 | place->simd};
}

uint32_t
machine_read_wave(struct hdb_machine *machine, uint32_t slot, uint32_t index)
{
   struct slot_place place = hdb_slot_place(slot);
   struct hdb_bank bank = simd_bank(&place);
   uint32_t value = 0;
   if (machine->target->ops->write_register(machine->target, &bank, REG_SQ_IND_INDEX, place.wave | index << 16) ||
       machine->target->ops->read_register(machine->target, &bank, REG_SQ_IND_DATA, &value))
      return 0;
   return value;
}

#define SLOTS_PER_SIMD 16

static uint32_t
active_waves(struct hdb_machine *machine, uint32_t simd)
{
   return machine_read_wave(machine, simd * SLOTS_PER_SIMD, SQ_WAVE_ACTIVE) & 0xffff;
}

uint32_t
hdb_machine_resident_waves(struct hdb_machine *machine)
{
   uint32_t count = 0;
   for (uint32_t simd = 0; simd < SLOT_COUNT / SLOTS_PER_SIMD; simd++)
      count += __builtin_popcount(active_waves(machine, simd));
   return count;
}

/* The wave in a slot may be another device's. */
static bool
is_ours(struct hdb_machine *machine, uint32_t slot)
{
   return (machine_read_wave(machine, slot, SQ_WAVE_HW_ID2) >> 24 & 0xf) == machine->trap.vmid;
}

/* Whether a resident wave will report after a host trap. */
static bool
can_stop(struct hdb_machine *machine, uint32_t slot)
{
   uint32_t status = machine_read_wave(machine, slot, SQ_WAVE_STATUS);
   return status & STATUS_VALID && status & STATUS_TRAP_EN && !(status & STATUS_NO_VGPRS) && is_ours(machine, slot);
}

static bool
waves_to_come(struct hdb_machine *machine)
{
   for (uint32_t simd = 0; simd < SLOT_COUNT / SLOTS_PER_SIMD; simd++)
      for (uint32_t active = active_waves(machine, simd); active; active &= active - 1) {
         uint32_t slot = simd * SLOTS_PER_SIMD + __builtin_ctz(active);
         const struct machine_wave *wave = machine->in_slot[slot];
         if (!(wave && wave->wave.run == HDB_WAVE_STOPPED) && can_stop(machine, slot))
            return true;
      }
   return false;
}

uint32_t
machine_reap(struct hdb_machine *machine)
{
   uint32_t stepped = 0;
   uint32_t active[SLOT_COUNT / SLOTS_PER_SIMD]; /* of each SIMD asked so far; it has no more than 16 slots */
   memset(active, 0xff, sizeof(active));
   for (size_t i = machine->wave_count; i-- > 0;) {
      struct machine_wave *wave = machine->waves[i];
      if (wave->wave.run == HDB_WAVE_STOPPED || wave->arrived)
         continue;
      uint32_t simd = wave->wave.slot / SLOTS_PER_SIMD;
      if (active[simd] == ~0u)
         active[simd] = active_waves(machine, simd);
      if (active[simd] & 1u << wave->wave.slot % SLOTS_PER_SIMD && is_ours(machine, wave->wave.slot))
         continue;
      stepped += wave->stepping;
      machine_end_wave(machine, wave);
   }
   return stepped;
}

/* Another wave may be in an ended one's slot by now. But a shader of which no dispatch is armed runs no more. */
static bool
is_over(struct hdb_machine *machine, const struct machine_wave *wave)
{
   if (wave->wave.run == HDB_WAVE_STOPPED || wave->arrived || !wave->wave.shader)
      return false;
   pthread_mutex_lock(&machine->lock);
   const struct shader *shader = machine_find_shader(machine, wave->wave.shader);
   bool over = shader && !shader->armed;
   pthread_mutex_unlock(&machine->lock);
   return over;
}

void
hdb_machine_forget_ended(struct hdb_machine *machine)
{
   if (!machine->installed)
      return;
   machine_reap(machine);
   for (size_t i = machine->wave_count; i-- > 0;) {
      if (is_over(machine, machine->waves[i]))
         machine_end_wave(machine, machine->waves[i]);
   }
}

int
hdb_machine_stop_all(struct hdb_machine *machine)
{
   if (!machine->installed)
      return 0;
   machine_end_barrier_run(machine); /* a later step may wait in the same barrier, and needs a run of its own */
   machine_stall(machine, true);
   hdb_trap_want(&machine->trap, WANT_HALT_BIT, true);
   int error = machine_host_trap(machine);
   uint32_t stopped = machine_take_reports(machine);
   for (int quiet = 0; !error && quiet < QUIET_LIMIT && waves_to_come(machine);) {
      uint32_t before = stopped;
      machine->target->ops->wait_interrupt(machine->target, 1);
      stopped += machine_take_reports(machine);
      quiet = stopped == before ? quiet + 1 : 0;
   }
   /* A wave that takes its host trap only now (out of a barrier, say) is to run on. */
   hdb_trap_want(&machine->trap, WANT_HALT_BIT, false);
   machine_reap(machine);
   return error ?: (int)stopped;
}

int
hdb_machine_fault_address(struct hdb_machine *machine, uint64_t *va)
{
   struct hdb_bank bank = machine_vmid_bank(machine);
   const struct hdb_target_ops *ops = machine->target->ops;
   uint32_t status, low, high;
   int error = ops->read_register(machine->target, &bank, REG_GCVM_L2_PROTECTION_FAULT_STATUS, &status);
   error = error ?: ops->read_register(machine->target, &bank, REG_GCVM_L2_PROTECTION_FAULT_ADDR_LO, &low);
   error = error ?: ops->read_register(machine->target, &bank, REG_GCVM_L2_PROTECTION_FAULT_ADDR_HI, &high);
   if (error)
      return error;
   *va = hdb_canonical((low | (uint64_t)high << 32) << 12);
   return status ? 0 : -ENOENT;
}
