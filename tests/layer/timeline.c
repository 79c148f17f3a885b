/* SPDX-License-Identifier: MIT */
/*
 * Timeline semaphores, with waits submitted before their signals. Every step needs the result of the one before:
 *    value 1: signalled by the host, while or after step A waiting for it is submitted
 *    value 2: step A; value 3: step B, on the other queue
 *    value 4: step C, on the other queue and submitted after step D, which waits for it (the host, with one queue)
 *    value 5: step D
 */
#include <pthread.h>
#include <time.h>

#include "affine.h"

struct program {
   struct sample sample;
   struct affine affine;
   VkSemaphore semaphore;
   VkCommandBuffer steps[4];
};

static const struct {
   uint32_t scale, amount;
} factors[4] = {{1, 3}, {5, 1}, {2, 7}, {3, 2}};

static void
nap(void)
{
   nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
}

static void
host_signal(const struct program *program, uint64_t value)
{
   VkSemaphoreSignalInfo info = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
      .semaphore = program->semaphore,
      .value = value,
   };
   SAMPLE_CALL(&program->sample, vkSignalSemaphore, program->sample.device, &info);
}

static void
host_wait(const struct program *program, uint64_t value)
{
   VkSemaphoreWaitInfo info = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
      .semaphoreCount = 1,
      .pSemaphores = &program->semaphore,
      .pValues = &value,
   };
   SAMPLE_CALL(&program->sample, vkWaitSemaphores, program->sample.device, &info, UINT64_MAX);
}

static void
submit(const struct program *program, VkQueue queue, VkCommandBuffer commands, uint64_t wait, uint64_t signal)
{
   const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
   VkTimelineSemaphoreSubmitInfo timeline = {
      .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
      .waitSemaphoreValueCount = 1,
      .pWaitSemaphoreValues = &wait,
      .signalSemaphoreValueCount = 1,
      .pSignalSemaphoreValues = &signal,
   };
   VkSubmitInfo info = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .pNext = &timeline,
      .waitSemaphoreCount = 1,
      .pWaitSemaphores = &program->semaphore,
      .pWaitDstStageMask = &stage,
      .commandBufferCount = 1,
      .pCommandBuffers = &commands,
      .signalSemaphoreCount = 1,
      .pSignalSemaphores = &program->semaphore,
   };
   SAMPLE_CALL(&program->sample, vkQueueSubmit, queue, 1, &info, VK_NULL_HANDLE);
}

static void
submit2(const struct program *program, VkQueue queue, VkCommandBuffer commands, uint64_t wait, uint64_t signal)
{
   VkSemaphoreSubmitInfo waits = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
      .semaphore = program->semaphore,
      .value = wait,
      .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
   };
   VkSemaphoreSubmitInfo signals = waits;
   signals.value = signal;
   VkCommandBufferSubmitInfo command_info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
      .commandBuffer = commands,
   };
   VkSubmitInfo2 info = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
      .waitSemaphoreInfoCount = 1,
      .pWaitSemaphoreInfos = &waits,
      .commandBufferInfoCount = 1,
      .pCommandBufferInfos = &command_info,
      .signalSemaphoreInfoCount = 1,
      .pSignalSemaphoreInfos = &signals,
   };
   SAMPLE_CALL(&program->sample, vkQueueSubmit2, queue, 1, &info, VK_NULL_HANDLE);
}

/* What the first thread's submissions wait for: a submission may block until its wait can be met. */
static void *
help(void *user)
{
   const struct program *program = user;
   const struct sample *sample = &program->sample;
   nap();
   host_signal(program, 1);
   host_wait(program, 3);
   nap();
   if (sample->queue_count > 1)
      submit2(program, sample->queues[1], program->steps[2], 3, 4);
   else
      host_signal(program, 4);
   return NULL;
}

int
main(int argc, char **argv)
{
   struct program program;
   struct sample *sample = &program.sample;
   sample_init(sample, "timeline", 1000, argc, argv);
   affine_init(&program.affine, sample, sample->n);

   VkSemaphoreTypeCreateInfo type = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
   };
   VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
   SAMPLE_CALL(sample, vkCreateSemaphore, sample->device, &info, NULL, &program.semaphore);

   for (int i = 0; i < 4; i++) {
      program.steps[i] = affine_begin(&program.affine, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 0);
      affine_record(&program.affine, program.steps[i],
                    &(struct affine_step){0, sample->n, factors[i].scale, factors[i].amount}, "step");
      affine_barrier(program.steps[i]);
      SAMPLE_CALL(sample, vkEndCommandBuffer, program.steps[i]);
   }

   pthread_t helper;
   pthread_create(&helper, NULL, help, &program);
   submit2(&program, sample->queues[0], program.steps[0], 1, 2);
   submit(&program, sample->queues[sample->queue_count - 1], program.steps[1], 2, 3);
   submit(&program, sample->queues[0], program.steps[3], 4, 5);
   host_wait(&program, 5);
   pthread_join(helper, NULL);

   uint32_t expected = 0;
   for (int i = 0; i < 4; i++) {
      if (i != 2 || sample->queue_count > 1)
         expected = expected * factors[i].scale + factors[i].amount;
   }
   uint32_t right = affine_count(&program.affine, expected);
   SAMPLE_CALL(sample, vkDeviceWaitIdle, sample->device);
   vkDestroySemaphore(sample->device, program.semaphore, NULL);
   affine_finish(&program.affine);
   sample_finish(sample);
   return sample_report(sample, right, sample->n);
}
