/* SPDX-License-Identifier: MIT */
/*
 * Address watch: a wave of the VMID whose vector memory instruction touches the range traps, TRAPSTS says which watch
 * it was. The registers are TCP's, as the kernel's compute driver uses them (amdgpu_amdkfd_gfx_v11.c); what scalar
 * loads touch is not seen. A bit that is set in MASK makes that bit of the address count; it begins at bit 7.
 */
#include <errno.h>

#include "target/registers.h"
#include "target/target.h"

#define SMALLEST 128
#define MASK 0x7fffffu

static struct hdb_bank
broadcast(uint32_t vmid)
{
   return (struct hdb_bank){.vmid = vmid, .se = HDB_BROADCAST, .sa = HDB_BROADCAST, .instance = HDB_BROADCAST};
}

static int
write_all(struct hdb_target *target, uint32_t vmid, uint32_t reg, uint32_t value)
{
   struct hdb_bank bank = broadcast(vmid);
   return target->ops->write_register(target, &bank, reg, value);
}

/* A card that drops writes would watch nothing, or what was watched before. */
static int
expect(struct hdb_target *target, uint32_t vmid, uint32_t reg, uint32_t value)
{
   struct hdb_bank bank = broadcast(vmid);
   uint32_t kept;
   int error = target->ops->read_register(target, &bank, reg, &kept);
   return error ?: kept == value ? 0 : -EREMOTEIO;
}

int
hdb_target_clear_watch(struct hdb_target *target, uint32_t vmid, uint32_t watch)
{
   return watch < HDB_WATCHES ? write_all(target, vmid, REG_TCP_WATCH_CNTL(watch), vmid << 24) : -EINVAL;
}

int
hdb_target_set_watch(struct hdb_target *target, uint32_t vmid, uint32_t watch, uint64_t va, uint64_t size,
                     enum hdb_watch_mode mode)
{
   if (watch >= HDB_WATCHES || size < SMALLEST || size & (size - 1) || va & (size - 1) || size >> 7 > MASK + 1)
      return -EINVAL;
   uint32_t mask = (uint32_t)(~(size - 1) >> 7) & MASK;
   uint32_t control = mask | vmid << 24 | (uint32_t)mode << 29 | WATCH_CNTL_VALID;
   int error = hdb_target_clear_watch(target, vmid, watch);
   error = error ?: write_all(target, vmid, REG_TCP_WATCH_ADDR_H(watch), va >> 32 & 0xffff);
   error = error ?: write_all(target, vmid, REG_TCP_WATCH_ADDR_L(watch), (uint32_t)va);
   error = error ?: write_all(target, vmid, REG_TCP_WATCH_CNTL(watch), control);
   error = error ?: expect(target, vmid, REG_TCP_WATCH_ADDR_H(watch), va >> 32 & 0xffff);
   error = error ?: expect(target, vmid, REG_TCP_WATCH_ADDR_L(watch), (uint32_t)va);
   return error ?: expect(target, vmid, REG_TCP_WATCH_CNTL(watch), control);
}
