/* SPDX-License-Identifier: MIT */
/* A capture on one screen. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "captures.h"

void
capture_print_size(uint64_t bytes)
{
   static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
   double size = (double)bytes;
   size_t unit = 0;
   for (; size >= 1024 && unit < 4; unit++)
      size /= 1024;
   printf(unit ? "%.1f %s" : "%.0f %s", size, units[unit]);
}

static void
print_states(const struct hdb_capture *capture)
{
   uint64_t mapped = 0, va = 0, pages = 0;
   const struct hdb_capture_range *ranges;
   const struct hdb_capture_info *info = hdb_capture_info(capture);
   if (!info->state_count)
      return;
   size_t count = hdb_capture_ranges(capture, 0, &ranges);
   for (size_t i = 0; i < count; i++)
      mapped += ranges[i].size;
   for (uint32_t page; hdb_capture_next_page(capture, 0, &va, &page) && ++pages; va += HDB_CAPTURE_PAGE)
      continue;
   printf("Memory     ");
   capture_print_size(mapped);
   printf(" in %zu ranges at first; %u states in %u different pages of 64 KiB, ", count, info->state_count,
          info->page_count);
   capture_print_size(info->page_bytes_in_file);
   printf("\n");
}

static void
print_dispatch(const struct hdb_capture_dispatch *dispatch)
{
   const uint32_t *grid = dispatch->record.grid;
   printf("%9u  %-24s %ux%ux%u", dispatch->number, dispatch->pipeline[0] ? dispatch->pipeline : dispatch->program,
          grid[0], grid[1], grid[2]);
   if (dispatch->pipeline[0])
      printf("  %s", dispatch->program);
   for (uint32_t i = 0; i < dispatch->label_count; i++)
      printf("%s\"%s\"", i ? " > " : "  ", dispatch->labels[i]);
   printf("  %s%s%s%s%s\n", dispatch->queue, dispatch->record.flags & HDB_DISPATCH_INDIRECT ? ", indirect" : "",
          dispatch->flags & HDB_CAPTURE_DID_NOT_RUN ? ", did not run" : "",
          dispatch->flags & HDB_CAPTURE_OVERLAPPED ? ", others were running" : "",
          dispatch->flags & HDB_CAPTURE_BEGUN_BEFORE ? ", had begun before" : "");
}

#define SHOWN_DISPATCHES 12
#define SHOWN_OBJECTS 8

int
capture_info(struct hdb_capture *capture)
{
   const struct hdb_capture_info *info = hdb_capture_info(capture);
   time_t seconds = info->time;
   struct tm tm;
   char when[64] = "";
   if (localtime_r(&seconds, &tm))
      strftime(when, sizeof(when), "%F %T", &tm);
   printf("Program    %s\nDevice     %s\nWritten    %s by %s, format %u, ", info->program, info->device, when,
          info->writer, info->version);
   capture_print_size(info->file_size);
   printf("\n");
   print_states(capture);
   if (!info->complete)
      printf("Incomplete %s\n", info->problem);
   else if (*info->note)
      printf("Note       %s\n", info->note);
   printf("\n %u dispatch%s, %u shader%s\n", info->dispatch_count, info->dispatch_count == 1 ? "" : "es",
          info->shader_count, info->shader_count == 1 ? "" : "s");
   for (uint32_t i = 0; i < info->dispatch_count && i < SHOWN_DISPATCHES; i++)
      print_dispatch(hdb_capture_dispatch(capture, i));
   if (info->dispatch_count > SHOWN_DISPATCHES)
      printf("           and %u more\n", info->dispatch_count - SHOWN_DISPATCHES);
   if (info->object_count)
      printf("\n %u named object%s\n", info->object_count, info->object_count == 1 ? "" : "s");
   for (uint32_t i = 0; i < info->object_count && i < SHOWN_OBJECTS; i++) {
      const struct hdb_capture_object *object = hdb_capture_object(capture, i);
      printf("           %s at 0x%" PRIx64 ", ", object->name, object->va);
      capture_print_size(object->size);
      printf("\n");
   }
   if (info->object_count > SHOWN_OBJECTS)
      printf("           and %u more\n", info->object_count - SHOWN_OBJECTS);
   return 0;
}
