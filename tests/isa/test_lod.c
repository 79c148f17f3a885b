/* SPDX-License-Identifier: MIT */
/* The components of addresses, and the levels that lookups read because of them. Values are worked out by hand. */
#include <math.h>
#include <string.h>

#include "texture_box.h"

/* ---- addresses ---- */

/* The volume's derivatives of 1/4 of the image are two texels: LOD 1; the clamp of 2 makes it 2, where texels are 3. */
/* Offset -1 in z, reference 2.5, derivatives, coordinates, clamp 2: level 2 has z of 0 and 1, 0.75 is 1, minus 1 is 0:
 * the texel is 3, and 2.5 < 3 passes; a texel of any other level or of z 1 (3.125) is told apart by the references. */
static void
test_everything(void **state)
{
   static const char *const forms[] = {
      "image_sample_c_d_cl_o v0, [v4, v5, v6, v7, v[8:15]], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_3D\n",
      "image_sample_c_d_cl_o v0, [v4, v5, v6, v7, v[8:13]], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_3D a16\n",
      "image_sample_c_d_cl_o_g16 v0, [v4, v5, v6, v7, v[8:13]], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_3D\n",
      "image_sample_c_d_cl_o_g16 v0, [v4, v5, v6, v7, v[8:11]], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_3D a16\n",
      "image_sample_c_d_cl_o v0, v[4:15], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_3D\n",
      "image_sample_c_d_cl_o_g16 v0, v[4:11], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_3D a16\n",
   };
   for (unsigned i = 0; i < 6; i++) {
      for (unsigned equal = 0; equal < 2; equal++) {
         bool a16 = strstr(forms[i], "a16"), g16 = strstr(forms[i], "g16");
         view_fresh(&view_volume);
         view_fill_levels(&view_volume);
         sampler_set(2, 0, 1);
         box.wave.sreg[SAMPLER] |= 2 << 12;
         for (unsigned l = 0; l < 64; l++)
            box.vgpr[4][l] = 63u << 16;
         lanes_set(5, equal ? 3 : 3.125f);
         unsigned n = 6;
         if (g16) {
            lanes_set_halfs(n++, 0.25f, 0);
            lanes_set_halfs(n++, 0, 1000);
            lanes_set_halfs(n++, 0, 0.25f);
            lanes_set_halfs(n++, 0, 1000);
         } else {
            lanes_set(n++, 0.25f);
            lanes_set(n++, 0);
            lanes_set(n++, 0);
            lanes_set(n++, 0);
            lanes_set(n++, 0.25f);
            lanes_set(n++, 0);
         }
         if (a16) {
            lanes_set_halfs(n++, 0.5f, 0.5f);
            lanes_set_halfs(n++, 0.75f, 2);
         } else {
            lanes_set(n++, 0.5f);
            lanes_set(n++, 0.5f);
            lanes_set(n++, 0.75f);
            lanes_set(n++, 2);
         }
         box_look(forms[i]);
         assert_true(lane_get(0, 0) == (float)equal);
      }
   }
}

/* ---- levels ---- */

/* Quads whose pixels are 1, 2, 4 and 16 texels apart; the last lane of a quad may be off. */
static void
test_quads(void **state)
{
   static const float expected[] = {1, 2, 3, 4};
   view_fresh(&view_mipmapped);
   view_fill_levels(&view_mipmapped);
   sampler_set(0, 0, 1);
   for (unsigned l = 0; l < 64; l++) {
      float step = exp2f((float)(l / 4 % 4)) / 8;
      box.vgpr[4][l] = float_bits(0.5f + (l & 1 ? step : 0));
      box.vgpr[5][l] = float_bits(0.5f + (l & 2 ? step / 2 : 0));
   }
   box.wave.sreg[SREG_EXEC_LO] = 0x1111;
   box.wave.exec_dirty = true;
   box_look(LOOK("image_sample"));
   for (unsigned l = 0; l < 16; l++) {
      if (l % 4)
         assert_int_equal(box.vgpr[0][l], 0xdbdbdbdb);
      else
         assert_true(lane_get(0, l) == expected[l / 4]);
   }
}

static void
expect_lod(const char *text, float lod, float expected)
{
   lanes_set(4, 0.5f);
   lanes_set(5, 0.5f);
   lanes_set(6, lod);
   box_look(text);
   if (lane_get(0, 0) != expected)
      fail_msg("%s: LOD %g: %g, not %g", text, lod, lane_get(0, 0), expected);
}

#define LOOK_L "image_sample_l v0, v[4:6], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D\n"

static void
test_lod(void **state)
{
   view_fresh(&view_mipmapped);
   view_fill_levels(&view_mipmapped);
   expect_lod(LOOK_L, 2, 1); /* no mip filter: the base */
   sampler_set(2, 0, 1);
   expect_lod(LOOK_L, 1.25f, 2);
   expect_lod(LOOK_L, 1.5f, 3);
   expect_lod(LOOK_L, -3, 1);
   expect_lod(LOOK_L, 1e9f, 4);
   sampler_set(2, 0, 2);
   expect_lod(LOOK_L, 1.25f, 2.25f);
   expect_lod(LOOK_L, 1.25f + 0.3f / 256, 2.25f); /* eight bits */
   expect_lod(LOOK_L, 3.5f, 4);
   box.wave.sreg[SAMPLER + 1] = 0x80 | 0x240u << 12; /* 0.5 to 2.25 */
   expect_lod(LOOK_L, 0, 1.5f);
   expect_lod(LOOK_L, 3, 3.25f);
   sampler_set(2, 0, 2);
   box.wave.sreg[SAMPLER + 2] |= 0x3fff & -0x40; /* a bias of -1/4 */
   expect_lod(LOOK_L, 1, 1.75f);

   /* A view that begins at level 1, and one that may not go below 1.5. */
   struct view view = view_mipmapped;
   view.base_level = 1;
   view_bind(&view);
   sampler_set(2, 0, 2);
   expect_lod(LOOK_L, 0, 2);
   expect_lod(LOOK_L, 0.5f, 2.5f);
   view.base_level = 0;
   view.min_lod = 0x180;
   view_bind(&view);
   expect_lod(LOOK_L, 0, 2.5f);
   view.base_level = 1; /* counted from the image's first level */
   view_bind(&view);
   expect_lod(LOOK_L, 0, 2.5f);
}

/* Bias and clamp; all lanes of a quad are one texel apart, LOD 0. */
static void
test_bias_and_clamp(void **state)
{
   view_fresh(&view_mipmapped);
   view_fill_levels(&view_mipmapped);
   sampler_set(2, 0, 2);
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[5][l] = float_bits(0.5f + (l & 1 ? 0.125f : 0));
      box.vgpr[6][l] = float_bits(0.5f + (l & 2 ? 0.125f : 0));
   }
   lanes_set(4, 1.5f);
   lanes_set(7, 2.75f);
   box_look("image_sample_b v0, v[4:6], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D\n"
            "image_sample_b_cl v1, v[4:7], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D\n"
            "image_sample_cl v2, v[5:7], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D\n"
            "image_sample v3, v[5:6], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D\n");
   assert_true(lane_get(0, 0) == 2.5f);
   assert_true(lane_get(1, 0) == 3.75f);
   assert_true(lane_get(2, 0) == 3.75f);
   assert_true(lane_get(3, 0) == 1);
   /* A bias of 16 bits has a register of its own. */
   lanes_set_halfs(4, 1.5f, 100);
   lanes_set_halfs(5, 0.5f, 0.5f);
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[5][l] = to_half(l & 1 ? 0.625f : 0.5f, 0) | (uint32_t)to_half(l & 2 ? 0.625f : 0.5f, 0) << 16;
   box_look("image_sample_b v0, v[4:5], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D a16\n");
   assert_true(lane_get(0, 0) == 2.5f);
}

/* X: the level that would be read; Y: before it is clamped. */
static void
test_get_lod(void **state)
{
   view_fresh(&view_mipmapped);
   for (unsigned l = 0; l < 64; l++) {
      float step = l / 4 % 2 ? 1 / 32.0f : 1.5f; /* a quarter of a texel: -2; twelve: log2(12) */
      box.vgpr[4][l] = float_bits(0.5f + (l & 1 ? step : 0));
      box.vgpr[5][l] = float_bits(0.5f + (l & 2 ? step : 0));
   }
   sampler_set(2, 0, 2);
   box.wave.sreg[SAMPLER + 1] = 0x40 | 0x240u << 12;
   box_look("image_get_lod v[0:1], v[4:5], s[0:7], s[8:11] dmask:0x3 dim:SQ_RSRC_IMG_2D\n"
            "image_get_lod v2, v[4:5], s[0:7], s[8:11] dmask:0x2 dim:SQ_RSRC_IMG_2D\n");
   assert_true(lane_get(0, 0) == 2.25f && lane_get(1, 0) == 918 / 256.0f && lane_get(2, 0) == 918 / 256.0f);
   assert_true(lane_get(0, 4) == 0.25f && lane_get(1, 4) == -2);
   sampler_set(2, 0, 1); /* the nearest level */
   box_look("image_get_lod v[0:1], v[4:5], s[0:7], s[8:11] dmask:0x3 dim:SQ_RSRC_IMG_2D\n");
   assert_true(lane_get(0, 0) == 3 && lane_get(0, 4) == 0);
}

/* Eight texels wide and one high: a ratio of 8, and LOD 0 instead of 3. */
static void
test_anisotropy(void **state)
{
   for (unsigned ratio = 0; ratio <= 4; ratio++) {
      view_fresh(&view_mipmapped);
      view_fill_levels(&view_mipmapped);
      for (unsigned l = 0; l < 64; l++) {
         box.vgpr[4][l] = float_bits(0.5f + (l & 1 ? 1.0f : 0));
         box.vgpr[5][l] = float_bits(0.5f + (l & 2 ? 0.125f : 0));
      }
      sampler_set(0, 3, 2);
      box.wave.sreg[SAMPLER] |= ratio << 9;
      box_look(LOOK("image_sample"));
      assert_true(lane_get(0, 0) == (float)(ratio > 3 ? 1 : 4 - (int)ratio));
   }
   /* Two probes at a third either side: texels 4 - 1/3 * 2 and + 1/3 * 2 of a ramp of two texels' length. */
   view_fresh(&view_mipmapped);
   for (int y = 0; y < 8; y++)
      for (int x = 0; x < 8; x++)
         view_put(0, x, y, 0, x < 4 ? 0 : 1);
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[4][l] = float_bits(0.5f + (l & 1 ? 0.25f : 0));
      box.vgpr[5][l] = float_bits(0.5f + (l & 2 ? 0.125f : 0));
   }
   sampler_set(2, 3, 2);
   box.wave.sreg[SAMPLER] |= 1 << 9;
   box_look(LOOK("image_sample"));
   /* At 4 -+ 1/3 texels: between the centres 3.5 and 4.5, 1/6 and 5/6 of the way: 43/256 and 213/256. */
   assert_true(lane_get(0, 0) == 0.5f);
}

BOX_TESTS(cmocka_unit_test(test_everything), cmocka_unit_test(test_quads), cmocka_unit_test(test_lod),
          cmocka_unit_test(test_bias_and_clamp), cmocka_unit_test(test_get_lod), cmocka_unit_test(test_anisotropy))
