/* SPDX-License-Identifier: MIT */
/* The instruction set's public face. */
#include "isa/isa.h"
#include "vgpu.h"

static int
disassemble(const void *code, size_t size, bool wave64, uint64_t pc, char *text, size_t text_size)
{
   struct inst inst;
   int status = isa_decode(code, size, wave64, &inst);
   if (status)
      return status;
   isa_print(&inst, pc, text, text_size);
   return inst.size;
}

VGPU_API int
vgpu_disassemble(const void *code, size_t size, uint64_t pc, char *text, size_t text_size)
{
   return disassemble(code, size, true, pc, text, text_size);
}

VGPU_API int
vgpu_disassemble_wave32(const void *code, size_t size, uint64_t pc, char *text, size_t text_size)
{
   return disassemble(code, size, false, pc, text, text_size);
}
