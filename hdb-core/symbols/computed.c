/* SPDX-License-Identifier: MIT */
/*
 * Results that nothing holds any more, computed again from what is still there.
 *
 * The operands of an instruction that dominates the stop are those it had when it was executed last: if one had been
 * executed again since, a way would lead from the function's entry to the operand for the first time, and from there to
 * the stop without the instruction, which then would not dominate it. OpPhi, whose operands are of other iterations, is
 * computed by none of this. Only what is exact is computed: what rounds may be contracted or reordered by the compiler.
 */
#include "symbols/values.h"

#include <string.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "symbols/operations.h"

#define MAX_NESTING 24

/* ---- pieces and computations ---- */

static uint32_t
bits_of(const struct hdb_type *scalar)
{
   return scalar->kind == HDB_TYPE_BOOL ? 1 : scalar->bits;
}

static bool
make_piece(struct search *search, const struct hdb_computation *computation, struct hdb_piece *piece)
{
   *piece = (struct hdb_piece){.kind = HDB_PIECE_COMPUTED};
   piece->computation = symbols_keep_computation(search->symbols, computation);
   return piece->computation != NULL;
}

const struct hdb_computation *
search_compute(struct search *search, struct hdb_piece *piece, const struct hdb_type *scalar)
{
   if (piece->kind == HDB_PIECE_COMPUTED)
      return piece->computation;
   piece->size = scalar->size;
   return symbols_keep_computation(
      search->symbols,
      &(struct hdb_computation){.kind = HDB_COMPUTATION_PIECE, .bits = bits_of(scalar), .piece = *piece});
}

/* ---- what never changes ---- */

/* OpLoad of a builtin, or of push constants. */
bool
search_immutable(struct search *search, const struct unit_frame *frame, uint32_t pointer, size_t scalar,
                 struct hdb_piece *piece)
{
   struct unit_storage storage;
   struct spirv_instruction variable, type;
   struct hdb_computation computation = {.kind = HDB_COMPUTATION_BUILTIN};
   uint64_t offset;
   if (!unit_find_storage(search->symbols, frame, pointer, &storage) ||
       (storage.class != SpvStorageClassInput && storage.class != SpvStorageClassPushConstant))
      return false;
   struct unit *unit = storage.frame.unit;
   scalar += storage.part.first;
   const struct hdb_type *leaf = unit_find_leaf(storage.type, scalar, &offset);
   if (!leaf || !unit_define(unit, storage.variable, &variable))
      return false;
   computation.bits = bits_of(leaf);
   if (storage.class == SpvStorageClassInput) {
      computation.number = scalar;
      return computation.bits == 32 &&
             unit_decoration(unit, storage.variable, SPIRV_NONE, SpvDecorationBuiltIn, &computation.what) &&
             make_piece(search, &computation, piece);
   }
   if (!spirv_find_definition(&unit->reader, spirv_operand(&variable, 0), SpvOpTypePointer, &type) ||
       !unit_find_leaf(unit_type(unit, spirv_operand(&type, 2), HDB_LAYOUT_DECORATED), scalar, &offset) ||
       offset > UINT32_MAX)
      return false;
   computation.kind = HDB_COMPUTATION_PUSH_CONSTANT;
   computation.number = offset;
   return make_piece(search, &computation, piece);
}

/* ---- operations ---- */

struct operation {
   uint32_t what;
   uint32_t first; /* operand */
   size_t scalar;  /* of operands that have more than one */
};

static bool
is_glsl(struct unit *unit, uint32_t set)
{
   struct spirv_instruction import;
   const char *name;
   return spirv_find_definition(&unit->reader, set, SpvOpExtInstImport, &import) &&
          (name = spirv_literal(&import, 1)) && strcmp(name, "GLSL.std.450") == 0;
}

static struct operation
read_operation(struct unit *unit, const struct spirv_instruction *i, size_t scalar)
{
   struct operation operation = {i->opcode, 2, scalar};
   size_t count;
   switch (i->opcode) {
   case SpvOpExtInst:
      operation.what = is_glsl(unit, spirv_operand(i, 2)) ? OPERATION_GLSL + spirv_operand(i, 3) : SpvOpNop;
      operation.first = 4;
      break;
   case SpvOpIAddCarry: /* of two: the lower half, and the upper one */
   case SpvOpISubBorrow:
   case SpvOpUMulExtended:
   case SpvOpSMulExtended:
      count = unit_type_of(unit, spirv_operand(i, 2))->scalars;
      if (scalar >= count) {
         operation.scalar -= count;
         break;
      }
      operation.what = i->opcode == SpvOpIAddCarry ? SpvOpIAdd : i->opcode == SpvOpISubBorrow ? SpvOpISub : SpvOpIMul;
      break;
   }
   return operation;
}

const struct hdb_computation *
search_operand(struct search *search, const struct unit_frame *frame, uint32_t id, size_t scalar)
{
   const struct hdb_type *type = unit_type_of(frame->unit, id);
   struct hdb_piece piece = {0};
   uint64_t offset;
   const struct hdb_type *leaf = unit_find_leaf(type, type->scalars <= 1 ? 0 : scalar, &offset);
   if (!leaf || search->nesting >= MAX_NESTING)
      return NULL;
   search->nesting++;
   bool found = search_scalar(search, frame, id, type->scalars <= 1 ? 0 : scalar, &piece);
   search->nesting--;
   return found ? search_compute(search, &piece, leaf) : NULL;
}

/* Integers of less precision may be computed in 16 bits. */
static bool
is_relaxed(struct unit *unit, uint32_t id)
{
   return unit_decoration(unit, id, SPIRV_NONE, SpvDecorationRelaxedPrecision, NULL);
}

bool
search_computed(struct search *search, const struct unit_frame *frame, const struct spirv_instruction *i, size_t scalar,
                struct hdb_piece *piece)
{
   struct operation operation = read_operation(frame->unit, i, scalar);
   unsigned count = operation_operands(operation.what);
   uint32_t id = spirv_operand(i, 1);
   uint64_t offset;
   const struct hdb_type *leaf = count ? unit_find_leaf(unit_type_of(frame->unit, id), scalar, &offset) : NULL;
   const struct analysis *analysis = leaf ? search_analyse(search, frame, 0, NULL) : NULL;
   if (!analysis || is_relaxed(frame->unit, id) || !flow_dominates(&analysis->flow, i->word, frame->word))
      return false;
   struct hdb_computation computation = {
      .kind = HDB_COMPUTATION_OPERATION,
      .bits = bits_of(leaf),
      .what = operation.what,
   };
   bool selects = operation.what == SpvOpSelect;
   for (unsigned k = 0; k < count; k++) {
      const struct hdb_computation *operand =
         search_operand(search, frame, spirv_operand(i, operation.first + k), operation.scalar);
      if (!operand && !(selects && k > 0))
         return false;
      if (operand && (selects ? k > 0 : k == 0))
         computation.from = operand->bits;
      computation.operands[k] = operand;
   }
   return (!selects || computation.operands[1] || computation.operands[2]) && make_piece(search, &computation, piece);
}

/* ---- votes ---- */

static bool
has_vote(const struct hdb_computation *computation)
{
   if (computation->kind == HDB_COMPUTATION_VOTE)
      return true;
   for (int k = 0; k < 3; k++) {
      if (computation->operands[k] && has_vote(computation->operands[k]))
         return true;
   }
   return false;
}

/* All lanes that there are take part where none has gone another way yet: in the entry point's first block. */
static bool
is_of_all_lanes(const struct search *search, const struct unit_frame *frame, const struct flow *flow, uint32_t word)
{
   return !search->past && !search->symbols->shader->locations[frame->location].inlined_at && flow->count &&
          word >= flow->blocks[0].first && word < flow->blocks[0].end;
}

/* Type, result, scope, predicate or value. */
bool
search_vote(struct search *search, const struct unit_frame *frame, const struct spirv_instruction *i, size_t scalar,
            struct hdb_piece *piece)
{
   if (i->opcode != SpvOpGroupNonUniformAll && i->opcode != SpvOpGroupNonUniformAny &&
       i->opcode != SpvOpGroupNonUniformAllEqual && i->opcode != SpvOpGroupNonUniformBallot)
      return false;
   if (i->opcode == SpvOpGroupNonUniformBallot && scalar * 32 >= search->symbols->shader->wave_size) {
      *piece = (struct hdb_piece){.kind = HDB_PIECE_BYTES}; /* of lanes that there are none of: 0 */
      return true;
   }
   const struct hdb_type *voted = unit_type_of(frame->unit, spirv_operand(i, 3));
   const struct analysis *analysis = search_analyse(search, frame, 0, NULL);
   bool is_whole = voted->kind == HDB_TYPE_BOOL || voted->kind == HDB_TYPE_INT || voted->kind == HDB_TYPE_UINT;
   if (!is_whole || !analysis || !is_of_all_lanes(search, frame, &analysis->flow, i->word) ||
       !flow_dominates(&analysis->flow, i->word, frame->word))
      return false;
   bool anew = search->anew;
   search->anew = true;
   struct hdb_computation computation = {
      .kind = HDB_COMPUTATION_VOTE,
      .bits = i->opcode == SpvOpGroupNonUniformBallot ? 32 : 1,
      .what = i->opcode,
      .number = scalar,
      .operands = {search_operand(search, frame, spirv_operand(i, 3), 0)},
   };
   search->anew = anew;
   return computation.operands[0] && !has_vote(computation.operands[0]) && make_piece(search, &computation, piece);
}
