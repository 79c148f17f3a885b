/* SPDX-License-Identifier: MIT */
/* Where the object is that an expression names. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "expr/private.h"

/* Variables are made of pieces: those of the object have to lie one behind the other in scratch. */
static void
find_in_scratch(struct hdb_expr_object *object, const struct hdb_place *place, uint64_t offset)
{
   uint64_t covered = 0;
   for (size_t i = 0; i < place->piece_count; i++) {
      const struct hdb_piece *piece = &place->pieces[i];
      if (piece->offset + piece->size <= offset || piece->offset >= offset + object->size)
         continue;
      int64_t address = (int64_t)piece->where + (int64_t)offset - piece->offset;
      if (piece->kind != HDB_PIECE_SCRATCH || (covered && address != (int64_t)object->address))
         return;
      uint64_t from = piece->offset > offset ? piece->offset : offset, end = piece->offset + piece->size;
      object->address = (uint64_t)address;
      covered += (end < offset + object->size ? end : offset + object->size) - from;
   }
   if (covered == object->size && covered)
      object->place = HDB_PLACE_SCRATCH;
}

/* An image, a sampler or the like, or an array of them: memory has descriptors of these. */
static bool
is_handle(const struct hdb_type *type)
{
   while (type->kind == HDB_TYPE_ARRAY)
      type = type->element;
   return type->kind == HDB_TYPE_OPAQUE;
}

/* Specialization constants, push constants, builtins. */
static bool
is_constant(const struct hdb_place *place)
{
   return place->read_only && (place->kind == HDB_PLACE_PIECES || place->kind == HDB_PLACE_BYTES);
}

static int
locate_object(struct expr *expr, const struct node *tree, const struct value *value, struct hdb_expr_object *object)
{
   const char *type = expr_type_name(expr, value->type);
   uint64_t room = value_room(value);
   object->is_register = value->reg.kind != REGISTER_NONE;
   if (object->is_register)
      return 0;
   if (value->kind != VALUE_PLACE)
      return expr_fail(expr, tree->column, "this is no object in memory");
   if (is_handle(value->type))
      return expr_fail(expr, tree->column, "only a descriptor of this %s is in memory", value->type->name);
   if (is_constant(value->place))
      return expr_fail(expr, tree->column, "it is constant while a shader runs");
   if (value->swizzled > 1 || (value->stride && !expr_is_scalar(value->type)))
      return expr_fail(expr, tree->column, "its parts do not lie side by side");
   object->place = value->place->kind;
   object->address = value->place->address + value->offset;
   if (value->swizzled)
      object->address += value->swizzle[0] * (uint64_t)(value->stride ? value->stride : value->type->bits / 8);
   object->size = value->type->size && value->type->size < room ? value->type->size : room;
   if (object->place == HDB_PLACE_PIECES)
      find_in_scratch(object, value->place, object->address);
   object->type = type ? strdup(type) : NULL;
   return object->type ? 0 : -ENOMEM;
}

int
hdb_expr_find_object(const struct hdb_expr_request *request, struct hdb_expr_object *object, char **error)
{
   struct expr expr;
   struct node *tree;
   struct value value;
   *object = (struct hdb_expr_object){0};
   *error = NULL;
   int result = expr_begin(&expr, request, error);
   result = result ?: expr_parse(&expr, request->text, 1, &tree);
   result = result ?: expr_evaluate_node(&expr, tree, &value);
   result = result ?: locate_object(&expr, tree, &value, object);
   expr_end(&expr);
   if (result && !*error)
      *error = strdup(strerror(-result));
   return result;
}
