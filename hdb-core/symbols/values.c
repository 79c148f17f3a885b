/* SPDX-License-Identifier: MIT */
/* Where the results of instructions are: in the driver's table, or where what they copy is. */
#include "symbols/values.h"

#include <string.h>

#include <spirv/unified1/spirv.h>

/* By literal indexes from operand `first` on; the scalar becomes one of the whole. */
static bool
enter_composite(struct unit *unit, const struct spirv_instruction *i, uint32_t composite, uint32_t first,
                struct unit_part *part)
{
   *part = (struct unit_part){.type = unit_type_of(unit, composite)};
   for (uint32_t k = first; k + 1 < i->count; k++) {
      if (!unit_step(part, spirv_operand(i, k)))
         return false;
   }
   return true;
}

/* OpCompositeConstruct: constituents that follow each other, vectors in vectors as well. */
static bool
find_constituent(struct search *search, const struct unit_frame *frame, const struct spirv_instruction *i,
                 size_t scalar, struct hdb_piece *piece)
{
   for (uint32_t k = 2; k + 1 < i->count; k++) {
      uint32_t id = spirv_operand(i, k);
      size_t count = unit_type_of(frame->unit, id)->scalars;
      if (!count)
         return false;
      if (scalar < count)
         return search_scalar(search, frame, id, scalar, piece);
      scalar -= count;
   }
   return false;
}

/* OpCompositeInsert: object, composite, indexes. */
static bool
find_inserted(struct search *search, const struct unit_frame *frame, const struct spirv_instruction *i, size_t scalar,
              struct hdb_piece *piece)
{
   struct unit_part part;
   if (!enter_composite(frame->unit, i, spirv_operand(i, 3), 4, &part))
      return false;
   if (scalar >= part.first && scalar - part.first < part.type->scalars)
      return search_scalar(search, frame, spirv_operand(i, 2), scalar - part.first, piece);
   return search_scalar(search, frame, spirv_operand(i, 3), scalar, piece);
}

/* OpVectorShuffle: two vectors, components. */
static bool
find_shuffled(struct search *search, const struct unit_frame *frame, const struct spirv_instruction *i, size_t scalar,
              struct hdb_piece *piece)
{
   size_t first = unit_type_of(frame->unit, spirv_operand(i, 2))->scalars;
   if (scalar > 16 || 5 + scalar >= i->count)
      return false;
   uint32_t component = spirv_operand(i, 4 + scalar);
   return component < first ? search_scalar(search, frame, spirv_operand(i, 2), component, piece)
                            : search_scalar(search, frame, spirv_operand(i, 3), component - first, piece);
}

/* What a call that has returned gave back: of the call's last time, which is the one that counts as the call dominates
 * the place of the stop. */
static bool
find_returned(struct search *search, const struct unit_frame *frame, const struct spirv_instruction *i, size_t scalar,
              struct hdb_piece *piece)
{
   struct unit_frame callee;
   uint32_t value;
   const struct analysis *analysis = search_analyse(search, frame, 0, NULL);
   bool lanes_only = search->lanes_only;
   if (!analysis || !flow_dominates(&analysis->flow, i->word, frame->word) ||
       !unit_find_returned(search->symbols, frame, i, &callee, &value))
      return false;
   const struct analysis *inside = search_analyse(search, &callee, 0, NULL);
   if (!inside || !inside->flow.count)
      return false;
   /* Other lanes may go on in a loop that this one has returned from: it is in none of those that the first block is
    * in, which is in none at all. */
   search->lanes_only |= !flow_shares_loops(&analysis->flow, i->word, frame->word) ||
                         !flow_shares_loops(&inside->flow, callee.word, inside->flow.blocks[0].first);
   search->past++;
   bool found = search_scalar(search, &callee, value, scalar, piece);
   search->past--;
   search->lanes_only = lanes_only;
   return found;
}

/* What an instruction hands on unchanged. */
static bool
find_source(struct search *search, const struct unit_frame *frame, const struct spirv_instruction *i, size_t scalar,
            struct hdb_piece *piece)
{
   struct unit_part part;
   struct unit_frame caller;
   uint32_t argument;
   switch (i->opcode) {
   case SpvOpLoad:
      return search_memory(search, frame, i->word, spirv_operand(i, 2), scalar, piece) ||
             search_immutable(search, frame, spirv_operand(i, 2), scalar, piece) ||
             search_indexed_load(search, frame, i, scalar, piece);
   case SpvOpCopyObject:
   case SpvOpCopyLogical:
      return search_scalar(search, frame, spirv_operand(i, 2), scalar, piece);
   case SpvOpCompositeExtract:
      return enter_composite(frame->unit, i, spirv_operand(i, 2), 3, &part) && scalar < part.type->scalars &&
             search_scalar(search, frame, spirv_operand(i, 2), part.first + scalar, piece);
   case SpvOpCompositeConstruct:
      return find_constituent(search, frame, i, scalar, piece);
   case SpvOpCompositeInsert:
      return find_inserted(search, frame, i, scalar, piece);
   case SpvOpVectorShuffle:
      return find_shuffled(search, frame, i, scalar, piece);
   case SpvOpFunctionCall:
      return find_returned(search, frame, i, scalar, piece);
   case SpvOpFunctionParameter:
      return unit_find_argument(search->symbols, frame, spirv_operand(i, 1), &caller, &argument) &&
             search_scalar(search, &caller, argument, scalar, piece);
   default:
      return false;
   }
}

static bool
find_known(struct unit *unit, uint32_t id, size_t scalar, struct hdb_piece *piece)
{
   uint64_t value;
   if (!unit_constant(unit, id, scalar, &value))
      return false;
   piece->kind = HDB_PIECE_BYTES;
   memcpy(piece->bytes, &value, sizeof(value));
   return true;
}

static bool
is_of_each_lane(enum hdb_piece_kind kind)
{
   return kind == HDB_PIECE_VGPR || kind == HDB_PIECE_SCRATCH || kind == HDB_PIECE_BYTES;
}

/* What the driver's table says is in a register is the newest that the instruction has made, or will have made before
 * its turn: it counts where that is certain to be done. What all lanes share goes on changing while a lane that has
 * left the loop waits for the others. */
bool
search_holds(const struct search *search, const struct flow *flow, uint32_t word, uint32_t now,
             enum hdb_piece_kind kind)
{
   return flow_dominates(flow, word, now) &&
          (is_of_each_lane(kind) || (!search->lanes_only && flow_shares_loops(flow, word, now)));
}

struct wanted_result {
   const struct search *search;
   const struct flow *flow;
   uint32_t word, now;
   bool parameter;
   size_t scalar;
   const struct hdb_type *type;
   struct hdb_piece *piece;
};

static bool
take_result(void *user, const struct hdb_value *value)
{
   const struct wanted_result *wanted = user;
   struct hdb_piece piece;
   if (value->merge || value->component != wanted->scalar || !symbols_make_piece(value, wanted->type, &piece))
      return false;
   if (wanted->parameter ? wanted->search->lanes_only && !is_of_each_lane(piece.kind)
                         : !search_holds(wanted->search, wanted->flow, wanted->word, wanted->now, piece.kind))
      return false;
   *wanted->piece = piece;
   return true;
}

static bool
find_result(struct search *search, const struct unit_frame *frame, const struct spirv_instruction *i, uint32_t id,
            size_t scalar, struct hdb_piece *piece)
{
   uint64_t offset;
   const struct hdb_type *type = unit_find_leaf(unit_type_of(frame->unit, id), scalar, &offset);
   const struct analysis *analysis = type ? search_analyse(search, frame, 0, NULL) : NULL;
   if (!analysis)
      return false;
   struct wanted_result wanted = {
      search, &analysis->flow, i->word, frame->word, i->opcode == SpvOpFunctionParameter, scalar, type, piece,
   };
   return symbols_find_value(frame->unit, i->word, frame, search->pc, take_result, &wanted);
}

bool
search_scalar(struct search *search, const struct unit_frame *frame, uint32_t id, size_t scalar,
              struct hdb_piece *piece)
{
   struct spirv_instruction i;
   if (search->depth >= UNIT_MAX_DEPTH || !search->steps_left || !unit_define(frame->unit, id, &i))
      return false;
   search->depth++;
   search->steps_left--;
   bool found = find_known(frame->unit, id, scalar, piece) ||
                (!search->anew && find_result(search, frame, &i, id, scalar, piece)) ||
                find_source(search, frame, &i, scalar, piece) || search_computed(search, frame, &i, scalar, piece) ||
                search_vote(search, frame, &i, scalar, piece) ||
                (search->anew && find_result(search, frame, &i, id, scalar, piece));
   search->depth--;
   return found;
}
