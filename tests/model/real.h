/* SPDX-License-Identifier: MIT */
/* Floating-point numbers of any IEEE format, computed exactly and rounded once, by MPFR. */
#ifndef REAL_H
#define REAL_H

#include <mpfr.h>

#include "model.h"

struct format {
   int exponent_bits, fraction_bits;
};

const struct format *format_of(enum type type);

static inline uint64_t
format_sign(const struct format *format)
{
   return UINT64_C(1) << (format->exponent_bits + format->fraction_bits);
}

uint64_t format_infinity(const struct format *format);
uint64_t format_quiet_nan(const struct format *format);
uint64_t format_largest(const struct format *format);

bool real_is_nan(enum type type, uint64_t value);
bool real_is_signaling(enum type type, uint64_t value);
bool real_is_infinite(enum type type, uint64_t value);
bool real_is_zero(enum type type, uint64_t value);
bool real_is_denormal(enum type type, uint64_t value);
bool real_is_negative(enum type type, uint64_t value);
int real_exponent(enum type type, uint64_t value); /* the biased field */
uint64_t real_quiet(enum type type, uint64_t value);

/* `out` gets the exact value. Its precision must be 53 bits at least. */
void real_get(mpfr_t out, enum type type, uint64_t value);

/* Rounds an exact number; `rounding` as in MODE. No flush. */
uint64_t real_round(const mpfr_t exact, enum type type, unsigned rounding);

uint64_t real_from_double(enum type type, double number, unsigned rounding);

/* MODE's rounding for results of a type, and whether denormals of it are flushed. */
unsigned mode_rounding(const struct mode *mode, enum type type);
bool mode_flushes_inputs(const struct mode *mode, enum type type);
bool mode_flushes_results(const struct mode *mode, enum type type);

uint64_t real_flush(enum type type, uint64_t value); /* a denormal number to a zero of its sign */

/* a * b + c as real numbers, rounded as MODE says, flushed as MODE says; FP16_OVFL obeyed. */
uint64_t real_fma(const struct mode *mode, enum type type, uint64_t a, uint64_t b, uint64_t c);
uint64_t real_add(const struct mode *mode, enum type type, uint64_t a, uint64_t b);
uint64_t real_multiply(const struct mode *mode, enum type type, uint64_t a, uint64_t b);

/* Rounds and does what MODE says about denormals; `infinite_input`: an infinity is not an overflow. */
uint64_t real_finish(const struct mode *mode, enum type type, const mpfr_t exact, bool infinite_input);

/* <0, 0, >0, or UNORDERED. */
#define UNORDERED 2
int real_compare(enum type type, uint64_t a, uint64_t b);

/* Maps values to integers in their order, -0 before +0; NaN is out of the order's ends. */
int64_t real_order(enum type type, uint64_t value);
uint64_t real_from_order(enum type type, int64_t order);

/* Room to compute in: exact for sums and products of anything up to f64. */
#define EXACT_BITS 4400

#endif
