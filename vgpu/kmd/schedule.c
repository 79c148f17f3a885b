/* SPDX-License-Identifier: MIT */
/*
 * Which job runs when. A job waits in the queue of its context and ring until all it depends on has signalled; then it
 * goes to the command processor, one of a queue at a time, so that a context that comes to grief takes only itself
 * along.
 */
#include <drm.h>
#include <amdgpu_drm.h>
#include <errno.h>
#include <stdlib.h>

#include "kmd/kmd.h"

int
kmd_ring_index(uint32_t ip_type, uint32_t ip_instance, uint32_t ring)
{
   if (ip_instance)
      return -EINVAL;
   if (ip_type == AMDGPU_HW_IP_GFX && ring < KMD_GFX_RINGS)
      return CP_RING_GFX + ring;
   if (ip_type == AMDGPU_HW_IP_COMPUTE && ring < KMD_COMPUTE_RINGS)
      return CP_RING_COMPUTE0 + ring;
   return -EINVAL;
}

void
submission_free(struct submission *submission)
{
   for (uint32_t i = 0; i < submission->dependency_count; i++) {
      syncobj_unref(submission->dependencies[i].syncobj);
      fence_unref(submission->dependencies[i].fence);
   }
   fence_unref(submission->mapped);
   fence_unref(submission->fence);
   bo_unref(submission->kmd, submission->user_fence);
   if (submission->context)
      context_unref(submission->kmd, submission->context);
   free(submission->dependencies);
   free(submission->ibs);
   free(submission);
}

/* Takes the first job off its queue with its fence signalled. */
static void
retire(struct kmd *kmd, struct job_queue *queue, int status)
{
   struct submission *submission = queue->first;
   queue->first = submission->next;
   if (!queue->first)
      queue->last = NULL;
   queue->running = false;
   kmd->jobs--;

   if (status && !queue->failed_sequence)
      queue->failed_sequence = submission->sequence;
   if (submission->user_fence) {
      uint8_t *place = bo_host_address(kmd, submission->user_fence) + submission->user_fence_offset;
      __atomic_store_n((uint64_t *)place, submission->sequence, __ATOMIC_RELEASE);
   }
   fence_signal(submission->fence, status);
   submission_free(submission);
}

static void
job_done(struct cp_job *job, int status)
{
   struct submission *submission = job->user;
   struct kmd *kmd = submission->kmd;

   kmd_lock(kmd);
   struct context *context = submission->context;
   retire(kmd, &context->queue[submission->ring], status);
   kmd_notify(kmd);
   kmd_unlock(kmd);
}

static bool
is_satisfied(struct dependency *dependency)
{
   if (dependency->syncobj) {
      struct fence *fence = dependency->syncobj->fence;
      if (!fence || fence_find_point(fence, dependency->point, &dependency->fence))
         return false;
      syncobj_unref(dependency->syncobj);
      dependency->syncobj = NULL;
   }
   return !dependency->fence || fence_is_signaled(dependency->fence);
}

bool
submission_is_promised(const struct submission *submission)
{
   for (uint32_t i = 0; i < submission->dependency_count; i++) {
      if (submission->dependencies[i].syncobj)
         return false;
   }
   return true;
}

static bool
is_ready(struct submission *submission)
{
   if (submission->mapped && !fence_is_signaled(submission->mapped))
      return false;
   for (uint32_t i = 0; i < submission->dependency_count; i++) {
      if (!is_satisfied(&submission->dependencies[i]))
         return false;
   }
   return true;
}

/* Looks again as long as jobs of guilty contexts are cancelled or mappings change, since that signals fences. */
void
kmd_run_ready(struct kmd *kmd)
{
   bool again;
   do {
      again = va_updates_apply(kmd);
      for (struct context *context = kmd->all_contexts, *next; context; context = next) {
         next = context->next;
         context->refs++; /* its last job may be cancelled here */
         for (uint32_t ring = 0; ring < KMD_RINGS; ring++) {
            struct job_queue *queue = &context->queue[ring];
            if (!queue->first || queue->running)
               continue;
            if (context->guilty) {
               retire(kmd, queue, -ECANCELED);
               again = true;
            } else if (is_ready(queue->first)) {
               queue->running = true;
               int r = cp_submit(kmd->gpu, &queue->first->job);
               if (r) {
                  retire(kmd, queue, r);
                  again = true;
               }
            }
         }
         context_unref(kmd, context);
      }
   } while (again);
}

static void
job_faulted(struct cp_job *job, const struct vgpu_fault *fault)
{
   struct submission *submission = job->user;
   struct kmd *kmd = submission->kmd;

   kmd_lock(kmd);
   if (fault->kind == VGPU_FAULT_MEMORY) {
      kmd->last_fault_va = fault->va;
      kmd->last_fault_status = vm_fault_status(job->vm, fault->va, fault->write ? VM_WRITE : VM_READ);
   }
   submission->context->guilty = true;
   submission->context->hangs++;
   kmd_unlock(kmd);
}

void
kmd_enqueue(struct kmd *kmd, struct submission *submission)
{
   submission->job = (struct cp_job){
      .ring = submission->ring,
      .vm = &kmd->vm,
      .ibs = submission->ibs,
      .ib_count = submission->ib_count,
      .faulted = job_faulted,
      .done = job_done,
      .user = submission,
   };

   struct job_queue *queue = &submission->context->queue[submission->ring];
   submission->sequence = ++queue->sequence;
   submission->mapped = va_updates_fence(kmd);
   if (queue->last)
      queue->last->next = submission;
   else
      queue->first = submission;
   queue->last = submission;
   kmd->jobs++;
}
