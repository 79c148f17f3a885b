/* SPDX-License-Identifier: MIT */
#ifndef DEVICE_H
#define DEVICE_H

#include "gpu.h"

/* In functions that return a VkResult: returns it unless it is VK_SUCCESS, and says so. */
#define TRY(call)                                     \
   do {                                               \
      const VkResult try_result = (call);             \
      if (try_result != VK_SUCCESS) {                 \
         fprintf(stderr, #call ": %d\n", try_result); \
         return try_result;                           \
      }                                               \
   } while (0)

/* Of the driver in the file `driver`. Linked as the layer does it where it can be, and compiled for debugging if
 * `debug`. */
void device_open(struct gpu *gpu, const char *driver, bool debug);

#endif
