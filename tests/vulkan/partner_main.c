/* SPDX-License-Identifier: MIT */
/* partner SHADERS DESCRIPTOR...: the other process of processes.c, which has the second half of the buffer. */
#include "partner.h"

int
main(int argc, char **argv)
{
   CHECK(argc == 2 + PARTNER_DESCRIPTORS);
   gpu_shaders = argv[1];
   gpu_choice = GPU_GENERAL;
   int descriptors[PARTNER_DESCRIPTORS];
   for (int i = 0; i < PARTNER_DESCRIPTORS; i++)
      descriptors[i] = atoi(argv[2 + i]);
   struct partner partner;
   CHECK(partner_init(&partner, descriptors));
   const uint32_t half = EXTERNAL_SIZE / 8, *words = partner.buffer.map;

   for (uint32_t round = 0; round < PARTNER_ROUNDS; round++) {
      const uint64_t at = 4 * round;
      const VkSemaphoreSignalInfo signal = {
         .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
         .semaphore = partner.line,
         .value = at + 1,
      };
      CALL(vkSignalSemaphore(partner.gpu.device, &signal)); /* the first process's GPU waits for it */
      partner_wait(&partner, at + 2);
      CHECK_EQUAL(words[1000], 1000 * 3 + round);
      partner_submit(&partner, &(struct partner_work){
                                  .wait_binary = partner.there,
                                  .signal_binary = partner.back,
                                  .signal_line = at + 3,
                                  .first = half,
                                  .count = half,
                                  .factor = 5,
                                  .base = round,
                               });
      partner_wait(&partner, at + 4);
   }
   partner_finish(&partner);
   return 0;
}
