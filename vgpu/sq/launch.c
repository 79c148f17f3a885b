/* SPDX-License-Identifier: MIT */
/*
 * What the SPI does: launches the workgroups of a dispatch one by one and gives their waves the state that they begin
 * with.
 */
#include "sq/sq.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cp/registers.h"
#include "sq/interpret.h"
#include "stats.h"

uint32_t
sq_random(struct sq *sq)
{
   sq->random ^= sq->random >> 12;
   sq->random ^= sq->random << 25;
   sq->random ^= sq->random >> 27;
   return (uint32_t)(sq->random * UINT64_C(0x2545f4914f6cdd1d) >> 32);
}

static uint32_t
align_up(uint32_t value, uint32_t alignment)
{
   return (value + alignment - 1) / alignment * alignment;
}

static uint32_t
divide_up(uint32_t value, uint32_t divisor)
{
   return (value + divisor - 1) / divisor;
}

/* ---- dispatches ---- */

static int
refuse(struct sq_queue *queue, const char *what, uint32_t have, uint32_t limit)
{
   queue->faulted = true;
   queue->fault = (struct vgpu_fault){.kind = VGPU_FAULT_HANG, .pc = queue->dispatch.pc};
   snprintf(queue->fault.text, sizeof(queue->fault.text),
            "hang: dispatch %u of the job can never be launched: a workgroup has %u %s, the card %u",
            queue->dispatch.ordinal, have, what, limit);
   return -EINVAL;
}

/* s_getreg_b32 of TRAPSTS: SOPK, opcode 17, the register's number in 5:0 (RDNA3 ISA guide, 15.1.4 and 3.4). Programs
 * end with s_code_end for the sake of prefetching; what is called elsewhere is not looked through. */
static bool
reads_exceptions(const struct sq_dispatch *dispatch)
{
   enum { GETREG_TRAPSTS = 0xb8800003, GETREG_MASK = 0xff80003f, CODE_END = 0xbf9f0000, LONGEST = 64 << 10 };
   uint64_t va = dispatch->pc;
   for (uint32_t words[256], size; va < dispatch->pc + LONGEST; va += size) {
      size = sizeof(words) - va % sizeof(words); /* within a page */
      if (vm_copy_from(dispatch->vm, va, words, size))
         break;
      for (uint32_t i = 0; i < size / 4; i++) {
         if (words[i] == CODE_END)
            return false;
         if ((words[i] & GETREG_MASK) == GETREG_TRAPSTS)
            return true;
      }
   }
   return false;
}

int
sq_start(struct sq_queue *queue, const struct sq_dispatch *from)
{
   queue->dispatch = *from;
   struct sq_dispatch *dispatch = &queue->dispatch;
   uint32_t lanes = dispatch->wave32 ? 32 : 64;

   /* RSRC1.VGPRS 5:0 in granules of 8 for waves of 32 lanes and of 4 for 64; RSRC2.LDS_SIZE 23:15 in units of 512
    * bytes, of which the hardware allocates two at a time (UMR register database). */
   dispatch->vgpr_count = ((dispatch->rsrc1 & 63) + 1) * (dispatch->wave32 ? 8 : 4);
   if (dispatch->vgpr_count > 256)
      dispatch->vgpr_count = 256;
   dispatch->reads_exceptions = reads_exceptions(dispatch);
   dispatch->lds_size = align_up((dispatch->rsrc2 >> 15 & 511) * 512, 1024);

   sq_lockstep_start(queue);
   queue->total = 1;
   queue->launched = 0;
   for (int i = 0; i < 3; i++) {
      uint32_t count = dispatch->end[i] > dispatch->start[i] ? dispatch->end[i] - dispatch->start[i] : 0;
      if (__builtin_mul_overflow(queue->total, count, &queue->total))
         return refuse(queue, "dimensions whose product overflows; workgroups", count, UINT32_MAX);
      queue->next[i] = dispatch->start[i];
   }
   uint64_t threads = (uint64_t)dispatch->full[0] * dispatch->full[1] * dispatch->full[2];
   if (queue->total == 0 || threads == 0)
      return 0;

   if (threads > SQ_MAX_WORKGROUP_WAVES * 64)
      return refuse(queue, "threads", threads > UINT32_MAX ? UINT32_MAX : (uint32_t)threads, 1024);
   uint32_t waves = divide_up((uint32_t)threads, lanes);
   uint32_t vgprs = SQ_SIMDS * SQ_VGPRS_PER_SIMD / (dispatch->wave32 ? 1 : 2);
   if (waves > SQ_MAX_WORKGROUP_WAVES)
      return refuse(queue, "waves", waves, SQ_MAX_WORKGROUP_WAVES);
   if (divide_up(waves, SQ_SIMDS) * dispatch->vgpr_count > vgprs / SQ_SIMDS)
      return refuse(queue, "vector registers", waves * dispatch->vgpr_count, vgprs);
   if (dispatch->lds_size > SQ_LDS_PER_WORKGROUP)
      return refuse(queue, "bytes of LDS", dispatch->lds_size, SQ_LDS_PER_WORKGROUP);
   if (dispatch->rsrc2 & RSRC2_SCRATCH_EN && waves > dispatch->scratch_waves_per_se)
      return refuse(queue, "waves with scratch", waves, dispatch->scratch_waves_per_se);
   queue->busy = true;
   return 0;
}

bool
sq_launch_stalled(struct sq_queue *queue)
{
   if (!queue->busy || queue->launched == queue->total)
      return false;
   struct vgpu *gpu = queue->gpu;
   uint32_t of_vmid = registers_get_vmid(gpu, queue->dispatch.vm->vmid, REG_SPI_GDBG_PER_VMID_CNTL);
   uint32_t of_all = registers_get(gpu, CP_RING_GFX, REG_SPI_GDBG_WAVE_CNTL);
   return of_vmid & GDBG_STALL_VMID || of_all & (GDBG_STALL_RA | GDBG_STALL_LAUNCH);
}

/* ---- the state that a wave starts with ---- */

static void
fill(struct sq *sq, void *memory, size_t size)
{
   if (!(sq->gpu->options.flags & VGPU_POISON)) {
      memset(memory, 0, size);
      return;
   }
   uint32_t *words = memory;
   for (size_t i = 0; i < size / 4; i++)
      words[i] = sq_random(sq);
}

/* v0 = x | y << 10 | z << 20 of each thread. */
static uint64_t
set_thread_ids(struct wave *wave, const uint32_t size[3], uint32_t first, uint32_t threads)
{
   uint32_t lanes = wave->wave64 ? 64 : 32;
   uint32_t active = threads - first < lanes ? threads - first : lanes;
   uint32_t x = first % size[0], y = first / size[0] % size[1], z = first / size[0] / size[1];
   for (uint32_t lane = 0; lane < active; lane++) {
      wave->vgpr[0][lane] = x | y << 10 | z << 20;
      if (++x == size[0]) {
         x = 0;
         if (++y == size[1]) {
            y = 0;
            z++;
         }
      }
   }
   return active == 64 ? ~UINT64_C(0) : (UINT64_C(1) << active) - 1;
}

/* User data, then what RSRC2 asks for: TGID_X_EN 7, Y 8, Z 9, TG_SIZE_EN 10. TG_SIZE has the number of waves in 5:0 and
 * the wave's own number twice: in 11:6, as the ordered append id, and in 24:20. */
static void
set_sgprs(struct wave *wave, const struct sq_dispatch *dispatch)
{
   const struct workgroup *workgroup = wave->workgroup;
   uint32_t user = dispatch->rsrc2 >> 1 & 31;
   uint32_t n = 0;
   for (; n < user && n < 16; n++)
      wave->sreg[n] = dispatch->user_data[n];
   n = user;
   for (int i = 0; i < 3; i++)
      if (dispatch->rsrc2 & 1 << (7 + i))
         wave->sreg[n++] = workgroup->id[i];
   if (dispatch->rsrc2 & RSRC2_TG_SIZE_EN)
      wave->sreg[n++] = workgroup->wave_count | wave->index << 6 | wave->index << 20;
}

/* From RSRC1: FLOAT_MODE 19:12, DX10_CLAMP 21, IEEE 23, FP16_OVFL 26; from RSRC2: EXCP_EN 30:24, EXCP_EN_MSB 14:13. */
static uint32_t
initial_mode(const struct sq_dispatch *dispatch, uint32_t gdbg)
{
   uint32_t exceptions = (dispatch->rsrc2 >> 24 & 0x7f) | (dispatch->rsrc2 >> 13 & 3) << 7;
   uint32_t forced = gdbg >> GDBG_EXCP_EN_SHIFT & 0x1ff;
   exceptions = gdbg & GDBG_EXCP_REPLACE ? forced : exceptions | forced;
   return (dispatch->rsrc1 >> 12 & 0xff) | (dispatch->rsrc1 >> 21 & 1 ? MODE_DX10_CLAMP : 0) |
          (dispatch->rsrc1 >> 23 & 1 ? MODE_IEEE : 0) | (dispatch->rsrc1 >> 26 & 1 ? MODE_FP16_OVFL : 0) |
          exceptions << 12;
}

static void
init_wave(struct sq_wave *sq_wave, struct workgroup *workgroup, uint32_t index, uint32_t threads)
{
   struct sq_queue *queue = workgroup->queue;
   const struct sq_dispatch *dispatch = &queue->dispatch;
   struct vgpu *gpu = queue->gpu;
   struct sq *sq = gpu->sq;
   struct wave *wave = &sq_wave->wave;
   uint32_t vmid = dispatch->vm->vmid;
   uint32_t gdbg = registers_get_vmid(gpu, vmid, REG_SPI_GDBG_PER_VMID_CNTL);

   wave->gpu = gpu;
   wave->vm = dispatch->vm;
   wave->tlb = &sq->tlb;
   wave->workgroup = workgroup;
   wave->index = index;
   wave->wave64 = !dispatch->wave32;
   wave->vgpr_count = dispatch->vgpr_count;
   wave->lds = workgroup->lds;
   wave->lds_size = dispatch->lds_size;
   wave->rsrc1 = dispatch->rsrc1;
   wave->rsrc2 = dispatch->rsrc2;
   wave->rsrc3 = dispatch->rsrc3;
   wave->sh_mem_bases = registers_get_vmid(gpu, vmid, REG_SH_MEM_BASES);

   fill(sq, wave->vgpr, (size_t)wave->vgpr_count * sizeof(wave->vgpr[0]));
   fill(sq, wave->sreg, sizeof(wave->sreg));
   wave->sreg[SREG_NULL] = 0;
   /* RADV's code counts lanes with ds_append, whose address begins at M0, and never sets M0 (ACO, load_lds_size_m0): on
    * the silicon where that passes the conformance tests, a compute wave can not start with garbage there. */
   wave->sreg[SREG_M0] = 0;
   wave->scc = gpu->options.flags & VGPU_POISON && sq_random(sq) & 1;

   wave->pc = dispatch->pc;
   set_sgprs(wave, dispatch);
   uint32_t lanes = wave->wave64 ? 64 : 32;
   uint64_t exec = set_thread_ids(wave, workgroup->size, index * lanes, threads);
   wave->sreg[SREG_EXEC_LO] = exec;
   wave->sreg[SREG_EXEC_HI] = exec >> 32;
   wave->exec_dirty = true;
   wave->mode = initial_mode(dispatch, gdbg);
   wave->reads_exceptions = dispatch->reads_exceptions;

   wave->status = STATUS_VALID;
   if (workgroup->wave_count > 1)
      wave->status |= STATUS_IN_TG;
   if ((dispatch->rsrc2 & RSRC2_TRAP_PRESENT || gdbg & GDBG_TRAP_EN) && sq_trap_installed(wave))
      wave->status |= STATUS_TRAP_EN;
   if ((gdbg >> GDBG_LAUNCH_MODE_SHIFT & 3) == 1)
      wave->status |= STATUS_HALT;
   if (wave->status & STATUS_TRAP_EN) {
      sq_wave->start_trap = dispatch->rsrc3 & RSRC3_TRAP_ON_START || gdbg & GDBG_TRAP_ON_START;
      if (dispatch->rsrc3 & RSRC3_TRAP_ON_END || gdbg & GDBG_TRAP_ON_END)
         wave->mode |= MODE_WAVE_END;
   }
   queue->invocations += __builtin_popcountll(exec);
}

/* ---- launching ---- */

static void
advance(struct sq_queue *queue)
{
   queue->launched++;
   for (int i = 0; i < 3; i++) {
      if (++queue->next[i] < queue->dispatch.end[i])
         return;
      queue->next[i] = queue->dispatch.start[i];
   }
}

bool
sq_launch_workgroup(struct sq_queue *queue)
{
   struct sq *sq = queue->gpu->sq;
   const struct sq_dispatch *dispatch = &queue->dispatch;
   if (!queue->busy || queue->launched == queue->total || sq_launch_stalled(queue))
      return false;

   uint32_t size[3];
   for (int i = 0; i < 3; i++)
      size[i] = queue->next[i] + 1 == dispatch->end[i] ? dispatch->partial[i] : dispatch->full[i];
   uint32_t threads = size[0] * size[1] * size[2];
   uint32_t waves = divide_up(threads, dispatch->wave32 ? 32 : 64);
   uint32_t vgpr_cost = dispatch->vgpr_count * (dispatch->wave32 ? 1 : 2);
   struct wgp *wgp = sq_find_room(sq, dispatch, waves, vgpr_cost);
   struct workgroup *workgroup = wgp ? sq_take_workgroup(sq, dispatch->lds_size) : NULL;
   if (!workgroup)
      return false;
   for (uint32_t i = 0; i < waves; i++) {
      workgroup->waves[i] = sq_take_wave(sq, dispatch->vgpr_count);
      if (!workgroup->waves[i]) {
         while (i-- > 0)
            TAILQ_INSERT_HEAD(&sq->free_waves, workgroup->waves[i], link);
         sq_give_back_workgroup(sq, workgroup);
         return false; /* when others have ended there will be memory again */
      }
   }

   workgroup->queue = queue;
   workgroup->wgp = wgp;
   workgroup->wave_count = waves;
   memcpy(workgroup->id, queue->next, sizeof(workgroup->id));
   memcpy(workgroup->size, size, sizeof(size));
   if (dispatch->lds_size)
      fill(sq, workgroup->lds, dispatch->lds_size);
   wgp->lds_used += dispatch->lds_size;
   wgp->workgroups++;
   int simd = 0;
   for (uint32_t i = 0; i < waves; i++) {
      struct sq_wave *wave = workgroup->waves[i];
      while (sq_room_on_simd(wgp, simd, vgpr_cost) == 0)
         simd = (simd + 1) % SQ_SIMDS;
      wave->queue = queue;
      init_wave(wave, workgroup, i, threads);
      sq_place_wave(wave, wgp, simd, vgpr_cost);
      simd = (simd + 1) % SQ_SIMDS;
      wave->place = SQ_RUNNING;
      queue->resident++;
      sq_reconsider(wave);
   }
   advance(queue);
   struct stats *stats = sq->gpu->stats;
   if (stats) {
      stats->workgroups++;
      stats->waves += waves;
      stats->threads += threads;
   }
   return true;
}
