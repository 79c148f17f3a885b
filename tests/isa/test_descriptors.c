/* SPDX-License-Identifier: MIT */
/* What image and buffer descriptors may lead to: faults, traps, loads that land late. */
#include "encodings.h"
#include "resource_box.h"

static void
test_faults(void **state)
{
   resources_fresh(true);
   texture_set(&(struct texture){.type = T_1D, .format = FMT_32_UINT, .width = 8, .offset = 32u << 20});
   assert_int_equal(box_run_text(&box, "image_load v10, v0, s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_1D unorm\n"), ISA_TRAP);
   assert_true(box.wave.trapsts & TRAPSTS_MEM_VIOL);
   assert_int_equal(box.wave.fault.va & 0xffffffffffff, (BOX_DATA_VA + (32u << 20)) & 0xffffffffffff);
   resources_fresh(true);
   texture_set(&(struct texture){.type = T_1D, .format = FMT_32_UINT, .width = 8});
   box.wave.sreg[T_SGPR + 6] = 1 << 21; /* COMPRESSION_EN */
   assert_int_equal(box_run_text(&box, "image_load v10, v0, s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_1D unorm\n"), ISA_TRAP);
   assert_true(box.wave.trapsts & TRAPSTS_ILLEGAL_INST);
   resources_fresh(true);
   texture_set(&(struct texture){.type = T_1D, .format = 205 /* YCBCR */, .width = 8});
   assert_int_equal(box_run_text(&box, "image_load v10, v0, s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_1D unorm\n"), ISA_TRAP);
   assert_true(box.wave.trapsts & TRAPSTS_ILLEGAL_INST);
}

/* Any descriptor at all: nothing may crash, and what is not possible traps. */
static void
test_any_descriptor(void **state)
{
   static const char text[] = "image_load v[10:14], v[0:1], s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm tfe\n"
                              "image_load_mip v[10:13], v[0:3], s[4:11] dmask:0xf dim:SQ_RSRC_IMG_3D unorm\n"
                              "image_load v[10:13], v[0:2], s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY unorm\n"
                              "image_load v[10:13], v[0:2], s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D_MSAA unorm\n"
                              "image_msaa_load v[10:13], v[0:2], s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_2D_MSAA unorm\n"
                              "image_load_pck_sgn v[10:13], v[0:1], s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm\n"
                              "image_store v[0:3], v[0:1], s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm\n"
                              "image_store_pck v[0:3], v[0:2], s[4:11] dmask:0xf dim:SQ_RSRC_IMG_3D unorm\n"
                              "image_atomic_add v0, v[0:1], s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm\n"
                              "image_get_resinfo v[15:18], v0, s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm\n";
   uint32_t words[64];
   unsigned count = box_assemble(text, true, words, 64), done = 0, trapped = 0;
   struct random random = {271828};
   resources_fresh(true);
   for (unsigned n = 0; n < 4000; n++) {
      uint32_t *t = &box.wave.sreg[T_SGPR];
      for (unsigned i = 0; i < 8; i++)
         t[i] = random_bits(&random, 32);
      if (random_bits(&random, 3)) { /* near the data, and not too large */
         t[0] = (uint32_t)(BOX_DATA_VA >> 8) + random_bits(&random, 6);
         t[1] = (t[1] & 0xcfff0000) | 0x80;
         t[2] &= 0x000fc01f;
         t[6] &= ~(1u << 21);
      }
      for (unsigned v = 0; v < 4; v++) {
         for (unsigned l = 0; l < 64; l++)
            box.vgpr[v][l] = random_bits(&random, random_bits(&random, 2) ? 5 : 32);
      }
      unsigned at = random_bits(&random, 8) % (count / 2) * 2; /* all are of two words */
      box.wave.trapsts = 0;
      enum isa_result result = box_run(&box, words + at, 2);
      assert_true(result == ISA_END || result == ISA_TRAP);
      done += result == ISA_END;
      trapped += result == ISA_TRAP;
   }
   assert_true(done > 100 && trapped > 100);
}

/* With late loads nothing is there before the wait. */
static void
test_late(void **state)
{
   box_finish(&box);
   box_init(&box, VGPU_LATE_LOADS);
   resources_fresh(true);
   texture_set(&(struct texture){.type = T_1D, .format = FMT_8_8_8_8_UINT, .width = 8});
   buffer_set(FMT_8_8_8_8_UINT, 4, 60, 0, SELECT_XYZW);
   box_run_text(&box, "image_load v10, v0, s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_1D unorm\n"
                      "buffer_load_format_x v11, v0, s[12:15], 0 idxen\n"
                      "v_mov_b32 v12, v10\nv_mov_b32 v13, v11\n"
                      "s_waitcnt vmcnt(1)\nv_mov_b32 v14, v10\nv_mov_b32 v15, v11\n"
                      "s_waitcnt vmcnt(0)\nv_mov_b32 v16, v11\n");
   assert_int_equal(box.vgpr[12][3], 0xdbdbdbdb);
   assert_int_equal(box.vgpr[13][3], 0xdbdbdbdb);
   assert_int_equal(box.vgpr[14][3], byte_at(12));
   assert_int_equal(box.vgpr[15][3], 0xdbdbdbdb);
   assert_int_equal(box.vgpr[16][3], byte_at(12));
   box_finish(&box);
   box_init(&box, 0);
}

BOX_TESTS(cmocka_unit_test(test_faults), cmocka_unit_test(test_any_descriptor), cmocka_unit_test(test_late))
