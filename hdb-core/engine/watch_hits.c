/* SPDX-License-Identifier: MIT */
/*
 * What waves have done to what is watched. By the time one is looked at others have gone on, and may have written the
 * same bytes. What a wave's own instruction found and left there is known where the card has noted it; what it left
 * also from the registers that it has stored. Otherwise memory tells, provided that nobody else has written since the
 * waves ran on: the period, at whose beginning the bytes were read.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "engine/watch.h"
#include "target/registers.h"

/* ---- those that are kept ---- */

static void
free_texts(struct watch_hit *hit)
{
   free(hit->old_text);
   free(hit->new_text);
   free(hit->now_text);
   free(hit->left);
}

static struct watch_hit *
find_hit(const struct watch *watch, uint32_t wave)
{
   for (size_t i = 0; i < watch->hit_count; i++) {
      if (watch->hits[i].wave == wave)
         return &watch->hits[i];
   }
   return NULL;
}

void
watch_note_hit(struct watch *watch, const struct watch_hit *hit)
{
   struct watch_hit *place = find_hit(watch, hit->wave);
   if (place)
      free_texts(place);
   else
      place = array_append(watch->hits, watch->hit_count);
   if (place)
      *place = *hit;
   else
      free_texts((struct watch_hit *)hit);
}

void
watch_forget_hits(struct watch *watch)
{
   for (size_t i = 0; i < watch->hit_count; i++)
      free_texts(&watch->hits[i]);
   free(watch->hits);
   watch->hits = NULL;
   watch->hit_count = 0;
}

void
watch_begin_period(struct watch *watch)
{
   size_t kept = 0;
   for (size_t i = 0; i < watch->hit_count; i++) {
      const struct hdb_wave *wave = hdb_machine_find_wave(watch->card->machine, watch->hits[i].wave);
      if (wave && wave->run == HDB_WAVE_STOPPED)
         watch->hits[kept++] = watch->hits[i];
      else
         free_texts(&watch->hits[i]);
   }
   watch->hit_count = kept;
   watch->period++;
   free(watch->followed);
   watch->followed = NULL;
}

const uint8_t *
watch_left_by(const struct watch *watch, const struct hdb_wave *wave)
{
   const struct watch_hit *hit = find_hit(watch, wave->id);
   return hit ? hit->left : NULL;
}

/* ---- whose doing it is ---- */

static bool
is_concerned(const struct watch *watch, const struct hdb_wave *wave)
{
   for (uint32_t i = 0; i < HDB_WATCHES; i++) {
      if (watch->registers & 1u << i && wave->trapsts & TRAPSTS_ADDR_WATCH(i))
         return !watch->in_scratch || watch->wave == wave->id;
   }
   return false;
}

static bool
has_written(struct card *card, const struct watch *watch, struct hdb_wave *wave)
{
   const struct watch_hit *hit = find_hit(watch, wave->id);
   if (wave->judged)
      return hit && hit->period == watch->period && hit->access & WATCH_WRITES;
   struct access access = watch_find_access(card, wave, watch);
   return !access.elsewhere && access.kinds & WATCH_WRITES;
}

/* Another wave, in this period. Scratch is the wave's own. */
static bool
have_others_written(struct card *card, const struct watch *watch, const struct hdb_wave *wave)
{
   struct hdb_wave *const *waves;
   size_t count = watch->in_scratch ? 0 : hdb_machine_waves(card->machine, &waves);
   for (size_t i = 0; i < count; i++) {
      if (waves[i] != wave && waves[i]->run == HDB_WAVE_STOPPED && waves[i]->cause == HDB_STOP_WATCH &&
          is_concerned(watch, waves[i]) && has_written(card, watch, waves[i]))
         return true;
   }
   return false;
}

/* ---- values ---- */

/* All that is watched: before and behind the wave's instruction, and by now. NULL: not known. */
struct values {
   uint8_t *found, *left, *now;
   bool shared, changed;
};

static uint8_t *
copy_bytes(const struct watch *watch, const uint8_t *bytes)
{
   uint8_t *copy = bytes ? malloc(watch->size) : NULL;
   return copy ? memcpy(copy, bytes, watch->size) : NULL;
}

static bool
differ(const struct watch *watch, const uint8_t *a, const uint8_t *b)
{
   return a && b ? memcmp(a, b, watch->size) != 0 : a != b;
}

/* The card has noted it. Of what the instruction did not touch, the waves before have left the last. */
static void
follow(struct watch *watch, const struct access *access, struct values *values)
{
   const uint8_t *last = watch->followed ? watch->followed : watch->bytes ? watch->bytes : values->now;
   values->found = copy_bytes(watch, last);
   if (values->found)
      watch_overlay(watch, access, access->done.before, values->found);
   values->left = copy_bytes(watch, values->found);
   if (values->left)
      watch_overlay(watch, access, access->done.after, values->left);
   values->changed = differ(watch, values->found, values->left);
   free(watch->followed);
   watch->followed = copy_bytes(watch, values->left);
}

static void
conclude(struct card *card, const struct hdb_wave *wave, const struct watch *watch, const struct access *access,
         struct values *values)
{
   bool stored = access->left_known && !watch->in_scratch;
   uint8_t *left = copy_bytes(watch, values->now);
   if (left && stored)
      watch_overlay(watch, access, access->done.after, left);
   values->shared = have_others_written(card, watch, wave) || differ(watch, left, values->now);
   values->changed = differ(watch, watch->bytes, values->now) || (values->shared && stored);
   values->found = values->shared ? NULL : copy_bytes(watch, watch->bytes);
   values->left = left;
   if (values->shared && !stored) {
      free(left);
      values->left = NULL;
   }
}

static struct values
find_values(struct card *card, struct hdb_wave *wave, struct watch *watch, const struct access *access)
{
   struct values values = {.now = watch_read(watch, wave)};
   if (access->found && access->found_known && access->left_known && !watch->in_scratch) {
      follow(watch, access, &values);
   } else if (access->kinds == WATCH_READS) {
      values.found = copy_bytes(watch, values.now);
      values.left = copy_bytes(watch, values.now);
   } else {
      conclude(card, wave, watch, access, &values);
   }
   return values;
}

/* ---- hits ---- */

/* Reading counts where it is watched for, writing where it has changed something. Of an instruction whose addresses are
 * not known, and on a card that reports late, only a change says that this was it. */
static bool
is_hit(const struct watch *watch, const struct access *access, bool changed)
{
   bool reads = access->kinds & WATCH_READS && watch->access & WATCH_READS;
   bool writes = access->kinds & WATCH_WRITES && watch->access & WATCH_WRITES;
   bool any = watch->access == (WATCH_READS | WATCH_WRITES);
   return access->found ? reads || (writes && (changed || any)) : changed && watch->access & WATCH_WRITES;
}

static void
note(struct hdb_engine *engine, struct hdb_wave *wave, struct watch *watch, const struct access *access,
     const struct values *values)
{
   const uint8_t *old = values->shared ? watch->bytes : values->found;
   const uint8_t *last = values->left ? values->left : values->found;
   bool news = values->now && differ(watch, last, values->now);
   struct watch_hit hit = {
      .wave = wave->id,
      .period = watch->period,
      .access = access->kinds,
      .found = access->found,
      .which = access->which,
      .pc = access->pc,
      .changed = values->changed,
      .shared = values->shared,
      .left = copy_bytes(watch, values->left),
      .old_text = old && values->changed ? watch_print(engine, watch, wave, old) : NULL,
      .new_text = values->left ? watch_print(engine, watch, wave, values->left) : NULL,
      .now_text = news ? watch_print(engine, watch, wave, values->now) : NULL,
   };
   watch_note_hit(watch, &hit);
}

uint64_t
watch_judge(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave, struct watch *watch)
{
   if (watch->in_register)
      return watch_judge_register(engine, card, wave, watch);
   if (watch->card != card || wave->cause != HDB_STOP_WATCH || !is_concerned(watch, wave))
      return 0;
   struct access access = watch_find_access(card, wave, watch);
   if (access.elsewhere)
      return 0;
   struct values values = find_values(card, wave, watch, &access);
   bool hit = is_hit(watch, &access, values.changed);
   if (hit)
      note(engine, wave, watch, &access, &values);
   free(values.found);
   free(values.left);
   free(values.now);
   return !hit ? 0 : access.found ? access.lanes : watch_possible_lanes(wave);
}

uint64_t
watch_order(struct card *card, const struct hdb_wave *wave)
{
   struct hdb_watched done;
   return wave->cause == HDB_STOP_WATCH && !hdb_machine_read_watched(card->machine, wave, &done) ? done.order : 0;
}

/* ---- what is told ---- */

static const char *
name_access(const struct watch_hit *hit)
{
   static const char *const names[] = {"", "read", "write", "read and write"};
   return names[hit->access & 3];
}

static void
set_text(json_t *json, const char *key, const char *text)
{
   if (text)
      json_object_set_new(json, key, json_string(text));
}

static void
describe_instruction(struct hdb_engine *engine, const struct watch *watch, struct hdb_wave *wave, uint64_t pc,
                     json_t *json)
{
   char instruction[128];
   struct hdb_position position = {0};
   json_object_set_new(json, "pc", json_sprintf("0x%" PRIx64, pc));
   if (engine_disassemble(watch->card->machine, wave->wave_size, pc, instruction, sizeof(instruction)) >= 0)
      json_object_set_new(json, "instruction", json_string(instruction));
   if (!wave->shader || !engine_position(engine, wave->shader, pc, &position) || !position.file)
      return;
   char *text = engine_line_text(engine, wave->shader, &position);
   json_object_set_new(json, "file", json_string(position.file));
   json_object_set_new(json, "line", json_integer(position.line));
   set_text(json, "text", text);
   free(text);
}

json_t *
watch_describe_hit(struct hdb_engine *engine, const struct watch *watch, struct hdb_wave *wave)
{
   const struct watch_hit *hit = find_hit(watch, wave->id);
   if (!hit)
      return NULL;
   json_t *json = json_pack("{s:s, s:s, s:b, s:b, s:b}", "expression", watch->expression, "access", name_access(hit),
                            "precise", watch->in_register || hdb_machine_has_precise_watches(watch->card->machine),
                            "shared", hit->shared, "lanesKnown", hit->which);
   set_text(json, "old", hit->old_text);
   set_text(json, "new", hit->new_text);
   set_text(json, "now", hit->now_text);
   if (hit->found)
      describe_instruction(engine, watch, wave, hit->pc, json);
   return json;
}

void
watch_tell_hit(const struct watch *watch, const struct hdb_wave *wave, json_t *body)
{
   const struct watch_hit *hit = find_hit(watch, wave->id);
   if (!hit)
      return;
   const char *new = hit->new_text ? hit->new_text : "?";
   json_object_set_new(body, "description", json_sprintf("%s of %s", name_access(hit), watch->expression));
   json_object_set_new(body, "text",
                       hit->changed && hit->old_text && !hit->shared
                          ? json_sprintf("%s: %s -> %s", watch->expression, hit->old_text, new)
                          : json_sprintf("%s: %s", watch->expression, new));
}
