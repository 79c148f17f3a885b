/* SPDX-License-Identifier: MIT */
/*
 * Command submissions: from the ioctl's chunks to a job in its queue. What the job has to wait for may be a point of a
 * timeline that nobody has promised yet (wait before signal); the ioctl returns all the same.
 */
#include <drm.h>
#include <amdgpu_drm.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kmd/kmd.h"

/* A signal that a submission gives when it is done. */
struct promise {
   struct syncobj *syncobj;
   uint64_t point;
};

struct parser {
   struct kmd *kmd;
   struct submission *submission;
   uint32_t chunk_count;
   struct promise *promises;
   uint32_t promise_count;
   struct host_maps host_maps;
};

/* The submission's job for a ring, a new one if there is none yet. */
static struct job *
find_job(struct submission *submission, uint32_t ring, uint32_t most_ibs)
{
   uint32_t i = 0;
   while (i < submission->job_count && submission->jobs[i].ring != ring)
      i++;
   if (i == submission->job_count) {
      struct cp_ib *ibs = i < KMD_GANG_SIZE ? calloc(most_ibs, sizeof(*ibs)) : NULL;
      if (!ibs)
         return NULL;
      submission->jobs[submission->job_count++] = (struct job){.ibs = ibs, .ring = ring};
   }
   return &submission->jobs[i];
}

static int
add_ib(struct parser *parser, const struct drm_amdgpu_cs_chunk_ib *chunk)
{
   struct submission *submission = parser->submission;
   int ring = kmd_ring_index(chunk->ip_type, chunk->ip_instance, chunk->ring);
   if (ring < 0 || chunk->ib_bytes % 4 || !chunk->ib_bytes)
      return -EINVAL;
   struct job *job = find_job(submission, ring, parser->chunk_count);
   if (!job)
      return submission->job_count == KMD_GANG_SIZE ? -EINVAL : -ENOMEM;
   submission->leader = job;
   job->ibs[job->ib_count++] = (struct cp_ib){chunk->va_start, chunk->ib_bytes / 4};
   return 0;
}

/* Everything mapped is resident, but for the process's own memory; of what is on the chip the job gets the part that
 * its list has. */
static int
set_bo_list(struct parser *parser, const struct drm_amdgpu_bo_list_in *list)
{
   struct submission *submission = parser->submission;
   const uint8_t *entries = (const uint8_t *)list->bo_info_ptr;
   if (list->bo_info_size < sizeof(uint32_t))
      return -EINVAL;
   for (uint32_t i = 0; i < list->bo_number; i++) {
      uint32_t handle;
      memcpy(&handle, entries + (size_t)i * list->bo_info_size, sizeof(handle));
      struct bo *bo = handle_table_get(&parser->kmd->bos, handle);
      if (!bo)
         return -ENOENT;
      if (bo->kind == BO_GDS) {
         bo_unref(parser->kmd, submission->gds);
         submission->gds = bo_ref(bo);
      }
      if (bo->kind == BO_USERPTR) {
         int r = host_maps_check(&parser->host_maps, bo->offset, bo->size, bo->user_flags);
         if (r) {
            vgpu_log(parser->kmd->gpu, "CS: the process's memory at 0x%" PRIx64 ", %" PRIu64 " bytes, %s", bo->offset,
                     bo->size, r == -EFAULT ? "is no longer mapped" : "is no longer as it was when it was imported");
            return r;
         }
      }
   }
   return 0;
}

static int
set_user_fence(struct parser *parser, const struct drm_amdgpu_cs_chunk_fence *chunk)
{
   struct submission *submission = parser->submission;
   struct bo *bo = handle_table_get(&parser->kmd->bos, chunk->handle);
   if (!bo)
      return -ENOENT;
   if (bo->kind == BO_USERPTR || bo_is_on_chip(bo) || submission->user_fence || chunk->offset % 8 ||
       chunk->offset > bo->size - 8)
      return -EINVAL;
   submission->user_fence = bo_ref(bo);
   submission->user_fence_offset = chunk->offset;
   return 0;
}

static int
grow_dependencies(struct parser *parser, uint32_t more)
{
   struct submission *submission = parser->submission;
   uint32_t count = submission->dependency_count + more;
   struct dependency *dependencies = realloc(submission->dependencies, (count + 1) * sizeof(*dependencies));
   if (!dependencies)
      return -ENOMEM;
   submission->dependencies = dependencies;
   return 0;
}

static int
add_dependencies(struct parser *parser, const struct drm_amdgpu_cs_chunk_dep *deps, uint32_t count)
{
   struct submission *submission = parser->submission;
   int r = grow_dependencies(parser, count);
   for (uint32_t i = 0; i < count && !r; i++) {
      struct context *context = handle_table_get(&parser->kmd->contexts, deps[i].ctx_id);
      int ring = kmd_ring_index(deps[i].ip_type, deps[i].ip_instance, deps[i].ring);
      struct fence *fence = NULL;
      r = !context || ring < 0 ? -EINVAL : kmd_find_fence(context, ring, deps[i].handle, &fence);
      if (!r && fence)
         submission->dependencies[submission->dependency_count++] = (struct dependency){.fence = fence};
   }
   return r;
}

static int
add_wait(struct parser *parser, uint32_t handle, uint64_t point, uint32_t flags)
{
   struct submission *submission = parser->submission;
   struct syncobj *syncobj = handle_table_get(&parser->kmd->syncobjs, handle);
   if (!syncobj)
      return -ENOENT;

   struct dependency dependency = {.point = point};
   if (syncobj_find_point(syncobj, point, &dependency.fence)) {
      if (!(flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT))
         return -EINVAL;
      dependency.syncobj = syncobj_ref(syncobj);
   }
   submission->dependencies[submission->dependency_count++] = dependency;
   return 0;
}

static int
add_promise(struct parser *parser, uint32_t handle, uint64_t point)
{
   struct syncobj *syncobj = handle_table_get(&parser->kmd->syncobjs, handle);
   if (!syncobj)
      return -ENOENT;
   parser->promises[parser->promise_count++] = (struct promise){syncobj_ref(syncobj), point};
   return 0;
}

static int
grow_promises(struct parser *parser, uint32_t more)
{
   struct promise *promises = realloc(parser->promises, (parser->promise_count + more + 1) * sizeof(*promises));
   if (!promises)
      return -ENOMEM;
   parser->promises = promises;
   return 0;
}

static int
parse_chunk(struct parser *parser, const struct drm_amdgpu_cs_chunk *chunk)
{
   const void *data = (const void *)chunk->chunk_data;
   size_t size = chunk->length_dw * 4ull;
   int r = 0;

   switch (chunk->chunk_id) {
   case AMDGPU_CHUNK_ID_IB:
      return size < sizeof(struct drm_amdgpu_cs_chunk_ib) ? -EINVAL : add_ib(parser, data);
   case AMDGPU_CHUNK_ID_FENCE:
      return size < sizeof(struct drm_amdgpu_cs_chunk_fence) ? -EINVAL : set_user_fence(parser, data);
   case AMDGPU_CHUNK_ID_BO_HANDLES:
      return size < sizeof(struct drm_amdgpu_bo_list_in) ? -EINVAL : set_bo_list(parser, data);
   case AMDGPU_CHUNK_ID_DEPENDENCIES:
   case AMDGPU_CHUNK_ID_SCHEDULED_DEPENDENCIES:
      return add_dependencies(parser, data, size / sizeof(struct drm_amdgpu_cs_chunk_dep));
   case AMDGPU_CHUNK_ID_SYNCOBJ_IN: {
      const struct drm_amdgpu_cs_chunk_sem *sem = data;
      uint32_t count = size / sizeof(*sem);
      r = grow_dependencies(parser, count);
      for (uint32_t i = 0; i < count && !r; i++)
         r = add_wait(parser, sem[i].handle, 0, 0);
      return r;
   }
   case AMDGPU_CHUNK_ID_SYNCOBJ_OUT: {
      const struct drm_amdgpu_cs_chunk_sem *sem = data;
      uint32_t count = size / sizeof(*sem);
      r = grow_promises(parser, count);
      for (uint32_t i = 0; i < count && !r; i++)
         r = add_promise(parser, sem[i].handle, 0);
      return r;
   }
   case AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT: {
      const struct drm_amdgpu_cs_chunk_syncobj *wait = data;
      uint32_t count = size / sizeof(*wait);
      r = grow_dependencies(parser, count);
      for (uint32_t i = 0; i < count && !r; i++)
         r = add_wait(parser, wait[i].handle, wait[i].point, wait[i].flags);
      return r;
   }
   case AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL: {
      const struct drm_amdgpu_cs_chunk_syncobj *signal = data;
      uint32_t count = size / sizeof(*signal);
      r = grow_promises(parser, count);
      for (uint32_t i = 0; i < count && !r; i++)
         r = add_promise(parser, signal[i].handle, signal[i].point);
      return r;
   }
   default:
      vgpu_log(parser->kmd->gpu, "CS: chunk of unknown kind 0x%x", chunk->chunk_id);
      return -EINVAL;
   }
}

static int
parse(struct parser *parser, const struct drm_amdgpu_cs_in *in)
{
   const uint64_t *addresses = (const uint64_t *)in->chunks;

   parser->chunk_count = in->num_chunks;
   for (uint32_t i = 0; i < in->num_chunks; i++) {
      int r = parse_chunk(parser, (const struct drm_amdgpu_cs_chunk *)addresses[i]);
      if (r)
         return r;
   }
   return parser->submission->leader ? 0 : -EINVAL;
}

static int
keep_promises(struct parser *parser)
{
   for (uint32_t i = 0; i < parser->promise_count; i++) {
      struct promise *promise = &parser->promises[i];
      struct fence *fence = parser->submission->fence;
      int r = promise->point ? syncobj_add_point(promise->syncobj, fence, promise->point)
                             : syncobj_replace_fence(promise->syncobj, fence_ref(fence));
      if (r)
         return r;
   }
   return 0;
}

/* A context that brought a fault about gets no further work: -ENODATA, "guilty of a soft recovery". */
int
kmd_submit(struct kmd *kmd, void *data)
{
   union drm_amdgpu_cs *args = data;
   struct drm_amdgpu_cs_in in = args->in;

   if (!in.num_chunks || in.num_chunks > 4096 || in.flags)
      return -EINVAL;
   struct submission *submission = calloc(1, sizeof(*submission));
   if (!submission)
      return -ENOMEM;
   submission->kmd = kmd;
   struct parser parser = {.kmd = kmd, .submission = submission};

   kmd_lock(kmd);
   struct context *context = handle_table_get(&kmd->contexts, in.ctx_id);
   int r = context ? 0 : -EINVAL;
   if (!r && context->guilty)
      r = -ENODATA;
   if (!r) {
      submission->context = context;
      context->refs++;
      submission->fence = fence_create();
      r = submission->fence ? parse(&parser, &in) : -ENOMEM;
   }
   if (!r)
      r = vm_assign_vmid(&kmd->vm);
   if (!r) {
      r = keep_promises(&parser);
      if (r)
         fence_signal(submission->fence, r); /* some may wait for it already */
   }
   if (!r) {
      kmd_enqueue(kmd, submission);
      args->out.handle = submission->sequence;
   } else {
      submission_free(submission);
   }
   kmd_notify(kmd); /* also after a failure: syncobjs may have got fences */
   for (uint32_t i = 0; i < parser.promise_count; i++)
      syncobj_unref(parser.promises[i].syncobj);
   kmd_unlock(kmd);

   free(parser.promises);
   host_maps_finish(&parser.host_maps);
   return r;
}
