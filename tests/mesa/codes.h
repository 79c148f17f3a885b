/* SPDX-License-Identifier: MIT */
/* The machine code of the same pipeline from two drivers. */
#ifndef TESTS_MESA_CODES_H
#define TESTS_MESA_CODES_H

#include "driver.h"

struct codes {
   struct driver_code list[DRIVER_MAX_CODES];
   uint32_t count;
};

/* Destroys the pipeline, which was made with VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR. */
void codes_take(struct driver *driver, VkDevice device, VkPipeline pipeline, struct codes *codes);

struct codes_result {
   uint32_t compared; /* those that have code */
   uint32_t different;
};

/* Prints what differs, with the names of the driver and the pipeline; frees both. */
void codes_compare(struct codes *stock, struct codes *other, const char *driver, const char *pipeline,
                   struct codes_result *result);

#endif
