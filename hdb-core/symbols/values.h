/* SPDX-License-Identifier: MIT */
/* The search for where values are, at one pc. */
#ifndef HDB_VALUES_SEARCH_H
#define HDB_VALUES_SEARCH_H

#include "symbols/reaching.h"

/* A frame says which inlined call is meant and, by its word, where that stands now. */
struct search {
   struct hdb_symbols *symbols;
   uint32_t pc;
   unsigned depth, nesting;
   unsigned past;              /* the frame searched in has returned, that many times over */
   bool anew;                  /* rather computed than in registers, which hold it for active lanes alone */
   bool lanes_only;            /* what all lanes share has gone on changing since */
   unsigned steps_left;        /* many ways may lead to the same values */
   struct analysis **analyses; /* made so far */
   size_t analysis_count;
};

void search_finish(struct search *search);
/* Of a pointer, or (`variable` not NULL) of a variable's bindings, in the frame's function; the pointer 0 has no
 * effects, its flow is wanted. NULL: out of memory, or there is no such function. */
const struct analysis *search_analyse(struct search *search, const struct unit_frame *frame, uint32_t pointer,
                                      const struct unit_variable *variable);

/* Whether the result of the instruction at `word` that the driver's table has is the one that counts `now`. */
bool search_holds(const struct search *search, const struct flow *flow, uint32_t word, uint32_t now,
                  enum hdb_piece_kind kind);
/* Where one scalar is; false: nowhere. */
bool search_scalar(struct search *search, const struct unit_frame *frame, uint32_t id, size_t scalar,
                   struct hdb_piece *piece);
/* A result that is computed again: computed.c. */
bool search_computed(struct search *search, const struct unit_frame *frame, const struct spirv_instruction *i,
                     size_t scalar, struct hdb_piece *piece);
bool search_vote(struct search *search, const struct unit_frame *frame, const struct spirv_instruction *i,
                 size_t scalar, struct hdb_piece *piece);
/* One of its operands; of a scalar, the scalar, of others the one asked for. NULL: it is nowhere. */
const struct hdb_computation *search_operand(struct search *search, const struct unit_frame *frame, uint32_t id,
                                             size_t scalar);
const struct hdb_computation *search_compute(struct search *search, struct hdb_piece *piece,
                                             const struct hdb_type *scalar);
/* What OpLoad loads from, and OpStore (at `word`) leaves in, a variable of which an index is not constant: indexed.c.
 */
bool search_indexed_load(struct search *search, const struct unit_frame *frame, const struct spirv_instruction *load,
                         size_t scalar, struct hdb_piece *piece);
bool search_indexed_store(struct search *search, const struct unit_frame *frame, uint32_t word, uint32_t root,
                          size_t scalar, struct hdb_piece *piece);
/* Of what a pointer points at that no shader changes. */
bool search_immutable(struct search *search, const struct unit_frame *frame, uint32_t pointer, size_t scalar,
                      struct hdb_piece *piece);
/* Of what a pointer points at, as it was in front of the instruction at `word`. */
bool search_memory(struct search *search, const struct unit_frame *frame, uint32_t word, uint32_t pointer,
                   size_t scalar, struct hdb_piece *piece);
bool search_bindings(struct search *search, const struct unit_frame *frame, const struct unit_variable *variable,
                     size_t scalar, struct hdb_piece *piece);

#endif
