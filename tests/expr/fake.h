/* SPDX-License-Identifier: MIT */
/* A stopped wave with variables of every kind, made by hand: what expressions are tested on. Its registers, scratch,
 * LDS and memory are arrays; symbols are a table. Places are read and written by the debugger's own code. */
#ifndef TEST_EXPR_FAKE_H
#define TEST_EXPR_FAKE_H

#include "expr/expression.h"

#define FAKE_MEMORY 0x100000ull /* where it begins */

/* Anew, with the values that fake.c gives. */
struct hdb_context fake_context(void);
unsigned fake_memory_reads(void); /* how often memory was read */
unsigned fake_look_ups(void);     /* how often it was asked where a variable is */
void fake_set_language(enum hdb_language language);

#endif
