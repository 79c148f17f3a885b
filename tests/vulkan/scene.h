/* SPDX-License-Identifier: MIT */
/* Two triangles and a box as acceleration structures, and what the rays of a grid hit of them, computed here. */
#ifndef TESTS_VULKAN_SCENE_H
#define TESTS_VULKAN_SCENE_H

#include "gpu.h"

enum { WIDTH = 16, HEIGHT = 16 };
enum { MISS, TRIANGLE, BOX };

/* As the shaders write it. */
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

/* The push constants of the shaders: addresses. */
struct push {
   uint64_t scene, hits;
};

void scene_init(struct gpu *gpu, struct scene *scene);
void scene_finish(struct gpu *gpu, struct scene *scene);
/* `lift` moves the triangles along the rays. */
void scene_build_top(struct gpu *gpu, struct scene *scene, float lift, bool update);

/* The structure in a new one of the size that it needs. */
void structure_compact(struct gpu *gpu, const struct structure *from, struct structure *to);
void structure_finish(struct gpu *gpu, struct structure *structure);

/* What the ray through a cell hits. */
struct hit scene_hit(uint32_t column, uint32_t row, float lift);
void hit_check(const struct hit *hit, const struct hit *expected);

#endif
