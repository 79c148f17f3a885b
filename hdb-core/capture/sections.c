/* SPDX-License-Identifier: MIT */
/* What a section adds to an open capture, and whether it makes sense. */
#include <errno.h>
#include <stdlib.h>

#include "array.h"
#include "capture/reader.h"

#define PAGE 4096ull
#define VA_SIZE (1ull << 48)
#define PLACES (VA_SIZE / HDB_CAPTURE_PAGE)
#define MAX_WORKGROUP 1024

/* ---- what makes sense ---- */

static bool
shader_makes_sense(const struct hdb_shader *shader)
{
   const uint32_t *size = shader->workgroup_size;
   bool launched = size[0] || size[1] || size[2]; /* otherwise a stage of ray tracing */
   uint64_t threads = (uint64_t)size[0] * size[1];
   if (launched && (size[0] > MAX_WORKGROUP || size[1] > MAX_WORKGROUP || size[2] > MAX_WORKGROUP || !threads ||
                    !size[2] || threads * size[2] > MAX_WORKGROUP))
      return false;
   return shader->code && shader->exec_size && shader->exec_size <= shader->code_size && shader->exec_size % 4 == 0 &&
          shader->va % 4 == 0 && (shader->wave_size == 32 || shader->wave_size == 64) && shader->spirv_size % 4 == 0;
}

static bool
dispatch_makes_sense(const struct hdb_capture *capture, const struct hdb_capture_dispatch *dispatch)
{
   const struct hdb_dispatch *record = &dispatch->record;
   bool has_state = dispatch->before != HDB_CAPTURE_NO_STATE;
   return record->push_constant_size <= HDB_MAX_PUSH_CONSTANTS &&
          record->dynamic_descriptor_count <= HDB_MAX_DYNAMIC_DESCRIPTORS &&
          hdb_capture_find_shader(capture, record->shader_id) &&
          (has_state ? dispatch->before < capture->info.state_count : dispatch->flags & HDB_CAPTURE_DID_NOT_RUN);
}

static uint64_t
va_of(uint64_t canonical)
{
   return canonical & (VA_SIZE - 1);
}

static bool
map_makes_sense(const struct capture_map *map)
{
   uint64_t end = 0;
   for (uint32_t i = 0; i < map->count; i++) {
      const struct hdb_capture_range *range = &map->ranges[i];
      uint64_t va = va_of(range->va);
      bool canonical = (uint64_t)((int64_t)(range->va << 16) >> 16) == range->va;
      if (!canonical || va < end || va % PAGE || !range->size || range->size % PAGE || range->size > VA_SIZE - va)
         return false;
      end = va + range->size;
   }
   return true;
}

static bool
state_makes_sense(const struct hdb_capture *capture, const struct capture_state *state)
{
   uint64_t end = 0;
   for (uint32_t i = 0; i < state->count; i++) {
      const struct capture_run *run = &state->runs[i];
      if (run->first < end || run->first > PLACES || run->count > PLACES - run->first)
         return false;
      end = run->first + run->count;
      for (uint32_t k = 0; k < run->count; k++) {
         if (run->pages[k] != HDB_CAPTURE_NO_PAGE && run->pages[k] >= capture->info.page_count)
            return false;
      }
   }
   return capture->map_count > 0;
}

/* ---- what is taken ---- */

static int
take_shader(struct hdb_capture *capture, struct codec *codec)
{
   struct read_shader *read = capture_add_block(codec->blocks, sizeof(*read));
   if (!read)
      return -ENOMEM;
   struct hdb_shader *shader = &read->shader;
   codec_shader(codec, shader);
   if (codec->error || !shader_makes_sense(shader) || hdb_capture_find_shader(capture, shader->id))
      return codec->error ? codec->error : -EBADMSG;
   size_t count = capture->info.shader_count;
   const struct hdb_shader **slot = array_append(capture->shaders, count);
   if (!slot)
      return -ENOMEM;
   *slot = shader;
   capture->info.shader_count++;
   HASH_ADD(hh, capture->by_id, shader.id, sizeof(shader->id), read);
   return 0;
}

static int
take_map(struct hdb_capture *capture, struct codec *codec)
{
   struct capture_map map = {0};
   codec_map(codec, &map);
   if (codec->error || !map_makes_sense(&map))
      return codec->error ? codec->error : -EBADMSG;
   struct capture_map *slot = array_append(capture->maps, capture->map_count);
   if (!slot)
      return -ENOMEM;
   *slot = map;
   return 0;
}

static int
take_state(struct hdb_capture *capture, struct codec *codec)
{
   struct capture_state state = {0};
   codec_state(codec, &state);
   if (codec->error || !state_makes_sense(capture, &state))
      return codec->error ? codec->error : -EBADMSG;
   for (uint32_t i = 0; i < state.count; i++) {
      for (uint32_t k = 0; k < state.runs[i].count; k++) {
         struct page_change *change = array_append(capture->changes, capture->change_count);
         if (!change)
            return -ENOMEM;
         *change = (struct page_change){state.runs[i].first + k, capture->info.state_count, state.runs[i].pages[k]};
      }
   }
   size_t count = capture->info.state_count;
   struct read_state *slot = array_append(capture->states, count);
   if (!slot)
      return -ENOMEM;
   *slot = (struct read_state){.kind = state.kind, .map = capture->map_count - 1};
   capture->info.state_count++;
   return 0;
}

static int
take_dispatch(struct hdb_capture *capture, struct codec *codec)
{
   struct hdb_capture_dispatch *dispatch = capture_add_block(codec->blocks, sizeof(*dispatch));
   if (!dispatch)
      return -ENOMEM;
   codec_dispatch(codec, dispatch);
   dispatch->after = HDB_CAPTURE_NO_STATE;
   if (!dispatch->label_count && *dispatch->label) {
      dispatch->label_count = 1;
      dispatch->labels = &dispatch->label;
   }
   if (codec->error || !dispatch_makes_sense(capture, dispatch))
      return codec->error ? codec->error : -EBADMSG;
   size_t count = capture->info.dispatch_count;
   struct hdb_capture_dispatch **slot = array_append(capture->dispatches, count);
   if (!slot)
      return -ENOMEM;
   *slot = dispatch;
   capture->info.dispatch_count++;
   return 0;
}

static int
take_after(struct hdb_capture *capture, struct codec *codec)
{
   struct capture_after after = {0};
   codec_after(codec, &after);
   if (codec->error || after.state >= capture->info.state_count)
      return codec->error ? codec->error : -EBADMSG;
   for (uint32_t i = 0; i < after.count; i++) {
      if (after.dispatches[i] >= capture->info.dispatch_count)
         return -EBADMSG;
      capture->dispatches[after.dispatches[i]]->after = after.state;
   }
   return 0;
}

static int
take_objects(struct hdb_capture *capture, struct codec *codec)
{
   struct capture_objects objects = {0};
   codec_objects(codec, &objects);
   if (codec->error)
      return codec->error;
   capture->objects = objects;
   capture->info.object_count = objects.count;
   capture->info.prints_va = objects.prints_va;
   capture->info.prints_size = objects.prints_size;
   return 0;
}

static int
take_said(struct hdb_capture *capture, struct codec *codec)
{
   const char *text = "";
   codec_string(codec, &text);
   if (!codec->error)
      capture->info.note = text;
   return codec->error;
}

/* The whole is there if its parts are. */
static int
take_done(struct hdb_capture *capture, struct codec *codec)
{
   struct capture_done done = {0};
   codec_done(codec, &done);
   if (codec->error)
      return codec->error;
   capture->info.complete = done.dispatches == capture->info.dispatch_count &&
                            done.states == capture->info.state_count && done.pages == capture->info.page_count;
   return capture->info.complete ? 0 : -EBADMSG;
}

int
capture_take_section(struct hdb_capture *capture, uint32_t tag, struct codec *codec)
{
   switch (tag) {
   case CAPTURE_INFO:
      codec_info(codec, &capture->info);
      return codec->error;
   case CAPTURE_SHADER:
      return take_shader(capture, codec);
   case CAPTURE_OBJECTS:
      return take_objects(capture, codec);
   case CAPTURE_MAP:
      return take_map(capture, codec);
   case CAPTURE_STATE:
      return take_state(capture, codec);
   case CAPTURE_DISPATCH:
      return take_dispatch(capture, codec);
   case CAPTURE_AFTER:
      return take_after(capture, codec);
   case CAPTURE_SAID:
      return take_said(capture, codec);
   case CAPTURE_DONE:
      return take_done(capture, codec);
   }
   return 0;
}
