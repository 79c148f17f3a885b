/* SPDX-License-Identifier: MIT */
/* The TLB in front of the walk, and copies by the host through the tables. */
#include <errno.h>
#include <string.h>

#include "gpu.h"
#include "vm/written.h"

#define PAGE 4096ull

void
tlb_flush(struct tlb *tlb)
{
   for (uint32_t i = 0; i < TLB_ENTRIES; i++)
      tlb->entry[i].page = ~0ull;
}

static uint8_t *
host_address(struct vm *vm, const struct vm_walk *walk)
{
   return walk->system ? (uint8_t *)walk->target : vm->gpu->memory + walk->target;
}

static bool
walk_or_map(struct vm *vm, uint64_t va, struct vm_walk *walk)
{
   vm_walk(vm, va, walk);
   if (walk->result == VM_NOT_MAPPED && vm->gpu->options.flags & VGPU_HOST_POINTERS && vm_map_host_page(vm, va))
      vm_walk(vm, va, walk);
   return walk->result != VM_NOT_MAPPED;
}

void *
vm_translate_slow(struct vm *vm, struct tlb *tlb, uint64_t va, uint32_t access, bool *prt)
{
   *prt = false;

   struct vm_walk walk;
   uint64_t generation = atomic_load(&vm->gpu->vm_generation); /* before the walk: a change during it counts */
   bool present = walk_or_map(vm, va, &walk);
   if (tlb->generation != generation) {
      tlb_flush(tlb);
      tlb->generation = generation;
   }
   if (!present || (walk.access & access) != access)
      return NULL;
   if (walk.result == VM_PRT) {
      *prt = true;
      return NULL;
   }

   uint64_t page = (uint64_t)((int64_t)(va << 16) >> 16) >> 12;
   uint8_t *host = host_address(vm, &walk);
   tlb->entry[page % TLB_ENTRIES] = (struct tlb_entry){
      .page = page,
      .vm = vm,
      .host = host - (va & (PAGE - 1)),
      .access = written_filter(vm->gpu, host, access, walk.access),
      .mtype = walk.mtype,
   };
   return host;
}

/* Where the bytes from `va` on lie, and how many up to the end of the page. NULL with 0 returned: a PRT page. */
static int
locate(struct vm *vm, uint64_t va, size_t size, uint8_t **host, size_t *length)
{
   struct vm_walk walk;
   if (!walk_or_map(vm, va, &walk))
      return -EFAULT;

   *length = PAGE - va % PAGE;
   if (*length > size)
      *length = size;
   *host = walk.result == VM_PRT ? NULL : host_address(vm, &walk);
   return 0;
}

int
vm_copy_from(struct vm *vm, uint64_t va, void *data, size_t size)
{
   for (size_t done = 0, length; done < size; done += length) {
      uint8_t *host;
      int r = locate(vm, va + done, size - done, &host, &length);
      if (r)
         return r;
      if (host)
         memcpy((uint8_t *)data + done, host, length);
      else
         memset((uint8_t *)data + done, 0, length);
   }
   return 0;
}

int
vm_copy_to(struct vm *vm, uint64_t va, const void *data, size_t size)
{
   for (size_t done = 0, length; done < size; done += length) {
      uint8_t *host;
      int r = locate(vm, va + done, size - done, &host, &length);
      if (r)
         return r;
      if (host)
         memcpy(host, (const uint8_t *)data + done, length);
      if (host)
         written_add(vm->gpu, (uint64_t)(host - vm->gpu->memory), length);
   }
   return 0;
}
