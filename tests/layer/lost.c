/* SPDX-License-Identifier: MIT */
/*
 * A dispatch that faults or hangs, and a program that minds what Vulkan says:  lost CASE [OPTION...]
 *
 * memory    a store to an address where nothing is: vkWaitForFences says that the device is lost
 * hang      an endless loop: vkQueueWaitIdle does
 * timeline  a store as above: vkWaitSemaphores does
 * sparse    behind a vkQueueBindSparse: vkDeviceWaitIdle does
 * thread    two jobs submitted before what they wait for, the first faults: the second's vkWaitForFences does
 * abandon   two jobs submitted before what they wait for, the first faults, the second never gets it: vkQueueWaitIdle
 *           does, and all can be destroyed
 * again     as memory, and once more on another device
 *
 * After that nothing hangs, or SIGALRM ends it, everything says so, and all can be destroyed.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common.h"
#include "fault.comp.h"

#define TIME_LIMIT 30 /* seconds */
#define NOWHERE UINT64_C(0x123456789000)
#define MAX_FAMILIES 16

struct constants {
   uint64_t address;
   uint32_t step; /* 0: for ever */
   uint32_t unused;
};

struct program {
   struct sample sample;
   struct sample_kernel kernel;
   VkQueue sparse_queue;
   VkFence fence;
   VkSemaphore semaphore; /* counts */
   VkCommandBuffer commands;
};

/* ---- a device with buffer addresses and a queue for sparse bindings, which no other sample needs ---- */

static uint32_t
find_sparse_family(const struct sample *sample)
{
   VkQueueFamilyProperties families[MAX_FAMILIES];
   uint32_t count = MAX_FAMILIES;
   vkGetPhysicalDeviceQueueFamilyProperties(sample->physical_device, &count, families);
   if (families[sample->queue_family].queueFlags & VK_QUEUE_SPARSE_BINDING_BIT)
      return sample->queue_family;
   for (uint32_t i = 0; i < count; i++) {
      if (families[i].queueFlags & VK_QUEUE_SPARSE_BINDING_BIT)
         return i;
   }
   sample_check(sample, VK_ERROR_FEATURE_NOT_PRESENT, "finding a queue for sparse bindings");
   return 0;
}

static void
replace_device(struct program *program)
{
   struct sample *sample = &program->sample;
   vkDestroyCommandPool(sample->device, sample->command_pool, NULL);
   vkDestroyDevice(sample->device, NULL);

   const float priority = 1.0f;
   const uint32_t sparse_family = find_sparse_family(sample);
   const bool two = sparse_family != sample->queue_family;
   VkDeviceQueueCreateInfo queues[2];
   for (int i = 0; i < 2; i++) {
      queues[i] = (VkDeviceQueueCreateInfo){
         .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
         .queueFamilyIndex = i ? sparse_family : sample->queue_family,
         .queueCount = 1,
         .pQueuePriorities = &priority,
      };
   }
   VkPhysicalDeviceVulkan12Features features12 = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
      .bufferDeviceAddress = VK_TRUE,
      .timelineSemaphore = VK_TRUE,
   };
   VkDeviceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
      .pNext = &features12,
      .queueCreateInfoCount = two ? 2 : 1,
      .pQueueCreateInfos = queues,
      .pEnabledFeatures = &(VkPhysicalDeviceFeatures){.sparseBinding = VK_TRUE},
   };
   SAMPLE_CALL(sample, vkCreateDevice, sample->physical_device, &info, NULL, &sample->device);
   vkGetDeviceQueue(sample->device, sample->queue_family, 0, &sample->queue);
   vkGetDeviceQueue(sample->device, sparse_family, 0, &program->sparse_queue);

   VkCommandPoolCreateInfo pool_info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
      .queueFamilyIndex = sample->queue_family,
   };
   SAMPLE_CALL(sample, vkCreateCommandPool, sample->device, &pool_info, NULL, &sample->command_pool);
}

/* ---- submissions ---- */

static void
record(struct program *program, uint64_t address, uint32_t step)
{
   const struct constants constants = {.address = address, .step = step};
   VkDescriptorSet set = sample_kernel_set(&program->kernel, &program->sample, NULL);
   program->commands = sample_begin(&program->sample);
   sample_dispatch(&program->sample, program->commands, &program->kernel, set, &constants, program->sample.n, "faults");
   SAMPLE_CALL(&program->sample, vkEndCommandBuffer, program->commands);
}

/* Waits for a value of the semaphore, unless 0, and signals another. */
static VkResult
submit(const struct program *program, VkCommandBuffer commands, uint64_t wait, uint64_t signal, VkFence fence)
{
   const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
   VkTimelineSemaphoreSubmitInfo values = {
      .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
      .waitSemaphoreValueCount = wait ? 1 : 0,
      .pWaitSemaphoreValues = &wait,
      .signalSemaphoreValueCount = 1,
      .pSignalSemaphoreValues = &signal,
   };
   VkSubmitInfo info = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .pNext = &values,
      .waitSemaphoreCount = wait ? 1 : 0,
      .pWaitSemaphores = &program->semaphore,
      .pWaitDstStageMask = &stage,
      .commandBufferCount = commands ? 1 : 0,
      .pCommandBuffers = &commands,
      .signalSemaphoreCount = 1,
      .pSignalSemaphores = &program->semaphore,
   };
   return vkQueueSubmit(program->sample.queue, 1, &info, fence);
}

static void
signal_semaphore(const struct program *program, uint64_t value)
{
   VkSemaphoreSignalInfo info = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
      .semaphore = program->semaphore,
      .value = value,
   };
   SAMPLE_CALL(&program->sample, vkSignalSemaphore, program->sample.device, &info);
}

static VkResult
wait_for_fence(const struct program *program)
{
   return vkWaitForFences(program->sample.device, 1, &program->fence, VK_TRUE, UINT64_MAX);
}

/* ---- the cases: what the first wait says ---- */

static VkResult
memory(struct program *program)
{
   record(program, NOWHERE, 1);
   sample_check(&program->sample, submit(program, program->commands, 0, 1, program->fence), "vkQueueSubmit");
   return wait_for_fence(program);
}

static VkResult
hang(struct program *program)
{
   record(program, NOWHERE, 0);
   sample_check(&program->sample, submit(program, program->commands, 0, 1, program->fence), "vkQueueSubmit");
   return vkQueueWaitIdle(program->sample.queue);
}

static VkResult
timeline(struct program *program)
{
   record(program, NOWHERE, 1);
   sample_check(&program->sample, submit(program, program->commands, 0, 1, program->fence), "vkQueueSubmit");
   VkSemaphoreWaitInfo info = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
      .semaphoreCount = 1,
      .pSemaphores = &program->semaphore,
      .pValues = &(uint64_t){1},
   };
   return vkWaitSemaphores(program->sample.device, &info, UINT64_MAX);
}

/* A binding that binds nothing, but comes after one submission and before the other. */
static VkResult
sparse(struct program *program)
{
   record(program, NOWHERE, 1);
   VkTimelineSemaphoreSubmitInfo values = {
      .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
      .waitSemaphoreValueCount = 1,
      .pWaitSemaphoreValues = &(uint64_t){1},
      .signalSemaphoreValueCount = 1,
      .pSignalSemaphoreValues = &(uint64_t){2},
   };
   VkBindSparseInfo info = {
      .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
      .pNext = &values,
      .waitSemaphoreCount = 1,
      .pWaitSemaphores = &program->semaphore,
      .signalSemaphoreCount = 1,
      .pSignalSemaphores = &program->semaphore,
   };
   SAMPLE_CALL(&program->sample, vkQueueBindSparse, program->sparse_queue, 1, &info, VK_NULL_HANDLE);
   sample_check(&program->sample, submit(program, program->commands, 2, 3, program->fence), "vkQueueSubmit");
   signal_semaphore(program, 1);
   return vkDeviceWaitIdle(program->sample.device);
}

/* By then the other thread waits for what comes of it, and may be told already. */
static void *
signal_when_faulted(void *argument)
{
   const struct program *program = argument;
   VkResult result = VK_SUCCESS;
   uint64_t value = 0;
   while (result == VK_SUCCESS && value < 2) {
      nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
      result = vkGetSemaphoreCounterValue(program->sample.device, program->semaphore, &value);
   }
   if (result == VK_SUCCESS)
      signal_semaphore(program, 3);
   return NULL;
}

/* The thread that the driver then has for the queue submits the second job too. */
static void
submit_two(struct program *program)
{
   record(program, NOWHERE, 1);
   VkCommandBuffer second = sample_begin(&program->sample);
   SAMPLE_CALL(&program->sample, vkEndCommandBuffer, second);
   sample_check(&program->sample, submit(program, program->commands, 1, 2, VK_NULL_HANDLE), "vkQueueSubmit");
   sample_check(&program->sample, submit(program, second, 3, 4, program->fence), "vkQueueSubmit");
   signal_semaphore(program, 1);
}

static VkResult
thread(struct program *program)
{
   submit_two(program);
   pthread_t signaller;
   if (pthread_create(&signaller, NULL, signal_when_faulted, program))
      sample_check(&program->sample, VK_ERROR_OUT_OF_HOST_MEMORY, "pthread_create");
   VkResult result = wait_for_fence(program);
   pthread_join(signaller, NULL);
   return result;
}

static VkResult
abandon(struct program *program)
{
   submit_two(program);
   return vkQueueWaitIdle(program->sample.queue);
}

static const struct {
   const char *name;
   VkResult (*run)(struct program *program);
} cases[] = {{"memory", memory}, {"hang", hang},       {"timeline", timeline}, {"sparse", sparse},
             {"thread", thread}, {"abandon", abandon}, {"again", memory}};

/* ---- life ---- */

static void
program_init(struct program *program, int argc, char **argv)
{
   struct sample *sample = &program->sample;
   sample_init(sample, "lost", 1, argc, argv);
   replace_device(program);
   sample_kernel_init(&program->kernel, sample,
                      &(struct sample_kernel_info){
                         .name = "fault",
                         .spirv = fault_spirv,
                         .spirv_size = sizeof(fault_spirv),
                         .push_constant_size = sizeof(struct constants),
                         .max_sets = 1,
                      });
   VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
   SAMPLE_CALL(sample, vkCreateFence, sample->device, &fence_info, NULL, &program->fence);
   VkSemaphoreTypeCreateInfo type_info = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
   };
   VkSemaphoreCreateInfo semaphore_info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type_info};
   SAMPLE_CALL(sample, vkCreateSemaphore, sample->device, &semaphore_info, NULL, &program->semaphore);
}

static void
program_finish(struct program *program)
{
   vkDestroySemaphore(program->sample.device, program->semaphore, NULL);
   vkDestroyFence(program->sample.device, program->fence, NULL);
   sample_kernel_finish(&program->kernel, &program->sample);
   sample_finish(&program->sample);
}

static uint32_t
count_lost(const char *call, VkResult result)
{
   if (result != VK_ERROR_DEVICE_LOST)
      printf("lost: %s says %d\n", call, result);
   return result == VK_ERROR_DEVICE_LOST;
}

int
main(int argc, char **argv)
{
   size_t i = 0;
   while (i < sizeof(cases) / sizeof(cases[0]) && (argc < 2 || strcmp(argv[1], cases[i].name)))
      i++;
   if (i == sizeof(cases) / sizeof(cases[0])) {
      fprintf(stderr, "lost: which case? See the top of lost.c\n");
      return 2;
   }

   alarm(TIME_LIMIT);
   struct program program;
   uint32_t right = 0, devices = strcmp(argv[1], "again") ? 1 : 2;
   for (uint32_t device = 0; device < devices; device++) {
      program_init(&program, argc - 1, argv + 1);
      right += count_lost("the first wait", cases[i].run(&program));
      right += count_lost("vkQueueSubmit", submit(&program, program.commands, 0, 10, VK_NULL_HANDLE));
      right += count_lost("vkWaitForFences", wait_for_fence(&program));
      right += count_lost("vkQueueWaitIdle", vkQueueWaitIdle(program.sample.queue));
      right += count_lost("vkDeviceWaitIdle", vkDeviceWaitIdle(program.sample.device));
      program_finish(&program);
   }
   return sample_report(&program.sample, right, 5 * devices);
}
