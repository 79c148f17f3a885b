/* SPDX-License-Identifier: MIT */
#include "trap/trap.h"

#if HDB_HAVE_TRAP_HANDLER
extern const uint32_t hdb_trap_handler[];
extern const size_t hdb_trap_handler_size;

const uint32_t *
hdb_trap_handler_code(size_t *size)
{
   *size = hdb_trap_handler_size;
   return hdb_trap_handler;
}
#else
const uint32_t *
hdb_trap_handler_code(size_t *size)
{
   *size = 0;
   return NULL;
}
#endif
