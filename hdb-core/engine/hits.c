/* SPDX-License-Identifier: MIT */
/*
 * What waves have hit: each wave that comes to a breakpoint is judged once, by the breakpoint's terms. One that does
 * not meet them is never shown, nor does any other wave stop for it: it runs on with the next look at the card.
 */
#include "engine/engine.h"

#include <stdlib.h>
#include <string.h>

#include "dap/inspection.h"
#include "dap/session.h"
#include "engine/watch.h"

/* Those of the lanes for which the breakpoint's condition holds; all of them, where that can't be said. */
static uint64_t
judge_lanes(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave, struct breakpoint *breakpoint,
            uint64_t lanes)
{
   free(breakpoint->trouble);
   breakpoint->trouble = NULL;
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
   if (!hdb_expr_where(&request, &found, &breakpoint->trouble))
      return found & lanes;
   if (!breakpoint->trouble)
      breakpoint->trouble = strdup("out of memory");
   return lanes;
}

/* `lanes`: those that have come there, or done what is watched for; none: it is not hit. */
static void
hit(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave, struct breakpoint *breakpoint, uint64_t lanes)
{
   lanes = lanes ? judge_lanes(engine, card, wave, breakpoint, lanes) : 0;
   if (!lanes)
      return;
   breakpoint->hits++;
   if (!breakpoint->trouble && !breakpoint_counts_hit(breakpoint))
      return;
   if (breakpoint->terms.log && !breakpoint->trouble) {
      log_write(engine, card, wave, lanes, breakpoint->terms.log);
   } else if (!wave->hit) {
      wave->hit = breakpoint->id;
      wave->hit_lanes = lanes;
   }
}

static void
judge(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave)
{
   /* A watch or a step may end in front of a trap, which is then passed. */
   bool comes_by = wave->cause == HDB_STOP_BREAKPOINT || wave->cause == HDB_STOP_STEP || wave->cause == HDB_STOP_WATCH;
   wave->judged = true;
   if (!wave->shader || !active_lanes(wave) || !engine_passes_filter(engine, wave))
      return;
   for (size_t i = 0; i < engine->breakpoint_count; i++) {
      struct breakpoint *breakpoint = engine->breakpoints[i];
      if (breakpoint->watch && wave->cause == HDB_STOP_WATCH)
         hit(engine, card, wave, breakpoint, watch_judge(engine, card, wave, breakpoint->watch));
      else if (comes_by && engine_stands_at(breakpoint, wave))
         hit(engine, card, wave, breakpoint, active_lanes(wave));
   }
}

void
engine_judge_hits(struct hdb_engine *engine, struct card *card)
{
   struct hdb_wave *const *waves;
   size_t count = hdb_machine_waves(card->machine, &waves);
   for (size_t i = 0; engine_is_watched(engine) && i < count; i++) {
      if (waves[i]->run == HDB_WAVE_STOPPED && !waves[i]->judged)
         judge(engine, card, waves[i]);
   }
}

struct breakpoint *
engine_hit_of(struct hdb_engine *engine, const struct hdb_wave *wave)
{
   return wave->hit ? engine_breakpoint(engine, wave->hit) : NULL;
}

void
engine_tell_hits(struct hdb_engine *engine)
{
   for (size_t i = 0; i < engine->breakpoint_count; i++) {
      const struct breakpoint *breakpoint = engine->breakpoints[i];
      if (breakpoint->hits && breakpoint->kind != BREAKPOINT_PRINT)
         session_send_event(
            engine->session, "breakpoint",
            json_pack("{s:s, s:o}", "reason", "changed", "breakpoint", engine_describe_breakpoint(breakpoint)));
   }
}
