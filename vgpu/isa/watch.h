/* SPDX-License-Identifier: MIT */
/*
 * Address watch: what vector memory instructions access is compared with TCP_WATCH0..3 (registers as in the UMR
 * database; modes as in the kernel's soc21_enum.h). Scalar loads do not pass there. The instruction completes, then the
 * wave traps if MODE.EXCP_EN has the bit for address watch.
 */
#ifndef VGPU_ISA_WATCH_H
#define VGPU_ISA_WATCH_H

#include "isa/memory.h"

enum watch_kind { WATCH_READ, WATCH_WRITE, WATCH_ATOMIC };

void watch_each(struct wave *wave, const struct lane_access *access, unsigned bytes, enum watch_kind kind);
void watch_bytes(struct wave *wave, uint64_t va, unsigned bytes, enum watch_kind kind);

static inline void
watch_lanes(struct wave *wave, const struct lane_access *access, unsigned bytes, enum watch_kind kind)
{
   if (wave->watched && !access->lds)
      watch_each(wave, access, bytes, kind);
}

static inline void
watch_range(struct wave *wave, uint64_t va, unsigned bytes, enum watch_kind kind)
{
   if (wave->watched)
      watch_bytes(wave, va, bytes, kind);
}

/* What becomes of an instruction that has run with `result` and been seen by a watch. */
enum isa_result watch_raise(struct wave *wave, const struct inst *inst, enum isa_result result);

#endif
