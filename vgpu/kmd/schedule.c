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
#include "vm/written.h"

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
   bo_unref(submission->kmd, submission->gds);
   bo_unref(submission->kmd, submission->user_fence);
   if (submission->context)
      context_unref(submission->kmd, submission->context);
   free(submission->dependencies);
   for (uint32_t i = 0; i < submission->job_count; i++)
      free(submission->jobs[i].ibs);
   free(submission);
}

static void
complete(struct kmd *kmd, struct submission *submission)
{
   struct job_queue *queue = &submission->context->queue[submission->leader->ring];
   kmd->jobs--;
   if (submission->status && !queue->failed_sequence)
      queue->failed_sequence = submission->sequence;
   if (submission->user_fence) {
      uint8_t *place = bo_host_address(kmd, submission->user_fence) + submission->user_fence_offset;
      __atomic_store_n((uint64_t *)place, submission->sequence, __ATOMIC_RELEASE);
      written_add(kmd->gpu, (uint64_t)(place - kmd->gpu->memory), sizeof(uint64_t));
   }
   fence_signal(submission->fence, submission->status);
   submission_free(submission);
}

/* Takes the first job off its queue; the submission is complete with its last one. */
static void
retire(struct kmd *kmd, struct job_queue *queue, int status)
{
   struct job *job = queue->first;
   struct submission *submission = job->submission;
   queue->first = job->next;
   if (!queue->first)
      queue->last = NULL;
   queue->running = false;

   if (!submission->status)
      submission->status = status;
   if (--submission->jobs_left == 0)
      complete(kmd, submission);
}

static void
job_done(struct cp_job *cp_job, int status)
{
   const struct job *job = cp_job->user;
   struct kmd *kmd = job->submission->kmd;

   kmd_lock(kmd);
   retire(kmd, &job->submission->context->queue[job->ring], status);
   kmd_notify(kmd);
   kmd_unlock(kmd);
}

static bool
is_satisfied(struct dependency *dependency)
{
   if (dependency->syncobj) {
      if (syncobj_find_point(dependency->syncobj, dependency->point, &dependency->fence))
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

static bool
has_its_turn(const struct submission *submission)
{
   for (uint32_t i = 0; i < submission->job_count; i++) {
      const struct job_queue *queue = &submission->context->queue[submission->jobs[i].ring];
      if (queue->first != &submission->jobs[i] || queue->running)
         return false;
   }
   return true;
}

/* All jobs of it, and nothing in between: two gangs that wait for each other's rings would wait for ever. */
static void
start(struct kmd *kmd, struct submission *submission)
{
   struct context *context = submission->context;
   int r = 0;
   for (uint32_t i = 0, count = submission->job_count; i < count; i++) {
      struct job_queue *queue = &context->queue[submission->jobs[i].ring];
      if (!r)
         r = cp_submit(kmd->gpu, &submission->jobs[i].job); /* if not the first, none fails */
      if (r)
         retire(kmd, queue, r);
      else
         queue->running = true;
   }
}

/* False: the queue stays as it is. */
static bool
advance(struct kmd *kmd, struct context *context, struct job_queue *queue)
{
   if (!queue->first || queue->running)
      return false;
   if (context->guilty) {
      retire(kmd, queue, -ECANCELED);
      return true;
   }
   struct submission *submission = queue->first->submission;
   if (!has_its_turn(submission) || !is_ready(submission))
      return false;
   start(kmd, submission);
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
         context->refs++; /* its last job may be cancelled here */
         for (uint32_t ring = 0; ring < KMD_RINGS; ring++)
            again |= advance(kmd, context, &context->queue[ring]);
         next = context->next;
         context_unref(kmd, context);
      }
   } while (again);
}

static void
job_faulted(struct cp_job *cp_job, const struct vgpu_fault *fault)
{
   struct submission *submission = ((struct job *)cp_job->user)->submission;
   struct kmd *kmd = submission->kmd;

   kmd_lock(kmd);
   if (fault->kind == VGPU_FAULT_MEMORY) {
      kmd->last_fault_va = fault->va;
      kmd->last_fault_status = vm_fault_status(cp_job->vm, fault->va, fault->write ? VM_WRITE : VM_READ);
   }
   submission->context->guilty = true;
   submission->context->hangs++;
   kmd_unlock(kmd);
}

static void
enqueue_job(struct kmd *kmd, struct submission *submission, struct job *job)
{
   const struct bo *gds = submission->gds;
   job->submission = submission;
   job->job = (struct cp_job){
      .ring = job->ring,
      .vm = &kmd->vm,
      .ibs = job->ibs,
      .ib_count = job->ib_count,
      .gang = submission->job_count > 1 ? &submission->gang : NULL,
      .gds_base = gds ? gds->offset >> BO_ON_CHIP_SHIFT : 0,
      .gds_size = gds ? gds->size >> BO_ON_CHIP_SHIFT : 0,
      .faulted = job_faulted,
      .done = job_done,
      .user = job,
   };

   struct job_queue *queue = &submission->context->queue[job->ring];
   if (queue->last)
      queue->last->next = job;
   else
      queue->first = job;
   queue->last = job;
}

void
kmd_enqueue(struct kmd *kmd, struct submission *submission)
{
   submission->sequence = ++submission->context->queue[submission->leader->ring].sequence;
   submission->mapped = va_updates_fence(kmd);
   submission->gang.size = submission->jobs_left = submission->job_count;
   for (uint32_t i = 0; i < submission->job_count; i++)
      enqueue_job(kmd, submission, &submission->jobs[i]);
   kmd->jobs++;
}
