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

/* One expression, for one lane after the other. */
struct lanes {
   struct expr expr;
   struct node *tree;
   char format;
   struct expr_mark parsed;
};

static int
begin(struct lanes *lanes, const struct hdb_expr_request *request, char **error)
{
   struct hdb_expr_request pure = *request;
   const char *text = request->text;
   bool assigns;
   pure.flags |= HDB_EXPR_PURE;
   lanes->format = request->flags & HDB_EXPR_HEX ? 'x' : 0;
   int result = expr_begin(&lanes->expr, &pure, error);
   result = result ?: take_format(&lanes->expr, &text, &lanes->format, &assigns);
   result = result ?: expr_parse(&lanes->expr, text, 1, &lanes->tree);
   lanes->parsed = expr_mark(&lanes->expr);
   return result;
}

/* Valid until the next lane's. *why (to be freed): why there is none. */
static int
evaluate(struct lanes *lanes, uint32_t lane, struct value *value, char **why)
{
   *why = NULL;
   lanes->expr.error = why;
   lanes->expr.context.lane = lane;
   expr_return_to(&lanes->expr, &lanes->parsed);
   return expr_evaluate_node(&lanes->expr, lanes->tree, value);
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
print_lane(struct lanes *lanes, const struct value *value, struct printed *printed, char **text)
{
   struct expr *expr = &lanes->expr;
   size_t size;
   bool shared = value->kind == VALUE_PLACE && value->reg.kind == REGISTER_NONE &&
                 (value->place->kind == HDB_PLACE_MEMORY || value->place->kind == HDB_PLACE_LDS);
   if (shared && is_printed(expr, value, printed)) {
      *text = strdup(printed->text);
      return *text ? 0 : -ENOMEM;
   }
   FILE *out = open_memstream(text, &size);
   if (!out)
      return -ENOMEM;
   print_value(expr, out, value, lanes->format);
   if (fclose(out))
      return -ENOMEM;
   if (shared)
      note_printed(expr, value, *text, printed);
   return 0;
}

/* In all active lanes. */
static int
print_lanes(struct lanes *lanes, const struct hdb_context *context, char *values[64], char **error)
{
   struct printed printed = {0};
   char *first = NULL;
   uint32_t good = 0;
   for (uint32_t lane = 0; lane < 64; lane++) {
      struct value value;
      char *why;
      if (!is_active(context, lane))
         continue;
      int failed = evaluate(lanes, lane, &value, &why);
      failed = failed ?: print_lane(lanes, &value, &printed, &values[lane]);
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
   free(printed.text);
   free(printed.type);
   return conclude(good, first, error);
}

int
hdb_expr_lanes(const struct hdb_expr_request *request, char *values[64], char **error)
{
   struct lanes lanes;
   memset(values, 0, 64 * sizeof(*values));
   int result = begin(&lanes, request, error);
   result = result ?: print_lanes(&lanes, request->context, values, error);
   expr_end(&lanes.expr);
   for (uint32_t lane = 0; result && lane < 64; lane++) {
      free(values[lane]);
      values[lane] = NULL;
   }
   return result;
}

void
hdb_expr_print(const struct hdb_expr_request *request, const struct hdb_expr_conversion *conversion, uint64_t lanes,
               FILE *const out[64])
{
   struct lanes all;
   char *error;
   int unreadable = begin(&all, request, &error);
   for (uint64_t rest = lanes; rest; rest &= rest - 1) {
      uint32_t lane = __builtin_ctzll(rest);
      struct value value;
      char *why = NULL;
      int result = unreadable ? unreadable : evaluate(&all, lane, &value, &why);
      result = result ?: print_converted(&all.expr, out[lane], conversion, all.tree->column, &value, all.format);
      if (result)
         fprintf(out[lane], "<%s>", why ? why : error ? error : "out of memory");
      free(why);
   }
   free(error);
   expr_end(&all.expr);
}

/* ---- numbers ---- */

/* In all active lanes; *loaded has a bit for each where it went well. */
static int
load_lanes(const struct hdb_expr_request *request, struct numeric numbers[64], uint64_t *loaded, char **error)
{
   struct lanes lanes;
   uint32_t good = 0;
   char *first = NULL;
   *loaded = 0;
   int unreadable = begin(&lanes, request, error);
   for (uint32_t lane = 0; !unreadable && lane < 64; lane++) {
      struct value value;
      char *why;
      if (!is_active(request->context, lane))
         continue;
      int result = evaluate(&lanes, lane, &value, &why);
      result = result ?: value_load(&lanes.expr, lanes.tree->column, &value, &numbers[lane]);
      if (!result) {
         *loaded |= 1ull << lane;
         good++;
      }
      if (first || !result)
         free(why);
      else
         first = why;
   }
   expr_end(&lanes.expr);
   return unreadable ? unreadable : conclude(good, first, error);
}

int
hdb_expr_where(const struct hdb_expr_request *request, uint64_t *lanes, char **error)
{
   struct numeric numbers[64];
   uint64_t loaded;
   *lanes = 0;
   int result = load_lanes(request, numbers, &loaded, error);
   for (uint64_t rest = loaded; !result && rest; rest &= rest - 1) {
      uint32_t lane = __builtin_ctzll(rest);
      if (numeric_count(&numbers[lane]) != 1) {
         *error = strdup("a condition expected, not a vector; any() or all() make one of it");
         result = -EINVAL;
      }
      *lanes |= (uint64_t)number_is_true(numbers[lane].kind, numbers[lane].at[0]) << lane;
   }
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
   struct numeric numbers[64];
   uint64_t loaded;
   *statistics = (struct hdb_expr_statistics){0};
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
   return result;
}
