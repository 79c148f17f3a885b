/* SPDX-License-Identifier: MIT */
/* Operations that are no single lane's affair: the function sees and changes the machine itself. */
#include "families.h"

void
whole_execute(const struct instance *instance, struct machine *machine, unsigned reading)
{
   static struct machine before;
   before = *machine;
   struct mode mode = mode_decode(machine->mode, reading);
   struct call call = {.op = instance->op, .instance = instance, .mode = &mode, .machine = &before, .after = machine};
   instance->op->lane(&call);
}
