/* SPDX-License-Identifier: MIT */
/* From a symbol to its place. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "values/private.h"

static int
find_pieces(const struct hdb_context *context, const struct hdb_symbol *symbol, struct hdb_place *place, char **error)
{
   uint32_t pc = context->wave->pc - context->wave->shader->va;
   size_t count = hdb_symbols_locate(context->symbols, pc, context->frame, symbol, NULL, 0);
   if (!count)
      return place_fail(error, -ENOENT, "optimized out");
   struct hdb_piece *pieces = calloc(count, sizeof(*pieces));
   if (!pieces)
      return place_fail(error, -ENOMEM, "out of memory");
   hdb_symbols_locate(context->symbols, pc, context->frame, symbol, pieces, count);
   *place = (struct hdb_place){.kind = HDB_PLACE_PIECES,
                               .size = symbol->type->size,
                               .read_only = symbol->storage == HDB_STORAGE_CONSTANT,
                               .pieces = pieces,
                               .piece_count = count};
   if (count == 1 && pieces[0].kind == HDB_PIECE_UNAVAILABLE) {
      int result = place_fail(error, -ENOENT, "%s", pieces[0].why ? pieces[0].why : "optimized out");
      hdb_place_finish(place);
      return result;
   }
   return 0;
}

static int
find_push_constants(const struct hdb_context *context, const struct hdb_symbol *symbol, struct hdb_place *place,
                    char **error)
{
   const struct hdb_dispatch *dispatch = context->dispatch;
   if (!dispatch)
      return place_fail(error, -ENOENT, "the wave's dispatch is not known");
   uint64_t size = symbol->type->size;
   if (size > dispatch->push_constant_size)
      size = dispatch->push_constant_size;
   int result = place_from_bytes(place, dispatch->push_constants, size);
   if (result)
      return place_fail(error, result, "out of memory");
   if (asprintf(&place->object, "the range of push constants") < 0)
      place->object = NULL;
   return 0;
}

static int
find_workgroup(const struct hdb_symbol *symbol, struct hdb_place *place, char **error)
{
   if (symbol->workgroup_offset == HDB_NO_OFFSET)
      return place_fail(error, -ENOENT, "optimized out");
   *place = (struct hdb_place){.kind = HDB_PLACE_LDS, .address = symbol->workgroup_offset, .size = symbol->type->size};
   return 0;
}

int
hdb_place_find(const struct hdb_context *context, const struct hdb_symbol *symbol, struct hdb_place *place,
               char **error)
{
   *place = (struct hdb_place){.kind = HDB_PLACE_BYTES};
   if (!context->wave->shader || (!context->symbols && symbol->storage != HDB_STORAGE_BUILTIN))
      return place_fail(error, -ENOENT, "the wave is in no known shader");
   switch (symbol->storage) {
   case HDB_STORAGE_LOCAL:
   case HDB_STORAGE_PARAMETER:
   case HDB_STORAGE_PRIVATE:
   case HDB_STORAGE_CONSTANT:
      return find_pieces(context, symbol, place, error);
   case HDB_STORAGE_WORKGROUP:
      return find_workgroup(symbol, place, error);
   case HDB_STORAGE_PUSH_CONSTANT:
      return find_push_constants(context, symbol, place, error);
   case HDB_STORAGE_BUILTIN:
      return builtin_find(context, symbol, place, error);
   case HDB_STORAGE_BUFFER:
   case HDB_STORAGE_UNIFORM:
   case HDB_STORAGE_HANDLE:
      return hdb_place_find_element(context, symbol, 0, place, error);
   }
   return place_fail(error, -ENOENT, "not known where it is");
}

int
hdb_place_find_element(const struct hdb_context *context, const struct hdb_symbol *symbol, uint64_t element,
                       struct hdb_place *place, char **error)
{
   *place = (struct hdb_place){.kind = HDB_PLACE_BYTES};
   if (!context->wave->shader)
      return place_fail(error, -ENOENT, "the wave is in no known shader");
   return symbol->storage == HDB_STORAGE_HANDLE ? descriptor_find_handle(context, symbol, element, place, error)
                                                : descriptor_find_buffer(context, symbol, element, place, error);
}
