/* SPDX-License-Identifier: MIT */
/*
 * gfx11 page tables (umr's vm decoder for GC 11; the kernel's gmc_v11_0.c and amdgpu_vm.h):
 *
 * PDE   0 V valid   1 S system   2 C coherent   47:6 address of a table   50:48 MTYPE   54 P this PDE is a PTE
 *       57 TFS   58 NOALLOC   63:59 BFS block fragment size
 * PTE   0 V valid   1 S system   2 C snooped   3 TMZ   4 X   5 R   6 W   11:7 FRAGMENT   47:12 page address
 *       50:48 MTYPE   51 PRT   53:52 software's   54 P   55 LOG   56 F further   57 GCR   58 NOALLOC
 *
 * An address counts from the start of its space. DEPTH directories are above the page table, of 512 entries each but
 * the uppermost, which has as many as the space needs. A page table covers 2 MiB << BLOCK_SIZE; its entries are for
 * 4 KiB << BFS each, BFS being that of the entry that points at it (PDE0; the register, where there is no directory).
 * A PTE with F is a PDE in its turn, of a table over what the PTE would be for, by pages of 4 KiB << its own BFS.
 */
#include <errno.h>
#include <string.h>

#include "vm/page_table.h"

#define VA_MASK ((1ull << 48) - 1)
#define BLOCK_SHIFT 21
#define PAGE_SHIFT 12
#define DIRECTORY_BITS 9

struct walker {
   const struct hdb_vm *vm;
   hdb_vm_read read;
   void *user;
   uint64_t offset; /* of the address in its space */
   struct hdb_vm_walk *walk;
};

static uint64_t
canonical(uint64_t va)
{
   return (uint64_t)((int64_t)(va << 16) >> 16);
}

static int
fail(struct walker *walker, const char *reason)
{
   walker->walk->reason = reason;
   return -EFAULT;
}

static struct hdb_vm_entry *
last_entry(struct walker *walker)
{
   return &walker->walk->entry[walker->walk->count - 1];
}

/* Where an address of VRAM in an entry really leads. Without a frame buffer what looks like VRAM is system memory that
 * the AGP aperture remaps. */
static int
locate(struct walker *walker, bool is_system, uint64_t in_entry, bool *system, uint64_t *address)
{
   const struct hdb_vm *vm = walker->vm;
   *system = is_system;
   *address = in_entry;
   if (is_system)
      return 0;
   if (in_entry < vm->fb_offset)
      return fail(walker, "the address is below FB_OFFSET");
   *address -= vm->fb_offset;
   if (vm->fb_base > vm->fb_top) {
      if (*address < vm->agp_bottom || *address > vm->agp_top)
         return fail(walker, "there is no frame buffer, and the address is outside the AGP aperture");
      *system = true;
      *address += vm->agp_base - vm->agp_bottom;
   } else if (*address > vm->fb_top - vm->fb_base) {
      return fail(walker, "the address is beyond the frame buffer");
   }
   return 0;
}

/* An entry of the table that the last one points at; it is for `span` bytes. */
static int
read_entry(struct walker *walker, uint64_t table, bool table_is_system, uint32_t level, uint64_t index, uint32_t shift)
{
   bool system;
   uint64_t address, value;
   int result = locate(walker, table_is_system, table + index * 8, &system, &address);
   if (result < 0)
      return result;
   result = walker->read(walker->user, system, address, &value, sizeof(value));
   if (result < 0)
      return result;

   walker->walk->entry[walker->walk->count++] = (struct hdb_vm_entry){
      .kind = HDB_VM_PDE,
      .level = level,
      .index = (uint32_t)index,
      .system = system,
      .address = address,
      .value = value,
      .va = canonical(walker->vm->start + (walker->offset >> shift << shift)),
      .span = 1ull << shift,
   };
   return 0;
}

/* The last entry is all there is: what does it say of the address? */
static int
finish(struct walker *walker)
{
   struct hdb_vm_walk *walk = walker->walk;
   struct hdb_vm_entry *entry = last_entry(walker);
   uint64_t value = entry->value;
   entry->kind = HDB_VM_PTE;
   walk->flags = value;
   walk->page_va = entry->va;
   walk->page_size = entry->span;

   if (!(value & HDB_PTE_VALID)) {
      if (!(value & HDB_PTE_PRT))
         return fail(walker, "the entry is not valid");
      walk->page = HDB_VM_PARTIALLY_RESIDENT;
      return 0;
   }
   /* AMDGPU_VM_NORETRY_FLAGS_TF: says that accesses fail at once */
   if (value & HDB_PTE_PRT && !(value & (HDB_PTE_READ | HDB_PTE_WRITE | HDB_PTE_EXECUTE)))
      return fail(walker, "the entry is marked to fault");
   uint64_t page = (value & HDB_PTE_ADDRESS) + (walker->offset & (entry->span - 1));
   int result = locate(walker, value & HDB_PTE_SYSTEM, page, &walk->system, &walk->address);
   if (result == 0)
      walk->page = HDB_VM_MEMORY;
   return result;
}

/* The last entry is a PTE that points at a further table: one more step, over the 2^`bits` times 4 KiB that it is for.
 * `pde` led to the page table. */
static int
walk_further(struct walker *walker, uint64_t pde, uint32_t bits)
{
   struct hdb_vm_entry *entry = last_entry(walker);
   uint64_t value = entry->value;
   uint32_t fragment = HDB_PDE_BFS(value);
   entry->kind = HDB_VM_FURTHER;
   if (fragment > bits)
      return fail(walker, "the entry's block fragment is larger than what it is for");

   uint32_t shift = PAGE_SHIFT + fragment;
   uint64_t index = walker->offset >> shift & ((1ull << (bits - fragment)) - 1);
   uint64_t table = value & HDB_PDE_ADDRESS;
   if (pde & HDB_PDE_TFS)
      table += pde & HDB_PDE_ADDRESS;
   int result = read_entry(walker, table, value & HDB_PTE_SYSTEM, 0, index, shift);
   if (result < 0)
      return result;
   if ((last_entry(walker)->value & (HDB_PTE_VALID | HDB_PTE_FURTHER)) == (HDB_PTE_VALID | HDB_PTE_FURTHER))
      return fail(walker, "the entry points further a second time");
   return finish(walker);
}

/* From the root to the page. */
static int
walk_tables(struct walker *walker)
{
   const struct hdb_vm *vm = walker->vm;
   uint64_t pde = vm->root;
   walker->walk->entry[walker->walk->count++] = (struct hdb_vm_entry){
      .kind = HDB_VM_ROOT,
      .level = vm->depth + 1,
      .value = vm->root,
      .va = canonical(vm->start),
      .span = vm->end - vm->start + 1,
   };
   if (!(pde & HDB_PTE_VALID))
      return fail(walker, "the address space has no page tables");

   for (uint32_t level = vm->depth; level > 0; level--) {
      uint32_t shift = BLOCK_SHIFT + vm->block_size + DIRECTORY_BITS * (level - 1);
      uint64_t index = walker->offset >> shift;
      if (level < vm->depth)
         index &= (1u << DIRECTORY_BITS) - 1;
      int result = read_entry(walker, pde & HDB_PDE_ADDRESS, pde & HDB_PTE_SYSTEM, level, index, shift);
      if (result < 0)
         return result;
      pde = last_entry(walker)->value;
      if (pde & HDB_PDE_PTE) {
         if (pde & HDB_PTE_VALID && pde & HDB_PTE_FURTHER)
            return fail(walker, "the entry is both a page and a table");
         return finish(walker);
      }
      if (!(pde & HDB_PTE_VALID))
         return fail(walker, "the entry is not valid");
   }

   uint32_t fragment = HDB_PDE_BFS(pde), table_bits = BLOCK_SHIFT - PAGE_SHIFT + vm->block_size;
   if (vm->depth > 0 && fragment > table_bits)
      return fail(walker, "the block fragment is larger than the page table's block");
   uint32_t shift = PAGE_SHIFT + fragment;
   uint64_t index = walker->offset >> shift;
   if (vm->depth > 0)
      index &= (1ull << (table_bits - fragment)) - 1;
   int result = read_entry(walker, pde & HDB_PDE_ADDRESS, pde & HDB_PTE_SYSTEM, 0, index, shift);
   if (result < 0)
      return result;
   uint64_t pte = last_entry(walker)->value;
   if (pte & HDB_PTE_VALID && pte & HDB_PTE_FURTHER)
      return walk_further(walker, pde, fragment);
   return finish(walker);
}

/* VMID 0 beside its page tables: an address of the memory controller. */
static int
reach_untranslated(struct walker *walker, uint64_t va)
{
   const struct hdb_vm *vm = walker->vm;
   struct hdb_vm_walk *walk = walker->walk;
   uint64_t first, last;
   if (va >= vm->fb_base && va <= vm->fb_top) {
      first = vm->fb_base;
      last = vm->fb_top;
      walk->address = va - vm->fb_base;
   } else if (va >= vm->agp_bottom && va <= vm->agp_top) {
      first = vm->agp_bottom;
      last = vm->agp_top;
      walk->system = true;
      walk->address = va - vm->agp_bottom + vm->agp_base;
   } else {
      return fail(walker, "the address is not translated, and neither in the frame buffer nor in the AGP aperture");
   }
   walk->page = HDB_VM_UNTRANSLATED;
   walk->page_va = canonical(first);
   walk->page_size = last - first + 1;
   return 0;
}

static bool
is_translated(const struct hdb_vm *vm, uint64_t va)
{
   if (vm->vmid != 0 || vm->system_access_mode == 1)
      return true;
   bool in_aperture = va >= vm->system_low && va <= vm->system_high;
   return vm->system_access_mode == 2 ? in_aperture : vm->system_access_mode == 3 && !in_aperture;
}

int
hdb_vm_walk(const struct hdb_vm *vm, hdb_vm_read read, void *user, uint64_t va, struct hdb_vm_walk *walk)
{
   struct walker walker = {vm, read, user, 0, walk};
   memset(walk, 0, sizeof(*walk));
   if (va > VA_MASK && canonical(va) != va)
      return fail(&walker, "no such address: bits 63:48 do not continue bit 47");
   va &= VA_MASK;
   if (!is_translated(vm, va))
      return reach_untranslated(&walker, va);
   if (!vm->enabled)
      return fail(&walker, "the address space is not enabled");
   if (va < vm->start || va > vm->end)
      return fail(&walker, "the address is outside the address space");
   walker.offset = va - vm->start;
   return walk_tables(&walker);
}
