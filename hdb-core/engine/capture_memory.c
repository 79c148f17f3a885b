/* SPDX-License-Identifier: MIT */
/* All memory that is mapped, as it is now, into a capture. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "capture/writer.h"
#include "engine/capture.h"
#include "target/target.h"

struct map {
   struct hdb_capture_range *ranges;
   size_t count;
};

static int
list_mappings(struct hdb_machine *machine, struct map *map)
{
   struct hdb_mapping mapping;
   uint64_t va = 0;
   int result;
   while (!(result = hdb_machine_next_mapping(machine, va, &mapping))) {
      struct hdb_capture_range *range = array_append(map->ranges, map->count);
      if (!range)
         return -ENOMEM;
      *range = (struct hdb_capture_range){
         .va = mapping.va,
         .size = mapping.size,
         .flags = (mapping.access & HDB_ACCESS_READ ? HDB_CAPTURE_READ : 0) |
                  (mapping.access & HDB_ACCESS_WRITE ? HDB_CAPTURE_WRITE : 0) |
                  (mapping.access & HDB_ACCESS_EXECUTE ? HDB_CAPTURE_EXECUTE : 0) |
                  (mapping.backed ? 0 : HDB_CAPTURE_UNBACKED),
         .mtype = mapping.mtype,
      };
      va = mapping.va + mapping.size;
      if (!(va << 16)) /* behind the last byte */
         return 0;
   }
   return result == -ENOENT ? 0 : result;
}

/* A page that is put together of what the ranges have of it. */
struct page {
   uint64_t va;
   uint16_t mapped; /* a bit for each 4096 bytes */
   bool changed;
   uint8_t *data;
   uint64_t unreadable; /* bytes, of all pages so far */
};

#define PART 4096
#define PARTS (HDB_CAPTURE_PAGE / PART)

/* Zeros where it is not mapped or can't be read. False: nothing of it can be. */
static bool
read_page(struct hdb_machine *machine, struct page *page)
{
   bool filled = false;
   for (uint32_t first = 0, end; first < PARTS; first = end) {
      bool mapped = page->mapped >> first & 1;
      for (end = first + 1; end < PARTS && (page->mapped >> end & 1) == mapped; end++)
         continue;
      uint8_t *data = page->data + (size_t)first * PART;
      size_t size = (size_t)(end - first) * PART;
      bool read = mapped && !hdb_machine_read_memory(machine, page->va + first * PART, data, size);
      if (!read)
         memset(data, 0, size);
      if (mapped && !read)
         page->unreadable += size;
      filled |= read;
   }
   return filled;
}

static void
put_page(struct capture *capture, struct hdb_machine *machine, struct page *page)
{
   bool kept = page->mapped && !page->changed && hdb_capture_keep_page(capture->writer, page->va, page->mapped);
   if (page->mapped && !kept && read_page(machine, page))
      hdb_capture_put_page(capture->writer, page->va, page->mapped, page->data);
   page->mapped = 0;
   page->changed = false;
}

static void
add_range(struct capture *capture, struct hdb_machine *machine, const struct hdb_capture_range *range,
          struct page *page)
{
   for (uint64_t done = 0, part; done < range->size; done += part) {
      uint64_t va = range->va + done, offset = va % HDB_CAPTURE_PAGE;
      part = HDB_CAPTURE_PAGE - offset < range->size - done ? HDB_CAPTURE_PAGE - offset : range->size - done;
      if (va - offset != page->va) {
         put_page(capture, machine, page);
         page->va = va - offset;
      }
      page->mapped |= ((1u << part / PART) - 1) << offset / PART;
      page->changed |= hdb_machine_may_have_changed(machine, va, part);
   }
}

/* Of a card, what a program has brought along itself, say (docs/security.md). */
static void
note_unreadable(struct capture *capture, uint64_t bytes)
{
   char text[96];
   snprintf(text, sizeof(text), "%" PRIu64 " KiB of memory could not be read, and are zeros here", bytes >> 10);
   hdb_capture_write_note(capture->writer, text);
}

int
capture_write_state(struct capture *capture, struct hdb_machine *machine, bool after_submission, uint32_t *state)
{
   struct map map = {0};
   struct page page = {.va = UINT64_MAX, .data = malloc(HDB_CAPTURE_PAGE)};
   hdb_machine_collect_writes(machine,
                              true); /* before anything is read: what comes meanwhile counts for the next one */
   int result = page.data ? list_mappings(machine, &map) : -ENOMEM;
   if (!result) {
      hdb_capture_begin_state(capture->writer, map.ranges, map.count);
      for (size_t i = 0; i < map.count; i++) {
         if (!(map.ranges[i].flags & HDB_CAPTURE_UNBACKED))
            add_range(capture, machine, &map.ranges[i], &page);
      }
      put_page(capture, machine, &page);
      if (page.unreadable && !after_submission)
         note_unreadable(capture, page.unreadable);
      *state = hdb_capture_end_state(capture->writer, after_submission);
   }
   free(page.data);
   free(map.ranges);
   return result;
}
