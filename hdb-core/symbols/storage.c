/* SPDX-License-Identifier: MIT */
/* From pointers to the variables that they point at. */
#include "symbols/unit.h"

#include <spirv/unified1/spirv.h>

const struct hdb_type *
unit_pointee_type(struct unit *unit, uint32_t id)
{
   struct spirv_instruction value, pointer;
   if (!unit_define(unit, id, &value) ||
       !spirv_find_definition(&unit->reader, spirv_operand(&value, 0), SpvOpTypePointer, &pointer))
      return &unit_unknown_type;
   return unit_type(unit, spirv_operand(&pointer, 2), HDB_LAYOUT_NATURAL);
}

/* OpAccessChain: type, result, base, indexes. False: an index is not known. */
bool
unit_follow_access(struct unit *unit, const struct spirv_instruction *access, struct unit_part *part)
{
   for (uint32_t k = 3; k + 1 < access->count; k++) {
      uint64_t index;
      if (!unit_constant(unit, spirv_operand(access, k), 0, &index) || !unit_step(part, index))
         return false;
   }
   return true;
}

/* OpFunctionCall: type, result, function, arguments. */
bool
unit_find_argument(struct hdb_symbols *symbols, const struct unit_frame *frame, uint32_t parameter,
                   struct unit_frame *caller, uint32_t *argument)
{
   struct unit *unit = frame->unit;
   const struct unit_function *function = unit_function_at(unit, frame->word);
   struct spirv_instruction i, call;
   uint32_t number = 0;
   bool found = false;
   for (uint32_t word = function ? function->first : 0; function && word < function->end && !found; word += i.count) {
      spirv_read_instruction(&unit->reader, word, &i);
      if (i.opcode == SpvOpLabel)
         break;
      if (i.opcode == SpvOpFunctionParameter && !(found = spirv_operand(&i, 1) == parameter))
         number++;
   }
   if (!found || !unit_caller(symbols, frame, caller) || caller->unit != unit)
      return false;
   /* Where the driver's table points to need not be an instruction. */
   if (spirv_read_instruction(&unit->reader, caller->word, &call) || call.opcode != SpvOpFunctionCall ||
       spirv_operand(&call, 2) != function->id)
      return false;
   *argument = spirv_operand(&call, 3 + number);
   return *argument != 0;
}

/* A location inside of the call; 0: the driver has none. */
static uint32_t
find_inside(struct hdb_symbols *symbols, const struct unit_frame *frame, uint32_t call_word)
{
   const struct hdb_shader *shader = symbols->shader;
   uint32_t offset = (frame->unit->reader.first_word + call_word) * 4;
   for (uint32_t i = 1; i < shader->location_count; i++) {
      uint32_t call = shader->locations[i].inlined_at;
      if (call && call < shader->location_count && shader->locations[call].spirv_offset == offset &&
          unit_same_call(symbols, call, frame->location))
         return i;
   }
   return 0;
}

bool
unit_find_returned(struct hdb_symbols *symbols, const struct unit_frame *frame, const struct spirv_instruction *call,
                   struct unit_frame *callee, uint32_t *value)
{
   struct unit *unit = frame->unit;
   struct spirv_instruction i;
   unsigned count = 0;
   *callee = (struct unit_frame){.unit = unit, .location = find_inside(symbols, frame, call->word)};
   for (size_t f = 0; f < unit->function_count; f++) {
      const struct unit_function *function = &unit->functions[f];
      for (uint32_t word = function->first; function->id == spirv_operand(call, 2) && word < function->end;
           word += i.count) {
         spirv_read_instruction(&unit->reader, word, &i);
         if (i.opcode != SpvOpReturnValue)
            continue;
         callee->word = word;
         *value = spirv_operand(&i, 0);
         count++;
      }
   }
   return callee->location && count == 1;
}

bool
unit_find_storage(struct hdb_symbols *symbols, const struct unit_frame *frame, uint32_t pointer,
                  struct unit_storage *storage)
{
   struct spirv_instruction accesses[UNIT_MAX_DEPTH], i; /* the innermost first */
   unsigned count = 0;
   *storage = (struct unit_storage){.frame = *frame};
   for (unsigned depth = 0; depth < UNIT_MAX_DEPTH; depth++) {
      struct unit *unit = storage->frame.unit;
      if (!unit_define(unit, pointer, &i))
         return false;
      switch (i.opcode) {
      case SpvOpVariable:
         storage->variable = pointer;
         storage->class = spirv_operand(&i, 2);
         storage->type = unit_pointee_type(unit, pointer);
         storage->part = (struct unit_part){.type = storage->type};
         while (count > 0) {
            if (!unit_follow_access(unit, &accesses[--count], &storage->part))
               return false;
         }
         return true;
      case SpvOpAccessChain:
      case SpvOpInBoundsAccessChain:
         accesses[count++] = i;
         pointer = spirv_operand(&i, 2);
         break;
      case SpvOpCopyObject:
         pointer = spirv_operand(&i, 2);
         break;
      case SpvOpFunctionParameter: {
         struct unit_frame caller;
         if (!unit_find_argument(symbols, &storage->frame, pointer, &caller, &pointer))
            return false;
         storage->frame = caller;
         break;
      }
      default:
         return false;
      }
   }
   return false;
}
