/* SPDX-License-Identifier: MIT */
/*
 * The page tables, changed in order with the jobs. What user space takes out of its address space may still be in use:
 * it stays until all jobs submitted before are done, as amdgpu has it ("Implicitly sync to command submissions in the
 * same VM before unmapping", amdgpu_vm_clear_freed; RADV frees a queue's old preambles under jobs that run them). What
 * is then put at the same addresses comes after that, and jobs submitted later come after what was put there.
 */
#include <drm.h>
#include <amdgpu_drm.h>
#include <errno.h>
#include <stdlib.h>

#include "kmd/kmd.h"

struct va_update {
   bool maps; /* else it takes out */
   struct va_mapping mapping;
   struct fence *after; /* the jobs that it waits for; NULL: only for the updates before it */
   struct fence *done;
   struct va_update *next;
};

static uint32_t
mtype_of(uint32_t flags)
{
   switch (flags & AMDGPU_VM_MTYPE_MASK) {
   case AMDGPU_VM_MTYPE_WC: /* has the place that later chips call RW */
   case AMDGPU_VM_MTYPE_RW:
      return 1;
   case AMDGPU_VM_MTYPE_CC:
      return 2;
   case AMDGPU_VM_MTYPE_UC:
      return 3;
   default:
      return 0;
   }
}

static int
write_tables(struct kmd *kmd, const struct va_mapping *mapping)
{
   const struct bo *bo = mapping->bo;
   if (!bo)
      return vm_map_prt(&kmd->vm, mapping->start, mapping->size);
   if (bo_is_on_chip(bo))
      return 0; /* what is there is not reached by addresses */

   bool writable = mapping->flags & AMDGPU_VM_PAGE_WRITEABLE && !(bo->user_flags & AMDGPU_GEM_USERPTR_READONLY);
   uint32_t access = (mapping->flags & AMDGPU_VM_PAGE_READABLE ? VM_READ : 0) | (writable ? VM_WRITE : 0) |
                     (mapping->flags & AMDGPU_VM_PAGE_EXECUTABLE ? VM_EXECUTE : 0);
   bool system = bo->kind != BO_VRAM;
   uint64_t target = system ? (uintptr_t)bo_host_address(kmd, bo) : bo->offset;
   int r = vm_map(&kmd->vm, mapping->start, mapping->size, target + mapping->offset, system, access,
                  mtype_of(mapping->flags));
   if (r)
      vm_unmap(&kmd->vm, mapping->start, mapping->size);
   return r;
}

/* A fence for all jobs there are; NULL if none are. Those that wait for what nobody has promised yet do not count: what
 * they wait for may come from a job that is to wait for this. */
static int
fence_of_jobs(struct kmd *kmd, struct fence **fence)
{
   *fence = NULL;
   struct fence **parts = calloc(kmd->jobs * KMD_GANG_SIZE + 1, sizeof(struct fence *));
   if (!parts)
      return -ENOMEM;
   uint32_t count = 0;
   for (const struct context *context = kmd->all_contexts; context; context = context->next) {
      for (uint32_t ring = 0; ring < KMD_RINGS; ring++) {
         for (struct job *job = context->queue[ring].first; job; job = job->next) {
            if (!submission_is_promised(job->submission))
               break; /* those behind it in its queue come later still */
            parts[count++] = job->submission->fence;
         }
      }
   }
   if (count)
      *fence = fence_create_array(parts, count);
   free(parts);
   return count && !*fence ? -ENOMEM : 0;
}

static void
update_free(struct kmd *kmd, struct va_update *update)
{
   fence_unref(update->after);
   fence_unref(update->done);
   bo_unref(kmd, update->mapping.bo);
   free(update);
}

static int
queue_update(struct kmd *kmd, bool maps, const struct va_mapping *mapping, struct fence *after)
{
   struct va_update *update = calloc(1, sizeof(*update));
   struct fence *done = fence_create();
   if (!update || !done) {
      free(update);
      free(done);
      return -ENOMEM;
   }
   *update = (struct va_update){maps, *mapping, fence_ref(after), done, NULL};
   if (mapping->bo)
      bo_ref(mapping->bo);
   struct va_update **end = &kmd->va_updates;
   while (*end)
      end = &(*end)->next;
   *end = update;
   return 0;
}

int
va_table_map(struct kmd *kmd, const struct va_mapping *mapping)
{
   for (const struct va_update *update = kmd->va_updates; update; update = update->next) {
      const struct va_mapping *before = &update->mapping;
      if (before->start < mapping->start + mapping->size && mapping->start < before->start + before->size)
         return queue_update(kmd, true, mapping, NULL);
   }
   return write_tables(kmd, mapping);
}

int
va_table_unmap(struct kmd *kmd, const struct va_mapping *mapping)
{
   struct fence *jobs;
   int r = fence_of_jobs(kmd, &jobs);
   if (r)
      return r;
   r = jobs || kmd->va_updates ? queue_update(kmd, false, mapping, jobs)
                               : vm_unmap(&kmd->vm, mapping->start, mapping->size);
   fence_unref(jobs);
   return r;
}

bool
va_updates_apply(struct kmd *kmd)
{
   bool any = false;
   struct va_update *update;
   while ((update = kmd->va_updates) && (!update->after || fence_is_signaled(update->after))) {
      const struct va_mapping *mapping = &update->mapping;
      int r = update->maps ? write_tables(kmd, mapping) : vm_unmap(&kmd->vm, mapping->start, mapping->size);
      if (r)
         vgpu_log(kmd->gpu, "GEM_VA: no memory for the page tables of 0x%llx", (unsigned long long)mapping->start);
      kmd->va_updates = update->next;
      fence_signal(update->done, r);
      update_free(kmd, update);
      any = true;
   }
   return any;
}

struct fence *
va_updates_fence(struct kmd *kmd)
{
   struct fence *last = NULL;
   for (const struct va_update *update = kmd->va_updates; update; update = update->next) {
      if (update->maps)
         last = update->done;
   }
   return fence_ref(last);
}
