/* SPDX-License-Identifier: MIT */
/*
 * The compute pass of a grass renderer: blades in a buffer that is reached by its address from push constants, culled
 * against the camera's frustum, counted into two indirect draws, one for each level of detail, and listed for them.
 */
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "grass.comp.h"

#define WORKGROUP 64
#define PLANES 5
#define DETAILS 2

struct blade {
   float x, y, z, height;
};

struct camera {
   struct {
      float x, y, z, w;
   } planes[PLANES];
   float eye[3];
   float near;
};

struct constants {
   VkDeviceAddress field, camera, commands, visible;
   uint32_t n;
};

enum { NEAR, FAR, UNSEEN };

static const VkDrawIndexedIndirectCommand draws_before[DETAILS] = {
   [NEAR] = {.indexCount = 15},
   [FAR] = {.indexCount = 3, .firstIndex = 15},
};

static uint32_t
noise(uint32_t x)
{
   x ^= x >> 16;
   x *= 0x7feb352du;
   x ^= x >> 15;
   x *= 0x846ca68bu;
   return x ^ x >> 16;
}

/* A blade on each point of a grid of 1 m, 128 blades wide. */
static struct blade
make_blade(uint32_t i)
{
   return (struct blade){(float)(i % 128) - 64.0f, 0.0f, (float)(i / 128), 0.5f + (float)(noise(~i) & 7) * 0.125f};
}

/* 2 m above the edge of the field, looking along z; left, right, bottom, top, and the end of what is seen. */
static const struct camera camera_before = {
   .planes =
      {{0.75f, 0, 0.5f, 0}, {-0.75f, 0, 0.5f, 0}, {0, 0.75f, 0.5f, -1.5f}, {0, -0.75f, 0.5f, 1.5f}, {0, 0, -1, 48}},
   .eye = {0, 2, 0},
   .near = 12,
};

/* What the shader decides; the coordinates are multiples of 1/16, so that nothing is rounded. */
static unsigned
classify(uint32_t i)
{
   struct blade blade = make_blade(i);
   uint32_t random = noise(i);
   float radius = blade.height * 0.5f;
   float x = blade.x + (float)(random & 15) * 0.0625f;
   float y = blade.y + radius;
   float z = blade.z + (float)(random >> 4 & 15) * 0.0625f;
   for (int p = 0; p < PLANES; p++) {
      float distance = camera_before.planes[p].x * x + camera_before.planes[p].y * y + camera_before.planes[p].z * z +
                       camera_before.planes[p].w;
      if (distance < -radius)
         return UNSEEN;
   }
   float dx = x - camera_before.eye[0], dy = y - camera_before.eye[1], dz = z - camera_before.eye[2];
   if (dx * dx + dy * dy + dz * dz < camera_before.near * camera_before.near)
      return NEAR;
   return (random & 0x300) == 0 ? UNSEEN : FAR;
}

/* The lists come in any order: each blade must be in the right one, and in that once. */
static uint32_t
count_right(const VkDrawIndexedIndirectCommand *draws, const uint32_t *visible, uint32_t n)
{
   uint8_t *listed = calloc(n, DETAILS);
   uint32_t right = 0;
   for (uint32_t detail = 0; listed && detail < DETAILS; detail++) {
      VkDrawIndexedIndirectCommand expected = draws_before[detail];
      expected.instanceCount = draws[detail].instanceCount;
      if (expected.instanceCount > n || memcmp(&draws[detail], &expected, sizeof(expected)))
         break;
      for (uint32_t i = 0; i < expected.instanceCount; i++) {
         uint32_t blade = visible[detail * n + i];
         if (blade < n && listed[DETAILS * blade + detail] < UINT8_MAX)
            listed[DETAILS * blade + detail]++;
      }
   }
   for (uint32_t i = 0; listed && i < n; i++) {
      unsigned kind = classify(i);
      right += listed[DETAILS * i + NEAR] == (kind == NEAR) && listed[DETAILS * i + FAR] == (kind == FAR);
   }
   free(listed);
   return right;
}

int
main(int argc, char **argv)
{
   struct sample sample;
   sample_init(&sample, "grass", 8000, argc, argv);
   const uint32_t n = sample.n;

   struct sample_buffer field, camera, commands_buffer, visible;
   sample_buffer_init(&field, &sample, n * sizeof(struct blade));
   sample_buffer_init(&camera, &sample, sizeof(struct camera));
   sample_buffer_init(&commands_buffer, &sample, sizeof(draws_before));
   sample_buffer_init(&visible, &sample, DETAILS * n * sizeof(uint32_t));
   struct blade *blades = field.map;
   for (uint32_t i = 0; i < n; i++)
      blades[i] = make_blade(i);
   memcpy(camera.map, &camera_before, sizeof(camera_before));
   memcpy(commands_buffer.map, draws_before, sizeof(draws_before));
   const struct constants constants = {field.address, camera.address, commands_buffer.address, visible.address, n};

   struct sample_kernel kernel;
   sample_kernel_init(&kernel, &sample,
                      &(struct sample_kernel_info){
                         .name = "grass",
                         .spirv = grass_spirv,
                         .spirv_size = sizeof(grass_spirv),
                         .push_constant_size = sizeof(constants),
                         .max_sets = 1,
                      });

   VkCommandBuffer commands = sample_begin(&sample);
   sample_dispatch(&sample, commands, &kernel, VK_NULL_HANDLE, &constants, (n + WORKGROUP - 1) / WORKGROUP, "cull");
   sample_submit(&sample, commands);
   uint32_t right = count_right(commands_buffer.map, visible.map, n);

   sample_kernel_finish(&kernel, &sample);
   sample_buffer_finish(&visible, &sample);
   sample_buffer_finish(&commands_buffer, &sample);
   sample_buffer_finish(&camera, &sample);
   sample_buffer_finish(&field, &sample);
   sample_finish(&sample);
   return sample_report(&sample, right, n);
}
