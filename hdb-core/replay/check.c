/* SPDX-License-Identifier: MIT */
/* What a dispatch has done to memory, against what the capture says of it. */
#include <errno.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "replay/private.h"

#define PAGE ((uint64_t)HDB_CAPTURE_PAGE)
#define PART 4096ull

static void
add(uint64_t *bytes, uint64_t *first, uint64_t more, uint64_t va)
{
   if (!*bytes)
      *first = va;
   *bytes += more;
}

/* Some bytes of a page: as they were, as the capture has them afterwards (NULL: it does not), as they are. */
static void
compare_bytes(const struct replay *replay, const uint8_t *before, const uint8_t *after, const uint8_t *now, uint64_t va,
              uint64_t size, struct replay_difference *difference)
{
   for (uint64_t i = 0; i < size; i++) {
      bool written = now[i] != before[i];
      difference->written += written;
      if (!after || now[i] == after[i])
         continue;
      if (written) {
         add(&difference->wrong, &difference->wrong_va, 1, va + i);
      } else if (replay_reaches(replay, va + i)) {
         add(&difference->lost, &difference->lost_va, 1, va + i);
      } else {
         add(&difference->other, &difference->other_va, 1, va + i);
         difference->last_other_va = va + i;
      }
   }
}

struct span {
   uint64_t va, end;
};

/* The first of those that go on behind `at`. */
static void
take_first(struct span *first, uint64_t at, uint64_t va, uint64_t size)
{
   if (size && va + size > at && va < first->va)
      *first = (struct span){va, va + size};
}

/* Left out are the code of shaders, for the traps planted there, scratch, and the ring that shaders print to, from
 * which lines are taken while they run. */
static void
compare_part(const struct replay *replay, const uint8_t *before, const uint8_t *after, const uint8_t *now, uint64_t va,
             uint64_t end, struct replay_difference *difference)
{
   for (uint64_t at = va; at < end;) {
      struct span out = {end, end};
      const struct hdb_shader *code = replay_code_in(replay, at, end);
      if (code)
         take_first(&out, at, code->va, code->code_size);
      take_first(&out, at, replay->scratch_va, replay->scratch_size);
      take_first(&out, at, replay->info->prints_va, replay->info->prints_size);
      uint64_t offset = at - va;
      if (out.va > at)
         compare_bytes(replay, before + offset, after ? after + offset : NULL, now + offset, at, out.va - at,
                       difference);
      at = out.end;
   }
}

static int
read_page(struct replay *replay, uint32_t content, uint8_t page[HDB_CAPTURE_PAGE])
{
   const void *data;
   if (content == HDB_CAPTURE_NO_PAGE) {
      memset(page, 0, HDB_CAPTURE_PAGE);
      return 0;
   }
   int error = hdb_capture_page(replay->capture, content, &data);
   if (!error)
      memcpy(page, data, HDB_CAPTURE_PAGE);
   return error;
}

/* A submission ends with a number of eight bytes that the kernel writes for the driver (AMDGPU_CHUNK_ID_FENCE of
 * amdgpu_drm.h), in a page that has nothing else. */
static bool
is_fence(const struct replay_difference *part)
{
   return part->other && !part->written && !part->lost && part->other_va / 8 == part->last_other_va / 8;
}

/* By the GPU's pages. */
static void
compare_parts(const struct replay *replay, const uint8_t *before, const uint8_t *after, const uint8_t *now, uint64_t va,
              uint64_t end, struct replay_difference *difference)
{
   for (uint64_t offset = 0; offset < end - va; offset += PART) {
      struct replay_difference part = {0};
      compare_part(replay, before + offset, after ? after + offset : NULL, now + offset, va + offset,
                   va + offset + PART, &part);
      if (!difference->fence && is_fence(&part)) {
         difference->fence = true;
         continue;
      }
      difference->written += part.written;
      add(&difference->wrong, &difference->wrong_va, part.wrong, part.wrong_va);
      add(&difference->lost, &difference->lost_va, part.lost, part.lost_va);
      add(&difference->other, &difference->other_va, part.other, part.other_va);
   }
}

static int
compare_page(struct replay *replay, const struct replay_buffer *buffer, struct replay_page *page, uint64_t va,
             uint32_t after, struct replay_difference *difference)
{
   static uint8_t old[HDB_CAPTURE_PAGE], wanted[HDB_CAPTURE_PAGE]; /* one thread replays */
   uint64_t start = va > buffer->va ? va : buffer->va;
   uint64_t end = va + PAGE < buffer->va + buffer->size ? va + PAGE : buffer->va + buffer->size;
   const uint8_t *now = buffer->map + (start - buffer->va);
   page->changed = XXH3_64bits(now, end - start) != page->hash;
   bool known = after != HDB_CAPTURE_NO_PAGE; /* else it was unmapped meanwhile */
   if (!page->changed && (!known || after == page->content))
      return 0;
   int error = read_page(replay, page->content, old);
   if (!error && known)
      error = read_page(replay, after, wanted);
   if (!error)
      compare_parts(replay, old + (start - va), known ? wanted + (start - va) : NULL, now, start, end, difference);
   return error;
}

int
replay_compare(struct replay *replay, uint32_t after, struct replay_difference *difference)
{
   *difference = (struct replay_difference){0};
   for (size_t i = 0; i < replay->range_count; i++) {
      struct replay_range *range = &replay->ranges[i];
      uint64_t va = range->range.va & ~(PAGE - 1), end = range->range.va + range->range.size;
      for (size_t k = 0; range->buffer.map && va < end; k++, va += PAGE) {
         uint32_t content =
            after == HDB_CAPTURE_NO_STATE ? HDB_CAPTURE_NO_PAGE : hdb_capture_page_of(replay->capture, after, va);
         int error = compare_page(replay, &range->buffer, &range->pages[k], va, content, difference);
         if (error)
            return error;
      }
   }
   return 0;
}
