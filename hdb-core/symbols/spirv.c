/* SPDX-License-Identifier: MIT */
/*
 * A reader of SPIR-V modules, for lines and functions alone.
 *
 * Two passes: the first checks the layout and notes where each id is defined, the second walks the functions and notes
 * where the line changes. Sources: SPIR-V specification 1.6, sections 2.3 (layout of a module), 2.4 and 3.3; "SPIR-V
 * NonSemantic Shader DebugInfo Instructions", version 1.00 revision 6. Unknown instructions are skipped.
 */
#define SPV_ENABLE_UTILITY_CODE
#include "symbols/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>
#include <spirv/unified1/spirv.h>

/* The header has it as a C inline function, which needs one definition with external linkage. */
extern void SpvHasResultAndType(SpvOp opcode, bool *has_result, bool *has_type);

#define MAX_BOUND 0x400000 /* SPIR-V specification, 2.17: universal limits */

static int
note_definition(struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
   bool has_result, has_type;
   SpvHasResultAndType((SpvOp)instruction->opcode, &has_result, &has_type);
   if (!has_result)
      return 0;
   uint32_t at = has_type ? 1 : 0, id = spirv_operand(instruction, at);
   struct spirv_id *info = spirv_find_id(reader, id);
   if (at + 1 >= instruction->count)
      return spirv_malformed(reader, instruction->word, "opcode %u is cut short", instruction->opcode);
   if (!info)
      return spirv_malformed(reader, instruction->word, "id %u is not below the module's bound %u", id, reader->bound);
   if (info->definition)
      return spirv_malformed(reader, instruction->word, "id %u is defined twice", id);
   info->definition = instruction->word;
   return 0;
}

static int
read_source(struct spirv_reader *reader, const struct spirv_instruction *instruction, uint32_t *file)
{
   /* Source language, version, file, text (SPIR-V specification, 3.52.2). */
   int result = spirv_resolve_file(reader, spirv_operand(instruction, 2), file);
   if (result || *file == SPIRV_NONE || instruction->count < 5)
      return result;
   return spirv_append_text(&reader->module->files[*file], spirv_literal(instruction, 3));
}

static int
read_debug_source(struct spirv_reader *reader, const struct spirv_instruction *instruction, uint32_t *file)
{
   int result = spirv_resolve_file(reader, spirv_operand(instruction, 1), file);
   if (result || *file == SPIRV_NONE)
      return result;
   /* OpSource may have given the same text already. */
   if (reader->module->files[*file].text) {
      *file = SPIRV_NONE;
      return 0;
   }
   return spirv_append_text(&reader->module->files[*file],
                            spirv_find_string(reader, spirv_debug_operand(instruction, 1)));
}

/* Ids, names, files and their texts. */
static int
read_declarations(struct spirv_reader *reader)
{
   uint32_t continued = SPIRV_NONE; /* the file whose text may go on */
   struct spirv_instruction i;
   for (uint32_t word = SPIRV_HEADER_WORDS; word < reader->word_count; word += i.count) {
      int result = spirv_read_instruction(reader, word, &i);
      if (!result)
         result = note_definition(reader, &i);
      if (result)
         return result;
      bool debug = i.opcode == SpvOpExtInst && spirv_operand(&i, 2) == reader->debug_set && reader->debug_set;
      switch (i.opcode) {
      case SpvOpExtInstImport: {
         const char *name = spirv_literal(&i, 1);
         if (!name)
            return spirv_malformed(reader, word, "a string without end");
         if (spirv_is_debug_set(name))
            reader->debug_set = spirv_operand(&i, 0);
         break;
      }
      case SpvOpString:
         if (!spirv_literal(&i, 1))
            return spirv_malformed(reader, word, "a string without end");
         break;
      case SpvOpEntryPoint: /* in front of all OpName, which may say more */
         if (!spirv_literal(&i, 2))
            return spirv_malformed(reader, word, "a string without end");
         if (spirv_find_id(reader, spirv_operand(&i, 1)))
            reader->ids[spirv_operand(&i, 1)].name = word;
         break;
      case SpvOpName:
         if (!spirv_literal(&i, 1))
            return spirv_malformed(reader, word, "a string without end");
         if (spirv_find_id(reader, spirv_operand(&i, 0)))
            reader->ids[spirv_operand(&i, 0)].name = word;
         break;
      case SpvOpSource:
         result = read_source(reader, &i, &continued);
         break;
      case SpvOpSourceContinued:
         if (continued != SPIRV_NONE)
            result = spirv_append_text(&reader->module->files[continued], spirv_literal(&i, 0));
         break;
      default:
         if (debug && spirv_operand(&i, 3) == NonSemanticShaderDebugInfo100DebugSource)
            result = read_debug_source(reader, &i, &continued);
         else if (debug && spirv_operand(&i, 3) == NonSemanticShaderDebugInfo100DebugSourceContinued &&
                  continued != SPIRV_NONE)
            result = spirv_append_text(&reader->module->files[continued],
                                       spirv_find_string(reader, spirv_debug_operand(&i, 0)));
         break;
      }
      if (result)
         return result;
   }
   return 0;
}

static int
compare_words(const void *a, const void *b)
{
   uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
   return (x > y) - (x < y);
}

/* Of the first module. No instruction begins like a header: its opcode would be one that there is not. */
size_t
spirv_find_module_end(const uint32_t *words, size_t count)
{
   size_t word = SPIRV_HEADER_WORDS;
   while (word < count && words[word] != SpvMagicNumber && words[word] >> SpvWordCountShift)
      word += words[word] >> SpvWordCountShift;
   return word < count && words[word] == SpvMagicNumber ? word : count;
}

static int
read_module(struct spirv_reader *reader)
{
   const uint32_t *words = reader->words;
   if (reader->word_count < SPIRV_HEADER_WORDS)
      return spirv_malformed(reader, 0, "a module of %u words", reader->word_count);
   if (words[0] != SpvMagicNumber)
      return spirv_malformed(reader, 0, "0x%08x is not the magic number", words[0]);
   reader->bound = words[3];
   if (reader->bound == 0 || reader->bound > MAX_BOUND)
      return spirv_malformed(reader, 3, "a bound of %u ids", reader->bound);

   int result = -ENOMEM;
   reader->ids = calloc(reader->bound, sizeof(*reader->ids));
   reader->entry_state_of = calloc(reader->bound, sizeof(*reader->entry_state_of));
   if (reader->ids && reader->entry_state_of)
      result = read_declarations(reader);
   if (!result)
      result = spirv_read_functions(reader);
   free(reader->ids);
   free(reader->entry_state_of);
   free(reader->entry_states);
   return result;
}

int
spirv_module_init(struct spirv_module *module, const uint32_t *words, size_t size, char **error)
{
   *module = (struct spirv_module){0};
   *error = NULL;
   size_t count = size / 4, first = 0;
   int result = 0;
   do {
      struct spirv_reader reader = {
         .module = module,
         .words = words + first,
         .word_count = spirv_find_module_end(words + first, count - first),
         .first_word = first,
         .first_file = module->file_count,
         .error = error,
      };
      if (size % 4 != 0 || count > UINT32_MAX / 4)
         result = spirv_malformed(&reader, 0, "a module of %zu bytes", size);
      else
         result = read_module(&reader);
      first += reader.word_count;
   } while (!result && first < count);
   if (result) {
      spirv_module_finish(module);
      return result;
   }
   for (size_t i = 0; i < module->file_count; i++)
      spirv_strip_preamble(&module->files[i]);
   if (module->key_count)
      qsort(module->keys, module->key_count, sizeof(*module->keys), compare_words);
   return 0;
}

void
spirv_module_finish(struct spirv_module *module)
{
   for (size_t i = 0; i < module->file_count; i++)
      free(module->files[i].text);
   for (size_t i = 0; i < module->function_count; i++)
      free(module->functions[i].name);
   free(module->files);
   free(module->functions);
   free(module->inlinings);
   free(module->places);
   free(module->keys);
   *module = (struct spirv_module){0};
}

const struct spirv_place *
spirv_find_place(const struct spirv_module *module, uint32_t offset)
{
   size_t low = 0, high = module->place_count;
   while (low < high) {
      size_t middle = (low + high) / 2;
      if (module->places[middle].offset <= offset)
         low = middle + 1;
      else
         high = middle;
   }
   if (!low || module->places[low - 1].function == SPIRV_NONE)
      return NULL;
   return &module->places[low - 1];
}

bool
spirv_is_key(const struct spirv_module *module, uint32_t offset)
{
   return module->key_count &&
          bsearch(&offset, module->keys, module->key_count, sizeof(*module->keys), compare_words) != NULL;
}
