/* SPDX-License-Identifier: MIT */
/* Constructors and casts. */
#include <errno.h>
#include <string.h>

#include "expr/private.h"

static const struct hdb_type *
component_type(const struct hdb_type *type)
{
   while (type->kind == HDB_TYPE_VECTOR || type->kind == HDB_TYPE_MATRIX)
      type = type->element;
   return type;
}

static struct numeric
shape_of(const struct hdb_type *type)
{
   const struct hdb_type *scalar = component_type(type);
   struct numeric shape = numeric_scalar(scalar->kind, scalar->bits);
   if (type->kind == HDB_TYPE_MATRIX) {
      shape.matrix = true;
      shape.columns = type->count;
      shape.rows = type->element->count;
   } else if (type->kind == HDB_TYPE_VECTOR) {
      shape.rows = type->count;
   }
   return shape;
}

/* A matrix of another size: what both have, and ones on the rest of the diagonal. */
static void
resize_matrix(const struct numeric *from, struct numeric *to)
{
   for (uint32_t column = 0; column < to->columns; column++) {
      for (uint32_t row = 0; row < to->rows; row++) {
         bool inside = column < from->columns && row < from->rows;
         union number other = {.f = column == row};
         to->at[column * to->rows + row] = inside ? from->at[column * from->rows + row] : other;
      }
   }
}

static int
gather(struct expr *expr, uint32_t column, const struct numeric *arguments, uint32_t count, struct numeric *to)
{
   uint32_t wanted = numeric_count(to), got = 0;
   for (uint32_t i = 0; i < count; i++) {
      struct numeric argument = arguments[i];
      numeric_convert(&argument, to->kind, to->bits);
      if (got >= wanted)
         return expr_fail(expr, column, "too many arguments: there are %u components", wanted);
      for (uint32_t j = 0; j < numeric_count(&argument) && got < wanted; j++)
         to->at[got++] = argument.at[j];
   }
   if (got < wanted)
      return expr_fail(expr, column, "%u components given, there are %u", got, wanted);
   return 0;
}

static int
construct_numeric(struct expr *expr, uint32_t column, const struct hdb_type *type, const struct numeric *arguments,
                  uint32_t count, struct value *out)
{
   struct numeric number = shape_of(type), first = arguments[0];
   numeric_convert(&first, number.kind, number.bits);
   int result = 0;
   if (count == 1 && number.matrix && first.matrix) {
      resize_matrix(&first, &number);
   } else if (count == 1 && numeric_count(&first) == 1) {
      for (uint32_t i = 0; i < numeric_count(&number); i++) {
         bool diagonal = i / number.rows == i % number.rows;
         number.at[i] = !number.matrix || diagonal ? first.at[0] : (union number){.f = 0};
      }
   } else {
      result = gather(expr, column, arguments, count, &number);
   }
   if (result || (result = value_from_numeric(expr, &number, out)))
      return result;
   if (type->size == out->size && component_type(type)->enumerator_count)
      out->type = type;
   return 0;
}

static int
construct_pointer(struct expr *expr, uint32_t column, const struct hdb_type *type, const struct numeric *from,
                  struct value *out)
{
   if (numeric_count(from) != 1 || from->kind == HDB_TYPE_FLOAT || from->kind == HDB_TYPE_BOOL)
      return expr_fail(expr, column, "an address expected");
   uint8_t *bytes = type ? expr_allocate(expr, 8) : NULL;
   if (!bytes)
      return -ENOMEM;
   number_encode(HDB_TYPE_UINT, 64, (union number){.u = numeric_address(from)}, bytes);
   *out = value_from_bytes(type, bytes, 8);
   return 0;
}

int
expr_construct(struct expr *expr, uint32_t column, const struct hdb_type *type, const struct numeric *arguments,
               uint32_t count, struct value *out)
{
   if (!count)
      return expr_fail(expr, column, "%s() needs arguments", type->name);
   if (expr_is_numeric(type))
      return construct_numeric(expr, column, type, arguments, count, out);
   if (type->kind == HDB_TYPE_POINTER && count == 1)
      return construct_pointer(expr, column, type, arguments, out);
   if (type->kind == HDB_TYPE_STRUCT && count == 1) /* GLSL: a reference to a block */
      return construct_pointer(expr, column, expr_pointer_type(expr, type, 0), arguments, out);
   return expr_fail(expr, column, "a %s can't be made from values", type->name);
}

/* Unlike a constructor it cuts off what is too much, and fills a matrix, as in HLSL. */
int
expr_cast(struct expr *expr, uint32_t column, const struct hdb_type *type, const struct value *from, struct value *out)
{
   struct numeric number;
   if (type->kind == HDB_TYPE_STRUCT || type->kind == HDB_TYPE_ARRAY || type->kind == HDB_TYPE_VOID)
      return expr_fail(expr, column, "nothing can be cast to %s; {%s}ADDRESS is what lies there", type->name,
                       type->name);
   int result = value_load(expr, column, from, &number);
   if (result || !expr_is_numeric(type))
      return result ? result : expr_construct(expr, column, type, &number, 1, out);
   struct numeric shape = shape_of(type);
   uint32_t count = numeric_count(&shape);
   if (numeric_count(&number) == 1) {
      for (uint32_t i = 1; i < count; i++)
         number.at[i] = number.at[0];
   } else if (number.matrix != shape.matrix || number.rows < shape.rows || number.columns < shape.columns) {
      if (number.matrix || numeric_count(&number) < count)
         return expr_fail(expr, column, "%s can't be cast to %s", expr_type_name(expr, from->type) ?: "it", type->name);
   } else if (number.matrix) {
      struct numeric whole = number;
      number.rows = shape.rows;
      number.columns = shape.columns;
      resize_matrix(&whole, &number);
   }
   number.rows = shape.rows;
   number.columns = shape.columns;
   number.matrix = shape.matrix;
   numeric_convert(&number, shape.kind, shape.bits);
   result = value_from_numeric(expr, &number, out);
   if (!result && type->size == out->size && type->enumerator_count)
      out->type = type;
   return result;
}
