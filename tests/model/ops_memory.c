/* SPDX-License-Identifier: MIT */
/* GLOBAL and FLAT accesses: loads, stores and atomics of every width. One page stands for memory. */
#include <stdio.h>
#include <string.h>

#include "atomic.h"
#include "families.h"
#include "generate.h"
#include "memory.h"
#include "real.h"

/* global_NAME vaddr, saddr; flat_NAME vaddr (64 bits). */
static uint32_t
offset_in_page(const struct call *call, unsigned lane)
{
   const struct instance *instance = call->instance;
   uint64_t address = (uint64_t)source(call, 0, lane) + instance->offset[0];
   address -= type_bits(call->op->src[0]) == 64 ? PAGE : 0;
   return (uint32_t)address;
}

static void
load(struct call *call)
{
   const char *name = call->op->name;
   unsigned bytes = access_bytes(name);
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      if (!lane_is_on(call->machine, lane))
         continue;
      const uint8_t *from = call->after->memory + offset_in_page(call, lane);
      bits value = 0;
      for (unsigned i = 0; i < bytes; i++)
         value |= (bits)from[i] << 8 * i;
      write_loaded(call, lane, value);
   }
}

static void
store(struct call *call)
{
   unsigned bytes = access_bytes(call->op->name);
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      bits value = source(call, 1, lane) >> (has(call->op->name, "d16_hi") ? 16 : 0);
      for (unsigned i = 0; lane_is_on(call->machine, lane) && i < bytes; i++)
         call->after->memory[offset_in_page(call, lane) + i] = (uint8_t)(value >> 8 * i);
   }
}

/* GLOBAL's ADDTID: SGPRs, the offset, and four bytes for each lane. */
static void
access_by_lane(struct call *call)
{
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      uint8_t *place = call->after->memory + call->instance->offset[0] + 4 * lane;
      if (!lane_is_on(call->machine, lane))
         continue;
      if (call->op->dst)
         write_dwords(call, lane, bytes_get(place, 4), 4);
      else
         bytes_set(place, 4, (uint64_t)source(call, 0, lane));
   }
}

static void
atomic(struct call *call)
{
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      if (!lane_is_on(call->machine, lane))
         continue;
      bits old = atomic_memory(call, source(call, 1, lane), call->after->memory + offset_in_page(call, lane));
      if (call->op->dst)
         write_dwords(call, lane, old, access_bytes(call->op->name));
   }
}

/* ---- table ------------------------------------------------------------------------------------------------------ */

/* Both an address of 64 bits and an offset to SGPRs exist for GLOBAL; they are told apart by the first source. */
#define UPDATE(prefix, address, name, suffix, type, data)                     \
   {prefix "atomic_" name "_" suffix, SCALAR, NONE, {address, data}, atomic}, \
   {                                                                          \
      prefix "atomic_" name "_" suffix, SCALAR, type, {address, data}, atomic \
   }
#define INTEGERS(prefix, address, bits, pair)                       \
   UPDATE(prefix, address, "swap", "b" #bits, B##bits, B##bits),    \
      UPDATE(prefix, address, "cmpswap", "b" #bits, B##bits, pair), \
      UPDATE(prefix, address, "add", "u" #bits, U##bits, U##bits),  \
      UPDATE(prefix, address, "sub", "u" #bits, U##bits, U##bits),  \
      UPDATE(prefix, address, "min", "i" #bits, I##bits, I##bits),  \
      UPDATE(prefix, address, "min", "u" #bits, U##bits, U##bits),  \
      UPDATE(prefix, address, "max", "i" #bits, I##bits, I##bits),  \
      UPDATE(prefix, address, "max", "u" #bits, U##bits, U##bits),  \
      UPDATE(prefix, address, "and", "b" #bits, B##bits, B##bits),  \
      UPDATE(prefix, address, "or", "b" #bits, B##bits, B##bits),   \
      UPDATE(prefix, address, "xor", "b" #bits, B##bits, B##bits),  \
      UPDATE(prefix, address, "inc", "u" #bits, U##bits, U##bits),  \
      UPDATE(prefix, address, "dec", "u" #bits, U##bits, U##bits)
#define FLOATS(prefix, address)                                                                          \
   UPDATE(prefix, address, "cmpswap", "f32", F32, B64), UPDATE(prefix, address, "min", "f32", F32, F32), \
      UPDATE(prefix, address, "max", "f32", F32, F32), UPDATE(prefix, address, "add", "f32", F32, F32)
#define LOAD(prefix, address, name, type)                \
   {                                                     \
      prefix "load_" name, SCALAR, type, {address}, load \
   }
#define STORE(prefix, address, name, type)                       \
   {                                                             \
      prefix "store_" name, SCALAR, NONE, {address, type}, store \
   }
#define MOVES(prefix, address)                                                                                       \
   LOAD(prefix, address, "u8", B32), LOAD(prefix, address, "i8", B32), LOAD(prefix, address, "u16", B32),            \
      LOAD(prefix, address, "i16", B32), LOAD(prefix, address, "d16_u8", B32), LOAD(prefix, address, "d16_i8", B32), \
      LOAD(prefix, address, "d16_b16", B32), LOAD(prefix, address, "d16_hi_u8", B32),                                \
      LOAD(prefix, address, "d16_hi_i8", B32), LOAD(prefix, address, "d16_hi_b16", B32),                             \
      LOAD(prefix, address, "b32", B32), LOAD(prefix, address, "b64", B64), LOAD(prefix, address, "b96", B96),       \
      LOAD(prefix, address, "b128", B128), STORE(prefix, address, "b8", B32), STORE(prefix, address, "b16", B32),    \
      STORE(prefix, address, "d16_hi_b8", B32), STORE(prefix, address, "d16_hi_b16", B32),                           \
      STORE(prefix, address, "b32", B32), STORE(prefix, address, "b64", B64), STORE(prefix, address, "b96", B96),    \
      STORE(prefix, address, "b128", B128)
#define ALL(prefix, address)                                                                         \
   INTEGERS(prefix, address, 32, B64), INTEGERS(prefix, address, 64, B128), FLOATS(prefix, address), \
      MOVES(prefix, address)

static const struct op ops[] = {
   ALL("global_", U32),
   ALL("global_", U64),
   ALL("flat_", U64),
   {"global_atomic_csub_u32", SCALAR, U32, {U32, U32}, atomic},
   {"global_load_addtid_b32", SCALAR, B32, {NONE}, access_by_lane},
   {"global_store_addtid_b32", SCALAR, NONE, {B32}, access_by_lane},
};

/* ---- cases ------------------------------------------------------------------------------------------------------ */

#define BASE 40 /* s[40:41]: the page */

static void
choose(struct random *random, struct instance *instance)
{
   const struct op *op = instance->op;
   unsigned bytes = access_bytes(op->name), align = bytes == 12 ? 4 : bytes;
   bool returns = op->dst && has(op->name, "atomic");
   if (op->dst)
      instance->dst = choose_vgpr(random, 0, 60);
   instance->src[0] = choose_vgpr(random, 0, 12);
   if (op->src[1])
      instance->src[1] = choose_vgpr(random, 16, 40);
   instance->offset[0] = random_below(random, 1000) / align * align;
   const char *glc = returns ? " glc" : "";
   if (has(op->name, "flat"))
      snprintf(instance->tail, sizeof instance->tail, " offset:%u%s", instance->offset[0], glc);
   else if (op->src[0] == U64)
      snprintf(instance->tail, sizeof instance->tail, ", off offset:%u%s", instance->offset[0], glc);
   else
      snprintf(instance->tail, sizeof instance->tail, ", s[%d:%d] offset:%u%s", BASE, BASE + 1, instance->offset[0],
               glc);
}

static void
prepare(struct random *random, const struct instance *instance, struct machine *machine)
{
   const char *name = instance->op->name;
   enum type type = atomic_type(name);
   bool by_lane = has(name, "addtid");
   unsigned turn = random_below(random, 64), number = (unsigned)instance->src[0].value;
   machine->sgpr[BASE] = (uint32_t)PAGE;
   machine->sgpr[BASE + 1] = (uint32_t)(PAGE >> 32);
   for (unsigned lane = 0; !by_lane && lane < 64; lane++) {
      uint32_t address = ((lane * 5 + turn) % 64) * 16;
      machine->vgpr[number][lane] = address;
      if (instance->op->src[0] == U64) {
         machine->vgpr[number][lane] = (uint32_t)(PAGE + address);
         machine->vgpr[number + 1][lane] = (uint32_t)((PAGE + address) >> 32);
      }
      if (type != F32)
         continue;
      uint64_t old = random_value(random, type), data = random_value(random, type);
      if (real_is_nan(type, old)) /* with NaN on either side it would matter which is the first operand */
         old = 0;
      /* Denormal results of additions, and of comparisons where MODE flushes, are told too vaguely. */
      if (has(name, "add_f32") && real_exponent(type, old) < 40)
         old = 0x40490fdb;
      /* Flushed for a comparison they would be equal, and it is not told which of them stays. */
      if (real_exponent(type, old) == 0 || (real_is_infinite(type, old) && real_is_infinite(type, data)))
         old = 0x3ff12345;
      uint32_t second = has(name, "cmpswap") ? (uint32_t)old : 0;
      machine->vgpr[instance->src[1].value][lane] = (uint32_t)data;
      if (has(name, "cmpswap"))
         machine->vgpr[instance->src[1].value + 1][lane] = random_chance(random, 50) ? second : random_32(random);
      bytes_set(machine->memory + address + instance->offset[0], 4, old);
   }
   if (has(name, "cmpswap_f32"))
      machine->mode |= 0xf0;
}

const struct family memory_family = {
   .name = "memory",
   .ops = ops,
   .count = sizeof ops / sizeof ops[0],
   .execute = whole_execute,
   .choose = choose,
   .prepare = prepare,
};
