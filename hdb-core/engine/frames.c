/* SPDX-License-Identifier: MIT */
/*
 * Frames that something is to be done in. Whoever counts frames numbers the submissions by them and tells their ends;
 * here it is known which one is wanted, whether it has begun, and what came of it.
 */
#include "engine/engine.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dap/session.h"

/* ---- what is wanted ---- */

static void
update_wanted(struct hdb_engine *engine)
{
   bool capture = engine->triggers[HDB_TRIGGER_CAPTURE].wanted;
   atomic_store(&engine->frames_wanted, capture || engine->triggers[HDB_TRIGGER_STOP].wanted);
   engine_want(engine, WANTED_BY_FRAME, capture);
}

void
engine_drop_trigger(struct hdb_engine *engine, enum hdb_trigger kind)
{
   struct frame_trigger *trigger = &engine->triggers[kind];
   free(trigger->file);
   free(trigger->which);
   *trigger = (struct frame_trigger){0};
   if (kind == HDB_TRIGGER_STOP)
      engine->stop_frame_runs = false;
   update_wanted(engine);
}

__attribute__((format(printf, 2, 3))) static int
fail(char **error, const char *format, ...)
{
   va_list args;
   va_start(args, format);
   if (vasprintf(error, format, args) < 0)
      *error = NULL;
   va_end(args);
   return -EINVAL;
}

/* Somebody who is told of stops. */
static bool
has_debugger(const struct hdb_engine *engine)
{
   bool debugs = engine->session && session_is_initialized(engine->session);
   return debugs || atomic_load(&engine->wanted) & WANTED_BY_CALLBACKS;
}

int
engine_trigger(struct hdb_engine *engine, enum hdb_trigger kind, int64_t frame, const char *file, const char *which,
               char **error)
{
   struct frame_trigger *trigger = &engine->triggers[kind];
   bool stops = kind == HDB_TRIGGER_STOP;
   *error = NULL;
   if (!engine->options.next_frame)
      return fail(error, "nobody counts frames here");
   if (stops && !has_debugger(engine))
      return fail(error, "no debugger is there to stop for; `hdb trigger %d` is one", (int)engine->pid);
   if (!stops && !engine_can_stop(engine))
      return fail(error, "nothing can be captured: hdb has no link to the driver of any device of the program");
   if (trigger->begun)
      return fail(error, "frame %u is %s just now", trigger->frame, stops ? "stopped in" : "captured");
   if (!stops && trigger->wanted && trigger->file && (!file || strcmp(file, trigger->file) != 0))
      return fail(error, "frame %u is to be captured already, to %s", trigger->frame, trigger->file);
   engine_drop_trigger(engine, kind);
   trigger->wanted = true;
   update_wanted(engine); /* from here on the layer shows what it submits: the next frame is shown from its beginning */
   uint32_t next = engine->options.next_frame();
   int result = frame >= 0 && (frame < next || frame > UINT32_MAX)
                   ? fail(error, "frame %lld is over, or running; the next one is %u", (long long)frame, next)
                   : 0;
   trigger->frame = frame < 0 ? next : (uint32_t)frame;
   trigger->file = file ? strdup(file) : NULL;
   trigger->which = which ? strdup(which) : NULL;
   if (!result && ((file && !trigger->file) || (which && !trigger->which)))
      result = -ENOMEM;
   if (result)
      engine_drop_trigger(engine, kind);
   return result;
}

struct trigger_job {
   struct job job;
   enum hdb_trigger kind;
   const char *file;
   int result;
};

static void
run_trigger(struct hdb_engine *engine, struct job *job)
{
   struct trigger_job *trigger = (struct trigger_job *)job;
   char *error;
   trigger->result = engine_trigger(engine, trigger->kind, -1, trigger->file, NULL, &error);
   if (trigger->result)
      engine_tell(engine, "%s", error ? error : strerror(-trigger->result));
   free(error);
   engine_finish_job(engine, job);
}

int
hdb_engine_trigger(struct hdb_engine *engine, enum hdb_trigger kind, const char *file)
{
   struct trigger_job job = {.job.run = run_trigger, .kind = kind, .file = file};
   if ((unsigned)kind >= TRIGGER_KINDS)
      return -EINVAL;
   return engine_run_job(engine, &job.job) ? job.result : -ECHILD;
}

bool
hdb_engine_wants_frames(const struct hdb_engine *engine)
{
   return atomic_load_explicit(&engine->frames_wanted, memory_order_relaxed);
}

/* ---- from its first submission to its end ---- */

static void
send_event(struct hdb_engine *engine, enum hdb_trigger kind, const char *state)
{
   const struct frame_trigger *trigger = &engine->triggers[kind];
   if (engine->session)
      session_send_event(engine->session, "hdb/frame",
                         json_pack("{s:s, s:s, s:I, s:I, s:I}", "kind", kind == HDB_TRIGGER_STOP ? "stop" : "capture",
                                   "state", state, "frame", (json_int_t)trigger->frame, "dispatches",
                                   (json_int_t)trigger->dispatches, "chosen", (json_int_t)trigger->chosen));
}

static void
begin(struct hdb_engine *engine, enum hdb_trigger kind, uint32_t frame)
{
   struct frame_trigger *trigger = &engine->triggers[kind];
   char *error = NULL;
   trigger->begun = true;
   trigger->frame = frame;
   send_event(engine, kind, "begun");
   if (kind == HDB_TRIGGER_STOP) {
      engine_say(engine, "frame %u begins", frame);
   } else if (engine_begin_capture(engine, trigger->file, frame, &error)) {
      engine_tell(engine, "frame %u is not captured: %s", frame, error ? error : "out of memory");
      send_event(engine, kind, "over");
      engine_drop_trigger(engine, kind);
   }
   free(error);
}

static const char *
plural(uint32_t count)
{
   return count == 1 ? "" : "es";
}

/* What was stopped at may run long after the frame's end, and stop again. */
void
engine_check_stop_frame(struct hdb_engine *engine)
{
   for (size_t i = 0; engine->stop_frame_runs && i < engine->dispatch_count; i++) {
      const struct dispatch *dispatch = &engine->dispatches[i];
      if (dispatch->frame == engine->stop_frame && dispatch->state == DISPATCH_SUBMITTED)
         return;
   }
   if (!engine->stop_frame_runs)
      return;
   engine->stop_frame_runs = false;
   engine_say(engine, "frame %u is over", engine->stop_frame);
   if (engine->session)
      session_send_event(
         engine->session, "hdb/frame",
         json_pack("{s:s, s:s, s:I}", "kind", "stop", "state", "finished", "frame", (json_int_t)engine->stop_frame));
}

static void
end(struct hdb_engine *engine, enum hdb_trigger kind, uint32_t frame)
{
   struct frame_trigger *trigger = &engine->triggers[kind];
   bool stops = kind == HDB_TRIGGER_STOP && trigger->chosen;
   const char *deed = kind == HDB_TRIGGER_STOP ? "stopped at" : "captured";
   trigger->frame = trigger->begun ? trigger->frame : frame;
   if (kind == HDB_TRIGGER_CAPTURE && trigger->begun)
      engine_end_capture(engine);
   if (!trigger->chosen) /* else what became of them is told */
      engine_tell(engine, "frame %u is over: %u dispatch%s, %u %s", trigger->frame, trigger->dispatches,
                  plural(trigger->dispatches), trigger->chosen, deed);
   send_event(engine, kind, "over");
   if (kind == HDB_TRIGGER_STOP)
      engine->stop_frame = trigger->frame;
   engine_drop_trigger(engine, kind);
   if (stops) {
      engine->stop_frame_runs = true;
      engine_check_stop_frame(engine);
   }
}

void
engine_begin_frames(struct hdb_engine *engine, uint32_t frame)
{
   for (enum hdb_trigger kind = 0; kind < TRIGGER_KINDS; kind++) {
      struct frame_trigger *trigger = &engine->triggers[kind];
      if (trigger->begun && frame > trigger->frame) /* its end was not told: another thread is about to */
         end(engine, kind, trigger->frame);
      if (trigger->wanted && !trigger->begun && frame >= trigger->frame)
         begin(engine, kind, frame);
   }
}

struct frame_job {
   struct job job;
   uint32_t frame;
};

static void
end_frames(struct hdb_engine *engine, struct job *job)
{
   uint32_t frame = ((struct frame_job *)job)->frame;
   for (enum hdb_trigger kind = 0; kind < TRIGGER_KINDS; kind++) {
      if (engine->triggers[kind].wanted && frame >= engine->triggers[kind].frame)
         end(engine, kind, frame);
   }
   engine_finish_job(engine, job);
}

void
hdb_engine_end_frame(struct hdb_engine *engine, uint32_t frame)
{
   struct frame_job job = {.job.run = end_frames, .frame = frame};
   engine_run_job(engine, &job.job);
}

/* ---- its dispatches ---- */

static bool
is_in(const struct frame_trigger *trigger, const struct dispatch *dispatch)
{
   return trigger->begun && dispatch->frame == trigger->frame;
}

void
engine_count_in_frames(struct hdb_engine *engine, const struct dispatch *dispatch)
{
   for (enum hdb_trigger kind = 0; kind < TRIGGER_KINDS; kind++)
      engine->triggers[kind].dispatches += is_in(&engine->triggers[kind], dispatch);
}

static bool
has_names(const struct hdb_engine *engine)
{
   for (size_t i = 0; i < engine->breakpoint_count; i++) {
      if (engine->breakpoints[i]->kind == BREAKPOINT_FUNCTION)
         return true;
   }
   return false;
}

bool
engine_holds_names(const struct hdb_engine *engine, const struct dispatch *dispatch)
{
   const struct frame_trigger *trigger = &engine->triggers[HDB_TRIGGER_STOP];
   return !engine->names_in_frames || is_in(trigger, dispatch);
}

/* With a choice made at a question, or by who wanted the frame, it is that. Without, whoever can be asked is; else the
 * first one stops. */
enum frame_choice
engine_choose_in_frame(const struct hdb_engine *engine, const struct dispatch *dispatch)
{
   const struct frame_trigger *trigger = &engine->triggers[HDB_TRIGGER_STOP];
   if (is_in(trigger, dispatch) && trigger->which)
      return selector_matches(trigger->which, dispatch) ? FRAME_STOPS : FRAME_CHOOSES_NOTHING;
   if (!is_in(trigger, dispatch) || (engine->names_in_frames && has_names(engine)))
      return FRAME_CHOOSES_NOTHING;
   if (engine->ask_in_frames)
      return FRAME_ASKS;
   return trigger->chosen || engine_dispatch_is_empty(dispatch) ? FRAME_CHOOSES_NOTHING : FRAME_STOPS;
}

/* An answer for all that follow: of the frame, if it is being stopped in, else for good. */
void
engine_ask_no_more(struct hdb_engine *engine, const struct dispatch *dispatch, const char *which)
{
   struct frame_trigger *trigger = &engine->triggers[HDB_TRIGGER_STOP];
   if (is_in(trigger, dispatch)) {
      free(trigger->which);
      trigger->which = strdup(which);
      return;
   }
   engine->ask = false;
   struct breakpoint *breakpoint = *which ? engine_add_breakpoint(engine, BREAKPOINT_FUNCTION, which, 0, 0) : NULL;
   if (breakpoint)
      breakpoint->permanent = true;
}

void
engine_note_chosen(struct hdb_engine *engine, enum hdb_trigger kind, const struct dispatch *dispatch)
{
   engine->triggers[kind].chosen += is_in(&engine->triggers[kind], dispatch);
}

bool
engine_captures_in_frame(const struct hdb_engine *engine, const struct dispatch *dispatch)
{
   const struct frame_trigger *trigger = &engine->triggers[HDB_TRIGGER_CAPTURE];
   return is_in(trigger, dispatch) && (!trigger->which || selector_matches(trigger->which, dispatch));
}

/* While the user looks at a dispatch of it, too, after its end. */
bool
engine_is_in_stop_frame(struct hdb_engine *engine, uint32_t *frame)
{
   const struct frame_trigger *trigger = &engine->triggers[HDB_TRIGGER_STOP];
   struct card *card;
   struct hdb_wave *wave = engine->stopped ? engine_find_wave(engine, engine->focus_wave, &card) : NULL;
   const struct dispatch *dispatch = wave ? engine_dispatch_of(engine, wave) : NULL;
   *frame = trigger->begun ? trigger->frame : engine->stop_frame;
   return trigger->begun || (dispatch && dispatch->frame == engine->stop_frame);
}
