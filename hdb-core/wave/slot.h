/* SPDX-License-Identifier: MIT */
/* A stopped wave as its slot shows it (trap/layout.h). */
#ifndef HDB_SLOT_H
#define HDB_SLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "stop/machine.h"
#include "trap/trap.h"

static inline uint32_t
slot_read(const uint8_t *slot, uint32_t offset)
{
   return __atomic_load_n((const uint32_t *)(slot + offset), __ATOMIC_ACQUIRE);
}

static inline void
slot_write(uint8_t *slot, uint32_t offset, uint32_t value)
{
   __atomic_store_n((uint32_t *)(slot + offset), value, __ATOMIC_RELEASE);
}

#define SLOT_HEADER_DWORD(n) (SLOT_HEADER + 4 * (n))

/* The hardware's place of a slot. */
struct slot_place {
   uint32_t se, sa, wgp, simd, wave;
};
struct slot_place hdb_slot_place(uint32_t slot);
uint32_t hdb_slot_number(const struct slot_place *place);

/* Fills in what the slot says of the wave: registers, sizes, workgroup; neither id, run, cause nor shader. */
void hdb_slot_decode(const uint8_t *slot, struct hdb_wave *wave);
bool hdb_slot_is_fresh(const uint8_t *slot); /* the wave's first stop since its launch */

/* ---- commands (mailbox.c): the wave must be stopped. 0, or -ETIMEDOUT if it doesn't answer ---- */

/* Sends without waiting: RESUME, RESUME_VGPRS, KILL. The caller wakes the target. */
void hdb_mailbox_send(uint8_t *slot, uint32_t command);

/* Up to 32 dwords between `data` and LDS or memory; `lanes` says which. */
int hdb_mailbox_transfer(struct hdb_target *target, uint8_t *slot, uint32_t command, uint64_t address, uint32_t lanes,
                         uint32_t data[32]);

#endif
