/* SPDX-License-Identifier: MIT */
#include "wave.h"

#include <errno.h>
#include <string.h>

int
wave_transfer(uint8_t *array, uint64_t array_size, uint64_t offset, void *data, size_t size, bool writes)
{
   if (offset > array_size || size > array_size - offset)
      return -EFAULT;
   memcpy(writes ? array + offset : data, writes ? data : array + offset, size);
   return 0;
}

/* ---- registers ---- */

int
hdb_wave_read_scalar(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t reg, uint32_t *value)
{
   if (reg >= WAVE_SCALARS)
      return -EINVAL;
   *value = wave_contents_of(wave)->sgprs[reg];
   return 0;
}

int
hdb_wave_write_scalar(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t reg, uint32_t value)
{
   if (reg >= WAVE_SCALARS)
      return -EINVAL;
   wave_contents_of(wave)->sgprs[reg] = value;
   return 0;
}

int
hdb_wave_read_vgpr(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t vgpr, uint32_t lanes[64])
{
   if (vgpr >= wave->vgpr_count)
      return -EINVAL;
   memcpy(lanes, wave_contents_of(wave)->vgprs[vgpr], 64 * sizeof(*lanes));
   return 0;
}

int
hdb_wave_write_vgpr(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t vgpr, uint32_t lane, uint32_t value)
{
   if (vgpr >= wave->vgpr_count || lane >= wave->wave_size)
      return -EINVAL;
   wave_contents_of(wave)->vgprs[vgpr][lane] = value;
   return 0;
}

int
hdb_wave_set_scc(struct hdb_machine *machine, struct hdb_wave *wave, bool scc)
{
   wave->status = (wave->status & ~1u) | scc;
   return 0;
}

int
hdb_wave_set_pc(struct hdb_machine *machine, struct hdb_wave *wave, uint64_t pc)
{
   if (pc & 3 || pc - wave->shader->va >= wave->shader->exec_size)
      return -EINVAL;
   wave->pc = pc;
   wave->notice = HDB_STOP_SEEN;
   return 0;
}

/* Every four bytes of code are one. */
bool
hdb_machine_find_instruction(struct hdb_machine *machine, const struct hdb_shader *shader, uint32_t pc, uint32_t *start,
                             uint32_t *next)
{
   *start = pc & ~3u;
   *next = *start + 4;
   return pc < shader->exec_size;
}

/* ---- memory of its own ---- */

int
hdb_wave_read_lds(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t offset, void *data, size_t size)
{
   return wave_transfer(wave_contents_of(wave)->lds, WAVE_LDS, offset, data, size, false);
}

int
hdb_wave_write_lds(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t offset, const void *data, size_t size)
{
   return wave_transfer(wave_contents_of(wave)->lds, WAVE_LDS, offset, (void *)data, size, true);
}

static int
transfer_scratch(struct hdb_wave *wave, uint32_t lane, uint32_t offset, void *data, size_t size, bool writes)
{
   if (lane >= 64)
      return -EINVAL;
   return wave_transfer(wave_contents_of(wave)->scratch[lane], WAVE_SCRATCH, offset, data, size, writes);
}

int
hdb_wave_read_scratch(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t lane, uint32_t offset, void *data,
                      size_t size)
{
   return transfer_scratch(wave, lane, offset, data, size, false);
}

int
hdb_wave_write_scratch(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t lane, uint32_t offset,
                       const void *data, size_t size)
{
   return transfer_scratch(wave, lane, offset, (void *)data, size, true);
}

void
hdb_wave_hold_memory(struct hdb_machine *machine, const struct hdb_wave *wave)
{
}

void
hdb_wave_release_memory(struct hdb_machine *machine)
{
}

void
hdb_wave_pretend_memory(struct hdb_machine *machine, uint64_t va, const void *data, size_t size)
{
}

void
hdb_wave_pretend_scratch(struct hdb_machine *machine, uint32_t lane, uint32_t offset, const void *data, size_t size)
{
}

void
hdb_wave_pretend_nothing(struct hdb_machine *machine)
{
}
