/* SPDX-License-Identifier: MIT */
/* These end the test when something is wrong, and say where and what. */
#ifndef TESTS_GPU_CHECK_H
#define TESTS_GPU_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                 \
   do {                                                                  \
      if (!(condition)) {                                                \
         fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
         exit(1);                                                        \
      }                                                                  \
   } while (0)

#define CHECK_EQUAL(value, expected)                                                      \
   do {                                                                                   \
      const uint64_t check_value = (value), check_expected = (expected);                  \
      if (check_value != check_expected) {                                                \
         fprintf(stderr, "%s:%d: %s is 0x%llx, not 0x%llx\n", __FILE__, __LINE__, #value, \
                 (unsigned long long)check_value, (unsigned long long)check_expected);    \
         exit(1);                                                                         \
      }                                                                                   \
   } while (0)

/* Of a call that returns a VkResult. */
#define CALL(call)                                                                            \
   do {                                                                                       \
      const VkResult call_result = (call);                                                    \
      if (call_result != VK_SUCCESS) {                                                        \
         fprintf(stderr, "%s:%d: %s: VkResult %d\n", __FILE__, __LINE__, #call, call_result); \
         exit(1);                                                                             \
      }                                                                                       \
   } while (0)

#endif
