/* SPDX-License-Identifier: MIT */
/* Pages without memory (Vulkan 1.3, chapter 33; RDNA3 ISA guide, 10.2, TFE and LWE): what is read there is 0, which a
 * further register says, and what is written is dropped. The assembler does not know of LWE's register. */
#include "resource_box.h"

static void
test_load(void **state)
{
   resources_fresh(true);
   struct texture t = {.type = T_2D, .format = FMT_8_8_8_8_UINT, .width = 8, .height = 8, .offset = PRT_OFFSET};
   texture_set(&t);
   box_run_text(&box, "image_load v[10:14], v[0:1], s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm tfe\n"
                      "image_load v15, v[0:1], s[4:11] dmask:0x8 dim:SQ_RSRC_IMG_2D unorm lwe\n"
                      "image_load v[17:19], v[0:1], s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm tfe d16\n"
                      "image_store v[0:1], v[0:1], s[4:11] dmask:0x3 dim:SQ_RSRC_IMG_2D unorm\n");
   assert_int_equal(box.wave.trapsts & TRAPSTS_MEM_VIOL, 0);
   assert_int_equal(box.vgpr[10][9], 0);
   assert_int_equal(box.vgpr[14][9], 1);
   assert_int_equal(box.vgpr[16][9], 1);
   assert_int_equal(box.vgpr[18][9], 0);
   assert_int_equal(box.vgpr[19][9], 1);
   t.offset = 0;
   texture_set(&t);
   box_run_text(&box, "image_load v[10:14], v[0:1], s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm tfe\n");
   assert_int_equal(box.vgpr[10][9], byte_at(256 + 4));
   assert_int_equal(box.vgpr[14][9], 0);
}

/* Rows 0 and 1 of an image have memory, the others have none. */
static void
half_there(void)
{
   resources_fresh(true);
   texture_set(&(struct texture){.type = T_2D,
                                 .format = FMT_32_FLOAT,
                                 .width = 8,
                                 .height = 8,
                                 .select = SELECT_X001,
                                 .offset = PRT_OFFSET - 512});
   for (unsigned i = 0; i < 128; i++)
      box.data[(BOX_DATA_SIZE - 512) / 4 + i] = float_bits((float)(i / 64 * 100 + i % 64 + 1));
}

/* S# in s[16:19]: clamped; filter 1: linear. */
static void
sampler_set(unsigned filter)
{
   uint32_t *word = &box.wave.sreg[16];
   word[0] = 2 | 2 << 3 | 2 << 6 | 1 << 27;
   word[1] = 15u << 20;
   word[2] = filter << 20 | filter << 22;
   word[3] = 0;
}

static void
test_partly_there(void **state)
{
   half_there();
   box_run_text(&box, "image_load v[10:11], v[0:1], s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm tfe\n");
   for (unsigned l = 0; l < 64; l++) {
      bool there = l / 8 < 2;
      assert_true(as_float(box.vgpr[10][l]) == (there ? (float)(l / 8 * 100 + l % 8 + 1) : 0));
      assert_int_equal(box.vgpr[11][l], !there);
   }
}

/* Lanes look at the middle of x = 3 and at y of 0.5, 1.5, 2, 2.5 texels: values 4 and 104 and nothing. */
static void
test_sample(void **state)
{
   static const float y[] = {0.5f, 1.5f, 2, 2.5f}, linear[] = {4, 104, 52, 0};
   static const uint32_t missing[] = {0, 0, 1, 1};
   half_there();
   sampler_set(1);
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[4][l] = float_bits(3.5f / 8);
      box.vgpr[5][l] = float_bits(y[l % 4] / 8);
   }
   box_run_text(&box, "image_sample_lz v[10:11], v[4:5], s[4:11], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D tfe\n"
                      "image_sample_lz v12, v[4:5], s[4:11], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D lwe\n"
                      "image_sample_lz v[14:15], v[4:5], s[4:11], s[16:19] dmask:0x3 dim:SQ_RSRC_IMG_2D\n"
                      "image_gather4_lz v[20:24], v[4:5], s[4:11], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D tfe\n");
   assert_int_equal(box.wave.trapsts & TRAPSTS_MEM_VIOL, 0);
   for (unsigned l = 0; l < 64; l++) {
      assert_true(as_float(box.vgpr[10][l]) == linear[l % 4]);
      assert_int_equal(box.vgpr[11][l], missing[l % 4]);
      assert_int_equal(box.vgpr[13][l], missing[l % 4]);
      assert_int_equal(box.vgpr[15][l], 0);
   }
   /* Gathers read rows 1 and 2 where filters give row 2 no weight; (3, 2), (4, 2), (4, 1), (3, 1) in this order. */
   assert_int_equal(box.vgpr[24][0], 0);
   assert_int_equal(box.vgpr[24][1], 1);
   assert_true(as_float(box.vgpr[20][1]) == 0 && as_float(box.vgpr[21][1]) == 0);
   assert_true(as_float(box.vgpr[22][1]) == 105 && as_float(box.vgpr[23][1]) == 104);
}

/* A comparison's result is that with 0. */
static void
test_compare(void **state)
{
   half_there();
   sampler_set(0);
   box.wave.sreg[16] |= 3 << 12; /* less or equal */
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[4][l] = float_bits(l & 2 ? 0.5f : -1);
      box.vgpr[5][l] = float_bits(3.5f / 8);
      box.vgpr[6][l] = float_bits((l & 1 ? 2.5f : 1.5f) / 8);
   }
   box_run_text(&box, "image_sample_c_lz v[10:11], v[4:6], s[4:11], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D tfe\n");
   for (unsigned l = 0; l < 64; l++) {
      assert_true(as_float(box.vgpr[10][l]) == (l % 4 == 3 ? 0 : 1));
      assert_int_equal(box.vgpr[11][l], l & 1);
   }
}

static void
test_atomic(void **state)
{
   resources_fresh(true);
   texture_set(
      &(struct texture){.type = T_2D, .format = FMT_32_UINT, .width = 8, .height = 8, .offset = PRT_OFFSET - 512});
   for (unsigned i = 0; i < 128; i++)
      box.data[(BOX_DATA_SIZE - 512) / 4 + i] = 7;
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[10][l] = l;
   box_run_text(&box, "image_atomic_add v[10:11], v[0:1], s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm glc tfe\n");
   assert_int_equal(box.wave.trapsts & TRAPSTS_MEM_VIOL, 0);
   for (unsigned l = 0; l < 64; l++) {
      bool there = l / 8 < 2;
      assert_int_equal(box.vgpr[10][l], there ? 7 : 0);
      assert_int_equal(box.vgpr[11][l], !there);
      if (there)
         assert_int_equal(box.data[(BOX_DATA_SIZE - 512) / 4 + l / 8 * 64 + l % 8], 7 + l);
   }
}

static void
test_buffer(void **state)
{
   resources_fresh(true);
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[0][l] = l < 32 ? 0 : PRT_OFFSET;
   buffer_set(FMT_32_UINT, 0, ~0u, 3, SELECT_XYZW);
   box_run_text(&box, "buffer_load_b64 v[10:12], v0, s[12:15], 0 offen tfe\n"
                      "buffer_load_format_x v[14:15], v0, s[12:15], 0 offen tfe\n");
   assert_int_equal(box.vgpr[10][0], box.data[0]);
   assert_int_equal(box.vgpr[12][0], 0);
   assert_int_equal(box.vgpr[10][32], 0);
   assert_int_equal(box.vgpr[12][32], 1);
   assert_int_equal(box.vgpr[15][0], 0);
   assert_int_equal(box.vgpr[15][32], 1);
}

static int
setup(void **state)
{
   box_setup(state);
   prt_map();
   return 0;
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_load),    cmocka_unit_test(test_partly_there), cmocka_unit_test(test_sample),
      cmocka_unit_test(test_compare), cmocka_unit_test(test_atomic),       cmocka_unit_test(test_buffer),
   };
   return cmocka_run_group_tests(tests, setup, box_teardown);
}
