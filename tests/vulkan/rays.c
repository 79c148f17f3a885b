/* SPDX-License-Identifier: MIT */
/* Acceleration structures, ray queries and ray tracing pipelines, against intersections computed here. */
#include <math.h>
#include <string.h>

#include "gpu.h"
#include "test.h"

enum { WIDTH = 16, HEIGHT = 16 };
enum { MISS, TRIANGLE, BOX };

/* Two triangles in different planes, and one box behind nothing: the corners of the grid that they cover do not
 * overlap. */
static const float triangles[2][3][3] = {
   {{0, 0, 1}, {8, 0, 1}, {0, 8, 1}},
   {{8, 8, 2}, {16, 8, 2}, {8, 16, 2}},
};
static const VkAabbPositionsKHR box = {8, 0, 3, 16, 8, 4};
static const float box_distance = 3.5f;
enum { TRIANGLES_INSTANCE = 5, BOX_INSTANCE = 9 };

struct hit {
   uint32_t kind, instance, primitive;
   float t, barycentrics[2];
   uint32_t called, unused;
};

struct structure {
   VkAccelerationStructureKHR handle;
   struct buffer buffer;
   VkDeviceAddress address;
};

struct scene {
   struct buffer vertices, boxes, instances, scratch;
   struct structure triangles, boxes_structure, top;
};

static const VkBufferUsageFlags build_input = VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR;

static void
structure_init(struct gpu *gpu, struct structure *structure, VkAccelerationStructureTypeKHR type, VkDeviceSize size)
{
   DEVICE_FUNCTION(gpu, CreateAccelerationStructureKHR);
   DEVICE_FUNCTION(gpu, GetAccelerationStructureDeviceAddressKHR);
   buffer_init(gpu, &structure->buffer, size, VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR);
   const VkAccelerationStructureCreateInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
      .buffer = structure->buffer.buffer,
      .size = size,
      .type = type,
   };
   CALL(CreateAccelerationStructureKHR(gpu->device, &info, NULL, &structure->handle));
   const VkAccelerationStructureDeviceAddressInfoKHR address = {
      .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR,
      .accelerationStructure = structure->handle,
   };
   structure->address = GetAccelerationStructureDeviceAddressKHR(gpu->device, &address);
}

static void
structure_finish(struct gpu *gpu, struct structure *structure)
{
   DEVICE_FUNCTION(gpu, DestroyAccelerationStructureKHR);
   DestroyAccelerationStructureKHR(gpu->device, structure->handle, NULL);
   buffer_finish(gpu, &structure->buffer);
}

/* Builds, or updates the structure where it is. */
static void
build(struct gpu *gpu, struct scene *scene, struct structure *structure, VkAccelerationStructureTypeKHR type,
      const VkAccelerationStructureGeometryKHR *geometry, uint32_t primitives, bool update)
{
   DEVICE_FUNCTION(gpu, GetAccelerationStructureBuildSizesKHR);
   DEVICE_FUNCTION(gpu, CmdBuildAccelerationStructuresKHR);
   VkAccelerationStructureBuildGeometryInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
      .type = type,
      .flags = VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR |
               VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_COMPACTION_BIT_KHR,
      .geometryCount = 1,
      .pGeometries = geometry,
      .mode = update ? VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR : VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR,
   };
   VkAccelerationStructureBuildSizesInfoKHR sizes = {.sType =
                                                        VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR};
   GetAccelerationStructureBuildSizesKHR(gpu->device, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR, &info,
                                         &primitives, &sizes);
   CHECK(sizes.buildScratchSize <= scene->scratch.size && sizes.updateScratchSize <= scene->scratch.size);
   if (!update)
      structure_init(gpu, structure, type, sizes.accelerationStructureSize);
   info.srcAccelerationStructure = update ? structure->handle : VK_NULL_HANDLE;
   info.dstAccelerationStructure = structure->handle;
   info.scratchData.deviceAddress = scene->scratch.address;
   const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = primitives}, *ranges = &range;
   const VkCommandBuffer commands = gpu_begin(gpu);
   CmdBuildAccelerationStructuresKHR(commands, 1, &info, &ranges);
   gpu_submit(gpu, commands);
}

static void
build_triangles(struct gpu *gpu, struct scene *scene, bool update)
{
   const VkAccelerationStructureGeometryKHR geometry = {
      .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
      .geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR,
      .geometry.triangles =
         {
            .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR,
            .vertexFormat = VK_FORMAT_R32G32B32_SFLOAT,
            .vertexData.deviceAddress = scene->vertices.address,
            .vertexStride = 12,
            .maxVertex = 5,
            .indexType = VK_INDEX_TYPE_NONE_KHR,
         },
   };
   build(gpu, scene, &scene->triangles, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, &geometry, 2, update);
}

static void
build_boxes(struct gpu *gpu, struct scene *scene)
{
   const VkAccelerationStructureGeometryKHR geometry = {
      .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
      .geometryType = VK_GEOMETRY_TYPE_AABBS_KHR,
      .geometry.aabbs =
         {
            .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_AABBS_DATA_KHR,
            .data.deviceAddress = scene->boxes.address,
            .stride = sizeof(box),
         },
   };
   build(gpu, scene, &scene->boxes_structure, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, &geometry, 1, false);
}

/* `lift` moves the triangles along the rays. */
static void
build_top(struct gpu *gpu, struct scene *scene, float lift, bool update)
{
   const VkAccelerationStructureInstanceKHR instances[2] = {
      {
         .transform = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, lift}}},
         .instanceCustomIndex = TRIANGLES_INSTANCE,
         .mask = 0xff,
         .accelerationStructureReference = scene->triangles.address,
      },
      {
         .transform = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}},
         .instanceCustomIndex = BOX_INSTANCE,
         .mask = 0xff,
         .instanceShaderBindingTableRecordOffset = 1,
         .accelerationStructureReference = scene->boxes_structure.address,
      },
   };
   memcpy(scene->instances.map, instances, sizeof(instances));
   const VkAccelerationStructureGeometryKHR geometry = {
      .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
      .geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR,
      .geometry.instances =
         {
            .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR,
            .data.deviceAddress = scene->instances.address,
         },
   };
   build(gpu, scene, &scene->top, VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR, &geometry, 2, update);
}

static void
scene_init(struct gpu *gpu, struct scene *scene)
{
   buffer_init(gpu, &scene->vertices, sizeof(triangles), build_input);
   buffer_init(gpu, &scene->boxes, sizeof(box), build_input);
   buffer_init(gpu, &scene->instances, 2 * sizeof(VkAccelerationStructureInstanceKHR), build_input);
   buffer_init(gpu, &scene->scratch, 1 << 20, 0);
   memcpy(scene->vertices.map, triangles, sizeof(triangles));
   memcpy(scene->boxes.map, &box, sizeof(box));
   build_triangles(gpu, scene, false);
   build_boxes(gpu, scene);
   build_top(gpu, scene, 0, false);
}

static void
scene_finish(struct gpu *gpu, struct scene *scene)
{
   structure_finish(gpu, &scene->top);
   structure_finish(gpu, &scene->boxes_structure);
   structure_finish(gpu, &scene->triangles);
   buffer_finish(gpu, &scene->scratch);
   buffer_finish(gpu, &scene->instances);
   buffer_finish(gpu, &scene->boxes);
   buffer_finish(gpu, &scene->vertices);
}

/* What the ray through a cell hits. */
static struct hit
expected_hit(uint32_t column, uint32_t row, float lift)
{
   const float x = column + 0.25f, y = row + 0.375f;
   for (uint32_t i = 0; i < 2; i++) {
      const float u = (x - triangles[i][0][0]) / 8, v = (y - triangles[i][0][1]) / 8;
      if (u > 0 && v > 0 && u + v < 1)
         return (struct hit){.kind = TRIANGLE,
                             .instance = TRIANGLES_INSTANCE,
                             .primitive = i,
                             .t = triangles[i][0][2] + lift,
                             .barycentrics = {u, v}};
   }
   if (x > box.minX && x < box.maxX && y > box.minY && y < box.maxY)
      return (struct hit){.kind = BOX, .instance = BOX_INSTANCE, .t = box_distance};
   return (struct hit){.kind = MISS};
}

static void
check_hit(const struct hit *hit, const struct hit *expected)
{
   CHECK_EQUAL(hit->kind, expected->kind);
   CHECK_EQUAL(hit->instance, expected->instance);
   CHECK_EQUAL(hit->primitive, expected->primitive);
   CHECK(fabsf(hit->t - expected->t) < 1e-5f);
   CHECK(fabsf(hit->barycentrics[0] - expected->barycentrics[0]) < 1e-5f);
   CHECK(fabsf(hit->barycentrics[1] - expected->barycentrics[1]) < 1e-5f);
}

struct push {
   uint64_t scene, hits;
};

/* ---- ray queries ---- */

static void
check_query(struct gpu *gpu, VkPipeline pipeline, const struct structure *top, float lift)
{
   struct buffer hits;
   buffer_init(gpu, &hits, WIDTH * HEIGHT * sizeof(struct hit), 0);
   const struct push push = {top->address, hits.address};
   const VkCommandBuffer commands = gpu_begin(gpu);
   vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
   vkCmdPushConstants(commands, gpu->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), &push);
   vkCmdDispatch(commands, 1, HEIGHT / 4, 1);
   gpu_submit(gpu, commands);
   for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
      const struct hit expected = expected_hit(i % WIDTH, i / WIDTH, lift);
      check_hit((struct hit *)hits.map + i, &expected);
   }
   buffer_finish(gpu, &hits);
}

/* The structure in a new one of the size that it needs. */
static void
compact(struct gpu *gpu, const struct structure *from, struct structure *to)
{
   DEVICE_FUNCTION(gpu, CmdWriteAccelerationStructuresPropertiesKHR);
   DEVICE_FUNCTION(gpu, CmdCopyAccelerationStructureKHR);
   const VkQueryPoolCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
      .queryType = VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR,
      .queryCount = 1,
   };
   VkQueryPool pool;
   CALL(vkCreateQueryPool(gpu->device, &info, NULL, &pool));
   VkCommandBuffer commands = gpu_begin(gpu);
   vkCmdResetQueryPool(commands, pool, 0, 1);
   CmdWriteAccelerationStructuresPropertiesKHR(commands, 1, &from->handle, info.queryType, pool, 0);
   gpu_submit(gpu, commands);
   VkDeviceSize size;
   CALL(vkGetQueryPoolResults(gpu->device, pool, 0, 1, sizeof(size), &size, sizeof(size),
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
   CHECK(size > 0 && size <= from->buffer.size);
   structure_init(gpu, to, VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR, size);
   commands = gpu_begin(gpu);
   const VkCopyAccelerationStructureInfoKHR copy = {
      .sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_INFO_KHR,
      .src = from->handle,
      .dst = to->handle,
      .mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_COMPACT_KHR,
   };
   CmdCopyAccelerationStructureKHR(commands, &copy);
   gpu_submit(gpu, commands);
   vkDestroyQueryPool(gpu->device, pool, NULL);
}

static bool
ray_query(void)
{
   VkPhysicalDeviceRayQueryFeaturesKHR query = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR};
   VkPhysicalDeviceAccelerationStructureFeaturesKHR structures = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR, .pNext = &query};
   const struct gpu_options options = {
      .extensions =
         (const char *const[]){VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
                               VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME, VK_KHR_RAY_QUERY_EXTENSION_NAME, NULL},
      .features = &structures,
   };
   struct gpu gpu;
   if (!gpu_open(&gpu, &options))
      return false;
   struct scene scene;
   scene_init(&gpu, &scene);
   const VkPipeline pipeline = gpu_create_pipeline(&gpu, gpu.layout, "query.comp", 0);
   check_query(&gpu, pipeline, &scene.top, 0);

   struct structure compacted;
   compact(&gpu, &scene.top, &compacted);
   check_query(&gpu, pipeline, &compacted, 0);
   structure_finish(&gpu, &compacted);

   build_top(&gpu, &scene, 0.5f, true);
   check_query(&gpu, pipeline, &scene.top, 0.5f);

   vkDestroyPipeline(gpu.device, pipeline, NULL);
   scene_finish(&gpu, &scene);
   gpu_close(&gpu);
   return true;
}

/* ---- ray tracing pipelines ---- */

enum { RAYGEN, MISS_SHADER, CLOSEST_HIT, ANY_HIT, INTERSECTION, CALLABLE, STAGES };
enum { RAYGEN_GROUP, MISS_GROUP, TRIANGLE_GROUP, BOX_GROUP, CALLABLE_GROUP, GROUPS };
static const VkShaderStageFlags ray_stages = VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_MISS_BIT_KHR |
                                             VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR |
                                             VK_SHADER_STAGE_INTERSECTION_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR;

/* The stages from `first` on, by number in that part; those before it are none. */
static VkRayTracingShaderGroupCreateInfoKHR
group(VkRayTracingShaderGroupTypeKHR type, uint32_t first, uint32_t general, uint32_t closest, uint32_t any,
      uint32_t intersection)
{
   return (VkRayTracingShaderGroupCreateInfoKHR){
      .sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR,
      .type = type,
      .generalShader = general < STAGES ? general - first : VK_SHADER_UNUSED_KHR,
      .closestHitShader = closest < STAGES ? closest - first : VK_SHADER_UNUSED_KHR,
      .anyHitShader = any < STAGES ? any - first : VK_SHADER_UNUSED_KHR,
      .intersectionShader = intersection < STAGES ? intersection - first : VK_SHADER_UNUSED_KHR,
   };
}

struct part {
   uint32_t stage, stage_count, group, group_count;
};
static const struct part whole = {RAYGEN, STAGES, RAYGEN_GROUP, GROUPS};
static const struct part main_part = {RAYGEN, CLOSEST_HIT, RAYGEN_GROUP, TRIANGLE_GROUP};
static const struct part library_part = {CLOSEST_HIT, STAGES - CLOSEST_HIT, TRIANGLE_GROUP, GROUPS - TRIANGLE_GROUP};

/* Groups of the library come after those of the pipeline itself. */
static VkPipeline
create_ray_pipeline(struct gpu *gpu, VkPipelineLayout layout, const struct part *part, VkPipelineCreateFlags flags,
                    VkPipeline library)
{
   static const struct {
      const char *name;
      VkShaderStageFlagBits stage;
   } shaders[STAGES] = {
      [RAYGEN] = {"trace.rgen", VK_SHADER_STAGE_RAYGEN_BIT_KHR},
      [MISS_SHADER] = {"trace.rmiss", VK_SHADER_STAGE_MISS_BIT_KHR},
      [CLOSEST_HIT] = {"trace.rchit", VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR},
      [ANY_HIT] = {"trace.rahit", VK_SHADER_STAGE_ANY_HIT_BIT_KHR},
      [INTERSECTION] = {"trace.rint", VK_SHADER_STAGE_INTERSECTION_BIT_KHR},
      [CALLABLE] = {"trace.rcall", VK_SHADER_STAGE_CALLABLE_BIT_KHR},
   };
   VkPipelineShaderStageCreateInfo stages[STAGES];
   for (uint32_t i = 0; i < part->stage_count; i++) {
      stages[i] = (VkPipelineShaderStageCreateInfo){
         .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = shaders[part->stage + i].stage,
         .module = gpu_create_module(gpu, shaders[part->stage + i].name),
         .pName = "main",
      };
   }
   const VkRayTracingShaderGroupTypeKHR general = VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR,
                                        triangle = VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR,
                                        procedural = VK_RAY_TRACING_SHADER_GROUP_TYPE_PROCEDURAL_HIT_GROUP_KHR;
   const uint32_t first = part->stage, none = STAGES;
   const VkRayTracingShaderGroupCreateInfoKHR groups[GROUPS] = {
      [RAYGEN_GROUP] = group(general, first, RAYGEN, none, none, none),
      [MISS_GROUP] = group(general, first, MISS_SHADER, none, none, none),
      [TRIANGLE_GROUP] = group(triangle, first, none, CLOSEST_HIT, ANY_HIT, none),
      [BOX_GROUP] = group(procedural, first, none, CLOSEST_HIT, none, INTERSECTION),
      [CALLABLE_GROUP] = group(general, first, CALLABLE, none, none, none),
   };
   const VkPipelineLibraryCreateInfoKHR libraries = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
      .libraryCount = 1,
      .pLibraries = &library,
   };
   const VkRayTracingPipelineInterfaceCreateInfoKHR interface = {
      .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_INTERFACE_CREATE_INFO_KHR,
      .maxPipelineRayPayloadSize = sizeof(struct hit),
      .maxPipelineRayHitAttributeSize = 8,
   };
   const bool in_parts = flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR || library;
   const VkRayTracingPipelineCreateInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
      .flags = flags,
      .stageCount = part->stage_count,
      .pStages = stages,
      .groupCount = part->group_count,
      .pGroups = groups + part->group,
      .maxPipelineRayRecursionDepth = 1,
      .pLibraryInfo = library ? &libraries : NULL,
      .pLibraryInterface = in_parts ? &interface : NULL,
      .layout = layout,
   };
   DEVICE_FUNCTION(gpu, CreateRayTracingPipelinesKHR);
   VkPipeline pipeline;
   CALL(CreateRayTracingPipelinesKHR(gpu->device, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
   for (uint32_t i = 0; i < part->stage_count; i++)
      vkDestroyShaderModule(gpu->device, stages[i].module, NULL);
   return pipeline;
}

struct binding_table {
   struct buffer buffer;
   VkStridedDeviceAddressRegionKHR raygen, miss, hit, callable;
};

static void
binding_table_init(struct gpu *gpu, struct binding_table *table, VkPipeline pipeline)
{
   VkPhysicalDeviceRayTracingPipelinePropertiesKHR rays = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_PROPERTIES_KHR};
   VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &rays};
   vkGetPhysicalDeviceProperties2(gpu->physical_device, &properties);
   const uint32_t size = rays.shaderGroupHandleSize;
   const uint32_t stride = size > rays.shaderGroupBaseAlignment ? size : rays.shaderGroupBaseAlignment;
   uint8_t handles[GROUPS * 64];
   CHECK(GROUPS * size <= sizeof(handles));
   DEVICE_FUNCTION(gpu, GetRayTracingShaderGroupHandlesKHR);
   CALL(GetRayTracingShaderGroupHandlesKHR(gpu->device, pipeline, 0, GROUPS, GROUPS * size, handles));

   buffer_init(gpu, &table->buffer, GROUPS * stride, VK_BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR);
   for (uint32_t i = 0; i < GROUPS; i++)
      memcpy((uint8_t *)table->buffer.map + i * stride, handles + i * size, size);
   const VkDeviceAddress base = table->buffer.address;
   table->raygen = (VkStridedDeviceAddressRegionKHR){base + RAYGEN_GROUP * stride, stride, stride};
   table->miss = (VkStridedDeviceAddressRegionKHR){base + MISS_GROUP * stride, stride, stride};
   table->hit = (VkStridedDeviceAddressRegionKHR){base + TRIANGLE_GROUP * stride, stride, 2 * stride};
   table->callable = (VkStridedDeviceAddressRegionKHR){base + CALLABLE_GROUP * stride, stride, stride};
}

static void
check_trace(const struct buffer *hits)
{
   for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
      const uint32_t column = i % WIDTH, row = i / WIDTH;
      struct hit expected = expected_hit(column, row, 0);
      if (expected.kind == TRIANGLE && column % 2)
         expected = (struct hit){.kind = MISS}; /* a hole, with nothing behind it */
      const struct hit *hit = (struct hit *)hits->map + i;
      check_hit(hit, &expected);
      CHECK_EQUAL(hit->called, 3 * i + 1);
   }
}

static void
check_pipeline(struct gpu *gpu, const struct scene *scene, VkPipelineLayout layout, VkPipeline pipeline)
{
   struct binding_table table;
   binding_table_init(gpu, &table, pipeline);
   struct buffer hits, size;
   buffer_init(gpu, &hits, WIDTH * HEIGHT * sizeof(struct hit), 0);
   buffer_init(gpu, &size, sizeof(VkTraceRaysIndirectCommandKHR), VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
   *(VkTraceRaysIndirectCommandKHR *)size.map = (VkTraceRaysIndirectCommandKHR){WIDTH, HEIGHT, 1};
   const struct push push = {scene->top.address, hits.address};
   DEVICE_FUNCTION(gpu, CmdTraceRaysKHR);
   DEVICE_FUNCTION(gpu, CmdTraceRaysIndirectKHR);
   for (int indirect = 0; indirect < 2; indirect++) {
      memset(hits.map, 0xcd, hits.size);
      const VkCommandBuffer commands = gpu_begin(gpu);
      vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, pipeline);
      vkCmdPushConstants(commands, layout, ray_stages, 0, sizeof(push), &push);
      if (indirect)
         CmdTraceRaysIndirectKHR(commands, &table.raygen, &table.miss, &table.hit, &table.callable, size.address);
      else
         CmdTraceRaysKHR(commands, &table.raygen, &table.miss, &table.hit, &table.callable, WIDTH, HEIGHT, 1);
      gpu_submit(gpu, commands);
      check_trace(&hits);
   }
   buffer_finish(gpu, &size);
   buffer_finish(gpu, &hits);
   buffer_finish(gpu, &table.buffer);
}

static bool
check_ray_tracing(bool with_library)
{
   VkPhysicalDeviceRayTracingPipelineFeaturesKHR rays = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR};
   VkPhysicalDeviceAccelerationStructureFeaturesKHR structures = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR, .pNext = &rays};
   const struct gpu_options options = {
      .extensions = (const char *const[]){VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
                                          VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME,
                                          VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME,
                                          VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME, NULL},
      .features = &structures,
   };
   struct gpu gpu;
   if (!gpu_open(&gpu, &options))
      return false;
   struct scene scene;
   scene_init(&gpu, &scene);
   const VkPushConstantRange range = {ray_stages, 0, sizeof(struct push)};
   const VkPipelineLayoutCreateInfo layout_info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
      .pushConstantRangeCount = 1,
      .pPushConstantRanges = &range,
   };
   VkPipelineLayout layout;
   CALL(vkCreatePipelineLayout(gpu.device, &layout_info, NULL, &layout));
   VkPipeline library = VK_NULL_HANDLE;
   if (with_library)
      library = create_ray_pipeline(&gpu, layout, &library_part, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR, VK_NULL_HANDLE);
   const VkPipeline pipeline = create_ray_pipeline(&gpu, layout, library ? &main_part : &whole, 0, library);
   check_pipeline(&gpu, &scene, layout, pipeline);
   vkDestroyPipeline(gpu.device, pipeline, NULL);
   vkDestroyPipeline(gpu.device, library, NULL);
   vkDestroyPipelineLayout(gpu.device, layout, NULL);
   scene_finish(&gpu, &scene);
   gpu_close(&gpu);
   return true;
}

static bool
ray_tracing_pipeline(void)
{
   return check_ray_tracing(false);
}

static bool
ray_tracing_library(void)
{
   return check_ray_tracing(true);
}

const struct test tests[] = {
   {.name = "ray query", .run = ray_query},
   {.name = "ray tracing pipeline", .run = ray_tracing_pipeline},
   {.name = "ray tracing pipeline with a library", .run = ray_tracing_library},
   {.name = NULL},
};
