/* SPDX-License-Identifier: MIT */
/* What a dispatch was launched with, and what memory there is: for whoever wants to launch it once more, elsewhere. */
#include <errno.h>

#include "stop/private.h"
#include "target/registers.h"
#include "target/target.h"

void
hdb_machine_launch_words(struct hdb_machine *machine, const struct hdb_dispatch *dispatch, uint32_t *rsrc2,
                         uint32_t *rsrc3)
{
   for (size_t i = 0; i < machine->armed_count; i++) {
      const struct armed_dispatch *armed = &machine->armed[i];
      if (armed->rsrc2 == dispatch->rsrc2_dword) {
         *rsrc2 = armed->old_rsrc2;
         *rsrc3 = armed->old_rsrc3;
         return;
      }
   }
   *rsrc2 = *dispatch->rsrc2_dword;
   *rsrc3 = *dispatch->rsrc3_dword;
}

/* HW_ID2 (gfx11): QUEUE_ID 3:0, PIPE_ID 5:4, ME_ID 9:8. UMR register database. */
int
hdb_machine_read_queue_register(struct hdb_machine *machine, const struct hdb_wave *wave, uint32_t reg, uint32_t *value)
{
   if (!machine_has_registers(machine))
      return -ENOTCONN;
   struct hdb_bank bank = {
      .me = wave->hw_id2 >> 8 & 3,
      .pipe = wave->hw_id2 >> 4 & 3,
      .queue = wave->hw_id2 & 15,
      .vmid = machine->trap.vmid,
      .se = HDB_BROADCAST,
      .sa = HDB_BROADCAST,
      .instance = HDB_BROADCAST,
   };
   return machine->target->ops->read_register(machine->target, &bank, reg, value);
}

/* ---- mappings ---- */

#define OWN_MEMORIES 4

static void
list_own(const struct hdb_trap *trap, const struct hdb_memory *own[OWN_MEMORIES])
{
   own[0] = &trap->code;
   own[1] = &trap->tma;
   own[2] = &trap->slots;
   own[3] = &trap->displaced;
}

/* Makes the mapping shorter, up to where memory of our own begins. Where it begins with some: false, *va is behind. */
static bool
leave_out_own(const struct hdb_machine *machine, struct hdb_mapping *mapping, uint64_t *va)
{
   const struct hdb_memory *own[OWN_MEMORIES];
   list_own(&machine->trap, own);
   for (size_t i = 0; i < OWN_MEMORIES; i++) {
      uint64_t size = (own[i]->size + 4095) & ~4095ull;
      if (!size)
         continue;
      if (mapping->va - own[i]->va < size) {
         *va = own[i]->va + size;
         return false;
      }
      if (own[i]->va - mapping->va < mapping->size)
         mapping->size = own[i]->va - mapping->va;
   }
   return true;
}

int
hdb_machine_next_mapping(struct hdb_machine *machine, uint64_t va, struct hdb_mapping *mapping)
{
   const struct hdb_target_ops *ops = machine->target->ops;
   int error = machine->given_up || machine_find_vmid(machine) ? -ENOTCONN : 0; /* -ENOENT means another thing */
   if (!error && !ops->next_mapping)
      error = -ENOTSUP;
   while (!error) {
      error = ops->next_mapping(machine->target, machine->trap.vmid, va, mapping);
      if (!error && leave_out_own(machine, mapping, &va))
         break;
   }
   return error;
}

int
hdb_machine_collect_writes(struct hdb_machine *machine, bool on)
{
   const struct hdb_target_ops *ops = machine->target->ops;
   return ops->collect_writes ? ops->collect_writes(machine->target, on) : -ENOTSUP;
}

bool
hdb_machine_may_have_changed(struct hdb_machine *machine, uint64_t va, uint64_t size)
{
   const struct hdb_target_ops *ops = machine->target->ops;
   bool told = ops->may_have_changed && !machine_find_vmid(machine);
   return !told || ops->may_have_changed(machine->target, machine->trap.vmid, va, size);
}
