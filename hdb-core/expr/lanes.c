/* SPDX-License-Identifier: MIT */
/* One expression in all active lanes of a wave. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/private.h"

static bool
is_active(const struct hdb_context *context, uint32_t lane)
{
   return lane < 64 && lane < context->wave->wave_size && context->wave->exec >> lane & 1;
}

/* The same text in another lane; never an assignment. */
static struct hdb_expr_request
in_lane(const struct hdb_expr_request *request, struct hdb_context *context, uint32_t lane)
{
   struct hdb_expr_request result = *request;
   *context = *request->context;
   context->lane = lane;
   result.context = context;
   result.flags = (request->flags & ~HDB_EXPR_RECORD) | HDB_EXPR_PURE;
   return result;
}

/* The first error is the one of all, if nothing else came of it. */
static int
conclude(uint32_t good, char *first, char **error)
{
   if (good) {
      free(first);
      return 0;
   }
   *error = first ? first : strdup("no lane of the wave is active");
   return -EINVAL;
}

/* ---- values ---- */

static char *
unavailable_text(const char *error)
{
   char *text;
   return asprintf(&text, "<%s>", error ? error : "?") < 0 ? NULL : text;
}

/* An object in memory or LDS, and what was printed of it. */
struct printed {
   enum hdb_place_kind kind;
   uint64_t address, room, type_size;
   char *text, *type;
};

/* Lanes that look at the same object see the same: a large one is read once. */
static bool
is_printed(struct expr *expr, const struct value *value, const struct printed *printed)
{
   const char *type = expr_type_name(expr, value->type);
   return printed->text && type && value->place->kind == printed->kind && !value->swizzled && !value->stride &&
          value->place->address + value->offset == printed->address && value_room(value) == printed->room &&
          value->type->size == printed->type_size && strcmp(type, printed->type) == 0;
}

static void
note_printed(struct expr *expr, const struct value *value, const char *text, struct printed *printed)
{
   const char *type = expr_type_name(expr, value->type);
   free(printed->text);
   free(printed->type);
   *printed = (struct printed){value->place->kind, value->place->address + value->offset,
                               value_room(value),  value->type->size,
                               strdup(text),       type ? strdup(type) : NULL};
   if (!printed->type || value->swizzled || value->stride) {
      free(printed->text);
      printed->text = NULL;
   }
}

static int
print_lane(struct expr *expr, const struct hdb_expr_request *request, struct printed *printed, char **text)
{
   struct node *tree;
   struct value value;
   char format = request->flags & HDB_EXPR_HEX ? 'x' : 0;
   bool lanes;
   size_t size;
   const char *rest = request->text;
   int result = take_format(expr, &rest, &format, &lanes);
   result = result ?: expr_parse(expr, rest, 1, &tree);
   result = result ?: expr_evaluate_node(expr, tree, &value);
   if (result)
      return result;
   bool shared = value.kind == VALUE_PLACE && value.reg.kind == REGISTER_NONE &&
                 (value.place->kind == HDB_PLACE_MEMORY || value.place->kind == HDB_PLACE_LDS);
   if (shared && is_printed(expr, &value, printed)) {
      *text = strdup(printed->text);
      return *text ? 0 : -ENOMEM;
   }
   FILE *out = open_memstream(text, &size);
   if (!out)
      return -ENOMEM;
   print_value(expr, out, &value, format);
   if (fclose(out))
      return -ENOMEM;
   if (shared)
      note_printed(expr, &value, *text, printed);
   return 0;
}

int
hdb_expr_lanes(const struct hdb_expr_request *request, char *values[64], char **error)
{
   struct printed printed = {0};
   uint32_t good = 0;
   char *first = NULL;
   *error = NULL;
   memset(values, 0, 64 * sizeof(values[0]));
   hdb_wave_hold_memory(request->context->machine, request->context->wave);
   for (uint32_t lane = 0; lane < 64; lane++) {
      struct hdb_context context;
      struct hdb_expr_request of_lane = in_lane(request, &context, lane);
      struct expr expr;
      char *why = NULL;
      if (!is_active(request->context, lane))
         continue;
      int failed = expr_begin(&expr, &of_lane, &why);
      failed = failed ?: print_lane(&expr, &of_lane, &printed, &values[lane]);
      expr_end(&expr);
      if (!failed) {
         free(why);
         good++;
         continue;
      }
      free(values[lane]);
      values[lane] = unavailable_text(why);
      if (first)
         free(why);
      else
         first = why;
   }
   hdb_wave_release_memory(request->context->machine);
   free(printed.text);
   free(printed.type);
   int result = conclude(good, first, error);
   for (uint32_t lane = 0; result && lane < 64; lane++) {
      free(values[lane]);
      values[lane] = NULL;
   }
   return result;
}

/* ---- numbers ---- */

static int
load(struct expr *expr, const struct hdb_expr_request *request, struct numeric *number)
{
   struct node *tree;
   struct value value;
   char format = 0;
   bool lanes;
   const char *text = request->text;
   int result = take_format(expr, &text, &format, &lanes);
   result = result ?: expr_parse(expr, text, 1, &tree);
   result = result ?: expr_evaluate_node(expr, tree, &value);
   return result ? result : value_load(expr, tree->column, &value, number);
}

static int
load_in_lane(const struct hdb_expr_request *request, uint32_t lane, struct numeric *number, char **error)
{
   struct hdb_context context;
   struct hdb_expr_request of_lane = in_lane(request, &context, lane);
   struct expr expr;
   int result = expr_begin(&expr, &of_lane, error);
   result = result ?: load(&expr, &of_lane, number);
   expr_end(&expr);
   if (!result) {
      free(*error);
      *error = NULL;
   }
   return result;
}

/* In all active lanes; *loaded has a bit for each where it went well. */
static int
load_lanes(const struct hdb_expr_request *request, struct numeric numbers[64], uint64_t *loaded, char **error)
{
   uint32_t good = 0;
   char *first = NULL;
   *loaded = 0;
   *error = NULL;
   hdb_wave_hold_memory(request->context->machine, request->context->wave);
   for (uint32_t lane = 0; lane < 64; lane++) {
      char *why = NULL;
      if (!is_active(request->context, lane))
         continue;
      if (!load_in_lane(request, lane, &numbers[lane], &why)) {
         *loaded |= 1ull << lane;
         good++;
      } else if (first) {
         free(why);
      } else {
         first = why;
      }
   }
   hdb_wave_release_memory(request->context->machine);
   return conclude(good, first, error);
}

int
hdb_expr_where(const struct hdb_expr_request *request, uint64_t *lanes, char **error)
{
   struct numeric *numbers = calloc(64, sizeof(*numbers));
   uint64_t loaded;
   *lanes = 0;
   *error = NULL;
   if (!numbers)
      return -ENOMEM;
   int result = load_lanes(request, numbers, &loaded, error);
   for (uint32_t lane = 0; !result && lane < 64; lane++) {
      if (!(loaded >> lane & 1))
         continue;
      if (numeric_count(&numbers[lane]) != 1) {
         *error = strdup("a condition expected, not a vector; any() or all() make one of it");
         result = -EINVAL;
      }
      *lanes |= (uint64_t)number_is_true(numbers[lane].kind, numbers[lane].at[0]) << lane;
   }
   free(numbers);
   return result;
}

/* ---- statistics ---- */

static double
to_double(enum hdb_type_kind kind, union number number)
{
   return kind == HDB_TYPE_FLOAT ? number.f : kind == HDB_TYPE_INT ? (double)number.i : (double)number.u;
}

static void
format(char text[40], enum hdb_type_kind kind, uint32_t bits, union number number)
{
   FILE *out = fmemopen(text, 40, "w");
   if (!out)
      return;
   print_number(out, expr_scalar_type(kind, bits), number, 0);
   fclose(out);
   text[39] = 0;
}

static uint32_t
count_distinct(const struct numeric numbers[64], uint64_t loaded, uint32_t component)
{
   uint32_t distinct = 0;
   for (uint32_t lane = 0; lane < 64; lane++) {
      bool seen = !(loaded >> lane & 1);
      for (uint32_t before = 0; !seen && before < lane; before++)
         seen = loaded >> before & 1 && numbers[before].at[component].u == numbers[lane].at[component].u;
      distinct += !seen;
   }
   return distinct;
}

static void
spread_of(const struct numeric numbers[64], uint64_t loaded, uint32_t component, struct hdb_expr_spread *spread)
{
   enum hdb_type_kind kind = HDB_TYPE_INT;
   union number least = {.u = 0}, most = {.u = 0};
   uint32_t bits = 32;
   double sum = 0;
   for (uint32_t lane = 0; lane < 64; lane++) {
      if (!(loaded >> lane & 1))
         continue;
      union number number = numbers[lane].at[component];
      kind = numbers[lane].kind;
      bits = numbers[lane].bits;
      double real = to_double(kind, number);
      if (isnan(real)) {
         spread->nans++;
         continue;
      }
      spread->infinities += isinf(real);
      if (!spread->numbers || real < to_double(kind, least))
         least = number;
      if (!spread->numbers || real > to_double(kind, most))
         most = number;
      spread->numbers++;
      sum += real;
   }
   spread->distinct = count_distinct(numbers, loaded, component);
   if (!spread->numbers)
      return;
   format(spread->least, kind, bits, least);
   format(spread->most, kind, bits, most);
   union number mean =
      number_wrap(HDB_TYPE_FLOAT, kind == HDB_TYPE_FLOAT ? bits : 64, (union number){.f = sum / spread->numbers});
   format(spread->mean, HDB_TYPE_FLOAT, kind == HDB_TYPE_FLOAT ? bits : 64, mean);
}

int
hdb_expr_statistics(const struct hdb_expr_request *request, struct hdb_expr_statistics *statistics, char **error)
{
   struct numeric *numbers = calloc(64, sizeof(*numbers));
   uint64_t loaded;
   *statistics = (struct hdb_expr_statistics){0};
   *error = NULL;
   if (!numbers)
      return -ENOMEM;
   int result = load_lanes(request, numbers, &loaded, error);
   if (!result) {
      const struct numeric *first = &numbers[__builtin_ctzll(loaded)];
      statistics->components = numeric_count(first);
      if (first->matrix) {
         *error = strdup("a number or a vector expected, not a matrix");
         result = -EINVAL;
      }
   }
   for (uint32_t i = 0; !result && i < statistics->components; i++)
      spread_of(numbers, loaded, i, &statistics->of[i]);
   for (uint32_t lane = 0; lane < 64; lane++) {
      statistics->lanes += is_active(request->context, lane);
      statistics->unavailable += is_active(request->context, lane) && !(loaded >> lane & 1);
   }
   free(numbers);
   return result;
}
