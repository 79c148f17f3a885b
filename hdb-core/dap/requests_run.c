/* SPDX-License-Identifier: MIT */
/* Requests that set breakpoints and let waves run. */
#include <string.h>

#include "dap/inspection.h"

/* ---- breakpoints ---- */

static json_t *
refuse_breakpoint(const char *why)
{
   return json_pack("{s:b, s:s, s:s}", "verified", 0, "reason", "failed", "message", why);
}

static bool
is_conditional(const json_t *wanted)
{
   static const char *const fields[] = {"condition", "hitCondition", "logMessage"};
   for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
      const char *text = get_string(wanted, fields[i]);
      if (text && *text)
         return true;
   }
   return false;
}

static json_t *
set_one(struct hdb_engine *engine, const json_t *wanted, enum breakpoint_kind kind, const char *name, uint32_t line,
        uint32_t module, uint64_t address)
{
   if (is_conditional(wanted))
      return refuse_breakpoint("conditions and log messages are not supported");
   struct breakpoint *breakpoint = engine_add_breakpoint(engine, kind, name, line, address);
   if (!breakpoint)
      return refuse_breakpoint("out of memory");
   breakpoint->module = module;
   engine_bind_breakpoint(engine, breakpoint);
   return engine_describe_breakpoint(breakpoint);
}

int
handle_set_breakpoints(struct request *request)
{
   json_t *source = json_object_get(request->arguments, "source"), *wanted, *set = json_array();
   const char *file = get_string(source, "path");
   uint32_t module = get_integer(source, "sourceReference", 0);
   size_t i;
   request->body = json_pack("{s:o}", "breakpoints", set);
   if (!file)
      file = get_string(source, "name");
   if (!file || !*file)
      return request_fail(request, "source.path: a file expected");
   engine_remove_breakpoints(request->engine, BREAKPOINT_SOURCE, file, module);
   json_array_foreach (json_object_get(request->arguments, "breakpoints"), i, wanted) {
      json_int_t line = get_integer(wanted, "line", 0);
      json_array_append_new(set, line > 0 && line <= UINT32_MAX
                                    ? set_one(request->engine, wanted, BREAKPOINT_SOURCE, file, line, module, 0)
                                    : refuse_breakpoint("a line number from 1 expected"));
   }
   return 0;
}

int
handle_set_function_breakpoints(struct request *request)
{
   json_t *wanted, *set = json_array();
   size_t i;
   request->body = json_pack("{s:o}", "breakpoints", set);
   engine_remove_breakpoints(request->engine, BREAKPOINT_FUNCTION, NULL, 0);
   json_array_foreach (json_object_get(request->arguments, "breakpoints"), i, wanted) {
      const char *name = get_string(wanted, "name");
      json_array_append_new(set, name && *name ? set_one(request->engine, wanted, BREAKPOINT_FUNCTION, name, 0, 0, 0)
                                               : refuse_breakpoint("a name expected"));
   }
   return 0;
}

int
handle_set_instruction_breakpoints(struct request *request)
{
   json_t *wanted, *set = json_array(), *arguments = request->arguments;
   size_t i;
   request->body = json_pack("{s:o}", "breakpoints", set);
   engine_remove_breakpoints(request->engine, BREAKPOINT_INSTRUCTION, NULL, 0);
   json_array_foreach (json_object_get(arguments, "breakpoints"), i, wanted) {
      uint64_t address, before, behind;
      struct request item = {.engine = request->engine, .arguments = wanted};
      if (need_address(&item, "instructionReference", &address))
         json_array_append_new(set, refuse_breakpoint(item.error));
      else if (engine_splits_instruction(request->engine, address, &before, &behind) &&
               request_fail(&item, SPLIT_INSTRUCTION, address, before, behind))
         json_array_append_new(set, refuse_breakpoint(item.error ? item.error : "out of memory"));
      else
         json_array_append_new(set, set_one(request->engine, wanted, BREAKPOINT_INSTRUCTION, NULL, 0, 0, address));
      free(item.error);
   }
   return 0;
}

/* ---- running ---- */

int
handle_continue(struct request *request)
{
   if (!request->engine->stopped)
      return request_fail(request, "nothing is stopped");
   inspection_forget_handles(request->engine->inspection);
   request->body = json_pack("{s:b}", "allThreadsContinued", 1);
   return engine_continue(request->engine);
}

static int
step(struct request *request, enum hdb_line_step kind)
{
   struct card *card;
   struct hdb_wave *wave;
   const char *granularity = get_string(request->arguments, "granularity");
   bool by_instruction = granularity && strcmp(granularity, "instruction") == 0;
   json_int_t id = get_integer(request->arguments, "frameId", -1);
   uint32_t frame = 0;
   int result = need_stopped_wave(request, &card, &wave);
   if (!result && kind == HDB_STEP_OUT && id >= 0) {
      struct hdb_wave *of;
      result = need_frame(request, &card, &of, &frame);
      if (!result && of != wave)
         result = request_fail(request, "frameId: a frame of the thread expected");
   }
   if (result)
      return result;
   if (request->engine->focus_wave != wave->id) {
      request->engine->focus_lane = request->engine->chosen_lane = focus_lane_of(request->engine, card, wave);
      request->engine->focus_wave = wave->id;
   }
   inspection_forget_handles(request->engine->inspection);
   return engine_step(request->engine, wave, by_instruction, kind, frame, &request->error);
}

int
handle_next(struct request *request)
{
   return step(request, HDB_STEP_OVER);
}

int
handle_step_in(struct request *request)
{
   return step(request, HDB_STEP_INTO);
}

int
handle_step_out(struct request *request)
{
   return step(request, HDB_STEP_OUT);
}

int
handle_pause(struct request *request)
{
   if (request->engine->stopped && !request->engine->step.active)
      return request_fail(request, "the waves are stopped already");
   return engine_pause(request->engine, &request->error);
}
