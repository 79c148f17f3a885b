/* SPDX-License-Identifier: MIT */
/* The run: one dispatch after the other, each from the memory that it found in the program. */
#include "replay/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "replay/private.h"

/* Sparse, but page tables are not. */
#define MAX_MEMORY (64ull << 30)

/* ---- words ---- */

static void __attribute__((format(printf, 2, 3))) set_error(char **error, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   if (vasprintf(error, format, arguments) < 0)
      *error = NULL;
   va_end(arguments);
}

static int
object_at(void *user, uint64_t va, struct hdb_object *object)
{
   const struct hdb_capture_object *found = replay_find_object(user, va);
   if (!found)
      return -ENOENT;
   *object = (struct hdb_object){.name = strdup(found->name), .va = found->va, .size = found->size};
   return object->name ? 0 : -ENOMEM;
}

/* ---- one dispatch ---- */

/* One behind the other, as an offer has them. NULL: there are none, or no memory for them. To be freed. */
static char *
lay_out_labels(const struct hdb_capture_dispatch *dispatch)
{
   size_t size = 0;
   for (uint32_t i = 0; i < dispatch->label_count; i++)
      size += strlen(dispatch->labels[i]) + 1;
   char *text = size ? malloc(size) : NULL, *at = text;
   for (uint32_t i = 0; text && i < dispatch->label_count; i++)
      at = stpcpy(at, dispatch->labels[i]) + 1;
   return text;
}

static void
make_offer(const struct hdb_capture_dispatch *dispatch, const char *labels, uint32_t *rsrc2, uint32_t *rsrc3,
           struct hdb_offer *offer)
{
   uint32_t label_count = labels ? dispatch->label_count : 0;
   *offer = (struct hdb_offer){
      .record = dispatch->record,
      .number = &dispatch->number,
      .pipeline_name = *dispatch->pipeline ? dispatch->pipeline : NULL,
      .label = label_count ? dispatch->labels[label_count - 1] : NULL,
      .labels = labels,
      .label_count = label_count,
      .queue_name = dispatch->queue,
   };
   /* How the grid came out is known, and that the condition was met. */
   offer->record.flags &= HDB_DISPATCH_INTERNAL;
   offer->record.rsrc2_dword = rsrc2;
   offer->record.rsrc3_dword = rsrc3;
}

/* False: it has faulted, which the card's log has told. */
static bool
launch(struct replay *replay, const struct hdb_capture_dispatch *dispatch, const struct hdb_shader *shader)
{
   uint32_t *rsrc2, *rsrc3;
   struct hdb_offer offer;
   uint32_t dwords = replay_record(replay, dispatch, shader, &rsrc2, &rsrc3);
   char *labels = lay_out_labels(dispatch);
   make_offer(dispatch, labels, rsrc2, rsrc3, &offer);
   uint64_t token = hdb_device_submit(replay->device, &offer, 1);
   free(labels);
   hdb_device_expect_prints(replay->device);
   int error = card_run(&replay->card, replay->commands.va, dwords);
   hdb_device_deliver_prints(replay->device);
   hdb_device_completed(replay->device, token, error ? HDB_OUTCOME_LOST : HDB_OUTCOME_FINISHED);
   return !error;
}

static bool
replay_dispatch(struct replay *replay, uint32_t index)
{
   const struct hdb_capture_dispatch *dispatch = hdb_capture_dispatch(replay->capture, index);
   char *problem = NULL;
   if (dispatch->flags & HDB_CAPTURE_DID_NOT_RUN || dispatch->before == HDB_CAPTURE_NO_STATE) {
      replay_say(dispatch, "did not run when it was captured");
      return true;
   }
   replay_forget_prints(replay);
   replay_remove_shaders(replay, dispatch->before);
   int error = replay_load(replay, dispatch->before, &problem);
   if (error) {
      replay_say(dispatch, "NOT RUN: %s", problem ? problem : strerror(-error));
      free(problem);
      return false;
   }
   replay_add_shaders(replay);
   replay_find_prints(replay);
   const struct hdb_shader *shader = replay_find_shader(replay, dispatch->record.shader_id);
   if (!shader) {
      replay_say(dispatch, "NOT RUN: the file does not have its shader where it was launched");
      return false;
   }
   error = replay_prepare_scratch(replay, dispatch, shader);
   if (error) {
      replay_say(dispatch, "NOT RUN: no scratch for it: %s", strerror(-error));
      return false;
   }
   replay_find_reach(replay, dispatch);
   uint64_t edits = hdb_device_count_edits(replay->device);
   if (!launch(replay, dispatch, shader)) {
      struct replay_difference unused;
      replay_compare(replay, HDB_CAPTURE_NO_STATE, &unused); /* for what has changed */
      replay_say(dispatch, dispatch->after == HDB_CAPTURE_NO_STATE ? "faulted or hung; the capture ends before it did"
                                                                   : "DIFFERENT: it faulted or hung");
      return false;
   }
   return replay_judge(replay, index, hdb_device_count_edits(replay->device) != edits);
}

static int
replay_dispatches(struct replay *replay)
{
   bool equal = true;
   for (uint32_t i = 0; i < replay->info->dispatch_count; i++) {
      if (!replay->options->one || hdb_capture_dispatch(replay->capture, i)->number == replay->options->number)
         equal &= replay_dispatch(replay, i);
   }
   return equal ? HDB_REPLAY_EQUAL : HDB_REPLAY_DIFFERENT;
}

/* ---- life ---- */

static bool
has_dispatch(const struct replay *replay, uint32_t number)
{
   for (uint32_t i = 0; i < replay->info->dispatch_count; i++) {
      if (hdb_capture_dispatch(replay->capture, i)->number == number)
         return true;
   }
   return false;
}

static int
open_capture(struct replay *replay, char **error)
{
   const struct hdb_replay_options *options = replay->options;
   int result = hdb_capture_open(options->path, &replay->capture, error);
   if (result)
      return result;
   replay->info = hdb_capture_info(replay->capture);
   if (!replay->info->complete)
      fprintf(stderr, "hdb: %s is not complete: %s\n", options->path, replay->info->problem);
   if (!replay->info->dispatch_count) {
      set_error(error, "%s: there is no dispatch in it", options->path);
      return -ENODATA;
   }
   if (options->one && !has_dispatch(replay, options->number)) {
      set_error(error, "%s: there is no dispatch %u in it", options->path, options->number);
      return -ENOENT;
   }
   uint64_t size = replay_memory_size(replay);
   if (size > MAX_MEMORY) {
      set_error(error, "%s: it has %" PRIu64 " GiB of memory, and no more than %llu can be replayed", options->path,
                size >> 30, MAX_MEMORY >> 30);
      return -EFBIG;
   }
   replay->shaders = calloc(replay->info->shader_count + 1, sizeof(*replay->shaders));
   if (!replay->shaders)
      return -ENOMEM;
   for (uint32_t i = 0; i < replay->info->shader_count; i++)
      replay->shaders[i].captured = hdb_capture_shader(replay->capture, i);
   return 0;
}

static int
create_card(struct replay *replay, char **error)
{
   int result = card_init(&replay->card, replay_memory_size(replay), replay_free_va(replay), replay->options->seed);
   result = result ?: card_alloc(&replay->card, REPLAY_COMMANDS_SIZE, REPLAY_READ | REPLAY_WRITE, &replay->commands);
   if (result)
      set_error(error, "the virtual GPU can't be made: %s", strerror(-result));
   return result;
}

static int
create_engine(struct replay *replay, char **error)
{
   const struct hdb_engine_options options = {.client_fd = replay->options->client_fd, .internal = true};
   const struct hdb_object_source objects = {.at = object_at, .user = replay};
   int result = hdb_engine_create(&options, &replay->engine);
   result = result
               ?: hdb_engine_add_device(replay->engine, &replay->card.driver, replay->info->device, &objects,
                                        &replay->device);
   if (result)
      set_error(error, "the debugger can't start: %s", strerror(-result));
   return result;
}

static void
finish(struct replay *replay)
{
   if (replay->device) {
      replay_forget_prints(replay);
      replay_unload(replay);
      hdb_engine_remove_device(replay->device);
   }
   hdb_engine_destroy(replay->engine);
   if (replay->card.gpu) {
      card_unmap(&replay->card, &replay->commands);
      card_unmap(&replay->card, &replay->scratch);
      card_finish(&replay->card);
   }
   replay_forget_reach(replay);
   free(replay->shaders);
   hdb_capture_close(replay->capture);
}

int
hdb_replay_run(const struct hdb_replay_options *options, char **error)
{
   struct replay replay = {.options = options, .state = HDB_CAPTURE_NO_STATE};
   *error = NULL;
   int result = open_capture(&replay, error);
   result = result ?: create_card(&replay, error);
   result = result ?: create_engine(&replay, error);
   result = result ?: replay_dispatches(&replay);
   finish(&replay);
   return result;
}
