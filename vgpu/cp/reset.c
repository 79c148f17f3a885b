/* SPDX-License-Identifier: MIT */
/* A reset of the whole card, as amdgpu_gpu_recover brings it about. */
#include <errno.h>
#include <stdio.h>

#include "cp/registers.h"
#include "cp/ring.h"

/* The card's thread finishes the job on its next turn. */
static void
cancel(struct ring *ring)
{
   struct vgpu_fault *fault = &ring->waves->fault;
   if (fault->kind == VGPU_FAULT_NONE) {
      *fault = (struct vgpu_fault){.kind = VGPU_FAULT_HANG};
      snprintf(fault->text, sizeof(fault->text), "the card was reset; the job on the %s is lost", ring_name(ring));
   }
   ring_cancel(ring, -ECANCELED);
}

int
cp_reset(struct vgpu *gpu)
{
   int r = cp_lock(gpu);
   if (r)
      return r;
   for (int i = 0; i < CP_RINGS; i++) {
      struct ring *ring = &gpu->cp->rings[i];
      if (ring->job && !ring->ended)
         cancel(ring);
   }
   registers_reset(gpu);
   tlb_flush(&gpu->sq->tlb);
   cp_unlock(gpu);
   return 0;
}

bool
cp_is_busy(struct vgpu *gpu)
{
   bool busy = false;
   for (int i = 0; i < CP_RINGS; i++)
      busy |= gpu->cp->rings[i].job != NULL;
   return busy;
}
