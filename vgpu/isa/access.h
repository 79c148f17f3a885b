/* SPDX-License-Identifier: MIT */
/* Scalar registers and operands, and how an instruction raises an exception. */
#ifndef VGPU_ISA_ACCESS_H
#define VGPU_ISA_ACCESS_H

#include "isa/isa.h"
#include "sq/wave.h"

static inline bool
is_ttmp(unsigned selector)
{
   return selector >= SREG_TTMP0 && selector < SREG_NULL;
}

/* TTMPs read as 0 outside of the trap handler (RDNA3 ISA guide, 3.4.9). */
static inline uint32_t
sreg_read(const struct wave *wave, unsigned selector)
{
   if (is_ttmp(selector) && !wave->priv)
      return 0;
   return wave->sreg[selector];
}

static inline void
sreg_write(struct wave *wave, unsigned selector, uint32_t value)
{
   if (selector >= SREG_TTMP0) {
      if (selector == SREG_NULL || (is_ttmp(selector) && !wave->priv))
         return;
      if (selector >= SREG_EXEC_LO)
         wave->exec_dirty = true;
   }
   wave->sreg[selector] = value;
}

static inline uint64_t
sreg_read64(const struct wave *wave, unsigned selector)
{
   if (selector == SREG_NULL)
      return 0;
   return sreg_read(wave, selector) | (uint64_t)sreg_read(wave, selector + 1) << 32;
}

static inline void
sreg_write64(struct wave *wave, unsigned selector, uint64_t value)
{
   if (selector == SREG_NULL)
      return;
   sreg_write(wave, selector, (uint32_t)value);
   sreg_write(wave, selector + 1, (uint32_t)(value >> 32));
}

/* Selectors that stand for state of the wave; constants proper are in inst->value. */
uint64_t special_source(const struct wave *wave, unsigned selector, bool wide);

static inline bool
is_special_source(unsigned selector)
{
   return (selector >= SRC_SHARED_BASE && selector <= SRC_POPS_EXITING_WAVE_ID) ||
          (selector >= SRC_VCCZ && selector <= SRC_LDS_DIRECT);
}

static inline uint32_t
source32(const struct wave *wave, const struct inst *inst, unsigned n)
{
   unsigned selector = inst->src[n];
   if (selector < SREG_COUNT)
      return sreg_read(wave, selector);
   if (is_special_source(selector))
      return (uint32_t)special_source(wave, selector, false);
   return (uint32_t)inst->value[n];
}

static inline uint64_t
source64(const struct wave *wave, const struct inst *inst, unsigned n)
{
   unsigned selector = inst->src[n];
   if (selector < SREG_COUNT)
      return sreg_read64(wave, selector);
   if (is_special_source(selector))
      return special_source(wave, selector, true);
   return inst->value[n];
}

/* Records an exception: cause is a TRAPSTS bit. The saved pc is the instruction after. */
enum isa_result isa_raise(struct wave *wave, const struct inst *inst, uint32_t cause);

/* The same for a memory violation at `va`. */
enum isa_result isa_raise_memory(struct wave *wave, const struct inst *inst, uint64_t va, bool write);

/* A VGPR as source (one that is not allocated reads v0) and as destination (NULL if not allocated: dropped).
 * RDNA3 ISA guide, 3.6.2. */
static inline const uint32_t *
vgpr_source(const struct wave *wave, unsigned index)
{
   return wave->vgpr[index < wave->vgpr_count ? index : 0];
}

static inline uint32_t *
vgpr_destination(struct wave *wave, unsigned index)
{
   return index < wave->vgpr_count ? wave->vgpr[index] : NULL;
}

static inline unsigned
wave_lanes(const struct wave *wave)
{
   return wave->wave64 ? 64 : 32;
}

/* EXEC, of the lanes that there are. */
static inline uint64_t
active_lanes(const struct wave *wave)
{
   return wave->wave64 ? wave_exec(wave) : wave->sreg[SREG_EXEC_LO];
}

/* A lane mask in an SGPR, or a pair in waves of 64. */
static inline uint64_t
mask_read(const struct wave *wave, unsigned selector)
{
   return wave->wave64 ? sreg_read64(wave, selector) : sreg_read(wave, selector);
}

static inline void
mask_write(struct wave *wave, unsigned selector, uint64_t mask)
{
   if (wave->wave64)
      sreg_write64(wave, selector, mask);
   else
      sreg_write(wave, selector, (uint32_t)mask);
}

#endif
