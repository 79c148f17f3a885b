/* SPDX-License-Identifier: MIT */
/* What is read from the source: the lines on which local variables are in scope, by its braces, and stores to parts. */
#ifndef HDB_SOURCE_SCOPES_H
#define HDB_SOURCE_SCOPES_H

#include <stddef.h>
#include <stdint.h>

struct unit_variable;

struct source_declaration {
   const char *name; /* in the text */
   size_t length;
   uint32_t line, last_line;          /* of the declaration, and of its scope's end */
   uint32_t depth;                    /* of braces around it; a `for` counts as one */
   const struct unit_variable *owner; /* the variable that is declared so; NULL: none has been found */
};

/* Of a text in GLSL or HLSL, in its order. *count is 0 if the text is not understood (conditional braces, #line).
 * -ENOMEM. To be freed. */
int source_find_declarations(const char *text, size_t size, struct source_declaration **declarations, size_t *count);

/* The lines, in order, on which a part (component, element, member) of something of that name is stored to; a line
 * comes as often as it stores. Returns how many there are. */
size_t source_find_part_stores(const char *source, size_t size, const char *name, uint32_t *lines, size_t capacity);

#endif
