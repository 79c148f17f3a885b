/* SPDX-License-Identifier: MIT */
/*
 * Registers of GC 11.0.0 that the debugger uses (UMR register database), named by segment and offset in dwords: where
 * the segments stand, the card's IP discovery table says.
 */
#ifndef HDB_REGISTERS_H
#define HDB_REGISTERS_H

#include <stdint.h>

#define GC_SEGMENTS 2
#define GC_REGISTER(segment, offset) ((uint32_t)(segment) << 24 | (uint32_t)(offset))

/* The byte address; `base` holds the segments' first dwords. The register's segment must be below GC_SEGMENTS. */
static inline uint32_t
hdb_register_address(const uint32_t base[GC_SEGMENTS], uint32_t reg)
{
   return 4 * (base[reg >> 24] + (reg & 0xffffff));
}

/* Four watches: ADDR_H, ADDR_L, CNTL each, three dwords apart. */
#define REG_TCP_WATCH_ADDR_H(n) GC_REGISTER(0, 0x2048 + 3 * (n))
#define REG_TCP_WATCH_ADDR_L(n) GC_REGISTER(0, 0x2049 + 3 * (n)) /* 31:7 */
#define REG_TCP_WATCH_CNTL(n) GC_REGISTER(0, 0x204a + 3 * (n))   /* MASK 22:0, VMID 27:24, MODE 30:29, VALID 31 */
#define WATCH_CNTL_VALID (1u << 31)
#define WATCH_CNTL_VMID(cntl) ((cntl) >> 24 & 0xf)

/* The launch of a dispatch, one of each for every queue. */
#define REG_COMPUTE_DISPATCH_INITIATOR GC_REGISTER(0, 0x1ba0)
#define REG_COMPUTE_DIM(i) GC_REGISTER(0, 0x1ba1 + (i))        /* X, Y, Z */
#define REG_COMPUTE_START(i) GC_REGISTER(0, 0x1ba4 + (i))      /* X, Y, Z */
#define REG_COMPUTE_NUM_THREAD(i) GC_REGISTER(0, 0x1ba7 + (i)) /* X, Y, Z: FULL 15:0, PARTIAL 31:16 */
#define REG_COMPUTE_PGM_LO GC_REGISTER(0, 0x1bac)              /* bits 39:8 of the address */
#define REG_COMPUTE_PGM_HI GC_REGISTER(0, 0x1bad)
#define REG_COMPUTE_DISPATCH_SCRATCH_BASE_LO GC_REGISTER(0, 0x1bb0)
#define REG_COMPUTE_DISPATCH_SCRATCH_BASE_HI GC_REGISTER(0, 0x1bb1)
#define REG_COMPUTE_PGM_RSRC1 GC_REGISTER(0, 0x1bb2)
#define REG_COMPUTE_PGM_RSRC2 GC_REGISTER(0, 0x1bb3)
#define REG_COMPUTE_TMPRING_SIZE GC_REGISTER(0, 0x1bb8)
#define REG_COMPUTE_PGM_RSRC3 GC_REGISTER(0, 0x1bc8)
#define REG_COMPUTE_USER_DATA(n) GC_REGISTER(0, 0x1be0 + (n)) /* 16 */
#define COMPUTE_USER_DATA_COUNT 16
#define REG_TA_CS_BC_BASE_ADDR GC_REGISTER(1, 0x2380) /* border colours, in units of 256 bytes */
#define REG_TA_CS_BC_BASE_ADDR_HI GC_REGISTER(1, 0x2381)

#define REG_SQ_IND_INDEX GC_REGISTER(0, 0x1118) /* WAVE_ID 4:0, INDEX 31:16; by GRBM_GFX_INDEX */
#define REG_SQ_IND_DATA GC_REGISTER(0, 0x1119)
#define REG_SQ_CMD GC_REGISTER(0, 0x111b)
#define REG_GCVM_L2_PROTECTION_FAULT_STATUS GC_REGISTER(0, 0x15c8)
#define REG_GCVM_L2_PROTECTION_FAULT_ADDR_LO GC_REGISTER(0, 0x15c9) /* the page: bits 47:12 of the address */
#define REG_GCVM_L2_PROTECTION_FAULT_ADDR_HI GC_REGISTER(0, 0x15ca)
#define REG_GCVM_CONTEXT_PAGE_TABLE_BASE_LO(vmid) GC_REGISTER(0, 0x16f3 + 2 * (vmid))
#define REG_GCVM_CONTEXT_PAGE_TABLE_BASE_HI(vmid) GC_REGISTER(0, 0x16f4 + 2 * (vmid))
#define REG_SPI_GDBG_PER_VMID_CNTL GC_REGISTER(0, 0x1f72) /* one for each VMID, as the following */
#define REG_SQ_SHADER_TBA_LO GC_REGISTER(1, 0x9e6)
#define REG_SQ_SHADER_TBA_HI GC_REGISTER(1, 0x9e7)
#define REG_SQ_SHADER_TMA_LO GC_REGISTER(1, 0x9e8)
#define REG_SQ_SHADER_TMA_HI GC_REGISTER(1, 0x9e9)

#define TBA_HI_TRAP_EN (1u << 31)
#define GDBG_STALL_VMID (1u << 0)
#define GDBG_TRAP_EN (1u << 3)

#define FAULT_STATUS_VMID(status) ((status) >> 20 & 0xf) /* GCVM_L2_PROTECTION_FAULT_STATUS */

/* SQ_CMD: CMD 3:0, MODE 6:4, CHECK_VMID 7, VM_ID 31:28 (kernel's soc21_enum.h) */
#define SQ_CMD_SETHALT 1u
#define SQ_CMD_KILL 3u
#define SQ_CMD_TRAP 5u
#define SQ_CMD_SINGLE_STEP 8u
#define SQ_CMD_BROADCAST (1u << 4)
#define SQ_CMD_CHECK_VMID (1u << 7)
#define SQ_CMD_VMID_SHIFT 28

/* Indices of SQ_IND. ACTIVE is a bit for each wave slot of the SIMD. */
#define SQ_WAVE_ACTIVE 0x0a
#define SQ_WAVE_STATUS 0x102
#define SQ_WAVE_PC_LO 0x108
#define SQ_WAVE_PC_HI 0x109
#define SQ_WAVE_HW_ID2 0x118
#define HW_ID2_VMID(hw_id2) ((hw_id2) >> 24 & 0xf)

/* SQ_WAVE_STATUS */
#define STATUS_SCC (1u << 0)
#define STATUS_PRIV (1u << 5)
#define STATUS_TRAP_EN (1u << 6)
#define STATUS_IN_BARRIER (1u << 12)
#define STATUS_VALID (1u << 16)
#define STATUS_NO_VGPRS (1u << 24)

/* SQ_WAVE_MODE */
#define MODE_TRAP_AFTER_INST (1u << 11)

/* SQ_WAVE_TRAPSTS */
#define TRAPSTS_FAULTS 0x7980u /* memory violation 8, illegal instruction 11, address watch 7 and 14:12 */
#define TRAPSTS_ADDR_WATCH(n) ((n) ? 1u << (11 + (n)) : 1u << 7)
#define TRAPSTS_WATCHES 0x7080u
#define TRAPSTS_HOST_TRAP (1u << 16)
#define TRAPSTS_WAVE_START (1u << 17)
#define TRAPSTS_TRAP_AFTER_INST (1u << 20)

/* COMPUTE_PGM_RSRC2 and RSRC3 */
#define RSRC2_USER_SGPR(rsrc2) (((rsrc2) >> 1) & 0x1f)
#define RSRC2_TRAP_PRESENT (1u << 6)
#define RSRC2_TGID_X_EN (1u << 7) /* then Y, Z and TG_SIZE: the launch packs those enabled, in this order */
#define RSRC2_EXCP_EN_ADDR_WATCH (1u << 13)
#define RSRC2_EXCP_EN_MEM_VIOL (1u << 14)
#define RSRC3_TRAP_ON_START (1u << 10)

#endif
