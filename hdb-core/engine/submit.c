/* SPDX-License-Identifier: MIT */
/* Submissions: which dispatches are attached to. */
#include "engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dap/session.h"

/* ---- decisions ---- */

static void
send_offer(struct hdb_engine *engine, const struct dispatch *dispatch)
{
   json_t *arguments = engine_describe_dispatch(engine, dispatch);
   json_object_set_new(arguments, "of", json_integer(engine->dispatches_seen));
   json_object_set_new(arguments, "inFrame", json_boolean(engine_choose_in_frame(engine, dispatch) == FRAME_ASKS));
   engine->offer_seq = session_send_request(engine->session, "hdb/offer", arguments);
}

bool
engine_can_stop(const struct hdb_engine *engine)
{
   bool can = !engine->devices;
   for (const struct hdb_device *device = engine->devices; device; device = device->next)
      can |= device->machine != NULL;
   return can;
}

static void
refuse_device(struct hdb_engine *engine, struct hdb_device *device)
{
   if (!device->failure_said)
      device_warn(device, "%s: %s; its dispatches are listed, but can't be attached to", device->name,
                  device->driver ? "only the virtual GPU can be debugged" : "hdb has no link to its driver");
   device->failure_said = true;
}

void
engine_warn_if_unstoppable(struct hdb_engine *engine)
{
   for (struct hdb_device *device = engine->devices; device && !engine_can_stop(engine); device = device->next)
      refuse_device(engine, device);
}

enum choice { PASSES, STOPS, ASKED };

/* A prompt on the program's own terminal does not come between each two frames that are shown. */
static bool
asks_always(const struct hdb_engine *engine)
{
   const struct hdb_engine_options *options = &engine->options;
   return engine->ask && !(options->ask && options->shows_frames && options->shows_frames());
}

/* The application's callbacks first, then what the user wants by now, and the user. */
static enum choice
choose(const struct hdb_engine *engine, const struct dispatch *dispatch, enum hdb_dispatch_answer answer, bool paused,
       bool *asked_for)
{
   enum frame_choice in_frame = engine_choose_in_frame(engine, dispatch);
   *asked_for = paused || answer == HDB_DISPATCH_ATTACH || in_frame == FRAME_STOPS;
   if (*asked_for || (engine_holds_names(engine, dispatch) && engine_names_dispatch(engine, dispatch)))
      return STOPS;
   return (asks_always(engine) || in_frame == FRAME_ASKS) && answer != HDB_DISPATCH_SKIP ? ASKED : PASSES;
}

static void
attach(struct hdb_engine *engine, struct dispatch *dispatch, bool asked_for)
{
   dispatch->attached = true;
   dispatch->asked_for = asked_for;
   engine_note_chosen(engine, HDB_TRIGGER_STOP, dispatch);
}

/* A question about its submission is open. */
static bool
is_undecided(const struct hdb_engine *engine, const struct dispatch *dispatch)
{
   for (const struct submit_job *submit = engine->submits; submit; submit = submit->next_submit) {
      if (submit->token == dispatch->token)
         return true;
   }
   return false;
}

static bool
can_be_caught(const struct hdb_engine *engine, const struct dispatch *dispatch)
{
   return dispatch->state == DISPATCH_SUBMITTED && !dispatch->attached && !engine_dispatch_is_empty(dispatch) &&
          dispatch->device->machine && !is_undecided(engine, dispatch) && engine_holds_names(engine, dispatch);
}

/* One in front of it has the same launch words, and may have begun unseen: the waves of both could not be told apart.
 */
static bool
is_behind_another(const struct hdb_engine *engine, const struct dispatch *dispatch)
{
   for (const struct dispatch *other = engine->dispatches; other < dispatch; other++) {
      if (other->device == dispatch->device && other->rsrc2_dword == dispatch->rsrc2_dword &&
          other->state == DISPATCH_SUBMITTED && other->entries < other->waves)
         return true;
   }
   return false;
}

/* In time only if no wave of it has begun: of those that have stopped this is known. */
static bool
catch_submitted(struct hdb_engine *engine, struct dispatch *dispatch)
{
   if (dispatch->entries || is_behind_another(engine, dispatch) || !dispatch_stop_at_entry(dispatch))
      return false;
   attach(engine, dispatch, false);
   dispatch->late = true;
   return true;
}

void
engine_catch_submitted(struct hdb_engine *engine, struct breakpoint *breakpoint)
{
   const struct dispatch *missed = NULL;
   for (size_t i = 0; i < engine->dispatch_count; i++) {
      struct dispatch *dispatch = &engine->dispatches[i];
      if (!can_be_caught(engine, dispatch) || !breakpoint_names_dispatch(breakpoint, dispatch))
         continue;
      if (!catch_submitted(engine, dispatch) && !missed)
         missed = dispatch;
      breakpoint->matched = true;
   }
   if (missed)
      device_warn(missed->device,
                  missed->entries ? "dispatch %u (%s) has begun already: it does not stop at its entry"
                                  : "dispatch %u (%s) was submitted before it could be stopped",
                  missed->number, missed->name);
}

/* True when everything about the submission is decided. */
static bool
decide(struct hdb_engine *engine, struct submit_job *submit)
{
   for (; submit->next < submit->count; submit->next++) {
      if (submit->dispatches[submit->next] == SIZE_MAX || !engine_is_watched(engine))
         continue;
      struct dispatch *dispatch = &engine->dispatches[submit->dispatches[submit->next]];
      bool paused = engine->pause_next && !engine_dispatch_is_empty(dispatch), asked_for;
      enum choice choice = choose(engine, dispatch, submit->offers[submit->next].answer, paused, &asked_for);
      if (engine_holds_names(engine, dispatch))
         engine_note_named(engine, dispatch);
      if (!submit->device->machine) {
         if (choice != PASSES)
            refuse_device(engine, submit->device);
      } else if (choice == STOPS) {
         attach(engine, dispatch, asked_for);
         engine->pause_next &= !paused;
      } else if (choice == ASKED && !submit->unasked) {
         send_offer(engine, dispatch);
         return false;
      }
   }
   return true;
}

static void
capture_if_wanted(struct hdb_engine *engine, struct dispatch *dispatch, const struct hdb_offer *offer)
{
   bool alone = offer->answer == HDB_DISPATCH_CAPTURE;
   if (!alone && !engine_captures_in_frame(engine, dispatch) && !engine_capture_selects(engine, dispatch))
      return;
   if (alone)
      engine_begin_lone_capture(engine);
   engine_capture_dispatch(engine, dispatch);
   if (dispatch->capture == CAPTURE_WANTED)
      engine_note_chosen(engine, HDB_TRIGGER_CAPTURE, dispatch);
}

static void
finish_submit(struct hdb_engine *engine, struct submit_job *submit)
{
   bool any = false;
   for (size_t i = 0; i < submit->count; i++) {
      if (submit->dispatches[i] == SIZE_MAX)
         continue;
      struct dispatch *dispatch = &engine->dispatches[submit->dispatches[i]];
      capture_if_wanted(engine, dispatch, &submit->offers[i]);
      dispatch_arm(engine, dispatch, &submit->offers[i]);
      any = true;
   }
   for (size_t i = 0; i < submit->count; i++) {
      if (submit->dispatches[i] != SIZE_MAX)
         dispatch_share_words(&engine->dispatches[submit->dispatches[i]]);
   }
   engine_capture_recheck(engine);
   engine_end_lone_capture(engine);
   if (!any)
      submit->token = 0;
   free(submit->dispatches);
   engine_finish_job(engine, &submit->job);
}

void
engine_continue_submits(struct hdb_engine *engine)
{
   while (engine->submits && !engine->offer_seq) {
      struct submit_job *submit = engine->submits;
      if (!decide(engine, submit))
         return;
      engine->submits = submit->next_submit;
      if (!engine->submits)
         engine->submits_end = &engine->submits;
      finish_submit(engine, submit);
   }
}

void
engine_answer_offer(struct hdb_engine *engine, const char *answer, const char *which)
{
   struct submit_job *submit = engine->submits;
   engine->offer_seq = 0;
   if (!submit)
      return;
   struct dispatch *dispatch = &engine->dispatches[submit->dispatches[submit->next]];
   bool all = strcmp(answer, "all") == 0, none = strcmp(answer, "none") == 0, some = strcmp(answer, "which") == 0;
   char *error = NULL;
   if (some && (!which || selector_check(which, &error))) {
      engine_say(engine, "%s", error ? error : "which: a dispatch's number or name, label:GLOB or an expression");
      free(error);
      send_offer(engine, dispatch); /* asked once more */
      return;
   }
   if (strcmp(answer, "yes") == 0)
      attach(engine, dispatch, true);
   if (all || none || some) /* and this one is decided upon with those that follow */
      engine_ask_no_more(engine, dispatch, all ? "*" : some ? which : "");
   else
      submit->next++;
   engine_continue_submits(engine);
}

/* ---- from the layer ---- */

static void
begin_submit(struct hdb_engine *engine, struct job *job)
{
   struct submit_job *submit = (struct submit_job *)job;
   engine_trim_history(engine);
   engine_begin_frames(engine, submit->offers[0].frame);
   submit->token = ++engine->last_token;
   submit->dispatches = calloc(submit->count, sizeof(*submit->dispatches));
   if (!submit->dispatches) {
      submit->token = 0;
      engine_finish_job(engine, job);
      return;
   }
   for (size_t i = 0; i < submit->count; i++) {
      bool counted = (engine->internal || !(submit->offers[i].record.flags & HDB_DISPATCH_INTERNAL)) &&
                     engine_add_dispatch(engine, submit, &submit->offers[i]);
      submit->dispatches[i] = counted ? engine->dispatch_count - 1 : SIZE_MAX;
      if (counted)
         engine_count_in_frames(engine, &engine->dispatches[submit->dispatches[i]]);
   }
   if (submit->unasked) {
      decide(engine, submit);
      finish_submit(engine, submit);
      return;
   }
   *engine->submits_end = submit;
   engine->submits_end = &submit->next_submit;
   engine_continue_submits(engine);
}

uint64_t
hdb_device_submit(struct hdb_device *device, struct hdb_offer *offers, size_t count)
{
   struct submit_job job = {.job.run = begin_submit,
                            .device = device,
                            .offers = offers,
                            .count = count,
                            .unasked = engine_is_current(device->engine)};
   if (!count || !hdb_device_wants_submissions(device) || !engine_run_job(device->engine, &job.job))
      return 0;
   return job.token;
}

struct completed_job {
   struct job job;
   struct hdb_device *device;
   uint64_t token;
   enum hdb_outcome outcome;
};

static void
finish_dispatch(struct hdb_engine *engine, struct dispatch *dispatch, enum hdb_outcome outcome)
{
   static const char *const ends[] = {
      [HDB_OUTCOME_FINISHED] = "finished",
      [HDB_OUTCOME_LOST] = "was lost with the device",
      [HDB_OUTCOME_NOT_SUBMITTED] = "was not submitted: the driver refused",
   };
   dispatch->state = outcome == HDB_OUTCOME_FINISHED ? DISPATCH_FINISHED : DISPATCH_LOST;
   engine_correct_origins(engine, dispatch);
   bool unseen = outcome == HDB_OUTCOME_FINISHED && engine_dispatch_went_unseen(engine, dispatch);
   bool begun = unseen && dispatch->late && !engine_dispatch_may_be_empty(dispatch);
   dispatch_disarm(dispatch);
   if (dispatch->attached)
      device_say(dispatch->device, "dispatch %u (%s) %s%s", dispatch->number, dispatch->name, ends[outcome],
                 begun    ? "; it had begun when it was to be caught"
                 : unseen ? "; no wave of it was seen"
                          : "");
}

static void
complete(struct hdb_engine *engine, struct job *job)
{
   struct completed_job *completed = (struct completed_job *)job;
   if (completed->outcome == HDB_OUTCOME_LOST)
      device_end_prints(completed->device);
   else
      device_read_prints(completed->device, false);
   engine_capture_finished(engine, completed->device, completed->token, completed->outcome);
   bool told = completed->outcome != HDB_OUTCOME_LOST;
   for (size_t i = engine_find_token(engine, completed->token);
        i < engine->dispatch_count && engine->dispatches[i].token == completed->token; i++) {
      if (engine->dispatches[i].device != completed->device || engine->dispatches[i].state != DISPATCH_SUBMITTED)
         continue;
      if (!told)
         engine_tell_lost(engine, completed->device, &engine->dispatches[i]);
      told = true;
      finish_dispatch(engine, &engine->dispatches[i], completed->outcome);
   }
   if (completed->device->machine)
      hdb_machine_forget_ended(completed->device->machine);
   engine_end_watches(engine);
   engine_check_stop_frame(engine);
   engine_finish_job(engine, job);
}

void
hdb_device_completed(struct hdb_device *device, uint64_t token, enum hdb_outcome outcome)
{
   struct completed_job job = {.job.run = complete, .device = device, .token = token, .outcome = outcome};
   if (token)
      engine_run_job(device->engine, &job.job);
}
