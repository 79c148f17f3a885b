/* SPDX-License-Identifier: MIT */
/* Requests about the state of waves. */
#include <stdio.h>
#include <string.h>

#include "dap/requests.h"
#include "expr/expr.h"

/* Frames and scopes are numbered from the wave's thread id, so that nothing needs to be remembered. */
#define FRAMES_PER_THREAD 64
#define SCOPES_PER_THREAD 4

enum scope { SCOPE_REGISTERS = 1, SCOPE_VECTOR_REGISTERS = 2 };

#define MAX_FRAMES 32

/* ---- threads and frames ---- */

int
handle_threads(struct request *request)
{
   json_t *threads = json_array();
   struct hdb_wave *const *waves;
   for (struct card *card = request->engine->cards; card; card = card->next) {
      size_t count = hdb_machine_waves(card->machine, &waves);
      for (size_t i = 0; i < count; i++) {
         const struct hdb_wave *wave = waves[i];
         char name[128], group[64] = "unknown", exec[17];
         if (wave->run != HDB_WAVE_STOPPED)
            continue;
         if (wave->workgroup_known)
            snprintf(group, sizeof(group), "%u,%u,%u", wave->workgroup[0], wave->workgroup[1], wave->workgroup[2]);
         format_exec(wave, exec);
         snprintf(name, sizeof(name), "wave %u  workgroup %s  lanes %s", wave->id, group, exec);
         json_array_append_new(threads, json_pack("{s:I, s:s}", "id", (json_int_t)wave->id, "name", name));
      }
   }
   request->body = json_pack("{s:o}", "threads", threads);
   return 0;
}

static json_t *
describe_frame(struct request *request, struct engine_shader *shader, const struct hdb_wave *wave, json_int_t id,
               const struct hdb_frame *frame)
{
   const char *name = frame->function;
   if (!name)
      name = shader && shader->shader->entry_point ? shader->shader->entry_point : "??";
   json_t *json = json_pack("{s:I, s:s, s:I, s:I}", "id", id, "name", name, "line", (json_int_t)frame->position.line,
                            "column", (json_int_t)frame->position.column);
   if (frame->position.file)
      json_object_set_new(json, "source", describe_source(request, shader, frame->position.file));
   if (shader)
      json_object_set_new(json, "moduleId", json_integer(shader_module(shader)));
   if (id % FRAMES_PER_THREAD == 0)
      json_object_set_new(json, "instructionPointerReference", json_hex(wave->pc));
   return json;
}

int
handle_stack_trace(struct request *request)
{
   struct card *card;
   struct hdb_wave *wave;
   int result = need_wave(request, &card, &wave);
   if (result)
      return result;
   struct engine_shader *shader = engine_find_shader(request->engine, wave->shader);
   struct hdb_symbols *symbols = shader ? shader_symbols(shader) : NULL;
   struct hdb_frame frames[MAX_FRAMES] = {{.spirv_offset = 0}};
   size_t count = symbols ? hdb_symbols_frames(symbols, wave->pc - wave->shader->va, frames, MAX_FRAMES) : 0;
   if (count > MAX_FRAMES)
      count = MAX_FRAMES;
   if (count == 0)
      count = 1; /* without lines, the machine code is all there is */

   json_t *list = json_array();
   json_int_t start = get_integer(request->arguments, "startFrame", 0),
              levels = get_integer(request->arguments, "levels", 0);
   json_int_t base = (json_int_t)wave->id * FRAMES_PER_THREAD;
   for (json_int_t i = start < 0 ? 0 : start; i < (json_int_t)count && (levels <= 0 || i < start + levels); i++)
      json_array_append_new(list, describe_frame(request, shader, wave, base + i, &frames[i]));
   request->body = json_pack("{s:o, s:I}", "stackFrames", list, "totalFrames", (json_int_t)count);
   return 0;
}

static int
need_frame_wave(struct request *request, struct card **card, struct hdb_wave **wave)
{
   /* A thread, without a frame, is how hdb's own prompt says which wave it means. */
   json_int_t frame = get_integer(request->arguments, "frameId", -1);
   json_int_t thread = frame < 0 ? get_integer(request->arguments, "threadId", -1) : frame / FRAMES_PER_THREAD;
   if (thread < 0) {
      *card = request->engine->stopped;
      *wave = *card ? hdb_machine_find_wave((*card)->machine, request->engine->focus_wave) : NULL;
   } else {
      *wave = engine_find_wave(request->engine, thread, card);
   }
   return *wave ? 0 : request_fail(request, thread < 0 ? "no wave is stopped" : "the wave has ended");
}

/* ---- registers ---- */

int
handle_scopes(struct request *request)
{
   struct card *card;
   struct hdb_wave *wave;
   int result = need_frame_wave(request, &card, &wave);
   if (result)
      return result;
   char name[64];
   json_int_t base = (json_int_t)wave->id * SCOPES_PER_THREAD;
   snprintf(name, sizeof(name), "Vector registers (lane %u)", focus_lane_of(request->engine, card, wave));
   request->body =
      json_pack("{s:[{s:s, s:s, s:I, s:b}, {s:s, s:s, s:I, s:b}]}", "scopes", "name", "Registers", "presentationHint",
                "registers", "variablesReference", base + SCOPE_REGISTERS, "expensive", 0, "name", name,
                "presentationHint", "registers", "variablesReference", base + SCOPE_VECTOR_REGISTERS, "expensive", 0);
   return 0;
}

static void
add_register(json_t *list, struct card *card, struct hdb_wave *wave, const char *name, const char *expression)
{
   char *value, *error;
   if (hdb_expr_evaluate(expression, card->machine, wave, &value, &error)) {
      free(error);
      return;
   }
   json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:i}", "name", name, "value", value, "evaluateName",
                                         expression, "variablesReference", 0));
   free(value);
}

static const char *const special_registers[] = {"$pc", "$exec", "$vcc", "$scc", "$m0", "$mode", "$status"};

static void
list_scalars(json_t *list, struct card *card, struct hdb_wave *wave)
{
   char name[16];
   for (size_t i = 0; i < sizeof(special_registers) / sizeof(special_registers[0]); i++)
      add_register(list, card, wave, special_registers[i], special_registers[i]);
   for (uint32_t i = 0; i < wave->sgpr_count; i++) {
      snprintf(name, sizeof(name), "$s%u", i);
      add_register(list, card, wave, name, name);
   }
}

static int
need_scope(struct request *request, struct card **card, struct hdb_wave **wave, enum scope *scope)
{
   json_int_t reference = get_integer(request->arguments, "variablesReference", -1);
   *scope = reference > 0 ? reference % SCOPES_PER_THREAD : 0;
   *wave = reference > 0 ? engine_find_wave(request->engine, reference / SCOPES_PER_THREAD, card) : NULL;
   if (!*wave || (*scope != SCOPE_REGISTERS && *scope != SCOPE_VECTOR_REGISTERS))
      return request_fail(request, "no such variables");
   return 0;
}

int
handle_variables(struct request *request)
{
   struct card *card;
   struct hdb_wave *wave;
   enum scope scope;
   int result = need_scope(request, &card, &wave, &scope);
   if (result)
      return result;
   json_t *list = json_array();
   uint32_t lane = focus_lane_of(request->engine, card, wave);
   if (scope == SCOPE_REGISTERS)
      list_scalars(list, card, wave);
   for (uint32_t i = 0; scope == SCOPE_VECTOR_REGISTERS && i < wave->vgpr_count; i++) {
      char name[16], expression[32];
      snprintf(name, sizeof(name), "$v%u", i);
      snprintf(expression, sizeof(expression), "$v%u[%u]", i, lane);
      add_register(list, card, wave, name, expression);
   }
   request->body = json_pack("{s:o}", "variables", list);
   return 0;
}

int
handle_set_variable(struct request *request)
{
   struct card *card;
   struct hdb_wave *wave;
   enum scope scope;
   char expression[256], *value;
   const char *name = get_string(request->arguments, "name"), *number = get_string(request->arguments, "value");
   int result = need_scope(request, &card, &wave, &scope);
   if (result)
      return result;
   if (!name || !number)
      return request_fail(request, "name and value expected");
   if (scope == SCOPE_VECTOR_REGISTERS && !strchr(name, '['))
      snprintf(expression, sizeof(expression), "%s[%u] = %s", name, focus_lane_of(request->engine, card, wave), number);
   else
      snprintf(expression, sizeof(expression), "%s = %s", name, number);
   result = hdb_expr_evaluate(expression, card->machine, wave, &value, &request->error);
   if (result)
      return result;
   request->body = json_pack("{s:s}", "value", value);
   free(value);
   return 0;
}

int
handle_evaluate(struct request *request)
{
   struct card *card;
   struct hdb_wave *wave;
   char *value;
   const char *expression = get_string(request->arguments, "expression");
   if (!expression)
      return request_fail(request, "expression: a string expected");
   int result = need_frame_wave(request, &card, &wave);
   if (!result)
      result = hdb_expr_evaluate(expression, card->machine, wave, &value, &request->error);
   if (result)
      return result;
   request->body = json_pack("{s:s, s:i}", "result", value, "variablesReference", 0);
   free(value);
   return 0;
}
