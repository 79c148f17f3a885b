/* SPDX-License-Identifier: MIT */
#include "kmd_card.h"

#include <dirent.h>
#include <stdio.h>
#include <time.h>

static void
log_line(void *user, const char *line)
{
   struct card *card = user;
   size_t length = strlen(card->log);
   snprintf(card->log + length, sizeof(card->log) - length, "%s\n", line);
}

int
card_setup(void **state)
{
   struct card *card = calloc(1, sizeof(*card));
   struct vgpu_options options = {.vram_size = CARD_VRAM, .log = log_line, .log_user = card};
   *state = card;
   return vgpu_create(&options, &card->gpu);
}

int
card_teardown(void **state)
{
   struct card *card = *state;
   vgpu_destroy(card->gpu);
   free(card);
   return 0;
}

int
card_ioctl(struct card *card, unsigned long request, void *argument)
{
   return vgpu_ioctl(card->gpu, vgpu_fd(card->gpu), request, argument) ? -errno : 0;
}

int64_t
now_ns(void)
{
   struct timespec now;
   clock_gettime(CLOCK_MONOTONIC, &now);
   return now.tv_sec * 1000000000ll + now.tv_nsec;
}

/* ---- buffers ---------------------------------------------------------------------------------------------------- */

uint32_t
bo_create(struct card *card, uint64_t size, uint32_t domains)
{
   union drm_amdgpu_gem_create args = {.in = {.bo_size = size, .alignment = 4096, .domains = domains}};
   card_must(card, DRM_IOCTL_AMDGPU_GEM_CREATE, &args);
   assert_int_not_equal(args.out.handle, 0);
   return args.out.handle;
}

void
bo_close(struct card *card, uint32_t handle)
{
   struct drm_gem_close args = {.handle = handle};
   card_must(card, DRM_IOCTL_GEM_CLOSE, &args);
}

void *
bo_map(struct card *card, uint32_t handle, uint64_t size)
{
   union drm_amdgpu_gem_mmap args = {.in = {.handle = handle}};
   card_must(card, DRM_IOCTL_AMDGPU_GEM_MMAP, &args);
   void *memory = vgpu_mmap(card->gpu, NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, args.out.addr_ptr);
   assert_ptr_not_equal(memory, MAP_FAILED);
   return memory;
}

int
va_op(struct card *card, uint32_t operation, uint32_t handle, uint64_t va, uint64_t offset, uint64_t size,
      uint32_t flags)
{
   struct drm_amdgpu_gem_va args = {
      .handle = handle,
      .operation = operation,
      .flags = flags,
      .va_address = va,
      .offset_in_bo = offset,
      .map_size = size,
   };
   return card_ioctl(card, DRM_IOCTL_AMDGPU_GEM_VA, &args);
}

/* ---- syncobjs --------------------------------------------------------------------------------------------------- */

uint32_t
syncobj_new(struct card *card, uint32_t flags)
{
   struct drm_syncobj_create args = {.flags = flags};
   card_must(card, DRM_IOCTL_SYNCOBJ_CREATE, &args);
   assert_int_not_equal(args.handle, 0);
   return args.handle;
}

void
syncobj_drop(struct card *card, uint32_t handle)
{
   struct drm_syncobj_destroy args = {.handle = handle};
   card_must(card, DRM_IOCTL_SYNCOBJ_DESTROY, &args);
}

int
syncobj_wait_one(struct card *card, uint32_t handle, int64_t timeout, uint32_t flags)
{
   struct drm_syncobj_wait args = {
      .handles = (uintptr_t)&handle,
      .count_handles = 1,
      .timeout_nsec = timeout,
      .flags = flags,
   };
   return card_ioctl(card, DRM_IOCTL_SYNCOBJ_WAIT, &args);
}

int
timeline_wait_one(struct card *card, uint32_t handle, uint64_t point, int64_t timeout, uint32_t flags)
{
   struct drm_syncobj_timeline_wait args = {
      .handles = (uintptr_t)&handle,
      .points = (uintptr_t)&point,
      .count_handles = 1,
      .timeout_nsec = timeout,
      .flags = flags,
   };
   return card_ioctl(card, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &args);
}

int
timeline_signal_one(struct card *card, uint32_t handle, uint64_t point)
{
   struct drm_syncobj_timeline_array args = {
      .handles = (uintptr_t)&handle,
      .points = (uintptr_t)&point,
      .count_handles = 1,
   };
   return card_ioctl(card, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &args);
}

uint64_t
timeline_value(struct card *card, uint32_t handle, uint32_t flags)
{
   uint64_t value = ~0ull;
   struct drm_syncobj_timeline_array args = {
      .handles = (uintptr_t)&handle,
      .points = (uintptr_t)&value,
      .count_handles = 1,
      .flags = flags,
   };
   card_must(card, DRM_IOCTL_SYNCOBJ_QUERY, &args);
   return value;
}

/* ---- submissions ------------------------------------------------------------------------------------------------ */

uint32_t
context_new(struct card *card)
{
   union drm_amdgpu_ctx args = {.in = {.op = AMDGPU_CTX_OP_ALLOC_CTX}};
   card_must(card, DRM_IOCTL_AMDGPU_CTX, &args);
   assert_int_not_equal(args.out.alloc.ctx_id, 0);
   return args.out.alloc.ctx_id;
}

void
gate_create(struct card *card, struct gate *gate, uint64_t va)
{
   gate->bo = bo_create(card, GATE_SIZE, AMDGPU_GEM_DOMAIN_GTT);
   gate->va = va;
   gate->memory = bo_map(card, gate->bo, GATE_SIZE);
   assert_int_equal(va_op(card, AMDGPU_VA_OP_MAP, gate->bo, va, 0, GATE_SIZE, VA_RW | AMDGPU_VM_PAGE_EXECUTABLE), 0);

   /* PM4 type 3, WAIT_REG_MEM: memory (bit 4) equal (3) to the reference. */
   const uint32_t packet[] = {0xc0053c00, 0x13, (uint32_t)va, va >> 32, 1, ~0u, 4};
   memcpy(gate->memory + 64, packet, sizeof(packet));
   gate->dwords = sizeof(packet) / 4;
}

void
gate_open(struct card *card, struct gate *gate)
{
   __atomic_store_n(gate->memory, 1, __ATOMIC_SEQ_CST);
   vgpu_wake(card->gpu);
}

void
gate_destroy(struct card *card, struct gate *gate)
{
   munmap(gate->memory, GATE_SIZE);
   bo_close(card, gate->bo);
}

int
submit(struct card *card, const struct submit *submit, uint64_t *sequence)
{
   struct drm_amdgpu_cs_chunk_ib ib = {
      .va_start = submit->va,
      .ib_bytes = submit->dwords * 4,
      .ip_type = submit->ip,
      .ring = submit->ring,
   };
   struct drm_amdgpu_cs_chunk_fence fence = {.handle = submit->fence_bo, .offset = submit->fence_offset};
   struct drm_amdgpu_cs_chunk_syncobj waits[8], signals[8];
   for (uint32_t i = 0; i < submit->waits; i++)
      waits[i] = (struct drm_amdgpu_cs_chunk_syncobj){
         submit->wait[i].handle, submit->wait_for_submit ? DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT : 0,
         submit->wait[i].point};
   for (uint32_t i = 0; i < submit->signals; i++)
      signals[i] = (struct drm_amdgpu_cs_chunk_syncobj){submit->signal[i].handle, 0, submit->signal[i].point};

   struct drm_amdgpu_bo_list_entry entry = {.bo_handle = submit->listed_bo};
   struct drm_amdgpu_bo_list_in list = {.operation = ~0u,
                                        .list_handle = ~0u,
                                        .bo_number = 1,
                                        .bo_info_size = sizeof(entry),
                                        .bo_info_ptr = (uintptr_t)&entry};

   struct drm_amdgpu_cs_chunk chunks[5];
   uint64_t addresses[5];
   uint32_t count = 0;
   chunks[count++] = (struct drm_amdgpu_cs_chunk){AMDGPU_CHUNK_ID_IB, sizeof(ib) / 4, (uintptr_t)&ib};
   if (submit->fence_bo)
      chunks[count++] = (struct drm_amdgpu_cs_chunk){AMDGPU_CHUNK_ID_FENCE, sizeof(fence) / 4, (uintptr_t)&fence};
   if (submit->listed_bo)
      chunks[count++] = (struct drm_amdgpu_cs_chunk){AMDGPU_CHUNK_ID_BO_HANDLES, sizeof(list) / 4, (uintptr_t)&list};
   if (submit->waits)
      chunks[count++] = (struct drm_amdgpu_cs_chunk){AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT,
                                                     submit->waits * sizeof(waits[0]) / 4, (uintptr_t)waits};
   if (submit->signals)
      chunks[count++] = (struct drm_amdgpu_cs_chunk){AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL,
                                                     submit->signals * sizeof(signals[0]) / 4, (uintptr_t)signals};
   for (uint32_t i = 0; i < count; i++)
      addresses[i] = (uintptr_t)&chunks[i];

   union drm_amdgpu_cs args = {
      .in = {.ctx_id = submit->context, .num_chunks = count, .chunks = (uintptr_t)addresses},
   };
   int r = card_ioctl(card, DRM_IOCTL_AMDGPU_CS, &args);
   if (!r && sequence)
      *sequence = args.out.handle;
   return r;
}

int
wait_cs(struct card *card, uint32_t context, uint32_t ip, uint32_t ring, uint64_t sequence, int64_t timeout, bool *busy)
{
   union drm_amdgpu_wait_cs args = {
      .in = {.handle = sequence, .timeout = timeout, .ip_type = ip, .ring = ring, .ctx_id = context},
   };
   int r = card_ioctl(card, DRM_IOCTL_AMDGPU_WAIT_CS, &args);
   if (!r)
      *busy = args.out.status;
   return r;
}

/* ---- growth ----------------------------------------------------------------------------------------------------- */

long
resident_kib(void)
{
   long pages = 0;
   FILE *file = fopen("/proc/self/statm", "re");
   assert_non_null(file);
   assert_int_equal(fscanf(file, "%*d %ld", &pages), 1);
   fclose(file);
   return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

int
open_descriptors(void)
{
   int count = 0;
   DIR *directory = opendir("/proc/self/fd");
   assert_non_null(directory);
   while (readdir(directory))
      count++;
   closedir(directory);
   return count;
}

uint32_t
va_read(struct card *card, uint64_t va)
{
   uint32_t value = 0xbad;
   assert_int_equal(vm_copy_from(&card->gpu->kmd->vm, va, &value, sizeof(value)), 0);
   return value;
}

bool
va_is_mapped(struct card *card, uint64_t va)
{
   struct vm_walk walk;
   vm_walk(&card->gpu->kmd->vm, va, &walk);
   return walk.result != VM_NOT_MAPPED;
}
