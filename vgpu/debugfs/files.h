/* SPDX-License-Identifier: MIT */
/*
 * The files of a card's directory, as amdgpu has them (amdgpu_debugfs.c, amdgpu_ttm.c, amdgpu_fence.c of Linux; the
 * layouts are those of amdgpu_umr.h). Results are a number of bytes, or a negative errno.
 */
#ifndef VGPU_DEBUGFS_FILES_H
#define VGPU_DEBUGFS_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/types.h>

#include "debugfs/card.h"

#define ALL 0xffffffffu /* of a selector: broadcast */

/* amdgpu_regs2; the first version of the ioctl has all but xcc_id. */
struct regs2_state {
   uint32_t use_srbm, use_grbm, pg_lock;
   struct {
      uint32_t se, sh, instance;
   } grbm;
   struct {
      uint32_t me, pipe, queue, vmid;
   } srbm;
   uint32_t xcc_id;
};
#define REGS2_STATE_V1_SIZE offsetof(struct regs2_state, xcc_id)
#define REGS2_SET_STATE (unsigned)_IOC(_IOC_READ | _IOC_WRITE, 0x20, 0, REGS2_STATE_V1_SIZE)
#define REGS2_SET_STATE_V2 (unsigned)_IOWR(0x20, 1, struct regs2_state)

struct gprwave_state {
   uint32_t gpr_or_wave, se, sh, cu, wave, simd, xcc_id;
   struct {
      uint32_t thread, vgpr_or_sgpr;
   } gpr;
};
#define GPRWAVE_SET_STATE (unsigned)_IOWR(0x20, 0, struct gprwave_state)

struct open_file {
   const struct file_type *type;
   struct card *card;
   struct open_file *next, **link; /* of all */
   union {
      struct regs2_state regs2;
      struct gprwave_state gprwave;
      char text[256]; /* what a file of text said when it was read at 0 */
   };
};

struct file_type {
   const char *name;
   mode_t mode;
   bool mmio; /* under the stricter form of lockdown not even readable */
   ssize_t (*read)(struct open_file *file, void *data, size_t size, uint64_t offset);
   ssize_t (*write)(struct open_file *file, const void *data, size_t size, uint64_t offset);
   int (*ioctl)(struct open_file *file, unsigned command, const void *argument);
   uint64_t (*size)(const struct card *card); /* that it shows; NULL: 0 */
};

/* NULL: no such file. */
const struct file_type *file_by_name(const char *name);
bool file_is_known(const char *name); /* also if a fault hides it */
const struct file_type *file_by_index(unsigned index);
unsigned file_index(const struct file_type *type);

int file_open(const struct file_type *type, struct card *card, int flags, struct open_file **file);
void file_release(struct open_file *file);
bool file_is_any_open(void);

/* Bits of an offset that says more than a place. */
static inline uint32_t
field(uint64_t offset, unsigned low, unsigned width)
{
   return offset >> low & ((1u << width) - 1);
}

/* file_registers.c */
ssize_t regs_read(struct open_file *file, void *data, size_t size, uint64_t offset);
ssize_t regs_write(struct open_file *file, const void *data, size_t size, uint64_t offset);
ssize_t regs2_read(struct open_file *file, void *data, size_t size, uint64_t offset);
ssize_t regs2_write(struct open_file *file, const void *data, size_t size, uint64_t offset);
int regs2_ioctl(struct open_file *file, unsigned command, const void *argument);

struct debugfs_step step_select_grbm(uint32_t se, uint32_t sh, uint32_t instance);

/* Register accesses as the card's bus gives them in the state of power that it is in. */
int mmio(struct card *card, const struct debugfs_step *steps, uint32_t count, uint32_t *values, uint32_t value_count,
         bool *busy);

/* file_waves.c */
ssize_t wave_read(struct open_file *file, void *data, size_t size, uint64_t offset);
ssize_t gpr_read(struct open_file *file, void *data, size_t size, uint64_t offset);
ssize_t gprwave_read(struct open_file *file, void *data, size_t size, uint64_t offset);
int gprwave_ioctl(struct open_file *file, unsigned command, const void *argument);

/* file_memory.c */
ssize_t vram_read(struct open_file *file, void *data, size_t size, uint64_t offset);
ssize_t vram_write(struct open_file *file, const void *data, size_t size, uint64_t offset);
uint64_t vram_size(const struct card *card);
ssize_t iomem_read(struct open_file *file, void *data, size_t size, uint64_t offset);
ssize_t iomem_write(struct open_file *file, const void *data, size_t size, uint64_t offset);

#endif
