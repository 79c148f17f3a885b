/* SPDX-License-Identifier: MIT */
/*
 * fork() in the application, idle and while the GPU works. The children touch Vulkan as little as they may (an instance
 * of their own, and its devices), end in both ways, and must leave the parent's work and socket alone. The virtual GPU
 * is not in them, and one true line says so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "affine.h"

#define ROUNDS 4

/* To a file, which the parent reads. */
static _Noreturn void
be_a_child(int round, FILE *said)
{
   dup2(fileno(said), STDERR_FILENO);
   VkInstance instance;
   VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
   if (vkCreateInstance(&info, NULL, &instance) != VK_SUCCESS)
      _exit(1);
   uint32_t count = 0;
   VkResult result = vkEnumeratePhysicalDevices(instance, &count, NULL);
   if (result != VK_SUCCESS || !count)
      fprintf(stderr, "no device\n");
   vkDestroyInstance(instance, NULL);
   if (round % 2)
      exit(42);
   _exit(42);
}

/* Without a device the layer, if it is there, has told why. */
static bool
tells_why(FILE *said)
{
   char line[512];
   int without = 0, why = 0, lines = 0;
   rewind(said);
   while (fgets(line, sizeof(line), said)) {
      without += !strcmp(line, "no device\n");
      why += strstr(line, "was forked from one that has the virtual GPU open") != NULL;
      lines += !strncmp(line, "hdb: ", 5);
   }
   const char *layers = getenv("VK_INSTANCE_LAYERS");
   bool expected = without && layers && strstr(layers, "VK_LAYER_hdb");
   return lines == why && why == expected;
}

static bool
has_socket(void)
{
   const char *runtime = getenv("XDG_RUNTIME_DIR");
   char path[256];
   snprintf(path, sizeof(path), "%s/hdb/%d.sock", runtime ? runtime : "", (int)getpid());
   return !access(path, F_OK);
}

int
main(int argc, char **argv)
{
   struct sample sample;
   struct affine affine;
   sample_init(&sample, "fork", 1000, argc, argv);
   affine_init(&affine, &sample, sample.n);
   bool had_socket = has_socket();
   bool good = true, told = true;

   for (int round = 0; round < ROUNDS; round++) {
      VkCommandBuffer commands = affine_begin(&affine, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 0);
      affine_record(&affine, commands, &(struct affine_step){0, sample.n, 3, 1}, "round");
      affine_barrier(commands);
      SAMPLE_CALL(&sample, vkEndCommandBuffer, commands);
      VkSubmitInfo info = {
         .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
         .commandBufferCount = 1,
         .pCommandBuffers = &commands,
      };
      SAMPLE_CALL(&sample, vkQueueSubmit, sample.queue, 1, &info, VK_NULL_HANDLE);

      fflush(NULL);
      FILE *said = tmpfile();
      pid_t child = said ? fork() : -1;
      if (child == 0)
         be_a_child(round, said);
      int status = 0;
      good &= waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 42;
      told &= said && tells_why(said);
      if (said)
         fclose(said);
      SAMPLE_CALL(&sample, vkQueueWaitIdle, sample.queue);
   }
   if (!good)
      fprintf(stderr, "fork: a child did not end as it should\n");
   if (!told)
      fprintf(stderr, "fork: what a child was told of its devices is wrong\n");
   if (had_socket != has_socket()) {
      fprintf(stderr, "fork: a child removed the parent's socket\n");
      good = false;
   }

   uint32_t expected = 0;
   for (int round = 0; round < ROUNDS; round++)
      expected = expected * 3 + 1;
   uint32_t right = affine_count(&affine, expected);
   affine_finish(&affine);
   sample_finish(&sample);
   int result = sample_report(&sample, right, sample.n);
   return good && told ? result : 1;
}
