/* SPDX-License-Identifier: MIT */
/*
 * Memory as a state of the capture has it: a buffer for each of its ranges, at its address. From one state to the next
 * only pages are written whose content is another one, or that were seen to have changed since.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "replay/private.h"

#define PAGE ((uint64_t)HDB_CAPTURE_PAGE)

/* Far from where drivers put things; the debugger's memory and the replay's own go there. */
#define OWN_START 0xffffc00000000000ull
#define OWN_SPACE (64ull << 30)

/* ---- what all states have ---- */

uint64_t
replay_memory_size(const struct replay *replay)
{
   uint64_t largest = 0;
   for (uint32_t state = 0; state < replay->info->state_count; state++) {
      const struct hdb_capture_range *ranges;
      size_t count = hdb_capture_ranges(replay->capture, state, &ranges);
      uint64_t size = 0;
      for (size_t i = 0; i < count; i++)
         size += ranges[i].flags & HDB_CAPTURE_UNBACKED ? 0 : ranges[i].size;
      largest = size > largest ? size : largest;
   }
   return largest;
}

static uint64_t
end_of_overlap(const struct replay *replay, uint64_t va, uint64_t size)
{
   for (uint32_t state = 0; state < replay->info->state_count; state++) {
      const struct hdb_capture_range *ranges;
      size_t count = hdb_capture_ranges(replay->capture, state, &ranges);
      for (size_t i = 0; i < count; i++) {
         if (ranges[i].va < va + size && va < ranges[i].va + ranges[i].size)
            return ranges[i].va + ranges[i].size;
      }
   }
   return 0;
}

uint64_t
replay_free_va(const struct replay *replay)
{
   uint64_t va = OWN_START, end;
   while ((end = end_of_overlap(replay, va, OWN_SPACE)))
      va = (end + OWN_SPACE - 1) & ~(OWN_SPACE - 1);
   return va;
}

/* ---- ranges ---- */

static uint64_t
first_page(const struct hdb_capture_range *range)
{
   return range->va & ~(PAGE - 1);
}

static size_t
page_count(const struct hdb_capture_range *range)
{
   return (range->va + range->size - first_page(range) + PAGE - 1) / PAGE;
}

static void
remove_range(struct replay *replay, struct replay_range *range)
{
   replay_remove_code(replay, range->range.va, range->range.va + range->range.size);
   if (range->buffer.map)
      card_unmap(&replay->card, &range->buffer);
   else
      card_unmap_nothing(&replay->card, range->range.va, range->range.size);
   free(range->pages);
}

static int
add_range(struct replay *replay, const struct hdb_capture_range *captured, struct replay_range *range)
{
   *range = (struct replay_range){.range = *captured};
   if (captured->flags & HDB_CAPTURE_UNBACKED)
      return card_map_nothing(&replay->card, captured->va, captured->size);
   const uint32_t uncached = 3; /* MTYPE UC */
   uint32_t access = (captured->flags & HDB_CAPTURE_READ ? REPLAY_READ : 0) |
                     (captured->flags & HDB_CAPTURE_WRITE ? REPLAY_WRITE : 0) |
                     (captured->flags & HDB_CAPTURE_EXECUTE ? REPLAY_EXECUTE : 0) |
                     (captured->mtype == uncached ? REPLAY_UNCACHED : 0);
   range->pages = calloc(page_count(captured), sizeof(*range->pages));
   if (!range->pages)
      return -ENOMEM;
   int error = card_map(&replay->card, captured->va, captured->size, access, &range->buffer);
   if (error)
      free(range->pages);
   return error;
}

static const struct hdb_capture_range *
find_captured(const struct hdb_capture_range *ranges, size_t count, const struct hdb_capture_range *range)
{
   for (size_t i = 0; i < count && ranges[i].va <= range->va; i++) {
      if (ranges[i].va == range->va && ranges[i].size == range->size && ranges[i].flags == range->flags &&
          ranges[i].mtype == range->mtype)
         return &ranges[i];
   }
   return NULL;
}

/* Ranges that are the same in the next state stay; both lists are sorted. */
static int
set_ranges(struct replay *replay, uint32_t state, char **error)
{
   const struct hdb_capture_range *captured;
   size_t count = hdb_capture_ranges(replay->capture, state, &captured);
   struct replay_range *ranges = calloc(count + 1, sizeof(*ranges));
   if (!ranges)
      return -ENOMEM;
   size_t kept = 0;
   for (size_t i = 0; i < replay->range_count; i++) {
      if (find_captured(captured, count, &replay->ranges[i].range))
         replay->ranges[kept++] = replay->ranges[i];
      else
         remove_range(replay, &replay->ranges[i]);
   }
   int result = 0;
   size_t old = 0, added = 0;
   for (; added < count && !result; added++) {
      if (old < kept && replay->ranges[old].range.va == captured[added].va) {
         ranges[added] = replay->ranges[old++];
         continue;
      }
      result = add_range(replay, &captured[added], &ranges[added]);
      if (result)
         break;
   }
   if (result && asprintf(error, "memory at 0x%" PRIx64 ", %" PRIu64 " KiB, can't be mapped: %s", captured[added].va,
                          captured[added].size >> 10, strerror(-result)) < 0)
      *error = NULL;
   while (result && old < kept)
      remove_range(replay, &replay->ranges[old++]);
   free(replay->ranges);
   replay->ranges = ranges;
   replay->range_count = added;
   return result;
}

uint8_t *
replay_map(const struct replay *replay, uint64_t va, uint64_t size)
{
   for (size_t i = 0; i < replay->range_count; i++) {
      const struct replay_buffer *buffer = &replay->ranges[i].buffer;
      if (buffer->map && va >= buffer->va && va - buffer->va < buffer->size && size <= buffer->size - (va - buffer->va))
         return buffer->map + (va - buffer->va);
   }
   return NULL;
}

/* ---- pages ---- */

/* Code of shaders that the engine knows is what it was, but for the traps that are planted there. */
static void
write_around_code(struct replay *replay, const struct replay_buffer *buffer, uint64_t va, uint64_t end,
                  const uint8_t *data)
{
   const struct hdb_shader *code;
   for (uint64_t at = va; at < end;) {
      code = replay_code_in(replay, at, end);
      uint64_t stop = code ? code->va : end;
      if (stop > at)
         memcpy(buffer->map + (at - buffer->va), data + (at - va), stop - at);
      at = code ? code->va + code->code_size : end;
   }
}

/* Memory that is new reads as zero: what is zero need not be touched. */
static bool
is_zero(const uint8_t *data, size_t size)
{
   return !data[0] && !memcmp(data, data + 1, size - 1);
}

static int
load_page(struct replay *replay, struct replay_range *range, struct replay_page *page, uint64_t va, uint32_t content)
{
   static const uint8_t zeros[HDB_CAPTURE_PAGE];
   const void *data = zeros;
   if (content != HDB_CAPTURE_NO_PAGE) {
      int error = hdb_capture_page(replay->capture, content, &data);
      if (error)
         return error;
   }
   const struct replay_buffer *buffer = &range->buffer;
   uint64_t start = va > buffer->va ? va : buffer->va;
   uint64_t end = va + PAGE < buffer->va + buffer->size ? va + PAGE : buffer->va + buffer->size;
   const uint8_t *part = (const uint8_t *)data + (start - va);
   if (page->loaded || !is_zero(part, end - start))
      write_around_code(replay, buffer, start, end, part);
   *page = (struct replay_page){.content = content, .hash = XXH3_64bits(part, end - start), .loaded = true};
   return 0;
}

static int
load_range(struct replay *replay, uint32_t state, struct replay_range *range, char **error)
{
   if (!range->buffer.map)
      return 0;
   uint64_t va = first_page(&range->range);
   for (size_t i = 0; i < page_count(&range->range); i++, va += PAGE) {
      struct replay_page *page = &range->pages[i];
      uint32_t content = hdb_capture_page_of(replay->capture, state, va);
      if (page->loaded && !page->changed && page->content == content)
         continue;
      int result = load_page(replay, range, page, va, content);
      if (result) {
         if (asprintf(error, "memory at 0x%" PRIx64 " can't be read from the file: %s", va, strerror(-result)) < 0)
            *error = NULL;
         return result;
      }
   }
   return 0;
}

int
replay_load(struct replay *replay, uint32_t state, char **error)
{
   *error = NULL;
   int result = set_ranges(replay, state, error);
   for (size_t i = 0; i < replay->range_count && !result; i++)
      result = load_range(replay, state, &replay->ranges[i], error);
   replay->state = result ? HDB_CAPTURE_NO_STATE : state;
   return result;
}

void
replay_unload(struct replay *replay)
{
   for (size_t i = 0; i < replay->range_count; i++)
      remove_range(replay, &replay->ranges[i]);
   free(replay->ranges);
   replay->ranges = NULL;
   replay->range_count = 0;
}
