/* SPDX-License-Identifier: MIT */
/* Hash tables. */
#ifndef LAYER_TABLE_H
#define LAYER_TABLE_H

/* Out of memory must not end the application: the element is then simply not in the table. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#endif
