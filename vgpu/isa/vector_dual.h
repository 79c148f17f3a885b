/* SPDX-License-Identifier: MIT */
/* Part of vector.c: VOPD, whose two operations both read before either writes. */

typedef void (*dual_fn)(uint32_t *result, const uint32_t *lo0, const uint32_t *lo1, const uint32_t *lo2,
                        const struct inst *inst, struct wave *wave, uint64_t vcc);

#define VOPD(opcode, name, at, bt, ct, ...)                                                                   \
   static void name(uint32_t *restrict result, const uint32_t *lo0, const uint32_t *lo1, const uint32_t *lo2, \
                    const struct inst *inst, struct wave *wave, uint64_t vcc)                                 \
   {                                                                                                          \
      const uint32_t mode = wave->mode, *mask = wave->exec_mask, *hi0 = NULL, *hi1 = NULL, *hi2 = NULL;       \
      (void)mode, (void)mask, (void)hi0, (void)hi1, (void)hi2;                                                \
      const float K = as_float(inst->literal);                                                                \
      (void)K;                                                                                                \
      EACH_LANE                                                                                               \
      {                                                                                                       \
         C_##at A = LOAD_##at(0);                                                                             \
         C_##bt B = LOAD_##bt(1);                                                                             \
         float C = as_float(lo2[l]);                                                                          \
         (void)A, (void)B, (void)C;                                                                           \
         __typeof__(0 ? DUAL_RESULT_##at : DUAL_RESULT_##at) D;                                               \
         WATCH(at, bt, ct);                                                                                   \
         __VA_ARGS__;                                                                                         \
         RAISE(#name, at, at, bt, ct);                                                                        \
         result[l] = DUAL_BITS_##at(D);                                                                       \
      }                                                                                                       \
   }
#define DUAL_RESULT_F32 1.0f
#define DUAL_RESULT_PF16 1.0f
#define DUAL_RESULT_PBF16 1.0f
#define DUAL_RESULT_B32 1u
#define DUAL_RESULT_U32 1u
#define DUAL_BITS_F32 float_bits
#define DUAL_BITS_PF16 float_bits
#define DUAL_BITS_PBF16 float_bits
#define DUAL_BITS_B32
#define DUAL_BITS_U32
#include "isa/vopd.inc"
#undef VOPD

static const dual_fn duals[ISA_VOPD_OPS] = {
#define VOPD(opcode, name, ...) [opcode] = name,
#include "isa/vopd.inc"
#undef VOPD
};

/* One that is not allocated reads one of the first four, by its bank (RDNA3 ISA guide, 3.6.2). */
static const uint32_t *
dual_vgpr(const struct wave *wave, unsigned index)
{
   return vgpr_source(wave, index < wave->vgpr_count ? index : index % 4);
}

static const uint32_t *
dual_source(const struct wave *wave, const struct inst *inst, unsigned selector, uint64_t value, uint32_t *buffer)
{
   if (selector >= SRC_VGPR0)
      return dual_vgpr(wave, selector - SRC_VGPR0);
   struct inst scalar = {.src = {(uint16_t)selector}, .value = {value}};
   spread(buffer, source32(wave, &scalar, 0));
   return buffer;
}

static void
run_dual(struct wave *wave, const struct inst *inst, const struct isa_op *op, unsigned opcode, uint32_t *result,
         const uint32_t *src0, const uint32_t *src1, unsigned dst, uint64_t vcc)
{
   struct operands o;
   o.lo[0] = src0;
   o.lo[1] = src1;
   if (wave->mode & MODE_IEEE && op->flags & OP_MINMAX)
      quiet_minmax(&o, TYPE_F32, 2);
   for (unsigned n = 0; n < 2 && op->src[n] == TYPE_PF16 && !(wave->mode & MODE_DENORM_IN_WIDE); n++)
      flush_source(&o, n, TYPE_PF16);
   duals[opcode](result, o.lo[0], o.lo[1], dual_vgpr(wave, dst), inst, wave, vcc);
}

static void
blend(struct wave *wave, unsigned index, const uint32_t *result)
{
   uint32_t *vgpr = vgpr_destination(wave, index);
   for (unsigned l = 0; l < LANES && vgpr; l++)
      vgpr[l] = select_lane(wave->exec_mask[l], result[l], vgpr[l]);
}

static enum isa_result
execute_vopd(struct wave *wave, const struct inst *inst)
{
   uint32_t result_x[LANES], result_y[LANES], buffer_x[LANES], buffer_y[LANES];
   uint64_t vcc = mask_read(wave, SREG_VCC_LO);
   refresh_exec(wave);
   run_dual(wave, inst, inst->op, inst->opcode_x, result_x,
            dual_source(wave, inst, inst->src[0], inst->value[0], buffer_x), dual_vgpr(wave, inst->src[1] - SRC_VGPR0),
            inst->dst, vcc);
   run_dual(wave, inst, inst->op_y, inst->opcode_y, result_y,
            dual_source(wave, inst, inst->src_y[0], inst->value[1], buffer_y),
            dual_vgpr(wave, inst->src_y[1] - SRC_VGPR0), inst->dst_y, vcc);
   blend(wave, inst->dst, result_x);
   blend(wave, inst->dst_y, result_y);
   return SETTLE(wave, inst);
}
