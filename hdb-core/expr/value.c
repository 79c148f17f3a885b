/* SPDX-License-Identifier: MIT */
/* Values: where they are, what they are made of, and their numbers. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "expr/private.h"

struct value
value_from_bytes(const struct hdb_type *type, const void *bytes, size_t size)
{
   return (struct value){.kind = VALUE_BYTES, .type = type, .bytes = bytes, .size = size};
}

struct value
value_unavailable(const struct hdb_type *type, const char *why)
{
   return (struct value){.kind = VALUE_UNAVAILABLE, .type = type, .why = why};
}

/* Takes a message of the places' over. */
static const char *
keep_message(struct expr *expr, char *message, const char *otherwise)
{
   const char *kept = message ? expr_copy_text(expr, message, strlen(message)) : NULL;
   free(message);
   return kept ? kept : otherwise;
}

/* ---- reading ---- */

uint64_t
value_room(const struct value *value)
{
   uint64_t size = value->kind == VALUE_PLACE ? value->place->size : value->kind == VALUE_BYTES ? value->size : 0;
   return value->offset < size ? size - value->offset : 0;
}

static int
read_place(struct expr *expr, const struct hdb_place *place, uint64_t offset, void *data, size_t size, const char **why)
{
   char *message = NULL;
   int result = hdb_place_read(&expr->context, place, offset, data, size, &message);
   if (result)
      *why = keep_message(expr, message, strerror(-result));
   else
      free(message);
   return result;
}

static int
read_value(struct expr *expr, const struct value *value, uint64_t offset, void *data, size_t size, const char **why)
{
   switch (value->kind) {
   case VALUE_BYTES:
      if (offset > value->size || size > value->size - offset) {
         *why = "out of range";
         return -ERANGE;
      }
      memcpy(data, value->bytes + offset, size);
      return 0;
   case VALUE_PLACE:
      return read_place(expr, value->place, value->offset + offset, data, size, why);
   case VALUE_UNAVAILABLE:
      *why = value->why;
      return -ENOENT;
   default:
      *why = "an array of objects that are not in one place";
      return -EINVAL;
   }
}

int
value_read(struct expr *expr, const struct value *value, uint64_t offset, void *data, size_t size, const char **why)
{
   int result = read_value(expr, value, offset, data, size, why);
   if (!result || !expr->type_only)
      return result;
   memset(data, 1, size); /* any number will do that can be divided by */
   return 0;
}

bool
value_in_memory(const struct value *value, uint64_t *address)
{
   if (value->kind != VALUE_PLACE || value->place->kind != HDB_PLACE_MEMORY || value->swizzled)
      return false;
   *address = value->place->address + value->offset;
   return true;
}

/* ---- from symbols ---- */

static bool
is_array_of_objects(const struct hdb_symbol *symbol, const struct hdb_type *type)
{
   bool bound = symbol->storage == HDB_STORAGE_BUFFER || symbol->storage == HDB_STORAGE_UNIFORM ||
                symbol->storage == HDB_STORAGE_HANDLE;
   return bound && type->kind == HDB_TYPE_ARRAY;
}

/* glslang makes a block with one member, "@data", of HLSL's structured buffers; who names one means the array. */
static void
enter_structured_buffer(struct value *value)
{
   const struct hdb_type *type = value->type;
   if (type->kind != HDB_TYPE_STRUCT || type->member_count != 1 || strcmp(type->members[0].name, "@data") != 0)
      return;
   value->type = type->members[0].type;
   value->offset += type->members[0].offset;
}

static int
place_symbol(struct expr *expr, const struct hdb_symbol *symbol, const struct hdb_type *type, uint64_t element,
             struct value *out)
{
   const struct hdb_place *place;
   const char *why;
   int result = expr_find_object(expr, symbol, element, &place, &why);
   if (result)
      return result;
   *out = why ? value_unavailable(type, why) : (struct value){.kind = VALUE_PLACE, .type = type, .place = place};
   out->symbol = symbol;
   enter_structured_buffer(out);
   return 0;
}

static uint64_t
count_objects(const struct hdb_type *type)
{
   uint64_t count = 1;
   for (; type->kind == HDB_TYPE_ARRAY && type->element; type = type->element)
      count *= type->count ? type->count : 1;
   return count;
}

int
value_of_symbol(struct expr *expr, const struct hdb_symbol *symbol, struct value *out)
{
   if (!is_array_of_objects(symbol, symbol->type))
      return place_symbol(expr, symbol, symbol->type, 0, out);
   *out = (struct value){.kind = VALUE_BINDINGS, .type = symbol->type, .symbol = symbol};
   if (!symbol->type->count) {
      bool exact;
      out->count = hdb_place_count_elements(&expr->context, symbol, &exact) / count_objects(symbol->type->element);
      out->uncounted = !exact;
   }
   return 0;
}

static int
object_element(struct expr *expr, const struct value *value, uint64_t index, struct value *out)
{
   const struct hdb_type *type = value->type->element;
   uint64_t element = value->element + index * count_objects(type);
   if (!is_array_of_objects(value->symbol, type))
      return place_symbol(expr, value->symbol, type, element, out);
   *out = *value;
   out->type = type;
   out->element = element;
   return 0;
}

/* ---- parts ---- */

/* The part of `value` that begins `offset` bytes on. */
static struct value
part(const struct value *value, const struct hdb_type *type, uint64_t offset)
{
   struct value result = *value;
   result.type = type;
   result.stride = 0;
   result.swizzled = 0;
   result.spacing = 0;
   result.reg.kind = REGISTER_NONE;
   if (value->kind == VALUE_BYTES) {
      bool inside = offset <= value->size;
      result.bytes = inside ? value->bytes + offset : value->bytes;
      result.size = inside ? value->size - offset : 0;
   } else {
      result.offset += offset;
   }
   return result;
}

int
value_member(struct expr *expr, uint32_t column, const struct value *value, uint32_t member, struct value *out)
{
   if (value->type->kind != HDB_TYPE_STRUCT || member >= value->type->member_count)
      return expr_fail(expr, column, "no such member");
   const struct hdb_member *m = &value->type->members[member];
   *out = part(value, m->type, m->offset);
   return 0;
}

static uint32_t
component_stride(const struct value *value)
{
   const struct hdb_type *type = value->type;
   return value->stride ? value->stride : type->stride ? type->stride : (uint32_t)type->element->size;
}

/* Of an array without a length of its own: to the end of its object, or of what its binding has. */
uint64_t
value_count(const struct value *value)
{
   const struct hdb_type *type = value->type;
   if (type->count || type->kind != HDB_TYPE_ARRAY)
      return type->count;
   if (value->kind == VALUE_BINDINGS)
      return value->count;
   uint64_t stride = type->stride ? type->stride : type->element->size;
   return stride ? value_room(value) / stride : 0;
}

static int
check_index(struct expr *expr, uint32_t column, const struct value *value, uint64_t index)
{
   uint64_t count = value->swizzled ? value->swizzled : value_count(value);
   bool unbound = value->kind == VALUE_BINDINGS && !value->type->count; /* as many as the descriptor set has */
   if (index < count || unbound || (expr->type_only && !value->swizzled))
      return 0;
   const char *object = value->kind == VALUE_PLACE ? value->place->object : NULL;
   const char *what = value->type->kind == HDB_TYPE_MATRIX   ? "columns"
                      : value->type->kind == HDB_TYPE_VECTOR ? "components"
                                                             : "elements";
   return expr_fail(expr, column, "%" PRId64 " is out of range: there are %" PRIu64 " %s%s%s", (int64_t)index, count,
                    what, object ? " in " : "", object ? object : "");
}

int
value_element(struct expr *expr, uint32_t column, const struct value *value, uint64_t index, struct value *out)
{
   const struct hdb_type *type = value->type;
   if (value->kind == VALUE_UNAVAILABLE && (type->kind == HDB_TYPE_ARRAY || expr_is_numeric(type)) && type->element) {
      *out = value_unavailable(type->element, value->why);
      return 0;
   }
   if (!type->element ||
       (type->kind != HDB_TYPE_ARRAY && type->kind != HDB_TYPE_VECTOR && type->kind != HDB_TYPE_MATRIX))
      return expr_fail(expr, column, "%s has no elements", expr_type_name(expr, type) ?: "it");
   int result = check_index(expr, column, value, index);
   if (result)
      return result;
   if (value->kind == VALUE_BINDINGS)
      return object_element(expr, value, index, out);
   if (value->swizzled)
      index = value->swizzle[index];
   uint64_t stride = component_stride(value);
   *out = part(value, type->element, index * stride);
   if (type->kind == HDB_TYPE_MATRIX)
      out->stride = type->row_stride;
   if (type->kind == HDB_TYPE_ARRAY)
      out->spacing = stride;
   return 0;
}

int
value_slice(struct expr *expr, uint32_t column, const struct value *value, uint64_t first, uint64_t last,
            struct value *out)
{
   const struct hdb_type *type = value->type;
   if (type->kind != HDB_TYPE_ARRAY || !type->element)
      return expr_fail(expr, column, "%s has no elements", expr_type_name(expr, type) ?: "it");
   if (first > last || last - first >= EXPR_MAX_COUNT)
      return expr_fail(expr, column, "%" PRId64 " to %" PRId64 " is no range", (int64_t)first, (int64_t)last);
   int result = check_index(expr, column, value, last);
   uint32_t stride = component_stride(value);
   const struct hdb_type *slice = result ? NULL : expr_array_type(expr, type->element, last - first + 1, stride);
   if (!slice)
      return result ? result : -ENOMEM;
   if (value->kind == VALUE_BINDINGS) {
      *out = *value;
      out->type = slice;
      out->element += first * count_objects(type->element);
   } else {
      *out = part(value, slice, first * stride);
   }
   return 0;
}

int
value_at(struct expr *expr, const struct hdb_type *type, uint64_t address, struct value *out)
{
   struct hdb_place *place = expr_add_place(expr);
   if (!place)
      return -ENOMEM;
   struct hdb_object object;
   *place = (struct hdb_place){.kind = HDB_PLACE_MEMORY, .address = address, .size = UINT64_MAX - address};
   if (!hdb_context_object_at(&expr->context, address, &object)) {
      place->size = object.va + object.size - address;
      place->object = object.name;
   }
   *out = (struct value){.kind = VALUE_PLACE, .type = type, .place = place};
   return 0;
}

int
value_dereference(struct expr *expr, uint32_t column, const struct value *pointer, struct value *out)
{
   uint64_t address;
   const struct hdb_type *type = pointer->type;
   if (type->kind != HDB_TYPE_POINTER || !type->element)
      return expr_fail(expr, column, "%s is no pointer", expr_type_name(expr, type) ?: "it");
   if (type->element->kind == HDB_TYPE_VOID)
      return expr_fail(expr, column, "what a pointer to void points at has no type; cast it");
   int result = value_load_pointer(expr, column, pointer, &address);
   result = result ?: value_at(expr, type->element, address, out);
   if (!result)
      out->spacing = expr_pointer_step(type);
   return result;
}

/* ---- numbers ---- */

static int
load_vector(struct expr *expr, uint32_t column, const struct value *value, union number *at)
{
   const struct hdb_type *scalar = value->type->element;
   uint32_t count = value->swizzled ? value->swizzled : value->type->count;
   for (uint32_t i = 0; i < count; i++) {
      uint8_t bytes[8];
      const char *why;
      uint32_t component = value->swizzled ? value->swizzle[i] : i;
      if (value_read(expr, value, (uint64_t)component * component_stride(value), bytes, scalar->bits / 8, &why))
         return expr_fail(expr, column, "%s", why);
      at[i] = number_decode(scalar->kind, scalar->bits, bytes);
   }
   return 0;
}

int
value_load(struct expr *expr, uint32_t column, const struct value *value, struct numeric *number)
{
   const struct hdb_type *type = value->type, *scalar = type;
   if (value->kind == VALUE_UNAVAILABLE && type->kind == HDB_TYPE_VOID)
      return expr_fail(expr, column, "no register has this name, and nothing has been assigned to it");
   if (value->kind == VALUE_UNAVAILABLE && !expr->type_only)
      return expr_fail(expr, column, "%s", value->why);
   if (value->reg.kind == REGISTER_VECTOR && value->reg.lane < 0) { /* of the lane that is looked at */
      struct value lane;
      return value_element(expr, column, value, expr->context.lane, &lane) ?: value_load(expr, column, &lane, number);
   }
   bool pair = value->reg.kind == REGISTER_SCALARS && value->reg.count == 2; /* the lower half first */
   if (type->kind == HDB_TYPE_POINTER || pair) {
      *number = numeric_scalar(HDB_TYPE_UINT, 64);
      return value_load_pointer(expr, column, value, &number->at[0].u);
   }
   if (!expr_is_numeric(type))
      return expr_fail(expr, column, "%s is no number or vector", expr_type_name(expr, type) ?: "it");
   while (scalar->kind == HDB_TYPE_VECTOR || scalar->kind == HDB_TYPE_MATRIX)
      scalar = scalar->element;
   *number = numeric_scalar(scalar->kind, scalar->bits);
   if (type->kind == HDB_TYPE_MATRIX) {
      number->matrix = true;
      number->columns = type->count;
      number->rows = type->element->count;
      for (uint32_t i = 0; i < type->count; i++) {
         struct value vector;
         int result = value_element(expr, column, value, i, &vector);
         result = result ?: load_vector(expr, column, &vector, &number->at[i * number->rows]);
         if (result)
            return result;
      }
      return 0;
   }
   if (type->kind == HDB_TYPE_VECTOR) {
      number->rows = value->swizzled ? value->swizzled : type->count;
      return load_vector(expr, column, value, number->at);
   }
   uint8_t bytes[8];
   const char *why;
   if (value_read(expr, value, 0, bytes, scalar->bits / 8, &why))
      return expr_fail(expr, column, "%s", why);
   number->at[0] = number_decode(scalar->kind, scalar->bits, bytes);
   return 0;
}

int
value_load_pointer(struct expr *expr, uint32_t column, const struct value *value, uint64_t *address)
{
   const char *why;
   if (value_read(expr, value, 0, address, sizeof(*address), &why))
      return expr_fail(expr, column, "%s", why);
   return 0;
}

int
value_from_numeric(struct expr *expr, const struct numeric *number, struct value *out)
{
   const struct hdb_type *scalar = expr_scalar_type(number->kind, number->bits), *type = scalar;
   if (number->matrix)
      type = expr_matrix_type(expr, scalar, number->columns, number->rows);
   else if (number->rows > 1)
      type = expr_vector_type(expr, scalar, number->rows);
   uint8_t *bytes = type ? expr_allocate(expr, type->size) : NULL;
   if (!bytes)
      return -ENOMEM;
   for (uint32_t i = 0; i < numeric_count(number); i++)
      number_encode(scalar->kind, scalar->bits, number->at[i], bytes + i * scalar->size);
   *out = value_from_bytes(type, bytes, type->size);
   return 0;
}

int
value_copy(struct expr *expr, uint32_t column, const struct value *value, struct value *out)
{
   struct numeric number;
   const char *why;
   if (expr_is_numeric(value->type) && value->type != &expr_register_type && value->type != &expr_pair_type) {
      int result = value_load(expr, column, value, &number);
      bool plain = !value->swizzled && value->type->kind != HDB_TYPE_MATRIX && !value->stride;
      if (result || !plain || value->type->size > sizeof(number.at))
         return result ? result : value_from_numeric(expr, &number, out);
   }
   if (value->kind == VALUE_BINDINGS || value->type->kind == HDB_TYPE_OPAQUE)
      return expr_fail(expr, column, "%s can't be kept", expr_type_name(expr, value->type) ?: "it");
   uint64_t size = value->type->size;
   if (value->type->kind == HDB_TYPE_ARRAY && !value->type->count)
      size = value_room(value);
   if (size > EXPR_MAX_OBJECT)
      return expr_fail(expr, column, "it has %" PRIu64 " bytes, too many to keep", size);
   uint8_t *bytes = expr_allocate(expr, size);
   if (!bytes)
      return -ENOMEM;
   if (value_read(expr, value, 0, bytes, size, &why))
      return expr_fail(expr, column, "%s", why);
   *out = value_from_bytes(value->type, bytes, size);
   return 0;
}
