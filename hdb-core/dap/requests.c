/* SPDX-License-Identifier: MIT */
/* The table of requests, those that begin and end a session, and what all handlers share. */
#include "dap/requests.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int
request_fail(struct request *request, const char *format, ...)
{
   va_list args;
   va_start(args, format);
   free(request->error);
   if (vasprintf(&request->error, format, args) < 0)
      request->error = NULL;
   va_end(args);
   return -EINVAL;
}

/* ---- arguments ---- */

json_int_t
get_integer(const json_t *arguments, const char *name, json_int_t otherwise)
{
   json_t *value = json_object_get(arguments, name);
   return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

const char *
get_string(const json_t *arguments, const char *name)
{
   return json_string_value(json_object_get(arguments, name));
}

int
need_wave(struct request *request, struct card **card, struct hdb_wave **wave)
{
   json_int_t thread = get_integer(request->arguments, "threadId", -1);
   *wave = engine_find_wave(request->engine, thread, card);
   return *wave ? 0 : request_fail(request, "no wave %" JSON_INTEGER_FORMAT, thread);
}

int
need_stopped_wave(struct request *request, struct card **card, struct hdb_wave **wave)
{
   int result = need_wave(request, card, wave);
   if (!result && (*wave)->run != HDB_WAVE_STOPPED)
      result = request_fail(request, "wave %u is running", (*wave)->id);
   if (!result && *card != request->engine->stopped)
      result = request_fail(request, "wave %u waits for another card's turn to end", (*wave)->id);
   return result;
}

int
need_address(struct request *request, const char *name, uint64_t *address)
{
   const char *text = get_string(request->arguments, name);
   char *end;
   errno = 0;
   *address = text ? strtoull(text, &end, 0) : 0;
   if (!text || end == text || *end || errno)
      return request_fail(request, "%s: a hexadecimal address expected", name);
   *address += get_integer(request->arguments, "offset", 0);
   return 0;
}

/* ---- pieces of answers ---- */

json_t *
json_hex(uint64_t value)
{
   char text[32];
   snprintf(text, sizeof(text), "0x%" PRIx64, value);
   return json_string(text);
}

uint32_t
focus_lane_of(struct hdb_engine *engine, const struct card *card, const struct hdb_wave *wave)
{
   if (card == engine->stopped && wave->id == engine->focus_wave && engine->focus_lane < wave->wave_size)
      return engine->focus_lane;
   return wave->exec ? __builtin_ctzll(wave->exec) % wave->wave_size : 0;
}

/* A file that the client can open itself needs no reference; text that is only in the module does. */
json_t *
describe_source(struct request *request, struct engine_shader *shader, const char *file)
{
   const char *slash = strrchr(file, '/');
   json_t *source = json_pack("{s:s, s:s}", "name", slash ? slash + 1 : file, "path", file);
   size_t size;
   if (access(file, R_OK) != 0 && shader && shader->symbols && hdb_symbols_source(shader->symbols, file, &size))
      json_object_set_new(source, "sourceReference", json_integer(shader_module(shader)));
   return source;
}

/* ---- beginning and end ---- */

static int
handle_initialize(struct request *request)
{
   json_t *zero_based = json_object_get(request->arguments, "linesStartAt1");
   if (json_is_false(zero_based))
      return request_fail(request, "lines are counted from 1 here");
   static const char *const capabilities[] = {
      "supportsConfigurationDoneRequest",
      "supportsFunctionBreakpoints",
      "supportsInstructionBreakpoints",
      "supportsSteppingGranularity",
      "supportsDisassembleRequest",
      "supportsReadMemoryRequest",
      "supportsWriteMemoryRequest",
      "supportsSetVariable",
      "supportsEvaluateForHovers",
      "supportTerminateDebuggee",
      "supportsDelayedStackTraceLoading",
      "supportsSetExpression",
      "supportsValueFormattingOptions",
      "supportsCompletionsRequest",
      "supportsConditionalBreakpoints",
      "supportsHitConditionalBreakpoints",
      "supportsLogPoints",
      "supportsDataBreakpoints",
   };
   request->body = json_object();
   for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++)
      json_object_set_new(request->body, capabilities[i], json_true());
   return 0;
}

static int
handle_attach(struct request *request)
{
   struct hdb_engine *engine = request->engine;
   json_t *ask = json_object_get(request->arguments, "ask");
   json_t *internal = json_object_get(request->arguments, "internal");
   engine->ask = json_is_boolean(ask) ? json_is_true(ask) : engine->options.ask;
   engine->ask_in_frames = engine->ask || json_is_true(json_object_get(request->arguments, "askInFrames"));
   engine->internal = json_is_boolean(internal) ? json_is_true(internal) : engine->options.internal;
   request->initialized = true;
   return 0;
}

static int
handle_configuration_done(struct request *request)
{
   request->configured = true;
   request->body =
      json_pack("{s:b, s:b}", "stops", engine_can_stop(request->engine), "holds", engine_holds_stop(request->engine));
   return 0;
}

static int
handle_set_exception_breakpoints(struct request *request)
{
   return 0; /* exceptions always stop; initialize offers no filters */
}

static int
handle_disconnect(struct request *request)
{
   request->goodbye = true;
   request->terminate = json_is_true(json_object_get(request->arguments, "terminateDebuggee"));
   return 0;
}

request_handler
find_request_handler(const char *command)
{
   static const struct {
      const char *command;
      request_handler handler;
   } table[] = {
      {"initialize", handle_initialize},
      {"attach", handle_attach},
      {"configurationDone", handle_configuration_done},
      {"disconnect", handle_disconnect},
      {"setExceptionBreakpoints", handle_set_exception_breakpoints},
      {"setBreakpoints", handle_set_breakpoints},
      {"setFunctionBreakpoints", handle_set_function_breakpoints},
      {"setInstructionBreakpoints", handle_set_instruction_breakpoints},
      {"continue", handle_continue},
      {"next", handle_next},
      {"stepIn", handle_step_in},
      {"stepOut", handle_step_out},
      {"pause", handle_pause},
      {"threads", handle_threads},
      {"stackTrace", handle_stack_trace},
      {"scopes", handle_scopes},
      {"variables", handle_variables},
      {"setVariable", handle_set_variable},
      {"setExpression", handle_set_expression},
      {"evaluate", handle_evaluate},
      {"completions", handle_completions},
      {"readMemory", handle_read_memory},
      {"writeMemory", handle_write_memory},
      {"disassemble", handle_disassemble},
      {"source", handle_source},
      {"dataBreakpointInfo", handle_data_breakpoint_info},
      {"setDataBreakpoints", handle_set_data_breakpoints},
      {"hdb/breakpoints", handle_hdb_breakpoints},
      {"hdb/waves", handle_hdb_waves},
      {"hdb/dispatches", handle_hdb_dispatches},
      {"hdb/registers", handle_hdb_registers},
      {"hdb/lanes", handle_hdb_lanes},
      {"hdb/type", handle_hdb_type},
      {"hdb/types", handle_hdb_types},
      {"hdb/address", handle_hdb_address},
      {"hdb/returned", handle_hdb_returned},
      {"hdb/setPrint", handle_hdb_set_print},
      {"hdb/line", handle_hdb_line},
      {"hdb/resources", handle_hdb_resources},
      {"hdb/image", handle_hdb_image},
      {"hdb/setLane", handle_hdb_set_lane},
      {"hdb/trigger", handle_hdb_trigger},
      {"hdb/setFilter", handle_hdb_set_filter},
      {"hdb/capture", handle_hdb_capture},
   };
   for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
      if (strcmp(table[i].command, command) == 0)
         return table[i].handler;
   }
   return NULL;
}
