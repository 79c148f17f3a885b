/* SPDX-License-Identifier: MIT */
/*
 * Shaders of drivers that are not hdb's, as far as the SPIR-V tells: with entry point, source and workgroup size, but
 * without code. Their dispatches are listed, and chosen, by the same names as on hdb's driver.
 */
#include <stdlib.h>
#include <string.h>

#include "layer.h"

/* Above all ids of drivers, which count from 1. */
#define FIRST_ID ((uint64_t)1 << 63)

/* The words of a module, shared by the pipelines made of it, which may outlive it. */
struct code {
   atomic_uint references;
   uint32_t size; /* bytes */
   uint32_t words[];
};

struct layer_module {
   VkShaderModule handle;
   struct code *code;
   UT_hash_handle hh;
};

struct layer_stand_in {
   VkPipeline pipeline;
   struct hdb_shader shader;
   struct code *code;
   UT_hash_handle hh;
};

static struct code *
copy_code(const uint32_t *words, size_t size)
{
   struct code *code = size <= UINT32_MAX ? malloc(sizeof(*code) + size) : NULL;
   if (!code)
      return NULL;
   code->references = 1;
   code->size = (uint32_t)size;
   memcpy(code->words, words, size);
   return code;
}

static void
release_code(struct code *code)
{
   if (code && atomic_fetch_sub(&code->references, 1) == 1)
      free(code);
}

/* ---- modules ---- */

void
layer_module_add(struct layer_device *device, VkShaderModule handle, const VkShaderModuleCreateInfo *info)
{
   struct layer_module *module = calloc(1, sizeof(*module));
   struct code *code = module ? copy_code(info->pCode, info->codeSize) : NULL;
   if (!code) {
      free(module);
      return;
   }
   module->handle = handle;
   module->code = code;
   pthread_mutex_lock(&device->lock);
   HASH_ADD(hh, device->modules, handle, sizeof(module->handle), module);
   bool added = module->hh.tbl;
   pthread_mutex_unlock(&device->lock);
   if (!added) {
      release_code(code);
      free(module);
   }
}

static void
drop_module(struct layer_device *device, struct layer_module *module)
{
   HASH_DEL(device->modules, module);
   release_code(module->code);
   free(module);
}

void
layer_module_remove(struct layer_device *device, VkShaderModule handle)
{
   struct layer_module *module;
   pthread_mutex_lock(&device->lock);
   HASH_FIND(hh, device->modules, &handle, sizeof(handle), module);
   if (module)
      drop_module(device, module);
   pthread_mutex_unlock(&device->lock);
}

static struct code *
take_code(struct layer_device *device, const VkPipelineShaderStageCreateInfo *stage)
{
   struct layer_module *module;
   for (const VkBaseInStructure *next = stage->module ? NULL : stage->pNext; next; next = next->pNext) {
      const VkShaderModuleCreateInfo *info = (const void *)next;
      if (info->sType == VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO)
         return copy_code(info->pCode, info->codeSize);
   }
   pthread_mutex_lock(&device->lock);
   HASH_FIND(hh, device->modules, &stage->module, sizeof(stage->module), module);
   struct code *code = module ? module->code : NULL;
   if (code)
      code->references++;
   pthread_mutex_unlock(&device->lock);
   return code;
}

/* ---- what the module says ---- */

/* SPIR-V specification, 3.52 and 3.6: OpEntryPoint, OpExecutionMode with LocalSize, and what overrides it: OpDecorate
 * with BuiltIn WorkgroupSize, of an OpSpecConstantComposite that a specialization may have changed. */
enum {
   OP_ENTRY_POINT = 15,
   OP_EXECUTION_MODE = 16,
   OP_SPEC_CONSTANT_COMPOSITE = 51,
   OP_FUNCTION = 54,
   OP_DECORATE = 71
};
enum { MODE_LOCAL_SIZE = 17, MODEL_GL_COMPUTE = 5, DECORATION_BUILTIN = 11, BUILTIN_WORKGROUP_SIZE = 25 };

/* Zeros: not known. */
static void
read_workgroup_size(const struct code *code, const char *entry, uint32_t size[3])
{
   uint32_t count = code->size / 4, id = 0, builtin = 0, length;
   for (uint32_t i = 5; i < count; i += length) {
      const uint32_t *words = code->words + i;
      uint32_t op = words[0] & 0xffff;
      length = words[0] >> 16;
      if (!length || length > count - i || op == OP_FUNCTION)
         return;
      size_t room = (length - 3ul) * 4; /* of the entry point's name */
      if (op == OP_ENTRY_POINT && length > 3 && words[1] == MODEL_GL_COMPUTE &&
          strnlen((const char *)(words + 3), room) < room && !strcmp((const char *)(words + 3), entry))
         id = words[2];
      else if (op == OP_EXECUTION_MODE && length == 6 && words[1] == id && words[2] == MODE_LOCAL_SIZE)
         memcpy(size, words + 3, 3 * sizeof(*size));
      else if (op == OP_DECORATE && length == 4 && words[2] == DECORATION_BUILTIN && words[3] == BUILTIN_WORKGROUP_SIZE)
         builtin = words[1];
      else if (op == OP_SPEC_CONSTANT_COMPOSITE && length > 2 && words[2] == builtin)
         memset(size, 0, 3 * sizeof(*size));
   }
}

/* ---- shaders ---- */

static void
free_stand_in(struct layer_stand_in *stand_in)
{
   release_code(stand_in->code);
   free((char *)stand_in->shader.entry_point);
   free((struct hdb_specialization *)stand_in->shader.specializations);
   free(stand_in);
}

static void
copy_specializations(struct hdb_shader *shader, const VkSpecializationInfo *info)
{
   uint32_t count = info ? info->mapEntryCount : 0;
   struct hdb_specialization *all = count ? calloc(count, sizeof(*all)) : NULL;
   for (uint32_t i = 0; all && i < count; i++) {
      const VkSpecializationMapEntry *entry = &info->pMapEntries[i];
      size_t size = entry->size < sizeof(all->value) ? entry->size : sizeof(all->value);
      all[i].constant_id = entry->constantID;
      all[i].size = (uint32_t)size;
      if (entry->offset <= info->dataSize && size <= info->dataSize - entry->offset)
         memcpy(&all[i].value, (const uint8_t *)info->pData + entry->offset, size);
   }
   shader->specializations = all;
   shader->specialization_count = all ? count : 0;
}

void
layer_stand_in_add(struct layer_device *device, VkPipeline pipeline, const VkPipelineShaderStageCreateInfo *stage)
{
   static atomic_uint_fast64_t next_id = FIRST_ID;
   static const struct hdb_location unknown = {0};
   struct layer_stand_in *stand_in = calloc(1, sizeof(*stand_in));
   char *entry = stand_in ? strdup(stage->pName) : NULL;
   if (!entry) {
      free(stand_in);
      return;
   }
   stand_in->pipeline = pipeline;
   stand_in->code = take_code(device, stage);
   stand_in->shader = (struct hdb_shader){
      .id = next_id++,
      .entry_point = entry,
      .location_count = 1,
      .locations = &unknown,
      .spirv = stand_in->code ? stand_in->code->words : NULL,
      .spirv_size = stand_in->code ? stand_in->code->size : 0,
   };
   copy_specializations(&stand_in->shader, stage->pSpecializationInfo);
   if (stand_in->code)
      read_workgroup_size(stand_in->code, entry, stand_in->shader.workgroup_size);
   pthread_mutex_lock(&device->lock);
   HASH_ADD(hh, device->stand_ins, pipeline, sizeof(stand_in->pipeline), stand_in);
   bool added = stand_in->hh.tbl;
   pthread_mutex_unlock(&device->lock);
   if (added)
      device->link.shader_created(device, &stand_in->shader);
   else
      free_stand_in(stand_in);
}

void
layer_stand_in_remove(struct layer_device *device, VkPipeline pipeline)
{
   struct layer_stand_in *stand_in;
   pthread_mutex_lock(&device->lock);
   HASH_FIND(hh, device->stand_ins, &pipeline, sizeof(pipeline), stand_in);
   if (stand_in)
      HASH_DEL(device->stand_ins, stand_in);
   pthread_mutex_unlock(&device->lock);
   if (!stand_in)
      return;
   device->link.shader_destroyed(device, &stand_in->shader);
   free_stand_in(stand_in);
}

uint64_t
layer_stand_in_id(struct layer_device *device, VkPipeline pipeline)
{
   struct layer_stand_in *stand_in;
   pthread_mutex_lock(&device->lock);
   HASH_FIND(hh, device->stand_ins, &pipeline, sizeof(pipeline), stand_in);
   uint64_t id = stand_in ? stand_in->shader.id : 0;
   pthread_mutex_unlock(&device->lock);
   return id;
}

/* The engine knows the device no more. */
void
layer_stand_ins_finish(struct layer_device *device)
{
   struct layer_stand_in *stand_in, *next_stand_in;
   struct layer_module *module, *next_module;
   HASH_ITER (hh, device->stand_ins, stand_in, next_stand_in) {
      HASH_DEL(device->stand_ins, stand_in);
      free_stand_in(stand_in);
   }
   HASH_ITER (hh, device->modules, module, next_module)
      drop_module(device, module);
}
