/* SPDX-License-Identifier: MIT */
/*
 * Local variables and parameters of a module's functions.
 *
 * A function with debug information has those that DebugDeclare and DebugValue speak of; what else it has is the
 * compiler's own. Others have all their variables, by OpName, without scopes. "SPIR-V NonSemantic Shader DebugInfo
 * Instructions", 1.00 revision 6: DebugLocalVariable, DebugDeclare, DebugValue, DebugExpression.
 */
#include "symbols/unit.h"

#include <errno.h>
#include <string.h>

#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>
#include <spirv/unified1/spirv.h>

#include "array.h"

/* ---- by OpName ---- */

/* glslang copies arguments to variables of its own, all called "param", and passes pointers to those. */
static bool
is_argument(struct unit *unit, const struct unit_function *function, uint32_t id)
{
   const char *name = unit_name(unit, id);
   struct spirv_instruction i;
   for (uint32_t word = function->first; name && strcmp(name, "param") == 0 && word < function->end; word += i.count) {
      spirv_read_instruction(&unit->reader, word, &i);
      for (uint32_t k = 3; i.opcode == SpvOpFunctionCall && k + 1 < i.count; k++) {
         if (spirv_operand(&i, k) == id)
            return true;
      }
   }
   return false;
}

static int
read_plain(struct unit *unit, uint32_t function, const struct spirv_instruction *i)
{
   uint32_t id = spirv_operand(i, 1), type = spirv_operand(i, 0);
   struct spirv_instruction pointer;
   bool parameter = i->opcode == SpvOpFunctionParameter;
   bool by_value = !spirv_find_definition(&unit->reader, type, SpvOpTypePointer, &pointer) ||
                   spirv_operand(&pointer, 1) == SpvStorageClassPhysicalStorageBuffer;
   if (by_value && !parameter)
      return 0;
   if (!parameter && is_argument(unit, &unit->functions[function], id))
      return 0;
   struct unit_variable *variable = unit_add_variable(unit, unit_name(unit, id), id);
   if (!variable)
      return -ENOMEM;
   variable->function = function;
   variable->by_value = by_value;
   variable->symbol.scope = 1;
   variable->symbol.storage = parameter ? HDB_STORAGE_PARAMETER : HDB_STORAGE_LOCAL;
   variable->symbol.type = unit_type(unit, by_value ? type : spirv_operand(&pointer, 2), HDB_LAYOUT_NATURAL);
   return 0;
}

/* ---- by debug information ---- */

/* Lexical blocks from the function on. */
static uint32_t
scope_depth(struct unit *unit, uint32_t scope)
{
   uint32_t depth = 1;
   while (depth < UNIT_MAX_DEPTH && unit_parent_scope(unit, scope, &scope))
      depth++;
   return depth;
}

static struct unit_variable *
find_variable(struct unit *unit, uint32_t function, uint32_t debug, uint32_t inlined_at)
{
   for (size_t i = 0; i < unit->variable_count; i++) {
      struct unit_variable *variable = unit->variables[i];
      if (variable->function == function && variable->debug == debug && variable->inlined_at == inlined_at)
         return variable;
   }
   return NULL;
}

/* DebugLocalVariable: name, type, source, line, column, parent, flags, number of the argument if it is one. */
static struct unit_variable *
add_debug_variable(struct unit *unit, uint32_t function, const struct spirv_instruction *local, uint32_t inlined_at)
{
   uint32_t id = spirv_operand(local, 1);
   const char *name = spirv_find_string(&unit->reader, spirv_debug_operand(local, 0));
   struct unit_variable *variable = unit_add_variable(unit, name, id);
   if (!variable)
      return NULL;
   variable->function = function;
   variable->debug = id;
   variable->inlined_at = inlined_at;
   variable->scope = spirv_debug_operand(local, 5);
   variable->symbol.scope = scope_depth(unit, variable->scope);
   variable->symbol.storage = spirv_debug_operand(local, 7) ? HDB_STORAGE_PARAMETER : HDB_STORAGE_LOCAL;
   variable->symbol.declared = unit_debug_position(unit, local, 2);
   return variable;
}

enum { OPERATION_DEREF = 0, OPERATION_FRAGMENT = 9 };

/* Whether what the expression does is understood: nothing, go through a pointer, take a fragment. */
static bool
read_expression(struct unit *unit, uint32_t id, struct unit_binding *binding)
{
   struct spirv_instruction expression, operation;
   if (!spirv_find_debug_instruction(&unit->reader, id, NonSemanticShaderDebugInfo100DebugExpression, &expression))
      return false;
   for (uint32_t k = 0; k + 5 < expression.count; k++) {
      if (!spirv_find_debug_instruction(&unit->reader, spirv_debug_operand(&expression, k),
                                        NonSemanticShaderDebugInfo100DebugOperation, &operation))
         return false;
      switch (spirv_find_constant(&unit->reader, spirv_debug_operand(&operation, 0))) {
      case OPERATION_DEREF:
         if (binding->pointer)
            return false;
         binding->pointer = true;
         break;
      case OPERATION_FRAGMENT:
         binding->fragment_offset = spirv_find_constant(&unit->reader, spirv_debug_operand(&operation, 1));
         binding->fragment_size = spirv_find_constant(&unit->reader, spirv_debug_operand(&operation, 2));
         break;
      default:
         return false;
      }
   }
   return true;
}

/* The type of what a binding is to; unknown if it is no pointer though it should be. */
static const struct hdb_type *
bound_type(struct unit *unit, const struct unit_binding *binding)
{
   struct spirv_instruction value, pointer;
   if (!binding->pointer)
      return unit_type_of(unit, binding->value);
   if (!unit_define(unit, binding->value, &value) ||
       !spirv_find_definition(&unit->reader, spirv_operand(&value, 0), SpvOpTypePointer, &pointer))
      return &unit_unknown_type;
   return unit_type(unit, spirv_operand(&pointer, 2), HDB_LAYOUT_NATURAL);
}

static bool
is_pointer(struct unit *unit, uint32_t id)
{
   struct spirv_instruction value, pointer;
   return unit_define(unit, id, &value) &&
          spirv_find_definition(&unit->reader, spirv_operand(&value, 0), SpvOpTypePointer, &pointer) &&
          spirv_operand(&pointer, 1) != SpvStorageClassPhysicalStorageBuffer;
}

/* DebugDeclare and DebugValue: variable, pointer or value, expression, indexes. */
static int
read_binding(struct unit *unit, uint32_t function, const struct spirv_instruction *i, uint32_t inlined_at)
{
   struct spirv_instruction local;
   if (!spirv_find_debug_instruction(&unit->reader, spirv_debug_operand(i, 0),
                                     NonSemanticShaderDebugInfo100DebugLocalVariable, &local))
      return 0;
   struct unit_variable *variable = find_variable(unit, function, spirv_operand(&local, 1), inlined_at);
   if (!variable)
      variable = add_debug_variable(unit, function, &local, inlined_at);
   if (!variable)
      return -ENOMEM;
   struct unit_binding *binding = array_append(variable->bindings, variable->binding_count);
   if (!binding)
      return -ENOMEM;
   *binding = (struct unit_binding){
      .word = i->word,
      .value = spirv_debug_operand(i, 1),
      .declare = spirv_operand(i, 3) == NonSemanticShaderDebugInfo100DebugDeclare,
      .index_count = i->count > 8 ? i->count - 8 : 0,
   };
   /* glslang declares by-value parameters as if they were in memory. */
   binding->pointer = binding->declare && is_pointer(unit, binding->value);
   binding->understood = read_expression(unit, spirv_debug_operand(i, 2), binding);
   return 0;
}

/* The DebugInlinedAt in force; 0: none. */
static uint32_t
inlined_at(struct unit *unit, uint32_t word)
{
   const struct spirv_module *module = &unit->symbols->module;
   const struct spirv_place *place = spirv_find_place(module, (unit->reader.first_word + word) * 4);
   return place && place->inlining != SPIRV_NONE ? module->inlinings[place->inlining].id : 0;
}

/* What the first binding of a whole says; parts alone leave the type to the debug information. */
static void
finish_debug_variable(struct unit *unit, struct unit_variable *variable)
{
   struct spirv_instruction local;
   const struct hdb_type *type = NULL;
   for (size_t b = 0; b < variable->binding_count && !type; b++) {
      const struct unit_binding *binding = &variable->bindings[b];
      if (binding->understood && !binding->index_count && !binding->fragment_size)
         type = bound_type(unit, binding);
   }
   const struct unit_binding *first = variable->bindings;
   if (variable->binding_count == 1 && first->declare && first->understood && !first->index_count &&
       !first->fragment_size) {
      variable->symbol.id = first->value;
      variable->by_value = !first->pointer;
   } else {
      variable->bound = true;
   }
   unit_define(unit, variable->debug, &local);
   variable->symbol.type = unit_debug_type(unit, type, spirv_debug_operand(&local, 1));
}

/* ---- both ---- */

static bool
is_bound(struct unit *unit, const struct unit_function *function)
{
   struct spirv_instruction i;
   for (uint32_t word = function->first; word < function->end; word += i.count) {
      spirv_read_instruction(&unit->reader, word, &i);
      if (unit_is_debug(unit, &i, NonSemanticShaderDebugInfo100DebugDeclare) ||
          unit_is_debug(unit, &i, NonSemanticShaderDebugInfo100DebugValue))
         return true;
   }
   return false;
}

static int
read_function(struct unit *unit, uint32_t index)
{
   const struct unit_function *function = &unit->functions[index];
   bool debug = function->debug || is_bound(unit, function);
   struct spirv_instruction i;
   int result = 0;
   for (uint32_t word = function->first; !result && word < function->end; word += i.count) {
      result = spirv_read_instruction(&unit->reader, word, &i);
      if (result)
         return result;
      if (!debug && (i.opcode == SpvOpFunctionParameter || i.opcode == SpvOpVariable))
         result = read_plain(unit, index, &i);
      else if (debug && (unit_is_debug(unit, &i, NonSemanticShaderDebugInfo100DebugDeclare) ||
                         unit_is_debug(unit, &i, NonSemanticShaderDebugInfo100DebugValue)))
         result = read_binding(unit, index, &i, inlined_at(unit, word));
   }
   return result;
}

int
unit_read_locals(struct unit *unit)
{
   for (uint32_t f = 0; f < unit->function_count; f++) {
      int result = read_function(unit, f);
      if (result)
         return result;
   }
   for (size_t v = 0; v < unit->variable_count; v++) {
      if (unit->variables[v]->debug)
         finish_debug_variable(unit, unit->variables[v]);
   }
   return 0;
}
