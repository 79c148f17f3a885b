/* SPDX-License-Identifier: MIT */
#include "encodings.h"

/* xorshift64* */
uint32_t
random_bits(struct random *random, unsigned bits)
{
   random->state ^= random->state >> 12;
   random->state ^= random->state << 25;
   random->state ^= random->state >> 27;
   uint32_t value = (uint32_t)(random->state * UINT64_C(2685821657736338717) >> 32);
   return bits >= 32 ? value : value & ((1u << bits) - 1);
}

static bool
chance(struct random *random, unsigned percent)
{
   return random_bits(random, 16) % 100 < percent;
}

/* Mostly 0: modifiers that few instructions have. */
static uint32_t
rare(struct random *random, unsigned bits)
{
   return chance(random, 30) ? random_bits(random, bits) : 0;
}

/* SRC0: VGPRs, scalars, constants and anything. */
static uint32_t
source(struct random *random)
{
   unsigned kind = random_bits(random, 16) % 100;
   if (kind < 50)
      return 256 + random_bits(random, 8);
   if (kind < 75)
      return random_bits(random, 7);
   if (kind < 85)
      return 128 + random_bits(random, 16) % 81;
   if (kind < 90)
      return 240 + random_bits(random, 16) % 9;
   return kind < 95 ? 255 : random_bits(random, 9);
}

static uint32_t
optional_source(struct random *random)
{
   return chance(random, 33) ? 0 : source(random);
}

static uint32_t
dpp(struct random *random)
{
   static const uint16_t selectors[3] = {233, 234, 250};
   return selectors[random_bits(random, 16) % 3];
}

#define BITS(n) random_bits(random, n)
#define RARE(n) rare(random, n)

/* The words by family; what may be a literal, a DPP dword or addresses is there already. */
typedef void (*family_fn)(struct random *random, unsigned opcode, uint32_t *word);

static void
sop2(struct random *random, unsigned opcode, uint32_t *word)
{
   word[0] = 0x80000000 | opcode << 23 | BITS(7) << 16 | (source(random) & 255) << 8 | (source(random) & 255);
}

static void
sopk(struct random *random, unsigned opcode, uint32_t *word)
{
   bool waits = opcode >= 24, has_register = opcode >= 17 && opcode <= 19;
   uint32_t sdst = waits && chance(random, 80) ? 124 : BITS(7);
   uint32_t imm = has_register && chance(random, 50) ? BITS(10) << 6 | (BITS(1) ? 1 : 23) : BITS(16);
   word[0] = 0xb0000000 | opcode << 23 | sdst << 16 | imm;
}

static void
sop1(struct random *random, unsigned opcode, uint32_t *word)
{
   bool message = opcode == 76 || opcode == 77;
   word[0] = 0xbe800000 | BITS(7) << 16 | opcode << 8;
   word[0] |= message && chance(random, 50) ? 128 + BITS(16) % 7 : source(random) & 255;
}

static void
sopc(struct random *random, unsigned opcode, uint32_t *word)
{
   word[0] = 0xbf000000 | opcode << 16 | (source(random) & 255) << 8 | (source(random) & 255);
}

/* Immediates are small, of one cleared bit (waits), or anything; those of s_nop separate the test's lines. */
static void
sopp(struct random *random, unsigned opcode, uint32_t *word)
{
   uint32_t imm = chance(random, 30)   ? 0
                  : chance(random, 50) ? 0xffff & ~(1u << BITS(4))
                                       : BITS(chance(random, 50) ? 7 : 16);
   word[0] = 0xbf800000 | opcode << 16 | (opcode ? imm : imm & 0xff);
}

static void
smem(struct random *random, unsigned opcode, uint32_t *word)
{
   word[0] = 0xf4000000 | opcode << 18 | RARE(18) | BITS(13);
   word[1] = (chance(random, 60) ? 124u : BITS(7)) << 25 | BITS(21) | RARE(4) << 21;
}

static void
vop1(struct random *random, unsigned opcode, uint32_t *word)
{
   bool nothing = opcode == 0 || opcode == 27;
   word[0] = 0x7e000000 | (nothing ? RARE(8) : BITS(8)) << 17 | opcode << 9 |
             (chance(random, 25) ? dpp(random) : source(random));
}

static void
vop2(struct random *random, unsigned opcode, uint32_t *word)
{
   word[0] = opcode << 25 | BITS(16) << 9 | (chance(random, 25) ? dpp(random) : source(random));
   if ((opcode == 55 || opcode == 56) && chance(random, 80)) { /* a literal of 16 bits, lower halves */
      word[0] &= ~(0x80u << 9 | 0x80u << 17 | 0x80u);
      word[1] &= 0xffff;
   }
}

static void
vopc(struct random *random, unsigned opcode, uint32_t *word)
{
   word[0] = 0x7c000000 | opcode << 17 | BITS(8) << 9 | (chance(random, 25) ? dpp(random) : source(random));
}

static bool
is_dpp(uint32_t selector)
{
   return selector == 233 || selector == 234 || selector == 250;
}

/* The second source: with DPP gfx1100 has it in a VGPR. */
static uint32_t
second_source(struct random *random, uint32_t first, bool optional)
{
   if (is_dpp(first) && chance(random, 80))
      return 256 + BITS(8);
   return optional ? optional_source(random) : source(random);
}

static void
vop3(struct random *random, unsigned opcode, uint32_t *word)
{
   uint32_t first = chance(random, 25) ? dpp(random) : source(random);
   word[0] = 0xd4000000 | opcode << 16 | BITS(8) | RARE(3) << 8 | RARE(4) << 11 | RARE(1) << 15;
   word[1] =
      first | second_source(random, first, true) << 9 | optional_source(random) << 18 | RARE(2) << 27 | RARE(3) << 29;
}

static void
vop3p(struct random *random, unsigned opcode, uint32_t *word)
{
   uint32_t first = chance(random, 25) ? dpp(random) : source(random);
   word[0] = 0xcc000000 | opcode << 16 | BITS(8) | RARE(3) << 8 | RARE(3) << 11 |
             (chance(random, 70) ? 1u : BITS(1)) << 14 | RARE(1) << 15;
   word[1] = first | second_source(random, first, false) << 9 | optional_source(random) << 18 |
             (chance(random, 70) ? 3u : BITS(2)) << 27 | RARE(3) << 29;
}

/* Operands of the two halves come from different banks of VGPRs, else LLVM does not assemble them. */
static void
vopd(struct random *random, unsigned opcode, uint32_t *word)
{
   word[0] = 0xc8000000 | opcode << 17 | BITS(8) << 9 | source(random);
   word[1] = (BITS(32) & ~0x1ffu) | source(random);
   if (word[0] & word[1] & 256 && chance(random, 80))
      word[1] = (word[1] & ~3u) | (~word[0] & 3);
   if (chance(random, 80))
      word[1] = (word[1] & ~(3u << 9)) | (~word[0] & (3u << 9));
   if (opcode % 32 == 8) /* a move has no second source */
      word[1] &= ~(0xffu << 9);
   if (opcode / 32 == 8)
      word[0] &= ~(0xffu << 9);
}

/* ds_swizzle_b32: masks that have names of their own, permutations of four lanes, or anything. */
static uint32_t
swizzle(struct random *random)
{
   unsigned bit = BITS(16) % 5;
   switch (BITS(16) % 5) {
   case 0:
      return 31 | 1u << (10 + bit); /* swap */
   case 1:
      return 31 | ((2u << bit) - 1) << 10; /* reverse */
   case 2:
      return (31 & ~((2u << bit) - 1)) | BITS(bit) << 5; /* broadcast */
   case 3:
      return 0x8000 | BITS(8);
   default:
      return BITS(16);
   }
}

static void
ds(struct random *random, unsigned opcode, uint32_t *word)
{
   word[0] = 0xd8000000 | opcode << 18 | RARE(1) << 17 | (opcode == 53 ? swizzle(random) : RARE(16));
   bool semaphore = opcode >= 24 && opcode <= 29, gds = semaphore || opcode == 63 || opcode == 122 || opcode == 123;
   word[0] |= gds && chance(random, 80) ? 1u << 17 : 0;
   word[1] = RARE(8);
   if (semaphore || (opcode == 20 && chance(random, 50)))
      return;
   word[1] = (chance(random, 50) ? BITS(8) : 0) << 24 | (chance(random, 50) ? BITS(8) : 0) << 16 |
             (chance(random, 50) ? BITS(8) : 0) << 8 | (chance(random, 90) ? BITS(8) : 0);
}

static void
flat(struct random *random, unsigned opcode, uint32_t *word)
{
   word[0] = 0xdc000000 | opcode / 128 << 16 | (opcode & 127) << 18 | RARE(16);
   word[1] = RARE(8) << 24 | (chance(random, 50) ? 124u : BITS(7)) << 16 | RARE(1) << 23 | RARE(8) << 8 |
             (chance(random, 50) ? BITS(8) : 0);
}

static void
mubuf(struct random *random, unsigned opcode, uint32_t *word)
{
   word[0] = 0xe0000000 | opcode << 18 | RARE(18);
   word[1] = (source(random) & 255) << 24 | RARE(3) << 21 | BITS(13) << 8 | RARE(8);
}

static void
mtbuf(struct random *random, unsigned opcode, uint32_t *word)
{
   word[0] = 0xe8000000 | opcode << 15 | BITS(7) << 19 | RARE(15);
   word[1] = (source(random) & 255) << 24 | RARE(3) << 21 | BITS(13) << 8 | RARE(8);
}

/* DMASK: gathers want one component, atomics one value or two, or twice that. */
static uint32_t
dmask(struct random *random, unsigned opcode)
{
   bool gathers = (opcode >= 47 && opcode <= 55) || (opcode >= 96 && opcode <= 101) || opcode == 144;
   if (chance(random, 10))
      return BITS(4);
   if (gathers)
      return 1u << BITS(2);
   if (opcode >= 10 && opcode <= 22)
      return BITS(1) ? 15 : 3;
   return BITS(4);
}

static void
mimg(struct random *random, unsigned opcode, uint32_t *word)
{
   bool rays = opcode == 25 || opcode == 26, sampler = opcode >= 27;
   uint32_t vgpr = chance(random, 80) ? BITS(7) : BITS(8), vdata = chance(random, 80) ? BITS(7) : BITS(8);
   word[0] = 0xf0000000 | opcode << 18 | BITS(1) | BITS(3) << 2 | RARE(1) << 7 | dmask(random, opcode) << 8 |
             RARE(3) << 12 | RARE(1) << 15 | RARE(1) << 16 | RARE(1) << 17;
   word[1] = vgpr | vdata << 8 | BITS(5) << 16 | RARE(2) << 21 | (sampler ? BITS(5) : RARE(5)) << 26;
   if (rays && chance(random, 80)) { /* fixed fields */
      word[0] = (word[0] & ~0x2707cu) | 0x8f80;
      word[1] &= ~0x7c600000u;
   }
   if (rays) /* LLVM 19 crashes where the vectors of an NSA form leave the VGPRs */
      word[2] &= 0x7f7f7f7f;
}

static void
vinterp(struct random *random, unsigned opcode, uint32_t *word)
{
   word[0] = 0xcd000000 | opcode << 16 | BITS(16);
   word[1] = 0x100 | BITS(8) | 0x100 << 9 | BITS(8) << 9 | 0x100 << 18 | RARE(8) << 18 | RARE(2) << 27 | RARE(3) << 29;
}

static void
ldsdir(struct random *random, unsigned opcode, uint32_t *word)
{
   word[0] = 0xce000000 | opcode << 20 | BITS(20);
}

static const struct {
   family_fn make;
   unsigned opcodes;
} families[] = {
   {sop2, 64},   {sopk, 28},  {sop1, 128},  {sopc, 64},   {sopp, 128}, {smem, 256}, {vop1, 128},
   {vop2, 62},   {vopc, 256}, {vop3, 1024}, {vop3p, 128}, {vopd, 512}, {ds, 256},   {flat, 3 * 128},
   {mubuf, 256}, {mtbuf, 16}, {mimg, 256},  {vinterp, 8}, {ldsdir, 4},
};

/* What may be a literal, a DPP dword or the next instruction. */
static uint32_t
following(struct random *random)
{
   static const uint32_t interesting[] = {5,    0xffffffff, 0x3f800000, 0x3c00, 0x3e22f983,
                                          0x40, 0x80000000, 0x38003c00, 0xc000, 0xfff0};
   if (chance(random, 10)) /* the rarer ways of DPP16 */
      return (BITS(32) & 0xff0c00ff) | (0x140 + (BITS(16) % 3) * 0x10 + BITS(1)) << 8;
   return chance(random, 50) ? BITS(32) : interesting[BITS(16) % (sizeof interesting / sizeof interesting[0])];
}

static void
make(struct random *random, unsigned family, unsigned opcode, struct encoding *encoding)
{
   for (unsigned w = 0; w < ENCODING_WORDS; w++)
      encoding->word[w] = following(random);
   families[family].make(random, opcode, encoding->word);
}

void
encodings_each(struct random *random, unsigned count, void (*emit)(void *user, const struct encoding *encoding),
               void *user)
{
   for (unsigned f = 0; f < sizeof families / sizeof families[0]; f++) {
      for (unsigned opcode = 0; opcode < families[f].opcodes; opcode++) {
         for (unsigned i = 0; i < count; i++) {
            struct encoding encoding;
            make(random, f, opcode, &encoding);
            emit(user, &encoding);
         }
      }
   }
}

void
encodings_each_sorted(struct random *random, unsigned valid, unsigned invalid,
                      bool (*is_valid)(void *user, const struct encoding *encoding),
                      void (*emit)(void *user, const struct encoding *encoding), void *user)
{
   for (unsigned f = 0; f < sizeof families / sizeof families[0]; f++) {
      for (unsigned opcode = 0; opcode < families[f].opcodes; opcode++) {
         unsigned left[2] = {invalid, valid};
         for (unsigned tries = 8 * (valid + invalid); tries && left[0] + left[1]; tries--) {
            struct encoding encoding;
            make(random, f, opcode, &encoding);
            unsigned *which = &left[is_valid(user, &encoding)];
            if (!*which)
               continue;
            --*which;
            emit(user, &encoding);
         }
      }
   }
}
