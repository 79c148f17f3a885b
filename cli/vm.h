/* SPDX-License-Identifier: MIT */
/* What the parts of `hdb vm` share. */
#ifndef VM_H
#define VM_H

#include <sys/types.h>

#include "target/debugfs.h"
#include "vm/page_table.h"

#define VMIDS 16

struct vm_card {
   struct hdb_debugfs files;
   struct hdb_card_place place;
};

int vm_read_register(void *user, uint32_t offset, uint32_t *value); /* as hdb_vm_read_register, of a vm_card */

/* The render node that the process has open; 0: none, as on a virtual card. */
dev_t vm_render_node(const char *proc, pid_t pid);
/* A card that amdgpu drives, by its render node; 0: sysfs has none. */
dev_t vm_first_card(const char *sysfs);
/* The card that the process uses, where each may have its own; false: none. */
bool vm_find_client(struct hdb_card_place *place, const char *root, pid_t pid);
/* The VMID of the process, or -1 after a message. */
int vm_find_vmid(struct vm_card *card, const char *sysfs, const char *proc, pid_t pid);

/* vm_awake.c: GFXOFF is held off until vm_let_sleep, or the end of this process. */
struct vm_awake {
   pid_t holder;
   int channel;
};
int vm_keep_awake(struct hdb_debugfs *files, struct vm_awake *awake);
void vm_let_sleep(struct vm_awake *awake);

#endif
