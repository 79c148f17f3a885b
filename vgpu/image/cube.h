/* SPDX-License-Identifier: MIT */
/* Faces of a cube and what lies beyond their edges. */
#ifndef VGPU_CUBE_H
#define VGPU_CUBE_H

#include <stdbool.h>
#include <stdint.h>

struct cube_texel {
   unsigned face; /* 0 to 5: +X, -X, +Y, -Y, +Z, -Z */
   int32_t x, y;
};

/* Moves a texel that lies at most one beyond an edge of its face to the face it is on. False: it lies beyond a corner,
 * where there is no texel. */
bool cube_across_edge(struct cube_texel *texel, int32_t size);

#endif
