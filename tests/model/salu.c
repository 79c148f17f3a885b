/* SPDX-License-Identifier: MIT */
/* What scalar operations share: operands, SCC, EXEC. RDNA3 ISA guide, chapter 6. */
#include "families.h"

static void
write_scalar(const struct operand *operand, enum type type, struct machine *machine, uint64_t value)
{
   bool pair = type_bits(type) == 64;
   uint64_t *wide_register = operand->kind == VCC ? &machine->vcc : operand->kind == EXEC ? &machine->exec : NULL;
   if (wide_register && pair)
      *wide_register = value;
   else if (wide_register && operand->value)
      *wide_register = (*wide_register & UINT32_MAX) | value << 32;
   else if (wide_register)
      *wide_register = (*wide_register & ~(uint64_t)UINT32_MAX) | (uint32_t)value;
   else if (operand->kind == M0)
      machine->m0 = (uint32_t)value;
   if (operand->kind != SGPR)
      return;
   machine->sgpr[operand->value] = (uint32_t)value;
   if (pair)
      machine->sgpr[operand->value + 1] = (uint32_t)(value >> 32);
}

void
scalar_answer(struct call *call, bits value)
{
   call->d = type_bits(call->op->dst) == 64 ? (uint64_t)value : (uint32_t)value;
   call->carry = call->d != 0;
}

void
scalar_move(struct call *call)
{
   call->d = (bits)source_number(call, 0);
}

void
scalar_move_if(struct call *call)
{
   call->d = call->carry ? (bits)source_number(call, 0) : call->old;
}

void
salu_execute(const struct instance *instance, struct machine *machine, unsigned reading)
{
   (void)reading;
   const struct op *op = instance->op;
   static struct machine before;
   before = *machine;
   struct call call = {.op = op,
                       .instance = instance,
                       .machine = &before,
                       .after = machine,
                       .carry = machine->scc,
                       .exec = machine->exec};
   for (unsigned s = 0; s < 3 && op->src[s]; s++)
      call.s[s] = operand_value(&instance->src[s], op->src[s], &before, 0);
   call.old = op->dst ? operand_value(&instance->dst, op->dst, &before, 0) : 0;
   op->lane(&call);
   /* SAVEEXEC writes EXEC after its destination has got the old one. */
   if (op->dst)
      write_scalar(&instance->dst, op->dst, machine, (uint64_t)call.d);
   if (op->flags & WRITES_EXEC) {
      struct operand exec = {.kind = EXEC};
      write_scalar(&exec, op->dst, machine, call.exec);
   }
   machine->scc = call.carry;
}
