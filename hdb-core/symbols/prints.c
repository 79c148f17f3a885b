/* SPDX-License-Identifier: MIT */
/* NonSemantic.DebugPrintf: instruction 1, the format (an OpString), and values. No debug information is needed. */
#define SPV_ENABLE_UTILITY_CODE
#include "symbols/prints.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "array.h"
#include "hdb/hdb_driver.h"
#include "symbols/reader.h"

#define MAX_BOUND (1u << 22) /* of ids: SPIR-V 2.17, "Universal Limits" */

struct scan {
   struct spirv_reader reader;
   uint32_t *definitions; /* by id: its word; 0: none */
   uint32_t set;          /* id of the import; 0: none so far */
};

static bool
define(struct scan *scan, uint32_t id, struct spirv_instruction *instruction)
{
   return id < scan->reader.bound && scan->definitions[id] &&
          !spirv_read_instruction(&scan->reader, scan->definitions[id], instruction);
}

static void
note_definition(struct scan *scan, const struct spirv_instruction *instruction)
{
   bool has_result, has_type;
   SpvHasResultAndType(instruction->opcode, &has_result, &has_type);
   uint32_t id = has_result ? spirv_operand(instruction, has_type ? 1 : 0) : 0;
   if (id < scan->reader.bound)
      scan->definitions[id] = instruction->word;
   const char *name = instruction->opcode == SpvOpExtInstImport ? spirv_literal(instruction, 1) : NULL;
   if (name && !strcmp(name, "NonSemantic.DebugPrintf"))
      scan->set = id;
}

/* ---- arguments ---- */

static bool
read_type(struct scan *scan, uint32_t id, struct hdb_print_argument *argument)
{
   struct spirv_instruction type;
   if (!define(scan, id, &type))
      return false;
   switch (type.opcode) {
   case SpvOpTypeBool:
      *argument = (struct hdb_print_argument){HDB_TYPE_BOOL, 32, 1};
      return true;
   case SpvOpTypeInt:
      *argument = (struct hdb_print_argument){spirv_operand(&type, 2) ? HDB_TYPE_INT : HDB_TYPE_UINT,
                                              spirv_operand(&type, 1), 1};
      return true;
   case SpvOpTypeFloat:
      *argument = (struct hdb_print_argument){HDB_TYPE_FLOAT, spirv_operand(&type, 1), 1};
      return argument->bits >= 16;
   case SpvOpTypePointer:
      *argument = (struct hdb_print_argument){HDB_TYPE_UINT, 64, 1};
      return spirv_operand(&type, 1) == SpvStorageClassPhysicalStorageBuffer;
   default:
      return false;
   }
}

static bool
read_argument(struct scan *scan, uint32_t id, struct hdb_print_argument *argument)
{
   struct spirv_instruction value, type;
   bool has_result, has_type;
   if (!define(scan, id, &value))
      return false;
   SpvHasResultAndType(value.opcode, &has_result, &has_type);
   if (!has_type || !define(scan, spirv_operand(&value, 0), &type))
      return false;
   bool vector = type.opcode == SpvOpTypeVector;
   bool known = read_type(scan, vector ? spirv_operand(&type, 1) : spirv_operand(&value, 0), argument);
   if (vector)
      argument->components = spirv_operand(&type, 2);
   return known && (argument->bits == 8 || argument->bits == 16 || argument->bits == 32 || argument->bits == 64) &&
          argument->components <= HDB_PRINT_MAX_DWORDS;
}

/* ---- instructions ---- */

static int
add_print(struct scan *scan, struct hdb_prints *prints, const struct spirv_instruction *instruction)
{
   const char *format = NULL, *error = NULL;
   struct spirv_instruction string;
   if (define(scan, spirv_operand(instruction, 4), &string) && string.opcode == SpvOpString)
      format = spirv_literal(&string, 1);
   if (!format)
      return 0;
   struct hdb_print *print = array_append(prints->prints, prints->count);
   if (!print)
      return -ENOMEM;
   size_t count = instruction->count - 6;
   *print = (struct hdb_print){
      .spirv_offset = instruction->word * 4,
      .format = strdup(format),
      .arguments = calloc(count + 1, sizeof(*print->arguments)),
      .argument_count = count,
   };
   if (!print->format || !print->arguments)
      return -ENOMEM;
   for (size_t i = 0; i < count && !error; i++) {
      struct hdb_print_argument *argument = &print->arguments[i];
      if (!read_argument(scan, instruction->words[6 + i], argument))
         error = "a value is neither a scalar nor a vector nor an address";
      print->dwords += argument->components * (argument->bits == 64 ? 2 : 1);
      if (print->dwords > HDB_PRINT_MAX_DWORDS)
         error = "more values than fit";
   }
   print->error = error ? strdup(error) : NULL;
   return 0;
}

bool
hdb_module_prints(const uint32_t *words, size_t count)
{
   static const char name[] = "NonSemantic.DebugPrintf";
   return words && memmem(words, count * 4, name, sizeof(name));
}

int
hdb_prints_init(struct hdb_prints *prints, const uint32_t *words, size_t count)
{
   struct scan scan = {.reader = {.words = words, .word_count = (uint32_t)count}};
   struct spirv_instruction instruction;
   int result = 0;
   *prints = (struct hdb_prints){0};
   if (count <= SPIRV_HEADER_WORDS)
      return 0;
   scan.reader.bound = words[3] < MAX_BOUND ? words[3] : MAX_BOUND;
   scan.definitions = calloc(scan.reader.bound + 1, sizeof(*scan.definitions));
   if (!scan.definitions)
      return -ENOMEM;
   for (uint32_t word = SPIRV_HEADER_WORDS; !result && word < count; word += instruction.count) {
      if (spirv_read_instruction(&scan.reader, word, &instruction))
         break;
      note_definition(&scan, &instruction);
      if (instruction.opcode == SpvOpExtInst && instruction.count >= 6 && scan.set &&
          spirv_operand(&instruction, 2) == scan.set && spirv_operand(&instruction, 3) == 1)
         result = add_print(&scan, prints, &instruction);
   }
   free(scan.definitions);
   if (result)
      hdb_prints_finish(prints);
   return result;
}

void
hdb_prints_finish(struct hdb_prints *prints)
{
   for (size_t i = 0; i < prints->count; i++) {
      free(prints->prints[i].format);
      free(prints->prints[i].arguments);
      free(prints->prints[i].error);
   }
   free(prints->prints);
   *prints = (struct hdb_prints){0};
}

const struct hdb_print *
hdb_prints_find(const struct hdb_prints *prints, uint32_t spirv_offset)
{
   size_t low = 0, high = prints->count;
   while (low < high) {
      size_t middle = (low + high) / 2;
      if (prints->prints[middle].spirv_offset < spirv_offset)
         low = middle + 1;
      else
         high = middle;
   }
   return low < prints->count && prints->prints[low].spirv_offset == spirv_offset ? &prints->prints[low] : NULL;
}
