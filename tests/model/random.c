/* SPDX-License-Identifier: MIT */
/* Random numbers, with a liking for the edges of their types. */
#include "generate.h"

#include "real.h"

uint32_t
random_32(struct random *random)
{
   /* splitmix64 */
   uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
   z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
   z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
   return (uint32_t)(z >> 32 ^ z);
}

unsigned
random_below(struct random *random, unsigned limit)
{
   return (unsigned)((uint64_t)random_32(random) * limit >> 32);
}

bool
random_chance(struct random *random, unsigned percent)
{
   return random_below(random, 100) < percent;
}

uint64_t
random_64(struct random *random)
{
   return random_32(random) | (uint64_t)random_32(random) << 32;
}

/* Zeros, denormals, ones, the greatest numbers, infinities, NaNs. */
static uint64_t
edge_float(struct random *random, const struct format *format)
{
   unsigned fraction = (unsigned)format->fraction_bits;
   uint64_t infinity = format_infinity(format), one = (uint64_t)((1 << (format->exponent_bits - 1)) - 1) << fraction;
   const uint64_t edges[] = {0,
                             1,
                             (UINT64_C(1) << fraction) - 1,
                             UINT64_C(1) << fraction,
                             (UINT64_C(1) << fraction) + 1,
                             one,
                             one + 1,
                             one - 1,
                             one >> 1,
                             one - (UINT64_C(1) << fraction),
                             one + (UINT64_C(1) << fraction),
                             infinity - 1,
                             infinity,
                             infinity + 1,
                             infinity | UINT64_C(1) << (fraction - 1),
                             infinity | (random_64(random) & (infinity - 1)),
                             random_64(random) & ((UINT64_C(1) << fraction) - 1)};
   return edges[random_below(random, sizeof edges / sizeof edges[0])] |
          (random_chance(random, 50) ? format_sign(format) : 0);
}

static uint64_t
random_float(struct random *random, const struct format *format)
{
   uint64_t sign = random_chance(random, 50) ? format_sign(format) : 0;
   uint64_t fraction = random_64(random) & ((UINT64_C(1) << format->fraction_bits) - 1);
   if (random_chance(random, 50)) /* few bits, so that sums and products are often ties or exact */
      fraction &= ~UINT64_C(0) << random_below(random, (unsigned)format->fraction_bits + 1);
   unsigned bias = (1u << (format->exponent_bits - 1)) - 1, limit = 1u << format->exponent_bits, exponent;
   unsigned kind = random_below(random, 100);
   if (kind < 25)
      return edge_float(random, format);
   if (kind < 70)
      exponent = bias - 3 + random_below(random, 7);
   else if (kind < 80)
      exponent = bias / 2 - 2 + random_below(random, 5); /* products that are denormal */
   else
      exponent = random_below(random, limit);
   return sign | (uint64_t)exponent << format->fraction_bits | fraction;
}

static uint64_t
random_integer(struct random *random, unsigned size)
{
   uint64_t all = size == 64 ? ~UINT64_C(0) : (UINT64_C(1) << size) - 1, sign = UINT64_C(1) << (size - 1);
   const uint64_t edges[] = {0, 1, 2, all, all - 1, sign, sign - 1, sign + 1, size, size - 1, 0xff, 0x80, 0xffff};
   unsigned kind = random_below(random, 100);
   if (kind < 25)
      return edges[random_below(random, sizeof edges / sizeof edges[0])] & all;
   if (kind < 50)
      return random_below(random, 80);
   if (kind < 65)
      return (random_64(random) & random_64(random) & random_64(random)) & all;
   if (kind < 75)
      return (uint64_t) - (int64_t)random_below(random, 200) & all;
   return random_64(random) & all;
}

uint64_t
random_value(struct random *random, enum type type)
{
   const struct format *format = format_of(type);
   if (type == PKF16 || type == PK16) {
      enum type half = type == PKF16 ? F16 : I16;
      return random_value(random, half) | random_value(random, half) << 16;
   }
   return format ? random_float(random, format) : random_integer(random, type_bits(type) > 64 ? 32 : type_bits(type));
}
