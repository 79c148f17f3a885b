/* SPDX-License-Identifier: MIT */
/* What the process has mapped into its GPU address space, as the kernel tells it of the process's own render node. */
#ifndef HDB_MAPPINGS_H
#define HDB_MAPPINGS_H

#include <stdint.h>

/* The mapping that was found last: it is asked about first. All zero at the beginning. */
struct hdb_mappings {
   uint32_t handle;
};

/* What the GPU may do with the page of `va`: a set of enum hdb_access. -EFAULT: the process has mapped nothing there;
 * -ENOTSUP: the kernel does not tell. */
int hdb_mappings_get_access(struct hdb_mappings *mappings, int drm_fd, uint64_t va, uint32_t *access);

#endif
