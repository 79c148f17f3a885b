/* SPDX-License-Identifier: MIT */
#ifndef TESTS_IMAGES_DEVICE_H
#define TESTS_IMAGES_DEVICE_H

#include "gpu.h"

/* The device of the driver in the file `driver`, with all that it can do for images and rays, but robust access. */
void device_open(struct gpu *gpu, const char *driver);

#endif
