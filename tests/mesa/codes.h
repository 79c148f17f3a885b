/* SPDX-License-Identifier: MIT */
/* The machine code of the same pipeline from two drivers. */
#ifndef TESTS_MESA_CODES_H
#define TESTS_MESA_CODES_H

#include "driver.h"

#define CODES_MAX_STAGES 6

/* A driver, without the layer or reporting to it, and the stages' modules. */
struct compiler {
   struct driver driver;
   VkDevice device;
   struct pipeline_layout layout;
   VkShaderModule modules[CODES_MAX_STAGES];
};

struct codes {
   struct driver_code list[DRIVER_MAX_CODES];
   uint32_t count;
};

/* Destroys the pipeline, which was made with VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR. */
void codes_take(struct driver *driver, VkDevice device, VkPipeline pipeline, struct codes *codes);

struct codes_test {
   int stage_count;
   unsigned kind_count;
   const char *const *kinds; /* of pipelines: "pipeline KIND" */
   void (*compile)(struct compiler *compiler, unsigned kind, VkPipelineCreateFlags2 flags, struct codes *codes);
   uint32_t at_least; /* so many shaders must have been compared */
};

/* Compiles each kind, optimised and not, by the stock driver, by the fork, and by the fork with reporting on: the code
 * must be the same. The arguments are the stages' modules. Gives the program's exit code. */
int codes_test_run(const struct codes_test *test, int argc, char **argv);

#endif
