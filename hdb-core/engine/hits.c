/* SPDX-License-Identifier: MIT */
/*
 * What waves have hit: each wave that comes to a breakpoint is judged once, by the breakpoint's terms. One that does
 * not meet them is never shown, nor does any other wave stop for it: it runs on with the next look at the card.
 */
#include "engine/engine.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "dap/inspection.h"
#include "dap/session.h"
#include "engine/watch.h"

/* ---- what does not fit in struct hdb_wave ---- */

/* Takes `trouble` over. */
static void
note_further(struct hdb_engine *engine, const struct hdb_wave *wave, const struct breakpoint *breakpoint, char *trouble)
{
   struct further_hit *further = array_append(engine->further_hits, engine->further_hit_count);
   if (further)
      *further = (struct further_hit){.wave = wave->id, .breakpoint = breakpoint->id, .trouble = trouble};
   else
      free(trouble);
}

/* Those of a wave when it stopped the last time, and of waves that have not stopped. */
static void
forget_further(struct hdb_engine *engine, const struct hdb_wave *wave)
{
   size_t kept = 0;
   for (size_t i = 0; i < engine->further_hit_count; i++) {
      struct further_hit *further = &engine->further_hits[i];
      struct card *card;
      const struct hdb_wave *owner = engine_find_wave(engine, further->wave, &card);
      if (owner && owner != wave && owner->run == HDB_WAVE_STOPPED)
         engine->further_hits[kept++] = *further;
      else
         free(further->trouble);
   }
   engine->further_hit_count = kept;
}

void
engine_forget_further_hits(struct hdb_engine *engine)
{
   for (size_t i = 0; i < engine->further_hit_count; i++)
      free(engine->further_hits[i].trouble);
   free(engine->further_hits);
   engine->further_hits = NULL;
   engine->further_hit_count = 0;
}

const struct further_hit *
engine_next_further_hit(const struct hdb_engine *engine, const struct hdb_wave *wave, const struct further_hit *last)
{
   const struct further_hit *end = engine->further_hits + engine->further_hit_count;
   for (const struct further_hit *next = last ? last + 1 : engine->further_hits; next < end; next++) {
      if (next->wave == wave->id)
         return next;
   }
   return NULL;
}

/* ---- judgement ---- */

/* Those of the lanes for which the breakpoint's condition holds; all of them, where that can't be said: *trouble (to be
 * freed) says why. */
static uint64_t
judge_lanes(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave, struct breakpoint *breakpoint,
            uint64_t lanes, char **trouble)
{
   *trouble = NULL;
   if (!breakpoint->terms.condition)
      return lanes;
   struct hdb_context context = engine_context(engine, card, wave, 0, __builtin_ctzll(lanes));
   struct hdb_expr_request request = {
      .context = &context,
      .store = inspection_store(engine->inspection),
      .text = breakpoint->terms.condition,
      .flags = HDB_EXPR_PURE,
   };
   uint64_t found;
   if (!hdb_expr_where(&request, &found, trouble))
      return found & lanes;
   if (!*trouble)
      *trouble = strdup("out of memory");
   return lanes;
}

/* `lanes`: those that have come there, or done what is watched for. */
static void
hit(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave, struct breakpoint *breakpoint, uint64_t lanes)
{
   char *trouble;
   lanes = judge_lanes(engine, card, wave, breakpoint, lanes, &trouble);
   if (!lanes)
      return;
   breakpoint->hits++;
   if (!trouble && !breakpoint_counts_hit(breakpoint))
      return;
   if (breakpoint->terms.log && !trouble) {
      log_write(engine, card, wave, lanes, breakpoint->terms.log);
      return;
   }
   if (wave->hit || trouble)
      note_further(engine, wave, breakpoint, trouble);
   if (!wave->hit) {
      wave->hit = breakpoint->id;
      wave->hit_lanes = lanes;
      wave->hit_order = ++engine->last_hit_order;
   }
}

/* With memory as the wave has left it, though others may have written it since. */
static void
hit_watch(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave, struct breakpoint *breakpoint)
{
   const struct watch *watch = breakpoint->watch;
   uint64_t lanes = watch_judge(engine, card, wave, breakpoint->watch);
   if (!lanes)
      return;
   if (!watch->in_register)
      watch_pretend(watch, watch_left_by(watch, wave));
   hit(engine, card, wave, breakpoint, lanes);
   hdb_wave_pretend_nothing(card->machine);
}

static void
judge(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave)
{
   /* A watch or a step may end in front of a trap, which is then passed. */
   bool comes_by = wave->cause == HDB_STOP_BREAKPOINT || wave->cause == HDB_STOP_STEP || wave->cause == HDB_STOP_WATCH;
   wave->judged = true;
   if (engine->further_hit_count)
      forget_further(engine, wave);
   if (!wave->shader || !engine_passes_filter(engine, wave))
      return;
   comes_by &= active_lanes(wave) != 0;
   for (size_t i = 0; i < engine->breakpoint_count; i++) {
      struct breakpoint *breakpoint = engine->breakpoints[i];
      if (breakpoint->watch)
         hit_watch(engine, card, wave, breakpoint);
      else if (comes_by && engine_stands_at(breakpoint, wave))
         hit(engine, card, wave, breakpoint, active_lanes(wave));
   }
}

/* Waves that a watch has stopped are judged as they have come there. */
struct turn {
   uint64_t order;
   struct hdb_wave *wave;
};

static int
compare_turns(const void *a, const void *b)
{
   const struct turn *x = a, *y = b;
   return x->order != y->order ? x->order < y->order ? -1 : 1 : x->wave->id < y->wave->id ? -1 : 1;
}

static void
judge_watched(struct hdb_engine *engine, struct card *card, struct hdb_wave *const *waves, size_t count)
{
   struct turn *turns = NULL;
   size_t turn_count = 0;
   for (size_t i = 0; i < count; i++) {
      if (waves[i]->run != HDB_WAVE_STOPPED || waves[i]->judged || waves[i]->cause != HDB_STOP_WATCH)
         continue;
      struct turn *turn = array_append(turns, turn_count);
      if (turn)
         *turn = (struct turn){watch_order(card, waves[i]), waves[i]};
   }
   if (turn_count)
      qsort(turns, turn_count, sizeof(*turns), compare_turns);
   for (size_t i = 0; i < turn_count; i++)
      judge(engine, card, turns[i].wave);
   free(turns);
}

void
engine_judge_hits(struct hdb_engine *engine, struct card *card)
{
   struct hdb_wave *const *waves;
   size_t count = hdb_machine_waves(card->machine, &waves);
   if (!engine_is_watched(engine))
      return;
   if (engine_watches_card(engine, card))
      judge_watched(engine, card, waves, count);
   for (size_t i = 0; i < count; i++) {
      if (waves[i]->run == HDB_WAVE_STOPPED && !waves[i]->judged)
         judge(engine, card, waves[i]);
   }
}

struct breakpoint *
engine_hit_of(struct hdb_engine *engine, const struct hdb_wave *wave)
{
   struct breakpoint *breakpoint = wave->hit ? engine_breakpoint(engine, wave->hit) : NULL;
   const struct further_hit *further = wave->hit ? engine_next_further_hit(engine, wave, NULL) : NULL;
   for (; !breakpoint && further; further = engine_next_further_hit(engine, wave, further))
      breakpoint = engine_breakpoint(engine, further->breakpoint);
   return breakpoint;
}

void
engine_tell_hits(struct hdb_engine *engine)
{
   for (size_t i = 0; i < engine->breakpoint_count; i++) {
      const struct breakpoint *breakpoint = engine->breakpoints[i];
      if (breakpoint->hits && breakpoint->kind != BREAKPOINT_OWN)
         session_send_event(
            engine->session, "breakpoint",
            json_pack("{s:s, s:o}", "reason", "changed", "breakpoint", engine_describe_breakpoint(breakpoint)));
   }
}
