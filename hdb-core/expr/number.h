/* SPDX-License-Identifier: MIT */
/* Numbers, vectors and matrices, ready for arithmetic: numeric.c, half.c. Part of private.h. */
#ifndef HDB_EXPR_NUMBER_H
#define HDB_EXPR_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/types.h"

#define EXPR_MAX_COMPONENTS 16 /* of a matrix */

union number {
   int64_t i;
   uint64_t u;
   double f;
};

/* A number, vector or matrix, ready for arithmetic: `columns` 1 and `rows` 1 to 4, or a matrix. */
struct numeric {
   enum hdb_type_kind kind; /* of the components: BOOL, INT, UINT, FLOAT */
   uint32_t bits;
   uint32_t rows, columns;
   bool matrix;
   union number at[EXPR_MAX_COMPONENTS]; /* column after column */
};

/* 0, and the other components for the taking: they are not set. */
static inline struct numeric
numeric_scalar(enum hdb_type_kind kind, uint32_t bits)
{
   struct numeric number;
   number.kind = kind;
   number.bits = kind == HDB_TYPE_BOOL ? 32 : bits;
   number.rows = number.columns = 1;
   number.matrix = false;
   number.at[0].u = 0;
   return number;
}

static inline uint32_t
numeric_count(const struct numeric *number)
{
   return number->rows * number->columns;
}

uint64_t numeric_address(const struct numeric *number); /* which has no sign, however long it is */
union number number_decode(enum hdb_type_kind kind, uint32_t bits, const void *bytes);
void number_encode(enum hdb_type_kind kind, uint32_t bits, union number number, void *bytes);
/* As the conversions of the shading languages; out-of-range floats go to the nearest integer. */
union number number_convert(enum hdb_type_kind from, union number number, enum hdb_type_kind kind, uint32_t bits);
union number number_wrap(enum hdb_type_kind kind, uint32_t bits, union number number); /* rounds floats */
void numeric_convert(struct numeric *number, enum hdb_type_kind kind, uint32_t bits);
bool number_is_true(enum hdb_type_kind kind, union number number);
uint16_t half_from_double(double number);
double half_to_double(uint16_t half);

#endif
