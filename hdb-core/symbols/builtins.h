/* SPDX-License-Identifier: MIT */
/* Builtin variables of compute shaders, for modules that have no names, and for those that a shader does not use. */
#ifndef HDB_BUILTINS_H
#define HDB_BUILTINS_H

#include <stdint.h>

struct builtin {
   const char *name;
   uint32_t number; /* SpvBuiltIn */
   uint32_t count;  /* of uints */
};

const struct builtin *builtin_by_name(const char *name); /* NULL: none */
const struct builtin *builtin_by_number(uint32_t number);

#endif
