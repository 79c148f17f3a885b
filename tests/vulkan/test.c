/* SPDX-License-Identifier: MIT */
/* main() of the tests:  PROGRAM FOLDER_OF_SHADERS [--validated] [TEST...]  on each family of queues that computes. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "gpu.h"

static bool
is_wanted(const char *name, char **names)
{
   if (!*names)
      return true;
   for (; *names; names++)
      if (!strcmp(*names, name))
         return true;
   return false;
}

int
main(int argc, char **argv)
{
   CHECK(argc >= 2);
   gpu_shaders = argv[1];
   argv += 2;
   const bool validated = *argv && !strcmp(*argv, "--validated");
   argv += validated;
   unsigned run = 0;
   for (int compute = 0; compute < 2; compute++) {
      gpu_choice = compute ? GPU_COMPUTE : GPU_GENERAL;
      for (const struct test *test = tests; test->name; test++) {
         if (!is_wanted(test->name, argv) || (validated && test->not_validated))
            continue;
         printf("%s, %s queue: ", test->name, compute ? "compute" : "general");
         fflush(stdout);
         const bool has = test->run();
         printf("%s\n", has ? "right" : "not there");
         run += has;
      }
   }
   return run ? 0 : 77;
}
