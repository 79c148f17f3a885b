/* SPDX-License-Identifier: MIT */
/* The tables of operations, one a file, and what their functions share. */
#ifndef FAMILIES_H
#define FAMILIES_H

#include "model.h"

extern const struct family *const families[];
extern const size_t family_count;

extern const struct family float_family, select_family, convert_family, approximate_family, round_family, divide_family;
extern const struct family integer_family, bits_family, bytes_family, compare_family, dot_family, carry_family;
extern const struct family scalar_family, scalar_pairs_family, lanes_family, lds_family, memory_family, matrix_family,
   dual_family, mode_family, smem_family, buffer_family, scratch_family, image_family, sample_family, exception_family;

/* For families of operations that are called once, not lane by lane. */
void whole_execute(const struct instance *instance, struct machine *machine, unsigned reading);

/* One of the logical functions by its name: s_NAME_b32, s_NAME_saveexec_b64 and the like. */
uint64_t scalar_logic(const char *name, uint64_t a, uint64_t b);

#define S0(call) ((uint64_t)(call)->s[0])
#define S1(call) ((uint64_t)(call)->s[1])
#define S2(call) ((uint64_t)(call)->s[2])

static inline bool
type_is_signed(enum type type)
{
   return type == I16 || type == I32 || type == I64;
}

static inline wide
least_of(enum type type)
{
   return type_is_signed(type) ? -((wide)1 << (type_bits(type) - 1)) : 0;
}

static inline wide
greatest_of(enum type type)
{
   return ((wide)1 << (type_bits(type) - type_is_signed(type))) - 1;
}

/* What bits of a type mean as a number. */
static inline wide
integer(enum type type, bits value)
{
   value &= ((bits)1 << type_bits(type)) - 1;
   return type_is_signed(type) && value >> (type_bits(type) - 1) ? (wide)(value - ((bits)1 << type_bits(type)))
                                                                 : (wide)value;
}

/* A source as a number of its type. */
static inline wide
source_number(const struct call *call, unsigned s)
{
   return integer(call->op->src[s], call->s[s]);
}

/* A scalar result, of which SCC says whether it is not 0. */
void scalar_answer(struct call *call, bits value);

/* S_MOV and S_CMOV, and with constants S_MOVK and S_CMOVK. */
void scalar_move(struct call *call);
void scalar_move_if(struct call *call);

static inline bits
saturate(enum type type, wide value)
{
   return (bits)(value < least_of(type) ? least_of(type) : value > greatest_of(type) ? greatest_of(type) : value);
}

#endif
