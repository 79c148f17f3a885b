/* SPDX-License-Identifier: MIT */
/*
 * Part of vector.c: matrices of 16 by 16 spread over a wave (RDNA3 ISA guide, 7.9). Lane l holds row l % 16 of A and
 * column l % 16 of B, their 16 elements packed into consecutive registers; upper groups of 16 lanes repeat the first.
 * Register i of C and D holds, in lane l, column l % 16 of row i * (lanes / 16) + l / 16. EXEC does not count.
 */

enum { SIDE = 16, GROUPS = LANES / SIDE, MATRIX_REGISTERS = SIDE / GROUPS };

static const uint32_t *
matrix_register(const struct wave *wave, const struct inst *inst, unsigned n, unsigned i)
{
   return vgpr_source(wave, inst->src[n] - SRC_VGPR0 + i);
}

/* Signs of A and B: neg is that of the lower halves, neg_hi (abs) that of the upper. */
static void
read_floats(const struct wave *wave, const struct inst *inst, unsigned n, bool bfloat, float matrix[SIDE][SIDE])
{
   uint32_t flip = (inst->neg >> n & 1 ? 0x8000u : 0) | (inst->abs >> n & 1 ? 0x80000000u : 0);
   for (unsigned k = 0; k < SIDE; k += 2) {
      const uint32_t *pair = matrix_register(wave, inst, n, k / 2);
      for (unsigned l = 0; l < SIDE; l++) {
         uint32_t bits = pair[l] ^ flip;
         matrix[l][k] = bfloat ? as_float(bits << 16) : low_half(bits);
         matrix[l][k + 1] = bfloat ? as_float(bits & 0xffff0000) : high_half(bits);
      }
   }
}

/* Elements of C in lane order; those of 16 bits lie in the half that op_sel says. */
enum element { ELEMENT_F32, ELEMENT_F16, ELEMENT_BF16 };

static float
constant_element(const struct inst *inst, enum element element)
{
   uint32_t bits = (uint32_t)inst->value[2];
   if (element == ELEMENT_F32 || (inst->src[2] >= SRC_HALF && inst->src[2] <= SRC_INV_2PI))
      return as_float(element == ELEMENT_BF16 ? bits & 0xffff0000 : bits);
   return element == ELEMENT_F16 ? from_half((uint16_t)bits) : from_bfloat((uint16_t)bits);
}

static float
read_element(const struct wave *wave, const struct inst *inst, enum element element, unsigned i, unsigned lane)
{
   float value;
   if (inst->src[2] < SRC_VGPR0) {
      value = constant_element(inst, element);
   } else {
      uint32_t bits = matrix_register(wave, inst, 2, i)[lane];
      uint16_t half = (uint16_t)(inst->op_sel & 4 ? bits >> 16 : bits);
      value = element == ELEMENT_F32 ? as_float(bits) : element == ELEMENT_F16 ? from_half(half) : from_bfloat(half);
   }
   if (inst->abs & 4)
      value = fabsf(value);
   return inst->neg & 4 ? -value : value;
}

static uint32_t
element_bits(const struct inst *inst, enum element element, float value, uint32_t old)
{
   if (element == ELEMENT_F32)
      return float_bits(value);
   uint32_t half = element == ELEMENT_F16 ? to_half(value, ROUND_NEAREST_EVEN) : to_bfloat(value);
   return inst->op_sel & 4 ? (old & 0xffff) | half << 16 : (old & 0xffff0000) | half;
}

/* Sums of floats, rounded to nearest, whatever MODE says; those of 16 bits are rounded to them once. */
static enum isa_result
multiply_floats(struct wave *wave, const struct inst *inst, bool bfloat, enum element element)
{
   float a[SIDE][SIDE], b[SIDE][SIDE], d[MATRIX_REGISTERS][LANES];
   read_floats(wave, inst, 0, bfloat, a);
   read_floats(wave, inst, 1, bfloat, b);
   _mm_setcsr(_MM_MASK_MASK);
   for (unsigned i = 0; i < MATRIX_REGISTERS; i++) {
      for (unsigned l = 0; l < LANES; l++) {
         const float *row = a[i * GROUPS + l / SIDE], *column = b[l % SIDE];
         d[i][l] = read_element(wave, inst, element, i, l);
         for (unsigned k = 0; k < SIDE; k++)
            d[i][l] = fma_f32(row[k], column[k], d[i][l]);
      }
   }
   for (unsigned i = 0; i < MATRIX_REGISTERS; i++) {
      uint32_t *vgpr = vgpr_destination(wave, inst->dst + i);
      for (unsigned l = 0; l < LANES && vgpr; l++)
         vgpr[l] = element_bits(inst, element, d[i][l], vgpr[l]);
   }
   _mm_setcsr(mxcsr_of_mode(wave->mode, false));
   return ISA_NEXT;
}

static enum isa_result
v_wmma_f32_16x16x16_f16(struct wave *wave, const struct inst *inst)
{
   return multiply_floats(wave, inst, false, ELEMENT_F32);
}

static enum isa_result
v_wmma_f32_16x16x16_bf16(struct wave *wave, const struct inst *inst)
{
   return multiply_floats(wave, inst, true, ELEMENT_F32);
}

static enum isa_result
v_wmma_f16_16x16x16_f16(struct wave *wave, const struct inst *inst)
{
   return multiply_floats(wave, inst, false, ELEMENT_F16);
}

static enum isa_result
v_wmma_bf16_16x16x16_bf16(struct wave *wave, const struct inst *inst)
{
   return multiply_floats(wave, inst, true, ELEMENT_BF16);
}

/* Elements of 4 or 8 bits; neg says which matrix is signed. */
static void
read_integers(const struct wave *wave, const struct inst *inst, unsigned n, unsigned bits, int32_t matrix[SIDE][SIDE])
{
   unsigned in_register = 32 / bits, unused = 32 - bits;
   for (unsigned k = 0; k < SIDE; k++) {
      const uint32_t *packed = matrix_register(wave, inst, n, k / in_register);
      for (unsigned l = 0; l < SIDE; l++) {
         uint32_t top = packed[l] << (unused - k % in_register * bits);
         matrix[l][k] = inst->neg >> n & 1 ? (int32_t)top >> unused : (int32_t)(top >> unused);
      }
   }
}

static enum isa_result
multiply_integers(struct wave *wave, const struct inst *inst, unsigned bits)
{
   int32_t a[SIDE][SIDE], b[SIDE][SIDE], d[MATRIX_REGISTERS][LANES];
   read_integers(wave, inst, 0, bits, a);
   read_integers(wave, inst, 1, bits, b);
   for (unsigned i = 0; i < MATRIX_REGISTERS; i++) {
      for (unsigned l = 0; l < LANES; l++) {
         const int32_t *row = a[i * GROUPS + l / SIDE], *column = b[l % SIDE];
         int64_t sum =
            (int32_t)(inst->src[2] < SRC_VGPR0 ? (uint32_t)inst->value[2] : matrix_register(wave, inst, 2, i)[l]);
         for (unsigned k = 0; k < SIDE; k++)
            sum += row[k] * column[k];
         d[i][l] = inst->flags & INST_CLAMP ? saturate_i32(sum) : (int32_t)sum;
      }
   }
   for (unsigned i = 0; i < MATRIX_REGISTERS; i++) {
      uint32_t *vgpr = vgpr_destination(wave, inst->dst + i);
      if (vgpr)
         memcpy(vgpr, d[i], sizeof d[i]);
   }
   return ISA_NEXT;
}

static enum isa_result
v_wmma_i32_16x16x16_iu8(struct wave *wave, const struct inst *inst)
{
   return multiply_integers(wave, inst, 8);
}

static enum isa_result
v_wmma_i32_16x16x16_iu4(struct wave *wave, const struct inst *inst)
{
   return multiply_integers(wave, inst, 4);
}
