/* SPDX-License-Identifier: MIT */
/* Images as loads and stores reach them, all linear; what tiling adds is tests/images's. */
#include <stdio.h>
#include <string.h>

#include "resource_box.h"

static void
test_load(void **state)
{
   for (unsigned size = 32; size <= 64; size += 32) {
      resources_fresh(size == 64);
      texture_set(&(struct texture){.type = T_2D, .format = FMT_8_8_8_8_UNORM, .width = 7, .height = 6, .pitch = 64});
      box_run_text(&box, "image_load v[10:13], v[0:1], s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm\n"
                         "image_load v[14:15], v[0:1], s[4:11] dmask:0xa dim:SQ_RSRC_IMG_2D unorm\n");
      for (unsigned l = 0; l < size; l++) {
         bool inside = l % 8 < 7 && l / 8 < 6;
         for (unsigned i = 0; i < 4; i++) {
            float expected = inside ? (float)byte_at(l / 8 * 256 + l % 8 * 4 + i) / 255 : 0;
            assert_true(as_float(box.vgpr[10 + i][l]) == expected);
            if (i & 1)
               assert_int_equal(box.vgpr[14 + i / 2][l], box.vgpr[10 + i][l]);
         }
      }
      if (size == 32)
         assert_int_equal(box.vgpr[10][32], 0xdbdbdbdb);
   }
}

/* Components that a format lacks, outside as well as inside; what is selected otherwise. */
static void
test_select(void **state)
{
   resources_fresh(true);
   texture_set(&(struct texture){
      .type = T_2D, .format = FMT_8_UNORM, .width = 7, .height = 8, .pitch = 256, .select = SELECT_X001});
   box_run_text(&box, "image_load v[10:13], v[0:1], s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm\n");
   assert_true(as_float(box.vgpr[10][9]) == (float)byte_at(257) / 255);
   assert_int_equal(box.vgpr[11][9], 0);
   assert_true(as_float(box.vgpr[13][9]) == 1);
   assert_int_equal(box.vgpr[10][7], 0); /* x is 7 */
   assert_true(as_float(box.vgpr[13][7]) == 1);

   resources_fresh(true);
   texture_set(
      &(struct texture){.type = T_2D, .format = FMT_8_8_8_8_UINT, .width = 8, .height = 8, .select = SELECT_ZYXW});
   box_run_text(&box, "image_load v[10:13], v[0:1], s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm\n");
   assert_int_equal(box.vgpr[10][9], byte_at(256 + 4 + 2));
   assert_int_equal(box.vgpr[12][9], byte_at(256 + 4));
}

/* Addresses of 16 bits, addresses that do not follow each other, results of 16 bits. */
static void
test_operands(void **state)
{
   resources_fresh(true);
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[5][l] = box.vgpr[0][l] | box.vgpr[1][l] << 16;
      box.vgpr[20][l] = box.vgpr[1][l];
   }
   texture_set(&(struct texture){.type = T_2D, .format = FMT_8_8_8_8_SINT, .width = 8, .height = 8});
   box_run_text(&box, "image_load v[10:13], v5, s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm a16\n"
                      "image_load v[14:17], [v0, v20], s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm\n"
                      "image_load v[18:19], v[0:1], s[4:11] dmask:0xe dim:SQ_RSRC_IMG_2D unorm d16\n");
   for (unsigned l = 0; l < 64; l++) {
      for (unsigned i = 0; i < 4; i++) {
         assert_int_equal(box.vgpr[10 + i][l], (uint32_t)(int8_t)byte_at(l / 8 * 256 + l % 8 * 4 + i));
         assert_int_equal(box.vgpr[14 + i][l], box.vgpr[10 + i][l]);
      }
      assert_int_equal(box.vgpr[18][l], (box.vgpr[11][l] & 0xffff) | box.vgpr[12][l] << 16);
      assert_int_equal(box.vgpr[19][l], box.vgpr[13][l] & 0xffff);
   }
}

/* D16 rounds floats towards zero and saturates integers. */
static void
test_d16(void **state)
{
   resources_fresh(true);
   box.data[0] = 0x3f801fff; /* 1 and nearly a half of an ulp of a half float */
   texture_set(&(struct texture){.type = T_1D, .format = FMT_32_FLOAT, .width = 8});
   box_run_text(&box, "image_load v10, v0, s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_1D unorm d16\n");
   assert_int_equal(box.vgpr[10][0], 0x3c00);
   resources_fresh(true);
   box.data[0] = 0x12345;
   texture_set(&(struct texture){.type = T_1D, .format = FMT_32_UINT, .width = 8});
   box_run_text(&box, "image_load v10, v0, s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_1D unorm d16\n");
   assert_int_equal(box.vgpr[10][0], 0xffff);
}

/* Levels lie from the smallest on, each row of them 256 bytes here: 8 levels of a 128 x 1 image. */
static void
test_levels(void **state)
{
   resources_fresh(true);
   struct texture t = {.type = T_1D, .format = FMT_8_8_8_8_UINT, .width = 64, .levels = 7, .base_level = 1};
   texture_set(&t);
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[1][l] = 2; /* level 3: 8 texels, after levels 6, 5 and 4 */
   box_run_text(&box, "image_load_mip v10, v[0:1], s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_1D unorm\n"
                      "image_load v11, v0, s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_1D unorm\n");
   for (unsigned l = 0; l < 64; l++) {
      assert_int_equal(box.vgpr[10][l], byte_at(3 * 256 + l % 8 * 4));
      assert_int_equal(box.vgpr[11][l], byte_at(5 * 256 + l % 8 * 4));
   }
   resources_fresh(true);
   texture_set(&t);
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[1][l] = l < 32 ? 6 : ~0u; /* beyond the last level */
      box.vgpr[5][l] = 0xabcd;
   }
   box_run_text(&box, "image_load_mip v10, v[0:1], s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_1D unorm\n"
                      "image_store_mip v5, v[0:1], s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_1D unorm\n");
   assert_int_equal(box.vgpr[10][0], 0);
   assert_int_equal(box.vgpr[10][63], 0);
   assert_int_equal(byte_at(1), 7); /* nothing was written */
}

static void
test_layers(void **state)
{
   resources_fresh(true);
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[2][l] = l == 63 ? ~0u : l % 4;
   /* Layers 2 to 4; 4 rows of 256 bytes each. */
   texture_set(&(struct texture){
      .type = T_2D_ARRAY, .format = FMT_8_8_8_8_UINT, .width = 8, .height = 8, .first_layer = 2, .depth_or_last = 4});
   box_run_text(&box, "image_load v10, v[0:2], s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_2D_ARRAY unorm\n");
   for (unsigned l = 0; l < 64; l++) {
      uint32_t expected = l % 4 < 3 ? byte_at((2 + l % 4) * 2048 + l / 8 * 256 + l % 8 * 4) : 0;
      assert_int_equal(box.vgpr[10][l], expected);
   }
   /* Slices 1 and 2 of a 3D image, bound for writing. */
   resources_fresh(true);
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[2][l] = l % 4 - 1;
   texture_set(&(struct texture){.type = T_3D,
                                 .format = FMT_8_8_8_8_UINT,
                                 .width = 8,
                                 .height = 8,
                                 .first_layer = 1,
                                 .depth_or_last = 2,
                                 .slices = true});
   box_run_text(&box, "image_load v10, v[0:2], s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_3D unorm\n");
   for (unsigned l = 0; l < 64; l++) {
      uint32_t z = l % 4, expected = z == 1 || z == 2 ? byte_at(z * 2048 + l / 8 * 256 + l % 8 * 4) : 0;
      assert_int_equal(box.vgpr[10][l], expected);
   }
}

static void
test_store(void **state)
{
   resources_fresh(true);
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[5][l] = l;
      box.vgpr[6][l] = 300; /* more than there is room for */
   }
   texture_set(
      &(struct texture){.type = T_2D, .format = FMT_8_8_8_8_UINT, .width = 7, .height = 8, .select = SELECT_ZYXW});
   box_run_text(&box, "image_store v[5:6], v[0:1], s[4:11] dmask:0x9 dim:SQ_RSRC_IMG_2D unorm\n");
   for (unsigned l = 0; l < 64; l++) {
      uint32_t at = l / 8 * 256 + l % 8 * 4;
      if (l % 8 == 7)
         assert_int_equal(byte_at(at), (uint8_t)(at * 7 + at / 256)); /* as it was */
      else
         assert_int_equal(box.data[at / 4], l << 16 | 0xff000000);
   }
   resources_fresh(true);
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[5][l] = 0x3c003800; /* 0.5 and 1 */
      box.vgpr[6][l] = 0xc0000000; /* 0 and -2 */
   }
   box.wave.mode |= 15; /* towards zero: not here */
   texture_set(&(struct texture){.type = T_2D, .format = FMT_8_8_8_8_UNORM, .width = 8, .height = 8});
   box_run_text(&box, "image_store v[5:6], v[0:1], s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm d16\n");
   assert_int_equal(box.data[64 + 3], 0x0000ff80);
}

/* Untyped: bits as they are. */
static void
test_untyped(void **state)
{
   resources_fresh(true);
   box.data[0] = 0x8281807f;
   texture_set(&(struct texture){.type = T_1D, .format = FMT_8_8_8_8_UNORM, .width = 8});
   box_run_text(&box, "image_load_pck v[10:13], v0, s[4:11] dmask:0xf dim:SQ_RSRC_IMG_1D unorm\n"
                      "image_load_pck_sgn v[14:17], v0, s[4:11] dmask:0xf dim:SQ_RSRC_IMG_1D unorm\n"
                      "image_store_pck v[10:11], v0, s[4:11] dmask:0x3 dim:SQ_RSRC_IMG_1D unorm\n");
   assert_int_equal(box.vgpr[10][0], 0x7f);
   assert_int_equal(box.vgpr[13][0], 0x82);
   assert_int_equal(box.vgpr[17][0], 0xffffff82);
   assert_int_equal(box.data[0], 0x0000807f);
}

static uint32_t
atomic(const char *name, uint32_t memory, uint32_t source, uint32_t compare)
{
   char text[128];
   bool pair = strstr(name, "cmpswap");
   resources_fresh(true);
   box.wave.sreg[SREG_EXEC_LO] = 3;
   box.wave.sreg[SREG_EXEC_HI] = 0;
   box.data[1] = memory;
   box.vgpr[0][0] = 1;
   box.vgpr[0][1] = 8; /* outside */
   box.vgpr[5][0] = box.vgpr[5][1] = source;
   box.vgpr[6][0] = box.vgpr[6][1] = compare;
   texture_set(&(struct texture){.type = T_1D, .format = FMT_32_UINT, .width = 8});
   snprintf(text, sizeof text, "%s %s, v0, s[4:11] dmask:%s dim:SQ_RSRC_IMG_1D unorm glc\n", name,
            pair ? "v[5:6]" : "v5", pair ? "0x3" : "0x1");
   box_run_text(&box, text);
   assert_int_equal(box.vgpr[5][0], memory); /* the old value */
   assert_int_equal(box.vgpr[5][1], 0);
   return box.data[1];
}

static void
test_atomics(void **state)
{
   assert_int_equal(atomic("image_atomic_swap", 5, 9, 0), 9);
   assert_int_equal(atomic("image_atomic_cmpswap", 5, 9, 5), 9);
   assert_int_equal(atomic("image_atomic_cmpswap", 5, 9, 6), 5);
   assert_int_equal(atomic("image_atomic_add", 5, ~0u, 0), 4);
   assert_int_equal(atomic("image_atomic_sub", 5, 9, 0), (uint32_t)-4);
   assert_int_equal(atomic("image_atomic_smin", 5, ~0u, 0), ~0u);
   assert_int_equal(atomic("image_atomic_umin", 5, ~0u, 0), 5);
   assert_int_equal(atomic("image_atomic_smax", 5, ~0u, 0), 5);
   assert_int_equal(atomic("image_atomic_umax", 5, ~0u, 0), ~0u);
   assert_int_equal(atomic("image_atomic_and", 5, 6, 0), 4);
   assert_int_equal(atomic("image_atomic_or", 5, 6, 0), 7);
   assert_int_equal(atomic("image_atomic_xor", 5, 6, 0), 3);
   assert_int_equal(atomic("image_atomic_inc", 5, 5, 0), 0);
   assert_int_equal(atomic("image_atomic_dec", 0, 5, 0), 5);

   resources_fresh(true);
   box.data[2] = box.data[3] = ~0u; /* texel 1, of 64 bits */
   box.wave.sreg[SREG_EXEC_LO] = 1;
   box.wave.sreg[SREG_EXEC_HI] = 0;
   box.vgpr[0][0] = 1;
   box.vgpr[5][0] = 2;
   box.vgpr[6][0] = 7;
   texture_set(&(struct texture){.type = T_1D, .format = FMT_32_32_UINT, .width = 8});
   box_run_text(&box, "image_atomic_add v[5:6], v0, s[4:11] dmask:0x3 dim:SQ_RSRC_IMG_1D unorm\n");
   assert_int_equal(box.data[2], 1);
   assert_int_equal(box.data[3], 7);
   assert_int_equal(box.vgpr[5][0], 2); /* not returned */
   box.wave.exec_dirty = true;
   box.vgpr[5][0] = 11, box.vgpr[6][0] = 12, box.vgpr[7][0] = 1, box.vgpr[8][0] = 7;
   box_run_text(&box, "image_atomic_cmpswap v[5:8], v0, s[4:11] dmask:0xf dim:SQ_RSRC_IMG_1D unorm glc\n");
   assert_int_equal(box.data[2], 11);
   assert_int_equal(box.data[3], 12);
   assert_int_equal(box.vgpr[6][0], 7);
}

static void
test_resinfo(void **state)
{
   resources_fresh(true);
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[0][l] = l;
   texture_set(&(struct texture){.type = T_2D_ARRAY,
                                 .format = FMT_8_8_8_8_UINT,
                                 .width = 100,
                                 .height = 40,
                                 .levels = 7,
                                 .base_level = 1,
                                 .first_layer = 2,
                                 .depth_or_last = 6});
   box_run_text(&box, "image_get_resinfo v[10:13], v0, s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY unorm\n");
   for (unsigned level = 0; level < 6; level++) {
      assert_int_equal(box.vgpr[10][level], 100u >> (level + 1));
      assert_int_equal(box.vgpr[11][level], 40u >> (level + 1) ? 40u >> (level + 1) : 1);
      assert_int_equal(box.vgpr[12][level], 5);
      assert_int_equal(box.vgpr[13][level], 6);
   }
   assert_int_equal(box.vgpr[10][6], 0);
   assert_int_equal(box.vgpr[13][6], 6);
}

static void
test_null(void **state)
{
   resources_fresh(true);
   memset(&box.wave.sreg[T_SGPR], 0, 8 * 4);
   box_run_text(&box, "image_load v[10:14], v[0:1], s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm tfe\n"
                      "image_store v[0:1], v[0:1], s[4:11] dmask:0x3 dim:SQ_RSRC_IMG_2D unorm\n"
                      "image_atomic_add v0, v[0:1], s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm glc\n"
                      "image_get_resinfo v[15:18], v0, s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm\n");
   assert_int_equal(box.wave.trapsts & (TRAPSTS_ILLEGAL_INST | TRAPSTS_MEM_VIOL), 0);
   for (unsigned i = 10; i < 19; i++)
      assert_int_equal(box.vgpr[i][5], 0);
   assert_int_equal(box.vgpr[0][5], 0);
}

BOX_TESTS(cmocka_unit_test(test_load), cmocka_unit_test(test_select), cmocka_unit_test(test_operands),
          cmocka_unit_test(test_d16), cmocka_unit_test(test_levels), cmocka_unit_test(test_layers),
          cmocka_unit_test(test_store), cmocka_unit_test(test_untyped), cmocka_unit_test(test_atomics),
          cmocka_unit_test(test_resinfo), cmocka_unit_test(test_null))
