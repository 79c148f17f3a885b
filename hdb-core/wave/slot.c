/* SPDX-License-Identifier: MIT */
#include "target/registers.h"
#include "wave/slot.h"

struct slot_place
hdb_slot_place(uint32_t slot)
{
   return (struct slot_place){
      .wave = slot & 15,
      .simd = slot >> 4 & 3,
      .wgp = slot >> 6 & 3,
      .sa = slot >> 8 & 1,
      .se = slot >> 9,
   };
}

uint32_t
hdb_slot_number(const struct slot_place *place)
{
   return place->se << 9 | place->sa << 8 | place->wgp << 6 | place->simd << 4 | place->wave;
}

static uint32_t
header(const uint8_t *slot, uint32_t n)
{
   return slot_read(slot, SLOT_HEADER_DWORD(n));
}

static uint32_t
noted(const uint8_t *slot)
{
   uint32_t ttmp11 = header(slot, H_TTMP + 11);
   return (ttmp11 & NOTED_MAGIC_MASK) == NOTED_MAGIC ? ttmp11 : 0;
}

bool
hdb_slot_is_fresh(const uint8_t *slot)
{
   return noted(slot) & 1u << NOTED_FRESH_BIT;
}

void
hdb_slot_decode(const uint8_t *slot, struct hdb_wave *wave)
{
   wave->pc = hdb_canonical(header(slot, H_PC_LO) | (uint64_t)(header(slot, H_PC_HI) & 0xffff) << 32);
   wave->trap_id = header(slot, H_PC_HI) >> 16;
   wave->exec = header(slot, H_EXEC_LO) | (uint64_t)header(slot, H_EXEC_HI) << 32;
   wave->status = header(slot, H_STATUS) & ~STATUS_PRIV;
   wave->mode = header(slot, H_MODE) & ~(MODE_TRAP_AFTER_INST | 1u << MODE_ENTRY_MARK_BIT);
   wave->trapsts = header(slot, H_TRAPSTS);
   wave->hw_id1 = header(slot, H_HW_ID1);
   wave->hw_id2 = header(slot, H_HW_ID2);
   wave->wave_size = header(slot, H_IB_STS2) & 1u << 11 ? 64 : 32; /* IB_STS2.WAVE64 */
   wave->sgpr_count = 106;
   /* GPR_ALLOC.VGPR_SIZE 19:12, in granules of 4 (wave64) or 8 (wave32) */
   wave->vgpr_count = ((header(slot, H_GPR_ALLOC) >> 12 & 0xff) + 1) * (wave->wave_size == 64 ? 4 : 8);

   uint32_t bits = noted(slot);
   const uint32_t all = 1u << NOTED_X_BIT | 1u << NOTED_Y_BIT | 1u << NOTED_Z_BIT | 1u << NOTED_WAVE_BIT;
   wave->workgroup_known = (bits & all) == all;
   for (int i = 0; i < 3; i++)
      wave->workgroup[i] = header(slot, H_TTMP + 8 + i);
   wave->index = bits & 0x3f;
}
