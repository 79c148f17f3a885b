/* SPDX-License-Identifier: MIT */
/* Where what variables hold is: in scratch, or where what was stored to them is. */
#include "symbols/values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "array.h"

/* ---- analyses, made once for a search ---- */

static void
free_analysis(struct analysis *analysis)
{
   free(analysis->effects.list);
   flow_finish(&analysis->flow);
   flow_destroy_solutions(analysis->solutions);
   free(analysis);
}

void
search_finish(struct search *search)
{
   for (size_t i = 0; i < search->analysis_count; i++)
      free_analysis(search->analyses[i]);
   free(search->analyses);
}

const struct analysis *
search_analyse(struct search *search, const struct unit_frame *frame, uint32_t pointer,
               const struct unit_variable *variable)
{
   const struct unit_function *function = unit_function_at(frame->unit, frame->word);
   const uint32_t root = variable ? variable->debug : pointer, inlined_at = variable ? variable->inlined_at : 0;
   for (size_t i = 0; i < search->analysis_count; i++) {
      const struct analysis *analysis = search->analyses[i];
      if (analysis->function == function && analysis->root == root && analysis->inlined_at == inlined_at)
         return analysis;
   }
   struct analysis *analysis = function ? calloc(1, sizeof(*analysis)) : NULL;
   if (!analysis)
      return NULL;
   *analysis = (struct analysis){frame->unit, function, root, inlined_at, .solutions = flow_create_solutions()};
   int result = analysis->solutions ? flow_init(&analysis->flow, frame->unit, function) : -ENOMEM;
   if (!result && variable && analysis->flow.count)
      result = effects_of_bindings(variable, analysis->flow.blocks[0].first, &analysis->effects);
   else if (!result && pointer)
      result = effects_of_pointer(frame->unit, function, pointer, &analysis->effects);
   struct analysis **added = result ? NULL : array_append(search->analyses, search->analysis_count);
   if (!added) {
      free_analysis(analysis);
      return NULL;
   }
   *added = analysis;
   return analysis;
}

/* ---- what a variable holds ---- */

/* The OpVariable or OpFunctionParameter that a pointer comes from, in its own function. */
static bool
find_root(struct unit *unit, uint32_t pointer, uint32_t *root, struct unit_part *part)
{
   struct spirv_instruction accesses[UNIT_MAX_DEPTH], i;
   unsigned count = 0;
   for (unsigned depth = 0; depth < UNIT_MAX_DEPTH && unit_define(unit, pointer, &i); depth++) {
      if (i.opcode == SpvOpAccessChain || i.opcode == SpvOpInBoundsAccessChain)
         accesses[count++] = i;
      if (i.opcode == SpvOpAccessChain || i.opcode == SpvOpInBoundsAccessChain || i.opcode == SpvOpCopyObject) {
         pointer = spirv_operand(&i, 2);
         continue;
      }
      *root = pointer;
      *part = (struct unit_part){.type = unit_pointee_type(unit, pointer)};
      while (count > 0) {
         if (!unit_follow_access(unit, &accesses[--count], part))
            return false;
      }
      return i.opcode == SpvOpVariable || i.opcode == SpvOpFunctionParameter;
   }
   return false;
}

/* As it was when the function began: what the caller had in it, or its initializer. */
static bool
find_at_entry(struct search *search, const struct unit_frame *frame, uint32_t root, size_t scalar,
              struct hdb_piece *piece)
{
   struct spirv_instruction i;
   struct unit_frame caller;
   uint32_t argument;
   if (!unit_define(frame->unit, root, &i))
      return false;
   if (i.opcode == SpvOpFunctionParameter)
      return unit_find_argument(search->symbols, frame, root, &caller, &argument) &&
             search_memory(search, &caller, caller.word, argument, scalar, piece);
   if (spirv_operand(&i, 2) == SpvStorageClassPrivate && unit_caller(search->symbols, frame, &caller))
      return caller.unit == frame->unit && search_memory(search, &caller, caller.word, root, scalar, piece);
   uint32_t initializer = spirv_operand(&i, 3);
   return initializer && search_scalar(search, frame, initializer, scalar, piece);
}

static bool
is_same(struct reach a, struct reach b)
{
   return a.kind == b.kind && a.index == b.index;
}

/* What the variable is where the driver's table says that values of it come together. A call stands for what is in
 * front of it and for what is behind it, where the callee's returns come together; the branch of an `if` also for what
 * compilers do in the place of a return in it. */
static struct reach
reach_of_merge(const struct analysis *analysis, size_t scalar, uint32_t word)
{
   const struct reach nowhere = {REACH_NOWHERE, 0};
   struct spirv_instruction i;
   if (spirv_read_instruction(&analysis->unit->reader, word, &i) || i.opcode == SpvOpSelectionMerge ||
       (spirv_is_terminator(i.opcode) && i.opcode != SpvOpBranch))
      return nowhere;
   struct reach reach = flow_reach(analysis, scalar, word);
   if (i.opcode == SpvOpFunctionCall && !is_same(reach, flow_reach(analysis, scalar, word + i.count)))
      return nowhere;
   return reach;
}

/* Where the driver's table says what the variable holds in front of an instruction, that counts if the same definition
 * reaches there and here. */
struct wanted_merge {
   const struct search *search;
   const struct analysis *analysis;
   const struct unit_frame *frame;
   size_t scalar; /* of the analysis */
   struct reach reach;
   size_t component; /* of the variable */
   const struct hdb_type *type;
   struct hdb_piece *piece;
};

static bool
take_merge(void *user, const struct hdb_value *value)
{
   const struct wanted_merge *wanted = user;
   const struct unit_frame *frame = wanted->frame;
   struct hdb_symbols *symbols = frame->unit->symbols;
   struct hdb_piece piece;
   uint32_t word;
   if (!value->merge || value->merge >= symbols->shader->location_count || value->component != wanted->component ||
       !symbols_make_piece(value, wanted->type, &piece))
      return false;
   if (unit_at(symbols, symbols->shader->locations[value->merge].spirv_offset, &word) != frame->unit ||
       !unit_same_call(symbols, value->merge, frame->location))
      return false;
   const struct analysis *analysis = wanted->analysis;
   if (!is_same(reach_of_merge(analysis, wanted->scalar, word), wanted->reach))
      return false;
   if ((word != frame->word || wanted->search->past) &&
       !search_holds(wanted->search, &analysis->flow, word, frame->word, piece.kind))
      return false;
   *wanted->piece = piece;
   return true;
}

static bool
find_merge(struct search *search, const struct unit_frame *frame, const struct analysis *analysis, uint32_t root,
           size_t scalar, struct reach reach, struct hdb_piece *piece)
{
   struct unit_storage storage;
   struct spirv_instruction variable;
   uint64_t offset;
   if (!unit_find_storage(search->symbols, frame, root, &storage) ||
       !unit_define(storage.frame.unit, storage.variable, &variable))
      return false;
   struct wanted_merge wanted = {
      .search = search,
      .analysis = analysis,
      .frame = frame,
      .scalar = scalar,
      .reach = reach,
      .component = storage.part.first + scalar,
      .type = unit_find_leaf(storage.part.type, scalar, &offset),
      .piece = piece,
   };
   return wanted.type &&
          symbols_find_value(storage.frame.unit, variable.word, &storage.frame, search->pc, take_merge, &wanted);
}

static bool
find_effect(struct search *search, const struct unit_frame *frame, const struct analysis *analysis, size_t index,
            size_t scalar, struct hdb_piece *piece)
{
   const struct effect *effect = &analysis->effects.list[index];
   if (effect->kind == EFFECT_UNKNOWN)
      return search_indexed_store(search, frame, effect->word, analysis->root, scalar, piece);
   scalar = scalar - effect->first + effect->value_first;
   switch (effect->kind) {
   case EFFECT_STORE:
      return search_scalar(search, frame, effect->value, scalar, piece);
   case EFFECT_COPY:
      return search_memory(search, frame, effect->word, effect->value, scalar, piece);
   case EFFECT_ALIAS:
      return search_memory(search, frame, frame->word, effect->value, scalar, piece);
   default:
      return false;
   }
}

/* In scratch there is what the variable holds now. That is what it held at `word`, too, if the same definition reaches
 * both. */
static bool
find_in_scratch(struct search *search, const struct unit_frame *frame, uint32_t word, uint32_t pointer, size_t scalar,
                struct hdb_piece *piece)
{
   struct unit_storage storage;
   struct spirv_instruction variable;
   struct unit_part part;
   uint32_t base, root;
   uint64_t offset;
   if (search->past || !unit_find_storage(search->symbols, frame, pointer, &storage) ||
       !unit_define(storage.frame.unit, storage.variable, &variable) ||
       !symbols_scratch_offset(storage.frame.unit, variable.word, &storage.frame, &base) ||
       !unit_find_leaf(storage.part.type, scalar, &offset))
      return false;
   if (word != frame->word) {
      const struct analysis *analysis;
      if (!find_root(frame->unit, pointer, &root, &part) || !(analysis = search_analyse(search, frame, root, NULL)))
         return false;
      struct reach then = flow_reach(analysis, part.first + scalar, word);
      struct reach now = flow_reach(analysis, part.first + scalar, frame->word);
      if (then.kind == REACH_NOWHERE || !is_same(then, now))
         return false;
   }
   piece->kind = HDB_PIECE_SCRATCH;
   piece->where = base + storage.part.offset + offset;
   return true;
}

static bool
find_by_reach(struct search *search, const struct unit_frame *frame, uint32_t word, uint32_t pointer, size_t scalar,
              struct hdb_piece *piece)
{
   struct unit_part part;
   uint32_t root;
   const struct analysis *analysis;
   if (!find_root(frame->unit, pointer, &root, &part) || !(analysis = search_analyse(search, frame, root, NULL)))
      return false;
   scalar += part.first;
   struct reach reach = flow_reach(analysis, scalar, word);
   if (reach.kind == REACH_NOWHERE)
      return false;
   if (reach.kind == REACH_ENTRY && find_at_entry(search, frame, root, scalar, piece))
      return true;
   if (reach.kind == REACH_EFFECT && find_effect(search, frame, analysis, reach.index, scalar, piece))
      return true;
   return find_merge(search, frame, analysis, root, scalar, reach, piece);
}

bool
search_memory(struct search *search, const struct unit_frame *frame, uint32_t word, uint32_t pointer, size_t scalar,
              struct hdb_piece *piece)
{
   struct unit_storage storage;
   if (!unit_find_storage(search->symbols, frame, pointer, &storage) ||
       (storage.class != SpvStorageClassFunction && storage.class != SpvStorageClassPrivate))
      return false;
   if (search->depth >= UNIT_MAX_DEPTH)
      return false;
   search->depth++;
   bool found = find_in_scratch(search, frame, word, pointer, scalar, piece) ||
                find_by_reach(search, frame, word, pointer, scalar, piece);
   search->depth--;
   return found;
}

bool
search_bindings(struct search *search, const struct unit_frame *frame, const struct unit_variable *variable,
                size_t scalar, struct hdb_piece *piece)
{
   const struct analysis *analysis = search_analyse(search, frame, 0, variable);
   if (!analysis)
      return false;
   struct reach reach = flow_reach(analysis, scalar, frame->word);
   return reach.kind == REACH_EFFECT && find_effect(search, frame, analysis, reach.index, scalar, piece);
}
