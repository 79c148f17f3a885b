/* SPDX-License-Identifier: MIT */
/* Formats as printf's, of lines that are logged. */
#ifndef ENGINE_FORMAT_H
#define ENGINE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "expr/expression.h"

/* What stands behind a '%', and goes on behind it. False: no conversion does. */
bool format_take_conversion(const char **text, struct hdb_expr_conversion *conversion);
/* Whether it has a conversion for each of `count` arguments. 0, or -EINVAL with *error, to be freed. */
int format_check(const char *format, size_t count, char **error);

#endif
