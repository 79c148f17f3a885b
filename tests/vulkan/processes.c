/* SPDX-License-Identifier: MIT */
/* Semaphores of two processes, by opaque descriptors. */
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "partner.h"
#include "test.h"

/* vulkan-partner, next to this program. */
static pid_t
start_partner(const int descriptors[PARTNER_DESCRIPTORS])
{
   char path[4096];
   const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 32);
   CHECK(length > 0);
   path[length] = 0;
   strcpy(strrchr(path, '/'), "/vulkan-partner");
   char numbers[PARTNER_DESCRIPTORS][16], *arguments[3 + PARTNER_DESCRIPTORS] = {path, (char *)gpu_shaders};
   int inherited[PARTNER_DESCRIPTORS];
   for (int i = 0; i < PARTNER_DESCRIPTORS; i++) {
      inherited[i] = dup(descriptors[i]); /* not closed by exec */
      snprintf(numbers[i], sizeof(numbers[i]), "%d", inherited[i]);
      arguments[2 + i] = numbers[i];
      close(descriptors[i]);
   }
   pid_t child;
   CHECK(!posix_spawn(&child, path, NULL, NULL, arguments, environ));
   for (int i = 0; i < PARTNER_DESCRIPTORS; i++)
      close(inherited[i]);
   return child;
}

/* In each round both GPUs wait for the other process: this one's for a point that its host signals. */
static bool
semaphores(void)
{
   struct partner partner;
   if (!partner_init(&partner, NULL))
      return false;
   int descriptors[PARTNER_DESCRIPTORS];
   partner_export(&partner, descriptors);
   const pid_t child = start_partner(descriptors);
   const uint32_t half = EXTERNAL_SIZE / 8, *words = partner.buffer.map;

   for (uint32_t round = 0; round < PARTNER_ROUNDS; round++) {
      const uint64_t at = 4 * round;
      partner_submit(&partner, &(struct partner_work){
                                  .wait_line = at + 1,
                                  .signal_binary = partner.there,
                                  .signal_line = at + 2,
                                  .count = 2 * half,
                                  .factor = 3,
                                  .base = round,
                               });
      partner_wait(&partner, at + 3);
      for (uint32_t i = 0; i < 2 * half; i++)
         CHECK_EQUAL(words[i], i < half ? 3 * i + round : 5 * (i - half) + round);
      partner_submit(&partner, &(struct partner_work){.wait_binary = partner.back, .signal_line = at + 4});
   }
   int status;
   CHECK(waitpid(child, &status, 0) == child);
   CHECK_EQUAL(status, 0);
   partner_finish(&partner);
   return true;
}

const struct test tests[] = {
   {.name = "semaphores of two processes", .run = semaphores, .not_validated = true},
   {.name = NULL},
};
