/* SPDX-License-Identifier: MIT */
/* Expressions of a client, and what it assigns. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dap/inspection.h"

/* ---- assignment ---- */

/* The expression that stands for a part of what a handle refers to; to be freed. */
static char *
part_expression(const struct handle *handle, const char *name, uint32_t lane)
{
   char *text;
   int size;
   if (handle->kind == SCOPE_VECTOR_REGISTERS && !strchr(name, '['))
      size = asprintf(&text, "%s[%u]", name, lane);
   else if (handle->kind != SCOPE_VALUE)
      size = asprintf(&text, "%s", name);
   else if (name[0] == '[')
      size = asprintf(&text, "(%s)%s", handle->expression, name);
   else if (name[0] == '*')
      size = asprintf(&text, "*(%s)", handle->expression);
   else
      size = asprintf(&text, "(%s).%s", handle->expression, name);
   return size < 0 ? NULL : text;
}

/* The symbol that a scope lists by that name, and what to write for it (to be freed); NULL: there is none. */
static const struct hdb_symbol *
find_in_scope(const struct hdb_context *context, enum scope_kind kind, const char *name, char **spelling)
{
   size_t count;
   const struct hdb_symbol **symbols = list_symbols(context, &count), *found = NULL;
   for (size_t i = 0; i < count && !found; i++) {
      char *label = scope_has(kind, symbols[i]) ? symbol_label(context, symbols, count, symbols[i]) : NULL;
      if (label && strcmp(label, name) == 0)
         found = symbols[i];
      free(label);
   }
   *spelling = found ? symbol_spelling(context, symbols, count, found) : NULL;
   free(symbols);
   return found;
}

/* Assigns and answers with what the value is then. */
static int
assign(struct request *request, const struct handle *place, const struct hdb_context *context, const char *expression,
       const char *number)
{
   char *text;
   if (asprintf(&text, "%s = %s", expression, number) < 0)
      return -ENOMEM;
   struct hdb_expr_request assignment = {
      .context = context,
      .store = inspection_store(request_inspection(request)),
      .text = text,
      .flags = wants_hex(request) ? HDB_EXPR_HEX : 0,
      .root = place->root,
   };
   struct hdb_expr_result result;
   int error = hdb_expr_evaluate(&assignment, &result, &request->error);
   if (!error) {
      request->body = describe_variable(request, place, expression, expression, &result);
      json_object_del(request->body, "name");
   }
   hdb_expr_result_finish(&result);
   free(text);
   return error;
}

int
handle_set_variable(struct request *request)
{
   struct card *card;
   struct hdb_wave *wave;
   struct handle handle;
   const char *name = get_string(request->arguments, "name"), *number = get_string(request->arguments, "value");
   int result = need_handle(request, &card, &wave, &handle);
   if (result)
      return result;
   if (!name || !*name || !number)
      return request_fail(request, "name and value expected");
   struct hdb_context context = handle_context(request, card, wave, &handle);
   char *expression = NULL;
   if (handle.kind != SCOPE_VALUE)
      handle.root = find_in_scope(&context, handle.kind, name, &expression);
   if (!expression)
      expression = part_expression(&handle, name, context.lane);
   handle.lane = context.lane;
   handle.expression = NULL;
   result = expression ? assign(request, &handle, &context, expression, number) : -ENOMEM;
   free(expression);
   return result;
}

/* What an expression is evaluated in: the frame that the request names, and the lane in focus. */
static int
find_place(struct request *request, struct handle *place, struct hdb_context *context)
{
   struct card *card;
   struct hdb_wave *wave;
   *place = (struct handle){.kind = SCOPE_VALUE};
   int result = need_frame(request, &card, &wave, &place->frame);
   if (result)
      return result;
   place->wave = wave->id;
   place->lane = focus_lane_of(request->engine, card, wave);
   *context = handle_context(request, card, wave, place);
   return 0;
}

int
handle_set_expression(struct request *request)
{
   struct handle place;
   struct hdb_context context;
   const char *expression = get_string(request->arguments, "expression"),
              *number = get_string(request->arguments, "value");
   if (!expression || !*expression || !number)
      return request_fail(request, "expression and value expected");
   int result = find_place(request, &place, &context);
   if (result)
      return result;
   return assign(request, &place, &context, expression, number);
}

/* ---- evaluation ---- */

/* "$", "$$" and "$$2" mean something else as soon as the history has grown. */
static bool
counts_back(const char *text)
{
   while ((text = strchr(text, '$'))) {
      text++;
      if (!isalnum((unsigned char)*text) && *text != '_')
         return true;
   }
   return false;
}

int
handle_evaluate(struct request *request)
{
   struct handle place;
   struct hdb_context context;
   const char *expression = get_string(request->arguments, "expression"),
              *purpose = get_string(request->arguments, "context");
   if (!expression)
      return request_fail(request, "expression: a string expected");
   int result = find_place(request, &place, &context);
   if (result)
      return result;
   bool hover = purpose && strcmp(purpose, "hover") == 0, prompt = purpose && strcmp(purpose, "repl") == 0;
   struct hdb_expr_request evaluation = {
      .context = &context,
      .store = inspection_store(request_inspection(request)),
      .text = expression,
      .flags = (hover ? HDB_EXPR_PURE : 0) | (prompt ? HDB_EXPR_RECORD : 0) | (wants_hex(request) ? HDB_EXPR_HEX : 0),
   };
   struct hdb_expr_result answer;
   result = hdb_expr_evaluate(&evaluation, &answer, &request->error);
   if (result)
      return result;
   if (answer.assigned) /* looking at its parts must not assign again */
      answer.named = answer.indexed = answer.pointer = 0;
   char recorded[16];
   snprintf(recorded, sizeof(recorded), "$%u", answer.history);
   bool moves = answer.history && counts_back(expression);
   request->body = describe_variable(request, &place, "", moves ? recorded : expression, &answer);
   json_object_set_new(request->body, "result", json_string(answer.value));
   json_object_del(request->body, "name");
   json_object_del(request->body, "value");
   json_object_del(request->body, "evaluateName");
   if (answer.sharers)
      json_object_set_new(request->body, "sharers", json_string(answer.sharers));
   if (answer.history)
      json_object_set_new(request->body, "history", json_integer(answer.history));
   hdb_expr_result_finish(&answer);
   return 0;
}
