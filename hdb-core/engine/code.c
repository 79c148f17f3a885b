/* SPDX-License-Identifier: MIT */
/* What stands at an address: the instruction, and the source line it came from. */
#include "engine/engine.h"

#include <errno.h>
#include <string.h>

#include "vgpu.h"

/* The longest instruction: MIMG with NSA, or an 8-byte encoding with a literal, are 12 bytes (RDNA3 ISA guide, 15). */
#define MAX_INSTRUCTION 12

int
engine_disassemble(struct hdb_machine *machine, uint32_t wave_size, uint64_t va, char *text, size_t size)
{
   uint8_t code[MAX_INSTRUCTION];
   size_t length = sizeof(code);
   /* The end of the code may be the end of what is mapped. */
   while (length && hdb_machine_read_memory(machine, va, code, length))
      length -= 4;
   if (!length)
      return -EFAULT;
   return vgpu_disassemble(code, length, wave_size, va, text, size);
}

bool
engine_position(struct hdb_engine *engine, const struct hdb_shader *shader, uint64_t va, struct hdb_position *position)
{
   struct engine_shader *known = engine_find_shader(engine, shader);
   struct hdb_symbols *symbols = known ? shader_symbols(known) : NULL;
   return symbols && hdb_symbols_position(symbols, va - shader->va, position);
}

char *
engine_line_text(struct hdb_engine *engine, const struct hdb_shader *shader, const struct hdb_position *position)
{
   struct engine_shader *known = engine_find_shader(engine, shader);
   struct hdb_symbols *symbols = known ? shader_symbols(known) : NULL;
   size_t length;
   const char *text = symbols ? hdb_symbols_line_text(symbols, position->file, position->line, &length) : NULL;
   return text ? strndup(text, length) : NULL;
}
