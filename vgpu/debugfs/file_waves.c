/* SPDX-License-Identifier: MIT */
/*
 * amdgpu_wave, amdgpu_gpr and amdgpu_gprwave: the state of live waves, by SQ_IND_INDEX and SQ_IND_DATA (gfx_v11_0.c).
 *
 * On gfx11 the SIMD is part of the instance: a "cu" is wgp << 2 | simd, and what the interfaces call SIMD is not used.
 */
#include <errno.h>
#include <string.h>

#include "cp/registers.h"
#include "debugfs/files.h"

#define GPR_MAX_DWORDS 1024

/* Where SQ_IND has SGPRs and VGPRs. */
enum { IND_SGPR0 = 0x200, IND_VGPR0 = 0x400 };

/* What a wave's data is made of, after a first dword that says so: type 3. */
enum { WAVE_DATA_TYPE = 3 };
static const uint16_t wave_data[] = {
   0x102, /* STATUS */
   0x108, /* PC_LO */
   0x109, /* PC_HI */
   0x27e, /* EXEC_LO */
   0x27f, /* EXEC_HI */
   0x117, /* HW_ID1 */
   0x118, /* HW_ID2 */
   0x105, /* GPR_ALLOC */
   0x106, /* LDS_ALLOC */
   0x103, /* TRAPSTS */
   0x107, /* IB_STS */
   0x11c, /* IB_STS2 */
   0x10d, /* IB_DBG1 */
   0x27d, /* M0 */
   0x101, /* MODE */
};
enum { WAVE_FIELDS = sizeof(wave_data) / sizeof(wave_data[0]) };

struct location {
   uint32_t se, sh, cu, wave;
};

/* SQ_IND_INDEX: WAVE_ID 4:0, WORKITEM_ID 10:5, AUTO_INCR 11, INDEX 31:16 */
static struct debugfs_step
step_index(uint32_t wave, uint32_t thread, uint32_t index, bool increment)
{
   return (struct debugfs_step){
      .access = DEBUGFS_WRITE,
      .address = REG_SQ_IND_INDEX,
      .value = wave | thread << 5 | (increment ? 1u << 11 : 0) | index << 16,
   };
}

static int
read_wave_data(struct card *card, const struct location *at, uint32_t data[1 + WAVE_FIELDS])
{
   struct debugfs_step steps[2 * WAVE_FIELDS + 2];
   uint32_t count = 0;
   steps[count++] = step_select_grbm(at->se, at->sh, at->cu);
   for (uint32_t i = 0; i < WAVE_FIELDS; i++) {
      steps[count++] = step_index(at->wave, 0, wave_data[i], false);
      steps[count++] = (struct debugfs_step){.access = DEBUGFS_READ_SAME, .address = REG_SQ_IND_DATA, .count = 1};
   }
   steps[count++] = step_select_grbm(ALL, ALL, ALL);
   data[0] = WAVE_DATA_TYPE;
   return mmio(card, steps, count, data + 1, WAVE_FIELDS, NULL);
}

static int
read_gprs(struct card *card, const struct location *at, uint32_t thread, uint32_t index, uint32_t *data, uint32_t count)
{
   const struct debugfs_step steps[] = {
      step_select_grbm(at->se, at->sh, at->cu),
      step_index(at->wave, thread, index, true),
      {.access = DEBUGFS_READ_SAME, .address = REG_SQ_IND_DATA, .count = count},
      step_select_grbm(ALL, ALL, ALL),
   };
   return mmio(card, steps, sizeof(steps) / sizeof(steps[0]), data, count, NULL);
}

/* The part of `from` at `offset`. */
static ssize_t
copy_out(void *data, size_t size, uint64_t offset, const uint32_t *from, size_t from_size)
{
   if (offset >= from_size)
      return 0;
   if (size > from_size - offset)
      size = from_size - offset;
   memcpy(data, (const uint8_t *)from + offset, size);
   return (ssize_t)size;
}

/* amdgpu_wave: byte 6:0, SE 14:7, SH 22:15, CU 30:23, wave 36:31, SIMD 44:37 */
ssize_t
wave_read(struct open_file *file, void *data, size_t size, uint64_t offset)
{
   if (size % 4 || offset % 4)
      return -EINVAL;
   struct location at = {field(offset, 7, 8), field(offset, 15, 8), field(offset, 23, 8), field(offset, 31, 6)};
   uint32_t values[1 + WAVE_FIELDS];
   int r = read_wave_data(file->card, &at, values);
   return r ? r : copy_out(data, size, field(offset, 0, 7), values, sizeof(values));
}

/* amdgpu_gpr: byte 11:0, SE 19:12, SH 27:20, CU 35:28, wave 43:36, SIMD 51:44, thread 59:52, bank 61:60 (0 VGPR) */
ssize_t
gpr_read(struct open_file *file, void *data, size_t size, uint64_t offset)
{
   if (size > 4 * GPR_MAX_DWORDS || size % 4 || offset % 4)
      return -EINVAL;
   struct location at = {field(offset, 12, 8), field(offset, 20, 8), field(offset, 28, 8), field(offset, 36, 8)};
   uint32_t base = field(offset, 60, 2) ? IND_SGPR0 : IND_VGPR0;
   uint32_t thread = base == IND_VGPR0 ? field(offset, 52, 8) : 0;
   int r = read_gprs(file->card, &at, thread, base + field(offset, 2, 10), data, (uint32_t)(size / 4));
   return r ? r : (ssize_t)size;
}

/*
 * amdgpu_gprwave. Of registers the kernel takes the offset twice: as the number of the first register that it reads,
 * and as the byte in what it has read. So only offset 0 gives what was meant; this is as it is there.
 */
ssize_t
gprwave_read(struct open_file *file, void *data, size_t size, uint64_t offset)
{
   const struct gprwave_state *state = &file->gprwave;
   /* The kernel does not look at the size, and has room for so many. */
   if (size > 4 * GPR_MAX_DWORDS || size % 4 || offset % 4)
      return -EINVAL;
   struct location at = {state->se, state->sh, state->cu, state->wave};
   if (!state->gpr_or_wave) {
      uint32_t values[1 + WAVE_FIELDS];
      int r = read_wave_data(file->card, &at, values);
      return r ? r : copy_out(data, size, offset, values, sizeof(values));
   }

   uint32_t values[GPR_MAX_DWORDS];
   bool vector = state->gpr.vgpr_or_sgpr;
   uint32_t index = (vector ? IND_VGPR0 : IND_SGPR0) + (uint32_t)offset;
   int r = read_gprs(file->card, &at, vector ? state->gpr.thread : 0, index, values, (uint32_t)(size / 4));
   if (!size)
      return -EINVAL;
   return r ? r : copy_out(data, size, offset, values, size);
}

int
gprwave_ioctl(struct open_file *file, unsigned command, const void *argument)
{
   if (command != GPRWAVE_SET_STATE)
      return -EINVAL;
   memcpy(&file->gprwave, argument, sizeof(file->gprwave));
   return 0;
}
