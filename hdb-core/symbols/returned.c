/* SPDX-License-Identifier: MIT */
/* The result of a call as a symbol: what it has returned, once it has. */
#include "symbols/unit.h"

#include <spirv/unified1/spirv.h>

static bool
find_call(struct hdb_symbols *symbols, uint32_t spirv_offset, struct unit **unit, struct spirv_instruction *call)
{
   uint32_t word;
   *unit = unit_table(symbols) ? unit_at(symbols, spirv_offset, &word) : NULL;
   return *unit && !spirv_read_instruction(&(*unit)->reader, word, call) && call->opcode == SpvOpFunctionCall &&
          call->count > 3;
}

static uint32_t
function_index(const struct unit *unit, uint32_t word)
{
   for (uint32_t f = 0; f < unit->function_count; f++) {
      if (word >= unit->functions[f].first && word < unit->functions[f].end)
         return f;
   }
   return SPIRV_NONE;
}

const struct hdb_symbol *
hdb_symbols_returned(struct hdb_symbols *symbols, uint32_t spirv_offset)
{
   struct spirv_instruction call;
   struct unit *unit;
   if (!find_call(symbols, spirv_offset, &unit, &call))
      return NULL;
   uint32_t id = spirv_operand(&call, 1), function = function_index(unit, call.word);
   const struct hdb_type *type = unit_type_of(unit, id);
   if (!type->scalars || function == SPIRV_NONE)
      return NULL;
   for (size_t v = 0; v < unit->variable_count; v++) {
      if (unit->variables[v]->symbol.id == id && unit->variables[v]->function == function)
         return &unit->variables[v]->symbol;
   }
   struct unit_variable *variable = unit_add_variable(unit, NULL, id);
   if (!variable)
      return NULL;
   variable->function = function;
   variable->by_value = true;
   variable->hidden = true;
   variable->symbol.storage = HDB_STORAGE_LOCAL;
   variable->symbol.type = type;
   return &variable->symbol;
}

/* Where a call stands, its result is that of the time before; who has returned to it stands behind it. In optimised
 * code what is of the call itself may come before all that it calls: nothing is known there. */
void
unit_step_past_call(const struct unit_variable *variable, struct unit_frame *frame)
{
   struct spirv_instruction definition;
   bool in_order = frame->unit->symbols->shader->flags & HDB_SHADER_DEBUG_COMPILED;
   if (in_order && variable->hidden && unit_define(frame->unit, variable->symbol.id, &definition) &&
       definition.opcode == SpvOpFunctionCall && definition.word == frame->word)
      frame->word += definition.count;
}
