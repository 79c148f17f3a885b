/* SPDX-License-Identifier: MIT */
/* What goes by registers: host traps, launches held back, which waves there are. */
#include <errno.h>
#include <string.h>

#include "stop/private.h"
#include "target/registers.h"
#include "target/target.h"
#include "wave/slot.h"

#define SILENCE_LIMIT_MS 1000 /* of a stepped wave, where registers can't be read */
#define QUIET_LIMIT 20        /* ms without a further wave reporting */

int
machine_host_trap(struct hdb_machine *machine)
{
   if (!machine_has_registers(machine))
      return -ENOTSUP;
   struct hdb_bank bank = machine_vmid_bank(machine);
   uint32_t command = SQ_CMD_TRAP | SQ_CMD_BROADCAST | SQ_CMD_CHECK_VMID | machine->trap.vmid << SQ_CMD_VMID_SHIFT;
   return machine->target->ops->write_register(machine->target, &bank, REG_SQ_CMD, command);
}

/* Elsewhere what starts during a stop runs until it meets a trap of its own. */
void
machine_stall(struct hdb_machine *machine, bool stall)
{
   const struct hdb_target_ops *ops = machine->target->ops;
   if (!ops->holds_launches || machine->stalled == stall || !machine_has_registers(machine))
      return;
   struct hdb_bank bank = machine_vmid_bank(machine);
   uint32_t value;
   int error = ops->read_register(machine->target, &bank, REG_SPI_GDBG_PER_VMID_CNTL, &value);
   value = stall ? value | GDBG_STALL_VMID : value & ~GDBG_STALL_VMID;
   error = error ?: ops->write_register(machine->target, &bank, REG_SPI_GDBG_PER_VMID_CNTL, value);
   if (!error)
      machine->stalled = stall;
}

static struct hdb_bank
simd_bank(const struct slot_place *place)
{
   return (struct hdb_bank){.se = place->se, .sa = place->sa, .instance = place->wgp << 2 | place->simd};
}

static int
read_indirect(struct hdb_machine *machine, uint32_t slot, uint32_t index, uint32_t *value)
{
   struct slot_place place = hdb_slot_place(slot);
   struct hdb_bank bank = simd_bank(&place);
   const struct hdb_target_ops *ops = machine->target->ops;
   int error = ops->write_register(machine->target, &bank, REG_SQ_IND_INDEX, place.wave | index << 16);
   return error ?: ops->read_register(machine->target, &bank, REG_SQ_IND_DATA, value);
}

/* Without power all registers read as all ones; SPI_GDBG_PER_VMID_CNTL never does otherwise. */
static int
check_power(struct hdb_machine *machine)
{
   struct hdb_bank bank = machine_vmid_bank(machine);
   uint32_t control;
   int error = machine->target->ops->read_register(machine->target, &bank, REG_SPI_GDBG_PER_VMID_CNTL, &control);
   return error ?: control == ~0u ? -ENODATA : 0;
}

static int
read_wave(struct hdb_machine *machine, uint32_t slot, uint32_t index, uint32_t *value)
{
   *value = 0;
   int error = read_indirect(machine, slot, index, value);
   if ((error && error != -EACCES) || (!error && *value == ~0u))
      error = read_indirect(machine, slot, index, value);
   if (error || *value != ~0u)
      return error;
   if (index != SQ_WAVE_PC_HI) /* no wave has that: as little as a unit that is not there */
      *value = 0;
   return check_power(machine);
}

uint32_t
machine_read_wave(struct hdb_machine *machine, uint32_t slot, uint32_t index)
{
   if (!machine_has_registers(machine))
      return 0;
   uint32_t value;
   int error = read_wave(machine, slot, index, &value);
   if (!error)
      return value;
   if (error != -EACCES) /* another process's wave by now; all else means that nothing can be known any more */
      machine->failure = error;
   return 0;
}

uint32_t
machine_active_waves(struct hdb_machine *machine, uint32_t slot)
{
   return machine_read_wave(machine, slot, SQ_WAVE_ACTIVE) & 0xffff;
}

int
hdb_machine_resident_waves(struct hdb_machine *machine)
{
   int count = 0;
   if (!machine_has_registers(machine))
      return -ENOTSUP;
   for (uint32_t simd = 0; simd < SLOT_COUNT / SLOTS_PER_SIMD; simd++)
      count += __builtin_popcount(machine_active_waves(machine, simd * SLOTS_PER_SIMD));
   return machine->failure ?: count;
}

/* The wave in a slot may be another device's. */
bool
machine_owns_slot(struct hdb_machine *machine, uint32_t slot)
{
   return HW_ID2_VMID(machine_read_wave(machine, slot, SQ_WAVE_HW_ID2)) == machine->trap.vmid;
}

/* Whether a resident wave will report after a host trap. */
static bool
can_stop(struct hdb_machine *machine, uint32_t slot)
{
   uint32_t status = machine_read_wave(machine, slot, SQ_WAVE_STATUS);
   return status & STATUS_VALID && status & STATUS_TRAP_EN && !(status & STATUS_NO_VGPRS) &&
          machine_owns_slot(machine, slot);
}

static bool
waves_to_come(struct hdb_machine *machine)
{
   for (uint32_t simd = 0; simd < SLOT_COUNT / SLOTS_PER_SIMD; simd++)
      for (uint32_t active = machine_active_waves(machine, simd * SLOTS_PER_SIMD); active; active &= active - 1) {
         uint32_t slot = simd * SLOTS_PER_SIMD + __builtin_ctz(active);
         const struct machine_wave *wave = machine->in_slot[slot];
         if (!(wave && wave->wave.run == HDB_WAVE_STOPPED) && can_stop(machine, slot))
            return true;
      }
   return false;
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

/* `active` has a word for each SIMD, all ones until it is asked: it has no more than 16 slots. */
static bool
has_ended(struct hdb_machine *machine, const struct machine_wave *wave, uint32_t *active)
{
   if (!machine_has_registers(machine)) /* nothing tells; should it be late, it will be known as another wave */
      return is_over(machine, wave) || (wave->stepping && machine_now_ms() - wave->resumed_at > SILENCE_LIMIT_MS);
   uint32_t simd = wave->wave.slot / SLOTS_PER_SIMD;
   if (active[simd] == ~0u)
      active[simd] = machine_active_waves(machine, simd * SLOTS_PER_SIMD);
   if (machine->failure)
      return false;
   return !(active[simd] & 1u << wave->wave.slot % SLOTS_PER_SIMD) || !machine_owns_slot(machine, wave->wave.slot);
}

uint32_t
machine_reap(struct hdb_machine *machine)
{
   uint32_t stepped = 0;
   uint32_t active[SLOT_COUNT / SLOTS_PER_SIMD];
   memset(active, 0xff, sizeof(active));
   for (size_t i = machine->wave_count; i-- > 0;) {
      struct machine_wave *wave = machine->waves[i];
      if (wave->wave.run == HDB_WAVE_STOPPED || wave->arrived || !has_ended(machine, wave, active))
         continue;
      stepped += wave->stepping;
      machine_end_wave(machine, wave);
   }
   return stepped;
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

void
hdb_machine_set_lockstep(struct hdb_machine *machine, bool on)
{
   if (machine->target->ops->set_lockstep)
      machine->target->ops->set_lockstep(machine->target, on);
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
   for (int quiet = 0; !error && (quiet < QUIET_LIMIT || !machine_is_settled(machine)) && waves_to_come(machine);) {
      uint32_t before = stopped;
      machine->target->ops->wait_interrupt(machine->target, 1);
      stopped += machine_take_reports(machine);
      quiet = stopped == before ? quiet + 1 : 0;
   }
   /* A wave that takes its host trap only now (out of a barrier, say) is to run on. */
   hdb_trap_want(&machine->trap, WANT_HALT_BIT, false);
   machine_reap(machine);
   return error ?: machine->failure ?: (int)stopped;
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
   if (!error && status == ~0u)
      error = -ENODATA;
   if (error)
      return error;
   *va = hdb_canonical((low | (uint64_t)high << 32) << 12);
   return status ? 0 : -ENOENT;
}
