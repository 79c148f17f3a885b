/* SPDX-License-Identifier: MIT */
#include "sq_fixture.h"

struct machine machine;

int
setup(void **state)
{
   machine_init(&machine, NULL);
   return 0;
}

int
teardown(void **state)
{
   machine_finish(&machine);
   return 0;
}
