/* SPDX-License-Identifier: MIT */
/* Time: the card's clock, and time held while a debugger has waves stopped. */
#include <time.h>

#include "cp/ring.h"

uint64_t
cp_now(void)
{
   struct timespec now;
   clock_gettime(CLOCK_MONOTONIC, &now);
   return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t
vgpu_timestamp(void)
{
   return cp_now() / 10;
}

uint64_t
vgpu_wave_timestamp(const struct vgpu *gpu)
{
   return gpu->options.flags & VGPU_LOCKSTEP ? gpu->sq->executed : vgpu_timestamp();
}

VGPU_API void
vgpu_hold_time(struct vgpu *gpu, bool hold)
{
   struct cp *cp = gpu->cp;
   if (vgpu_is_inert(gpu))
      return;
   pthread_mutex_lock(&cp->doorbell_lock);
   if (hold) {
      if (cp->holds++ == 0)
         cp->held_since = cp_now();
   } else if (cp->holds > 0 && --cp->holds == 0) {
      cp->held_ns += cp_now() - cp->held_since;
   }
   pthread_mutex_unlock(&cp->doorbell_lock);
}

static uint64_t
held_until(const struct cp *cp, uint64_t now)
{
   return cp->held_ns + (cp->holds ? now - cp->held_since : 0);
}

uint64_t
vgpu_held_ns(struct vgpu *gpu)
{
   struct cp *cp = gpu->cp;
   pthread_mutex_lock(&cp->doorbell_lock);
   uint64_t held = held_until(cp, cp_now());
   pthread_mutex_unlock(&cp->doorbell_lock);
   return held;
}

/* One look at the host's clock for both terms: the difference never goes back. */
uint64_t
vgpu_running_ns(struct vgpu *gpu)
{
   struct cp *cp = gpu->cp;
   pthread_mutex_lock(&cp->doorbell_lock);
   uint64_t now = cp_now();
   uint64_t running = now - held_until(cp, now);
   pthread_mutex_unlock(&cp->doorbell_lock);
   return running;
}

bool
vgpu_time_held(struct vgpu *gpu)
{
   struct cp *cp = gpu->cp;
   pthread_mutex_lock(&cp->doorbell_lock);
   bool held = cp->holds > 0;
   pthread_mutex_unlock(&cp->doorbell_lock);
   return held;
}
