/* SPDX-License-Identifier: MIT */
/*
 * Values of constants, specialization constants as the pipeline gave them.
 *
 * SPIR-V specification, 3.42.7 (constant-creation instructions); the operations of OpSpecConstantOp are those allowed
 * with the Shader capability.
 */
#include "symbols/operations.h"
#include "symbols/unit.h"

#include <string.h>

#include <spirv/unified1/spirv.h>

static bool evaluate(struct unit *unit, uint32_t id, size_t leaf, uint64_t *value);

/* Bits of the scalars that a type is made of; 1 for a bool, 0 if it is none of numbers. */
static uint32_t
scalar_bits(struct unit *unit, uint32_t type_id, bool *is_float)
{
   struct spirv_instruction type;
   *is_float = false;
   for (unsigned depth = 0; depth < 3 && unit_define(unit, type_id, &type); depth++) {
      switch (type.opcode) {
      case SpvOpTypeBool:
         return 1;
      case SpvOpTypeFloat:
         *is_float = true;
         return spirv_operand(&type, 1);
      case SpvOpTypeInt:
         return spirv_operand(&type, 1);
      case SpvOpTypeVector:
      case SpvOpTypeMatrix:
         type_id = spirv_operand(&type, 1);
         break;
      default:
         return 0;
      }
   }
   return 0;
}

static uint32_t
bits_of(struct unit *unit, uint32_t id)
{
   struct spirv_instruction i;
   bool is_float;
   return unit_define(unit, id, &i) ? scalar_bits(unit, spirv_operand(&i, 0), &is_float) : 0;
}

static uint64_t
mask(uint64_t value, uint32_t bits)
{
   return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

/* ---- operations ---- */

static bool
convert_float(uint64_t a, uint32_t from, uint32_t to, uint64_t *value)
{
   if (from == 32 && to == 64) {
      float single;
      uint32_t low = a;
      memcpy(&single, &low, 4);
      double wide = single;
      memcpy(value, &wide, 8);
      return true;
   }
   if (from == 64 && to == 32) {
      double wide;
      memcpy(&wide, &a, 8);
      float single = (float)wide;
      *value = 0;
      memcpy(value, &single, 4);
      return true;
   }
   return from == to && (*value = a, true);
}

/* The scalars of a part, by the literal indexes from operand `first` on. */
static bool
follow_indexes(const struct hdb_type *type, const struct spirv_instruction *i, uint32_t first, struct unit_part *part)
{
   *part = (struct unit_part){.type = type};
   for (uint32_t k = first; k + 1 < i->count; k++) {
      if (!unit_step(part, spirv_operand(i, k)))
         return false;
   }
   return true;
}

static bool
shuffle(struct unit *unit, const struct spirv_instruction *i, size_t leaf, uint64_t *value)
{
   uint32_t component = spirv_operand(i, 5 + leaf);
   size_t first = unit_type_of(unit, spirv_operand(i, 3))->scalars;
   if (6 + leaf >= i->count)
      return false;
   return component < first ? evaluate(unit, spirv_operand(i, 3), component, value)
                            : evaluate(unit, spirv_operand(i, 4), component - first, value);
}

/* Operands of `i`: type, result, opcode, and from 3 on those of the operation. */
static bool
operate(struct unit *unit, const struct spirv_instruction *i, size_t leaf, uint64_t *value)
{
   uint32_t opcode = spirv_operand(i, 2), from = bits_of(unit, spirv_operand(i, 3));
   bool is_float;
   uint32_t bits = scalar_bits(unit, spirv_operand(i, 0), &is_float);
   uint64_t a;
   struct unit_part part;
   switch (opcode) {
   case SpvOpCompositeExtract:
      return follow_indexes(unit_type_of(unit, spirv_operand(i, 3)), i, 4, &part) && leaf < part.type->scalars &&
             evaluate(unit, spirv_operand(i, 3), part.first + leaf, value);
   case SpvOpCompositeInsert:
      if (!follow_indexes(unit_type_of(unit, spirv_operand(i, 4)), i, 5, &part))
         return false;
      if (leaf >= part.first && leaf - part.first < part.type->scalars)
         return evaluate(unit, spirv_operand(i, 3), leaf - part.first, value);
      return evaluate(unit, spirv_operand(i, 4), leaf, value);
   case SpvOpVectorShuffle:
      return shuffle(unit, i, leaf, value);
   case SpvOpSelect:
      if (!evaluate(unit, spirv_operand(i, 3), unit_type_of(unit, spirv_operand(i, 3))->scalars > 1 ? leaf : 0, &a))
         return false;
      return evaluate(unit, spirv_operand(i, a ? 4 : 5), leaf, value);
   }
   unsigned count = operation_operands(opcode);
   uint64_t operands[OPERATION_MAX_OPERANDS];
   if (opcode == SpvOpFConvert) /* rounded as the compiler does */
      return evaluate(unit, spirv_operand(i, 3), leaf, &a) && convert_float(a, from, bits, value);
   for (unsigned k = 0; k < count; k++) {
      if (!evaluate(unit, spirv_operand(i, 3 + k), leaf, &operands[k]))
         return false;
   }
   return count && operation_compute(opcode, operands, from, bits, value);
}

/* ---- constants ---- */

/* As the pipeline specialised it; false: as the module has it. */
static bool
specialized(struct unit *unit, uint32_t id, uint64_t *value)
{
   uint32_t constant_id;
   if (!unit_decoration(unit, id, SPIRV_NONE, SpvDecorationSpecId, &constant_id))
      return false;
   return symbols_specialization(unit->symbols, constant_id, value);
}

static bool
evaluate_composite(struct unit *unit, const struct spirv_instruction *i, size_t leaf, uint64_t *value)
{
   for (uint32_t k = 2; k + 1 < i->count; k++) {
      size_t count = unit_type_of(unit, spirv_operand(i, k))->scalars;
      if (leaf < count)
         return evaluate(unit, spirv_operand(i, k), leaf, value);
      leaf -= count;
   }
   return false;
}

static bool
evaluate_defined(struct unit *unit, uint32_t id, size_t leaf, uint64_t *value)
{
   struct spirv_instruction i;
   bool is_float;
   if (!unit_define(unit, id, &i))
      return false;
   switch (i.opcode) {
   case SpvOpConstantTrue:
   case SpvOpConstantFalse:
      *value = i.opcode == SpvOpConstantTrue;
      return leaf == 0;
   case SpvOpSpecConstantTrue:
   case SpvOpSpecConstantFalse:
      *value = i.opcode == SpvOpSpecConstantTrue;
      if (specialized(unit, id, value))
         *value = *value != 0;
      return leaf == 0;
   case SpvOpConstant:
   case SpvOpSpecConstant: {
      uint32_t bits = scalar_bits(unit, spirv_operand(&i, 0), &is_float);
      *value = spirv_operand(&i, 2) | (bits > 32 ? (uint64_t)spirv_operand(&i, 3) << 32 : 0);
      if (i.opcode == SpvOpSpecConstant)
         specialized(unit, id, value);
      *value = mask(*value, bits);
      return leaf == 0 && i.count > 3;
   }
   case SpvOpConstantNull:
      *value = 0;
      return true;
   case SpvOpConstantComposite:
   case SpvOpSpecConstantComposite:
      return evaluate_composite(unit, &i, leaf, value);
   case SpvOpSpecConstantOp:
      return operate(unit, &i, leaf, value);
   default:
      return false;
   }
}

static bool
evaluate(struct unit *unit, uint32_t id, size_t leaf, uint64_t *value)
{
   if (!unit_enter(unit))
      return false;
   bool known = evaluate_defined(unit, id, leaf, value);
   unit_leave(unit);
   return known;
}

bool
unit_constant(struct unit *unit, uint32_t id, size_t leaf, uint64_t *value)
{
   return evaluate(unit, id, leaf, value);
}
