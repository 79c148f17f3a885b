/* SPDX-License-Identifier: MIT */
#include "scene.h"

#include <math.h>
#include <string.h>

/* Two triangles in different planes, and one box behind nothing: the corners of the grid that they cover do not
 * overlap. */
static const float triangles[2][3][3] = {
   {{0, 0, 1}, {8, 0, 1}, {0, 8, 1}},
   {{8, 8, 2}, {16, 8, 2}, {8, 16, 2}},
};
static const VkAabbPositionsKHR box = {8, 0, 3, 16, 8, 4};
static const float box_distance = 3.5f;
enum { TRIANGLES_INSTANCE = 5, BOX_INSTANCE = 9 };

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

void
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
build_triangles(struct gpu *gpu, struct scene *scene)
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
   build(gpu, scene, &scene->triangles, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, &geometry, 2, false);
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

void
scene_build_top(struct gpu *gpu, struct scene *scene, float lift, bool update)
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

void
scene_init(struct gpu *gpu, struct scene *scene)
{
   buffer_init(gpu, &scene->vertices, sizeof(triangles), build_input);
   buffer_init(gpu, &scene->boxes, sizeof(box), build_input);
   buffer_init(gpu, &scene->instances, 2 * sizeof(VkAccelerationStructureInstanceKHR), build_input);
   buffer_init(gpu, &scene->scratch, 1 << 20, 0);
   memcpy(scene->vertices.map, triangles, sizeof(triangles));
   memcpy(scene->boxes.map, &box, sizeof(box));
   build_triangles(gpu, scene);
   build_boxes(gpu, scene);
   scene_build_top(gpu, scene, 0, false);
}

void
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

struct hit
scene_hit(uint32_t column, uint32_t row, float lift)
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

void
hit_check(const struct hit *hit, const struct hit *expected)
{
   CHECK_EQUAL(hit->kind, expected->kind);
   CHECK_EQUAL(hit->instance, expected->instance);
   CHECK_EQUAL(hit->primitive, expected->primitive);
   CHECK(fabsf(hit->t - expected->t) < 1e-5f);
   CHECK(fabsf(hit->barycentrics[0] - expected->barycentrics[0]) < 1e-5f);
   CHECK(fabsf(hit->barycentrics[1] - expected->barycentrics[1]) < 1e-5f);
}

void
structure_compact(struct gpu *gpu, const struct structure *from, struct structure *to)
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
