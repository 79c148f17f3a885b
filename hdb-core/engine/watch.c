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

/* memory|ADDRESS|SIZE|TYPE|EXPRESSION, or scratch|WAVE|LANE|OFFSET|SIZE|TYPE|EXPRESSION */
char *
watch_name(const struct hdb_context *context, struct hdb_expr_store *store, const char *expression, char **error)
{
   struct hdb_expr_request request = {.context = context, .store = store, .text = expression, .flags = HDB_EXPR_PURE};
   struct hdb_expr_object location;
   char *name = NULL;
   int size = -1;
   if (hdb_expr_find_object(&request, &location, error))
      return NULL;
   if (location.place == HDB_PLACE_LDS)
      *error = strdup("it is in LDS; the card can watch memory alone");
   else if (location.place != HDB_PLACE_MEMORY && location.place != HDB_PLACE_SCRATCH)
      *error = strdup("it is in registers; the card can watch memory alone");
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
   bool good = rest && (watch->in_scratch || strcmp(kind, "memory") == 0);
   if (good && watch->in_scratch)
      good = take_number(&rest, &wave) && take_number(&rest, &lane) && wave <= UINT32_MAX && lane < 64;
   good = good && take_number(&rest, &watch->address) && take_number(&rest, &watch->size) &&
          (type = strsep(&rest, "|")) && rest;
   good = good && watch->size && watch->size <= MAX_SIZE && watch->address < UINT64_MAX - watch->size;
   watch->wave = wave;
   watch->lane = lane;
   watch->type = good ? strdup(type) : NULL;
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

static uint8_t *
read_bytes(const struct watch *watch, struct hdb_wave *viewer)
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

/* As the type shows it; another shader may not know that. */
static char *
print(struct hdb_engine *engine, const struct watch *watch, struct hdb_wave *viewer, const uint8_t *bytes)
{
   char *object = NULL, *error = NULL, *text = NULL;
   struct hdb_expr_result result = {0};
   if (!watch->in_scratch && asprintf(&object, "{%s}0x%" PRIx64, watch->type, watch->address) < 0)
      object = NULL;
   struct hdb_context context = {0};
   if (viewer)
      context = engine_context(engine, watch->card, viewer, 0, watch->in_scratch ? watch->lane : 0);
   struct hdb_expr_request request = {
      .context = &context, .text = watch->in_scratch ? watch->expression : object, .flags = HDB_EXPR_PURE};
   if (viewer && request.text && !hdb_expr_evaluate(&request, &result, &error)) {
      text = result.value;
      result.value = NULL;
   }
   hdb_expr_result_finish(&result);
   free(error);
   free(object);
   return text ? text : print_bytes(bytes, watch->size);
}

/* Takes the texts and bytes over. */
static void
set_value(struct watch *watch, uint8_t *bytes, char *text)
{
   free(watch->bytes);
   free(watch->text);
   watch->bytes = bytes;
   watch->text = text;
}

static void
look(struct hdb_engine *engine, struct watch *watch)
{
   struct hdb_wave *viewer = find_viewer(engine, watch);
   uint8_t *bytes = read_bytes(watch, viewer);
   if (!bytes || !watch->bytes || memcmp(bytes, watch->bytes, watch->size) != 0)
      set_value(watch, bytes, print(engine, watch, viewer, bytes));
   else
      free(bytes);
}

void
engine_refresh_watches(struct hdb_engine *engine, struct card *card)
{
   for (size_t i = 0; i < engine->breakpoint_count; i++) {
      struct watch *watch = engine->breakpoints[i]->watch;
      if (watch && watch->card == card)
         look(engine, watch);
   }
}

/* ---- what there is ---- */

/* The memory that is to be seen. */
static bool
find_range(struct watch *watch)
{
   struct hdb_machine *machine = watch->card->machine;
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
            : !find_range(watch)        ? strdup("the wave whose variable this is has ended, or runs")
                                        : NULL;
   if (*error) {
      watch_destroy(watch);
      return NULL;
   }
   look(engine, watch);
   return watch;
}

static void
forget_hit(struct watch_hit *hit)
{
   free(hit->old_text);
   free(hit->new_text);
}

void
watch_destroy(struct watch *watch)
{
   if (!watch)
      return;
   for (size_t i = 0; i < watch->hit_count; i++)
      forget_hit(&watch->hits[i]);
   set_value(watch, NULL, NULL);
   free(watch->hits);
   free(watch->expression);
   free(watch->type);
   free(watch->failure);
   free(watch);
}

/* ---- hits ---- */

const struct watch_hit *
watch_hit_by(const struct watch *watch, const struct hdb_wave *wave)
{
   for (size_t i = 0; i < watch->hit_count; i++) {
      if (watch->hits[i].wave == wave->id)
         return &watch->hits[i];
   }
   return NULL;
}

static void
note_hit(struct watch *watch, const struct watch_hit *hit)
{
   struct watch_hit *place = (struct watch_hit *)watch_hit_by(watch, &(struct hdb_wave){.id = hit->wave});
   if (place)
      forget_hit(place);
   else
      place = array_append(watch->hits, watch->hit_count);
   if (place)
      *place = *hit;
   else
      forget_hit((struct watch_hit *)hit);
}

/* Reading counts where it is watched for, writing where it has changed something. Of an instruction whose addresses are
 * not known, and on a card that reports late, only a change says that this was it. */
static bool
is_hit(const struct watch *watch, const struct access *access, bool changed)
{
   if (access->elsewhere)
      return false;
   bool reads = access->kinds & WATCH_READS && watch->access & WATCH_READS;
   bool writes = access->kinds & WATCH_WRITES && watch->access & WATCH_WRITES;
   bool any = watch->access == (WATCH_READS | WATCH_WRITES);
   return access->found ? reads || (writes && (changed || any)) : changed && watch->access & WATCH_WRITES;
}

static bool
is_concerned(const struct watch *watch, const struct hdb_wave *wave)
{
   for (uint32_t i = 0; i < HDB_WATCHES; i++) {
      if (watch->registers & 1u << i && wave->trapsts & TRAPSTS_ADDR_WATCH(i))
         return !watch->in_scratch || watch->wave == wave->id;
   }
   return false;
}

uint64_t
watch_judge(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave, struct watch *watch)
{
   if (watch->card != card || !is_concerned(watch, wave))
      return 0;
   struct access access = watch_find_access(card, wave, watch);
   uint8_t *bytes = read_bytes(watch, wave);
   bool changed = bytes && (!watch->bytes || memcmp(bytes, watch->bytes, watch->size) != 0);
   if (!is_hit(watch, &access, changed)) {
      free(bytes);
      return 0;
   }
   char *text = changed ? print(engine, watch, wave, bytes) : NULL;
   struct watch_hit hit = {
      .wave = wave->id,
      .access = access.kinds,
      .found = access.found,
      .which = access.which,
      .pc = access.pc,
      .old_text = watch->text ? strdup(watch->text) : NULL,
      .new_text = text          ? strdup(text)
                  : watch->text ? strdup(watch->text)
                                : NULL,
   };
   note_hit(watch, &hit);
   if (changed)
      set_value(watch, bytes, text);
   else
      free(bytes);
   return access.found ? access.lanes : active_lanes(wave);
}

void
watch_describe_hit(struct hdb_engine *engine, const struct watch *watch, struct hdb_wave *wave, json_t *body)
{
   static const char *const names[] = {"", "read", "write", "read and write"};
   const struct watch_hit *hit = watch_hit_by(watch, wave);
   if (!hit)
      return;
   bool changed = hit->old_text && hit->new_text && strcmp(hit->old_text, hit->new_text) != 0;
   json_t *json = json_pack("{s:s, s:s, s:b}", "expression", watch->expression, "access", names[hit->access & 3],
                            "precise", hdb_machine_has_precise_watches(watch->card->machine));
   if (changed)
      json_object_set_new(json, "old", json_string(hit->old_text));
   if (hit->new_text)
      json_object_set_new(json, "new", json_string(hit->new_text));
   json_object_set_new(json, "lanesKnown", json_boolean(hit->which));
   if (hit->found) {
      char instruction[128];
      struct hdb_position position = {0};
      json_object_set_new(json, "pc", json_sprintf("0x%" PRIx64, hit->pc));
      if (engine_disassemble(watch->card->machine, wave->wave_size, hit->pc, instruction, sizeof(instruction)) >= 0)
         json_object_set_new(json, "instruction", json_string(instruction));
      if (wave->shader && engine_position(engine, wave->shader, hit->pc, &position) && position.file) {
         char *text = engine_line_text(engine, wave->shader, &position);
         json_object_set_new(json, "file", json_string(position.file));
         json_object_set_new(json, "line", json_integer(position.line));
         if (text)
            json_object_set_new(json, "text", json_string(text));
         free(text);
      }
   }
   json_object_set_new(json_object_get(body, "hdb"), "watch", json);
   json_object_set_new(body, "description", json_sprintf("%s of %s", names[hit->access & 3], watch->expression));
   json_object_set_new(body, "text",
                       changed ? json_sprintf("%s: %s -> %s", watch->expression, hit->old_text, hit->new_text)
                               : json_sprintf("%s: %s", watch->expression, hit->new_text ? hit->new_text : "?"));
}
