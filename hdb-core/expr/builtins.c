/* SPDX-License-Identifier: MIT */
/* Builtin variables that the shader itself does not use: they follow from the wave all the same. */
#include "symbols/builtins.h"

#include <errno.h>

#include "expr/private.h"

bool
expr_find_builtin(struct expr *expr, const char *name, struct value *out, int *result)
{
   const struct builtin *builtin = builtin_by_name(name);
   if (!builtin)
      return false;
   const struct hdb_type *scalar = expr_scalar_type(HDB_TYPE_UINT, 32);
   const struct hdb_type *type = builtin->count == 1 ? scalar : expr_vector_type(expr, scalar, builtin->count);
   struct hdb_symbol *symbol = expr_allocate(expr, sizeof(*symbol));
   *result = -ENOMEM;
   if (!symbol || !type)
      return true;
   *symbol = (struct hdb_symbol){.name = builtin->name,
                                 .type = type,
                                 .storage = HDB_STORAGE_BUILTIN,
                                 .builtin = builtin->number,
                                 .workgroup_offset = HDB_NO_OFFSET,
                                 .constant_id = UINT32_MAX};
   *result = value_of_symbol(expr, symbol, out);
   return true;
}
