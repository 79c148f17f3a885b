/* SPDX-License-Identifier: MIT */
/*
 * Which dispatch a wave comes from. Nothing in a wave says so: it is inferred once, when the wave is first seen, from
 * its shader and workgroup and from what has been seen of the dispatches that run.
 */
#include "engine/engine.h"

#include <stdlib.h>
#include <string.h>

/* Of larger dispatches it is only counted how many waves were seen. */
#define MAX_SEEN (1u << 24)

/* ---- the waves of a dispatch ---- */

/* The wave's number among the dispatch's, in the order that they are launched in. False: it is none of them. */
static bool
number_wave(const struct dispatch *dispatch, const struct hdb_wave *wave, uint64_t *number)
{
   const uint32_t *grid = dispatch->grid;
   uint64_t group = 0;
   for (size_t i = 3; i-- > 0;) {
      uint32_t id = wave->workgroup[i] - dispatch->base[i];
      if (id >= grid[i])
         return false;
      group = group * grid[i] + id;
   }
   *number = group * engine_waves_per_workgroup(dispatch) + wave->index;
   return *number < dispatch->waves;
}

/* An indirect dispatch's grid is in its final place by the time that its waves begin. Zeros may yet be overwritten. */
static bool
read_grid(struct dispatch *dispatch)
{
   struct hdb_machine *machine = dispatch->device->machine;
   uint32_t grid[3];
   if (!dispatch->indirect_va || hdb_machine_read_memory(machine, dispatch->indirect_va, grid, sizeof(grid)))
      return true;
   if (!grid[0] || !grid[1] || !grid[2])
      return false;
   for (size_t i = 0; i < 3 && dispatch->rays; i++) /* in memory it is one of rays */
      grid[i] = (grid[i] + (uint64_t)dispatch->workgroup[i] - 1) / dispatch->workgroup[i];
   engine_size_dispatch(dispatch, grid);
   return true;
}

/* By conditional rendering. */
static bool
is_skipped(const struct dispatch *dispatch)
{
   uint32_t value;
   if (!dispatch->conditional ||
       hdb_machine_read_memory(dispatch->device->machine, dispatch->condition_va, &value, sizeof(value)))
      return false;
   return (value != 0) == dispatch->inverted;
}

/* Whether the wave can be one of the dispatch's that has not been seen before. */
static bool
has_place_for(const struct dispatch *dispatch, const struct hdb_wave *wave)
{
   uint64_t number;
   struct dispatch candidate = *dispatch;
   if (is_skipped(dispatch))
      return false;
   if (!candidate.sized && !read_grid(&candidate))
      return false;
   if (!candidate.sized)
      return true;
   if (candidate.entries >= candidate.waves)
      return false;
   if (!wave->workgroup_known)
      return true;
   return number_wave(&candidate, wave, &number) && !(candidate.seen && candidate.seen[number / 8] >> number % 8 & 1);
}

static void
take(struct dispatch *dispatch, struct hdb_wave *wave)
{
   uint64_t number;
   if (!dispatch->sized)
      read_grid(dispatch);
   dispatch->entries++;
   wave->origin = dispatch->number + 1;
   if (!dispatch->sized || !wave->workgroup_known || dispatch->waves > MAX_SEEN ||
       !number_wave(dispatch, wave, &number))
      return;
   if (!dispatch->seen)
      dispatch->seen = calloc(1, dispatch->waves / 8 + 1);
   if (dispatch->seen)
      dispatch->seen[number / 8] |= 1u << number % 8;
}

/* ---- inference ---- */

static bool
is_candidate(const struct dispatch *dispatch, const struct hdb_wave *wave)
{
   return dispatch_runs_shader(dispatch, wave->shader) && dispatch->state == DISPATCH_SUBMITTED &&
          (wave->cause == HDB_STOP_ENTRY ? dispatch_stops_waves(dispatch) : dispatch->armed);
}

/* Dispatches of one shader begin in order: it is the newest that has begun or, if that has no place for the wave, one
 * behind it. Where dispatches overlap, it may be one before it. */
static struct dispatch *
find_origin(struct hdb_engine *engine, const struct hdb_wave *wave)
{
   struct dispatch *newest = NULL, *first = NULL, *next = NULL;
   for (size_t i = 0; i < engine->dispatch_count; i++) {
      struct dispatch *dispatch = &engine->dispatches[i];
      if (!is_candidate(dispatch, wave))
         continue;
      if (dispatch->entries) {
         newest = dispatch;
         next = NULL;
      }
      if (!has_place_for(dispatch, wave))
         continue;
      if (!first)
         first = dispatch;
      if (!next)
         next = dispatch;
   }
   return next ? next : first ? first : newest;
}

/* In the order that they came in, which is the order that they were launched in. */
void
engine_note_origins(struct hdb_engine *engine, struct card *card)
{
   struct hdb_wave *const *waves;
   size_t count = hdb_machine_waves(card->machine, &waves);
   for (uint32_t last = 0;;) {
      struct hdb_wave *next = NULL;
      for (size_t i = 0; i < count; i++) {
         if (!waves[i]->origin && waves[i]->id > last && (!next || waves[i]->id < next->id))
            next = waves[i];
      }
      if (!next)
         return;
      struct dispatch *origin = next->shader ? find_origin(engine, next) : NULL;
      if (origin)
         take(origin, next);
      last = next->id;
   }
}

struct dispatch *
engine_dispatch_of(struct hdb_engine *engine, const struct hdb_wave *wave)
{
   size_t low = 0, high = engine->dispatch_count;
   while (low < high) { /* numbers rise along the list */
      size_t middle = (low + high) / 2;
      if (engine->dispatches[middle].number + 1 < wave->origin)
         low = middle + 1;
      else
         high = middle;
   }
   bool found = wave->origin && low < engine->dispatch_count && engine->dispatches[low].number + 1 == wave->origin;
   return found && engine->dispatches[low].device ? &engine->dispatches[low] : NULL;
}

bool
engine_dispatch_has_waves(const struct dispatch *dispatch)
{
   struct hdb_wave *const *waves;
   size_t count = dispatch->entries ? hdb_machine_waves(dispatch->device->machine, &waves) : 0;
   for (size_t i = 0; i < count; i++) {
      if (waves[i]->origin == dispatch->number + 1)
         return true;
   }
   return false;
}

/* Semaphores and queues let dispatches begin in another order than they were submitted in. One that finishes without
 * having been seen to begin was taken for another of that shader, which has yet to begin and to stop at its entry. */
void
engine_correct_origins(struct hdb_engine *engine, struct dispatch *finished)
{
   free(finished->seen);
   finished->seen = NULL;
   if (!finished->attached || finished->entry_shown || finished->entries || !finished->waves || is_skipped(finished))
      return;
   for (size_t i = 0; i < engine->dispatch_count; i++) {
      struct dispatch *other = &engine->dispatches[i];
      if (other->device == finished->device && other->shader_id == finished->shader_id &&
          other->state == DISPATCH_SUBMITTED && other->attached && other->entries >= finished->waves) {
         other->entries -= finished->waves;
         free(other->seen);
         other->seen = NULL;
         finished->entries = finished->waves;
         finished->entry_shown = other->entry_shown;
         other->entry_shown = false;
         return;
      }
   }
}
