/* SPDX-License-Identifier: MIT */
/*
 * The card's one thread. It gives every ring a turn (front end, then waves), lets other threads in between two turns,
 * and sleeps on the doorbell when nothing can run.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cp/ring.h"
#include "stats.h"

/* Without a wave's end for so long, a job is cancelled; HDB_VGPU_TIMEOUT_MS changes it, 0 means never. What amdgpu
 * grants a compute ring: this card is slower than silicon by orders of magnitude, so even that is short. */
#define DEFAULT_TIMEOUT_MS 60000

/* ---- letting others in ---- */

int
cp_lock(struct vgpu *gpu)
{
   struct cp *cp = gpu->cp;
   if (vgpu_is_inert(gpu))
      return -EIO;
   atomic_fetch_add(&cp->arrived, 1);
   pthread_mutex_lock(&cp->lock);
   return 0;
}

static void
ring_doorbell(struct cp *cp)
{
   pthread_mutex_lock(&cp->doorbell_lock);
   atomic_store(&cp->rung, true);
   pthread_cond_signal(&cp->doorbell);
   pthread_mutex_unlock(&cp->doorbell_lock);
}

void
cp_unlock(struct vgpu *gpu)
{
   struct cp *cp = gpu->cp;
   cp->left++;
   pthread_cond_signal(&cp->let_in);
   pthread_mutex_unlock(&cp->lock);
   ring_doorbell(cp);
}

/* A plain unlock and lock would mostly win the race against those who wait. */
static void
let_others_in(struct cp *cp)
{
   uint64_t arrived = atomic_load(&cp->arrived);
   while (cp->left < arrived)
      pthread_cond_wait(&cp->let_in, &cp->lock);
}

VGPU_API void
vgpu_wake(struct vgpu *gpu)
{
   if (vgpu_is_inert(gpu))
      return;
   atomic_store(&gpu->cp->woken, true);
   ring_doorbell(gpu->cp);
}

/* ---- interrupts ---- */

VGPU_API void
vgpu_set_interrupt_handler(struct vgpu *gpu, void (*handler)(void *user, enum vgpu_interrupt source, uint32_t data),
                           void *user)
{
   if (vgpu_is_inert(gpu))
      return;
   pthread_mutex_lock(&gpu->interrupt_lock);
   gpu->interrupt = handler;
   gpu->interrupt_user = user;
   pthread_mutex_unlock(&gpu->interrupt_lock);
}

void
cp_interrupt(struct vgpu *gpu, enum vgpu_interrupt source, uint32_t data)
{
   pthread_mutex_lock(&gpu->interrupt_lock);
   if (gpu->interrupt)
      gpu->interrupt(gpu->interrupt_user, source, data);
   pthread_mutex_unlock(&gpu->interrupt_lock);
}

/* ---- the thread ---- */

static bool
take_next_job(struct ring *ring)
{
   struct cp *cp = ring->gpu->cp;
   if (ring->job)
      return true;
   pthread_mutex_lock(&cp->doorbell_lock);
   struct cp_job *job = ring->first;
   if (job) {
      ring->first = job->next;
      if (!ring->first)
         ring->last = NULL;
   }
   pthread_mutex_unlock(&cp->doorbell_lock);
   if (job) {
      stats_job_begun(ring->gpu);
      ring_begin(ring, job);
   }
   return job;
}

/* The callbacks belong to the submitter and may submit again: no lock is held. */
static void
finish_job(struct ring *ring)
{
   struct cp *cp = ring->gpu->cp;
   struct cp_job *job = ring->job;
   struct vgpu_fault fault = ring->waves->fault;
   int status = ring->status;
   if (fault.kind != VGPU_FAULT_NONE && !status)
      status = -ECANCELED;
   if (job->gang && status)
      job->gang->failed = true;
   ring->job = NULL;
   ring->waves->job = NULL;
   stats_job_ended(ring->gpu);

   pthread_mutex_unlock(&cp->lock);
   if (fault.kind != VGPU_FAULT_NONE) {
      vgpu_log(ring->gpu, "%s", fault.text);
      if (job->faulted)
         job->faulted(job, &fault);
      cp_interrupt(ring->gpu, VGPU_INTERRUPT_FAULT, fault.kind);
   }
   job->done(job, status);
   pthread_mutex_lock(&cp->lock);
}

static bool
run_together(const struct ring *a, const struct ring *b)
{
   return a == b || (b->job && b->job->gang && b->job->gang == a->job->gang);
}

/*
 * Counts `elapsed` (time held left out) against the hang limit of a job. Work that takes long is no hang: only time in
 * which no wave ended counts, since this card is many times slower than silicon. Nor does time count while a wave is in
 * the trap handler, or while launches are stalled. A job of a gang may be waiting for another one.
 */
static void
watch_for_hang(struct ring *ring, uint64_t elapsed)
{
   struct cp *cp = ring->gpu->cp;
   uint64_t ended = 0;
   const struct cp_gang *gang = ring->job->gang;
   bool held = gang && gang->started < gang->size;
   for (int i = 0; i < CP_RINGS; i++) {
      if (run_together(ring, &cp->rings[i])) {
         struct sq_queue *waves = cp->rings[i].waves;
         ended += waves->ended;
         held |= waves->privileged > 0 || sq_launch_stalled(waves);
      }
   }
   if (ended != ring->ended_before)
      ring->stuck_ns = 0;
   else if (!held)
      ring->stuck_ns += elapsed;
   ring->ended_before = ended;
   if (cp->timeout_ns && ring->stuck_ns > cp->timeout_ns) {
      ring_hang(ring);
      finish_job(ring);
   }
}

/* One turn: front end, waves, and the end of the job when either says so. False: nothing could be done. */
static bool
take_turn(struct ring *ring)
{
   if (!take_next_job(ring))
      return false;
   if (ring->job->gang && ring->job->gang->failed)
      ring_cancel(ring, -ECANCELED);
   bool progress = ring_advance(ring);
   if (ring->job && ring->waves->busy)
      progress |= sq_run(ring->waves);
   if (ring->waves->faulted)
      ring_cancel(ring, -ECANCELED);
   if (ring->ended) {
      finish_job(ring);
      progress = true;
   }
   return progress;
}

static uint64_t
next_timer(struct cp *cp)
{
   uint64_t at = ~UINT64_C(0);
   for (int i = 0; i < CP_RINGS; i++) {
      const struct ring *ring = &cp->rings[i];
      if (!ring->job)
         continue;
      if (ring->waves->wake_at < at)
         at = ring->waves->wake_at;
      if (ring->waiting && ring->poll_at < at)
         at = ring->poll_at;
   }
   return at;
}

static bool
any_job(struct cp *cp)
{
   for (int i = 0; i < CP_RINGS; i++)
      if (cp->rings[i].job)
         return true;
   return false;
}

/* Until the doorbell rings or the earliest timer is due. A job under way also wants its hang limit watched. */
static void
sleep_on_doorbell(struct cp *cp)
{
   uint64_t at = next_timer(cp);
   if (any_job(cp) && cp->timeout_ns) {
      uint64_t watch = cp_now() + cp->timeout_ns / 8;
      if (watch < at)
         at = watch;
   }

   pthread_mutex_unlock(&cp->lock);
   pthread_mutex_lock(&cp->doorbell_lock);
   struct timespec until = {.tv_sec = (time_t)(at / 1000000000), .tv_nsec = (long)(at % 1000000000)};
   int timed_out = 0;
   while (!atomic_load(&cp->rung) && !cp->stop && timed_out == 0) {
      if (at == ~UINT64_C(0))
         pthread_cond_wait(&cp->doorbell, &cp->doorbell_lock);
      else
         timed_out = pthread_cond_timedwait(&cp->doorbell, &cp->doorbell_lock, &until);
   }
   pthread_mutex_unlock(&cp->doorbell_lock);
   pthread_mutex_lock(&cp->lock);
}

static void
wake_all(struct cp *cp)
{
   for (int i = 0; i < CP_RINGS; i++) {
      struct ring *ring = &cp->rings[i];
      ring->polls = 0;
      ring->poll_at = 0;
      sq_wake_sleepers(ring->waves, ~UINT64_C(0));
   }
}

static void *
gpu_thread(void *argument)
{
   struct cp *cp = argument;
   pthread_mutex_lock(&cp->lock);
   while (!cp->stop) {
      uint64_t held_before = vgpu_held_ns(cp->gpu);
      atomic_store(&cp->rung, false);
      if (atomic_exchange(&cp->woken, false))
         wake_all(cp);

      bool progress = false;
      uint64_t turn_ns[CP_RINGS] = {0};
      for (int i = 0; i < CP_RINGS; i++) {
         uint64_t start = cp_now();
         progress |= take_turn(&cp->rings[i]);
         turn_ns[i] = cp_now() - start;
         let_others_in(cp);
      }
      progress |= sq_lockstep_advance(cp->gpu->sq);
      uint64_t slept = 0;
      if (!progress) {
         uint64_t start = cp_now();
         sleep_on_doorbell(cp);
         slept = cp_now() - start;
      }
      uint64_t held = vgpu_held_ns(cp->gpu) - held_before;
      for (int i = 0; i < CP_RINGS; i++) {
         uint64_t elapsed = turn_ns[i] + slept;
         if (cp->rings[i].job)
            watch_for_hang(&cp->rings[i], elapsed > held ? elapsed - held : 0);
      }
   }
   pthread_mutex_unlock(&cp->lock);
   return NULL;
}

static int
start_thread(struct cp *cp)
{
   int result = vgpu_thread_start(&cp->thread, "vgpu", gpu_thread, cp);
   cp->started = !result;
   return result;
}

int
cp_submit(struct vgpu *gpu, struct cp_job *job)
{
   struct cp *cp = gpu->cp;
   struct ring *ring = &cp->rings[job->ring];
   job->next = NULL;

   pthread_mutex_lock(&cp->doorbell_lock);
   int ret = cp->started ? 0 : start_thread(cp);
   if (!ret) {
      if (ring->last)
         ring->last->next = job;
      else
         ring->first = job;
      ring->last = job;
      atomic_store(&cp->rung, true);
      pthread_cond_signal(&cp->doorbell);
   }
   pthread_mutex_unlock(&cp->doorbell_lock);

   if (ret)
      vgpu_log(gpu, "cannot start the card's thread: %s", strerror(-ret));
   return ret;
}

/* ---- life ---- */

static uint64_t
timeout_from_environment(struct vgpu *gpu)
{
   const char *text = getenv("HDB_VGPU_TIMEOUT_MS");
   if (!text || !*text)
      return DEFAULT_TIMEOUT_MS * UINT64_C(1000000);
   char *end;
   errno = 0;
   unsigned long long ms = strtoull(text, &end, 10);
   if (errno || *end || *text == '-' || ms > UINT64_MAX / 1000000) {
      vgpu_log(gpu, "HDB_VGPU_TIMEOUT_MS=%s is not a number of milliseconds; using %d", text, DEFAULT_TIMEOUT_MS);
      return DEFAULT_TIMEOUT_MS * UINT64_C(1000000);
   }
   return ms * 1000000;
}

int
cp_init(struct vgpu *gpu)
{
   struct cp *cp = calloc(1, sizeof(*cp));
   if (!cp)
      return -ENOMEM;
   cp->gpu = gpu;
   cp->timeout_ns = timeout_from_environment(gpu);
   pthread_mutex_init(&cp->lock, NULL);
   pthread_cond_init(&cp->let_in, NULL);
   pthread_mutex_init(&cp->doorbell_lock, NULL);
   pthread_condattr_t monotonic;
   pthread_condattr_init(&monotonic);
   pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
   pthread_cond_init(&cp->doorbell, &monotonic);
   pthread_condattr_destroy(&monotonic);
   gpu->cp = cp;

   int ret = sq_init(gpu);
   if (ret)
      return ret;
   for (int i = 0; i < CP_RINGS; i++)
      cp->rings[i] = (struct ring){.gpu = gpu, .id = i, .waves = &gpu->sq->queues[i]};
   return 0;
}

void
cp_finish(struct vgpu *gpu)
{
   struct cp *cp = gpu->cp;
   if (!cp)
      return;
   if (vgpu_is_inert(gpu)) {
      /* The thread stayed with the parent, and may have held any of the locks: leave everything alone. */
      gpu->cp = NULL;
      return;
   }
   if (cp->started) {
      cp->stop = true;
      ring_doorbell(cp);
      pthread_join(cp->thread, NULL);
   }
   for (int i = 0; i < CP_RINGS; i++) {
      struct ring *ring = &cp->rings[i];
      if (ring->job) {
         struct cp_job *job = ring->job;
         ring_cancel(ring, -ECANCELED);
         ring->job = NULL;
         stats_job_ended(gpu);
         job->done(job, -ECANCELED);
      }
      while (ring->first) {
         struct cp_job *job = ring->first;
         ring->first = job->next;
         job->done(job, -ECANCELED);
      }
   }
   sq_finish(gpu);
   pthread_cond_destroy(&cp->doorbell);
   pthread_mutex_destroy(&cp->doorbell_lock);
   pthread_cond_destroy(&cp->let_in);
   pthread_mutex_destroy(&cp->lock);
   free(cp);
   gpu->cp = NULL;
}
