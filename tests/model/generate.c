/* SPDX-License-Identifier: MIT */
/* Random instructions of an operation in an encoding: operands, modifiers, DPP. */
#include "generate.h"

#include <string.h>

bool
op_has_form(const struct op *op, enum form form)
{
   bool short_form = op->flags & (VOP1 | VOP2 | VOPC), dpp = !(op->flags & NO_DPP);
   switch (form) {
   case FORM_E32:
      return short_form;
   case FORM_E64:
      return !(op->flags & (SCALAR | NO_E64));
   case FORM_DPP16:
   case FORM_DPP8:
      return short_form && dpp;
   case FORM_E64_DPP16:
   case FORM_E64_DPP8:
      return dpp && !(op->flags & (SCALAR | NO_E64));
   case FORM_SCALAR:
      return op->flags & SCALAR;
   default:
      return false;
   }
}

static bool
is_dpp(enum form form)
{
   return form == FORM_DPP16 || form == FORM_DPP8 || form == FORM_E64_DPP16 || form == FORM_E64_DPP8;
}

static struct operand
random_vgpr(struct random *random, unsigned dwords, bool may_be_absent)
{
   if (may_be_absent && dwords == 1 && random_chance(random, 2))
      return (struct operand){VGPR, (int32_t)(MODEL_VGPRS + random_below(random, 60)), false};
   return (struct operand){VGPR, (int32_t)random_below(random, MODEL_VGPRS - dwords + 1), false};
}

#define SOURCE_SGPRS 60 /* masks are written above */

static struct operand
random_scalar(struct random *random, const struct instance *instance, enum type type)
{
   bool masks = instance->op->dst == MASK || instance->op->flags & (CARRY_IN | CARRY_OUT | READS_VCC);
   bool pair = type_bits(type) == 64;
   unsigned kind = random_below(random, masks ? 60 : 80);
   if (kind >= 60)
      return (struct operand){kind < 66            ? VCC
                              : kind < 72          ? EXEC
                              : kind < 76 && !pair ? M0
                                                   : NULL_REGISTER,
                              kind < 72 && !pair ? (int32_t)random_below(random, 2) : 0, false};
   if (pair)
      return (struct operand){SGPR, (int32_t)random_below(random, SOURCE_SGPRS / 2) * 2, false};
   return (struct operand){SGPR, (int32_t)random_below(random, SOURCE_SGPRS), false};
}

/* 16-bit integers have no inline floats that all agree on, and packed constants have to be used with care (7.5.1). */
static struct operand
random_constant(struct random *random, enum type type, bool literals)
{
   unsigned kind = random_below(random, 10);
   if (kind < 2 && literals) {
      int32_t literal = (int32_t)random_value(random, type_bits(type) == 64 ? F32 : type);
      if (type == F64) /* the assembler would rather have a small one as an integer of 64 bits */
         literal |= 0x10000000;
      return (struct operand){LITERAL, literal, false};
   }
   bool floats = type != U16 && type != I16 && type != B16 && type != PK16;
   if (kind < 6 || !floats)
      return (struct operand){INLINE_INTEGER, (int32_t)random_below(random, 81) - 16, false};
   return (struct operand){INLINE_FLOAT, (int32_t)random_below(random, 9), false};
}

static struct operand
random_source(struct random *random, const struct instance *instance, unsigned s)
{
   const struct op *op = instance->op;
   enum type type = op->src[s];
   unsigned dwords = (type_bits(type) + 31) / 32;
   if (type >= MATRIX_8) /* its family chooses */
      return (struct operand){VGPR, 0, false};
   bool short_form = instance->form == FORM_E32,
        vector_only = is_dpp(instance->form) || (short_form && s > 0) || type_bits(type) > 64;
   if ((op->flags & LITERAL_1 && s == 1) || (op->flags & LITERAL_2 && s == 2))
      return (struct operand){LITERAL, (int32_t)(random_value(random, type) & (type_bits(type) == 16 ? 0xffff : ~0u)),
                              false};
   if (op->flags & IMMEDIATE && (s == 2 || !op->src[s + 1]))
      return (struct operand){LITERAL, (int32_t)(random_value(random, type) & 0xffff), false};
   unsigned kind = vector_only          ? 0
                   : op->flags & SCALAR ? 65 + random_below(random, op->flags & IMMEDIATE ? 20 : 35)
                                        : random_below(random, 100);
   if (kind < 65)
      return random_vgpr(random, dwords, true);
   if (kind < 85)
      return random_scalar(random, instance, type);
   if (op->flags & VOP2 && type == PKF16 && instance->form == FORM_E32 && random_chance(random, 50))
      return (struct operand){INLINE_FLOAT, (int32_t)random_below(random, 9), false};
   if (op->flags & (RAW | VOP2) && (type == PKF16 || type == PK16)) /* constants of pairs go by rules of their own */
      return random_vgpr(random, dwords, false);
   if (type == U32 && op->src[0] == F16) /* V_CMP_CLASS_F16: of what size is a float constant there? */
      type = U16;
   return random_constant(random, type,
                          !(op->flags & (LITERAL_1 | LITERAL_2 | PACKED | MIX)) && !is_dpp(instance->form));
}

static struct operand
random_mask(struct random *random, bool wave64, unsigned first, bool may_be_null)
{
   unsigned kind = random_below(random, 10);
   if (kind < 3)
      return (struct operand){VCC, 0, false};
   if (kind < 4 && may_be_null)
      return (struct operand){NULL_REGISTER, 0, false};
   return (struct operand){SGPR, (int32_t)(first + (wave64 ? random_below(random, 8) * 2 : random_below(random, 16))),
                           false};
}

static struct operand
random_scalar_destination(struct random *random, enum type type)
{
   bool pair = type_bits(type) == 64;
   unsigned kind = random_below(random, 20);
   if (kind < 3)
      return (struct operand){kind ? VCC : EXEC, pair ? 0 : (int32_t)random_below(random, 2), false};
   if (kind == 3)
      return (struct operand){pair ? NULL_REGISTER : M0, 0, false};
   if (kind == 4)
      return (struct operand){NULL_REGISTER, 0, false};
   return (struct operand){SGPR, (int32_t)(pair ? random_below(random, 53) * 2 : random_below(random, 106)), false};
}

static void
randomize_dpp(struct random *random, struct dpp *dpp)
{
   static const uint16_t bases[] = {0x100, 0x110, 0x120, 0x150, 0x160};
   unsigned kind = random_below(random, 8);
   if (kind < 2)
      dpp->control = (uint16_t)random_below(random, 256);
   else if (kind == 2)
      dpp->control = (uint16_t)(0x140 + random_below(random, 2));
   else {
      unsigned base = bases[kind - 3], low = base < 0x140;
      dpp->control = (uint16_t)(base + low + random_below(random, 16 - low));
   }
   dpp->row_mask = random_chance(random, 60) ? 15 : (uint8_t)random_below(random, 16);
   dpp->bank_mask = random_chance(random, 60) ? 15 : (uint8_t)random_below(random, 16);
   dpp->bound_ctrl = random_chance(random, 50);
   dpp->fetch_inactive = random_chance(random, 40);
   /* With FI and without BOUND_CTRL the guide's text (DPP16's table of fields) and its table 31 disagree about lanes
    * outside of the row. */
   if (dpp->fetch_inactive && dpp->control >> 8 == 1 && dpp->control < 0x120)
      dpp->bound_ctrl = true;
   for (unsigned i = 0; i < 8; i++)
      dpp->select[i] = (uint8_t)random_below(random, 8);
}

static void
randomize_modifiers(struct random *random, struct instance *instance)
{
   const struct op *op = instance->op;
   bool long_form = instance->form == FORM_E64 || instance->form == FORM_E64_DPP16 || instance->form == FORM_E64_DPP8;
   for (unsigned s = 0; s < 3 && op->src[s]; s++) {
      bool is_float = type_is_float(op->src[s]) && (!(op->flags & RAW) || op->flags & FLOAT_PAIRS),
           constant = instance->src[s].kind >= NULL_REGISTER;
      if (is_float && (long_form || instance->form == FORM_DPP16)) {
         instance->neg |= (uint8_t)(random_chance(random, 25) << s);
         if (op->flags & VOP3P)
            instance->neg_hi |= (uint8_t)(random_chance(random, 25) << s);
         else if (!(op->flags & CARRY_OUT)) /* VOP3SD has no ABS */
            instance->abs |= (uint8_t)(random_chance(random, 20) << s);
      }
      if (op->flags & RAW && !(op->flags & FLOAT_PAIRS))
         instance->neg_hi = 0;
      if (op->flags & RAW && op->flags & VOP3P && s == 2 && op->flags & FLOAT_PAIRS)
         instance->op_sel_hi |= 4;
      else if (op->flags & (PACKED | MIX | FLOAT_PAIRS)) {
         instance->op_sel |= (uint8_t)((!constant && random_chance(random, 50)) << s);
         instance->op_sel_hi |= (uint8_t)((!constant && random_chance(random, 50)) << s);
      } else if (op->flags & RAW && op->flags & VOP3P) {
         instance->op_sel_hi |= (uint8_t)(1u << s);
         if (op->flags & SIGNS && s < 2)
            instance->neg |= (uint8_t)(random_chance(random, 50) << s);
      } else if (type_bits(op->src[s]) == 16 && !constant && random_chance(random, 35)) {
         if (long_form)
            instance->op_sel |= (uint8_t)(1u << s);
         else if (instance->src[s].kind == VGPR)
            instance->src[s].high = true;
      }
   }
   if (op->flags & FLOAT_PAIRS) /* of an f32 source NEG_HI says nothing known */
      instance->neg_hi &= 3;
   if (op->flags & PACKED && !(op->flags & VOP3P)) { /* V_PK_FMAC_F16 has no OP_SEL */
      instance->op_sel = 0;
      instance->op_sel_hi = 7;
   }
   if (type_bits(op->dst) == 16 && !(op->flags & VOP3P) && random_chance(random, 35)) {
      if (long_form)
         instance->op_sel |= 8;
      else
         instance->dst.high = true;
   }
   if (long_form && op->dst != MASK) {
      instance->clamp =
         op->flags & CLAMPS || (type_is_float(op->dst) && !(op->flags & NO_CLAMP)) ? random_chance(random, 25) : false;
      if (type_is_float(op->dst) && !(op->flags & (VOP3P | NO_OMOD)))
         instance->omod = random_chance(random, 30) ? (uint8_t)random_below(random, 4) : 0;
   }
}

void
instance_randomize(struct random *random, const struct op *op, enum form form, bool wave64, struct instance *instance)
{
   memset(instance, 0, sizeof *instance);
   instance->op = op;
   instance->form = form;
   instance->wave64 = wave64;
   for (unsigned s = 0; s < 3 && op->src[s]; s++)
      instance->src[s] = random_source(random, instance, s);
   bool short_form = form == FORM_E32 || form == FORM_DPP16 || form == FORM_DPP8;
   if (form == FORM_SCALAR) {
      instance->dst = random_scalar_destination(random, op->dst);
      return;
   }
   if (op->dst == MASK)
      instance->dst = short_form ? (struct operand){VCC, 0, false} : random_mask(random, wave64, SOURCE_SGPRS, true);
   else
      instance->dst = random_vgpr(random, (type_bits(op->dst) + 31) / 32, !(op->flags & ACCUMULATE));
   if (op->flags & CARRY_OUT)
      instance->sdst = short_form ? (struct operand){VCC, 0, false} : random_mask(random, wave64, SOURCE_SGPRS, true);
   if (op->flags & CARRY_IN)
      instance->carry =
         short_form ? (struct operand){VCC, 0, false} : random_mask(random, wave64, SOURCE_SGPRS + 16, false);
   if (is_dpp(form))
      randomize_dpp(random, &instance->dpp);
   randomize_modifiers(random, instance);
}
