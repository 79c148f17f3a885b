/* SPDX-License-Identifier: MIT */
/*
 * LDS: loads, stores, atomics, and the two permutes and the swizzle that only borrow its crossbar. Outside of the
 * workgroup's LDS loads give 0 and stores are dropped, several dwords together.
 */
#include <stdio.h>
#include <string.h>

#include "atomic.h"
#include "families.h"
#include "generate.h"
#include "memory.h"
#include "real.h"

static bool
is_inside(uint32_t address, unsigned bytes)
{
   return (uint64_t)address + bytes <= MODEL_LDS;
}

static bits
load_bits(const struct call *call, uint32_t address, unsigned bytes)
{
   bits value = 0;
   for (unsigned i = 0; is_inside(address, bytes) && i < bytes; i++)
      value |= (bits)call->after->lds[address + i] << 8 * i;
   return value;
}

static void
store_bits(struct call *call, uint32_t address, unsigned bytes, bits value)
{
   for (unsigned i = 0; is_inside(address, bytes) && i < bytes; i++)
      call->after->lds[address + i] = (uint8_t)(value >> 8 * i);
}

static void
load(struct call *call)
{
   unsigned bytes = access_bytes(call->op->name);
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      if (!lane_is_on(call->machine, lane))
         continue;
      bits value = load_bits(call, (uint32_t)source(call, 0, lane) + call->instance->offset[0], bytes);
      write_loaded(call, lane, value);
   }
}

static void
store(struct call *call)
{
   unsigned bytes = access_bytes(call->op->name);
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      if (lane_is_on(call->machine, lane))
         store_bits(call, (uint32_t)source(call, 0, lane) + call->instance->offset[0], bytes,
                    source(call, 1, lane) >> (has(call->op->name, "_d16_hi") ? 16 : 0));
   }
}

/* Two places; offsets count elements, or 64 of them. */
static void
access_two(struct call *call)
{
   const char *name = call->op->name;
   unsigned bytes = access_bytes(name), unit = bytes * (has(name, "stride64") ? 64 : 1);
   bool loads = has(name, "load") || has(name, "xchg"), stores = has(name, "store");
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      if (!lane_is_on(call->machine, lane))
         continue;
      bits value = 0;
      for (unsigned i = 0; i < 2; i++) {
         uint32_t address = (uint32_t)source(call, 0, lane) + call->instance->offset[i] * unit;
         if (loads)
            value |= load_bits(call, address, bytes) << 8 * bytes * i;
         if (stores)
            store_bits(call, address, bytes, source(call, 1 + i, lane));
      }
      if (loads)
         write_dwords(call, lane, value, 2 * bytes);
   }
}

/* "ds_add_rtn_u32": "add" */
static void
operation_of(const char *name, char operation[16])
{
   sscanf(name, "ds_%15[a-z]", operation);
}

static void
atomic(struct call *call)
{
   const char *name = call->op->name;
   enum type type = atomic_type(name);
   unsigned bytes = type_bits(type) / 8;
   char operation[16];
   operation_of(name, operation);
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      if (!lane_is_on(call->machine, lane))
         continue;
      uint32_t address = (uint32_t)source(call, 0, lane) + call->instance->offset[0];
      uint64_t old = (uint64_t)load_bits(call, address, bytes);
      uint64_t second = call->op->src[2] ? (uint64_t)source(call, 2, lane) : 0;
      store_bits(
         call, address, bytes,
         atomic_result(operation, type, LOCAL_MEMORY, call->mode, old, (uint64_t)source(call, 1, lane), second));
      if (call->op->dst)
         write_dwords(call, lane, old, bytes);
   }
}

/* Each dword is replaced where its datum has bit 31, without that bit. The address is forced to 8 bytes. */
static void
exchange_if(struct call *call)
{
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      if (!lane_is_on(call->machine, lane))
         continue;
      uint32_t address = ((uint32_t)source(call, 0, lane) + call->instance->offset[0]) & 0xfff8;
      bits old = load_bits(call, address, 8), data = source(call, 1, lane);
      for (unsigned i = 0; i < 2; i++) {
         uint32_t dword = (uint32_t)(data >> 32 * i);
         if (dword >> 31)
            store_bits(call, address + 4 * i, 4, dword & 0x7fffffff);
      }
      write_dwords(call, lane, old, 8);
   }
}

/* "LDS_addr = M0[15:0] + offset + laneID * 4" */
static void
access_by_lane(struct call *call)
{
   bool loads = has(call->op->name, "load");
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      uint32_t address = (call->machine->m0 & 0xffff) + call->instance->offset[0] + 4 * lane;
      if (!lane_is_on(call->machine, lane))
         continue;
      if (loads)
         write_dwords(call, lane, load_bits(call, address, 4), 4);
      else
         store_bits(call, address, 4, source(call, 0, lane));
   }
}

/* ---- the crossbar ----------------------------------------------------------------------------------------------- */

static uint32_t
value_of_lane(const struct call *call, unsigned s, unsigned lane)
{
   return lane_is_on(call->machine, lane) ? (uint32_t)source(call, s, lane) : 0;
}

/* "If multiple sources select the same destination thread, the highest-numbered source thread wins." Within 32 lanes.
 */
static void
permute(struct call *call)
{
   uint32_t result[64] = {0};
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      uint32_t to = ((uint32_t)source(call, 0, lane) + call->instance->offset[0]) / 4 % 32;
      if (lane_is_on(call->machine, lane))
         result[(lane & 32) | to] = (uint32_t)source(call, 1, lane);
   }
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      if (lane_is_on(call->machine, lane))
         write_dwords(call, lane, result[lane], 4);
   }
}

static void
permute_backward(struct call *call)
{
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      uint32_t from = ((uint32_t)source(call, 0, lane) + call->instance->offset[0]) / 4 % 32;
      if (lane_is_on(call->machine, lane))
         write_dwords(call, lane, value_of_lane(call, 1, (lane & 32) | from), 4);
   }
}

static unsigned
reversed(unsigned value)
{
   unsigned result = 0;
   for (unsigned i = 0; i < 5; i++)
      result |= (value >> i & 1) << (4 - i);
   return result;
}

/* The guide's pseudocode for DS_SWIZZLE_B32: FFT, rotation, quads, and masks within 32 lanes. */
static unsigned
swizzled_lane(unsigned offset, unsigned lane)
{
   unsigned i = lane & 31, half = lane & 32, mask = offset & 31;
   if (offset >= 0xe000)
      return half | ((reversed(i) >> __builtin_popcount(mask)) | (i & mask));
   if (offset >= 0xc000) {
      unsigned rotate = offset >> 5 & 31;
      unsigned moved = offset >> 10 & 1 ? i - rotate : i + rotate;
      return half | (i & mask) | (moved & ~mask & 31);
   }
   if (offset & 0x8000)
      return (lane & ~3u) | (offset >> 2 * (lane & 3) & 3);
   return half | (((i & mask) | (offset >> 5 & 31)) ^ (offset >> 10 & 31));
}

static void
swizzle(struct call *call)
{
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      if (lane_is_on(call->machine, lane))
         write_dwords(call, lane, value_of_lane(call, 0, swizzled_lane(call->instance->offset[0], lane)), 4);
   }
}

/* ---- table ------------------------------------------------------------------------------------------------------ */

#define UPDATE(name, suffix, type)                                 \
   {"ds_" name "_" suffix, SCALAR, NONE, {U32, type}, atomic},     \
   {                                                               \
      "ds_" name "_rtn_" suffix, SCALAR, type, {U32, type}, atomic \
   }
#define UPDATE2(name, suffix, type)                                      \
   {"ds_" name "_" suffix, SCALAR, NONE, {U32, type, type}, atomic},     \
   {                                                                     \
      "ds_" name "_rtn_" suffix, SCALAR, type, {U32, type, type}, atomic \
   }
#define INTEGERS(bits)                                                                                               \
   UPDATE("add", "u" #bits, U##bits), UPDATE("sub", "u" #bits, U##bits), UPDATE("rsub", "u" #bits, U##bits),         \
      UPDATE("inc", "u" #bits, U##bits), UPDATE("dec", "u" #bits, U##bits), UPDATE("min", "i" #bits, I##bits),       \
      UPDATE("max", "i" #bits, I##bits), UPDATE("min", "u" #bits, U##bits), UPDATE("max", "u" #bits, U##bits),       \
      UPDATE("and", "b" #bits, B##bits), UPDATE("or", "b" #bits, B##bits), UPDATE("xor", "b" #bits, B##bits),        \
      UPDATE2("mskor", "b" #bits, B##bits), UPDATE2("cmpstore", "b" #bits, B##bits),                                 \
      UPDATE2("cmpstore", "f" #bits, F##bits), UPDATE("min", "f" #bits, F##bits), UPDATE("max", "f" #bits, F##bits), \
   {                                                                                                                 \
      "ds_storexchg_rtn_b" #bits, SCALAR, B##bits, {U32, B##bits}, atomic                                            \
   }

static const struct op ops[] = {
   INTEGERS(32),
   INTEGERS(64),
   UPDATE("add", "f32", F32),
   {"ds_condxchg32_rtn_b64", SCALAR, B64, {U32, B64}, exchange_if},
   {"ds_wrap_rtn_b32", SCALAR, B32, {U32, B32, B32}, atomic},

   {"ds_load_u8", SCALAR, B32, {U32}, load},
   {"ds_load_i8", SCALAR, B32, {U32}, load},
   {"ds_load_u16", SCALAR, B32, {U32}, load},
   {"ds_load_i16", SCALAR, B32, {U32}, load},
   {"ds_load_u8_d16", SCALAR, B32, {U32}, load},
   {"ds_load_u8_d16_hi", SCALAR, B32, {U32}, load},
   {"ds_load_i8_d16", SCALAR, B32, {U32}, load},
   {"ds_load_i8_d16_hi", SCALAR, B32, {U32}, load},
   {"ds_load_u16_d16", SCALAR, B32, {U32}, load},
   {"ds_load_u16_d16_hi", SCALAR, B32, {U32}, load},
   {"ds_load_b32", SCALAR, B32, {U32}, load},
   {"ds_load_b64", SCALAR, B64, {U32}, load},
   {"ds_load_b96", SCALAR, B96, {U32}, load},
   {"ds_load_b128", SCALAR, B128, {U32}, load},
   {"ds_store_b8", SCALAR, NONE, {U32, B32}, store},
   {"ds_store_b16", SCALAR, NONE, {U32, B32}, store},
   {"ds_store_b8_d16_hi", SCALAR, NONE, {U32, B32}, store},
   {"ds_store_b16_d16_hi", SCALAR, NONE, {U32, B32}, store},
   {"ds_store_b32", SCALAR, NONE, {U32, B32}, store},
   {"ds_store_b64", SCALAR, NONE, {U32, B64}, store},
   {"ds_store_b96", SCALAR, NONE, {U32, B96}, store},
   {"ds_store_b128", SCALAR, NONE, {U32, B128}, store},

   {"ds_load_2addr_b32", SCALAR, B64, {U32}, access_two},
   {"ds_load_2addr_b64", SCALAR, B128, {U32}, access_two},
   {"ds_load_2addr_stride64_b32", SCALAR, B64, {U32}, access_two},
   {"ds_load_2addr_stride64_b64", SCALAR, B128, {U32}, access_two},
   {"ds_store_2addr_b32", SCALAR, NONE, {U32, B32, B32}, access_two},
   {"ds_store_2addr_b64", SCALAR, NONE, {U32, B64, B64}, access_two},
   {"ds_store_2addr_stride64_b32", SCALAR, NONE, {U32, B32, B32}, access_two},
   {"ds_store_2addr_stride64_b64", SCALAR, NONE, {U32, B64, B64}, access_two},
   {"ds_storexchg_2addr_rtn_b32", SCALAR, B64, {U32, B32, B32}, access_two},
   {"ds_storexchg_2addr_rtn_b64", SCALAR, B128, {U32, B64, B64}, access_two},
   {"ds_storexchg_2addr_stride64_rtn_b32", SCALAR, B64, {U32, B32, B32}, access_two},
   {"ds_storexchg_2addr_stride64_rtn_b64", SCALAR, B128, {U32, B64, B64}, access_two},

   {"ds_load_addtid_b32", SCALAR, B32, {NONE}, access_by_lane},
   {"ds_store_addtid_b32", SCALAR, NONE, {B32}, access_by_lane},
   {"ds_permute_b32", SCALAR, B32, {U32, B32}, permute},
   {"ds_bpermute_b32", SCALAR, B32, {U32, B32}, permute_backward},
   {"ds_swizzle_b32", SCALAR, B32, {B32}, swizzle},
};

/* ---- cases ------------------------------------------------------------------------------------------------------ */

static void
choose_offsets(struct random *random, struct instance *instance)
{
   const char *name = instance->op->name;
   unsigned bytes = access_bytes(name), align = bytes == 12 ? 16 : bytes;
   if (has(name, "2addr")) {
      /* Lanes lie 16 bytes apart: none of them meets another's place. */
      unsigned each = 16 / bytes;
      instance->offset[0] = has(name, "stride64")
                               ? random_below(random, 16 / bytes)
                               : random_below(random, 250 / each) * each + random_below(random, each);
      instance->offset[1] = has(name, "stride64")
                               ? 2048 / (64 * bytes) + random_below(random, 16 / bytes)
                               : random_below(random, 250 / each) * each + (instance->offset[0] + 1) % each;
      snprintf(instance->tail, sizeof instance->tail, " offset0:%u offset1:%u", instance->offset[0],
               instance->offset[1]);
      return;
   }
   if (has(name, "swizzle"))
      instance->offset[0] = random_chance(random, 25)   ? 0xe000 + random_below(random, 32)
                            : random_chance(random, 33) ? 0xc000 + random_below(random, 0x800)
                            : random_chance(random, 50) ? 0x8000 + random_below(random, 256)
                                                        : random_below(random, 0x8000);
   else
      instance->offset[0] = random_below(random, 2000) / align * align;
   snprintf(instance->tail, sizeof instance->tail, " offset:%u", instance->offset[0]);
}

static void
choose(struct random *random, struct instance *instance)
{
   const struct op *op = instance->op;
   if (op->dst)
      instance->dst = choose_vgpr(random, 0, 60);
   for (unsigned s = 0; s < 3 && op->src[s]; s++)
      instance->src[s] = choose_vgpr(random, 16 * s, 12);
   choose_offsets(random, instance);
}

/* Behind the end, or across it: "stores outside this range do not write a value, and reads return zero" (11.3), all
 * dwords together. Atomics must be aligned (12.7). */
static uint32_t
outside_address(struct random *random, const struct instance *instance)
{
   const char *name = instance->op->name;
   unsigned bytes = access_bytes(name), across = 0;
   if (has(name, "2addr") || random_chance(random, 40))
      return 0x8000 + random_below(random, 64) * 16;
   if (bytes > 4 && (has(name, "ds_load_b") || has(name, "ds_store_b")))
      across = random_below(random, bytes / 4) * 4;
   return MODEL_LDS - instance->offset[0] - across;
}

/* An address for each lane, 16 bytes apart, in no order; some out of range. */
static void
prepare(struct random *random, const struct instance *instance, struct machine *machine)
{
   const char *name = instance->op->name;
   machine->m0 = random_below(random, 500) * 4;
   unsigned turn = random_below(random, 64), outside = random_chance(random, 30) ? random_below(random, 64) : 64;
   for (unsigned lane = 0; !has(name, "permute") && !has(name, "swizzle") && !has(name, "addtid") && lane < 64;
        lane++) {
      uint32_t address = ((lane * 5 + turn) % 64) * 16;
      machine->vgpr[instance->src[0].value][lane] = lane == outside ? outside_address(random, instance) : address;
      enum type type = atomic_type(name);
      if (!type_is_float(type))
         continue;
      uint64_t value = random_value(random, type);
      /* With NaN on either side it would matter which is the first operand; and which NaN inf - inf is, is not told. */
      if (real_is_nan(type, value) || real_is_infinite(type, value))
         value = 0;
      uint64_t second = instance->op->src[2] ? (uint64_t)operand_value(&instance->src[2], type, machine, lane) : 0;
      if (has(name, "cmpstore") && random_chance(random, 50) && !real_is_nan(type, second))
         value = second;
      /* Flushed for the comparison they would be equal, and it is not told which of them stays. */
      if ((has(name, "min") || has(name, "max")) && real_exponent(type, value) == 0)
         value = type == F64 ? UINT64_C(0x3ff1234512345678) : UINT64_C(0x3ff12345);
      bytes_set(machine->lds + (address + instance->offset[0]) % MODEL_LDS, type_bits(type) / 8, value);
   }
   if (has(name, "cmpstore"))
      machine->mode |= 0xf0; /* what is flushed of a comparison's result is told too vaguely */
}

const struct family lds_family = {
   .name = "lds",
   .ops = ops,
   .count = sizeof ops / sizeof ops[0],
   .execute = whole_execute,
   .choose = choose,
   .prepare = prepare,
};
