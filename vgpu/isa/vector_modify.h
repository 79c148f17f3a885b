/* SPDX-License-Identifier: MIT */
/*
 * Part of vector.c: the slow ways round. DPP, abs, neg and op_sel of sources; clamp, omod and halves of results; and
 * what MODE asks of floating point that the host does not do by itself.
 */

/* ---- DPP (RDNA3 ISA guide, 7.7) ---- */

/* The lane that `lane` reads, or -1: none. */
static int
dpp16_lane(unsigned control, int lane)
{
   int row = lane & ~15, in_row = lane & 15, n = control & 15;
   if (control < 0x100)
      return (lane & ~3) | (control >> (lane & 3) * 2 & 3);
   switch (control >> 4) {
   case 0x10: /* row_shl */
      return in_row + n < 16 ? lane + n : -1;
   case 0x11: /* row_shr */
      return in_row >= n ? lane - n : -1;
   case 0x12: /* row_ror */
      return row | ((in_row - n) & 15);
   case 0x14: /* row_mirror, row_half_mirror */
      return n == 0 ? row | (15 - in_row) : (lane & ~7) | (7 - (lane & 7));
   case 0x15: /* row_share */
      return row | n;
   default: /* row_xmask */
      return row | (in_row ^ n);
   }
}

static void
permute(struct operands *o, const struct wave *wave, const struct inst *inst)
{
   uint64_t exec = wave_exec(wave);
   uint32_t source[LANES], *result = o->buffer[0][0];
   memcpy(source, o->lo[0], sizeof source);
   for (int l = 0; l < LANES; l++) {
      int from;
      bool keep = true;
      if (inst->flags & INST_DPP8) {
         from = (l & ~7) | (inst->dpp >> (8 + (l & 7) * 3) & 7);
      } else {
         from = dpp16_lane(inst->dpp >> 8 & 0x1ff, l);
         keep = (inst->dpp >> (28 + l / 16 % 4) & 1) && (inst->dpp >> (24 + l / 4 % 4) & 1);
      }
      bool valid = from >= 0 && ((inst->flags & INST_FI) || (exec >> from & 1));
      bool zero = inst->flags & (INST_BOUND_CTRL | INST_DPP8);
      o->lane_mask[l] = keep && (valid || zero) ? wave->exec_mask[l] : 0;
      result[l] = valid ? source[from] : 0;
   }
   o->lo[0] = result;
   o->mask = o->lane_mask;
}

/* ---- modifiers ---- */

/* To 0..1, by bits, so that denormals stay; DX10_CLAMP has a NaN become 0. */
static inline uint32_t
clamped_bits(uint32_t bits, bool dx10_clamp)
{
   uint32_t result = (int32_t)bits < 0 ? 0 : (int32_t)bits > 0x3f800000 ? 0x3f800000 : bits;
   bool nan = (int32_t)(bits & 0x7fffffff) > 0x7f800000;
   return nan ? (dx10_clamp ? 0 : bits) : result;
}

static inline float
clamped(float value, bool dx10_clamp)
{
   return as_float(clamped_bits(float_bits(value), dx10_clamp));
}

static uint64_t
clamped_bits64(uint64_t bits, bool dx10_clamp)
{
   const uint64_t one = UINT64_C(0x3ff) << 52, infinity = UINT64_C(0x7ff) << 52;
   if ((bits & INT64_MAX) > infinity)
      return dx10_clamp ? 0 : bits;
   return (int64_t)bits < 0 ? 0 : bits > one ? one : bits;
}

/* One source through its modifiers, by operand type. */
static void
modify_source(struct operands *o, const struct inst *inst, unsigned n, enum isa_type type)
{
   bool absolute = inst->abs >> n & 1, negative = inst->neg >> n & 1, high = inst->op_sel >> n & 1;
   bool packed = type == TYPE_PF16 || type == TYPE_PBF16 || type == TYPE_P16;
   if (inst->encoding == ISA_VOP3P && packed) {
      /* abs is neg_hi: each half of the operation has its own choice and sign. */
      bool high_of_high = inst->op_sel_hi >> n & 1;
      uint32_t flip = type == TYPE_P16 ? 0 : (negative ? 0x8000u : 0) | (absolute ? 0x80000000u : 0);
      for (unsigned l = 0; l < LANES; l++) {
         uint32_t value = o->lo[n][l];
         uint32_t low = high ? value >> 16 : value & 0xffff, upper = high_of_high ? value >> 16 : value & 0xffff;
         o->buffer[n][0][l] = (low | upper << 16) ^ flip;
      }
      o->lo[n] = o->buffer[n][0];
      return;
   }
   if (inst->encoding == ISA_VOP3P) {
      for (unsigned l = 0; l < LANES && type == TYPE_F32 && negative; l++)
         o->buffer[n][0][l] = o->lo[n][l] ^ 0x80000000;
      if (type == TYPE_F32 && negative)
         o->lo[n] = o->buffer[n][0];
      return;
   }
   bool half = type == TYPE_F16 || type == TYPE_BF16 || type == TYPE_B16 || type == TYPE_U16 || type == TYPE_I16;
   if (type == TYPE_TIED16 && inst->op_sel & 8) /* the half that the result goes to */
      half = high = true;
   if (half && high) {
      for (unsigned l = 0; l < LANES; l++)
         o->buffer[n][0][l] = o->lo[n][l] >> 16;
      o->lo[n] = o->buffer[n][0];
   }
   if (!absolute && !negative)
      return;
   if (type == TYPE_PF16 || type == TYPE_PBF16) {
      for (unsigned l = 0; l < LANES; l++)
         o->buffer[n][0][l] = (absolute ? o->lo[n][l] & 0x7fff7fff : o->lo[n][l]) ^ (negative ? 0x80008000 : 0);
      o->lo[n] = o->buffer[n][0];
      return;
   }
   bool wide = type == TYPE_F64;
   if (type != TYPE_F32 && type != TYPE_B32 && type != TYPE_F16 && type != TYPE_BF16 && type != TYPE_B16 && !wide)
      return; /* room in the encoding, but no meaning */
   uint32_t sign = half ? 0x8000 : 0x80000000;
   const uint32_t *source = wide ? o->hi[n] : o->lo[n];
   uint32_t *result = o->buffer[n][wide];
   for (unsigned l = 0; l < LANES; l++) {
      uint32_t value = absolute ? source[l] & ~sign : source[l];
      result[l] = negative ? value ^ sign : value;
   }
   if (wide)
      o->hi[n] = result;
   else
      o->lo[n] = result;
}

/* Denormal sources of 16 and 64 bits to 0, where MODE does not allow them. */
static void
flush_source(struct operands *o, unsigned n, enum isa_type type)
{
   const uint32_t *lo = o->lo[n], *hi = o->hi[n];
   uint32_t *low = o->buffer[n][0], *high = o->buffer[n][1];
   for (unsigned l = 0; l < LANES; l++) {
      if (type == TYPE_F64) {
         bool tiny = !(hi[l] & 0x7ff00000);
         low[l] = tiny ? 0 : lo[l];
         high[l] = tiny ? hi[l] & 0x80000000 : hi[l];
      } else {
         bool packed = type == TYPE_PF16 || type == TYPE_TIEDP16;
         low[l] = flush_half(lo[l] & 0xffff) | (packed ? flush_half(lo[l] >> 16) << 16 : 0);
      }
   }
   o->lo[n] = low;
   if (type == TYPE_F64)
      o->hi[n] = high;
}

/* MODE.IEEE: where a source is a signalling NaN it goes, quiet, into all of a minimum or maximum's sources, so that it
 * is the result; the third source of three meets the result of the others, and only its own counts there. */
static bool
is_signalling(uint64_t bits, unsigned mantissa_bits, unsigned size)
{
   uint64_t infinity = (UINT64_C(1) << (size - 1)) - (UINT64_C(1) << mantissa_bits);
   return (bits & (UINT64_MAX >> (65 - size))) > infinity && !(bits >> (mantissa_bits - 1) & 1);
}

static void
quiet_sources(uint64_t source[3], unsigned mantissa_bits, unsigned size)
{
   static const unsigned order[3] = {2, 0, 1};
   for (unsigned i = 0; i < 3; i++) {
      unsigned n = order[i];
      if (!is_signalling(source[n], mantissa_bits, size))
         continue;
      source[0] = source[1] = source[n] | UINT64_C(1) << (mantissa_bits - 1);
      if (n == 2)
         source[2] = source[0];
      return;
   }
}

static void
quiet_minmax(struct operands *o, enum isa_type type, unsigned sources)
{
   for (unsigned l = 0; l < LANES; l++) {
      uint64_t value[3] = {0}, high[3] = {0};
      for (unsigned n = 0; n < sources; n++) {
         value[n] = o->lo[n][l] | (type == TYPE_F64 ? (uint64_t)o->hi[n][l] << 32 : 0);
         high[n] = value[n] >> 16;
         if (type == TYPE_F16 || type == TYPE_PF16)
            value[n] &= 0xffff;
      }
      if (type == TYPE_F64)
         quiet_sources(value, 52, 64);
      else if (type == TYPE_F32)
         quiet_sources(value, 23, 32);
      else
         quiet_sources(value, 10, 16);
      if (type == TYPE_PF16)
         quiet_sources(high, 10, 16);
      for (unsigned n = 0; n < sources; n++) {
         o->buffer[n][0][l] = (uint32_t)value[n] | (type == TYPE_PF16 ? (uint32_t)high[n] << 16 : 0);
         o->buffer[n][1][l] = (uint32_t)(value[n] >> 32);
      }
   }
   for (unsigned n = 0; n < sources; n++) {
      o->lo[n] = o->buffer[n][0];
      o->hi[n] = o->buffer[n][1];
   }
}

static void __attribute__((noinline))
modify_sources(struct operands *o, const struct wave *wave, const struct inst *inst)
{
   bool flush = !(wave->mode & MODE_DENORM_IN_WIDE) && !(inst->op->flags & OP_RAW);
   if (inst->flags & (INST_DPP8 | INST_DPP16))
      permute(o, wave, inst);
   for (unsigned n = 0; n < 3; n++) {
      enum isa_type type = inst->op->src[n];
      if (type == TYPE_NONE || type == TYPE_MASK || type == TYPE_VCC)
         continue;
      if (inst->flags & INST_MODIFIED)
         modify_source(o, inst, n, type);
      if (flush && is_wide_float(type))
         flush_source(o, n, type);
   }
   if (wave->mode & MODE_IEEE && inst->op->flags & OP_MINMAX)
      quiet_minmax(o, inst->op->src[0], inst->op->src[2] == TYPE_NONE ? 2 : 3);
}

/* Multiplying the result is left out where denormals are kept, and with MODE.IEEE (RDNA3 ISA guide, 7.2.3). */
static float
result_factor(const struct wave *wave, const struct inst *inst, bool wide)
{
   static const float factor[4] = {1, 2, 4, 0.5f};
   bool denormals = wave->mode & (wide ? MODE_DENORM_OUT_WIDE : MODE_DENORM_OUT);
   return inst->encoding == ISA_VOP3P || denormals || (wave->mode & MODE_IEEE) ? 1 : factor[inst->omod & 3];
}

/* The same place of the guide: a result of -0 becomes +0 (one that only the product makes 0 keeps its sign). */
static inline float
multiplied(float value, float factor)
{
   return fabsf(value) < 0x1p-126f ? 0 : value * factor;
}

static uint64_t
finish_double(uint64_t bits, float factor, bool clamp, uint32_t mode)
{
   const uint64_t sign = UINT64_C(1) << 63;
   if (factor != 1)
      bits = bits >> 52 & 0x7ff ? double_bits(as_double(bits) * factor) : 0;
   if (!(mode & MODE_DENORM_OUT_WIDE) && !(bits >> 52 & 0x7ff))
      bits &= sign;
   return clamp ? clamped_bits64(bits, mode & MODE_DX10_CLAMP) : bits;
}

static void __attribute__((noinline))
finish_result(struct operands *o, struct wave *wave, const struct inst *inst, enum isa_type type)
{
   bool clamp = inst->flags & INST_CLAMP, dx10_clamp = wave->mode & MODE_DX10_CLAMP;
   bool wide = type_dwords(type) == 2;
   bool half = type == TYPE_B16 || type == TYPE_U16 || type == TYPE_I16 || type == TYPE_BF16;
   float factor = result_factor(wave, inst, type == TYPE_F64);
   uint32_t *lo = o->result[0], *hi = o->result[1];
   for (unsigned l = 0; l < LANES && type == TYPE_F32 && factor != 1; l++)
      lo[l] = float_bits(multiplied(as_float(lo[l]), factor));
   for (unsigned l = 0; l < LANES && type == TYPE_F32 && clamp; l++)
      lo[l] = clamped_bits(lo[l], dx10_clamp);
   if (type == TYPE_F64)
      _mm_setcsr(mxcsr_of_mode(wave->mode, true));
   for (unsigned l = 0; l < LANES && type == TYPE_F64; l++) {
      uint64_t bits = finish_double(lo[l] | (uint64_t)hi[l] << 32, factor, clamp, wave->mode);
      lo[l] = (uint32_t)bits;
      hi[l] = (uint32_t)(bits >> 32);
   }
   if (type == TYPE_F64)
      _mm_setcsr(mxcsr_of_mode(wave->mode, false));
   uint32_t *dlo = vgpr_destination(wave, inst->dst), *dhi = vgpr_destination(wave, inst->dst + 1u);
   bool to_high = half && inst->op_sel & 8;
   for (unsigned l = 0; l < LANES && dlo; l++) {
      uint32_t value = !half     ? lo[l]
                       : to_high ? (dlo[l] & 0xffff) | lo[l] << 16
                                 : (dlo[l] & 0xffff0000) | (lo[l] & 0xffff);
      dlo[l] = select_lane(o->mask[l], value, dlo[l]);
   }
   for (unsigned l = 0; l < LANES && wide && dhi; l++)
      dhi[l] = select_lane(o->mask[l], hi[l], dhi[l]);
}

#ifdef __F16C__
/* The usual case of the following: nearest even, denormals kept. */
static void
convert_halfs(uint16_t *halfs, const uint32_t *floats)
{
   for (unsigned l = 0; l < LANES; l += 8) {
      __m256 eight = _mm256_loadu_ps((const float *)(floats + l));
      _mm_storeu_si128((__m128i *)(halfs + l), _mm256_cvtps_ph(eight, _MM_FROUND_TO_NEAREST_INT));
   }
}

static bool
finish_half_quickly(struct operands *o, struct wave *wave, const struct inst *inst, uint32_t *vgpr)
{
   bool usual = !(inst->flags & INST_MODIFIED) && inst->encoding != ISA_VOP3P;
   if (!usual || half_mode(wave->mode) != ROUND_NEAREST_EVEN)
      return false;
   uint16_t halfs[LANES];
   convert_halfs(halfs, o->result[0]);
   for (unsigned l = 0; l < LANES; l++)
      vgpr[l] = select_lane(o->mask[l] & 0xffff, halfs[l], vgpr[l]);
   return true;
}
#else
static bool
finish_half_quickly(struct operands *o, struct wave *wave, const struct inst *inst, uint32_t *vgpr)
{
   return false;
}
#endif

/* Results of 16 bits are computed as floats; here they become halfs. */
static void __attribute__((noinline)) finish_half(struct operands *o, struct wave *wave, const struct inst *inst)
{
   uint32_t *vgpr = vgpr_destination(wave, inst->dst);
   if (!vgpr || finish_half_quickly(o, wave, inst, vgpr))
      return;
   const bool own_mode = inst->op->flags & OP_OWN_MODE;
   const unsigned mode = half_mode(wave->mode) & ~(own_mode ? HALF_ROUNDING : 0u);
   bool clamp = inst->flags & INST_CLAMP, dx10_clamp = wave->mode & MODE_DX10_CLAMP;
   bool to_high = inst->op_sel & 8 && inst->encoding != ISA_VOP3P;
   if (inst->encoding == ISA_VOP3P)
      to_high = inst->op->flags & OP_HIGH_RESULT;
   float factor = inst->flags & INST_MODIFIED ? result_factor(wave, inst, true) : 1;
   for (unsigned l = 0; l < LANES; l++) {
      if (!o->mask[l])
         continue;
      float value = as_float(o->result[0][l]);
      if (factor != 1)
         value = multiplied(from_half(to_half(value, mode)), factor); /* whose denormals are gone */
      if (clamp)
         value = clamped(value, dx10_clamp);
      uint16_t half = to_half(value, mode);
      vgpr[l] = to_high ? (vgpr[l] & 0xffff) | (uint32_t)half << 16 : (vgpr[l] & 0xffff0000) | half;
   }
}
