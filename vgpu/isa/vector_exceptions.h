/* SPDX-License-Identifier: MIT */
/*
 * Part of vector.c: arithmetic exceptions (RDNA3 ISA guide, 3.4.3 and 3.4.7: MODE.EXCP_EN, TRAPSTS.EXCP). Hardly any
 * program asks for them, so they have tables of functions of their own, compiled with EXCEPTIONS, in which the host's
 * flags are looked at after each lane; the others have nothing of this.
 *
 * The guide does not say which instruction raises what. Here an operation raises what IEEE 754 says of it: comparisons,
 * minima and maxima are invalid with signalling NaNs only, conversions to integers when the number has no place there;
 * rounding to whole numbers is exact, and estimates are divisions and roots like others. Integer division by zero is
 * v_rcp_iflag's alone, and v_div_fixup tells of the whole division. Packed, dot and matrix instructions, v_div_scale
 * and atomics in memory raise nothing.
 */
#ifndef EXCEPTIONS

#define WATCH(at, bt, ct)
#define RAISE(name, dt, at, bt, ct)
#define RAISE_COMPARED
#define SETTLE(wave, inst) ISA_NEXT

#else

#include <string.h>

static __attribute__((always_inline)) inline bool
is_one_float(enum isa_type type)
{
   return type == TYPE_F32 || type == TYPE_F64 || type == TYPE_F16 || type == TYPE_TIED || type == TYPE_TIED16 ||
          type == TYPE_LITERAL || type == TYPE_LITERAL16;
}

/* A source as it lies in its registers: by the time it is a number, denormals and signalling NaNs may be gone. */
static inline uint32_t
raised_by_source(uint32_t low, uint32_t high, enum isa_type type, uint32_t mode)
{
   if (!is_one_float(type))
      return 0;
   bool wide = type == TYPE_F64, half = !wide && is_wide_float(type);
   unsigned size = wide ? 64 : half ? 16 : 32, mantissa_bits = wide ? 52 : half ? 10 : 23;
   uint64_t bits = wide ? low | (uint64_t)high << 32 : half ? low & 0xffff : low;
   uint64_t magnitude = bits & (UINT64_MAX >> (65 - size));
   bool denormal = magnitude && magnitude < UINT64_C(1) << mantissa_bits;
   bool kept = mode & (wide || half ? MODE_DENORM_IN_WIDE : MODE_DENORM_IN);
   return (is_signalling(bits, mantissa_bits, size) ? TRAPSTS_INVALID : 0) |
          (denormal && kept ? TRAPSTS_INPUT_DENORMAL : 0);
}

/* `value` rounds to a half; `inexact`: it was not exact before. */
static uint32_t
raised_by_half(float value, bool inexact, uint32_t mode)
{
   float result = from_half(to_half(value, half_mode(mode) & ~(unsigned)HALF_FINITE));
   if (value != value || isinf(value))
      return 0;
   if (isinf(result) || fabsf(value) >= 0x1p16f)
      return TRAPSTS_OVERFLOW | TRAPSTS_INEXACT;
   if (!inexact && result == value)
      return 0;
   return TRAPSTS_INEXACT | (fabsf(result) < 0x1p-14f ? TRAPSTS_UNDERFLOW : 0);
}

static uint32_t
raised_by_division(double result, double denominator, double numerator)
{
   if (denominator != denominator || numerator != numerator)
      return 0;
   if (result != result)
      return TRAPSTS_INVALID;
   if (numerator == 0 || isinf(numerator) || isinf(denominator))
      return 0;
   if (denominator == 0)
      return TRAPSTS_DIVIDE_BY_ZERO;
   return isinf(result) ? TRAPSTS_OVERFLOW | TRAPSTS_INEXACT : result == 0 ? TRAPSTS_UNDERFLOW | TRAPSTS_INEXACT : 0;
}

static bool
fits(double value, enum isa_type type)
{
   const bool is_signed = type == TYPE_I32 || type == TYPE_I16;
   const double beyond = type == TYPE_I32 ? 0x1p31 : type == TYPE_U32 ? 0x1p32 : type == TYPE_I16 ? 0x1p15 : 0x1p16;
   return value < beyond && value > (is_signed ? -beyond - 1 : -1);
}

/* By name, part by part; the compiler does that. */
static __attribute__((always_inline)) inline bool
is(const char *name, const char *part)
{
   return strstr(name, part) != NULL;
}

/* What an operation of this name raises in one lane. `host`: MXCSR after it, whose flags stand as TRAPSTS.EXCP's do:
 * overflow 3, underflow 4, inexact 5. */
static __attribute__((always_inline)) inline uint32_t
raised_by(const char *name, enum isa_type d, const enum isa_type type[3], double result, const double source[3],
          uint32_t host, uint32_t mode)
{
   bool nan = false, infinite = false, zero = false, floats = is_one_float(d);
   for (unsigned n = 0; n < 3; n++) {
      if (!is_one_float(type[n]))
         continue;
      floats = true;
      nan |= source[n] != source[n];
      infinite |= isinf(source[n]);
      zero |= source[n] == 0;
   }
   bool nothing = is(name, "_dot") || is(name, "_floor") || is(name, "_ceil") || is(name, "_trunc") ||
                  is(name, "_rndne") || is(name, "_min") || is(name, "_max") || is(name, "_med3") || is(name, "_frexp");
   host &= TRAPSTS_OVERFLOW | TRAPSTS_UNDERFLOW | TRAPSTS_INEXACT;
   if (!floats || nothing)
      return 0;
   if (is(name, "_div_fixup"))
      return raised_by_division(result, source[1], source[2]);
   if (!is_one_float(d)) /* to an integer, or to bits */
      return !is(name, "_cvt_") || d == TYPE_B32 ? 0
             : fits(source[0], d)                ? host & TRAPSTS_INEXACT
                                                 : (uint32_t)TRAPSTS_INVALID;
   if (result != result)
      return nan ? 0 : TRAPSTS_INVALID;
   if (isinf(result) && (nan || infinite))
      return 0;
   if (isinf(result) && zero && (is(name, "_rcp") || is(name, "_rsq") || is(name, "_log")))
      return TRAPSTS_DIVIDE_BY_ZERO;
   return d == TYPE_F16 ? raised_by_half((float)result, host & TRAPSTS_INEXACT, mode) : host;
}

/* The compiler must not move the operation out from between the two, which is all that these empty statements say. */
#define WATCH(at, bt, ct)                                                                           \
   uint32_t raised = raised_by_source(lo0[l], TYPE_##at == TYPE_F64 ? hi0[l] : 0, TYPE_##at, mode); \
   if (TYPE_##bt != TYPE_NONE)                                                                      \
      raised |= raised_by_source(lo1[l], TYPE_##bt == TYPE_F64 ? hi1[l] : 0, TYPE_##bt, mode);      \
   if (TYPE_##ct != TYPE_NONE)                                                                      \
      raised |= raised_by_source(lo2[l], TYPE_##ct == TYPE_F64 ? hi2[l] : 0, TYPE_##ct, mode);      \
   _mm_setcsr(_mm_getcsr() & ~_MM_EXCEPT_MASK);                                                     \
   __asm__ volatile("" : "+m"(A), "+m"(B), "+m"(C))

#define RAISE(name, dt, at, bt, ct)                                                                          \
   __asm__ volatile("" : "+m"(D));                                                                           \
   uint32_t host = _mm_getcsr();                                                                             \
   raised |= raised_by(name, TYPE_##dt, (const enum isa_type[]){TYPE_##at, TYPE_##bt, TYPE_##ct}, (double)D, \
                       (const double[]){(double)A, (double)B, (double)C}, host, mode);                       \
   if (is(name, "_rcp_iflag"))                                                                               \
      raised = raised & TRAPSTS_DIVIDE_BY_ZERO ? TRAPSTS_INTEGER_DIVIDE_BY_ZERO : 0;                         \
   wave->raised |= mask[l] ? raised : 0

#define RAISE_COMPARED wave->raised |= mask[l] ? raised : 0

#define SETTLE settle

/* A trap comes after the instruction has written its results. */
static enum isa_result
settle(struct wave *wave, const struct inst *inst)
{
   uint32_t raised = wave->raised, enabled = raised & wave->mode >> MODE_EXCP_EN_SHIFT;
   wave->raised = 0;
   wave->trapsts |= raised;
   if (!enabled || wave->priv || !(wave->status & STATUS_TRAP_EN))
      return ISA_NEXT;
   return isa_raise(wave, inst, enabled);
}

#endif
