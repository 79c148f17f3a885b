/* SPDX-License-Identifier: MIT */
/* Requests of hdb's own, see docs/protocol.md. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dap/inspection.h"

static json_t *
json_triple(const uint32_t values[3])
{
   return json_pack("[I,I,I]", (json_int_t)values[0], (json_int_t)values[1], (json_int_t)values[2]);
}

/* ---- waves and dispatches ---- */

static json_t *
describe_wave(struct request *request, const struct hdb_wave *wave)
{
   char exec[17];
   struct hdb_position position = {0};
   struct dispatch *dispatch = engine_dispatch_of(request->engine, wave);
   if (wave->shader)
      engine_position(request->engine, wave->shader, wave->pc, &position);
   format_exec(wave, exec);
   json_t *json = json_pack("{s:I, s:s, s:s, s:s?, s:I, s:o, s:s, s:s?}", "id", (json_int_t)wave->id, "state",
                            wave->run == HDB_WAVE_STOPPED ? "stopped" : "running", "cause", cause_name(wave->cause),
                            "file", position.file, "line", (json_int_t)position.line, "pc", json_hex(wave->pc), "exec",
                            exec, "dispatch", dispatch ? dispatch->name : NULL);
   if (wave->workgroup_known) {
      json_object_set_new(json, "workgroup", json_triple(wave->workgroup));
      json_object_set_new(json, "index", json_integer(wave->index));
   }
   return json;
}

#define LIVE_SHOWN 32

/* What has not stopped, from registers: where it is, and why it may not. */
static int
add_live_waves(struct request *request, struct card *card, json_t *list)
{
   static const char *const states[] = {[HDB_LIVE_RUNNING] = "running",
                                        [HDB_LIVE_UNARMED] = "not attached to",
                                        [HDB_LIVE_BARRIER] = "in a barrier",
                                        [HDB_LIVE_ENDING] = "about to end",
                                        [HDB_LIVE_HANDLER] = "in the trap handler"};
   struct hdb_live_wave waves[LIVE_SHOWN];
   int count = hdb_machine_live_waves(card->machine, waves, LIVE_SHOWN);
   for (int i = 0; i < count && i < LIVE_SHOWN; i++) {
      struct hdb_position position = {0};
      uint32_t slot = waves[i].slot;
      if (waves[i].shader)
         engine_position(request->engine, waves[i].shader, waves[i].pc, &position);
      json_array_append_new(list,
                            json_pack("{s:[i,i,i,i,i], s:s, s:o, s:s?, s:I}", "place", slot >> 9, slot >> 8 & 1,
                                      slot >> 6 & 3, slot >> 4 & 3, slot & 15, "state", states[waves[i].state], "pc",
                                      json_hex(waves[i].pc), "file", position.file, "line", (json_int_t)position.line));
   }
   return count > 0 ? count : 0;
}

int
handle_hdb_waves(struct request *request)
{
   json_t *list = json_array(), *live = json_array();
   int live_count = 0;
   struct hdb_wave *const *waves;
   for (struct card *card = request->engine->cards; card; card = card->next) {
      hdb_machine_forget_ended(card->machine);
      size_t count = hdb_machine_waves(card->machine, &waves);
      for (size_t i = 0; i < count; i++)
         json_array_append_new(list, describe_wave(request, waves[i]));
      live_count += add_live_waves(request, card, live);
   }
   request->body = json_pack("{s:o, s:o, s:i}", "waves", list, "live", live, "liveCount", live_count);
   return 0;
}

int
handle_hdb_dispatches(struct request *request)
{
   struct hdb_engine *engine = request->engine;
   uint32_t stop_frame;
   json_int_t frame = get_integer(request->arguments, "frame", -1);
   json_t *list = json_array();
   for (struct card *card = engine->cards; card; card = card->next)
      hdb_machine_forget_ended(card->machine);
   for (size_t i = 0; i < engine->dispatch_count; i++) {
      if (frame < 0 || frame == engine->dispatches[i].frame)
         json_array_append_new(list, engine_describe_dispatch(engine, &engine->dispatches[i]));
   }
   request->body = json_pack("{s:o}", "dispatches", list);
   if (engine_is_in_stop_frame(engine, &stop_frame))
      json_object_set_new(request->body, "frame", json_integer(stop_frame));
   return 0;
}

int
handle_hdb_trigger(struct request *request)
{
   struct hdb_engine *engine = request->engine;
   const char *kind = get_string(request->arguments, "kind"), *file = get_string(request->arguments, "file");
   const char *which = get_string(request->arguments, "which");
   bool capture = kind && strcmp(kind, "capture") == 0;
   json_t *frame = json_object_get(request->arguments, "frame");
   if (!kind || (!capture && strcmp(kind, "stop") != 0))
      return request_fail(request, "kind: stop or capture expected");
   if (frame && !json_is_null(frame) && (!json_is_integer(frame) || json_integer_value(frame) < 0))
      return request_fail(request, "frame: a number expected");
   if (which && selector_check(which, &request->error))
      return -EINVAL;
   enum hdb_trigger trigger = capture ? HDB_TRIGGER_CAPTURE : HDB_TRIGGER_STOP;
   json_int_t wanted = json_is_integer(frame) ? json_integer_value(frame) : -1;
   int result = engine_trigger(engine, trigger, wanted, file, which, &request->error);
   if (result)
      return result;
   engine->triggers[trigger].of_session = request->session == engine->session;
   if (request->session == engine->session)
      engine->names_in_frames |= json_is_true(json_object_get(request->arguments, "namesInFrames"));
   request->body = json_pack("{s:I, s:b}", "frame", (json_int_t)engine->triggers[trigger].frame, "told",
                             request->session == engine->session);
   return 0;
}

/* ---- registers ---- */

static int
add_scalar(struct request *request, json_t *list, struct card *card, struct hdb_wave *wave, const char *name)
{
   char expression[32];
   snprintf(expression, sizeof(expression), "$%s", name);
   struct hdb_context context = engine_context(request->engine, card, wave, 0, 0);
   struct hdb_expr_request evaluation = {.context = &context, .text = expression, .flags = HDB_EXPR_PURE};
   struct hdb_expr_result answer;
   int result = hdb_expr_evaluate(&evaluation, &answer, &request->error);
   if (!result)
      json_array_append_new(list, json_pack("{s:s, s:s}", "name", name, "value", answer.value));
   hdb_expr_result_finish(&answer);
   return result;
}

static int
add_vector(json_t *list, struct card *card, struct hdb_wave *wave, uint32_t number)
{
   char name[16], text[16];
   uint32_t lanes[64];
   int result = hdb_wave_read_vgpr(card->machine, wave, number, lanes);
   if (result)
      return result;
   json_t *values = json_array();
   for (uint32_t i = 0; i < wave->wave_size; i++) {
      snprintf(text, sizeof(text), "0x%" PRIx32, lanes[i]);
      json_array_append_new(values, json_string(text));
   }
   snprintf(name, sizeof(name), "v%u", number);
   json_array_append_new(list, json_pack("{s:s, s:o}", "name", name, "lanes", values));
   return 0;
}

int
handle_hdb_registers(struct request *request)
{
   static const char *const special[] = {"pc", "exec", "vcc", "scc", "m0", "mode", "status"};
   struct card *card;
   struct hdb_wave *wave;
   char name[16];
   int result = need_wave(request, &card, &wave);
   if (result)
      return result;
   json_t *scalars = json_array(), *vectors = json_array();
   request->body = json_pack("{s:o, s:o}", "registers", scalars, "vgprs", vectors);
   for (size_t i = 0; !result && i < sizeof(special) / sizeof(special[0]); i++)
      result = add_scalar(request, scalars, card, wave, special[i]);
   for (uint32_t i = 0; !result && i < wave->sgpr_count; i++) {
      snprintf(name, sizeof(name), "s%u", i);
      result = add_scalar(request, scalars, card, wave, name);
   }
   for (uint32_t i = 0; !result && i < wave->vgpr_count; i++)
      result = add_vector(vectors, card, wave, i);
   return result;
}

/* ---- lines ---- */

#define MAX_PLACES 256

static void
add_places(json_t *list, struct engine_shader *shader, const char *file, uint32_t line)
{
   struct hdb_symbols *symbols = shader_symbols(shader);
   struct hdb_pc_range places[MAX_PLACES];
   uint64_t va = shader->shader->va;
   size_t count = symbols ? hdb_symbols_line_places(symbols, file, line, places, MAX_PLACES) : 0;
   for (size_t i = 0; i < count && i < MAX_PLACES; i++)
      json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "shader",
                                            shader->shader->entry_point ? shader->shader->entry_point : "", "low",
                                            json_hex(va + places[i].low), "high", json_hex(va + places[i].high)));
}

int
handle_hdb_line(struct request *request)
{
   struct hdb_engine *engine = request->engine;
   struct hdb_position position = {
      .file = get_string(request->arguments, "file"),
      .line = get_integer(request->arguments, "line", 0),
   };
   struct engine_shader *only = NULL;
   uint32_t module = get_integer(request->arguments, "module", 0);
   if (!position.file) {
      struct card *card;
      struct hdb_wave *wave;
      int result = need_wave(request, &card, &wave);
      if (result)
         return result;
      only = engine_find_shader(engine, wave->shader);
      if (!only || !engine_position(engine, wave->shader, wave->pc, &position))
         return request_fail(request, "no source line at 0x%" PRIx64, wave->pc);
   }
   json_t *places = json_array();
   char *text = NULL;
   for (struct hdb_device *device = engine->devices; device; device = device->next) {
      for (size_t i = 0; i < device->shader_count; i++) {
         struct engine_shader *shader = device->shaders[i];
         if ((only && shader != only) || (module && shader_module(shader) != module))
            continue;
         add_places(places, shader, position.file, position.line);
         if (!text)
            text = engine_line_text(engine, shader->shader, &position);
      }
   }
   request->body = json_pack("{s:s, s:I, s:s?, s:o}", "file", position.file, "line", (json_int_t)position.line, "text",
                             text, "places", places);
   free(text);
   return 0;
}

/* ---- focus ---- */

/* The last wave of a workgroup may be but partly filled. */
static uint32_t
count_lanes(const struct hdb_wave *wave)
{
   const uint32_t *size = wave->shader ? wave->shader->workgroup_size : NULL;
   uint64_t threads = size ? (uint64_t)size[0] * size[1] * size[2] : 0;
   uint64_t before = wave->workgroup_known ? (uint64_t)wave->index * wave->wave_size : 0;
   return threads > before && threads - before < wave->wave_size ? threads - before : wave->wave_size;
}

int
handle_hdb_set_lane(struct request *request)
{
   struct hdb_engine *engine = request->engine;
   struct card *card;
   struct hdb_wave *wave;
   int result = need_stopped_wave(request, &card, &wave);
   if (result)
      return result;
   json_int_t lane = get_integer(request->arguments, "lane", focus_lane_of(engine, card, wave));
   uint32_t lanes = count_lanes(wave);
   if (lane < 0 || lane >= lanes)
      return request_fail(request, "wave %u has lanes 0 to %u", wave->id, lanes - 1);
   engine->focus_wave = wave->id;
   engine->focus_lane = engine->chosen_lane = lane;
   request->body = json_pack("{s:I, s:b}", "lane", lane, "active", lane_is_active(wave, lane));
   return 0;
}

int
handle_hdb_set_filter(struct request *request)
{
   json_t *wanted = json_object_get(request->arguments, "workgroup");
   struct hdb_engine *engine = request->engine;
   uint32_t workgroup[3];
   bool filter = json_is_array(wanted) && json_array_size(wanted) == 3;
   if (!filter && !json_is_null(wanted))
      return request_fail(request, "workgroup: [x, y, z] or null expected");
   for (size_t i = 0; filter && i < 3; i++) {
      json_int_t id = json_integer_value(json_array_get(wanted, i));
      if (id < 0 || id > UINT32_MAX)
         return request_fail(request, "workgroup: %lld is out of range", (long long)id);
      workgroup[i] = id;
   }
   engine->filtered = filter;
   if (filter)
      memcpy(engine->filter, workgroup, sizeof(engine->filter));
   engine_apply_filter(engine);
   engine_check_filter(engine);
   return 0;
}
