/* SPDX-License-Identifier: MIT */
/* SQ_CMD and SQ_IND: waves as a debugger outside of the card sees them (UMR register database; soc21_enum.h). */
#include "sq/sq.h"

#include "sq/interpret.h"

/* GRBM_GFX_INDEX: which SIMDs an access goes to. */
static bool
selects(const struct sq_selection *selection, const struct wgp *wgp, uint32_t simd)
{
   return (selection->se == VGPU_BROADCAST || selection->se == wgp->se) &&
          (selection->sa == VGPU_BROADCAST || selection->sa == wgp->sa) &&
          (selection->instance == VGPU_BROADCAST || selection->instance == (wgp->number << 2 | simd));
}

/* ---- SQ_CMD ---- */

enum { COMMAND_SETHALT = 1, COMMAND_KILL = 3, COMMAND_TRAP = 5, COMMAND_SETFATALHALT = 7, COMMAND_SINGLE_STEP = 8 };

enum { BROADCAST_NONE, BROADCAST_ALL, BROADCAST_QUEUE, BROADCAST_PIPE, BROADCAST_ME };

static void
set_status(struct wave *wave, uint32_t bit, bool set)
{
   wave->status = set ? wave->status | bit : wave->status & ~bit;
}

/* `data` is the command's 4-bit DATA field. */
static void
command_wave(struct sq_wave *wave, uint32_t command, uint32_t data)
{
   switch (command) {
   case COMMAND_SETHALT:
      set_status(&wave->wave, STATUS_HALT, data & 1);
      break;
   case COMMAND_SETFATALHALT:
      set_status(&wave->wave, STATUS_FATAL_HALT, data & 1);
      break;
   case COMMAND_KILL:
      sq_end_wave(wave);
      return;
   case COMMAND_TRAP:
      /* Ignored without TRAP_EN; while the wave is in the handler it stays pending. */
      wave->wave.host_trap = wave->wave.status & STATUS_TRAP_EN;
      break;
   case COMMAND_SINGLE_STEP:
      wave->single_step = wave->wave.status & (STATUS_HALT | STATUS_FATAL_HALT);
      break;
   }
   sq_reconsider(wave);
}

/* CMD 3:0, MODE 6:4, CHECK_VMID 7, DATA 11:8, WAVE_ID 20:16, QUEUE_ID 26:24, VM_ID 31:28 */
void
sq_command(struct vgpu *gpu, const struct sq_selection *selection, uint32_t value)
{
   uint32_t command = value & 15, mode = value >> 4 & 7, data = value >> 8 & 15;
   uint32_t wave_id = value >> 16 & 31, queue_id = value >> 24 & 7, vmid = value >> 28;
   bool check_vmid = value & 1 << 7;
   if (command == 0)
      return;
   if (command != COMMAND_SETHALT && command != COMMAND_KILL && command != COMMAND_TRAP &&
       command != COMMAND_SETFATALHALT && command != COMMAND_SINGLE_STEP) {
      vgpu_log(gpu, "SQ_CMD 0x%08x: command %u is not supported", value, command);
      return;
   }
   if (mode > BROADCAST_ME) {
      vgpu_log(gpu, "SQ_CMD 0x%08x: mode %u does not exist", value, mode);
      return;
   }

   for (uint32_t i = 0; i < SQ_WGPS; i++) {
      struct wgp *wgp = &gpu->sq->wgps[i];
      for (uint32_t simd = 0; simd < SQ_SIMDS; simd++) {
         if (!wgp->slots[simd] || !selects(selection, wgp, simd))
            continue;
         for (uint32_t slot = 0; slot < SQ_SLOTS; slot++) {
            struct sq_wave *wave = wgp->waves[simd][slot];
            if (!wave || (mode == BROADCAST_NONE && slot != wave_id))
               continue;
            const struct sq_queue *queue = wave->queue;
            if ((mode >= BROADCAST_QUEUE && queue->me != selection->me) ||
                (mode <= BROADCAST_PIPE && mode >= BROADCAST_QUEUE && queue->pipe != selection->pipe) ||
                (mode == BROADCAST_QUEUE && queue->queue != queue_id))
               continue;
            if (check_vmid && (wave->wave.hw_id2 >> 24 & 15) != vmid)
               continue;
            command_wave(wave, command, data);
         }
      }
   }
}

/* ---- SQ_IND ---- */

enum { IND_ACTIVE = 0x0a, IND_VALID_AND_IDLE = 0x0b, IND_HWREG = 0x100, IND_SCALAR = 0x200, IND_VGPR = 0x400 };

/* Halted, and not on its way through the trap handler. */
static bool
is_idle(const struct sq_wave *wave)
{
   uint32_t status = wave->wave.status;
   return status & STATUS_FATAL_HALT || (status & STATUS_HALT && !wave->wave.priv);
}

/* The first SIMD that the selection includes. */
static struct wgp *
selected_wgp(struct vgpu *gpu, const struct sq_selection *selection, uint32_t *simd)
{
   for (uint32_t i = 0; i < SQ_WGPS; i++)
      for (*simd = 0; *simd < SQ_SIMDS; ++*simd)
         if (selects(selection, &gpu->sq->wgps[i], *simd))
            return &gpu->sq->wgps[i];
   return NULL;
}

static uint32_t
read_wave(struct vgpu *gpu, const struct sq_wave *wave, uint32_t index, uint32_t lane)
{
   const struct wave *state = &wave->wave;
   switch (index) {
   case IND_HWREG + HWREG_STATUS:
      return hwreg_read(state, HWREG_STATUS) | (is_idle(wave) ? STATUS_IDLE : 0);
   case IND_HWREG + 8: /* PC_LO, PC_HI 15:0 */
      return state->pc;
   case IND_HWREG + 9:
      return state->pc >> 32 & 0xffff;
   }
   if (index >= IND_HWREG && index < IND_HWREG + 64)
      return hwreg_read(state, index - IND_HWREG);

   /* Registers can be read dependably of a halted, idle wave only; of others something comes back. */
   if (!is_idle(wave))
      return sq_random(gpu->sq);
   if (index >= IND_SCALAR && index < IND_SCALAR + SREG_COUNT)
      return state->sreg[index - IND_SCALAR];
   if (index >= IND_VGPR && index < IND_VGPR + state->vgpr_count && !(state->status & STATUS_NO_VGPRS))
      return state->vgpr[index - IND_VGPR][lane];
   return 0;
}

const struct sq_wave *
sq_selected_wave(struct vgpu *gpu, const struct sq_selection *selection, uint32_t slot)
{
   uint32_t simd;
   const struct wgp *wgp = selected_wgp(gpu, selection, &simd);
   return wgp && slot < SQ_SLOTS ? wgp->waves[simd][slot] : NULL;
}

/* WAVE_ID 4:0, WORKITEM_ID 10:5 (a lane), INDEX 31:16 */
uint32_t
sq_indirect_read(struct vgpu *gpu, const struct sq_selection *selection, uint32_t value)
{
   uint32_t slot = value & 31, lane = value >> 5 & 63, index = value >> 16;
   uint32_t simd;
   const struct wgp *wgp = selected_wgp(gpu, selection, &simd);
   if (!wgp)
      return 0;
   if (index == IND_ACTIVE)
      return wgp->slots[simd];
   if (index == IND_VALID_AND_IDLE) {
      uint32_t idle = 0;
      for (uint32_t i = 0; i < SQ_SLOTS; i++)
         if (wgp->waves[simd][i] && is_idle(wgp->waves[simd][i]))
            idle |= 1u << i;
      return idle;
   }
   const struct sq_wave *wave = slot < SQ_SLOTS ? wgp->waves[simd][slot] : NULL;
   return wave ? read_wave(gpu, wave, index, lane) : 0;
}

void
sq_indirect_write(struct vgpu *gpu, const struct sq_selection *selection, uint32_t value, uint32_t data)
{
   uint32_t slot = value & 31, lane = value >> 5 & 63, index = value >> 16;
   uint32_t simd;
   struct wgp *wgp = selected_wgp(gpu, selection, &simd);
   struct sq_wave *wave = wgp && slot < SQ_SLOTS ? wgp->waves[simd][slot] : NULL;
   if (!wave || !is_idle(wave))
      return;
   struct wave *state = &wave->wave;
   if (index >= IND_SCALAR && index < IND_SCALAR + SREG_COUNT) {
      state->sreg[index - IND_SCALAR] = index == IND_SCALAR + SREG_NULL ? 0 : data;
      state->exec_dirty = true;
   } else if (index >= IND_VGPR && index < IND_VGPR + state->vgpr_count) {
      state->vgpr[index - IND_VGPR][lane] = data;
   }
}
