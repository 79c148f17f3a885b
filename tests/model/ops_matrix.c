/* SPDX-License-Identifier: MIT */
/*
 * WMMA: D = A * B + C, 16 by 16, whatever EXEC says. RDNA3 ISA guide, 7.9: lane n of the first 16 has row n of A and
 * column n of B, 16 elements in sequence, the other lanes have copies; row r of C is in register r / 2 (in waves of 64
 * lanes r / 4) of the lanes whose number divided by 16 is the rest. How hardware sums is not documented: right is what
 * is off by no more than two roundings of the sum of magnitudes.
 */
#include <stdio.h>
#include <string.h>

#include "families.h"
#include "generate.h"
#include "real.h"

struct matrix {
   enum type element, result;
   unsigned size; /* bits of an element */
};

static struct matrix
matrix_of(const struct op *op)
{
   const char *name = op->name + strlen("v_wmma_");
   enum type result = !strncmp(name, "f32", 3) ? F32 : !strncmp(name, "f16", 3) ? F16 : *name == 'b' ? BF16 : I32;
   if (strstr(name, "_iu"))
      return (struct matrix){NONE, result, strstr(name, "_iu8") ? 8 : 4};
   return (struct matrix){strstr(name, "_bf16") ? BF16 : F16, result, 16};
}

static uint32_t
element(const struct call *call, unsigned s, unsigned lane, unsigned k, unsigned size)
{
   unsigned bit = k * size, number = (unsigned)call->instance->src[s].value;
   return (call->machine->vgpr[number + bit / 32][lane] >> bit % 32) & ((1u << size) - 1);
}

/* NEG is for elements in the low halves of registers, NEG_HI for those in the high ones. */
static uint64_t
float_element(const struct call *call, unsigned s, unsigned lane, unsigned k, enum type type)
{
   const struct instance *instance = call->instance;
   bool negate = (k & 1 ? instance->neg_hi : instance->neg) >> s & 1;
   return element(call, s, lane, k, 16) ^ (negate ? format_sign(format_of(type)) : 0);
}

struct place {
   unsigned reg, lane;
};

static struct place
place_of(const struct call *call, unsigned row, unsigned column)
{
   unsigned rows = lane_count(call->machine) / 16;
   return (struct place){row / rows, column + 16 * (row % rows)};
}

static bool
uses_upper(const struct call *call)
{
   return call->instance->op_sel >> 2 & 1;
}

static uint32_t
addend(const struct call *call, struct place place, enum type type)
{
   const struct operand *operand = &call->instance->src[2];
   bool half = type_bits(type) == 16;
   if (operand->kind != VGPR) {
      uint32_t value = (uint32_t)operand_value(operand, type == F16 ? F16 : F32, call->machine, 0);
      return type == BF16 ? value >> 16 : value;
   }
   uint32_t value = call->machine->vgpr[(unsigned)operand->value + place.reg][place.lane];
   return half ? (uses_upper(call) ? value >> 16 : value & 0xffff) : value;
}

static void
write_float(struct call *call, struct place place, enum type type, const mpfr_t sum, const mpfr_t magnitudes)
{
   unsigned number = (unsigned)call->instance->dst.value + place.reg;
   bool upper = type != F32 && uses_upper(call);
   mpfr_t bound;
   mpfr_init2(bound, EXACT_BITS);
   struct tolerance tolerance = {.vgpr = (uint8_t)number, .lane = (uint8_t)place.lane, .upper = upper, .type = type};
   mpfr_mul_2si(bound, magnitudes, 1 - format_of(type)->fraction_bits, MPFR_RNDN);
   mpfr_sub(bound, sum, bound, MPFR_RNDN);
   tolerance.low = real_round(bound, type, 2);
   mpfr_mul_2si(bound, magnitudes, 1 - format_of(type)->fraction_bits, MPFR_RNDN);
   mpfr_add(bound, sum, bound, MPFR_RNDN);
   tolerance.high = real_round(bound, type, 1);
   mpfr_clear(bound);
   uint32_t value = (uint32_t)real_round(sum, type, 0), *to = &call->after->vgpr[number][place.lane];
   *to = type == F32 ? value : upper ? (*to & 0xffff) | value << 16 : (*to & 0xffff0000) | value;
   if (call->after->tolerance && call->after->tolerances < MODEL_TOLERANCES)
      call->after->tolerance[call->after->tolerances++] = tolerance;
}

static void
multiply_floats(struct call *call)
{
   struct matrix matrix = matrix_of(call->op);
   const struct instance *instance = call->instance;
   mpfr_t sum, magnitudes, a, b;
   mpfr_inits2(EXACT_BITS, sum, magnitudes, (mpfr_ptr)NULL);
   mpfr_inits2(53, a, b, (mpfr_ptr)NULL);
   for (unsigned row = 0; row < 16; row++) {
      for (unsigned column = 0; column < 16; column++) {
         struct place place = place_of(call, row, column);
         uint64_t c = addend(call, place, matrix.result), sign = format_sign(format_of(matrix.result));
         c = instance->neg_hi >> 2 & 1 ? c & ~sign : c;
         c = instance->neg >> 2 & 1 ? c ^ sign : c;
         real_get(sum, matrix.result, c);
         mpfr_abs(magnitudes, sum, MPFR_RNDN);
         for (unsigned k = 0; k < 16; k++) {
            real_get(a, matrix.element, float_element(call, 0, row, k, matrix.element));
            real_get(b, matrix.element, float_element(call, 1, column, k, matrix.element));
            mpfr_mul(a, a, b, MPFR_RNDN);
            mpfr_add(sum, sum, a, MPFR_RNDN);
            mpfr_abs(a, a, MPFR_RNDN);
            mpfr_add(magnitudes, magnitudes, a, MPFR_RNDN);
         }
         write_float(call, place, matrix.result, sum, magnitudes);
      }
   }
   mpfr_clears(sum, magnitudes, a, b, (mpfr_ptr)NULL);
}

static wide
integer_element(const struct call *call, unsigned s, unsigned lane, unsigned k, unsigned size)
{
   uint32_t value = element(call, s, lane, k, size);
   bool is_signed = call->instance->neg >> s & 1;
   return is_signed && value >> (size - 1) ? (wide)value - (1 << size) : (wide)value;
}

static void
multiply_integers(struct call *call)
{
   struct matrix matrix = matrix_of(call->op);
   for (unsigned row = 0; row < 16; row++) {
      for (unsigned column = 0; column < 16; column++) {
         struct place place = place_of(call, row, column);
         wide sum = integer(I32, addend(call, place, I32));
         for (unsigned k = 0; k < 16; k++)
            sum += integer_element(call, 0, row, k, matrix.size) * integer_element(call, 1, column, k, matrix.size);
         call->after->vgpr[(unsigned)call->instance->dst.value + place.reg][place.lane] =
            (uint32_t)(call->instance->clamp ? saturate(I32, sum) : (bits)sum);
      }
   }
}

#define WMMA(result, element, kind, flags, function)                                                           \
   {                                                                                                           \
      "v_wmma_" result "_16x16x16_" element, VOP3P | NO_DPP | RAW | (flags), MATRIX_C, {kind, kind, MATRIX_C}, \
         function                                                                                              \
   }

static const struct op ops[] = {
   WMMA("f32", "f16", MATRIX_8, NO_CLAMP, multiply_floats),
   WMMA("f32", "bf16", MATRIX_8, NO_CLAMP, multiply_floats),
   WMMA("f16", "f16", MATRIX_8, NO_CLAMP, multiply_floats),
   WMMA("bf16", "bf16", MATRIX_8, NO_CLAMP, multiply_floats),
   WMMA("i32", "iu8", MATRIX_4, CLAMPS | SIGNS, multiply_integers),
   WMMA("i32", "iu4", MATRIX_2, CLAMPS | SIGNS, multiply_integers),
};

static void
choose(struct random *random, struct instance *instance)
{
   struct matrix matrix = matrix_of(instance->op);
   instance->src[0] = (struct operand){VGPR, (int32_t)random_below(random, 9), false};
   instance->src[1] = (struct operand){VGPR, 16 + (int32_t)random_below(random, 9), false};
   instance->src[2] = (struct operand){VGPR, 32 + (int32_t)random_below(random, 9), false};
   instance->dst = random_chance(random, 50) ? instance->src[2]
                                             : (struct operand){VGPR, 48 + (int32_t)random_below(random, 9), false};
   if (random_chance(random, 20))
      instance->src[2] = (struct operand){INLINE_INTEGER, 0, false};
   if (random_chance(random, 20) && matrix.element)
      instance->src[2] = (struct operand){INLINE_FLOAT, 2, false};
   instance->op_sel = matrix.result == F16 || matrix.result == BF16 ? (uint8_t)(random_below(random, 2) << 2) : 0;
   instance->op_sel_hi = 7;
   instance->clamp = !matrix.element && random_chance(random, 50);
   instance->neg = instance->neg_hi = 0;
   if (matrix.element) {
      instance->neg = (uint8_t)random_below(random, 8);
      instance->neg_hi = (uint8_t)random_below(random, 8);
   } else {
      instance->neg = (uint8_t)random_below(random, 4);
   }
}

/* A moderate number: what becomes of denormals and of sums that overflow on the way is not documented. */
static uint32_t
moderate(struct random *random, enum type type)
{
   const struct format *format = format_of(type);
   uint32_t bias = (1u << (format->exponent_bits - 1)) - 1, exponent = bias - 2 + random_below(random, 5);
   uint32_t fraction = random_32(random) & ((1u << format->fraction_bits) - 1);
   if (random_chance(random, 10))
      return 0;
   return exponent << format->fraction_bits | fraction |
          (random_chance(random, 50) ? (uint32_t)format_sign(format) : 0);
}

static void
prepare(struct random *random, const struct instance *instance, struct machine *machine)
{
   struct matrix matrix = matrix_of(instance->op);
   for (unsigned v = 0; v < MODEL_VGPRS; v++) {
      for (unsigned lane = 0; lane < 64; lane++) {
         if (!matrix.element)
            machine->vgpr[v][lane] = random_chance(random, 10) ? 0x7fffffff : random_32(random);
         else if (v >= 32 && matrix.result == F32)
            machine->vgpr[v][lane] = moderate(random, F32);
         else {
            enum type type = v >= 32 ? matrix.result : matrix.element;
            machine->vgpr[v][lane] = moderate(random, type) | moderate(random, type) << 16;
         }
         if (v < 32 && lane >= 16)
            machine->vgpr[v][lane] = machine->vgpr[v][lane & 15];
      }
   }
}

const struct family matrix_family = {
   .name = "matrix",
   .ops = ops,
   .count = sizeof ops / sizeof ops[0],
   .execute = whole_execute,
   .choose = choose,
   .prepare = prepare,
};
