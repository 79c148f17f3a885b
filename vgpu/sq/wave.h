/* SPDX-License-Identifier: MIT */
/* A wave: the state that instructions see. */
#ifndef VGPU_WAVE_H
#define VGPU_WAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "vgpu.h"

#include "vm/vm.h"

struct vgpu;
struct workgroup;
struct sq;

/* Scalar operand selectors (RDNA3 ISA guide, table of SSRC0). */
enum {
   SREG_SGPR_COUNT = 106, /* s0..s105 */
   SREG_VCC_LO = 106,
   SREG_VCC_HI = 107,
   SREG_TTMP0 = 108, /* ..123 */
   SREG_NULL = 124,
   SREG_M0 = 125,
   SREG_EXEC_LO = 126,
   SREG_EXEC_HI = 127,
   SREG_COUNT = 128
};

/* STATUS bits (gfx11; UMR register database). SCC, PRIV, EXECZ and VCCZ are kept apart or derived when read. */
enum {
   STATUS_SCC = 1 << 0,
   STATUS_PRIV = 1 << 5,
   STATUS_TRAP_EN = 1 << 6,
   STATUS_EXECZ = 1 << 9,
   STATUS_VCCZ = 1 << 10,
   STATUS_IN_TG = 1 << 11,
   STATUS_IN_BARRIER = 1 << 12,
   STATUS_HALT = 1 << 13,
   STATUS_TRAP = 1 << 14,
   STATUS_VALID = 1 << 16,
   STATUS_SKIP_EXPORT = 1 << 18,
   STATUS_COND_DBG_USER = 1 << 20,
   STATUS_COND_DBG_SYS = 1 << 21,
   STATUS_FATAL_HALT = 1 << 23,
   STATUS_NO_VGPRS = 1 << 24,
   STATUS_IDLE = 1 << 28,
   STATUS_SCRATCH_EN = 1 << 29
};

/* MODE */
enum {
   MODE_DENORM_IN = 1 << 4, /* of 32 bits: allowed as sources, as results */
   MODE_DENORM_OUT = 1 << 5,
   MODE_DENORM_IN_WIDE = 1 << 6, /* of 64 and 16 bits */
   MODE_DENORM_OUT_WIDE = 1 << 7,
   MODE_DX10_CLAMP = 1 << 8,
   MODE_IEEE = 1 << 9,
   MODE_TRAP_AFTER_INST = 1 << 11,
   MODE_EXCP_EN_SHIFT = 12, /* 20:12, as TRAPSTS.EXCP */
   MODE_EXCP_EN_ADDR_WATCH = 1 << 19,
   MODE_WAVE_END = 1 << 21,
   MODE_FP16_OVFL = 1 << 23
};

/* TRAPSTS; what arithmetic raises is EXCP 6:0 */
enum {
   TRAPSTS_INVALID = 1 << 0,
   TRAPSTS_INPUT_DENORMAL = 1 << 1,
   TRAPSTS_DIVIDE_BY_ZERO = 1 << 2,
   TRAPSTS_OVERFLOW = 1 << 3,
   TRAPSTS_UNDERFLOW = 1 << 4,
   TRAPSTS_INEXACT = 1 << 5,
   TRAPSTS_INTEGER_DIVIDE_BY_ZERO = 1 << 6,
   TRAPSTS_ARITHMETIC = 0x7f,
   TRAPSTS_ADDR_WATCH0 = 1 << 7,
   TRAPSTS_MEM_VIOL = 1 << 8,
   TRAPSTS_SAVECTX = 1 << 10,
   TRAPSTS_ILLEGAL_INST = 1 << 11,
   TRAPSTS_ADDR_WATCH1 = 1 << 12,
   TRAPSTS_ADDR_WATCH2 = 1 << 13,
   TRAPSTS_ADDR_WATCH3 = 1 << 14,
   TRAPSTS_ADDR_WATCH = 0x7080, /* any */
   TRAPSTS_BUFFER_OOB = 1 << 15,
   TRAPSTS_HOST_TRAP = 1 << 16,
   TRAPSTS_WAVE_START = 1 << 17,
   TRAPSTS_WAVE_END = 1 << 18,
   TRAPSTS_TRAP_AFTER_INST = 1 << 20
};

/* A load whose data has been read but which has not landed yet (VGPU_LATE_LOADS). */
struct pending_load;

struct wave {
   /* hot */
   uint64_t pc;               /* of the instruction being run, canonical */
   uint32_t sreg[SREG_COUNT]; /* by selector: SGPRs, VCC, TTMPs, NULL (reads 0), M0, EXEC */
   bool scc;
   bool priv; /* in the trap handler */
   bool wave64;
   uint32_t mode;
   uint32_t (*vgpr)[64];   /* [register][lane] for both wave sizes */
   uint32_t vgpr_count;    /* allocated */
   uint32_t exec_mask[64]; /* EXEC expanded, all ones or 0 a lane; valid while !exec_dirty */
   bool exec_dirty;
   uint8_t *lds;      /* the workgroup's */
   uint32_t lds_size; /* bytes */
   struct vgpu *gpu;
   struct vm *vm;
   struct tlb *tlb;
   struct icache *icache;     /* while in wave_interpret */
   struct stats_waves *stats; /* the same; NULL: nothing is counted */

   /* launch */
   struct workgroup *workgroup;
   uint32_t index;          /* in the workgroup */
   uint64_t scratch_base;   /* FLAT_SCRATCH: where this wave's own scratch begins */
   uint32_t scratch_stride; /* bytes of scratch a wave */
   uint32_t sh_mem_bases;   /* SH_MEM_BASES of its VMID: apertures of LDS 31:16 and scratch 15:0; 0: none */
   uint32_t rsrc1, rsrc2, rsrc3;

   /* traps */
   uint32_t status; /* the STATUS bits that are not derived */
   uint32_t trapsts;
   bool reads_exceptions; /* its program looks at TRAPSTS */
   uint32_t raised;       /* TRAPSTS_ARITHMETIC bits of the instruction being run, where they count */
   bool watched;          /* some address watch is on in its VMID */
   uint32_t watch_hits;   /* TRAPSTS_ADDR_WATCH bits of the instruction being run */
   bool watch_locked;     /* it holds the card's watch_lock */
   bool watch_mixed;      /* it accesses in more ways than watch_seen can tell */
   uint32_t hw_id1, hw_id2;
   uint8_t trap_id; /* of the s_trap being executed */
   bool host_trap;  /* pending, from SQ_CMD */

   /* how the last instruction left the loop */
   uint32_t sleep_clocks;
   uint32_t message; /* simm16 of s_sendmsg */
   struct {
      uint32_t cause; /* its TRAPSTS bit; 0 on ISA_TRAP: an s_trap (the scheduler clears it beforehand) */
      uint64_t va;
      uint64_t pc; /* of the instruction that faulted (also set for an illegal one) */
      bool write;
      bool execute;
      bool deallocated_vgpr; /* no memory violation but a VGPR access after MSG_DEALLOC_VGPRS (VGPU_CHECK_DEALLOC) */
   } fault;                  /* of a memory violation */

   /* waits */
   struct pending_load *pending; /* oldest first; isa/pending.h */
   uint8_t vmcnt, lgkmcnt, vscnt, expcnt;

   struct vgpu_watched watch_seen; /* what the last instruction that an address watch has seen did */
};

/* Whether it matters what arithmetic raises under a MODE: it takes time. With DX10_CLAMP, as drivers for graphics have
 * it, it raises nothing (RDNA3 ISA guide, 3.4.2). */
static inline bool
wave_counts_exceptions(const struct wave *wave, uint32_t mode)
{
   bool looks = wave->reads_exceptions || mode >> MODE_EXCP_EN_SHIFT & TRAPSTS_ARITHMETIC;
   return looks && !(mode & MODE_DX10_CLAMP);
}

static inline uint64_t
wave_exec(const struct wave *wave)
{
   return wave->sreg[SREG_EXEC_LO] | (uint64_t)wave->sreg[SREG_EXEC_HI] << 32;
}

/* STATUS.EXECZ and VCCZ: in a wave of 32 lanes the upper halves are registers like others. */
static inline bool
wave_execz(const struct wave *wave)
{
   return !(wave->sreg[SREG_EXEC_LO] | (wave->wave64 ? wave->sreg[SREG_EXEC_HI] : 0));
}

static inline bool
wave_vccz(const struct wave *wave)
{
   return !(wave->sreg[SREG_VCC_LO] | (wave->wave64 ? wave->sreg[SREG_VCC_HI] : 0));
}

#endif
