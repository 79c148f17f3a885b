/* SPDX-License-Identifier: MIT */
/* Multisampled images: one sample at a time, and four samples of a component at once. Their layout is addrlib's
 * (tests/images/formats/test_layout.c): what lies where is asked for, not known. */
#include <stdio.h>
#include <stdlib.h>

#include "texture_box.h"

enum { SWIZZLE_64KB_R_X = 27 }; /* T# SW_MODE: Mesa's addrinterface, ADDR_SW_64KB_R_X */

/* 4 x 4 texels, which fill but a corner of the data. */
static void
bind(unsigned type, unsigned format, unsigned select, unsigned samples)
{
   struct view view = view_plain;
   view.format = format;
   view.select = select;
   view_fresh(&view);
   uint32_t *word = &box.wave.sreg[TEXTURE], log2_samples = (uint32_t)__builtin_ctz(samples);
   word[1] |= log2_samples << 16;
   word[3] = select | log2_samples << 16 | SWIZZLE_64KB_R_X << 20 | type << 28;
   word[4] = 0;
   static const struct isa_op op = {.name = "bind"};
   static const struct inst inst = {.op = &op};
   const bool read = image_read(&box.wave, &inst, TEXTURE, false, &image);
   if (!read && !getenv("HDB_TEST_ADDRLIB"))
      skip(); /* a build without Mesa has none */
   assert_true(read);
   assert_int_equal(image.samples, samples);
}

static uint32_t *
sample_at(int x, int y, unsigned sample)
{
   return (uint32_t *)((uint8_t *)box.data + (image_address(&image, 0, x, y, 0, 0, sample) - image.base));
}

/* v4 and v5: x and y of 4 x 4 texels, four times over. */
static void
set_coordinates(void)
{
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[4][l] = l % 4;
      box.vgpr[5][l] = l / 4 % 4;
   }
}

static void
fill(unsigned samples)
{
   for (int y = 0; y < 4; y++)
      for (int x = 0; x < 4; x++)
         for (unsigned sample = 0; sample < samples; sample++)
            *sample_at(x, y, sample) = 1000 * (sample + 1) + 10 * (unsigned)y + (unsigned)x;
}

static uint32_t
expected(unsigned lane, unsigned sample, unsigned samples)
{
   return sample < samples ? 1000 * (sample + 1) + 10 * (lane / 4 % 4) + lane % 4 : 0;
}

/* Four samples from the one that is addressed on; what the image lacks is 0. */
static void
test_four_samples(void **state)
{
   for (unsigned samples = 2; samples <= 8; samples *= 2) {
      for (unsigned first = 0; first < 8; first += 4) {
         bind(IMAGE_2D_MSAA, FORMAT_32_UINT, SELECT_X001, samples);
         fill(samples);
         set_coordinates();
         for (unsigned l = 0; l < 64; l++)
            box.vgpr[6][l] = first;
         box_look("image_msaa_load v[10:13], v[4:6], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D_MSAA unorm\n"
                  "image_msaa_load v[14:17], v[4:6], s[0:7] dmask:0x8 dim:SQ_RSRC_IMG_2D_MSAA unorm\n"
                  "image_msaa_load v[18:20], v[4:6], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D_MSAA unorm tfe d16\n");
         for (unsigned l = 0; l < 64; l++) {
            for (unsigned i = 0; i < 4; i++) {
               assert_int_equal(box.vgpr[10 + i][l], expected(l, first + i, samples));
               assert_int_equal(box.vgpr[14 + i][l], 1); /* DST_SEL_W */
               assert_int_equal(box.vgpr[18 + i / 2][l] >> (i & 1 ? 16 : 0) & 0xffff, expected(l, first + i, samples));
            }
            assert_int_equal(box.vgpr[20][l], 0);
         }
      }
   }
}

/* One component of several; the layer comes before the sample. */
static void
test_component(void **state)
{
   bind(IMAGE_2D_MSAA_ARRAY, FORMAT_8888_UNORM, SELECT_XYZW, 4);
   for (unsigned sample = 0; sample < 4; sample++)
      *sample_at(2, 1, sample) = sample * 0x33 << 16 | 0xff00; /* blue */
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[4][l] = 2;
      box.vgpr[5][l] = 1;
      box.vgpr[6][l] = l & 1; /* there is one layer */
      box.vgpr[7][l] = 0;
   }
   box_look("image_msaa_load v[10:13], v[4:7], s[0:7] dmask:0x4 dim:SQ_RSRC_IMG_2D_MSAA_ARRAY unorm\n");
   for (unsigned sample = 0; sample < 4; sample++) {
      assert_true(lane_get(10 + sample, 0) == (float)(sample * 0x33) / 255);
      assert_int_equal(box.vgpr[10 + sample][1], 0);
   }
}

static void
test_load_and_store(void **state)
{
   for (unsigned samples = 2; samples <= 8; samples *= 2) {
      bind(IMAGE_2D_MSAA, FORMAT_32_UINT, SELECT_X001, samples);
      fill(samples);
      set_coordinates();
      for (unsigned l = 0; l < 64; l++) {
         box.vgpr[6][l] = l / 16 + (samples == 8 ? 4 : 0);
         box.vgpr[7][l] = box.vgpr[4][l] | box.vgpr[5][l] << 16;
         box.vgpr[8][l] = box.vgpr[6][l];
         box.vgpr[9][l] = l;
      }
      box_look("image_load v10, v[4:6], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D_MSAA unorm\n"
               "image_load v11, v[7:8], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D_MSAA unorm a16\n"
               "image_store v9, v[4:6], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D_MSAA unorm\n");
      for (unsigned l = 0; l < 64; l++) {
         unsigned sample = box.vgpr[6][l];
         assert_int_equal(box.vgpr[10][l], expected(l, sample, samples));
         assert_int_equal(box.vgpr[11][l], box.vgpr[10][l]);
         if (sample < samples)
            assert_int_equal(*sample_at((int)(l % 4), (int)(l / 4 % 4), sample), l);
      }
   }
}

/* Each sample a memory location of its own. */
static void
test_atomic(void **state)
{
   bind(IMAGE_2D_MSAA, FORMAT_32_UINT, SELECT_X001, 4);
   fill(4);
   set_coordinates();
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[6][l] = l / 16;
      box.vgpr[10][l] = 5;
   }
   box_look("image_atomic_add v10, v[4:6], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D_MSAA unorm glc\n");
   for (unsigned l = 0; l < 64; l++) {
      assert_int_equal(box.vgpr[10][l], expected(l, l / 16, 4));
      assert_int_equal(*sample_at((int)(l % 4), (int)(l / 4 % 4), l / 16), expected(l, l / 16, 4) + 5);
   }
}

BOX_TESTS(cmocka_unit_test(test_four_samples), cmocka_unit_test(test_component), cmocka_unit_test(test_load_and_store),
          cmocka_unit_test(test_atomic))
