/* SPDX-License-Identifier: MIT */
/* Requests that set breakpoints: DAP sets all of a kind (and source) at once. */
#include <stdlib.h>
#include <string.h>

#include "dap/inspection.h"

json_t *
refuse_breakpoint(const char *why)
{
   return json_pack("{s:b, s:s, s:s}", "verified", 0, "reason", "failed", "message", why ? why : "out of memory");
}

/* ---- terms ---- */

#define MAX_LOG_ARGUMENTS 64

/* hdb's own: a format as printf's. */
static int
create_format(const json_t *wanted, const char *format, struct log **log, char **error)
{
   const char *expressions[MAX_LOG_ARGUMENTS];
   json_t *list = json_object_get(wanted, "hdb/arguments");
   size_t count = json_array_size(list);
   for (size_t i = 0; i < count && i < MAX_LOG_ARGUMENTS; i++) {
      expressions[i] = json_string_value(json_array_get(list, i));
      if (!expressions[i])
         count = SIZE_MAX;
   }
   if (count > MAX_LOG_ARGUMENTS) {
      *error = strdup("hdb/arguments: up to 64 strings expected");
      return -1;
   }
   *log = log_create_format(format, expressions, count, error);
   return *log ? 0 : -1;
}

/* 0, or -1 with an error. */
static int
create_log(const json_t *wanted, struct log **log, char **error)
{
   const char *message = get_string(wanted, "logMessage"), *format = get_string(wanted, "hdb/format");
   *log = NULL;
   if (format)
      return create_format(wanted, format, log, error);
   if (!message || !*message)
      return 0;
   *log = log_create(message, error);
   return *log ? 0 : -1;
}

int
set_breakpoint_terms(struct breakpoint *breakpoint, const json_t *wanted, char **error)
{
   struct log *log;
   if (create_log(wanted, &log, error))
      return -1;
   if (!breakpoint_set_terms(breakpoint, get_string(wanted, "condition"), get_string(wanted, "hitCondition"), log,
                             error))
      return 0;
   log_destroy(log);
   return -1;
}

static json_t *
set_one(struct hdb_engine *engine, const json_t *wanted, enum breakpoint_kind kind, const char *name, uint32_t line,
        uint32_t module, uint64_t address)
{
   char *error = NULL;
   struct breakpoint *breakpoint = engine_keep_breakpoint(engine, kind, name, line, module, address);
   bool added = !breakpoint;
   if (kind == BREAKPOINT_FUNCTION && selector_check(name, &error))
      breakpoint = NULL;
   else if (!breakpoint && (breakpoint = engine_add_breakpoint(engine, kind, name, line, address)))
      breakpoint->module = module;
   if (breakpoint && !breakpoint->place_count)
      engine_bind_breakpoint(engine, breakpoint);
   if (breakpoint && !set_breakpoint_terms(breakpoint, wanted, &error)) {
      if (added && kind == BREAKPOINT_FUNCTION)
         engine_catch_submitted(engine, breakpoint);
      breakpoint_update_message(breakpoint);
      return engine_describe_breakpoint(breakpoint);
   }
   if (breakpoint)
      breakpoint->forgotten = true;
   json_t *answer = refuse_breakpoint(error);
   free(error);
   return answer;
}

/* ---- the kinds ---- */

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
   engine_begin_breakpoints(request->engine, BREAKPOINT_SOURCE, file, module);
   json_array_foreach (json_object_get(request->arguments, "breakpoints"), i, wanted) {
      json_int_t line = get_integer(wanted, "line", 0);
      json_array_append_new(set, line > 0 && line <= UINT32_MAX
                                    ? set_one(request->engine, wanted, BREAKPOINT_SOURCE, file, line, module, 0)
                                    : refuse_breakpoint("a line number from 1 expected"));
   }
   engine_end_breakpoints(request->engine);
   if (json_array_size(set))
      engine_warn_if_unstoppable(request->engine);
   return 0;
}

int
handle_set_function_breakpoints(struct request *request)
{
   json_t *wanted, *set = json_array();
   size_t i;
   request->body = json_pack("{s:o}", "breakpoints", set);
   engine_begin_breakpoints(request->engine, BREAKPOINT_FUNCTION, NULL, 0);
   json_array_foreach (json_object_get(request->arguments, "breakpoints"), i, wanted) {
      const char *name = get_string(wanted, "name");
      char *error = NULL;
      if (!name || !*name)
         json_array_append_new(set, refuse_breakpoint("a name expected"));
      else if (selector_check(name, &error))
         json_array_append_new(set, refuse_breakpoint(error));
      else
         json_array_append_new(set, set_one(request->engine, wanted, BREAKPOINT_FUNCTION, name, 0, 0, 0));
      free(error);
   }
   engine_end_breakpoints(request->engine);
   if (json_array_size(set))
      engine_warn_if_unstoppable(request->engine);
   return 0;
}

int
handle_set_instruction_breakpoints(struct request *request)
{
   json_t *wanted, *set = json_array(), *arguments = request->arguments;
   size_t i;
   request->body = json_pack("{s:o}", "breakpoints", set);
   engine_begin_breakpoints(request->engine, BREAKPOINT_INSTRUCTION, NULL, 0);
   json_array_foreach (json_object_get(arguments, "breakpoints"), i, wanted) {
      uint64_t address, before, behind;
      struct request item = {.engine = request->engine, .arguments = wanted};
      if (need_address(&item, "instructionReference", &address))
         json_array_append_new(set, refuse_breakpoint(item.error));
      else if (engine_splits_instruction(request->engine, address, &before, &behind) &&
               request_fail(&item, SPLIT_INSTRUCTION, address, before, behind))
         json_array_append_new(set, refuse_breakpoint(item.error));
      else
         json_array_append_new(set, set_one(request->engine, wanted, BREAKPOINT_INSTRUCTION, NULL, 0, 0, address));
      free(item.error);
   }
   engine_end_breakpoints(request->engine);
   if (json_array_size(set))
      engine_warn_if_unstoppable(request->engine);
   return 0;
}

/* ---- what has become of them ---- */

int
handle_hdb_breakpoints(struct request *request)
{
   json_t *list = json_array();
   for (size_t i = 0; i < request->engine->breakpoint_count; i++) {
      const struct breakpoint *breakpoint = request->engine->breakpoints[i];
      if (breakpoint->kind != BREAKPOINT_OWN)
         json_array_append_new(list, engine_describe_breakpoint(breakpoint));
   }
   request->body = json_pack("{s:o}", "breakpoints", list);
   return 0;
}
