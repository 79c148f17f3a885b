/* SPDX-License-Identifier: MIT */
/*
 * Rays against one node of a bounding volume hierarchy (RDNA3 ISA guide, 10.9 and 16.18). The descriptor: base address
 * / 256 39:0, box_sorting_heuristic 54:53, box_grow_value 62:55, box_sort_en 63, nodes (of 64 bytes) - 1 105:64,
 * pointer_flags 119, triangle_return_mode 120. A node pointer: kind 2:0, index of 64 bytes from bit 3 on.
 * What the guide leaves open (how intervals grow, the sorting network, the order of a triangle's vertices) is as AMD's
 * gpurt does it in software.
 */
#include <math.h>
#include <string.h>

#include "gpu.h"
#include "image/sample.h"
#include "isa/half.h"
#include "isa/mimg.h"
#include "isa/traffic.h"
#include "isa/watch.h"

enum { NODE_TRIANGLE3 = 3, NODE_BOX16 = 4, NODE_BOX32 = 5, NODE_BYTES = 64 };
enum { BOX_SORT_CLOSEST, BOX_SORT_LARGEST, BOX_SORT_MIDPOINT };
enum { NOTHING = 0xffffffff };

struct bvh {
   uint64_t base, last_node;
   unsigned grow, heuristic;
   bool sort, barycentrics;
};

struct ray {
   uint64_t node;
   float extent, origin[3], direction[3], inverse[3];
};

static bool
read_descriptor(struct wave *wave, const struct inst *inst, unsigned sreg, struct bvh *bvh)
{
   uint64_t low = sreg_read(wave, sreg) | (uint64_t)sreg_read(wave, sreg + 1) << 32;
   uint64_t high = sreg_read(wave, sreg + 2) | (uint64_t)sreg_read(wave, sreg + 3) << 32;
   *bvh = (struct bvh){
      .base = (low & 0xffffffffff) << 8,
      .last_node = high & 0x3ffffffffff,
      .heuristic = low >> 53 & 3,
      .grow = low >> 55 & 255,
      .sort = low >> 63,
      .barycentrics = high >> 56 & 1,
   };
   if (high >> 55 & 1) {
      vgpu_log(wave->gpu, "%s: pointer flags are not supported", inst->op->name);
      isa_raise(wave, inst, TRAPSTS_ILLEGAL_INST);
      return false;
   }
   return true;
}

/* With NSA, five groups of registers: pointer, extent, origin, direction, inverse direction; else they follow each
 * other. With A16 direction and inverse share registers, the direction in the lower halves. */
static struct ray
read_ray(const struct wave *wave, const struct inst *inst, const struct mimg *mimg, bool wide, unsigned lane)
{
   static const uint8_t sizes[5] = {1, 1, 3, 3, 3};
   bool nsa = inst->word[0] & 1;
   uint32_t group[5][3] = {{0}};
   for (unsigned g = 0, n = 0; g < 5; g++) {
      unsigned size = g == 0 && wide ? 2 : sizes[g];
      for (unsigned i = 0; i < size; i++)
         group[g][i] = vgpr_source(wave, nsa ? mimg->address[g] + i : mimg->address[0] + n + i)[lane];
      n += size;
   }
   struct ray ray = {.node = group[0][0] | (uint64_t)group[0][1] << 32, .extent = as_float(group[1][0])};
   for (unsigned i = 0; i < 3; i++) {
      uint32_t packed = group[3][i];
      ray.origin[i] = as_float(group[2][i]);
      ray.direction[i] = mimg->a16 ? from_half((uint16_t)packed) : as_float(packed);
      ray.inverse[i] = mimg->a16 ? from_half((uint16_t)(packed >> 16)) : as_float(group[4][i]);
   }
   return ray;
}

/* Addresses are canonical: bit 47 goes on. */
static bool
read_node(struct wave *wave, const struct inst *inst, const struct bvh *bvh, const struct ray *ray, unsigned nodes,
          uint32_t *words)
{
   traffic_count(wave, STATS_IMAGE_MEMORY, STATS_READ, nodes * NODE_BYTES);
   for (unsigned n = 0; n < nodes; n++) {
      uint64_t va = bvh->base + ((ray->node >> 3) + n) * NODE_BYTES;
      va = (uint64_t)((int64_t)(va << 16) >> 16);
      watch_range(wave, va, NODE_BYTES, WATCH_READ);
      bool prt;
      const void *host = memory_at(wave, va, VM_READ, &prt);
      if (!host && !prt) {
         isa_raise_memory(wave, inst, va, false);
         return false;
      }
      if (host)
         memcpy(words + n * (NODE_BYTES / 4), host, NODE_BYTES);
      else
         memset(words + n * (NODE_BYTES / 4), 0, NODE_BYTES);
   }
   return true;
}

/* ---- boxes ---- */

struct child {
   uint32_t pointer;
   float key;
};

/* The part of the ray in a box: *enter to *leave, and both clamped to the ray. False: a bound is not a number. */
static bool
box_interval(const struct ray *ray, const float bounds[2][3], float interval[2], float clamped[2])
{
   float enter = -INFINITY, leave = INFINITY;
   for (unsigned i = 0; i < 3; i++) {
      if (isnan(bounds[0][i]) || isnan(bounds[1][i]))
         return false;
      float low = (bounds[0][i] - ray->origin[i]) * ray->inverse[i];
      float high = (bounds[1][i] - ray->origin[i]) * ray->inverse[i];
      bool forward = ray->inverse[i] >= 0;
      enter = fmaxf(enter, forward ? low : high);
      leave = fminf(leave, forward ? high : low);
   }
   interval[0] = enter;
   interval[1] = leave;
   clamped[0] = fmaxf(enter, 0);
   clamped[1] = fminf(leave, ray->extent);
   return true;
}

static void
sort_pair(struct child *first, struct child *second)
{
   if ((second->pointer != NOTHING && second->key < first->key) || first->pointer == NOTHING) {
      struct child other = *first;
      *first = *second;
      *second = other;
   }
}

static struct child
test_box(const struct bvh *bvh, const struct ray *ray, uint32_t pointer, const float bounds[2][3])
{
   float interval[2], clamped[2];
   if (!box_interval(ray, bounds, interval, clamped) || !(clamped[0] <= clamped[1] * (1 + (float)bvh->grow * 0x1p-24f)))
      return (struct child){NOTHING, INFINITY};
   switch (bvh->heuristic) {
   case BOX_SORT_LARGEST:
      return (struct child){pointer, clamped[0] - clamped[1]};
   case BOX_SORT_MIDPOINT:
      return (struct child){pointer, interval[0] + interval[1]};
   default:
      return (struct child){pointer, clamped[0]};
   }
}

/* Four pointers, then four boxes of six floats or halfs: minimum, maximum. */
static void
intersect_boxes(const struct bvh *bvh, const struct ray *ray, const uint32_t *node, bool halfs, uint32_t result[4])
{
   struct child child[4];
   for (unsigned n = 0; n < 4; n++) {
      float bounds[2][3];
      for (unsigned i = 0; i < 6; i++) {
         unsigned at = n * 6 + i;
         uint32_t half = node[4 + at / 2] >> (at & 1 ? 16 : 0);
         bounds[i / 3][i % 3] = halfs ? from_half((uint16_t)half) : as_float(node[4 + at]);
      }
      child[n] = test_box(bvh, ray, node[n], bounds);
   }
   if (bvh->sort) {
      sort_pair(&child[0], &child[2]);
      sort_pair(&child[1], &child[3]);
      sort_pair(&child[0], &child[1]);
      sort_pair(&child[2], &child[3]);
      sort_pair(&child[1], &child[2]);
   }
   for (unsigned n = 0; n < 4; n++)
      result[n] = child[n].pointer;
}

/* ---- triangles ---- */

static void
cross(const double a[3], const double b[3], double result[3])
{
   for (unsigned i = 0; i < 3; i++)
      result[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static double
dot(const double a[3], const double b[3])
{
   return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Moeller and Trumbore, in doubles, so that neighbours agree on the edge between them. */
static void
intersect_triangle(const struct bvh *bvh, const struct ray *ray, const uint32_t *node, uint32_t result[4])
{
   /* A node has five vertices and up to four triangles, of which its kind chooses one. */
   static const uint8_t vertices[4][3] = {{0, 1, 2}, {1, 3, 2}, {2, 3, 4}, {2, 4, 0}};
   unsigned kind = ray->node & 7;
   double vertex[3][3], edge1[3], edge2[3], to_origin[3], direction[3], s1[3], s2[3];
   for (unsigned v = 0; v < 3; v++)
      for (unsigned i = 0; i < 3; i++)
         vertex[v][i] = as_float(node[vertices[kind][v] * 3 + i]);
   for (unsigned i = 0; i < 3; i++) {
      edge1[i] = vertex[1][i] - vertex[0][i];
      edge2[i] = vertex[2][i] - vertex[0][i];
      to_origin[i] = ray->origin[i] - vertex[0][i];
      direction[i] = ray->direction[i];
   }
   cross(direction, edge2, s1);
   cross(to_origin, edge1, s2);
   double t = dot(edge2, s2), det = dot(s1, edge1), u = dot(to_origin, s1), v = dot(direction, s2);
   double sign = det < 0 ? -1 : 1;
   bool hit = det != 0 && u * sign >= 0 && v * sign >= 0 && (u + v) * sign <= det * sign && t * sign >= 0;

   result[0] = float_bits(hit ? (float)t : INFINITY);
   result[1] = float_bits(hit ? (float)det : 1);
   uint32_t id = node[15];
   if (!bvh->barycentrics) {
      result[2] = id;
      result[3] = hit;
      return;
   }
   /* The last dword says, for each triangle, which weights are I (1:0) and J (3:2). */
   double weight[4] = {det - u - v, u, v, 0};
   result[2] = float_bits((float)weight[id >> 8 * kind & 3]);
   result[3] = float_bits((float)weight[id >> (8 * kind + 2) & 3]);
}

/* Nodes beyond the end and of kinds that belong to the user have no children. */
static bool
intersect(struct wave *wave, const struct inst *inst, const struct bvh *bvh, const struct ray *ray, uint32_t result[4])
{
   unsigned kind = ray->node & 7, nodes = kind == NODE_BOX32 ? 2 : 1;
   uint32_t node[2 * NODE_BYTES / 4];
   memset(result, 0xff, 4 * sizeof *result);
   if (kind > NODE_BOX32 || (ray->node >> 3) + nodes - 1 > bvh->last_node)
      return true;
   if (!read_node(wave, inst, bvh, ray, nodes, node))
      return false;
   if (kind <= NODE_TRIANGLE3)
      intersect_triangle(bvh, ray, node, result);
   else
      intersect_boxes(bvh, ray, node, kind == NODE_BOX16, result);
   return true;
}

enum isa_result
image_bvh_execute(struct wave *wave, const struct inst *inst)
{
   struct mimg mimg;
   mimg_fields(inst, &mimg);
   bool wide = mimg.opcode == 26;
   struct bvh bvh;
   if (!read_descriptor(wave, inst, mimg.srsrc, &bvh))
      return ISA_TRAP;
   uint32_t data[4][64] = {{0}};
   uint64_t lanes = active_lanes(wave);
   for (uint64_t left = lanes; left; left &= left - 1) {
      unsigned lane = (unsigned)__builtin_ctzll(left);
      struct ray ray = read_ray(wave, inst, &mimg, wide, lane);
      uint32_t result[4];
      if (!intersect(wave, inst, &bvh, &ray, result))
         return ISA_TRAP;
      for (unsigned i = 0; i < 4; i++)
         data[i][lane] = result[i];
   }
   mimg.tfe = mimg.lwe = false; /* not for this instruction */
   mimg_return(wave, &mimg, lanes, MIMG_RAW, 15, (const uint32_t(*)[64])data, 0);
   return ISA_NEXT;
}
