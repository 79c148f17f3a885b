/* SPDX-License-Identifier: MIT */
/* Free physical memory: which ranges of VRAM, or of the system memory that backs GTT, are taken. */
#ifndef VGPU_HEAP_H
#define VGPU_HEAP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct heap_range {
   uint64_t start, size;
};

struct heap {
   pthread_mutex_t lock;
   struct heap_range *free; /* sorted by address, no two adjacent */
   uint32_t count, capacity;
   uint32_t allocations; /* live */
   uint64_t size, used;
};

int heap_init(struct heap *heap, uint64_t size);
void heap_finish(struct heap *heap);

/* `size` and `alignment` are multiples of 4096, alignment a power of two. -ENOMEM: no free range is large enough.
 * With `high` the range comes from the end of the heap, where long-lived small things do not split it up. */
int heap_alloc(struct heap *heap, uint64_t size, uint64_t alignment, bool high, uint64_t *start);

/* A whole range, as heap_alloc gave it. */
void heap_free(struct heap *heap, uint64_t start, uint64_t size);

uint64_t heap_used(struct heap *heap);

#endif
