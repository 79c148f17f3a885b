/* SPDX-License-Identifier: MIT */
/* Random machines, whose registers hold what the operands' types make of interest. */
#include "generate.h"

#include <string.h>

static uint64_t
random_exec(struct random *random)
{
   switch (random_below(random, 10)) {
   case 0:
      return 0;
   case 1:
      return UINT64_C(1) << random_below(random, 64);
   case 2:
      return UINT64_C(0xffffffff) << 32 * random_below(random, 2);
   case 3:
   case 4:
   case 5:
      return random_64(random) | random_64(random);
   default:
      return ~UINT64_C(0);
   }
}

static uint32_t
random_mode(struct random *random)
{
   uint32_t mode = random_below(random, 256);
   if (random_chance(random, 40))
      mode |= 0xf0;
   mode |= random_chance(random, 70) << 8;
   mode |= random_chance(random, 40) << 9;
   return mode | random_chance(random, 25) << 23;
}

static void
fill_source(struct random *random, const struct instance *instance, unsigned s, struct machine *machine)
{
   const struct operand *operand = &instance->src[s];
   enum type type = instance->op->src[s];
   unsigned number = (unsigned)operand->value, dwords = (type_bits(type) + 31) / 32;
   if (operand->kind != VGPR && operand->kind != SGPR)
      return;
   for (unsigned lane = 0; lane < (operand->kind == SGPR ? 1 : 64); lane++) {
      uint64_t value = random_value(random, type);
      if (type_bits(type) == 16)
         value |= random_value(random, type) << 16;
      if (instance->op->flags & MIX && instance->op_sel_hi >> s & 1)
         value = random_value(random, PKF16);
      for (unsigned i = 0; i < dwords && i < 2; i++) {
         if (operand->kind == VGPR)
            machine->vgpr[number + i < MODEL_VGPRS ? number + i : 0][lane] = (uint32_t)(value >> 32 * i);
         else if (number + i < MODEL_SGPRS)
            machine->sgpr[number + i] = (uint32_t)(value >> 32 * i);
      }
   }
}

void
machine_randomize(struct random *random, const struct instance *instance, struct machine *machine)
{
   struct tolerance *tolerance = machine->tolerance;
   memset(machine, 0, offsetof(struct machine, lds));
   for (unsigned i = 0; i < MODEL_LDS; i += 4) {
      uint32_t value = random_32(random);
      memcpy(machine->lds + i, &value, 4);
      memcpy(machine->memory + i, &value, 4);
   }
   machine->tolerance = tolerance;
   machine->tolerances = 0;
   machine->wave64 = instance->wave64;
   for (unsigned v = 0; v < MODEL_VGPRS; v++) {
      for (unsigned lane = 0; lane < 64; lane++)
         machine->vgpr[v][lane] = random_32(random);
   }
   for (unsigned s = 0; s < MODEL_SGPRS; s++)
      machine->sgpr[s] = random_32(random);
   machine->vcc = random_64(random);
   machine->exec = random_exec(random);
   if (!machine->wave64)
      machine->exec &= UINT32_MAX;
   machine->m0 = random_32(random);
   machine->scc = random_chance(random, 50);
   machine->mode = random_mode(random);
   machine->trapsts_unknown = UINT32_MAX;
   if (instance->op->flags & ACCUMULATE && instance->dst.kind == VGPR) {
      struct instance copy = *instance;
      struct op op = *instance->op;
      copy.op = &op;
      op.src[0] = op.dst;
      copy.src[0] = copy.dst;
      fill_source(random, &copy, 0, machine);
   }
   for (unsigned s = 0; s < 3 && instance->op->src[s] < MATRIX_8; s++)
      fill_source(random, instance, s, machine);
}
