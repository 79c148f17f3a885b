/* SPDX-License-Identifier: MIT */
/* The memory of an open capture: which page a place has in a state, and what is in it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/reader.h"

#define VA_MASK 0xffffffffffffull

static uint64_t
place_of(uint64_t va)
{
   return (va & VA_MASK) / HDB_CAPTURE_PAGE;
}

static int
compare_changes(const void *a, const void *b)
{
   const struct page_change *x = a, *y = b;
   if (x->place != y->place)
      return x->place < y->place ? -1 : 1;
   return x->state < y->state ? -1 : x->state > y->state;
}

void
capture_sort_changes(struct hdb_capture *capture)
{
   if (capture->change_count)
      qsort(capture->changes, capture->change_count, sizeof(*capture->changes), compare_changes);
}

/* The first change that is not before (place, state). */
static size_t
find_change(const struct hdb_capture *capture, uint64_t place, uint64_t state)
{
   size_t low = 0, high = capture->change_count;
   while (low < high) {
      size_t middle = (low + high) / 2;
      const struct page_change *change = &capture->changes[middle];
      if (change->place < place || (change->place == place && change->state < state))
         low = middle + 1;
      else
         high = middle;
   }
   return low;
}

static uint32_t
page_at(const struct hdb_capture *capture, uint32_t state, uint64_t place)
{
   size_t behind = find_change(capture, place, (uint64_t)state + 1);
   const struct page_change *change = behind ? &capture->changes[behind - 1] : NULL;
   return change && change->place == place ? change->page : HDB_CAPTURE_NO_PAGE;
}

size_t
hdb_capture_ranges(const struct hdb_capture *capture, uint32_t state, const struct hdb_capture_range **ranges)
{
   const struct capture_map *map = &capture->maps[capture->states[state].map];
   *ranges = map->ranges;
   return map->count;
}

uint32_t
hdb_capture_page_of(const struct hdb_capture *capture, uint32_t state, uint64_t va)
{
   return page_at(capture, state, place_of(va));
}

bool
hdb_capture_next_page(const struct hdb_capture *capture, uint32_t state, uint64_t *va, uint32_t *page)
{
   uint64_t place = ((*va + HDB_CAPTURE_PAGE - 1) & VA_MASK) / HDB_CAPTURE_PAGE;
   if (*va && !place) /* behind the last one */
      return false;
   for (size_t i = find_change(capture, place, 0); i < capture->change_count; i = find_change(capture, place + 1, 0)) {
      place = capture->changes[i].place;
      *page = page_at(capture, state, place);
      *va = (uint64_t)((int64_t)(place * HDB_CAPTURE_PAGE << 16) >> 16);
      if (*page != HDB_CAPTURE_NO_PAGE)
         return true;
   }
   return false;
}

/* ---- contents ---- */

static int
load(struct hdb_capture *capture, const struct stored_page *page, uint8_t *data)
{
   size_t size = page->stored.size;
   int result = capture_read_file(capture, page->offset, capture->compressed, size);
   if (result)
      return result;
   if (capture_page_checksum(capture->compressed, size) != page->stored.checksum)
      return -EBADMSG;
   if (size == HDB_CAPTURE_PAGE) {
      memcpy(data, capture->compressed, size);
      return 0;
   }
   size_t full = ZSTD_decompressDCtx(capture->context, data, HDB_CAPTURE_PAGE, capture->compressed, size);
   return full == HDB_CAPTURE_PAGE ? 0 : -EBADMSG;
}

static struct cached_page *
oldest(struct hdb_capture *capture)
{
   struct cached_page *oldest = capture->cache;
   for (size_t i = 1; i < CACHED_PAGES; i++) {
      if (capture->cache[i].used < oldest->used)
         oldest = &capture->cache[i];
   }
   return oldest;
}

int
hdb_capture_page(struct hdb_capture *capture, uint32_t page, const void **data)
{
   for (size_t i = 0; i < CACHED_PAGES; i++) {
      struct cached_page *cached = &capture->cache[i];
      if (cached->used && cached->page == page) {
         cached->used = ++capture->clock;
         *data = cached->data;
         return 0;
      }
   }
   struct cached_page *slot = oldest(capture);
   slot->used = 0;
   slot->data = slot->data ? slot->data : malloc(HDB_CAPTURE_PAGE);
   int result = slot->data ? load(capture, &capture->pages[page], slot->data) : -ENOMEM;
   if (result)
      return result;
   slot->page = page;
   slot->used = ++capture->clock;
   *data = slot->data;
   return 0;
}

/* How much of [va, va + size) lies in one range, from the start on. */
static size_t
mapped_part(const struct hdb_capture *capture, uint32_t state, uint64_t va, size_t size, bool *backed)
{
   const struct hdb_capture_range *ranges;
   size_t low = 0, high = hdb_capture_ranges(capture, state, &ranges);
   while (low < high) {
      size_t middle = (low + high) / 2;
      uint64_t offset = (va & VA_MASK) - (ranges[middle].va & VA_MASK);
      if ((va & VA_MASK) < (ranges[middle].va & VA_MASK)) {
         high = middle;
      } else if (offset >= ranges[middle].size) {
         low = middle + 1;
      } else {
         *backed = !(ranges[middle].flags & HDB_CAPTURE_UNBACKED);
         return size < ranges[middle].size - offset ? size : ranges[middle].size - offset;
      }
   }
   return 0;
}

int
hdb_capture_read(struct hdb_capture *capture, uint32_t state, uint64_t va, void *data, size_t size)
{
   for (size_t done = 0, part; done < size; done += part) {
      uint64_t at = va + done, offset = at % HDB_CAPTURE_PAGE;
      size_t want = size - done < HDB_CAPTURE_PAGE - offset ? size - done : HDB_CAPTURE_PAGE - offset;
      bool backed;
      part = mapped_part(capture, state, at, want, &backed);
      if (!part)
         return -EFAULT;
      if (!backed) {
         memset((uint8_t *)data + done, 0, part);
         continue;
      }
      const void *page;
      uint32_t number = hdb_capture_page_of(capture, state, at);
      int result = number == HDB_CAPTURE_NO_PAGE ? -EFAULT : hdb_capture_page(capture, number, &page);
      if (result)
         return result;
      memcpy((uint8_t *)data + done, (const uint8_t *)page + offset, part);
   }
   return 0;
}
