/* SPDX-License-Identifier: MIT */
/*
 * Captures, written while the program runs. A dispatch is caught as its first wave stands at its entry, all its waves
 * stopping there: what is in memory then is what it will find, whatever came before it in its submission. Once the
 * submission has finished, what it has left is written, too.
 */
#include "engine/capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "array.h"
#include "capture/writer.h"
#include "dap/session.h"

/* ---- begin and end ---- */

static char *
make_path(const struct hdb_engine *engine, int64_t frame)
{
   const char *folder = engine->options.capture_folder;
   long long number = frame < 0 ? engine->captures_begun : frame;
   char *path;
   int result = asprintf(&path, "%s%s%s-%d-%s%lld.hdbcap", folder ? folder : "", folder ? "/" : "",
                         program_invocation_short_name, (int)engine->pid, frame < 0 ? "" : "frame", number);
   return result < 0 ? NULL : path;
}

/* The command line, its arguments with spaces between them. */
static char *
read_command_line(void)
{
   char text[4096] = "";
   FILE *file = fopen("/proc/self/cmdline", "re");
   size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
   if (file)
      fclose(file);
   for (size_t i = 0; i + 1 < length; i++)
      text[i] = text[i] ? text[i] : ' ';
   return strdup(text);
}

/* Opens the file or, once the device is known, says what it is of again. */
static int
write_info(struct capture *capture, const struct hdb_device *device)
{
   int result = 0;
   char *program = read_command_line();
   struct hdb_capture_info info = {
      .time = time(NULL),
      .writer = "hdb " HDB_PROJECT_VERSION,
      .program = program,
      .device = device ? device->name : "",
   };
   if (capture->writer)
      hdb_capture_write_info(capture->writer, &info);
   else
      result = hdb_capture_writer_create(capture->path, &info, &capture->writer);
   free(program);
   return result;
}

int
engine_begin_capture(struct hdb_engine *engine, const char *path, int64_t frame, char **error)
{
   *error = NULL;
   if (engine->capture) {
      if (asprintf(error, "%s is being written", engine->capture->path) < 0)
         *error = NULL;
      return -EBUSY;
   }
   struct capture *capture = calloc(1, sizeof(*capture));
   if (!capture)
      return -ENOMEM;
   capture->path = path ? strdup(path) : make_path(engine, frame);
   int result = capture->path ? write_info(capture, NULL) : -ENOMEM;
   if (result) {
      if (capture->path && asprintf(error, "%s: %s", capture->path, strerror(-result)) < 0)
         *error = NULL;
      free(capture->path);
      free(capture);
      return result;
   }
   hdb_capture_write_done(capture->writer); /* should nothing come: there is all of nothing */
   engine->captures_begun++;
   engine->capture = capture;
   return 0;
}

static void
leave_card(struct hdb_engine *engine)
{
   struct capture *capture = engine->capture;
   if (capture->card) {
      hdb_machine_set_lockstep(capture->card->machine, false);
      hdb_machine_collect_writes(capture->card->machine, false);
   }
   capture->card = NULL;
   capture->skips = false;
}

static void
finish(struct hdb_engine *engine)
{
   struct capture *capture = engine->capture;
   leave_card(engine);
   engine->capture = NULL;
   engine_want(engine, WANTED_BY_CAPTURE, false);
   engine_apply_filter(engine);
   int result = hdb_capture_writer_destroy(capture->writer);
   if (!result)
      engine_tell(engine, "captured %u dispatch%s in %s", capture->count, capture->count == 1 ? "" : "es",
                  capture->path);
   else if (!capture->failed)
      engine_tell(engine, "%s is not complete: %s", capture->path, strerror(-result));
   if (engine->session)
      session_send_event(engine->session, "hdb/captured",
                         json_pack("{s:s, s:I, s:b}", "file", capture->path, "dispatches", (json_int_t)capture->count,
                                   "complete", result == 0));
   free(capture->path);
   free(capture->which);
   free(capture);
}

static void
finish_if_done(struct hdb_engine *engine)
{
   if (engine->capture && engine->capture->ended && !atomic_load(&engine->captured))
      finish(engine);
}

void
engine_begin_lone_capture(struct hdb_engine *engine)
{
   char *error = NULL;
   if (engine->capture)
      return;
   if (engine_begin_capture(engine, NULL, -1, &error))
      engine_tell(engine, "nothing is captured: %s", error ? error : "out of memory");
   else
      engine->capture->lone = true;
   free(error);
}

void
engine_end_lone_capture(struct hdb_engine *engine)
{
   if (engine->capture && engine->capture->lone)
      engine_end_capture(engine);
}

void
engine_end_capture(struct hdb_engine *engine)
{
   if (engine->capture)
      engine->capture->ended = true;
   finish_if_done(engine);
}

void
engine_end_selected_capture(struct hdb_engine *engine)
{
   if (engine->capture && engine->capture->selects)
      engine_end_capture(engine);
}

void
engine_abandon_capture(struct hdb_engine *engine)
{
   for (size_t i = 0; i < engine->dispatch_count; i++)
      engine->dispatches[i].capture = CAPTURE_NONE;
   atomic_store(&engine->captured, 0);
   if (engine->capture)
      finish(engine);
}

/* Says it once; the file has what was written until then, and the program goes on. */
static void
check_failure(struct hdb_engine *engine)
{
   struct capture *capture = engine->capture;
   int error = hdb_capture_writer_error(capture->writer);
   if (!error || capture->failed)
      return;
   engine_tell(engine, "%s is not complete: %s", capture->path, strerror(-error));
   capture->failed = true;
   for (size_t i = 0; i < engine->dispatch_count; i++) { /* they need not stop any more */
      if (engine->dispatches[i].capture == CAPTURE_WANTED) {
         engine->dispatches[i].capture = CAPTURE_NONE;
         atomic_fetch_sub(&engine->captured, 1);
      }
   }
}

const char *
engine_capture_path(const struct hdb_engine *engine)
{
   return engine->capture->path;
}

/* ---- what is captured ---- */

void
engine_capture_matching(struct hdb_engine *engine, const char *which, uint32_t count)
{
   struct capture *capture = engine->capture;
   free(capture->which);
   capture->which = which ? strdup(which) : NULL;
   capture->selects = true;
   capture->left = count ? count : UINT32_MAX;
   engine_want(engine, WANTED_BY_CAPTURE, true);
}

bool
engine_capture_selects(const struct hdb_engine *engine, const struct dispatch *dispatch)
{
   const struct capture *capture = engine->capture;
   return capture && capture->selects && capture->left && !capture->ended &&
          (!capture->which || selector_matches(capture->which, dispatch));
}

void
engine_capture_dispatch(struct hdb_engine *engine, struct dispatch *dispatch)
{
   struct capture *capture = engine->capture;
   if (!capture || capture->ended || capture->failed || dispatch->capture != CAPTURE_NONE || dispatch->internal)
      return;
   if (!dispatch->device->card || (capture->card && capture->card != dispatch->device->card)) {
      device_say(dispatch->device, "dispatch %u is not captured: %s", dispatch->number,
                 dispatch->device->card ? "it runs on another card" : "its driver can't be debugged");
      return;
   }
   if (!capture->card)
      write_info(capture, dispatch->device);
   capture->card = dispatch->device->card;
   hdb_machine_set_lockstep(capture->card->machine, true); /* so that it comes out again where order matters */
   atomic_fetch_add(&engine->captured, 1);
   dispatch->capture = CAPTURE_WANTED;
   engine_apply_filter(engine);
   if (capture->selects && --capture->left == 0)
      engine_end_capture(engine);
}

void
engine_capture_refuse(struct hdb_engine *engine, struct dispatch *dispatch, const char *why)
{
   char *text;
   dispatch->capture = CAPTURE_NONE;
   atomic_fetch_sub(&engine->captured, 1);
   if (asprintf(&text, "dispatch %u is not captured: %s", dispatch->number, why) >= 0) {
      engine_tell(engine, "%s", text);
      hdb_capture_write_note(engine->capture->writer, text);
      free(text);
   }
   if (!atomic_load(&engine->captured))
      hdb_capture_write_done(engine->capture->writer);
   finish_if_done(engine);
}

void
engine_capture_forget(struct hdb_engine *engine, const struct hdb_device *device)
{
   struct capture *capture = engine->capture;
   if (!capture)
      return;
   for (size_t i = 0; i < engine->dispatch_count; i++) {
      struct dispatch *dispatch = &engine->dispatches[i];
      if (dispatch->device == device && dispatch->capture != CAPTURE_NONE) {
         dispatch->capture = CAPTURE_NONE;
         atomic_fetch_sub(&engine->captured, 1);
      }
   }
   if (capture->card && capture->card == device->card && device->card->device_count == 1)
      leave_card(engine);
   finish_if_done(engine);
}

const uint32_t *
engine_capture_filter(const struct hdb_engine *engine, const struct card *card)
{
   const struct capture *capture = engine->capture;
   return capture && capture->card == card && capture->skips ? capture->last : NULL;
}

bool
engine_is_capturing(const struct hdb_engine *engine, const struct card *card)
{
   return engine->capture && engine->capture->card == card && atomic_load(&engine->captured) &&
          !engine->capture->failed;
}

bool
hdb_device_captures(const struct hdb_device *device)
{
   return !engine_is_current(device->engine) && atomic_load(&device->engine->captured);
}

bool
engine_captures_at_entry(const struct dispatch *dispatch)
{
   return dispatch->capture == CAPTURE_WANTED && dispatch->state == DISPATCH_SUBMITTED;
}

/* ---- when ---- */

static bool
has_plants(const struct card *card, const struct hdb_device *device)
{
   for (size_t i = 0; device->card == card && i < device->shader_count; i++) {
      if (hdb_machine_has_plants(card->machine, device->shaders[i]->shader))
         return true;
   }
   return false;
}

static bool
is_of_queue(const struct dispatch *dispatch, const struct dispatch *other)
{
   return other->device == dispatch->device && strcmp(other->queue, dispatch->queue) == 0;
}

/* The filter by workgroup holds for all that stops: nothing else may be about to, nor may dispatches of another queue
 * come in between. */
static bool
may_skip(const struct hdb_engine *engine, const struct card *card, const struct dispatch *dispatch)
{
   if (!dispatch->sized || dispatch->entries >= dispatch->waves)
      return false;
   for (const struct hdb_device *device = engine->devices; device; device = device->next) {
      if (has_plants(card, device))
         return false;
   }
   for (size_t i = 0; i < engine->dispatch_count; i++) {
      const struct dispatch *other = &engine->dispatches[i];
      if (other == dispatch || other->state != DISPATCH_SUBMITTED || !other->device || other->device->card != card)
         continue;
      if (engine_stops_at_entry(engine, other) || !is_of_queue(dispatch, other))
         return false;
   }
   return true;
}

static void
skip_rest(struct hdb_engine *engine, struct card *card, const struct dispatch *dispatch)
{
   struct capture *capture = engine->capture;
   capture->skips = may_skip(engine, card, dispatch);
   capture->skipped = dispatch->number;
   for (int i = 0; i < 3; i++)
      capture->last[i] = dispatch->base[i] + dispatch->grid[i] - 1;
   engine_apply_filter(engine);
}

static void
end_skip(struct hdb_engine *engine)
{
   engine->capture->skips = false;
   engine_apply_filter(engine);
}

static void
check_skip(struct hdb_engine *engine, struct card *card)
{
   struct capture *capture = engine->capture;
   struct hdb_wave *const *waves;
   size_t count = hdb_machine_waves(card->machine, &waves);
   for (size_t i = 0; capture->skips && i < count; i++) {
      if (waves[i]->run == HDB_WAVE_STOPPED && waves[i]->cause == HDB_STOP_ENTRY &&
          memcmp(waves[i]->workgroup, capture->last, sizeof(capture->last)) == 0)
         end_skip(engine);
   }
}

void
engine_capture_recheck(struct hdb_engine *engine)
{
   struct capture *capture = engine->capture;
   const struct dispatch *skipped = NULL;
   for (size_t i = 0; capture && capture->skips && i < engine->dispatch_count; i++) {
      if (engine->dispatches[i].number == capture->skipped)
         skipped = &engine->dispatches[i];
   }
   if (skipped && !may_skip(engine, capture->card, skipped))
      end_skip(engine);
}

static struct hdb_wave *
find_entered(struct hdb_engine *engine, struct card *card, struct dispatch **dispatch)
{
   struct hdb_wave *const *waves;
   size_t count = hdb_machine_waves(card->machine, &waves);
   for (size_t i = 0; i < count; i++) {
      if (waves[i]->run != HDB_WAVE_STOPPED || waves[i]->cause != HDB_STOP_ENTRY)
         continue;
      *dispatch = engine_dispatch_of(engine, waves[i]);
      if (*dispatch && engine_captures_at_entry(*dispatch))
         return waves[i];
   }
   return NULL;
}

void
engine_capture_entries(struct hdb_engine *engine, struct card *card)
{
   struct dispatch *dispatch;
   struct hdb_wave *wave;
   if (engine->capture && engine->capture->skips && engine->capture->card == card)
      check_skip(engine, card);
   while (engine->capture && atomic_load(&engine->captured) && (wave = find_entered(engine, card, &dispatch))) {
      uint32_t id = wave->id;
      hdb_machine_stop_all(card->machine);
      engine_note_origins(engine, card);
      hdb_machine_forget_ended(card->machine);
      wave = hdb_machine_find_wave(card->machine, id);
      if (wave)
         capture_at_entry(engine, dispatch, wave);
      dispatch->capture = CAPTURE_TAKEN;
      dispatch->capture_edits = hdb_machine_count_edits(card->machine);
      check_failure(engine);
      skip_rest(engine, card, dispatch);
   }
}

/* A replay, which has not changed the same, can't come out as captured. */
static void
note_edits(struct hdb_engine *engine, const struct dispatch *dispatch)
{
   char *text;
   if (hdb_machine_count_edits(dispatch->device->machine) == dispatch->capture_edits ||
       asprintf(&text, "dispatch %u: a debugger, or the program's own callback, changed it while it ran",
                dispatch->number) < 0)
      return;
   hdb_capture_write_note(engine->capture->writer, text);
   free(text);
}

void
engine_capture_finished(struct hdb_engine *engine, struct hdb_device *device, uint64_t token, enum hdb_outcome outcome)
{
   struct capture *capture = engine->capture;
   uint32_t *positions = NULL, state;
   size_t count = 0;
   if (!capture || !atomic_load(&engine->captured))
      return;
   for (size_t i = engine_find_token(engine, token); i < engine->dispatch_count && engine->dispatches[i].token == token;
        i++) {
      struct dispatch *dispatch = &engine->dispatches[i];
      if (dispatch->device != device || dispatch->capture == CAPTURE_NONE)
         continue;
      if (capture->skips && capture->skipped == dispatch->number)
         end_skip(engine);
      if (dispatch->capture == CAPTURE_WANTED)
         capture_unrun(engine, dispatch);
      if (dispatch->capture == CAPTURE_TAKEN)
         note_edits(engine, dispatch);
      uint32_t *position = dispatch->capture == CAPTURE_TAKEN ? array_append(positions, count) : NULL;
      if (position)
         *position = dispatch->capture_position;
      dispatch->capture = CAPTURE_NONE;
      atomic_fetch_sub(&engine->captured, 1);
   }
   if (count && outcome == HDB_OUTCOME_FINISHED && !capture_write_state(capture, device->machine, true, &state))
      hdb_capture_write_after(capture->writer, state, positions, count);
   free(positions);
   if (!atomic_load(&engine->captured))
      hdb_capture_write_done(capture->writer);
   check_failure(engine);
   finish_if_done(engine);
}
