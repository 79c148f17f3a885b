/* SPDX-License-Identifier: MIT */
/*
 * Room for waves on the workgroup processors, and the objects that stand for them.
 *
 * A workgroup lives on one processor; its waves go round the four SIMDs. Room is counted in wave slots, LDS and VGPRs.
 * CU mode (RSRC1.WGP_MODE 0), COMPUTE_DESTINATION_EN and COMPUTE_RESOURCE_LIMITS are for performance and ignored.
 */
#include <stdlib.h>
#include <string.h>

#include "cp/registers.h"
#include "sq/interpret.h"
#include "sq/sq.h"

/* ---- room ---- */

static uint32_t
free_scratch_slots(const struct sq *sq, uint32_t se, uint32_t limit)
{
   uint32_t used = 0;
   for (uint32_t i = 0; i < SQ_SLOTS_PER_SE / 64; i++)
      used += __builtin_popcountll(sq->scratch_slots[se][i]);
   return used < limit ? limit - used : 0;
}

static uint32_t
take_scratch_slot(struct sq *sq, uint32_t se)
{
   for (uint32_t i = 0;; i++) {
      uint64_t available = ~sq->scratch_slots[se][i];
      if (available) {
         uint32_t bit = __builtin_ctzll(available);
         sq->scratch_slots[se][i] |= UINT64_C(1) << bit;
         return 64 * i + bit;
      }
   }
}

/* Waves that still fit on a SIMD. */
uint32_t
sq_room_on_simd(const struct wgp *wgp, int simd, uint32_t vgpr_cost)
{
   uint32_t slots = SQ_SLOTS - __builtin_popcount(wgp->slots[simd]);
   uint32_t vgprs = (SQ_VGPRS_PER_SIMD - wgp->vgprs_used[simd]) / vgpr_cost;
   return slots < vgprs ? slots : vgprs;
}

struct wgp *
sq_find_room(struct sq *sq, const struct sq_dispatch *dispatch, uint32_t waves, uint32_t vgpr_cost)
{
   for (uint32_t i = 0; i < SQ_WGPS; i++) {
      struct wgp *wgp = &sq->wgps[(sq->next_wgp + i) % SQ_WGPS];
      if (wgp->lds_used + dispatch->lds_size > SQ_LDS_PER_WGP)
         continue;
      uint32_t room = 0;
      for (int simd = 0; simd < SQ_SIMDS; simd++)
         room += sq_room_on_simd(wgp, simd, vgpr_cost);
      if (room < waves)
         continue;
      if (dispatch->rsrc2 & RSRC2_SCRATCH_EN && free_scratch_slots(sq, wgp->se, dispatch->scratch_waves_per_se) < waves)
         continue;
      sq->next_wgp = (sq->next_wgp + i + 1) % SQ_WGPS;
      return wgp;
   }
   return NULL;
}

/* ---- objects ---- */

/* Waves and workgroups are used again, the last one first: their registers are still in the host's caches. */
struct sq_wave *
sq_take_wave(struct sq *sq, uint32_t vgpr_count)
{
   struct sq_wave *wave = TAILQ_FIRST(&sq->free_waves);
   if (wave)
      TAILQ_REMOVE(&sq->free_waves, wave, link);
   else
      wave = calloc(1, sizeof(*wave));
   if (!wave)
      return NULL;

   uint32_t(*vgpr)[64] = wave->wave.vgpr;
   uint32_t capacity = wave->vgpr_capacity;
   if (capacity < vgpr_count) {
      free(vgpr);
      vgpr = aligned_alloc(64, (size_t)vgpr_count * sizeof(*vgpr));
      capacity = vgpr ? vgpr_count : 0;
   }
   memset(wave, 0, sizeof(*wave));
   wave->wave.vgpr = vgpr;
   wave->vgpr_capacity = capacity;
   if (!vgpr) {
      TAILQ_INSERT_HEAD(&sq->free_waves, wave, link);
      return NULL;
   }
   return wave;
}

struct workgroup *
sq_take_workgroup(struct sq *sq, uint32_t lds_size)
{
   struct workgroup *workgroup = sq->free_workgroups;
   if (workgroup)
      sq->free_workgroups = workgroup->next;
   else
      workgroup = calloc(1, sizeof(*workgroup));
   if (!workgroup)
      return NULL;

   uint8_t *lds = workgroup->lds;
   uint32_t capacity = workgroup->lds_capacity;
   if (capacity < lds_size) {
      free(lds);
      lds = aligned_alloc(64, lds_size);
      capacity = lds ? lds_size : 0;
   }
   memset(workgroup, 0, sizeof(*workgroup));
   workgroup->lds = lds;
   workgroup->lds_capacity = capacity;
   if (lds_size && !lds) {
      free(workgroup);
      return NULL;
   }
   return workgroup;
}

void
sq_give_back_workgroup(struct sq *sq, struct workgroup *workgroup)
{
   workgroup->next = sq->free_workgroups;
   sq->free_workgroups = workgroup;
}

/* ---- placing ---- */

/* HW_ID1: WAVE 4:0, SIMD 9:8, WGP 13:10, SA 16, SE 20:18. HW_ID2: QUEUE 3:0, PIPE 5:4, ME 9:8, WG 20:16, VMID 27:24. */
void
sq_place_wave(struct sq_wave *sq_wave, struct wgp *wgp, int simd, uint32_t vgpr_cost)
{
   struct sq_queue *queue = sq_wave->queue;
   struct wave *wave = &sq_wave->wave;
   uint32_t slot = __builtin_ctz(~wgp->slots[simd]);

   wgp->slots[simd] |= 1u << slot;
   wgp->vgprs_used[simd] += vgpr_cost;
   wgp->waves[simd][slot] = sq_wave;
   sq_wave->vgpr_cost = vgpr_cost;
   wave->hw_id1 = slot | (uint32_t)simd << 8 | wgp->number << 10 | wgp->sa << 16 | wgp->se << 18;
   wave->hw_id2 =
      queue->queue | queue->pipe << 4 | queue->me << 8 | (wgp->workgroups & 31) << 16 | queue->dispatch.vm->vmid << 24;

   if (queue->dispatch.rsrc2 & RSRC2_SCRATCH_EN) {
      uint32_t index = take_scratch_slot(queue->gpu->sq, wgp->se);
      sq_wave->scratch_slot = index;
      wave->status |= STATUS_SCRATCH_EN;
      wave->scratch_stride = queue->dispatch.scratch_stride;
      wave->scratch_base = queue->dispatch.scratch_base +
                           (uint64_t)(wgp->se * queue->dispatch.scratch_waves_per_se + index) * wave->scratch_stride;
   }
}

/* ---- the end ---- */

static uint32_t
simd_of(const struct wave *wave)
{
   return wave->hw_id1 >> 8 & 3;
}

void
sq_release_vgprs(struct sq_wave *wave)
{
   wave->wave.workgroup->wgp->vgprs_used[simd_of(&wave->wave)] -= wave->vgpr_cost;
   wave->vgpr_cost = 0;
}

void
sq_release_wave(struct sq_wave *wave)
{
   struct sq *sq = wave->queue->gpu->sq;
   struct workgroup *workgroup = wave->wave.workgroup;
   struct wgp *wgp = workgroup->wgp;
   uint32_t simd = simd_of(&wave->wave), slot = wave->wave.hw_id1 & 31;

   wave_drain(&wave->wave); /* frees loads that have not landed */
   sq_release_vgprs(wave);
   wgp->slots[simd] &= ~(1u << slot);
   wgp->waves[simd][slot] = NULL;
   if (wave->wave.status & STATUS_SCRATCH_EN)
      sq->scratch_slots[wgp->se][wave->scratch_slot / 64] &= ~(UINT64_C(1) << wave->scratch_slot % 64);
   workgroup->waves[wave->wave.index] = NULL;
   TAILQ_INSERT_HEAD(&sq->free_waves, wave, link);
   if (workgroup->ended == workgroup->wave_count) {
      wgp->lds_used -= workgroup->queue->dispatch.lds_size;
      wgp->workgroups--;
      sq_give_back_workgroup(sq, workgroup);
   }
}
