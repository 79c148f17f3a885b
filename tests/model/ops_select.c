/* SPDX-License-Identifier: MIT */
/* Float minimum, maximum, median; moves; cube maps. Values come through as they are, denormals apart. */
#include "families.h"
#include "real.h"

static enum type
type_of(const struct call *call)
{
   return call->op->dst == PKF16 ? F16 : call->op->dst;
}

/* "Version of comparison where -0.0 < +0.0, differs from IEEE" */
static bool
is_less(enum type type, uint64_t a, uint64_t b)
{
   return real_order(type, a) < real_order(type, b);
}

/* V_MIN_F32's pseudocode; with `greatest` V_MAX_F32's. */
static uint64_t
extreme(const struct call *call, bool greatest, uint64_t a, uint64_t b)
{
   enum type type = type_of(call);
   if (call->mode->ieee && real_is_signaling(type, a))
      return real_quiet(type, a);
   if (call->mode->ieee && real_is_signaling(type, b))
      return real_quiet(type, b);
   if (real_is_nan(type, b))
      return a;
   if (real_is_nan(type, a))
      return b;
   return is_less(type, greatest ? b : a, greatest ? a : b) ? a : b;
}

static void
answer(struct call *call, uint64_t value)
{
   enum type type = type_of(call);
   call->d = mode_flushes_results(call->mode, type) ? real_flush(type, value) : value;
}

static void
minimum(struct call *call)
{
   answer(call, extreme(call, false, S0(call), S1(call)));
}

static void
maximum(struct call *call)
{
   answer(call, extreme(call, true, S0(call), S1(call)));
}

static uint64_t
extreme3(const struct call *call, bool greatest)
{
   return extreme(call, greatest, extreme(call, greatest, S0(call), S1(call)), S2(call));
}

static void
minimum3(struct call *call)
{
   answer(call, extreme3(call, false));
}

static void
maximum3(struct call *call)
{
   answer(call, extreme3(call, true));
}

static void
minimum_of_maximum(struct call *call)
{
   answer(call, extreme(call, false, extreme(call, true, S0(call), S1(call)), S2(call)));
}

static void
maximum_of_minimum(struct call *call)
{
   answer(call, extreme(call, true, extreme(call, false, S0(call), S1(call)), S2(call)));
}

static void
median(struct call *call)
{
   enum type type = type_of(call);
   if (real_is_nan(type, S0(call)) || real_is_nan(type, S1(call)) || real_is_nan(type, S2(call))) {
      minimum3(call);
      return;
   }
   uint64_t greatest = extreme3(call, true);
   if (real_compare(type, greatest, S0(call)) == 0)
      answer(call, extreme(call, true, S1(call), S2(call)));
   else if (real_compare(type, greatest, S1(call)) == 0)
      answer(call, extreme(call, true, S0(call), S2(call)));
   else
      answer(call, extreme(call, true, S0(call), S1(call)));
   /* Which of zeros of either sign is the median depends on how they are compared. */
   for (unsigned s = 0; s < 3; s++)
      call->unknown |=
         real_is_zero(type, (uint64_t)call->d) && real_is_zero(type, (uint64_t)call->s[s]) && call->s[s] != call->d;
}

static void
move(struct call *call)
{
   call->d = call->s[0];
}

static void
select_by_mask(struct call *call)
{
   call->d = call->carry ? call->s[1] : call->s[0];
}

/* ---- cube maps -------------------------------------------------------------------------------------------------- */

static uint64_t
size_of(uint64_t value)
{
   return value & 0x7fffffff;
}

/* |a| >= |b|, false for NaN */
static bool
is_at_least(uint64_t a, uint64_t b)
{
   int order = real_compare(F32, size_of(a), size_of(b));
   return order == 0 || order == 1;
}

static bool
is_below_zero(uint64_t value)
{
   return real_compare(F32, value, 0) == -1;
}

/* Whether denormals are flushed before they are compared, selected, both or neither is not told. */
static unsigned
major_axis(struct call *call)
{
   for (unsigned s = 0; s < 3; s++)
      call->unknown |= real_is_denormal(F32, (uint64_t)valu_source(call->instance, call->machine, s, call->lane)) &&
                       mode_decode(call->mode->raw, 0).flush_in_32;
   if (is_at_least(S2(call), S0(call)) && is_at_least(S2(call), S1(call)))
      return 2;
   return is_at_least(S1(call), S0(call)) ? 1 : 0;
}

static void
cube_id(struct call *call)
{
   static const uint32_t faces[] = {0, 0x3f800000, 0x40000000, 0x40400000, 0x40800000, 0x40a00000};
   unsigned axis = major_axis(call);
   call->d = faces[2 * axis + is_below_zero((uint64_t)call->s[axis])];
}

#define NEGATIVE 0x80000000u

static void
cube_s(struct call *call)
{
   unsigned axis = major_axis(call);
   bool below = is_below_zero((uint64_t)call->s[axis]);
   if (axis == 0)
      answer(call, below ? S2(call) : S2(call) ^ NEGATIVE);
   else
      answer(call, axis == 2 && below ? S0(call) ^ NEGATIVE : S0(call));
}

static void
cube_t(struct call *call)
{
   if (major_axis(call) == 1)
      answer(call, is_below_zero(S1(call)) ? S2(call) ^ NEGATIVE : S2(call));
   else
      answer(call, S1(call) ^ NEGATIVE);
}

static void
cube_major(struct call *call)
{
   call->d = real_multiply(call->mode, F32, (uint64_t)call->s[major_axis(call)], 0x40000000);
}

static const struct op ops[] = {
   {"v_min_f16", VOP2, F16, {F16, F16}, minimum},
   {"v_min_f32", VOP2, F32, {F32, F32}, minimum},
   {"v_min_f64", VOP3 | NO_DPP, F64, {F64, F64}, minimum},
   {"v_max_f16", VOP2, F16, {F16, F16}, maximum},
   {"v_max_f32", VOP2, F32, {F32, F32}, maximum},
   {"v_max_f64", VOP3 | NO_DPP, F64, {F64, F64}, maximum},
   {"v_min3_f16", VOP3, F16, {F16, F16, F16}, minimum3},
   {"v_min3_f32", VOP3, F32, {F32, F32, F32}, minimum3},
   {"v_max3_f16", VOP3, F16, {F16, F16, F16}, maximum3},
   {"v_max3_f32", VOP3, F32, {F32, F32, F32}, maximum3},
   {"v_med3_f16", VOP3, F16, {F16, F16, F16}, median},
   {"v_med3_f32", VOP3, F32, {F32, F32, F32}, median},
   {"v_maxmin_f16", VOP3, F16, {F16, F16, F16}, minimum_of_maximum},
   {"v_maxmin_f32", VOP3, F32, {F32, F32, F32}, minimum_of_maximum},
   {"v_minmax_f16", VOP3, F16, {F16, F16, F16}, maximum_of_minimum},
   {"v_minmax_f32", VOP3, F32, {F32, F32, F32}, maximum_of_minimum},
   {"v_pk_min_f16", VOP3P | PACKED | NO_DPP, PKF16, {PKF16, PKF16}, minimum},
   {"v_pk_max_f16", VOP3P | PACKED | NO_DPP, PKF16, {PKF16, PKF16}, maximum},

   {"v_mov_b32", VOP1 | KEEP_DENORMS | KEEP_NAN, B32, {B32}, move},
   {"v_mov_b16", VOP1 | KEEP_DENORMS | KEEP_NAN, B16, {B16}, move},
   {"v_cndmask_b32", VOP2 | CARRY_IN | KEEP_DENORMS | KEEP_NAN | NO_OMOD | NO_CLAMP, F32, {F32, F32}, select_by_mask},
   {"v_cndmask_b16", VOP3 | CARRY_IN | KEEP_DENORMS | KEEP_NAN | NO_OMOD | NO_CLAMP, F16, {F16, F16}, select_by_mask},

   {"v_cubeid_f32", VOP3, F32, {F32, F32, F32}, cube_id},
   {"v_cubesc_f32", VOP3 | UNSURE_OUT, F32, {F32, F32, F32}, cube_s},
   {"v_cubetc_f32", VOP3 | UNSURE_OUT, F32, {F32, F32, F32}, cube_t},
   {"v_cubema_f32", VOP3, F32, {F32, F32, F32}, cube_major},
};

const struct family select_family = {
   .name = "select", .ops = ops, .count = sizeof ops / sizeof ops[0], .execute = valu_execute};
