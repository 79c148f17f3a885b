/* SPDX-License-Identifier: MIT */
/*
 * gfx11 page tables, four levels, standing in VRAM as the hardware's walker reads them.
 *
 *   va   47      39 38      30 29      21 20      12 11       0
 *       +----------+----------+----------+----------+----------+
 *       |   PDB2   |   PDB1   |   PDB0   |   PTB    |  offset  |     a table: 512 entries of 8 bytes
 *       +----------+----------+----------+----------+----------+
 *
 * Page directory entry (umr's vm decoder; amdgpu_vm.h, AMDGPU_PDE_* and AMDGPU_PTE_*):
 *    0 V valid    1 S system    2 C coherent    47:6 address of the next table    50:48 MTYPE
 *   54 P this entry is a PTE for all the memory it spans    63:59 block fragment size
 * Page table entry:
 *    0 V valid    1 S system    2 C snooped     3 TMZ    4 X execute    5 R read    6 W write
 *   11:7 FRAGMENT log2 of the 4 KiB pages that are known to continue this one    47:12 page address
 *   50:48 MTYPE  51 PRT   54 P    55 LOG
 * MTYPE: 0 NC, 1 RW, 2 CC, 3 UC.
 *
 * VRAM addresses are offsets (FB_OFFSET is 0). With S the address is one of the host process. A PRT page has V clear
 * and PRT set, with S, C and LOG, as amdgpu writes it.
 *
 * The GPU's thread walks without a lock while entries change, so an entry is written in one store, after what it
 * points at, and a table is not given back before the address space ends.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "vm/written.h"

#define PTE_VALID (1ull << 0)
#define PTE_SYSTEM (1ull << 1)
#define PTE_SNOOPED (1ull << 2)
#define PTE_EXECUTE (1ull << 4)
#define PTE_READ (1ull << 5)
#define PTE_WRITE (1ull << 6)
#define PTE_FRAGMENT(n) ((uint64_t)(n) << 7)
#define PTE_ADDRESS 0x0000fffffffff000ull
#define PTE_MTYPE(n) ((uint64_t)(n) << 48)
#define PTE_PRT (1ull << 51)
#define PTE_LOG (1ull << 55)
#define PDE_ADDRESS 0x0000ffffffffffc0ull
#define PDE_PTE (1ull << 54)

#define PAGE 4096ull
#define HUGE_PAGE (PAGE * 512)
#define ENTRIES 512
#define ROOT_LEVEL 3
#define VA_SIZE (1ull << 48)

static uint64_t *
table_at(struct vgpu *gpu, uint64_t address)
{
   return (uint64_t *)(gpu->memory + address);
}

static uint32_t
index_at(uint64_t va, uint32_t level)
{
   return va >> (12 + 9 * level) & (ENTRIES - 1);
}

static uint64_t
load(const uint64_t *entry)
{
   return __atomic_load_n(entry, __ATOMIC_ACQUIRE);
}

static void
store(uint64_t *entry, uint64_t value)
{
   __atomic_store_n(entry, value, __ATOMIC_RELEASE);
}

/* Whoever writes to VRAM may have left anything in an entry. */
static bool
points_at_table(const struct vm *vm, uint64_t pde)
{
   return (pde & (PTE_VALID | PTE_SYSTEM | PDE_PTE)) == PTE_VALID && (pde & PDE_ADDRESS) <= vm->gpu->vram_size - PAGE;
}

static int
alloc_table(struct vm *vm, uint64_t *address)
{
   if (vm->table_pages == vm->table_capacity) {
      uint64_t capacity = vm->table_capacity ? vm->table_capacity * 2 : 16;
      uint64_t *tables = realloc(vm->tables, capacity * sizeof(*tables));
      if (!tables)
         return -ENOMEM;
      vm->tables = tables;
      vm->table_capacity = capacity;
   }
   int r = heap_alloc(&vm->gpu->vram, PAGE, PAGE, true, address);
   if (!r)
      vm->tables[vm->table_pages++] = *address;
   return r;
}

int
vm_init(struct vm *vm, struct vgpu *gpu)
{
   memset(vm, 0, sizeof(*vm));
   vm->gpu = gpu;
   int r = alloc_table(vm, &vm->root);
   if (r)
      free(vm->tables);
   else
      pthread_mutex_init(&vm->lock, NULL);
   return r;
}

void
vm_finish(struct vm *vm)
{
   if (!vm->gpu)
      return;
   if (vm->vmid)
      __atomic_store_n(&vm->gpu->vmid[vm->vmid], NULL, __ATOMIC_RELEASE);
   atomic_fetch_add(&vm->gpu->vm_generation, 1);
   for (uint64_t i = 0; i < vm->table_pages; i++) {
      vgpu_release_memory(vm->gpu, vm->tables[i], PAGE);
      heap_free(&vm->gpu->vram, vm->tables[i], PAGE);
   }
   free(vm->tables);
   pthread_mutex_destroy(&vm->lock);
   memset(vm, 0, sizeof(*vm));
}

/* amdgpu gives ids 8 to 15 to compute processes that come through the other kernel driver, and 0 is its own. */
int
vm_assign_vmid(struct vm *vm)
{
   int r = 0;
   pthread_mutex_lock(&vm->lock);
   for (uint32_t id = 1; !vm->vmid && id < VGPU_KERNEL_VMIDS; id++) {
      struct vm *none = NULL;
      if (__atomic_compare_exchange_n(&vm->gpu->vmid[id], &none, vm, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
         vm->vmid = id;
   }
   if (!vm->vmid)
      r = -EBUSY;
   pthread_mutex_unlock(&vm->lock);
   return r;
}

/* Makes a table of 512 small pages out of one 2 MiB page (or out of nothing). */
static int
split(struct vm *vm, uint64_t *pde)
{
   uint64_t old = load(pde), address;
   int r = alloc_table(vm, &address);
   if (r)
      return r;

   if (old & PDE_PTE) {
      uint64_t *table = table_at(vm->gpu, address);
      bool backed = old & PTE_VALID;
      for (uint32_t i = 0; i < ENTRIES; i++)
         table[i] = (old & ~PDE_PTE) + (backed ? i * PAGE : 0);
   }
   store(pde, address | PTE_VALID);
   return 0;
}

/* The PDB0 entry for `va`; NULL if there is none and `create` is not set, or (-ENOMEM) cannot be one. */
static uint64_t *
find_pde0(struct vm *vm, uint64_t va, bool create)
{
   uint64_t table = vm->root;
   for (uint32_t level = ROOT_LEVEL; level > 1; level--) {
      uint64_t *entry = &table_at(vm->gpu, table)[index_at(va, level)];
      if (!points_at_table(vm, load(entry))) {
         if (!create || split(vm, entry))
            return NULL;
      }
      table = load(entry) & PDE_ADDRESS;
   }
   return &table_at(vm->gpu, table)[index_at(va, 1)];
}

/* The largest power of two of pages, as a shift, that lies aligned at `va` and continues for `size` bytes. */
static uint32_t
fragment_of(uint64_t va, uint64_t target, uint64_t size)
{
   uint64_t pages = size / PAGE;
   uint32_t fragment = 63 - __builtin_clzll(pages);
   uint64_t alignment = (va | target) / PAGE;
   if (alignment && (uint32_t)__builtin_ctzll(alignment) < fragment)
      fragment = __builtin_ctzll(alignment);
   return fragment < 9 ? fragment : 9;
}

/* Writes entries for [va, va + size) with `flags`. Addresses advance with the pages if flags say V. */
static int
set_range(struct vm *vm, uint64_t va, uint64_t size, uint64_t target, uint64_t flags)
{
   bool clears = !(flags & (PTE_VALID | PTE_PRT));

   while (size) {
      uint64_t chunk = HUGE_PAGE - va % HUGE_PAGE;
      if (chunk > size)
         chunk = size;

      uint64_t *pde = find_pde0(vm, va, !clears);
      if (!pde && !clears)
         return -ENOMEM;
      uint64_t old = pde ? load(pde) : 0;

      if (pde && chunk == HUGE_PAGE && target % HUGE_PAGE == 0 && !points_at_table(vm, old)) {
         store(pde, clears ? 0 : flags | PDE_PTE | (flags & PTE_VALID ? PTE_FRAGMENT(9) | target : 0));
      } else if (pde && (!clears || old)) {
         if (!points_at_table(vm, old)) {
            int r = split(vm, pde);
            if (r)
               return r;
         }
         uint64_t *table = table_at(vm->gpu, load(pde) & PDE_ADDRESS);
         for (uint64_t at = 0; at < chunk;) {
            uint64_t entry = flags;
            uint32_t fragment = fragment_of(va + at, target + at, chunk - at);
            if (flags & PTE_VALID)
               entry |= PTE_FRAGMENT(fragment);
            for (uint32_t i = 0; i < 1u << fragment; i++, at += PAGE)
               store(&table[index_at(va + at, 0)], entry | (flags & PTE_VALID ? target + at : 0));
         }
      }
      va += chunk;
      target += flags & PTE_VALID ? chunk : 0;
      size -= chunk;
   }
   return 0;
}

static bool
is_valid_range(uint64_t va, uint64_t size)
{
   return va % PAGE == 0 && size % PAGE == 0 && size && va < VA_SIZE && size <= VA_SIZE - va;
}

static int
change(struct vm *vm, uint64_t va, uint64_t size, uint64_t target, uint64_t flags)
{
   va &= VA_SIZE - 1; /* addresses come sign-extended from bit 47 */
   if (!is_valid_range(va, size) || target & ~PTE_ADDRESS)
      return -EINVAL;

   pthread_mutex_lock(&vm->lock);
   int r = set_range(vm, va, size, target, flags);
   atomic_fetch_add(&vm->gpu->vm_generation, 1);
   if (flags & PTE_VALID) /* other contents are there than before, for whoever goes by address */
      written_add(vm->gpu, flags & PTE_SYSTEM ? target - (uintptr_t)vm->gpu->memory : target, size);
   pthread_mutex_unlock(&vm->lock);
   return r;
}

int
vm_map(struct vm *vm, uint64_t va, uint64_t size, uint64_t target, bool system, uint32_t access, uint32_t mtype)
{
   if (!system && (target > vm->gpu->vram_size || size > vm->gpu->vram_size - target))
      return -EINVAL;

   uint64_t flags = PTE_VALID | PTE_MTYPE(mtype & 7);
   if (system)
      flags |= PTE_SYSTEM | PTE_SNOOPED;
   if (access & VM_READ)
      flags |= PTE_READ;
   if (access & VM_WRITE)
      flags |= PTE_WRITE;
   if (access & VM_EXECUTE)
      flags |= PTE_EXECUTE;
   return change(vm, va, size, target, flags);
}

int
vm_map_prt(struct vm *vm, uint64_t va, uint64_t size)
{
   return change(vm, va, size, 0, PTE_PRT | PTE_SYSTEM | PTE_SNOOPED | PTE_LOG);
}

int
vm_unmap(struct vm *vm, uint64_t va, uint64_t size)
{
   return change(vm, va, size, 0, 0);
}

void
vm_walk(struct vm *vm, uint64_t va, struct vm_walk *walk)
{
   *walk = (struct vm_walk){.result = VM_NOT_MAPPED};
   uint64_t table = vm->root;

   for (uint32_t level = ROOT_LEVEL;; level--) {
      walk->level = level;
      walk->entry_address = table + index_at(va, level) * 8;
      walk->entry = load(table_at(vm->gpu, table) + index_at(va, level));
      if (level == 0 || walk->entry & PDE_PTE)
         break;
      if (!points_at_table(vm, walk->entry))
         return;
      table = walk->entry & PDE_ADDRESS;
   }

   uint64_t entry = walk->entry;
   if (entry & PTE_PRT) {
      walk->result = VM_PRT;
      walk->access = VM_READ | VM_WRITE;
      return;
   }
   if (!(entry & PTE_VALID))
      return;

   walk->result = VM_MAPPED;
   walk->system = entry & PTE_SYSTEM;
   walk->target = (entry & PTE_ADDRESS) + (va & ((PAGE << 9 * walk->level) - 1));
   walk->mtype = entry >> 48 & 7;
   walk->access =
      (entry & PTE_READ ? VM_READ : 0) | (entry & PTE_WRITE ? VM_WRITE : 0) | (entry & PTE_EXECUTE ? VM_EXECUTE : 0);
   if (!walk->system && walk->target >= vm->gpu->vram_size)
      walk->result = VM_NOT_MAPPED;
}
