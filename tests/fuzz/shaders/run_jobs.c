/* SPDX-License-Identifier: MIT */
/*
 * Runs compute shaders (job.h) on one Vulkan driver:  run_jobs DRIVER.so < requests
 *
 * A request is a line "JOB" or "JOB RESULT": the shader's file, and the file that takes what the buffers hold
 * afterwards. The answer is a line: "ok HASH" of the buffers, "invalid WHY" for what is no GLSL, or "failed WHY". After
 * "failed" the process ends, as a lost device would be the next one's.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

/* FNV-1a over words, so that buffers can be compared without files. */
static uint64_t
hash_memory(const uint8_t *memory)
{
   uint64_t hash = 0xcbf29ce484222325;
   for (size_t i = 0; i < MACHINE_MEMORY_SIZE; i += 8) {
      uint64_t word;
      memcpy(&word, memory + i, sizeof(word));
      hash = (hash ^ word) * 0x100000001b3;
      hash ^= hash >> 32;
   }
   return hash;
}

static bool
write_memory(const char *path, const uint8_t *memory)
{
   FILE *file = fopen(path, "wb");
   if (!file)
      return false;
   const bool written = fwrite(memory, MACHINE_MEMORY_SIZE, 1, file) == 1;
   return !fclose(file) && written;
}

static void
answer_invalid(const char *log)
{
   printf("invalid ");
   for (; *log; log++)
      putchar(*log == '\n' ? ' ' : *log);
   putchar('\n');
}

/* False: the process is to end. */
static bool
answer(struct machine *machines[2], const char *driver, const char *job_path, const char *result_path)
{
   struct job job;
   size_t word_count;
   const char *log = NULL;
   const uint8_t *memory;
   if (job_init(&job, job_path) < 0) {
      printf("invalid cannot read %s\n", job_path);
      return true;
   }
   uint32_t *words = job_compile(&job, &word_count, &log);
   if (!words)
      answer_invalid(log);
   if (words && !machines[job.debug])
      machines[job.debug] = machine_create(driver, job.debug);
   const char *error = words ? machine_run(machines[job.debug], &job, words, word_count, &memory) : NULL;
   if (words && !error && result_path && !write_memory(result_path, memory))
      error = "cannot write the result";
   if (error)
      printf("failed %s\n", error);
   else if (words)
      printf("ok %016" PRIx64 "\n", hash_memory(memory));
   free(words);
   job_finish(&job);
   return !error;
}

int
main(int argc, char **argv)
{
   struct machine *machines[2] = {NULL, NULL}; /* optimized, debug */
   char line[4096];
   bool goes_on = argc == 2;
   if (!goes_on)
      fprintf(stderr, "usage: %s DRIVER.so < requests\n", argv[0]);
   while (goes_on && fgets(line, sizeof(line), stdin)) {
      char *rest, *job_path = strtok_r(line, " \n", &rest), *result_path = strtok_r(NULL, " \n", &rest);
      if (job_path)
         goes_on = answer(machines, argv[1], job_path, result_path);
      fflush(stdout);
   }
   return goes_on ? 0 : 1;
}
