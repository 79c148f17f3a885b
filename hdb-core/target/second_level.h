/* SPDX-License-Identifier: MIT */
/*
 * A trap handler of the process's own, behind the kernel's, set on the render node: no privilege needed. Two interfaces
 * for that have been proposed for amdgpu (2026), neither is final, and their numbers may become something else's. So
 * they are tried only where somebody says that the kernel has one.
 */
#ifndef HDB_SECOND_LEVEL_H
#define HDB_SECOND_LEVEL_H

#include <stdbool.h>
#include <stdint.h>

enum hdb_second_level {
   HDB_SECOND_LEVEL_NONE,
   HDB_SECOND_LEVEL_VM,       /* SET_L2_TRAP and CLEAR_L2_TRAP of DRM_AMDGPU_VM */
   HDB_SECOND_LEVEL_CWSR,     /* DRM_AMDGPU_CWSR, number 0x1b */
   HDB_SECOND_LEVEL_CWSR_0X20 /* the same, as first posted */
};

bool hdb_second_level_is_word(const char *word); /* "probe", or one's name */

/* The first that `words` ("probe", or one's name: vm, cwsr, cwsr-0x20) allows and the kernel takes; that one is to be
 * cleared later. NONE: there is none. */
enum hdb_second_level hdb_second_level_set(int drm_fd, const char *word, uint64_t tba, uint32_t tba_size, uint64_t tma,
                                           uint32_t tma_size);
/* Whether the kernel has it, asked without any effect (`call`: as ioctl, but 0 or a negative errno). Of CWSR only that
 * its number means something. */
typedef int hdb_second_level_ioctl(int drm_fd, unsigned long request, void *argument);
bool hdb_second_level_exists(hdb_second_level_ioctl *call, int drm_fd, enum hdb_second_level kind);

int hdb_second_level_clear(int drm_fd, enum hdb_second_level kind); /* -ENOTSUP: only the next one replaces it */

#endif
