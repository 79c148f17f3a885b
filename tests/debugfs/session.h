/* SPDX-License-Identifier: MIT */
/* vgpu-debugfs with a program in it, for one test. */
#ifndef DEBUGFS_SESSION_H
#define DEBUGFS_SESSION_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "program.h"

struct session {
   pid_t pid;   /* of vgpu-debugfs */
   int program; /* a socket; -1: closed */
   char directory[64];
   struct program_facts facts;
};

extern struct session session; /* the one that a test has */

/* False, with a line that says why, where there is no FUSE. */
bool fuse_works(void);

/* `options`: NULL, or words with a NULL behind them. With `command` that runs, in a shell that has $PROGRAM and
 * $SOCKET, its argument. */
void session_start(const char *const *options, const char *command);
int session_setup(void **state); /* without options */
int session_teardown(void **state);
void session_finish(void); /* tells the program to end, well */
int session_wait(void);    /* for vgpu-debugfs; its wait status */
bool session_is_mounted(void);
void session_remove(void); /* its directory, which must not be a mount any more */

/* The program's answer; the test fails if its result is an error. */
struct program_message ask(struct program_message message);

/* A descriptor of 0/NAME, or a negative errno. */
int open_file(const char *name, int flags);

/* 0, or a negative errno; a short transfer is -ENODATA. */
int read_at(int fd, uint64_t offset, void *data, size_t size);
int write_at(int fd, uint64_t offset, const void *data, size_t size);
uint32_t read32(int fd, uint64_t offset);
void write32(int fd, uint64_t offset, uint32_t value);

void nap(unsigned ms);

/* Fails after ten seconds. */
#define wait_until(condition)                      \
   do {                                            \
      for (int tries = 0; !(condition); tries++) { \
         assert_true(tries < 1000);                \
         nap(10);                                  \
      }                                            \
   } while (0)

/* ---- the kernel's interface, written down once more from amdgpu_umr.h and the GC 11.0.0 register headers ---- */

struct regs2_v2 {
   uint32_t use_srbm, use_grbm, pg_lock;
   uint32_t se, sh, instance;
   uint32_t me, pipe, queue, vmid;
   uint32_t xcc_id;
};
#define SET_STATE_V1 0xc0282000ul      /* _IOWR(0x20, 0, 40 bytes) */
#define SET_STATE_V2 0xc02c2001ul      /* _IOWR(0x20, 1, 44 bytes) */
#define GPRWAVE_SET_STATE 0xc0242000ul /* _IOWR(0x20, 0, 36 bytes) */

/* Byte addresses: 4 * (segment + offset). */
enum {
   SQ_IND_INDEX = 4 * (0x1260 + 0x1118),
   SQ_IND_DATA = 4 * (0x1260 + 0x1119),
   SQ_CMD = 4 * (0x1260 + 0x111b),
   GCMC_VM_FB_LOCATION_TOP = 4 * (0x1260 + 0x1679),
   GCVM_CONTEXT0_CNTL = 4 * (0x1260 + 0x1688),
   GCVM_INVALIDATE_ENG17_SEM = 4 * (0x1260 + 0x16aa),
   GCVM_INVALIDATE_ENG17_REQ = 4 * (0x1260 + 0x16bc),
   GCVM_INVALIDATE_ENG17_ACK = 4 * (0x1260 + 0x16ce),
   GCVM_CONTEXT0_PAGE_TABLE_BASE = 4 * (0x1260 + 0x16f3),
   GCVM_CONTEXT0_PAGE_TABLE_START = 4 * (0x1260 + 0x1713),
   GCVM_CONTEXT0_PAGE_TABLE_END = 4 * (0x1260 + 0x1733),
   SPI_GDBG_PER_VMID_CNTL = 4 * (0x1260 + 0x1f72),
   COMPUTE_PGM_RSRC3 = 4 * (0x1260 + 0x1bc8),
   SQ_SHADER_TBA_LO = 4 * (0xa000 + 0x9e6),
   SQ_SHADER_TMA_LO = 4 * (0xa000 + 0x9e8),
   GRBM_GFX_INDEX = 4 * (0xa000 + 0x2200),
};

#define ALL 0xffffffffu

void set_state(int fd, struct regs2_v2 state);

/* ---- what the program's card says and does, through vgpu.h ---- */

uint32_t register_value(struct vgpu_bank bank, uint64_t address);
uint32_t read_memory(uint64_t va);
void write_memory(uint64_t va, uint32_t value);
void launch(enum program_shader shader, uint64_t buffer);
bool job_ends_within(uint32_t ms);

/* All of a file, which has to fit. */
void read_text(const char *name, char *text, size_t size);

#endif
