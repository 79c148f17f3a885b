/* SPDX-License-Identifier: MIT */
/*
 * NonSemantic.DebugPrintf (instruction 1: the format, an OpString, and values) and NonSemantic.DebugBreak. The values
 * are told as expressions: what loads, selects and computes them is written as the source would have it.
 */
#include "symbols/prints.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "symbols/unit.h"

/* Of one expression: what is computed of something twice doubles with each level. */
#define MAX_DEPTH 32
#define MAX_NODES 1000

/* ---- expressions ---- */

struct writer {
   struct unit *unit;
   FILE *out;
   unsigned nodes;
};

static void write_value(struct writer *writer, uint32_t id, unsigned depth);

static uint32_t
type_of(struct writer *writer, uint32_t id)
{
   struct spirv_instruction definition;
   return unit_define(writer->unit, id, &definition) ? spirv_operand(&definition, 0) : 0;
}

static void
write_type(struct writer *writer, uint32_t id)
{
   fputs(unit_type_of(writer->unit, id)->name, writer->out);
}

/* Into part `index` of what has that type; `id` is of the index, 0: it is literal. Returns the part's type. */
static uint32_t
write_part(struct writer *writer, uint32_t type, uint32_t id, uint64_t index, unsigned depth)
{
   struct spirv_instruction definition;
   if (!unit_define(writer->unit, type, &definition))
      return 0;
   if (definition.opcode == SpvOpTypeStruct) {
      const char *name = unit_member_name(writer->unit, type, (uint32_t)index);
      if (name && *name)
         fprintf(writer->out, ".%s", name);
      return index < definition.count ? spirv_operand(&definition, 1 + (uint32_t)index) : 0;
   }
   fputc('[', writer->out);
   if (id)
      write_value(writer, id, depth);
   else
      fprintf(writer->out, "%u", (unsigned)index);
   fputc(']', writer->out);
   return spirv_operand(&definition, 1); /* of OpTypeVector, OpTypeMatrix, OpTypeArray, OpTypeRuntimeArray */
}

static void
write_chain(struct writer *writer, const struct spirv_instruction *chain, unsigned depth)
{
   struct spirv_instruction pointer;
   uint32_t base = spirv_operand(chain, 2);
   write_value(writer, base, depth);
   uint32_t type = unit_define(writer->unit, type_of(writer, base), &pointer) && pointer.opcode == SpvOpTypePointer
                      ? spirv_operand(&pointer, 2)
                      : 0;
   for (uint32_t i = 4; i < chain->count && type; i++) {
      uint64_t index = 0;
      unit_constant(writer->unit, chain->words[i], 0, &index);
      type = write_part(writer, type, chain->words[i], index, depth);
   }
}

static void
write_extract(struct writer *writer, const struct spirv_instruction *extract, unsigned depth)
{
   uint32_t type = type_of(writer, spirv_operand(extract, 2));
   write_value(writer, spirv_operand(extract, 2), depth);
   for (uint32_t i = 4; i < extract->count && type; i++)
      type = write_part(writer, type, 0, extract->words[i], depth);
}

static bool
write_constant(struct writer *writer, uint32_t id)
{
   const struct hdb_type *type = unit_type_of(writer->unit, id);
   uint64_t bits;
   if (!unit_constant(writer->unit, id, 0, &bits))
      return false;
   if (type->kind == HDB_TYPE_BOOL)
      fputs(bits ? "true" : "false", writer->out);
   else if (type->kind == HDB_TYPE_INT && type->bits == 32)
      fprintf(writer->out, "(%d)", (int32_t)bits);
   else if (type->kind == HDB_TYPE_UINT && type->bits == 32)
      fprintf(writer->out, "%uu", (uint32_t)bits);
   else if (type->kind == HDB_TYPE_FLOAT && type->bits == 32) {
      float number;
      uint32_t word = (uint32_t)bits;
      memcpy(&number, &word, sizeof(number));
      if (!isfinite(number))
         return false;
      fprintf(writer->out, "float(%.9g)", number);
   } else {
      return false;
   }
   return true;
}

static void
write_list(struct writer *writer, const struct spirv_instruction *instruction, uint32_t first, unsigned depth)
{
   write_type(writer, spirv_operand(instruction, 1));
   for (uint32_t i = first; i < instruction->count; i++) {
      fputs(i == first ? "(" : ", ", writer->out);
      write_value(writer, instruction->words[i], depth);
   }
   fputc(')', writer->out);
}

static const char *
operator_of(uint32_t opcode)
{
   static const struct {
      uint32_t opcode;
      const char *text;
   } operators[] = {
      {SpvOpIAdd, "+"},
      {SpvOpFAdd, "+"},
      {SpvOpISub, "-"},
      {SpvOpFSub, "-"},
      {SpvOpIMul, "*"},
      {SpvOpFMul, "*"},
      {SpvOpVectorTimesScalar, "*"},
      {SpvOpMatrixTimesVector, "*"},
      {SpvOpUDiv, "/"},
      {SpvOpSDiv, "/"},
      {SpvOpFDiv, "/"},
      {SpvOpUMod, "%"},
      {SpvOpSRem, "%"},
      {SpvOpShiftLeftLogical, "<<"},
      {SpvOpShiftRightLogical, ">>"},
      {SpvOpShiftRightArithmetic, ">>"},
      {SpvOpBitwiseAnd, "&"},
      {SpvOpBitwiseOr, "|"},
      {SpvOpBitwiseXor, "^"},
      {SpvOpLogicalAnd, "&&"},
      {SpvOpLogicalOr, "||"},
      {SpvOpIEqual, "=="},
      {SpvOpINotEqual, "!="},
      {SpvOpULessThan, "<"},
      {SpvOpSLessThan, "<"},
      {SpvOpUGreaterThan, ">"},
      {SpvOpSGreaterThan, ">"},
      {SpvOpFOrdEqual, "=="},
      {SpvOpFOrdLessThan, "<"},
      {SpvOpFOrdGreaterThan, ">"},
   };
   for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
      if (operators[i].opcode == opcode)
         return operators[i].text;
   }
   return NULL;
}

static void
write_name(struct writer *writer, uint32_t id)
{
   const char *name = unit_name(writer->unit, id);
   if (name && *name)
      fputs(name, writer->out);
   else
      fprintf(writer->out, "%%%u", id);
}

static void
write_value(struct writer *writer, uint32_t id, unsigned depth)
{
   struct spirv_instruction in;
   if (!depth || ++writer->nodes > MAX_NODES || !unit_define(writer->unit, id, &in)) {
      fprintf(writer->out, "%%%u", id);
      return;
   }
   const char *operator= operator_of(in.opcode);
   if (operator) {
      fputc('(', writer->out);
      write_value(writer, spirv_operand(&in, 2), depth - 1);
      fprintf(writer->out, " %s ", operator);
      write_value(writer, spirv_operand(&in, 3), depth - 1);
      fputc(')', writer->out);
      return;
   }
   switch (in.opcode) {
   case SpvOpLoad:
   case SpvOpCopyObject:
      write_value(writer, spirv_operand(&in, 2), depth - 1);
      break;
   case SpvOpAccessChain:
   case SpvOpInBoundsAccessChain:
      write_chain(writer, &in, depth - 1);
      break;
   case SpvOpCompositeExtract:
      write_extract(writer, &in, depth - 1);
      break;
   case SpvOpCompositeConstruct:
   case SpvOpConstantComposite:
   case SpvOpConvertFToU:
   case SpvOpConvertFToS:
   case SpvOpConvertSToF:
   case SpvOpConvertUToF:
   case SpvOpUConvert:
   case SpvOpSConvert:
   case SpvOpFConvert:
      write_list(writer, &in, 3, depth - 1);
      break;
   case SpvOpSNegate:
   case SpvOpFNegate:
   case SpvOpNot:
   case SpvOpLogicalNot:
      fputs(in.opcode == SpvOpNot ? "(~" : in.opcode == SpvOpLogicalNot ? "(!" : "(-", writer->out);
      write_value(writer, spirv_operand(&in, 2), depth - 1);
      fputc(')', writer->out);
      break;
   default:
      if (!write_constant(writer, id))
         write_name(writer, id);
      break;
   }
}

static const char *
make_expression(struct unit *unit, uint32_t id)
{
   char *text = NULL;
   size_t size;
   struct writer writer = {.unit = unit, .out = open_memstream(&text, &size)};
   if (!writer.out)
      return NULL;
   write_value(&writer, id, MAX_DEPTH);
   const char *kept = fclose(writer.out) ? NULL : unit_printf(unit->symbols, "%s", text);
   free(text);
   return kept;
}

/* ---- instructions ---- */

enum said { SAID_NOTHING, SAID_PRINT, SAID_BREAK };

static enum said
what_is_said(struct unit *unit, const struct spirv_instruction *instruction)
{
   struct spirv_instruction import;
   const char *name = NULL;
   if (instruction->opcode == SpvOpExtInst && instruction->count >= 5 &&
       unit_define(unit, spirv_operand(instruction, 2), &import) && import.opcode == SpvOpExtInstImport)
      name = spirv_literal(&import, 1);
   if (!name || spirv_operand(instruction, 3) != 1)
      return SAID_NOTHING;
   return strcmp(name, "NonSemantic.DebugPrintf") == 0  ? SAID_PRINT
          : strcmp(name, "NonSemantic.DebugBreak") == 0 ? SAID_BREAK
                                                        : SAID_NOTHING;
}

static bool
read_print(struct unit *unit, const struct spirv_instruction *instruction, enum said said, struct hdb_print *print)
{
   if (said == SAID_BREAK)
      return true;
   print->format = spirv_find_string(&unit->reader, spirv_operand(instruction, 4));
   for (uint32_t i = 6; i < instruction->count && print->argument_count < HDB_MAX_PRINT_ARGUMENTS; i++) {
      const char *expression = make_expression(unit, instruction->words[i]);
      if (!expression)
         return false;
      print->arguments[print->argument_count++] = expression;
   }
   return print->format != NULL;
}

static size_t
find_in_unit(struct unit *unit, struct hdb_print *prints, size_t capacity)
{
   struct spirv_instruction instruction;
   size_t count = 0;
   uint32_t block = 0, first = unit->reader.first_word;
   for (uint32_t word = SPIRV_HEADER_WORDS; word < unit->reader.word_count && count < capacity;
        word += instruction.count) {
      if (spirv_read_instruction(&unit->reader, word, &instruction))
         break;
      if (instruction.opcode == SpvOpLabel)
         block = (first + word) * 4;
      enum said said = what_is_said(unit, &instruction);
      struct hdb_print print = {.spirv_offset = (first + word) * 4, .block = block};
      if (said != SAID_NOTHING && read_print(unit, &instruction, said, &print))
         prints[count++] = print;
   }
   return count;
}

bool
hdb_shader_prints(const struct hdb_shader *shader)
{
   static const char printf_set[] = "NonSemantic.DebugPrintf", break_set[] = "NonSemantic.DebugBreak";
   return shader->spirv && (memmem(shader->spirv, shader->spirv_size, printf_set, sizeof(printf_set)) ||
                            memmem(shader->spirv, shader->spirv_size, break_set, sizeof(break_set)));
}

size_t
hdb_symbols_prints(struct hdb_symbols *symbols, struct hdb_print *prints, size_t capacity)
{
   struct unit_table *table = unit_table(symbols);
   size_t count = 0;
   for (size_t i = 0; table && i < table->unit_count; i++)
      count += find_in_unit(&table->units[i], prints + count, capacity - count);
   return count;
}

/* ---- places ---- */

static uint32_t
offset_of(const struct hdb_symbols *symbols, size_t index)
{
   return symbols->locations[symbols->pcs[index].location].spirv_offset;
}

size_t
hdb_symbols_find_print(const struct hdb_symbols *symbols, const struct hdb_print *print, uint32_t *pcs, size_t capacity)
{
   uint32_t nearest = 0;
   size_t count = 0;
   for (size_t i = 0; symbols->padded && i < symbols->pc_count; i++) {
      uint32_t offset = symbols->pcs[i].statement ? offset_of(symbols, i) : 0;
      if (offset > print->block && offset <= print->spirv_offset && offset > nearest)
         nearest = offset;
   }
   for (size_t i = 0; nearest && i < symbols->pc_count && count < capacity; i++) {
      if (symbols->pcs[i].statement && offset_of(symbols, i) == nearest)
         pcs[count++] = symbols->pcs[i].pc;
   }
   return count;
}
