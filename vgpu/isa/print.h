/* SPDX-License-Identifier: MIT */
/* Parts of the printer. The spelling is LLVM's (llvm-mc). */
#ifndef VGPU_ISA_PRINT_H
#define VGPU_ISA_PRINT_H

#include "isa/table.h"

struct text {
   char *at;
   size_t left;   /* with the terminator */
   size_t length; /* of everything, fitting or not */
};

void put(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The separator before an operand: a space before the first one, otherwise a comma. */
void put_separator(struct text *text, bool *first);

void put_vgprs(struct text *text, unsigned first, unsigned dwords);
void put_scalar(struct text *text, unsigned selector, unsigned dwords);

/* An operand by selector; `value` is what it stands for if it is a constant. */
void put_operand(struct text *text, unsigned selector, enum isa_type type, uint64_t value, uint32_t literal);

/* Source `n` of an instruction. */
void put_source(struct text *text, const struct inst *inst, unsigned n, enum isa_type type);

/* A literal of 32 bits. */
void put_constant32(struct text *text, uint32_t value);

/* A lane mask: vcc, vcc_lo, s[0:1], s0. */
void put_mask(struct text *text, const struct inst *inst, unsigned selector);

/* glc, slc, dlc */
void put_caching(struct text *text, const struct inst *inst);

void print_vector(const struct inst *inst, struct text *text);
void print_memory(const struct inst *inst, struct text *text);
void print_image(const struct inst *inst, struct text *text);

#endif
