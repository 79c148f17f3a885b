/* SPDX-License-Identifier: MIT */
/* What accesses to LDS, memory and buffers share. They are told apart by their names. */
#ifndef MEMORY_H
#define MEMORY_H

#include "model.h"

#define PAGE UINT64_C(0xffff800000000000) /* BOX_DATA_VA: where struct machine's memory stands */

struct random;

bool has(const char *name, const char *part);

/* Bytes of one access: ..._b96, ..._u8_d16, ..._d16_hi_b8. */
unsigned access_bytes(const char *name);

/* What a load of a byte or a half leaves in a register of which it may keep one half. */
uint32_t extend(const char *name, uint32_t value, uint32_t old);

/* A lane of a source, and dwords of a lane's destination. */
bits source(const struct call *call, unsigned s, unsigned lane);
void write_dwords(const struct call *call, unsigned lane, bits value, unsigned bytes);

/* Consecutive registers of a lane. */
bits read_dwords(const struct machine *machine, unsigned vgpr, unsigned lane, unsigned count);

/* Does what the instruction's name says to memory; returns what was there. */
bits atomic_memory(const struct call *call, bits data, uint8_t *place);

/* A register of which a lane may hold anything, or of which 16 bits may. */
void allow_anything(const struct call *call, unsigned vgpr, unsigned lane, enum type type, bool upper);
void allow_any_nan(const struct call *call, unsigned vgpr, unsigned lane, enum type type, bool upper);
void allow_range(const struct call *call, unsigned vgpr, unsigned lane, enum type type, bool upper, uint32_t low,
                 uint32_t high);

/* A component of a load with or without D16, whose second ones go to upper halves. */
void put_component(const struct call *call, unsigned vgpr, unsigned lane, bool d16, bool upper, uint32_t value);

/* What a load leaves in its destination, of which one of a byte or a half may keep one half. */
void write_loaded(const struct call *call, unsigned lane, bits value);

/* "v7" or "v[7:9]" */
void print_registers(char text[24], char bank, unsigned first, unsigned count);

struct operand choose_vgpr(struct random *random, unsigned first, unsigned count);
struct operand choose_sgpr(struct random *random, unsigned first, unsigned count, unsigned align);

#endif
