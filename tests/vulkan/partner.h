/* SPDX-License-Identifier: MIT */
/* Two processes that work on one buffer in turns, by semaphores; processes.c starts the other one, partner_main.c. */
#ifndef TESTS_VULKAN_PARTNER_H
#define TESTS_VULKAN_PARTNER_H

#include "external.h"

enum { PARTNER_DESCRIPTORS = 4, PARTNER_ROUNDS = 5 };

struct partner {
   struct gpu gpu;
   struct buffer buffer;
   VkSemaphore line;        /* a timeline */
   VkSemaphore there, back; /* binary: to the other process, and to the first */
   VkPipeline store;
};

/* From descriptors, or (NULL) for a process that exports them. False: the device cannot. */
bool partner_init(struct partner *partner, const int descriptors[PARTNER_DESCRIPTORS]);
void partner_finish(struct partner *partner);
void partner_export(struct partner *partner, int descriptors[PARTNER_DESCRIPTORS]);

/* A submission. `binary` may be NULL, a value 0. */
struct partner_work {
   VkSemaphore wait_binary, signal_binary;
   uint64_t wait_line, signal_line;
   uint32_t first, count; /* words to store: i * factor + round, i from 0; count may be 0 */
   uint32_t factor, base;
};
void partner_submit(struct partner *partner, const struct partner_work *work);
void partner_wait(struct partner *partner, uint64_t value);

#endif
