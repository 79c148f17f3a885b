/* SPDX-License-Identifier: MIT */
/* Waiting for submissions by their numbers, and making other kinds of fences of them. */
#include <drm.h>
#include <amdgpu_drm.h>
#include <errno.h>
#include <stdlib.h>

#include "kmd/shared.h"

/* That of the submission with this number on the ring, if a job of it is in the queue: the leader's may have left. */
static struct fence *
find_in_queue(const struct job_queue *queue, uint32_t ring, uint64_t sequence)
{
   for (const struct job *job = queue->first; job; job = job->next) {
      if (job->submission->leader->ring == ring && job->submission->sequence == sequence)
         return job->submission->fence;
   }
   return NULL;
}

int
kmd_find_fence(struct context *context, uint32_t ring, uint64_t sequence, struct fence **fence)
{
   struct job_queue *queue = &context->queue[ring];
   *fence = NULL;
   if (sequence == ~0ull)
      sequence = queue->sequence;
   if (sequence > queue->sequence)
      return -EINVAL;

   for (uint32_t i = 0; i < KMD_RINGS && !*fence; i++)
      *fence = fence_ref(find_in_queue(&context->queue[i], ring, sequence));
   bool failed = !*fence && queue->failed_sequence && sequence >= queue->failed_sequence;
   return failed ? -ECANCELED : 0;
}

int
kmd_wait_cs(struct kmd *kmd, void *data)
{
   union drm_amdgpu_wait_cs *args = data;
   struct drm_amdgpu_wait_cs_in in = args->in;
   struct deadline deadline = deadline_at(kmd, in.timeout);
   int ring = kmd_ring_index(in.ip_type, in.ip_instance, in.ring);
   struct fence *fence = NULL;

   kmd_lock(kmd);
   struct context *context = handle_table_get(&kmd->contexts, in.ctx_id);
   int r = !context || ring < 0 ? -EINVAL : kmd_find_fence(context, ring, in.handle, &fence);
   if (!r) {
      while (fence && !fence_is_signaled(fence) && kmd_wait(kmd, &deadline))
         continue;
      bool busy = fence && !fence_is_signaled(fence);
      args->out.status = busy;
      if (fence && !busy)
         r = fence->error;
   }
   fence_unref(fence);
   kmd_unlock(kmd);
   return r;
}

static int
find_user_fence(struct kmd *kmd, const struct drm_amdgpu_fence *wanted, struct fence **fence)
{
   struct context *context = handle_table_get(&kmd->contexts, wanted->ctx_id);
   int ring = kmd_ring_index(wanted->ip_type, wanted->ip_instance, wanted->ring);
   *fence = NULL;
   return !context || ring < 0 ? -EINVAL : kmd_find_fence(context, ring, wanted->seq_no, fence);
}

int
kmd_wait_fences(struct kmd *kmd, void *data)
{
   union drm_amdgpu_wait_fences *args = data;
   struct drm_amdgpu_wait_fences_in in = args->in;
   const struct drm_amdgpu_fence *wanted = (const void *)in.fences;
   struct deadline deadline = deadline_at(kmd, in.timeout_ns);

   if (!in.fence_count || in.fence_count > 65536)
      return -EINVAL;
   struct fence **fences = calloc(in.fence_count, sizeof(*fences));
   if (!fences)
      return -ENOMEM;

   kmd_lock(kmd);
   int r = 0;
   for (uint32_t i = 0; i < in.fence_count && !r; i++)
      r = find_user_fence(kmd, &wanted[i], &fences[i]);

   uint32_t signaled = 0, first = ~0u;
   bool done = false;
   do {
      signaled = 0;
      for (uint32_t i = in.fence_count; i-- > 0 && !r;) {
         if (!fences[i] || fence_is_signaled(fences[i])) {
            signaled++;
            first = i;
         }
      }
      done = r || (in.wait_all ? signaled == in.fence_count : signaled > 0);
   } while (!done && kmd_wait(kmd, &deadline));

   for (uint32_t i = 0; i < in.fence_count; i++) {
      if (!r && done && fences[i] && fences[i]->signaled)
         r = fences[i]->error;
      fence_unref(fences[i]);
   }
   kmd_unlock(kmd);
   free(fences);
   if (!r)
      args->out = (struct drm_amdgpu_wait_fences_out){.status = done, .first_signaled = first};
   return r;
}

int
kmd_fence_to_handle(struct kmd *kmd, void *data)
{
   union drm_amdgpu_fence_to_handle *args = data;
   struct drm_amdgpu_fence wanted = args->in.fence;
   uint32_t what = args->in.what;
   struct fence *fence = NULL;

   kmd_lock(kmd);
   int r = find_user_fence(kmd, &wanted, &fence);
   if (!r && !fence) {
      fence = fence_create_signaled();
      r = fence ? 0 : -ENOMEM;
   }

   if (!r && what == AMDGPU_FENCE_TO_HANDLE_GET_SYNC_FILE_FD) {
      r = shared_file_create(kmd, SHARED_FENCE, fence);
   } else if (!r && (what == AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ || what == AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ_FD)) {
      struct syncobj *syncobj = syncobj_create(fence_ref(fence));
      if (!syncobj)
         r = -ENOMEM;
      else if (what == AMDGPU_FENCE_TO_HANDLE_GET_SYNCOBJ)
         r = handle_table_add(&kmd->syncobjs, syncobj_ref(syncobj));
      else
         r = shared_syncobj_export(kmd, syncobj);
      syncobj_unref(syncobj);
   } else if (!r) {
      r = -EINVAL;
   }
   fence_unref(fence);
   kmd_unlock(kmd);
   if (r < 0)
      return r;
   args->out.handle = r;
   return 0;
}
