/* SPDX-License-Identifier: MIT */
/*
 * Samplers, by hand: what each field of S# does to images of a few texels, in every kind of lookup but for LOD
 * (test_lod.c). Expected values are worked out in the comments or follow from Vulkan 1.3, chapter 16.
 */
#include <math.h>
#include <string.h>

#include "cp/registers.h"
#include "texture_box.h"

/* A row of lanes with different s; t in the middle of the first row. */
static void
expect_row(const char *text, const float *s, const float *expected, unsigned count)
{
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[4][l] = float_bits(s[l % count]);
   lanes_set(5, 0.125f);
   box_look(text);
   for (unsigned l = 0; l < count; l++)
      if (lane_get(0, l) != expected[l])
         fail_msg("%s: s = %g: %g, not %g", text, s[l], lane_get(0, l), expected[l]);
}

/* Texels 10, 11, 12, 13; the border is 0. */
static void
fill_row(void)
{
   for (int y = 0; y < 4; y++)
      for (int x = 0; x < 4; x++)
         view_put(0, x, y, 0, (float)(10 + x + 10 * y));
}

static void
test_nearest_wraps(void **state)
{
   static const float s[] = {0.125f, 0.3f, 0.6f, 0.9f, -0.1f, -0.3f, 1.1f, 1.3f, -0.9f, 1.9f, 2.1f, -1.1f};
   static const float expected[8][12] = {
      {10, 11, 12, 13, 13, 12, 10, 11, 10, 13, 10, 13}, /* repeat */
      {10, 11, 12, 13, 10, 11, 13, 12, 13, 10, 10, 13}, /* mirror */
      {10, 11, 12, 13, 10, 10, 13, 13, 10, 13, 13, 10}, /* clamp to the edge */
      {10, 11, 12, 13, 10, 11, 13, 13, 13, 13, 13, 13}, /* mirror once */
      {10, 11, 12, 13, 10, 10, 13, 13, 10, 13, 13, 10}, /* half border: never the nearest */
      {10, 11, 12, 13, 10, 11, 13, 13, 13, 13, 13, 13}, {10, 11, 12, 13, 0, 0, 0, 0, 0, 0, 0, 0}, /* border */
      {10, 11, 12, 13, 10, 11, 0, 0, 13, 0, 0, 0},
   };
   for (unsigned wrap = 0; wrap < 8; wrap++) {
      view_fresh(&view_plain);
      fill_row();
      sampler_set(wrap, 0, 0);
      expect_row(LOOK("image_sample_lz"), s, expected[wrap], 12);
   }
}

/* s = 0: half of what is on either side of the edge; 0.25 + 1/1024 is 1/256 of the way from 10.5 to the next. */
static void
test_linear_wraps(void **state)
{
   static const float s[] = {0, 1, 0.25f, 0.25f + 1.0f / 1024, 0.125f, -0.25f};
   static const float expected[8][6] = {
      {11.5f, 11.5f, 10.5f, 10.5f + 1.0f / 256, 10, 12.5f}, /* repeat: 10 and 13 */
      {10, 13, 10.5f, 10.5f + 1.0f / 256, 10, 10.5f},       /* mirror */
      {10, 13, 10.5f, 10.5f + 1.0f / 256, 10, 10},          /* clamp */
      {10, 13, 10.5f, 10.5f + 1.0f / 256, 10, 10.5f},       /* mirror once */
      {5, 6.5f, 10.5f, 10.5f + 1.0f / 256, 10, 5},          /* half border */
      {10, 6.5f, 10.5f, 10.5f + 1.0f / 256, 10, 10.5f},     /* |s|; beyond 0 lies the mirrored texel */
      {5, 6.5f, 10.5f, 10.5f + 1.0f / 256, 10, 0},          /* border */
      {10, 6.5f, 10.5f, 10.5f + 1.0f / 256, 10, 10.5f},
   };
   for (unsigned wrap = 0; wrap < 8; wrap++) {
      view_fresh(&view_plain);
      fill_row();
      sampler_set(wrap, 1, 0);
      expect_row(LOOK("image_sample_lz"), s, expected[wrap], 6);
   }
}

/* Weights have eight bits: a coordinate is rounded to the nearest 256th of a texel. */
static void
test_precision(void **state)
{
   static const float s[] = {0.25f + 0.4f / 1024, 0.25f + 0.6f / 1024, 0.25f - 0.4f / 1024, 1e30f, -INFINITY, NAN};
   static const float expected[] = {10.5f, 10.5f + 1.0f / 256, 10.5f, 13, 10, 10};
   view_fresh(&view_plain);
   fill_row();
   sampler_set(2, 1, 0);
   expect_row(LOOK("image_sample_lz"), s, expected, 6);
}

/* TRUNC_COORD: 0.5 - 2^-12 is texel 1; without, it is rounded to 256ths first and becomes 2. */
static void
test_truncate(void **state)
{
   static const float s[] = {0.5f - 1.0f / 4096};
   static const float truncated[] = {11}, rounded[] = {12};
   view_fresh(&view_plain);
   fill_row();
   expect_row(LOOK("image_sample_lz"), s, truncated, 1);
   box.wave.sreg[SAMPLER] &= ~(1u << 27);
   expect_row(LOOK("image_sample_lz"), s, rounded, 1);
}

static void
test_unnormalized(void **state)
{
   static const float s[] = {0.5f, 1.5f, 2, 3.5f, 9};
   static const float expected[] = {10, 11, 11.5f, 13, 13};
   view_fresh(&view_plain);
   fill_row();
   sampler_set(2, 1, 0);
   box.wave.sreg[SAMPLER] |= 1 << 15;
   lanes_set(5, 0.5f);
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[4][l] = float_bits(s[l % 5]);
   box_look(LOOK("image_sample_lz"));
   for (unsigned l = 0; l < 5; l++)
      assert_true(lane_get(0, l) == expected[l]);
   box.wave.sreg[SAMPLER] &= ~(1u << 15);
   box_look("image_sample_lz v0, v[4:5], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm\n");
   for (unsigned l = 0; l < 5; l++)
      assert_true(lane_get(0, l) == expected[l]);
}

/* The three given colours, and one of the table; BC_SWIZZLE puts red where the image has it. */
static void
test_border_colors(void **state)
{
   static const float colors[4][4] = {{0, 0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1, 1}, {0.25f, 0.5f, 0.75f, 2}};
   static const unsigned table = 1 << 15; /* in the box's data */
   struct view view = view_plain;
   view.format = FORMAT_8888_UNORM;
   uint64_t base = (BOX_DATA_VA + table) >> 8 & 0xffffffffff;
   registers_set(box.gpu, CP_RING_GFX, REG_TA_CS_BC_BASE_ADDR, (uint32_t)base);
   registers_set(box.gpu, CP_RING_GFX, REG_TA_CS_BC_BASE_ADDR_HI, (uint32_t)(base >> 32));
   for (unsigned order = 0; order < 2; order++) {
      view.select = order ? SELECT_WZYX : SELECT_XYZW;
      view.border_swizzle = order ? 2 : 0;
      for (unsigned i = 0; i < 4; i++) {
         view_fresh(&view);
         memcpy((uint8_t *)box.data + table + 5 * 16, colors[3], 16);
         sampler_set(6, 0, 0);
         box.wave.sreg[SAMPLER + 3] = i << 30 | 5 << 18;
         lanes_set(4, -1);
         lanes_set(5, 0.5f);
         box_look("image_sample_lz v[0:3], v[4:5], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D\n");
         for (unsigned c = 0; c < 4; c++)
            assert_true(lane_get(c, 7) == colors[i][c]);
      }
   }
   /* Integers have an integer's 1. */
   view = view_plain;
   view.format = FORMAT_32_UINT;
   view_fresh(&view);
   sampler_set(6, 0, 0);
   box.wave.sreg[SAMPLER + 3] = 2u << 30;
   lanes_set(4, 2);
   lanes_set(5, 0.5f);
   box_look("image_sample_lz v[0:3], v[4:5], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D\n");
   assert_int_equal(box.vgpr[0][0], 1);
   assert_int_equal(box.vgpr[3][0], 1);
}

static void
test_integers_are_not_filtered(void **state)
{
   struct view view = view_plain;
   view.format = FORMAT_32_UINT;
   view_fresh(&view);
   for (int x = 0; x < 4; x++)
      *(uint32_t *)view_texel(0, x, 0, 0, 0) = 0xf0000001 + (uint32_t)x;
   sampler_set(2, 1, 2);
   lanes_set(4, 0.5f + 1.0f / 64);
   lanes_set(5, 0.125f);
   box_look(LOOK("image_sample_lz"));
   assert_int_equal(box.vgpr[0][0], 0xf0000003);
}

/* sRGB 188 is 0.503 of full: linear before it is filtered, half way to 0. */
static void
test_srgb(void **state)
{
   struct view view = view_plain;
   view.format = FORMAT_8888_SRGB;
   view.select = SELECT_XYZW;
   view_fresh(&view);
   *(uint32_t *)view_texel(0, 1, 0, 0, 0) = 0xffbcbcbc;
   sampler_set(2, 1, 0);
   lanes_set(4, 0.25f);
   lanes_set(5, 0.125f);
   box_look("image_sample_lz v[0:3], v[4:5], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D\n");
   assert_true(fabsf(lane_get(0, 0) - 0.5028865f / 2) < 1e-6f);
   assert_true(lane_get(3, 0) == 0.5f);
}

static void
test_offsets(void **state)
{
   view_fresh(&view_plain);
   fill_row();
   lanes_set(5, 0.375f); /* texel 1, 1 */
   lanes_set(6, 0.375f);
   static const int offset[][2] = {{0, 0}, {1, 2}, {-1, -1}, {7, 0}, {-8, 1}, {31, -32}};
   static const float expected[] = {21, 42, 10, 20, 31, 20};
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[4][l] = ((uint32_t)offset[l % 6][0] & 63) | ((uint32_t)offset[l % 6][1] & 63) << 8 | 0xc000c0c0;
   box_look("image_sample_lz_o v0, v[4:6], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D\n");
   for (unsigned l = 0; l < 6; l++)
      assert_true(lane_get(0, l) == expected[l]);
}

/* Each texel is compared before filtering; a unorm format's reference is clamped. */
static void
test_compare(void **state)
{
   static const float expected[8][3] = {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1},
                                        {1, 0, 0}, {1, 0, 1}, {1, 1, 0}, {1, 1, 1}};
   for (unsigned function = 0; function < 8; function++) {
      view_fresh(&view_plain);
      for (int x = 0; x < 4; x++)
         view_put(0, x, 0, 0, 0.25f * (float)x);
      box.wave.sreg[SAMPLER] |= function << 12;
      lanes_set(4, 0.5f); /* the reference */
      lanes_set(6, 0.125f);
      for (unsigned l = 0; l < 64; l++)
         box.vgpr[5][l] = float_bits(0.375f + 0.25f * (float)(l % 3)); /* texels 0.25, 0.5, 0.75 */
      box_look("image_sample_c_lz v[0:3], v[4:6], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D\n");
      for (unsigned l = 0; l < 3; l++)
         assert_true(lane_get(0, l) == expected[function][l]);
      assert_true(lane_get(1, 0) == 0 && lane_get(3, 0) == 1);
   }
   /* Half of the texels pass. */
   view_fresh(&view_plain);
   for (int x = 0; x < 4; x++)
      view_put(0, x, 0, 0, 0.25f * (float)x);
   sampler_set(2, 1, 0);
   box.wave.sreg[SAMPLER] |= 1 << 12;
   lanes_set(4, 0.4f);
   lanes_set(5, 0.5f + 1.0f / 16); /* 0.75 of 0.5, 0.25 of 0.25 */
   lanes_set(6, 0.125f);
   box_look("image_sample_c_lz v0, v[4:6], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D\n");
   assert_true(lane_get(0, 0) == 0.75f);

   struct view view = view_plain;
   view.format = FORMAT_16_UNORM;
   view_fresh(&view);
   *(uint16_t *)view_texel(0, 0, 0, 0, 0) = 0xffff;
   box.wave.sreg[SAMPLER] |= 3 << 12; /* 2 <= 1 if the reference is clamped */
   lanes_set(4, 2);
   lanes_set(5, 0.125f);
   lanes_set(6, 0.125f);
   box_look("image_sample_c_lz v0, v[4:6], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D\n");
   assert_true(lane_get(0, 0) == 1);
}

/* Minimum and maximum of the texels that have weight. */
static void
test_reduction(void **state)
{
   for (unsigned mode = 1; mode <= 2; mode++) {
      view_fresh(&view_plain);
      fill_row();
      sampler_set(2, 1, 0);
      box.wave.sreg[SAMPLER] |= mode << 29;
      lanes_set(4, 0.25f); /* between texels 0 and 1 */
      lanes_set(5, 0.25f);
      box_look(LOOK("image_sample_lz"));
      assert_true(lane_get(0, 0) == (mode == 1 ? 10 : 21));
      lanes_set(5, 0.125f); /* in the middle of row 0 */
      box_look(LOOK("image_sample_lz"));
      assert_true(lane_get(0, 0) == (mode == 1 ? 10 : 11));
   }
}

/* ---- gather ---- */

/* Anticlockwise from the lower left (Vulkan 1.3, 16.5.5); 4x4 texels 10 + x + 10 y, around texels 1 and 2. */
static void
test_gather(void **state)
{
   view_fresh(&view_plain);
   fill_row();
   sampler_set(2, 0, 0);
   lanes_set(4, 0.5f);
   lanes_set(5, 0.5f);
   box_look("image_gather4_lz v[0:3], v[4:5], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D\n");
   assert_true(lane_get(0, 9) == 31 && lane_get(1, 9) == 32 && lane_get(2, 9) == 22 && lane_get(3, 9) == 21);
   box_look("image_gather4_lz v[0:3], v[4:5], s[0:7], s[8:11] dmask:0x8 dim:SQ_RSRC_IMG_2D\n");
   assert_true(lane_get(0, 9) == 1 && lane_get(3, 9) == 1); /* DST_SEL_W is 1 */
   box_look("image_gather4h v[0:3], v[4:5], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D\n");
   assert_true(lane_get(0, 9) == 21 && lane_get(1, 9) == 22 && lane_get(2, 9) == 23 && lane_get(3, 9) == 23);
   /* With an offset and a comparison; texels are 10 and 20 (clamped) in both columns. */
   box.wave.sreg[SAMPLER] |= 1 << 12;
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[4][l] = (uint32_t)-2 & 63;
   lanes_set(5, 15);
   lanes_set(6, 0.25f);
   lanes_set(7, 0.25f);
   box_look("image_gather4_c_lz_o v[0:3], v[4:7], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D\n");
   assert_true(lane_get(0, 0) == 1 && lane_get(1, 0) == 1 && lane_get(2, 0) == 0 && lane_get(3, 0) == 0);
}

/* ---- arrays and cubes ---- */

static void
test_layers(void **state)
{
   struct view view = view_plain;
   view.type = IMAGE_2D_ARRAY;
   view.depth = 4; /* layers 2 to 4 of the view */
   view_fresh(&view);
   box.wave.sreg[TEXTURE + 4] |= 2 << 16;
   for (unsigned layer = 0; layer < 5; layer++)
      view_put(0, 0, 0, layer, (float)layer);
   lanes_set(4, 0.125f);
   lanes_set(5, 0.125f);
   static const float wanted[] = {-5, 0, 0.4f, 0.5f, 0.6f, 1.5f, 2, 9};
   static const float expected[] = {2, 2, 2, 2, 3, 4, 4, 4}; /* to the nearest even, then clamped */
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[6][l] = float_bits(wanted[l % 8]);
   box_look("image_sample_lz v0, v[4:6], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D_ARRAY\n");
   for (unsigned l = 0; l < 8; l++)
      assert_true(lane_get(0, l) == expected[l]);
}

static void
fill_cube(unsigned faces)
{
   for (unsigned face = 0; face < faces; face++)
      for (int y = 0; y < 4; y++)
         for (int x = 0; x < 4; x++)
            view_put(0, x, y, face, (float)(100 * face + 10 * (unsigned)y + (unsigned)x));
}

/* Beyond each edge of a face: x or y off by one, the face, the texel and its neighbour's. Directions: Vulkan 1.3,
 * 16.5.4. +X: x is -Z, y is -Y; to its right (x = 4) lies -Z's left column, and so on. */
static void
test_cube_edges(void **state)
{
   static const struct {
      unsigned face;
      float s, t; /* across the face, 0 to 1 */
      float here, there;
   } cases[] = {
      {0, 1, 0.375f, 13, 510},  /* +X right: -Z left, same row */
      {0, 0, 0.375f, 10, 413},  /* +X left: +Z right */
      {0, 0.375f, 0, 1, 223},   /* +X top: +Y right column; +X's x is -Z, so x 1 is z 2 (of 0..3) */
      {0, 0.375f, 1, 31, 313},  /* +X bottom: -Y right column, -Z down: row 1 */
      {1, 0, 0.375f, 110, 513}, /* -X left: -Z right */
      {2, 0.375f, 0, 201, 502}, /* +Y top: -Z top, mirrored */
      {2, 0.375f, 1, 231, 401}, /* +Y bottom: +Z top */
      {3, 0, 0.375f, 310, 132}, /* -Y left: -X bottom */
      {4, 1, 0.625f, 423, 20},  /* +Z right: +X left */
      {5, 0.375f, 1, 531, 332}, /* -Z bottom: -Y bottom, mirrored */
   };
   struct view view = view_plain;
   view.type = IMAGE_CUBE;
   view.depth = 5;
   view_fresh(&view);
   fill_cube(6);
   sampler_set(2, 1, 0);
   for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
      lanes_set(4, 1 + cases[i].s);
      lanes_set(5, 1 + cases[i].t);
      lanes_set(6, (float)cases[i].face);
      box_look("image_sample_lz v0, v[4:6], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_CUBE\n");
      if (lane_get(0, 0) != (cases[i].here + cases[i].there) / 2)
         fail_msg("case %u: %g, not half of %g and %g", i, lane_get(0, 0), cases[i].here, cases[i].there);
   }
   /* The corner of +X, -Z and +Y: a third each. */
   lanes_set(4, 2);
   lanes_set(5, 1);
   lanes_set(6, 0);
   box_look("image_sample_lz v0, v[4:6], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_CUBE\n");
   assert_true(fabsf(lane_get(0, 0) - (3 + 500 + 203) / 3.0f) < 1e-4f);
   /* Without seams closed: the edge is clamped. */
   box.wave.sreg[SAMPLER] |= 1 << 28;
   box_look("image_sample_lz v0, v[4:6], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_CUBE\n");
   assert_true(lane_get(0, 0) == 3);
}

/* Slices count by eight. */
static void
test_cube_array(void **state)
{
   struct view view = view_plain;
   view.type = IMAGE_CUBE;
   view.depth = 11;
   view_fresh(&view);
   fill_cube(12);
   lanes_set(4, 1.375f);
   lanes_set(5, 1.625f);
   static const float wanted[] = {3, 8 + 5, 16 + 2, -8 + 1};
   static const float expected[] = {321, 1121, 821, 121};
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[6][l] = float_bits(wanted[l % 4]);
   box_look("image_sample_lz v0, v[4:6], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_CUBE\n");
   for (unsigned l = 0; l < 4; l++)
      assert_true(lane_get(0, l) == expected[l]);
}

static void
test_volume(void **state)
{
   view_fresh(&view_volume);
   view_fill_levels(&view_volume);
   sampler_set(2, 1, 0);
   lanes_set(4, 0.5f);
   lanes_set(5, 0.5f);
   lanes_set(6, 0.5f); /* between z 3 and 4 */
   box_look("image_sample_lz v0, v[4:6], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_3D\n");
   assert_true(lane_get(0, 0) == 1 + 0.125f * 3.5f);
   box.wave.sreg[SAMPLER + 2] |= 1 << 24; /* Z_FILTER: point */
   box_look("image_sample_lz v0, v[4:6], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_3D\n");
   assert_true(lane_get(0, 0) == 1.5f);
}

static void
test_row(void **state)
{
   struct view view = view_plain;
   view.type = IMAGE_1D_ARRAY;
   view.depth = 1;
   view.height = 1;
   view_fresh(&view);
   for (int x = 0; x < 4; x++)
      for (unsigned layer = 0; layer < 2; layer++)
         view_put(0, x, 0, layer, (float)(10 * layer + (unsigned)x));
   sampler_set(2, 1, 0);
   lanes_set(4, 0.5f);
   lanes_set(5, 1);
   box_look("image_sample_lz v0, v[4:5], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_1D_ARRAY\n");
   assert_true(lane_get(0, 0) == 11.5f);
}

/* ---- results ---- */

static void
test_results(void **state)
{
   struct view view = view_plain;
   view.format = FORMAT_32323232_FLOAT;
   view.select = SELECT_WZYX;
   view_fresh(&view);
   memcpy(view_texel(0, 0, 0, 0, 0), (float[]){1, 2, 3, 4}, 16);
   lanes_set(4, 0.125f);
   lanes_set(5, 0.125f);
   box.wave.sreg[SREG_EXEC_HI] = 0;
   box.wave.exec_dirty = true;
   box_look("image_sample_lz v[0:1], v[4:5], s[0:7], s[8:11] dmask:0xa dim:SQ_RSRC_IMG_2D\n");
   assert_true(lane_get(0, 0) == 3 && lane_get(1, 0) == 1);
   assert_int_equal(box.vgpr[2][0], 0xdbdbdbdb);
   assert_int_equal(box.vgpr[0][32], 0xdbdbdbdb);
   box_look("image_sample_lz v[0:2], v[4:5], s[0:7], s[8:11] dmask:0xb dim:SQ_RSRC_IMG_2D tfe d16\n");
   assert_int_equal(box.vgpr[0][0], 0x42000000 | 0x4400); /* 3, 4 */
   assert_int_equal(box.vgpr[1][0], 0x3c00);
   assert_int_equal(box.vgpr[2][0], 0);
}

/* A null descriptor, and a page that is not there. */
static void
test_nothing(void **state)
{
   view_fresh(&view_plain);
   memset(&box.wave.sreg[TEXTURE], 0, 32);
   lanes_set(4, 0.125f);
   lanes_set(5, 0.125f);
   box_look("image_sample v[0:3], v[4:5], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D\n"
            "image_gather4_lz v[6:9], v[4:5], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D\n");
   for (unsigned i = 0; i < 4; i++)
      assert_true(box.vgpr[i][0] == 0 && box.vgpr[6 + i][0] == 0);
   view_fresh(&view_plain);
   box.wave.sreg[TEXTURE] += BOX_DATA_SIZE >> 8;
   lanes_set(4, 0.125f);
   lanes_set(5, 0.125f);
   assert_int_equal(box_run_text(&box, LOOK("image_sample_lz")), ISA_TRAP);
   assert_int_equal(box.wave.fault.cause, TRAPSTS_MEM_VIOL);
}

BOX_TESTS(cmocka_unit_test(test_nearest_wraps), cmocka_unit_test(test_linear_wraps), cmocka_unit_test(test_precision),
          cmocka_unit_test(test_truncate), cmocka_unit_test(test_unnormalized), cmocka_unit_test(test_border_colors),
          cmocka_unit_test(test_integers_are_not_filtered), cmocka_unit_test(test_srgb), cmocka_unit_test(test_offsets),
          cmocka_unit_test(test_compare), cmocka_unit_test(test_reduction), cmocka_unit_test(test_gather),
          cmocka_unit_test(test_layers), cmocka_unit_test(test_cube_edges), cmocka_unit_test(test_cube_array),
          cmocka_unit_test(test_volume), cmocka_unit_test(test_row), cmocka_unit_test(test_results),
          cmocka_unit_test(test_nothing))
