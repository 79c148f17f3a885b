/* SPDX-License-Identifier: MIT */
/* BPTC: BC6H and BC7 (Khronos Data Format Specification 1.3, chapter 20; its tables of modes, partitions, anchors). */
#include <string.h>

#include "image/block.h"

/* ---- partitions ---- */

/* A bit a texel: which of two subsets. */
static const uint16_t two_subsets[64] = {
   0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80, 0xe800, 0xffe8,
   0xff00, 0xfff0, 0xf000, 0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce, 0x088c, 0x3110,
   0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c, 0xaaaa, 0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696,
   0xa55a, 0x73ce, 0x13c8, 0x324c, 0x3bdc, 0x6996, 0xc33c, 0x9966, 0x0660, 0x0272, 0x04e4, 0x4e40, 0x2720,
   0xc936, 0x936c, 0x39c6, 0x639c, 0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22,
};

/* Two bits a texel: which of three. */
static const uint32_t three_subsets[64] = {
   0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050,
   0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250,
   0xa5945040, 0x0a425054, 0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500,
   0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200,
   0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424, 0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50,
   0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600,
   0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580, 0xaa141414, 0x96960000,
   0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254,
};

/* The texel whose index lacks its highest bit, of each subset but the first (there it is texel 0); a digit a partition:
 * the second of two, the second and the third of three. */
static const char anchor[3][65] = {
   "fffffffffffffffff282288f28228822ff6828ff28222ff66268ff22fffff22f",
   "33ff83ff88666533338f336a588685ff8f356a8ff3f5ffff3f55585a5a8dfc33",
   "f883ff38fffffff8f8f3f8f83f6affa8f3faa89a6f8f3668f3ffffffffff3ff8",
};

static unsigned
subset_of(unsigned subsets, unsigned partition, unsigned texel)
{
   if (subsets == 1)
      return 0;
   return subsets == 2 ? two_subsets[partition] >> texel & 1 : three_subsets[partition] >> 2 * texel & 3;
}

static bool
is_anchor(unsigned subsets, unsigned partition, unsigned texel)
{
   unsigned subset = subset_of(subsets, partition, texel);
   if (!subset)
      return texel == 0;
   char digit = anchor[subsets + subset - 3][partition];
   return texel == (unsigned)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

/* The index of a texel in indices of `bits` bits that begin at bit `first`. */
static unsigned
index_of(const uint8_t *block, unsigned first, unsigned bits, unsigned subsets, unsigned partition, unsigned texel)
{
   for (unsigned t = 0; t < texel; t++)
      first += bits - is_anchor(subsets, partition, t);
   return block_bits(block, first, bits - is_anchor(subsets, partition, texel));
}

static int
interpolate(int a, int b, unsigned index, unsigned bits)
{
   static const uint8_t weight[3][16] = {
      {0, 21, 43, 64},
      {0, 9, 18, 27, 37, 46, 55, 64},
      {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64},
   };
   int w = weight[bits - 2][index];
   return (a * (64 - w) + b * w + 32) >> 6;
}

/* ---- BC7 ---- */

static const struct unorm_mode {
   uint8_t subsets, partition_bits, rotation_bits, selection_bits, color_bits, alpha_bits;
   uint8_t endpoint_p, shared_p; /* whether each endpoint, each subset has a bit more */
   uint8_t index_bits, second_index_bits;
} unorm_modes[8] = {
   {3, 4, 0, 0, 4, 0, 1, 0, 3, 0}, {2, 6, 0, 0, 6, 0, 0, 1, 3, 0}, {3, 6, 0, 0, 5, 0, 0, 0, 2, 0},
   {2, 6, 0, 0, 7, 0, 1, 0, 2, 0}, {1, 0, 2, 1, 5, 6, 0, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 0, 2, 2},
   {1, 0, 0, 0, 7, 7, 1, 0, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 0, 2, 0},
};

static unsigned
take(const uint8_t *block, unsigned *at, unsigned count)
{
   unsigned value = block_bits(block, *at, count);
   *at += count;
   return value;
}

static int
to_8_bits(unsigned value, unsigned bits)
{
   value <<= 8 - bits;
   return (int)(value | value >> bits);
}

/* endpoint[subset * 2 + end][component], of 8 bits. */
static void
unorm_endpoints(const struct unorm_mode *mode, const uint8_t *block, unsigned *at, int endpoint[6][4])
{
   unsigned ends = mode->subsets * 2u, components = mode->alpha_bits ? 4 : 3, value[6][4];
   for (unsigned c = 0; c < components; c++) {
      for (unsigned e = 0; e < ends; e++)
         value[e][c] = take(block, at, c == 3 ? mode->alpha_bits : mode->color_bits);
   }
   unsigned p[6] = {0};
   for (unsigned e = 0; e < ends && mode->endpoint_p; e++)
      p[e] = take(block, at, 1);
   for (unsigned s = 0; s < mode->subsets && mode->shared_p; s++)
      p[2 * s] = p[2 * s + 1] = take(block, at, 1);
   unsigned more = mode->endpoint_p | mode->shared_p;
   for (unsigned e = 0; e < ends; e++) {
      endpoint[e][3] = 255;
      for (unsigned c = 0; c < components; c++)
         endpoint[e][c] =
            to_8_bits(value[e][c] << more | (more & p[e]), (c == 3 ? mode->alpha_bits : mode->color_bits) + more);
   }
}

void
bptc_unorm_decode(const uint8_t *block, unsigned at, uint8_t rgba[4])
{
   memset(rgba, 0, 4); /* also of the reserved mode */
   if (!block[0])
      return;
   unsigned number = (unsigned)__builtin_ctz(block[0]), bit = number + 1;
   const struct unorm_mode *mode = &unorm_modes[number];
   unsigned partition = take(block, &bit, mode->partition_bits), rotation = take(block, &bit, mode->rotation_bits);
   unsigned selection = take(block, &bit, mode->selection_bits);
   int endpoint[6][4];
   unorm_endpoints(mode, block, &bit, endpoint);

   unsigned color_bits = mode->index_bits, alpha_bits = mode->index_bits;
   unsigned color = index_of(block, bit, mode->index_bits, mode->subsets, partition, at), alpha = color;
   if (mode->second_index_bits) {
      alpha = index_of(block, bit + 16u * mode->index_bits - 1, mode->second_index_bits, 1, 0, at);
      alpha_bits = mode->second_index_bits;
      if (selection) {
         unsigned swap = color;
         color = alpha;
         alpha = swap;
         color_bits = mode->second_index_bits;
         alpha_bits = mode->index_bits;
      }
   }
   unsigned end = 2 * subset_of(mode->subsets, partition, at);
   for (unsigned c = 0; c < 4; c++)
      rgba[c] = (uint8_t)interpolate(endpoint[end][c], endpoint[end + 1][c], c == 3 ? alpha : color,
                                     c == 3 ? alpha_bits : color_bits);
   if (rotation) {
      uint8_t swap = rgba[3];
      rgba[3] = rgba[rotation - 1];
      rgba[rotation - 1] = swap;
   }
}

/* ---- BC6H ---- */

/* Where the bits of the endpoints lie after the mode's bits: channel, endpoint (w and x of the first subset, y and z of
 * the second), the first of the bits in hexadecimal, and the last of several. */
static const struct float_mode {
   uint8_t code, code_bits;
   bool transformed; /* x, y and z are differences from w */
   uint8_t subsets, bits, delta_bits[3];
   const char *fields;
} float_modes[] = {
   {0x00,
    2,
    true,
    2,
    10,
    {5, 5, 5},
    "gy4 by4 bz4 rw0-9 gw0-9 bw0-9 rx0-4 gz4 gy0-3 gx0-4 bz0 gz0-3 bx0-4 bz1 by0-3 ry0-4 bz2 rz0-4 bz3"},
   {0x01,
    2,
    true,
    2,
    7,
    {6, 6, 6},
    "gy5 gz4 gz5 rw0-6 bz0 bz1 by4 gw0-6 by5 bz2 gy4 bw0-6 bz3 bz5 bz4 rx0-5 gy0-3 gx0-5 gz0-3 bx0-5 by0-3 ry0-5 "
    "rz0-5"},
   {0x02,
    5,
    true,
    2,
    11,
    {5, 4, 4},
    "rw0-9 gw0-9 bw0-9 rx0-4 rwa gy0-3 gx0-3 gwa bz0 gz0-3 bx0-3 bwa bz1 by0-3 ry0-4 bz2 rz0-4 bz3"},
   {0x06,
    5,
    true,
    2,
    11,
    {4, 5, 4},
    "rw0-9 gw0-9 bw0-9 rx0-3 rwa gz4 gy0-3 gx0-4 gwa gz0-3 bx0-3 bwa bz1 by0-3 ry0-3 bz0 bz2 rz0-3 gy4 bz3"},
   {0x0a,
    5,
    true,
    2,
    11,
    {4, 4, 5},
    "rw0-9 gw0-9 bw0-9 rx0-3 rwa by4 gy0-3 gx0-3 gwa bz0 gz0-3 bx0-4 bwa by0-3 ry0-3 bz1 bz2 rz0-3 bz4 bz3"},
   {0x0e,
    5,
    true,
    2,
    9,
    {5, 5, 5},
    "rw0-8 by4 gw0-8 gy4 bw0-8 bz4 rx0-4 gz4 gy0-3 gx0-4 bz0 gz0-3 bx0-4 bz1 by0-3 ry0-4 bz2 rz0-4 bz3"},
   {0x12,
    5,
    true,
    2,
    8,
    {6, 5, 5},
    "rw0-7 gz4 by4 gw0-7 bz2 gy4 bw0-7 bz3 bz4 rx0-5 gy0-3 gx0-4 bz0 gz0-3 bx0-4 bz1 by0-3 ry0-5 rz0-5"},
   {0x16,
    5,
    true,
    2,
    8,
    {5, 6, 5},
    "rw0-7 bz0 by4 gw0-7 gy5 gy4 bw0-7 gz5 bz4 rx0-4 gz4 gy0-3 gx0-5 gz0-3 bx0-4 bz1 by0-3 ry0-4 bz2 rz0-4 bz3"},
   {0x1a,
    5,
    true,
    2,
    8,
    {5, 5, 6},
    "rw0-7 bz1 by4 gw0-7 by5 gy4 bw0-7 bz5 bz4 rx0-4 gz4 gy0-3 gx0-4 bz0 gz0-3 bx0-5 by0-3 ry0-4 bz2 rz0-4 bz3"},
   {0x1e,
    5,
    false,
    2,
    6,
    {6, 6, 6},
    "rw0-5 gz4 bz0 bz1 by4 gw0-5 gy5 by5 bz2 gy4 bw0-5 gz5 bz3 bz5 bz4 rx0-5 gy0-3 gx0-5 gz0-3 bx0-5 by0-3 ry0-5 "
    "rz0-5"},
   {0x03, 5, false, 1, 10, {10, 10, 10}, "rw0-9 gw0-9 bw0-9 rx0-9 gx0-9 bx0-9"},
   {0x07, 5, true, 1, 11, {9, 9, 9}, "rw0-9 gw0-9 bw0-9 rx0-8 rwa gx0-8 gwa bx0-8 bwa"},
   {0x0b, 5, true, 1, 12, {8, 8, 8}, "rw0-9 gw0-9 bw0-9 rx0-7 rwb-a gx0-7 gwb-a bx0-7 bwb-a"},
   {0x0f, 5, true, 1, 16, {4, 4, 4}, "rw0-9 gw0-9 bw0-9 rx0-3 rwf-a gx0-3 gwf-a bx0-3 bwf-a"},
};

static const struct float_mode *
float_mode_of(const uint8_t *block)
{
   for (unsigned i = 0; i < sizeof float_modes / sizeof *float_modes; i++) {
      if (block_bits(block, 0, float_modes[i].code_bits) == float_modes[i].code)
         return &float_modes[i];
   }
   return NULL;
}

static int
digit_value(char digit)
{
   return digit <= '9' ? digit - '0' : digit - 'a' + 10;
}

static void
float_fields(const char *fields, const uint8_t *block, unsigned *bit, uint32_t endpoint[4][3])
{
   while (*fields) {
      unsigned channel = fields[0] == 'r' ? 0 : fields[0] == 'g' ? 1 : 2, end = (unsigned)(fields[1] - 'w');
      int first = digit_value(fields[2]), last = fields[3] == '-' ? digit_value(fields[4]) : first;
      for (int step = first <= last ? 1 : -1, i = first;; i += step) {
         endpoint[end][channel] |= take(block, bit, 1) << i;
         if (i == last)
            break;
      }
      fields += fields[3] == '-' ? 5 : 3;
      fields += *fields == ' ';
   }
}

static int
sign_extend(uint32_t value, unsigned bits)
{
   return (int32_t)(value << (32 - bits)) >> (32 - bits);
}

static int
unquantize(int value, unsigned bits, bool is_signed)
{
   if (!is_signed) {
      if (bits >= 15 || value == 0)
         return value;
      return value == (1 << bits) - 1 ? 0xffff : ((value << 16) + 0x8000) >> bits;
   }
   if (bits >= 16 || value == 0)
      return value;
   int magnitude = value < 0 ? -value : value;
   magnitude = magnitude >= (1 << (bits - 1)) - 1 ? 0x7fff : ((magnitude << 15) + 0x4000) >> (bits - 1);
   return value < 0 ? -magnitude : magnitude;
}

static int
float_endpoint(const struct float_mode *mode, uint32_t endpoint[4][3], unsigned end, unsigned channel, bool is_signed)
{
   uint32_t value = endpoint[end][channel];
   if (mode->transformed && end)
      value = endpoint[0][channel] + (uint32_t)sign_extend(value, mode->delta_bits[channel]);
   value &= (1u << mode->bits) - 1;
   return unquantize(is_signed ? sign_extend(value, mode->bits) : (int)value, mode->bits, is_signed);
}

void
bptc_float_decode(const uint8_t *block, unsigned at, bool is_signed, uint16_t rgb[3])
{
   memset(rgb, 0, 3 * sizeof *rgb); /* also of the reserved modes */
   const struct float_mode *mode = float_mode_of(block);
   if (!mode)
      return;
   unsigned bit = mode->code_bits;
   uint32_t endpoint[4][3] = {{0}};
   float_fields(mode->fields, block, &bit, endpoint);
   unsigned partition = mode->subsets == 2 ? take(block, &bit, 5) : 0;
   unsigned index_bits = mode->subsets == 2 ? 3 : 4;
   unsigned index = index_of(block, bit, index_bits, mode->subsets, partition, at);
   unsigned end = 2 * subset_of(mode->subsets, partition, at);
   for (unsigned c = 0; c < 3; c++) {
      int value = interpolate(float_endpoint(mode, endpoint, end, c, is_signed),
                              float_endpoint(mode, endpoint, end + 1, c, is_signed), index, index_bits);
      if (is_signed)
         rgb[c] = (uint16_t)(value < 0 ? 0x8000 | (-value * 31) >> 5 : (value * 31) >> 5);
      else
         rgb[c] = (uint16_t)((value * 31) >> 6);
   }
}
