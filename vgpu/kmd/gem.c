/* SPDX-License-Identifier: MIT */
/* Buffers. */
#include <drm.h>
#include <amdgpu_drm.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kmd/shared.h"
#include "vm/written.h"

#define ON_CHIP_DOMAINS (AMDGPU_GEM_DOMAIN_GDS | AMDGPU_GEM_DOMAIN_GWS | AMDGPU_GEM_DOMAIN_OA)

#define PAGE 4096ull
#define HUGE_PAGE (2ull << 20)

static uint64_t
align_up(uint64_t value, uint64_t alignment)
{
   return (value + alignment - 1) & ~(alignment - 1);
}

struct bo *
bo_ref(struct bo *bo)
{
   bo->refs++;
   return bo;
}

void
bo_unref(struct kmd *kmd, struct bo *bo)
{
   if (bo && --bo->refs == 0) {
      bo->next_dead = kmd->dead;
      kmd->dead = bo;
   }
}

bool
bo_is_on_chip(const struct bo *bo)
{
   return bo->kind >= BO_GDS;
}

static struct heap *
heap_of(struct kmd *kmd, enum bo_kind kind)
{
   switch (kind) {
   case BO_VRAM:
      return &kmd->gpu->vram;
   case BO_GTT:
      return &kmd->gpu->gtt;
   case BO_GDS:
      return &kmd->gds;
   case BO_GWS:
      return &kmd->gws;
   case BO_OA:
      return &kmd->oa;
   case BO_USERPTR:
   case BO_FOREIGN:
      break;
   }
   return NULL;
}

static void
bo_destroy(struct kmd *kmd, struct bo *bo)
{
   struct vgpu *gpu = kmd->gpu;
   if (bo->file >= 0)
      bo_close_file(kmd, bo);
   struct heap *heap = heap_of(kmd, bo->kind);
   if (bo->kind == BO_VRAM || bo->kind == BO_GTT)
      vgpu_release_memory(gpu, bo_host_address(kmd, bo) - gpu->memory, bo->size);
   if (heap)
      heap_free(heap, bo->offset, bo->size);
   free(bo->metadata);
   free(bo);
}

void
kmd_lock(struct kmd *kmd)
{
   pthread_mutex_lock(&kmd->lock);
}

void
kmd_unlock(struct kmd *kmd)
{
   struct bo *dead = kmd->dead;
   kmd->dead = NULL;
   pthread_mutex_unlock(&kmd->lock);

   while (dead) {
      struct bo *bo = dead;
      dead = bo->next_dead;
      bo_destroy(kmd, bo);
   }
}

uint8_t *
bo_host_address(struct kmd *kmd, const struct bo *bo)
{
   switch (bo->kind) {
   case BO_VRAM:
      return kmd->gpu->memory + bo->offset;
   case BO_GTT:
      return kmd->gpu->memory + kmd->gpu->vram_size + bo->offset;
   case BO_USERPTR:
   case BO_FOREIGN:
      return (uint8_t *)bo->offset;
   case BO_GDS:
   case BO_GWS:
   case BO_OA:
      break;
   }
   return NULL;
}

int
bo_publish(struct kmd *kmd, struct bo *bo, uint32_t *handle)
{
   kmd_lock(kmd);
   *handle = bo->handle = handle_table_add(&kmd->bos, bo);
   if (!*handle)
      bo_unref(kmd, bo);
   kmd_unlock(kmd);
   return *handle ? 0 : -ENOMEM;
}

uint32_t
bo_handle(struct kmd *kmd, struct bo *bo)
{
   if (!bo->handle) {
      bo->handle = handle_table_add(&kmd->bos, bo);
      if (bo->handle)
         bo_ref(bo);
   }
   return bo->handle;
}

static int
allocate(struct kmd *kmd, struct bo *bo, enum bo_kind kind, uint64_t alignment)
{
   bo->kind = kind;
   return heap_alloc(heap_of(kmd, kind), bo->size, alignment, false, &bo->offset);
}

/* Bytes of the global data share in fours, other things one by one (amdgpu_bo_create). */
static int
allocate_on_chip(struct kmd *kmd, struct bo *bo, const struct drm_amdgpu_gem_create_in *in)
{
   if (in->domain_flags & AMDGPU_GEM_CREATE_VM_ALWAYS_VALID)
      return -EINVAL;
   const bool gds = in->domains & AMDGPU_GEM_DOMAIN_GDS;
   const uint64_t unit = gds ? 4 : 1;
   uint64_t alignment = in->alignment > unit ? in->alignment : unit;
   bo->size = align_up(in->bo_size, unit) << BO_ON_CHIP_SHIFT;
   bo->flags |= AMDGPU_GEM_CREATE_NO_CPU_ACCESS;
   enum bo_kind kind = gds ? BO_GDS : in->domains & AMDGPU_GEM_DOMAIN_GWS ? BO_GWS : BO_OA;
   return allocate(kmd, bo, kind, alignment << BO_ON_CHIP_SHIFT);
}

static int
allocate_memory(struct kmd *kmd, struct bo *bo, const struct drm_amdgpu_gem_create_in *in)
{
   bo->size = align_up(in->bo_size, PAGE);

   /* Large buffers on 2 MiB boundaries can be mapped with 2 MiB pages. */
   uint64_t alignment = in->alignment > PAGE ? in->alignment : PAGE;
   if (bo->size >= HUGE_PAGE && alignment < HUGE_PAGE)
      alignment = HUGE_PAGE;

   int r = -ENOMEM;
   if (in->domains & AMDGPU_GEM_DOMAIN_VRAM)
      r = allocate(kmd, bo, BO_VRAM, alignment);
   if (r && (in->domains & (AMDGPU_GEM_DOMAIN_GTT | AMDGPU_GEM_DOMAIN_CPU) || !in->domains))
      r = allocate(kmd, bo, BO_GTT, alignment);
   return r;
}

/* All memory is clear: fresh pages of the memfd are, and freed ones are punched out. So VRAM_CLEARED needs no work. */
int
kmd_gem_create(struct kmd *kmd, void *data)
{
   union drm_amdgpu_gem_create *args = data;
   struct drm_amdgpu_gem_create_in in = args->in;
   struct vgpu *gpu = kmd->gpu;

   if (!in.bo_size || in.bo_size > gpu->vram_size + gpu->gtt_size)
      return in.bo_size ? -ENOMEM : -EINVAL;
   if (in.alignment & (in.alignment - 1) || in.alignment > 1ull << 32)
      return -EINVAL;
   if (in.domains & AMDGPU_GEM_DOMAIN_DOORBELL) {
      vgpu_log(gpu, "GEM_CREATE: there are no doorbells to be had");
      return -EINVAL;
   }

   struct bo *bo = calloc(1, sizeof(*bo));
   if (!bo)
      return -ENOMEM;
   bo->refs = 1;
   bo->file = -1;
   bo->asked_alignment = in.alignment;
   bo->domains = in.domains;
   bo->flags = in.domain_flags;
   int r = in.domains & ON_CHIP_DOMAINS ? allocate_on_chip(kmd, bo, &in) : allocate_memory(kmd, bo, &in);
   if (r) {
      free(bo);
      return r;
   }

   uint32_t handle;
   r = bo_publish(kmd, bo, &handle);
   if (!r)
      args->out = (struct drm_amdgpu_gem_create_out){.handle = handle};
   return r;
}

int
kmd_gem_close(struct kmd *kmd, void *data)
{
   struct drm_gem_close *args = data;

   kmd_lock(kmd);
   struct bo *bo = handle_table_remove(&kmd->bos, args->handle);
   if (bo) {
      bo->handle = 0;
      va_remove_bo(kmd, bo);
      if (bo->file >= 0)
         shared_files_sweep(kmd);
      bo_unref(kmd, bo);
   }
   kmd_unlock(kmd);

   return bo ? 0 : -EINVAL;
}

int
kmd_gem_mmap(struct kmd *kmd, void *data)
{
   union drm_amdgpu_gem_mmap *args = data;
   int r = 0;

   kmd_lock(kmd);
   struct bo *bo = handle_table_get(&kmd->bos, args->in.handle);
   if (!bo) {
      r = -ENOENT;
   } else if (bo->kind == BO_USERPTR || bo->flags & AMDGPU_GEM_CREATE_NO_CPU_ACCESS) {
      r = -EPERM;
   } else {
      args->out.addr_ptr = bo_mmap_offset(kmd, bo);
      if (bo->kind != BO_FOREIGN) /* whoever asks is about to map it, and need not tell us */
         written_add_host(kmd->gpu, (uint64_t)(bo_host_address(kmd, bo) - kmd->gpu->memory), bo->size);
   }
   kmd_unlock(kmd);
   return r;
}

int
kmd_gem_metadata(struct kmd *kmd, void *data)
{
   struct drm_amdgpu_gem_metadata *args = data;
   int r = 0;

   kmd_lock(kmd);
   struct bo *bo = handle_table_get(&kmd->bos, args->handle);
   if (!bo) {
      r = -ENOENT;
   } else if (args->op == AMDGPU_GEM_METADATA_OP_GET_METADATA) {
      memset(&args->data, 0, sizeof(args->data));
      if (bo->metadata) {
         args->data.flags = bo->metadata->flags;
         args->data.tiling_info = bo->metadata->tiling_info;
         args->data.data_size_bytes = bo->metadata->size;
         memcpy(args->data.data, bo->metadata->data, sizeof(args->data.data));
      }
   } else if (args->op == AMDGPU_GEM_METADATA_OP_SET_METADATA &&
              args->data.data_size_bytes <= sizeof(args->data.data)) {
      if (!bo->metadata)
         bo->metadata = calloc(1, sizeof(*bo->metadata));
      if (bo->metadata) {
         bo->metadata->flags = args->data.flags;
         bo->metadata->tiling_info = args->data.tiling_info;
         bo->metadata->size = args->data.data_size_bytes;
         memcpy(bo->metadata->data, args->data.data, args->data.data_size_bytes);
      } else {
         r = -ENOMEM;
      }
   } else {
      r = -EINVAL;
   }
   kmd_unlock(kmd);
   return r;
}

int
kmd_gem_op(struct kmd *kmd, void *data)
{
   struct kmd_gem_op_arguments *args = data;
   int r = 0;

   kmd_lock(kmd);
   struct bo *bo = handle_table_get(&kmd->bos, args->handle);
   struct drm_amdgpu_gem_create_in info = {0};
   if (!bo) {
      r = -ENOENT;
   } else if (args->op == AMDGPU_GEM_OP_GET_GEM_CREATE_INFO) {
      info.bo_size = bo->size;
      info.alignment = bo->asked_alignment > PAGE ? bo->asked_alignment : PAGE;
      info.domains = bo->domains;
      info.domain_flags = bo->flags;
   } else if (args->op == AMDGPU_GEM_OP_SET_PLACEMENT && bo->kind != BO_USERPTR) {
      bo->domains = args->value & AMDGPU_GEM_DOMAIN_MASK; /* a preference; buffers do not move */
   } else if (args->op == KMD_GEM_OP_GET_MAPPING_INFO) {
      r = gem_list_mappings(kmd, bo, args);
   } else {
      r = -EINVAL;
   }
   kmd_unlock(kmd);

   if (!r && args->op == AMDGPU_GEM_OP_GET_GEM_CREATE_INFO)
      memcpy((void *)args->value, &info, sizeof(info));
   return r;
}

/* Which jobs use a buffer is not tracked: it counts as idle when the card is. */
int
kmd_gem_wait_idle(struct kmd *kmd, void *data)
{
   union drm_amdgpu_gem_wait_idle *args = data;
   struct deadline deadline = deadline_at(kmd, args->in.timeout);

   kmd_lock(kmd);
   struct bo *bo = handle_table_get(&kmd->bos, args->in.handle);
   int r = bo ? 0 : -ENOENT;
   if (bo) {
      uint32_t domain = bo->kind == BO_VRAM ? AMDGPU_GEM_DOMAIN_VRAM : AMDGPU_GEM_DOMAIN_GTT;
      while (kmd->jobs && kmd_wait(kmd, &deadline))
         continue;
      args->out = (struct drm_amdgpu_gem_wait_idle_out){.status = kmd->jobs != 0, .domain = domain};
   }
   kmd_unlock(kmd);
   return r;
}
