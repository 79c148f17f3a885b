/* SPDX-License-Identifier: MIT */
/* What image instructions have in common: the fields of MIMG, addresses, and what they return (RDNA3 ISA guide, 10). */
#ifndef VGPU_ISA_MIMG_H
#define VGPU_ISA_MIMG_H

#include <x86intrin.h>

#include "image/format.h"
#include "isa/access.h"
#include "isa/hwreg.h"

enum mimg_dim { MIMG_1D, MIMG_2D, MIMG_3D, MIMG_CUBE, MIMG_1D_ARRAY, MIMG_2D_ARRAY, MIMG_2D_MSAA, MIMG_2D_MSAA_ARRAY };

#define MIMG_MAX_ADDRESSES 16
#define MIMG_NSA_ADDRESSES 5 /* VADDR and four more; the last goes on in the registers after it */

/* The fields (RDNA3 ISA guide, 15.7). */
struct mimg {
   uint8_t opcode;
   enum mimg_dim dim;
   uint8_t dmask;
   bool nsa, unrm, r128, a16, d16, tfe, lwe;
   uint8_t vdata;                       /* VGPR */
   uint8_t srsrc, ssamp;                /* SGPR selectors */
   uint8_t address[MIMG_MAX_ADDRESSES]; /* the VGPR of each dword of addresses */
};

void mimg_fields(const struct inst *inst, struct mimg *mimg);

/* VGPRs in a row. */
struct mimg_range {
   unsigned first, count;
};

/* Where the addresses are: in one range, or with NSA in several, whose number is returned. */
unsigned mimg_address_ranges(const struct inst *inst, const struct mimg *mimg,
                             struct mimg_range range[MIMG_NSA_ADDRESSES]);

/* VGPRs at VDATA, with TFE's status. */
unsigned mimg_data_count(const struct inst *inst, const struct mimg *mimg);

/* 16-bit component `n` of addresses packed two a register from dword `first` on. */
static inline uint32_t
mimg_address16(const struct wave *wave, const struct mimg *mimg, unsigned first, unsigned n, unsigned lane)
{
   return vgpr_source(wave, mimg->address[first + n / 2])[lane] >> (n & 1 ? 16 : 0) & 0xffff;
}

static inline uint32_t
mimg_address32(const struct wave *wave, const struct mimg *mimg, unsigned n, unsigned lane)
{
   return vgpr_source(wave, mimg->address[n])[lane];
}

/* Format conversion and filters are not the vector ALU's: they round to nearest and keep denormals whatever MODE says,
 * as which the host's MXCSR stands while a wave runs. Around each of their instructions; gives `result` back. */
static inline void
mimg_leave_mode(void)
{
   _mm_setcsr(_MM_MASK_MASK);
}

static inline enum isa_result
mimg_enter_mode(const struct wave *wave, enum isa_result result)
{
   _mm_setcsr(mxcsr_of_mode(wave->mode, false));
   return result;
}

/* How components become 16 bits with D16. */
enum mimg_result {
   MIMG_FLOAT,      /* cut off */
   MIMG_NORMALIZED, /* or scaled: floats made of integers, rounded to the nearest */
   MIMG_UINT,       /* saturated */
   MIMG_SINT,
   MIMG_RAW /* 32 bits whatever D16 says */
};

enum mimg_result mimg_result_of(const struct format *format); /* NULL: any */

/* A component as D16 returns it, and as a D16 store takes it. */
uint16_t mimg_half(uint32_t value, enum mimg_result result);
uint32_t mimg_widened(uint16_t half, enum mimg_result result);

/* Returns the components of `mask` (of four; 0: the first), packed from VDATA on; with TFE or LWE, then, whether a page
 * was missing: a bit of `missing` a lane. */
void mimg_return(struct wave *wave, const struct mimg *mimg, uint64_t lanes, enum mimg_result result, unsigned mask,
                 const uint32_t (*data)[64], uint64_t missing);

#endif
