/* SPDX-License-Identifier: MIT */
/* The trap handler of a card: by its registers, or called by the kernel's own. */
#include <errno.h>
#include <stdio.h>

#include "target/registers.h"
#include "target/target_amdgpu.h"

void
hdb_amdgpu_remove_trap(struct hdb_target *target, uint32_t vmid)
{
   struct hdb_helper_request request = {.op = HDB_HELPER_RESTORE};
   hdb_amdgpu_call(target_amdgpu(target), &request, NULL, NULL, NULL, 0);
}

/* The kernel lets no wave of a graphics VMID trap (gfx_v11_0.c: TRAP_EN for compute VMIDs only). */
static int
enable_traps(struct target_amdgpu *self, uint32_t vmid)
{
   struct hdb_bank bank = {.vmid = vmid, .se = HDB_BROADCAST, .sa = HDB_BROADCAST, .instance = HDB_BROADCAST};
   const struct hdb_target_ops *ops = self->target.ops;
   uint32_t control;
   int error = ops->read_register(&self->target, &bank, REG_SPI_GDBG_PER_VMID_CNTL, &control);
   return error ?: ops->write_register(&self->target, &bank, REG_SPI_GDBG_PER_VMID_CNTL, control | GDBG_TRAP_EN);
}

/* A card that drops writes would let every trap be passed over, and nobody would know why nothing stops. */
static int
check_trap(struct target_amdgpu *self, uint32_t vmid, uint64_t tba, uint64_t tma)
{
   struct hdb_bank bank = {.vmid = vmid, .se = HDB_BROADCAST, .sa = HDB_BROADCAST, .instance = HDB_BROADCAST};
   const struct {
      const char *name;
      uint32_t reg, mask, value;
   } expected[] = {
      {"SQ_SHADER_TMA_LO", REG_SQ_SHADER_TMA_LO, ~0u, tma >> 8},
      {"SQ_SHADER_TMA_HI", REG_SQ_SHADER_TMA_HI, 0xff, tma >> 40 & 0xff},
      {"SQ_SHADER_TBA_LO", REG_SQ_SHADER_TBA_LO, ~0u, tba >> 8},
      {"SQ_SHADER_TBA_HI", REG_SQ_SHADER_TBA_HI, TBA_HI_TRAP_EN | 0xff, (tba >> 40 & 0xff) | TBA_HI_TRAP_EN},
      {"SPI_GDBG_PER_VMID_CNTL", REG_SPI_GDBG_PER_VMID_CNTL, GDBG_TRAP_EN, GDBG_TRAP_EN},
   };
   for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
      uint32_t value;
      int error = self->target.ops->read_register(&self->target, &bank, expected[i].reg, &value);
      if (error)
         return error;
      if ((value & expected[i].mask) == expected[i].value)
         continue;
      snprintf(self->problem, sizeof(self->problem),
               "the card does not keep what is written to its registers (%s is 0x%x, not 0x%x)", expected[i].name,
               (unsigned)value, (unsigned)expected[i].value);
      return -EIO;
   }
   return 0;
}

int
hdb_amdgpu_install_trap(struct hdb_target *target, uint32_t vmid, uint64_t tba, uint64_t tma)
{
   struct target_amdgpu *self = target_amdgpu(target);
   self->problem[0] = '\0';
   int error = hdb_target_point_trap(target, vmid, tba, tma);
   error = error ?: enable_traps(self, vmid);
   error = error ?: check_trap(self, vmid, tba, tma);
   if (error)
      hdb_amdgpu_remove_trap(target, vmid);
   return error;
}

/* The kernel's own handler calls ours; it has enabled traps for all that it has set one up for. */
int
hdb_amdgpu_set_second_level(struct hdb_target *target, uint64_t tba, uint64_t tba_size, uint64_t tma, uint64_t tma_size)
{
   struct target_amdgpu *self = target_amdgpu(target);
   if (self->unfit)
      return -ENOTSUP;
   self->second_level = hdb_second_level_set(self->drm_fd, self->second_level_word, tba, tba_size, tma, tma_size);
   return self->second_level ? 0 : -ENOTSUP;
}

int
hdb_amdgpu_clear_second_level(struct hdb_target *target)
{
   struct target_amdgpu *self = target_amdgpu(target);
   return hdb_second_level_clear(self->drm_fd, self->second_level);
}
