/* SPDX-License-Identifier: MIT */
/* What the layer tells the engine of submissions: dispatches in order, names, labels, what is pending, each token once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common.h"
#include "empty.comp.h"
#include "fake_core.h"

static struct sample sample;
static struct sample_kernel kernel;
static VkDescriptorSet set;
static bool with_driver; /* hdb's, which keeps records; without it the layer keeps them itself */
static void (*get_notes)(struct fake_notes *notes);
static void (*forget_offers)(void);

/* The engine has sent one end of a connection over the channel, and its process is who it says. */
static void
check_connection(int channel)
{
   char text[16];
   union {
      struct cmsghdr header;
      char space[CMSG_SPACE(sizeof(int))];
   } control;
   struct iovec data = {.iov_base = text, .iov_len = sizeof(text)};
   struct msghdr message = {
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
   assert_true(recvmsg(channel, &message, MSG_DONTWAIT) > 0);
   struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
   assert_non_null(rights);
   assert_int_equal(rights->cmsg_type, SCM_RIGHTS);
   struct ucred peer;
   socklen_t size = sizeof(peer);
   int fd;
   memcpy(&fd, CMSG_DATA(rights), sizeof(fd));
   assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size), 0);
   assert_int_equal(peer.pid, getpid());
   close(fd);
}

static int
setup(void **state)
{
   int fds[2];
   char number[16];
   char *arguments[] = {"submissions", NULL};
   assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
   snprintf(number, sizeof(number), "%d", fds[0]);
   setenv("HDB_CLIENT_FD", number, 1);
   sample_init(&sample, "submissions", 1, 1, arguments);
   check_connection(fds[1]);
   assert_string_equal(getenv("HDB_CLIENT_FD"), number); /* for its children too */

   void *layer = dlopen(getenv("FAKE_LAYER"), RTLD_NOW | RTLD_NOLOAD);
   assert_non_null(layer);
   get_notes = (void (*)(struct fake_notes *))dlsym(layer, "fake_core_notes");
   forget_offers = (void (*)(void))dlsym(layer, "fake_core_forget_offers");
   assert_non_null(get_notes);

   sample_kernel_init(&kernel, &sample,
                      &(struct sample_kernel_info){
                         .name = "nothing",
                         .spirv = empty_spirv,
                         .spirv_size = sizeof(empty_spirv),
                         .max_sets = 1,
                      });
   set = sample_kernel_set(&kernel, &sample, NULL);
   struct fake_notes notes;
   get_notes(&notes);
   assert_int_equal(notes.engines, 1);
   assert_int_equal(notes.devices, 1);
   assert_int_equal(notes.has_driver, with_driver);
   return 0;
}

static int
teardown(void **state)
{
   sample_kernel_finish(&kernel, &sample);
   sample_finish(&sample);
   struct fake_notes notes;
   get_notes(&notes);
   return notes.devices_removed == 1 && notes.completed == notes.tokens && !notes.completed_twice ? 0 : -1;
}

static int
forget(void **state)
{
   forget_offers();
   return 0;
}

static VkCommandBuffer
begin(VkCommandBufferLevel level, VkCommandBufferUsageFlags flags)
{
   VkCommandBuffer commands;
   VkCommandBufferAllocateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
      .commandPool = sample.command_pool,
      .level = level,
      .commandBufferCount = 1,
   };
   VkCommandBufferInheritanceInfo inheritance = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
   VkCommandBufferBeginInfo begin_info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
      .flags = flags,
      .pInheritanceInfo = &inheritance,
   };
   SAMPLE_CALL(&sample, vkAllocateCommandBuffers, sample.device, &info, &commands);
   SAMPLE_CALL(&sample, vkBeginCommandBuffer, commands, &begin_info);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline);
   return commands;
}

static void
label(VkCommandBuffer commands, const char *name)
{
   VkDebugUtilsLabelEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = name};
   if (name)
      sample.begin_label(commands, &info);
   else
      sample.end_label(commands);
}

static void
submit(uint32_t count, const VkCommandBuffer *commands, VkFence fence)
{
   VkSubmitInfo info = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
      .commandBufferCount = count,
      .pCommandBuffers = commands,
   };
   SAMPLE_CALL(&sample, vkQueueSubmit, sample.queue, 1, &info, fence);
}

static void
end_and_run(VkCommandBuffer commands)
{
   SAMPLE_CALL(&sample, vkEndCommandBuffer, commands);
   submit(1, &commands, VK_NULL_HANDLE);
   SAMPLE_CALL(&sample, vkQueueWaitIdle, sample.queue);
}

static void
assert_labels(size_t count, const char *const *labels)
{
   struct fake_notes notes;
   get_notes(&notes);
   assert_int_equal(notes.offer_count, count);
   for (size_t i = 0; i < count; i++) {
      assert_string_equal(notes.offers[i].label, labels[i]);
      assert_string_equal(notes.offers[i].pipeline_name, "nothing");
      assert_int_equal(notes.offers[i].has_registers, with_driver);
   }
}

/* All around each dispatch, outermost first. */
static void
assert_label_stacks(size_t count, const char *const *labels)
{
   struct fake_notes notes;
   get_notes(&notes);
   for (size_t i = 0; i < count; i++)
      assert_string_equal(notes.offers[i].labels, labels[i]);
}

static void
test_labels(void **state)
{
   VkCommandBuffer commands = begin(VK_COMMAND_BUFFER_LEVEL_PRIMARY, 0);
   label(commands, NULL); /* ends a label of some earlier command buffer: allowed */
   label(commands, "outer");
   vkCmdDispatch(commands, 2, 3, 4);
   label(commands, "empty");
   label(commands, NULL);
   label(commands, "inner");
   vkCmdDispatch(commands, 1, 1, 1);
   label(commands, NULL);
   vkCmdDispatch(commands, 1, 1, 1);
   label(commands, NULL);
   vkCmdDispatch(commands, 5, 1, 1);
   end_and_run(commands);
   assert_labels(4, (const char *const[]){"outer", "inner", "outer", ""});
   assert_label_stacks(4, (const char *const[]){"outer", "outer>inner", "outer", ""});

   struct fake_notes notes;
   get_notes(&notes);
   for (uint32_t i = 0; i < 4; i++) {
      assert_int_equal(notes.offers[i].ordinal, i);
      assert_string_equal(notes.offers[i].queue_name, "queue 0.0");
   }
   assert_memory_equal(notes.offers[0].grid, ((uint32_t[3]){2, 3, 4}), sizeof(uint32_t[3]));
   assert_memory_equal(notes.offers[3].grid, ((uint32_t[3]){5, 1, 1}), sizeof(uint32_t[3]));
}

static void
test_labels_go_with_the_recording(void **state)
{
   VkCommandBuffer commands = begin(VK_COMMAND_BUFFER_LEVEL_PRIMARY, 0);
   label(commands, "first");
   vkCmdDispatch(commands, 1, 1, 1);
   label(commands, NULL);
   end_and_run(commands);
   SAMPLE_CALL(&sample, vkResetCommandPool, sample.device, sample.command_pool, 0);
   VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
   SAMPLE_CALL(&sample, vkBeginCommandBuffer, commands, &info);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline);
   vkCmdDispatch(commands, 1, 1, 1);
   end_and_run(commands);
   assert_labels(2, (const char *const[]){"first", ""});
}

static void
test_secondaries(void **state)
{
   VkCommandBuffer plain = begin(VK_COMMAND_BUFFER_LEVEL_SECONDARY, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
   vkCmdDispatch(plain, 1, 1, 1);
   SAMPLE_CALL(&sample, vkEndCommandBuffer, plain);
   VkCommandBuffer labelled = begin(VK_COMMAND_BUFFER_LEVEL_SECONDARY, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
   vkCmdDispatch(labelled, 1, 1, 1);
   label(labelled, "own");
   vkCmdDispatch(labelled, 1, 1, 1);
   label(labelled, NULL);
   SAMPLE_CALL(&sample, vkEndCommandBuffer, labelled);

   VkCommandBuffer commands = begin(VK_COMMAND_BUFFER_LEVEL_PRIMARY, 0);
   label(commands, "around");
   vkCmdExecuteCommands(commands, 3, (VkCommandBuffer[]){plain, labelled, labelled});
   label(commands, NULL);
   vkCmdExecuteCommands(commands, 1, &labelled);
   end_and_run(commands);
   assert_labels(7, (const char *const[]){"around", "around", "own", "around", "own", "", "own"});
   assert_label_stacks(7, (const char *const[]){"around", "around", "around>own", "around", "around>own", "", "own"});
}

static void
test_queue_labels_and_names(void **state)
{
   PFN_vkQueueBeginDebugUtilsLabelEXT begin_label = (PFN_vkQueueBeginDebugUtilsLabelEXT)(void *)vkGetInstanceProcAddr(
      sample.instance, "vkQueueBeginDebugUtilsLabelEXT");
   PFN_vkQueueEndDebugUtilsLabelEXT end_label =
      (PFN_vkQueueEndDebugUtilsLabelEXT)(void *)vkGetInstanceProcAddr(sample.instance, "vkQueueEndDebugUtilsLabelEXT");
   VkDebugUtilsLabelEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = "frame"};
   begin_label(sample.queue, &info);
   sample_set_name(&sample, VK_OBJECT_TYPE_QUEUE, (uint64_t)(uintptr_t)sample.queue, "main queue");
   VkCommandBuffer commands = begin(VK_COMMAND_BUFFER_LEVEL_PRIMARY, 0);
   vkCmdDispatch(commands, 1, 1, 1);
   end_and_run(commands);
   end_label(sample.queue);
   sample_set_name(&sample, VK_OBJECT_TYPE_QUEUE, (uint64_t)(uintptr_t)sample.queue, NULL);

   assert_labels(1, (const char *const[]){"frame"});
   struct fake_notes notes;
   get_notes(&notes);
   assert_string_equal(notes.offers[0].queue_name, "main queue");
}

/* Each submission of a program without a window is a frame, and its end is told behind it. */
static void
test_frames(void **state)
{
   struct fake_notes before, notes;
   get_notes(&before);
   for (int i = 0; i < 2; i++) {
      VkCommandBuffer commands = begin(VK_COMMAND_BUFFER_LEVEL_PRIMARY, 0);
      vkCmdDispatch(commands, 1, 1, 1);
      end_and_run(commands);
   }
   get_notes(&notes);
   assert_int_equal(notes.offer_count, 2);
   assert_int_equal(notes.offers[1].frame, notes.offers[0].frame + 1);
   assert_int_equal(notes.frames_ended, before.frames_ended + 2);
   assert_int_equal(notes.last_frame, notes.offers[1].frame);
}

static void
test_twice_in_one_submission(void **state)
{
   VkCommandBuffer commands = begin(VK_COMMAND_BUFFER_LEVEL_PRIMARY, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
   vkCmdDispatch(commands, 1, 1, 1);
   SAMPLE_CALL(&sample, vkEndCommandBuffer, commands);
   submit(2, (VkCommandBuffer[]){commands, commands}, VK_NULL_HANDLE);
   SAMPLE_CALL(&sample, vkQueueWaitIdle, sample.queue);
   struct fake_notes notes;
   get_notes(&notes);
   assert_int_equal(notes.offer_count, 2);
   assert_false(notes.offers[0].armed_elsewhere);
   assert_true(notes.offers[1].armed_elsewhere);
}

static void
test_waited_for_is_not_pending(void **state)
{
   VkFence fence;
   VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
   SAMPLE_CALL(&sample, vkCreateFence, sample.device, &info, NULL, &fence);
   VkCommandBuffer commands = begin(VK_COMMAND_BUFFER_LEVEL_PRIMARY, 0);
   vkCmdDispatch(commands, 1, 1, 1);
   SAMPLE_CALL(&sample, vkEndCommandBuffer, commands);
   for (int i = 0; i < 100; i++) {
      submit(1, &commands, fence);
      SAMPLE_CALL(&sample, vkWaitForFences, sample.device, 1, &fence, VK_TRUE, UINT64_MAX);
      SAMPLE_CALL(&sample, vkResetFences, sample.device, 1, &fence);
   }
   vkDestroyFence(sample.device, fence, NULL);
   struct fake_notes notes;
   get_notes(&notes);
   assert_int_equal(notes.offer_count, 100);
   for (int i = 0; i < 100; i++)
      assert_false(notes.offers[i].armed_elsewhere);
}

static void
test_pending_is_marked(void **state)
{
   VkSemaphore semaphore;
   VkSemaphoreTypeCreateInfo type = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
   };
   VkSemaphoreCreateInfo create_info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
   SAMPLE_CALL(&sample, vkCreateSemaphore, sample.device, &create_info, NULL, &semaphore);
   VkCommandBuffer commands = begin(VK_COMMAND_BUFFER_LEVEL_PRIMARY, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
   vkCmdDispatch(commands, 1, 1, 1);
   SAMPLE_CALL(&sample, vkEndCommandBuffer, commands);

   VkSemaphoreSubmitInfo wait = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
      .semaphore = semaphore,
      .value = 1,
      .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
   };
   VkCommandBufferSubmitInfo command_info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
      .commandBuffer = commands,
   };
   VkSubmitInfo2 info = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
      .waitSemaphoreInfoCount = 1,
      .pWaitSemaphoreInfos = &wait,
      .commandBufferInfoCount = 1,
      .pCommandBufferInfos = &command_info,
   };
   SAMPLE_CALL(&sample, vkQueueSubmit2, sample.queue, 1, &info, VK_NULL_HANDLE);
   submit(1, &commands, VK_NULL_HANDLE);
   VkSemaphoreSignalInfo signal = {
      .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
      .semaphore = semaphore,
      .value = 1,
   };
   struct fake_notes notes;
   get_notes(&notes);
   assert_int_equal(notes.offer_count, 2);
   assert_false(notes.offers[0].armed_elsewhere);
   assert_true(notes.offers[1].armed_elsewhere);
   assert_true(notes.completed <= notes.tokens - 2); /* neither is given back before the GPU is done */

   SAMPLE_CALL(&sample, vkSignalSemaphore, sample.device, &signal);
   SAMPLE_CALL(&sample, vkQueueWaitIdle, sample.queue);
   submit(1, &commands, VK_NULL_HANDLE);
   SAMPLE_CALL(&sample, vkQueueWaitIdle, sample.queue);
   vkDestroySemaphore(sample.device, semaphore, NULL);
   get_notes(&notes);
   assert_false(notes.offers[2].armed_elsewhere);
}

static void
wait_for_tokens(struct fake_notes *notes)
{
   for (int i = 0; i < 500; i++) {
      get_notes(notes);
      if (notes->completed == notes->tokens)
         return;
      nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
   }
}

static void
test_tokens_come_back(void **state)
{
   VkCommandBuffer commands = begin(VK_COMMAND_BUFFER_LEVEL_PRIMARY, 0);
   vkCmdDispatch(commands, 1, 1, 1);
   end_and_run(commands);
   submit(0, NULL, VK_NULL_HANDLE); /* nothing to offer: no token */
   struct fake_notes notes;
   wait_for_tokens(&notes);
   assert_int_equal(notes.offer_count, 1);
   assert_int_equal(notes.completed, notes.tokens);
   assert_int_equal(notes.completed_twice, 0);
}

static void
test_child_is_inert(void **state)
{
   if (!with_driver)
      skip(); /* lavapipe's queue has a thread, which a child does not have: its submissions may hang */
   VkCommandBuffer commands = begin(VK_COMMAND_BUFFER_LEVEL_PRIMARY, 0);
   vkCmdDispatch(commands, 1, 1, 1);
   SAMPLE_CALL(&sample, vkEndCommandBuffer, commands);
   struct fake_notes notes;
   wait_for_tokens(&notes);
   /* With every thread of layer and driver at rest, no lock is held that the child needs. */
   SAMPLE_CALL(&sample, vkQueueWaitIdle, sample.queue);
   nanosleep(&(struct timespec){.tv_nsec = 100 * 1000 * 1000}, NULL);
   pid_t child = fork();
   if (child == 0) {
      VkSubmitInfo info = {
         .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
         .commandBufferCount = 1,
         .pCommandBuffers = &commands,
      };
      vkQueueSubmit(sample.queue, 1, &info, VK_NULL_HANDLE); /* may fail: the child's virtual GPU is inert as well */
      get_notes(&notes);
      _exit(notes.offer_count == 0 ? 42 : 1);
   }
   int status;
   assert_int_equal(waitpid(child, &status, 0), child);
   assert_true(WIFEXITED(status));
   assert_int_equal(WEXITSTATUS(status), 42);
   submit(1, &commands, VK_NULL_HANDLE);
   SAMPLE_CALL(&sample, vkQueueWaitIdle, sample.queue);
   assert_labels(1, (const char *const[]){""});
}

int
main(int argc, char **argv)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_labels, forget),
      cmocka_unit_test_setup(test_labels_go_with_the_recording, forget),
      cmocka_unit_test_setup(test_secondaries, forget),
      cmocka_unit_test_setup(test_queue_labels_and_names, forget),
      cmocka_unit_test_setup(test_frames, forget),
      cmocka_unit_test_setup(test_twice_in_one_submission, forget),
      cmocka_unit_test_setup(test_waited_for_is_not_pending, forget),
      cmocka_unit_test_setup(test_pending_is_marked, forget),
      cmocka_unit_test_setup(test_tokens_come_back, forget),
      cmocka_unit_test_setup(test_child_is_inert, forget),
   };
   with_driver = argc > 1 && !strcmp(argv[1], "driver");
   return cmocka_run_group_tests(tests, setup, teardown);
}
