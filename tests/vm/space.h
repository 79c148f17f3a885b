/* SPDX-License-Identifier: MIT */
/*
 * Random address spaces: page tables in memory and the registers that describe them, with a list of what is mapped
 * where. Written from the documents for page tables, and by other means than the walker that it tests.
 */
#ifndef SPACE_H
#define SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct space_page {
   uint64_t va, size; /* va: 48 bits */
   bool mapped;       /* else an access fails */
   bool memory;       /* else partially resident */
   bool system;
   uint64_t address; /* of the page, as a reader of physical memory would give it */
   uint64_t entry;
   unsigned mtype, fragment;
   bool readable, writable, executable, snooped, tmz;
};

#define SPACE_REGISTERS 0x1800
#define SPACE_TABLES (48u << 20) /* bytes for tables in VRAM, and as many in system memory */
#define SPACE_VRAM (8ull << 30)

struct space {
   uint32_t registers[SPACE_REGISTERS]; /* by dword offset from GC segment 0 */
   uint32_t vmid;
   uint64_t start, size;

   uint64_t seed;
   unsigned depth, block;
   uint64_t fb_offset;
   bool zero_frame_buffer; /* what looks like VRAM is system memory, from agp_base on */
   uint64_t agp_bottom, agp_base, agp_size;

   uint8_t *tables[2];             /* VRAM's and the system's */
   uint64_t tables_at[2], used[2]; /* where they lie in physical memory, and how much of them is taken */

   struct space_page *pages; /* sorted by address */
   size_t count, capacity;
   size_t reads, table_reads; /* calls of space_read */
   size_t written;            /* bytes */
};

void space_init(struct space *space);
void space_finish(struct space *space);

/* A new one in the same memory. */
void space_generate(struct space *space, uint64_t seed);

/* A flat run of 4 KiB pages from `va` on, contiguous in VRAM: `pages` must be a multiple of 512. */
void space_generate_flat(struct space *space, uint64_t va, uint64_t address, size_t pages);

/* Makes every table a table of garbage. */
void space_spoil(struct space *space);

/* As hdb_vm_read and so on; `user` is the space. Memory without tables holds space_byte(). Writing other bytes than
 * these, or into tables, is -EPERM. What is nowhere is -ENXIO. */
int space_read(void *user, bool system, uint64_t address, void *data, size_t size);
int space_write(void *user, bool system, uint64_t address, const void *data, size_t size);
int space_read_register(void *user, uint32_t offset, uint32_t *value);
uint8_t space_byte(bool system, uint64_t address);

uint64_t space_random(struct space *space, uint64_t below);

#endif
