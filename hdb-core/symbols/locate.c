/* SPDX-License-Identifier: MIT */
/* Where a variable is, scalar by scalar; in scratch, as one piece. */
#include "symbols/values.h"

#include <spirv/unified1/spirv.h>

#define MAX_SCALARS 4096 /* more of them are in no registers */

/* Steps of the search, for one scalar and for all: nobody waits for more. */
#define MAX_STEPS 4096
#define MAX_ALL_STEPS 65536

struct pieces {
   struct hdb_piece *list;
   size_t capacity, count;
   struct hdb_piece last; /* of the list, which may be too short */
};

static bool
continues(const struct hdb_piece *last, const struct hdb_piece *piece)
{
   if (last->kind != piece->kind || last->offset + last->size != piece->offset)
      return false;
   return piece->kind == HDB_PIECE_UNAVAILABLE ||
          (piece->kind == HDB_PIECE_SCRATCH && last->where + last->size == piece->where);
}

static void
add_piece(struct pieces *pieces, const struct hdb_piece *piece)
{
   if (!piece->size)
      return;
   if (pieces->count && continues(&pieces->last, piece)) {
      pieces->last.size += piece->size;
   } else {
      pieces->count++;
      pieces->last = *piece;
   }
   if (pieces->count <= pieces->capacity)
      pieces->list[pieces->count - 1] = pieces->last;
}

/* Bytes that nobody stores anything to: up to seven, in the natural layout. */
static void
add_padding(struct pieces *pieces, uint64_t end)
{
   uint64_t at = pieces->count ? pieces->last.offset + pieces->last.size : 0;
   if (end > at)
      add_piece(pieces, &(struct hdb_piece){.kind = HDB_PIECE_BYTES, .offset = at, .size = end - at});
}

static bool
find_scalar(struct search *search, const struct unit_frame *frame, const struct unit_variable *variable, size_t scalar,
            struct hdb_piece *piece)
{
   if (variable->bound)
      return search_bindings(search, frame, variable, scalar, piece);
   if (variable->by_value)
      return search_scalar(search, frame, variable->symbol.id, scalar, piece);
   return search_memory(search, frame, frame->word, variable->symbol.id, scalar, piece);
}

/* All of it in scratch, as debug builds have it. */
static bool
find_whole(struct hdb_symbols *symbols, const struct unit_frame *frame, const struct unit_variable *variable,
           struct hdb_piece *piece)
{
   struct unit_storage storage;
   struct spirv_instruction definition;
   uint32_t base;
   if (variable->bound || variable->by_value || !unit_find_storage(symbols, frame, variable->symbol.id, &storage) ||
       !unit_define(storage.frame.unit, storage.variable, &definition) ||
       !symbols_scratch_offset(storage.frame.unit, definition.word, &storage.frame, &base))
      return false;
   *piece = (struct hdb_piece){
      .kind = HDB_PIECE_SCRATCH,
      .size = variable->symbol.type->size,
      .where = base + storage.part.offset,
   };
   return true;
}

static bool
is_located(const struct unit_variable *variable)
{
   switch (variable->symbol.storage) {
   case HDB_STORAGE_LOCAL:
   case HDB_STORAGE_PARAMETER:
   case HDB_STORAGE_PRIVATE:
   case HDB_STORAGE_CONSTANT:
      return true;
   case HDB_STORAGE_BUILTIN:
      return variable->by_value;
   default:
      return false;
   }
}

size_t
hdb_symbols_locate(struct hdb_symbols *symbols, uint32_t pc, uint32_t frame_number, const struct hdb_symbol *symbol,
                   struct hdb_piece *list, size_t capacity)
{
   /* Symbols are made here alone. */
   const struct unit_variable *variable = (const struct unit_variable *)symbol;
   const struct hdb_type *type = symbol->type;
   struct pieces pieces = {.list = list, .capacity = capacity};
   struct search search = {.symbols = symbols, .pc = pc};
   unsigned all_steps = MAX_ALL_STEPS;
   struct unit_frame frame;
   struct hdb_piece piece;
   if (!is_located(variable) || !type->size)
      return 0;
   bool located = unit_find_frame(symbols, pc, frame_number, &frame) && frame.unit == variable->unit;
   if (!located)
      frame = (struct unit_frame){.unit = variable->unit};
   else
      unit_step_past_call(variable, &frame);
   if ((located || variable->function == SPIRV_NONE) && find_whole(symbols, &frame, variable, &piece)) {
      add_piece(&pieces, &piece);
      return pieces.count;
   }
   for (size_t scalar = 0; scalar < type->scalars && scalar < MAX_SCALARS; scalar++) {
      uint64_t offset;
      const struct hdb_type *leaf = unit_find_leaf(type, scalar, &offset);
      if (!leaf)
         break;
      unsigned steps = all_steps < MAX_STEPS ? all_steps : MAX_STEPS;
      search.steps_left = steps;
      piece = (struct hdb_piece){0};
      if (!(located || variable->by_value) || !find_scalar(&search, &frame, variable, scalar, &piece))
         piece = (struct hdb_piece){.kind = HDB_PIECE_UNAVAILABLE, .why = "optimized out"};
      all_steps -= steps - search.steps_left;
      piece.offset = offset;
      piece.size = leaf->size;
      add_padding(&pieces, offset);
      add_piece(&pieces, &piece);
   }
   if (type->scalars > MAX_SCALARS)
      add_piece(&pieces, &(struct hdb_piece){.kind = HDB_PIECE_UNAVAILABLE,
                                             .offset = pieces.last.offset + pieces.last.size,
                                             .size = type->size - pieces.last.offset - pieces.last.size,
                                             .why = "optimized out"});
   add_padding(&pieces, type->size);
   search_finish(&search);
   return pieces.count;
}
