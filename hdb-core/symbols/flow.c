/* SPDX-License-Identifier: MIT */
/* The blocks of a function, and which effect on a variable reaches where. */
#include "symbols/reaching.h"

#include <errno.h>
#include <stdlib.h>

#include <spirv/unified1/spirv.h>

#include "array.h"

/* Deeper than real loops are nested: what has not settled by then is not known. */
#define MAX_ROUNDS 64

/* ---- blocks ---- */

static int
add_predecessor(struct flow *flow, uint32_t label, uint32_t from)
{
   for (size_t b = 0; b < flow->count; b++) {
      struct block *block = &flow->blocks[b];
      if (block->label != label)
         continue;
      uint32_t *added = array_append(block->predecessors, block->predecessor_count);
      if (!added)
         return -ENOMEM;
      *added = from;
      return 0;
   }
   return 0;
}

static int
add_edges(struct flow *flow, struct unit *unit, uint32_t from)
{
   struct spirv_instruction i = {0};
   for (uint32_t word = flow->blocks[from].first; word < flow->blocks[from].end; word += i.count)
      spirv_read_instruction(&unit->reader, word, &i);
   int result = 0;
   switch (i.opcode) {
   case SpvOpBranch:
      return add_predecessor(flow, spirv_operand(&i, 0), from);
   case SpvOpBranchConditional:
      result = add_predecessor(flow, spirv_operand(&i, 1), from);
      return result ? result : add_predecessor(flow, spirv_operand(&i, 2), from);
   case SpvOpSwitch: {
      uint32_t step = spirv_switch_literal_words(&unit->reader, &i) + 1;
      result = add_predecessor(flow, spirv_operand(&i, 1), from);
      for (uint32_t k = 1 + step; !result && k + 1 < i.count; k += step)
         result = add_predecessor(flow, spirv_operand(&i, k), from);
      return result;
   }
   default:
      return 0;
   }
}

int
flow_init(struct flow *flow, struct unit *unit, const struct unit_function *function)
{
   *flow = (struct flow){0};
   struct spirv_instruction i;
   struct block *block = NULL;
   for (uint32_t word = function->first; word < function->end; word += i.count) {
      spirv_read_instruction(&unit->reader, word, &i);
      if (i.opcode == SpvOpLabel) {
         block = array_append(flow->blocks, flow->count);
         if (!block)
            return -ENOMEM;
         *block = (struct block){.label = spirv_operand(&i, 0), .first = word};
      }
      if (block)
         block->end = word + i.count;
      if (block && i.opcode == SpvOpLoopMerge)
         block->loop_merge = spirv_operand(&i, 0);
      if (spirv_is_terminator(i.opcode))
         block = NULL;
   }
   for (uint32_t b = 0; b < flow->count; b++) {
      int result = add_edges(flow, unit, b);
      if (result)
         return result;
   }
   return 0;
}

void
flow_finish(struct flow *flow)
{
   for (size_t b = 0; b < flow->count; b++)
      free(flow->blocks[b].predecessors);
   free(flow->blocks);
   *flow = (struct flow){0};
}

static size_t
block_at(const struct flow *flow, uint32_t word)
{
   size_t b = 0;
   while (b < flow->count && !(word >= flow->blocks[b].first && word < flow->blocks[b].end))
      b++;
   return b;
}

/* Whether a way leads from one block to another, without the block `avoided`. */
static bool
reaches(const struct flow *flow, size_t from, size_t to, size_t avoided)
{
   bool *reached = calloc(flow->count + 1, sizeof(*reached)); /* backwards, from `to` */
   if (!reached)
      return true;
   reached[to] = to != avoided;
   for (bool changed = true; changed;) {
      changed = false;
      for (size_t b = flow->count; b-- > 0;) {
         for (size_t p = 0; reached[b] && p < flow->blocks[b].predecessor_count; p++) {
            uint32_t predecessor = flow->blocks[b].predecessors[p];
            if (predecessor != avoided && !reached[predecessor])
               reached[predecessor] = changed = true;
         }
      }
   }
   bool found = reached[from];
   free(reached);
   return found;
}

bool
flow_dominates(const struct flow *flow, uint32_t a, uint32_t b)
{
   size_t block_a = block_at(flow, a), block_b = block_at(flow, b);
   if (block_a >= flow->count || block_b >= flow->count)
      return false;
   if (block_a == block_b)
      return a < b;
   return !reaches(flow, 0, block_b, block_a);
}

bool
flow_shares_loops(const struct flow *flow, uint32_t a, uint32_t b)
{
   size_t block_a = block_at(flow, a), block_b = block_at(flow, b);
   for (size_t header = 0; header < flow->count; header++) {
      size_t behind = 0;
      if (!flow->blocks[header].loop_merge)
         continue;
      while (behind < flow->count && flow->blocks[behind].label != flow->blocks[header].loop_merge)
         behind++;
      if (reaches(flow, header, block_a, behind) && !reaches(flow, header, block_b, behind))
         return false;
   }
   return true;
}

/* ---- reaching definitions ---- */

/* Values by name, as SSA has them: an effect, the entry, or the merge at the beginning of a block. */
#define NAME_NONE 0u
#define NAME_ENTRY 1u
#define NAME_MERGE 0x80000000u

static uint32_t
name_of_effect(size_t effect)
{
   return 2 + effect;
}

/* The last effect on the scalar in front of `end`, in a block; NAME_NONE: none. */
static uint32_t
last_effect(const struct block *block, const struct effects *effects, size_t scalar, uint32_t end)
{
   uint32_t name = NAME_NONE;
   for (size_t e = 0; e < effects->count; e++) {
      const struct effect *effect = &effects->list[e];
      if (effect->word >= block->first && effect->word < end && scalar >= effect->first &&
          scalar - effect->first < effect->count)
         name = name_of_effect(e);
   }
   return name;
}

/* The one name that comes in from all predecessors that have one so far, else the merge of this block. */
static uint32_t
join(const struct block *block, uint32_t index, const uint32_t *outs)
{
   uint32_t name = NAME_NONE;
   for (size_t p = 0; p < block->predecessor_count; p++) {
      uint32_t out = outs[block->predecessors[p]];
      if (out == NAME_NONE || out == (NAME_MERGE | index) || out == name)
         continue;
      if (name != NAME_NONE)
         return NAME_MERGE | index;
      name = out;
   }
   return name;
}

/* What is in the variable where blocks begin, by name. */
struct solution {
   size_t scalar;
   uint32_t *names; /* NULL: not known */
};

struct solutions {
   struct solution *list;
   size_t count;
};

struct solutions *
flow_create_solutions(void)
{
   return calloc(1, sizeof(struct solutions));
}

void
flow_destroy_solutions(struct solutions *solutions)
{
   for (size_t i = 0; solutions && i < solutions->count; i++)
      free(solutions->list[i].names);
   if (solutions)
      free(solutions->list);
   free(solutions);
}

/* Any solution of these equations is right: along every path, what was named last is what is there. */
static bool
solve(const struct flow *flow, const struct effects *effects, size_t scalar, uint32_t *ins)
{
   uint32_t *own = calloc(2 * flow->count + 1, sizeof(*own)), *outs = own + flow->count;
   bool changed = own != NULL;
   for (size_t b = 0; own && b < flow->count; b++)
      own[b] = outs[b] = last_effect(&flow->blocks[b], effects, scalar, flow->blocks[b].end);
   for (unsigned round = 0; changed && round < MAX_ROUNDS; round++) {
      changed = false;
      for (size_t b = 0; b < flow->count; b++) {
         uint32_t in = b == 0 ? NAME_ENTRY : join(&flow->blocks[b], b, outs);
         changed |= in != ins[b];
         ins[b] = in;
         if (own[b] == NAME_NONE)
            outs[b] = in;
      }
   }
   bool settled = own && !changed;
   free(own);
   return settled;
}

static const uint32_t *
find_names(const struct analysis *analysis, size_t scalar)
{
   struct solutions *solutions = analysis->solutions;
   for (size_t i = 0; i < solutions->count; i++) {
      if (solutions->list[i].scalar == scalar)
         return solutions->list[i].names;
   }
   struct solution *added = array_append(solutions->list, solutions->count);
   if (!added)
      return NULL;
   *added = (struct solution){scalar, calloc(analysis->flow.count + 1, sizeof(*added->names))};
   if (added->names && !solve(&analysis->flow, &analysis->effects, scalar, added->names)) {
      free(added->names);
      added->names = NULL;
   }
   return added->names;
}

static struct reach
reach_of_name(uint32_t name)
{
   if (name == NAME_NONE)
      return (struct reach){REACH_NOWHERE, 0};
   if (name == NAME_ENTRY)
      return (struct reach){REACH_ENTRY, 0};
   if (name & NAME_MERGE)
      return (struct reach){REACH_MERGE, name & ~NAME_MERGE};
   return (struct reach){REACH_EFFECT, name - 2};
}

struct reach
flow_reach(const struct analysis *analysis, size_t scalar, uint32_t word)
{
   const struct flow *flow = &analysis->flow;
   size_t b = block_at(flow, word);
   if (b >= flow->count || analysis->effects.escaped)
      return (struct reach){REACH_NOWHERE, 0};
   uint32_t name = last_effect(&flow->blocks[b], &analysis->effects, scalar, word);
   if (name == NAME_NONE) {
      const uint32_t *names = find_names(analysis, scalar);
      name = names ? names[b] : NAME_NONE;
   }
   return reach_of_name(name);
}
