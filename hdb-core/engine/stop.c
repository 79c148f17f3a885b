/* SPDX-License-Identifier: MIT */
/*
 * Stops: which of them are shown, all-stop, and the way on. One is shown at a time, for all waves that stand at its
 * breakpoint; the others that came with it are pending, and shown before their waves run on.
 */
#include "engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dap/session.h"

/* How long the loop leaves clients and applications alone while a wave is stepped. The machine needs to be in its wait
 * then: it looks after the end of the wave and its barriers. */
#define STEP_WAIT_MS 2

/* ---- waves ---- */

struct hdb_wave *
engine_find_wave(struct hdb_engine *engine, json_int_t thread_id, struct card **card)
{
   for (*card = engine->cards; *card; *card = (*card)->next) {
      struct hdb_wave *wave = NULL;
      if (thread_id > 0 && thread_id <= UINT32_MAX)
         wave = hdb_machine_find_wave((*card)->machine, thread_id);
      if (wave)
         return wave;
   }
   return NULL;
}

uint32_t
engine_count_stopped(struct card *card)
{
   struct hdb_wave *const *waves;
   size_t count = hdb_machine_waves(card->machine, &waves);
   uint32_t stopped = 0;
   for (size_t i = 0; i < count; i++)
      stopped += waves[i]->run == HDB_WAVE_STOPPED;
   return stopped;
}

static struct hdb_wave *
first_stopped(struct card *card)
{
   struct hdb_wave *const *waves;
   size_t count = hdb_machine_waves(card->machine, &waves);
   for (size_t i = 0; i < count; i++) {
      if (waves[i]->run == HDB_WAVE_STOPPED)
         return waves[i];
   }
   return NULL;
}

/* ---- what waves have stopped for ---- */

struct candidate {
   struct hdb_wave *wave;
   const char *reason;
   struct breakpoint *breakpoint;
   struct dispatch *entered;
   int rank; /* 0: not of interest */
};

static bool
is_about_watch(const struct candidate *candidate)
{
   return candidate->breakpoint && candidate->breakpoint->watch;
}

bool
engine_passes_filter(const struct hdb_engine *engine, const struct hdb_wave *wave)
{
   return !engine->filtered || memcmp(wave->workgroup, engine->filter, sizeof(engine->filter)) == 0;
}

/* Not one that was shown, nor one whose catch has been deleted since. */
bool
engine_stops_at_entry(const struct hdb_engine *engine, const struct dispatch *dispatch)
{
   return dispatch->state == DISPATCH_SUBMITTED && dispatch->attached && !dispatch->entry_shown &&
          (dispatch->asked_for || engine_names_dispatch(engine, dispatch));
}

static struct candidate
consider(struct hdb_engine *engine, struct hdb_wave *wave)
{
   struct candidate candidate = {.wave = wave, .reason = "pause"};
   switch (wave->cause) {
   case HDB_STOP_FAULT:
      candidate.reason = "exception";
      candidate.rank = 4;
      break;
   case HDB_STOP_BREAKPOINT:
      if (!active_lanes(wave) || !engine_passes_filter(engine, wave))
         break;
      candidate.breakpoint = engine_hit_of(engine, wave);
      if (candidate.breakpoint) {
         candidate.reason = "breakpoint";
         candidate.rank = 3;
      }
      break;
   case HDB_STOP_WATCH:
      candidate.breakpoint = engine_passes_filter(engine, wave) ? engine_hit_of(engine, wave) : NULL;
      if (candidate.breakpoint) {
         candidate.reason = candidate.breakpoint->watch ? "data breakpoint" : "breakpoint";
         candidate.rank = 3;
      }
      break;
   case HDB_STOP_TRAP:
      candidate.reason = "exception";
      candidate.rank = 2;
      break;
   case HDB_STOP_ENTRY:
      candidate.entered = engine_dispatch_of(engine, wave);
      candidate.rank =
         candidate.entered && engine_stops_at_entry(engine, candidate.entered) && engine_passes_filter(engine, wave);
      candidate.reason = candidate.rank ? "entry" : "pause"; /* once the entry was shown, its waves just stand there */
      break;
   case HDB_STOP_STEP:
   case HDB_STOP_HALT:
      break;
   }
   return candidate;
}

/* What waves have done to what is watched is shown in the order in which it was seen. */
static bool
has_written_before(const struct candidate *a, const struct candidate *b)
{
   return is_about_watch(a) && is_about_watch(b) && a->wave->hit_order < b->wave->hit_order;
}

/* The most important one of the stops with notices up to `last`. Rank 0: none is of interest. */
static struct candidate
find_candidate(struct hdb_engine *engine, struct card *card, enum hdb_stop_notice last)
{
   struct candidate best = {0};
   struct hdb_wave *const *waves;
   size_t count = hdb_machine_waves(card->machine, &waves);
   for (size_t i = 0; i < count; i++) {
      if (waves[i]->run != HDB_WAVE_STOPPED || waves[i]->notice > last)
         continue;
      struct candidate candidate = consider(engine, waves[i]);
      if (candidate.rank > best.rank || (candidate.rank == best.rank && has_written_before(&candidate, &best)))
         best = candidate;
   }
   return best;
}

/* ---- showing a stop ---- */

/* The lane stays as long as the wave does, on or off. Only where the wave is stopped by something else than its own
 * steps, and that is not the lane's, one of those that it is about is shown; the chosen one is shown again when it is
 * on, or its condition true. */
static void
focus_on(struct hdb_engine *engine, struct card *card, const struct hdb_wave *wave, bool stepped)
{
   uint64_t lanes = wave->hit ? wave->hit_lanes : active_lanes(wave);
   uint32_t first = lanes ? __builtin_ctzll(lanes) : 0;
   if (engine->focus_wave != wave->id || engine->stopped_last != card)
      engine->chosen_lane = engine->focus_lane = first;
   else if (!stepped)
      engine->focus_lane = lanes >> engine->chosen_lane & 1 || !lanes ? engine->chosen_lane : first;
   engine->stopped = engine->stopped_last = card;
   engine->focus_wave = wave->id;
}

static bool
has_hit_more(const struct hdb_engine *engine, const struct hdb_wave *wave, const struct breakpoint *breakpoint)
{
   const struct further_hit *further = NULL;
   while ((further = engine_next_further_hit(engine, wave, further))) {
      if (!breakpoint || further->breakpoint != breakpoint->id)
         return true;
   }
   return false;
}

/* One stop stands for all waves that are at its breakpoint, or that have its exception at the same instruction. */
static bool
is_part_of(const struct hdb_engine *engine, const struct candidate *other, const struct hdb_wave *shown,
           const struct breakpoint *breakpoint)
{
   const struct hdb_wave *wave = other->wave;
   if (wave == shown)
      return true;
   if (is_about_watch(other) || has_hit_more(engine, wave, breakpoint)) /* each has done something of its own */
      return false;
   if (other->entered) /* another dispatch: the entry of this one has been shown */
      return false;
   if (other->breakpoint || breakpoint)
      return other->breakpoint == breakpoint;
   return wave->cause == shown->cause && wave->pc == shown->pc && wave->trap_id == shown->trap_id &&
          wave->trapsts == shown->trapsts;
}

static void
note_shown(struct hdb_engine *engine, struct card *card, const struct hdb_wave *shown,
           const struct breakpoint *breakpoint)
{
   struct hdb_wave *const *waves;
   size_t count = hdb_machine_waves(card->machine, &waves);
   for (size_t i = 0; i < count; i++) {
      if (waves[i]->run != HDB_WAVE_STOPPED || waves[i]->notice == HDB_STOP_SEEN)
         continue;
      struct candidate other = consider(engine, waves[i]);
      bool pending = other.rank && !is_part_of(engine, &other, shown, breakpoint);
      waves[i]->notice = pending ? HDB_STOP_PENDING : HDB_STOP_SEEN;
   }
}

void
engine_note_late(struct hdb_engine *engine)
{
   struct card *card = engine->stopped;
   const struct hdb_wave *shown = hdb_machine_find_wave(card->machine, engine->shown_wave);
   if (shown && shown->run == HDB_WAVE_STOPPED)
      note_shown(engine, card, shown, engine_hit_of(engine, shown));
}

static void
warn_of_gaps(struct hdb_engine *engine, const struct hdb_wave *wave)
{
   struct engine_shader *shader = engine_find_shader(engine, wave->shader);
   struct hdb_symbols *symbols = shader && !shader->warned ? shader_symbols(shader) : NULL;
   if (!symbols || !hdb_symbols_has_composites_of_values(symbols))
      return;
   shader->warned = true;
   engine_say(engine,
              "the SPIR-V of %s has been optimized: vectors, matrices, arrays and structs may show what they had "
              "before a store to a part of them",
              shader->shader->entry_point ? shader->shader->entry_point : "the shader");
}

static void
tell_client(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave, const char *reason,
            struct breakpoint *breakpoint)
{
   log_tell_dropped(engine);
   warn_of_gaps(engine, wave);
   json_t *body = json_pack("{s:s, s:I, s:b, s:o}", "reason", reason, "threadId", (json_int_t)wave->id,
                            "allThreadsStopped", engine->all_halted, "hdb", engine_describe_stop(engine, card, wave));
   if (breakpoint)
      engine_describe_hit(engine, body, wave, breakpoint);
   if (wave->cause == HDB_STOP_FAULT || wave->cause == HDB_STOP_TRAP) {
      char *text = engine_describe_exception(card, wave);
      json_object_set_new(body, "description", json_string(text ? text : "exception"));
      json_object_set_new(body, "text", json_string(text ? text : "exception"));
      free(text);
   }
   session_send_event(engine->session, "stopped", body);
}

/* A step ends with its wave. To clients that have asked for it, another wave that is shown then just stands there. */
static bool
ends_step(const struct hdb_engine *engine, struct card *card, const char *reason)
{
   return engine->step.active && strcmp(reason, "pause") == 0 &&
          !hdb_machine_find_wave(card->machine, engine->step.wave_id);
}

void
engine_report_stop(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave, const char *reason,
                   struct breakpoint *breakpoint)
{
   const char *reason_for_callbacks = ends_step(engine, card, reason) ? "step" : reason;
   engine_read_prints(engine, true);
   engine_abandon_step(engine);
   engine->pause_next = false;
   focus_on(engine, card, wave, strcmp(reason, "step") == 0);
   engine->shown_wave = wave->id;
   note_shown(engine, card, wave, breakpoint);
   if (!engine_ask_callbacks(engine, card, wave, reason_for_callbacks))
      tell_client(engine, card, wave, reason, breakpoint);
}

static struct hdb_wave *
find_held(const struct hdb_engine *engine)
{
   struct card *card = engine->stopped;
   struct hdb_wave *wave = card ? hdb_machine_find_wave(card->machine, engine->focus_wave) : NULL;
   return wave && wave->run == HDB_WAVE_STOPPED && !engine->step.active ? wave : NULL;
}

bool
engine_holds_stop(const struct hdb_engine *engine)
{
   return find_held(engine);
}

void
engine_show_held_stop(struct hdb_engine *engine)
{
   struct hdb_wave *wave = find_held(engine);
   if (wave)
      tell_client(engine, engine->stopped, wave, cause_name(wave->cause), NULL);
}

/* A dispatch stops at its entry once; when no other one is to do so, its further waves need not either. */
static void
check_entry_stops(const struct hdb_engine *engine, struct card *card)
{
   for (size_t i = 0; i < engine->dispatch_count; i++) {
      const struct dispatch *dispatch = &engine->dispatches[i];
      if (dispatch->state == DISPATCH_SUBMITTED && dispatch->device->card == card &&
          (engine_stops_at_entry(engine, dispatch) || engine_captures_at_entry(dispatch)) &&
          !engine_dispatch_is_empty(dispatch))
         return;
   }
   hdb_machine_set_entry_stops(card->machine, false);
}

static void
report(struct hdb_engine *engine, struct card *card, const struct candidate *stop)
{
   if (stop->entered && stop->rank) {
      stop->entered->entry_shown = true;
      check_entry_stops(engine, card);
   }
   engine_report_stop(engine, card, stop->wave, stop->reason, stop->breakpoint);
}

bool
engine_report_unseen(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave)
{
   struct candidate stop = consider(engine, wave);
   if (wave->notice == HDB_STOP_SEEN || !stop.rank)
      return false;
   report(engine, card, &stop);
   return true;
}

bool
engine_report_waiting(struct hdb_engine *engine, struct card *card)
{
   struct candidate best = find_candidate(engine, card, HDB_STOP_PENDING);
   struct hdb_wave *first = first_stopped(card);
   if (!best.rank)
      best = find_candidate(engine, card, HDB_STOP_SEEN);
   if (!best.rank && first)
      best = consider(engine, first);
   if (!best.wave)
      return false;
   report(engine, card, &best);
   return true;
}

/* After each wait. */
static void
note_waves(struct hdb_engine *engine, struct card *card)
{
   engine_note_origins(engine, card);
   engine_capture_entries(engine, card);
   engine_judge_hits(engine, card);
}

/* All-stop within the card's attached dispatches. An entry is shown after it: the waves that had yet to begin then
 * stand at theirs, too. */
static bool
halt_and_report(struct hdb_engine *engine, struct card *card, enum hdb_stop_notice last)
{
   struct candidate best = find_candidate(engine, card, last);
   if (!best.rank)
      return false;
   uint32_t id = best.wave->id;
   engine->all_halted = hdb_machine_stop_all(card->machine) >= 0;
   note_waves(engine, card);
   if (is_about_watch(&best)) { /* another one may have been first */
      struct candidate first = find_candidate(engine, card, last);
      best = first.rank ? first : best;
      id = best.wave->id;
   }
   best.wave = hdb_machine_find_wave(card->machine, id);
   if (best.wave)
      report(engine, card, &best);
   return true;
}

bool
engine_report_new(struct hdb_engine *engine, struct card *card)
{
   return halt_and_report(engine, card, HDB_STOP_NEW);
}

void
engine_check_card(struct hdb_engine *engine, struct card *card)
{
   bool stepping = engine->step.active && engine->stopped == card;
   int result = hdb_machine_wait(card->machine, stepping ? STEP_WAIT_MS : 0);
   if (result < 0 && !card->lost)
      card_lose(engine, card, result);
   if (card->lost) { /* waves that were on their way to a stop */
      hdb_machine_resume_all(card->machine);
      return;
   }
   note_waves(engine, card);
   if (stepping)
      engine_check_step(engine);
   else if (engine->stopped == card)
      engine_note_late(engine);
   else if (!engine->stopped && !(engine_is_watched(engine) && halt_and_report(engine, card, HDB_STOP_PENDING)) &&
            engine_count_stopped(card)) {
      check_entry_stops(engine, card);
      engine_refresh_watches(engine, card);
      hdb_machine_resume_all(card->machine);
   }
}

/* ---- the way on ---- */

void
engine_forget_stop(struct hdb_engine *engine)
{
   engine->stopped = NULL;
}

int
engine_continue(struct hdb_engine *engine)
{
   struct card *card = engine->stopped;
   if (!card)
      return -EINVAL;
   engine_refresh_watches(engine, card);
   engine_abandon_step(engine);
   engine_forget_stop(engine);
   engine->look_again = true; /* at what is pending here, and at other devices, which have waited for their turn */
   bool more = card_is_armed(engine, card) && find_candidate(engine, card, HDB_STOP_PENDING).rank;
   struct hdb_wave *stepped = more ? NULL : engine_find_stepped(engine, card);
   if (!stepped)
      return more ? 0 : hdb_machine_resume_all(card->machine);
   engine_step_on(engine, card, stepped);
   return 0;
}

int
engine_pause(struct hdb_engine *engine, char **error)
{
   if (!engine_can_stop(engine)) {
      *error = strdup("nothing can be stopped: hdb has no link to the driver of any device of the program");
      return -ENODEV;
   }
   for (struct card *card = engine->cards; card; card = card->next) {
      if (!card_is_armed(engine, card) || (engine->stopped && engine->stopped != card))
         continue;
      engine->all_halted = hdb_machine_stop_all(card->machine) >= 0;
      note_waves(engine, card);
      struct hdb_wave *wave = hdb_machine_find_wave(card->machine, engine->focus_wave);
      if (!wave || wave->run != HDB_WAVE_STOPPED)
         wave = first_stopped(card);
      if (wave) {
         if (!engine_report_unseen(engine, card, wave))
            engine_report_stop(engine, card, wave, "pause", NULL);
         return 0;
      }
      hdb_machine_resume_all(card->machine);
   }
   if (engine->stopped) {
      *error = strdup("no wave of an attached dispatch is running");
      return -ESRCH;
   }
   engine->pause_next = true;
   engine_say(engine, "no wave of an attached dispatch is running; the next dispatch will stop at its entry");
   return 0;
}
