/* SPDX-License-Identifier: MIT */
/*
 * Watchpoints on the registers that a card has: four, each for a range as large as it must be. Where there are more
 * watchpoints, neighbours share a register: waves then stop for what lies between, too, and go on unseen.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dap/session.h"
#include "engine/watch.h"

#define SMALLEST 128
#define LARGEST (1ull << 30) /* TCP_WATCH's MASK covers the address bits 29:7 */
#define MAX_WATCHES 64

/* ---- ranges ---- */

/* False: no register is for as much. */
static bool
cover(uint64_t low, uint64_t high, struct watch_range *range)
{
   range->size = SMALLEST;
   while (range->size < LARGEST && high - (low & ~(range->size - 1)) > range->size)
      range->size *= 2;
   range->va = low & ~(range->size - 1);
   return high - range->va <= range->size;
}

static bool
join(const struct watch_range *a, const struct watch_range *b, struct watch_range *both)
{
   uint64_t a_end = a->va + a->size, b_end = b->va + b->size;
   both->mode = a->mode == b->mode ? a->mode : HDB_WATCH_ALL;
   return cover(a->va < b->va ? a->va : b->va, a_end > b_end ? a_end : b_end, both);
}

/* Joins the two whose range is the smallest. False: no two can be. */
static bool
join_nearest(struct watch_range *ranges, size_t *count)
{
   struct watch_range best = {.size = UINT64_MAX}, both;
   size_t first = 0, second = 0;
   for (size_t i = 0; i < *count; i++) {
      for (size_t j = i + 1; j < *count; j++) {
         if (!join(&ranges[i], &ranges[j], &both) || both.size >= best.size)
            continue;
         best = both;
         first = i;
         second = j;
      }
   }
   if (!second)
      return false;
   ranges[first] = best;
   ranges[second] = ranges[--*count];
   return true;
}

/* What reads is seen by "all" alone: the mode for reads leaves atomics out. */
static enum hdb_watch_mode
mode_of(const struct watch *watch)
{
   return watch->access == WATCH_WRITES ? HDB_WATCH_NONREAD : HDB_WATCH_ALL;
}

/* ---- a card ---- */

static bool
is_set_so(const struct card *card, const struct watch_range *ranges, size_t count)
{
   bool same = count == card->watched_count;
   for (size_t i = 0; i < count && same; i++)
      same = ranges[i].va == card->watched[i].va && ranges[i].size == card->watched[i].size &&
             ranges[i].mode == card->watched[i].mode;
   return same;
}

static int
set_registers(struct card *card, const struct watch_range *ranges, size_t count)
{
   int result = 0;
   if (is_set_so(card, ranges, count))
      return 0;
   for (uint32_t i = 0; i < HDB_WATCHES; i++) {
      if (i >= count || result)
         hdb_machine_clear_watch(card->machine, i);
      else
         result = hdb_machine_set_watch(card->machine, i, ranges[i].va, ranges[i].size, ranges[i].mode);
   }
   card->watched_count = result ? 0 : count;
   for (size_t i = 0; i < card->watched_count; i++)
      card->watched[i] = ranges[i];
   return result;
}

static uint32_t
registers_for(const struct card *card, const struct watch *watch)
{
   uint32_t registers = 0;
   for (uint32_t i = 0; i < card->watched_count; i++) {
      const struct watch_range *range = &card->watched[i];
      if (range->va < watch->high && watch->low < range->va + range->size)
         registers |= 1u << i;
   }
   return registers;
}

static const char *
describe_failure(int result)
{
   return result == -ENOTCONN    ? "the card's watch registers are out of reach"
          : result == -EACCES    ? "another debugger uses the card's watch registers"
          : result == -ENOSPC    ? "too much is watched, and too far apart, for four registers"
          : result == -EREMOTEIO ? "the card does not keep what is written to its watch registers"
                                 : strerror(-result);
}

static void
update_card(struct hdb_engine *engine, struct card *card)
{
   struct watch_range ranges[MAX_WATCHES] = {0};
   size_t count = 0;
   int result = 0;
   for (size_t i = 0; i < engine->breakpoint_count && !result; i++) {
      const struct watch *watch = engine->breakpoints[i]->watch;
      if (!watch || watch->card != card || watch->in_register)
         continue;
      if (count == MAX_WATCHES || !cover(watch->low, watch->high, &ranges[count]))
         result = -ENOSPC;
      else
         ranges[count++].mode = mode_of(watch);
   }
   while (count > HDB_WATCHES && !result)
      result = join_nearest(ranges, &count) ? 0 : -ENOSPC;
   result = result ? result : set_registers(card, ranges, count);
   if (result)
      set_registers(card, NULL, 0);
   for (size_t i = 0; i < engine->breakpoint_count; i++) {
      struct watch *watch = engine->breakpoints[i]->watch;
      if (!watch || watch->card != card)
         continue;
      free(watch->failure);
      watch->placed = !result || watch->in_register;
      watch->failure = watch->placed ? NULL : strdup(describe_failure(result));
      watch->registers = result || watch->in_register ? 0 : registers_for(card, watch);
      breakpoint_update_message(engine->breakpoints[i]);
   }
}

void
engine_update_watches(struct hdb_engine *engine)
{
   for (struct card *card = engine->cards; card; card = card->next)
      update_card(engine, card);
}

bool
engine_watches_card(const struct hdb_engine *engine, const struct card *card)
{
   for (size_t i = 0; card && i < engine->breakpoint_count; i++) {
      const struct watch *watch = engine->breakpoints[i]->watch;
      if (watch && watch->card == card && !watch->in_register)
         return true;
   }
   return false;
}

/* ---- the end ---- */

void
engine_end_watches(struct hdb_engine *engine)
{
   bool any = false;
   for (size_t i = 0; i < engine->breakpoint_count; i++) {
      struct breakpoint *breakpoint = engine->breakpoints[i];
      const struct watch *watch = breakpoint->watch;
      if (!watch || !(watch->in_scratch || watch->in_register) || !watch->card ||
          hdb_machine_find_wave(watch->card->machine, watch->wave))
         continue;
      breakpoint->forgotten = any = true;
      if (engine->session)
         session_send_event(
            engine->session, "breakpoint",
            json_pack("{s:s, s:o}", "reason", "removed", "breakpoint", engine_describe_breakpoint(breakpoint)));
   }
   if (any)
      engine_end_breakpoints(engine);
}

void
engine_leave_watches(struct hdb_engine *engine, const struct card *card)
{
   for (size_t i = 0; i < engine->breakpoint_count; i++) {
      struct watch *watch = engine->breakpoints[i]->watch;
      if (!watch || watch->card != card)
         continue;
      watch->card = NULL;
      watch->placed = false;
      breakpoint_update_message(engine->breakpoints[i]);
   }
}
