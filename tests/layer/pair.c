/* SPDX-License-Identifier: MIT */
/* Two devices with a dispatch each at the same time; the first one is destroyed while the other's may still run. */
#include "affine.h"

struct half {
   struct sample sample;
   struct affine affine;
   VkFence fence;
};

static void
begin(struct half *half, uint32_t queue, const char *label)
{
   half->sample.queue = half->sample.queues[queue % half->sample.queue_count];
   affine_init(&half->affine, &half->sample, half->sample.n);
   VkCommandBuffer commands = affine_begin(&half->affine, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 0);
   affine_record(&half->affine, commands, &(struct affine_step){0, half->affine.n, 1, queue + 1}, label);
   affine_barrier(commands);
   SAMPLE_CALL(&half->sample, vkEndCommandBuffer, commands);
   half->fence = affine_submit(&half->sample, commands);
}

static uint32_t
end(struct half *half, uint32_t expected)
{
   SAMPLE_CALL(&half->sample, vkWaitForFences, half->sample.device, 1, &half->fence, VK_TRUE, UINT64_MAX);
   vkDestroyFence(half->sample.device, half->fence, NULL);
   uint32_t right = affine_count(&half->affine, expected);
   affine_finish(&half->affine);
   return right;
}

int
main(int argc, char **argv)
{
   struct half first, second;
   sample_init(&first.sample, "pair", 1000, argc, argv);
   sample_init(&second.sample, "pair", 1000, argc, argv);
   begin(&first, 0, "first");
   begin(&second, 1, "second");
   uint32_t right = end(&first, 1);
   sample_finish(&first.sample);
   right += end(&second, 2);
   sample_finish(&second.sample);
   return sample_report(&second.sample, right, 2 * second.sample.n);
}
