/* SPDX-License-Identifier: MIT */
/*
 * A ring's front end: walks the job's indirect buffers packet by packet. It is a state machine that returns whenever it
 * has to wait: for a dispatch (they run one after the other, which satisfies every barrier between them) or for memory.
 *
 * Packets are read when they are executed, never ahead: command buffers may patch themselves.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "cp/pm4.h"
#include "cp/registers.h"
#include "cp/ring.h"

/* A front end yields after so many packets. */
#define PACKETS_PER_TURN 256

/* A waiting packet looks again at once, then ever less often, until the host says that memory has changed. */
#define POLL_AT_ONCE 16
#define POLL_MIN_NS 2000
#define POLL_MAX_NS 1000000

const char *
ring_name(const struct ring *ring)
{
   static const char *const names[CP_RINGS] = {"graphics ring", "compute ring 0", "compute ring 1", "compute ring 2",
                                               "compute ring 3"};
   return names[ring->id];
}

void
ring_begin(struct ring *ring, struct cp_job *job)
{
   ring->job = job;
   if (job->gang)
      job->gang->started++;
   ring->next_ib = 0;
   ring->depth = 0;
   ring->dispatches = 0;
   ring->predicated = false;
   ring->base = 0;
   ring->waiting = false;
   ring->stuck_ns = 0;
   ring->ended = false;
   ring->status = 0;
   ring->waves->job = job;
   ring->waves->faulted = false;
   ring->waves->fault = (struct vgpu_fault){0};
}

static void
record_fault(struct ring *ring, const struct vgpu_fault *fault)
{
   if (ring->waves->faulted)
      return;
   ring->waves->fault = *fault;
   ring->waves->faulted = true;
}

void
ring_fault(struct ring *ring, uint64_t va, bool write, const char *what)
{
   struct vgpu_fault fault = {.kind = VGPU_FAULT_MEMORY, .va = va, .write = write};
   snprintf(fault.text, sizeof(fault.text),
            "memory fault: %s of 0x%" PRIx64 " by the command processor (%s), after %u dispatches of the job",
            write ? "write" : "read", va, what, ring->dispatches);
   record_fault(ring, &fault);
   registers_report_fault(ring->gpu, ring->job->vm, va, write ? VM_WRITE : VM_READ);
}

void
ring_hang(struct ring *ring)
{
   struct vgpu_fault fault = {.kind = VGPU_FAULT_HANG};
   const struct sq_queue *waves = ring->waves;
   const struct sq_wave *wave = sq_any_wave(waves);
   unsigned seconds = (unsigned)(ring->stuck_ns / 1000000000);
   if (wave) {
      fault.pc = wave->wave.pc;
      snprintf(fault.text, sizeof(fault.text),
               "hang: no wave ended for %u s on the %s; one is at pc 0x%" PRIx64 ", dispatch %u of the job, "
               "workgroup (%u,%u,%u), wave %u",
               seconds, ring_name(ring), fault.pc, waves->dispatch.ordinal, wave->wave.workgroup->id[0],
               wave->wave.workgroup->id[1], wave->wave.workgroup->id[2], wave->wave.index);
   } else {
      snprintf(fault.text, sizeof(fault.text), "hang: the %s waited for %u s in %s, after %u dispatches of the job",
               ring_name(ring), seconds, ring->waiting ? pm4_name(ring->header) : "a dispatch", ring->dispatches);
   }
   record_fault(ring, &fault);
   ring_cancel(ring, -ETIME);
}

void
ring_cancel(struct ring *ring, int status)
{
   sq_cancel(ring->waves);
   ring->waves->faulted = false;
   ring->waiting = false;
   ring->ended = true;
   ring->status = status;
}

enum fetch { FETCHED, FETCH_END, FETCH_FAULT };

/* Reads the next packet into ring->header and ring->body. */
static enum fetch
fetch(struct ring *ring, uint32_t *count)
{
   while (ring->depth == 0 || ring->ib[ring->depth - 1].size == 0) {
      if (ring->depth > 0)
         ring->depth--;
      else if (ring->next_ib < ring->job->ib_count)
         ring->ib[ring->depth++] = ring->job->ibs[ring->next_ib++];
      else
         return FETCH_END;
   }

   struct cp_ib *ib = &ring->ib[ring->depth - 1];
   ring->packet = ib->va;
   if (!ring_read(ring, ib->va, &ring->header, 4, "fetching commands"))
      return FETCH_FAULT;
   *count = pm4_body_size(ring->header);
   if (*count > ib->size - 1) {
      vgpu_log(ring->gpu, "%s: packet 0x%08x at 0x%" PRIx64 " runs over the end of its indirect buffer; dropped",
               ring_name(ring), ring->header, ib->va);
      ib->size = 0;
      ring->header = PM4_NOP_HEADER;
      *count = 0;
      return FETCHED;
   }
   if (!ring_read(ring, ib->va + 4, ring->body, 4 * (size_t)*count, "fetching commands"))
      return FETCH_FAULT;
   ib->va += 4 + 4 * (uint64_t)*count;
   ib->size -= 1 + *count;
   return FETCHED;
}

static void
wait_for_memory(struct ring *ring)
{
   uint64_t delay = 0;
   if (ring->polls >= POLL_AT_ONCE) {
      uint32_t doublings = ring->polls - POLL_AT_ONCE;
      delay = doublings < 9 ? (uint64_t)POLL_MIN_NS << doublings : POLL_MAX_NS;
   }
   ring->polls++;
   ring->waiting = true;
   ring->poll_at = cp_now() + delay;
}

bool
ring_advance(struct ring *ring)
{
   if (ring->ended || ring->waves->busy || ring->waves->faulted)
      return false;
   if (ring->waiting && cp_now() < ring->poll_at)
      return false;

   for (int i = 0; i < PACKETS_PER_TURN; i++) {
      if (!ring->waiting) {
         ring->polls = 0;
         switch (fetch(ring, &ring->count)) {
         case FETCHED:
            break;
         case FETCH_END:
            ring->ended = true;
            return true;
         case FETCH_FAULT:
            return true;
         }
      }
      switch (pm4_execute(ring, ring->header, ring->body, ring->count)) {
      case PM4_DONE:
         ring->waiting = false;
         break;
      case PM4_WAIT:
         wait_for_memory(ring);
         return i > 0 || ring->polls < POLL_AT_ONCE;
      case PM4_FAULT:
         return true;
      }
      if (ring->waves->busy)
         return true;
   }
   return true;
}
