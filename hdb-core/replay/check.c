/* SPDX-License-Identifier: MIT */
/* What a dispatch has done to memory, against what the capture says of it. */
#include <errno.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "replay/private.h"

#define PAGE ((uint64_t)HDB_CAPTURE_PAGE)

static void
count(uint64_t *bytes, uint64_t *first, uint64_t va)
{
   if (!*bytes)
      *first = va;
   ++*bytes;
}

/* Some bytes of a page: as they were, as the capture has them afterwards (NULL: it does not), as they are. */
static void
compare_bytes(const uint8_t *before, const uint8_t *after, const uint8_t *now, uint64_t va, uint64_t size,
              struct replay_difference *difference)
{
   for (uint64_t i = 0; i < size; i++) {
      bool written = now[i] != before[i];
      difference->written += written;
      if (!after || now[i] == after[i])
         continue;
      if (written)
         count(&difference->wrong, &difference->wrong_va, va + i);
      else
         count(&difference->missing, &difference->missing_va, va + i);
   }
}

static uint64_t
higher(uint64_t a, uint64_t b)
{
   return a > b ? a : b;
}

/* Left out are the code of shaders, for the traps planted there, and scratch. */
static void
compare_part(const struct replay *replay, const uint8_t *before, const uint8_t *after, const uint8_t *now, uint64_t va,
             uint64_t end, struct replay_difference *difference)
{
   for (uint64_t at = va; at < end;) {
      const struct hdb_shader *code = replay_code_in(replay, at, end);
      uint64_t scratch_end = replay->scratch_va + replay->scratch_size;
      bool scratch = replay->scratch_size && replay->scratch_va < end && at < scratch_end;
      uint64_t stop = code ? code->va : end, next = code ? code->va + code->code_size : end;
      if (scratch && replay->scratch_va < stop) {
         stop = replay->scratch_va;
         next = scratch_end;
      }
      uint64_t offset = at - va;
      if (stop > at)
         compare_bytes(before + offset, after ? after + offset : NULL, now + offset, at, stop - at, difference);
      at = higher(at, next);
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
      compare_part(replay, old + (start - va), known ? wanted + (start - va) : NULL, now, start, end, difference);
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
