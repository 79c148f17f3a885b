/* SPDX-License-Identifier: MIT */
/* Assignment to objects: numbers are converted, all else must be of the same make. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/private.h"

/* ---- what else is in a register ---- */

static bool
in_registers(const struct hdb_piece *piece)
{
   return piece->kind == HDB_PIECE_VGPR || piece->kind == HDB_PIECE_SGPR;
}

/* The part of `piece` that belongs to the bytes from `offset` on overlaps the other piece. */
static bool
overlaps(const struct hdb_piece *piece, uint64_t offset, uint64_t size, const struct hdb_piece *other)
{
   uint64_t low = piece->offset > offset ? piece->offset : offset, high = (uint64_t)piece->offset + piece->size;
   high = high < offset + size ? high : offset + size;
   if (!in_registers(piece) || other->kind != piece->kind || low >= high)
      return false;
   uint64_t start = (uint64_t)piece->where * 4 + piece->byte + low - piece->offset,
            from = (uint64_t)other->where * 4 + other->byte;
   return start < from + other->size && from < start + (high - low);
}

static bool
shares(struct expr *expr, const struct value *to, const struct hdb_symbol *symbol)
{
   struct hdb_place place;
   char *error = NULL;
   bool found = false;
   if (hdb_place_find(&expr->context, symbol, &place, &error)) {
      free(error);
      return false;
   }
   for (size_t i = 0; place.kind == HDB_PLACE_PIECES && i < to->place->piece_count; i++) {
      for (size_t j = 0; j < place.piece_count; j++)
         found |= overlaps(&to->place->pieces[i], to->offset, to->type->size, &place.pieces[j]);
   }
   hdb_place_finish(&place);
   return found;
}

#define MAX_SHARERS 200 /* characters */

/* Optimized code keeps equal variables in one register; who sets one should know. */
static void
note_sharers(struct expr *expr, const struct value *to)
{
   char names[MAX_SHARERS + 8] = "";
   size_t length = 0;
   if (to->kind != VALUE_PLACE || to->place->kind != HDB_PLACE_PIECES)
      return;
   expr_find_symbols(expr);
   for (size_t i = 0; i < expr->symbol_count && length < MAX_SHARERS; i++) {
      const struct hdb_symbol *symbol = expr->symbols[i];
      bool local = symbol->storage == HDB_STORAGE_LOCAL || symbol->storage == HDB_STORAGE_PARAMETER ||
                   symbol->storage == HDB_STORAGE_PRIVATE;
      if (!local || symbol == to->symbol || !shares(expr, to, symbol))
         continue;
      int size = snprintf(names + length, MAX_SHARERS - length, "%s%s", length ? ", " : "", symbol->name);
      length += size > 0 ? (size_t)size : 0;
   }
   if (length)
      expr->sharers = expr_copy_text(expr, names, strlen(names));
}

/* ---- writing ---- */

static int
write_bytes(struct expr *expr, uint32_t column, const struct value *to, uint64_t offset, const void *data, size_t size)
{
   char *message = NULL;
   int result = hdb_place_write(&expr->context, to->place, to->offset + offset, data, size, &message);
   if (result)
      expr_fail(expr, column, "%s", message ? message : strerror(-result));
   free(message);
   return result;
}

static int
write_numbers(struct expr *expr, uint32_t column, const struct value *to, const struct hdb_type *scalar,
              const union number *at, uint32_t count)
{
   uint8_t bytes[8];
   uint32_t stride = to->stride ? to->stride : to->type->stride ? to->type->stride : (uint32_t)scalar->size;
   int result = 0;
   for (uint32_t i = 0; !result && i < count; i++) {
      uint32_t component = to->swizzled ? to->swizzle[i] : i;
      number_encode(scalar->kind, scalar->bits, at[i], bytes);
      result = write_bytes(expr, column, to, (uint64_t)component * stride, bytes, scalar->bits / 8);
   }
   return result;
}

static int
assign_numbers(struct expr *expr, uint32_t column, const struct value *to, const struct value *from)
{
   const struct hdb_type *type = to->type, *scalar = type;
   struct numeric number;
   uint32_t rows = 1, columns = 1;
   while (scalar->kind == HDB_TYPE_VECTOR || scalar->kind == HDB_TYPE_MATRIX)
      scalar = scalar->element;
   if (type->kind == HDB_TYPE_MATRIX) {
      columns = type->count;
      rows = type->element->count;
   } else if (type->kind == HDB_TYPE_VECTOR) {
      rows = to->swizzled ? to->swizzled : type->count;
   }
   int result = value_load(expr, column, from, &number);
   if (result)
      return result;
   if (numeric_count(&number) == 1 && type->kind != HDB_TYPE_MATRIX) {
      for (uint32_t i = 1; i < rows; i++)
         number.at[i] = number.at[0];
      number.rows = rows;
   }
   if (number.rows != rows || number.columns != columns)
      return expr_fail(expr, column, "a %s can't be assigned to a %s", expr_type_name(expr, from->type) ?: "value",
                       expr_type_name(expr, type) ?: "value");
   numeric_convert(&number, scalar->kind, scalar->bits);
   if (type->kind != HDB_TYPE_MATRIX)
      return write_numbers(expr, column, to, scalar, number.at, rows);
   for (uint32_t i = 0; !result && i < columns; i++) {
      struct value vector;
      result = value_element(expr, column, to, i, &vector);
      result = result ?: write_numbers(expr, column, &vector, scalar, &number.at[i * rows], rows);
   }
   return result;
}

static int
assign_pointer(struct expr *expr, uint32_t column, const struct value *to, const struct value *from)
{
   struct numeric number;
   int result = value_load(expr, column, from, &number);
   if (!result && (numeric_count(&number) != 1 || number.kind == HDB_TYPE_FLOAT || number.kind == HDB_TYPE_BOOL))
      result = expr_fail(expr, column, "an address expected");
   return result ? result : write_bytes(expr, column, to, 0, &number.at[0].u, 8);
}

/* Which of two numbers .xx would be, nothing says. */
static bool
sets_twice(const struct value *to)
{
   uint32_t seen = 0;
   bool twice = false;
   for (uint32_t i = 0; i < to->swizzled; i++) {
      twice |= seen >> to->swizzle[i] & 1;
      seen |= 1u << to->swizzle[i];
   }
   return twice;
}

int
expr_write_bytes(struct expr *expr, uint32_t column, const struct value *to, const void *data, size_t size)
{
   return write_bytes(expr, column, to, 0, data, size);
}

int
expr_assign(struct expr *expr, uint32_t column, const struct value *to, const struct value *from)
{
   if (to->reg.kind != REGISTER_NONE)
      return register_assign(expr, column, &to->reg, from);
   if (to->kind == VALUE_UNAVAILABLE)
      return expr_fail(expr, column, "it can't be set: %s", to->why);
   note_sharers(expr, to);
   if (to->kind != VALUE_PLACE)
      return expr_fail(expr, column, "only variables and what is in memory can be set");
   if (to->type->kind == HDB_TYPE_OPAQUE)
      return expr_fail(expr, column, "a %s has no value to be set", to->type->name);
   if (sets_twice(to))
      return expr_fail(expr, column, "a component would be set twice");
   if (expr_is_numeric(to->type))
      return assign_numbers(expr, column, to, from);
   if (to->type->kind == HDB_TYPE_POINTER)
      return assign_pointer(expr, column, to, from);
   return composite_assign(expr, column, to, from);
}
