/* SPDX-License-Identifier: MIT */
/* The second pass over a SPIR-V module: where in its functions the line changes, and where statements take effect. */
#include "symbols/reader.h"

#include <errno.h>

#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>
#include <spirv/unified1/spirv.h>

#include "array.h"

static int
note_place(struct spirv_reader *reader, uint32_t word)
{
   struct spirv_module *module = reader->module;
   const struct spirv_line_state *state = &reader->state;
   struct spirv_place place = {
      .offset = (reader->first_word + word) * 4,
      .file = state->line ? state->file : SPIRV_NONE,
      .line = state->line,
      .column = state->column,
      .function = state->function,
      .inlining = state->inlining,
      .scope = state->scope,
   };
   if (place.file == SPIRV_NONE)
      place.line = place.column = 0;
   if (module->place_count) {
      const struct spirv_place *last = &module->places[module->place_count - 1];
      if (last->file == place.file && last->line == place.line && last->column == place.column &&
          last->function == place.function && last->inlining == place.inlining && last->scope == place.scope)
         return 0;
   }
   struct spirv_place *added = array_append(module->places, module->place_count);
   if (!added)
      return -ENOMEM;
   *added = place;
   return 0;
}

static void
clear_line(struct spirv_reader *reader)
{
   reader->state.file = SPIRV_NONE;
   reader->state.line = reader->state.column = 0;
}

static int
set_line(struct spirv_reader *reader, uint32_t file_id, uint32_t line, uint32_t column)
{
   /* glslang writes line 0 at the declarations of parameters; the line before it goes on. */
   if (!line)
      return 0;
   reader->state.line = line;
   reader->state.column = column;
   return spirv_resolve_file(reader, file_id, &reader->state.file);
}

/* A block without a line of its own begins with the line that its predecessor ended with: the header for a merge
 * block, which dominates it, else the first predecessor in the module's order. */
static int
note_successor(struct spirv_reader *reader, uint32_t label)
{
   if (!spirv_find_id(reader, label) || reader->entry_state_of[label])
      return 0;
   struct spirv_line_state *state = array_append(reader->entry_states, reader->entry_state_count);
   if (!state)
      return -ENOMEM;
   *state = reader->state;
   reader->entry_state_of[label] = reader->entry_state_count;
   return 0;
}

static void
begin_block(struct spirv_reader *reader, uint32_t label)
{
   if (!spirv_find_id(reader, label) || !reader->entry_state_of[label])
      return;
   struct spirv_line_state own = reader->state;
   reader->state = reader->entry_states[reader->entry_state_of[label] - 1];
   if (own.line) { /* an OpLine stands in front of the label */
      reader->state.file = own.file;
      reader->state.line = own.line;
      reader->state.column = own.column;
   }
}

/* Words of a literal in an OpSwitch: those of the selector's type (SPIR-V specification, 3.32.17). */
uint32_t
spirv_switch_literal_words(struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
   struct spirv_instruction selector, type;
   struct spirv_id *info = spirv_find_id(reader, spirv_operand(instruction, 0));
   if (!info || !info->definition)
      return 1;
   const uint32_t *words = &reader->words[info->definition];
   selector = (struct spirv_instruction){.words = words, .count = words[0] >> SpvWordCountShift};
   if (!spirv_find_definition(reader, spirv_operand(&selector, 0), SpvOpTypeInt, &type))
      return 1;
   return spirv_operand(&type, 1) > 32 ? 2 : 1;
}

static int
note_successors(struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
   int result = 0;
   switch (instruction->opcode) {
   case SpvOpSelectionMerge:
   case SpvOpLoopMerge:
   case SpvOpBranch:
      return note_successor(reader, spirv_operand(instruction, 0));
   case SpvOpBranchConditional:
      result = note_successor(reader, spirv_operand(instruction, 1));
      return result ? result : note_successor(reader, spirv_operand(instruction, 2));
   case SpvOpSwitch: {
      uint32_t step = spirv_switch_literal_words(reader, instruction) + 1;
      result = note_successor(reader, spirv_operand(instruction, 1));
      for (uint32_t i = 1 + step; !result && i + 1 < instruction->count; i += step)
         result = note_successor(reader, spirv_operand(instruction, i));
      return result;
   }
   default:
      return 0;
   }
}

bool
spirv_is_terminator(uint32_t opcode)
{
   switch (opcode) {
   case SpvOpBranch:
   case SpvOpBranchConditional:
   case SpvOpSwitch:
   case SpvOpKill:
   case SpvOpReturn:
   case SpvOpReturnValue:
   case SpvOpUnreachable:
   case SpvOpTerminateInvocation:
   case SpvOpIgnoreIntersectionKHR:
   case SpvOpTerminateRayKHR:
   case SpvOpEmitMeshTasksEXT:
      return true;
   default:
      return false;
   }
}

static bool
is_key(uint32_t opcode)
{
   switch (opcode) {
   case SpvOpStore:
   case SpvOpCopyMemory:
   case SpvOpImageWrite:
   case SpvOpControlBarrier:
   case SpvOpMemoryBarrier:
      return true;
   default:
      return spirv_is_terminator(opcode) || (opcode >= SpvOpAtomicLoad && opcode <= SpvOpAtomicXor) ||
             (opcode >= SpvOpAtomicFlagTestAndSet && opcode <= SpvOpAtomicFlagClear) || opcode == SpvOpAtomicFAddEXT ||
             opcode == SpvOpAtomicFMinEXT || opcode == SpvOpAtomicFMaxEXT;
   }
}

static int
note_key(struct spirv_reader *reader, uint32_t word)
{
   struct spirv_module *module = reader->module;
   uint32_t *key = array_append(module->keys, module->key_count);
   if (!key)
      return -ENOMEM;
   *key = (reader->first_word + word) * 4;
   return 0;
}

static int
note_keys(struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
   if (!is_key(instruction->opcode))
      return 0;
   int result = note_key(reader, instruction->word);
   struct spirv_id *stored;
   if (!result && instruction->opcode == SpvOpStore &&
       (stored = spirv_find_id(reader, spirv_operand(instruction, 1))) && stored->definition)
      result = note_key(reader, stored->definition);
   return result;
}

/* What stands in front of a function's first DebugScope belongs to its DebugFunction, too: the line of the declaration,
 * which glslang gives by OpLine only. */
static void
join_declaration(struct spirv_reader *reader, uint32_t function)
{
   struct spirv_module *module = reader->module;
   if (reader->declared == SPIRV_NONE)
      return;
   for (size_t i = reader->declared_place; i < module->place_count; i++) {
      if (module->places[i].function == reader->declared)
         module->places[i].function = function;
   }
   reader->declared = SPIRV_NONE;
}

static int
read_debug_instruction(struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
   uint32_t function;
   int result;
   switch (spirv_operand(instruction, 3)) {
   case NonSemanticShaderDebugInfo100DebugLine:
      return set_line(reader, spirv_debug_operand(instruction, 0),
                      spirv_find_constant(reader, spirv_debug_operand(instruction, 1)),
                      spirv_find_constant(reader, spirv_debug_operand(instruction, 3)));
   case NonSemanticShaderDebugInfo100DebugNoLine:
      clear_line(reader);
      return 0;
   case NonSemanticShaderDebugInfo100DebugScope: {
      result = spirv_resolve_scope(reader, spirv_debug_operand(instruction, 0), &function);
      if (function != SPIRV_NONE)
         reader->state.function = function;
      reader->state.scope = spirv_debug_operand(instruction, 0);
      struct spirv_instruction inlined;
      uint32_t inlined_at = spirv_debug_operand(instruction, 1);
      bool inside =
         spirv_find_debug_instruction(reader, inlined_at, NonSemanticShaderDebugInfo100DebugInlinedAt, &inlined) &&
         reader->ids[inlined_at].index;
      reader->state.inlining = inside ? reader->ids[inlined_at].index - 1 : SPIRV_NONE;
      if (function != SPIRV_NONE && !inside)
         join_declaration(reader, function);
      return result;
   }
   case NonSemanticShaderDebugInfo100DebugNoScope:
      reader->state.scope = 0;
      reader->state.inlining = SPIRV_NONE;
      return 0;
   case NonSemanticShaderDebugInfo100DebugInlinedAt:
      return spirv_add_inlining(reader, instruction);
   default:
      return 0;
   }
}

int
spirv_read_functions(struct spirv_reader *reader)
{
   struct spirv_instruction i;
   uint32_t function_word = 0;
   clear_line(reader);
   reader->state.function = reader->state.inlining = reader->declared = SPIRV_NONE;
   for (uint32_t word = SPIRV_HEADER_WORDS; word < reader->word_count; word += i.count) {
      int result = spirv_read_instruction(reader, word, &i);
      if (result)
         return result;
      bool ends_block = false;
      switch (i.opcode) {
      case SpvOpLine:
         result = set_line(reader, spirv_operand(&i, 0), spirv_operand(&i, 1), spirv_operand(&i, 2));
         break;
      case SpvOpNoLine:
         clear_line(reader);
         break;
      case SpvOpFunction:
         if (function_word)
            return spirv_malformed(reader, word, "a function inside a function");
         function_word = word;
         result = spirv_begin_function(reader, &i);
         break;
      case SpvOpFunctionEnd:
         if (!function_word)
            return spirv_malformed(reader, word, "the end of a function that has not begun");
         function_word = 0;
         reader->state.function = reader->state.inlining = SPIRV_NONE;
         reader->state.scope = 0;
         clear_line(reader);
         break;
      case SpvOpLabel:
         begin_block(reader, spirv_operand(&i, 0));
         break;
      case SpvOpExtInst:
         if (reader->debug_set && spirv_operand(&i, 2) == reader->debug_set)
            result = read_debug_instruction(reader, &i);
         break;
      default:
         ends_block = spirv_is_terminator(i.opcode);
         if (function_word) {
            result = note_successors(reader, &i);
            if (!result)
               result = note_keys(reader, &i);
         }
         break;
      }
      if (!result)
         result = note_place(reader, word);
      if (result)
         return result;
      if (ends_block) /* and with it what OpLine and DebugLine said */
         clear_line(reader);
   }
   if (function_word)
      return spirv_malformed(reader, function_word, "the function that begins here has no end");
   return 0;
}
