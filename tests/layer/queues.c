/* SPDX-License-Identifier: MIT */
/* Two threads, each with a queue of its own (or taking turns on one, if the family has no more). */
#include <pthread.h>

#include "affine.h"

#define ROUNDS 20

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

struct worker {
   struct sample sample; /* its own command pool and queue */
   struct affine affine;
   pthread_t thread;
};

static void
submit(const struct sample *sample, VkCommandBuffer commands)
{
   if (sample->queue_count == 1)
      pthread_mutex_lock(&turn);
   VkFence fence = affine_submit(sample, commands);
   if (sample->queue_count == 1)
      pthread_mutex_unlock(&turn);
   SAMPLE_CALL(sample, vkWaitForFences, sample->device, 1, &fence, VK_TRUE, UINT64_MAX);
   vkDestroyFence(sample->device, fence, NULL);
   vkFreeCommandBuffers(sample->device, sample->command_pool, 1, &commands);
}

static void *
work(void *user)
{
   struct worker *worker = user;
   const struct affine *affine = &worker->affine;
   for (uint32_t i = 0; i < ROUNDS; i++) {
      VkCommandBuffer commands = affine_begin(affine, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 0);
      affine_record(affine, commands, &(struct affine_step){0, affine->n, 2, i}, "round");
      affine_barrier(commands);
      SAMPLE_CALL(&worker->sample, vkEndCommandBuffer, commands);
      submit(&worker->sample, commands);
   }
   return NULL;
}

int
main(int argc, char **argv)
{
   struct sample sample;
   sample_init(&sample, "queues", 1000, argc, argv);

   struct worker workers[2];
   for (int i = 0; i < 2; i++) {
      struct worker *worker = &workers[i];
      worker->sample = sample;
      worker->sample.queue = sample.queues[i % sample.queue_count];
      VkCommandPoolCreateInfo info = {
         .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
         .queueFamilyIndex = sample.queue_family,
      };
      SAMPLE_CALL(&sample, vkCreateCommandPool, sample.device, &info, NULL, &worker->sample.command_pool);
      affine_init(&worker->affine, &worker->sample, sample.n);
   }
   for (int i = 0; i < 2; i++)
      pthread_create(&workers[i].thread, NULL, work, &workers[i]);
   for (int i = 0; i < 2; i++)
      pthread_join(workers[i].thread, NULL);

   uint32_t expected = 0, right = 0;
   for (uint32_t i = 0; i < ROUNDS; i++)
      expected = expected * 2 + i;
   for (int i = 0; i < 2; i++) {
      right += affine_count(&workers[i].affine, expected);
      affine_finish(&workers[i].affine);
      vkDestroyCommandPool(sample.device, workers[i].sample.command_pool, NULL);
   }
   sample_finish(&sample);
   return sample_report(&sample, right, 2 * sample.n);
}
