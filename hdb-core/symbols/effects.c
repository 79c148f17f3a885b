/* SPDX-License-Identifier: MIT */
/* What the instructions of a function do to a variable. What is not understood counts as if it did anything. */
#include "symbols/reaching.h"

#include <errno.h>
#include <stdlib.h>

#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>
#include <spirv/unified1/spirv.h>

#include "array.h"

/* An id that points at the variable or into it. */
struct derived {
   uint32_t id;
   struct unit_part part; /* the smallest known to contain what it points at */
   bool exact;
};

struct derived_list {
   struct derived *list;
   size_t count;
   uint32_t *places; /* by id: place in the list plus one */
   uint32_t bound;
};

static const struct derived *
find_derived(const struct derived_list *derived, uint32_t id)
{
   return id < derived->bound && derived->places[id] ? &derived->list[derived->places[id] - 1] : NULL;
}

static int
derive(struct derived_list *derived, uint32_t id, const struct derived *from)
{
   const struct derived made = {id, from->part, from->exact}; /* `from` may be in the list that moves */
   struct derived *added = id < derived->bound ? array_append(derived->list, derived->count) : NULL;
   if (!added)
      return -ENOMEM;
   *added = made;
   derived->places[id] = derived->count;
   return 0;
}

static int
derive_access(struct unit *unit, struct derived_list *derived, const struct spirv_instruction *access,
              const struct derived *base)
{
   struct derived made = *base;
   for (uint32_t k = 3; made.exact && k + 1 < access->count; k++) {
      uint64_t index;
      made.exact = unit_constant(unit, spirv_operand(access, k), 0, &index) && unit_step(&made.part, index);
   }
   return derive(derived, spirv_operand(access, 1), &made);
}

static int
add_effect(struct effects *effects, uint32_t word, enum effect_kind kind, const struct derived *target, uint32_t value)
{
   struct effect *effect = array_append(effects->list, effects->count);
   if (!effect)
      return -ENOMEM;
   *effect = (struct effect){
      .word = word,
      .kind = target->exact ? kind : EFFECT_UNKNOWN,
      .first = target->part.first,
      .count = target->part.type->scalars,
      .value = value,
   };
   return 0;
}

/* Whether a function, or one that it calls, mentions a global variable other than to load it. */
static bool
may_set(struct unit *unit, uint32_t function_id, uint32_t variable, unsigned depth)
{
   const struct unit_function *function = NULL;
   struct spirv_instruction i;
   for (size_t f = 0; f < unit->function_count; f++) {
      if (unit->functions[f].id == function_id)
         function = &unit->functions[f];
   }
   if (!function || depth > 8)
      return true;
   for (uint32_t word = function->first; word < function->end; word += i.count) {
      spirv_read_instruction(&unit->reader, word, &i);
      if (i.opcode == SpvOpLoad || i.opcode == SpvOpLine || spirv_is_debug_instruction(&unit->reader, &i))
         continue;
      for (uint32_t k = 0; k + 1 < i.count; k++) {
         if (spirv_operand(&i, k) == variable)
            return true;
      }
      if (i.opcode == SpvOpFunctionCall && may_set(unit, spirv_operand(&i, 2), variable, depth + 1))
         return true;
   }
   return false;
}

/* Instructions that take the pointer for the time that they take; others may keep it. */
static bool
keeps_pointer(uint32_t opcode)
{
   return opcode == SpvOpPhi || opcode == SpvOpSelect || opcode == SpvOpPtrAccessChain ||
          opcode == SpvOpInBoundsPtrAccessChain || opcode == SpvOpReturnValue || opcode == SpvOpCompositeConstruct ||
          opcode == SpvOpCompositeInsert || opcode == SpvOpBitcast || opcode == SpvOpConvertPtrToU;
}

static int
read_other(struct effects *effects, const struct derived_list *derived, const struct spirv_instruction *i)
{
   for (uint32_t k = 0; k + 1 < i->count; k++) {
      const struct derived *used = find_derived(derived, spirv_operand(i, k));
      if (!used)
         continue;
      effects->escaped |= keeps_pointer(i->opcode);
      int result = add_effect(effects, i->word, EFFECT_UNKNOWN, used, 0);
      if (result)
         return result;
   }
   return 0;
}

static int
read_effect(struct unit *unit, struct effects *effects, struct derived_list *derived, const struct spirv_instruction *i)
{
   const struct derived *target;
   switch (i->opcode) {
   case SpvOpLoad:
   case SpvOpVariable:
   case SpvOpFunctionParameter:
   case SpvOpArrayLength:
      return 0;
   case SpvOpLine: /* these have numbers among their operands, and no pointers */
   case SpvOpLabel:
   case SpvOpBranch:
   case SpvOpBranchConditional:
   case SpvOpSwitch:
   case SpvOpSelectionMerge:
   case SpvOpLoopMerge:
   case SpvOpVectorShuffle:
   case SpvOpCompositeExtract:
      return 0;
   case SpvOpAccessChain:
   case SpvOpInBoundsAccessChain:
      target = find_derived(derived, spirv_operand(i, 2));
      return target ? derive_access(unit, derived, i, target) : 0;
   case SpvOpCopyObject:
      target = find_derived(derived, spirv_operand(i, 2));
      return target ? derive(derived, spirv_operand(i, 1), target) : 0;
   case SpvOpStore:
      effects->escaped |= find_derived(derived, spirv_operand(i, 1)) != NULL;
      target = find_derived(derived, spirv_operand(i, 0));
      return target ? add_effect(effects, i->word, EFFECT_STORE, target, spirv_operand(i, 1)) : 0;
   case SpvOpCopyMemory:
      target = find_derived(derived, spirv_operand(i, 0));
      return target ? add_effect(effects, i->word, EFFECT_COPY, target, spirv_operand(i, 1)) : 0;
   default:
      return spirv_is_debug_instruction(&unit->reader, i) ? 0 : read_other(effects, derived, i);
   }
}

int
effects_of_pointer(struct unit *unit, const struct unit_function *function, uint32_t pointer, struct effects *effects)
{
   struct derived_list derived = {.bound = unit->reader.bound};
   struct spirv_instruction i, variable;
   *effects = (struct effects){0};
   derived.places = calloc(derived.bound, sizeof(*derived.places));
   if (!derived.places)
      return -ENOMEM;
   const struct derived root = {.part = {.type = unit_pointee_type(unit, pointer)}, .exact = true};
   bool global = spirv_find_definition(&unit->reader, pointer, SpvOpVariable, &variable) &&
                 spirv_operand(&variable, 2) != SpvStorageClassFunction;
   int result = derive(&derived, pointer, &root);
   for (uint32_t word = function->first; !result && word < function->end; word += i.count) {
      spirv_read_instruction(&unit->reader, word, &i);
      result = read_effect(unit, effects, &derived, &i);
      if (!result && global && i.opcode == SpvOpFunctionCall && may_set(unit, spirv_operand(&i, 2), pointer, 0))
         result = add_effect(effects, word, EFFECT_UNKNOWN, &root, 0);
   }
   free(derived.places);
   free(derived.list);
   return result;
}

/* ---- bindings ---- */

/* Literal or constant indexes lead from the whole to the part, or a fragment does, in bits of the natural layout. */
static bool
find_part(const struct unit_variable *variable, const struct unit_binding *binding, struct unit_part *part)
{
   struct unit *unit = variable->unit;
   struct spirv_instruction i;
   *part = (struct unit_part){.type = variable->symbol.type};
   spirv_read_instruction(&unit->reader, binding->word, &i);
   for (uint32_t k = 0; k < binding->index_count; k++) {
      uint64_t index;
      if (!unit_constant(unit, spirv_debug_operand(&i, 3 + k), 0, &index) || !unit_step(part, index))
         return false;
   }
   if (!binding->fragment_size)
      return true;
   for (unsigned depth = 0; depth < UNIT_MAX_DEPTH; depth++) {
      uint64_t index = 0, offset = binding->fragment_offset / 8;
      const struct hdb_type *type = part->type;
      if (part->offset == offset && type->size * 8 == binding->fragment_size)
         return true;
      if (offset < part->offset)
         return false;
      if (type->kind == HDB_TYPE_STRUCT) {
         while (index + 1 < type->member_count && part->offset + type->members[index + 1].offset <= offset)
            index++;
      } else if (type->stride) {
         index = (offset - part->offset) / type->stride;
      }
      if (!unit_step(part, index))
         return false;
   }
   return false;
}

/* What is declared is so in all of the function. */
int
effects_of_bindings(const struct unit_variable *variable, uint32_t entry, struct effects *effects)
{
   *effects = (struct effects){0};
   for (size_t b = 0; b < variable->binding_count; b++) {
      const struct unit_binding *binding = &variable->bindings[b];
      struct derived target = {.part = {.type = variable->symbol.type}, .exact = binding->understood};
      struct unit_part part;
      if (find_part(variable, binding, &part))
         target.part = part;
      else
         target.exact = false;
      int result = add_effect(effects, binding->declare ? entry : binding->word,
                              binding->pointer ? EFFECT_ALIAS : EFFECT_STORE, &target, binding->value);
      if (result)
         return result;
   }
   return 0;
}
