/* SPDX-License-Identifier: MIT */
/* Conversions. RDNA3.5 ISA guide, 16.8 has the notes on accuracy, saturation and NaN. */
#include "families.h"
#include "real.h"

static enum type
source_type(const struct call *call)
{
   return call->op->src[0];
}

static void
float_to_float(struct call *call)
{
   mpfr_t x;
   mpfr_init2(x, 53);
   real_get(x, source_type(call), S0(call));
   call->d = real_finish(call->mode, call->op->dst, x, mpfr_inf_p(x));
   mpfr_clear(x);
}

static uint64_t
integer_to(const struct call *call, enum type type, int64_t value)
{
   mpfr_t x;
   mpfr_init2(x, 64);
   mpfr_set_si(x, value, MPFR_RNDN);
   uint64_t result = real_finish(call->mode, type, x, false);
   mpfr_clear(x);
   return result;
}

static void
integer_to_float(struct call *call)
{
   call->d = integer_to(call, call->op->dst, (int64_t)integer(source_type(call), call->s[0]));
}

static void
byte_to_float(struct call *call)
{
   unsigned byte = (unsigned)(call->op->name[sizeof "v_cvt_f32_ubyte" - 1] - '0');
   call->d = integer_to(call, F32, (int64_t)(call->s[0] >> 8 * byte & 0xff));
}

/* "Lookup table on S0[3:0]": 16ths, signed. */
static void
offset_to_float(struct call *call)
{
   int value = (int)(call->s[0] & 15);
   mpfr_t x;
   mpfr_init2(x, 53);
   mpfr_set_si_2exp(x, value < 8 ? value : value - 16, -4, MPFR_RNDN);
   call->d = real_round(x, F32, 0);
   mpfr_clear(x);
}

/* ---- to integers ------------------------------------------------------------------------------------------------ */

/* "Out-of-range floating point values (including infinity) saturate. NAN is converted to 0." */
static int64_t
to_integer(enum type type, uint64_t value, mpfr_rnd_t rounding, int64_t least, int64_t greatest)
{
   mpfr_t x;
   mpfr_init2(x, 64);
   real_get(x, type, value);
   int64_t result;
   if (mpfr_nan_p(x)) {
      result = 0;
   } else {
      if (!mpfr_inf_p(x))
         mpfr_rint(x, x, rounding);
      result = mpfr_cmp_si(x, least) < 0 ? least : mpfr_cmp_si(x, greatest) > 0 ? greatest : mpfr_get_si(x, MPFR_RNDZ);
   }
   mpfr_clear(x);
   return result;
}

static void
truncate_to_integer(struct call *call)
{
   enum type type = call->op->dst;
   call->d =
      (bits)to_integer(source_type(call), S0(call), MPFR_RNDZ, (int64_t)least_of(type), (int64_t)greatest_of(type));
}

/* V_CVT_FLOOR and V_CVT_NEAREST, whose notes do not speak of NaN; measured on gfx1201, its sign chooses the limit. */
static bool
is_nan_by_sign(struct call *call)
{
   if (!real_is_nan(F32, S0(call)) || !call->mode->nan_by_sign)
      return false;
   call->d = real_is_negative(F32, S0(call)) ? 0x80000000 : 0x7fffffff;
   return true;
}

static void
floor_to_integer(struct call *call)
{
   if (!is_nan_by_sign(call))
      call->d = (bits)to_integer(F32, S0(call), MPFR_RNDD, INT32_MIN, INT32_MAX);
}

/* floor(S0 + 0.5), exactly */
static void
nearest_to_integer(struct call *call)
{
   if (is_nan_by_sign(call))
      return;
   mpfr_t x;
   mpfr_init2(x, 400);
   real_get(x, F32, S0(call));
   mpfr_add_d(x, x, 0.5, MPFR_RNDN);
   int64_t result = 0;
   if (mpfr_inf_p(x))
      result = mpfr_sgn(x) < 0 ? INT32_MIN : INT32_MAX;
   else if (!mpfr_nan_p(x)) {
      mpfr_rint(x, x, MPFR_RNDD);
      result = mpfr_cmp_si(x, INT32_MIN) < 0   ? INT32_MIN
               : mpfr_cmp_si(x, INT32_MAX) > 0 ? INT32_MAX
                                               : mpfr_get_si(x, MPFR_RNDZ);
   }
   mpfr_clear(x);
   call->d = (bits)result;
}

/* [-1, 1] or [0, 1] to the whole range of 16 bits, the least integer left out; nearest even. */
static uint32_t
normalized(enum type type, uint64_t value, bool is_signed)
{
   mpfr_t x;
   mpfr_init2(x, 400);
   real_get(x, type, value);
   long result = 0;
   if (!mpfr_nan_p(x)) {
      if (mpfr_cmp_si(x, 1) > 0)
         mpfr_set_si(x, 1, MPFR_RNDN);
      if (mpfr_cmp_si(x, is_signed ? -1 : 0) < 0)
         mpfr_set_si(x, is_signed ? -1 : 0, MPFR_RNDN);
      mpfr_mul_si(x, x, is_signed ? 32767 : 65535, MPFR_RNDN);
      mpfr_rint(x, x, MPFR_RNDN);
      result = mpfr_get_si(x, MPFR_RNDN);
   }
   mpfr_clear(x);
   return (uint32_t)result & 0xffff;
}

static void
to_snorm(struct call *call)
{
   call->d = normalized(source_type(call), S0(call), true);
}

static void
to_unorm(struct call *call)
{
   call->d = normalized(source_type(call), S0(call), false);
}

static void
pack_snorm(struct call *call)
{
   call->d = normalized(source_type(call), S0(call), true) | normalized(source_type(call), S1(call), true) << 16;
}

static void
pack_unorm(struct call *call)
{
   call->d = normalized(source_type(call), S0(call), false) | normalized(source_type(call), S1(call), false) << 16;
}

static void
pack_i16(struct call *call)
{
   uint32_t low = (uint32_t)to_integer(F32, S0(call), MPFR_RNDZ, INT16_MIN, INT16_MAX);
   uint32_t high = (uint32_t)to_integer(F32, S1(call), MPFR_RNDZ, INT16_MIN, INT16_MAX);
   call->d = (low & 0xffff) | high << 16;
}

static void
pack_u16(struct call *call)
{
   call->d = (bits)to_integer(F32, S0(call), MPFR_RNDZ, 0, UINT16_MAX) |
             (bits)to_integer(F32, S1(call), MPFR_RNDZ, 0, UINT16_MAX) << 16;
}

/* Rounds as MODE says (rocjitsu, measured on gfx1201). */
static void
pack_u8(struct call *call)
{
   static const mpfr_rnd_t modes[] = {MPFR_RNDN, MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ};
   unsigned shift = (unsigned)(S1(call) & 3) * 8;
   mpfr_t x;
   mpfr_init2(x, 64);
   real_get(x, F32, S0(call));
   long byte = 0;
   if (!mpfr_nan_p(x)) {
      mpfr_rint(x, x, modes[call->mode->round_32]);
      byte = mpfr_cmp_si(x, 0) < 0 ? 0 : mpfr_cmp_si(x, 255) > 0 ? 255 : mpfr_get_si(x, MPFR_RNDZ);
   }
   mpfr_clear(x);
   call->d = (S2(call) & ~(UINT64_C(0xff) << shift)) | (uint64_t)byte << shift;
}

/* ---- packing ---------------------------------------------------------------------------------------------------- */

static void
pack_rtz(struct call *call)
{
   struct mode mode = *call->mode;
   mode.round_16_64 = 3;
   call->d = 0;
   for (unsigned s = 0; s < 2; s++) {
      mpfr_t x;
      mpfr_init2(x, 53);
      real_get(x, F32, (uint64_t)call->s[s]);
      uint64_t half = real_finish(&mode, F16, x, mpfr_inf_p(x));
      /* Which NaN it is in a half is nobody's promise. */
      call->unknown |= real_is_nan(F16, half);
      call->d |= (bits)half << 16 * s;
      mpfr_clear(x);
   }
}

static void
pack_halves(struct call *call)
{
   call->d = S0(call) | S1(call) << 16;
}

static void
pack_integers(struct call *call)
{
   enum type type = source_type(call) == I32 ? I16 : U16;
   for (unsigned s = 0; s < 2; s++) {
      bits half = saturate(type, integer(source_type(call), call->s[s])) & 0xffff;
      call->d = s ? call->d | half << 16 : half;
   }
}

static void
pack_bytes(struct call *call)
{
   call->d = 0;
   for (unsigned i = 0; i < 2; i++) {
      int value = (int16_t)(S0(call) >> 16 * i);
      call->d |= (bits)(value < 0 ? 0 : value > 255 ? 255 : value) << 8 * i;
   }
}

static void
extend(struct call *call)
{
   call->d = (bits)integer(source_type(call), call->s[0]);
}

static const struct op ops[] = {
   {"v_cvt_f16_f32", VOP1, F16, {F32}, float_to_float},
   {"v_cvt_f32_f16", VOP1, F32, {F16}, float_to_float},
   {"v_cvt_f32_f64", VOP1 | NO_DPP, F32, {F64}, float_to_float},
   {"v_cvt_f64_f32", VOP1 | NO_DPP, F64, {F32}, float_to_float},
   {"v_cvt_f64_i32", VOP1 | NO_DPP, F64, {I32}, integer_to_float},
   {"v_cvt_f64_u32", VOP1 | NO_DPP, F64, {U32}, integer_to_float},
   {"v_cvt_f32_i32", VOP1, F32, {I32}, integer_to_float},
   {"v_cvt_f32_u32", VOP1, F32, {U32}, integer_to_float},
   {"v_cvt_f16_i16", VOP1, F16, {I16}, integer_to_float},
   {"v_cvt_f16_u16", VOP1, F16, {U16}, integer_to_float},
   {"v_cvt_f32_ubyte0", VOP1, F32, {B32}, byte_to_float},
   {"v_cvt_f32_ubyte1", VOP1, F32, {B32}, byte_to_float},
   {"v_cvt_f32_ubyte2", VOP1, F32, {B32}, byte_to_float},
   {"v_cvt_f32_ubyte3", VOP1, F32, {B32}, byte_to_float},
   {"v_cvt_off_f32_i4", VOP1, F32, {B32}, offset_to_float},
   {"v_cvt_i32_f64", VOP1 | NO_DPP, I32, {F64}, truncate_to_integer},
   {"v_cvt_u32_f64", VOP1 | NO_DPP, U32, {F64}, truncate_to_integer},
   {"v_cvt_i32_f32", VOP1, I32, {F32}, truncate_to_integer},
   {"v_cvt_u32_f32", VOP1, U32, {F32}, truncate_to_integer},
   {"v_cvt_i16_f16", VOP1, I16, {F16}, truncate_to_integer},
   {"v_cvt_u16_f16", VOP1, U16, {F16}, truncate_to_integer},
   {"v_cvt_floor_i32_f32", VOP1 | UNSURE_IN, I32, {F32}, floor_to_integer},
   {"v_cvt_nearest_i32_f32", VOP1 | UNSURE_IN, I32, {F32}, nearest_to_integer},
   {"v_cvt_norm_i16_f16", VOP1, I16, {F16}, to_snorm},
   {"v_cvt_norm_u16_f16", VOP1, U16, {F16}, to_unorm},
   {"v_cvt_pk_norm_i16_f16", VOP3, B32, {F16, F16}, pack_snorm},
   {"v_cvt_pk_norm_u16_f16", VOP3, B32, {F16, F16}, pack_unorm},
   {"v_cvt_pk_norm_i16_f32", VOP3, B32, {F32, F32}, pack_snorm},
   {"v_cvt_pk_norm_u16_f32", VOP3, B32, {F32, F32}, pack_unorm},
   {"v_cvt_pk_i16_f32", VOP3, B32, {F32, F32}, pack_i16},
   {"v_cvt_pk_u16_f32", VOP3, B32, {F32, F32}, pack_u16},
   {"v_cvt_pk_u8_f32", VOP3, B32, {F32, B32, B32}, pack_u8},
   {"v_cvt_pk_i16_i32", VOP3, B32, {I32, I32}, pack_integers},
   {"v_cvt_pk_u16_u32", VOP3, B32, {U32, U32}, pack_integers},
   {"v_cvt_pk_rtz_f16_f32", VOP2 | UNSURE_OUT, B32, {F32, F32}, pack_rtz},
   {"v_pack_b32_f16", VOP3 | UNSURE_IN, B32, {F16, F16}, pack_halves},
   {"v_sat_pk_u8_i16", VOP1, B16, {B32}, pack_bytes},
   {"v_cvt_i32_i16", VOP1, I32, {I16}, extend},
   {"v_cvt_u32_u16", VOP1, U32, {U16}, extend},
};

const struct family convert_family = {
   .name = "convert", .ops = ops, .count = sizeof ops / sizeof ops[0], .execute = valu_execute};
