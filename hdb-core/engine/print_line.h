/* SPDX-License-Identifier: MIT */
/* The text of what a shader prints. */
#ifndef ENGINE_PRINT_LINE_H
#define ENGINE_PRINT_LINE_H

#include "symbols/prints.h"

/* Why the format and the values don't go together, to be freed; NULL: they do. */
char *print_check(const struct hdb_print *print);
/* The line of one lane from its `print->dwords` values, for what print_check is content with, without the line feed at
 * its end. To be freed; NULL: out of memory. */
char *print_make_line(const struct hdb_print *print, const uint32_t *values);

#endif
