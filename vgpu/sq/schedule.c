/* SPDX-License-Identifier: MIT */
/*
 * Who runs next. Waves are launched lazily: a further workgroup only when no resident wave can run, or when one used up
 * its quantum or went to sleep, so that workgroups that wait for each other all get forward progress, while ordinary
 * dispatches keep few waves (and their registers in the host's caches) at a time.
 *
 * A debugger is to find the same waves every time, however fast its thread is. So waves with a trap handler are
 * launched several at a time, and none while a wave sleeps in the handler: it waits there for the debugger.
 */
#include "sq/sq.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cp/registers.h"
#include "cp/ring.h"
#include "sq/interpret.h"

#define DEFAULT_QUANTUM 2048
#define LAUNCHED_AT_ONCE 32      /* waves that have a trap handler; in lockstep all */
#define LONGEST_IN_HANDLER 65536 /* instructions in a turn, where they do not count */

/*
 * s_sleep. Nominally a clock is half a nanosecond, far below what a host thread can sleep. A wave that keeps sleeping
 * is looked at again at once a few times, then ever less often: up to 1 ms, and longer with many sleepers, so that
 * polling takes a few per cent of a host core at most. vgpu_wake starts over.
 */
#define NAPS_AT_ONCE 8
#define NAP_MIN_NS 2000
#define NAP_MAX_NS 1000000
#define NAP_NS_PER_SLEEPER 100000
#define NAP_RESET_INSTRUCTIONS 512 /* a wave that does so much between two naps is not polling */

/* ---- lists ---- */

static void
move(struct sq_wave *wave, enum sq_place place)
{
   struct sq_queue *queue = wave->queue;
   if (wave->place != SQ_RUNNING)
      TAILQ_REMOVE(&queue->waves[wave->place], wave, link);
   if (wave->place == SQ_SLEEPING)
      queue->gpu->sq->sleepers--;
   if (place != SQ_RUNNING)
      TAILQ_INSERT_TAIL(&queue->waves[place], wave, link);
   if (place == SQ_READY && sq_lockstep_queues(wave))
      wave->turn = ++queue->turns;
   if (place == SQ_SLEEPING)
      queue->gpu->sq->sleepers++;
   wave->place = place;
}

/* HALT is ignored in the trap handler, FATAL_HALT is not (RDNA3 ISA guide, 3.4.2). A host trap gets a halted or waiting
 * wave into the handler. */
static bool
can_run(const struct sq_wave *wave)
{
   uint32_t status = wave->wave.status;
   if (status & STATUS_FATAL_HALT)
      return wave->single_step;
   if (wave->wave.priv)
      return true;
   if (wave->wave.host_trap && status & STATUS_TRAP_EN)
      return true;
   return (!(status & STATUS_HALT) || wave->single_step) && !wave->in_barrier;
}

void
sq_reconsider(struct sq_wave *wave)
{
   if (wave->place == SQ_READY)
      return;
   if (can_run(wave)) {
      wave->naps = 0;
      move(wave, SQ_READY);
   } else {
      move(wave, SQ_BLOCKED);
   }
}

/* The wave enters or leaves the trap handler: time in there is no hang. */
static void
count_privileged(struct sq_wave *wave)
{
   if (wave->counted_priv == wave->wave.priv)
      return;
   wave->counted_priv = wave->wave.priv;
   wave->queue->privileged += wave->wave.priv ? 1 : -1;
   if (wave->counted_parked && !wave->wave.priv) {
      wave->counted_parked = false;
      wave->queue->parked--;
   }
}

/* ---- sleep ---- */

static void
nap(struct sq_wave *wave)
{
   struct sq_queue *queue = wave->queue;
   if (wave->ran_since_nap > NAP_RESET_INSTRUCTIONS)
      wave->naps = 0;
   wave->ran_since_nap = 0;
   wave->has_looked = true;
   if (wave->wave.priv && !wave->counted_parked) {
      wave->counted_parked = true;
      queue->parked++;
   }

   uint64_t delay = 0;
   if (wave->naps >= NAPS_AT_ONCE) {
      uint64_t longest = NAP_MAX_NS + (uint64_t)NAP_NS_PER_SLEEPER * queue->gpu->sq->sleepers;
      uint32_t doublings = wave->naps - NAPS_AT_ONCE;
      delay = doublings < 16 ? (uint64_t)NAP_MIN_NS << doublings : longest;
      if (delay > longest)
         delay = longest;
   }
   wave->naps++;
   wave->wake_at = cp_now() + delay + wave->wave.sleep_clocks / 2;
   /* Long naps of many waves end together, so that the host wakes up once for all. */
   uint64_t slack = delay / 4;
   if (slack)
      wave->wake_at = (wave->wake_at / slack + 1) * slack;
   if (wave->wake_at < queue->wake_at)
      queue->wake_at = wave->wake_at;
   move(wave, SQ_SLEEPING);
}

bool
sq_wake_sleepers(struct sq_queue *queue, uint64_t now)
{
   bool woken = false;
   struct sq_wave *wave, *next;
   if (now < queue->wake_at)
      return false;
   queue->wake_at = ~UINT64_C(0);
   for (wave = TAILQ_FIRST(&queue->waves[SQ_SLEEPING]); wave; wave = next) {
      next = TAILQ_NEXT(wave, link);
      if (wave->wake_at > now) {
         if (wave->wake_at < queue->wake_at)
            queue->wake_at = wave->wake_at;
         continue;
      }
      if (now == ~UINT64_C(0)) {
         wave->naps = 0;
         wave->has_looked = false;
      }
      move(wave, can_run(wave) ? SQ_READY : SQ_BLOCKED);
      woken = true;
   }
   return woken;
}

/* ---- running ---- */

/* MSG_INTERRUPT 1, MSG_DEALLOC_VGPRS 3 (RDNA3 ISA guide, 4.7); the others speak to units that compute waves lack. */
static void
send_message(struct sq_wave *wave)
{
   switch (wave->wave.message & 0xff) {
   case 1:
      if (!sq_lockstep_interrupt(wave->wave.gpu->sq, wave->wave.sreg[SREG_M0]))
         cp_interrupt(wave->wave.gpu, VGPU_INTERRUPT_MESSAGE, wave->wave.sreg[SREG_M0]);
      break;
   case 3:
      wave->wave.status |= STATUS_NO_VGPRS;
      sq_release_vgprs(wave);
      break;
   default:
      break;
   }
}

/* A nap's length is the host's affair: in lockstep a program's s_sleep lets the others run instead. */
static bool
yields(const struct sq_wave *wave)
{
   return wave->wave.gpu->options.flags & VGPU_LOCKSTEP && !wave->wave.priv;
}

/* Runs until the wave cannot go on, its quantum is used up (true) or the job has faulted. */
static bool
run_wave(struct sq_wave *sq_wave, uint32_t quantum, uint32_t *used)
{
   struct wave *wave = &sq_wave->wave;
   struct sq_queue *queue = sq_wave->queue;
   struct sq *sq = wave->gpu->sq;
   struct icache *icache = sq->icache;
   const bool lockstep = wave->gpu->options.flags & VGPU_LOCKSTEP, was_frozen = sq->frozen;
   uint32_t left = quantum, uncounted = 0;

   while (left > 0 && uncounted < LONGEST_IN_HANDLER && !sq_lockstep_holds(sq_wave)) {
      sq_take_pending_traps(sq_wave);
      if (!can_run(sq_wave)) {
         move(sq_wave, SQ_BLOCKED);
         break;
      }
      bool stepping = wave->mode & MODE_TRAP_AFTER_INST && wave->status & STATUS_TRAP_EN && !wave->priv;
      bool single = sq_wave->single_step || stepping;
      sq_wave->single_step = false;
      bool counted = !lockstep || !wave->priv;
      uint32_t slice = single ? 1 : counted ? left : LONGEST_IN_HANDLER, budget = slice;
      wave->trap_id = 0;
      wave->fault.cause = 0;
      wave->fault.deallocated_vgpr = false;
      bool was_privileged = wave->priv;
      enum isa_result result = wave_interpret(wave, icache, &budget);
      if (was_privileged && !wave->priv && sq->trap_observer)
         sq->trap_observer(sq->trap_observer_user, wave, false);
      uint32_t ran = slice == budget ? 1 : slice - budget; /* also a fetch that faulted */
      if (counted)
         left -= ran;
      else
         uncounted += ran;

      switch (result) {
      case ISA_TRAP:
         sq_trap(sq_wave, stepping);
         break;
      case ISA_END:
         if (sq_trap_wave_end(sq_wave))
            break;
         *used += quantum - left;
         if (lockstep)
            sq_lockstep_end_slice(sq_wave, quantum - left, left, was_frozen);
         sq_end_wave(sq_wave);
         return false;
      case ISA_BARRIER:
         sq_wave->step_trap = stepping;
         sq_barrier_arrive(sq_wave);
         if (!sq_wave->in_barrier && stepping) {
            sq_wave->step_trap = false;
            sq_trap_step(sq_wave);
         }
         break;
      case ISA_MESSAGE:
         send_message(sq_wave);
         if (stepping)
            sq_trap_step(sq_wave);
         break;
      case ISA_SLEEP:
         if (stepping) {
            sq_trap_step(sq_wave);
            break;
         }
         if (yields(sq_wave)) {
            left = 0;
            break;
         }
         sq_wave->ran_since_nap += quantum - left;
         nap(sq_wave);
         break;
      default:
         if (stepping)
            sq_trap_step(sq_wave);
         break;
      }
      count_privileged(sq_wave);
      if (queue->faulted || sq_wave->place != SQ_RUNNING)
         break;
   }
   *used += quantum - left;
   bool interrupted = lockstep && !sq_lockstep_end_slice(sq_wave, quantum - left, left, was_frozen);
   if (sq_wave->place == SQ_RUNNING) {
      sq_wave->ran_since_nap += quantum - left;
      move(sq_wave, SQ_READY);
      return !interrupted;
   }
   return false;
}

static bool
launch(struct sq_queue *queue)
{
   const bool lockstep = queue->gpu->options.flags & VGPU_LOCKSTEP;
   if (lockstep ? queue->gpu->sq->frozen : queue->parked)
      return false;
   if (!sq_launch_workgroup(queue))
      return false;
   while ((lockstep || queue->dispatch.rsrc2 & RSRC2_TRAP_PRESENT) && queue->resident < LAUNCHED_AT_ONCE) {
      if (!sq_launch_workgroup(queue))
         break;
   }
   return true;
}

bool
sq_run(struct sq_queue *queue)
{
   uint32_t quantum = queue->gpu->sq->quantum, used = 0;
   bool progress = sq_wake_sleepers(queue, cp_now());

   while (used < quantum && queue->busy && !queue->faulted) {
      uint32_t slice = quantum;
      struct sq_wave *wave = sq_lockstep_choose(queue, &slice);
      if (!wave) {
         if (!launch(queue))
            break;
         progress = true;
         continue;
      }
      progress = true;
      move(wave, SQ_RUNNING);
      bool expired = run_wave(wave, slice, &used);
      if (expired && !queue->faulted)
         launch(queue);
   }
   if (queue->busy && queue->resident == 0 && queue->launched == queue->total) {
      queue->busy = false;
      sq_lockstep_end(queue->gpu->sq);
      return true;
   }
   return progress;
}

/* ---- the end ---- */

static void
tell_wave_ended(struct sq_wave *sq_wave)
{
   const struct wave *wave = &sq_wave->wave;
   const struct cp_job *job = sq_wave->queue->job;
   struct vgpu_wave_state state = {
      .wave_size = wave->wave64 ? 64 : 32,
      .wave = wave->index,
      .pc = wave->pc,
      .exec = wave_exec(wave),
      .vcc = wave->sreg[SREG_VCC_LO] | (uint64_t)wave->sreg[SREG_VCC_HI] << 32,
      .m0 = wave->sreg[SREG_M0],
      .status = hwreg_read(wave, HWREG_STATUS),
      .mode = wave->mode,
      .trapsts = wave->trapsts,
      .vgpr_count = wave->vgpr_count,
      .vgpr = (const uint32_t(*)[64])wave->vgpr,
   };
   memcpy(state.workgroup, wave->workgroup->id, sizeof(state.workgroup));
   memcpy(state.sgpr, wave->sreg, sizeof(state.sgpr));
   job->wave_ended(job->wave_ended_user, &state);
}

void
sq_end_wave(struct sq_wave *wave)
{
   struct sq_queue *queue = wave->queue;
   struct workgroup *workgroup = wave->wave.workgroup;
   if (queue->job->wave_ended)
      tell_wave_ended(wave);
   move(wave, SQ_RUNNING);
   wave->wave.priv = false;
   count_privileged(wave);
   if (queue->current == wave)
      queue->current = NULL;
   queue->resident--;
   queue->ended++;
   workgroup->ended++;
   if (wave->in_barrier)
      workgroup->arrived--;
   if (workgroup->ended < workgroup->wave_count)
      sq_barrier_check(workgroup);
   sq_release_wave(wave);
}

const struct sq_wave *
sq_any_wave(const struct sq_queue *queue)
{
   for (int place = 0; place < SQ_PLACES; place++)
      if (!TAILQ_EMPTY(&queue->waves[place]))
         return TAILQ_FIRST(&queue->waves[place]);
   return NULL;
}

void
sq_cancel(struct sq_queue *queue)
{
   for (int place = 0; place < SQ_PLACES; place++) {
      struct sq_wave *wave;
      while ((wave = TAILQ_FIRST(&queue->waves[place]))) {
         move(wave, SQ_RUNNING);
         wave->wave.workgroup->ended++;
         sq_release_wave(wave);
      }
   }
   queue->current = NULL;
   queue->resident = 0;
   queue->privileged = 0;
   queue->parked = 0;
   queue->wake_at = ~UINT64_C(0);
   queue->busy = false;
   sq_lockstep_end(queue->gpu->sq);
}

/* ---- life ---- */

int
sq_init(struct vgpu *gpu)
{
   struct sq *sq = calloc(1, sizeof(*sq));
   if (!sq)
      return -ENOMEM;
   gpu->sq = sq;
   sq->gpu = gpu;
   sq->quantum = gpu->options.quantum ? gpu->options.quantum : DEFAULT_QUANTUM;
   sq->random = UINT64_C(0x9e3779b97f4a7c15);
   sq->icache = icache_create(gpu);
   if (!sq->icache)
      return -ENOMEM;
   tlb_flush(&sq->tlb);
   TAILQ_INIT(&sq->free_waves);

   /* Workgroups go round the shader engines first. */
   for (uint32_t i = 0; i < SQ_WGPS; i++)
      sq->wgps[i] = (struct wgp){.se = i % SQ_SES, .sa = i / SQ_SES % SQ_SAS, .number = i / SQ_SES / SQ_SAS};

   /* The kernel's compute rings are queue 0 of the pipes of ME 1 (MEC). */
   for (uint32_t i = 0; i < CP_RINGS; i++) {
      struct sq_queue *queue = &sq->queues[i];
      queue->gpu = gpu;
      queue->me = i == CP_RING_GFX ? 0 : 1;
      queue->pipe = i == CP_RING_GFX ? 0 : i - CP_RING_COMPUTE0;
      queue->wake_at = ~UINT64_C(0);
      for (int place = 0; place < SQ_PLACES; place++)
         TAILQ_INIT(&queue->waves[place]);
   }
   return 0;
}

void
sq_finish(struct vgpu *gpu)
{
   struct sq *sq = gpu->sq;
   if (!sq)
      return;
   struct sq_wave *wave;
   while ((wave = TAILQ_FIRST(&sq->free_waves))) {
      TAILQ_REMOVE(&sq->free_waves, wave, link);
      free(wave->wave.vgpr);
      free(wave);
   }
   struct workgroup *workgroup;
   while ((workgroup = sq->free_workgroups)) {
      sq->free_workgroups = workgroup->next;
      free(workgroup->lds);
      free(workgroup);
   }
   icache_destroy(sq->icache);
   free(sq);
   gpu->sq = NULL;
}
