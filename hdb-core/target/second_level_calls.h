/* SPDX-License-Identifier: MIT */
/* The proposed calls, as far as they were posted. */
#ifndef HDB_SECOND_LEVEL_CALLS_H
#define HDB_SECOND_LEVEL_CALLS_H

#include <stdint.h>

#include <amdgpu_drm.h>
#include <drm.h>

/* drm_amdgpu_vm_in with what SET_L2_TRAP adds. Numbers and layout were not posted: they follow RESERVE_VMID's. */
struct vm_arguments {
   uint32_t op, flags;
   uint64_t tba, tma;
};
enum { VM_OP_SET_L2_TRAP = 3, VM_OP_CLEAR_L2_TRAP = 4 };
#define IOCTL_VM DRM_IOWR(DRM_COMMAND_BASE + DRM_AMDGPU_VM, struct vm_arguments)

/* union drm_amdgpu_cwsr, "drm/amdgpu: Add ioctl to set level2 handler", version 5 */
struct cwsr_arguments {
   uint32_t op;
   struct {
      uint64_t tba;
      uint32_t tba_size;
      uint64_t tma;
      uint32_t tma_size;
   } l2_trap;
};
enum { CWSR_OP_SET_L2_TRAP = 1 };
#define IOCTL_CWSR(number) DRM_IOWR(DRM_COMMAND_BASE + (number), struct cwsr_arguments)

#endif
