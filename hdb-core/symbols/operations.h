/* SPDX-License-Identifier: MIT */
/* What instructions compute of scalars, where the result is the same whoever computes it: integers and bools. Of
 * floats, only what rounds nothing. */
#ifndef HDB_OPERATIONS_H
#define HDB_OPERATIONS_H

#include <stdbool.h>
#include <stdint.h>

#define OPERATION_MAX_OPERANDS 3

/* Operations are SpvOps; those of GLSL.std.450 have this added to their number. */
#define OPERATION_GLSL 0x10000u

/* How many operands it has; 0: it is none that is known here. */
unsigned operation_operands(uint32_t operation);

/* Of operands of `from` bits (a bool: 1; OpSelect's are those it selects from) to a result of `to` bits. False: it has
 * no defined value, or not one that all would compute. */
bool operation_compute(uint32_t operation, const uint64_t *operands, uint32_t from, uint32_t to, uint64_t *value);

#endif
