/* SPDX-License-Identifier: MIT */
/* A card, a machine, one program and one dispatch of it. */
#ifndef MACHINE_FIXTURE_H
#define MACHINE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "card.h"

#define PROGRAM(name)            \
   extern const uint32_t name[]; \
   extern const size_t name##_size;
PROGRAM(reduce32)
PROGRAM(reduce64)
PROGRAM(branches32)
PROGRAM(branches64)
PROGRAM(spin32)
PROGRAM(spin64)

enum { TGID_X = 1 << 7, TGID_Y = 1 << 8, TG_SIZE = 1 << 10 };
enum { ARGUMENTS = 0, INPUT = 4096, OUTPUT = 8192, DATA_SIZE = 16384 };

#define S_BARRIER 0xbfbd0000u
#define S_TRAP1 0xbf900001u
#define S_NOP 0xbf800000u
#define S_CLAUSE_1 0xbf850001u /* of two instructions */
#define S_TRAP3 0xbf900003u
#define S_ADD_U32_S8_S8_1 0x80088108u /* the second instruction of spin.S's loop, behind one of two dwords */

struct fixture {
   struct card *card;
   struct hdb_machine *machine;
   struct program *program;
   const struct hdb_shader *shader;
   struct buffer data;
   struct job *job;
};

uint32_t *at(struct fixture *f, uint32_t offset); /* in the data buffer */
void setup(struct fixture *f, const uint32_t *code, size_t size, uint32_t wave_size, uint32_t workgroup_size,
           uint32_t launch_sgprs, const uint32_t grid[3]);
void teardown(struct fixture *f);
void setup_branches(struct fixture *f, uint32_t wave_size);
void check_branches(struct fixture *f);
void setup_spin(struct fixture *f, uint32_t wave_size, uint32_t groups);
/* Stops so many waves, all of them, and none before its loop. What hdb_machine_stop_all() says. */
int stop_spinning(struct fixture *f, uint32_t count);
void set_flag(struct fixture *f, uint32_t value);
struct hdb_wave *wait_stop(struct fixture *f);
uint32_t count_stopped(struct fixture *f);
uint32_t find_word(const struct hdb_shader *shader, uint32_t word, uint32_t n);
void plant_everywhere(struct fixture *f, uint32_t *planted); /* at every instruction that takes a trap */

#endif
