/* SPDX-License-Identifier: MIT */
/* What is written: pages that the file does not have yet, states as differences, and the rest as it comes. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "array.h"
#include "capture/output.h"
#include "capture/writer.h"

#define VA_PAGE(va) (((va)&0xffffffffffff) / HDB_CAPTURE_PAGE)

/* Contents that the file has. */
struct known_page {
   XXH128_hash_t hash;
   uint32_t number;
   UT_hash_handle hh;
};

struct known_shader {
   uint64_t id;
   UT_hash_handle hh;
};

struct mapped_page {
   uint64_t place; /* VA_PAGE */
   uint32_t number;
   uint16_t mapped;
};

struct memory_state {
   struct mapped_page *pages; /* by place */
   size_t count;
};

struct hdb_capture_writer {
   struct capture_output *output;
   struct capture_done written;
   bool failed; /* out of memory here */

   struct known_page *pages;
   struct known_shader *shaders;
   bool has_objects; /* a list of them, with this hash */
   uint64_t objects_hash;
   uint8_t *batch; /* pages on their way to the output */
   uint32_t batch_count;

   struct memory_state last, next;
   size_t kept; /* of last.pages: where the next one to be kept is looked for */
   struct hdb_capture_range *ranges;
   size_t range_count;
};

int
hdb_capture_writer_create(const char *path, const struct hdb_capture_info *info, struct hdb_capture_writer **out)
{
   struct hdb_capture_writer *writer = calloc(1, sizeof(*writer));
   if (!writer)
      return -ENOMEM;
   int error = capture_output_create(path, &writer->output);
   if (error) {
      free(writer);
      return error;
   }
   hdb_capture_write_info(writer, info);
   *out = writer;
   return 0;
}

static void
free_writer(struct hdb_capture_writer *writer)
{
   struct known_page *page, *next_page;
   struct known_shader *shader, *next_shader;
   HASH_ITER (hh, writer->pages, page, next_page) {
      HASH_DEL(writer->pages, page);
      free(page);
   }
   HASH_ITER (hh, writer->shaders, shader, next_shader) {
      HASH_DEL(writer->shaders, shader);
      free(shader);
   }
   free(writer->batch);
   free(writer->last.pages);
   free(writer->next.pages);
   free(writer->ranges);
   free(writer);
}

int
hdb_capture_writer_error(struct hdb_capture_writer *writer)
{
   return writer->failed ? -ENOMEM : capture_output_error(writer->output);
}

static void
flush_pages(struct hdb_capture_writer *writer)
{
   if (writer->batch_count)
      capture_output_pages(writer->output, writer->batch, writer->batch_count);
   else
      free(writer->batch);
   writer->batch = NULL;
   writer->batch_count = 0;
}

static void
write_section(struct hdb_capture_writer *writer, uint32_t tag, struct codec *codec)
{
   flush_pages(writer);
   if (writer->failed)
      free(codec->data);
   else
      capture_output_section(writer->output, tag, codec);
}

int
hdb_capture_writer_destroy(struct hdb_capture_writer *writer)
{
   flush_pages(writer);
   int failed = writer->failed ? -ENOMEM : 0;
   int error = capture_output_destroy(writer->output);
   free_writer(writer);
   return error ? error : failed;
}

/* ---- memory ---- */

static bool
add_to_batch(struct hdb_capture_writer *writer, const void *data)
{
   if (!writer->batch)
      writer->batch = malloc((size_t)CAPTURE_BATCH * HDB_CAPTURE_PAGE);
   if (!writer->batch)
      return false;
   memcpy(writer->batch + (size_t)writer->batch_count * HDB_CAPTURE_PAGE, data, HDB_CAPTURE_PAGE);
   if (++writer->batch_count == CAPTURE_BATCH)
      flush_pages(writer);
   return true;
}

/* The number of this content in the file. */
static uint32_t
number_page(struct hdb_capture_writer *writer, const void *data)
{
   XXH128_hash_t hash = XXH3_128bits(data, HDB_CAPTURE_PAGE);
   struct known_page *page;
   HASH_FIND(hh, writer->pages, &hash, sizeof(hash), page);
   if (page)
      return page->number;
   page = calloc(1, sizeof(*page));
   if (!page || !add_to_batch(writer, data)) {
      free(page);
      writer->failed = true;
      return HDB_CAPTURE_NO_PAGE;
   }
   page->hash = hash;
   page->number = writer->written.pages++;
   HASH_ADD(hh, writer->pages, hash, sizeof(hash), page);
   return page->number;
}

static void
add_page(struct hdb_capture_writer *writer, uint64_t place, uint16_t mapped, uint32_t number)
{
   struct mapped_page *page = array_append(writer->next.pages, writer->next.count);
   if (page)
      *page = (struct mapped_page){place, number, mapped};
   else
      writer->failed = true;
}

static bool
map_has_changed(const struct hdb_capture_writer *writer, const struct hdb_capture_range *ranges, size_t count)
{
   if (!writer->written.states || count != writer->range_count)
      return true;
   for (size_t i = 0; i < count; i++) {
      const struct hdb_capture_range *a = &ranges[i], *b = &writer->ranges[i];
      if (a->va != b->va || a->size != b->size || a->flags != b->flags || a->mtype != b->mtype)
         return true;
   }
   return false;
}

void
hdb_capture_begin_state(struct hdb_capture_writer *writer, const struct hdb_capture_range *ranges, size_t count)
{
   writer->next.count = 0;
   writer->kept = 0;
   if (!map_has_changed(writer, ranges, count))
      return;
   struct hdb_capture_range *copy = malloc(count * sizeof(*copy) + 1);
   if (!copy) {
      writer->failed = true;
      return;
   }
   memcpy(copy, ranges, count * sizeof(*copy));
   free(writer->ranges);
   writer->ranges = copy;
   writer->range_count = count;
   struct codec codec = {.writes = true};
   struct capture_map map = {.count = count, .ranges = copy};
   codec_map(&codec, &map);
   write_section(writer, CAPTURE_MAP, &codec);
}

void
hdb_capture_put_page(struct hdb_capture_writer *writer, uint64_t va, uint16_t mapped, const void *data)
{
   if (!writer->failed)
      add_page(writer, VA_PAGE(va), mapped, number_page(writer, data));
}

bool
hdb_capture_keep_page(struct hdb_capture_writer *writer, uint64_t va, uint16_t mapped)
{
   const struct memory_state *last = &writer->last;
   while (writer->kept < last->count && last->pages[writer->kept].place < VA_PAGE(va))
      writer->kept++;
   const struct mapped_page *page = writer->kept < last->count ? &last->pages[writer->kept] : NULL;
   if (!page || page->place != VA_PAGE(va) || page->mapped != mapped)
      return false;
   add_page(writer, VA_PAGE(va), mapped, page->number);
   return true;
}

/* ---- what is different in the next state ---- */

struct difference {
   struct capture_run *runs;
   uint32_t *numbers; /* of all runs; their pages are set once it stands still */
   size_t run_count, number_count;
   bool failed;
};

static void
add_difference(struct difference *difference, uint64_t place, uint32_t number)
{
   struct capture_run *run = difference->run_count ? &difference->runs[difference->run_count - 1] : NULL;
   if (!run || run->first + run->count != place) {
      run = array_append(difference->runs, difference->run_count);
      if (run)
         *run = (struct capture_run){.first = place};
   }
   uint32_t *slot = run ? array_append(difference->numbers, difference->number_count) : NULL;
   if (slot) {
      *slot = number;
      run->count++;
   } else {
      difference->failed = true;
   }
}

static void
compare(const struct memory_state *last, const struct memory_state *next, struct difference *difference)
{
   size_t i = 0, k = 0;
   while (!difference->failed && (i < last->count || k < next->count)) {
      uint64_t old = i < last->count ? last->pages[i].place : UINT64_MAX;
      uint64_t new = k < next->count ? next->pages[k].place : UINT64_MAX;
      if (old < new)
         add_difference(difference, old, HDB_CAPTURE_NO_PAGE);
      else if (old > new || last->pages[i].number != next->pages[k].number)
         add_difference(difference, new, next->pages[k].number);
      i += old <= new;
      k += new <= old;
   }
   const uint32_t *numbers = difference->numbers;
   for (size_t r = 0; r < difference->run_count; numbers += difference->runs[r++].count)
      difference->runs[r].pages = numbers;
}

uint32_t
hdb_capture_end_state(struct hdb_capture_writer *writer, bool after_submission)
{
   struct difference difference = {0};
   compare(&writer->last, &writer->next, &difference);
   struct capture_state state = {
      .kind = after_submission ? CAPTURE_AFTER_SUBMISSION : CAPTURE_BEFORE_DISPATCH,
      .count = difference.run_count,
      .runs = difference.runs,
   };
   struct codec codec = {.writes = true};
   codec_state(&codec, &state);
   writer->failed |= difference.failed;
   write_section(writer, CAPTURE_STATE, &codec);
   free(difference.runs);
   free(difference.numbers);
   free(writer->last.pages);
   writer->last = writer->next;
   writer->next = (struct memory_state){0};
   return writer->written.states++;
}

/* ---- the rest ---- */

bool
hdb_capture_writer_has_shader(const struct hdb_capture_writer *writer, uint64_t id)
{
   struct known_shader *known;
   HASH_FIND(hh, writer->shaders, &id, sizeof(id), known);
   return known;
}

void
hdb_capture_write_shader(struct hdb_capture_writer *writer, const struct hdb_shader *shader)
{
   struct known_shader *known = calloc(1, sizeof(*known));
   if (known) {
      known->id = shader->id;
      HASH_ADD(hh, writer->shaders, id, sizeof(known->id), known);
   }
   struct codec codec = {.writes = true};
   struct hdb_shader copy = *shader;
   codec_shader(&codec, &copy);
   write_section(writer, CAPTURE_SHADER, &codec);
}

void
hdb_capture_write_info(struct hdb_capture_writer *writer, const struct hdb_capture_info *info)
{
   struct codec codec = {.writes = true};
   struct hdb_capture_info copy = *info;
   codec_info(&codec, &copy);
   write_section(writer, CAPTURE_INFO, &codec);
}

void
hdb_capture_write_objects(struct hdb_capture_writer *writer, const struct hdb_capture_object *objects, uint32_t count,
                          const struct hdb_memory *prints)
{
   struct codec codec = {.writes = true};
   struct capture_objects all = {
      .count = count, .objects = objects, .prints_va = prints->va, .prints_size = prints->size};
   codec_objects(&codec, &all);
   uint64_t hash = codec.error ? 0 : XXH3_64bits(codec.data, codec.size);
   if (writer->has_objects && hash == writer->objects_hash) {
      free(codec.data);
      return;
   }
   writer->has_objects = true;
   writer->objects_hash = hash;
   write_section(writer, CAPTURE_OBJECTS, &codec);
}

void
hdb_capture_write_note(struct hdb_capture_writer *writer, const char *text)
{
   struct codec codec = {.writes = true};
   codec_string(&codec, &text);
   write_section(writer, CAPTURE_SAID, &codec);
}

uint32_t
hdb_capture_write_dispatch(struct hdb_capture_writer *writer, const struct hdb_capture_dispatch *dispatch)
{
   struct codec codec = {.writes = true};
   struct hdb_capture_dispatch copy = *dispatch;
   codec_dispatch(&codec, &copy);
   write_section(writer, CAPTURE_DISPATCH, &codec);
   return writer->written.dispatches++;
}

void
hdb_capture_write_after(struct hdb_capture_writer *writer, uint32_t state, const uint32_t *positions, uint32_t count)
{
   struct codec codec = {.writes = true};
   struct capture_after after = {.state = state, .count = count, .dispatches = positions};
   codec_after(&codec, &after);
   write_section(writer, CAPTURE_AFTER, &codec);
}

void
hdb_capture_write_done(struct hdb_capture_writer *writer)
{
   struct codec codec = {.writes = true};
   codec_done(&codec, &writer->written);
   write_section(writer, CAPTURE_DONE, &codec);
   capture_output_sync(writer->output);
}
