/* SPDX-License-Identifier: MIT */
/* Scopes, their variables and the parts of values. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dap/inspection.h"

#define MAX_LISTED 1000 /* elements that are sent at once when the client names no number */

/* ---- symbols ---- */

static bool
is_shadowed(const struct hdb_symbol *const *symbols, size_t index)
{
   for (size_t i = 0; i < index; i++) {
      if (!symbols[i]->anonymous && strcmp(symbols[i]->name, symbols[index]->name) == 0)
         return true;
   }
   return false;
}

const struct hdb_symbol **
list_symbols(const struct hdb_context *context, size_t *count)
{
   *count = 0;
   if (!context->symbols || !context->wave->shader)
      return NULL;
   uint32_t pc = context->wave->pc - context->wave->shader->va;
   size_t capacity = hdb_symbols_variables(context->symbols, pc, context->frame, NULL, 0);
   const struct hdb_symbol **list = calloc(capacity + 1, sizeof(*list));
   if (!list)
      return NULL;
   *count = hdb_symbols_variables(context->symbols, pc, context->frame, list, capacity);
   size_t found = *count < capacity ? *count : capacity;
   *count = 0;
   for (size_t i = 0; i < found; i++) {
      /* HLSL's entry points get builtins as parameters; the compiler's variable behind such a one has its name. */
      if (list[i]->storage == HDB_STORAGE_BUILTIN && is_shadowed(list, i))
         continue;
      list[(*count)++] = list[i];
   }
   return list;
}

bool
scope_has(enum scope_kind kind, const struct hdb_symbol *symbol)
{
   switch (symbol->storage) {
   case HDB_STORAGE_LOCAL:
      return kind == SCOPE_LOCALS;
   case HDB_STORAGE_PARAMETER:
      return kind == SCOPE_ARGUMENTS;
   case HDB_STORAGE_PRIVATE:
   case HDB_STORAGE_BUILTIN:
      return kind == SCOPE_GLOBALS;
   case HDB_STORAGE_WORKGROUP:
      return kind == SCOPE_WORKGROUP;
   case HDB_STORAGE_BUFFER:
   case HDB_STORAGE_UNIFORM:
   case HDB_STORAGE_HANDLE:
      return kind == SCOPE_RESOURCES;
   case HDB_STORAGE_PUSH_CONSTANT:
      return kind == SCOPE_PUSH_CONSTANTS;
   case HDB_STORAGE_CONSTANT:
      return kind == SCOPE_CONSTANTS;
   }
   return false;
}

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
   if (expression && !place->root)
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

/* What means that symbol alone, whatever else has its name: its id. To be freed. */
static char *
spell_symbol(const struct hdb_symbol *const *symbols, size_t count, const struct hdb_symbol *symbol)
{
   size_t i = 0;
   char *text = NULL;
   while (i < count && strcmp(symbols[i]->name, symbol->name) != 0)
      i++;
   if (i < count && symbols[i] == symbol)
      return strdup(symbol->name);
   return asprintf(&text, "%%%u", symbol->id) < 0 ? NULL : text;
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
      char *of = plain ? NULL : spell_symbol(symbols, count, block), *text = NULL;
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
   bool anonymous = symbol->anonymous && symbol->type->kind == HDB_TYPE_STRUCT;
   if (anonymous && kind == SCOPE_PUSH_CONSTANTS) {
      list_members(listing, symbols, count, symbol);
      return;
   }
   bool rooted = anonymous || is_shadowed(symbols, index);
   const char *name = anonymous && symbol->block ? symbol->block : symbol->name;
   json_t *json = list_expression(listing, name, name, rooted ? symbol : NULL);
   char *alone = rooted ? spell_symbol(symbols, count, symbol) : NULL;
   if (alone)
      json_object_set_new(json, "evaluateName", json_string(alone));
   add_where(listing, json, symbol);
   free(alone);
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

static int
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

static bool
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

/* The first of a scope's symbols with that name, which those of other scopes may have, too; NULL: there is none. */
static const struct hdb_symbol *
find_in_scope(const struct hdb_context *context, enum scope_kind kind, const char *name)
{
   size_t count, i = 0;
   const struct hdb_symbol **symbols = list_symbols(context, &count);
   while (i < count && (!scope_has(kind, symbols[i]) || strcmp(symbols[i]->name, name) != 0))
      i++;
   const struct hdb_symbol *found = i < count ? symbols[i] : NULL;
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
   char *expression = part_expression(&handle, name, context.lane);
   if (handle.kind != SCOPE_VALUE)
      handle.root = find_in_scope(&context, handle.kind, name);
   handle.lane = context.lane;
   handle.expression = NULL;
   result = expression ? assign(request, &handle, &context, expression, number) : -ENOMEM;
   free(expression);
   return result;
}

int
handle_set_expression(struct request *request)
{
   struct card *card;
   struct hdb_wave *wave;
   struct handle place = {.kind = SCOPE_VALUE};
   const char *expression = get_string(request->arguments, "expression"),
              *number = get_string(request->arguments, "value");
   if (!expression || !*expression || !number)
      return request_fail(request, "expression and value expected");
   int result = need_frame(request, &card, &wave, &place.frame);
   if (result)
      return result;
   place.wave = wave->id;
   place.lane = focus_lane_of(request->engine, card, wave);
   struct hdb_context context = handle_context(request, card, wave, &place);
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
   struct card *card;
   struct hdb_wave *wave;
   struct handle place = {.kind = SCOPE_VALUE};
   const char *expression = get_string(request->arguments, "expression"),
              *purpose = get_string(request->arguments, "context");
   if (!expression)
      return request_fail(request, "expression: a string expected");
   int result = need_frame(request, &card, &wave, &place.frame);
   if (result)
      return result;
   place.wave = wave->id;
   place.lane = focus_lane_of(request->engine, card, wave);
   struct hdb_context context = handle_context(request, card, wave, &place);
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
