/* SPDX-License-Identifier: MIT */
/* From a tree to a value, for one lane. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "expr/private.h"

/* ---- names ---- */

static int
evaluate_name(struct expr *expr, const struct node *node, struct value *out)
{
   const struct expr_name *meaning = node->meaning;
   struct value block;
   int result;
   switch (meaning->kind) {
   case NAME_SYMBOL:
   case NAME_BLOCK:
   case NAME_BUILTIN:
      return value_of_symbol(expr, meaning->symbol, out);
   case NAME_MEMBER:
      result = value_of_symbol(expr, meaning->symbol, &block);
      return result ? result : value_member(expr, node->column, &block, meaning->member, out);
   case NAME_CONSTANT:
      return value_from_numeric(expr, &meaning->constant, out);
   case NAME_UNKNOWN:
      break;
   }
   return expr_fail_unknown(expr, node);
}

static int
evaluate_dollar(struct expr *expr, const struct node *node, struct value *out)
{
   int result;
   if (expr_find_register(expr, node, out, &result))
      return result;
   return store_find(expr, node->column, node->name, out);
}

/* ---- operators ---- */

static int
load_node(struct expr *expr, const struct node *node, struct numeric *number)
{
   struct value value;
   int result = expr_evaluate_node(expr, node, &value);
   return result ? result : value_load(expr, node->column, &value, number);
}

static int
load_condition(struct expr *expr, const struct node *node, bool *is_true)
{
   struct numeric number;
   int result = load_node(expr, node, &number);
   if (!result && numeric_count(&number) != 1)
      result = expr_fail(expr, node->column, "a condition expected, not a vector; any() or all() make one of it");
   *is_true = !result && number_is_true(number.kind, number.at[0]);
   return result;
}

static int
evaluate_unary(struct expr *expr, const struct node *node, struct value *out)
{
   struct numeric number;
   int result = load_node(expr, node->a, &number);
   result = result ?: numeric_unary(expr, node->column, node->op, &number);
   return result ? result : value_from_numeric(expr, &number, out);
}

static int
evaluate_logical(struct expr *expr, const struct node *node, struct value *out)
{
   bool a, b;
   struct numeric number = numeric_scalar(HDB_TYPE_BOOL, 32);
   int result = load_condition(expr, node->a, &a);
   if (result)
      return result;
   if ((node->op == OP_LOGICAL_AND && !a) || (node->op == OP_LOGICAL_OR && a)) {
      number.at[0].u = a;
      return value_from_numeric(expr, &number, out);
   }
   result = load_condition(expr, node->b, &b);
   number.at[0].u = node->op == OP_LOGICAL_XOR ? a != b : b;
   return result ? result : value_from_numeric(expr, &number, out);
}

/* Beside a register a number is its bits: 0xffffffff, an int in GLSL, has no more of them in $exec. */
static void
take_as_bits(const struct node *node, const struct value *beside, struct numeric *number)
{
   if (node->kind != NODE_NUMBER || beside->reg.kind == REGISTER_NONE || number->kind != HDB_TYPE_INT)
      return;
   number->kind = HDB_TYPE_UINT;
   number->at[0] = number_wrap(HDB_TYPE_UINT, number->bits, number->at[0]);
}

/* p + n, n + p, p - n, p - q. -ENOTSUP: none of these. */
static int
pointer_arithmetic(struct expr *expr, const struct node *node, const struct value *a, const struct value *b,
                   struct value *out)
{
   bool pointer_a = a->type->kind == HDB_TYPE_POINTER, pointer_b = b->type->kind == HDB_TYPE_POINTER;
   struct numeric number, other;
   if ((node->op != OP_ADD && node->op != OP_SUBTRACT) || (!pointer_a && !pointer_b) ||
       (node->op == OP_ADD && pointer_a && pointer_b))
      return -ENOTSUP;
   const struct value *pointer = pointer_a ? a : b;
   int result = value_load(expr, node->column, pointer_a ? b : a, &number);
   if (result)
      return result;
   if (pointer_a && pointer_b) {
      result = value_load(expr, node->column, a, &other);
      uint64_t step = expr_pointer_step(a->type);
      struct numeric distance = numeric_scalar(HDB_TYPE_INT, 64);
      if (!result && !step)
         result = expr_fail(expr, node->column, "what they point at has no size");
      if (!result)
         distance.at[0].i = (int64_t)(other.at[0].u - number.at[0].u) / (int64_t)step;
      return result ? result : value_from_numeric(expr, &distance, out);
   }
   if (number.kind == HDB_TYPE_FLOAT || numeric_count(&number) != 1 || (!pointer_a && node->op == OP_SUBTRACT))
      return expr_fail(expr, node->column, "only integers can be added to pointers");
   uint64_t count = node->op == OP_ADD ? number.at[0].u : -number.at[0].u;
   return expr_offset_pointer(expr, node->column, pointer, (int64_t)count, out);
}

/* Of arrays and structs: one bool. */
static int
evaluate_equality(struct expr *expr, const struct node *node, const struct value *a, const struct value *b,
                  struct value *out)
{
   struct numeric answer = numeric_scalar(HDB_TYPE_BOOL, 32);
   bool equal;
   int result = composite_equals(expr, node->column, a, b, &equal);
   answer.at[0].u = equal == (node->op == OP_EQUAL);
   return result ? result : value_from_numeric(expr, &answer, out);
}

/* Registers are numbers: of the lane that is looked at, or a pair. */
static bool
has_parts(const struct value *value)
{
   return expr_is_composite(value->type) && value->reg.kind == REGISTER_NONE;
}

static int
evaluate_binary(struct expr *expr, const struct node *node, struct value *out)
{
   struct value a, b;
   struct numeric number_a, number_b, sum;
   int result = expr_evaluate_node(expr, node->a, &a);
   result = result ?: expr_evaluate_node(expr, node->b, &b);
   if (result)
      return result;
   if ((node->op == OP_EQUAL || node->op == OP_NOT_EQUAL) && (has_parts(&a) || has_parts(&b)))
      return evaluate_equality(expr, node, &a, &b, out);
   result = pointer_arithmetic(expr, node, &a, &b, out);
   if (result != -ENOTSUP)
      return result;
   result = value_load(expr, node->a->column, &a, &number_a);
   result = result ?: value_load(expr, node->b->column, &b, &number_b);
   if (!result) {
      take_as_bits(node->a, &b, &number_a);
      take_as_bits(node->b, &a, &number_b);
      result = numeric_binary(expr, node->column, node->op, &number_a, &number_b, &sum);
   }
   return result ? result : value_from_numeric(expr, &sum, out);
}

static int
evaluate_conditional(struct expr *expr, const struct node *node, struct value *out)
{
   bool is_true;
   int result = load_condition(expr, node->a, &is_true);
   return result ? result : expr_evaluate_node(expr, is_true ? node->b : node->c, out);
}

/* ---- calls ---- */

static int
give_integer(struct expr *expr, enum hdb_type_kind kind, uint64_t integer, struct value *out)
{
   struct numeric number = numeric_scalar(kind, integer > INT32_MAX ? 64 : 32);
   number.at[0].u = integer;
   return value_from_numeric(expr, &number, out);
}

/* With the padding that is between elements, as in C: an array takes as much as its elements. */
static uint64_t
size_of(const struct value *value)
{
   if (value->type->kind == HDB_TYPE_ARRAY && value->type->stride)
      return value_count(value) * value->type->stride;
   bool padded = value->type->kind == HDB_TYPE_STRUCT && value->spacing > value->type->size;
   return padded ? value->spacing : value->type->size;
}

/* What asks for a type or a length, and needs no number: sizeof(x), x.length(). -ENOTSUP: not one of these. */
static int
evaluate_query(struct expr *expr, const struct node *node, struct value *out)
{
   struct value value;
   bool size = strcmp(node->name, "sizeof") == 0;
   if (node->argument_count != 1 || (!size && strcmp(node->name, "length") != 0))
      return -ENOTSUP;
   const struct node *argument = node->arguments[0];
   if (size && argument->kind == NODE_NAME && argument->meaning->kind != NAME_SYMBOL) {
      const struct hdb_type *type = expr_find_type(expr, argument->name);
      if (type)
         return give_integer(expr, HDB_TYPE_UINT, type->size, out);
      if (*expr->error)
         return -EINVAL;
   }
   int result = expr_evaluate_node(expr, argument, &value);
   if (result)
      return result;
   if (size && value.type->kind == HDB_TYPE_OPAQUE)
      return expr_fail(expr, node->column, "%s has no size", expr_type_name(expr, value.type) ?: "it");
   if (size)
      return give_integer(expr, HDB_TYPE_UINT, size_of(&value), out);
   bool method = node->op == OP_DOT; /* x.length() counts, length(x) measures */
   if (method && (value.type->kind == HDB_TYPE_VECTOR || value.type->kind == HDB_TYPE_MATRIX))
      return give_integer(expr, HDB_TYPE_INT, value.swizzled ? value.swizzled : value.type->count, out);
   if (value.type->kind != HDB_TYPE_ARRAY)
      return method ? expr_fail(expr, node->column, "%s has no length()", expr_type_name(expr, value.type) ?: "it")
                    : -ENOTSUP;
   if (value.kind == VALUE_UNAVAILABLE && !value.type->count)
      return expr_fail(expr, node->column, "%s", value.why);
   if (value.kind == VALUE_BINDINGS && value.uncounted)
      return expr_fail(expr, node->column,
                       "the number of descriptors is the set's, and not known; there are %" PRIu64 " at most",
                       value.count);
   return give_integer(expr, HDB_TYPE_INT, value_count(&value), out);
}

/* Whether a constructor makes its object of one argument for each element or member. A struct's with one argument is a
 * reference to a block. */
static bool
makes_composite(const struct node *node)
{
   return node->type &&
          (node->type->kind == HDB_TYPE_ARRAY || (node->type->kind == HDB_TYPE_STRUCT && node->argument_count > 1));
}

static int
evaluate_composite(struct expr *expr, const struct node *node, struct value *out)
{
   struct value *parts = expr_allocate(expr, (node->argument_count + 1) * sizeof(*parts));
   int result = parts ? 0 : -ENOMEM;
   for (uint32_t i = 0; !result && i < node->argument_count; i++)
      result = expr_evaluate_node(expr, node->arguments[i], &parts[i]);
   return result ? result : composite_make(expr, node->column, node->type, parts, node->argument_count, out);
}

static int
evaluate_call(struct expr *expr, const struct node *node, struct value *out)
{
   if (makes_composite(node))
      return evaluate_composite(expr, node, out);
   int result = node->type ? -ENOTSUP : evaluate_query(expr, node, out);
   if (result == -ENOTSUP && !node->type)
      result = expr_evaluate_image_call(expr, node, out);
   if (result != -ENOTSUP)
      return result;
   const struct function *function = node->type ? NULL : function_find(node->name);
   if (!node->type && !function)
      return expr_fail(expr, node->column, "no builtin function %s(); the shader's own can't be called", node->name);
   if (function && (node->argument_count < function->least || node->argument_count > function->most))
      return expr_fail(expr, node->column, "%s() takes %u argument%s", node->name, function->most,
                       function->most == 1 ? "" : "s");
   struct numeric *arguments = expr_allocate(expr, (node->argument_count + 1) * sizeof(*arguments)), number;
   if (!arguments)
      return -ENOMEM;
   result = 0;
   for (uint32_t i = 0; !result && i < node->argument_count; i++)
      result = load_node(expr, node->arguments[i], &arguments[i]);
   if (result)
      return result;
   if (node->type)
      return expr_construct(expr, node->column, node->type, arguments, node->argument_count, out);
   struct call call = {expr, node->column, node->name, arguments, node->argument_count, &number};
   result = function->run(&call);
   return result ? result : value_from_numeric(expr, &number, out);
}

/* ---- assignment ---- */

/* A number by itself, as it is written, takes the type of what it is assigned to, without being rounded to another one
 * before; an integer that this would cut off is refused. */
static int
fit_literal(struct expr *expr, const struct node *node, const struct value *old, struct value *value)
{
   bool negative = node->kind == NODE_UNARY && node->op == OP_SUBTRACT;
   const struct node *literal = negative ? node->a : node;
   const struct hdb_type *to = old->type, *from = literal->type;
   if (literal->kind != NODE_NUMBER || old->reg.kind != REGISTER_NONE)
      return 0;
   while (to->kind == HDB_TYPE_VECTOR || to->kind == HDB_TYPE_MATRIX)
      to = to->element;
   if (to->kind == HDB_TYPE_FLOAT && to->bits == 64 && from->kind == HDB_TYPE_FLOAT) {
      struct numeric number = numeric_scalar(HDB_TYPE_FLOAT, 64);
      number.at[0].f = negative ? -literal->number.f : literal->number.f;
      return value_from_numeric(expr, &number, value);
   }
   if (to->kind == HDB_TYPE_FLOAT && from->kind == HDB_TYPE_FLOAT &&
       isinf(number_wrap(HDB_TYPE_FLOAT, to->bits, literal->number).f))
      return expr_fail(expr, node->column, "%g does not fit a %u-bit float", literal->number.f, to->bits);
   bool whole = (to->kind == HDB_TYPE_INT || to->kind == HDB_TYPE_UINT) && from->kind != HDB_TYPE_FLOAT;
   if (!whole)
      return 0;
   uint64_t most = negative ? 1ull << (to->bits - 1) : UINT64_MAX >> (64 - to->bits),
            written = literal->number.u & UINT64_MAX >> (64 - from->bits);
   if (written > most)
      return expr_fail(expr, node->column, "%s%" PRIu64 " does not fit %u bits; %s() cuts it off", negative ? "-" : "",
                       written, to->bits, to->name);
   return 0;
}

static int
evaluate_new_value(struct expr *expr, const struct node *node, const struct value *old, struct value *out)
{
   struct numeric a, b, sum;
   int result = expr_evaluate_node(expr, node->b, out);
   if (!result && node->op == OP_NONE && node->a->kind != NODE_DOLLAR)
      result = fit_literal(expr, node->b, old, out);
   if (result || (node->op == OP_NONE && node->b->kind != NODE_NUMBER))
      return result;
   result = value_load(expr, node->b->column, out, &b);
   if (result)
      return result;
   take_as_bits(node->b, old, &b);
   if (node->op == OP_NONE)
      return value_from_numeric(expr, &b, out);
   result = value_load(expr, node->a->column, old, &a);
   result = result ?: numeric_binary(expr, node->column, node->op, &a, &b, &sum);
   return result ? result : value_from_numeric(expr, &sum, out);
}

static int
evaluate_assignment(struct expr *expr, const struct node *node, struct value *out)
{
   struct value to, from;
   if (expr->pure)
      return expr_fail(expr, node->column, "an assignment; nothing is changed by looking");
   int result = expr_evaluate_node(expr, node->a, &to);
   result = result ?: evaluate_new_value(expr, node, &to, &from);
   expr->assigned = true;
   if (result)
      return result;
   if (node->a->kind == NODE_DOLLAR && to.reg.kind == REGISTER_NONE) {
      result = store_set(expr, node->column, node->a->name, &from);
      return result ? result : store_find(expr, node->column, node->a->name, out);
   }
   result = expr_assign(expr, node->column, &to, &from);
   result = result ?: expr_evaluate_node(expr, node->a, out); /* what it has now become */
   if (!result && to.reg.kind != REGISTER_NONE && expr_is_numeric(from.type) && from.type->kind == HDB_TYPE_FLOAT &&
       from.type->bits == 32 && out->size == sizeof(float))
      out->type = expr_scalar_type(HDB_TYPE_FLOAT, 32);
   return result;
}

static int
evaluate_number(struct expr *expr, const struct node *node, struct value *out)
{
   struct numeric number = numeric_scalar(node->type->kind, node->type->bits);
   number.at[0] = number_wrap(node->type->kind, node->type->bits, node->number);
   return value_from_numeric(expr, &number, out);
}

static int
evaluate_member(struct expr *expr, const struct node *node, struct value *out)
{
   struct value base;
   int result = expr_evaluate_node(expr, node->a, &base);
   if (!result && node->op == OP_ARROW && base.type->kind != HDB_TYPE_POINTER)
      result = expr_fail(expr, node->column, "%s is no pointer", expr_type_name(expr, base.type) ?: "it");
   return result ? result : expr_member(expr, node->column, &base, node->name, out);
}

static int
evaluate_cast(struct expr *expr, const struct node *node, struct value *out)
{
   struct value value;
   int result = expr_evaluate_node(expr, node->a, &value);
   return result ? result : expr_cast(expr, node->column, node->type, &value, out);
}

int
expr_evaluate_node(struct expr *expr, const struct node *node, struct value *out)
{
   static int (*const evaluate[])(struct expr * expr, const struct node *node, struct value *out) = {
      [NODE_NUMBER] = evaluate_number,
      [NODE_NAME] = evaluate_name,
      [NODE_DOLLAR] = evaluate_dollar,
      [NODE_UNARY] = evaluate_unary,
      [NODE_BINARY] = evaluate_binary,
      [NODE_LOGICAL] = evaluate_logical,
      [NODE_CONDITIONAL] = evaluate_conditional,
      [NODE_ASSIGN] = evaluate_assignment,
      [NODE_MEMBER] = evaluate_member,
      [NODE_INDEX] = expr_evaluate_element,
      [NODE_SLICE] = expr_evaluate_slice,
      [NODE_REPEAT] = expr_evaluate_repeat,
      [NODE_DEREFERENCE] = expr_evaluate_dereference,
      [NODE_ADDRESS] = expr_evaluate_address,
      [NODE_CAST] = evaluate_cast,
      [NODE_OBJECT] = expr_evaluate_object,
      [NODE_CALL] = evaluate_call,
   };
   return evaluate[node->kind](expr, node, out);
}
