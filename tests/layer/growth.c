/* SPDX-License-Identifier: MIT */
/* A thousand instances and devices, one after the other, each with a dispatch: nothing is left of them. */
#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

#include "affine.h"

#define ROUNDS 1000
#define SETTLED 100       /* rounds after which caches and the allocator's free lists have their size */
#define NOISE (128 << 10) /* bytes: less than 150 for each round */

struct usage {
   size_t allocated; /* bytes that malloc has given out */
   size_t mapped;    /* bytes resident outside malloc's heap */
   uint32_t descriptors;
};

/* Where the heap's holes lie depends on what threads allocate first, so its size says nothing of what is left over. */

static struct usage
usage_now(const struct sample *sample)
{
   struct usage usage = {0};
   FILE *file = fopen("/proc/self/statm", "r");
   size_t pages;
   if (!file || fscanf(file, "%*u %zu", &pages) != 1)
      sample_fail(sample, "%s", "/proc/self/statm cannot be read");
   fclose(file);
   struct mallinfo2 heap = mallinfo2();
   size_t resident = pages * (size_t)sysconf(_SC_PAGESIZE);
   usage.allocated = heap.uordblks + heap.hblkhd;
   usage.mapped = resident > heap.arena ? resident - heap.arena : 0;

   DIR *directory = opendir("/proc/self/fd");
   if (!directory)
      sample_fail(sample, "%s", "/proc/self/fd cannot be read");
   while (readdir(directory))
      usage.descriptors++;
   closedir(directory);
   return usage;
}

int
main(int argc, char **argv)
{
   uint32_t right = 0, total = 0;
   struct sample sample;
   struct usage settled = {0}, last = {0};
   mallopt(M_ARENA_MAX, 1); /* how many the threads happen to use is not the question */
   for (uint32_t round = 1; round <= ROUNDS; round++) {
      struct affine affine;
      sample_init(&sample, "growth", 16, argc, argv);
      affine_init(&affine, &sample, sample.n);
      VkCommandBuffer commands = sample_begin(&sample);
      affine_record(&affine, commands, &(struct affine_step){0, affine.n, 1, round}, "round");
      sample_submit(&sample, commands);
      right += affine_count(&affine, round);
      total += sample.n;
      affine_finish(&affine);
      sample_finish(&sample);

      last = usage_now(&sample);
      if (round == SETTLED)
         settled = last;
   }
   if (last.descriptors > settled.descriptors)
      sample_fail(&sample, "file descriptors are %s", "left open");
   if (last.allocated > settled.allocated + NOISE || last.mapped > settled.mapped + NOISE) {
      char growth[96];
      snprintf(growth, sizeof(growth), "%zd bytes allocated, %zd mapped", (ssize_t)(last.allocated - settled.allocated),
               (ssize_t)(last.mapped - settled.mapped));
      sample_fail(&sample, "the memory grew by %s", growth);
   }
   return sample_report(&sample, right, total);
}
