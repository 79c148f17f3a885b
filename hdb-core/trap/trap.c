/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "target/target.h"
#include "trap/trap.h"

static void
write32(struct hdb_memory *memory, uint32_t offset, uint32_t value)
{
   __atomic_store_n((uint32_t *)((uint8_t *)memory->map + offset), value, __ATOMIC_RELEASE);
}

static void
write64(struct hdb_memory *memory, uint32_t offset, uint64_t value)
{
   __atomic_store_n((uint64_t *)((uint8_t *)memory->map + offset), value, __ATOMIC_RELEASE);
}

/* An entry is invalid while it changes: see FIND in handler.S. */
static void
write_entry(struct hdb_trap *trap, struct trap_table *table, uint32_t i, struct trap_entry entry)
{
   uint32_t offset = table->offset + i * TABLE_ENTRY_SIZE;
   table->entries[i] = entry;
   write64(&trap->tma, offset, ~0ull);
   write64(&trap->tma, offset + 8, entry.value);
   write64(&trap->tma, offset, entry.pc);
}

/* Half the number of entries, rounded up to a power of two, in bytes. */
static void
write_step(struct hdb_trap *trap, struct trap_table *table, uint32_t count)
{
   uint32_t size = 1;
   while (size < count)
      size *= 2;
   write32(&trap->tma, table->step_offset, size / 2 * TABLE_ENTRY_SIZE);
}

static uint32_t
lower_bound(const struct trap_table *table, uint64_t pc)
{
   uint32_t low = 0, high = table->count;
   while (low < high) {
      uint32_t middle = (low + high) / 2;
      if (table->entries[middle].pc < pc)
         low = middle + 1;
      else
         high = middle;
   }
   return low;
}

/* Entries move from the end inwards, so that the table stays sorted and complete for a wave that searches it now. */
int
hdb_trap_table_set(struct hdb_trap *trap, struct trap_table *table, uint64_t pc, uint64_t value)
{
   uint32_t place = lower_bound(table, pc);
   struct trap_entry entry = {pc, value};
   if (place == table->count || table->entries[place].pc != pc) {
      if (table->count == TABLE_CAPACITY)
         return -ENOSPC;
      write_step(trap, table, table->count + 1);
      for (uint32_t i = table->count++; i > place; i--)
         write_entry(trap, table, i, table->entries[i - 1]);
   }
   write_entry(trap, table, place, entry);
   return 0;
}

void
hdb_trap_table_unset(struct hdb_trap *trap, struct trap_table *table, uint64_t pc)
{
   uint32_t place = lower_bound(table, pc);
   if (place == table->count || table->entries[place].pc != pc)
      return;
   table->count--;
   for (uint32_t i = place; i < table->count; i++)
      write_entry(trap, table, i, table->entries[i + 1]);
   write_entry(trap, table, table->count, (struct trap_entry){~0ull, 0});
   write_step(trap, table, table->count);
}

static void
init_table(struct hdb_trap *trap, struct trap_table *table, uint32_t offset, uint32_t step_offset)
{
   table->offset = offset;
   table->step_offset = step_offset;
   table->count = 0;
   memset((uint8_t *)trap->tma.map + offset, 0xff, TABLE_CAPACITY * TABLE_ENTRY_SIZE);
   write_step(trap, table, 0);
}

static void
free_all(struct hdb_trap *trap)
{
   struct hdb_memory *memories[] = {&trap->code, &trap->tma, &trap->slots, &trap->displaced};
   for (size_t i = 0; i < sizeof(memories) / sizeof(*memories); i++) {
      if (memories[i]->map)
         trap->driver->free_memory(trap->driver, memories[i]);
      *memories[i] = (struct hdb_memory){0};
   }
}

static int
alloc_all(struct hdb_trap *trap, size_t code_size)
{
   const struct {
      struct hdb_memory *memory;
      uint64_t size;
      uint32_t flags;
   } wanted[] = {
      {&trap->code, code_size, HDB_MEMORY_UNCACHED | HDB_MEMORY_EXECUTABLE},
      {&trap->tma, TMA_SIZE, HDB_MEMORY_UNCACHED},
      /* Room for 256 VGPRs in every slot: 195 MiB of addresses. On the virtual GPU only what is touched takes memory.
       */
      {&trap->slots, (uint64_t)SLOT_COUNT * SLOT_SIZE, HDB_MEMORY_UNCACHED},
      {&trap->displaced, DISPLACED_SIZE * DISPLACED_CAPACITY, HDB_MEMORY_UNCACHED | HDB_MEMORY_EXECUTABLE},
   };
   for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
      int error = trap->driver->alloc_memory(trap->driver, wanted[i].size, wanted[i].flags, wanted[i].memory);
      if (error) {
         *wanted[i].memory = (struct hdb_memory){0};
         return error;
      }
   }
   return 0;
}

int
hdb_trap_install(struct hdb_trap *trap, struct hdb_driver *driver, struct hdb_target *target, const uint32_t *code,
                 size_t size, bool second_level)
{
   trap->driver = driver;
   trap->target = target;
   trap->second_level = second_level;
   trap->want = 0;
   trap->ring_tail = 0;
   int error = alloc_all(trap, size);
   if (!error) {
      memcpy(trap->code.map, code, size);
      memset(trap->tma.map, 0, TMA_SIZE);
      write64(&trap->tma, TMA_SLOTS, trap->slots.va);
      write64(&trap->tma, TMA_DISPLACED, hdb_trap_pc(trap->displaced.va));
      init_table(trap, &trap->launches, TMA_LAUNCHES, TMA_LAUNCH_STEP);
      init_table(trap, &trap->plants, TMA_PLANTS, TMA_PLANT_STEP);
      error = second_level
                 ? target->ops->set_second_level(target, trap->code.va, trap->code.size, trap->tma.va, trap->tma.size)
                 : target->ops->install_trap(target, trap->vmid, trap->code.va, trap->tma.va);
   }
   if (error)
      free_all(trap);
   return error;
}

/* Where the kernel goes on calling the handler, it stays: it finds that nothing is wanted. */
void
hdb_trap_remove(struct hdb_trap *trap)
{
   if (trap->second_level && trap->target->ops->clear_second_level(trap->target))
      return;
   if (!trap->second_level)
      trap->target->ops->remove_trap(trap->target, trap->vmid);
   free_all(trap);
}

void
hdb_trap_want(struct hdb_trap *trap, uint32_t bit, bool wanted)
{
   trap->want = (trap->want & ~(1u << bit)) | (uint32_t)wanted << bit;
   write32(&trap->tma, TMA_WANT, trap->want);
}

void
hdb_trap_set_filter(struct hdb_trap *trap, const uint32_t workgroup[3])
{
   if (workgroup)
      for (int i = 0; i < 3; i++)
         write32(&trap->tma, TMA_FILTER_X + 4 * i, workgroup[i]);
   hdb_trap_want(trap, WANT_FILTER_BIT, workgroup);
}

int
hdb_trap_next_stopped(struct hdb_trap *trap)
{
   uint32_t *entry = (uint32_t *)((uint8_t *)trap->tma.map + TMA_RING) + trap->ring_tail % RING_ENTRIES;
   uint32_t value = __atomic_load_n(entry, __ATOMIC_ACQUIRE);
   if (!(value & 1u << RING_VALID_BIT))
      return -1;
   __atomic_store_n(entry, 0, __ATOMIC_RELEASE);
   trap->ring_tail++;
   uint32_t slot = value & ~(1u << RING_VALID_BIT);
   return slot < SLOT_COUNT ? (int)slot : -1;
}
