/* SPDX-License-Identifier: MIT */
#include "target/second_level.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "target/kernel.h"
#include "target/second_level_calls.h"

static int
set_by_vm(int drm_fd, uint64_t tba, uint64_t tma)
{
   struct vm_arguments arguments = {.op = VM_OP_SET_L2_TRAP, .tba = tba, .tma = tma};
   return hdb_kernel_ioctl(drm_fd, IOCTL_VM, &arguments);
}

static int
set_by_cwsr(int drm_fd, enum hdb_second_level kind, uint64_t tba, uint32_t tba_size, uint64_t tma, uint32_t tma_size)
{
   struct cwsr_arguments arguments = {.op = CWSR_OP_SET_L2_TRAP, .l2_trap = {tba, tba_size, tma, tma_size}};
   return hdb_kernel_ioctl(drm_fd, kind == HDB_SECOND_LEVEL_CWSR ? IOCTL_CWSR(0x1b) : IOCTL_CWSR(0x20), &arguments);
}

static const char *const names[] = {
   [HDB_SECOND_LEVEL_VM] = "vm", [HDB_SECOND_LEVEL_CWSR] = "cwsr", [HDB_SECOND_LEVEL_CWSR_0X20] = "cwsr-0x20"};

bool
hdb_second_level_is_word(const char *word)
{
   bool known = !strcmp(word, "probe");
   for (enum hdb_second_level kind = HDB_SECOND_LEVEL_VM; kind <= HDB_SECOND_LEVEL_CWSR_0X20; kind++)
      known |= !strcmp(word, names[kind]);
   return known;
}

enum hdb_second_level
hdb_second_level_set(int drm_fd, const char *word, uint64_t tba, uint32_t tba_size, uint64_t tma, uint32_t tma_size)
{
   for (enum hdb_second_level kind = HDB_SECOND_LEVEL_VM; kind <= HDB_SECOND_LEVEL_CWSR_0X20; kind++) {
      if (!word || (strcmp(word, "probe") != 0 && strcmp(word, names[kind]) != 0))
         continue;
      int error = kind == HDB_SECOND_LEVEL_VM ? set_by_vm(drm_fd, tba, tma)
                                              : set_by_cwsr(drm_fd, kind, tba, tba_size, tma, tma_size);
      if (!error)
         return kind;
   }
   return HDB_SECOND_LEVEL_NONE;
}

int
hdb_second_level_clear(int drm_fd, enum hdb_second_level kind)
{
   struct vm_arguments arguments = {.op = VM_OP_CLEAR_L2_TRAP};
   return kind == HDB_SECOND_LEVEL_VM ? hdb_kernel_ioctl(drm_fd, IOCTL_VM, &arguments) : -ENOTSUP;
}
