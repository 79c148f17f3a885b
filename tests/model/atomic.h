/* SPDX-License-Identifier: MIT */
/* What atomic operations leave in memory, whichever memory it is. */
#ifndef ATOMIC_H
#define ATOMIC_H

#include "model.h"

enum memory_kind { LOCAL_MEMORY, GLOBAL_MEMORY };

/* `operation`: what follows ds_, global_atomic_ and the like, without the type: "add", "cmpswap". `type` as a
 * lower-case suffix says: U32, I64, F32. `compare` is the second datum. */
uint64_t atomic_result(const char *operation, enum type type, enum memory_kind memory, const struct mode *mode,
                       uint64_t old, uint64_t data, uint64_t compare);

/* The type that an operation's name ends with. */
enum type atomic_type(const char *name);

/* Bytes of LDS or memory. */
uint64_t bytes_get(const uint8_t *bytes, unsigned count);
void bytes_set(uint8_t *bytes, unsigned count, uint64_t value);

#endif
