/* SPDX-License-Identifier: MIT */
/* The driver's life, the way from ioctl(2) to the handlers, and the few ioctls of the DRM core. */
#include <drm.h>
#include <amdgpu_drm.h>
#include <errno.h>
#include <linux/dma-buf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kmd/shared.h"

#define DRM_MAJOR 3
#define DRM_MINOR 60 /* has the fault query (55), not yet the user queues (64) */

/* gfx_v11_0_set_gds_init */
#define GWS_COUNT 64
#define OA_COUNT 16

static void
finish_heaps(struct kmd *kmd)
{
   heap_finish(&kmd->gds);
   heap_finish(&kmd->gws);
   heap_finish(&kmd->oa);
}

int
kmd_init(struct vgpu *gpu)
{
   struct kmd *kmd = calloc(1, sizeof(*kmd));
   if (!kmd)
      return -ENOMEM;
   kmd->gpu = gpu;
   int r = heap_init(&kmd->gds, CP_GDS_SIZE << BO_ON_CHIP_SHIFT);
   if (!r)
      r = heap_init(&kmd->gws, GWS_COUNT << BO_ON_CHIP_SHIFT);
   if (!r)
      r = heap_init(&kmd->oa, OA_COUNT << BO_ON_CHIP_SHIFT);
   if (!r)
      r = vm_init(&kmd->vm, gpu);
   if (r) {
      finish_heaps(kmd);
      free(kmd);
      return r;
   }

   pthread_condattr_t attributes;
   pthread_condattr_init(&attributes);
   pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
   pthread_cond_init(&kmd->changed, &attributes);
   pthread_condattr_destroy(&attributes);
   pthread_mutex_init(&kmd->lock, NULL);
   gpu->kmd = kmd;
   r = gart_init(kmd);
   return r ? r : second_level_init(kmd);
}

void
kmd_stop(struct vgpu *gpu)
{
   struct kmd *kmd = gpu->kmd;
   if (!kmd)
      return;
   watch_stop(kmd);
   kmd_lock(kmd);
   for (struct context *context = kmd->all_contexts; context; context = context->next)
      context->guilty = true;
   kmd_notify(kmd);
   kmd_unlock(kmd);
}

/* The command processor has stopped, so all jobs are done. */
void
kmd_finish(struct vgpu *gpu)
{
   struct kmd *kmd = gpu->kmd;
   if (!kmd)
      return;

   kmd_lock(kmd);
   shared_syncobjs_finish(kmd);
   shared_files_finish(kmd);
   eventfd_waits_finish(kmd);
   kmd_release_file(kmd);
   kmd_unlock(kmd);

   handle_table_finish(&kmd->contexts);
   handle_table_finish(&kmd->syncobjs);
   handle_table_finish(&kmd->bos);
   second_level_finish(kmd);
   gart_finish(kmd);
   vm_finish(&kmd->vm);
   finish_heaps(kmd);
   free(kmd->mappings);
   pthread_cond_destroy(&kmd->changed);
   pthread_mutex_destroy(&kmd->lock);
   free(kmd);
   gpu->kmd = NULL;
}

bool
kmd_report_once(struct kmd *kmd, enum kmd_report kind, uint32_t number)
{
   uint32_t bit = number & 255;
   kmd_lock(kmd);
   uint64_t *word = &kmd->reported[kind][bit / 64];
   bool before = *word >> bit % 64 & 1;
   *word |= 1ull << bit % 64;
   kmd_unlock(kmd);
   return before;
}

/* ---- DRM core --------------------------------------------------------------------------------------------------- */

/* Copies what fits and says how long it is; asked twice, first without room. */
static void
copy_string(char *to, __kernel_size_t *size, const char *string)
{
   size_t length = strlen(string);
   if (to)
      memcpy(to, string, length < *size ? length : *size);
   *size = length;
}

static int
version(struct kmd *kmd, void *data)
{
   struct drm_version *args = data;
   args->version_major = DRM_MAJOR;
   args->version_minor = DRM_MINOR;
   args->version_patchlevel = 0;
   copy_string(args->name, &args->name_len, "amdgpu");
   copy_string(args->date, &args->date_len, "20250101");
   copy_string(args->desc, &args->desc_len, "hdb virtual gfx1100");
   return 0;
}

/* libdrm asks whether it is authenticated, as it does not take a memfd for a render node. */
static int
get_client(struct kmd *kmd, void *data)
{
   struct drm_client *args = data;
   if (args->idx != 0)
      return -EINVAL;
   *args = (struct drm_client){.auth = 1, .pid = getpid(), .uid = getuid()};
   return 0;
}

static int
get_cap(struct kmd *kmd, void *data)
{
   struct drm_get_cap *args = data;
   switch (args->capability) {
   case DRM_CAP_SYNCOBJ:
   case DRM_CAP_SYNCOBJ_TIMELINE:
   case DRM_CAP_TIMESTAMP_MONOTONIC:
      args->value = 1;
      return 0;
   case DRM_CAP_PRIME:
      args->value = DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT;
      return 0;
   case DRM_CAP_DUMB_BUFFER:
   case DRM_CAP_ADDFB2_MODIFIERS:
      args->value = 0;
      return 0;
   default:
      return -EOPNOTSUPP; /* as a driver without displays */
   }
}

/* ---- dispatch --------------------------------------------------------------------------------------------------- */

static const struct entry {
   const char *name;
   kmd_handler *handler;
   uint32_t size; /* of the argument that the handler knows */
} entries[256] = {
#define CORE(number, function, type) [number] = {#function, function, sizeof(type)}
#define AMDGPU(command, function, type) [DRM_COMMAND_BASE + command] = {#function, function, sizeof(type)}
   CORE(0x00, version, struct drm_version),
   CORE(0x05, get_client, struct drm_client),
   CORE(0x09, kmd_gem_close, struct drm_gem_close),
   CORE(0x0c, get_cap, struct drm_get_cap),
   CORE(0x2d, kmd_prime_handle_to_fd, struct drm_prime_handle),
   CORE(0x2e, kmd_prime_fd_to_handle, struct drm_prime_handle),
   CORE(0xbf, kmd_syncobj_create, struct drm_syncobj_create),
   CORE(0xc0, kmd_syncobj_destroy, struct drm_syncobj_destroy),
   CORE(0xc1, kmd_syncobj_handle_to_fd, struct drm_syncobj_handle),
   CORE(0xc2, kmd_syncobj_fd_to_handle, struct drm_syncobj_handle),
   CORE(0xc3, kmd_syncobj_wait, struct drm_syncobj_wait),
   CORE(0xc4, kmd_syncobj_reset, struct drm_syncobj_array),
   CORE(0xc5, kmd_syncobj_signal, struct drm_syncobj_array),
   CORE(0xca, kmd_syncobj_timeline_wait, struct drm_syncobj_timeline_wait),
   CORE(0xcb, kmd_syncobj_query, struct drm_syncobj_timeline_array),
   CORE(0xcc, kmd_syncobj_transfer, struct drm_syncobj_transfer),
   CORE(0xcd, kmd_syncobj_timeline_signal, struct drm_syncobj_timeline_array),
   CORE(0xcf, kmd_syncobj_eventfd, struct drm_syncobj_eventfd),
   AMDGPU(DRM_AMDGPU_GEM_CREATE, kmd_gem_create, union drm_amdgpu_gem_create),
   AMDGPU(DRM_AMDGPU_GEM_MMAP, kmd_gem_mmap, union drm_amdgpu_gem_mmap),
   AMDGPU(DRM_AMDGPU_CTX, kmd_context, union drm_amdgpu_ctx),
   AMDGPU(DRM_AMDGPU_CS, kmd_submit, union drm_amdgpu_cs),
   AMDGPU(DRM_AMDGPU_INFO, kmd_info, struct drm_amdgpu_info),
   AMDGPU(DRM_AMDGPU_GEM_METADATA, kmd_gem_metadata, struct drm_amdgpu_gem_metadata),
   AMDGPU(DRM_AMDGPU_GEM_WAIT_IDLE, kmd_gem_wait_idle, union drm_amdgpu_gem_wait_idle),
   AMDGPU(DRM_AMDGPU_GEM_VA, kmd_gem_va, struct drm_amdgpu_gem_va),
   AMDGPU(DRM_AMDGPU_WAIT_CS, kmd_wait_cs, union drm_amdgpu_wait_cs),
   AMDGPU(DRM_AMDGPU_GEM_OP, kmd_gem_op, struct kmd_gem_op_arguments),
   AMDGPU(DRM_AMDGPU_GEM_USERPTR, kmd_gem_userptr, struct drm_amdgpu_gem_userptr),
   AMDGPU(DRM_AMDGPU_WAIT_FENCES, kmd_wait_fences, union drm_amdgpu_wait_fences),
   AMDGPU(DRM_AMDGPU_VM, kmd_vm, struct kmd_vm_arguments),
   [DRM_COMMAND_BASE +
      KMD_GEM_LIST_HANDLES] = {"kmd_gem_list_handles", kmd_gem_list_handles, sizeof(struct kmd_list_arguments)},
   [DRM_COMMAND_BASE + KMD_CWSR] = {"kmd_cwsr", kmd_cwsr, KMD_CWSR_SIZE},
   [DRM_COMMAND_BASE + KMD_CWSR_0X20] = {"kmd_cwsr_0x20", kmd_cwsr_0x20, KMD_CWSR_SIZE},
   AMDGPU(DRM_AMDGPU_FENCE_TO_HANDLE, kmd_fence_to_handle, union drm_amdgpu_fence_to_handle),
#undef CORE
#undef AMDGPU
};

/* As the kernel does it, the handler gets an argument of the size that it knows, whatever the caller's headers said:
 * missing fields are 0, further ones stay as they were. */
static int
drm_ioctl(struct kmd *kmd, unsigned long request, void *argument)
{
   uint32_t number = _IOC_NR(request);
   const struct entry *entry = &entries[number];
   if (!entry->handler) {
      if (!kmd_report_once(kmd, KMD_REPORT_IOCTL, number))
         vgpu_log(kmd->gpu, "ioctl 0x%02x (request 0x%lx) is not supported", number, request);
      return -EINVAL;
   }

   if (!argument) /* the core reads it first, of what there is */
      return second_level_offers(kmd, number - DRM_COMMAND_BASE) ? -EFAULT : -EINVAL;

   union {
      uint64_t alignment;
      uint8_t bytes[512];
   } copy = {0};
   uint32_t size = _IOC_SIZE(request) < entry->size ? _IOC_SIZE(request) : entry->size;
   memcpy(&copy, argument, size);
   int r = entry->handler(kmd, &copy);
   if (_IOC_DIR(request) & _IOC_READ)
      memcpy(argument, &copy, size);
   return r;
}

int
vgpu_ioctl(struct vgpu *gpu, int fd, unsigned long request, void *arg)
{
   int r;
   if (vgpu_is_inert(gpu)) {
      r = -EIO;
   } else {
      switch (_IOC_TYPE(request)) {
      case DRM_IOCTL_BASE:
         r = drm_ioctl(gpu->kmd, request, arg);
         break;
      case '>':
         r = kmd_sync_file_ioctl(gpu->kmd, fd, request, arg);
         break;
      case DMA_BUF_BASE: /* host and GPU see the same memory: nothing to flush */
         r = request == DMA_BUF_IOCTL_SYNC ? 0 : -ENOTTY;
         break;
      default:
         r = -ENOTTY;
      }
   }
   if (r < 0) {
      errno = -r;
      return -1;
   }
   return 0;
}
