/* SPDX-License-Identifier: MIT */
/* The pure builtin functions that work component by component. What is calculated in double and rounded once. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/private.h"

int
call_fail(struct call *call, const char *format, ...)
{
   char *text;
   va_list arguments;
   va_start(arguments, format);
   if (vasprintf(&text, format, arguments) < 0)
      text = NULL;
   va_end(arguments);
   int result = expr_fail(call->expr, call->column, "%s: %s", call->name, text ? text : "");
   free(text);
   return result;
}

/* ---- one float ---- */

static double
fraction(double x)
{
   return x - floor(x);
}

static double
inverse_sqrt(double x)
{
   return 1 / sqrt(x);
}

static double
reciprocal(double x)
{
   return 1 / x;
}

static double
to_radians(double x)
{
   return x * (M_PI / 180);
}

static double
to_degrees(double x)
{
   return x * (180 / M_PI);
}

double
function_saturate(double x)
{
   return x > 0 ? x < 1 ? x : 1 : 0;
}

static const struct {
   const char *name;
   double (*calculate)(double x);
} float_functions[] = {
   {"floor", floor},
   {"ceil", ceil},
   {"fract", fraction},
   {"frac", fraction},
   {"trunc", trunc},
   {"round", rint},
   {"roundEven", rint},
   {"sqrt", sqrt},
   {"inversesqrt", inverse_sqrt},
   {"rsqrt", inverse_sqrt},
   {"rcp", reciprocal},
   {"exp", exp},
   {"exp2", exp2},
   {"log", log},
   {"log2", log2},
   {"log10", log10},
   {"sin", sin},
   {"cos", cos},
   {"tan", tan},
   {"asin", asin},
   {"acos", acos},
   {"sinh", sinh},
   {"cosh", cosh},
   {"tanh", tanh},
   {"asinh", asinh},
   {"acosh", acosh},
   {"atanh", atanh},
   {"radians", to_radians},
   {"degrees", to_degrees},
   {"saturate", function_saturate},
};

/* Integers become floats, as arguments do in the shading languages. */
void
numeric_make_float(struct numeric *number)
{
   if (number->kind != HDB_TYPE_FLOAT)
      numeric_convert(number, HDB_TYPE_FLOAT, 32);
}

static int
run_float_function(struct call *call)
{
   double (*calculate)(double x) = NULL;
   for (size_t i = 0; i < sizeof(float_functions) / sizeof(float_functions[0]); i++) {
      if (strcmp(float_functions[i].name, call->name) == 0)
         calculate = float_functions[i].calculate;
   }
   if (!calculate)
      return call_fail(call, "not known");
   numeric_make_float(&call->arguments[0]);
   *call->out = call->arguments[0];
   for (uint32_t i = 0; i < numeric_count(call->out); i++) {
      call->out->at[i].f = calculate(call->out->at[i].f);
      call->out->at[i] = number_wrap(call->out->kind, call->out->bits, call->out->at[i]);
   }
   return 0;
}

const struct function *
function_find(const char *name)
{
   static const struct function float_function = {NULL, 1, 1, run_float_function};
   const struct function *const tables[] = {component_functions, geometric_functions, bit_functions};
   for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
      for (const struct function *f = tables[t]; f->name; f++) {
         if (strcmp(f->name, name) == 0)
            return f;
      }
   }
   for (size_t i = 0; i < sizeof(float_functions) / sizeof(float_functions[0]); i++) {
      if (strcmp(float_functions[i].name, name) == 0)
         return &float_function;
   }
   return NULL;
}
