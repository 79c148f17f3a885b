/* SPDX-License-Identifier: MIT */
/* Scopes, their variables and the parts of values. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dap/inspection.h"

#define MAX_LISTED 1000 /* elements that are sent at once when the client names no number */

/* ---- values ---- */

struct hdb_context
handle_context(struct request *request, struct card *card, struct hdb_wave *wave, const struct handle *handle)
{
   uint32_t lane = handle->kind == SCOPE_VALUE ? handle->lane : focus_lane_of(request->engine, card, wave);
   return engine_context(request->engine, card, wave, handle->frame, lane);
}

json_t *
describe_variable(struct request *request, const struct handle *place, const char *name, const char *expression,
                  const struct hdb_expr_result *result)
{
   json_int_t reference = 0;
   bool parts = result->named || result->indexed || result->pointer;
   if (parts) {
      struct handle handle = *place;
      handle.kind = SCOPE_VALUE;
      handle.expression = (char *)(expression ? expression : place->root ? place->root->name : name);
      reference = inspection_add(request_inspection(request), &handle);
   }
   json_t *json = json_pack("{s:s, s:s, s:s, s:I}", "name", name, "value", result->value, "type", result->type,
                            "variablesReference", reference);
   if (expression)
      json_object_set_new(json, "evaluateName", json_string(expression));
   if (result->named)
      json_object_set_new(json, "namedVariables", json_integer((json_int_t)result->named));
   if (result->indexed)
      json_object_set_new(json, "indexedVariables", json_integer((json_int_t)result->indexed));
   if (result->in_memory)
      json_object_set_new(json, "memoryReference", json_hex(result->address));
   if (result->pointer)
      json_object_set_new(json, "presentationHint", json_pack("{s:b}", "lazy", 1));
   else if (!result->settable && !parts)
      json_object_set_new(json, "presentationHint", json_pack("{s:[s]}", "attributes", "readOnly"));
   return json;
}

/* ---- the variables of a scope ---- */

struct listing {
   struct request *request;
   struct handle place;
   struct hdb_context context;
   uint32_t flags;
   json_t *list;
};

static struct hdb_expr_request
listing_request(const struct listing *listing, const char *text, const struct hdb_symbol *root)
{
   return (struct hdb_expr_request){
      .context = &listing->context,
      .store = inspection_store(request_inspection(listing->request)),
      .text = text,
      .flags = listing->flags | HDB_EXPR_PURE,
      .root = root,
   };
}

/* What can't be evaluated is listed with the reason. */
static json_t *
list_expression(struct listing *listing, const char *name, const char *text, const struct hdb_symbol *root)
{
   struct hdb_expr_request request = listing_request(listing, text, root);
   struct hdb_expr_result result;
   char *error, *why = NULL;
   json_t *json;
   listing->place.root = root;
   if (!hdb_expr_evaluate(&request, &result, &error)) {
      json = describe_variable(listing->request, &listing->place, name, text, &result);
   } else {
      if (asprintf(&why, "<%s>", error ? error : "?") < 0)
         why = NULL;
      json = json_pack("{s:s, s:s, s:i}", "name", name, "value", why ? why : "<?>", "variablesReference", 0);
      free(why);
   }
   free(error);
   hdb_expr_result_finish(&result);
   json_array_append_new(listing->list, json);
   return json;
}

static void
add_where(const struct listing *listing, json_t *json, const struct hdb_symbol *symbol)
{
   char *where = describe_where(&listing->context, symbol);
   if (where)
      json_object_set_new(json, "where", json_string(where));
   if (symbol->constant_id != UINT32_MAX)
      json_object_set_new(json, "constantId", json_integer(symbol->constant_id));
   if (symbol->storage == HDB_STORAGE_BUFFER || symbol->storage == HDB_STORAGE_UNIFORM ||
       symbol->storage == HDB_STORAGE_HANDLE)
      json_object_set_new(json, "binding", json_pack("[I,I]", (json_int_t)symbol->set, (json_int_t)symbol->binding));
   free(where);
}

/* Whether a member's name alone means that of this block: no variable has it, nor a block in front. */
static bool
is_plain_member(const struct hdb_symbol *const *symbols, size_t count, const struct hdb_symbol *block, const char *name)
{
   for (size_t i = 0; i < count; i++) {
      if (strcmp(symbols[i]->name, name) == 0)
         return false;
   }
   for (size_t i = 0; i < count && symbols[i] != block; i++) {
      const struct hdb_type *type = symbols[i]->type;
      for (uint32_t m = 0; symbols[i]->anonymous && type->kind == HDB_TYPE_STRUCT && m < type->member_count; m++) {
         if (strcmp(type->members[m].name, name) == 0)
            return false;
      }
   }
   return true;
}

/* The members of a block without a name are names of their own; those that something else has are said with the
 * block's. */
static void
list_members(struct listing *listing, const struct hdb_symbol *const *symbols, size_t count,
             const struct hdb_symbol *block)
{
   for (uint32_t i = 0; i < block->type->member_count; i++) {
      const struct hdb_member *member = &block->type->members[i];
      bool plain = is_plain_member(symbols, count, block, member->name);
      char *of = plain ? NULL : symbol_spelling(&listing->context, symbols, count, block), *text = NULL;
      if (plain ? asprintf(&text, "%s", member->name) < 0 : !of || asprintf(&text, "%s.%s", of, member->name) < 0)
         text = NULL;
      json_t *part = text ? list_expression(listing, text, text, NULL) : NULL;
      if (part)
         json_object_set_new(part, "where", json_sprintf("push constants+%u", member->offset));
      free(of);
      free(text);
   }
}

/* Where there are several blocks without a name, as resources, each is listed by the block's name. */
static void
list_symbol(struct listing *listing, enum scope_kind kind, const struct hdb_symbol *const *symbols, size_t count,
            size_t index)
{
   const struct hdb_symbol *symbol = symbols[index];
   if (symbol->anonymous && symbol->type->kind == HDB_TYPE_STRUCT && kind == SCOPE_PUSH_CONSTANTS) {
      list_members(listing, symbols, count, symbol);
      return;
   }
   char *label = symbol_label(&listing->context, symbols, count, symbol);
   char *spelling = symbol_spelling(&listing->context, symbols, count, symbol);
   json_t *json = label && spelling ? list_expression(listing, label, spelling, symbol) : NULL;
   if (json)
      add_where(listing, json, symbol);
   free(label);
   free(spelling);
}

static void
list_scope(struct listing *listing, enum scope_kind kind)
{
   size_t count;
   const struct hdb_symbol **symbols = list_symbols(&listing->context, &count);
   for (size_t i = 0; i < count; i++) {
      if (scope_has(kind, symbols[i]))
         list_symbol(listing, kind, symbols, count, i);
   }
   free(symbols);
}

static const char *const special_registers[] = {"$pc", "$exec", "$vcc", "$scc", "$m0", "$mode", "$status"};

static void
list_registers(struct listing *listing, enum scope_kind kind)
{
   const struct hdb_wave *wave = listing->context.wave;
   char name[16], text[32];
   for (size_t i = 0; kind == SCOPE_REGISTERS && i < sizeof(special_registers) / sizeof(special_registers[0]); i++)
      list_expression(listing, special_registers[i], special_registers[i], NULL);
   for (uint32_t i = 0; i < (kind == SCOPE_REGISTERS ? wave->sgpr_count : wave->vgpr_count); i++) {
      snprintf(name, sizeof(name), "$%c%u", kind == SCOPE_REGISTERS ? 's' : 'v', i);
      snprintf(text, sizeof(text), "$v%u[%u]", i, listing->context.lane);
      list_expression(listing, name, kind == SCOPE_REGISTERS ? name : text, NULL);
   }
}

static void
add_child(void *user, const char *name, const char *expression, const struct hdb_expr_result *result)
{
   struct listing *listing = user;
   json_array_append_new(listing->list, describe_variable(listing->request, &listing->place, name, expression, result));
}

static int
list_parts(struct listing *listing, const struct handle *handle)
{
   struct hdb_expr_request request = listing_request(listing, handle->expression, handle->root);
   json_int_t start = get_integer(listing->request->arguments, "start", 0),
              count = get_integer(listing->request->arguments, "count", 0);
   return hdb_expr_children(&request, start > 0 ? start : 0, count > 0 ? count : MAX_LISTED, add_child, listing,
                            &listing->request->error);
}

/* ---- requests ---- */

int
need_handle(struct request *request, struct card **card, struct hdb_wave **wave, struct handle *handle)
{
   json_int_t reference = get_integer(request->arguments, "variablesReference", -1);
   const struct handle *found = inspection_find(request->engine->inspection, reference);
   *wave = found ? engine_find_wave(request->engine, found->wave, card) : NULL;
   if (!*wave)
      return request_fail(request, "no such variables: they are those of a wave that has run on");
   *handle = *found;
   return 0;
}

bool
wants_hex(const struct request *request)
{
   return json_is_true(json_object_get(json_object_get(request->arguments, "format"), "hex"));
}

int
handle_variables(struct request *request)
{
   struct card *card;
   struct hdb_wave *wave;
   struct handle handle;
   int result = need_handle(request, &card, &wave, &handle);
   if (result)
      return result;
   struct listing listing = {
      .request = request,
      .place = handle,
      .context = handle_context(request, card, wave, &handle),
      .flags = wants_hex(request) ? HDB_EXPR_HEX : 0,
      .list = json_array(),
   };
   listing.place.lane = listing.context.lane;
   listing.place.expression = NULL;
   /* The handles move as more are added. */
   char *expression = handle.expression ? strdup(handle.expression) : NULL;
   handle.expression = expression;
   if (handle.kind == SCOPE_VALUE)
      result = expression ? list_parts(&listing, &handle) : -ENOMEM;
   else if (handle.kind == SCOPE_REGISTERS || handle.kind == SCOPE_VECTOR_REGISTERS)
      list_registers(&listing, handle.kind);
   else
      list_scope(&listing, handle.kind);
   free(expression);
   request->body = json_pack("{s:o}", "variables", listing.list);
   return result;
}
