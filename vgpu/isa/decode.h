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

/* Takes the dword after the instruction so far. */
int take_dword(struct inst *inst, size_t size, uint32_t *dword);

#define LOOKUP(table, opcode) lookup(table, sizeof table / sizeof table[0], opcode)

static inline const struct isa_op *
lookup(const struct isa_op *table, unsigned count, unsigned opcode)
{
   return opcode < count && table[opcode].name ? &table[opcode] : NULL;
}

#define TRY(call)         \
   do {                   \
      int status_ = call; \
      if (status_)        \
         return status_;  \
   } while (0)

/* Sets inst->src[n], and inst->value[n] for a constant; inst->literal must be there. -EINVAL: not an operand. */
int decode_source(struct inst *inst, unsigned n, unsigned selector, enum isa_type type);

bool decode_is_constant(unsigned selector); /* inline or literal */

/* decode_vector.c */
int decode_vop_short(struct inst *inst, size_t size); /* VOP1, VOP2, VOPC */
int decode_vop3(struct inst *inst, size_t size);
int decode_vop3p(struct inst *inst, size_t size);
int decode_vopd(struct inst *inst, size_t size);

/* decode_memory.c */
int decode_ds(struct inst *inst, size_t size);
int decode_flat(struct inst *inst, size_t size);   /* and GLOBAL, SCRATCH */
int decode_buffer(struct inst *inst, size_t size); /* MUBUF, MTBUF */
int decode_mimg(struct inst *inst, size_t size);

#endif
