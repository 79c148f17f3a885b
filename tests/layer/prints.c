/* SPDX-License-Identifier: MIT */
/*
 * What shaders print, without a debugger and without debug information, to VK_EXT_debug_utils' messengers:
 * prints CASE [OPTION...]
 *
 * formats   each format of GLSL_EXT_debug_printf
 * order     the lines of a lane come in its order, all of them before the wait for the submission returns
 * waits     that is so for each of the ways to wait
 * dropped   a messenger that takes its time: what there was no room for is counted
 * deaf      messengers that don't want information hear nothing
 * late      the messenger comes after the pipeline
 * cached    the pipeline comes out of the cache that another device has filled
 * lost      lines of a dispatch that faults
 * nobody    there is no messenger: the results are right
 * speed     microseconds that a wave takes to print a line nobody reads, and one that is read
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common.h"
#include "prints.comp.h"

#define TIME_LIMIT 120 /* seconds */
#define NOWHERE UINT64_C(0x123456789000)

enum { WORKGROUP = 64, N = 1 << 18, MAX_LINES = 1 << 17, MAX_TEXT = 160 };
enum what { FORMATS, COUNT, FAULT };

struct constants {
   uint32_t what, count;
   uint64_t address;
};

struct program {
   struct sample sample;
   struct sample_kernel kernel;
   struct sample_buffer data;
   VkDescriptorSet set;
   VkDebugUtilsMessengerEXT messenger;
};

static int failures;
#define CHECK(condition)                                                  \
   do {                                                                   \
      if (!(condition)) {                                                 \
         printf("prints.c:%d: %s does not hold\n", __LINE__, #condition); \
         failures++;                                                      \
      }                                                                   \
   } while (0)

/* ---- lines ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char lines[MAX_LINES][MAX_TEXT];
static uint32_t line_count, dropped_count;
static const volatile uint32_t *ended; /* the messenger waits until it is `ended_most` */
static uint32_t ended_most;

static VKAPI_ATTR VkBool32 VKAPI_CALL
take_line(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT type,
          const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
   unsigned dropped;
   if (!data->pMessageIdName || strcmp(data->pMessageIdName, "hdb-print") != 0)
      return VK_FALSE;
   while (ended && *ended < ended_most)
      usleep(1000);
   pthread_mutex_lock(&lock);
   if (strstr(data->pMessage, " of debugPrintf w") && sscanf(data->pMessage, "%u", &dropped) == 1)
      dropped_count += dropped;
   else if (line_count < MAX_LINES)
      snprintf(lines[line_count++], MAX_TEXT, "%s", data->pMessage);
   pthread_mutex_unlock(&lock);
   return VK_FALSE;
}

static void
add_messenger(struct program *program, VkDebugUtilsMessageSeverityFlagsEXT severity)
{
   const VkDebugUtilsMessengerCreateInfoEXT info = {
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
      .messageSeverity = severity,
      .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
      .pfnUserCallback = take_line,
   };
   PFN_vkCreateDebugUtilsMessengerEXT create = (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
      program->sample.instance, "vkCreateDebugUtilsMessengerEXT");
   SAMPLE_CALL(&program->sample, create, program->sample.instance, &info, NULL, &program->messenger);
}

static void
remove_messenger(struct program *program)
{
   PFN_vkDestroyDebugUtilsMessengerEXT destroy = (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
      program->sample.instance, "vkDestroyDebugUtilsMessengerEXT");
   destroy(program->sample.instance, program->messenger, NULL);
   program->messenger = VK_NULL_HANDLE;
}

/* ---- dispatches ---- */

static void
init_kernel(struct program *program)
{
   const struct sample *sample = &program->sample;
   sample_kernel_init(&program->kernel, sample,
                      &(struct sample_kernel_info){
                         .name = "prints",
                         .spirv = prints_spirv,
                         .spirv_size = sizeof(prints_spirv),
                         .buffer_count = 1,
                         .push_constant_size = sizeof(struct constants),
                         .max_sets = 1,
                      });
   program->set = sample_kernel_set(&program->kernel, sample, (const struct sample_buffer *const[]){&program->data});
}

static void
init(struct program *program, int argc, char **argv)
{
   sample_init(&program->sample, "prints", N, argc, argv);
   sample_buffer_init(&program->data, &program->sample, (N + 1) * sizeof(uint32_t));
   memset(program->data.map, 0, program->data.size);
   init_kernel(program);
}

static void
finish(struct program *program)
{
   if (program->messenger)
      remove_messenger(program);
   sample_kernel_finish(&program->kernel, &program->sample);
   sample_buffer_finish(&program->data, &program->sample);
   sample_finish(&program->sample);
}

static VkCommandBuffer
record(struct program *program, const struct constants *constants, uint32_t groups)
{
   VkCommandBuffer commands = sample_begin(&program->sample);
   sample_dispatch(&program->sample, commands, &program->kernel, program->set, constants, groups, "printing");
   return commands;
}

static void
run(struct program *program, const struct constants *constants, uint32_t groups)
{
   memset(program->data.map, 0, program->data.size);
   sample_submit(&program->sample, record(program, constants, groups));
   const uint32_t *data = program->data.map;
   CHECK(data[0] == groups * WORKGROUP);
   for (uint32_t i = 0; i < groups * WORKGROUP; i++)
      CHECK(data[1 + i] == i + 1);
}

/* ---- formats ---- */

static uint32_t expected_count;
static char expected[MAX_LINES][MAX_TEXT];
#define EXPECT(...) snprintf(expected[expected_count++], MAX_TEXT, __VA_ARGS__)

/* By the C library, from what the shader's own arithmetic gives. */
static void
expect_formats(const uint32_t *invocations, uint32_t count)
{
   for (uint32_t line = 0; line < 8; line++) {
      for (uint32_t k = 0; k < count; k++) {
         uint32_t i = invocations[k];
         int s = -(int)i - 1;
         double f = i + 0.25;
         unsigned long wide = 0x123456789abcdef0ul + i;
         switch (line) {
         case 0:
            EXPECT("%d %i %u %x %X %o|%5d|%-5d|%05u|%+d 100%%", s, s, i, i + 0xab, i + 0xab, i, s, s, i, s);
            break;
         case 1:
            EXPECT("%f %e %g %a %.2f %8.3f", f, f, f, f, f, f);
            break;
         case 2:
            EXPECT("%d, 7 %f, %f, %f %.1f, %.1f, %.1f %u, 1, 2, 3", s, f, -f, (double)1e-3f, f, -f, 1e-3, i);
            break;
         case 3:
            EXPECT("%lu %lu %lx %d|%lu, 1099511627776", wide, wide, wide, s, wide);
            break;
         case 4:
            EXPECT("%d %u %f %d %u", s, (0xfff0 + i) & 0xffff, f, (int8_t)s, (0xf0 + i) & 0xff);
            break;
         case 5:
            EXPECT("%d %u %f", i == 0, i == 33, f * 3);
            break;
         case 6:
            EXPECT("%4u|%-4u|%.2s|%100d", i, i, i ? "33.25" : "0.25", s);
            break;
         default:
            EXPECT("plain");
            break;
         }
      }
   }
}

static int
compare_text(const void *a, const void *b)
{
   return strcmp(a, b);
}

static void
check_formats(struct program *program)
{
   run(program, &(struct constants){.what = FORMATS}, 1);
   strcpy(expected[expected_count++], "one line 5");
   /* With 32 lanes in a wave these are of two waves, whose lines come in any order. */
   expect_formats((const uint32_t[]){0, 33}, 2);
   CHECK(line_count == expected_count);
   qsort(lines, line_count, MAX_TEXT, compare_text);
   qsort(expected, expected_count, MAX_TEXT, compare_text);
   for (uint32_t i = 0; i < expected_count; i++) {
      if (strcmp(lines[i], expected[i]) == 0)
         continue;
      printf("\"%s\" and not \"%s\"\n", lines[i], expected[i]);
      failures++;
   }
}

/* ---- order ---- */

/* Each of so many invocations has printed 0 to count - 1, in that order. */
static void
check_lines(uint32_t invocations, uint32_t count)
{
   uint32_t *next = calloc(invocations, sizeof(*next)), n, i;
   pthread_mutex_lock(&lock);
   CHECK(line_count == invocations * count);
   for (uint32_t line = 0; line < line_count; line++) {
      CHECK(sscanf(lines[line], "%u of %u", &n, &i) == 2 && i < invocations && n == next[i]++);
   }
   line_count = 0;
   pthread_mutex_unlock(&lock);
   free(next);
}

static void
check_order(struct program *program)
{
   for (uint32_t times = 0; times < 4; times++) { /* round the ring */
      run(program, &(struct constants){.what = COUNT, .count = 3}, 500);
      CHECK(dropped_count == 0);
      check_lines(500 * WORKGROUP, 3);
   }
}

static void
check_waits(struct program *program)
{
   const struct sample *sample = &program->sample;
   const VkSemaphoreTypeCreateInfo type = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
   };
   const VkSemaphoreCreateInfo semaphore_info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
   const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
   VkSemaphore semaphore;
   VkFence fence;
   SAMPLE_CALL(sample, vkCreateSemaphore, sample->device, &semaphore_info, NULL, &semaphore);
   SAMPLE_CALL(sample, vkCreateFence, sample->device, &fence_info, NULL, &fence);
   for (uint64_t way = 0; way < 5; way++) {
      VkCommandBuffer commands = record(program, &(struct constants){.what = COUNT, .count = 1}, 50);
      const uint64_t value = way + 1;
      SAMPLE_CALL(sample, vkEndCommandBuffer, commands);
      const VkTimelineSemaphoreSubmitInfo timeline = {
         .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
         .signalSemaphoreValueCount = 1,
         .pSignalSemaphoreValues = &value,
      };
      const VkSubmitInfo submit = {
         .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
         .pNext = &timeline,
         .commandBufferCount = 1,
         .pCommandBuffers = &commands,
         .signalSemaphoreCount = 1,
         .pSignalSemaphores = &semaphore,
      };
      const VkSemaphoreWaitInfo wait = {
         .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
         .semaphoreCount = 1,
         .pSemaphores = &semaphore,
         .pValues = &value,
      };
      SAMPLE_CALL(sample, vkResetFences, sample->device, 1, &fence);
      SAMPLE_CALL(sample, vkQueueSubmit, sample->queue, 1, &submit, fence);
      switch (way) {
      case 0:
         SAMPLE_CALL(sample, vkWaitForFences, sample->device, 1, &fence, VK_TRUE, UINT64_MAX);
         break;
      case 1:
         while (vkGetFenceStatus(sample->device, fence) == VK_NOT_READY)
            usleep(100);
         break;
      case 2:
         SAMPLE_CALL(sample, vkWaitSemaphores, sample->device, &wait, UINT64_MAX);
         break;
      case 3:
         SAMPLE_CALL(sample, vkQueueWaitIdle, sample->queue);
         break;
      default:
         SAMPLE_CALL(sample, vkDeviceWaitIdle, sample->device);
         break;
      }
      check_lines(50 * WORKGROUP, 1);
      vkDeviceWaitIdle(sample->device);
      vkFreeCommandBuffers(sample->device, sample->command_pool, 1, &commands);
   }
   vkDestroyFence(sample->device, fence, NULL);
   vkDestroySemaphore(sample->device, semaphore, NULL);
}

/* ---- what is dropped, or not heard ---- */

static void
check_dropped(struct program *program)
{
   const uint32_t groups = 1000, count = 8;
   ended = program->data.map;
   ended_most = groups * WORKGROUP;
   run(program, &(struct constants){.what = COUNT, .count = count}, groups);
   CHECK(dropped_count > 0);
   CHECK(line_count > 0);
   CHECK(line_count + dropped_count == groups * WORKGROUP * count);
   /* And afterwards there is room again. */
   ended = NULL;
   line_count = 0;
   run(program, &(struct constants){.what = COUNT, .count = 2}, 10);
   check_lines(10 * WORKGROUP, 2);
}

/* Both devices are there at once, so that their rings are at different addresses. */
static void
check_cached(struct program *program)
{
   static struct program other;
   char *none[] = {NULL};
   run(program, &(struct constants){.what = COUNT, .count = 1}, 10);
   check_lines(10 * WORKGROUP, 1);
   init(&other, 1, none);
   add_messenger(&other, VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT);
   run(&other, &(struct constants){.what = COUNT, .count = 2}, 10);
   check_lines(10 * WORKGROUP, 2);
   finish(&other);
   run(program, &(struct constants){.what = COUNT, .count = 1}, 10);
   check_lines(10 * WORKGROUP, 1);
}

static void
check_lost(struct program *program)
{
   const struct sample *sample = &program->sample;
   VkCommandBuffer commands = record(program, &(struct constants){.what = FAULT, .count = 2, .address = NOWHERE}, 1);
   const VkSubmitInfo submit = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
   SAMPLE_CALL(sample, vkEndCommandBuffer, commands);
   SAMPLE_CALL(sample, vkQueueSubmit, sample->queue, 1, &submit, VK_NULL_HANDLE);
   CHECK(vkQueueWaitIdle(sample->queue) == VK_ERROR_DEVICE_LOST);
   /* A further wave may have been lost before it has printed. */
   CHECK(line_count > 0);
}

/* ---- speed ---- */

static double
seconds(void)
{
   struct timespec now;
   clock_gettime(CLOCK_MONOTONIC, &now);
   return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Microseconds of a wave, the least of some. */
static double
measure(struct program *program, uint32_t groups, uint32_t count)
{
   double least = INFINITY;
   for (int i = 0; i < 5; i++) {
      double start = seconds();
      run(program, &(struct constants){.what = COUNT, .count = count}, groups);
      least = fmin(least, (seconds() - start) / groups * 1e6);
      line_count = 0;
   }
   return least;
}

static void
measure_speed(struct program *program)
{
   const uint32_t count = 50;
   double without = measure(program, 2000, 0), unread = measure(program, 2000, count);
   add_messenger(program, VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT);
   double read = measure(program, 50, count);
   printf("print.us_per_wave.unread %f\n", (unread - without) / count);
   printf("print.us_per_wave.read %f\n", (read - without) / count);
}

/* ---- the cases ---- */

/* The messenger of `late` is there for the second of three. */
static void
check_nobody(struct program *program)
{
   run(program, &(struct constants){.what = COUNT, .count = 2}, 50);
   CHECK(line_count == 0);
}

static void
check_late(struct program *program)
{
   check_nobody(program);
   add_messenger(program, VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT);
   run(program, &(struct constants){.what = COUNT, .count = 2}, 50);
   check_lines(50 * WORKGROUP, 2);
   remove_messenger(program);
   check_nobody(program);
}

int
main(int argc, char **argv)
{
   enum {
      NONE = 0,
      INFO = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT,
      WARNING = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT
   };
   static const struct {
      const char *name;
      void (*check)(struct program *program);
      VkDebugUtilsMessageSeverityFlagsEXT severity; /* of the messenger */
   } cases[] = {
      {"formats", check_formats, INFO}, {"order", check_order, INFO},    {"waits", check_waits, INFO},
      {"dropped", check_dropped, INFO}, {"deaf", check_nobody, WARNING}, {"late", check_late, NONE},
      {"cached", check_cached, INFO},   {"lost", check_lost, INFO},      {"nobody", check_nobody, NONE},
      {"speed", measure_speed, NONE},
   };
   static struct program program;
   const char *name = argc > 1 ? argv[1] : "";
   size_t i = 0;
   while (i < sizeof(cases) / sizeof(cases[0]) && strcmp(cases[i].name, name) != 0)
      i++;
   if (i == sizeof(cases) / sizeof(cases[0])) {
      printf("prints: no case \"%s\"\n", name);
      return 2;
   }
   alarm(TIME_LIMIT);
   init(&program, argc - 1, argv + 1);
   if (cases[i].severity)
      add_messenger(&program, cases[i].severity);
   cases[i].check(&program);
   finish(&program);
   return failures != 0;
}
