/* SPDX-License-Identifier: MIT */
/*
 * The modules of a shader once more, when the first question about a type or a variable comes: where each id is
 * defined, and what is annotated to it. The modules have been read before (spirv.c): every instruction is whole.
 */
#define SPV_ENABLE_UTILITY_CODE
#include "symbols/unit.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>
#include <spirv/unified1/spirv.h>

#include "array.h"

/* ---- memory ---- */

struct unit_memory {
   struct unit_memory *next;
   max_align_t data[];
};

void *
unit_alloc(struct hdb_symbols *symbols, size_t size)
{
   struct unit_table *table = symbols->table;
   if (size > SIZE_MAX / 2)
      return NULL;
   struct unit_memory *memory = calloc(1, sizeof(*memory) + size);
   if (!memory)
      return NULL;
   memory->next = table->memory;
   table->memory = memory;
   return memory->data;
}

const char *
unit_printf(struct hdb_symbols *symbols, const char *format, ...)
{
   va_list args, again;
   va_start(args, format);
   va_copy(again, args);
   int length = vsnprintf(NULL, 0, format, args);
   char *text = length < 0 ? NULL : unit_alloc(symbols, length + 1);
   if (text)
      vsnprintf(text, length + 1, format, again);
   va_end(again);
   va_end(args);
   return text ? text : "?";
}

/* ---- what is where ---- */

bool
unit_define(struct unit *unit, uint32_t id, struct spirv_instruction *instruction)
{
   instruction->count = 0;
   spirv_find_definition(&unit->reader, id, 0, instruction);
   return instruction->count != 0;
}

bool
unit_is_debug(struct unit *unit, const struct spirv_instruction *instruction, uint32_t number)
{
   return spirv_is_debug_instruction(&unit->reader, instruction) && spirv_operand(instruction, 3) == number;
}

static struct spirv_instruction
instruction_at(struct unit *unit, uint32_t word)
{
   const uint32_t *words = &unit->reader.words[word];
   return (struct spirv_instruction){word, words[0] & SpvOpCodeMask, words[0] >> SpvWordCountShift, words};
}

const char *
unit_name(struct unit *unit, uint32_t id)
{
   struct spirv_id *info = spirv_find_id(&unit->reader, id);
   if (!info || !info->name)
      return NULL;
   struct spirv_instruction name = instruction_at(unit, info->name);
   return spirv_literal(&name, 1);
}

static int
compare_annotations(const void *a, const void *b)
{
   const struct unit_annotation *x = a, *y = b;
   if (x->target != y->target)
      return x->target < y->target ? -1 : 1;
   if (x->member != y->member)
      return x->member < y->member ? -1 : 1;
   return (x->word > y->word) - (x->word < y->word);
}

/* The first annotation of a target or its member, or the end. */
static size_t
find_annotations(struct unit *unit, uint32_t target, uint32_t member)
{
   size_t low = 0, high = unit->annotation_count;
   const struct unit_annotation wanted = {.target = target, .member = member};
   while (low < high) {
      size_t middle = (low + high) / 2;
      if (compare_annotations(&unit->annotations[middle], &wanted) < 0)
         low = middle + 1;
      else
         high = middle;
   }
   return low;
}

bool
unit_decoration(struct unit *unit, uint32_t target, uint32_t member, uint32_t decoration, uint32_t *value)
{
   for (size_t i = find_annotations(unit, target, member); i < unit->annotation_count; i++) {
      const struct unit_annotation *annotation = &unit->annotations[i];
      if (annotation->target != target || annotation->member != member)
         return false;
      struct spirv_instruction instruction = instruction_at(unit, annotation->word);
      uint32_t first = member == SPIRV_NONE ? 1 : 2;
      if (instruction.opcode == SpvOpMemberName || spirv_operand(&instruction, first) != decoration)
         continue;
      if (value)
         *value = spirv_operand(&instruction, first + 1);
      return true;
   }
   return false;
}

const char *
unit_member_name(struct unit *unit, uint32_t target, uint32_t member)
{
   for (size_t i = find_annotations(unit, target, member); i < unit->annotation_count; i++) {
      const struct unit_annotation *annotation = &unit->annotations[i];
      if (annotation->target != target || annotation->member != member)
         break;
      struct spirv_instruction instruction = instruction_at(unit, annotation->word);
      if (instruction.opcode == SpvOpMemberName)
         return spirv_literal(&instruction, 2);
   }
   return NULL;
}

bool
unit_enter(struct unit *unit)
{
   if (!unit->nesting)
      unit->steps = 0;
   if (unit->nesting >= UNIT_MAX_DEPTH || unit->steps >= UNIT_MAX_STEPS)
      return false;
   unit->nesting++;
   unit->steps++;
   return true;
}

void
unit_leave(struct unit *unit)
{
   unit->nesting--;
}

const struct unit_function *
unit_function_at(struct unit *unit, uint32_t word)
{
   for (size_t i = 0; i < unit->function_count; i++) {
      if (word >= unit->functions[i].first && word < unit->functions[i].end)
         return &unit->functions[i];
   }
   return NULL;
}

struct unit *
unit_at(struct hdb_symbols *symbols, uint32_t spirv_offset, uint32_t *word)
{
   struct unit_table *table = unit_table(symbols);
   for (size_t i = 0; table && i < table->unit_count; i++) {
      struct unit *unit = &table->units[i];
      uint32_t first = unit->reader.first_word, at = spirv_offset / 4;
      if (at < first || at - first >= unit->reader.word_count)
         continue;
      *word = at - first;
      return unit;
   }
   return NULL;
}

/* ---- reading ---- */

static enum hdb_language
language_of(uint32_t source)
{
   switch (source) {
   case SpvSourceLanguageESSL:
   case SpvSourceLanguageGLSL:
      return HDB_LANGUAGE_GLSL;
   case SpvSourceLanguageHLSL:
      return HDB_LANGUAGE_HLSL;
   default:
      return HDB_LANGUAGE_UNKNOWN;
   }
}

static int
annotate(struct unit *unit, uint32_t target, uint32_t member, uint32_t word)
{
   struct unit_annotation *added = array_append(unit->annotations, unit->annotation_count);
   if (!added)
      return -ENOMEM;
   *added = (struct unit_annotation){target, member, word};
   return 0;
}

static int
begin_function(struct unit *unit, const struct spirv_instruction *i)
{
   struct unit_function *function = array_append(unit->functions, unit->function_count);
   if (!function)
      return -ENOMEM;
   *function = (struct unit_function){.id = spirv_operand(i, 1), .first = i->word, .end = i->word};
   return 0;
}

/* A function's DebugFunction is what its DebugFunctionDefinition says, else the outermost of its first scopes. */
static void
read_debug(struct unit *unit, const struct spirv_instruction *i, bool inside)
{
   struct unit_function *function = inside ? &unit->functions[unit->function_count - 1] : NULL;
   uint32_t number = spirv_operand(i, 3);
   if (number == NonSemanticShaderDebugInfo100DebugFunctionDefinition && function)
      function->debug = spirv_debug_operand(i, 0);
   else if (number == NonSemanticShaderDebugInfo100DebugCompilationUnit && unit->language == HDB_LANGUAGE_UNKNOWN)
      unit->language = language_of(spirv_find_constant(&unit->reader, spirv_debug_operand(i, 3)));
   if (number > NonSemanticShaderDebugInfo100DebugSource &&
       (number < NonSemanticShaderDebugInfo100DebugFunctionDefinition ||
        number > NonSemanticShaderDebugInfo100DebugTypeMatrix))
      unit->unknown_debug_count++;
}

static int
read_instruction(struct unit *unit, const struct spirv_instruction *i, bool *inside)
{
   bool has_result, has_type;
   SpvHasResultAndType((SpvOp)i->opcode, &has_result, &has_type);
   if (has_result) {
      struct spirv_id *info = spirv_find_id(&unit->reader, spirv_operand(i, has_type ? 1 : 0));
      if (info)
         info->definition = i->word;
   }
   switch (i->opcode) {
   case SpvOpExtInstImport: {
      const char *name = spirv_literal(i, 1);
      if (name && spirv_is_debug_set(name))
         unit->reader.debug_set = spirv_operand(i, 0);
      return 0;
   }
   case SpvOpName: {
      struct spirv_id *info = spirv_find_id(&unit->reader, spirv_operand(i, 0));
      if (info)
         info->name = i->word;
      return 0;
   }
   case SpvOpSource:
      unit->language = language_of(spirv_operand(i, 0));
      return 0;
   case SpvOpCapability:
      unit->explicit_workgroup |= spirv_operand(i, 0) == SpvCapabilityWorkgroupMemoryExplicitLayoutKHR;
      return 0;
   case SpvOpDecorate:
      return annotate(unit, spirv_operand(i, 0), SPIRV_NONE, i->word);
   case SpvOpMemberDecorate:
   case SpvOpMemberName:
      return annotate(unit, spirv_operand(i, 0), spirv_operand(i, 1), i->word);
   case SpvOpFunction:
      *inside = true;
      return begin_function(unit, i);
   case SpvOpFunctionEnd:
      if (*inside)
         unit->functions[unit->function_count - 1].end = i->word + i->count;
      *inside = false;
      return 0;
   case SpvOpExtInst:
      if (spirv_is_debug_instruction(&unit->reader, i))
         read_debug(unit, i, *inside);
      return 0;
   default:
      return 0;
   }
}

static int
read_unit(struct unit *unit)
{
   unit->reader.ids = calloc(unit->reader.bound, sizeof(*unit->reader.ids));
   for (int layout = 0; layout < 2; layout++) {
      unit->types[layout] = calloc(unit->reader.bound, sizeof(*unit->types[layout]));
      if (!unit->types[layout])
         return -ENOMEM;
   }
   if (!unit->reader.ids)
      return -ENOMEM;
   bool inside = false;
   struct spirv_instruction i;
   for (uint32_t word = SPIRV_HEADER_WORDS; word < unit->reader.word_count; word += i.count) {
      i = instruction_at(unit, word);
      int result = read_instruction(unit, &i, &inside);
      if (result)
         return result;
   }
   if (unit->annotation_count)
      qsort(unit->annotations, unit->annotation_count, sizeof(*unit->annotations), compare_annotations);
   return 0;
}

/* Registered generators (SPIR-V registry, spir-v.xml): glslang, and shaderc on top of it. */
static bool
is_glslang(uint32_t generator)
{
   return generator == 8 || generator == 13;
}

static int
read_units(struct hdb_symbols *symbols)
{
   const struct hdb_shader *shader = symbols->shader;
   struct unit_table *table = symbols->table;
   size_t count = shader->spirv ? shader->spirv_size / 4 : 0, modules = 0;
   for (size_t first = 0; first < count; modules++)
      first += spirv_find_module_end(shader->spirv + first, count - first);
   table->units = calloc(modules + 1, sizeof(*table->units));
   if (!table->units)
      return -ENOMEM;
   for (size_t first = 0; first < count;) {
      struct unit *unit = &table->units[table->unit_count++];
      unit->symbols = symbols;
      unit->reader = (struct spirv_reader){
         .words = shader->spirv + first,
         .word_count = spirv_find_module_end(shader->spirv + first, count - first),
         .first_word = first,
         .bound = shader->spirv[first + 3],
      };
      unit->by_glslang = is_glslang(shader->spirv[first + 2] >> 16);
      first += unit->reader.word_count;
      int result = read_unit(unit);
      if (!result)
         result = unit_read_globals(unit);
      if (!result)
         result = unit_read_locals(unit);
      if (!result)
         result = unit_find_lines(unit);
      if (result)
         return result;
      unit_doubt_bindings(unit);
   }
   return 0;
}

struct unit_table *
unit_table(struct hdb_symbols *symbols)
{
   if (symbols->table)
      return symbols->table;
   symbols->table = calloc(1, sizeof(*symbols->table));
   if (symbols->table && (!symbols_sort_locations(symbols) || read_units(symbols)))
      unit_free_table(symbols);
   return symbols->table;
}

void
unit_free_table(struct hdb_symbols *symbols)
{
   struct unit_table *table = symbols->table;
   for (size_t i = 0; table && i < table->unit_count; i++) {
      struct unit *unit = &table->units[i];
      for (size_t v = 0; v < unit->variable_count; v++)
         free(unit->variables[v]->bindings);
      free(unit->variables);
      free(unit->pointers);
      free(unit->functions);
      free(unit->annotations);
      free(unit->types[0]);
      free(unit->types[1]);
      free(unit->reader.ids);
   }
   while (table && table->memory) {
      struct unit_memory *memory = table->memory;
      table->memory = memory->next;
      free(memory);
   }
   if (table) {
      free(table->locations);
      free(table->overlays);
      free(table->units);
   }
   free(table);
   symbols->table = NULL;
}
