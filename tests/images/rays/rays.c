/* SPDX-License-Identifier: MIT */
/*
 * Ray queries on the virtual GPU against lavapipe: both build their trees over the same triangles and instances, and
 * rays must meet the same ones.
 *
 *    rays SEED SHADERS
 *
 * HDB_TEST_DRIVER names the fork; without it, or without lavapipe, the test is skipped.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../device.h"
#include "../kernel.h"
#include "../random.h"

enum { TRIANGLES = 300, INSTANCES = 5, RAYS = 1024 };

/* SPIR-V's RayFlags */
enum { OPAQUE = 1, NOT_OPAQUE = 2, FIRST_HIT = 4, CULL_BACK = 16, CULL_FRONT = 32 };

struct ray {
   float origin[3], least, direction[3], most;
   uint32_t flags, mask, unused[2];
};

struct hit {
   float t;
   uint32_t kind, primitive, instance;
   float weights[2];
   uint32_t front, steps;
};

static float vertices[TRIANGLES][3][3];
static VkAccelerationStructureInstanceKHR instances[INSTANCES];
static struct ray rays[RAYS];

/* Small triangles in a cube, the cube several times in space, turned and stretched. */
static void
choose_scene(void)
{
   for (unsigned n = 0; n < TRIANGLES; n++) {
      float at[3];
      for (unsigned i = 0; i < 3; i++)
         at[i] = random_between(-4, 4);
      for (unsigned v = 0; v < 3; v++)
         for (unsigned i = 0; i < 3; i++)
            vertices[n][v][i] = at[i] + random_between(-1, 1);
   }
   for (unsigned n = 0; n < INSTANCES; n++) {
      float angle = random_between(0, 6), c = cosf(angle), s = sinf(angle), size = random_between(0.5f, 2);
      instances[n] = (VkAccelerationStructureInstanceKHR){
         .transform = {{{c * size, -s * size, 0, random_between(-20, 20)},
                        {s * size, c * size, 0, random_between(-20, 20)},
                        {0, 0, n == 1 ? -size : size, random_between(-20, 20)}}},
         .instanceCustomIndex = n,
         .mask = 1u << n,
         .flags = n == 2 ? VK_GEOMETRY_INSTANCE_TRIANGLE_FACING_CULL_DISABLE_BIT_KHR : 0,
      };
   }
}

/* Into one of the cubes, or past all. */
static void
choose_rays(void)
{
   static const uint32_t flags[] = {0, OPAQUE, OPAQUE | FIRST_HIT, OPAQUE | CULL_BACK, OPAQUE | CULL_FRONT, NOT_OPAQUE};
   for (unsigned n = 0; n < RAYS; n++) {
      const VkTransformMatrixKHR *to = &instances[random_below(INSTANCES)].transform;
      struct ray *ray = &rays[n];
      for (unsigned i = 0; i < 3; i++) {
         ray->origin[i] = random_between(-40, 40);
         ray->direction[i] = to->matrix[i][3] + random_between(-4, 4) - ray->origin[i];
      }
      if (random_below(16) == 0)
         ray->direction[random_below(3)] = 0;
      ray->least = random_below(4) ? 0 : 0.5f;
      ray->most = random_below(4) ? 100 : 1;
      ray->flags = flags[random_below(6)];
      ray->mask = random_below(4) ? 0xff : 1 + random_below(31);
   }
}

/* ---- trees ---- */

struct tree {
   struct buffer storage;
   VkAccelerationStructureKHR structure;
   VkDeviceAddress address;
};

static void
build(struct gpu *gpu, struct tree *tree, VkAccelerationStructureTypeKHR type,
      const VkAccelerationStructureGeometryKHR *geometry, uint32_t count)
{
   DEVICE_FUNCTION(gpu, GetAccelerationStructureBuildSizesKHR);
   DEVICE_FUNCTION(gpu, CreateAccelerationStructureKHR);
   DEVICE_FUNCTION(gpu, CmdBuildAccelerationStructuresKHR);
   DEVICE_FUNCTION(gpu, GetAccelerationStructureDeviceAddressKHR);
   VkAccelerationStructureBuildGeometryInfoKHR build = {
      .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
      .type = type,
      .flags = VK_BUILD_ACCELERATION_STRUCTURE_PREFER_FAST_TRACE_BIT_KHR,
      .geometryCount = 1,
      .pGeometries = geometry,
   };
   VkAccelerationStructureBuildSizesInfoKHR sizes = {.sType =
                                                        VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR};
   GetAccelerationStructureBuildSizesKHR(gpu->device, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR, &build, &count,
                                         &sizes);
   struct buffer scratch;
   buffer_init(gpu, &tree->storage, sizes.accelerationStructureSize,
               VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR);
   buffer_init(gpu, &scratch, sizes.buildScratchSize + 256, 0);
   const VkAccelerationStructureCreateInfoKHR info = {
      .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
      .buffer = tree->storage.buffer,
      .size = sizes.accelerationStructureSize,
      .type = type,
   };
   CALL(CreateAccelerationStructureKHR(gpu->device, &info, NULL, &tree->structure));
   build.dstAccelerationStructure = tree->structure;
   build.scratchData.deviceAddress = (scratch.address + 255) & ~UINT64_C(255);
   const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = count}, *ranges = &range;
   gpu_begin(gpu);
   CmdBuildAccelerationStructuresKHR(gpu->commands, 1, &build, &ranges);
   gpu_submit(gpu, gpu->commands);
   buffer_finish(gpu, &scratch);
   const VkAccelerationStructureDeviceAddressInfoKHR address = {
      .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR,
      .accelerationStructure = tree->structure};
   tree->address = GetAccelerationStructureDeviceAddressKHR(gpu->device, &address);
}

static void
destroy(struct gpu *gpu, struct tree *tree)
{
   DEVICE_FUNCTION(gpu, DestroyAccelerationStructureKHR);
   DestroyAccelerationStructureKHR(gpu->device, tree->structure, NULL);
   buffer_finish(gpu, &tree->storage);
}

static void
trace(const char *driver, uint32_t wave_size, struct hit *hits)
{
   struct gpu opened, *gpu = &opened;
   struct set set;
   device_open(gpu, driver);
   kernel_init_set(gpu, &set);
   struct buffer triangles, placed, in, out;
   buffer_init(gpu, &triangles, sizeof vertices, VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR);
   memcpy(triangles.map, vertices, sizeof vertices);
   VkAccelerationStructureGeometryKHR geometry = {
      .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
      .geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR,
      .geometry.triangles =
         {
            .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR,
            .vertexFormat = VK_FORMAT_R32G32B32_SFLOAT,
            .vertexData.deviceAddress = triangles.address,
            .vertexStride = sizeof vertices[0][0],
            .maxVertex = 3 * TRIANGLES - 1,
            .indexType = VK_INDEX_TYPE_NONE_KHR,
         },
   };
   struct tree bottom, top;
   build(gpu, &bottom, VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR, &geometry, TRIANGLES);

   for (unsigned n = 0; n < INSTANCES; n++)
      instances[n].accelerationStructureReference = bottom.address;
   buffer_init(gpu, &placed, sizeof instances, VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR);
   memcpy(placed.map, instances, sizeof instances);
   geometry.geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR;
   geometry.geometry.instances = (VkAccelerationStructureGeometryInstancesDataKHR){
      .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR,
      .data.deviceAddress = placed.address,
   };
   build(gpu, &top, VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR, &geometry, INSTANCES);

   buffer_init(gpu, &in, sizeof rays, 0);
   buffer_init(gpu, &out, RAYS * sizeof *hits, 0);
   memcpy(in.map, rays, sizeof rays);
   VkPipeline pipeline = gpu_create_pipeline_of(gpu, set.layout, gpu_create_module(gpu, "rays"), 0, wave_size, NULL);
   kernel_run(gpu, &set, pipeline, VK_NULL_HANDLE, VK_NULL_HANDLE, &in, &out, &top.address, sizeof top.address,
              RAYS / 64);
   memcpy(hits, out.map, RAYS * sizeof *hits);

   vkDestroyPipeline(gpu->device, pipeline, NULL);
   destroy(gpu, &top);
   destroy(gpu, &bottom);
   buffer_finish(gpu, &triangles);
   buffer_finish(gpu, &placed);
   buffer_finish(gpu, &in);
   buffer_finish(gpu, &out);
   set_finish(gpu, &set);
   gpu_close(gpu);
}

/* A ray that grazes an edge may meet its triangle here and miss it there: a few in a thousand. */
static unsigned
compare(const struct hit *expected, const struct hit *got)
{
   unsigned wrong = 0, met = 0;
   for (unsigned n = 0; n < RAYS; n++) {
      const struct hit *a = &expected[n], *b = &got[n];
      bool equal = a->kind == b->kind && a->primitive == b->primitive && a->instance == b->instance &&
                   a->front == b->front && fabsf(a->t - b->t) <= 1e-4f * fabsf(a->t) &&
                   fabsf(a->weights[0] - b->weights[0]) < 2e-3f && fabsf(a->weights[1] - b->weights[1]) < 2e-3f;
      if (rays[n].flags & FIRST_HIT) /* whichever */
         equal = a->kind == b->kind;
      met += a->kind != 0;
      wrong += !equal;
      if (!equal && wrong <= 8)
         printf("ray %u (flags %u): expected kind %u, triangle %u of %u, t %g, weights %g %g, front %u; got %u, %u of "
                "%u, %g, %g %g, %u\n",
                n, rays[n].flags, a->kind, a->primitive, a->instance, a->t, a->weights[0], a->weights[1], a->front,
                b->kind, b->primitive, b->instance, b->t, b->weights[0], b->weights[1], b->front);
   }
   printf("%u rays, %u met a triangle, %u differ\n", RAYS, met, wrong);
   CHECK(met > RAYS / 4 && met < RAYS);
   return wrong;
}

int
main(int argc, char **argv)
{
   static struct hit expected[RAYS], got[RAYS];
   if (argc != 3) {
      fprintf(stderr, "usage: rays SEED SHADERS\n");
      return 2;
   }
   const char *lavapipe_path = "/usr/lib/x86_64-linux-gnu/libvulkan_lvp.so", *fork_path = getenv("HDB_TEST_DRIVER");
   if (!fork_path || access(lavapipe_path, R_OK) || access(fork_path, R_OK)) {
      fprintf(stderr, "no driver to test, or no lavapipe\n");
      return 77;
   }
   random_seed((uint32_t)atoi(argv[1]) * 1000003u + 1);
   gpu_shaders = argv[2];
   choose_scene();
   choose_rays();
   trace(lavapipe_path, 0, expected);
   unsigned wrong = 0;
   for (uint32_t wave_size = 32; wave_size <= 64; wave_size += 32) {
      trace(fork_path, wave_size, got);
      wrong += compare(expected, got) > RAYS / 256;
   }
   return wrong != 0;
}
