/* SPDX-License-Identifier: MIT */
/* Which definition of a variable reaches an instruction: the reading of a function that answers it. */
#ifndef HDB_REACHING_H
#define HDB_REACHING_H

#include "symbols/unit.h"

enum effect_kind {
   EFFECT_STORE,  /* the scalars of an id's value, from `value_first` on */
   EFFECT_COPY,   /* what a pointer points at then (OpCopyMemory), likewise */
   EFFECT_ALIAS,  /* what a pointer points at, now and later */
   EFFECT_UNKNOWN /* anything */
};

/* An instruction that sets scalars of the variable. */
struct effect {
   uint32_t word;
   enum effect_kind kind;
   size_t first, count;
   uint32_t value;
   size_t value_first;
};

struct effects {
   struct effect *list; /* in the order of the module */
   size_t count;
   bool escaped; /* pointers to the variable go where they are not followed */
};

/* Of what a pointer (OpVariable or OpFunctionParameter) points at, in one function. -ENOMEM. */
int effects_of_pointer(struct unit *unit, const struct unit_function *function, uint32_t pointer,
                       struct effects *effects);
/* Of the bindings of a variable that has no other place, in a function whose first block begins at `entry`. */
int effects_of_bindings(const struct unit_variable *variable, uint32_t entry, struct effects *effects);

struct block {
   uint32_t label, first, end; /* id; words, of OpLabel and behind the terminator */
   uint32_t loop_merge;        /* id of the block behind the loop that this one is the header of; 0: of none */
   uint32_t *predecessors;
   size_t predecessor_count;
};

struct flow {
   struct block *blocks;
   size_t count;
};

/* Both, of one variable in one function. */
struct analysis {
   struct unit *unit;
   const struct unit_function *function;
   uint32_t root; /* id of the pointer, or of the debug variable */
   uint32_t inlined_at;
   struct effects effects;
   struct flow flow;
   struct solutions *solutions; /* of flow_reach, by scalar */
};

int flow_init(struct flow *flow, struct unit *unit, const struct unit_function *function);
void flow_finish(struct flow *flow);

/* Whether what is at word `a` has been executed whenever `b` is reached. */
bool flow_dominates(const struct flow *flow, uint32_t a, uint32_t b);
/* Whether all loops that `a` is in have `b` in them. */
bool flow_shares_loops(const struct flow *flow, uint32_t a, uint32_t b);

/* What a scalar of the variable is in front of an instruction. */
enum reach_kind {
   REACH_NOWHERE, /* the instruction is not reached, or the answer is not known */
   REACH_ENTRY,   /* as it was when the function began */
   REACH_EFFECT,
   REACH_MERGE /* different definitions come together where a block begins */
};
struct reach {
   enum reach_kind kind;
   size_t index; /* of the effect or the block */
};
struct reach flow_reach(const struct analysis *analysis, size_t scalar, uint32_t word);
struct solutions *flow_create_solutions(void);
void flow_destroy_solutions(struct solutions *solutions);

#endif
