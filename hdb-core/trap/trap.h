/* SPDX-License-Identifier: MIT */
/*
 * The trap handler on the device, and the memory that it shares with the host (layout.h): what is wanted, the tables it
 * searches, the ring through which stopped waves make themselves known, their slots.
 */
#ifndef HDB_TRAP_H
#define HDB_TRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hdb/hdb_driver.h"
#include "trap/layout.h"

struct hdb_target;

/* handler.S, assembled; NULL in a build without LLVM. */
const uint32_t *hdb_trap_handler_code(size_t *size);
const uint32_t *hdb_trap_second_level_code(size_t *size); /* for behind the kernel's own handler */

struct trap_entry {
   uint64_t pc; /* 48 bits */
   uint64_t value;
};

struct trap_table {
   uint32_t offset, step_offset; /* in the TMA block */
   uint32_t count;
   struct trap_entry entries[TABLE_CAPACITY]; /* as they stand in the block, which is slow to read on a real card */
};

struct hdb_trap {
   struct hdb_driver *driver;
   struct hdb_target *target;
   uint32_t vmid;
   struct hdb_memory code, tma, slots, displaced;
   bool second_level;
   uint32_t want;
   uint32_t ring_tail;
   struct trap_table launches, plants;
};

/* Brings the handler onto the device. `code` is gfx1100 code of `size` bytes. With `second_level` the kernel is asked
 * to call it (-ENOTSUP: it does not do that); otherwise the registers of trap->vmid, which is set, lead to it. */
int hdb_trap_install(struct hdb_trap *trap, struct hdb_driver *driver, struct hdb_target *target, const uint32_t *code,
                     size_t size, bool second_level);
/* No wave may be in the handler. */
void hdb_trap_remove(struct hdb_trap *trap);

void hdb_trap_want(struct hdb_trap *trap, uint32_t bit, bool wanted); /* WANT_*_BIT */
void hdb_trap_set_filter(struct hdb_trap *trap, const uint32_t workgroup[3]);

int hdb_trap_table_set(struct hdb_trap *trap, struct trap_table *table, uint64_t pc, uint64_t value);
void hdb_trap_table_unset(struct hdb_trap *trap, struct trap_table *table, uint64_t pc);

/* The slot of the next wave that has stopped, or -1. */
int hdb_trap_next_stopped(struct hdb_trap *trap);

static inline uint8_t *
hdb_trap_slot(const struct hdb_trap *trap, uint32_t slot)
{
   return (uint8_t *)trap->slots.map + (uint64_t)slot * SLOT_SIZE;
}

/* A PC as a trap shows it: 48 bits, unsigned; and back. */
static inline uint64_t
hdb_trap_pc(uint64_t va)
{
   return va & 0xffffffffffff;
}

static inline uint64_t
hdb_canonical(uint64_t pc)
{
   return (uint64_t)((int64_t)(pc << 16) >> 16);
}

#endif
