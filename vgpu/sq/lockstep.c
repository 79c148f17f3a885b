/* SPDX-License-Identifier: MIT */
/*
 * Lockstep: the order in which waves run follows from the program and the seed, whatever a debugger does meanwhile, and
 * from no clock.
 *
 * A debugger is a thread beside the card's. From the message of a wave that has stopped until vgpu_release, only waves
 * in the trap handler run, those on their way into it, and those that are single-stepped. The debugger hears of the
 * message once none of these has anything to do but to wait for it; so it finds the others where they were when the
 * first one spoke. After that they go on as if nothing had been: the one that spoke with what was left of its slice,
 * the others in the order that they had. Instructions in the handler count for nothing.
 */
#include "sq/sq.h"

#include "cp/ring.h"

static bool
goes_on(const struct sq_wave *wave)
{
   const struct wave *w = &wave->wave;
   bool traps = w->status & STATUS_TRAP_EN;
   return w->priv || wave->single_step || (traps && (w->host_trap || w->mode & MODE_TRAP_AFTER_INST));
}

bool
sq_lockstep_holds(const struct sq_wave *wave)
{
   return wave->queue->gpu->sq->frozen && !goes_on(wave);
}

bool
sq_lockstep_interrupt(struct sq *sq, uint32_t data)
{
   sq->message = data;
   if (!(sq->gpu->options.flags & VGPU_LOCKSTEP))
      return false;
   sq->frozen = true;
   sq->announced = false;
   sq->release_wanted = false; /* by somebody who did not know of this yet */
   return true;
}

/* Sleepers in the handler have looked for commands in vain. */
static bool
is_settled(const struct sq *sq)
{
   for (int i = 0; i < CP_RINGS; i++) {
      const struct sq_wave *wave;
      TAILQ_FOREACH(wave, &sq->queues[i].waves[SQ_READY], link)
      {
         if (goes_on(wave))
            return false;
      }
      TAILQ_FOREACH(wave, &sq->queues[i].waves[SQ_SLEEPING], link)
      {
         if (!wave->has_looked)
            return false;
      }
   }
   return !atomic_load(&sq->gpu->cp->woken);
}

bool
sq_lockstep_queues(const struct sq_wave *wave)
{
   const struct wave *w = &wave->wave;
   if (w->priv)
      return false;
   bool released = wave->place == SQ_BLOCKED && !w->host_trap; /* from a barrier, by one that was stepped */
   return released || !wave->queue->gpu->sq->frozen;
}

bool
sq_lockstep_end_slice(struct sq_wave *wave, uint32_t used, uint32_t left, bool was_frozen)
{
   struct sq_queue *queue = wave->queue;
   struct sq *sq = queue->gpu->sq;
   wave->slice_used += used;
   if (!sq->frozen) {
      sq->executed += wave->slice_used;
      wave->slice_used = 0;
      return true;
   }
   if (!was_frozen) {
      queue->current = wave;
      wave->slice_left = left;
   } else if (wave == queue->current) { /* stepped */
      wave->slice_left -= used < wave->slice_left ? used : wave->slice_left;
   }
   return false;
}

/* Waves came out of the handler when the host's timers let them. */
static void
sort_ready(struct sq_queue *queue)
{
   struct sq_wave_list *ready = &queue->waves[SQ_READY], sorted = TAILQ_HEAD_INITIALIZER(sorted);
   struct sq_wave *wave, *before;
   while ((wave = TAILQ_FIRST(ready))) {
      TAILQ_REMOVE(ready, wave, link);
      before = TAILQ_LAST(&sorted, sq_wave_list);
      while (before && before->turn > wave->turn)
         before = TAILQ_PREV(before, sq_wave_list, link);
      if (before)
         TAILQ_INSERT_AFTER(&sorted, before, wave, link);
      else
         TAILQ_INSERT_HEAD(&sorted, wave, link);
   }
   TAILQ_CONCAT(ready, &sorted, link);
}

static void
thaw(struct sq *sq)
{
   sq->frozen = sq->release_wanted = false;
   for (int i = 0; i < CP_RINGS; i++)
      sort_ready(&sq->queues[i]);
}

bool
sq_lockstep_advance(struct sq *sq)
{
   if (!sq->frozen || (sq->announced && !sq->release_wanted) || !is_settled(sq))
      return false;
   if (!sq->announced) {
      sq->announced = true;
      cp_interrupt(sq->gpu, VGPU_INTERRUPT_MESSAGE, sq->message);
      return false;
   }
   thaw(sq);
   return true;
}

/* Nobody will release a card on which nothing is left. */
void
sq_lockstep_end(struct sq *sq)
{
   for (int i = 0; i < CP_RINGS; i++) {
      if (sq->queues[i].resident)
         return;
   }
   if (sq->frozen && !sq->announced)
      cp_interrupt(sq->gpu, VGPU_INTERRUPT_MESSAGE, sq->message);
   sq->frozen = sq->release_wanted = false;
}

/* xorshift64*, as sq_random, with a state of the dispatch's own: each begins alike. */
static uint32_t
draw(struct sq_queue *queue)
{
   queue->shuffle ^= queue->shuffle >> 12;
   queue->shuffle ^= queue->shuffle << 25;
   queue->shuffle ^= queue->shuffle >> 27;
   return (uint32_t)(queue->shuffle * UINT64_C(0x2545f4914f6cdd1d) >> 32);
}

void
sq_lockstep_start(struct sq_queue *queue)
{
   uint64_t seed = queue->gpu->options.seed;
   queue->shuffle = seed * UINT64_C(0x9e3779b97f4a7c15) + (seed != 0);
   queue->current = NULL;
}

static struct sq_wave *
nth(struct sq_wave_list *list, uint32_t n)
{
   struct sq_wave *wave = TAILQ_FIRST(list);
   while (n-- > 0)
      wave = TAILQ_NEXT(wave, link);
   return wave;
}

static uint32_t
count(const struct sq_wave_list *list)
{
   const struct sq_wave *wave;
   uint32_t n = 0;
   TAILQ_FOREACH(wave, list, link)
   n++;
   return n;
}

static struct sq_wave *
choose_seeded(struct sq_queue *queue, uint32_t *quantum)
{
   enum { SHORTEST = 8, LONGEST = 512 }; /* other orders than that of the launches change hands more often, too */
   struct sq_wave_list *ready = &queue->waves[SQ_READY];
   *quantum = SHORTEST + draw(queue) % (LONGEST - SHORTEST);
   return nth(ready, draw(queue) % count(ready));
}

/* What goes on in any case comes first, and draws no number. */
static struct sq_wave *
find_going(struct sq_queue *queue)
{
   const bool frozen = queue->gpu->sq->frozen;
   struct sq_wave *wave;
   TAILQ_FOREACH(wave, &queue->waves[SQ_READY], link)
   {
      if (frozen ? goes_on(wave) : wave->wave.priv)
         break;
   }
   return wave;
}

struct sq_wave *
sq_lockstep_choose(struct sq_queue *queue, uint32_t *quantum)
{
   struct sq_wave_list *ready = &queue->waves[SQ_READY];
   if (!(queue->gpu->options.flags & VGPU_LOCKSTEP))
      return TAILQ_FIRST(ready);
   struct sq_wave *wave = find_going(queue);
   if (wave || queue->gpu->sq->frozen)
      return wave;
   wave = queue->current;
   queue->current = NULL;
   if (wave && wave->place == SQ_READY) {
      *quantum = wave->slice_left;
      return wave;
   }
   return queue->shuffle && !TAILQ_EMPTY(ready) ? choose_seeded(queue, quantum) : TAILQ_FIRST(ready);
}

/* Waves that have spoken by then did so without it; the debugger may not have heard them yet, and listens only to what
 * was announced. */
static void
take_over(struct sq *sq)
{
   for (int i = 0; i < CP_RINGS; i++)
      sq->frozen |= sq->queues[i].privileged > 0;
   sq->announced = sq->release_wanted = false;
}

VGPU_API void
vgpu_set_lockstep(struct vgpu *gpu, bool on, uint64_t seed)
{
   if (cp_lock(gpu))
      return;
   if (on && !(gpu->options.flags & VGPU_LOCKSTEP))
      take_over(gpu->sq);
   gpu->options.flags = on ? gpu->options.flags | VGPU_LOCKSTEP : gpu->options.flags & ~(uint32_t)VGPU_LOCKSTEP;
   gpu->options.seed = seed;
   if (!on)
      thaw(gpu->sq);
   cp_unlock(gpu);
}

VGPU_API void
vgpu_release(struct vgpu *gpu)
{
   if (!(gpu->options.flags & VGPU_LOCKSTEP) || cp_lock(gpu))
      return;
   gpu->sq->release_wanted = gpu->sq->frozen;
   cp_unlock(gpu);
}

VGPU_API bool
vgpu_is_settled(struct vgpu *gpu)
{
   if (!(gpu->options.flags & VGPU_LOCKSTEP))
      return true;
   if (cp_lock(gpu))
      return false;
   const struct sq *sq = gpu->sq;
   bool settled = sq->frozen && sq->announced && !sq->release_wanted && is_settled(sq);
   cp_unlock(gpu);
   return settled;
}
