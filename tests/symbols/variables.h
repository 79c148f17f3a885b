/* SPDX-License-Identifier: MIT */
/* Test helpers: variables by name. */
#ifndef TEST_VARIABLES_H
#define TEST_VARIABLES_H

#include "fixture.h"
#include "symbols/variables.h"

#define MAX_VARIABLES 64

/* The first one of that name; NULL: none is in scope. */
static inline const struct hdb_symbol *
find_symbol(const struct fixture *fixture, uint32_t pc, uint32_t frame, const char *name)
{
   const struct hdb_symbol *list[MAX_VARIABLES];
   size_t count = hdb_symbols_variables(fixture->symbols, pc, frame, list, MAX_VARIABLES);
   assert_true(count <= MAX_VARIABLES);
   for (size_t i = 0; i < count; i++) {
      if (strcmp(list[i]->name, name) == 0)
         return list[i];
   }
   return NULL;
}

static inline const struct hdb_symbol *
find_local(const struct fixture *fixture, uint32_t pc, uint32_t frame, const char *name)
{
   const struct hdb_symbol *symbol = find_symbol(fixture, pc, frame, name);
   if (!symbol || !symbol->scope)
      fail_msg("pc %u, frame %u: no local %s", pc, frame, name);
   return symbol;
}

static inline const struct hdb_symbol *
find_global(const struct fixture *fixture, const char *name)
{
   const struct hdb_symbol *symbol = find_symbol(fixture, 0, 0, name);
   if (!symbol || symbol->scope)
      fail_msg("no global %s", name);
   return symbol;
}

#endif
