/* SPDX-License-Identifier: MIT */
/* The register file. Addresses are byte addresses, 4 * (GC base + offset) (UMR register database, GC 11.0.0). */
#ifndef VGPU_REGISTERS_H
#define VGPU_REGISTERS_H

#include <stdint.h>

#include "cp/cp.h"

/* Navi31's GC_BASE, segments 0 and 1, in dwords. */
#define GC0(offset) (4 * (0x1260 + (offset)))
#define GC1(offset) (4 * (0xa000 + (offset)))

/* The ranges that SET_*_REG packets write, in bytes. */
enum {
   REG_CONFIG_BASE = 0x8000,
   REG_SH_BASE = 0xb000,
   REG_SH_END = 0xc000,
   REG_CONTEXT_BASE = 0x28000,
   REG_CONTEXT_END = 0x2a000,
   REG_UCONFIG_BASE = 0x30000,
   REG_END = 0x40000
};

enum {
   /* One for the card */
   REG_SQ_WATCH0_ADDR_H = GC0(0x10d0), /* 4 of H, L, CNTL */
   REG_SQ_DEBUG_HOST_TRAP_STATUS = GC0(0x10b6),
   REG_SQ_INTERRUPT_AUTO_MASK = GC0(0x10be),
   REG_SQ_IND_INDEX = GC0(0x1118), /* the data goes by GRBM_GFX_INDEX */
   REG_SQ_IND_DATA = GC0(0x1119),
   REG_SQ_CMD = GC0(0x111b),
   REG_GCMC_VM_FB_OFFSET = GC0(0x15a7),
   REG_GCVM_L2_PROTECTION_FAULT_STATUS = GC0(0x15c8),
   REG_GCVM_L2_PROTECTION_FAULT_ADDR_LO = GC0(0x15c9),
   REG_GCVM_L2_PROTECTION_FAULT_ADDR_HI = GC0(0x15ca),
   REG_GCMC_VM_FB_LOCATION_BASE = GC0(0x1678),
   REG_GCMC_VM_FB_LOCATION_TOP = GC0(0x1679),
   REG_GCMC_VM_AGP_TOP = GC0(0x167a),
   REG_GCMC_VM_AGP_BOT = GC0(0x167b),
   REG_GCMC_VM_AGP_BASE = GC0(0x167c),
   REG_GCMC_VM_SYSTEM_APERTURE_LOW_ADDR = GC0(0x167d),
   REG_GCMC_VM_SYSTEM_APERTURE_HIGH_ADDR = GC0(0x167e),
   REG_GCMC_VM_MX_L1_TLB_CNTL = GC0(0x167f),
   REG_GCVM_CONTEXT0_CNTL = GC0(0x1688), /* 16 */
   REG_GCVM_INVALIDATE_ENG17_SEM = GC0(0x16aa),
   REG_GCVM_INVALIDATE_ENG17_REQ = GC0(0x16bc),
   REG_GCVM_INVALIDATE_ENG17_ACK = GC0(0x16ce),
   REG_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR = GC0(0x16f3),  /* 16 of LO, HI */
   REG_GCVM_CONTEXT0_PAGE_TABLE_START_ADDR = GC0(0x1713), /* 16 of LO, HI */
   REG_GCVM_CONTEXT0_PAGE_TABLE_END_ADDR = GC0(0x1733),   /* 16 of LO, HI */
   REG_IH_VMID_0_LUT = 4 * 0x10a0,                        /* of OSSSYS, segment 0, one for each VMID: PASID 15:0 */
   REG_TCP_WATCH0_ADDR_H = GC0(0x2048),                   /* 4 of H, L, CNTL */
   REG_GRBM_GFX_CNTL = GC1(0x900),
   REG_SPI_GDBG_WAVE_CNTL = GC1(0x1943),
   REG_GRBM_GFX_INDEX = GC1(0x2200),
   REG_TA_CS_BC_BASE_ADDR = GC1(0x2380), /* border colours, in units of 256 bytes */
   REG_TA_CS_BC_BASE_ADDR_HI = GC1(0x2381),

   /* One for each VMID */
   REG_SPI_GDBG_PER_VMID_CNTL = GC0(0x1f72),
   REG_SH_MEM_BASES = GC1(0x9e3),
   REG_SH_MEM_CONFIG = GC1(0x9e4),
   REG_SQ_DEBUG = GC1(0x9e5),
   REG_SQ_SHADER_TBA_LO = GC1(0x9e6),
   REG_SQ_SHADER_TBA_HI = GC1(0x9e7),
   REG_SQ_SHADER_TMA_LO = GC1(0x9e8),
   REG_SQ_SHADER_TMA_HI = GC1(0x9e9),

   /* One for each queue */
   REG_CP_HQD_VMID = GC0(0x1fac),
   REG_COMPUTE_DISPATCH_INITIATOR = GC0(0x1ba0),
   REG_COMPUTE_DIM_X = GC0(0x1ba1),
   REG_COMPUTE_START_X = GC0(0x1ba4),
   REG_COMPUTE_NUM_THREAD_X = GC0(0x1ba7),
   REG_COMPUTE_PGM_LO = GC0(0x1bac),
   REG_COMPUTE_PGM_HI = GC0(0x1bad),
   REG_COMPUTE_DISPATCH_SCRATCH_BASE_LO = GC0(0x1bb0),
   REG_COMPUTE_DISPATCH_SCRATCH_BASE_HI = GC0(0x1bb1),
   REG_COMPUTE_PGM_RSRC1 = GC0(0x1bb2),
   REG_COMPUTE_PGM_RSRC2 = GC0(0x1bb3),
   REG_COMPUTE_TMPRING_SIZE = GC0(0x1bb8),
   REG_COMPUTE_PGM_RSRC3 = GC0(0x1bc8),
   REG_COMPUTE_USER_DATA_0 = GC0(0x1be0) /* 16 */
};

/* SQ_SHADER_TBA_HI */
#define TBA_HI_TRAP_EN (1u << 31)

/* TCP_WATCHn_CNTL */
#define TCP_WATCH_VALID (1u << 31)

/* SPI_GDBG_PER_VMID_CNTL */
enum {
   GDBG_STALL_VMID = 1 << 0,
   GDBG_LAUNCH_MODE_SHIFT = 1, /* 2 bits: 0 normal, 1 halted */
   GDBG_TRAP_EN = 1 << 3,
   GDBG_EXCP_EN_SHIFT = 4, /* 9 bits */
   GDBG_EXCP_REPLACE = 1 << 13,
   GDBG_TRAP_ON_START = 1 << 14,
   GDBG_TRAP_ON_END = 1 << 15
};

/* SPI_GDBG_WAVE_CNTL */
enum { GDBG_STALL_RA = 1 << 0, GDBG_STALL_LAUNCH = 1 << 1 };

/* COMPUTE_PGM_RSRC2, RSRC3 */
enum { RSRC2_SCRATCH_EN = 1 << 0, RSRC2_TRAP_PRESENT = 1 << 6, RSRC2_TG_SIZE_EN = 1 << 10 };
enum { RSRC3_TRAP_ON_START = 1 << 10, RSRC3_TRAP_ON_END = 1 << 11 };

/* COMPUTE_DISPATCH_INITIATOR */
enum {
   INITIATOR_COMPUTE_SHADER_EN = 1 << 0,
   INITIATOR_PARTIAL_TG_EN = 1 << 1,
   INITIATOR_FORCE_START_AT_000 = 1 << 2,
   INITIATOR_USE_THREAD_DIMENSIONS = 1 << 5,
   INITIATOR_CS_W32_EN = 1 << 15
};

/* All of these on the card's thread or under cp_lock. */

/* Of a queue: what its packets wrote, or the card's one copy for registers that a queue does not have of its own. */
uint32_t registers_get(struct vgpu *gpu, enum cp_ring ring, uint32_t address);
void registers_set(struct vgpu *gpu, enum cp_ring ring, uint32_t address, uint32_t value);

/* Of a VMID: one of the registers so marked above. */
uint32_t registers_get_vmid(struct vgpu *gpu, uint32_t vmid, uint32_t address);

/* As vgpu_register_read and vgpu_register_write, several of which can so be made without another's in between. */
int registers_read(struct vgpu *gpu, const struct vgpu_bank *bank, uint32_t address, uint32_t *value);
int registers_write(struct vgpu *gpu, const struct vgpu_bank *bank, uint32_t address, uint32_t value);

/* As the kernel leaves them when it has set the card up. */
void registers_reset(struct vgpu *gpu);

/* Fills in GCVM_L2_PROTECTION_FAULT_*: `access` (one of enum vm_access) failed at `va`. */
void registers_report_fault(struct vgpu *gpu, struct vm *vm, uint64_t va, uint32_t access);

#endif
