/* SPDX-License-Identifier: MIT */
/* Operators on numbers, vectors and matrices, as in the shader's language. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "expr/private.h"

/* ---- types ---- */

static uint32_t
greater(uint32_t a, uint32_t b)
{
   return a > b ? a : b;
}

/* Floats before integers, unsigned before signed, more bits before fewer; a bool counts as an int. */
static void
common_type(const struct numeric *a, const struct numeric *b, enum hdb_type_kind *kind, uint32_t *bits)
{
   bool float_a = a->kind == HDB_TYPE_FLOAT, float_b = b->kind == HDB_TYPE_FLOAT;
   if (float_a || float_b) {
      *kind = HDB_TYPE_FLOAT;
      *bits = float_a && float_b ? greater(a->bits, b->bits) : float_a ? a->bits : b->bits;
      return;
   }
   *bits = greater(a->bits, b->bits);
   bool is_unsigned = (a->kind == HDB_TYPE_UINT && a->bits == *bits) || (b->kind == HDB_TYPE_UINT && b->bits == *bits);
   *kind = is_unsigned ? HDB_TYPE_UINT : HDB_TYPE_INT;
}

static void
spread(struct numeric *scalar, const struct numeric *shape)
{
   scalar->rows = shape->rows;
   scalar->columns = shape->columns;
   scalar->matrix = shape->matrix;
   for (uint32_t i = 1; i < numeric_count(scalar); i++)
      scalar->at[i] = scalar->at[0];
}

static int
fail_shapes(struct expr *expr, uint32_t column, const struct numeric *a, const struct numeric *b)
{
   if (a->matrix || b->matrix)
      return expr_fail(expr, column, "matrices and vectors of these sizes don't go together");
   return expr_fail(expr, column, "vectors of %u and of %u components don't go together", a->rows, b->rows);
}

static int
match_shapes(struct expr *expr, uint32_t column, struct numeric *a, struct numeric *b)
{
   if (numeric_count(a) == 1 && !a->matrix)
      spread(a, b);
   else if (numeric_count(b) == 1 && !b->matrix)
      spread(b, a);
   if (a->rows != b->rows || a->columns != b->columns || a->matrix != b->matrix)
      return fail_shapes(expr, column, a, b);
   return 0;
}

int
numeric_balance(struct expr *expr, uint32_t column, struct numeric *a, struct numeric *b)
{
   enum hdb_type_kind kind;
   uint32_t bits;
   int result = match_shapes(expr, column, a, b);
   if (result)
      return result;
   common_type(a, b, &kind, &bits);
   numeric_convert(a, kind, bits);
   numeric_convert(b, kind, bits);
   return 0;
}

/* ---- one component ---- */

static union number
calculate_float(enum operator op, double a, double b)
{
   union number result = {.f = 0};
   switch (op) {
   case OP_ADD:
      result.f = a + b;
      break;
   case OP_SUBTRACT:
      result.f = a - b;
      break;
   case OP_MULTIPLY:
      result.f = a * b;
      break;
   case OP_DIVIDE:
      result.f = a / b;
      break;
   default:
      result.f = fmod(a, b); /* HLSL has it, with the sign of a */
      break;
   }
   return result;
}

/* Divisors have been checked. The bits of sums and products are the same, signed or not. */
static union number
calculate_integer(enum operator op, const struct numeric *type, union number a, union number b)
{
   bool is_signed = type->kind == HDB_TYPE_INT;
   union number result = {.u = 0};
   switch (op) {
   case OP_ADD:
      result.u = a.u + b.u;
      break;
   case OP_SUBTRACT:
      result.u = a.u - b.u;
      break;
   case OP_MULTIPLY:
      result.u = a.u * b.u;
      break;
   case OP_DIVIDE:
      if (is_signed && b.i == -1)
         result.u = -a.u;
      else if (is_signed)
         result.i = a.i / b.i;
      else
         result.u = a.u / b.u;
      break;
   case OP_MODULO:
      if (is_signed)
         result.i = b.i == -1 ? 0 : a.i % b.i;
      else
         result.u = a.u % b.u;
      break;
   case OP_AND:
      result.u = a.u & b.u;
      break;
   case OP_OR:
      result.u = a.u | b.u;
      break;
   case OP_XOR:
      result.u = a.u ^ b.u;
      break;
   default:
      break;
   }
   return result;
}

static bool
compare(enum operator op, enum hdb_type_kind kind, union number a, union number b)
{
   bool less, equal;
   if (kind == HDB_TYPE_FLOAT) {
      less = a.f < b.f;
      equal = a.f == b.f;
      if (isnan(a.f) || isnan(b.f))
         return op == OP_NOT_EQUAL;
   } else if (kind == HDB_TYPE_INT) {
      less = a.i < b.i;
      equal = a.i == b.i;
   } else {
      less = a.u < b.u;
      equal = a.u == b.u;
   }
   switch (op) {
   case OP_EQUAL:
      return equal;
   case OP_NOT_EQUAL:
      return !equal;
   case OP_LESS:
      return less;
   case OP_LESS_EQUAL:
      return less || equal;
   case OP_GREATER:
      return !less && !equal;
   default:
      return !less;
   }
}

static bool is_comparison(enum operator op)
{
   return op >= OP_EQUAL && op <= OP_GREATER_EQUAL;
}

/* ---- whole values ---- */

static int
run_comparison(struct expr *expr, uint32_t column, enum operator op, struct numeric *a, struct numeric *b,
               struct numeric *out)
{
   int result = numeric_balance(expr, column, a, b);
   if (result)
      return result;
   *out = *a;
   out->kind = HDB_TYPE_BOOL;
   out->bits = 32;
   for (uint32_t i = 0; i < numeric_count(a); i++)
      out->at[i].u = compare(op, a->kind, a->at[i], b->at[i]);
   if (expr->language == HDB_LANGUAGE_HLSL || (op != OP_EQUAL && op != OP_NOT_EQUAL))
      return 0;
   /* In GLSL vectors are equal as a whole. */
   bool all = op == OP_EQUAL, any = false;
   for (uint32_t i = 0; i < numeric_count(a); i++) {
      all &= out->at[i].u;
      any |= out->at[i].u;
   }
   *out = numeric_scalar(HDB_TYPE_BOOL, 32);
   out->at[0].u = op == OP_EQUAL ? all : any;
   return 0;
}

/* The left side's type stays. */
static int
run_shift(struct expr *expr, uint32_t column, enum operator op, struct numeric *a, struct numeric *b,
          struct numeric *out)
{
   int result = match_shapes(expr, column, a, b);
   if (!result && (a->kind == HDB_TYPE_FLOAT || b->kind == HDB_TYPE_FLOAT))
      result = expr_fail(expr, column, "only integers can be shifted");
   if (result)
      return result;
   if (a->kind == HDB_TYPE_BOOL)
      numeric_convert(a, HDB_TYPE_INT, 32);
   *out = *a;
   for (uint32_t i = 0; i < numeric_count(a); i++) {
      uint32_t count = b->at[i].u & (a->bits - 1); /* more is undefined; the hardware takes the low bits */
      if (op == OP_SHIFT_LEFT)
         out->at[i].u = a->at[i].u << count;
      else if (a->kind == HDB_TYPE_INT)
         out->at[i].i = a->at[i].i >> count;
      else
         out->at[i].u = a->at[i].u >> count;
      out->at[i] = number_wrap(a->kind, a->bits, out->at[i]);
   }
   return 0;
}

static int
check_integers(struct expr *expr, uint32_t column, enum operator op, const struct numeric *a, const struct numeric *b)
{
   if (a->kind == HDB_TYPE_FLOAT)
      return op == OP_AND || op == OP_OR || op == OP_XOR ? expr_fail(expr, column, "only integers have bits to combine")
                                                         : 0;
   for (uint32_t i = 0; i < numeric_count(b) && (op == OP_DIVIDE || op == OP_MODULO); i++) {
      if (!b->at[i].u)
         return expr_fail(expr, column, "division by zero");
   }
   return 0;
}

static int
run_arithmetic(struct expr *expr, uint32_t column, enum operator op, struct numeric *a, struct numeric *b,
               struct numeric *out)
{
   int result = numeric_balance(expr, column, a, b);
   if (!result)
      result = check_integers(expr, column, op, a, b);
   if (result)
      return result;
   *out = *a;
   for (uint32_t i = 0; i < numeric_count(a); i++) {
      union number number = a->kind == HDB_TYPE_FLOAT ? calculate_float(op, a->at[i].f, b->at[i].f)
                                                      : calculate_integer(op, a, a->at[i], b->at[i]);
      out->at[i] = number_wrap(a->kind, a->bits, number);
   }
   return 0;
}

/* In GLSL, `*` with a matrix and no scalar. Both are of one type. */
static bool
multiply_shapes(const struct numeric *a, const struct numeric *b, struct numeric *out)
{
   *out = numeric_scalar(a->kind, a->bits);
   if (a->matrix && b->matrix) {
      out->rows = a->rows;
      out->columns = b->columns;
      out->matrix = true;
      return a->columns == b->rows;
   }
   out->rows = a->matrix ? a->rows : b->columns; /* a vector on the left is a row */
   return a->matrix ? a->columns == b->rows : a->rows == b->rows;
}

/* Linear algebra. */
static void
multiply(const struct numeric *a, const struct numeric *b, struct numeric *out)
{
   uint32_t rows = a->matrix ? a->rows : 1, inner = a->matrix ? a->columns : a->rows, columns = b->columns;
   multiply_shapes(a, b, out);
   for (uint32_t column = 0; column < columns; column++) {
      for (uint32_t row = 0; row < rows; row++) {
         union number sum = {.f = 0};
         for (uint32_t i = 0; i < inner; i++) {
            union number product = number_wrap(
               a->kind, a->bits, calculate_float(OP_MULTIPLY, a->at[i * rows + row].f, b->at[column * inner + i].f));
            sum = number_wrap(a->kind, a->bits, calculate_float(OP_ADD, sum.f, product.f));
         }
         out->at[column * rows + row] = sum;
      }
   }
}

static int
run_matrix_product(struct expr *expr, uint32_t column, struct numeric *a, struct numeric *b, struct numeric *out)
{
   enum hdb_type_kind kind;
   uint32_t bits;
   common_type(a, b, &kind, &bits);
   numeric_convert(a, HDB_TYPE_FLOAT, kind == HDB_TYPE_FLOAT ? bits : 32);
   numeric_convert(b, a->kind, a->bits);
   if (!multiply_shapes(a, b, out))
      return fail_shapes(expr, column, a, b);
   multiply(a, b, out);
   return 0;
}

int
numeric_binary(struct expr *expr, uint32_t column, enum operator op, const struct numeric *left,
               const struct numeric *right, struct numeric *out)
{
   struct numeric a = *left, b = *right;
   bool vectors = numeric_count(&a) > 1 && numeric_count(&b) > 1;
   if (op == OP_MULTIPLY && vectors && (a.matrix || b.matrix) && expr->language != HDB_LANGUAGE_HLSL)
      return run_matrix_product(expr, column, &a, &b, out);
   if (is_comparison(op))
      return run_comparison(expr, column, op, &a, &b, out);
   if (op == OP_SHIFT_LEFT || op == OP_SHIFT_RIGHT)
      return run_shift(expr, column, op, &a, &b, out);
   return run_arithmetic(expr, column, op, &a, &b, out);
}

int
numeric_unary(struct expr *expr, uint32_t column, enum operator op, struct numeric *number)
{
   if (op == OP_COMPLEMENT && number->kind == HDB_TYPE_FLOAT)
      return expr_fail(expr, column, "only integers have bits to invert");
   if (op == OP_NOT)
      numeric_convert(number, HDB_TYPE_BOOL, 32);
   else if (number->kind == HDB_TYPE_BOOL)
      numeric_convert(number, HDB_TYPE_INT, 32);
   for (uint32_t i = 0; i < numeric_count(number); i++) {
      union number *at = &number->at[i];
      if (op == OP_NOT)
         at->u = !at->u;
      else if (op == OP_COMPLEMENT)
         at->u = ~at->u;
      else if (op == OP_SUBTRACT && number->kind == HDB_TYPE_FLOAT)
         at->f = -at->f;
      else if (op == OP_SUBTRACT)
         at->u = -at->u;
      *at = number_wrap(number->kind, number->bits, *at);
   }
   return 0;
}
