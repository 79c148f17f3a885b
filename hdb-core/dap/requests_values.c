/* SPDX-License-Identifier: MIT */
/* Requests of hdb's own about values: all lanes at once, types, addresses; and completion. See docs/protocol.md. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dap/inspection.h"

struct evaluation {
   struct hdb_context context;
   struct hdb_expr_request request;
};

static int
need_evaluation(struct request *request, struct evaluation *evaluation)
{
   struct card *card;
   struct hdb_wave *wave;
   uint32_t frame;
   const char *text = get_string(request->arguments, "expression");
   if (!text)
      return request_fail(request, "expression: a string expected");
   int result = need_frame(request, &card, &wave, &frame);
   if (result)
      return result;
   evaluation->context = engine_context(request->engine, card, wave, frame, focus_lane_of(request->engine, card, wave));
   evaluation->request = (struct hdb_expr_request){
      .context = &evaluation->context,
      .store = inspection_store(request_inspection(request)),
      .text = text,
      .flags = HDB_EXPR_PURE,
   };
   return 0;
}

/* ---- all lanes ---- */

static int
give_values(struct request *request, const struct evaluation *evaluation)
{
   char *values[64];
   int result = hdb_expr_lanes(&evaluation->request, values, &request->error);
   if (result)
      return result;
   json_t *lanes = json_array();
   const char *first = NULL;
   bool uniform = true;
   for (uint32_t lane = 0; lane < 64; lane++) {
      if (!values[lane])
         continue;
      uniform &= !first || strcmp(first, values[lane]) == 0;
      first = first ? first : values[lane];
      json_array_append_new(lanes, json_pack("{s:I, s:s}", "lane", (json_int_t)lane, "value", values[lane]));
   }
   request->body = json_pack("{s:o, s:b}", "lanes", lanes, "uniform", uniform);
   for (uint32_t lane = 0; lane < 64; lane++)
      free(values[lane]);
   return 0;
}

static int
give_where(struct request *request, const struct evaluation *evaluation)
{
   uint64_t found;
   int result = hdb_expr_where(&evaluation->request, &found, &request->error);
   if (result)
      return result;
   json_t *lanes = json_array();
   for (uint32_t lane = 0; lane < 64; lane++) {
      if (found >> lane & 1)
         json_array_append_new(lanes, json_integer(lane));
   }
   request->body = json_pack("{s:o, s:I}", "lanes", lanes, "active",
                             (json_int_t)__builtin_popcountll(active_lanes(evaluation->context.wave)));
   return 0;
}

static int
give_statistics(struct request *request, const struct evaluation *evaluation)
{
   struct hdb_expr_statistics statistics;
   int result = hdb_expr_statistics(&evaluation->request, &statistics, &request->error);
   if (result)
      return result;
   json_t *components = json_array();
   for (uint32_t i = 0; i < statistics.components; i++) {
      const struct hdb_expr_spread *of = &statistics.of[i];
      json_array_append_new(components,
                            json_pack("{s:s, s:s, s:s, s:I, s:I, s:I}", "least", of->least, "most", of->most, "mean",
                                      of->mean, "nans", (json_int_t)of->nans, "infinities", (json_int_t)of->infinities,
                                      "distinct", (json_int_t)of->distinct));
   }
   request->body = json_pack("{s:o, s:I, s:I}", "components", components, "active", (json_int_t)statistics.lanes,
                             "unavailable", (json_int_t)statistics.unavailable);
   return 0;
}

int
handle_hdb_lanes(struct request *request)
{
   struct evaluation evaluation;
   const char *what = get_string(request->arguments, "what");
   int result = need_evaluation(request, &evaluation);
   if (result)
      return result;
   if (!what || strcmp(what, "values") == 0)
      return give_values(request, &evaluation);
   if (strcmp(what, "where") == 0)
      return give_where(request, &evaluation);
   if (strcmp(what, "statistics") == 0)
      return give_statistics(request, &evaluation);
   return request_fail(request, "what: values, where or statistics expected");
}

/* ---- types and addresses ---- */

int
handle_hdb_type(struct request *request)
{
   struct evaluation evaluation;
   char *definition, *name;
   int result = need_evaluation(request, &evaluation);
   result = result ? result : hdb_expr_type(&evaluation.request, &definition, &name, &request->error);
   if (result)
      return result;
   request->body = json_pack("{s:s, s:s}", "definition", definition, "name", name);
   free(definition);
   free(name);
   return 0;
}

int
handle_hdb_types(struct request *request)
{
   struct card *card;
   struct hdb_wave *wave;
   uint32_t frame;
   int result = need_frame(request, &card, &wave, &frame);
   if (result)
      return result;
   struct hdb_context context = engine_context(request->engine, card, wave, frame, 0);
   json_t *list = json_array(), *known = json_object();
   const struct hdb_type *type;
   for (size_t i = 0; context.symbols && (type = hdb_symbols_type(context.symbols, i)); i++) {
      if (!json_object_get(known, type->name))
         json_array_append_new(list, json_string(type->name));
      json_object_set_new(known, type->name, json_true());
   }
   json_decref(known);
   request->body = json_pack("{s:o}", "types", list);
   return 0;
}

/* "0x10" is in GPU memory, "LDS+0x10" in the workgroup's, "scratch+0x10" in the lane's. */
int
handle_hdb_address(struct request *request)
{
   static const char *const spaces[] = {[HDB_PLACE_LDS] = "LDS+", [HDB_PLACE_SCRATCH] = "scratch+"};
   struct evaluation evaluation;
   enum hdb_place_kind kind;
   uint64_t address;
   int result = need_evaluation(request, &evaluation);
   result = result ? result : hdb_expr_locate(&evaluation.request, &kind, &address, &request->error);
   if (!result)
      request->body = json_pack("{s:o}", "address",
                                json_sprintf("%s0x%" PRIx64, kind == HDB_PLACE_MEMORY ? "" : spaces[kind], address));
   return result;
}

/* ---- what a call has returned ---- */

int
handle_hdb_returned(struct request *request)
{
   struct card *card;
   struct hdb_wave *wave;
   uint32_t frame;
   json_int_t offset = get_integer(request->arguments, "spirvOffset", -1);
   if (offset <= 0 || offset > UINT32_MAX)
      return request_fail(request, "spirvOffset: a call's expected");
   int result = need_frame(request, &card, &wave, &frame);
   if (result)
      return result;
   struct hdb_context context =
      engine_context(request->engine, card, wave, frame, focus_lane_of(request->engine, card, wave));
   const struct hdb_symbol *symbol = context.symbols ? hdb_symbols_returned(context.symbols, offset) : NULL;
   if (!symbol)
      return request_fail(request, "there is no call that returns anything");
   struct hdb_place place;
   result = hdb_place_find(&context, symbol, &place, &request->error);
   if (result)
      return result;
   hdb_place_finish(&place);
   char id[16];
   snprintf(id, sizeof(id), "%%%u", symbol->id); /* a function's name need not be one of a variable */
   struct hdb_expr_request evaluation = {
      .context = &context,
      .store = inspection_store(request_inspection(request)),
      .text = id,
      .flags = HDB_EXPR_PURE | HDB_EXPR_RECORD,
      .root = symbol,
   };
   struct hdb_expr_result answer;
   result = hdb_expr_evaluate(&evaluation, &answer, &request->error);
   if (result)
      return result;
   request->body =
      json_pack("{s:s, s:s, s:I}", "result", answer.value, "type", answer.type, "history", (json_int_t)answer.history);
   hdb_expr_result_finish(&answer);
   return 0;
}

/* ---- printing ---- */

int
handle_hdb_set_print(struct request *request)
{
   json_int_t elements = get_integer(request->arguments, "elements", -1);
   struct inspection *inspection = request_inspection(request);
   if (!inspection)
      return -ENOMEM;
   if (elements < 0 || elements > UINT32_MAX)
      return request_fail(request, "elements: a number expected, 0 for as many as there are");
   hdb_expr_store_set_elements(inspection_store(inspection), elements ? elements : UINT32_MAX);
   return 0;
}

/* ---- completion ---- */

struct completion {
   json_t *targets;
   const char *prefix;
   json_int_t start, length;
};

static void
add_target(void *user, const char *name)
{
   const struct completion *completion = user;
   json_array_append_new(completion->targets, json_pack("{s:s, s:I, s:I}", "label", name, "start", completion->start,
                                                        "length", completion->length));
}

static void
add_member(void *user, const char *name, const char *expression, const struct hdb_expr_result *result)
{
   const struct completion *completion = user;
   if (name[0] != '[' && name[0] != '*' && strncmp(name, completion->prefix, strlen(completion->prefix)) == 0)
      add_target(user, name);
}

#define MAX_MEMBERS 1000

/* The members of what ends at text[end - 1], right in front of a point: names, points and numbers in brackets. */
static void
complete_member(struct request *request, const struct hdb_context *context, const char *text, size_t end,
                struct completion *completion)
{
   static const char characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.[]";
   size_t start = end;
   while (start > 0 && strchr(characters, text[start - 1]))
      start--;
   char *base = strndup(text + start, end - start), *error = NULL;
   struct hdb_expr_request of = {
      .context = context,
      .store = inspection_store(request_inspection(request)),
      .text = base,
      .flags = HDB_EXPR_PURE,
   };
   if (base && *base)
      hdb_expr_children(&of, 0, MAX_MEMBERS, add_member, completion, &error);
   free(error);
   free(base);
}

/* The name that ends at the cursor. */
int
handle_completions(struct request *request)
{
   static const char name_characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
   struct card *card;
   struct hdb_wave *wave;
   uint32_t frame;
   const char *text = get_string(request->arguments, "text");
   json_int_t column = get_integer(request->arguments, "column", 0);
   if (!text || column < 1 || column > (json_int_t)strlen(text) + 1)
      return request_fail(request, "text and a column in it expected");
   int result = need_frame(request, &card, &wave, &frame);
   if (result)
      return result;
   size_t end = column - 1, start = end;
   while (start > 0 && strchr(name_characters, text[start - 1]))
      start--;
   char *prefix = strndup(text + start, end - start);
   if (!prefix)
      return -ENOMEM;
   struct hdb_context context =
      engine_context(request->engine, card, wave, frame, focus_lane_of(request->engine, card, wave));
   struct completion completion = {json_array(), prefix, (json_int_t)start, (json_int_t)(end - start)};
   char before = start > 0 ? text[start - 1] : '\0';
   if (before == '.')
      complete_member(request, &context, text, start - 1, &completion);
   else if (before == '$')
      hdb_expr_complete_dollar(inspection_store(request_inspection(request)), prefix, add_target, &completion);
   else if (before != '>')
      hdb_expr_complete(&context, prefix, add_target, &completion);
   free(prefix);
   request->body = json_pack("{s:o}", "targets", completion.targets);
   return 0;
}
