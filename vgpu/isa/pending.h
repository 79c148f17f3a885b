/* SPDX-License-Identifier: MIT */
/*
 * What is outstanding: with VGPU_LATE_LOADS a load reads memory when it is issued, but its data lands in registers
 * only at the wait that asks for it. Without that option everything lands at once and the counters stay 0.
 */
#ifndef VGPU_ISA_PENDING_H
#define VGPU_ISA_PENDING_H

#include "sq/wave.h"

/* Counters an instruction counts in until it is done. */
enum {
   COUNT_VM = 1 << 0,
   COUNT_LGKM = 1 << 1,
   COUNT_SMEM = 1 << 2 /* with COUNT_LGKM: may return out of order, so only a wait for 0 is good for it */
};

/* `data[i]` goes to the lanes of `mask` of VGPR first + i. `half_word`: 0 whole registers, 1 and 2 only their lower or
 * upper 16 bits. */
void vgprs_land(struct wave *wave, unsigned counters, unsigned first, unsigned count, uint64_t mask, unsigned half_word,
                const uint32_t (*data)[64]);

/* SGPRs by selector. */
void sgprs_land(struct wave *wave, unsigned first, unsigned count, const uint32_t *data);

/* A store was issued. */
void store_count(struct wave *wave, bool lds);

/* For a copy of the wave: what is outstanding, once more. NULL: nothing, or no memory. */
struct pending_load *pending_copy(const struct pending_load *pending);

/* Until at most so many of each are outstanding; ~0: whatever. */
void wave_wait(struct wave *wave, unsigned vmcnt, unsigned lgkmcnt, unsigned vscnt);

#endif
