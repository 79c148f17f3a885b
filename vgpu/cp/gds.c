/* SPDX-License-Identifier: MIT */
/*
 * The global data share as packets see it: the part that the job was given, counted from its beginning (the kernel
 * programs GDS_VMIDn_BASE and SIZE with every job that has one, gmc_v11_0.c). Shaders do not reach it.
 */
#include <inttypes.h>

#include "cp/ring.h"

void *
gds_pointer(struct ring *ring, uint32_t offset, size_t size, const char *what)
{
   const struct cp_job *job = ring->job;
   if (offset <= job->gds_size && size <= job->gds_size - offset)
      return ring->gpu->cp->gds + job->gds_base + offset;
   vgpu_log(ring->gpu,
            "%s: %zu bytes at 0x%" PRIx32 " of the global data share are outside of the %" PRIu32 " that the job has; "
            "read as 0, not written",
            what, size, offset, job->gds_size);
   return NULL;
}
