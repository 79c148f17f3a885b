/* SPDX-License-Identifier: MIT */
/* LLVM's disassembler and assembler over many instructions in one run each. */
#ifndef LLVM_MC_H
#define LLVM_MC_H

#include <stddef.h>
#include <stdint.h>

#define LLVM_BYTES 20

struct llvm_line {
   uint32_t word[LLVM_BYTES / 4];
   unsigned size;  /* bytes of word */
   char text[300]; /* empty: refused */
   char error[80]; /* why it was */
};

/* word[] to text: the first instruction in them. An s_nop of 0x4000 or more must not be among them. */
void llvm_disassemble(struct llvm_line *line, size_t count, const char *features);

/* text to word[] and size, or 0 and error. */
void llvm_assemble(struct llvm_line *line, size_t count, const char *features);

#endif
