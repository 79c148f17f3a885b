/* SPDX-License-Identifier: MIT */
/* Cases of callbacks.c: lives of messengers, Vulkan within callbacks, warnings and faults. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "callbacks.h"
#include "empty.comp.h"
#include "fault.comp.h"

/* ---- warnings ---- */

static atomic_int warnings, unattachable;

static void
count_warning(const struct hdb_message_info *message, void *user)
{
   warnings += message->severity == HDB_SEVERITY_WARNING && strstr(message->text, "is still running") != NULL;
}

static enum hdb_dispatch_answer
attach_second(const struct hdb_dispatch_info *info, void *user)
{
   uint32_t *count = user;
   unattachable += !info->attachable;
   return (*count)++ ? HDB_DISPATCH_ATTACH : HDB_DISPATCH_SKIP;
}

/* Submits a command buffer that waits for the semaphore to be 1. */
static void
submit_waiting(const struct sample *sample, VkCommandBuffer commands, VkSemaphore semaphore)
{
   const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
   VkTimelineSemaphoreSubmitInfo values = {
      .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
      .waitSemaphoreValueCount = 1,
      .pWaitSemaphoreValues = &(uint64_t){1},
   };
   VkSubmitInfo info = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .pNext = &values,
      .waitSemaphoreCount = 1,
      .pWaitSemaphores = &semaphore,
      .pWaitDstStageMask = &stage,
      .commandBufferCount = 1,
      .pCommandBuffers = &commands,
   };
   SAMPLE_CALL(sample, vkQueueSubmit, sample->queue, 1, &info, VK_NULL_HANDLE);
}

/* While the GPU may read a command buffer, it can't be armed. */
void
case_warned(struct program *program)
{
   const struct sample *sample = &program->sample;
   struct hdb_messenger *messenger;
   uint32_t count = 0;
   const struct hdb_messenger_create_info info = {
      .sType = HDB_STRUCTURE_TYPE_MESSENGER_CREATE_INFO,
      .version = HDB_CALLBACKS_VERSION,
      .severities = HDB_SEVERITY_ALL,
      .reports = HDB_REPORT_ALL,
      .dispatch = attach_second,
      .message = count_warning,
      .user = &count,
   };
   CHECK(program->create(sample->device, &info, &messenger) == 0);
   VkSemaphoreTypeCreateInfo type = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
   };
   VkSemaphoreCreateInfo semaphore_info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
   VkSemaphore semaphore;
   SAMPLE_CALL(sample, vkCreateSemaphore, sample->device, &semaphore_info, NULL, &semaphore);
   VkCommandBuffer commands =
      affine_begin(&program->affine, VK_COMMAND_BUFFER_LEVEL_PRIMARY, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
   affine_record(&program->affine, commands, &(struct affine_step){0, N, 1, 1}, "twice");
   affine_barrier(commands);
   SAMPLE_CALL(sample, vkEndCommandBuffer, commands);
   submit_waiting(sample, commands, semaphore);
   CHECK(unattachable == 0 && warnings == 0);
   submit_waiting(sample, commands, semaphore);
   CHECK(unattachable == 1 && warnings == 1);
   VkSemaphoreSignalInfo signal = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = semaphore, .value = 1};
   SAMPLE_CALL(sample, vkSignalSemaphore, sample->device, &signal);
   SAMPLE_CALL(sample, vkDeviceWaitIdle, sample->device);
   vkDestroySemaphore(sample->device, semaphore, NULL);
   program->destroy(sample->device, messenger);
   CHECK(affine_count(&program->affine, 2) == N);
}

/* ---- destruction ---- */

struct suicide {
   struct program *program;
   struct hdb_messenger *messenger;
   bool in_stop;
   uint32_t dispatches, stops;
};

static enum hdb_dispatch_answer
die_in_dispatch(const struct hdb_dispatch_info *info, void *user)
{
   struct suicide *suicide = user;
   suicide->dispatches++;
   if (!suicide->in_stop)
      suicide->program->destroy(info->device, suicide->messenger);
   return HDB_DISPATCH_ATTACH;
}

static enum hdb_stop_answer
die_in_stop(const struct hdb_stop *stop, void *user)
{
   struct suicide *suicide = user;
   struct hdb_value_info value;
   suicide->stops++;
   suicide->program->destroy(stop->device, suicide->messenger);
   CHECK(stop->functions->evaluate(stop, 0, 0, "amount", &value) == 0 && value.number == 7);
   return HDB_STOP_STEP_OVER; /* of which nobody will hear */
}

void
case_within(struct program *program)
{
   struct suicide first = {program, NULL, false, 0, 0}, second = {program, NULL, true, 0, 0};
   first.messenger = program_messenger(program, die_in_dispatch, die_in_stop, &first);
   program_dispatch(program, 7);
   program_dispatch(program, 7);
   CHECK(first.dispatches == 1 && first.stops == 0);
   second.messenger = program_messenger(program, die_in_dispatch, die_in_stop, &second);
   program_dispatch(program, 7);
   program_dispatch(program, 7);
   CHECK(second.dispatches == 1 && second.stops == 1);
   CHECK(affine_count(&program->affine, 28) == N);
}

static atomic_bool inside, left;

static enum hdb_stop_answer
linger(const struct hdb_stop *stop, void *user)
{
   inside = true;
   usleep(100000);
   left = true;
   return HDB_STOP_STEP_OVER;
}

struct destroyer {
   struct program *program;
   struct hdb_messenger *messenger;
};

static void *
destroy_meanwhile(void *user)
{
   struct destroyer *destroyer = user;
   while (!inside)
      usleep(1000);
   destroyer->program->destroy(destroyer->program->sample.device, destroyer->messenger);
   CHECK(left);
   left = false;
   return NULL;
}

void
case_wait(struct program *program)
{
   pthread_t thread;
   struct destroyer destroyer = {program, program_messenger(program, attach_always, linger, NULL)};
   pthread_create(&thread, NULL, destroy_meanwhile, &destroyer);
   program_dispatch(program, 7);
   pthread_join(thread, NULL);
   CHECK(!left); /* the step that it asked for was told to nobody */
   CHECK(affine_count(&program->affine, 7) == N);
}

/* ---- Vulkan ---- */

static VkCommandPool pools[4]; /* in use until the device is idle */
static uint32_t pool_count;

static void
use_vulkan(struct program *program, VkQueue queue)
{
   struct affine affine;
   affine_init(&affine, &program->sample, 64); /* buffers, memory, pipelines, sets */
   if (queue) {
      struct sample other = program->sample;
      other.queue = queue;
      VkCommandPoolCreateInfo info = {
         .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
         .queueFamilyIndex = other.queue_family,
      };
      SAMPLE_CALL(&other, vkCreateCommandPool, other.device, &info, NULL, &other.command_pool);
      pools[pool_count++] = other.command_pool;
      VkCommandBuffer commands = sample_begin(&other);
      SAMPLE_CALL(&other, vkEndCommandBuffer, commands);
      VkSubmitInfo submit = {
         .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
         .commandBufferCount = 1,
         .pCommandBuffers = &commands,
      };
      SAMPLE_CALL(&other, vkQueueSubmit, queue, 1, &submit, VK_NULL_HANDLE);
   }
   affine_finish(&affine);
}

static enum hdb_dispatch_answer
vulkan_in_dispatch(const struct hdb_dispatch_info *info, void *user)
{
   callbacks_note('d');
   use_vulkan(user, NULL);
   return HDB_DISPATCH_ATTACH;
}

static enum hdb_stop_answer
pass_by(const struct hdb_stop *stop, void *user)
{
   return HDB_STOP_PASS;
}

static enum hdb_stop_answer
vulkan_in_stop(const struct hdb_stop *stop, void *user)
{
   struct program *program = user;
   struct hdb_value_info value;
   callbacks_note('s');
   use_vulkan(program, program->sample.queue_count > 1 ? program->sample.queues[1] : NULL);
   CHECK(program->visit(stop->device, pass_by, NULL) == -EDEADLK);
   CHECK(stop->functions->evaluate(stop, 0, 0, "amount", &value) == 0 && value.number == 7);
   return HDB_STOP_PASS;
}

/* Meanwhile another thread makes and destroys shaders, which waits for the thread that callbacks run on. */
static atomic_bool busy;

static void *
churn(void *user)
{
   struct program *program = user;
   while (busy) {
      struct affine affine;
      affine_init(&affine, &program->sample, 64);
      affine_finish(&affine);
   }
   return NULL;
}

void
case_vulkan(struct program *program)
{
   pthread_t thread;
   struct hdb_messenger *messenger = program_messenger(program, vulkan_in_dispatch, vulkan_in_stop, program);
   busy = true;
   pthread_create(&thread, NULL, churn, program);
   for (int i = 0; i < 4; i++)
      program_dispatch(program, 7);
   busy = false;
   pthread_join(thread, NULL);
   CHECK(strcmp(callbacks_order, "dsdsdsds") == 0);
   program->destroy(program->sample.device, messenger);
   SAMPLE_CALL(&program->sample, vkDeviceWaitIdle, program->sample.device);
   while (pool_count)
      vkDestroyCommandPool(program->sample.device, pools[--pool_count], NULL);
   CHECK(affine_count(&program->affine, 28) == N);
}

struct nested {
   struct program *program;
   uint32_t depth, deepest;
   VkCommandBuffer commands;
};

static enum hdb_dispatch_answer
submit_within(const struct hdb_dispatch_info *info, void *user)
{
   struct nested *nested = user;
   struct sample *sample = &nested->program->sample;
   nested->depth++;
   if (nested->depth > nested->deepest)
      nested->deepest = nested->depth;
   if (nested->depth == 1) {
      VkSubmitInfo submit = {
         .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
         .commandBufferCount = 1,
         .pCommandBuffers = &nested->commands,
      };
      SAMPLE_CALL(sample, vkQueueSubmit, sample->queues[sample->queue_count - 1], 1, &submit, VK_NULL_HANDLE);
   }
   nested->depth--;
   return HDB_DISPATCH_ATTACH;
}

void
case_nested(struct program *program)
{
   if (program->sample.queue_count < 2)
      sample_fail(&program->sample, "%s", "two queues are needed: --queue compute");
   struct nested nested = {.program = program};
   nested.commands = affine_begin(&program->affine, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 0);
   affine_record(&program->affine, nested.commands, &(struct affine_step){0, N / 2, 1, 1}, "inner");
   SAMPLE_CALL(&program->sample, vkEndCommandBuffer, nested.commands);
   struct hdb_messenger *messenger = program_messenger(program, submit_within, NULL, &nested);
   VkCommandBuffer commands = affine_begin(&program->affine, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 0);
   affine_record(&program->affine, commands, &(struct affine_step){N / 2, N / 2, 1, 2}, "outer");
   SAMPLE_CALL(&program->sample, vkEndCommandBuffer, commands);
   VkFence fence = affine_submit(&program->sample, commands);
   SAMPLE_CALL(&program->sample, vkDeviceWaitIdle, program->sample.device);
   vkDestroyFence(program->sample.device, fence, NULL);
   program->destroy(program->sample.device, messenger);
   CHECK(nested.deepest == 2);
   CHECK(affine_count(&program->affine, 1) == N / 2 && affine_count(&program->affine, 2) == N / 2);
}

/* ---- faults ---- */

static struct {
   enum hdb_fault_kind kind[4];
   char dispatch[4][32], text[4][128];
   uint32_t count;
} seen;

static void
see_fault(const struct hdb_fault_info *fault, void *user)
{
   uint32_t i = seen.count < 4 ? seen.count++ : 3;
   seen.kind[i] = fault->kind;
   snprintf(seen.dispatch[i], sizeof(seen.dispatch[i]), "%s", fault->dispatch ? fault->dispatch : "?");
   snprintf(seen.text[i], sizeof(seen.text[i]), "%s", fault->text);
   callbacks_note('f');
}

static enum hdb_stop_answer
see_stop(const struct hdb_stop *stop, void *user)
{
   callbacks_note(stop->reason == HDB_STOP_REASON_EXCEPTION ? 'x' : 's');
   return HDB_STOP_PASS;
}

static enum hdb_dispatch_answer
attach_if(const struct hdb_dispatch_info *info, void *user)
{
   return *(const bool *)user ? HDB_DISPATCH_ATTACH : HDB_DISPATCH_SKIP;
}

/* Stores to where nothing is: the device is lost. */
static void
store_nowhere(struct program *program)
{
   const struct {
      uint64_t address;
      uint32_t step, unused;
   } constants = {.address = UINT64_C(0x123456789000), .step = 1};
   struct sample *sample = &program->sample;
   struct sample_kernel kernel;
   sample_kernel_init(&kernel, sample,
                      &(struct sample_kernel_info){
                         .name = "nowhere",
                         .spirv = fault_spirv,
                         .spirv_size = sizeof(fault_spirv),
                         .push_constant_size = sizeof(constants),
                         .max_sets = 1,
                      });
   VkCommandBuffer commands = sample_begin(sample);
   sample_dispatch(sample, commands, &kernel, sample_kernel_set(&kernel, sample, NULL), &constants, 1, "nowhere");
   SAMPLE_CALL(sample, vkEndCommandBuffer, commands);
   VkFence fence = affine_submit(sample, commands);
   CHECK(vkWaitForFences(sample->device, 1, &fence, VK_TRUE, UINT64_MAX) == VK_ERROR_DEVICE_LOST);
   vkDestroyFence(sample->device, fence, NULL);
   sample_kernel_finish(&kernel, sample);
}

static void
lose(bool attached)
{
   struct program program;
   struct hdb_messenger *messenger;
   program_init(&program, 0, NULL);
   struct hdb_messenger_create_info info = {
      .sType = HDB_STRUCTURE_TYPE_MESSENGER_CREATE_INFO,
      .version = HDB_CALLBACKS_VERSION,
      .severities = HDB_SEVERITY_ALL,
      .reports = HDB_REPORT_ALL,
      .dispatch = attach_if,
      .stop = see_stop,
      .fault = see_fault,
      .user = &attached,
   };
   memset(&seen, 0, sizeof(seen));
   memset(callbacks_order, 0, sizeof(callbacks_order));
   CHECK(program.create(program.sample.device, &info, &messenger) == 0);
   store_nowhere(&program);
   program_finish(&program); /* by now the engine has heard of it */
}

void
case_lost(struct program *program)
{
   lose(false);
   CHECK(strcmp(callbacks_order, "f") == 0 && seen.count == 1);
   CHECK(seen.kind[0] == HDB_FAULT_DEVICE_LOST && strcmp(seen.dispatch[0], "nowhere") == 0);
   CHECK(strstr(seen.text[0], "was lost with dispatch"));
   lose(true);
   CHECK(strcmp(callbacks_order, "sfxf") == 0 && seen.count == 2);
   CHECK(seen.kind[0] == HDB_FAULT_MEMORY && strcmp(seen.dispatch[0], "nowhere") == 0);
   CHECK(strstr(seen.text[0], "memory violation in the page at 0x123456789000"));
   CHECK(seen.kind[1] == HDB_FAULT_DEVICE_LOST);
}

/* ---- push constants ---- */

static enum hdb_dispatch_answer
see_constants(const struct hdb_dispatch_info *info, void *user)
{
   const uint32_t *seven = info->push_constants;
   CHECK(info->push_constant_size == sizeof(*seven) && *seven == 7);
   return HDB_DISPATCH_ATTACH;
}

static enum hdb_stop_answer
read_constants(const struct hdb_stop *stop, void *user)
{
   uint32_t words[4] = {0, 1, 2, 3};
   size_t size = sizeof(words);
   CHECK(stop->functions->read_push_constants(stop, words, &size) == 0 && size == sizeof(words[0]));
   CHECK(words[0] == 7 && words[1] == 1);
   callbacks_note('P');
   return HDB_STOP_PASS;
}

/* As many as the layout has, which is fewer than drivers make of it. */
void
case_push(struct program *program)
{
   struct sample *sample = &program->sample;
   struct sample_kernel kernel;
   const uint32_t seven = 7;
   sample_kernel_init(&kernel, sample,
                      &(struct sample_kernel_info){
                         .name = "empty",
                         .spirv = empty_spirv,
                         .spirv_size = sizeof(empty_spirv),
                         .push_constant_size = sizeof(seven),
                         .max_sets = 1,
                      });
   struct hdb_messenger *messenger = program_messenger(program, see_constants, read_constants, NULL);
   VkCommandBuffer commands = sample_begin(sample);
   sample_dispatch(sample, commands, &kernel, sample_kernel_set(&kernel, sample, NULL), &seven, 1, "empty");
   sample_submit(sample, commands);
   program->destroy(sample->device, messenger);
   CHECK(strcmp(callbacks_order, "P") == 0);
   sample_kernel_finish(&kernel, sample);
}

/* ---- two devices ---- */

static atomic_int told, told_of_others;

static void
check_message_device(const struct hdb_message_info *message, void *user)
{
   told += message->device == user;
   told_of_others += message->device && message->device != user;
}

static enum hdb_stop_answer
resume(const struct hdb_stop *stop, void *user)
{
   return HDB_STOP_RESUME;
}

/* What is said about a device is told to the messengers that are for it. */
void
case_apart(struct program *program)
{
   char *arguments[] = {"other", NULL};
   struct sample other;
   struct hdb_messenger *messengers[2];
   sample_init(&other, "other", 1, 1, arguments);
   void *devices[2] = {other.device, program->sample.device};
   for (size_t i = 0; i < 2; i++) {
      const struct hdb_messenger_create_info info = {
         .sType = HDB_STRUCTURE_TYPE_MESSENGER_CREATE_INFO,
         .version = HDB_CALLBACKS_VERSION,
         .severities = HDB_SEVERITY_ALL,
         .reports = HDB_REPORT_DISPATCH | HDB_REPORT_STOP | HDB_REPORT_MESSAGE,
         .dispatch = attach_always,
         .stop = resume,
         .message = check_message_device,
         .user = devices[i],
      };
      PFN_hdb_messenger_create create =
         (PFN_hdb_messenger_create)(void *)vkGetDeviceProcAddr(devices[i], "hdb_messenger_create");
      CHECK(create && create(devices[i], &info, &messengers[i]) == 0);
   }
   program_dispatch(program, 1);
   for (size_t i = 0; i < 2; i++) {
      PFN_hdb_messenger_destroy destroy =
         (PFN_hdb_messenger_destroy)(void *)vkGetDeviceProcAddr(devices[i], "hdb_messenger_destroy");
      destroy(devices[i], messengers[i]);
   }
   sample_finish(&other);
   CHECK(told > 0 && told_of_others == 0);
}
