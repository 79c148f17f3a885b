/* SPDX-License-Identifier: MIT */
/* amdgpu_regs and amdgpu_regs2: registers by byte address, with banks selected around the access. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cp/registers.h"
#include "debugfs/faults.h"
#include "debugfs/files.h"
#include "sq/sq.h"

int
mmio(struct card *card, const struct debugfs_step *steps, uint32_t count, uint32_t *values, uint32_t value_count,
     bool *busy)
{
   if (faults[FAULT_POWERED_DOWN]) {
      if (card->socket < 0)
         return -EIO;
      memset(values, 0xff, value_count * sizeof(*values));
      return 0;
   }
   uint32_t flags = faults[FAULT_GFXOFF] && !card->gfxoff_holds ? DEBUGFS_IDLE_IS_OFF : 0;
   return card_registers(card, flags, steps, count, values, value_count, busy);
}

/* ---- banks ---- */

/* GRBM_GFX_INDEX: INSTANCE 7:0, SA 15:8, SE 23:16; broadcast SA 29, INSTANCE 30, SE 31 (UMR register database). */
struct debugfs_step
step_select_grbm(uint32_t se, uint32_t sh, uint32_t instance)
{
   uint32_t value = (instance == ALL ? 1u << 30 : instance & 0xff) | (sh == ALL ? 1u << 29 : (sh & 0xff) << 8) |
                    (se == ALL ? 1u << 31 : (se & 0xff) << 16);
   return (struct debugfs_step){.access = DEBUGFS_WRITE, .address = REG_GRBM_GFX_INDEX, .value = value};
}

/* GRBM_GFX_CNTL: PIPE 1:0, ME 3:2, VMID 7:4, QUEUE 10:8 */
static struct debugfs_step
step_select_srbm(uint32_t me, uint32_t pipe, uint32_t queue, uint32_t vmid)
{
   uint32_t value = (pipe & 3) | (me & 3) << 2 | (vmid & 15) << 4 | (queue & 7) << 8;
   return (struct debugfs_step){.access = DEBUGFS_WRITE, .address = REG_GRBM_GFX_CNTL, .value = value};
}

static bool
is_valid(const struct regs2_state *state)
{
   return !state->use_grbm ||
          ((state->grbm.sh == ALL || state->grbm.sh < SQ_SAS) && (state->grbm.se == ALL || state->grbm.se < SQ_SES));
}

/* The kernel selects, accesses one register after the other, and leaves everything broadcast and bank 0 selected. */
static ssize_t
access_registers(struct card *card, const struct regs2_state *state, uint32_t address, uint32_t *data, size_t size,
                 bool write)
{
   if (!is_valid(state))
      return -EINVAL;
   uint32_t dwords = (uint32_t)(size / 4), count = 0;
   struct debugfs_step *steps = calloc(write ? dwords + 4 : 5, sizeof(*steps));
   if (!steps)
      return -ENOMEM;

   if (state->use_grbm)
      steps[count++] = step_select_grbm(state->grbm.se, state->grbm.sh, state->grbm.instance);
   if (state->use_srbm)
      steps[count++] = step_select_srbm(state->srbm.me, state->srbm.pipe, state->srbm.queue, state->srbm.vmid);
   if (!write)
      steps[count++] = (struct debugfs_step){.access = DEBUGFS_READ, .address = address, .count = dwords};
   for (uint32_t i = 0; write && i < dwords; i++)
      steps[count++] = (struct debugfs_step){.access = DEBUGFS_WRITE, .address = address + 4 * i, .value = data[i]};
   if (state->use_grbm)
      steps[count++] = step_select_grbm(ALL, ALL, ALL);
   if (state->use_srbm)
      steps[count++] = step_select_srbm(0, 0, 0, 0);

   int r = mmio(card, steps, count, data, write ? 0 : dwords, NULL);
   free(steps);
   return r ? r : (ssize_t)size;
}

/* ---- amdgpu_regs2 ---- */

/* Offsets are taken as 32 bits, whatever lies above. */
ssize_t
regs2_read(struct open_file *file, void *data, size_t size, uint64_t offset)
{
   if (size % 4 || offset % 4)
      return -EINVAL;
   return access_registers(file->card, &file->regs2, (uint32_t)offset, data, size, false);
}

ssize_t
regs2_write(struct open_file *file, const void *data, size_t size, uint64_t offset)
{
   if (size % 4 || offset % 4)
      return -EINVAL;
   return access_registers(file->card, &file->regs2, (uint32_t)offset, (void *)data, size, true);
}

int
regs2_ioctl(struct open_file *file, unsigned command, const void *argument)
{
   if (command == REGS2_SET_STATE_V2 && !faults[FAULT_NO_V2]) {
      memcpy(&file->regs2, argument, sizeof(file->regs2));
      return 0;
   }
   if (command == REGS2_SET_STATE) {
      /* The kernel forgets to copy the VMID: the one before stays, 0 in a fresh file. */
      uint32_t vmid = file->regs2.srbm.vmid;
      memcpy(&file->regs2, argument, REGS2_STATE_V1_SIZE);
      file->regs2.srbm.vmid = vmid;
      file->regs2.xcc_id = 0;
      return 0;
   }
   return -EINVAL;
}

/* ---- amdgpu_regs: the selection is in the offset ---- */

static uint32_t
selector(uint64_t offset, unsigned low)
{
   uint32_t value = field(offset, low, 10);
   return value == 0x3ff ? ALL : value;
}

/* 62: GRBM bank (SE 33:24, SH 43:34, instance 53:44), or 61: SRBM bank (ME, pipe, queue there, VMID 58:54); 23: hold
 * the power gating lock; 21:0 byte address. */
static int
decode(uint64_t offset, size_t size, struct regs2_state *state)
{
   *state = (struct regs2_state){.use_grbm = field(offset, 62, 1), .use_srbm = field(offset, 61, 1)};
   if (size % 4 || offset % 4 || (state->use_grbm && state->use_srbm))
      return -EINVAL;
   state->pg_lock = field(offset, 23, 1);
   state->grbm.se = selector(offset, 24);
   state->grbm.sh = selector(offset, 34);
   state->grbm.instance = selector(offset, 44);
   state->srbm.me = field(offset, 24, 10);
   state->srbm.pipe = field(offset, 34, 10);
   state->srbm.queue = field(offset, 44, 10);
   state->srbm.vmid = field(offset, 54, 5);
   return 0;
}

static ssize_t
access_packed(struct card *card, uint64_t offset, void *data, size_t size, bool write)
{
   struct regs2_state state;
   int r = decode(offset, size, &state);
   return r ? r : access_registers(card, &state, field(offset, 0, 22), data, size, write);
}

ssize_t
regs_read(struct open_file *file, void *data, size_t size, uint64_t offset)
{
   return access_packed(file->card, offset, data, size, false);
}

ssize_t
regs_write(struct open_file *file, const void *data, size_t size, uint64_t offset)
{
   return access_packed(file->card, offset, (void *)data, size, true);
}
