/* SPDX-License-Identifier: MIT */
/* Scratch memory of a stopped wave, as one of its lanes sees it. */
#include <errno.h>
#include <string.h>

#include "stop/private.h"
#include "wave/slot.h"

/* A dword of a lane's scratch lies beside that of the other lanes: FLAT_SCRATCH + (dword * lanes + lane) * 4 (RDNA3 ISA
 * guide, scratch addressing: swizzled by the wave size). */
static uint64_t
dword_va(struct hdb_machine *machine, const struct machine_wave *wave, uint32_t lane, uint32_t dword)
{
   const uint8_t *slot = machine_slot(machine, wave);
   uint64_t base = slot_read(slot, SLOT_HEADER_DWORD(H_FLAT_SCRATCH_LO)) |
                   (uint64_t)slot_read(slot, SLOT_HEADER_DWORD(H_FLAT_SCRATCH_HI)) << 32;
   return base + ((uint64_t)dword * wave->wave.wave_size + lane) * 4;
}

static int
check_range(const struct hdb_wave *wave, uint32_t lane, uint32_t offset, size_t size)
{
   if (wave->run != HDB_WAVE_STOPPED || !wave->shader || lane >= wave->wave_size)
      return -EINVAL;
   uint32_t lane_size = wave->shader->scratch_size_per_wave / wave->wave_size;
   return offset > lane_size || size > lane_size - offset ? -EFAULT : 0;
}

int
hdb_wave_scratch_address(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t lane, uint32_t offset,
                         uint64_t *va)
{
   int error = check_range(wave, lane, offset, 1);
   if (!error)
      *va = dword_va(machine, (const struct machine_wave *)wave, lane, offset / 4);
   return error;
}

static int
transfer(struct hdb_machine *machine, struct hdb_wave *public_wave, uint32_t lane, uint32_t offset, void *data,
         size_t size, bool writes)
{
   int error = check_range(public_wave, lane, offset, size);
   if (error)
      return error;
   const struct machine_wave *wave = (struct machine_wave *)public_wave;
   while (size) {
      uint32_t byte = offset % 4, word;
      size_t taken = size < 4 - byte ? size : 4 - byte;
      uint64_t va = dword_va(machine, wave, lane, offset / 4);
      error = wave_transfer_mapped(machine, public_wave, va, &word, 4, false);
      if (!error && writes) {
         memcpy((uint8_t *)&word + byte, data, taken);
         error = wave_transfer_mapped(machine, public_wave, va, &word, 4, true);
      } else if (!error) {
         memcpy(data, (uint8_t *)&word + byte, taken);
      }
      if (error)
         return error;
      data = (uint8_t *)data + taken;
      offset += taken;
      size -= taken;
   }
   return 0;
}

int
hdb_wave_read_scratch(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t lane, uint32_t offset, void *data,
                      size_t size)
{
   int error = transfer(machine, wave, lane, offset, data, size, false);
   if (!error)
      machine_pretend_scratch(machine, lane, offset, data, size);
   return error;
}

int
hdb_wave_write_scratch(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t lane, uint32_t offset,
                       const void *data, size_t size)
{
   return transfer(machine, wave, lane, offset, (void *)data, size, true);
}
