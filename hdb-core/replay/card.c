/* SPDX-License-Identifier: MIT */
/* The virtual GPU as a driver uses it, by the kernel's calls: buffers at given addresses, jobs on a compute queue. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <drm.h>
#include <amdgpu_drm.h>

#include "replay/private.h"

#define PAGE 4096ull
#define OWN_MEMORY (1ull << 30) /* page tables, scratch, the debugger's */
#define OWN_ALIGNMENT (64ull << 10)

static int
call(struct replay_card *card, unsigned long request, void *argument)
{
   return vgpu_ioctl(card->gpu, vgpu_fd(card->gpu), request, argument) ? -errno : 0;
}

/* ---- buffers ---- */

static uint32_t
page_flags(uint32_t access)
{
   return (access & REPLAY_READ ? AMDGPU_VM_PAGE_READABLE : 0) |
          (access & REPLAY_WRITE ? AMDGPU_VM_PAGE_WRITEABLE : 0) |
          (access & REPLAY_EXECUTE ? AMDGPU_VM_PAGE_EXECUTABLE : 0) |
          (access & REPLAY_UNCACHED ? AMDGPU_VM_MTYPE_UC : AMDGPU_VM_MTYPE_DEFAULT);
}

static int
change_mapping(struct replay_card *card, uint32_t handle, uint32_t operation, uint32_t flags, uint64_t va,
               uint64_t size)
{
   struct drm_amdgpu_gem_va change = {
      .handle = handle, .operation = operation, .flags = flags, .va_address = va, .map_size = size};
   return call(card, DRM_IOCTL_AMDGPU_GEM_VA, &change);
}

static void
close_buffer(struct replay_card *card, uint32_t handle)
{
   struct drm_gem_close close = {.handle = handle};
   call(card, DRM_IOCTL_GEM_CLOSE, &close);
}

int
card_map(struct replay_card *card, uint64_t va, uint64_t size, uint32_t access, struct replay_buffer *buffer)
{
   union drm_amdgpu_gem_create create = {.in = {.bo_size = size, .alignment = PAGE, .domains = AMDGPU_GEM_DOMAIN_VRAM}};
   int error = call(card, DRM_IOCTL_AMDGPU_GEM_CREATE, &create);
   if (error)
      return error;
   uint32_t handle = create.out.handle;
   union drm_amdgpu_gem_mmap place = {.in = {.handle = handle}};
   error = call(card, DRM_IOCTL_AMDGPU_GEM_MMAP, &place);
   void *map = MAP_FAILED;
   if (!error) {
      map = vgpu_mmap(card->gpu, NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, (int64_t)place.out.addr_ptr);
      error = map == MAP_FAILED ? -errno : 0;
   }
   error = error ?: change_mapping(card, handle, AMDGPU_VA_OP_MAP, page_flags(access), va, size);
   if (error) {
      if (map != MAP_FAILED)
         munmap(map, size);
      close_buffer(card, handle);
      return error;
   }
   *buffer = (struct replay_buffer){.va = va, .size = size, .map = map, .handle = handle};
   return 0;
}

int
card_alloc(struct replay_card *card, uint64_t size, uint32_t access, struct replay_buffer *buffer)
{
   uint64_t pages = (size + PAGE - 1) & ~(PAGE - 1);
   int error = card_map(card, card->own_va, pages, access, buffer);
   if (!error)
      card->own_va += (pages + OWN_ALIGNMENT - 1) & ~(OWN_ALIGNMENT - 1);
   return error;
}

void
card_unmap(struct replay_card *card, struct replay_buffer *buffer)
{
   if (!buffer->map)
      return;
   change_mapping(card, buffer->handle, AMDGPU_VA_OP_UNMAP, 0, buffer->va, buffer->size);
   munmap(buffer->map, buffer->size);
   close_buffer(card, buffer->handle);
   *buffer = (struct replay_buffer){0};
}

int
card_map_nothing(struct replay_card *card, uint64_t va, uint64_t size)
{
   return change_mapping(card, 0, AMDGPU_VA_OP_MAP, AMDGPU_VM_PAGE_PRT, va, size);
}

void
card_unmap_nothing(struct replay_card *card, uint64_t va, uint64_t size)
{
   change_mapping(card, 0, AMDGPU_VA_OP_CLEAR, 0, va, size);
}

/* ---- what the debugger asks of a driver ---- */

static int
alloc_memory(struct hdb_driver *driver, uint64_t size, uint32_t flags, struct hdb_memory *memory)
{
   struct replay_card *card = (struct replay_card *)driver;
   struct replay_buffer *buffer = malloc(sizeof(*buffer));
   uint32_t access = REPLAY_READ | REPLAY_WRITE | (flags & HDB_MEMORY_EXECUTABLE ? REPLAY_EXECUTE : 0) |
                     (flags & HDB_MEMORY_UNCACHED ? REPLAY_UNCACHED : 0);
   int error = buffer ? card_alloc(card, size, access, buffer) : -ENOMEM;
   if (error) {
      free(buffer);
      return error;
   }
   *memory = (struct hdb_memory){.va = buffer->va, .size = size, .map = buffer->map, .handle = buffer};
   return 0;
}

static void
free_memory(struct hdb_driver *driver, struct hdb_memory *memory)
{
   card_unmap((struct replay_card *)driver, memory->handle);
   free(memory->handle);
}

/* No command buffers: what is launched is told by the replay itself. */
static uint32_t
get_dispatches(struct hdb_driver *driver, void *command_buffer, struct hdb_dispatch *dispatches, uint32_t capacity)
{
   return 0;
}

/* ---- life ---- */

int
card_init(struct replay_card *card, uint64_t memory, uint64_t own_va, uint64_t seed)
{
   struct vgpu_options options = {
      .vram_size = memory + memory / 128 + OWN_MEMORY, .flags = VGPU_LOCKSTEP, .seed = seed};
   int error = vgpu_create(&options, &card->gpu);
   if (error)
      return error;
   card->own_va = own_va;
   card->driver = (struct hdb_driver){
      .version = HDB_DRIVER_VERSION,
      .virtual_gpu = true,
      .drm_fd = vgpu_fd(card->gpu),
      .get_dispatches = get_dispatches,
      .alloc_memory = alloc_memory,
      .free_memory = free_memory,
   };
   return 0;
}

void
card_finish(struct replay_card *card)
{
   vgpu_destroy(card->gpu);
}

/* ---- jobs ---- */

/* Time that a debugger holds is none, and the card itself ends what hangs. */
static int
wait_for(struct replay_card *card, uint32_t context, uint64_t sequence)
{
   union drm_amdgpu_wait_cs wait = {
      .in = {.handle = sequence, .timeout = INT64_MAX, .ip_type = AMDGPU_HW_IP_COMPUTE, .ctx_id = context}};
   int error = call(card, DRM_IOCTL_AMDGPU_WAIT_CS, &wait);
   return error || wait.out.status ? -EIO : 0;
}

/* Each job has a context of its own: one that has brought a fault about gets no further work. */
int
card_run(struct replay_card *card, uint64_t va, uint32_t dwords)
{
   union drm_amdgpu_ctx context = {.in = {.op = AMDGPU_CTX_OP_ALLOC_CTX}};
   int error = call(card, DRM_IOCTL_AMDGPU_CTX, &context);
   if (error)
      return error;
   uint32_t id = context.out.alloc.ctx_id;
   struct drm_amdgpu_cs_chunk_ib ib = {.va_start = va, .ib_bytes = dwords * 4, .ip_type = AMDGPU_HW_IP_COMPUTE};
   struct drm_amdgpu_cs_chunk chunk = {
      .chunk_id = AMDGPU_CHUNK_ID_IB, .length_dw = sizeof(ib) / 4, .chunk_data = (uintptr_t)&ib};
   uint64_t chunks = (uintptr_t)&chunk;
   union drm_amdgpu_cs submit = {.in = {.ctx_id = id, .num_chunks = 1, .chunks = (uintptr_t)&chunks}};
   error = call(card, DRM_IOCTL_AMDGPU_CS, &submit);
   error = error ?: wait_for(card, id, submit.out.handle);
   union drm_amdgpu_ctx release = {.in = {.op = AMDGPU_CTX_OP_FREE_CTX, .ctx_id = id}};
   call(card, DRM_IOCTL_AMDGPU_CTX, &release);
   return error;
}
