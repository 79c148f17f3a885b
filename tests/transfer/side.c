/* SPDX-License-Identifier: MIT */
#include "side.h"

#include <unistd.h>

unsigned side_complaints;

static void
open_side(struct side *side, const char *driver)
{
   const struct gpu_options options = {.driver = driver, .complaints = &side_complaints, .robust = true};
   gpu_choice = GPU_GENERAL;
   CHECK(gpu_open(&side->gpu, &options));
   side->graphics = true;
   buffer_init(&side->gpu, &side->source, SIDE_BUFFER_BYTES, 0);
   buffer_init(&side->gpu, &side->result, SIDE_BUFFER_BYTES, 0);
}

bool
sides_open(struct side *fork, struct side *reference, const char *reference_driver)
{
   const char *fork_driver = getenv("HDB_TEST_DRIVER");
   if (!fork_driver || access(fork_driver, R_OK) || access(reference_driver, R_OK)) {
      printf("skipped: needs the fork and lavapipe\n");
      return false;
   }
   open_side(fork, fork_driver);
   open_side(reference, reference_driver);
   fork->peer = reference;
   reference->peer = fork;
   return true;
}

static void
close_side(struct side *side)
{
   buffer_finish(&side->gpu, &side->source);
   buffer_finish(&side->gpu, &side->result);
   gpu_close(&side->gpu);
}

void
sides_close(struct side *fork, struct side *reference)
{
   close_side(fork);
   close_side(reference);
}

void
side_use_family(struct side *side, uint32_t family)
{
   gpu_use_family(&side->gpu, family);
   side->graphics = family == side->gpu.general;
}
