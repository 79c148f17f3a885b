/* SPDX-License-Identifier: MIT */
/* VOPD: two operations at once, in waves of 32 lanes. Both read before either writes (RDNA3 ISA guide, 7.6). */
#include <stdio.h>
#include <string.h>

#include "families.h"
#include "generate.h"

/* "v_dual_add_f32" does what v_add_f32 does. */
static const struct op *
single_op(const char *dual)
{
   char name[40];
   snprintf(name, sizeof name, "v_%s", dual + strlen("v_dual_"));
   for (size_t f = 0; f < family_count; f++) {
      for (size_t i = 0; families[f] != &dual_family && i < families[f]->count; i++) {
         if (!strcmp(families[f]->ops[i].name, name))
            return &families[f]->ops[i];
      }
   }
   return NULL;
}

static struct instance
half_of(const struct instance *instance, bool y)
{
   struct instance half = {.op = single_op(y ? instance->op_y->name : instance->op->name), .form = FORM_E32};
   half.dst = y ? instance->dst_y : instance->dst;
   for (unsigned s = 0; s < 3; s++)
      half.src[s] = y ? instance->src_y[s] : instance->src[s];
   return half;
}

static void
dual_execute(const struct instance *instance, struct machine *machine, unsigned reading)
{
   static struct machine y;
   struct instance half_x = half_of(instance, false), half_y = half_of(instance, true);
   y = *machine;
   valu_execute(&half_x, machine, reading);
   y.tolerances = machine->tolerances; /* they share the room */
   valu_execute(&half_y, &y, reading);
   machine->tolerances = y.tolerances;
   memcpy(machine->vgpr[instance->dst_y.value], y.vgpr[instance->dst_y.value], sizeof y.vgpr[0]);
}

#define FLOAT2(name, flags)                                   \
   {                                                          \
      "v_dual_" name, SCALAR | (flags), F32, {F32, F32}, NULL \
   }
/* Both halves; the first of X's that exist for Y only is v_dual_add_nc_u32. */
static const struct op ops[] = {
   FLOAT2("fmac_f32", ACCUMULATE),
   {"v_dual_fmaak_f32", SCALAR | LITERAL_2, F32, {F32, F32, F32}, NULL},
   {"v_dual_fmamk_f32", SCALAR | LITERAL_1, F32, {F32, F32, F32}, NULL},
   FLOAT2("mul_f32", 0),
   FLOAT2("add_f32", 0),
   FLOAT2("sub_f32", 0),
   FLOAT2("subrev_f32", 0),
   FLOAT2("mul_dx9_zero_f32", 0),
   {"v_dual_mov_b32", SCALAR, B32, {B32}, NULL},
   {"v_dual_cndmask_b32", SCALAR | KEEP_DENORMS, F32, {F32, F32}, NULL},
   FLOAT2("max_f32", 0),
   FLOAT2("min_f32", 0),
   {"v_dual_dot2acc_f32_f16", SCALAR | ACCUMULATE, F32, {PKF16, PKF16}, NULL},
};

static const struct op only_y[] = {
   {"v_dual_add_nc_u32", SCALAR, U32, {U32, U32}, NULL},
   {"v_dual_lshlrev_b32", SCALAR, B32, {U32, B32}, NULL},
   {"v_dual_and_b32", SCALAR, B32, {B32, B32}, NULL},
};

#define OPS (sizeof ops / sizeof ops[0])
#define ONLY_Y (sizeof only_y / sizeof only_y[0])

/* Source 0 may be anything, the others are VGPRs. The two operations' must lie in different banks: X has even ones. */
static void
choose_sources(struct random *random, const struct op *op, unsigned bank, int32_t literal, struct operand *sources)
{
   for (unsigned s = 0; s < 3 && op->src[s]; s++) {
      sources[s] = (struct operand){VGPR, (int32_t)(random_below(random, 30) * 2 + bank), false};
      if ((op->flags & LITERAL_1 && s == 1) || (op->flags & LITERAL_2 && s == 2))
         sources[s] = (struct operand){LITERAL, literal, false};
      else if (s == 0 && op->src[0] != PKF16 && random_chance(random, 30))
         sources[s] = random_chance(random, 50)
                         ? (struct operand){SGPR, (int32_t)random_below(random, 50), false}
                         : (struct operand){INLINE_INTEGER, (int32_t)random_below(random, 60), false};
      else if (s == 0 && op->src[0] != PKF16 && random_chance(random, 10))
         sources[s] = (struct operand){LITERAL, literal, false};
   }
}

static void
choose(struct random *random, struct instance *instance)
{
   unsigned y = random_below(random, OPS + ONLY_Y);
   int32_t literal = (int32_t)(random_value(random, F32) | 0x3000); /* never an inline constant */
   instance->op_y = y < OPS ? &ops[y] : &only_y[y - OPS];
   instance->dst = (struct operand){VGPR, (int32_t)random_below(random, 30) * 2, false};
   instance->dst_y = (struct operand){VGPR, (int32_t)random_below(random, 30) * 2 + 1, false};
   choose_sources(random, instance->op, 0, literal, instance->src);
   choose_sources(random, instance->op_y, 1, literal, instance->src_y);
   struct instance second = {.op = instance->op_y, .form = FORM_SCALAR, .dst = instance->dst_y};
   memcpy(second.src, instance->src_y, sizeof second.src);
   instance_print(&second);
   snprintf(instance->tail, sizeof instance->tail, " :: %.70s", second.text);
}

/* Values of the second operation's types; those of the first are there. */
static void
prepare(struct random *random, const struct instance *instance, struct machine *machine)
{
   for (unsigned s = 0; s < 3 && instance->op_y->src[s]; s++) {
      for (unsigned lane = 0; instance->src_y[s].kind == VGPR && lane < 32; lane++)
         machine->vgpr[instance->src_y[s].value][lane] = (uint32_t)random_value(random, instance->op_y->src[s]);
   }
}

const struct family dual_family = {
   .name = "dual",
   .ops = ops,
   .count = OPS,
   .execute = dual_execute,
   .choose = choose,
   .prepare = prepare,
};
