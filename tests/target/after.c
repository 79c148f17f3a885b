/* SPDX-License-Identifier: MIT */
/*
 * saxpy, and then a look at the card that it ran on: the registers that a debugger changes are as they were. The card
 * is asked here, in its own process, whatever became of the way to it from outside. Ends with saxpy's code, or with 4.
 */
#include <stdio.h>
#include <unistd.h>

#include "vgpu.h"

int sample_main(int argc, char **argv);

/* Byte addresses, 4 * (GC base + offset) (UMR register database, GC 11.0.0; Navi31's GC base) */
static const struct {
   const char *name;
   uint32_t address;
} registers[] = {
   {"SQ_SHADER_TBA_LO", 4 * (0xa000 + 0x9e6)},        {"SQ_SHADER_TBA_HI", 4 * (0xa000 + 0x9e7)},
   {"SQ_SHADER_TMA_LO", 4 * (0xa000 + 0x9e8)},        {"SQ_SHADER_TMA_HI", 4 * (0xa000 + 0x9e9)},
   {"SPI_GDBG_PER_VMID_CNTL", 4 * (0x1260 + 0x1f72)},
};
enum { COUNT = sizeof(registers) / sizeof(*registers), VMIDS = 16 };

static int
find_changed(bool say)
{
   int changed = 0;
   for (uint32_t vmid = 0; vmid < VMIDS; vmid++) {
      for (int i = 0; i < COUNT; i++) {
         struct vgpu_bank bank = {.vmid = vmid, .se = VGPU_BROADCAST, .sa = VGPU_BROADCAST, .instance = VGPU_BROADCAST};
         uint32_t value;
         if (vgpu_register_read(vgpu_process_card(), &bank, registers[i].address, &value) || value) {
            changed++;
            if (say)
               printf("after: %s of VMID %u is 0x%08x\n", registers[i].name, vmid, value);
         }
      }
   }
   return changed;
}

int
main(int argc, char **argv)
{
   int result = sample_main(argc, argv);
   if (!vgpu_process_card()) {
      printf("after: no virtual GPU\n");
      return 4;
   }
   for (int i = 0; i < 50 && find_changed(false); i++) /* whoever restores them is another process */
      usleep(100000);
   if (find_changed(true))
      return 4;
   printf("after: the registers are as they were\n");
   return result;
}
