/* SPDX-License-Identifier: MIT */
/* Numbers of all the types that a shader can have in memory, as bits in the low end of 64. */
#ifndef TESTS_GLSL_VALUE_H
#define TESTS_GLSL_VALUE_H

#include "script.h"

bool type_is_float(enum type type);
bool type_parse(const char *word, enum type *type);
bool value_parse(enum type type, const char *word, uint64_t *bits);
void value_print(enum type type, uint64_t bits, char *text, size_t size);
bool value_matches(const struct expected *expected, uint64_t bits);

#endif
