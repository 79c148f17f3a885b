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

static void __attribute__((format(printf, 2, 3)))
say(const struct hdb_capture_dispatch *dispatch, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   printf("dispatch %u (%s): ", dispatch->number, *dispatch->pipeline ? dispatch->pipeline : dispatch->program);
   vprintf(format, arguments);
   printf("\n");
   fflush(stdout);
   va_end(arguments);
}

static const struct hdb_capture_object *
find_object(const struct replay *replay, uint64_t va)
{
   for (uint32_t i = 0; i < replay->info->object_count; i++) {
      const struct hdb_capture_object *object = hdb_capture_object(replay->capture, i);
      if (va - object->va < object->size)
         return object;
   }
   return NULL;
}

static int
object_at(void *user, uint64_t va, struct hdb_object *object)
{
   const struct hdb_capture_object *found = find_object(user, va);
   if (!found)
      return -ENOENT;
   *object = (struct hdb_object){.name = strdup(found->name), .va = found->va, .size = found->size};
   return object->name ? 0 : -ENOMEM;
}

static void
describe_address(const struct replay *replay, uint64_t va, char *text, size_t size)
{
   const struct hdb_capture_object *object = find_object(replay, va);
   if (object)
      snprintf(text, size, "0x%" PRIx64 ", byte %" PRIu64 " of %s", va, va - object->va, object->name);
   else
      snprintf(text, size, "0x%" PRIx64, va);
}

/* ---- what came out ---- */

/* The state behind a dispatch: what the next one of its submission has found, if there is one, or that at the end of
 * the submission. */
static uint32_t
state_behind(const struct replay *replay, uint32_t index)
{
   const struct hdb_capture_dispatch *dispatch = hdb_capture_dispatch(replay->capture, index);
   const uint32_t disorder = HDB_CAPTURE_OVERLAPPED | HDB_CAPTURE_BEGUN_BEFORE;
   if (dispatch->flags & disorder || dispatch->after == HDB_CAPTURE_NO_STATE)
      return HDB_CAPTURE_NO_STATE;
   for (uint32_t i = index + 1; i < replay->info->dispatch_count; i++) {
      const struct hdb_capture_dispatch *next = hdb_capture_dispatch(replay->capture, i);
      if (next->after == dispatch->after && !(next->flags & HDB_CAPTURE_DID_NOT_RUN))
         return next->flags & disorder ? HDB_CAPTURE_NO_STATE : next->before;
   }
   return dispatch->after;
}

static const char *
why_uncompared(const struct hdb_capture_dispatch *dispatch)
{
   return dispatch->flags & HDB_CAPTURE_BEGUN_BEFORE ? "it had begun before it was captured"
          : dispatch->flags & HDB_CAPTURE_OVERLAPPED ? "others were running beside it"
          : dispatch->after == HDB_CAPTURE_NO_STATE  ? "the capture ends before it did"
                                                     : "the next one was running beside it";
}

/* What was written has to be what the capture has. What else is different there may be something else's, that came
 * behind it in its submission; unless the dispatch has written nothing, and there is nothing to go by. */
static bool
check(struct replay *replay, uint32_t index)
{
   const struct hdb_capture_dispatch *dispatch = hdb_capture_dispatch(replay->capture, index);
   struct replay_difference difference;
   char place[160];
   uint32_t behind = state_behind(replay, index);
   int error = replay_compare(replay, behind, &difference);
   if (error) {
      say(dispatch, "has run; the file can't be read where memory is to be compared: %s", strerror(-error));
      return false;
   }
   if (behind == HDB_CAPTURE_NO_STATE) {
      say(dispatch, "has run, %" PRIu64 " bytes changed; not compared: %s", difference.written,
          why_uncompared(dispatch));
      return true;
   }
   if (difference.wrong) {
      describe_address(replay, difference.wrong_va, place, sizeof(place));
      say(dispatch, "DIFFERENT: %" PRIu64 " of %" PRIu64 " bytes changed are not as captured, the first at %s",
          difference.wrong, difference.written, place);
      return false;
   }
   if (difference.missing && !difference.written) {
      describe_address(replay, difference.missing_va, place, sizeof(place));
      say(dispatch, "DIFFERENT: nothing changed; in the capture %" PRIu64 " bytes did, the first at %s",
          difference.missing, place);
      return false;
   }
   if (difference.missing)
      say(dispatch, "as captured, %" PRIu64 " bytes changed; %" PRIu64 " more by something else", difference.written,
          difference.missing);
   else
      say(dispatch, "as captured, %" PRIu64 " bytes changed", difference.written);
   return true;
}

/* ---- one dispatch ---- */

static void
make_offer(const struct hdb_capture_dispatch *dispatch, uint32_t *rsrc2, uint32_t *rsrc3, struct hdb_offer *offer)
{
   *offer = (struct hdb_offer){
      .record = dispatch->record,
      .number = &dispatch->number,
      .pipeline_name = *dispatch->pipeline ? dispatch->pipeline : NULL,
      .label = *dispatch->label ? dispatch->label : NULL,
      .labels = dispatch->label,
      .label_count = *dispatch->label != '\0',
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
   make_offer(dispatch, rsrc2, rsrc3, &offer);
   uint64_t token = hdb_device_submit(replay->device, &offer, 1);
   int error = card_run(&replay->card, replay->commands.va, dwords);
   hdb_device_completed(replay->device, token, error ? HDB_OUTCOME_LOST : HDB_OUTCOME_FINISHED);
   return !error;
}

static bool
replay_dispatch(struct replay *replay, uint32_t index)
{
   const struct hdb_capture_dispatch *dispatch = hdb_capture_dispatch(replay->capture, index);
   char *problem = NULL;
   if (dispatch->flags & HDB_CAPTURE_DID_NOT_RUN || dispatch->before == HDB_CAPTURE_NO_STATE) {
      say(dispatch, "did not run when it was captured");
      return true;
   }
   replay_remove_shaders(replay, dispatch->before);
   int error = replay_load(replay, dispatch->before, &problem);
   if (error) {
      say(dispatch, "NOT RUN: %s", problem ? problem : strerror(-error));
      free(problem);
      return false;
   }
   replay_add_shaders(replay);
   const struct hdb_shader *shader = replay_find_shader(replay, dispatch->record.shader_id);
   if (!shader) {
      say(dispatch, "NOT RUN: the file does not have its shader where it was launched");
      return false;
   }
   error = replay_prepare_scratch(replay, dispatch, shader);
   if (error) {
      say(dispatch, "NOT RUN: no scratch for it: %s", strerror(-error));
      return false;
   }
   if (!launch(replay, dispatch, shader)) {
      struct replay_difference unused;
      replay_compare(replay, HDB_CAPTURE_NO_STATE, &unused); /* for what has changed */
      say(dispatch, "DIFFERENT: it faulted or hung");
      return false;
   }
   return check(replay, index);
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
      replay_unload(replay);
      hdb_engine_remove_device(replay->device);
   }
   hdb_engine_destroy(replay->engine);
   if (replay->card.gpu) {
      card_unmap(&replay->card, &replay->commands);
      card_unmap(&replay->card, &replay->scratch);
      card_finish(&replay->card);
   }
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
