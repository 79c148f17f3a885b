/* SPDX-License-Identifier: MIT */
/* Requests about watchpoints, which DAP calls data breakpoints. */
#include <stdlib.h>
#include <string.h>

#include "dap/inspection.h"
#include "engine/watch.h"

/* The expression that is meant: a child of what the client has a reference to, or any. */
static char *
find_expression(struct request *request, struct hdb_context *context)
{
   const char *name = get_string(request->arguments, "name");
   json_int_t reference = get_integer(request->arguments, "variablesReference", 0);
   struct card *card;
   struct hdb_wave *wave;
   uint32_t frame;
   char *expression = NULL;
   if (!name || !*name) {
      request_fail(request, "name: a variable or an expression expected");
      return NULL;
   }
   const struct handle *handle = reference ? inspection_find(request_inspection(request), reference) : NULL;
   if (handle) {
      wave = engine_find_wave(request->engine, handle->wave, &card);
      if (!wave) {
         request_fail(request, "the wave has ended");
         return NULL;
      }
      *context = handle_context(request, card, wave, handle);
   } else if (need_frame(request, &card, &wave, &frame)) {
      return NULL;
   } else {
      *context = engine_context(request->engine, card, wave, frame, focus_lane_of(request->engine, card, wave));
   }
   const char *separator = *name == '[' ? "" : ".";
   if (handle && handle->kind == SCOPE_VALUE && handle->expression)
      return asprintf(&expression, "%s%s%s", handle->expression, separator, name) < 0 ? NULL : expression;
   return strdup(name);
}

int
handle_data_breakpoint_info(struct request *request)
{
   struct hdb_context context;
   char *error = NULL, *expression = find_expression(request, &context);
   if (!expression)
      return -1;
   char *name = watch_name(&context, inspection_store(request_inspection(request)), expression, &error);
   if (name)
      request->body = json_pack("{s:s, s:s, s:[s,s,s], s:b}", "dataId", name, "description", expression, "accessTypes",
                                "read", "write", "readWrite", "canPersist", 0);
   else
      request->body = json_pack("{s:n, s:s}", "dataId", "description", error ? error : "out of memory");
   free(expression);
   free(name);
   free(error);
   return 0;
}

static enum watch_access
access_of(const json_t *wanted)
{
   const char *type = get_string(wanted, "accessType");
   return !type || strcmp(type, "write") == 0 ? WATCH_WRITES
          : strcmp(type, "read") == 0         ? WATCH_READS
                                              : WATCH_READS | WATCH_WRITES;
}

static json_t *
set_one(struct hdb_engine *engine, const json_t *wanted)
{
   const char *name = get_string(wanted, "dataId");
   enum watch_access access = access_of(wanted);
   char *error = NULL;
   if (!name)
      return refuse_breakpoint("dataId: a string expected");
   struct breakpoint *breakpoint = engine_keep_breakpoint(engine, BREAKPOINT_DATA, name, access, 0, 0);
   struct watch *watch = breakpoint ? NULL : watch_create(engine, name, access, &error);
   if (watch)
      breakpoint = engine_add_breakpoint(engine, BREAKPOINT_DATA, name, access, 0);
   if (watch && breakpoint)
      breakpoint->watch = watch;
   else
      watch_destroy(watch);
   if (breakpoint && !set_breakpoint_terms(breakpoint, wanted, &error))
      return json_integer(breakpoint->id);
   if (breakpoint)
      breakpoint->forgotten = true;
   json_t *answer = refuse_breakpoint(error);
   free(error);
   return answer;
}

/* What the registers make of them shows once all are known. */
int
handle_set_data_breakpoints(struct request *request)
{
   struct hdb_engine *engine = request->engine;
   json_t *wanted, *set = json_array();
   size_t i;
   request->body = json_pack("{s:o}", "breakpoints", set);
   engine_begin_breakpoints(engine, BREAKPOINT_DATA, NULL, 0);
   json_array_foreach (json_object_get(request->arguments, "breakpoints"), i, wanted)
      json_array_append_new(set, set_one(engine, wanted));
   engine_end_breakpoints(engine);
   json_array_foreach (set, i, wanted) {
      struct breakpoint *breakpoint =
         json_is_integer(wanted) ? engine_breakpoint(engine, json_integer_value(wanted)) : NULL;
      if (breakpoint)
         json_array_set_new(set, i, engine_describe_breakpoint(breakpoint));
   }
   return 0;
}
