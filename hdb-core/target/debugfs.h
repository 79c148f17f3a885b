/* SPDX-License-Identifier: MIT */
/*
 * A card's files under /sys/kernel/debug/dri: registers, video memory, system memory. For root, in a process of its
 * own: hdb-helper, and commands that look at a card without a program.
 */
#ifndef HDB_DEBUGFS_H
#define HDB_DEBUGFS_H

#include <sys/types.h>

#include "target/registers.h"
#include "target/target.h"

/* Where a card is. */
struct hdb_card_place {
   char debugfs[192]; /* the folder with amdgpu_regs2 */
   uint32_t gc_base[GC_SEGMENTS];
};

/* The card with this render node; 0: the only one there is. `debugfs` and `sysfs` NULL: /sys/kernel/debug/dri and /sys.
 * On errors `why` has a line for people. */
int hdb_card_place_find(dev_t render_node, const char *debugfs, const char *sysfs, struct hdb_card_place *place,
                        char *why, size_t why_size);

struct hdb_debugfs {
   int regs2, vram, iomem, gfxoff; /* -1: not open */
   uint32_t gc_base[GC_SEGMENTS];
   bool holds_gfxoff;
   bool bank_known; /* what regs2 was told last */
   struct hdb_bank bank;
};

#define HDB_DEBUGFS_CLOSED ((struct hdb_debugfs){.regs2 = -1, .vram = -1, .iomem = -1, .gfxoff = -1})

int hdb_debugfs_open(struct hdb_debugfs *files, const struct hdb_card_place *place, char *why, size_t why_size);
void hdb_debugfs_close(struct hdb_debugfs *files);

/* `reg` as in registers.h; `bank` NULL: the card's one, or everything at once. */
int hdb_debugfs_read_register(struct hdb_debugfs *files, const struct hdb_bank *bank, uint32_t reg, uint32_t *value);
int hdb_debugfs_write_register(struct hdb_debugfs *files, const struct hdb_bank *bank, uint32_t reg, uint32_t value);

/* A VRAM offset, or with `system` an address on the GPU's bus. -EPERM for pages that no buffer of the card has. */
int hdb_debugfs_read_memory(struct hdb_debugfs *files, bool system, uint64_t address, void *data, size_t size);
int hdb_debugfs_write_memory(struct hdb_debugfs *files, bool system, uint64_t address, const void *data, size_t size);

/* A card whose graphics engine is powered down reads as all ones and loses what is written. The kernel counts: each
 * call with true wants one with false, whoever it is that makes it. */
int hdb_debugfs_hold_gfxoff(struct hdb_debugfs *files, bool hold);

#endif
