/* SPDX-License-Identifier: MIT */
/* Expressions and what they print, on a wave made by hand (fake.c has its values). What the numbers should be was
 * calculated apart, by hand or from the specifications. */
#ifndef TEST_EXPR_FIXTURE_H
#define TEST_EXPR_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake.h"

struct fixture {
   struct hdb_context context;
   struct hdb_expr_store *store;
};

int setup(void **state);
int teardown(void **state);

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)

struct hdb_expr_request request_of(struct fixture *fixture, const char *text);

struct expectation {
   const char *text, *expected, *type; /* type NULL: any */
};

/* All of a list, to the letter. */
void expect(struct fixture *fixture, const struct expectation *list);

/* `expected` is part of the error. */
void expect_errors(struct fixture *fixture, const struct expectation *list, uint32_t flags);

#endif
