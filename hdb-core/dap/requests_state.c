/* SPDX-License-Identifier: MIT */
/* Requests about the state of waves: threads, frames, scopes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dap/inspection.h"

/* Frames are numbered from the wave's thread id, so that nothing needs to be remembered. */
#define FRAMES_PER_THREAD 64
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

/* Which of names and values of arguments a frame's name is to show (DAP: StackFrameFormat). */
static bool
wants(const struct request *request, const char *what)
{
   return json_is_true(json_object_get(json_object_get(request->arguments, "format"), what));
}

static void
print_argument(struct request *request, FILE *out, const struct hdb_context *context, const struct hdb_symbol *symbol)
{
   char id[16];
   snprintf(id, sizeof(id), "%%%u", symbol->id); /* whatever its name means, or is */
   struct hdb_expr_request evaluation = {
      .context = context,
      .store = inspection_store(request_inspection(request)),
      .text = id,
      .flags = HDB_EXPR_PURE,
      .root = symbol,
   };
   struct hdb_expr_result result = {0};
   char *error = NULL;
   bool names = wants(request, "parameterNames"), values = wants(request, "parameterValues");
   if (names)
      fputs(symbol->name, out);
   if (values && hdb_expr_evaluate(&evaluation, &result, &error))
      fprintf(out, "%s<%s>", names ? "=" : "", error ? error : "?");
   else if (values)
      fprintf(out, "%s%s", names ? "=" : "", result.value);
   else if (!names)
      fputs(symbol->type->name, out);
   hdb_expr_result_finish(&result);
   free(error);
}

/* "spring (a=(1, 2), b=(3, 4))"; to be freed, NULL: no memory. */
static char *
name_frame(struct request *request, struct card *card, struct hdb_wave *wave, uint32_t frame, const char *function)
{
   char *text = NULL;
   size_t size, count;
   if (!wants(request, "parameters"))
      return strdup(function);
   struct hdb_context context =
      engine_context(request->engine, card, wave, frame, focus_lane_of(request->engine, card, wave));
   const struct hdb_symbol **symbols = list_symbols(&context, &count);
   FILE *out = open_memstream(&text, &size);
   if (out) {
      const char *separator = "";
      fprintf(out, "%s (", function);
      for (size_t i = 0; i < count; i++) {
         if (!scope_has(SCOPE_ARGUMENTS, symbols[i]))
            continue;
         fputs(separator, out);
         separator = ", ";
         print_argument(request, out, &context, symbols[i]);
      }
      fputc(')', out);
      if (fclose(out)) {
         free(text);
         text = NULL;
      }
   }
   free(symbols);
   return text;
}

static json_t *
describe_frame(struct request *request, struct card *card, struct hdb_wave *wave, uint32_t number,
               const struct hdb_frame *frame)
{
   struct engine_shader *shader = engine_find_shader(request->engine, wave->shader);
   const char *function = frame->function;
   json_int_t id = (json_int_t)wave->id * FRAMES_PER_THREAD + number;
   if (!function)
      function = shader && shader->shader->entry_point ? shader->shader->entry_point : "??";
   char *name = name_frame(request, card, wave, number, function);
   json_t *json = json_pack("{s:I, s:s, s:I, s:I}", "id", id, "name", name ? name : function, "line",
                            (json_int_t)frame->position.line, "column", (json_int_t)frame->position.column);
   free(name);
   if (frame->position.file)
      json_object_set_new(json, "source", describe_source(request, shader, frame->position.file));
   if (frame->spirv_offset)
      json_object_set_new(json, "spirvOffset", json_integer(frame->spirv_offset));
   if (shader)
      json_object_set_new(json, "moduleId", json_integer(shader_module(shader)));
   if (number == 0)
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
   for (json_int_t i = start < 0 ? 0 : start; i < (json_int_t)count && (levels <= 0 || i < start + levels); i++)
      json_array_append_new(list, describe_frame(request, card, wave, (uint32_t)i, &frames[i]));
   request->body = json_pack("{s:o, s:I}", "stackFrames", list, "totalFrames", (json_int_t)count);
   return 0;
}

int
need_frame(struct request *request, struct card **card, struct hdb_wave **wave, uint32_t *frame)
{
   /* A thread, without a frame, is how hdb's own prompt says which wave it means. */
   json_int_t id = get_integer(request->arguments, "frameId", -1);
   json_int_t thread = id < 0 ? get_integer(request->arguments, "threadId", -1) : id / FRAMES_PER_THREAD;
   *frame = id < 0 ? 0 : id % FRAMES_PER_THREAD;
   if (thread < 0) {
      *card = request->engine->stopped;
      *wave = *card ? hdb_machine_find_wave((*card)->machine, request->engine->focus_wave) : NULL;
   } else {
      *wave = engine_find_wave(request->engine, thread, card);
   }
   return *wave ? 0 : request_fail(request, thread < 0 ? "no wave is stopped" : "the wave has ended");
}

/* ---- scopes ---- */

static const struct {
   enum scope_kind kind;
   const char *name, *hint; /* "%u": the lane */
   bool always;
} scopes[] = {
   {SCOPE_LOCALS, "Locals (lane %u)", "locals", false},
   {SCOPE_ARGUMENTS, "Arguments", "arguments", false},
   {SCOPE_GLOBALS, "Globals (lane %u)", NULL, false},
   {SCOPE_WORKGROUP, "Workgroup", NULL, false},
   {SCOPE_RESOURCES, "Resources", NULL, false},
   {SCOPE_PUSH_CONSTANTS, "Push constants", NULL, false},
   {SCOPE_CONSTANTS, "Constants", NULL, false},
   {SCOPE_REGISTERS, "Registers", "registers", true},
   {SCOPE_VECTOR_REGISTERS, "Vector registers (lane %u)", "registers", true},
};

static json_t *
describe_scope(struct request *request, const struct hdb_context *context, size_t index, size_t count)
{
   struct handle handle = {.kind = scopes[index].kind, .wave = context->wave->id, .frame = context->frame};
   const char *lane = strstr(scopes[index].name, "%u");
   char name[64];
   snprintf(name, sizeof(name), "%.*s", lane ? (int)(lane - scopes[index].name) : 63, scopes[index].name);
   if (lane)
      snprintf(name + strlen(name), sizeof(name) - strlen(name), "%u)", context->lane);
   json_t *json = json_pack("{s:s, s:I, s:b, s:s?}", "name", name, "variablesReference",
                            inspection_add(request_inspection(request), &handle), "expensive", 0, "presentationHint",
                            scopes[index].hint);
   if (!scopes[index].hint)
      json_object_del(json, "presentationHint");
   if (count)
      json_object_set_new(json, "namedVariables", json_integer((json_int_t)count));
   return json;
}

int
handle_scopes(struct request *request)
{
   struct card *card;
   struct hdb_wave *wave;
   uint32_t frame;
   size_t count;
   int result = need_frame(request, &card, &wave, &frame);
   if (result)
      return result;
   struct hdb_context context =
      engine_context(request->engine, card, wave, frame, focus_lane_of(request->engine, card, wave));
   const struct hdb_symbol **symbols = list_symbols(&context, &count);
   json_t *list = json_array();
   for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
      size_t has = 0;
      for (size_t s = 0; s < count; s++)
         has += scope_has(scopes[i].kind, symbols[s]);
      if (has || scopes[i].always)
         json_array_append_new(list, describe_scope(request, &context, i, has));
   }
   free(symbols);
   request->body = json_pack("{s:o}", "scopes", list);
   return 0;
}
