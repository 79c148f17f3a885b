/* SPDX-License-Identifier: MIT */
/* The files, functions and inlined calls of a SPIR-V module. */
#include "symbols/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>
#include <spirv/unified1/spirv.h>

#include "array.h"

/* ---- files ---- */

static int
add_file(struct spirv_reader *reader, const char *name, uint32_t *index)
{
   struct spirv_module *module = reader->module;
   for (size_t i = reader->first_file; i < module->file_count; i++) {
      if (strcmp(module->files[i].name, name) == 0) {
         *index = i;
         return 0;
      }
   }
   struct spirv_file *file = array_append(module->files, module->file_count);
   if (!file)
      return -ENOMEM;
   *file = (struct spirv_file){.name = name};
   *index = module->file_count - 1;
   return 0;
}

int
spirv_append_text(struct spirv_file *file, const char *text)
{
   size_t length = text ? strlen(text) : 0;
   if (!length)
      return 0;
   char *grown = realloc(file->text, file->text_size + length + 1);
   if (!grown)
      return -ENOMEM;
   memcpy(grown + file->text_size, text, length + 1);
   file->text = grown;
   file->text_size += length;
   return 0;
}

/* glslang prefixes the text with comments on how it was called and resets the numbering with a #line behind them. */
void
spirv_strip_preamble(struct spirv_file *file)
{
   static const char comment[] = "// OpModuleProcessed", numbering[] = "#line 1\n";
   const char *text = file->text;
   if (!text || strncmp(text, comment, sizeof(comment) - 1) != 0)
      return;
   while (strncmp(text, comment, sizeof(comment) - 1) == 0) {
      const char *end = strchr(text, '\n');
      if (!end)
         return;
      text = end + 1;
   }
   if (strncmp(text, numbering, sizeof(numbering) - 1) == 0)
      text += sizeof(numbering) - 1;
   size_t skipped = text - file->text;
   memmove(file->text, text, file->text_size - skipped + 1);
   file->text_size -= skipped;
}

/* The file that an OpString (as in OpLine) or a DebugSource stands for. */
int
spirv_resolve_file(struct spirv_reader *reader, uint32_t id, uint32_t *index)
{
   *index = SPIRV_NONE;
   struct spirv_id *info = spirv_find_id(reader, id);
   if (!info)
      return 0;
   struct spirv_instruction source;
   const char *name = spirv_find_string(reader, id);
   if (!name && spirv_find_debug_instruction(reader, id, NonSemanticShaderDebugInfo100DebugSource, &source))
      name = spirv_find_string(reader, spirv_debug_operand(&source, 0));
   if (!name) /* it may stand for something else, a function say */
      return 0;
   if (!info->index) {
      uint32_t file;
      int result = add_file(reader, name, &file);
      if (result)
         return result;
      info->index = file + 1;
   }
   *index = info->index - 1;
   return 0;
}

/* ---- functions and scopes ---- */

/* The debug function around a scope (a lexical block or a function), or false. */
static bool
find_scope_function(struct spirv_reader *reader, uint32_t scope, struct spirv_instruction *function)
{
   /* Parents are defined before their children; the count guards against modules that break this. */
   for (uint32_t depth = 0; depth < 256; depth++) {
      struct spirv_instruction block;
      if (spirv_find_debug_instruction(reader, scope, NonSemanticShaderDebugInfo100DebugFunction, function))
         return true;
      if (spirv_find_debug_instruction(reader, scope, NonSemanticShaderDebugInfo100DebugLexicalBlock, &block))
         scope = spirv_debug_operand(&block, 3);
      else if (spirv_find_debug_instruction(reader, scope, NonSemanticShaderDebugInfo100DebugLexicalBlockDiscriminator,
                                            &block))
         scope = spirv_debug_operand(&block, 2);
      else
         return false;
   }
   return false;
}

/* glslang calls an overload of scale "scale(f1;", and HLSL's entry point "@main". */
static int
add_function(struct spirv_module *module, const struct spirv_function *function, const char *name)
{
   if (name && name[0] == '@')
      name++;
   size_t length = name ? strcspn(name, "(") : 0;
   char *copy = length ? strndup(name, length) : NULL;
   if (length && !copy)
      return -ENOMEM;
   struct spirv_function *added = array_append(module->functions, module->function_count);
   if (!added) {
      free(copy);
      return -ENOMEM;
   }
   *added = *function;
   added->name = copy;
   return 0;
}

static int
add_debug_function(struct spirv_reader *reader, const struct spirv_instruction *debug_function, uint32_t *index)
{
   struct spirv_module *module = reader->module;
   struct spirv_id *info = spirv_find_id(reader, spirv_operand(debug_function, 1));
   if (!info->index) {
      struct spirv_function function = {
         .line = spirv_find_constant(reader, spirv_debug_operand(debug_function, 3)),
      };
      int result = spirv_resolve_file(reader, spirv_debug_operand(debug_function, 2), &function.file);
      if (!result)
         result = add_function(module, &function, spirv_find_string(reader, spirv_debug_operand(debug_function, 0)));
      if (result)
         return result;
      info->index = module->function_count;
   }
   *index = info->index - 1;
   return 0;
}

int
spirv_resolve_scope(struct spirv_reader *reader, uint32_t scope, uint32_t *function)
{
   struct spirv_instruction debug_function;
   *function = SPIRV_NONE;
   if (!find_scope_function(reader, scope, &debug_function))
      return 0;
   return add_debug_function(reader, &debug_function, function);
}

int
spirv_add_inlining(struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
   struct spirv_module *module = reader->module;
   uint32_t scope = spirv_debug_operand(instruction, 1), outer = spirv_debug_operand(instruction, 2);
   struct spirv_inlining inlining = {
      .file = SPIRV_NONE,
      .line = spirv_find_constant(reader, spirv_debug_operand(instruction, 0)),
      .outer = SPIRV_NONE,
      .id = spirv_operand(instruction, 1),
      .scope = scope,
   };
   struct spirv_instruction other;
   int result = spirv_resolve_scope(reader, scope, &inlining.function);
   if (result)
      return result;
   if (inlining.function != SPIRV_NONE)
      inlining.file = module->functions[inlining.function].file;
   /* Only one that has been read already, so that chains end. */
   if (spirv_find_debug_instruction(reader, outer, NonSemanticShaderDebugInfo100DebugInlinedAt, &other) &&
       reader->ids[outer].index)
      inlining.outer = reader->ids[outer].index - 1;

   struct spirv_inlining *added = array_append(module->inlinings, module->inlining_count);
   if (!added)
      return -ENOMEM;
   *added = inlining;
   reader->ids[spirv_operand(instruction, 1)].index = module->inlining_count;
   return 0;
}

static const char *
find_name(struct spirv_reader *reader, uint32_t id)
{
   struct spirv_id *info = spirv_find_id(reader, id);
   if (!info || !info->name)
      return NULL;
   const uint32_t *words = &reader->words[info->name];
   struct spirv_instruction name = {.words = words, .count = words[0] >> SpvWordCountShift};
   return spirv_literal(&name, (words[0] & SpvOpCodeMask) == SpvOpEntryPoint ? 2 : 1);
}

int
spirv_begin_function(struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
   struct spirv_function function = {.file = reader->state.file, .line = reader->state.line};
   uint32_t id = spirv_operand(instruction, 1);
   const char *name = find_name(reader, id);
   char by_id[16];
   snprintf(by_id, sizeof(by_id), "%%%u", id);
   int result = add_function(reader->module, &function, name && *name ? name : by_id);
   if (result)
      return result;
   reader->state.function = reader->declared = reader->module->function_count - 1;
   reader->declared_place = reader->module->place_count;
   reader->state.inlining = SPIRV_NONE;
   reader->state.scope = 0;
   return 0;
}
