/* SPDX-License-Identifier: MIT */
/* The amdgpu kernel interface on the render node that the debugged process has open; needs no privilege. */
#ifndef HDB_KERNEL_H
#define HDB_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hdb/hdb_driver.h"

/* As ioctl(2), begun again where that is interrupted; 0 or a negative errno. */
int hdb_kernel_ioctl(int drm_fd, unsigned long request, void *argument);

/* GB_ADDR_CONFIG, which the layout of tiled images depends on; libdrm asks for it by the same number. */
int hdb_kernel_get_address_config(int drm_fd, uint32_t *config);
int hdb_kernel_get_family(int drm_fd, uint32_t *family); /* AMDGPU_FAMILY_* */

/* Where the kernel's own part of every address space begins: the process can map nothing from there on. Canonical. */
int hdb_kernel_get_va_end(int drm_fd, uint64_t *end);

/* The process's address space keeps its VMID from the next job on. */
int hdb_kernel_reserve_vmid(int drm_fd);
void hdb_kernel_unreserve_vmid(int drm_fd);

/* Runs a job that does nothing, to its end: with it the kernel gives the address space its VMID and page tables. */
int hdb_kernel_run_nothing(struct hdb_driver *driver, int drm_fd);

/* Whether the kernel leaves a stopped GPU alone for `seconds`: its limits for jobs, from sysfs (NULL: /sys). */
bool hdb_kernel_waits(const char *sysfs, uint32_t seconds);

#endif
