/* SPDX-License-Identifier: MIT */
/* Hardware registers of a wave: s_getreg, s_setreg, and what sets MODE otherwise. */
#include <x86intrin.h>

#include "gpu.h"
#include "isa/access.h"
#include "isa/hwreg.h"
#include "isa/scalar.h"
#include "sq/interpret.h"

/* STATUS bits that s_setreg may change: not the ones that say what the hardware itself is doing. */
#define STATUS_WRITABLE                                                                                     \
   (0x1eu /* SPI_PRIO, USER_PRIO */ | STATUS_TRAP_EN | 1u << 7 /* TTRACE_EN */ | 1u << 8 /* EXPORT_RDY */ | \
    STATUS_HALT | STATUS_SKIP_EXPORT | STATUS_COND_DBG_USER | STATUS_COND_DBG_SYS | STATUS_FATAL_HALT)

static uint32_t
status_read(const struct wave *wave)
{
   uint32_t derived = STATUS_SCC | STATUS_PRIV | STATUS_EXECZ | STATUS_VCCZ;
   return (wave->status & ~derived) | (wave->scc ? STATUS_SCC : 0) | (wave->priv ? STATUS_PRIV : 0) |
          (wave_execz(wave) ? STATUS_EXECZ : 0) | (wave_vccz(wave) ? STATUS_VCCZ : 0);
}

/* Layouts: UMR register database, SQ_WAVE_GPR_ALLOC, LDS_ALLOC, IB_STS, IB_STS2. */
uint32_t
hwreg_read(const struct wave *wave, unsigned id)
{
   switch (id) {
   case HWREG_MODE:
      return wave->mode;
   case HWREG_STATUS:
      return status_read(wave);
   case HWREG_TRAPSTS:
      return wave->trapsts;
   case HWREG_GPR_ALLOC: {
      /* VGPR_SIZE counts in fours for waves of 64 lanes, in eights for waves of 32. */
      uint32_t granule = wave->wave64 ? 4 : 8;
      uint32_t granules = (wave->vgpr_count + granule - 1) / granule;
      return granules ? (granules - 1) << 12 : 0;
   }
   case HWREG_LDS_ALLOC:
      return (wave->lds_size + 511) / 512 << 12;
   case HWREG_IB_STS:
      return wave->expcnt | wave->lgkmcnt << 4 | wave->vmcnt << 10 | (uint32_t)wave->vscnt << 26;
   case HWREG_SH_MEM_BASES:
      return wave->sh_mem_bases;
   case HWREG_FLAT_SCRATCH_LO:
      return (uint32_t)wave->scratch_base;
   case HWREG_FLAT_SCRATCH_HI:
      return (uint32_t)(wave->scratch_base >> 32);
   case HWREG_HW_ID1:
      return wave->hw_id1;
   case HWREG_HW_ID2:
      return wave->hw_id2;
   case HWREG_IB_STS2:
      return wave->wave64 ? 1u << 11 : 0;
   case HWREG_SHADER_CYCLES:
      return (wave->gpu->options.flags & VGPU_LOCKSTEP ? vgpu_wave_timestamp(wave->gpu) : __rdtsc()) & 0xfffff;
   default:
      return 0;
   }
}

/* As s_setreg does: the wave's own PRIV counts. */
static void
hwreg_write(struct wave *wave, unsigned id, uint32_t value)
{
   switch (id) {
   case HWREG_MODE:
      wave->mode = value;
      break;
   case HWREG_STATUS:
      if (!wave->priv)
         break;
      wave->scc = value & STATUS_SCC;
      wave->status = (wave->status & ~STATUS_WRITABLE) | (value & STATUS_WRITABLE);
      break;
   case HWREG_TRAPSTS:
      wave->trapsts = value;
      break;
   case HWREG_FLAT_SCRATCH_LO:
      if (wave->priv)
         wave->scratch_base = (wave->scratch_base & ~UINT64_C(0xffffffff)) | value;
      break;
   case HWREG_FLAT_SCRATCH_HI:
      if (wave->priv)
         wave->scratch_base = (wave->scratch_base & UINT64_C(0xffffffff)) | (uint64_t)value << 32;
      break;
   }
}

/* MODE: FP_ROUND 1:0 for 32 bits, 3:2 for 64 and 16: nearest even, +inf, -inf, zero; FP_DENORM 5:4 and 7:6: allow
 * inputs, allow outputs (RDNA3 ISA guide, 3.4.3). */
unsigned
mxcsr_of_mode(uint32_t mode, bool wide)
{
   static const unsigned round[4] = {_MM_ROUND_NEAREST, _MM_ROUND_UP, _MM_ROUND_DOWN, _MM_ROUND_TOWARD_ZERO};
   unsigned shift = wide ? 2 : 0;
   bool denormal_inputs = mode >> (4 + shift) & 1, denormal_outputs = mode >> (5 + shift) & 1;
   return _MM_MASK_MASK | round[mode >> shift & 3] | (denormal_inputs ? 0 : MXCSR_DAZ) |
          (denormal_outputs ? 0 : _MM_FLUSH_ZERO_ON);
}

/* MODE rules the host's arithmetic, TRAP_AFTER_INST the scheduler's stride, and which functions run where exceptions
 * count. */
static enum isa_result
mode_changed(struct wave *wave, const struct inst *inst, uint32_t before)
{
   _mm_setcsr(mxcsr_of_mode(wave->mode, false));
   bool other_stride = (before ^ wave->mode) & MODE_TRAP_AFTER_INST;
   if (!other_stride && wave_counts_exceptions(wave, before) == wave_counts_exceptions(wave, wave->mode))
      return ISA_NEXT;
   wave->pc += inst->size;
   return ISA_LEAVE;
}

/* hwreg(id, offset, size): id 5:0, offset 10:6, size - 1 15:11 of the immediate. */
enum isa_result
execute_s_getreg_b32(struct wave *wave, const struct inst *inst)
{
   unsigned imm = (uint16_t)inst->offset, size = (imm >> 11) + 1;
   uint32_t value = hwreg_read(wave, imm & 63) >> (imm >> 6 & 31);
   sreg_write(wave, inst->dst, size >= 32 ? value : value & ((1u << size) - 1));
   return ISA_NEXT;
}

static enum isa_result
setreg(struct wave *wave, const struct inst *inst, uint32_t value)
{
   unsigned imm = (uint16_t)inst->offset, id = imm & 63, shift = imm >> 6 & 31, size = (imm >> 11) + 1;
   uint32_t mask = (size >= 32 ? ~0u : (1u << size) - 1) << shift;
   uint32_t before = wave->mode;
   hwreg_write(wave, id, (hwreg_read(wave, id) & ~mask) | (value << shift & mask));
   return id == HWREG_MODE ? mode_changed(wave, inst, before) : ISA_NEXT;
}

enum isa_result
execute_s_setreg_b32(struct wave *wave, const struct inst *inst)
{
   return setreg(wave, inst, sreg_read(wave, inst->dst));
}

enum isa_result
execute_s_setreg_imm32_b32(struct wave *wave, const struct inst *inst)
{
   return setreg(wave, inst, inst->literal);
}

enum isa_result
execute_s_round_mode(struct wave *wave, const struct inst *inst)
{
   uint32_t before = wave->mode;
   wave->mode = (wave->mode & ~0xfu) | (inst->offset & 0xf);
   return mode_changed(wave, inst, before);
}

enum isa_result
execute_s_denorm_mode(struct wave *wave, const struct inst *inst)
{
   uint32_t before = wave->mode;
   wave->mode = (wave->mode & ~0xf0u) | (inst->offset & 0xf) << 4;
   return mode_changed(wave, inst, before);
}
