/* SPDX-License-Identifier: MIT */
/* What all vector operations share: lanes, EXEC, DPP, modifiers, halves, denormals, masks. The operation itself is a
 * function from values to a value. RDNA3 ISA guide, chapter 7. */
#include <string.h>

#include "real.h"

/* ---- lanes ------------------------------------------------------------------------------------------------------ */

struct source_lane {
   unsigned lane;
   bool valid; /* else the source is 0, if it is read at all */
   bool write;
};

/* DPP16's controls (7.7.1): the lane that is read, or -1 outside of the row of 16. */
static int
dpp16_lane(unsigned control, unsigned lane)
{
   unsigned row = lane & ~15u, in_row = lane & 15, amount = control & 15;
   switch (control >> 4) {
   case 0x10: /* row_shl */
      return in_row + amount < 16 ? (int)(lane + amount) : -1;
   case 0x11: /* row_shr */
      return in_row >= amount ? (int)(lane - amount) : -1;
   case 0x12: /* row_ror */
      return (int)(row | ((in_row - amount) & 15));
   case 0x14: /* row_mirror, row_half_mirror */
      return (int)(amount ? (lane & ~7u) | (7 - (lane & 7)) : row | (15 - in_row));
   case 0x15: /* row_share */
      return (int)(row | amount);
   case 0x16: /* row_xmask */
      return (int)(row | (in_row ^ amount));
   default: /* quad_perm */
      return (int)((lane & ~3u) | (control >> 2 * (lane & 3) & 3));
   }
}

static struct source_lane
find_source(const struct instance *instance, const struct machine *machine, unsigned lane)
{
   const struct dpp *dpp = &instance->dpp;
   if (instance->form == FORM_DPP8 || instance->form == FORM_E64_DPP8) {
      unsigned from = (lane & ~7u) | dpp->select[lane & 7];
      return (struct source_lane){from, dpp->fetch_inactive || lane_is_on(machine, from), true};
   }
   if (instance->form != FORM_DPP16 && instance->form != FORM_E64_DPP16)
      return (struct source_lane){lane, true, true};
   int from = dpp16_lane(dpp->control, lane);
   bool valid = from >= 0 && (dpp->fetch_inactive || lane_is_on(machine, (unsigned)from));
   bool masked = !(dpp->row_mask >> lane / 16 & 1) || !(dpp->bank_mask >> lane / 4 % 4 & 1);
   return (struct source_lane){from >= 0 ? (unsigned)from : lane, valid, (valid || dpp->bound_ctrl) && !masked};
}

/* ---- modifiers -------------------------------------------------------------------------------------------------- */

static uint64_t
modify(enum type type, uint64_t value, bool absolute, bool negate)
{
   const struct format *format = format_of(type);
   if (format && absolute)
      value &= ~format_sign(format);
   if (format && negate)
      value ^= format_sign(format);
   return value;
}

static uint64_t
flush_source(const struct op *op, const struct mode *mode, enum type type, uint64_t value)
{
   if (!type_is_float(type) || op->flags & KEEP_DENORMS)
      return value;
   bool flush = mode_flushes_inputs(mode, type) || (op->flags & FORCE_FLUSH && type == F32);
   return flush ? real_flush(type, value) : value;
}

/* "If output denormals are enabled, then output modifiers are ignored. [...] Output modifiers are ignored if the IEEE
 * mode bit is set to 1." (7.2.3.1) */
static bool
omod_counts(const struct instance *instance, const struct mode *mode)
{
   bool denormals = mode->raw >> (instance->op->dst == F32 ? 5 : 7) & 1;
   return instance->omod && !mode->ieee && (!denormals || mode->omod_always);
}

/* On the rounded result: "-0 is flushed to +0"; a product that is too small kept its sign on gfx1201 (rocjitsu,
 * conversion.h), which the guide does not say. */
static uint64_t
scale(const struct mode *mode, enum type type, uint64_t value, unsigned omod)
{
   if (real_is_nan(type, value))
      return value;
   if (real_is_zero(type, value) || real_is_denormal(type, value))
      return 0;
   mpfr_t x;
   mpfr_init2(x, 53);
   real_get(x, type, value);
   mpfr_mul_2si(x, x, omod == 3 ? -1 : (long)omod, MPFR_RNDN);
   struct mode flushing = *mode;
   flushing.flush_out_32 = flushing.flush_out_16_64 = true;
   value = real_finish(&flushing, type, x, real_is_infinite(type, value));
   mpfr_clear(x);
   return real_is_zero(type, value) && mode->omod_underflow_positive ? 0 : value;
}

/* "clamp result to [0, 1.0]; -0 is clamped to +0"; DX10_CLAMP: "clamp NaN to zero, otherwise pass NaN thru". */
static uint64_t
clamp_float(const struct mode *mode, enum type type, uint64_t value)
{
   const struct format *format = format_of(type);
   uint64_t one = (uint64_t)((1 << (format->exponent_bits - 1)) - 1) << format->fraction_bits;
   if (real_is_nan(type, value))
      return mode->dx10_clamp ? 0 : value;
   if (real_is_negative(type, value))
      return 0;
   return value > one ? one : value;
}

static uint64_t
modify_result(const struct instance *instance, const struct mode *mode, enum type type, uint64_t value)
{
   const struct op *op = instance->op;
   if (!type_is_float(type))
      return value;
   if (!(op->flags & NO_OMOD) && omod_counts(instance, mode))
      value = scale(mode, type, value, instance->omod);
   if (instance->clamp && !(op->flags & NO_CLAMP))
      value = clamp_float(mode, type, value);
   return value;
}

/* ---- a lane ----------------------------------------------------------------------------------------------------- */

bits
valu_source(const struct instance *instance, const struct machine *machine, unsigned s, unsigned lane)
{
   struct source_lane from = find_source(instance, machine, lane);
   return s == 0 && !from.valid ? 0
                                : operand_value(&instance->src[s], instance->op->src[s], machine, s ? lane : from.lane);
}

static bits
fetch(const struct instance *instance, const struct machine *machine, const struct mode *mode, unsigned s,
      unsigned lane, unsigned half)
{
   const struct op *op = instance->op;
   const struct operand *operand = &instance->src[s];
   enum type type = op->src[s];
   bits value = valu_source(instance, machine, s, lane);
   if (op->flags & RAW)
      return value;
   bool negate = instance->neg >> s & 1, absolute = instance->abs >> s & 1;
   /* V_PK_FMAC_F16 has an inline constant in both halves (measured on Navi31, LLVM issue 94116). */
   if (op->flags & PACKED && op->flags & VOP2 && operand->kind == INLINE_FLOAT)
      value |= value << 16;
   if (op->flags & PACKED) {
      bool high = (half ? instance->op_sel_hi : instance->op_sel) >> s & 1;
      negate = (half ? instance->neg_hi : instance->neg) >> s & 1;
      value = (high ? value >> 16 : value) & 0xffff;
      type = type == PKF16 ? F16 : U16;
   } else if (op->flags & MIX) {
      absolute = instance->neg_hi >> s & 1;
      if (instance->op_sel_hi >> s & 1) {
         value = (instance->op_sel >> s & 1 ? value >> 16 : value) & 0xffff;
         type = F16;
      }
   } else if (type_bits(type) == 16) {
      value = (operand->high || (instance->op_sel >> s & 1) ? value >> 16 : value) & 0xffff;
   }
   if (type_bits(type) > 64)
      return value;
   return flush_source(op, mode, type, modify(type, (uint64_t)value, absolute, negate));
}

static bool
writes_upper(const struct instance *instance)
{
   const struct op *op = instance->op;
   return type_bits(op->dst) == 16 &&
          (op->flags & HIGH_RESULT || instance->dst.high || (!(op->flags & VOP3P) && instance->op_sel & 8));
}

static void
note_tolerance(const struct call *call, struct machine *machine, enum type type, bool upper)
{
   const struct instance *instance = call->instance;
   if (instance->dst.value >= MODEL_VGPRS || !machine->tolerance || machine->tolerances == MODEL_TOLERANCES ||
       !(type_is_float(type) || call->unknown))
      return;
   struct tolerance tolerance = {.vgpr = (uint8_t)instance->dst.value,
                                 .lane = (uint8_t)call->lane,
                                 .upper = upper,
                                 .type = type,
                                 .anything = call->unknown};
   if (!call->unknown)
      tolerance.any_nan = real_is_nan(type, (uint64_t)call->d) && !(call->op->flags & KEEP_NAN);
   if (call->approximate) {
      tolerance.low = modify_result(instance, call->mode, type, (uint64_t)call->low);
      tolerance.high = modify_result(instance, call->mode, type, (uint64_t)call->high);
   } else {
      tolerance.low = tolerance.high = call->d;
   }
   if (tolerance.any_nan || call->approximate || call->unknown)
      machine->tolerance[machine->tolerances++] = tolerance;
}

static void
write_result(const struct call *call, struct machine *machine, bits value, bool upper, unsigned size)
{
   unsigned number = (unsigned)call->instance->dst.value;
   for (unsigned i = 0; i < (size + 31) / 32; i++) {
      if (number + i >= MODEL_VGPRS)
         continue; /* 7.2.7: not written */
      uint32_t *destination = &machine->vgpr[number + i][call->lane];
      if (size == 16)
         *destination = upper ? (uint32_t)(value & 0xffff) << 16 | (*destination & 0xffff)
                              : (uint32_t)(value & 0xffff) | (*destination & 0xffff0000);
      else
         *destination = (uint32_t)(value >> 32 * i);
   }
}

static void
run(struct call *call, struct machine *machine, enum type type, bool upper, unsigned size)
{
   const struct instance *instance = call->instance;
   call->op->lane(call);
   if (instance->op->dst == MASK)
      return;
   if (type_is_float(type) || call->unknown) {
      note_tolerance(call, machine, type, upper);
      call->d = modify_result(instance, call->mode, type, (uint64_t)call->d);
   }
   write_result(call, machine, call->d, upper, size);
}

static bits
destination_before(const struct instance *instance, const struct machine *before, const struct mode *mode,
                   unsigned lane, bool upper)
{
   const struct op *op = instance->op;
   bits old = operand_value(&instance->dst, op->dst, before, lane);
   if (type_bits(op->dst) == 16)
      old = (upper ? old >> 16 : old) & 0xffff;
   if (op->flags & PACKED)
      old = (upper ? old >> 16 : old) & 0xffff;
   if (type_bits(op->dst) > 64)
      return old;
   return flush_source(op, mode, op->flags & PACKED && op->dst == PKF16 ? F16 : op->dst, (uint64_t)old);
}

/* ---- masks ------------------------------------------------------------------------------------------------------ */

static void
write_mask(const struct operand *operand, struct machine *machine, uint64_t mask)
{
   uint64_t keep = machine->wave64 ? 0 : ~UINT64_C(0) << 32;
   switch (operand->kind) {
   case VCC:
      machine->vcc = (machine->vcc & keep) | mask;
      break;
   case EXEC:
      machine->exec = (machine->exec & keep) | mask;
      break;
   case SGPR:
      machine->sgpr[operand->value] = (uint32_t)mask;
      if (machine->wave64)
         machine->sgpr[operand->value + 1] = (uint32_t)(mask >> 32);
      break;
   default:
      break;
   }
}

void
valu_execute(const struct instance *instance, struct machine *machine, unsigned reading)
{
   static struct machine before;
   before = *machine;
   const struct op *op = instance->op;
   struct mode mode = mode_decode(machine->mode, reading);
   if (op->flags & NEAREST)
      mode.round_32 = mode.round_16_64 = 0;
   if (op->flags & FORCE_FLUSH)
      mode.flush_in_32 = mode.flush_out_32 = true;
   struct operand vcc = {.kind = VCC}, exec = {.kind = EXEC};
   const struct operand *carry_in = instance->carry.kind ? &instance->carry : &vcc;
   uint64_t mask = 0, masks_in = (uint64_t)operand_value(carry_in, MASK, &before, 0);
   for (unsigned lane = 0; lane < lane_count(machine); lane++) {
      struct source_lane from = find_source(instance, &before, lane);
      if (!lane_is_on(&before, lane) || !from.write)
         continue;
      struct call call = {
         .op = op, .instance = instance, .mode = &mode, .machine = &before, .after = machine, .lane = lane};
      for (unsigned half = 0; half < (op->flags & PACKED ? 2 : 1); half++) {
         for (unsigned s = 0; s < 3 && op->src[s]; s++)
            call.s[s] = fetch(instance, &before, &mode, s, lane, half);
         bool upper = op->flags & PACKED ? half : writes_upper(instance);
         call.half = half;
         call.clamp = instance->clamp;
         call.carry = masks_in >> lane & 1;
         call.approximate = call.unknown = false;
         call.old = op->dst == MASK ? 0 : destination_before(instance, &before, &mode, lane, upper);
         run(&call, machine, op->flags & PACKED && op->dst == PKF16 ? F16 : op->dst, upper,
             op->flags & PACKED ? 16 : type_bits(op->dst));
      }
      mask |= (uint64_t)call.carry << lane;
      machine->unknown_mask |= (uint64_t)call.unknown << lane;
   }
   if (op->dst == MASK)
      write_mask(op->flags & WRITES_EXEC ? &exec : &instance->dst, machine, mask);
   else if (op->flags & CARRY_OUT)
      write_mask(&instance->sdst, machine, mask);
}
