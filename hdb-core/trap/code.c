/* SPDX-License-Identifier: MIT */
#include "trap/trap.h"

#if HDB_HAVE_TRAP_HANDLER
extern const uint32_t hdb_trap_handler[], hdb_trap_handler_second_level[];
extern const size_t hdb_trap_handler_size, hdb_trap_handler_second_level_size;

const uint32_t *
hdb_trap_handler_code(size_t *size)
{
   *size = hdb_trap_handler_size;
   return hdb_trap_handler;
}

const uint32_t *
hdb_trap_second_level_code(size_t *size)
{
   *size = hdb_trap_handler_second_level_size;
   return hdb_trap_handler_second_level;
}
#else
const uint32_t *
hdb_trap_handler_code(size_t *size)
{
   *size = 0;
   return NULL;
}

const uint32_t *
hdb_trap_second_level_code(size_t *size)
{
   *size = 0;
   return NULL;
}
#endif
