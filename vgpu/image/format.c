/* SPDX-License-Identifier: MIT */
#include "image/format.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "image/block.h"
#include "isa/half.h"

/* ---- the table ---- */

/* clang-format off */
#define SAME_1(w) .components = 1, .bits = {w}, .bytes = (w) / 8
#define SAME_2(w) .components = 2, .shift = {0, w}, .bits = {w, w}, .bytes = (w) / 4
#define SAME_3(w) .components = 3, .shift = {0, w, 2 * (w)}, .bits = {w, w, w}, .bytes = (w) / 8 * 3
#define SAME_4(w) .components = 4, .shift = {0, w, 2 * (w), 3 * (w)}, .bits = {w, w, w, w}, .bytes = (w) / 2

#define FIELDS_8 SAME_1(8)
#define FIELDS_16 SAME_1(16)
#define FIELDS_32 SAME_1(32)
#define FIELDS_8_8 SAME_2(8)
#define FIELDS_16_16 SAME_2(16)
#define FIELDS_32_32 SAME_2(32)
#define FIELDS_32_32_32 SAME_3(32)
#define FIELDS_8_8_8_8 SAME_4(8)
#define FIELDS_16_16_16_16 SAME_4(16)
#define FIELDS_32_32_32_32 SAME_4(32)
#define FIELDS_10_11_11 .components = 3, .shift = {0, 11, 22}, .bits = {11, 11, 10}, .bytes = 4
#define FIELDS_11_11_10 .components = 3, .shift = {0, 10, 21}, .bits = {10, 11, 11}, .bytes = 4
#define FIELDS_2_10_10_10 .components = 4, .shift = {0, 10, 20, 30}, .bits = {10, 10, 10, 2}, .bytes = 4
#define FIELDS_10_10_10_2 .components = 4, .shift = {0, 2, 12, 22}, .bits = {2, 10, 10, 10}, .bytes = 4
#define FIELDS_5_6_5 .components = 3, .shift = {0, 5, 11}, .bits = {5, 6, 5}, .bytes = 2
#define FIELDS_1_5_5_5 .components = 4, .shift = {0, 5, 10, 15}, .bits = {5, 5, 5, 1}, .bytes = 2
#define FIELDS_5_5_5_1 .components = 4, .shift = {0, 1, 6, 11}, .bits = {1, 5, 5, 5}, .bytes = 2
#define FIELDS_4_4_4_4 .components = 4, .shift = {0, 4, 8, 12}, .bits = {4, 4, 4, 4}, .bytes = 2
#define FIELDS_4_4 .components = 2, .shift = {0, 4}, .bits = {4, 4}, .bytes = 1
#define FIELDS_8_24 .components = 2, .shift = {0, 24}, .bits = {24, 8}, .bytes = 4
#define FIELDS_24_8 .components = 2, .shift = {0, 8}, .bits = {8, 24}, .bytes = 4
#define FIELDS_X24_8_32 .components = 2, .shift = {0, 32}, .bits = {32, 8}, .bytes = 8

#define TEXEL .block_width = 1, .block_height = 1
#define FORMAT(number, fields, numbers) [number] = {.kind = FORMAT_##numbers, TEXEL, FIELDS_##fields},
#define FORMAT_SIX(number, fields)       \
   FORMAT(number, fields, UNORM)         \
   FORMAT((number) + 1, fields, SNORM)   \
   FORMAT((number) + 2, fields, USCALED) \
   FORMAT((number) + 3, fields, SSCALED) \
   FORMAT((number) + 4, fields, UINT)    \
   FORMAT((number) + 5, fields, SINT)
#define FORMAT_SEVEN(number, fields) FORMAT_SIX(number, fields) FORMAT((number) + 6, fields, FLOAT)
#define FORMAT_THREE(number, fields) \
   FORMAT(number, fields, UINT) FORMAT((number) + 1, fields, SINT) FORMAT((number) + 2, fields, FLOAT)
#define SUBSAMPLED(number, order, numbers)                                                             \
   [number] = {.packing = PACKING_##order, .kind = FORMAT_##numbers, .bytes = 4, .components = 3, \
               .block_width = 2, .block_height = 1, .bits = {8, 8, 8}},
#define COMPRESSED(number, block, size, count, numbers, ...)                                              \
   [number] = {.packing = PACKING_BC, .kind = FORMAT_##numbers, .bytes = size, .components = count, \
               .block_width = 4, .block_height = 4, .bc = block, __VA_ARGS__},

static const struct format formats[] = {
   FORMAT_SIX(1, 8)
   FORMAT_SEVEN(7, 16)
   FORMAT_SIX(14, 8_8)
   FORMAT_THREE(20, 32)
   FORMAT_SEVEN(23, 16_16)
   FORMAT(30, 10_11_11, FLOAT)
   FORMAT(31, 11_11_10, FLOAT)
   FORMAT(32, 10_10_10_2, UNORM)
   FORMAT(33, 10_10_10_2, SNORM)
   FORMAT(34, 10_10_10_2, UINT)
   FORMAT(35, 10_10_10_2, SINT)
   FORMAT_SIX(36, 2_10_10_10)
   FORMAT_SIX(42, 8_8_8_8)
   FORMAT_THREE(48, 32_32)
   FORMAT_SEVEN(51, 16_16_16_16)
   FORMAT_THREE(58, 32_32_32)
   FORMAT_THREE(61, 32_32_32_32)
   FORMAT(64, 8, SRGB)
   FORMAT(65, 8_8, SRGB)
   FORMAT(66, 8_8_8_8, SRGB)
   [67] = {.packing = PACKING_SHARED_EXPONENT, .kind = FORMAT_FLOAT, TEXEL, .components = 3, .bytes = 4},
   FORMAT(68, 5_6_5, UNORM)
   FORMAT(69, 1_5_5_5, UNORM)
   FORMAT(70, 5_5_5_1, UNORM)
   FORMAT(71, 4_4_4_4, UNORM)
   FORMAT(72, 4_4, UNORM)
   FORMAT(75, 32, FLOAT) /* 32_FLOAT_CLAMP: what depth that was 16 or 24 bits is kept as */
   FORMAT(76, 8_24, UNORM)
   FORMAT(77, 8_24, UINT)
   FORMAT(78, 24_8, UNORM)
   FORMAT(79, 24_8, UINT)
   FORMAT(80, X24_8_32, UINT)
   FORMAT(81, X24_8_32, FLOAT)
   SUBSAMPLED(82, GB_GR, UNORM)
   SUBSAMPLED(83, GB_GR, SNORM)
   SUBSAMPLED(84, GB_GR, UINT)
   SUBSAMPLED(85, GB_GR, SRGB)
   SUBSAMPLED(86, BG_RG, UNORM)
   SUBSAMPLED(87, BG_RG, SNORM)
   SUBSAMPLED(88, BG_RG, UINT)
   SUBSAMPLED(89, BG_RG, SRGB)
   COMPRESSED(109, 1, 8, 4, UNORM)
   COMPRESSED(110, 1, 8, 4, SRGB)
   COMPRESSED(111, 2, 16, 4, UNORM)
   COMPRESSED(112, 2, 16, 4, SRGB)
   COMPRESSED(113, 3, 16, 4, UNORM)
   COMPRESSED(114, 3, 16, 4, SRGB)
   COMPRESSED(115, 4, 8, 1, UNORM)
   COMPRESSED(116, 4, 8, 1, SNORM)
   COMPRESSED(117, 5, 16, 2, UNORM)
   COMPRESSED(118, 5, 16, 2, SNORM)
   COMPRESSED(119, 6, 16, 3, FLOAT)
   COMPRESSED(120, 6, 16, 3, FLOAT, .is_signed = true)
   COMPRESSED(121, 7, 16, 4, UNORM)
   COMPRESSED(122, 7, 16, 4, SRGB)
};
/* clang-format on */

const struct format *
format_get(unsigned number)
{
   return number < sizeof formats / sizeof *formats && formats[number].bytes ? &formats[number] : NULL;
}

/* ---- numbers ---- */

float
format_from_srgb(float value)
{
   return (float)(value <= 0.04045f ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4));
}

static float srgb_table[256]; /* what 8 bits of sRGB stand for */
static pthread_once_t srgb_once = PTHREAD_ONCE_INIT;

static void
make_srgb_table(void)
{
   for (unsigned i = 0; i < 256; i++)
      srgb_table[i] = format_from_srgb((float)i / 255);
}

static float
from_srgb(uint32_t value)
{
   pthread_once(&srgb_once, make_srgb_table);
   return srgb_table[value & 255];
}

static float
to_srgb(float value)
{
   if (!(value > 0))
      return 0;
   if (value >= 1)
      return 1;
   return (float)(value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055);
}

/* Float to an integer of `bits` bits (or 32): ties to even, clamped, NaN is 0. */
static uint32_t
to_unorm(float value, unsigned bits)
{
   double largest = (double)((UINT64_C(1) << bits) - 1);
   if (!(value > 0))
      return 0;
   return value >= 1 ? (uint32_t)largest : (uint32_t)rint(value * largest);
}

static int32_t
to_snorm(float value, unsigned bits)
{
   double largest = (double)((UINT64_C(1) << (bits - 1)) - 1);
   if (value != value)
      return 0;
   return (int32_t)(value >= 1 ? largest : value <= -1 ? -largest : rint(value * largest));
}

static int32_t
sign_extend(uint32_t value, unsigned bits)
{
   return (int32_t)(value << (32 - bits)) >> (32 - bits);
}

/* Floats of 10 and 11 bits are halfs without a sign whose mantissa is cut short. */
static uint32_t
decode_float(uint32_t value, unsigned bits)
{
   if (bits == 32)
      return value;
   return float_bits(from_half((uint16_t)(bits == 16 ? value : value << (15 - bits))));
}

/* Towards zero, as Direct3D asks of conversions between floats ("Data Conversion Rules"); less than 0 is 0 where there
 * is no sign. */
static uint32_t
encode_float(uint32_t value, unsigned bits)
{
   if (bits == 32)
      return value;
   uint32_t half = to_half_rtz(as_float(value));
   if (bits == 16)
      return half;
   bool nan = (half & 0x7fff) > 0x7c00;
   return (half & 0x8000) && !nan ? 0 : (half & 0x7fff) >> (15 - bits);
}

static uint32_t
decode_number(enum format_kind kind, uint32_t value, unsigned bits)
{
   switch (kind) {
   case FORMAT_UNORM:
      return float_bits((float)value / (float)((1u << bits) - 1)); /* both exact: at most 24 bits */
   case FORMAT_SNORM: {
      float ratio = (float)sign_extend(value, bits) / (float)((1u << (bits - 1)) - 1);
      return float_bits(ratio < -1 ? -1 : ratio);
   }
   case FORMAT_USCALED:
      return float_bits((float)value);
   case FORMAT_SSCALED:
      return float_bits((float)sign_extend(value, bits));
   case FORMAT_SINT:
      return (uint32_t)sign_extend(value, bits);
   case FORMAT_FLOAT:
      return decode_float(value, bits);
   case FORMAT_SRGB:
      return float_bits(from_srgb(value));
   default:
      return value;
   }
}

static double
clamp(double value, double least, double largest)
{
   return value != value ? 0 : value < least ? least : value > largest ? largest : value;
}

static uint32_t
encode_number(enum format_kind kind, uint32_t value, unsigned bits)
{
   double ones = (double)((UINT64_C(1) << bits) - 1), half = (double)(UINT64_C(1) << (bits - 1));
   float number = as_float(value);
   switch (kind) {
   case FORMAT_UNORM:
      return to_unorm(number, bits);
   case FORMAT_SNORM:
      return (uint32_t)to_snorm(number, bits);
   case FORMAT_USCALED:
      return (uint32_t)clamp(number, 0, ones);
   case FORMAT_SSCALED:
      return (uint32_t)(int32_t)clamp(number, -half, half - 1);
   case FORMAT_UINT:
      return (uint32_t)clamp(value, 0, ones);
   case FORMAT_SINT:
      return (uint32_t)(int32_t)clamp((int32_t)value, -half, half - 1);
   case FORMAT_FLOAT:
      return encode_float(value, bits);
   case FORMAT_SRGB:
      return to_unorm(to_srgb(number), bits);
   default:
      return value;
   }
}

/* ---- elements ---- */

/* Depth and stencil are of different kinds; alpha is never sRGB. */
static enum format_kind
component_kind(const struct format *format, unsigned i)
{
   if (format->kind == FORMAT_SRGB && i == 3)
      return FORMAT_UNORM;
   return format->kind == FORMAT_FLOAT && format->bits[i] == 8 ? FORMAT_UINT : format->kind;
}

static uint32_t
field(const uint64_t element[2], unsigned shift, unsigned bits)
{
   uint64_t value = element[shift / 64] >> shift % 64;
   return (uint32_t)(value & ((UINT64_C(1) << bits) - 1));
}

static void
decode_fields(const struct format *format, const void *element, struct texel *texel)
{
   uint64_t word[2] = {0};
   memcpy(word, element, format->bytes);
   for (unsigned i = 0; i < format->components; i++)
      texel->component[i] =
         decode_number(component_kind(format, i), field(word, format->shift[i], format->bits[i]), format->bits[i]);
}

/* 9 bits of mantissa each, and an exponent of 5 bits with a bias of 15 (Vulkan specification, "Shared exponent"). */
static void
decode_shared_exponent(const void *element, struct texel *texel)
{
   uint32_t word;
   memcpy(&word, element, sizeof word);
   for (unsigned i = 0; i < 3; i++)
      texel->component[i] = float_bits(ldexpf((float)(word >> 9 * i & 0x1ff), (int)(word >> 27) - 15 - 9));
}

static uint32_t
encode_shared_exponent(const struct texel *texel)
{
   float value[3], largest = 0;
   for (unsigned i = 0; i < 3; i++) {
      float number = as_float(texel->component[i]);
      value[i] = number > 0 ? fminf(number, 65408.0f) : 0; /* 511/512 * 2^16 */
      largest = fmaxf(largest, value[i]);
   }
   int exponent = largest > 0 ? ilogbf(largest) + 1 + 15 : 0;
   exponent = exponent < 0 ? 0 : exponent;
   if (floorf(ldexpf(largest, 15 + 9 - exponent) + 0.5f) == 512)
      exponent++;
   uint32_t word = (uint32_t)exponent << 27;
   for (unsigned i = 0; i < 3; i++)
      word |= (uint32_t)floorf(ldexpf(value[i], 15 + 9 - exponent) + 0.5f) << 9 * i;
   return word;
}

/* Bytes from the first on: GB_GR is R G0 B G1, BG_RG is G0 R G1 B. */
static void
decode_pair(const struct format *format, const uint8_t *element, unsigned x, struct texel *texel)
{
   unsigned shared = format->packing == PACKING_GB_GR ? 0 : 1;
   uint32_t rgb[3] = {element[shared], element[2 * x + 1 - shared], element[shared + 2]};
   for (unsigned i = 0; i < 3; i++)
      texel->component[i] = decode_number(format->kind, rgb[i], 8);
}

void
format_decode(const struct format *format, const void *element, unsigned x, unsigned y, struct texel *texel)
{
   *texel = (struct texel){{0, 0, 0, format_one(format)}};
   switch (format->packing) {
   case PACKING_FIELDS:
      decode_fields(format, element, texel);
      break;
   case PACKING_SHARED_EXPONENT:
      decode_shared_exponent(element, texel);
      break;
   case PACKING_BC:
      block_decode(format, element, y * 4 + x, texel);
      break;
   default:
      decode_pair(format, element, x, texel);
      break;
   }
}

bool
format_can_encode(const struct format *format)
{
   return format->packing == PACKING_FIELDS || format->packing == PACKING_SHARED_EXPONENT;
}

void
format_encode(const struct format *format, const struct texel *texel, void *element)
{
   uint64_t word[2] = {0};
   if (format->packing == PACKING_SHARED_EXPONENT)
      word[0] = encode_shared_exponent(texel);
   for (unsigned i = 0; format->packing == PACKING_FIELDS && i < format->components; i++) {
      unsigned shift = format->shift[i], bits = format->bits[i];
      uint64_t value = encode_number(component_kind(format, i), texel->component[i], bits);
      word[shift / 64] |= (value & ((UINT64_C(1) << bits) - 1)) << shift % 64;
   }
   memcpy(element, word, format->bytes);
}

uint32_t
format_select(const struct format *format, unsigned select, const struct texel *texel)
{
   if (select >= 4)
      return texel->component[select - 4];
   return select == 1 ? format_one(format) : 0;
}

struct texel
format_unselect(const uint8_t select[4], const uint32_t data[4])
{
   struct texel texel = {{0}};
   for (unsigned i = 4; i-- > 0;) {
      if (select[i] >= 4)
         texel.component[select[i] - 4] = data[i];
   }
   return texel;
}
