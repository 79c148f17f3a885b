/* SPDX-License-Identifier: MIT */
/*
 * What vgpu-debugfs and the card in the program say to each other, over a Unix stream socket named by HDB_VGPU_DEBUGFS.
 * The card connects, says hello and then answers requests one by one. It knows registers and memory; whatever amdgpu
 * does with them for its debugfs files is done at the other end.
 */
#ifndef VGPU_DEBUGFS_PROTOCOL_H
#define VGPU_DEBUGFS_PROTOCOL_H

#include <stdint.h>

#define DEBUGFS_ENVIRONMENT "HDB_VGPU_DEBUGFS" /* "@NAME": an abstract address; otherwise a path */
#define DEBUGFS_VERSION 1
#define DEBUGFS_MAX_PAYLOAD (1u << 20) /* bytes of a request's or a reply's data */

struct debugfs_hello {
   uint32_t version, reserved;
   uint64_t vram_size;
};

enum debugfs_operation {
   DEBUGFS_REGISTERS, /* data: struct debugfs_step[]; the reply's: what the reads gave */
   DEBUGFS_VRAM_READ, /* `address` is an offset into VRAM */
   DEBUGFS_VRAM_WRITE,
   DEBUGFS_SYSTEM_READ, /* `address` is what a page table entry with S has */
   DEBUGFS_SYSTEM_WRITE,
   DEBUGFS_RESET
};

enum {
   DEBUGFS_NO_USER_PAGES = 1 << 0, /* system memory: the kernel's own pages only */
   DEBUGFS_IDLE_IS_OFF = 1 << 1    /* registers: without a job the card sleeps; all ones, and writes are lost */
};

struct debugfs_request {
   uint32_t sequence;
   uint32_t operation; /* enum debugfs_operation */
   uint32_t flags;
   uint32_t size; /* bytes that follow; of a read, bytes wanted */
   uint64_t address;
};

/* Accesses of one request happen with the card stopped, none between them. */
enum debugfs_access {
   DEBUGFS_READ,      /* `count` registers from `address` on */
   DEBUGFS_READ_SAME, /* the same register `count` times */
   DEBUGFS_WRITE
};

struct debugfs_step {
   uint32_t access; /* enum debugfs_access */
   uint32_t address;
   uint32_t count;
   uint32_t value;
};

struct debugfs_reply {
   uint32_t sequence;
   int32_t result; /* 0 or negative errno */
   uint32_t busy;  /* registers: a job is on the card */
   uint32_t size;  /* bytes that follow */
};

#endif
