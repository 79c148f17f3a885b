/* SPDX-License-Identifier: MIT */
#include "target/kernel.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include <amdgpu_drm.h>
#include <drm.h>

#include "vgpu.h"

int
hdb_kernel_ioctl(int drm_fd, unsigned long request, void *argument)
{
   struct vgpu *gpu = vgpu_from_fd(drm_fd); /* a kernel that is in this process */
   int result;
   do
      result = gpu ? vgpu_ioctl(gpu, drm_fd, request, argument) : ioctl(drm_fd, request, argument);
   while (result < 0 && (errno == EINTR || errno == EAGAIN));
   return result < 0 ? -errno : 0;
}

static int
get_device(int drm_fd, struct drm_amdgpu_info_device *info)
{
   *info = (struct drm_amdgpu_info_device){0};
   struct drm_amdgpu_info request = {
      .query = AMDGPU_INFO_DEV_INFO,
      .return_pointer = (uintptr_t)info,
      .return_size = sizeof(*info),
   };
   return hdb_kernel_ioctl(drm_fd, DRM_IOCTL_AMDGPU_INFO, &request);
}

int
hdb_kernel_get_family(int drm_fd, uint32_t *family)
{
   struct drm_amdgpu_info_device info;
   int error = get_device(drm_fd, &info);
   *family = info.family;
   return error;
}

int
hdb_kernel_get_va_end(int drm_fd, uint64_t *end)
{
   struct drm_amdgpu_info_device info;
   int error = get_device(drm_fd, &info);
   *end = info.high_va_max ? info.high_va_max : info.virtual_address_max;
   return error;
}

int
hdb_kernel_get_address_config(int drm_fd, uint32_t *config)
{
   struct drm_amdgpu_info request = {
      .query = AMDGPU_INFO_READ_MMR_REG,
      .return_pointer = (uintptr_t)config,
      .return_size = sizeof(*config),
      .read_mmr_reg = {.dword_offset = 0x263e, .count = 1, .instance = UINT32_MAX},
   };
   return hdb_kernel_ioctl(drm_fd, DRM_IOCTL_AMDGPU_INFO, &request);
}

static int
vm_operation(int drm_fd, uint32_t op)
{
   union drm_amdgpu_vm request = {.in = {.op = op}};
   return hdb_kernel_ioctl(drm_fd, DRM_IOCTL_AMDGPU_VM, &request);
}

int
hdb_kernel_reserve_vmid(int drm_fd)
{
   return vm_operation(drm_fd, AMDGPU_VM_OP_RESERVE_VMID);
}

void
hdb_kernel_unreserve_vmid(int drm_fd)
{
   vm_operation(drm_fd, AMDGPU_VM_OP_UNRESERVE_VMID);
}

/* ---- a job ---- */

#define PM4_NOP 0xffff1000u /* type 3, opcode 0x10; a count of 0x3fff: one dword, as the kernel pads its rings */
#define NOP_COUNT 64
#define JOB_LIMIT_S 5

static uint64_t
deadline_ns(void)
{
   struct timespec now;
   clock_gettime(CLOCK_MONOTONIC, &now);
   return (now.tv_sec + JOB_LIMIT_S) * 1000000000ull + now.tv_nsec;
}

static int
run_commands(int drm_fd, uint32_t context, const struct hdb_memory *commands)
{
   struct drm_amdgpu_cs_chunk_ib ib = {
      .va_start = commands->va, .ib_bytes = 4 * NOP_COUNT, .ip_type = AMDGPU_HW_IP_COMPUTE};
   struct drm_amdgpu_cs_chunk chunk = {
      .chunk_id = AMDGPU_CHUNK_ID_IB, .length_dw = sizeof(ib) / 4, .chunk_data = (uintptr_t)&ib};
   uint64_t chunks = (uintptr_t)&chunk;
   union drm_amdgpu_cs submit = {.in = {.ctx_id = context, .num_chunks = 1, .chunks = (uintptr_t)&chunks}};
   int error = hdb_kernel_ioctl(drm_fd, DRM_IOCTL_AMDGPU_CS, &submit);
   if (error)
      return error;
   union drm_amdgpu_wait_cs wait = {
      .in = {
         .handle = submit.out.handle, .timeout = deadline_ns(), .ip_type = AMDGPU_HW_IP_COMPUTE, .ctx_id = context}};
   error = hdb_kernel_ioctl(drm_fd, DRM_IOCTL_AMDGPU_WAIT_CS, &wait);
   return error ?: wait.out.status ? -ETIME : 0;
}

int
hdb_kernel_run_nothing(struct hdb_driver *driver, int drm_fd)
{
   struct hdb_memory commands;
   int error = driver->alloc_memory(driver, 4096, HDB_MEMORY_UNCACHED | HDB_MEMORY_EXECUTABLE, &commands);
   if (error)
      return error;
   for (int i = 0; i < NOP_COUNT; i++)
      ((uint32_t *)commands.map)[i] = PM4_NOP;
   union drm_amdgpu_ctx context = {.in = {.op = AMDGPU_CTX_OP_ALLOC_CTX}};
   error = hdb_kernel_ioctl(drm_fd, DRM_IOCTL_AMDGPU_CTX, &context);
   if (!error) {
      uint32_t id = context.out.alloc.ctx_id;
      error = run_commands(drm_fd, id, &commands);
      context = (union drm_amdgpu_ctx){.in = {.op = AMDGPU_CTX_OP_FREE_CTX, .ctx_id = id}};
      hdb_kernel_ioctl(drm_fd, DRM_IOCTL_AMDGPU_CTX, &context);
   }
   driver->free_memory(driver, &commands);
   return error;
}

/* ---- lockup_timeout ---- */

/* The module's parameter (amdgpu_drv.c): milliseconds for graphics, compute, SDMA and video jobs, by commas; one alone
 * is not for compute in every kernel. Nothing or 0: the kernel's presets, seconds. Negative: for ever. */
bool
hdb_kernel_waits(const char *sysfs, uint32_t seconds)
{
   char path[PATH_MAX], text[128] = "";
   snprintf(path, sizeof(path), "%s/module/amdgpu/parameters/lockup_timeout", sysfs ? sysfs : "/sys");
   FILE *file = fopen(path, "re");
   if (!file)
      return false;
   const char *place = fgets(text, sizeof(text), file);
   fclose(file);
   long long limits[2] = {0};
   int count = 0;
   for (char *end; place && count < 2; count++) {
      limits[count] = strtoll(place, &end, 0);
      if (end == place)
         break;
      place = *end == ',' ? end + 1 : NULL;
   }
   for (int i = 0; i < 2; i++) {
      if (limits[i] >= 0 && limits[i] < seconds * 1000ll)
         return false;
   }
   return true;
}
