/* SPDX-License-Identifier: MIT */
/* Memory and LDS as the lanes of an instruction access them. */
#ifndef VGPU_ISA_MEMORY_H
#define VGPU_ISA_MEMORY_H

#include "isa/access.h"
#include "isa/table.h"

enum atomic_operation {
   ATOMIC_SWAP,
   ATOMIC_CMPSWAP,
   ATOMIC_ADD,
   ATOMIC_SUB,
   ATOMIC_RSUB,
   ATOMIC_CSUB,
   ATOMIC_SMIN,
   ATOMIC_UMIN,
   ATOMIC_SMAX,
   ATOMIC_UMAX,
   ATOMIC_AND,
   ATOMIC_OR,
   ATOMIC_XOR,
   ATOMIC_INC,
   ATOMIC_DEC,
   ATOMIC_MSKOR,
   ATOMIC_WRAP,
   ATOMIC_FCMPSWAP,
   ATOMIC_FMIN,
   ATOMIC_FMAX,
   ATOMIC_FADD
};

/* Where the lanes of an instruction access memory. */
struct lane_access {
   uint64_t lanes;  /* that take part */
   uint64_t va[64]; /* address, or offset into LDS */
   uint32_t stride; /* from a dword of a lane to its next: 4; more in scratch */
   bool lds;
   bool bounded;          /* `in_bounds` counts */
   uint8_t in_bounds[64]; /* dwords (of narrower accesses: 0 or 1) of a lane that may be accessed; the rest reads 0 */
};

/* All of these return false after a fault, which they have raised: return ISA_TRAP then. */

/* `bytes` 1, 2, 4, 8, 12 or 16 a lane into data[register][lane]. */
bool lanes_load(struct wave *wave, const struct inst *inst, const struct lane_access *access, unsigned bytes,
                bool is_signed, uint32_t (*data)[64]);

/* From VGPRs `first` on, shifted right by `shift` (0 or 16) if narrower than a dword. */
bool lanes_store(struct wave *wave, const struct inst *inst, const struct lane_access *access, unsigned bytes,
                 unsigned shift, unsigned first);

/* The same from rows of lanes. */
bool lanes_store_rows(struct wave *wave, const struct inst *inst, const struct lane_access *access, unsigned bytes,
                      unsigned shift, const uint32_t *const *source);

/* `source` and `second` are VGPRs; the old values go to data. */
bool lanes_atomic(struct wave *wave, const struct inst *inst, const struct lane_access *access,
                  enum atomic_operation operation, bool wide, unsigned source, unsigned second, uint32_t (*data)[64]);

/* False and nothing raised if not all of it is mapped. */
bool memory_read(struct wave *wave, uint64_t va, void *data, unsigned bytes);

/* A dword at a scalar address, likewise. */
bool scalar_load(struct wave *wave, uint64_t va, uint32_t *value);

/* Host memory to read or write at `va`, good to the end of its page. NULL: *prt, or not accessible. */
void *memory_at(struct wave *wave, uint64_t va, uint32_t access, bool *prt);

#endif
