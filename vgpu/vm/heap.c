/* SPDX-License-Identifier: MIT */
#include "vm/heap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Freeing must not fail. Free ranges are kept apart by allocations, so there is at most one more of them: room for
 * that many is made when allocating. */
static int
reserve(struct heap *heap)
{
   if (heap->allocations + 2 <= heap->capacity)
      return 0;
   uint32_t capacity = heap->capacity ? heap->capacity * 2 : 64;
   struct heap_range *ranges = realloc(heap->free, capacity * sizeof(*ranges));
   if (!ranges)
      return -ENOMEM;
   heap->free = ranges;
   heap->capacity = capacity;
   return 0;
}

static void
insert(struct heap *heap, uint32_t index, uint64_t start, uint64_t size)
{
   memmove(&heap->free[index + 1], &heap->free[index], (heap->count - index) * sizeof(heap->free[0]));
   heap->free[index] = (struct heap_range){start, size};
   heap->count++;
}

static void
erase(struct heap *heap, uint32_t index)
{
   heap->count--;
   memmove(&heap->free[index], &heap->free[index + 1], (heap->count - index) * sizeof(heap->free[0]));
}

int
heap_init(struct heap *heap, uint64_t size)
{
   memset(heap, 0, sizeof(*heap));
   int r = reserve(heap);
   if (r)
      return r;
   pthread_mutex_init(&heap->lock, NULL);
   heap->size = size;
   insert(heap, 0, 0, size);
   return 0;
}

void
heap_finish(struct heap *heap)
{
   if (!heap->free)
      return;
   free(heap->free);
   heap->free = NULL;
   pthread_mutex_destroy(&heap->lock);
}

static void
take(struct heap *heap, uint32_t index, uint64_t start, uint64_t size)
{
   struct heap_range *range = &heap->free[index];
   uint64_t before = start - range->start;
   uint64_t after = range->start + range->size - (start + size);

   if (before && after) {
      range->size = before;
      insert(heap, index + 1, start + size, after);
   } else if (before) {
      range->size = before;
   } else if (after) {
      *range = (struct heap_range){start + size, after};
   } else {
      erase(heap, index);
   }
   heap->used += size;
   heap->allocations++;
}

static bool
fits(const struct heap_range *range, uint64_t size, uint64_t alignment, bool high, uint64_t *start)
{
   if (range->size < size)
      return false;
   uint64_t last = range->start + range->size - size;
   *start = high ? last & ~(alignment - 1) : (range->start + alignment - 1) & ~(alignment - 1);
   return *start >= range->start && *start <= last;
}

int
heap_alloc(struct heap *heap, uint64_t size, uint64_t alignment, bool high, uint64_t *start)
{
   if (!size || size > heap->size)
      return -ENOMEM;

   pthread_mutex_lock(&heap->lock);
   int r = reserve(heap);
   if (!r) {
      r = -ENOMEM;
      for (uint32_t i = 0; i < heap->count && r; i++) {
         uint32_t index = high ? heap->count - 1 - i : i;
         if (fits(&heap->free[index], size, alignment, high, start)) {
            take(heap, index, *start, size);
            r = 0;
         }
      }
   }
   pthread_mutex_unlock(&heap->lock);
   return r;
}

void
heap_free(struct heap *heap, uint64_t start, uint64_t size)
{
   pthread_mutex_lock(&heap->lock);

   uint32_t low = 0, high = heap->count;
   while (low < high) {
      uint32_t middle = (low + high) / 2;
      if (heap->free[middle].start < start)
         low = middle + 1;
      else
         high = middle;
   }

   struct heap_range *before = low > 0 ? &heap->free[low - 1] : NULL;
   struct heap_range *after = low < heap->count ? &heap->free[low] : NULL;
   bool joins_before = before && before->start + before->size == start;
   bool joins_after = after && start + size == after->start;

   if (joins_before && joins_after) {
      before->size += size + after->size;
      erase(heap, low);
   } else if (joins_before) {
      before->size += size;
   } else if (joins_after) {
      after->start = start;
      after->size += size;
   } else {
      insert(heap, low, start, size);
   }
   heap->used -= size;
   heap->allocations--;
   pthread_mutex_unlock(&heap->lock);
}

uint64_t
heap_used(struct heap *heap)
{
   pthread_mutex_lock(&heap->lock);
   uint64_t used = heap->used;
   pthread_mutex_unlock(&heap->lock);
   return used;
}
