/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stddef.h>

#include <drm.h>

#include "target/second_level.h"
#include "target/second_level_calls.h"

/* Clearing what was never set does nothing; kernels without it know no such operation. The other call is made without
 * an argument: drm_ioctl fails with EFAULT to read one before any driver sees it, and with EINVAL for numbers that no
 * driver has. What the number stands for, that does not tell. */
bool
hdb_second_level_exists(hdb_second_level_ioctl *call, int drm_fd, enum hdb_second_level kind)
{
   struct vm_arguments clear = {.op = VM_OP_CLEAR_L2_TRAP};
   switch (kind) {
   case HDB_SECOND_LEVEL_VM:
      return call(drm_fd, IOCTL_VM, &clear) == 0;
   case HDB_SECOND_LEVEL_CWSR:
      return call(drm_fd, IOCTL_CWSR(0x1b), NULL) == -EFAULT;
   case HDB_SECOND_LEVEL_CWSR_0X20:
      return call(drm_fd, IOCTL_CWSR(0x20), NULL) == -EFAULT;
   default:
      return false;
   }
}
