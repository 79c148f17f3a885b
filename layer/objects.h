/* SPDX-License-Identifier: MIT */
/* What the application has made and named, as far as the layer has to know. Part of layer.h. */
#ifndef LAYER_OBJECTS_H
#define LAYER_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "hdb/hdb_driver.h"
#include "hdb_core.h"

struct layer_device;

/* ---- names: names.c ---- */

/* All need device->lock. */
const char *layer_name_find(struct layer_device *device, uint64_t object); /* NULL: none was given */
void layer_name_set(struct layer_device *device, uint64_t object, const char *name);
void layer_names_finish(struct layer_device *device);
/* Those of types that are of use; takes the lock. */
void layer_name_note(struct layer_device *device, VkObjectType type, uint64_t object, const char *name);

/* ---- where things are: objects.c ---- */

void layer_objects_init(struct layer_device *device);
void layer_objects_finish(struct layer_device *device);
void layer_object_add_buffer(struct layer_device *device, VkBuffer handle, VkDeviceSize size);
void layer_object_add_acceleration_structure(struct layer_device *device, VkAccelerationStructureKHR handle,
                                             const VkAccelerationStructureCreateInfoKHR *info);
void layer_object_remove(struct layer_device *device, uint64_t handle);
int layer_object_at(void *device, uint64_t va, struct hdb_object *found); /* struct hdb_object_source's */
void layer_object_each(void *device, void (*visit)(void *visitor, const char *name, uint64_t va, uint64_t size),
                       void *visitor);

/* ---- bytes of push constants: push_sizes.c ---- */

void layer_push_size_of_layout(struct layer_device *device, VkPipelineLayout layout,
                               const VkPipelineLayoutCreateInfo *info);
void layer_push_size_of_shader(struct layer_device *device, VkShaderEXT shader, const VkShaderCreateInfoEXT *info);
void layer_push_size_of_pipeline(struct layer_device *device, VkPipeline pipeline, VkPipelineLayout layout);
void layer_push_size_forget_layout(struct layer_device *device, VkPipelineLayout layout);
void layer_push_size_forget(struct layer_device *device, uint64_t object);
/* Not more of the record's than its pipeline has. With the device's lock. */
void layer_push_size_cut(struct layer_device *device, struct hdb_dispatch *record);
void layer_push_sizes_finish(struct layer_device *device);

/* ---- shaders of other drivers: stand_ins.c ---- */

void layer_module_add(struct layer_device *device, VkShaderModule handle, const VkShaderModuleCreateInfo *info);
void layer_module_remove(struct layer_device *device, VkShaderModule handle);
void layer_stand_in_add(struct layer_device *device, VkPipeline pipeline, const VkPipelineShaderStageCreateInfo *stage);
void layer_stand_in_remove(struct layer_device *device, VkPipeline pipeline);
uint64_t layer_stand_in_id(struct layer_device *device, VkPipeline pipeline); /* of its shader; 0: there is none */
void layer_stand_ins_finish(struct layer_device *device);

/* ---- shader code: spirv.c ---- */

/* False: it can't be SPIR-V; one line has said why, and that it came with the call `where`. */
bool layer_spirv_check(const void *code, size_t size, const char *where);
bool layer_spirv_check_stages(const VkPipelineShaderStageCreateInfo *stages, uint32_t count, const char *where);

#endif
