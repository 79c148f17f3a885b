/* SPDX-License-Identifier: MIT */
/* The global variables and named constants of a module. */
#include "symbols/unit.h"

#include <errno.h>
#include <string.h>

#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>
#include <spirv/unified1/spirv.h>

#include "array.h"
#include "symbols/builtins.h"

struct unit_variable *
unit_add_variable(struct unit *unit, const char *name, uint32_t id)
{
   struct unit_variable *variable = unit_alloc(unit->symbols, sizeof(*variable));
   struct unit_variable **added = variable ? array_append(unit->variables, unit->variable_count) : NULL;
   if (!added)
      return NULL;
   *added = variable;
   variable->unit = unit;
   variable->function = SPIRV_NONE;
   variable->symbol = (struct hdb_symbol){
      .name = name && *name ? name : unit_printf(unit->symbols, "%%%u", id),
      .type = &unit_unknown_type,
      .id = id,
      .workgroup_offset = HDB_NO_OFFSET,
      .constant_id = UINT32_MAX,
   };
   return variable;
}

/* ---- variables ---- */

/* The struct in a block variable, which may be an array of them; 0: there is none. */
static uint32_t
find_block(struct unit *unit, uint32_t type)
{
   struct spirv_instruction i;
   for (unsigned depth = 0; depth < UNIT_MAX_DEPTH && unit_define(unit, type, &i); depth++) {
      if (i.opcode == SpvOpTypeStruct)
         return type;
      if (i.opcode != SpvOpTypeArray && i.opcode != SpvOpTypeRuntimeArray)
         return 0;
      type = spirv_operand(&i, 1);
   }
   return 0;
}

/* False: the variable is of a kind that nobody can look at by name. */
static bool
find_storage(struct unit *unit, uint32_t class, uint32_t id, uint32_t block, enum hdb_storage *storage)
{
   switch (class) {
   case SpvStorageClassStorageBuffer:
      *storage = HDB_STORAGE_BUFFER;
      return true;
   case SpvStorageClassUniform: /* SPIR-V 1.0 has storage buffers here, too */
      *storage = block && unit_decoration(unit, block, SPIRV_NONE, SpvDecorationBufferBlock, NULL)
                    ? HDB_STORAGE_BUFFER
                    : HDB_STORAGE_UNIFORM;
      return true;
   case SpvStorageClassPushConstant:
      *storage = HDB_STORAGE_PUSH_CONSTANT;
      return true;
   case SpvStorageClassUniformConstant:
      *storage = HDB_STORAGE_HANDLE;
      return true;
   case SpvStorageClassWorkgroup:
      *storage = HDB_STORAGE_WORKGROUP;
      return true;
   case SpvStorageClassPrivate:
   case SpvStorageClassRayPayloadKHR:
   case SpvStorageClassIncomingRayPayloadKHR:
   case SpvStorageClassHitAttributeKHR:
   case SpvStorageClassCallableDataKHR:
   case SpvStorageClassIncomingCallableDataKHR:
      *storage = HDB_STORAGE_PRIVATE;
      return true;
   case SpvStorageClassInput:
      *storage = HDB_STORAGE_BUILTIN;
      return unit_decoration(unit, id, SPIRV_NONE, SpvDecorationBuiltIn, NULL);
   default:
      return false;
   }
}

static bool
is_decorated(const struct unit *unit, enum hdb_storage storage)
{
   return storage == HDB_STORAGE_BUFFER || storage == HDB_STORAGE_UNIFORM || storage == HDB_STORAGE_PUSH_CONSTANT ||
          (storage == HDB_STORAGE_WORKGROUP && unit->explicit_workgroup);
}

/* `buffer B { float x[]; };` has no name of its own in GLSL, nor has `cbuffer B { float x; }` in HLSL, which DXC names
 * like the block and glslang not at all. */
static bool
is_anonymous(const struct unit *unit, const char *name, const char *type_name)
{
   if (!name || !*name)
      return true;
   return unit->language == HDB_LANGUAGE_HLSL && type_name && strncmp(type_name, "type.", 5) == 0 &&
          strcmp(type_name + 5, name) == 0;
}

/* Without a name of its own, that of the language. */
static void
name_builtin(struct unit *unit, struct hdb_symbol *symbol)
{
   const char *name = unit_name(unit, symbol->id);
   const struct builtin *builtin = builtin_by_number(symbol->builtin);
   if (builtin && !(name && *name))
      symbol->name = builtin->name;
}

static int
read_variable(struct unit *unit, const struct spirv_instruction *i)
{
   struct spirv_instruction pointer;
   uint32_t id = spirv_operand(i, 1), class = spirv_operand(i, 2);
   if (!spirv_find_definition(&unit->reader, spirv_operand(i, 0), SpvOpTypePointer, &pointer))
      return 0;
   uint32_t type = spirv_operand(&pointer, 2), block = find_block(unit, type);
   enum hdb_storage storage;
   if (!find_storage(unit, class, id, block, &storage))
      return 0;
   const char *name = unit_name(unit, id), *block_name = block ? unit_name(unit, block) : NULL;
   bool anonymous = block && is_decorated(unit, storage) && is_anonymous(unit, name, block_name);
   struct unit_variable *variable = unit_add_variable(unit, anonymous ? block_name : name, id);
   if (!variable)
      return -ENOMEM;
   struct hdb_symbol *symbol = &variable->symbol;
   symbol->storage = storage;
   symbol->type = unit_type(unit, type, is_decorated(unit, storage) ? HDB_LAYOUT_DECORATED : HDB_LAYOUT_NATURAL);
   symbol->anonymous = anonymous;
   if (block && is_decorated(unit, storage))
      symbol->block = block_name && *block_name ? block_name : NULL;
   unit_decoration(unit, id, SPIRV_NONE, SpvDecorationDescriptorSet, &symbol->set);
   unit_decoration(unit, id, SPIRV_NONE, SpvDecorationBinding, &symbol->binding);
   if (unit_decoration(unit, id, SPIRV_NONE, SpvDecorationBuiltIn, &symbol->builtin))
      name_builtin(unit, symbol);
   if (storage == HDB_STORAGE_WORKGROUP)
      symbols_workgroup_offset(unit, i->word, &symbol->workgroup_offset);
   return 0;
}

/* ---- constants ---- */

static int
read_constant(struct unit *unit, const struct spirv_instruction *i)
{
   uint32_t id = spirv_operand(i, 1), constant_id = UINT32_MAX, builtin = 0;
   bool is_builtin = unit_decoration(unit, id, SPIRV_NONE, SpvDecorationBuiltIn, &builtin);
   unit_decoration(unit, id, SPIRV_NONE, SpvDecorationSpecId, &constant_id);
   const char *name = unit_name(unit, id);
   if (!is_builtin && constant_id == UINT32_MAX && !(name && *name))
      return 0;
   struct unit_variable *variable = unit_add_variable(unit, name, id);
   if (!variable)
      return -ENOMEM;
   variable->by_value = true;
   variable->symbol.storage = is_builtin ? HDB_STORAGE_BUILTIN : HDB_STORAGE_CONSTANT;
   variable->symbol.type = unit_type(unit, spirv_operand(i, 0), HDB_LAYOUT_NATURAL);
   variable->symbol.builtin = builtin;
   if (is_builtin)
      name_builtin(unit, &variable->symbol);
   variable->symbol.constant_id = constant_id;
   return 0;
}

static bool
is_constant(uint32_t opcode)
{
   return (opcode >= SpvOpConstantTrue && opcode <= SpvOpConstantNull && opcode != SpvOpConstantSampler) ||
          (opcode >= SpvOpSpecConstantTrue && opcode <= SpvOpSpecConstantOp);
}

/* ---- as the debug information has them ---- */

/* DebugGlobalVariable: name, type, source, line, column, parent, linkage name, variable, flags. */
static int
read_debug_global(struct unit *unit, const struct spirv_instruction *i)
{
   struct spirv_instruction definition;
   uint32_t id = spirv_debug_operand(i, 7);
   const char *name = spirv_find_string(&unit->reader, spirv_debug_operand(i, 0));
   struct unit_variable *variable = NULL;
   for (size_t v = 0; v < unit->variable_count && !variable; v++) {
      if (unit->variables[v]->symbol.id == id)
         variable = unit->variables[v];
   }
   if (!variable && unit_define(unit, id, &definition) && is_constant(definition.opcode)) {
      variable = unit_add_variable(unit, name, id);
      if (!variable)
         return -ENOMEM;
      variable->by_value = true;
      variable->symbol.storage = HDB_STORAGE_CONSTANT;
      variable->symbol.type = unit_type_of(unit, id);
   }
   if (!variable)
      return 0;
   struct hdb_symbol *symbol = &variable->symbol;
   if (name && *name && !symbol->anonymous)
      symbol->name = name;
   symbol->type = unit_debug_type(unit, symbol->type, spirv_debug_operand(i, 1));
   if (!unit->by_glslang) /* which has the line of the first use */
      symbol->declared = unit_debug_position(unit, i, 2);
   return 0;
}

int
unit_read_globals(struct unit *unit)
{
   struct spirv_instruction i;
   for (uint32_t word = SPIRV_HEADER_WORDS; word < unit->reader.word_count; word += i.count) {
      int result = spirv_read_instruction(&unit->reader, word, &i);
      if (result || i.opcode == SpvOpFunction)
         return result;
      if (i.opcode == SpvOpVariable)
         result = read_variable(unit, &i);
      else if (is_constant(i.opcode))
         result = read_constant(unit, &i);
      else if (unit_is_debug(unit, &i, NonSemanticShaderDebugInfo100DebugGlobalVariable))
         result = read_debug_global(unit, &i);
      if (result)
         return result;
   }
   return 0;
}
