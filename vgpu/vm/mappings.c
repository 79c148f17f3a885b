/* SPDX-License-Identifier: MIT */
/* What is mapped, from outside: the tables are gone through, and pages that are alike count as one run. */
#include <errno.h>

#include "gpu.h"
#include "vm/vm.h"

#define PAGE 4096ull
#define VA_SIZE (1ull << 48)

static bool
are_alike(const struct vm_walk *a, const struct vm_walk *b)
{
   return a->result == b->result && a->access == b->access && a->mtype == b->mtype;
}

int
vgpu_memory_next(struct vgpu *gpu, uint32_t vmid, uint64_t va, struct vgpu_mapping *mapping)
{
   struct vm *vm = vmid < VGPU_VMIDS ? __atomic_load_n(&gpu->vmid[vmid], __ATOMIC_ACQUIRE) : NULL;
   if (vgpu_is_inert(gpu) || !vm)
      return vm ? -EIO : -EFAULT;
   struct vm_walk first, walk = {.result = VM_NOT_MAPPED};
   va &= VA_SIZE - 1;
   va -= va % PAGE;
   while (va < VA_SIZE && (vm_walk(vm, va, &walk), walk.result == VM_NOT_MAPPED))
      va += vm_walk_span(&walk) - va % vm_walk_span(&walk);
   if (va >= VA_SIZE)
      return -ENOENT;
   first = walk;
   uint64_t end = va;
   while (end < VA_SIZE && are_alike(&walk, &first)) {
      end += vm_walk_span(&walk) - end % vm_walk_span(&walk);
      if (end < VA_SIZE)
         vm_walk(vm, end, &walk);
   }
   *mapping = (struct vgpu_mapping){
      .va = (uint64_t)((int64_t)(va << 16) >> 16),
      .size = end - va,
      .access = (first.access & VM_READ ? VGPU_ACCESS_READ : 0) | (first.access & VM_WRITE ? VGPU_ACCESS_WRITE : 0) |
                (first.access & VM_EXECUTE ? VGPU_ACCESS_EXECUTE : 0),
      .mtype = first.mtype,
      .backed = first.result == VM_MAPPED,
   };
   return 0;
}
