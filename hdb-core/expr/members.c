/* SPDX-License-Identifier: MIT */
/* What stands behind a point: members, swizzles, components of a matrix. */
#include <errno.h>
#include <string.h>

#include "expr/private.h"

static bool
find_swizzle(const char *name, uint32_t count, uint8_t components[4])
{
   static const char *const sets[] = {"xyzw", "rgba", "stpq"};
   size_t length = strlen(name);
   for (size_t s = 0; length <= 4 && s < sizeof(sets) / sizeof(sets[0]); s++) {
      size_t i = 0;
      for (; i < length; i++) {
         const char *found = strchr(sets[s], name[i]);
         if (!found || (uint32_t)(found - sets[s]) >= count)
            break;
         components[i] = found - sets[s];
      }
      if (i == length)
         return true;
   }
   return false;
}

static int
swizzle(struct expr *expr, uint32_t column, const struct value *base, const char *name, struct value *out)
{
   const struct hdb_type *type = base->type;
   uint8_t components[4];
   uint32_t count = base->swizzled ? base->swizzled : type->count;
   size_t length = strlen(name);
   if (!find_swizzle(name, count, components))
      return expr_fail(expr, column, "a vector of %u components has no .%s", count, name);
   if (length == 1)
      return value_element(expr, column, base, components[0], out);
   *out = *base;
   out->type = expr_vector_type(expr, type->element, length);
   if (!out->type)
      return -ENOMEM;
   out->stride = base->stride ? base->stride : type->stride ? type->stride : (uint32_t)type->element->size;
   out->swizzled = length;
   for (size_t i = 0; i < length; i++)
      out->swizzle[i] = base->swizzled ? base->swizzle[components[i]] : components[i];
   return 0;
}

/* HLSL: m._m01 counts from 0, m._12 from 1; rows first. */
static int
matrix_component(struct expr *expr, uint32_t column, const struct value *base, const char *name, struct value *out)
{
   bool zero = strncmp(name, "_m", 2) == 0;
   const char *digits = name + (zero ? 2 : 1);
   struct value vector;
   if (name[0] != '_' || strlen(digits) != 2 || strspn(digits, "01234") != 2 || (!zero && strchr(digits, '0')))
      return expr_fail(expr, column, "a matrix has no .%s", name);
   int result = value_element(expr, column, base, digits[0] - '0' - !zero, &vector);
   return result ? result : value_element(expr, column, &vector, digits[1] - '0' - !zero, out);
}

int
expr_member(struct expr *expr, uint32_t column, const struct value *base, const char *name, struct value *out)
{
   struct value object = *base;
   while (object.type->kind == HDB_TYPE_POINTER) { /* in GLSL a reference to a block needs no -> */
      struct value pointer = object;
      int result = value_dereference(expr, column, &pointer, &object);
      if (result)
         return result;
   }
   const struct hdb_type *type = object.type;
   if (type->kind == HDB_TYPE_VECTOR)
      return swizzle(expr, column, &object, name, out);
   if (type->kind == HDB_TYPE_MATRIX)
      return matrix_component(expr, column, &object, name, out);
   if (type->kind != HDB_TYPE_STRUCT)
      return expr_fail(expr, column, "%s has no members", expr_type_name(expr, type) ?: "it");
   for (uint32_t i = 0; i < type->member_count; i++) {
      if (strcmp(type->members[i].name, name) == 0)
         return value_member(expr, column, &object, i, out);
   }
   return expr_fail(expr, column, "%s has no member \"%s\"", type->name, name);
}
