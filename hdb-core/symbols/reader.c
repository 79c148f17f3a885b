/* SPDX-License-Identifier: MIT */
/* Access to the words of a SPIR-V module that is not to be trusted. */
#include "symbols/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

int
spirv_malformed(struct spirv_reader *reader, uint32_t word, const char *format, ...)
{
   char text[160];
   va_list args;
   if (!reader->error)
      return -EINVAL;
   va_start(args, format);
   vsnprintf(text, sizeof(text), format, args);
   va_end(args);
   if (asprintf(reader->error, "malformed SPIR-V at byte %" PRIu64 ": %s", ((uint64_t)reader->first_word + word) * 4,
                text) < 0)
      *reader->error = NULL;
   return -EINVAL;
}

int
spirv_read_instruction(struct spirv_reader *reader, uint32_t word, struct spirv_instruction *instruction)
{
   uint32_t first = reader->words[word];
   *instruction = (struct spirv_instruction){
      .word = word,
      .opcode = first & SpvOpCodeMask,
      .count = first >> SpvWordCountShift,
      .words = &reader->words[word],
   };
   if (instruction->count == 0)
      return spirv_malformed(reader, word, "an instruction of no words");
   if (instruction->count > reader->word_count - word)
      return spirv_malformed(reader, word, "an instruction of %u words, but the module ends after %u",
                             instruction->count, reader->word_count - word);
   return 0;
}

uint32_t
spirv_operand(const struct spirv_instruction *instruction, uint32_t i)
{
   return i + 1 < instruction->count ? instruction->words[i + 1] : 0;
}

struct spirv_id *
spirv_find_id(struct spirv_reader *reader, uint32_t id)
{
   return id && id < reader->bound ? &reader->ids[id] : NULL;
}

bool
spirv_find_definition(struct spirv_reader *reader, uint32_t id, uint32_t opcode, struct spirv_instruction *instruction)
{
   struct spirv_id *info = spirv_find_id(reader, id);
   if (!info || !info->definition)
      return false;
   const uint32_t *words = &reader->words[info->definition];
   *instruction = (struct spirv_instruction){
      .word = info->definition,
      .opcode = words[0] & SpvOpCodeMask,
      .count = words[0] >> SpvWordCountShift,
      .words = words,
   };
   return instruction->opcode == opcode;
}

bool
spirv_is_debug_instruction(const struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
   return instruction->opcode == SpvOpExtInst && reader->debug_set &&
          spirv_operand(instruction, 2) == reader->debug_set;
}

bool
spirv_find_debug_instruction(struct spirv_reader *reader, uint32_t id, uint32_t number,
                             struct spirv_instruction *instruction)
{
   return spirv_find_definition(reader, id, SpvOpExtInst, instruction) &&
          spirv_operand(instruction, 2) == reader->debug_set && spirv_operand(instruction, 3) == number;
}

uint32_t
spirv_debug_operand(const struct spirv_instruction *instruction, uint32_t i)
{
   return spirv_operand(instruction, 4 + i);
}

bool
spirv_is_debug_set(const char *name)
{
   static const char prefix[] = "NonSemantic.Shader.DebugInfo.";
   return strncmp(name, prefix, sizeof(prefix) - 1) == 0;
}

const char *
spirv_literal(const struct spirv_instruction *instruction, uint32_t i)
{
   if (i + 1 >= instruction->count)
      return NULL;
   const char *text = (const char *)&instruction->words[i + 1];
   return memchr(text, 0, (instruction->count - i - 1) * sizeof(uint32_t)) ? text : NULL;
}

const char *
spirv_find_string(struct spirv_reader *reader, uint32_t id)
{
   struct spirv_instruction string;
   return spirv_find_definition(reader, id, SpvOpString, &string) ? spirv_literal(&string, 1) : NULL;
}

uint32_t
spirv_find_constant(struct spirv_reader *reader, uint32_t id)
{
   struct spirv_instruction constant;
   return spirv_find_definition(reader, id, SpvOpConstant, &constant) ? spirv_operand(&constant, 2) : 0;
}
