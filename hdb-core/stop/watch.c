/* SPDX-License-Identifier: MIT */
/* Address watches of the debugged address space. */
#include <errno.h>

#include "stop/private.h"
#include "target/target.h"
#include "wave/slot.h"

int
hdb_machine_set_watch(struct hdb_machine *machine, uint32_t watch, uint64_t va, uint64_t size, enum hdb_watch_mode mode)
{
   int error = machine->given_up ? -EIO : machine_find_vmid(machine);
   if (error)
      return -ENOTCONN;
   error = hdb_target_set_watch(machine->target, machine->trap.vmid, watch, va, size, mode);
   machine->watches |= 1u << watch;
   if (error)
      hdb_machine_clear_watch(machine, watch); /* it may be on in part */
   return error;
}

void
hdb_machine_clear_watch(struct hdb_machine *machine, uint32_t watch)
{
   if (!(machine->watches & 1u << watch))
      return;
   machine->watches &= ~(1u << watch);
   hdb_target_clear_watch(machine->target, machine->trap.vmid, watch);
}

bool
hdb_machine_has_precise_watches(const struct hdb_machine *machine)
{
   return machine->target->ops->precise_watches;
}

int
hdb_machine_read_watched(struct hdb_machine *machine, const struct hdb_wave *wave, struct hdb_watched *watched)
{
   const struct hdb_target_ops *ops = machine->target->ops;
   struct slot_place place = hdb_slot_place(wave->slot);
   struct hdb_bank bank = {.se = place.se, .sa = place.sa, .instance = place.wgp << 2 | place.simd};
   if (!ops->read_watched || !machine_has_registers(machine))
      return -ENOTSUP;
   int error = ops->read_watched(machine->target, &bank, place.wave, watched);
   return error ? error : watched->lanes ? 0 : -ENOTSUP;
}
