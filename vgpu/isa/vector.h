/* SPDX-License-Identifier: MIT */
/*
 * The inside of vector.c: operands of one vector ALU instruction as arrays over lanes. Plain VGPRs are used where they
 * lie; scalars and constants are spread over a buffer; modifiers, DPP and clamping take the slow way round through
 * buffers, so that the lanes' loop is the same for all.
 */
#ifndef VGPU_ISA_VECTOR_H
#define VGPU_ISA_VECTOR_H

#include "isa/access.h"
#include "isa/table.h"

#define LANES WAVE_SIZE

struct operands {
   const uint32_t *lo[3], *hi[3]; /* the sources' registers */
   uint32_t *dlo, *dhi;           /* the destination's, or `result` */
   const uint32_t *mask;          /* lanes to write: all ones or 0 */
   uint32_t result[2][LANES];
   uint32_t buffer[3][2][LANES];
   uint32_t lane_mask[LANES];
} __attribute__((aligned(64)));

static __attribute__((always_inline)) inline void
spread(uint32_t *lanes, uint32_t value)
{
   for (unsigned i = 0; i < LANES; i++)
      lanes[i] = value;
}

/* A bit a lane to all ones or 0. */
static __attribute__((always_inline)) inline void
expand_mask(uint32_t *lanes, uint64_t bits)
{
   for (unsigned half = 0; half < LANES / 32; half++) {
      uint32_t part = (uint32_t)(bits >> (32 * half));
      for (unsigned i = 0; i < 32; i++)
         lanes[half * 32 + i] = part & (1u << i) ? ~0u : 0;
   }
}

/* And back: the sign bit of each lane. */
static __attribute__((always_inline)) inline uint64_t
gather_mask(const uint32_t *lanes)
{
   uint64_t bits = 0;
#if defined(__AVX2__)
   for (unsigned i = 0; i < LANES; i += 8)
      bits |= (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_loadu_ps((const float *)(lanes + i))) << i;
#else
   for (unsigned i = 0; i < LANES; i += 4)
      bits |= (uint64_t)(uint32_t)_mm_movemask_ps(_mm_loadu_ps((const float *)(lanes + i))) << i;
#endif
   return bits;
}

static __attribute__((always_inline)) inline unsigned
type_dwords(enum isa_type type)
{
   if (type == TYPE_NONE)
      return 0;
   return type == TYPE_B64 || type == TYPE_U64 || type == TYPE_I64 || type == TYPE_F64 ? 2 : 1;
}

/* Scalars and constants, and lane masks; out of line, since VGPRs are by far the most frequent. */
static void __attribute__((noinline))
spread_source(struct operands *o, const struct wave *wave, const struct inst *inst, unsigned n, bool wide)
{
   uint64_t value = wide ? source64(wave, inst, n) : source32(wave, inst, n);
   spread(o->buffer[n][0], (uint32_t)value);
   o->lo[n] = o->buffer[n][0];
   if (wide) {
      spread(o->buffer[n][1], (uint32_t)(value >> 32));
      o->hi[n] = o->buffer[n][1];
   }
}

static void __attribute__((noinline))
spread_mask(struct operands *o, const struct wave *wave, const struct inst *inst, unsigned n)
{
   expand_mask(o->buffer[n][0], LANES == 64 ? source64(wave, inst, n) : source32(wave, inst, n));
   o->lo[n] = o->buffer[n][0];
}

static __attribute__((always_inline)) inline void
fetch(struct operands *o, const struct wave *wave, const struct inst *inst, unsigned n, enum isa_type type)
{
   unsigned selector = inst->src[n];
   bool wide = type_dwords(type) == 2;
   if (type == TYPE_NONE)
      return;
   if (type == TYPE_MASK || type == TYPE_VCC) {
      spread_mask(o, wave, inst, n);
   } else if (selector >= SRC_VGPR0) {
      o->lo[n] = vgpr_source(wave, selector - SRC_VGPR0);
      if (wide)
         o->hi[n] = vgpr_source(wave, selector - SRC_VGPR0 + 1);
   } else {
      spread_source(o, wave, inst, n, wide);
   }
}

static void __attribute__((noinline)) expand_exec(struct wave *wave)
{
   expand_mask(wave->exec_mask, wave_exec(wave));
   wave->exec_dirty = false;
}

static __attribute__((always_inline)) inline void
refresh_exec(struct wave *wave)
{
   if (__builtin_expect(wave->exec_dirty, 0))
      expand_exec(wave);
}

/* The slow ways round. */
static void modify_sources(struct operands *o, const struct wave *wave, const struct inst *inst);
static void finish_result(struct operands *o, struct wave *wave, const struct inst *inst, enum isa_type type);
static void finish_half(struct operands *o, struct wave *wave, const struct inst *inst);

static __attribute__((always_inline)) inline bool
is_wide_float(enum isa_type type)
{
   return type == TYPE_F64 || type == TYPE_F16 || type == TYPE_PF16 || type == TYPE_TIED16 || type == TYPE_TIEDP16 ||
          type == TYPE_LITERAL16;
}

/* Denormals of 64 and 16 bits are kept as a rule; MODE may say otherwise. Those of 32 bits are the host's business. */
static __attribute__((always_inline)) inline bool
flushes_wide(uint32_t mode)
{
   return (mode & (MODE_DENORM_IN_WIDE | MODE_DENORM_OUT_WIDE)) != (MODE_DENORM_IN_WIDE | MODE_DENORM_OUT_WIDE);
}

/* Must take the slow way round. */
static __attribute__((always_inline)) inline bool
is_modified(const struct wave *wave, const struct inst *inst, bool wide_floats, uint32_t op_flags)
{
   if (inst->flags & INST_MODIFIED)
      return true;
   return (wide_floats && flushes_wide(wave->mode)) || (op_flags & OP_MINMAX && wave->mode & MODE_IEEE);
}

static __attribute__((always_inline)) inline void
begin(struct operands *o, struct wave *wave, const struct inst *inst, enum isa_type a, enum isa_type b, enum isa_type c,
      enum isa_type d, bool wide_floats, uint32_t op_flags)
{
   refresh_exec(wave);
   o->mask = wave->exec_mask;
   fetch(o, wave, inst, 0, a);
   fetch(o, wave, inst, 1, b);
   fetch(o, wave, inst, 2, c);
   bool modified = is_modified(wave, inst, wide_floats, op_flags);
   if (__builtin_expect(modified, 0))
      modify_sources(o, wave, inst);
   if (d == TYPE_NONE)
      return;
   o->dlo = d == TYPE_F16 || modified ? NULL : vgpr_destination(wave, inst->dst);
   if (!o->dlo)
      o->dlo = o->result[0];
   if (type_dwords(d) == 2) {
      o->dhi = modified ? NULL : vgpr_destination(wave, inst->dst + 1u);
      if (!o->dhi)
         o->dhi = o->result[1];
   }
}

static __attribute__((always_inline)) inline void
end(struct operands *o, struct wave *wave, const struct inst *inst, enum isa_type d, bool wide_floats,
    uint32_t op_flags)
{
   if (d == TYPE_F16)
      finish_half(o, wave, inst);
   else if (__builtin_expect(is_modified(wave, inst, wide_floats, op_flags), 0))
      finish_result(o, wave, inst, d);
}

/* What MODE says of results of 16 bits, for to_half(). */
static __attribute__((always_inline)) inline unsigned
half_mode(uint32_t mode)
{
   return (mode >> 2 & 3) | (mode & MODE_FP16_OVFL ? HALF_FINITE : 0) | (mode & MODE_DENORM_OUT_WIDE ? 0 : HALF_FLUSH);
}

/* What is computed in 64 or 16 bits obeys the other half of MODE's rounding and denormal bits. */
static __attribute__((always_inline)) inline bool
uses_wide_mode(enum isa_type d, enum isa_type a)
{
   bool wide_source = a == TYPE_F64 || a == TYPE_F16 || a == TYPE_PF16;
   bool wide_result = d != TYPE_F32;
   return wide_source && wide_result;
}

static inline uint32_t
select_lane(uint32_t mask, uint32_t value, uint32_t old)
{
   return (value & mask) | (old & ~mask);
}

/* C types of operand types; loads and stores of a lane. */
#define C_NONE int
#define C_B16 uint16_t
#define C_U16 uint16_t
#define C_I16 int16_t
#define C_F16 float
#define C_BF16 float
#define C_B32 uint32_t
#define C_U32 uint32_t
#define C_I32 int32_t
#define C_F32 float
#define C_B64 uint64_t
#define C_U64 uint64_t
#define C_I64 int64_t
#define C_F64 double
#define C_P16 uint32_t
#define C_PF16 uint32_t
#define C_PBF16 uint32_t
#define C_P8 uint32_t
#define C_MASK bool
#define C_VCC bool
#define C_TIED float
#define C_TIED16 float
#define C_TIEDP16 uint32_t
#define C_LITERAL float
#define C_LITERAL16 float
#define C_VGPR uint32_t

#define LOAD_NONE(n) 0
#define LOAD_B16(n) (uint16_t) lo##n[l]
#define LOAD_U16(n) (uint16_t) lo##n[l]
#define LOAD_I16(n) (int16_t) lo##n[l]
#define LOAD_F16(n) from_half((uint16_t)lo##n[l])
#define LOAD_BF16(n) from_bfloat((uint16_t)lo##n[l])
#define LOAD_B32(n) lo##n[l]
#define LOAD_U32(n) lo##n[l]
#define LOAD_I32(n) (int32_t) lo##n[l]
#define LOAD_F32(n) as_float(lo##n[l])
#define LOAD_B64(n) (lo##n[l] | (uint64_t)hi##n[l] << 32)
#define LOAD_U64(n) LOAD_B64(n)
#define LOAD_I64(n) (int64_t) LOAD_B64(n)
#define LOAD_F64(n) as_double(LOAD_B64(n))
#define LOAD_P16(n) lo##n[l]
#define LOAD_PF16(n) lo##n[l]
#define LOAD_PBF16(n) lo##n[l]
#define LOAD_P8(n) lo##n[l]
#define LOAD_MASK(n) (lo##n[l] & 1)
#define LOAD_VCC(n) (lo##n[l] & 1)
#define LOAD_TIED(n) as_float(lo##n[l])
#define LOAD_TIED16(n) from_half((uint16_t)lo##n[l])
#define LOAD_TIEDP16(n) lo##n[l]
#define LOAD_LITERAL(n) as_float(lo##n[l])
#define LOAD_LITERAL16(n) from_half((uint16_t)lo##n[l])

#define STORE_32(value) dlo[l] = select_lane(mask[l], value, dlo[l])
#define STORE_64(value)                                               \
   do {                                                               \
      uint64_t whole = value;                                         \
      dlo[l] = select_lane(mask[l], (uint32_t)whole, dlo[l]);         \
      dhi[l] = select_lane(mask[l], (uint32_t)(whole >> 32), dhi[l]); \
   } while (0)
/* A result of 16 bits leaves the upper half of the register alone. */
#define STORE_16(value) STORE_32((dlo[l] & 0xffff0000) | (uint16_t)(value))
#define STORE_B16 STORE_16
#define STORE_U16 STORE_16
#define STORE_I16 STORE_16
#define STORE_F16(value) dlo[l] = float_bits(value)
#define STORE_BF16(value) STORE_16(to_bfloat(value))
#define STORE_B32 STORE_32
#define STORE_U32 STORE_32
#define STORE_I32(value) STORE_32((uint32_t)(value))
#define STORE_F32(value) STORE_32(float_bits(value))
#define STORE_B64 STORE_64
#define STORE_U64 STORE_64
#define STORE_I64(value) STORE_64((uint64_t)(value))
#define STORE_F64(value) STORE_64(double_bits(value))
#define STORE_P16 STORE_32
#define STORE_PF16 STORE_32

/* In semantics. */
#define LANE l
#define CLAMP clamp
#define VCC_BIT (vcc >> l & 1)
#define ROUND16 half_mode(mode)
/* Smallest magnitude of a float that stays as source, as result; FLUSH for sources that become results as they are. */
#define TINY_IN (mode & MODE_DENORM_IN ? 0 : 0x800000u)
#define TINY_OUT (mode & MODE_DENORM_OUT ? 0 : 0x800000u)
#define FLUSH(a) flush_f32(a, TINY_IN | TINY_OUT)
#define SUM_U32(sum) (clamp && (sum) >> 32 ? ~0u : (uint32_t)(sum))
#define LOW low_half
#define HIGH high_half
#define LO_U(a) (uint32_t)(uint16_t)(a)
#define HI_U(a) ((a) >> 16)
#define LO_I(a) (int32_t)(int16_t)(a)
#define HI_I(a) ((int32_t)(a) >> 16)
#define PACK(lo, hi) ((uint16_t)(lo) | (uint32_t)(uint16_t)(hi) << 16)
#define PACK_U16(lo, hi) (clamp ? PACK(saturate_u16(lo), saturate_u16(hi)) : PACK(lo, hi))
#define PACK_I16(lo, hi) (clamp ? PACK(saturate_i16(lo), saturate_i16(hi)) : PACK(lo, hi))
#define PACK_F16(lo, hi) \
   (clamp ? pack_half(clamped(lo, dx10_clamp), clamped(hi, dx10_clamp), ROUND16) : pack_half(lo, hi, ROUND16))

#endif
