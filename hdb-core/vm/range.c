/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing through the page tables, and what they map. Entries are fetched by blocks of 512, and the last
 * few blocks kept: a range of 64 MiB in small pages needs some 40 reads of tables, not 80 000. Pages that follow each
 * other in physical memory are one access.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vm/page_table.h"

#define BLOCK_SIZE 4096ull
#define PAGE_SIZE 4096ull
#define BLOCKS 8
#define VA_SIZE (1ull << 48)
#define VA_MASK (VA_SIZE - 1)
#define RUN_STEPS 4096 /* entries: eight page tables */

struct block {
   bool filled, system;
   uint64_t address;
   uint8_t data[BLOCK_SIZE];
};

struct tables {
   hdb_vm_read read;
   void *user;
   uint32_t oldest;
   struct block block[BLOCKS];
};

struct transfer {
   hdb_vm_read read;
   hdb_vm_write write; /* NULL: the transfer reads */
   void *user;
   uint8_t *data;
};

/* As hdb_vm_read, for entries: an entry is aligned and so lies in one block. */
static int
read_entry(void *user, bool system, uint64_t address, void *data, size_t size)
{
   struct tables *tables = user;
   uint64_t start = address & ~(BLOCK_SIZE - 1);
   struct block *block = tables->block;
   while (block < tables->block + BLOCKS && !(block->filled && block->system == system && block->address == start))
      block++;
   if (block == tables->block + BLOCKS) {
      block = &tables->block[tables->oldest++ % BLOCKS];
      block->filled = false;
      if (tables->read(tables->user, system, start, block->data, BLOCK_SIZE) < 0)
         return tables->read(tables->user, system, address, data, size); /* a small table where memory ends */
      block->filled = true;
      block->system = system;
      block->address = start;
   }
   memcpy(data, block->data + (address - start), size);
   return 0;
}

/* A run of memory; pages that are not there read as zeros and take what is written. */
static int
transfer_run(struct transfer *transfer, bool memory, bool system, uint64_t address, uint64_t size)
{
   int result = 0;
   if (!memory && !transfer->write)
      memset(transfer->data, 0, size);
   else if (memory && transfer->write)
      result = transfer->write(transfer->user, system, address, transfer->data, size);
   else if (memory)
      result = transfer->read(transfer->user, system, address, transfer->data, size);
   transfer->data += size;
   return result;
}

static int
transfer_range(const struct hdb_vm *vm, struct transfer *transfer, uint64_t va, size_t size)
{
   if (size == 0)
      return 0;
   if (va + size - 1 < va)
      return -EFAULT;
   struct tables *tables = calloc(1, sizeof(*tables));
   if (!tables)
      return -ENOMEM;
   tables->read = transfer->read;
   tables->user = transfer->user;

   bool memory = false, system = false; /* the run so far */
   uint64_t address = 0, length = 0;
   int result = 0;
   while (size > 0) {
      struct hdb_vm_walk walk;
      result = hdb_vm_walk(vm, read_entry, tables, va, &walk);
      if (result < 0)
         break;
      uint64_t here = walk.page_size - ((va - walk.page_va) & VA_MASK);
      if (here > size)
         here = size;
      bool is_memory = walk.page != HDB_VM_PARTIALLY_RESIDENT;
      bool continues = is_memory == memory && (!memory || (walk.system == system && walk.address == address + length));
      if (length > 0 && !continues) {
         result = transfer_run(transfer, memory, system, address, length);
         length = 0;
         if (result < 0)
            break;
      }
      if (length == 0) {
         memory = is_memory;
         system = walk.system;
         address = walk.address;
      }
      length += here;
      va += here;
      size -= here;
   }
   if (length > 0) {
      int last = transfer_run(transfer, memory, system, address, length);
      if (result == 0)
         result = last;
   }
   free(tables);
   return result;
}

int
hdb_vm_read_range(const struct hdb_vm *vm, hdb_vm_read read, void *user, uint64_t va, void *data, size_t size)
{
   struct transfer transfer = {read, NULL, user, data};
   return transfer_range(vm, &transfer, va, size);
}

int
hdb_vm_write_range(const struct hdb_vm *vm, hdb_vm_read read, hdb_vm_write write, void *user, uint64_t va,
                   const void *data, size_t size)
{
   struct transfer transfer = {read, write, user, (uint8_t *)data};
   return transfer_range(vm, &transfer, va, size);
}

/* ---- runs ---- */

struct step {
   enum hdb_vm_page page;
   uint64_t flags, end;
};

/* The last entry that was read speaks for all that it spans; if none was, the space begins later, or is over. */
static int
take_step(const struct hdb_vm *vm, struct tables *tables, uint64_t va, struct step *step)
{
   struct hdb_vm_walk walk;
   int result = hdb_vm_walk(vm, read_entry, tables, va, &walk);
   if (result < 0 && result != -EFAULT)
      return result;
   step->page = walk.page;
   step->flags = result ? 0 : walk.flags;
   step->end = vm->enabled && va < vm->start ? vm->start : VA_SIZE;
   if (walk.count) {
      const struct hdb_vm_entry *last = &walk.entry[walk.count - 1];
      step->end = (last->va & VA_MASK) + last->span;
      if (step->end > vm->end)
         step->end = vm->end + 1;
   }
   return 0;
}

static bool
are_alike(const struct step *a, const struct step *b)
{
   const uint64_t access = HDB_PTE_READ | HDB_PTE_WRITE | HDB_PTE_EXECUTE;
   return a->page == b->page && (a->flags & access) == (b->flags & access) &&
          HDB_PTE_MTYPE(a->flags) == HDB_PTE_MTYPE(b->flags);
}

int
hdb_vm_get_run(const struct hdb_vm *vm, hdb_vm_read read, void *user, uint64_t va, struct hdb_vm_run *run)
{
   if (vm->vmid == 0)
      return -EINVAL;
   struct tables *tables = calloc(1, sizeof(*tables));
   if (!tables)
      return -ENOMEM;
   tables->read = read;
   tables->user = user;

   struct step first, next;
   va &= VA_MASK & ~(PAGE_SIZE - 1);
   int result = take_step(vm, tables, va, &first);
   uint64_t end = result ? va : first.end;
   for (int steps = 1; !result && steps < RUN_STEPS && end < VA_SIZE; steps++) {
      if (take_step(vm, tables, end, &next) || !are_alike(&next, &first))
         break;
      end = next.end;
   }
   free(tables);
   if (result)
      return result;
   *run = (struct hdb_vm_run){
      .va = (uint64_t)((int64_t)(va << 16) >> 16),
      .size = end - va,
      .page = first.page,
      .flags = first.flags,
   };
   return 0;
}
