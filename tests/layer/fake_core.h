/* SPDX-License-Identifier: MIT */
/*
 * The layer linked with an engine that only takes notes: what the layer tells the engine, seen by a test in the same
 * process. It wants every submission and arms all of them.
 */
#ifndef TESTS_LAYER_FAKE_CORE_H
#define TESTS_LAYER_FAKE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAKE_TEXT_SIZE 48

struct hdb_object;

struct fake_offer {
   uint64_t token; /* of its submission */
   uint32_t ordinal;
   uint32_t grid[3];
   char pipeline_name[FAKE_TEXT_SIZE], label[FAKE_TEXT_SIZE], queue_name[FAKE_TEXT_SIZE]; /* empty: NULL */
   char labels[FAKE_TEXT_SIZE]; /* all, outermost first, with > between */
   uint32_t frame;
   bool armed_elsewhere;
   bool has_registers; /* the driver gave pointers to the launch registers */
};

struct fake_notes {
   unsigned engines, devices, devices_removed;
   bool has_driver; /* of the last device */
   uint64_t tokens; /* 1..tokens were given out */
   uint64_t completed, completed_twice;
   struct fake_offer offers[256];
   size_t offer_count; /* may exceed the array */
   uint32_t frames_ended, last_frame;
};

/* Exported by the layer under test. Copies under the notes' lock. */
void fake_core_notes(struct fake_notes *notes);
void fake_core_forget_offers(void);
int fake_core_object_at(uint64_t va, struct hdb_object *object); /* asks the layer, of the device added last */

#endif
