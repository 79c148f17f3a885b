/* SPDX-License-Identifier: MIT */
/*
 * A program with buffers on the virtual card: one in VRAM, one in system memory, one that is partially resident, each
 * at an address of its own. Says so, and stays until standard input ends.
 */
#include <amdgpu_drm.h>
#include <drm.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vgpu.h"

#define VA 0xffff800100000000ull
#define SIZE (4u << 20)

static int
ask(struct vgpu *gpu, unsigned long request, void *arguments)
{
   int result = vgpu_ioctl(gpu, vgpu_fd(gpu), request, arguments);
   if (result)
      perror("ioctl");
   return result;
}

static int
map(struct vgpu *gpu, uint64_t va, uint64_t size, uint32_t domain, uint32_t flags, const char *text)
{
   union drm_amdgpu_gem_create create = {.in = {.bo_size = size, .alignment = 2 << 20, .domains = domain}};
   if (text && ask(gpu, DRM_IOCTL_AMDGPU_GEM_CREATE, &create))
      return -1;
   struct drm_amdgpu_gem_va place = {
      .handle = text ? create.out.handle : 0,
      .operation = AMDGPU_VA_OP_MAP,
      .flags = flags,
      .va_address = va,
      .map_size = size,
   };
   if (ask(gpu, DRM_IOCTL_AMDGPU_GEM_VA, &place))
      return -1;
   if (!text)
      return 0;
   union drm_amdgpu_gem_mmap where = {.in = {.handle = create.out.handle}};
   if (ask(gpu, DRM_IOCTL_AMDGPU_GEM_MMAP, &where))
      return -1;
   char *memory = vgpu_mmap(gpu, NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, where.out.addr_ptr);
   if (memory == MAP_FAILED)
      return -1;
   strcpy(memory + 0x18, text);
   return 0;
}

int
main(void)
{
   struct vgpu *gpu = vgpu_process_card();
   uint32_t vmid;
   const uint32_t rw = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE;
   if (!gpu || vgpu_reserve_vmid(gpu, &vmid) ||
       map(gpu, VA, SIZE, AMDGPU_GEM_DOMAIN_VRAM, rw | AMDGPU_VM_MTYPE_UC, "in video memory") ||
       map(gpu, VA + SIZE, 4096, AMDGPU_GEM_DOMAIN_GTT, AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_EXECUTABLE,
           "in system memory") ||
       map(gpu, VA + 2 * SIZE, 4096, 0, AMDGPU_VM_PAGE_PRT, NULL))
      return 1;
   printf("VMID %u\n", vmid);
   fflush(stdout);
   char byte;
   return read(STDIN_FILENO, &byte, 1) < 0;
}
