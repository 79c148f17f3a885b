/* SPDX-License-Identifier: MIT */
/*
 * Capture files. Checksums are put right first, so that what is behind them is reached; then all that the file claims
 * to have is looked at.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/diff.h"
#include "capture/format.h"

static void
repair_pages(struct capture_section *section, uint8_t *contents, size_t size)
{
   uint32_t count;
   if (size < sizeof(count))
      return;
   memcpy(&count, contents, sizeof(count));
   uint64_t head = sizeof(count) + (uint64_t)count * sizeof(struct capture_stored_page), at = head;
   for (uint32_t i = 0; i < count && head <= size; i++) {
      struct capture_stored_page page;
      uint8_t *place = contents + sizeof(count) + i * sizeof(page);
      memcpy(&page, place, sizeof(page));
      if (page.size > size - at)
         break;
      page.checksum = capture_page_checksum(contents + at, page.size);
      memcpy(place, &page, sizeof(page));
      at += page.size;
   }
   if (head <= size)
      section->crc = capture_checksum(section, contents, head);
}

static void
repair(uint8_t *file, size_t size)
{
   size_t at = sizeof(struct capture_header);
   struct capture_section section;
   while (at < size && size - at >= sizeof(section)) {
      uint8_t *place = file + at;
      memcpy(&section, place, sizeof(section));
      at += sizeof(section);
      if (section.length > size - at)
         return;
      if (section.tag == CAPTURE_PAGES)
         repair_pages(&section, file + at, section.length);
      else
         section.crc = capture_checksum(&section, file + at, section.length);
      memcpy(place, &section, sizeof(section));
      at += section.length;
   }
}

static void
ignore(void *user, uint64_t va, uint64_t size, const uint8_t *a, const uint8_t *b)
{
   volatile uint8_t sink = 0;
   if (a && b)
      sink = a[0] ^ b[size - 1];
   (void)sink;
}

static void
look(struct hdb_capture *capture)
{
   const struct hdb_capture_info *info = hdb_capture_info(capture);
   uint8_t block[256];
   size_t lengths =
      strlen(info->program) + strlen(info->device) + strlen(info->writer) + strlen(info->problem) + strlen(info->note);
   for (uint32_t i = 0; i < info->shader_count; i++)
      lengths += strlen(hdb_capture_shader(capture, i)->entry_point);
   for (uint32_t i = 0; i < info->object_count; i++)
      lengths += strlen(hdb_capture_object(capture, i)->name);
   for (uint32_t i = 0; i < info->dispatch_count; i++) {
      const struct hdb_capture_dispatch *dispatch = hdb_capture_dispatch(capture, i);
      uint32_t value;
      lengths += strlen(dispatch->program) + strlen(dispatch->pipeline) + strlen(dispatch->label);
      for (uint32_t k = 0; k < dispatch->label_count; k++)
         lengths += strlen(dispatch->labels[k]);
      hdb_capture_register(dispatch, 0x1be0, &value);
      if (!hdb_capture_find_shader(capture, dispatch->record.shader_id))
         abort();
      if (dispatch->before != HDB_CAPTURE_NO_STATE && dispatch->after != HDB_CAPTURE_NO_STATE)
         hdb_capture_diff(capture, dispatch->before, capture, dispatch->after, ignore, NULL);
   }
   for (uint32_t state = 0; state < info->state_count && state < 8; state++) {
      const struct hdb_capture_range *ranges;
      size_t count = hdb_capture_ranges(capture, state, &ranges);
      for (size_t i = 0; i < count && i < 8; i++)
         hdb_capture_read(capture, state, ranges[i].va + ranges[i].size - 100, block, sizeof(block));
   }
   if (lengths > 2 * info->file_size + 1000)
      abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
   static int fd = -1;
   static char path[64];
   if (fd < 0) {
      fd = memfd_create("capture", MFD_CLOEXEC);
      snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
   }
   uint8_t *file = malloc(size + 1);
   memcpy(file, data, size);
   repair(file, size);
   if (ftruncate(fd, 0) < 0 || pwrite(fd, file, size, 0) != (ssize_t)size)
      abort();
   struct hdb_capture *capture;
   char *error;
   if (hdb_capture_open(path, &capture, &error) == 0) {
      look(capture);
      hdb_capture_close(capture);
   }
   free(error);
   free(file);
   return 0;
}
