/* SPDX-License-Identifier: MIT */
/* The interpreter's loop, and the instruction cache it runs from. */
#ifndef VGPU_INTERPRET_H
#define VGPU_INTERPRET_H

#include <stdint.h>

#include "isa/hwreg.h"
#include "isa/isa.h"
#include "sq/wave.h"

struct icache; /* decoded instructions by address space and pc; does not snoop memory */

struct icache *icache_create(struct vgpu *gpu);
void icache_destroy(struct icache *icache);
void icache_invalidate(struct icache *icache); /* s_icache_inv, ACQUIRE_MEM, a change of mappings */

/* Runs until the wave leaves the loop or *budget instructions have run (then ISA_NEXT); *budget is what is left. A
 * fetch fault sets TRAPSTS.MEM_VIOL and wave->fault, an unknown instruction TRAPSTS.ILLEGAL_INST; both are ISA_TRAP. On
 * ISA_TRAP for s_trap, wave->pc is the s_trap itself and wave->trap_id its number; for faults it is the instruction
 * after, as trap entry saves it, and wave->fault.pc the faulting one. For every other result wave->pc is the next
 * instruction to run. s_rfe_b64, and a write to MODE that changes TRAP_AFTER_INST or whether exceptions count, leave
 * the loop with ISA_NEXT, so that the scheduler can single-step; STATUS.IN_BARRIER is the scheduler's, s_setreg does
 * not write it. */
enum isa_result wave_interpret(struct wave *wave, struct icache *icache, uint32_t *budget);

/* Lets everything outstanding land (VGPU_LATE_LOADS), as s_waitcnt 0 would; also to be called when a wave ends. */
void wave_drain(struct wave *wave);

#endif
