/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cp/registers.h"
#include "cp/ring.h"
#include "sq/sq.h"
#include "vm/vm.h"

/* The registers that the card has outside of the ranges that packets write. */
static const struct {
   uint32_t address;
   uint32_t count;
} known[] = {
   {REG_SQ_WATCH0_ADDR_H, 12},
   {REG_SQ_DEBUG_HOST_TRAP_STATUS, 1},
   {REG_SQ_INTERRUPT_AUTO_MASK, 2},
   {REG_SQ_IND_INDEX, 2},
   {REG_SQ_CMD, 1},
   {REG_GCMC_VM_FB_OFFSET, 1},
   {REG_GCVM_L2_PROTECTION_FAULT_STATUS, 3},
   {REG_GCMC_VM_FB_LOCATION_BASE, 8}, /* up to MX_L1_TLB_CNTL */
   {REG_GCVM_CONTEXT0_CNTL, VGPU_VMIDS},
   {REG_GCVM_INVALIDATE_ENG17_SEM, 1},
   {REG_GCVM_INVALIDATE_ENG17_REQ, 1},
   {REG_GCVM_INVALIDATE_ENG17_ACK, 1},
   {REG_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR, 2 * VGPU_VMIDS},
   {REG_GCVM_CONTEXT0_PAGE_TABLE_START_ADDR, 2 * VGPU_VMIDS},
   {REG_GCVM_CONTEXT0_PAGE_TABLE_END_ADDR, 2 * VGPU_VMIDS},
   {REG_TCP_WATCH0_ADDR_H, 12},
   {REG_IH_VMID_0_LUT, VGPU_VMIDS},
   {REG_SPI_GDBG_PER_VMID_CNTL, 1},
   {REG_CP_HQD_VMID, 1},
   {REG_GRBM_GFX_CNTL, 1},
   {REG_SH_MEM_BASES, 7},
   {REG_SPI_GDBG_WAVE_CNTL, 3},
};

enum { VMID_REGISTERS = 8 };

struct register_file {
   uint32_t plain[REG_END / 4];
   uint32_t vmid[VGPU_VMIDS][VMID_REGISTERS];
   uint32_t sh[CP_RINGS][(REG_SH_END - REG_SH_BASE) / 4];
   bool invalidate_taken; /* GCVM_INVALIDATE_ENG17_SEM */
};

/* Place of a register in its VMID's set, or -1. */
static int
vmid_index(uint32_t address)
{
   if (address == REG_SPI_GDBG_PER_VMID_CNTL)
      return VMID_REGISTERS - 1;
   if (address >= REG_SH_MEM_BASES && address <= REG_SQ_SHADER_TMA_HI)
      return (address - REG_SH_MEM_BASES) / 4;
   return -1;
}

static bool
is_sh(uint32_t address)
{
   return address >= REG_SH_BASE && address < REG_SH_END;
}

static bool
exists(uint32_t address)
{
   if (address % 4 || address >= REG_END)
      return false;
   if (is_sh(address) || address >= REG_UCONFIG_BASE || (address >= REG_CONTEXT_BASE && address < REG_CONTEXT_END))
      return true;
   for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
      if (address >= known[i].address && address < known[i].address + 4 * known[i].count)
         return true;
   return false;
}

static bool
within(uint32_t address, uint32_t first, uint32_t count)
{
   return address >= first && address < first + 4 * count;
}

/* GCVM_CONTEXTn: what the kernel programs for an address space of four levels, so that a walk from outside works.
 * Page table addresses are in units of 4 KiB, except the base, which is a PDE. */
static uint32_t
read_vm_context(struct vgpu *gpu, uint32_t address)
{
   if (within(address, REG_GCVM_CONTEXT0_CNTL, VGPU_VMIDS)) {
      if (address == REG_GCVM_CONTEXT0_CNTL)
         return gpu->gart_table ? 1 : 0; /* ENABLE, DEPTH 0 */
      bool enabled = gpu->vmid[(address - REG_GCVM_CONTEXT0_CNTL) / 4];
      return enabled ? 1 | 3 << 1 : 0; /* ENABLE, DEPTH 3, BLOCK_SIZE 0 */
   }

   static const uint32_t first[] = {REG_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR, REG_GCVM_CONTEXT0_PAGE_TABLE_START_ADDR,
                                    REG_GCVM_CONTEXT0_PAGE_TABLE_END_ADDR};
   uint64_t value = 0;
   bool high = false;
   for (int i = 0; i < 3; i++) {
      if (!within(address, first[i], 2 * VGPU_VMIDS))
         continue;
      uint32_t n = (address - first[i]) / 4;
      const struct vm *vm = gpu->vmid[n / 2];
      high = n % 2;
      if (n / 2 == 0 && gpu->gart_table)
         value = i == 0 ? gpu->gart_table | 1 : (VGPU_GART_START + (i == 2 ? VGPU_GART_SIZE - 1 : 0)) >> 12;
      if (vm && i == 0)
         value = vm->root | 1; /* V */
      if (vm && i == 2)
         value = ((UINT64_C(1) << 48) - 1) >> 12;
   }
   return high ? value >> 32 : value;
}

static bool
is_vm_context(uint32_t address)
{
   return within(address, REG_GCVM_CONTEXT0_CNTL, VGPU_VMIDS) ||
          within(address, REG_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR, 2 * VGPU_VMIDS) ||
          within(address, REG_GCVM_CONTEXT0_PAGE_TABLE_START_ADDR, 2 * VGPU_VMIDS) ||
          within(address, REG_GCVM_CONTEXT0_PAGE_TABLE_END_ADDR, 2 * VGPU_VMIDS);
}

uint32_t
registers_get(struct vgpu *gpu, enum cp_ring ring, uint32_t address)
{
   if (!exists(address))
      return 0;
   if (is_sh(address))
      return gpu->registers->sh[ring][(address - REG_SH_BASE) / 4];
   return gpu->registers->plain[address / 4];
}

void
registers_set(struct vgpu *gpu, enum cp_ring ring, uint32_t address, uint32_t value)
{
   if (!exists(address))
      return;
   if (is_sh(address))
      gpu->registers->sh[ring][(address - REG_SH_BASE) / 4] = value;
   else
      gpu->registers->plain[address / 4] = value;
}

uint32_t
registers_get_vmid(struct vgpu *gpu, uint32_t vmid, uint32_t address)
{
   return gpu->registers->vmid[vmid % VGPU_VMIDS][vmid_index(address)];
}

void
registers_report_fault(struct vgpu *gpu, struct vm *vm, uint64_t va, uint32_t access)
{
   uint32_t *plain = gpu->registers->plain;
   uint64_t page = (va & ((UINT64_C(1) << 48) - 1)) >> 12;
   plain[REG_GCVM_L2_PROTECTION_FAULT_STATUS / 4] = vm_fault_status(vm, va, access);
   plain[REG_GCVM_L2_PROTECTION_FAULT_ADDR_LO / 4] = page;
   plain[REG_GCVM_L2_PROTECTION_FAULT_ADDR_HI / 4] = page >> 32;
}

/* ---- accesses from outside ---- */

/* The bank that a caller without one of his own gets: what stands in GRBM_GFX_CNTL and GRBM_GFX_INDEX. */
static struct vgpu_bank
programmed_bank(struct vgpu *gpu)
{
   uint32_t cntl = gpu->registers->plain[REG_GRBM_GFX_CNTL / 4];
   uint32_t index = gpu->registers->plain[REG_GRBM_GFX_INDEX / 4];
   return (struct vgpu_bank){
      .pipe = cntl & 3,
      .me = cntl >> 2 & 3,
      .vmid = cntl >> 4 & 15,
      .queue = cntl >> 8 & 7,
      .instance = index >> 30 & 1 ? VGPU_BROADCAST : index & 0xff,
      .sa = index >> 29 & 1 ? VGPU_BROADCAST : index >> 8 & 0xff,
      .se = index >> 31 & 1 ? VGPU_BROADCAST : index >> 16 & 0xff,
   };
}

static int
ring_of_bank(const struct vgpu_bank *bank)
{
   if (bank->me == 0)
      return CP_RING_GFX;
   if (bank->me == 1 && bank->queue == 0 && bank->pipe < 4)
      return CP_RING_COMPUTE0 + (int)bank->pipe;
   return -1;
}

static struct sq_selection
selection_of_bank(const struct vgpu_bank *bank)
{
   return (struct sq_selection){
      .se = bank->se, .sa = bank->sa, .instance = bank->instance, .me = bank->me, .pipe = bank->pipe};
}

/* SQ_IND_INDEX: WAVE_ID 4:0, WORKITEM_ID 10:5, AUTO_INCR 11, INDEX 31:16. The auto-increment counts registers. */
static void
advance_indirect_index(struct vgpu *gpu)
{
   uint32_t *index = &gpu->registers->plain[REG_SQ_IND_INDEX / 4];
   if (*index & 1 << 11)
      *index += 1 << 16;
}

static int
read_locked(struct vgpu *gpu, const struct vgpu_bank *bank, uint32_t address, uint32_t *value)
{
   struct register_file *file = gpu->registers;

   int index = vmid_index(address);
   if (index >= 0) {
      *value = file->vmid[bank->vmid % VGPU_VMIDS][index];
      return 0;
   }
   if (is_sh(address) || address == REG_CP_HQD_VMID) {
      int ring = ring_of_bank(bank);
      if (ring < 0)
         return -EINVAL;
      if (is_sh(address)) {
         *value = file->sh[ring][(address - REG_SH_BASE) / 4];
         return 0;
      }
      const struct cp_job *job = gpu->cp->rings[ring].job;
      *value = job ? job->vm->vmid : 0;
      return 0;
   }
   if (is_vm_context(address)) {
      *value = read_vm_context(gpu, address);
      return 0;
   }
   if (within(address, REG_IH_VMID_0_LUT, VGPU_VMIDS) && !file->plain[address / 4]) {
      *value = gpu->vmid[(address - REG_IH_VMID_0_LUT) / 4] ? VGPU_PASID : 0; /* as the kernel programs it */
      return 0;
   }
   if (address == REG_SQ_IND_DATA) {
      struct sq_selection selection = selection_of_bank(bank);
      *value = sq_indirect_read(gpu, &selection, file->plain[REG_SQ_IND_INDEX / 4]);
      advance_indirect_index(gpu);
      return 0;
   }
   if (address == REG_GCVM_INVALIDATE_ENG17_SEM) {
      /* Whoever reads 1 has it, until he writes 0 (gmc_v11_0.c). */
      *value = !file->invalidate_taken;
      file->invalidate_taken = true;
      return 0;
   }
   *value = file->plain[address / 4];
   return 0;
}

/* Waves of other VMIDs need not compare their addresses with anything. */
static void
note_watches(struct vgpu *gpu)
{
   uint32_t vmids = 0;
   for (int n = 0; n < 4; n++) {
      uint32_t cntl = gpu->registers->plain[(REG_TCP_WATCH0_ADDR_H + 12 * n + 8) / 4];
      vmids |= cntl & TCP_WATCH_VALID ? 1u << (cntl >> 24 & 15) : 0;
   }
   atomic_store_explicit(&gpu->watched_vmids, vmids, memory_order_relaxed);
}

static int
write_locked(struct vgpu *gpu, const struct vgpu_bank *bank, uint32_t address, uint32_t value)
{
   struct register_file *file = gpu->registers;
   struct sq_selection selection = selection_of_bank(bank);

   int index = vmid_index(address);
   if (index >= 0) {
      file->vmid[bank->vmid % VGPU_VMIDS][index] = value;
      return 0;
   }
   if (is_sh(address)) {
      int ring = ring_of_bank(bank);
      if (ring < 0)
         return -EINVAL;
      file->sh[ring][(address - REG_SH_BASE) / 4] = value;
      return 0;
   }
   if (is_vm_context(address) || address == REG_CP_HQD_VMID)
      return -EACCES; /* the kernel driver's */
   switch (address) {
   case REG_SQ_CMD:
      sq_command(gpu, &selection, value);
      return 0;
   case REG_SQ_IND_DATA:
      sq_indirect_write(gpu, &selection, file->plain[REG_SQ_IND_INDEX / 4], value);
      advance_indirect_index(gpu);
      return 0;
   case REG_GCVM_INVALIDATE_ENG17_SEM:
      file->invalidate_taken = value & 1;
      return 0;
   case REG_GCVM_INVALIDATE_ENG17_REQ:
      /* The TLB is dropped at once; ACK has one bit for each VMID asked for. */
      tlb_flush(&gpu->sq->tlb);
      file->plain[REG_GCVM_INVALIDATE_ENG17_ACK / 4] = value & 0xffff;
      break;
   default:
      break;
   }
   file->plain[address / 4] = value;
   if (within(address, REG_TCP_WATCH0_ADDR_H, 12))
      note_watches(gpu);
   return 0;
}

int
registers_read(struct vgpu *gpu, const struct vgpu_bank *bank, uint32_t address, uint32_t *value)
{
   *value = 0;
   if (!exists(address))
      return -EINVAL;
   struct vgpu_bank programmed = programmed_bank(gpu);
   return read_locked(gpu, bank ? bank : &programmed, address, value);
}

int
registers_write(struct vgpu *gpu, const struct vgpu_bank *bank, uint32_t address, uint32_t value)
{
   if (!exists(address))
      return -EINVAL;
   struct vgpu_bank programmed = programmed_bank(gpu);
   return write_locked(gpu, bank ? bank : &programmed, address, value);
}

VGPU_API int
vgpu_register_read(struct vgpu *gpu, const struct vgpu_bank *bank, uint32_t address, uint32_t *value)
{
   int ret = cp_lock(gpu);
   if (ret)
      return ret;
   ret = registers_read(gpu, bank, address, value);
   cp_unlock(gpu);
   return ret;
}

VGPU_API int
vgpu_register_write(struct vgpu *gpu, const struct vgpu_bank *bank, uint32_t address, uint32_t value)
{
   int ret = cp_lock(gpu);
   if (ret)
      return ret;
   ret = registers_write(gpu, bank, address, value);
   cp_unlock(gpu);
   return ret;
}

VGPU_API int
vgpu_watched_read(struct vgpu *gpu, const struct vgpu_bank *bank, uint32_t wave, struct vgpu_watched *watched)
{
   struct sq_selection selection = selection_of_bank(bank);
   int ret = cp_lock(gpu);
   if (ret)
      return ret;
   const struct sq_wave *selected = sq_selected_wave(gpu, &selection, wave);
   if (selected)
      *watched = selected->wave.watch_seen;
   cp_unlock(gpu);
   return selected ? 0 : -ENOENT;
}

/* ---- life ---- */

void
registers_reset(struct vgpu *gpu)
{
   struct register_file *file = gpu->registers;
   memset(file, 0, sizeof(*file));
   note_watches(gpu);

   /* As the kernel leaves them: everything broadcast; shared aperture 1, private aperture 2 (both << 48), as it sets
    * for its compute VMIDs; unaligned access allowed (SH_MEM_CONFIG.ALIGNMENT_MODE 3). */
   file->plain[REG_GRBM_GFX_INDEX / 4] = 7u << 29;
   for (int vmid = 0; vmid < VGPU_VMIDS; vmid++) {
      file->vmid[vmid][vmid_index(REG_SH_MEM_BASES)] = 1 << 16 | 2;
      file->vmid[vmid][vmid_index(REG_SH_MEM_CONFIG)] = 3 << 2;
   }
   for (int vmid = 1; vmid < VGPU_KERNEL_VMIDS && gpu->first_level_tba; vmid++) {
      uint32_t *bank = file->vmid[vmid];
      bank[vmid_index(REG_SQ_SHADER_TBA_LO)] = gpu->first_level_tba >> 8;
      bank[vmid_index(REG_SQ_SHADER_TBA_HI)] = (gpu->first_level_tba >> 40 & 0xff) | TBA_HI_TRAP_EN;
      bank[vmid_index(REG_SQ_SHADER_TMA_LO)] = gpu->first_level_tma >> 8;
      bank[vmid_index(REG_SQ_SHADER_TMA_HI)] = gpu->first_level_tma >> 40 & 0xff;
   }
   /* All of VRAM, at 0: addresses in page tables are offsets into it. */
   uint64_t last = gpu->vram_size ? gpu->vram_size - 1 : 0;
   file->plain[REG_GCMC_VM_FB_LOCATION_TOP / 4] = last >> 24;
   file->plain[REG_GCMC_VM_SYSTEM_APERTURE_HIGH_ADDR / 4] = last >> 18;
   /* No AGP aperture (its bottom is above its top), and as gfxhub_v3_0.c has them: ENABLE_L1_TLB 0, SYSTEM_ACCESS_MODE
    * 4:3 (3: VMID 0 is translated outside the system aperture), ENABLE_ADVANCED_DRIVER_MODEL 6, MTYPE 13:11 (UC). */
   file->plain[REG_GCMC_VM_AGP_BOT / 4] = 0xffffff;
   file->plain[REG_GCMC_VM_MX_L1_TLB_CNTL / 4] = 1 | 3 << 3 | 1 << 6 | 3 << 11;
}

int
registers_init(struct vgpu *gpu)
{
   gpu->registers = calloc(1, sizeof(*gpu->registers));
   if (!gpu->registers)
      return -ENOMEM;
   registers_reset(gpu);
   return 0;
}

void
registers_finish(struct vgpu *gpu)
{
   free(gpu->registers);
   gpu->registers = NULL;
}
