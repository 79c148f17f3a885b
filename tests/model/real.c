/* SPDX-License-Identifier: MIT */
#include "real.h"

const struct format *
format_of(enum type type)
{
   static const struct format half = {5, 10}, brain = {8, 7}, single = {8, 23}, twice = {11, 52};
   switch (type) {
   case F16:
   case PKF16:
      return &half;
   case BF16:
      return &brain;
   case F32:
      return &single;
   case F64:
      return &twice;
   default:
      return NULL;
   }
}

unsigned
type_bits(enum type type)
{
   switch (type) {
   case B16:
   case U16:
   case I16:
   case F16:
   case BF16:
      return 16;
   case B64:
   case U64:
   case I64:
   case F64:
   case MATRIX_2:
      return 64;
   case B96:
      return 96;
   case B128:
   case MATRIX_4:
      return 128;
   case MATRIX_8:
   case MATRIX_C:
      return 256;
   default:
      return 32;
   }
}

bool
type_is_float(enum type type)
{
   return format_of(type) != NULL;
}

static uint64_t
fraction_mask(const struct format *format)
{
   return (UINT64_C(1) << format->fraction_bits) - 1;
}

uint64_t
format_infinity(const struct format *format)
{
   return ((UINT64_C(1) << format->exponent_bits) - 1) << format->fraction_bits;
}

uint64_t
format_quiet_nan(const struct format *format)
{
   return format_infinity(format) | UINT64_C(1) << (format->fraction_bits - 1);
}

uint64_t
format_largest(const struct format *format)
{
   return format_infinity(format) - 1;
}

static uint64_t
magnitude(enum type type, uint64_t value)
{
   return value & (format_sign(format_of(type)) - 1);
}

bool
real_is_nan(enum type type, uint64_t value)
{
   return magnitude(type, value) > format_infinity(format_of(type));
}

bool
real_is_signaling(enum type type, uint64_t value)
{
   return real_is_nan(type, value) && magnitude(type, value) < format_quiet_nan(format_of(type));
}

bool
real_is_infinite(enum type type, uint64_t value)
{
   return magnitude(type, value) == format_infinity(format_of(type));
}

bool
real_is_zero(enum type type, uint64_t value)
{
   return magnitude(type, value) == 0;
}

bool
real_is_denormal(enum type type, uint64_t value)
{
   return magnitude(type, value) && magnitude(type, value) <= fraction_mask(format_of(type));
}

bool
real_is_negative(enum type type, uint64_t value)
{
   return value & format_sign(format_of(type));
}

int
real_exponent(enum type type, uint64_t value)
{
   return (int)(magnitude(type, value) >> format_of(type)->fraction_bits);
}

uint64_t
real_quiet(enum type type, uint64_t value)
{
   return value | format_quiet_nan(format_of(type));
}

uint64_t
real_flush(enum type type, uint64_t value)
{
   return real_is_denormal(type, value) ? value & format_sign(format_of(type)) : value;
}

static int
bias(const struct format *format)
{
   return (1 << (format->exponent_bits - 1)) - 1;
}

void
real_get(mpfr_t out, enum type type, uint64_t value)
{
   const struct format *format = format_of(type);
   int sign = real_is_negative(type, value) ? -1 : 1, exponent = real_exponent(type, value);
   uint64_t fraction = value & fraction_mask(format);
   if (real_is_nan(type, value)) {
      mpfr_set_nan(out);
   } else if (real_is_infinite(type, value)) {
      mpfr_set_inf(out, sign);
   } else if (real_is_zero(type, value)) {
      mpfr_set_zero(out, sign);
   } else {
      if (exponent)
         fraction |= UINT64_C(1) << format->fraction_bits;
      mpfr_set_ui_2exp(out, fraction, (exponent ? exponent : 1) - bias(format) - format->fraction_bits, MPFR_RNDN);
      if (sign < 0)
         mpfr_neg(out, out, MPFR_RNDN);
   }
}

static mpfr_rnd_t
mpfr_mode(unsigned rounding)
{
   static const mpfr_rnd_t modes[] = {MPFR_RNDN, MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ};
   return modes[rounding];
}

/* The bits of a number that has the format's precision and range already. */
static uint64_t
encode(const mpfr_t x, const struct format *format)
{
   uint64_t sign = mpfr_signbit(x) ? format_sign(format) : 0;
   if (mpfr_nan_p(x))
      return format_quiet_nan(format);
   if (mpfr_inf_p(x))
      return sign | format_infinity(format);
   if (mpfr_zero_p(x))
      return sign;
   mpz_t integer;
   mpz_init(integer);
   mpfr_exp_t exponent = mpfr_get_z_2exp(integer, x);
   mpz_abs(integer, integer);
   uint64_t fraction = mpz_get_ui(integer);
   mpz_clear(integer);
   /* fraction * 2^exponent; bring the leading bit to its place, or the exponent to the denormals'. */
   int lowest = 1 - bias(format) - format->fraction_bits;
   while (fraction >> format->fraction_bits > 1 || exponent < lowest) {
      fraction >>= 1;
      exponent++;
   }
   while (!(fraction >> format->fraction_bits) && exponent > lowest) {
      fraction <<= 1;
      exponent--;
   }
   return sign | (((uint64_t)(exponent - lowest) << format->fraction_bits) + fraction);
}

/* As the MPFR manual emulates IEEE 754: a rounding to the precision, whose direction then decides how a number in the
 * denormal range is rounded again. */
uint64_t
real_round(const mpfr_t exact, enum type type, unsigned rounding)
{
   const struct format *format = format_of(type);
   mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
   mpfr_rnd_t mode = mpfr_mode(rounding);
   mpfr_t x;
   mpfr_init2(x, format->fraction_bits + 1);
   mpfr_set_emin(2 - bias(format) - format->fraction_bits);
   mpfr_set_emax(bias(format) + 1);
   int direction = mpfr_set(x, exact, mode);
   direction = mpfr_check_range(x, direction, mode);
   mpfr_subnormalize(x, direction, mode);
   uint64_t value = encode(x, format);
   mpfr_clear(x);
   mpfr_set_emin(emin);
   mpfr_set_emax(emax);
   return value;
}

uint64_t
real_from_double(enum type type, double number, unsigned rounding)
{
   mpfr_t x;
   mpfr_init2(x, 53);
   mpfr_set_d(x, number, MPFR_RNDN);
   uint64_t value = real_round(x, type, rounding);
   mpfr_clear(x);
   return value;
}

unsigned
mode_rounding(const struct mode *mode, enum type type)
{
   return type == F32 ? mode->round_32 : type == BF16 ? 0 : mode->round_16_64;
}

bool
mode_flushes_inputs(const struct mode *mode, enum type type)
{
   return type == F32 ? mode->flush_in_32 : mode->flush_in_16_64;
}

bool
mode_flushes_results(const struct mode *mode, enum type type)
{
   return type == F32 ? mode->flush_out_32 : mode->flush_out_16_64;
}

struct mode
mode_decode(uint32_t raw, unsigned reading)
{
   bool inputs = !(reading & READ_INPUTS_KEPT), results = !(reading & READ_RESULTS_KEPT);
   return (struct mode){
      .raw = raw,
      .round_32 = raw & 3,
      .round_16_64 = raw >> 2 & 3,
      .flush_in_32 = inputs && !(raw >> 4 & 1),
      .flush_out_32 = results && !(raw >> 5 & 1),
      .flush_in_16_64 = inputs && !(raw >> 6 & 1),
      .flush_out_16_64 = results && !(raw >> 7 & 1),
      .dx10_clamp = raw >> 8 & 1,
      .ieee = raw >> 9 & 1,
      .fp16_ovfl = raw >> 23 & 1,
      .omod_always = reading & READ_OMOD_ALWAYS,
      .omod_underflow_positive = reading & READ_OMOD_UNDERFLOW_POSITIVE,
      .nan_by_sign = reading & READ_NAN_BY_SIGN,
      .stores_nearest = reading & READ_STORES_NEAREST,
   };
}

/* Whether a number is below the normal ones when it is rounded as if exponents had no limit. Hardware (measured on
 * gfx1201 by ROCm's rocjitsu, conversion.h) and IEEE 754's "after rounding" call that tiny, and flush it. */
static bool
is_tiny(const mpfr_t exact, const struct format *format, unsigned rounding)
{
   mpfr_t x;
   mpfr_init2(x, format->fraction_bits + 1);
   mpfr_set(x, exact, mpfr_mode(rounding));
   bool tiny = mpfr_regular_p(x) && mpfr_get_exp(x) < 2 - bias(format);
   mpfr_clear(x);
   return tiny;
}

uint64_t
real_finish(const struct mode *mode, enum type type, const mpfr_t exact, bool infinite_input)
{
   const struct format *format = format_of(type);
   uint64_t value = real_round(exact, type, mode_rounding(mode, type));
   /* FP16_OVFL (ISA guide, 3.4.2): "an overflowed FP16 VALU result is clamped to +/- MAX_FP16 regardless of round mode,
    * while still preserving true INF values". */
   if (type == F16 && mode->fp16_ovfl && real_is_infinite(type, value) && !infinite_input)
      value = (value & format_sign(format)) | format_largest(format);
   if (mode_flushes_results(mode, type) && is_tiny(exact, format, mode_rounding(mode, type)))
      value &= format_sign(format);
   return value;
}

uint64_t
real_fma(const struct mode *mode, enum type type, uint64_t a, uint64_t b, uint64_t c)
{
   mpfr_t x, y, z;
   mpfr_inits2(53, x, y, z, (mpfr_ptr)NULL);
   real_get(x, type, a);
   real_get(y, type, b);
   real_get(z, type, c);
   mpfr_t sum;
   mpfr_init2(sum, EXACT_BITS);
   mpfr_fma(sum, x, y, z, mpfr_mode(mode_rounding(mode, type)));
   uint64_t value = real_finish(mode, type, sum, mpfr_inf_p(x) || mpfr_inf_p(y) || mpfr_inf_p(z));
   mpfr_clears(x, y, z, sum, (mpfr_ptr)NULL);
   return value;
}

uint64_t
real_add(const struct mode *mode, enum type type, uint64_t a, uint64_t b)
{
   mpfr_t x, y, sum;
   mpfr_inits2(53, x, y, (mpfr_ptr)NULL);
   mpfr_init2(sum, EXACT_BITS);
   real_get(x, type, a);
   real_get(y, type, b);
   mpfr_add(sum, x, y, mpfr_mode(mode_rounding(mode, type)));
   uint64_t value = real_finish(mode, type, sum, mpfr_inf_p(x) || mpfr_inf_p(y));
   mpfr_clears(x, y, sum, (mpfr_ptr)NULL);
   return value;
}

uint64_t
real_multiply(const struct mode *mode, enum type type, uint64_t a, uint64_t b)
{
   mpfr_t x, y, product;
   mpfr_inits2(53, x, y, (mpfr_ptr)NULL);
   mpfr_init2(product, 106);
   real_get(x, type, a);
   real_get(y, type, b);
   mpfr_mul(product, x, y, MPFR_RNDN);
   uint64_t value = real_finish(mode, type, product, mpfr_inf_p(x) || mpfr_inf_p(y));
   mpfr_clears(x, y, product, (mpfr_ptr)NULL);
   return value;
}

int
real_compare(enum type type, uint64_t a, uint64_t b)
{
   if (real_is_nan(type, a) || real_is_nan(type, b))
      return UNORDERED;
   if (real_is_zero(type, a) && real_is_zero(type, b))
      return 0;
   int64_t x = real_order(type, a), y = real_order(type, b);
   return x < y ? -1 : x > y;
}

int64_t
real_order(enum type type, uint64_t value)
{
   int64_t size = (int64_t)magnitude(type, value);
   return real_is_negative(type, value) ? -1 - size : size;
}

uint64_t
real_from_order(enum type type, int64_t order)
{
   return order < 0 ? format_sign(format_of(type)) | (uint64_t)(-1 - order) : (uint64_t)order;
}
