/* SPDX-License-Identifier: MIT */
/* From a request to its answer. */
#include "expr/expression.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "expr/private.h"

void
hdb_expr_result_finish(struct hdb_expr_result *result)
{
   free(result->value);
   free(result->type);
   free(result->sharers);
   *result = (struct hdb_expr_result){0};
}

/* ---- results ---- */

/* Parts that are worth a line of their own. */
static void
count_parts(const struct value *value, struct hdb_expr_result *result)
{
   const struct hdb_type *type = value->type;
   switch (type->kind) {
   case HDB_TYPE_STRUCT:
      result->named = type->member_count;
      break;
   case HDB_TYPE_ARRAY:
      result->indexed = value->kind == VALUE_UNAVAILABLE ? 0 : value_count(value);
      break;
   case HDB_TYPE_MATRIX:
      result->indexed = type->count;
      break;
   case HDB_TYPE_VECTOR:
      result->named = value->swizzled ? value->swizzled : type->count;
      break;
   case HDB_TYPE_POINTER:
      result->pointer = type->element && type->element->kind != HDB_TYPE_VOID;
      break;
   default:
      break;
   }
   if (value->kind == VALUE_UNAVAILABLE)
      result->named = result->indexed = result->pointer = 0;
}

static bool
is_settable(const struct value *value)
{
   if (value->reg.kind != REGISTER_NONE)
      return value->reg.kind != REGISTER_MODE && value->reg.kind != REGISTER_STATUS &&
             !(value->reg.kind == REGISTER_VECTOR && value->reg.lane < 0);
   return value->kind == VALUE_PLACE && !value->place->read_only && value->place->kind != HDB_PLACE_BYTES &&
          value->type->kind != HDB_TYPE_OPAQUE;
}

static int
describe(struct expr *expr, const struct value *value, char format, struct hdb_expr_result *result)
{
   size_t size;
   FILE *out = open_memstream(&result->value, &size);
   if (!out)
      return -ENOMEM;
   print_value(expr, out, value, format);
   const char *type = expr_type_name(expr, value->type);
   result->type = type ? strdup(type) : NULL;
   result->in_memory = value_in_memory(value, &result->address);
   result->settable = is_settable(value);
   result->assigned = expr->assigned;
   result->sharers = expr->sharers ? strdup(expr->sharers) : NULL;
   count_parts(value, result);
   return fclose(out) || !result->type ? -ENOMEM : 0;
}

/* On failure there is an error text. */
static int
finish(struct expr *expr, int result)
{
   expr_end(expr);
   if (!result) {
      free(*expr->error);
      *expr->error = NULL;
   } else if (!*expr->error) {
      *expr->error = strdup(strerror(-result));
   }
   return result;
}

static int
evaluate(struct expr *expr, const struct hdb_expr_request *request, char *format, struct value *value)
{
   struct node *tree;
   bool lanes;
   const char *text = request->text;
   int result = take_format(expr, &text, format, &lanes);
   if (!result && lanes)
      result = expr_fail(expr, 0, "/lanes has no meaning here");
   result = result ?: expr_parse(expr, text, 1, &tree);
   return result ? result : expr_evaluate_node(expr, tree, value);
}

/* In every active lane, if the text says so: what is left is the value in the lane that is looked at. */
static int
evaluate_in_lanes(struct expr *expr, const struct hdb_expr_request *request, char *format, struct value *value)
{
   struct node *tree;
   bool lanes;
   const char *text = request->text;
   uint32_t looked_at = expr->context.lane;
   int result = take_format(expr, &text, format, &lanes);
   result = result ?: expr_parse(expr, text, 1, &tree);
   if (result || !lanes)
      return result ? result : expr_evaluate_node(expr, tree, value);
   uint64_t active = expr->context.wave->exec;
   expr->context.all_lanes = true;
   for (uint32_t lane = 0; !result && lane < expr->context.wave->wave_size && lane < 64; lane++) {
      expr->context.lane = lane;
      if (active >> lane & 1 && lane != looked_at)
         result = expr_evaluate_node(expr, tree, value);
   }
   expr->context.lane = looked_at;
   if (!result && active >> looked_at & 1)
      result = expr_evaluate_node(expr, tree, value);
   return result;
}

static int
evaluate_and_describe(struct expr *expr, const struct hdb_expr_request *request, struct hdb_expr_result *answer)
{
   struct value value = {
      .kind = VALUE_UNAVAILABLE, .type = expr_scalar_type(HDB_TYPE_INT, 32), .why = "no lane is active"};
   char format = request->flags & HDB_EXPR_HEX ? 'x' : 0;
   int result = evaluate_in_lanes(expr, request, &format, &value);
   result = result ?: describe(expr, &value, format, answer);
   if (!result && request->flags & HDB_EXPR_RECORD)
      result = store_append(expr, &value, &answer->history);
   return result;
}

int
hdb_expr_evaluate(const struct hdb_expr_request *request, struct hdb_expr_result *answer, char **error)
{
   struct expr expr;
   *answer = (struct hdb_expr_result){0};
   int result = expr_begin(&expr, request, error);
   result = finish(&expr, result ? result : evaluate_and_describe(&expr, request, answer));
   if (result)
      hdb_expr_result_finish(answer);
   return result;
}

/* What lies where an address can say it. */
static bool
is_located(const struct value *value, enum hdb_place_kind *kind, uint64_t *address)
{
   const struct hdb_place *place = value->place;
   if (value->kind != VALUE_PLACE || value->swizzled || value->reg.kind != REGISTER_NONE)
      return false;
   *kind = place->kind;
   *address = place->address + value->offset;
   if (place->kind == HDB_PLACE_PIECES && place->piece_count == 1 && place->pieces[0].kind == HDB_PIECE_SCRATCH) {
      *kind = HDB_PLACE_SCRATCH;
      *address = place->pieces[0].where + value->offset;
   }
   return *kind == HDB_PLACE_MEMORY || *kind == HDB_PLACE_LDS || *kind == HDB_PLACE_SCRATCH;
}

/* Of objects, where they are; of texel buffers, where their texels are; of numbers, the address that they are. `&x` is
 * where x is, whatever that may be. */
static int
locate(struct expr *expr, const struct node *tree, enum hdb_place_kind *kind, uint64_t *address)
{
   struct value value;
   struct numeric number;
   if (tree->kind == NODE_ADDRESS && !expr_evaluate_node(expr, tree->a, &value) && is_located(&value, kind, address))
      return 0;
   int result = expr_evaluate_node(expr, tree, &value);
   if (result)
      return result;
   bool object = value.type->kind == HDB_TYPE_STRUCT || value.type->kind == HDB_TYPE_ARRAY;
   if (object && is_located(&value, kind, address))
      return 0;
   *kind = HDB_PLACE_MEMORY;
   if (expr_is_texel_buffer(&value))
      return expr_find_buffer_texels(expr, &value, address);
   if (value.reg.kind == REGISTER_SCALARS && value.reg.count > 2)
      return expr_fail(expr, 0, "this is no address: two registers hold one, or one its lower half");
   result = value_load(expr, 0, &value, &number);
   if (!result && (numeric_count(&number) != 1 || number.kind == HDB_TYPE_FLOAT || number.kind == HDB_TYPE_BOOL))
      result = expr_fail(expr, 0, "a %s is no address", expr_type_name(expr, value.type) ?: "value");
   *address = result ? 0 : number.at[0].u;
   return result;
}

int
hdb_expr_locate(const struct hdb_expr_request *request, enum hdb_place_kind *kind, uint64_t *address, char **error)
{
   struct expr expr;
   struct node *tree;
   char format;
   bool lanes;
   const char *text = request->text;
   int result = expr_begin(&expr, request, error);
   result = result ?: take_format(&expr, &text, &format, &lanes);
   result = result ?: expr_parse(&expr, text, 1, &tree);
   return finish(&expr, result ? result : locate(&expr, tree, kind, address));
}

/* ---- parts ---- */

struct parts {
   struct expr *expr;
   const char *text; /* of the whole */
   char format;
   hdb_expr_child add;
   void *user;
};

/* `suffix` is what stands behind the whole's text, `prefix` before it. */
static int
add_part(struct parts *parts, const char *name, const char *prefix, const char *suffix, const struct value *value)
{
   struct hdb_expr_result result = {0};
   char *text;
   bool plain = strspn(parts->text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.[]%") ==
                strlen(parts->text);
   if (asprintf(&text, "%s%s%s%s%s", prefix, plain ? "" : "(", parts->text, plain ? "" : ")", suffix) < 0)
      return -ENOMEM;
   int error = describe(parts->expr, value, parts->format, &result);
   if (!error)
      parts->add(parts->user, name, text, &result);
   hdb_expr_result_finish(&result);
   free(text);
   return error;
}

static int
add_members(struct parts *parts, const struct value *value, uint64_t start, uint64_t count)
{
   const struct hdb_type *type = value->type;
   int result = 0;
   for (uint64_t i = start; !result && i < type->member_count && i - start < count; i++) {
      struct value member;
      char *suffix;
      result = value_member(parts->expr, 0, value, (uint32_t)i, &member);
      if (result || asprintf(&suffix, ".%s", type->members[i].name) < 0)
         return result ? result : -ENOMEM;
      result = add_part(parts, type->members[i].name, "", suffix, &member);
      free(suffix);
   }
   return result;
}

static int
add_components(struct parts *parts, const struct value *value, uint64_t start, uint64_t count)
{
   static const char *const suffixes[] = {".x", ".y", ".z", ".w"};
   uint32_t all = value->swizzled ? value->swizzled : value->type->count;
   int result = 0;
   for (uint64_t i = start; !result && i < all && i < 4 && i - start < count; i++) {
      struct value component;
      result = value_element(parts->expr, 0, value, i, &component);
      result = result ?: add_part(parts, suffixes[i] + 1, "", suffixes[i], &component);
   }
   return result;
}

static int
add_elements(struct parts *parts, const struct value *value, uint64_t start, uint64_t count)
{
   uint64_t all = value_count(value);
   int result = 0;
   for (uint64_t i = start; !result && i < all && i - start < count; i++) {
      struct value element;
      char suffix[32];
      snprintf(suffix, sizeof(suffix), "[%" PRIu64 "]", i);
      result = value_element(parts->expr, 0, value, i, &element);
      result = result ?: add_part(parts, suffix, "", suffix, &element);
   }
   return result;
}

static int
add_target(struct parts *parts, const struct value *value)
{
   struct value object;
   char *name;
   int result = value_dereference(parts->expr, 0, value, &object);
   if (result || asprintf(&name, "*%s", parts->text) < 0)
      return result ? result : -ENOMEM;
   result = add_part(parts, name, "*", "", &object);
   free(name);
   return result;
}

static int
add_parts(struct expr *expr, const struct hdb_expr_request *request, uint64_t start, uint64_t count, hdb_expr_child add,
          void *user)
{
   struct value value;
   struct parts parts = {expr, request->text, request->flags & HDB_EXPR_HEX ? 'x' : 0, add, user};
   bool lanes;
   int result = evaluate(expr, request, &parts.format, &value);
   result = result ?: take_format(expr, &parts.text, &parts.format, &lanes);
   if (result || value.kind == VALUE_UNAVAILABLE)
      return result;
   switch (value.type->kind) {
   case HDB_TYPE_STRUCT:
      return add_members(&parts, &value, start, count);
   case HDB_TYPE_VECTOR:
      return add_components(&parts, &value, start, count);
   case HDB_TYPE_ARRAY:
   case HDB_TYPE_MATRIX:
      return add_elements(&parts, &value, start, count);
   case HDB_TYPE_POINTER:
      return start || !count ? 0 : add_target(&parts, &value);
   default:
      return 0;
   }
}

int
hdb_expr_children(const struct hdb_expr_request *request, uint64_t start, uint64_t count, hdb_expr_child add,
                  void *user, char **error)
{
   struct expr expr;
   int result = expr_begin(&expr, request, error);
   return finish(&expr, result ? result : add_parts(&expr, request, start, count, add, user));
}

/* ---- types ---- */

static int
define_named(struct expr *expr, const char *name, FILE *out, const char **of)
{
   struct hdb_struct_layout layouts[EXPR_MAX_LAYOUTS];
   size_t count =
      expr->context.symbols ? hdb_symbols_layouts(expr->context.symbols, name, layouts, EXPR_MAX_LAYOUTS) : 0;
   const struct hdb_type *type = count > 1 ? layouts[0].type : expr_parse_type(expr, name);
   if (!type)
      return -ENOENT;
   for (size_t i = 0; i < count && count > 1; i++) {
      fputs(i ? "\n" : "", out);
      print_type(expr, out, layouts[i].type, layouts[i].blocks);
   }
   if (count <= 1)
      print_type(expr, out, type, NULL);
   *of = expr_type_name(expr, type);
   return 0;
}

static int
define_type(struct expr *expr, const struct hdb_expr_request *request, char **definition, char **name)
{
   struct value value;
   size_t size;
   char format;
   const char *text = NULL;
   FILE *out = open_memstream(definition, &size);
   if (!out)
      return -ENOMEM;
   int result = expr_names_variable(expr, request->text) ? -ENOENT : define_named(expr, request->text, out, &text);
   if (result) {
      result = evaluate(expr, request, &format, &value);
      if (!result)
         print_type(expr, out, value.type, NULL);
      text = result ? NULL : expr_type_name(expr, value.type);
   }
   *name = text ? strdup(text) : NULL;
   if (fclose(out))
      return -ENOMEM;
   return result || *name ? result : -ENOMEM;
}

int
hdb_expr_type(const struct hdb_expr_request *request, char **definition, char **name, char **error)
{
   struct expr expr;
   *definition = *name = NULL;
   int result = expr_begin(&expr, request, error);
   expr.type_only = true;
   result = finish(&expr, result ? result : define_type(&expr, request, definition, name));
   if (result) {
      free(*definition);
      free(*name);
      *definition = *name = NULL;
   }
   return result;
}

/* ---- names ---- */

void
hdb_expr_complete(const struct hdb_context *context, const char *prefix, void (*add)(void *user, const char *name),
                  void *user)
{
   struct expr expr;
   char *error;
   struct hdb_expr_request request = {.context = context};
   size_t length = strlen(prefix);
   int result = expr_begin(&expr, &request, &error);
   if (!result)
      expr_find_symbols(&expr);
   for (size_t i = 0; !result && i < expr.symbol_count; i++) {
      const struct hdb_symbol *symbol = expr.symbols[i];
      bool members = symbol->anonymous && symbol->type->kind == HDB_TYPE_STRUCT;
      if (!members && strncmp(symbol->name, prefix, length) == 0 && hdb_expr_is_name(symbol->name))
         add(user, symbol->name);
      for (uint32_t m = 0; members && m < symbol->type->member_count; m++) {
         if (strncmp(symbol->type->members[m].name, prefix, length) == 0)
            add(user, symbol->type->members[m].name);
      }
   }
   finish(&expr, result);
   free(error);
}
