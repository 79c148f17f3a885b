/* SPDX-License-Identifier: MIT */
/* The registers, LDS and scratch of a wave that is none, in arrays; its memory is for whoever links this to make up. */
#ifndef TEST_FAKE_WAVE_H
#define TEST_FAKE_WAVE_H

#include "stop/machine.h"

#define WAVE_SCALARS 128
#define WAVE_VGPRS 8
#define WAVE_LDS 256
#define WAVE_SCRATCH 2048

struct wave_contents {
   uint32_t sgprs[WAVE_SCALARS];
   uint32_t vgprs[WAVE_VGPRS][64];
   uint8_t lds[WAVE_LDS];
   uint8_t scratch[64][WAVE_SCRATCH];
};

/* Defined by who links this. */
struct wave_contents *wave_contents_of(struct hdb_wave *wave);

/* Between a part of an array, which may not have it, and data. */
int wave_transfer(uint8_t *array, uint64_t array_size, uint64_t offset, void *data, size_t size, bool writes);

#endif
