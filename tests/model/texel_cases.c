/* SPDX-License-Identifier: MIT */
#include "texel_cases.h"

#include <string.h>

#include "memory.h"
#include "real.h"
#include "texel.h"

/* Normal for f16 and the smaller floats, or zero or infinite. */
static uint32_t
random_small_float(struct random *random, bool d16)
{
   unsigned kind = random_below(random, 16);
   uint32_t sign = random_below(random, 2) << 31, magnitude;
   magnitude = kind == 0   ? 0
               : kind == 1 ? 0x7f800000
                           : (117 + random_below(random, 20)) << 23 | (random_32(random) >> 9);
   if (!d16)
      return sign | magnitude;
   magnitude = kind == 0 ? 0 : kind == 1 ? 0x7c00 : (5 + random_below(random, 20)) << 10 | (random_32(random) & 0x3ff);
   return sign >> 16 | magnitude;
}

static uint32_t
random_component(struct random *random, unsigned format, unsigned component, bool d16)
{
   unsigned size = texel_format(format)->bits[component] ? texel_format(format)->bits[component] : 8;
   uint32_t field = (uint32_t)(random_32(random) & ((UINT64_C(1) << size) - 1));
   double number;
   switch (texel_format(format)->number) {
   case UINT:
      return field;
   case SINT:
      return (uint32_t)((int32_t)(field << (32 - size)) >> (32 - size));
   case USCALED:
      number = size > 10 && d16 ? field & 0x7ff : field;
      return (uint32_t)real_from_double(d16 ? F16 : F32, number, 0);
   case SSCALED:
      number = (int32_t)(field << (32 - size)) >> (32 - size);
      number = size > 10 && d16 ? (int)number % 1024 : number;
      return (uint32_t)real_from_double(d16 ? F16 : F32, number, 0);
   case FLOAT:
      if (size == 32 && !d16)
         return random_32(random);
      if (size == 16 && d16 && random_chance(random, 50)) /* as it is, NaN apart, which may be quieted or not */
         return random_32(random) & 0xbfff;
      return random_small_float(random, d16);
   default: /* clamped to what the format has */
      if (random_chance(random, 30))
         return (uint32_t)random_value(random, d16 ? F16 : F32);
      number = (random_below(random, 2400000) - 1200000.0) / 1000000;
      return (uint32_t)real_from_double(d16 ? F16 : F32, number, 0);
   }
}

/* Which component the n-th datum is for. */
static unsigned
nth_component(const struct instance *instance, unsigned n)
{
   for (unsigned c = 0, seen = 0; c < 4; c++) {
      if (instance->dmask >> c & 1 && seen++ == n)
         return c;
   }
   return has(instance->op->name, "d16_hi") ? 0 : n;
}

void
texel_fill(struct random *random, const struct instance *instance, struct machine *machine)
{
   bool d16 = instance->d16 || has(instance->op->name, "d16");
   for (unsigned lane = 0; lane < 64; lane++) {
      for (unsigned c = 0; c < 4; c++) {
         uint32_t value = random_component(random, instance->format, nth_component(instance, c), d16);
         uint32_t *to = &machine->vgpr[(unsigned)instance->dst.value + (d16 ? c / 2 : c)][lane];
         *to = !d16 ? value : c % 2 ? (*to & 0xffff) | value << 16 : (*to & 0xffff0000) | (value & 0xffff);
      }
   }
}
