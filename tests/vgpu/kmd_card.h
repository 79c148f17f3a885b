/* SPDX-License-Identifier: MIT */
/* For tests of the kernel driver: a small card, and its ioctls as functions that fail the test when they fail. */
#ifndef KMD_CARD_H
#define KMD_CARD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <drm.h>
#include <amdgpu_drm.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu.h"
#include "kmd/kmd.h"
#include "vgpu.h"

#define CARD_VRAM (64ull << 20)
#define CARD_VA 0xffff800100000000ull /* an address that user mode would choose */

struct card {
   struct vgpu *gpu;
   char log[4096]; /* lines, with newlines */
};

int card_setup(void **state);
int card_teardown(void **state);

/* 0 or negative errno. */
int card_ioctl(struct card *card, unsigned long request, void *argument);
#define card_must(card, request, argument) assert_int_equal(card_ioctl(card, request, argument), 0)

int64_t now_ns(void);

uint32_t bo_create(struct card *card, uint64_t size, uint32_t domains);
void bo_close(struct card *card, uint32_t handle);
void *bo_map(struct card *card, uint32_t handle, uint64_t size);
int va_op(struct card *card, uint32_t operation, uint32_t handle, uint64_t va, uint64_t offset, uint64_t size,
          uint32_t flags);
#define VA_RW (AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE)
uint32_t va_read(struct card *card, uint64_t va);
bool va_is_mapped(struct card *card, uint64_t va);

uint32_t syncobj_new(struct card *card, uint32_t flags);
void syncobj_drop(struct card *card, uint32_t handle);
int syncobj_wait_one(struct card *card, uint32_t handle, int64_t timeout, uint32_t flags);
int timeline_wait_one(struct card *card, uint32_t handle, uint64_t point, int64_t timeout, uint32_t flags);
int timeline_signal_one(struct card *card, uint32_t handle, uint64_t point);
uint64_t timeline_value(struct card *card, uint32_t handle, uint32_t flags);

uint32_t context_new(struct card *card);

/* A command buffer that waits until a dword of memory is 1: a job that ends when the test says so. */
struct gate {
   uint32_t bo;
   uint64_t va;
   uint32_t *memory; /* [0] the dword; the commands follow */
   uint32_t dwords;
};

#define GATE_SIZE 4096
void gate_create(struct card *card, struct gate *gate, uint64_t va);
void gate_open(struct card *card, struct gate *gate);
void gate_destroy(struct card *card, struct gate *gate);

struct sync_point {
   uint32_t handle;
   uint64_t point;
};

struct submit {
   uint32_t context, ip, ring;
   uint64_t va;
   uint32_t dwords;
   const struct sync_point *wait, *signal;
   uint32_t waits, signals;
   bool wait_for_submit;
   uint32_t fence_bo, fence_offset;
   uint32_t listed_bo; /* the only one in the list; 0: no list */
};

int submit(struct card *card, const struct submit *submit, uint64_t *sequence);
int wait_cs(struct card *card, uint32_t context, uint32_t ip, uint32_t ring, uint64_t sequence, int64_t timeout,
            bool *busy);

/* What the test program's own memory may vary by. The sanitizer holds freed memory back. */
#ifdef __SANITIZE_ADDRESS__
#define GROWTH_LIMIT_KIB (400 * 1024)
#else
#define GROWTH_LIMIT_KIB 512
#endif

/* Resident kilobytes of this process, and its open descriptors. */
long resident_kib(void);
int open_descriptors(void);

#endif
