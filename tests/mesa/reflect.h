/* SPDX-License-Identifier: MIT */
/* A pipeline layout for any compute shader, made from what its module declares. */
#ifndef TESTS_MESA_REFLECT_H
#define TESTS_MESA_REFLECT_H

#include "driver.h"

#define REFLECT_SETS 8

struct reflected_layout {
   VkDescriptorSetLayout sets[REFLECT_SETS];
   uint32_t set_count;
   VkPipelineLayout layout;
};

struct reflected_layout reflect_create_layout(struct driver *driver, VkDevice device, const struct spirv *spirv);
void reflect_destroy_layout(struct driver *driver, VkDevice device, struct reflected_layout *layout);

#endif
