/* SPDX-License-Identifier: MIT */
/*
 * Anisotropic filtering (Vulkan 1.3, 16.6.2, texel anisotropic filtering): N probes, evenly over the longer derivative.
 *
 * Texels are x * x + y * y, so that probes d texels off the middle of one, either side, differ from it by d along one
 * axis where d is at most 1 (filtered linearly between squares), and by d * d where d is whole.
 */
#include <math.h>

#include "texture_box.h"

static const struct view squares = {IMAGE_2D, FORMAT_32_FLOAT, 64, 64, 0, 1, 0, SELECT_X001, 0, 0};
enum { MIDDLE = 32 };

static void
fresh(unsigned log2_ratio, unsigned mag, unsigned min)
{
   view_fresh(&squares);
   for (int y = 0; y < 64; y++)
      for (int x = 0; x < 64; x++)
         view_put(0, x, y, 0, (float)(x * x + y * y));
   sampler_set(2, 0, 0);
   box.wave.sreg[SAMPLER] |= log2_ratio << 9;
   box.wave.sreg[SAMPLER + 2] |= mag << 20 | min << 22;
}

/* Derivatives in texels, in the middle of texel 32, 32; how much more than that texel the result is. */
static float
look(float dx_x, float dx_y, float dy_x, float dy_y)
{
   lanes_set(4, dx_x / 64);
   lanes_set(5, dx_y / 64);
   lanes_set(6, dy_x / 64);
   lanes_set(7, dy_y / 64);
   lanes_set(8, (MIDDLE + 0.5f) / 64);
   lanes_set(9, (MIDDLE + 0.5f) / 64);
   box_look("image_sample_d v0, v[4:9], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D\n");
   return lane_get(0, 63) - 2 * MIDDLE * MIDDLE;
}

/* Weights are of 256ths, and so are places: of the 64 between neighbouring squares here. */
static void
expect(float got, float expected)
{
   if (fabsf(got - expected) > 0.26f)
      fail_msg("%g, not %g", got, expected);
}

/* Ratios of 3 and 7: probes at -1, 0, 1 (quarters of 4) and -3 to 3 (eighths of 8). */
static void
test_probes(void **state)
{
   fresh(4, 3, 3);
   expect(look(4, 0, 0, 4 / 3.0f), 2 / 3.0f);
   expect(look(0, 4 / 3.0f, 4, 0), 2 / 3.0f);
   expect(look(0, 4, 4 / 3.0f, 0), 2 / 3.0f);
   expect(look(8, 0, 0, 8 / 7.0f), 4);
   expect(look(4, 4, -4 / 3.0f, 4 / 3.0f), 4 / 3.0f); /* along both axes */
   expect(look(-8, 8, 8 / 7.0f, 8 / 7.0f), 8);
   expect(look(2, 0, 0, 2), 0); /* none is longer */
}

/* Where the sampler allows less: 2 probes at -+1/6 of 4, and 4 at -+0.1 and 0.3 of 8: -+0.8 and 2.4. */
static void
test_limit(void **state)
{
   fresh(1, 3, 3);
   expect(look(4, 0, 0, 1 / 16.0f), 2 / 3.0f);
   fresh(2, 3, 3);
   expect(look(8, 0, 0, 1 / 16.0f), (0.8f + 2 * 2 + 0.4f * 5) / 2); /* between 4 and 9 */
   fresh(0, 3, 3);
   expect(look(8, 0, 0, 1 / 16.0f), 0);
   fresh(2, 3, 3);
   expect(look(4, 0, 0, 0), (0.4f + 1 + 0.2f * 3) / 2); /* no length at all: the limit; -+0.4 and 1.2 */
}

/* 2 by 1/2 texels: LOD -1, so the magnification filter says. 4 probes at -+0.2 and 0.6. */
static void
test_filters(void **state)
{
   fresh(4, 3, 1);
   expect(look(2, 0, 0, 0.5f), 0.4f);
   expect(look(4, 0, 0, 4 / 3.0f), 0);
   fresh(4, 1, 3);
   expect(look(2, 0, 0, 0.5f), 0);
   expect(look(4, 0, 0, 4 / 3.0f), 2 / 3.0f);
   fresh(4, 2, 2); /* of nearest texels */
   expect(look(4, 0, 0, 4 / 3.0f), 2 / 3.0f);
   expect(look(2, 0, 0, 0.5f), 0.5f); /* -+0.6 is one texel off */
}

static void
test_exceptions(void **state)
{
   /* Minimum and maximum are of all probes: 31 and 33 squared. */
   for (unsigned mode = 1; mode <= 2; mode++) {
      fresh(4, 3, 3);
      box.wave.sreg[SAMPLER] |= mode << 29;
      assert_true(look(4, 0, 0, 4 / 3.0f) == (mode == 1 ? -2 * MIDDLE + 1 : 2 * MIDDLE + 1));
   }
   /* ANISO_OVERRIDE: not with a single level. */
   fresh(4, 3, 3);
   box.wave.sreg[SAMPLER + 2] |= 1 << 29;
   expect(look(4, 0, 0, 4 / 3.0f), 0);
   /* A level that is named is looked up once. */
   fresh(4, 3, 3);
   lanes_set(4, (MIDDLE + 0.5f) / 64);
   lanes_set(5, (MIDDLE + 0.5f) / 64);
   lanes_set(6, 0);
   box_look("image_sample_l v0, v[4:6], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D\n"
            "image_sample_lz v1, v[4:5], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D\n");
   assert_true(lane_get(0, 0) == 2 * MIDDLE * MIDDLE && lane_get(1, 0) == lane_get(0, 0));
}

BOX_TESTS(cmocka_unit_test(test_probes), cmocka_unit_test(test_limit), cmocka_unit_test(test_filters),
          cmocka_unit_test(test_exceptions))
