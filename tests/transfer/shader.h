/* SPDX-License-Identifier: MIT */
/* Shader modules from .spv files. */
#ifndef TESTS_TRANSFER_SHADER_H
#define TESTS_TRANSFER_SHADER_H

#include "gpu.h"

extern const char *shader_directory;

VkShaderModule shader_create(struct gpu *gpu, const char *name);

#endif
