/* SPDX-License-Identifier: MIT */
/*
 * Waits half a second for its dispatch, by polling, and then destroys the device come what may: with a debugger that
 * stops the dispatch for longer, vkDestroyDevice while waves are stopped. Must not hang or crash. With `pool` as its
 * last argument it destroys the command pool first, which no program may do, but which without a debugger does no harm.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "affine.h"

int
main(int argc, char **argv)
{
   struct sample sample;
   struct affine affine;
   bool destroys_pool = argc > 1 && strcmp(argv[argc - 1], "pool") == 0;
   sample_init(&sample, "impatient", 1000, argc - destroys_pool, argv);
   affine_init(&affine, &sample, sample.n);

   VkCommandBuffer commands = affine_begin(&affine, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 0);
   affine_record(&affine, commands, &(struct affine_step){0, sample.n, 1, 1}, "only");
   SAMPLE_CALL(&sample, vkEndCommandBuffer, commands);
   VkFence fence = affine_submit(&sample, commands);

   bool finished = false;
   for (int i = 0; i < 50 && !finished; i++) {
      finished = vkGetFenceStatus(sample.device, fence) == VK_SUCCESS;
      nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
   }
   if (finished) {
      vkDestroyFence(sample.device, fence, NULL);
      affine_finish(&affine);
   }
   if (finished || destroys_pool)
      vkDestroyCommandPool(sample.device, sample.command_pool, NULL);
   vkDestroyDevice(sample.device, NULL);
   vkDestroyInstance(sample.instance, NULL);
   printf("impatient: %s\n", finished ? "finished" : "gave up");
   return 0;
}
