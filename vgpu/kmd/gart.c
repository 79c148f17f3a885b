/* SPDX-License-Identifier: MIT */
/*
 * The kernel's own address space, VMID 0: one flat table (the GART), for a window of addresses that lead to system
 * memory; what lies outside of it is taken as it is (SYSTEM_ACCESS_MODE). Nothing on this card goes through it: it is
 * there for those who look at page tables from outside, with one page in it, as the kernel has for what the card writes
 * back.
 */
#include <string.h>

#include "kmd/kmd.h"

#define PAGE 4096ull

/* AMDGPU_PTE_*: V, S, snooped, X, R, W */
#define PTE_FLAGS 0x77ull

int
gart_init(struct kmd *kmd)
{
   struct vgpu *gpu = kmd->gpu;
   int r = heap_alloc(&gpu->vram, PAGE, PAGE, true, &gpu->gart_table);
   if (r)
      return r;
   r = heap_alloc(&gpu->gtt, PAGE, PAGE, true, &kmd->write_back);
   if (r) {
      heap_free(&gpu->vram, gpu->gart_table, PAGE);
      gpu->gart_table = 0;
      return r;
   }
   uint64_t page = (uint64_t)(uintptr_t)gpu->memory + gpu->vram_size + kmd->write_back;
   uint64_t entry = page | PTE_FLAGS;
   memset(gpu->memory + gpu->gart_table, 0, PAGE);
   memcpy(gpu->memory + gpu->gart_table, &entry, sizeof(entry));
   return 0;
}

void
gart_finish(struct kmd *kmd)
{
   struct vgpu *gpu = kmd->gpu;
   if (!gpu->gart_table)
      return;
   vgpu_release_memory(gpu, gpu->gart_table, PAGE);
   heap_free(&gpu->vram, gpu->gart_table, PAGE);
   heap_free(&gpu->gtt, kmd->write_back, PAGE);
   gpu->gart_table = 0;
}
