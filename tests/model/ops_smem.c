/* SPDX-License-Identifier: MIT */
/* Scalar loads, from addresses and from buffers. RDNA3 ISA guide, 8.1 and 8.4.1. */
#include <stdio.h>
#include <string.h>

#include "atomic.h"
#include "families.h"
#include "generate.h"
#include "memory.h"

static unsigned
dword_count(const char *name)
{
   unsigned size = 0;
   sscanf(strrchr(name, 'b'), "b%u", &size);
   return size / 32;
}

/* offset[0]: OFFSET, as 32 bits of two's complement; src[1]: SOFFSET. */
static uint32_t
scalar_offset(const struct instance *instance, const struct machine *machine)
{
   return instance->src[1].kind ? (uint32_t)operand_value(&instance->src[1], B32, machine, 0) : 0;
}

static uint32_t
memory_dword(const struct machine *machine, uint64_t place)
{
   return (uint32_t)bytes_get(machine->memory + (place & ~UINT64_C(3)), 4);
}

static void
write_scalar_dword(const struct instance *instance, struct machine *machine, unsigned i, uint32_t value)
{
   unsigned half = (unsigned)instance->dst.value + i;
   if (instance->dst.kind == VCC)
      machine->vcc = half ? (machine->vcc & UINT32_MAX) | (uint64_t)value << 32 : machine->vcc >> 32 << 32 | value;
   else if (instance->dst.kind == SGPR)
      machine->sgpr[half] = value;
}

/* "All components of the address (base, offset, inst_offset, M0) are in bytes, but the two LSBs are ignored." */
static void
load_from_address(struct call *call)
{
   const struct instance *instance = call->instance;
   uint64_t base = (uint64_t)operand_value(&instance->src[0], B64, call->machine, 0);
   uint64_t address = base + (uint64_t)(int32_t)instance->offset[0] + scalar_offset(instance, call->machine);
   for (unsigned i = 0; i < dword_count(call->op->name); i++)
      write_scalar_dword(instance, call->after, i, memory_dword(call->machine, address - PAGE + 4 * i));
}

/* offset = OFFSET + SOFFSET; addr = (m_base & ~3) + (offset & ~3). A dword is out of range that begins at or behind
 * (stride ? stride : 1) * num_records. */
static void
load_from_buffer(struct call *call)
{
   const struct instance *instance = call->instance;
   const uint32_t *word = &call->machine->sgpr[instance->src[0].value];
   uint64_t base = word[0] | (uint64_t)(word[1] & 0xffff) << 32, stride = word[1] >> 16 & 0x3fff;
   uint64_t size = (stride ? stride : 1) * word[2];
   uint64_t offset = (uint64_t)instance->offset[0] + scalar_offset(instance, call->machine);
   for (unsigned i = 0; i < dword_count(call->op->name); i++) {
      uint64_t place = (offset & ~UINT64_C(3)) + 4 * i;
      write_scalar_dword(instance, call->after, i,
                         place < size ? memory_dword(call->machine, (base & 0xfff) + place) : 0);
   }
}

static const struct op ops[] = {
   {"s_load_b32", SCALAR, NONE, {NONE}, load_from_address},
   {"s_load_b64", SCALAR, NONE, {NONE}, load_from_address},
   {"s_load_b128", SCALAR, NONE, {NONE}, load_from_address},
   {"s_load_b256", SCALAR, NONE, {NONE}, load_from_address},
   {"s_load_b512", SCALAR, NONE, {NONE}, load_from_address},
   {"s_buffer_load_b32", SCALAR, NONE, {NONE}, load_from_buffer},
   {"s_buffer_load_b64", SCALAR, NONE, {NONE}, load_from_buffer},
   {"s_buffer_load_b128", SCALAR, NONE, {NONE}, load_from_buffer},
   {"s_buffer_load_b256", SCALAR, NONE, {NONE}, load_from_buffer},
   {"s_buffer_load_b512", SCALAR, NONE, {NONE}, load_from_buffer},
};

/* ---- cases ------------------------------------------------------------------------------------------------------ */

#define OFFSET_SGPR 80 /* SOFFSET is one from here on; the base is below */

static void
choose_destination(struct random *random, struct instance *instance, unsigned count, char text[24])
{
   unsigned kind = random_below(random, 10), half = random_below(random, 2);
   if (kind == 0 && count <= 2) {
      instance->dst = (struct operand){VCC, count == 1 ? (int32_t)half : 0, false};
      snprintf(text, 24, "%s", count == 2 ? "vcc" : half ? "vcc_hi" : "vcc_lo");
      return;
   }
   unsigned align = count > 4 ? 4 : count;
   instance->dst = choose_sgpr(random, 0, MODEL_SGPRS - count + 1, align);
   print_registers(text, 's', (unsigned)instance->dst.value, count);
}

static void
choose(struct random *random, struct instance *instance)
{
   bool buffer = has(instance->op->name, "buffer");
   unsigned count = buffer ? 4 : 2, kind = random_below(random, 4);
   char destination[24], offset[40];
   choose_destination(random, instance, dword_count(instance->op->name), destination);
   instance->src[0] = choose_sgpr(random, 0, OFFSET_SGPR - count, count);
   instance->offset[0] = kind == 0 ? 0 : random_below(random, 1200);
   if (!buffer && random_chance(random, 25))
      instance->offset[0] = -instance->offset[0];
   int32_t immediate = (int32_t)instance->offset[0];
   const char *sign = immediate < 0 ? "-" : "";
   unsigned magnitude = (unsigned)(immediate < 0 ? -immediate : immediate);
   if (kind == 1) {
      snprintf(offset, sizeof offset, "%s0x%x", sign, magnitude);
   } else if (kind == 2) {
      instance->src[1] = (struct operand){M0, 0, false};
      snprintf(offset, sizeof offset, "m0 offset:%s0x%x", sign, magnitude);
   } else {
      instance->src[1] = choose_sgpr(random, OFFSET_SGPR, MODEL_SGPRS - OFFSET_SGPR, 1);
      snprintf(offset, sizeof offset, "s%d offset:%s0x%x", instance->src[1].value, sign, magnitude);
   }
   snprintf(instance->tail, sizeof instance->tail, " %s, s[%d:%d], %s", destination, instance->src[0].value,
            instance->src[0].value + (int)count - 1, offset);
}

/* Base, SOFFSET and OFFSET together stay in the page. Which component's low bits are dropped does not show as long as
 * their sum does not carry. */
static void
prepare(struct random *random, const struct instance *instance, struct machine *machine)
{
   bool buffer = has(instance->op->name, "buffer");
   int32_t immediate = (int32_t)instance->offset[0];
   uint32_t low = (uint32_t)immediate & 3, soffset = random_below(random, 300) * 4;
   uint32_t *base = &machine->sgpr[instance->src[0].value];
   if (random_chance(random, 30))
      soffset += random_below(random, 4 - low);
   if (instance->src[1].kind == M0)
      machine->m0 = soffset;
   else if (instance->src[1].kind == SGPR)
      machine->sgpr[instance->src[1].value] = soffset;
   else
      soffset = 0;
   low += soffset & 3;
   uint64_t address = PAGE + 1200 + random_below(random, 64) * 4;
   if (buffer || (low < 3 && random_chance(random, 20)))
      address += random_below(random, 4 - (buffer ? 0 : low));
   base[0] = (uint32_t)address;
   base[1] = (uint32_t)(address >> 32);
   if (!buffer)
      return;
   uint32_t stride = random_chance(random, 50) ? 0 : random_below(random, 64);
   base[1] = (base[1] & 0xffff) | stride << 16;
   base[2] = random_chance(random, 10)   ? UINT32_MAX
             : random_chance(random, 10) ? 0
             : stride                    ? random_below(random, 2400 / stride + 1)
                                         : random_below(random, 2400);
   if (instance->src[1].kind && !immediate && random_chance(random, 20) && base[2] < 4096) { /* far outside */
      soffset = UINT32_MAX - random_below(random, 64);
      if (instance->src[1].kind == M0)
         machine->m0 = soffset;
      else
         machine->sgpr[instance->src[1].value] = soffset;
   }
}

const struct family smem_family = {
   .name = "smem",
   .ops = ops,
   .count = sizeof ops / sizeof ops[0],
   .execute = whole_execute,
   .choose = choose,
   .prepare = prepare,
};
