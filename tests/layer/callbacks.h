/* SPDX-License-Identifier: MIT */
/* What the cases of callbacks.c share. */
#ifndef TESTS_LAYER_CALLBACKS_H
#define TESTS_LAYER_CALLBACKS_H

#include <stdio.h>

#include "affine.h"
#include "hdb/hdb.h"

#define N 128         /* elements: two workgroups of a wave each */
#define FIRST_LINE 10 /* of affine.comp: `uint i = ...` */
#define STORE_LINE 12

extern int callbacks_failures;

#define CHECK(condition)                                                 \
   do {                                                                  \
      if (!(condition)) {                                                \
         fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
         callbacks_failures++;                                           \
      }                                                                  \
   } while (0)

/* Who was called, a letter each. */
extern char callbacks_order[64];
void callbacks_note(char letter);

struct program {
   struct sample sample;
   struct affine affine;
   PFN_hdb_messenger_create create;
   PFN_hdb_messenger_destroy destroy;
   PFN_hdb_stop_visit visit;
};

void program_init(struct program *program, int argc, char **argv);
void program_finish(struct program *program);
struct hdb_messenger *program_messenger(struct program *program, hdb_dispatch_callback dispatch, hdb_stop_callback stop,
                                        void *user);
/* One dispatch: all elements become value * 1 + amount. */
void program_dispatch(struct program *program, uint32_t amount);
enum hdb_dispatch_answer attach_always(const struct hdb_dispatch_info *info, void *user);

/* callbacks_stops.c */
void case_look(struct program *program);
void case_change(struct program *program);
void case_step(struct program *program);
void case_hold(struct program *program);
void case_visits(struct program *program);

/* callbacks_life.c */
void case_warned(struct program *program);
void case_apart(struct program *program);
void case_within(struct program *program);
void case_wait(struct program *program);
void case_vulkan(struct program *program);
void case_nested(struct program *program);
void case_lost(struct program *program);
void case_push(struct program *program);

#endif
