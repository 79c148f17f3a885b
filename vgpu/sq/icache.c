/* SPDX-License-Identifier: MIT */
/*
 * The instruction cache: lines of code as they were when fetched, with their instructions decoded on first use. Memory
 * may change under it; only icache_invalidate and a change of mappings make it fetch again.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "sq/icache.h"
#include "vm/vm.h"

#define ICACHE_LINES 512

struct icache {
   struct vgpu *gpu;
   uint64_t vm_generation;
   struct icache_line *line[ICACHE_LINES];
   struct tlb tlb; /* of its own: the waves' is busy with data */
};

struct icache *
icache_create(struct vgpu *gpu)
{
   struct icache *icache = calloc(1, sizeof *icache);
   if (!icache)
      return NULL;
   icache->gpu = gpu;
   icache->vm_generation = gpu->vm_generation;
   tlb_flush(&icache->tlb);
   return icache;
}

void
icache_destroy(struct icache *icache)
{
   if (!icache)
      return;
   for (unsigned i = 0; i < ICACHE_LINES; i++)
      free(icache->line[i]);
   free(icache);
}

void
icache_invalidate(struct icache *icache)
{
   for (unsigned i = 0; i < ICACHE_LINES; i++) {
      if (icache->line[i])
         icache->line[i]->vm = NULL;
   }
}

static bool
fetch(struct icache *icache, struct vm *vm, uint64_t va, void *code)
{
   bool prt = false;
   const void *host = vm_translate(vm, &icache->tlb, icache->vm_generation, va, VM_EXECUTE, &prt);
   if (!host && !prt)
      return false;
   if (host)
      memcpy(code, host, ICACHE_LINE_SIZE);
   else
      memset(code, 0, ICACHE_LINE_SIZE);
   return true;
}

struct icache_line *
icache_line(struct icache *icache, struct vm *vm, bool wave64, bool exceptions, uint64_t pc)
{
   if (icache->vm_generation != icache->gpu->vm_generation) {
      icache->vm_generation = icache->gpu->vm_generation;
      icache_invalidate(icache);
   }
   uint64_t va = pc & ~(uint64_t)(ICACHE_LINE_SIZE - 1);
   uint64_t hash = (va / ICACHE_LINE_SIZE) ^ ((uintptr_t)vm >> 6) ^ (wave64 ? ICACHE_LINES / 2 : 0) ^
                   (exceptions ? ICACHE_LINES / 4 : 0);
   struct icache_line **slot = &icache->line[hash % ICACHE_LINES], *line = *slot;
   if (line && line->vm == vm && line->va == va && line->wave64 == wave64 && line->exceptions == exceptions)
      return line;

   if (!line && !(line = *slot = malloc(sizeof *line)))
      return NULL;
   line->vm = NULL;
   if (!fetch(icache, vm, va, line->code))
      return NULL;
   line->vm = vm;
   line->va = va;
   line->wave64 = wave64;
   line->exceptions = exceptions;
   for (unsigned i = 0; i < ICACHE_LINE_SIZE / 4; i++)
      line->inst[i].execute = NULL;
   return line;
}

/* What lies past the end of the line comes from the next one, through the cache as well. That line may share the slot
 * with this one, so the bytes are fetched afresh only if it is not there. */
static size_t
gather(struct icache *icache, const struct icache_line *line, uint64_t pc, uint8_t code[ICACHE_LONGEST_INST])
{
   size_t offset = pc - line->va, here = ICACHE_LINE_SIZE - offset;
   if (here >= ICACHE_LONGEST_INST) {
      memcpy(code, line->code + offset, ICACHE_LONGEST_INST);
      return ICACHE_LONGEST_INST;
   }
   memcpy(code, line->code + offset, here);
   struct vm *vm = line->vm;
   bool wave64 = line->wave64, exceptions = line->exceptions;
   const struct icache_line *next = icache_line(icache, vm, wave64, exceptions, pc + here);
   if (!next)
      return here;
   memcpy(code + here, next->code, ICACHE_LONGEST_INST - here);
   return ICACHE_LONGEST_INST;
}

int
icache_decode(struct icache *icache, struct icache_line *line, uint64_t pc, struct inst *inst)
{
   uint8_t code[ICACHE_LONGEST_INST];
   size_t size = gather(icache, line, pc, code);
   int result = isa_decode_lenient(code, size, line->wave64, line->exceptions, inst);
   if (result == -EINVAL) {
      /* What follows an unknown instruction is unknown too; a trap handler is told of its first dword. */
      memset(inst, 0, sizeof *inst);
      memcpy(inst->word, code, size < sizeof inst->word ? size : sizeof inst->word);
      inst->size = 4;
      inst->execute = isa_illegal;
      result = 0;
   }
   return result;
}
