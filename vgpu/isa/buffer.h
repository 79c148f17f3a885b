/* SPDX-License-Identifier: MIT */
/* V#s and what lanes access through them (RDNA3 ISA guide, chapter 9): VADDR is src[0], the V# src[1], SOFFSET src[2],
 * VDATA dst. */
#ifndef VGPU_ISA_BUFFER_H
#define VGPU_ISA_BUFFER_H

#include "isa/memory.h"

/* A V#, gfx11 (RDNA3 ISA guide, 9.1.4; OOB_SELECT: kernel header soc21_enum.h). */
struct buffer {
   uint64_t base;
   uint32_t stride, records;
   unsigned swizzle, index_stride, oob_select;
   bool add_tid;
   unsigned format;   /* image/format.h */
   uint8_t select[4]; /* DST_SEL */
};

struct buffer buffer_read(const struct wave *wave, unsigned sreg);

/* Where the lanes access `bytes` each. False: an access that a swizzled buffer would tear apart; raised as illegal. */
bool buffer_access(struct wave *wave, const struct inst *inst, const struct buffer *buffer, struct lane_access *access,
                   unsigned bytes);

/* With TFE: one more register after `count`, that says whether a page was missing (PRT). */
void buffer_return_status(struct wave *wave, const struct inst *inst, const struct lane_access *access, unsigned bytes,
                          unsigned count);

/* buffer_load_lds_*: a dword a lane goes to LDS, where M0 and the offset say. */
void buffer_to_lds(struct wave *wave, const struct inst *inst, const struct lane_access *access, const uint32_t *data);

/* Formatted accesses: buffer_format.c. */
#define MUBUF_FORMAT_LOAD(opcode, name, ...) enum isa_result name(struct wave *wave, const struct inst *inst);
#define MUBUF_FORMAT_STORE MUBUF_FORMAT_LOAD
#define MUBUF_FORMAT_LDS MUBUF_FORMAT_LOAD
#define MUBUF_LDS(...)
#define MUBUF_CACHE(...)
#include "isa/mubuf.inc"
#undef MUBUF_FORMAT_LOAD
#undef MUBUF_FORMAT_STORE
#undef MUBUF_FORMAT_LDS
#undef MUBUF_LDS
#undef MUBUF_CACHE

#endif
