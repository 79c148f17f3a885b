/* SPDX-License-Identifier: MIT */
/* The registers by which waves find the trap handler. */
#include "target/registers.h"
#include "target/target.h"

static int
write_banked(struct hdb_target *target, uint32_t vmid, uint32_t reg, uint32_t value)
{
   struct hdb_bank bank = {
      .vmid = vmid,
      .se = HDB_BROADCAST,
      .sa = HDB_BROADCAST,
      .instance = HDB_BROADCAST,
   };
   return target->ops->write_register(target, &bank, reg, value);
}

/* TRAP_EN comes last, when the rest is in place. */
int
hdb_target_point_trap(struct hdb_target *target, uint32_t vmid, uint64_t tba, uint64_t tma)
{
   int error = write_banked(target, vmid, REG_SQ_SHADER_TMA_LO, tma >> 8);
   error = error ?: write_banked(target, vmid, REG_SQ_SHADER_TMA_HI, tma >> 40 & 0xff);
   error = error ?: write_banked(target, vmid, REG_SQ_SHADER_TBA_LO, tba >> 8);
   return error ?: write_banked(target, vmid, REG_SQ_SHADER_TBA_HI, (tba >> 40 & 0xff) | TBA_HI_TRAP_EN);
}

void
hdb_target_unpoint_trap(struct hdb_target *target, uint32_t vmid)
{
   write_banked(target, vmid, REG_SQ_SHADER_TBA_HI, 0);
   write_banked(target, vmid, REG_SQ_SHADER_TBA_LO, 0);
   write_banked(target, vmid, REG_SQ_SHADER_TMA_HI, 0);
   write_banked(target, vmid, REG_SQ_SHADER_TMA_LO, 0);
}
