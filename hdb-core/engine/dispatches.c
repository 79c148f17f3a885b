/* SPDX-License-Identifier: MIT */
/* The dispatches that were submitted while a debugger was connected, and how many waves they have. */
#include "engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

/* Finished dispatches are remembered up to this many. */
#define MAX_HISTORY 16384

/* ---- the list ---- */

static void
free_dispatch(struct dispatch *dispatch)
{
   free(dispatch->name);
   free(dispatch->program);
   free(dispatch->file);
   free(dispatch->entry);
   free(dispatch->labels);
   free(dispatch->label);
   free(dispatch->queue);
   free(dispatch->seen);
   free(dispatch->record);
}

void
engine_trim_history(struct hdb_engine *engine)
{
   size_t dropped = 0;
   if (engine->dispatch_count < MAX_HISTORY || engine->submits)
      return;
   while (dropped < engine->dispatch_count && engine->dispatches[dropped].state != DISPATCH_SUBMITTED)
      free_dispatch(&engine->dispatches[dropped++]);
   engine->dispatch_count -= dropped;
   memmove(engine->dispatches, engine->dispatches + dropped, engine->dispatch_count * sizeof(*engine->dispatches));
}

static void
name_program(struct dispatch *dispatch, struct engine_shader *shader)
{
   struct hdb_symbols *symbols = shader && !dispatch->rays ? shader_symbols(shader) : NULL;
   const char *file = symbols ? hdb_symbols_file_name(symbols, 0) : NULL;
   const char *entry = shader && shader->shader->entry_point ? shader->shader->entry_point : "main";
   dispatch->file = file ? strdup(file) : NULL;
   dispatch->entry = shader ? strdup(entry) : NULL;
   if (dispatch->rays || !shader)
      dispatch->program = strdup(dispatch->rays ? "ray tracing" : "unknown shader");
   else
      dispatch->program = shader_program(shader);
}

static void
copy_labels(struct dispatch *dispatch, const struct hdb_offer *offer)
{
   size_t size = 0;
   for (uint32_t i = 0; i < offer->label_count; i++)
      size += strlen(offer->labels + size) + 1;
   dispatch->labels = size ? malloc(size) : NULL;
   if (dispatch->labels) {
      memcpy(dispatch->labels, offer->labels, size);
      dispatch->label_count = offer->label_count;
   }
}

bool
engine_add_dispatch(struct hdb_engine *engine, const struct submit_job *submit, const struct hdb_offer *offer)
{
   struct engine_shader *shader = device_find_shader(submit->device, offer->record.shader_id);
   bool rays = dispatch_traces_rays(&offer->record, shader);
   struct dispatch *dispatch = array_append(engine->dispatches, engine->dispatch_count);
   if (!dispatch)
      return false;
   if (offer->number)
      engine->dispatches_seen = *offer->number;
   *dispatch = (struct dispatch){
      .number = engine->dispatches_seen++,
      .device = submit->device,
      .shader_id = offer->record.shader_id,
      .rays = rays,
      .internal = offer->record.flags & HDB_DISPATCH_INTERNAL,
      .generated = offer->record.flags & HDB_DISPATCH_GENERATED,
      .conditional = offer->record.flags & HDB_DISPATCH_CONDITIONAL,
      .inverted = offer->record.flags & HDB_DISPATCH_INVERTED,
      .condition_va = offer->record.condition_va,
      .frame = offer->frame,
      .label = offer->label ? strdup(offer->label) : NULL,
      .queue = strdup(offer->queue_name),
      .token = submit->token,
      .rsrc2_dword = offer->record.rsrc2_dword,
      .state = DISPATCH_SUBMITTED,
   };
   name_program(dispatch, shader);
   copy_labels(dispatch, offer);
   dispatch->record = malloc(sizeof(*dispatch->record));
   if (dispatch->record)
      *dispatch->record = offer->record;
   dispatch->name = offer->pipeline_name && *offer->pipeline_name ? strdup(offer->pipeline_name)
                    : dispatch->program                           ? strdup(dispatch->program)
                                                                  : NULL;
   memcpy(dispatch->base, offer->record.base, sizeof(dispatch->base));
   if (shader) {
      memcpy(dispatch->workgroup, shader->shader->workgroup_size, sizeof(dispatch->workgroup));
      dispatch->wave_size = shader->shader->wave_size;
   }
   if (offer->record.flags & HDB_DISPATCH_INDIRECT)
      dispatch->indirect_va = offer->record.indirect_va;
   else if (!dispatch->generated)
      engine_size_dispatch(dispatch, offer->record.grid);
   return true;
}

/* ---- sizes ---- */

uint32_t
engine_waves_per_workgroup(const struct dispatch *dispatch)
{
   uint64_t threads = (uint64_t)dispatch->workgroup[0] * dispatch->workgroup[1] * dispatch->workgroup[2];
   return dispatch->wave_size ? (threads + dispatch->wave_size - 1) / dispatch->wave_size : 0;
}

void
engine_size_dispatch(struct dispatch *dispatch, const uint32_t grid[3])
{
   uint64_t waves = (uint64_t)grid[0] * grid[1] * grid[2] * engine_waves_per_workgroup(dispatch);
   memcpy(dispatch->grid, grid, sizeof(dispatch->grid));
   dispatch->waves = waves > UINT32_MAX ? UINT32_MAX : waves;
   dispatch->sized = true;
   if (dispatch->record) {
      memcpy(dispatch->record->grid, grid, sizeof(dispatch->record->grid));
      dispatch->record->flags &= ~HDB_DISPATCH_INDIRECT;
   }
}

bool
engine_dispatch_is_empty(const struct dispatch *dispatch)
{
   return dispatch->sized && (!dispatch->grid[0] || !dispatch->grid[1] || !dispatch->grid[2]);
}

/* Tokens rise along the list. */
size_t
engine_find_token(const struct hdb_engine *engine, uint64_t token)
{
   size_t low = 0, high = engine->dispatch_count;
   while (low < high) {
      size_t middle = (low + high) / 2;
      if (engine->dispatches[middle].token < token)
         low = middle + 1;
      else
         high = middle;
   }
   return low;
}

void
engine_forget_device_dispatches(struct hdb_engine *engine, const struct hdb_device *device)
{
   for (size_t i = 0; i < engine->dispatch_count; i++) {
      struct dispatch *dispatch = &engine->dispatches[i];
      if (dispatch->device == device) {
         dispatch->device = NULL;
         if (dispatch->state == DISPATCH_SUBMITTED)
            dispatch->state = DISPATCH_FINISHED;
      }
   }
   engine_check_stop_frame(engine);
}

void
engine_free_dispatches(struct hdb_engine *engine)
{
   for (size_t i = 0; i < engine->dispatch_count; i++)
      free_dispatch(&engine->dispatches[i]);
   free(engine->dispatches);
   engine->dispatches = NULL;
   engine->dispatch_count = 0;
}

/* With another indirect dispatch of the submission (an attached one): both read their grid in the same memory. What was
 * read there, when a wave of one of them began, may be the other's. */
static bool
shares_grid(const struct hdb_engine *engine, const struct dispatch *dispatch, bool attached)
{
   for (size_t i = engine_find_token(engine, dispatch->token);
        dispatch->indirect_va && i < engine->dispatch_count && engine->dispatches[i].token == dispatch->token; i++) {
      const struct dispatch *other = &engine->dispatches[i];
      if (other != dispatch && other->indirect_va == dispatch->indirect_va && (other->attached || !attached))
         return true;
   }
   return false;
}

/* With another one of the submission that is attached to: waves of either may have been taken for the other's. */
static bool
shares_shader(const struct hdb_engine *engine, const struct dispatch *dispatch)
{
   for (size_t i = engine_find_token(engine, dispatch->token);
        i < engine->dispatch_count && engine->dispatches[i].token == dispatch->token; i++) {
      const struct dispatch *other = &engine->dispatches[i];
      if (other != dispatch && other->shader_id == dispatch->shader_id && other->attached)
         return true;
   }
   return false;
}

bool
engine_dispatch_went_unseen(const struct hdb_engine *engine, const struct dispatch *dispatch)
{
   bool to_stop = dispatch->attached && (dispatch->asked_for || engine_names_dispatch(engine, dispatch));
   if (!to_stop || engine->filtered || dispatch->entries)
      return false;
   return dispatch->late || dispatch->conditional || (dispatch->generated && !shares_shader(engine, dispatch)) ||
          (dispatch->indirect_va && !shares_grid(engine, dispatch, true));
}

static json_t *
describe_labels(const struct dispatch *dispatch)
{
   json_t *list = json_array();
   const char *label = dispatch->labels;
   for (uint32_t i = 0; i < dispatch->label_count; i++, label += strlen(label) + 1)
      json_array_append_new(list, json_string(label));
   return list;
}

bool
engine_dispatch_may_be_empty(const struct dispatch *dispatch)
{
   return dispatch->conditional || dispatch->generated || dispatch->indirect_va;
}

json_t *
engine_describe_dispatch(const struct hdb_engine *engine, const struct dispatch *dispatch)
{
   const uint32_t *workgroup = dispatch->workgroup;
   return json_pack("{s:I, s:I, s:s?, s:s?, s:s?, s:s?, s:o, s:[I,I,I], s:s?, s:o, s:s?, s:b, s:b, s:b, s:s}", "number",
                    (json_int_t)dispatch->number, "frame", (json_int_t)dispatch->frame, "name", dispatch->name,
                    "program", dispatch->program, "file", dispatch->file, "entry", dispatch->entry, "grid",
                    engine_describe_grid(engine, dispatch), "workgroup", (json_int_t)workgroup[0],
                    (json_int_t)workgroup[1], (json_int_t)workgroup[2], "label", dispatch->label, "labels",
                    describe_labels(dispatch), "queue", dispatch->queue, "attached", dispatch->attached, "internal",
                    dispatch->internal, "generated", dispatch->generated, "state",
                    engine_describe_state(engine, dispatch));
}

json_t *
engine_describe_grid(const struct hdb_engine *engine, const struct dispatch *dispatch)
{
   const uint32_t *grid = dispatch->grid;
   return dispatch->sized && !shares_grid(engine, dispatch, false)
             ? json_pack("[I,I,I]", (json_int_t)grid[0], (json_int_t)grid[1], (json_int_t)grid[2])
             : json_null();
}

/* Whether it would have been seen to begin, if it had. Conditions, and sizes that are still to be read, can leave it
 * without waves: then it may be over. */
static bool
has_yet_to_begin(const struct hdb_engine *engine, const struct dispatch *dispatch)
{
   return !dispatch->entries && dispatch->sized && !dispatch->conditional && !engine->filtered &&
          engine_stops_at_entry(engine, dispatch) && dispatch_stops_waves(dispatch);
}

const char *
engine_describe_state(const struct hdb_engine *engine, const struct dispatch *dispatch)
{
   if (dispatch->state == DISPATCH_LOST)
      return "lost";
   if (engine_dispatch_is_empty(dispatch))
      return "empty";
   if (dispatch->state == DISPATCH_FINISHED)
      return "finished";
   if (engine_dispatch_has_waves(dispatch))
      return "running";
   if (dispatch->entries)
      return dispatch->sized && dispatch->entries >= dispatch->waves ? "finished" : "begun";
   return has_yet_to_begin(engine, dispatch) ? "pending" : "submitted";
}

/* ---- the filter by workgroup ---- */

static bool
has_workgroup(const struct dispatch *dispatch, const uint32_t workgroup[3])
{
   for (size_t i = 0; i < 3; i++) {
      if (workgroup[i] - dispatch->base[i] >= dispatch->grid[i])
         return false;
   }
   return true;
}

void
engine_check_dispatch_filter(struct hdb_engine *engine, const struct dispatch *dispatch)
{
   const uint32_t *filter = engine->filter, *grid = dispatch->grid, *base = dispatch->base;
   if (!engine->filtered || !dispatch->armed || !dispatch->sized || engine_dispatch_is_empty(dispatch) ||
       has_workgroup(dispatch, filter))
      return;
   char from[64] = "";
   if (base[0] || base[1] || base[2])
      snprintf(from, sizeof(from), " from %u,%u,%u on", base[0], base[1], base[2]);
   device_say(dispatch->device, "dispatch %u has no workgroup %u,%u,%u: it has %ux%ux%u%s, and nothing in it stops",
              dispatch->number, filter[0], filter[1], filter[2], grid[0], grid[1], grid[2], from);
}

/* What is captured stops with whichever of its waves comes first. */
void
engine_apply_filter(struct hdb_engine *engine)
{
   for (struct card *card = engine->cards; card; card = card->next) {
      const uint32_t *filter = engine_capture_filter(engine, card);
      if (!filter && engine->filtered && !engine_is_capturing(engine, card))
         filter = engine->filter;
      hdb_machine_set_workgroup_filter(card->machine, filter);
   }
}

void
engine_check_filter(struct hdb_engine *engine)
{
   for (size_t i = 0; i < engine->dispatch_count; i++) {
      if (engine->dispatches[i].state == DISPATCH_SUBMITTED)
         engine_check_dispatch_filter(engine, &engine->dispatches[i]);
   }
}
