/* SPDX-License-Identifier: MIT */
/* The instance of a device, and its physical device. */
#ifndef TESTS_GPU_INSTANCE_H
#define TESTS_GPU_INSTANCE_H

#include "gpu.h"

void instance_open(struct gpu *gpu, const struct gpu_options *options);
void instance_close(struct gpu *gpu);

#endif
