/* SPDX-License-Identifier: MIT */
/*
 * The commands that launch a dispatch, as RADV records them: launch registers, RSRC2 and RSRC3 by themselves, so that a
 * debugger may set their trap bits, DISPATCH_DIRECT. Packets and register addresses: UMR register database, GC 11.0.0.
 */
#include <string.h>

#include "replay/private.h"
#include "target/registers.h"

enum { PM4_DISPATCH_DIRECT = 0x15, PM4_ACQUIRE_MEM = 0x58, PM4_SET_SH_REG = 0x76, PM4_SET_UCONFIG_REG = 0x79 };
enum { SH_START = 0xb000, UCONFIG_START = 0x30000 };

/* Navi31's, as its discovery table has it: this is the virtual GPU's. */
static const uint32_t gc_base[GC_SEGMENTS] = {0x1260, 0xa000};

#define COMPUTE(offset) GC_REGISTER(0, offset)

static const struct {
   uint32_t reg, count;
} copied[] = {
   {COMPUTE(0x1ba4), 3},        /* COMPUTE_START_X */
   {COMPUTE(0x1ba7), 3},        /* COMPUTE_NUM_THREAD_X */
   {COMPUTE(0x1bac), 2},        /* COMPUTE_PGM_LO */
   {COMPUTE(0x1bb0), 2},        /* COMPUTE_DISPATCH_SCRATCH_BASE_LO */
   {COMPUTE(0x1bb2), 1},        /* COMPUTE_PGM_RSRC1 */
   {COMPUTE(0x1bb8), 1},        /* COMPUTE_TMPRING_SIZE */
   {COMPUTE(0x1be0), 16},       /* COMPUTE_USER_DATA_0 */
   {GC_REGISTER(1, 0x2380), 2}, /* TA_CS_BC_BASE_ADDR: border colours */
};

enum {
   DIM_X = COMPUTE(0x1ba1),
   INITIATOR = COMPUTE(0x1ba0),
   START_X = COMPUTE(0x1ba4),
   NUM_THREAD_X = COMPUTE(0x1ba7),
   SCRATCH_BASE_LO = COMPUTE(0x1bb0),
   RSRC2 = COMPUTE(0x1bb3),
   TMPRING_SIZE = COMPUTE(0x1bb8),
   RSRC3 = COMPUTE(0x1bc8),
};

struct writer {
   uint32_t *next;
};

/* Type 3: count - 1 in 29:16, opcode in 15:8, shader type compute in bit 1. */
static void
put_packet(struct writer *writer, uint32_t opcode, uint32_t count)
{
   *writer->next++ = 3u << 30 | (count - 1) << 16 | opcode << 8 | 1 << 1;
}

/* Where the values stand. */
static uint32_t *
put_values(struct writer *writer, uint32_t opcode, uint32_t offset, uint32_t count, const uint32_t *values)
{
   put_packet(writer, opcode, count + 1);
   *writer->next++ = offset / 4;
   uint32_t *place = writer->next;
   memcpy(place, values, count * sizeof(*values));
   writer->next += count;
   return place;
}

/* Where the value stands. SH registers are queues' own; the others lie in the user configuration's range. */
static uint32_t *
put_register(struct writer *writer, uint32_t reg, uint32_t value)
{
   uint32_t address = hdb_register_address(gc_base, reg);
   bool config = address >= UCONFIG_START;
   return put_values(writer, config ? PM4_SET_UCONFIG_REG : PM4_SET_SH_REG,
                     address - (config ? UCONFIG_START : SH_START), 1, &value);
}

static void
put_invalidate(struct writer *writer)
{
   put_packet(writer, PM4_ACQUIRE_MEM, 7);
   memset(writer->next, 0, 7 * sizeof(*writer->next));
   writer->next[6] = 1; /* GCR_CNTL: GLI_INV, the instruction cache */
   writer->next += 7;
}

static void
put_copied(struct writer *writer, const struct hdb_capture_dispatch *dispatch, uint32_t reg, uint32_t count)
{
   uint32_t value;
   for (uint32_t i = 0; i < count; i++) {
      if (hdb_capture_register(dispatch, reg + i, &value))
         put_register(writer, reg + i, value);
   }
}

/* Where a card lets nobody read these, all workgroups were whole: RADV launches others for copies of its own only. */
static void
put_workgroup_size(struct writer *writer, const struct hdb_capture_dispatch *dispatch, const struct hdb_shader *shader)
{
   uint32_t unused;
   if (hdb_capture_register(dispatch, NUM_THREAD_X, &unused))
      return;
   for (uint32_t i = 0; i < 3; i++) {
      put_register(writer, NUM_THREAD_X + i, shader->workgroup_size[i]);
      put_register(writer, START_X + i, dispatch->record.base[i]);
   }
}

static void
put_dispatch(struct writer *writer, const struct hdb_capture_dispatch *dispatch, const struct hdb_shader *shader)
{
   enum { COMPUTE_SHADER_EN = 1 << 0, CS_W32_EN = 1 << 15 }; /* COMPUTE_DISPATCH_INITIATOR */
   uint32_t initiator = COMPUTE_SHADER_EN | (shader->wave_size == 32 ? CS_W32_EN : 0);
   hdb_capture_register(dispatch, INITIATOR, &initiator);
   put_packet(writer, PM4_DISPATCH_DIRECT, 4);
   for (uint32_t i = 0; i < 3; i++) {
      *writer->next = dispatch->record.base[i] + dispatch->record.grid[i];
      hdb_capture_register(dispatch, DIM_X + i, writer->next++);
   }
   *writer->next++ = initiator;
}

uint32_t
replay_record(struct replay *replay, const struct hdb_capture_dispatch *dispatch, const struct hdb_shader *shader,
              uint32_t **rsrc2, uint32_t **rsrc3)
{
   uint32_t *start = (uint32_t *)replay->commands.map, value = 0;
   struct writer writer = {start};
   put_invalidate(&writer);
   for (size_t i = 0; i < sizeof(copied) / sizeof(*copied); i++)
      put_copied(&writer, dispatch, copied[i].reg, copied[i].count);
   put_workgroup_size(&writer, dispatch, shader);
   if (!replay->scratch_captured) {
      put_register(&writer, SCRATCH_BASE_LO, replay->scratch.va >> 8);
      put_register(&writer, SCRATCH_BASE_LO + 1, replay->scratch.va >> 40 & 0xff);
      put_register(&writer, TMPRING_SIZE, replay->scratch_ring);
   }
   hdb_capture_register(dispatch, RSRC2, &value);
   *rsrc2 = put_register(&writer, RSRC2, value);
   value = shader->rsrc3;
   hdb_capture_register(dispatch, RSRC3, &value);
   *rsrc3 = put_register(&writer, RSRC3, value);
   put_dispatch(&writer, dispatch, shader);
   return writer.next - start;
}
