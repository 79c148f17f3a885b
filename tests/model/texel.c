/* SPDX-License-Identifier: MIT */
#include "texel.h"

#include <math.h>

#include "atomic.h"
#include "real.h"

/* The guide names the highest field first: 2_10_10_10 has X in bits 9:0. */
#define INTEGERS(...)     \
   {UINT, {__VA_ARGS__}}, \
   {                      \
      SINT,               \
      {                   \
         __VA_ARGS__      \
      }                   \
   }
#define NORMALIZED(...)    \
   {UNORM, {__VA_ARGS__}}, \
   {                       \
      SNORM,               \
      {                    \
         __VA_ARGS__       \
      }                    \
   }
#define SCALED(...)          \
   {USCALED, {__VA_ARGS__}}, \
   {                         \
      SSCALED,               \
      {                      \
         __VA_ARGS__         \
      }                      \
   }
#define FLOATS(...)  \
   {                 \
      FLOAT,         \
      {              \
         __VA_ARGS__ \
      }              \
   }
#define SIX(...) NORMALIZED(__VA_ARGS__), SCALED(__VA_ARGS__), INTEGERS(__VA_ARGS__)

static const struct texel_format formats[IMAGE_FORMATS] = {
   {UNORM, {0}},
   SIX(8),
   SIX(16),
   FLOATS(16),
   SIX(8, 8),
   INTEGERS(32),
   FLOATS(32),
   SIX(16, 16),
   FLOATS(16, 16),
   FLOATS(11, 11, 10),
   FLOATS(10, 11, 11),
   NORMALIZED(2, 10, 10, 10),
   INTEGERS(2, 10, 10, 10),
   SIX(10, 10, 10, 2),
   SIX(8, 8, 8, 8),
   INTEGERS(32, 32),
   FLOATS(32, 32),
   SIX(16, 16, 16, 16),
   FLOATS(16, 16, 16, 16),
   INTEGERS(32, 32, 32),
   FLOATS(32, 32, 32),
   INTEGERS(32, 32, 32, 32),
   FLOATS(32, 32, 32, 32),
   {SRGB, {8}},
   {SRGB, {8, 8}},
   {SRGB, {8, 8, 8, 8}},
   {SHARED_EXPONENT, {9, 9, 9}}, /* and an exponent of five bits */
   {UNORM, {5, 6, 5}},
   {UNORM, {5, 5, 5, 1}},
   {UNORM, {1, 5, 5, 5}},
   {UNORM, {4, 4, 4, 4}},
};

const struct texel_format *
texel_format(unsigned format)
{
   return &formats[format];
}

static unsigned
first_bit(unsigned format, unsigned component)
{
   unsigned bit = 0;
   for (unsigned i = 0; i < component; i++)
      bit += formats[format].bits[i];
   return bit;
}

unsigned
texel_bytes(unsigned format)
{
   return (first_bit(format, 4) + 7) / 8;
}

unsigned
texel_components(unsigned format)
{
   unsigned count = 0;
   while (count < 4 && formats[format].bits[count])
      count++;
   return count;
}

bool
texel_is_integer(unsigned format)
{
   return formats[format].number == UINT || formats[format].number == SINT;
}

uint32_t
texel_field(unsigned format, const uint8_t *bytes, unsigned component)
{
   unsigned bit = first_bit(format, component), size = formats[format].bits[component], byte = bit / 32 * 4;
   uint64_t dword = bytes_get(bytes + byte, texel_bytes(format) - byte < 4 ? texel_bytes(format) : 4);
   uint32_t field = (uint32_t)(dword >> bit % 32 & ((UINT64_C(1) << size) - 1));
   return formats[format].number == SHARED_EXPONENT ? field | (uint32_t)(dword >> 27) << 9 : field;
}

void
texel_set_field(unsigned format, uint8_t *bytes, unsigned component, uint32_t field)
{
   unsigned first = first_bit(format, component);
   for (unsigned i = 0; i < formats[format].bits[component]; i++) {
      uint8_t mask = (uint8_t)(1u << (first + i) % 8), *byte = &bytes[(first + i) / 8];
      *byte = field >> i & 1 ? *byte | mask : *byte & (uint8_t)~mask;
   }
}

static int32_t
sign_extend(uint32_t field, unsigned size)
{
   return (int32_t)(field << (32 - size)) >> (32 - size);
}

/* Floats of 10 and 11 bits have f16's exponent and no sign. */
static uint16_t
half_of_field(uint32_t field, unsigned size)
{
   return (uint16_t)(size == 16 ? field : field << (15 - size));
}

/* Vulkan's data format specification, 13.3. */
static double
linear_of_srgb(double value)
{
   return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

/* The number that a field stands for, if it is one. */
static void
get_value(mpfr_t value, const struct texel_format *format, unsigned component, uint32_t field)
{
   unsigned size = format->bits[component];
   if (format->number == SRGB && component < 3) {
      mpfr_set_d(value, linear_of_srgb(field / 255.0), MPFR_RNDN);
      return;
   }
   if (format->number == SHARED_EXPONENT) {
      mpfr_set_ui(value, field & 511, MPFR_RNDN);
      mpfr_mul_2si(value, value, (long)(field >> 9) - 24, MPFR_RNDN); /* a bias of 15, and nine bits of fraction */
      return;
   }
   bool is_signed = format->number == SNORM || format->number == SSCALED;
   if (is_signed)
      mpfr_set_si(value, sign_extend(field, size), MPFR_RNDN);
   else
      mpfr_set_ui(value, field, MPFR_RNDN);
   if (format->number == UNORM || format->number == SRGB)
      mpfr_div_ui(value, value, (1ul << size) - 1, MPFR_RNDN);
   if (format->number == SNORM) {
      mpfr_div_ui(value, value, (1ul << (size - 1)) - 1, MPFR_RNDN);
      if (mpfr_cmp_si(value, -1) < 0)
         mpfr_set_si(value, -1, MPFR_RNDN);
   }
}

static uint32_t
convert_float(enum type from, enum type to, uint32_t value, unsigned rounding)
{
   if (from == to)
      return value;
   if (real_is_nan(from, value))
      return (uint32_t)format_quiet_nan(format_of(to));
   mpfr_t x;
   mpfr_init2(x, 53);
   real_get(x, from, value);
   uint32_t result = (uint32_t)real_round(x, to, rounding);
   mpfr_clear(x);
   return result;
}

/* "Conversion of float32 to float16 uses truncation; conversion of other input data formats uses round-to-nearest-even"
 * (9.3.1). */
uint32_t
texel_decode(unsigned number, unsigned component, uint32_t field, bool d16)
{
   const struct texel_format *format = &formats[number];
   unsigned size = format->bits[component];
   if (texel_is_integer(number)) {
      uint32_t value = format->number == SINT ? (uint32_t)sign_extend(field, size) : field;
      return d16 ? value & 0xffff : value;
   }
   enum type type = d16 ? F16 : F32;
   if (format->number == FLOAT)
      return size == 32 ? convert_float(F32, type, field, 3) : convert_float(F16, type, half_of_field(field, size), 0);
   mpfr_t x;
   mpfr_init2(x, 300);
   get_value(x, format, component, field);
   uint32_t result = (uint32_t)real_round(x, type, 0);
   mpfr_clear(x);
   return result;
}

/* A float in [least, greatest], scaled, to the nearest integer; NaN is 0. */
static uint32_t
encode_scaled(enum type type, uint32_t value, long least, unsigned long scale, unsigned size)
{
   if (real_is_nan(type, value))
      return 0;
   mpfr_t x;
   mpfr_init2(x, 300);
   real_get(x, type, value);
   if (mpfr_cmp_si(x, least) < 0)
      mpfr_set_si(x, least, MPFR_RNDN);
   if (mpfr_cmp_ui(x, 1) > 0)
      mpfr_set_ui(x, 1, MPFR_RNDN);
   mpfr_mul_ui(x, x, scale, MPFR_RNDN);
   mpfr_rint(x, x, MPFR_RNDN);
   long result = mpfr_get_si(x, MPFR_RNDN);
   mpfr_clear(x);
   return (uint32_t)result & (uint32_t)((UINT64_C(1) << size) - 1);
}

static uint32_t
encode_integral(enum type type, uint32_t value, unsigned size)
{
   mpfr_t x;
   mpfr_init2(x, 53);
   real_get(x, type, value);
   long result = mpfr_get_si(x, MPFR_RNDZ);
   mpfr_clear(x);
   return (uint32_t)result & (uint32_t)((UINT64_C(1) << size) - 1);
}

/* Below f16, an unsigned float drops fraction bits of the f16 with its exponent. */
static uint32_t
encode_float(enum type type, uint32_t value, unsigned size, unsigned rounding)
{
   if (size >= 16)
      return convert_float(type, size == 32 ? F32 : F16, value, rounding);
   if (real_is_negative(type, value))
      return 0;
   unsigned dropped = 15 - size;
   mpfr_t x;
   mpfr_init2(x, 53);
   real_get(x, type, value);
   uint32_t result;
   if (real_is_infinite(type, value) || real_is_zero(type, value)) {
      result = real_is_zero(type, value) ? 0 : 0x7c00u >> dropped;
   } else {
      /* The generator keeps to normal numbers: 1 and size - 5 bits of significand. */
      mpfr_prec_round(x, 53, MPFR_RNDN);
      mpfr_t rounded;
      mpfr_init2(rounded, size - 5 + 1);
      mpfr_set(rounded, x, rounding == 3 ? MPFR_RNDZ : MPFR_RNDN);
      result = (uint32_t)real_round(rounded, F16, 0) >> dropped;
      mpfr_clear(rounded);
   }
   mpfr_clear(x);
   return result;
}

uint32_t
texel_encode(unsigned number, unsigned component, uint32_t value, bool d16, unsigned rounding)
{
   const struct texel_format *format = &formats[number];
   unsigned size = format->bits[component];
   uint32_t all = (uint32_t)((UINT64_C(1) << size) - 1);
   enum type type = d16 ? F16 : F32;
   switch (format->number) {
   case UNORM:
      return encode_scaled(type, value, 0, all, size);
   case SNORM:
      return encode_scaled(type, value, -1, all >> 1, size);
   case USCALED:
   case SSCALED:
      return encode_integral(type, value, size);
   case UINT:
      return value & all;
   case SINT:
      return (d16 ? (uint32_t)(int16_t)value : value) & all;
   default:
      return encode_float(type, value, size, rounding);
   }
}
