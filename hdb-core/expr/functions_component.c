/* SPDX-License-Identifier: MIT */
/* The builtin functions of several arguments, of integers and of bools that work component by component. */
#include <math.h>
#include <string.h>

#include "expr/private.h"

/* ---- several arguments ---- */

/* All arguments get one type and shape. */
static int
balance(struct call *call, bool floats)
{
   for (uint32_t round = 0; round < 2; round++) { /* the first may have to follow the last, and the second the first */
      for (uint32_t i = 0; i < call->count; i++) {
         if (floats)
            numeric_make_float(&call->arguments[i]);
         int result = numeric_balance(call->expr, call->column, &call->arguments[0], &call->arguments[i]);
         if (result)
            return result;
      }
   }
   *call->out = call->arguments[0];
   return 0;
}

static int
run_float2(struct call *call, double (*calculate)(double a, double b))
{
   int result = balance(call, true);
   for (uint32_t i = 0; !result && i < numeric_count(call->out); i++) {
      call->out->at[i].f = calculate(call->arguments[0].at[i].f, call->arguments[1].at[i].f);
      call->out->at[i] = number_wrap(call->out->kind, call->out->bits, call->out->at[i]);
   }
   return result;
}

static int
run_pow(struct call *call)
{
   return run_float2(call, pow);
}

static int
run_atan(struct call *call)
{
   if (call->count == 2)
      return run_float2(call, atan2);
   numeric_make_float(&call->arguments[0]);
   *call->out = call->arguments[0];
   for (uint32_t i = 0; i < numeric_count(call->out); i++) {
      call->out->at[i].f = atan(call->out->at[i].f);
      call->out->at[i] = number_wrap(call->out->kind, call->out->bits, call->out->at[i]);
   }
   return 0;
}

static double
step(double edge, double x)
{
   return x < edge ? 0 : 1;
}

static int
run_step(struct call *call)
{
   return run_float2(call, step);
}

static double
glsl_modulo(double x, double y)
{
   return x - y * floor(x / y);
}

/* GLSL's, on floats; HLSL's fmod has the sign of its first argument. */
static int
run_mod(struct call *call)
{
   return run_float2(call, glsl_modulo);
}

static int
run_fmod(struct call *call)
{
   return run_float2(call, fmod);
}

static int
run_ldexp(struct call *call)
{
   numeric_make_float(&call->arguments[0]);
   numeric_convert(&call->arguments[1], HDB_TYPE_FLOAT, call->arguments[0].bits);
   int result = balance(call, true);
   for (uint32_t i = 0; !result && i < numeric_count(call->out); i++) {
      call->out->at[i].f = call->arguments[0].at[i].f * exp2(call->arguments[1].at[i].f);
      call->out->at[i] = number_wrap(call->out->kind, call->out->bits, call->out->at[i]);
   }
   return result;
}

static bool
is_less(enum hdb_type_kind kind, union number a, union number b)
{
   return kind == HDB_TYPE_FLOAT ? a.f < b.f : kind == HDB_TYPE_INT ? a.i < b.i : a.u < b.u;
}

/* min(x, y): y where y < x, else x (GLSL 4.60, 8.3): it says what becomes of NaN. */
static union number
least_of(enum hdb_type_kind kind, union number a, union number b)
{
   return is_less(kind, b, a) ? b : a;
}

static union number
most_of(enum hdb_type_kind kind, union number a, union number b)
{
   return is_less(kind, a, b) ? b : a;
}

static int
run_min(struct call *call)
{
   int result = balance(call, false);
   for (uint32_t i = 0; !result && i < numeric_count(call->out); i++)
      call->out->at[i] = least_of(call->out->kind, call->arguments[0].at[i], call->arguments[1].at[i]);
   return result;
}

static int
run_max(struct call *call)
{
   int result = balance(call, false);
   for (uint32_t i = 0; !result && i < numeric_count(call->out); i++)
      call->out->at[i] = most_of(call->out->kind, call->arguments[0].at[i], call->arguments[1].at[i]);
   return result;
}

static int
run_clamp(struct call *call)
{
   int result = balance(call, false);
   for (uint32_t i = 0; !result && i < numeric_count(call->out); i++) {
      union number low = most_of(call->out->kind, call->arguments[0].at[i], call->arguments[1].at[i]);
      call->out->at[i] = least_of(call->out->kind, low, call->arguments[2].at[i]);
   }
   return result;
}

/* With bools it chooses, without arithmetic. */
static int
run_choice(struct call *call, const struct numeric *condition, struct numeric *no, struct numeric *yes)
{
   struct numeric which = *condition;
   int result = numeric_balance(call->expr, call->column, no, yes);
   *call->out = *no;
   if (!result && numeric_count(&which) == 1) {
      for (uint32_t i = 1; i < numeric_count(no); i++)
         which.at[i] = which.at[0];
   } else if (!result && numeric_count(&which) != numeric_count(no)) {
      return call_fail(call, "the condition has %u components, the values %u", numeric_count(&which),
                       numeric_count(no));
   }
   for (uint32_t i = 0; !result && i < numeric_count(no); i++)
      call->out->at[i] = number_is_true(which.kind, which.at[i]) ? yes->at[i] : no->at[i];
   return result;
}

static int
run_mix(struct call *call)
{
   struct numeric *a = call->arguments;
   if (a[2].kind == HDB_TYPE_BOOL)
      return run_choice(call, &a[2], &a[0], &a[1]);
   int result = balance(call, true);
   for (uint32_t i = 0; !result && i < numeric_count(call->out); i++) {
      call->out->at[i].f = a[0].at[i].f * (1 - a[2].at[i].f) + a[1].at[i].f * a[2].at[i].f;
      call->out->at[i] = number_wrap(call->out->kind, call->out->bits, call->out->at[i]);
   }
   return result;
}

static int
run_select(struct call *call)
{
   return run_choice(call, &call->arguments[0], &call->arguments[2], &call->arguments[1]);
}

static int
run_fma(struct call *call)
{
   struct numeric *a = call->arguments;
   int result = balance(call, true);
   for (uint32_t i = 0; !result && i < numeric_count(call->out); i++) {
      call->out->at[i].f = call->out->bits == 32 ? fmaf((float)a[0].at[i].f, (float)a[1].at[i].f, (float)a[2].at[i].f)
                                                 : fma(a[0].at[i].f, a[1].at[i].f, a[2].at[i].f);
      call->out->at[i] = number_wrap(call->out->kind, call->out->bits, call->out->at[i]);
   }
   return result;
}

static int
run_smoothstep(struct call *call)
{
   struct numeric *a = call->arguments;
   int result = balance(call, true);
   for (uint32_t i = 0; !result && i < numeric_count(call->out); i++) {
      double t = function_saturate((a[2].at[i].f - a[0].at[i].f) / (a[1].at[i].f - a[0].at[i].f));
      call->out->at[i].f = t * t * (3 - 2 * t);
      call->out->at[i] = number_wrap(call->out->kind, call->out->bits, call->out->at[i]);
   }
   return result;
}

/* ---- signs and bools ---- */

static int
run_abs(struct call *call)
{
   *call->out = call->arguments[0];
   for (uint32_t i = 0; i < numeric_count(call->out); i++) {
      union number *at = &call->out->at[i];
      if (call->out->kind == HDB_TYPE_FLOAT)
         at->f = fabs(at->f);
      else if (call->out->kind == HDB_TYPE_INT && at->i < 0)
         *at = number_wrap(HDB_TYPE_INT, call->out->bits, (union number){.u = -at->u});
   }
   return 0;
}

static int
run_sign(struct call *call)
{
   *call->out = call->arguments[0];
   for (uint32_t i = 0; i < numeric_count(call->out); i++) {
      union number *at = &call->out->at[i];
      if (call->out->kind == HDB_TYPE_FLOAT)
         at->f = at->f > 0 ? 1 : at->f < 0 ? -1 : 0;
      else if (call->out->kind == HDB_TYPE_INT)
         at->i = at->i > 0 ? 1 : at->i < 0 ? -1 : 0;
      else
         at->u = at->u != 0;
   }
   return 0;
}

static int
classify(struct call *call, bool nan_counts, bool infinite_counts, bool finite_counts)
{
   numeric_make_float(&call->arguments[0]);
   *call->out = call->arguments[0];
   call->out->kind = HDB_TYPE_BOOL;
   call->out->bits = 32;
   for (uint32_t i = 0; i < numeric_count(call->out); i++) {
      double number = call->arguments[0].at[i].f;
      call->out->at[i].u = isnan(number) ? nan_counts : isinf(number) ? infinite_counts : finite_counts;
   }
   return 0;
}

static int
run_isnan(struct call *call)
{
   return classify(call, true, false, false);
}

static int
run_isinf(struct call *call)
{
   return classify(call, false, true, false);
}

static int
run_isfinite(struct call *call)
{
   return classify(call, false, false, true);
}

static int
run_any(struct call *call)
{
   struct numeric a = call->arguments[0];
   *call->out = numeric_scalar(HDB_TYPE_BOOL, 32);
   call->out->at[0].u = 0;
   for (uint32_t i = 0; i < numeric_count(&a); i++)
      call->out->at[0].u |= number_is_true(a.kind, a.at[i]);
   return 0;
}

static int
run_all(struct call *call)
{
   struct numeric a = call->arguments[0];
   *call->out = numeric_scalar(HDB_TYPE_BOOL, 32);
   call->out->at[0].u = 1;
   for (uint32_t i = 0; i < numeric_count(&a); i++)
      call->out->at[0].u &= number_is_true(a.kind, a.at[i]);
   return 0;
}

static int
run_not(struct call *call)
{
   *call->out = call->arguments[0];
   return numeric_unary(call->expr, call->column, OP_NOT, call->out);
}

/* lessThan() and its kin: component by component in either language. */
static int
run_comparison(struct call *call)
{
   static const struct {
      const char *name;
      enum operator op;
   } names[] = {
      {"lessThan", OP_LESS},       {"lessThanEqual", OP_LESS_EQUAL},
      {"greaterThan", OP_GREATER}, {"greaterThanEqual", OP_GREATER_EQUAL},
      {"equal", OP_EQUAL},         {"notEqual", OP_NOT_EQUAL},
   };
   enum hdb_language language = call->expr->language;
   int result = 0;
   call->expr->language = HDB_LANGUAGE_HLSL; /* where == is so */
   for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
      if (strcmp(names[i].name, call->name) == 0)
         result =
            numeric_binary(call->expr, call->column, names[i].op, &call->arguments[0], &call->arguments[1], call->out);
   }
   call->expr->language = language;
   return result;
}

/* nonuniformEXT() and HLSL's say something to the compiler only. */
static int
run_same(struct call *call)
{
   *call->out = call->arguments[0];
   return 0;
}

const struct function component_functions[] = {
   {"nonuniformEXT", 1, 1, run_same},
   {"NonUniformResourceIndex", 1, 1, run_same},
   {"abs", 1, 1, run_abs},
   {"sign", 1, 1, run_sign},
   {"min", 2, 2, run_min},
   {"max", 2, 2, run_max},
   {"clamp", 3, 3, run_clamp},
   {"mix", 3, 3, run_mix},
   {"lerp", 3, 3, run_mix},
   {"select", 3, 3, run_select},
   {"step", 2, 2, run_step},
   {"smoothstep", 3, 3, run_smoothstep},
   {"mod", 2, 2, run_mod},
   {"fmod", 2, 2, run_fmod},
   {"pow", 2, 2, run_pow},
   {"atan", 1, 2, run_atan},
   {"atan2", 2, 2, run_atan},
   {"ldexp", 2, 2, run_ldexp},
   {"fma", 3, 3, run_fma},
   {"mad", 3, 3, run_fma},
   {"isnan", 1, 1, run_isnan},
   {"isinf", 1, 1, run_isinf},
   {"isfinite", 1, 1, run_isfinite},
   {"any", 1, 1, run_any},
   {"all", 1, 1, run_all},
   {"not", 1, 1, run_not},
   {"lessThan", 2, 2, run_comparison},
   {"lessThanEqual", 2, 2, run_comparison},
   {"greaterThan", 2, 2, run_comparison},
   {"greaterThanEqual", 2, 2, run_comparison},
   {"equal", 2, 2, run_comparison},
   {"notEqual", 2, 2, run_comparison},
   {NULL},
};
