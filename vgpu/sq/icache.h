/* SPDX-License-Identifier: MIT */
/* The inside of the instruction cache, for the interpreter's loop. */
#ifndef VGPU_ICACHE_H
#define VGPU_ICACHE_H

#include <errno.h>

#include "isa/isa.h"
#include "sq/interpret.h"

#define ICACHE_LINE_SIZE 128
#define ICACHE_LONGEST_INST 20 /* MIMG with three dwords of addresses */

struct icache_line {
   struct vm *vm; /* NULL: empty */
   uint64_t va;
   bool wave64, exceptions;
   uint8_t code[ICACHE_LINE_SIZE];
   struct inst inst[ICACHE_LINE_SIZE / 4]; /* by the dword they begin at; execute is NULL until decoded */
};

/* The line that holds `pc`, fetched if need be; decoded for a wave size, and with `exceptions` for waves that look at
 * what arithmetic raises. NULL: not mapped for execution. It is good until the next call. */
struct icache_line *icache_line(struct icache *icache, struct vm *vm, bool wave64, bool exceptions, uint64_t pc);

/* Decodes the instruction at `pc` of `line`; an unknown one becomes isa_illegal. -ENODATA: it runs on into a page that
 * is not mapped. The line must be looked up again afterwards. */
int icache_decode(struct icache *icache, struct icache_line *line, uint64_t pc, struct inst *inst);

#endif
