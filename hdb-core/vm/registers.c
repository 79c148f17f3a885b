/* SPDX-License-Identifier: MIT */
/*
 * What GC 11.0's registers say of address spaces (gc_11_0_0_offset.h, umr's register database; how they are set:
 * the kernel's gfxhub_v3_0.c and gmc_v11_0.c). Offsets are in dwords from GC segment 0.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "vm/page_table.h"

#define GCMC_VM_FB_OFFSET 0x15a7 /* value << 24, as the next five; 24 bits */
#define GCMC_VM_FB_LOCATION_BASE 0x1678
#define GCMC_VM_FB_LOCATION_TOP 0x1679
#define GCMC_VM_AGP_TOP 0x167a
#define GCMC_VM_AGP_BOT 0x167b
#define GCMC_VM_AGP_BASE 0x167c
#define GCMC_VM_SYSTEM_APERTURE_LOW_ADDR 0x167d /* value << 18, 30 bits */
#define GCMC_VM_SYSTEM_APERTURE_HIGH_ADDR 0x167e
#define GCMC_VM_MX_L1_TLB_CNTL 0x167f         /* SYSTEM_ACCESS_MODE 4:3 */
#define GCVM_CONTEXT0_CNTL 0x1688             /* ENABLE 0, PAGE_TABLE_DEPTH 2:1, PAGE_TABLE_BLOCK_SIZE 6:3; + vmid */
#define GCVM_CONTEXT0_PAGE_TABLE_BASE 0x16f3  /* low and high half; + 2 * vmid, as the next two */
#define GCVM_CONTEXT0_PAGE_TABLE_START 0x1713 /* value << 12, 36 bits */
#define GCVM_CONTEXT0_PAGE_TABLE_END 0x1733
#define GCVM_INVALIDATE_ENG17_REQ 0x16bc
#define GCVM_INVALIDATE_ENG17_ACK 0x16ce /* a bit for each VMID */

#define VMIDS 16

/* GCVM_INVALIDATE_ENG17_REQ: VMIDs 15:0, FLUSH_TYPE 18:16, L2_PTES 19, L2_PDE0 20, L2_PDE1 21, L2_PDE2 22, L1_PTES 23.
 * Of the flush types, the heavy one also waits for accesses under way. */
#define REQ_FLUSH_HEAVY (2u << 16)
#define REQ_ALL_LEVELS (0x1fu << 19)

struct reader {
   hdb_vm_read_register read;
   void *user;
   int result;
   bool all_ones; /* all that was read */
};

static uint32_t
get(struct reader *reader, uint32_t offset)
{
   uint32_t value = 0;
   if (reader->result == 0)
      reader->result = reader->read(reader->user, offset, &value);
   reader->all_ones &= value == 0xffffffff;
   return value;
}

static uint64_t
get_pair(struct reader *reader, uint32_t offset)
{
   uint64_t low = get(reader, offset);
   return low | (uint64_t)get(reader, offset + 1) << 32;
}

/* A bound in units of 16 MiB. */
static uint64_t
get_24(struct reader *reader, uint32_t offset)
{
   return (uint64_t)(get(reader, offset) & 0xffffff) << 24;
}

static uint64_t
get_page(struct reader *reader, uint32_t offset)
{
   return (get_pair(reader, offset) & 0xfffffffffull) << 12;
}

int
hdb_vm_init(struct hdb_vm *vm, uint32_t vmid, hdb_vm_read_register read, void *user)
{
   if (vmid >= VMIDS)
      return -EINVAL;
   struct reader reader = {read, user, 0, true};
   uint32_t control = get(&reader, GCVM_CONTEXT0_CNTL + vmid);
   *vm = (struct hdb_vm){
      .vmid = vmid,
      .enabled = control & 1,
      .depth = control >> 1 & 3,
      .block_size = control >> 3 & 15,
      .root = get_pair(&reader, GCVM_CONTEXT0_PAGE_TABLE_BASE + 2 * vmid),
      .start = get_page(&reader, GCVM_CONTEXT0_PAGE_TABLE_START + 2 * vmid),
      .end = get_page(&reader, GCVM_CONTEXT0_PAGE_TABLE_END + 2 * vmid) | 0xfff,
      .fb_offset = get_24(&reader, GCMC_VM_FB_OFFSET),
      .fb_base = get_24(&reader, GCMC_VM_FB_LOCATION_BASE),
      .fb_top = get_24(&reader, GCMC_VM_FB_LOCATION_TOP) | 0xffffff,
      .agp_bottom = get_24(&reader, GCMC_VM_AGP_BOT),
      .agp_top = get_24(&reader, GCMC_VM_AGP_TOP) | 0xffffff,
      .agp_base = get_24(&reader, GCMC_VM_AGP_BASE),
   };
   if (vmid == 0) {
      vm->system_low = (uint64_t)(get(&reader, GCMC_VM_SYSTEM_APERTURE_LOW_ADDR) & 0x3fffffff) << 18;
      vm->system_high = (uint64_t)(get(&reader, GCMC_VM_SYSTEM_APERTURE_HIGH_ADDR) & 0x3fffffff) << 18 | 0x3ffff;
      vm->system_access_mode = get(&reader, GCMC_VM_MX_L1_TLB_CNTL) >> 3 & 3;
   }
   if (reader.result < 0)
      return reader.result;
   return reader.all_ones ? -EIO : 0;
}

int
hdb_vm_invalidate(uint32_t mask, hdb_vm_read_register read, hdb_vm_write_register write, void *user)
{
   mask &= (1u << VMIDS) - 1;
   int result = write(user, GCVM_INVALIDATE_ENG17_REQ, mask | REQ_FLUSH_HEAVY | REQ_ALL_LEVELS);
   const struct timespec pause = {.tv_nsec = 100000};
   for (int tries = 0; result == 0 && tries < 1000; tries++) {
      uint32_t done;
      result = read(user, GCVM_INVALIDATE_ENG17_ACK, &done);
      if (result == 0 && done == 0xffffffff)
         return -EIO;
      if (result == 0 && (done & mask) == mask)
         return 0;
      if (result == 0)
         nanosleep(&pause, NULL);
   }
   return result < 0 ? result : -ETIME;
}
