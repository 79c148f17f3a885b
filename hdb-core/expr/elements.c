/* SPDX-License-Identifier: MIT */
/* What is reached by counting or by an address: elements, slices, pointers. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "expr/private.h"

static int
evaluate_index(struct expr *expr, const struct node *node, int64_t *index)
{
   struct value value;
   struct numeric number;
   int result = expr_evaluate_node(expr, node, &value);
   result = result ?: value_load(expr, node->column, &value, &number);
   if (!result && (numeric_count(&number) != 1 || number.kind == HDB_TYPE_FLOAT))
      result = expr_fail(expr, node->column, "an integer expected");
   *index = result ? 0 : number.at[0].i;
   return result;
}

uint64_t
expr_pointer_step(const struct hdb_type *pointer)
{
   const struct hdb_type *type = pointer->element;
   uint64_t align = type->align ? type->align : 1;
   return pointer->stride ? pointer->stride : (type->size + align - 1) / align * align;
}

int
expr_offset_pointer(struct expr *expr, uint32_t column, const struct value *pointer, int64_t count, struct value *out)
{
   uint64_t address;
   int result = value_load_pointer(expr, column, pointer, &address);
   uint8_t *bytes = result ? NULL : expr_allocate(expr, sizeof(address));
   if (!bytes)
      return result ? result : -ENOMEM;
   address += (uint64_t)count * expr_pointer_step(pointer->type);
   memcpy(bytes, &address, sizeof(address));
   *out = value_from_bytes(pointer->type, bytes, sizeof(address));
   return 0;
}

/* Elements `first` to `last` of what a pointer points at. */
static int
pointer_elements(struct expr *expr, uint32_t column, const struct value *pointer, int64_t first, int64_t last,
                 struct value *out)
{
   struct value moved, object;
   int result = expr_offset_pointer(expr, column, pointer, first, &moved);
   result = result ?: value_dereference(expr, column, &moved, &object);
   if (result)
      return result;
   *out = object;
   out->spacing = 0;
   out->type = expr_array_type(expr, object.type, (uint32_t)(last - first + 1), expr_pointer_step(pointer->type));
   return out->type ? 0 : -ENOMEM;
}

/* HLSL's structured buffers are blocks of one array without a length. */
static int
enter_buffer(struct expr *expr, uint32_t column, struct value *base)
{
   const struct hdb_type *type = base->type;
   if (type->kind != HDB_TYPE_STRUCT || type->member_count != 1 || type->members[0].type->kind != HDB_TYPE_ARRAY ||
       type->members[0].type->count)
      return 0;
   struct value block = *base;
   return value_member(expr, column, &block, 0, base);
}

int
expr_evaluate_element(struct expr *expr, const struct node *node, struct value *out)
{
   struct value base, moved;
   int64_t index;
   int result = expr_evaluate_node(expr, node->a, &base);
   result = result ?: enter_buffer(expr, node->column, &base);
   bool texels = !result && expr_is_texel_buffer(&base);
   if (!result && !texels && base.type->kind == HDB_TYPE_OPAQUE) /* HLSL's texture[uint2(x, y)] */
      return expr_evaluate_texel(expr, node, &base, out);
   result = result ?: evaluate_index(expr, node->b, &index);
   if (result)
      return result;
   if (texels)
      return expr_load_buffer_texel(expr, node->column, &base, index, 0, out);
   if (base.reg.kind != REGISTER_NONE)
      return register_element(expr, node->column, &base, index, index, out);
   if (base.type->kind == HDB_TYPE_POINTER && base.type->element->kind != HDB_TYPE_VOID) {
      result = expr_offset_pointer(expr, node->column, &base, index, &moved);
      return result ? result : value_dereference(expr, node->column, &moved, out);
   }
   return value_element(expr, node->column, &base, index, out);
}

/* Both ends count: x[2:8] has seven elements, as $s[4:7] has four registers. */
int
expr_evaluate_slice(struct expr *expr, const struct node *node, struct value *out)
{
   struct value base;
   int64_t first, last;
   int result = expr_evaluate_node(expr, node->a, &base);
   result = result ?: enter_buffer(expr, node->column, &base);
   result = result ?: evaluate_index(expr, node->b, &first);
   result = result ?: evaluate_index(expr, node->c, &last);
   if (!result && (last < first || (uint64_t)last - (uint64_t)first >= EXPR_MAX_COUNT))
      result = expr_fail(expr, node->column, "%" PRId64 " to %" PRId64 " is no range", first, last);
   if (result)
      return result;
   if (base.reg.kind != REGISTER_NONE)
      return register_element(expr, node->column, &base, first, last, out);
   if (expr_is_texel_buffer(&base))
      return expr_load_buffer_texels(expr, node->column, &base, first, last, out);
   if (base.type->kind == HDB_TYPE_POINTER)
      return pointer_elements(expr, node->column, &base, first, last, out);
   return value_slice(expr, node->column, &base, first, last, out);
}

/* gdb's x@n: an array of n that begins with x. */
int
expr_evaluate_repeat(struct expr *expr, const struct node *node, struct value *out)
{
   struct value first;
   int64_t count;
   int result = expr_evaluate_node(expr, node->a, &first);
   result = result ?: evaluate_index(expr, node->b, &count);
   if (result)
      return result;
   if (count < 1 || count > EXPR_MAX_COUNT)
      return expr_fail(expr, node->column, "%" PRId64 " is no number of elements", count);
   if (first.kind != VALUE_PLACE || first.swizzled || first.place->kind == HDB_PLACE_PIECES)
      return expr_fail(expr, node->column, "only what is in memory has something behind it");
   uint32_t align = first.type->align ? first.type->align : 1;
   uint64_t stride = first.spacing ? first.spacing : (first.type->size + align - 1) / align * align;
   if (!stride || stride > UINT32_MAX)
      return expr_fail(expr, node->column, "%s has no size", expr_type_name(expr, first.type) ?: "it");
   *out = first;
   out->type = expr_array_type(expr, first.type, (uint32_t)count, (uint32_t)stride);
   return out->type ? 0 : -ENOMEM;
}

/* ---- pointers ---- */

int
expr_evaluate_dereference(struct expr *expr, const struct node *node, struct value *out)
{
   struct value value;
   int result = expr_evaluate_node(expr, node->a, &value);
   if (result)
      return result;
   if (value.type->kind == HDB_TYPE_ARRAY && value.reg.kind == REGISTER_NONE) /* as in C */
      return value_element(expr, node->column, &value, 0, out);
   return value_dereference(expr, node->column, &value, out);
}

static const char *
place_name(const struct value *value)
{
   static const char *const names[] = {
      [HDB_PLACE_MEMORY] = "in memory",
      [HDB_PLACE_LDS] = "in the workgroup's LDS",
      [HDB_PLACE_SCRATCH] = "in the lane's scratch",
      [HDB_PLACE_PIECES] = "in registers or scratch",
      [HDB_PLACE_BYTES] = "a value",
   };
   return value->kind == VALUE_PLACE ? names[value->place->kind] : "a value";
}

int
expr_evaluate_address(struct expr *expr, const struct node *node, struct value *out)
{
   struct value value;
   uint64_t address;
   int result = expr_evaluate_node(expr, node->a, &value);
   if (result)
      return result;
   if (value.kind == VALUE_UNAVAILABLE)
      return expr_fail(expr, node->column, "%s", value.why);
   if (!value_in_memory(&value, &address))
      return expr_fail(expr, node->column, "it is %s and has no address", place_name(&value));
   const struct hdb_type *type = expr_pointer_type(expr, value.type, value.spacing);
   uint8_t *bytes = type ? expr_allocate(expr, sizeof(address)) : NULL;
   if (!bytes)
      return -ENOMEM;
   memcpy(bytes, &address, sizeof(address));
   *out = value_from_bytes(type, bytes, sizeof(address));
   return 0;
}

int
expr_evaluate_object(struct expr *expr, const struct node *node, struct value *out)
{
   struct value value;
   struct numeric address;
   int result = expr_evaluate_node(expr, node->a, &value);
   result = result ?: value_load(expr, node->a->column, &value, &address);
   if (!result && (numeric_count(&address) != 1 || address.kind == HDB_TYPE_FLOAT))
      result = expr_fail(expr, node->a->column, "an address expected");
   if (!result && node->type->kind == HDB_TYPE_VOID)
      result = expr_fail(expr, node->column, "void has no values");
   return result ? result : value_at(expr, node->type, numeric_address(&address), out);
}
