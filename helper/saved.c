/* SPDX-License-Identifier: MIT */
/* The card as it was. */
#include "server.h"

#include <errno.h>
#include <string.h>

static const struct hdb_bank everything = {.se = HDB_BROADCAST, .sa = HDB_BROADCAST, .instance = HDB_BROADCAST};

/* What can't be put back now stays, for another attempt. Should this process be killed meanwhile, an entry may be there
 * twice, which does no harm. */
int
saved_registers_restore(struct saved_registers *saved, const struct server_card *card)
{
   int first_error = 0;
   uint32_t count = saved->count <= SAVED_CAPACITY ? saved->count : SAVED_CAPACITY;
   for (uint32_t i = count; i-- > 0;) {
      const struct saved_register *entry = &saved->registers[i];
      struct hdb_bank bank = everything;
      bank.vmid = entry->vmid;
      int error = card->write_register(card->user, &bank, entry->reg, entry->value);
      if (error) {
         first_error = first_error ?: error;
         continue;
      }
      memmove(&saved->registers[i], &saved->registers[i + 1], (--count - i) * sizeof(*entry));
      __atomic_store_n(&saved->count, count, __ATOMIC_RELEASE);
   }
   saved->armed &= first_error != 0;
   return first_error;
}

int
server_read_root(const struct server_card *card, uint32_t vmid, uint64_t *root)
{
   uint32_t low, high;
   int error = card->read_register(card->user, &everything, REG_GCVM_CONTEXT_PAGE_TABLE_BASE_LO(vmid), &low);
   error = error ?: card->read_register(card->user, &everything, REG_GCVM_CONTEXT_PAGE_TABLE_BASE_HI(vmid), &high);
   if (error)
      return error;
   *root = low | (uint64_t)high << 32;
   return *root == ~0ull ? -ENODATA : 0; /* without power */
}

void
saved_registers_kill_waves(struct saved_registers *saved, const struct server_card *card)
{
   uint64_t root;
   if (saved->armed && !server_read_root(card, saved->vmid, &root) && root == saved->root)
      card->write_register(card->user, &everything, REG_SQ_CMD,
                           SQ_CMD_KILL | SQ_CMD_BROADCAST | SQ_CMD_CHECK_VMID | saved->vmid << SQ_CMD_VMID_SHIFT);
}
