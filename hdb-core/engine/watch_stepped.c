/* SPDX-License-Identifier: MIT */
/*
 * Registers of one wave: no card watches these. As long as there is such a watchpoint its wave is stepped, whatever it
 * is to do, one instruction after the other, and looked at behind each. The other waves stand still meanwhile, as in
 * any step.
 */
#include "engine/watch.h"

#include <stdlib.h>
#include <string.h>

#include "dap/inspection.h"

/* As it is shown; NULL: it can't be now. */
static char *
print(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave, const struct watch *watch)
{
   struct hdb_context context = engine_context(engine, card, wave, 0, watch->lane);
   struct hdb_expr_request request = {.context = &context, .text = watch->expression, .flags = HDB_EXPR_PURE};
   struct hdb_expr_result result;
   char *error;
   hdb_expr_evaluate(&request, &result, &error);
   char *text = result.value;
   result.value = NULL;
   hdb_expr_result_finish(&result);
   free(error);
   return text;
}

static bool
is_of(const struct watch *watch, const struct card *card, const struct hdb_wave *wave)
{
   return watch && watch->in_register && watch->card == card && watch->wave == wave->id;
}

bool
engine_watches_steps(const struct hdb_engine *engine, const struct card *card, const struct hdb_wave *wave)
{
   for (size_t i = 0; i < engine->breakpoint_count; i++) {
      if (is_of(engine->breakpoints[i]->watch, card, wave))
         return true;
   }
   return false;
}

struct hdb_wave *
engine_find_stepped(struct hdb_engine *engine, struct card *card)
{
   struct hdb_wave *const *waves;
   size_t count = hdb_machine_waves(card->machine, &waves);
   for (size_t i = 0; i < count; i++) {
      if (waves[i]->run == HDB_WAVE_STOPPED && engine_watches_steps(engine, card, waves[i]))
         return waves[i];
   }
   return NULL;
}

void
watch_look_at_register(struct hdb_engine *engine, struct watch *watch)
{
   struct hdb_wave *wave = hdb_machine_find_wave(watch->card->machine, watch->wave);
   if (!wave || wave->run != HDB_WAVE_STOPPED)
      return;
   watch->pc = wave->pc;
   watch_set_value(watch, NULL, print(engine, watch->card, wave, watch));
}

uint64_t
watch_judge_register(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave, struct watch *watch)
{
   if (!is_of(watch, card, wave))
      return 0;
   char *text = print(engine, card, wave, watch);
   bool changed = text && watch->text && strcmp(text, watch->text) != 0;
   struct watch_hit hit = {
      .wave = wave->id, .access = WATCH_WRITES, .found = true, .which = true, .pc = watch->pc, .changed = true};
   if (changed) {
      hit.old_text = strdup(watch->text);
      hit.new_text = strdup(text);
      watch_note_hit(watch, &hit);
   }
   watch->pc = wave->pc;
   watch_set_value(watch, NULL, text);
   return changed ? watch_possible_lanes(wave) : 0;
}
