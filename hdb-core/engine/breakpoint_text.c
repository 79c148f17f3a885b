/* SPDX-License-Identifier: MIT */
/* What is said of a breakpoint. */
#include "engine/watch.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *
plural(size_t count)
{
   return count == 1 ? "" : "s";
}

__attribute__((format(printf, 2, 3))) static void
say(struct breakpoint *breakpoint, const char *format, ...)
{
   size_t length = strlen(breakpoint->message);
   va_list args;
   va_start(args, format);
   vsnprintf(breakpoint->message + length, sizeof(breakpoint->message) - length, format, args);
   va_end(args);
}

/* The same kinds as selector_matches() knows. */
static void
describe_names(struct breakpoint *breakpoint)
{
   const char *name = breakpoint->name;
   if (*name && !name[strspn(name, "0123456789")])
      say(breakpoint, "attaches to dispatch %s", name);
   else if (strncmp(name, "label:", 6) == 0)
      say(breakpoint, "attaches to dispatches labelled \"%s\"", name + 6);
   else if (selector_is_expression(name))
      say(breakpoint, "attaches to dispatches with %s", name);
   else
      say(breakpoint, "attaches to dispatches named \"%s\"", name);
   if (breakpoint->terms.condition)
      say(breakpoint, " if %s", breakpoint->terms.condition);
}

struct tally {
   size_t places, shaders;
};

static struct tally
count_places(const struct breakpoint *breakpoint, uint32_t line)
{
   struct tally tally = {0};
   const struct engine_shader *last = NULL;
   for (size_t i = 0; i < breakpoint->place_count; i++) {
      const struct breakpoint_place *place = &breakpoint->places[i];
      if (place->line != line)
         continue;
      tally.places++;
      tally.shaders += place->shader != last;
      last = place->shader;
   }
   return tally;
}

static void
describe_bound(struct breakpoint *breakpoint, uint32_t line)
{
   struct tally tally = count_places(breakpoint, line);
   say(breakpoint, "bound to %zu place%s in %zu pipeline%s", tally.places, plural(tally.places), tally.shaders,
       plural(tally.shaders));
}

/* Each module has lines of its own: what has code in one has none in another of that file name. */
static void
describe_places(struct breakpoint *breakpoint)
{
   uint32_t line = breakpoint->line, first = breakpoint->places[0].line;
   bool exact = count_places(breakpoint, line).places > 0;
   if (count_places(breakpoint, first).places == breakpoint->place_count) {
      if (exact)
         describe_bound(breakpoint, line);
      else
         say(breakpoint, "no code at line %u; moved to line %u", line, first);
      return;
   }
   say(breakpoint, "not every pipeline has code at line %u: ", line);
   if (exact)
      describe_bound(breakpoint, line);
   const char *separator = exact ? ", " : "";
   for (size_t i = 0; i < breakpoint->place_count; i++) {
      uint32_t moved = breakpoint->places[i].line;
      bool said = moved == line;
      for (size_t j = 0; j < i && !said; j++)
         said = breakpoint->places[j].line == moved;
      if (said)
         continue;
      size_t shaders = count_places(breakpoint, moved).shaders;
      say(breakpoint, "%smoved to line %u in %zu pipeline%s", separator, moved, shaders, plural(shaders));
      separator = ", ";
   }
}

static bool
shares_register(const struct watch *watch)
{
   const struct card *card = watch->card;
   for (uint32_t i = 0; i < card->watched_count; i++) {
      const struct watch_range *range = &card->watched[i];
      if (range->va <= watch->low && watch->high <= range->va + range->size)
         return range->size > 128 && range->size > 2 * (watch->high - watch->low);
   }
   return false;
}

static void
describe_watch(struct breakpoint *breakpoint)
{
   const struct watch *watch = breakpoint->watch;
   breakpoint->verified = watch->placed;
   if (watch->in_register)
      say(breakpoint, "watches %s of wave %u, which is stepped while others stand still", watch->expression,
          watch->wave);
   else if (watch->in_scratch)
      say(breakpoint, "watches %s of lane %u of wave %u", watch->expression, watch->lane, watch->wave);
   else
      say(breakpoint, "watches %" PRIu64 " byte%s at 0x%" PRIx64, watch->size, plural(watch->size), watch->address);
   if (watch->failure)
      say(breakpoint, ": not now, %s", watch->failure);
   else if (!watch->card)
      say(breakpoint, ": no more, the device is gone");
   else if (watch->placed && shares_register(watch))
      say(breakpoint, "; waves are slowed down by what else lies near it");
   if (watch->access & WATCH_READS && watch->placed)
      say(breakpoint, "; scalar loads are not seen");
}

void
breakpoint_update_message(struct breakpoint *breakpoint)
{
   bool bound = breakpoint->place_count > 0, waiting = false;
   for (size_t i = 0; i < breakpoint->place_count; i++)
      waiting |= !breakpoint->places[i].planted;
   breakpoint->verified = bound || breakpoint->kind == BREAKPOINT_FUNCTION;
   breakpoint->waits = false;
   breakpoint->message[0] = 0;
   if (breakpoint->watch) {
      describe_watch(breakpoint);
   } else if (breakpoint->kind == BREAKPOINT_FUNCTION) {
      breakpoint->waits = !breakpoint->matched;
      describe_names(breakpoint);
   } else if (bound) {
      describe_places(breakpoint);
   } else if (*breakpoint->failure) {
      say(breakpoint, "pending: no trap where it would be: %s", breakpoint->failure);
   } else if (breakpoint->codeless) {
      say(breakpoint, "pending: the function of line %u has no code", breakpoint->line);
   } else if (breakpoint->behind) {
      say(breakpoint, SPLIT_INSTRUCTION, breakpoint->address, breakpoint->before, breakpoint->behind);
   } else {
      breakpoint->waits = true;
      say(breakpoint, "pending: no shader with this %s yet",
          breakpoint->kind == BREAKPOINT_SOURCE ? "file" : "address");
   }
   if (waiting)
      say(breakpoint, "; pending until the running dispatches finish");
}

/* The line where it stands; of several, the one that was asked for. */
static uint32_t
actual_line(const struct breakpoint *breakpoint)
{
   bool exact = !breakpoint->place_count || count_places(breakpoint, breakpoint->line).places;
   return exact ? breakpoint->line : breakpoint->places[0].line;
}

json_t *
engine_describe_breakpoint(const struct breakpoint *breakpoint)
{
   json_t *json = json_pack("{s:I, s:b, s:s, s:I}", "id", (json_int_t)breakpoint->id, "verified", breakpoint->verified,
                            "message", breakpoint->message, "hits", (json_int_t)breakpoint->hits);
   if (breakpoint->waits)
      json_object_set_new(json, "reason", json_string("pending"));
   if (breakpoint->kind == BREAKPOINT_SOURCE) {
      json_object_set_new(json, "line", json_integer(actual_line(breakpoint)));
      json_object_set_new(json, "source", json_pack("{s:s}", "path", breakpoint->name));
   } else if (breakpoint->kind == BREAKPOINT_INSTRUCTION) {
      char address[32];
      snprintf(address, sizeof(address), "0x%llx", (unsigned long long)breakpoint->address);
      json_object_set_new(json, "instructionReference", json_string(address));
   }
   return json;
}
