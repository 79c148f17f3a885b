/* SPDX-License-Identifier: MIT */
/* Parts of the decoder: decode.c does scalar and common matters, the others what their names say. */
#ifndef VGPU_ISA_DECODE_H
#define VGPU_ISA_DECODE_H

#include <stddef.h>

#include "isa/table.h"

#define SRC_NULL 124

/* Bits of the instruction, counted from the first word's lowest. */
uint32_t field(const struct inst *inst, unsigned low, unsigned bits);

/* -EINVAL for a field that should be 0, if anyone minds. */
int unused_field(const struct inst *inst, unsigned value);

/* Sets inst->src[n], and inst->value[n] for a constant; inst->literal must be there. -EINVAL: not an operand. */
int decode_source(struct inst *inst, unsigned n, unsigned selector, enum isa_type type);

bool decode_is_constant(unsigned selector); /* inline or literal */

/* decode_vector.c */
int decode_vop_short(struct inst *inst, size_t size); /* VOP1, VOP2, VOPC */
int decode_vop3(struct inst *inst, size_t size);
int decode_vop3p(struct inst *inst, size_t size);
int decode_vopd(struct inst *inst, size_t size);

/* decode_memory.c: checks and sets what depends on the kind of access. */
int decode_flat_operands(struct inst *inst, unsigned saddr);
int decode_image_operands(struct inst *inst, unsigned srsrc, unsigned ssamp);
int decode_buffer_operands(struct inst *inst, unsigned vaddr, unsigned srsrc, unsigned soffset);

#endif
