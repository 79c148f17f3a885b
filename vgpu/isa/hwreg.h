/* SPDX-License-Identifier: MIT */
/* Numbers of s_getreg and s_setreg (RDNA3 ISA guide, 3.5; UMR register database for those it leaves out). */
#ifndef VGPU_ISA_HWREG_H
#define VGPU_ISA_HWREG_H

#include <stdbool.h>
#include <stdint.h>

struct wave;

enum hwreg {
   HWREG_MODE = 1,
   HWREG_STATUS = 2,
   HWREG_TRAPSTS = 3,
   HWREG_GPR_ALLOC = 5,
   HWREG_LDS_ALLOC = 6,
   HWREG_IB_STS = 7,
   HWREG_FLUSH_IB = 14,
   HWREG_SH_MEM_BASES = 15,
   HWREG_FLAT_SCRATCH_LO = 20,
   HWREG_FLAT_SCRATCH_HI = 21,
   HWREG_HW_ID1 = 23,
   HWREG_HW_ID2 = 24,
   HWREG_IB_STS2 = 28,
   HWREG_SHADER_CYCLES = 29
};

/* As s_getreg and SQ_IND read them. */
uint32_t hwreg_read(const struct wave *wave, unsigned id);

#define MXCSR_DAZ 0x40 /* denormal sources are 0 */

/* Sets the host's rounding and denormal treatment from MODE, for what is computed in 32 bits, or in 64 and 16. */
unsigned mxcsr_of_mode(uint32_t mode, bool wide);

#endif
