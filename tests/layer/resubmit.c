/* SPDX-License-Identifier: MIT */
/*
 * One command buffer submitted again: after it has finished, while it is pending, twice in one submission, in two
 * batches of one submission; and a secondary command buffer executed twice.
 */
#include "affine.h"

static void
submit(const struct sample *sample, uint32_t count, const VkCommandBuffer *commands)
{
   VkSubmitInfo info = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .commandBufferCount = count,
      .pCommandBuffers = commands,
   };
   SAMPLE_CALL(sample, vkQueueSubmit, sample->queue, 1, &info, VK_NULL_HANDLE);
}

static void
submit_batches(const struct sample *sample, VkCommandBuffer commands)
{
   VkCommandBufferSubmitInfo command_info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
      .commandBuffer = commands,
   };
   VkSubmitInfo2 info = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
      .commandBufferInfoCount = 1,
      .pCommandBufferInfos = &command_info,
   };
   VkSubmitInfo2 infos[2] = {info, info};
   SAMPLE_CALL(sample, vkQueueSubmit2, sample->queue, 2, infos, VK_NULL_HANDLE);
}

int
main(int argc, char **argv)
{
   struct sample sample;
   struct affine affine;
   sample_init(&sample, "resubmit", 1000, argc, argv);
   affine_init(&affine, &sample, sample.n);

   VkCommandBuffer secondary =
      affine_begin(&affine, VK_COMMAND_BUFFER_LEVEL_SECONDARY, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
   affine_record(&affine, secondary, &(struct affine_step){0, sample.n, 1, 10}, "secondary");
   affine_barrier(secondary);
   SAMPLE_CALL(&sample, vkEndCommandBuffer, secondary);

   VkCommandBuffer primary =
      affine_begin(&affine, VK_COMMAND_BUFFER_LEVEL_PRIMARY, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
   affine_barrier(primary); /* after what was submitted before */
   affine_record(&affine, primary, &(struct affine_step){0, sample.n, 1, 1}, "primary");
   affine_barrier(primary);
   for (int i = 0; i < 2; i++)
      vkCmdExecuteCommands(primary, 1, &secondary);
   SAMPLE_CALL(&sample, vkEndCommandBuffer, primary);

   submit(&sample, 1, &primary);
   SAMPLE_CALL(&sample, vkQueueWaitIdle, sample.queue);
   submit(&sample, 1, &primary);
   submit(&sample, 1, &primary); /* the one before may be pending */
   submit(&sample, 2, (VkCommandBuffer[]){primary, primary});
   submit_batches(&sample, primary);
   SAMPLE_CALL(&sample, vkQueueWaitIdle, sample.queue);

   uint32_t right = affine_count(&affine, 7 * 21);
   affine_finish(&affine);
   sample_finish(&sample);
   return sample_report(&sample, right, sample.n);
}
