/* SPDX-License-Identifier: MIT */
#include "module.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* NonSemantic.Shader.DebugInfo.100 */
#define DEBUG_LINE 103

struct module
module_read(const struct spirv *spirv)
{
   struct module module = {.word_count = spirv->size / 4};
   module.ops = calloc(module.word_count, sizeof(*module.ops));
   module.lines = calloc(module.word_count, sizeof(*module.lines));

   const uint32_t *words = spirv->words;
   uint32_t *constants = calloc(words[3], sizeof(*constants));
   uint32_t debug_info = 0, line = 0;
   bool in_function = false;

   for (uint32_t i = 5; i < module.word_count; i += words[i] >> 16) {
      const uint32_t *w = words + i;
      const uint32_t op = w[0] & 0xffff;

      if (op == OP_EXT_INST_IMPORT && strcmp((const char *)(w + 2), "NonSemantic.Shader.DebugInfo.100") == 0)
         debug_info = w[1];
      if (op == OP_CONSTANT)
         constants[w[2]] = w[3];
      if (op == OP_EXT_INST && w[3] == debug_info && w[4] == DEBUG_LINE)
         line = constants[w[6]];

      in_function = (in_function || op == OP_FUNCTION) && op != OP_FUNCTION_END;
      if (in_function) {
         module.ops[i] = op;
         module.lines[i] = line;
      }
   }
   free(constants);
   return module;
}

void
module_free(struct module *module)
{
   free(module->ops);
   free(module->lines);
}

uint32_t
module_op_at(const struct module *module, uint32_t spirv_offset)
{
   return spirv_offset % 4 == 0 && spirv_offset / 4 < module->word_count ? module->ops[spirv_offset / 4] : OP_NONE;
}

uint32_t
module_line_at(const struct module *module, uint32_t spirv_offset)
{
   return module_op_at(module, spirv_offset) == OP_NONE ? 0 : module->lines[spirv_offset / 4];
}
