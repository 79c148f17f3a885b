/* SPDX-License-Identifier: MIT */
#include "image/block.h"

#include "isa/half.h"

/* Between a and b, in parts; all that is between is exact. */
static float
mix(float a, float b, unsigned part, unsigned parts)
{
   return (float)(((double)a * (parts - part) + (double)b * part) / parts);
}

static void
rgb565(uint32_t color, float rgb[3])
{
   rgb[0] = (float)(color >> 11) / 31;
   rgb[1] = (float)(color >> 5 & 63) / 63;
   rgb[2] = (float)(color & 31) / 31;
}

/* The block of colours. `punch_through`: if the first is not the greater, the fourth is transparent black (BC1). */
static void
decode_colors(const uint8_t *block, unsigned at, bool punch_through, float rgba[4])
{
   uint32_t first = block_bits(block, 0, 16), second = block_bits(block, 16, 16),
            code = block_bits(block, 32 + 2 * at, 2);
   bool three = punch_through && first <= second;
   float a[3], b[3];
   rgb565(first, a);
   rgb565(second, b);
   rgba[3] = three && code == 3 ? 0 : 1;
   for (unsigned i = 0; i < 3; i++) {
      if (code < 2)
         rgba[i] = code ? b[i] : a[i];
      else if (three)
         rgba[i] = code == 3 ? 0 : mix(a[i], b[i], 1, 2);
      else
         rgba[i] = mix(a[i], b[i], code - 1, 3);
   }
}

/* A component of its own: two values and 3 bits a texel; six or four steps between them. */
static float
decode_channel(const uint8_t *block, unsigned at, bool is_signed)
{
   int first = is_signed ? (int8_t)block[0] : block[0], second = is_signed ? (int8_t)block[1] : block[1];
   unsigned code = block_bits(block, 16 + 3 * at, 3);
   float scale = is_signed ? 127 : 255, least = is_signed ? -1 : 0;
   float a = (float)first / scale, b = (float)second / scale;
   a = a < least ? least : a;
   b = b < least ? least : b;
   if (code < 2)
      return code ? b : a;
   if (first > second)
      return mix(a, b, code - 1, 7);
   return code < 6 ? mix(a, b, code - 1, 5) : code == 6 ? least : 1;
}

void
block_decode(const struct format *format, const uint8_t *block, unsigned at, struct texel *texel)
{
   float rgba[4] = {0, 0, 0, 1};
   uint8_t bytes[4];
   uint16_t halfs[3];
   switch (format->bc) {
   case 1:
      decode_colors(block, at, true, rgba);
      break;
   case 2:
      decode_colors(block + 8, at, false, rgba);
      rgba[3] = (float)block_bits(block, 4 * at, 4) / 15;
      break;
   case 3:
      decode_colors(block + 8, at, false, rgba);
      rgba[3] = decode_channel(block, at, false);
      break;
   case 4:
   case 5:
      rgba[0] = decode_channel(block, at, format->kind == FORMAT_SNORM);
      if (format->bc == 5)
         rgba[1] = decode_channel(block + 8, at, format->kind == FORMAT_SNORM);
      break;
   case 6:
      bptc_float_decode(block, at, format->is_signed, halfs);
      for (unsigned i = 0; i < 3; i++)
         rgba[i] = from_half(halfs[i]);
      break;
   default:
      bptc_unorm_decode(block, at, bytes);
      for (unsigned i = 0; i < 4; i++)
         rgba[i] = (float)bytes[i] / 255;
      break;
   }
   for (unsigned i = 0; i < format->components; i++)
      texel->component[i] = float_bits(format->kind == FORMAT_SRGB && i < 3 ? format_from_srgb(rgba[i]) : rgba[i]);
}
