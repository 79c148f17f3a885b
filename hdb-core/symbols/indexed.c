/* SPDX-License-Identifier: MIT */
/* Elements of a variable's arrays, vectors and matrices by an index that is not constant: one of few, told by the
 * index as it was computed. */
#include "symbols/values.h"

#include <spirv/unified1/spirv.h>

#define MAX_ELEMENTS 16

/* An access with one such index. */
struct indexed {
   uint32_t base, index; /* ids */
   uint32_t index_bits;
   struct unit_part part; /* what it points at if the index is 0 */
   size_t stride, count;  /* scalars of an element, elements */
};

static bool
step_by_index(struct unit *unit, struct indexed *indexed, uint32_t id)
{
   const struct hdb_type *whole = indexed->part.type, *type = unit_type_of(unit, id);
   bool is_integer = type->kind == HDB_TYPE_UINT || type->kind == HDB_TYPE_INT;
   if (indexed->index || !is_integer || !whole->element || whole->kind == HDB_TYPE_POINTER || !whole->count ||
       whole->count > MAX_ELEMENTS)
      return false;
   indexed->index = id;
   indexed->index_bits = type->bits;
   indexed->count = whole->count;
   indexed->stride = whole->element->scalars;
   return unit_step(&indexed->part, 0);
}

static bool
read_access(struct unit *unit, uint32_t pointer, struct indexed *indexed)
{
   struct spirv_instruction i;
   if (!unit_define(unit, pointer, &i) || (i.opcode != SpvOpAccessChain && i.opcode != SpvOpInBoundsAccessChain))
      return false;
   *indexed = (struct indexed){.base = spirv_operand(&i, 2)};
   indexed->part.type = unit_pointee_type(unit, indexed->base);
   for (uint32_t k = 3; k + 1 < i.count; k++) {
      uint32_t id = spirv_operand(&i, k);
      uint64_t index;
      if (unit_constant(unit, id, 0, &index) ? !unit_step(&indexed->part, index) : !step_by_index(unit, indexed, id))
         return false;
   }
   return indexed->index && indexed->stride && indexed->part.type->scalars;
}

/* A choice: of `taken` if the index is that of the element, else of `other`. Either may be NULL, unknown. */
static const struct hdb_computation *
choose(struct search *search, const struct indexed *indexed, const struct hdb_computation *index, size_t element,
       const struct hdb_computation *taken, const struct hdb_computation *other)
{
   if (!taken && !other)
      return NULL;
   struct hdb_computation number = {
      .kind = HDB_COMPUTATION_PIECE,
      .bits = indexed->index_bits,
      .piece = {.kind = HDB_PIECE_BYTES, .size = indexed->index_bits / 8, .bytes = {element}},
   };
   struct hdb_computation equal = {
      .kind = HDB_COMPUTATION_OPERATION,
      .bits = 1,
      .what = SpvOpIEqual,
      .from = indexed->index_bits,
      .operands = {index, symbols_keep_computation(search->symbols, &number)},
   };
   struct hdb_computation selected = {
      .kind = HDB_COMPUTATION_OPERATION,
      .bits = taken ? taken->bits : other->bits,
      .what = SpvOpSelect,
      .from = taken ? taken->bits : other->bits,
      .operands = {equal.operands[1] ? symbols_keep_computation(search->symbols, &equal) : NULL, taken, other},
   };
   return selected.operands[0] ? symbols_keep_computation(search->symbols, &selected) : NULL;
}

static const struct hdb_computation *
find_in_variable(struct search *search, const struct unit_frame *frame, uint32_t word, const struct indexed *indexed,
                 size_t scalar)
{
   struct hdb_piece piece = {0};
   uint64_t offset;
   const struct hdb_type *leaf = unit_find_leaf(unit_pointee_type(frame->unit, indexed->base), scalar, &offset);
   return leaf && search_memory(search, frame, word, indexed->base, scalar, &piece)
             ? search_compute(search, &piece, leaf)
             : NULL;
}

static bool
take(const struct hdb_computation *computation, struct hdb_piece *piece)
{
   *piece = (struct hdb_piece){.kind = HDB_PIECE_COMPUTED, .computation = computation};
   return computation != NULL;
}

bool
search_indexed_load(struct search *search, const struct unit_frame *frame, const struct spirv_instruction *load,
                    size_t scalar, struct hdb_piece *piece)
{
   struct indexed indexed;
   const struct hdb_computation *index, *loaded = NULL;
   if (!read_access(frame->unit, spirv_operand(load, 2), &indexed) || scalar >= indexed.part.type->scalars ||
       !(index = search_operand(search, frame, indexed.index, 0)))
      return false;
   for (size_t e = indexed.count; e-- > 0;) {
      size_t element = indexed.part.first + e * indexed.stride + scalar;
      const struct hdb_computation *taken = find_in_variable(search, frame, load->word, &indexed, element);
      loaded = choose(search, &indexed, index, e, taken, loaded);
   }
   return take(loaded, piece);
}

bool
search_indexed_store(struct search *search, const struct unit_frame *frame, uint32_t word, uint32_t root, size_t scalar,
                     struct hdb_piece *piece)
{
   struct spirv_instruction store;
   struct indexed indexed;
   if (spirv_read_instruction(&frame->unit->reader, word, &store) || store.opcode != SpvOpStore ||
       !read_access(frame->unit, spirv_operand(&store, 0), &indexed) || indexed.base != root)
      return false;
   const struct hdb_computation *before = find_in_variable(search, frame, word, &indexed, scalar);
   size_t distance = scalar - indexed.part.first, element = distance / indexed.stride;
   if (scalar < indexed.part.first || element >= indexed.count ||
       distance % indexed.stride >= indexed.part.type->scalars)
      return take(before, piece);
   const struct hdb_computation *index = search_operand(search, frame, indexed.index, 0);
   const struct hdb_computation *stored =
      index ? search_operand(search, frame, spirv_operand(&store, 1), distance % indexed.stride) : NULL;
   return index && take(choose(search, &indexed, index, element, stored, before), piece);
}
