/* SPDX-License-Identifier: MIT */
/* Buffer descriptors and addresses. RDNA3 ISA guide, 9.4 and 9.6. */
#ifndef BUFFER_H
#define BUFFER_H

#include "model.h"

struct buffer {
   uint64_t base;
   unsigned stride;
   uint32_t records;
   unsigned swizzle;      /* 0: linear, 1: elements of 4 bytes, 3: of 16 */
   unsigned index_stride; /* 0: 8, 1: 16, 2: 32, 3: 64 */
   unsigned select[4];    /* 0: 0, 1: 1, 4 to 7: X to W */
   unsigned format, oob_select;
   bool add_tid;
};

void buffer_encode(const struct buffer *buffer, uint32_t word[4]);
struct buffer buffer_decode(const uint32_t word[4]);

/* What a lane adds. */
struct buffer_place {
   bool indexed; /* IDXEN */
   uint32_t index, offset, soffset;
   unsigned lane;
};

/* Whether `bytes` from the place and `skip` bytes on are out of bounds, and where they are. */
bool buffer_is_out(const struct buffer *buffer, const struct buffer_place *place, unsigned skip, unsigned bytes);
uint64_t buffer_address(const struct buffer *buffer, const struct buffer_place *place, unsigned skip);

#endif
