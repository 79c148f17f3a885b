/* SPDX-License-Identifier: MIT */
/* SCRATCH: a lane's own memory, swizzled over the wave's. FLAT_SCRATCH is the page. RDNA3 ISA guide, 11.2. */
#include <stdio.h>
#include <string.h>

#include "families.h"
#include "generate.h"
#include "memory.h"

/* src[0]: the VGPR offset, if there is one; src[1]: the SGPR offset. */
static uint32_t
lane_offset(const struct call *call, unsigned lane)
{
   const struct instance *instance = call->instance;
   uint32_t offset = instance->offset[0];
   for (unsigned s = 0; s < 2; s++)
      offset += (uint32_t)operand_value(&instance->src[s], B32, call->machine, lane);
   return offset;
}

/* "elem_size = 4 bytes, const_index_stride = 32 (wave32) or 64 (wave64)": Addr = SCRATCH_BASE +
 * (offset / 4) * 4 * const_index_stride + (offset % 4) + TID * 4, a byte at a time since any alignment is allowed. */
static uint8_t *
scratch_byte(const struct call *call, unsigned lane, uint32_t offset)
{
   return call->after->memory + offset / 4 * 4 * lane_count(call->machine) + offset % 4 + 4 * lane;
}

static void
load(struct call *call)
{
   const char *name = call->op->name;
   unsigned bytes = access_bytes(name);
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      if (!lane_is_on(call->machine, lane))
         continue;
      bits value = 0;
      for (unsigned i = 0; i < bytes; i++)
         value |= (bits)*scratch_byte(call, lane, lane_offset(call, lane) + i) << 8 * i;
      write_loaded(call, lane, value);
   }
}

static void
store(struct call *call)
{
   const char *name = call->op->name;
   unsigned bytes = access_bytes(name);
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      bits data = read_dwords(call->machine, (unsigned)call->instance->dst.value, lane, (bytes + 3) / 4);
      data >>= has(name, "d16_hi") ? 16 : 0;
      for (unsigned i = 0; lane_is_on(call->machine, lane) && i < bytes; i++)
         *scratch_byte(call, lane, lane_offset(call, lane) + i) = (uint8_t)(data >> 8 * i);
   }
}

#define LOAD(name)                                     \
   {                                                   \
      "scratch_load_" name, SCALAR, NONE, {NONE}, load \
   }
#define STORE(name)                                      \
   {                                                     \
      "scratch_store_" name, SCALAR, NONE, {NONE}, store \
   }

static const struct op ops[] = {
   LOAD("u8"),      LOAD("i8"),        LOAD("u16"),       LOAD("i16"),        LOAD("d16_u8"),     LOAD("d16_i8"),
   LOAD("d16_b16"), LOAD("d16_hi_u8"), LOAD("d16_hi_i8"), LOAD("d16_hi_b16"), LOAD("b32"),        LOAD("b64"),
   LOAD("b96"),     LOAD("b128"),      STORE("b8"),       STORE("b16"),       STORE("d16_hi_b8"), STORE("d16_hi_b16"),
   STORE("b32"),    STORE("b64"),      STORE("b96"),      STORE("b128"),
};

/* ---- cases ------------------------------------------------------------------------------------------------------ */

/* SVE and SADDR: ST has neither, SV a VGPR, SS an SGPR, SVS both. */
static void
choose(struct random *random, struct instance *instance)
{
   bool loads = has(instance->op->name, "load"), vector = random_chance(random, 60), scalar = random_chance(random, 60);
   unsigned bytes = access_bytes(instance->op->name), count = (bytes + 3) / 4, align = bytes == 12 ? 4 : bytes;
   char data[24], address[12] = "off", base[12] = "off";
   if (scalar && !vector && align < 4) /* "(SADDR + INST_OFFSET) must be at least DWORD-aligned" */
      align = 4;
   instance->dst = choose_vgpr(random, 0, 56);
   if (vector) {
      instance->src[0] = choose_vgpr(random, 60, 4);
      snprintf(address, sizeof address, "v%d", instance->src[0].value);
   }
   if (scalar) {
      instance->src[1] = choose_sgpr(random, 0, MODEL_SGPRS, 1);
      snprintf(base, sizeof base, "s%d", instance->src[1].value);
   }
   int32_t offset = (int32_t)(random_below(random, 48) / align * align);
   if ((vector || scalar) && random_chance(random, 50))
      offset = -(int32_t)(random_below(random, 4097) / align * align);
   instance->offset[0] = (uint32_t)offset;
   print_registers(data, 'v', (unsigned)instance->dst.value, count);
   snprintf(instance->tail, sizeof instance->tail, " %s, %s, %s offset:%d", loads ? data : address,
            loads ? address : data, base, offset);
}

/* What a lane adds up to is in its share of the page. */
static void
prepare(struct random *random, const struct instance *instance, struct machine *machine)
{
   bool vector = instance->src[0].kind, scalar = instance->src[1].kind;
   unsigned bytes = access_bytes(instance->op->name);
   uint32_t offset = instance->offset[0], least = (int32_t)offset < 0 ? -offset : 0, soffset = 0;
   uint32_t room = MODEL_MEMORY / (instance->wave64 ? 64 : 32) - bytes - ((int32_t)offset < 0 ? 0 : offset);
   if (scalar) {
      soffset = (vector ? random_below(random, least + 1) : least + random_below(random, room + 1)) & ~3u;
      machine->sgpr[instance->src[1].value] = soffset;
   }
   unsigned align = random_chance(random, 70) ? (bytes < 4 ? bytes : 4) : 1;
   for (unsigned lane = 0; vector && lane < 64; lane++) {
      uint32_t start = least - soffset, end = start + room;
      uint32_t chosen = (start + random_below(random, room + 1) + align - 1) / align * align;
      machine->vgpr[instance->src[0].value][lane] = chosen > end ? start : chosen;
   }
}

const struct family scratch_family = {
   .name = "scratch",
   .ops = ops,
   .count = sizeof ops / sizeof ops[0],
   .execute = whole_execute,
   .choose = choose,
   .prepare = prepare,
};
