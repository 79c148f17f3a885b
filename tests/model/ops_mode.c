/* SPDX-License-Identifier: MIT */
/* Ways to write MODE and to read it. Only its float fields are touched: other bits belong to traps. */
#include <stdio.h>
#include <string.h>

#include "families.h"
#include "generate.h"

static void
round_mode(struct call *call)
{
   call->after->mode = (call->after->mode & ~0xfu) | (call->instance->offset[0] & 0xf);
}

static void
denorm_mode(struct call *call)
{
   call->after->mode = (call->after->mode & ~0xf0u) | (call->instance->offset[0] & 0xf) << 4;
}

/* offset[0]: the first bit, offset[1]: how many. */
static uint32_t
field_mask(const struct instance *instance)
{
   return (1u << instance->offset[1]) - 1;
}

static void
set_field(struct call *call)
{
   const struct instance *instance = call->instance;
   uint32_t mask = field_mask(instance), value = (uint32_t)operand_value(&instance->src[0], B32, call->machine, 0);
   unsigned first = instance->offset[0];
   call->after->mode = (call->after->mode & ~(mask << first)) | (value & mask) << first;
}

static void
get_field(struct call *call)
{
   const struct instance *instance = call->instance;
   call->after->sgpr[instance->dst.value] = call->machine->mode >> instance->offset[0] & field_mask(instance);
}

static const struct op ops[] = {
   {"s_round_mode", SCALAR, NONE, {NONE}, round_mode}, {"s_denorm_mode", SCALAR, NONE, {NONE}, denorm_mode},
   {"s_setreg_b32", SCALAR, NONE, {NONE}, set_field},  {"s_setreg_imm32_b32", SCALAR, NONE, {NONE}, set_field},
   {"s_getreg_b32", SCALAR, B32, {NONE}, get_field},
};

static void
choose(struct random *random, struct instance *instance)
{
   const char *name = instance->op->name;
   if (strstr(name, "_mode")) {
      instance->offset[0] = random_below(random, 16);
      snprintf(instance->tail, sizeof instance->tail, " %u", instance->offset[0]);
      return;
   }
   instance->offset[0] = random_below(random, 10);
   instance->offset[1] = 1 + random_below(random, 10 - instance->offset[0]);
   char field[40];
   snprintf(field, sizeof field, "hwreg(HW_REG_MODE, %u, %u)", instance->offset[0], instance->offset[1]);
   if (instance->op->dst) {
      instance->dst = (struct operand){SGPR, (int32_t)random_below(random, MODEL_SGPRS), false};
      snprintf(instance->tail, sizeof instance->tail, ", %s", field);
   } else if (strstr(name, "imm32")) {
      instance->src[0] = (struct operand){LITERAL, (int32_t)random_32(random), false};
      snprintf(instance->tail, sizeof instance->tail, " %s, 0x%x", field, (uint32_t)instance->src[0].value);
   } else {
      instance->src[0] = (struct operand){SGPR, (int32_t)random_below(random, MODEL_SGPRS), false};
      snprintf(instance->tail, sizeof instance->tail, " %s, s%d", field, instance->src[0].value);
   }
}

const struct family mode_family = {
   .name = "mode",
   .ops = ops,
   .count = sizeof ops / sizeof ops[0],
   .execute = whole_execute,
   .choose = choose,
};
