/* SPDX-License-Identifier: MIT */
/* The builtin functions on vectors and matrices as a whole. */
#include <math.h>

#include "expr/private.h"

static void
round_all(struct numeric *number)
{
   for (uint32_t i = 0; i < numeric_count(number); i++)
      number->at[i] = number_wrap(number->kind, number->bits, number->at[i]);
}

/* One, two or three vectors of the same size and type. */
static int
need_vectors(struct call *call, uint32_t count)
{
   for (uint32_t i = 0; i < count; i++) {
      numeric_make_float(&call->arguments[i]);
      if (call->arguments[i].matrix || call->arguments[i].rows != call->arguments[0].rows)
         return call_fail(call, "vectors of one size expected");
      int result = numeric_balance(call->expr, call->column, &call->arguments[0], &call->arguments[i]);
      if (result)
         return result;
   }
   return 0;
}

static int
need_matrix(struct call *call, bool square)
{
   const struct numeric *m = &call->arguments[0];
   numeric_make_float(&call->arguments[0]);
   if (!m->matrix || (square && m->rows != m->columns))
      return call_fail(call, square ? "a square matrix expected" : "a matrix expected");
   return 0;
}

static double
dot(const struct numeric *a, const struct numeric *b)
{
   double sum = 0;
   for (uint32_t i = 0; i < a->rows; i++)
      sum += a->at[i].f * b->at[i].f;
   return sum;
}

static int
give(struct call *call, double number)
{
   uint32_t bits = call->arguments[0].bits;
   *call->out = numeric_scalar(HDB_TYPE_FLOAT, bits);
   call->out->at[0] = number_wrap(HDB_TYPE_FLOAT, bits, (union number){.f = number});
   return 0;
}

static int
run_length(struct call *call)
{
   int result = need_vectors(call, 1);
   return result ? result : give(call, sqrt(dot(&call->arguments[0], &call->arguments[0])));
}

static int
run_distance(struct call *call)
{
   int result = need_vectors(call, 2);
   struct numeric *a = &call->arguments[0];
   for (uint32_t i = 0; !result && i < a->rows; i++)
      a->at[i].f -= call->arguments[1].at[i].f;
   return result ? result : give(call, sqrt(dot(a, a)));
}

static int
run_dot(struct call *call)
{
   const struct numeric *a = call->arguments, *b = a + 1;
   if (a->kind == HDB_TYPE_FLOAT || b->kind == HDB_TYPE_FLOAT) {
      int result = need_vectors(call, 2);
      return result ? result : give(call, dot(a, b));
   }
   int result = numeric_binary(call->expr, call->column, OP_MULTIPLY, a, b, call->out);
   struct numeric sum = numeric_scalar(call->out->kind, call->out->bits);
   for (uint32_t i = 0; !result && i < call->out->rows; i++)
      sum.at[0].u += call->out->at[i].u;
   sum.at[0] = number_wrap(sum.kind, sum.bits, sum.at[0]);
   *call->out = sum;
   return result;
}

static int
run_cross(struct call *call)
{
   const struct numeric *a = &call->arguments[0], *b = &call->arguments[1];
   int result = need_vectors(call, 2);
   if (!result && a->rows != 3)
      result = call_fail(call, "vectors of 3 components expected");
   if (result)
      return result;
   *call->out = *a;
   for (uint32_t i = 0; i < 3; i++) {
      uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
      call->out->at[i].f = a->at[j].f * b->at[k].f - b->at[j].f * a->at[k].f;
   }
   round_all(call->out);
   return 0;
}

static int
run_normalize(struct call *call)
{
   int result = need_vectors(call, 1);
   *call->out = call->arguments[0];
   double length = result ? 1 : sqrt(dot(call->out, call->out));
   for (uint32_t i = 0; i < call->out->rows; i++)
      call->out->at[i].f /= length;
   round_all(call->out);
   return result;
}

static int
run_faceforward(struct call *call)
{
   int result = need_vectors(call, 3);
   if (result)
      return result;
   *call->out = call->arguments[0];
   double sign = dot(&call->arguments[2], &call->arguments[1]) < 0 ? 1 : -1;
   for (uint32_t i = 0; i < call->out->rows; i++)
      call->out->at[i].f *= sign;
   return 0;
}

static int
run_reflect(struct call *call)
{
   const struct numeric *incident = &call->arguments[0], *normal = &call->arguments[1];
   int result = need_vectors(call, 2);
   if (result)
      return result;
   double twice = 2 * dot(normal, incident);
   *call->out = *incident;
   for (uint32_t i = 0; i < incident->rows; i++)
      call->out->at[i].f -= twice * normal->at[i].f;
   round_all(call->out);
   return 0;
}

static int
run_refract(struct call *call)
{
   const struct numeric *incident = &call->arguments[0], *normal = &call->arguments[1];
   int result = need_vectors(call, 2);
   numeric_make_float(&call->arguments[2]);
   if (result)
      return result;
   double eta = call->arguments[2].at[0].f, cosine = dot(normal, incident);
   double k = 1 - eta * eta * (1 - cosine * cosine);
   *call->out = *incident;
   for (uint32_t i = 0; i < incident->rows; i++)
      call->out->at[i].f = k < 0 ? 0 : eta * incident->at[i].f - (eta * cosine + sqrt(k)) * normal->at[i].f;
   round_all(call->out);
   return 0;
}

/* ---- matrices ---- */

static int
run_transpose(struct call *call)
{
   const struct numeric *m = &call->arguments[0];
   int result = need_matrix(call, false);
   *call->out = *m;
   call->out->rows = m->columns;
   call->out->columns = m->rows;
   for (uint32_t column = 0; !result && column < m->columns; column++) {
      for (uint32_t row = 0; row < m->rows; row++)
         call->out->at[row * m->columns + column] = m->at[column * m->rows + row];
   }
   return result;
}

/* Gauss with the greatest pivot: turns `m` into a triangle and does the same to `other`; the determinant. */
static double
eliminate(uint32_t n, double m[4][4], double other[4][4])
{
   double determinant = 1;
   for (uint32_t column = 0; column < n; column++) {
      uint32_t pivot = column;
      for (uint32_t row = column + 1; row < n; row++) {
         if (fabs(m[row][column]) > fabs(m[pivot][column]))
            pivot = row;
      }
      if (m[pivot][column] == 0)
         return 0;
      for (uint32_t i = 0; pivot != column && i < n; i++) {
         double kept = m[pivot][i], kept_other = other[pivot][i];
         m[pivot][i] = m[column][i];
         m[column][i] = kept;
         other[pivot][i] = other[column][i];
         other[column][i] = kept_other;
      }
      determinant *= pivot == column ? m[column][column] : -m[column][column];
      for (uint32_t row = 0; row < n; row++) {
         double factor = m[row][column] / m[column][column];
         for (uint32_t i = 0; row != column && i < n; i++) {
            m[row][i] -= factor * m[column][i];
            other[row][i] -= factor * other[column][i];
         }
      }
   }
   return determinant;
}

static double
eliminate_argument(const struct numeric *a, double m[4][4], double other[4][4])
{
   for (uint32_t row = 0; row < a->rows; row++) {
      for (uint32_t column = 0; column < a->rows; column++) {
         m[row][column] = a->at[column * a->rows + row].f;
         other[row][column] = row == column;
      }
   }
   return eliminate(a->rows, m, other);
}

static int
run_determinant(struct call *call)
{
   double m[4][4], other[4][4];
   int result = need_matrix(call, true);
   return result ? result : give(call, eliminate_argument(&call->arguments[0], m, other));
}

static int
run_inverse(struct call *call)
{
   double m[4][4], other[4][4];
   int result = need_matrix(call, true);
   if (result)
      return result;
   *call->out = call->arguments[0];
   if (eliminate_argument(&call->arguments[0], m, other) == 0)
      return call_fail(call, "the matrix has no inverse");
   for (uint32_t row = 0; row < call->out->rows; row++) {
      for (uint32_t column = 0; column < call->out->rows; column++)
         call->out->at[column * call->out->rows + row].f = other[row][column] / m[row][row];
   }
   round_all(call->out);
   return 0;
}

static int
run_outer_product(struct call *call)
{
   struct numeric *a = &call->arguments[0], *b = &call->arguments[1];
   numeric_make_float(a);
   numeric_make_float(b);
   if (a->matrix || b->matrix || a->rows < 2 || b->rows < 2)
      return call_fail(call, "two vectors expected");
   *call->out = *a;
   call->out->matrix = true;
   call->out->columns = b->rows;
   for (uint32_t column = 0; column < b->rows; column++) {
      for (uint32_t row = 0; row < a->rows; row++)
         call->out->at[column * a->rows + row].f = a->at[row].f * b->at[column].f;
   }
   round_all(call->out);
   return 0;
}

static int
run_component_product(struct call *call)
{
   enum hdb_language language = call->expr->language;
   call->expr->language = HDB_LANGUAGE_HLSL; /* where * is so */
   int result =
      numeric_binary(call->expr, call->column, OP_MULTIPLY, &call->arguments[0], &call->arguments[1], call->out);
   call->expr->language = language;
   return result;
}

/* HLSL's product. Its rows are our columns: what it sees is the transpose, and (AB)' = B'A'. */
static int
run_mul(struct call *call)
{
   enum hdb_language language = call->expr->language;
   bool linear = numeric_count(&call->arguments[0]) > 1 && numeric_count(&call->arguments[1]) > 1;
   if (linear && !call->arguments[0].matrix && !call->arguments[1].matrix)
      return run_dot(call);
   call->expr->language = HDB_LANGUAGE_GLSL;
   int result =
      numeric_binary(call->expr, call->column, OP_MULTIPLY, &call->arguments[1], &call->arguments[0], call->out);
   call->expr->language = language;
   return result;
}

const struct function geometric_functions[] = {
   {"length", 1, 1, run_length},
   {"distance", 2, 2, run_distance},
   {"dot", 2, 2, run_dot},
   {"cross", 2, 2, run_cross},
   {"normalize", 1, 1, run_normalize},
   {"faceforward", 3, 3, run_faceforward},
   {"reflect", 2, 2, run_reflect},
   {"refract", 3, 3, run_refract},
   {"transpose", 1, 1, run_transpose},
   {"determinant", 1, 1, run_determinant},
   {"inverse", 1, 1, run_inverse},
   {"outerProduct", 2, 2, run_outer_product},
   {"matrixCompMult", 2, 2, run_component_product},
   {"mul", 2, 2, run_mul},
   {NULL},
};
