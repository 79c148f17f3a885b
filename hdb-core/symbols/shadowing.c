/* SPDX-License-Identifier: MIT */
/*
 * Which of two variables of one name is meant where both may be.
 *
 * Neither modules nor lines tell all of it: glslang 12 has no lexical blocks for loops, `-g` has none at all, macros
 * declare what the text does not show, and several scopes may begin and end on one line. What the module uses does: as
 * long as the inner variable is used, its scope has not ended, and once the outer one is used again, it has. Between
 * the two, and where neither is used any more, nothing tells.
 */
#include "symbols/unit.h"

#include <string.h>

#include <spirv/unified1/spirv.h>

/* ---- uses ---- */

/* Whether an instruction uses the pointer: other operands may be numbers that look like its id. */
static bool
uses(const struct spirv_instruction *i, uint32_t pointer)
{
   uint32_t first, end;
   switch (i->opcode) {
   case SpvOpStore:
   case SpvOpCopyMemory:
      first = 0;
      end = 2;
      break;
   case SpvOpLoad:
   case SpvOpAccessChain:
   case SpvOpInBoundsAccessChain:
      first = 2;
      end = 3;
      break;
   case SpvOpFunctionCall:
      first = 3;
      end = i->count;
      break;
   case SpvOpExtInst:
      first = 4;
      end = i->count;
      break;
   default:
      return false;
   }
   for (uint32_t k = first; k < end; k++) {
      if (spirv_operand(i, k) == pointer)
         return true;
   }
   return false;
}

uint32_t
unit_find_use(struct unit *unit, uint32_t pointer, uint32_t from, uint32_t to)
{
   struct spirv_instruction i;
   for (uint32_t word = from; word < to; word += i.count) {
      if (spirv_read_instruction(&unit->reader, word, &i))
         break;
      if (!spirv_is_debug_instruction(&unit->reader, &i) && uses(&i, pointer))
         return word;
   }
   return SPIRV_NONE;
}

static bool
is_used(const struct unit_variable *variable, uint32_t from, uint32_t to)
{
   for (size_t b = 0; b < variable->binding_count; b++) {
      const struct unit_binding *binding = &variable->bindings[b];
      if (!binding->declare && binding->word >= from && binding->word < to)
         return true;
   }
   return !variable->bound && unit_find_use(variable->unit, variable->symbol.id, from, to) != SPIRV_NONE;
}

/* Behind the statement that the frame stands in, as far as its first effect tells. */
static uint32_t
statement_end(const struct unit_frame *frame, uint32_t function_end)
{
   struct spirv_instruction i;
   for (uint32_t word = frame->word; word < function_end; word += i.count) {
      if (spirv_read_instruction(&frame->unit->reader, word, &i))
         break;
      if (i.opcode == SpvOpStore || i.opcode == SpvOpFunctionCall || i.opcode == SpvOpImageWrite ||
          spirv_is_terminator(i.opcode))
         return word + i.count;
   }
   return function_end;
}

/* ---- declarations ---- */

static uint32_t
declared_at(const struct unit_variable *variable)
{
   const struct unit_function *function = &variable->unit->functions[variable->function];
   if (variable->binding_count)
      return variable->bindings[0].word;
   if (variable->symbol.storage == HDB_STORAGE_PARAMETER)
      return function->first;
   return unit_find_use(variable->unit, variable->symbol.id, function->first, function->end);
}

static bool
is_declared(const struct unit_frame *frame, const struct unit_variable *variable)
{
   bool below = variable->first_line && frame->file == variable->file && frame->line != variable->first_line;
   return below || declared_at(variable) <= frame->word;
}

/* By where their scopes are: +1, a's is in b's; -1, b's is in a's; 0, that does not tell. */
static int
compare_scopes(const struct unit_variable *a, const struct unit_variable *b)
{
   if (a->first_line && b->first_line) {
      const struct unit_variable *inner = a->symbol.scope > b->symbol.scope ? a : b;
      bool tells = a->symbol.scope != b->symbol.scope && inner->first_line != inner->last_line;
      return !tells ? 0 : inner == a ? 1 : -1;
   }
   if (!a->scope || !b->scope || a->scope == b->scope)
      return 0;
   return unit_scope_encloses(a->unit, b->scope, a->scope)   ? 1
          : unit_scope_encloses(a->unit, a->scope, b->scope) ? -1
                                                             : 0;
}

enum unit_order
unit_shadows(const struct unit_frame *frame, const struct unit_variable *a, const struct unit_variable *b)
{
   uint32_t end = a->unit->functions[a->function].end;
   bool declared = is_declared(frame, a);
   if (declared != is_declared(frame, b))
      return declared ? UNIT_SHADOWS : UNIT_IS_SHADOWED;
   bool later = declared_at(a) > declared_at(b);
   if (!declared)
      return later ? UNIT_IS_SHADOWED : UNIT_SHADOWS;
   int inner = compare_scopes(a, b);
   if (inner)
      return inner > 0 ? UNIT_SHADOWS : UNIT_IS_SHADOWED;
   if (is_used(later ? a : b, frame->word, end))
      return later ? UNIT_SHADOWS : UNIT_IS_SHADOWED;
   if (is_used(later ? b : a, declared_at(later ? a : b), statement_end(frame, end)))
      return later ? UNIT_IS_SHADOWED : UNIT_SHADOWS;
   return UNIT_UNORDERED;
}
