/* SPDX-License-Identifier: MIT */
/*
 * s_barrier. Waves that have ended count as arrived; in a workgroup of one wave it is a no-op.
 *
 * A waiting wave that gets a host trap enters the handler with STATUS.IN_BARRIER set and the pc behind the s_barrier;
 * at s_rfe it waits on, unless the barrier was satisfied meanwhile. A single-stepped s_barrier traps once it is
 * satisfied.
 */
#include "sq/sq.h"

static void
release(struct workgroup *workgroup)
{
   workgroup->arrived = 0;
   for (uint32_t i = 0; i < workgroup->wave_count; i++) {
      struct sq_wave *wave = workgroup->waves[i];
      if (!wave || !wave->in_barrier)
         continue;
      wave->in_barrier = false;
      wave->wave.status &= ~STATUS_IN_BARRIER;
      if (wave->place == SQ_BLOCKED)
         sq_reconsider(wave);
   }
}

void
sq_barrier_check(struct workgroup *workgroup)
{
   if (workgroup->arrived && workgroup->arrived + workgroup->ended == workgroup->wave_count)
      release(workgroup);
}

void
sq_barrier_arrive(struct sq_wave *wave)
{
   struct workgroup *workgroup = wave->wave.workgroup;
   if (workgroup->wave_count == 1)
      return;
   wave->in_barrier = true;
   wave->wave.status |= STATUS_IN_BARRIER;
   workgroup->arrived++;
   sq_barrier_check(workgroup);
}
