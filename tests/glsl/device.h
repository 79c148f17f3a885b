/* SPDX-License-Identifier: MIT */
#ifndef TESTS_GLSL_DEVICE_H
#define TESTS_GLSL_DEVICE_H

#include "gpu.h"

/* With all that the shaders of these tests may use. A device that was lost is closed and opened again. */
void device_open(struct gpu *gpu, bool compile_debug);

#endif
