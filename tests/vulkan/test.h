/* SPDX-License-Identifier: MIT */
/* A program of tests, each of one feature, that end the program when they fail. */
#ifndef TESTS_VULKAN_TEST_H
#define TESTS_VULKAN_TEST_H

#include <stdbool.h>

struct test {
   const char *name;
   bool (*run)(void); /* false: the device does not have the feature */
   /* Beyond Debian's validation layer: younger than it, on a device that is lost, or half done by another process. */
   bool not_validated;
};

/* The program's, ended by one without a name. */
extern const struct test tests[];

#endif
