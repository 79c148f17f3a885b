/* SPDX-License-Identifier: MIT */
/* Arrays and structs as wholes: made of values, set, compared; member by member where they lie differently. */
#include <errno.h>
#include <string.h>

#include "expr/private.h"

#define MAX_SIZE (64u << 10) /* of what is looked at part by part */

bool
expr_is_composite(const struct hdb_type *type)
{
   return type->kind == HDB_TYPE_ARRAY || type->kind == HDB_TYPE_STRUCT;
}

/* Whether the bytes of one are those of the other. */
static bool
same_make(const struct hdb_type *a, const struct hdb_type *b)
{
   if (a == b)
      return true;
   if (a->kind != b->kind || a->size != b->size || a->count != b->count || a->stride != b->stride ||
       a->row_stride != b->row_stride || a->bits != b->bits || a->member_count != b->member_count)
      return false;
   if (a->kind == HDB_TYPE_POINTER)
      return strcmp(a->name, b->name) == 0;
   for (uint32_t i = 0; i < a->member_count; i++) {
      if (a->members[i].offset != b->members[i].offset || !same_make(a->members[i].type, b->members[i].type))
         return false;
   }
   return !a->element || (b->element && same_make(a->element, b->element));
}

static uint64_t
count_parts(const struct value *value)
{
   return value->type->kind == HDB_TYPE_ARRAY ? value_count(value) : value->type->member_count;
}

/* An array without a length in its type has as many elements as its buffer has room for. */
static bool
is_small(const struct value *value)
{
   const struct hdb_type *type = value->type;
   return type->size <= MAX_SIZE &&
          (type->kind != HDB_TYPE_ARRAY || count_parts(value) <= MAX_SIZE / (type->stride ?: 1));
}

static bool
have_same_parts(const struct value *a, const struct value *b)
{
   return expr_is_composite(a->type) && a->type->kind == b->type->kind && count_parts(a) == count_parts(b) &&
          is_small(a);
}

static int
take_part(struct expr *expr, uint32_t column, const struct value *whole, uint64_t index, struct value *part)
{
   return whole->type->kind == HDB_TYPE_ARRAY ? value_element(expr, column, whole, index, part)
                                              : value_member(expr, column, whole, (uint32_t)index, part);
}

int
composite_assign(struct expr *expr, uint32_t column, const struct value *to, const struct value *from)
{
   struct value a, b;
   int result = 0;
   if (same_make(to->type, from->type)) {
      result = value_copy(expr, column, from, &b);
      return result ? result : expr_write_bytes(expr, column, to, b.bytes, b.size);
   }
   if (!have_same_parts(to, from))
      return expr_fail(expr, column, "a %s can't be assigned to a %s", expr_type_name(expr, from->type) ?: "value",
                       expr_type_name(expr, to->type) ?: "value");
   for (uint64_t i = 0; !result && i < count_parts(to); i++) {
      result = take_part(expr, column, to, i, &a);
      result = result ?: take_part(expr, column, from, i, &b);
      result = result ?: expr_assign(expr, column, &a, &b);
   }
   return result;
}

int
composite_equals(struct expr *expr, uint32_t column, const struct value *a, const struct value *b, bool *equal)
{
   struct numeric x, y, same;
   struct value part_a, part_b;
   int result = 0;
   *equal = true;
   if (!expr_is_composite(a->type) && !expr_is_composite(b->type)) {
      result = value_load(expr, column, a, &x);
      result = result ?: value_load(expr, column, b, &y);
      result = result ?: numeric_binary(expr, column, OP_EQUAL, &x, &y, &same);
      for (uint32_t i = 0; !result && i < numeric_count(&same); i++) /* in HLSL a bool for each component */
         *equal &= same.at[i].u != 0;
      return result;
   }
   if (!have_same_parts(a, b))
      return expr_fail(expr, column, "a %s can't be compared with a %s", expr_type_name(expr, a->type) ?: "value",
                       expr_type_name(expr, b->type) ?: "value");
   for (uint64_t i = 0; !result && *equal && i < count_parts(a); i++) {
      result = take_part(expr, column, a, i, &part_a);
      result = result ?: take_part(expr, column, b, i, &part_b);
      result = result ?: composite_equals(expr, column, &part_a, &part_b, equal);
   }
   return result;
}

/* One constituent, as the type of its place has it. */
static int
put_part(struct expr *expr, uint32_t column, const struct hdb_type *type, const struct value *value, uint8_t *bytes)
{
   struct value made;
   struct numeric number;
   int result;
   if (expr_is_numeric(type)) {
      bool scalar = type->kind != HDB_TYPE_VECTOR && type->kind != HDB_TYPE_MATRIX;
      result = value_load(expr, column, value, &number);
      if (!result && !scalar && numeric_count(&number) == 1) /* of which a constructor would make all components */
         result = expr_fail(expr, column, "a %s is no %s", expr_type_name(expr, value->type) ?: "value",
                            expr_type_name(expr, type) ?: "value");
      result = result ?: expr_construct(expr, column, type, &number, 1, &made);
   } else {
      result = value_copy(expr, column, value, &made);
      if (!result && !same_make(type, made.type))
         result = expr_fail(expr, column, "a %s is no %s", expr_type_name(expr, made.type) ?: "value",
                            expr_type_name(expr, type) ?: "value");
   }
   if (!result && made.size != type->size)
      result = expr_fail(expr, column, "a %s of this layout can't be made from values", type->name);
   if (!result)
      memcpy(bytes, made.bytes, made.size);
   return result;
}

int
composite_make(struct expr *expr, uint32_t column, const struct hdb_type *type, const struct value *parts,
               uint32_t count, struct value *out)
{
   bool array = type->kind == HDB_TYPE_ARRAY;
   if (array && !type->count)
      type = expr_array_type(expr, type->element, count, type->stride);
   uint32_t wanted = !type ? 0 : array ? type->count : type->member_count;
   if (!type)
      return -ENOMEM;
   if (count != wanted)
      return expr_fail(expr, column, "%u given, there are %u %s", count, wanted, array ? "elements" : "members");
   uint8_t *bytes = type->size <= EXPR_MAX_OBJECT ? expr_allocate(expr, type->size) : NULL;
   int result = bytes ? 0 : -ENOMEM;
   for (uint32_t i = 0; !result && i < count; i++)
      result = put_part(expr, column, array ? type->element : type->members[i].type, &parts[i],
                        bytes + (array ? (uint64_t)i * type->stride : type->members[i].offset));
   if (!result)
      *out = value_from_bytes(type, bytes, type->size);
   return result;
}
