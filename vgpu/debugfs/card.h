/* SPDX-License-Identifier: MIT */
/* The cards behind the tree: one for each process that has one, reached through its socket. */
#ifndef VGPU_DEBUGFS_CARD_H
#define VGPU_DEBUGFS_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "debugfs/protocol.h"

enum { CARDS_MAX = 128 }; /* their numbers are below the first of a render node */

struct card {
   uint32_t refs;   /* the list's, open files' */
   uint32_t number; /* of its directory */
   int socket;      /* -1: its process is gone */
   uint32_t sequence;
   pid_t pid;
   uid_t uid;
   char command[16];
   uint64_t vram_size;
   uint32_t gfxoff_holds; /* how often GFXOFF was forbidden and not allowed again */
   struct card *next;
};

/* A socket with a name of the kernel's choice, which vanishes with it; `name` as in DEBUGFS_ENVIRONMENT. */
int card_listen(char name[128]);

void card_accept(int listener);
struct card *card_list(void); /* those whose processes live, by number */
struct card *card_by_number(uint32_t number);
void card_hang_up(struct card *card);
void card_hang_up_all(void);
struct card *card_ref(struct card *card);
void card_unref(struct card *card);

/* 0 or a negative errno; -EIO: the process is gone, -ETIMEDOUT: it does not answer. */
int card_registers(struct card *card, uint32_t flags, const struct debugfs_step *steps, uint32_t count,
                   uint32_t *values, uint32_t value_count, bool *busy);
int card_copy(struct card *card, enum debugfs_operation operation, uint32_t flags, uint64_t address, void *data,
              uint32_t size);
int card_reset(struct card *card);

#endif
