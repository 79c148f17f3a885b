/* SPDX-License-Identifier: MIT */
/*
 * A card of registers that keep what is written, a few waves, and two processes' page tables, built by hand. Nothing in
 * it is shared with what reads it: offsets and bits are from the UMR register database and the kernel's amdgpu_vm.h.
 */
#ifndef FAKE_CARD_H
#define FAKE_CARD_H

#include "server.h"

enum {
   OURS = 3, /* VMIDs */
   OTHER = 5,
   VRAM_SIZE = 0x40000,
   SYSTEM_SIZE = 0x2000,
   OUR_PAGE = 0x20000, /* VRAM offsets of what is mapped */
   OTHER_PAGE = 0x30000
};

/* In both address spaces: a page of VRAM that can be written, one of VRAM to be read only, one of system memory. */
#define VA 0xffff800000200000ull
#define VA_READ_ONLY (VA + 0x1000)
#define VA_SYSTEM (VA + 0x2000)
#define VA_NOTHING (VA + 0x3000)
#define SYSTEM_BASE 0x7f0000000000ull

struct fake_access {
   bool write;
   struct hdb_bank bank;
   uint32_t reg, value;
};

struct fake_card {
   struct server_card card;
   uint32_t registers[2][0x3000]; /* by segment; those that are banked: VMID 0's */
   uint32_t banked[16][8];        /* TBA_LO, TBA_HI, TMA_LO, TMA_HI, SPI_GDBG_PER_VMID_CNTL */
   uint32_t wave_vmid[2];         /* of the waves in slots 0 and 1 of every SIMD */
   uint8_t vram[VRAM_SIZE];
   uint8_t system[SYSTEM_SIZE];
   struct fake_access last; /* write */
   uint32_t operations;
   uint32_t fail_from, fail_to; /* these operations fail, with -EIO; 0: none does */
};

uint32_t fake_card_initial(uint32_t vmid, uint32_t i); /* banked[vmid][i] at first */
struct fake_card *fake_card_create(void);
void fake_card_set_root(struct fake_card *fake, uint32_t vmid, uint64_t pde);
uint32_t *fake_card_register(struct fake_card *fake, uint32_t vmid, uint32_t reg);

#endif
