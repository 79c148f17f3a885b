/* SPDX-License-Identifier: MIT */
/* What is watched: an object in memory, or a variable in the scratch memory of one lane, as it was when last looked at.
 */
#include "engine/watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "dap/inspection.h"
#include "target/registers.h"

#define MAX_SIZE 65536

/* ---- names ---- */

/* At both ends; none is beyond the last address. */
static bool
is_mapped(const struct hdb_context *context, uint64_t address, uint64_t size)
{
   uint8_t byte;
   return address <= UINT64_MAX - size && !hdb_wave_read_memory(context->machine, context->wave, address, &byte, 1) &&
          !hdb_wave_read_memory(context->machine, context->wave, address + size - 1, &byte, 1);
}

/* memory|ADDRESS|SIZE|TYPE|EXPRESSION, scratch|WAVE|LANE|OFFSET|SIZE|TYPE|EXPRESSION, or register|WAVE|LANE|EXPRESSION
 */
char *
watch_name(const struct hdb_context *context, struct hdb_expr_store *store, const char *expression, char **error)
{
   struct hdb_expr_request request = {.context = context, .store = store, .text = expression, .flags = HDB_EXPR_PURE};
   struct hdb_expr_object location;
   char *name = NULL;
   int size = -1;
   if (hdb_expr_find_object(&request, &location, error))
      return NULL;
   if (location.is_register)
      size = asprintf(&name, "register|%u|%u|%s", context->wave->id, context->lane, expression);
   else if (location.place == HDB_PLACE_LDS)
      *error = strdup("it is in LDS; the card can watch memory alone");
   else if (location.place != HDB_PLACE_MEMORY && location.place != HDB_PLACE_SCRATCH)
      *error = strdup("it is in registers, not the same ones everywhere; a register like $v3 can be watched");
   else if (!location.size || location.size > MAX_SIZE)
      size = asprintf(error, "%" PRIu64 " bytes can't be watched; 1 to %u can", location.size, MAX_SIZE);
   else if (location.place == HDB_PLACE_MEMORY && !is_mapped(context, location.address, location.size))
      size = asprintf(error, "no memory is mapped at 0x%" PRIx64, location.address);
   else if (location.place == HDB_PLACE_MEMORY)
      size = asprintf(&name, "memory|0x%" PRIx64 "|%" PRIu64 "|%s|%s", location.address, location.size, location.type,
                      expression);
   else
      size = asprintf(&name, "scratch|%u|%u|%" PRIu64 "|%" PRIu64 "|%s|%s", context->wave->id, context->lane,
                      location.address, location.size, location.type, expression);
   free(location.type);
   return size < 0 ? NULL : name;
}

static bool
take_number(char **rest, uint64_t *number)
{
   char *word = strsep(rest, "|"), *end;
   if (!word || !*word || !*rest)
      return false;
   errno = 0;
   *number = strtoull(word, &end, 0);
   return !*end && !errno;
}

static bool
parse_name(struct watch *watch, const char *name)
{
   char *copy = strdup(name), *rest = copy;
   const char *kind = copy ? strsep(&rest, "|") : "", *type = NULL;
   uint64_t wave = 0, lane = 0;
   watch->in_scratch = strcmp(kind, "scratch") == 0;
   watch->in_register = strcmp(kind, "register") == 0;
   bool good = rest && (watch->in_scratch || watch->in_register || strcmp(kind, "memory") == 0);
   if (good && (watch->in_scratch || watch->in_register))
      good = take_number(&rest, &wave) && take_number(&rest, &lane) && wave <= UINT32_MAX && lane < 64;
   if (good && !watch->in_register) {
      good = take_number(&rest, &watch->address) && take_number(&rest, &watch->size) && (type = strsep(&rest, "|"));
      good = good && rest && watch->size && watch->size <= MAX_SIZE && watch->address < UINT64_MAX - watch->size;
   }
   watch->wave = wave;
   watch->lane = lane;
   watch->type = good ? strdup(type ? type : "") : NULL;
   watch->expression = good ? strdup(rest) : NULL;
   free(copy);
   return watch->type && watch->expression;
}

/* ---- values ---- */

/* A stopped wave to look through, or NULL. */
static struct hdb_wave *
find_viewer(struct hdb_engine *engine, const struct watch *watch)
{
   struct hdb_wave *wave =
      hdb_machine_find_wave(watch->card->machine, watch->in_scratch ? watch->wave : engine->focus_wave);
   if (wave && wave->run == HDB_WAVE_STOPPED)
      return wave;
   struct hdb_wave *const *waves;
   size_t count = watch->in_scratch ? 0 : hdb_machine_waves(watch->card->machine, &waves);
   for (size_t i = 0; i < count; i++) {
      if (waves[i]->run == HDB_WAVE_STOPPED)
         return waves[i];
   }
   return NULL;
}

uint8_t *
watch_read(const struct watch *watch, struct hdb_wave *viewer)
{
   struct hdb_machine *machine = watch->card->machine;
   uint8_t *bytes = malloc(watch->size);
   int error =
      !bytes ? -ENOMEM
      : watch->in_scratch
         ? viewer ? hdb_wave_read_scratch(machine, viewer, watch->lane, watch->address, bytes, watch->size) : -ENOENT
      : viewer ? hdb_wave_read_memory(machine, viewer, watch->address, bytes, watch->size)
               : hdb_machine_read_memory(machine, watch->address, bytes, watch->size);
   if (!error)
      return bytes;
   free(bytes);
   return NULL;
}

static char *
print_bytes(const uint8_t *bytes, uint64_t size)
{
   char *text;
   size_t length;
   FILE *out = bytes ? open_memstream(&text, &length) : NULL;
   if (!out)
      return NULL;
   for (uint64_t i = 0; i < size && i < 32; i++)
      fprintf(out, "%s%02x", i ? " " : "", bytes[i]);
   fputs(size > 32 ? " ..." : "", out);
   return fclose(out) ? NULL : text;
}

static char *
evaluate(const struct hdb_context *context, const char *text)
{
   struct hdb_expr_request request = {.context = context, .text = text, .flags = HDB_EXPR_PURE};
   struct hdb_expr_result result;
   char *error;
   hdb_expr_evaluate(&request, &result, &error);
   char *value = result.value;
   result.value = NULL;
   hdb_expr_result_finish(&result);
   free(error);
   return value;
}

/* Other frames may have another variable of that name, and what an index says may change. */
static bool
is_named_by(const struct watch *watch, const struct hdb_context *context)
{
   struct hdb_expr_request request = {.context = context, .text = watch->expression, .flags = HDB_EXPR_PURE};
   struct hdb_expr_object object;
   char *error;
   int result = hdb_expr_find_object(&request, &object, &error);
   free(error);
   free(object.type);
   return !result && object.place == HDB_PLACE_SCRATCH && object.address == watch->address &&
          object.size == watch->size;
}

static char *
print_in_scratch(struct hdb_engine *engine, const struct watch *watch, struct hdb_wave *viewer)
{
   struct hdb_context context = engine_context(engine, watch->card, viewer, 0, watch->lane);
   size_t frames = context.symbols ? hdb_symbols_frames(context.symbols, viewer->pc - viewer->shader->va, NULL, 0) : 0;
   while (context.frame < frames && !is_named_by(watch, &context))
      context.frame++;
   return context.frame < frames ? evaluate(&context, watch->expression) : NULL;
}

static char *
print_in_memory(struct hdb_engine *engine, const struct watch *watch, struct hdb_wave *viewer)
{
   struct hdb_context context = engine_context(engine, watch->card, viewer, 0, 0);
   char *object;
   if (asprintf(&object, "{%s}0x%" PRIx64, watch->type, watch->address) < 0)
      return NULL;
   char *text = evaluate(&context, object);
   free(object);
   return text;
}

void
watch_pretend(const struct watch *watch, const uint8_t *bytes)
{
   if (watch->in_scratch)
      hdb_wave_pretend_scratch(watch->card->machine, watch->lane, watch->address, bytes, watch->size);
   else
      hdb_wave_pretend_memory(watch->card->machine, watch->address, bytes, watch->size);
}

char *
watch_print(struct hdb_engine *engine, const struct watch *watch, struct hdb_wave *viewer, const uint8_t *bytes)
{
   watch_pretend(watch, bytes);
   char *text = !viewer             ? NULL
                : watch->in_scratch ? print_in_scratch(engine, watch, viewer)
                                    : print_in_memory(engine, watch, viewer);
   hdb_wave_pretend_nothing(watch->card->machine);
   return text ? text : print_bytes(bytes, watch->size);
}

/* Takes the texts and bytes over. */
void
watch_set_value(struct watch *watch, uint8_t *bytes, char *text)
{
   free(watch->bytes);
   free(watch->text);
   watch->bytes = bytes;
   watch->text = text;
}

static void
look(struct hdb_engine *engine, struct watch *watch)
{
   if (watch->in_register) {
      watch_look_at_register(engine, watch);
      return;
   }
   struct hdb_wave *viewer = find_viewer(engine, watch);
   uint8_t *bytes = watch_read(watch, viewer);
   if (!bytes || !watch->bytes || memcmp(bytes, watch->bytes, watch->size) != 0)
      watch_set_value(watch, bytes, watch_print(engine, watch, viewer, bytes));
   else
      free(bytes);
}

void
engine_refresh_watches(struct hdb_engine *engine, struct card *card)
{
   for (size_t i = 0; i < engine->breakpoint_count; i++) {
      struct watch *watch = engine->breakpoints[i]->watch;
      if (!watch || watch->card != card)
         continue;
      watch_begin_period(watch);
      look(engine, watch);
   }
}

/* ---- what there is ---- */

/* The memory that is to be seen, if it is in memory. */
static bool
find_range(struct watch *watch)
{
   struct hdb_machine *machine = watch->card->machine;
   if (watch->in_register) {
      const struct hdb_wave *owner = hdb_machine_find_wave(machine, watch->wave);
      return owner && owner->run == HDB_WAVE_STOPPED;
   }
   watch->low = watch->address;
   watch->high = watch->address + watch->size;
   if (!watch->in_scratch)
      return true;
   struct hdb_wave *wave = hdb_machine_find_wave(machine, watch->wave);
   if (!wave || hdb_wave_scratch_address(machine, wave, watch->lane, watch->address, &watch->low) ||
       hdb_wave_scratch_address(machine, wave, watch->lane, watch->address + watch->size - 1, &watch->high))
      return false;
   watch->high += 4;
   return true;
}

struct watch *
watch_create(struct hdb_engine *engine, const char *data_id, enum watch_access access, char **error)
{
   struct watch *watch = calloc(1, sizeof(*watch));
   if (!watch)
      return NULL;
   watch->access = access;
   watch->card = engine->stopped ? engine->stopped : engine->cards;
   *error = !parse_name(watch, data_id) ? strdup("dataId: one that dataBreakpointInfo has given expected")
            : !watch->card              ? strdup("there is no device")
            : watch->in_register && access != WATCH_WRITES
               ? strdup("what reads a register can't be seen; what changes it can")
            : !find_range(watch) ? strdup("the wave whose variable this is has ended, or runs")
                                 : NULL;
   if (*error) {
      watch_destroy(watch);
      return NULL;
   }
   look(engine, watch);
   return watch;
}

void
watch_destroy(struct watch *watch)
{
   if (!watch)
      return;
   watch_forget_hits(watch);
   watch_set_value(watch, NULL, NULL);
   free(watch->followed);
   free(watch->expression);
   free(watch->type);
   free(watch->failure);
   free(watch);
}
