/* SPDX-License-Identifier: MIT */
/* The instruction set's public face. */
#include "isa/isa.h"
#include "vgpu.h"

VGPU_API int
vgpu_disassemble(const void *code, size_t size, uint32_t wave_size, uint64_t pc, char *text, size_t text_size)
{
   struct inst inst;
   int status = isa_decode(code, size, wave_size == 64, &inst);
   if (status)
      return status;
   isa_print(&inst, pc, text, text_size);
   return inst.size;
}
