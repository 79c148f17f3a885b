/* SPDX-License-Identifier: MIT */
/* Buffers: formats of their elements, bounds, and what is no buffer. */
#include <stdio.h>
#include <string.h>

#include "resource_box.h"

static void
test_buffer_load(void **state)
{
   resources_fresh(true);
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[0][l] = l;
   buffer_set(FMT_8_8_8_8_UNORM, 4, 60, 0, SELECT_ZYXW);
   box_run_text(&box, "buffer_load_format_xyzw v[10:13], v0, s[12:15], 0 idxen\n"
                      "buffer_load_format_x v14, v0, s[12:15], 0 idxen\n"
                      "buffer_load_d16_format_xyz v[16:17], v0, s[12:15], 0 idxen\n"
                      "buffer_load_d16_hi_format_x v18, v0, s[12:15], 0 idxen\n"
                      "tbuffer_load_format_xy v[20:21], v0, s[12:15], 0 format:[BUF_FMT_8_8_SINT] idxen\n"
                      "buffer_load_format_xy v[22:24], v0, s[12:15], 0 idxen tfe\n");
   for (unsigned l = 0; l < 64; l++) {
      bool inside = l < 60;
      for (unsigned i = 0; i < 4; i++) {
         unsigned from = i == 0 ? 2 : i == 2 ? 0 : i;
         float expected = inside ? (float)byte_at(l * 4 + from) / 255 : 0;
         assert_true(as_float(box.vgpr[10 + i][l]) == expected);
      }
      assert_int_equal(box.vgpr[14][l], box.vgpr[10][l]);
      assert_int_equal(box.vgpr[17][l] >> 16, 0);
      assert_int_equal(box.vgpr[18][l], box.vgpr[16][l] << 16 | 0xdbdb);
      assert_int_equal(box.vgpr[20][l], inside ? (uint32_t)(int8_t)byte_at(l * 4) : 0);
      assert_int_equal(box.vgpr[21][l], inside ? (uint32_t)(int8_t)byte_at(l * 4 + 1) : 0);
      assert_int_equal(box.vgpr[23][l], box.vgpr[11][l]);
      assert_int_equal(box.vgpr[24][l], 0);
   }
}

/* An element that is in the buffer in part is not read at all; components that are missing are 0 and 1. */
static void
test_buffer_bounds(void **state)
{
   resources_fresh(true);
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[0][l] = l * 8;
   buffer_set(FMT_16_16_16_16_FLOAT, 0, 20, 3, SELECT_XYZW);
   box.data[4] = 0x3c003c00;
   box.data[2] = 0x3c003c00;
   box_run_text(&box, "buffer_load_format_xyzw v[10:13], v0, s[12:15], 0 offen\n");
   assert_true(as_float(box.vgpr[10][1]) == 1);
   assert_int_equal(box.vgpr[10][2], 0); /* bytes 16 to 23 of 20 */
   resources_fresh(true);
   buffer_set(FMT_8_UNORM, 1, 4, 1, SELECT_XYZW);
   box_run_text(&box, "buffer_load_format_xyzw v[10:13], v0, s[12:15], 0 idxen\n");
   assert_int_equal(box.vgpr[11][2], 0);
   assert_true(as_float(box.vgpr[13][2]) == 1);
   assert_int_equal(box.vgpr[10][5], 0);
}

static void
test_buffer_store(void **state)
{
   resources_fresh(true);
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[0][l] = l;
      box.vgpr[5][l] = 0x3f800000;
      box.vgpr[6][l] = 0x3f000000;
      box.vgpr[7][l] = 0x3c000000; /* 1, in the upper half */
   }
   box.wave.mode |= 15; /* towards zero: not here */
   buffer_set(FMT_8_8_8_8_UNORM, 4, 60, 0, SELECT_XYZW);
   box_run_text(&box, "buffer_store_format_xy v[5:6], v0, s[12:15], 0 idxen\n"
                      "buffer_store_d16_hi_format_x v7, v0, s[12:15], 0 idxen offset:512\n"
                      "tbuffer_store_format_x v5, v0, s[12:15], 0 format:[BUF_FMT_16_FLOAT] idxen offset:1024\n");
   for (unsigned l = 0; l < 60; l++)
      assert_int_equal(box.data[l], 0x000080ff);
   assert_int_not_equal(box.data[60], 0x000080ff);
   assert_int_not_equal(box.data[128], 0xff); /* the offset is beyond the record */
   resources_fresh(true);
   box.vgpr[0][1] = 16;
   box.vgpr[5][1] = 0x3f800000;
   box.vgpr[7][1] = 0x3c000000;
   buffer_set(FMT_8_8_8_8_UNORM, 0, 4096, 3, SELECT_XYZW);
   box_run_text(&box, "buffer_store_d16_hi_format_x v7, v0, s[12:15], 0 offen offset:512\n"
                      "tbuffer_store_format_x v5, v0, s[12:15], 0 format:[BUF_FMT_16_FLOAT] offen offset:1024\n");
   assert_int_equal(box.data[(512 + 16) / 4], 0x000000ff);
   assert_int_equal(box.data[(1024 + 16) / 4] & 0xffff, 0x3c00);
}

static void
test_buffer_lds(void **state)
{
   resources_fresh(true);
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[0][l] = l * 4;
   box.wave.sreg[SREG_M0] = 256;
   buffer_set(FMT_8_8_8_8_UINT, 0, 4096, 3, SELECT_XYZW);
   box_run_text(&box, "buffer_load_lds_b32 v0, s[12:15], 0 offen\n"
                      "buffer_load_lds_i8 v0, s[12:15], 0 offen offset:512\n"
                      "buffer_load_lds_format_x v0, s[12:15], 0 offen offset:1024\n");
   for (unsigned l = 0; l < 64; l++) {
      uint32_t dword;
      memcpy(&dword, box.lds + 256 + l * 4, 4);
      assert_int_equal(dword, box.data[l]);
      memcpy(&dword, box.lds + 256 + 512 + l * 4, 4);
      assert_int_equal(dword, (uint32_t)(int8_t)byte_at(512 + l * 4));
      memcpy(&dword, box.lds + 256 + 1024 + l * 4, 4);
      assert_int_equal(dword, byte_at(1024 + l * 4));
   }
}

/* D16 cuts off what was a float and rounds what was made one of: 16_SNORM 0xdb71 is -0.28562, between the halfs 0xb491
 * and 0xb492 and nearer to this; 16_USCALED 65535 lies between 65504 and infinity, 8_UNORM 9 (0.035294) between 0x2884
 * and 0x2885, 4095 in the middle of 0x6bff and 0x6c00. */
static void
test_d16_rounding(void **state)
{
   static const struct {
      const char *format;
      uint32_t bits, expected;
   } cases[] = {
      {"BUF_FMT_16_SNORM", 0xdb71, 0xb492},   {"BUF_FMT_16_USCALED", 65535, 0x7c00},    {"BUF_FMT_8_UNORM", 9, 0x2885},
      {"BUF_FMT_16_SSCALED", 0x0fff, 0x6c00}, {"BUF_FMT_32_FLOAT", 0x457ff000, 0x6bff},
   };
   for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
      char text[128];
      resources_fresh(true);
      box.data[0] = cases[i].bits;
      buffer_set(FMT_8_UNORM, 0, 4096, 3, SELECT_XYZW);
      snprintf(text, sizeof text, "tbuffer_load_d16_format_x v10, off, s[12:15], 0 format:[%s]\n", cases[i].format);
      box_run_text(&box, text);
      assert_int_equal(box.vgpr[10][0] & 0xffff, cases[i].expected);
   }
   resources_fresh(true);
   box.data[0] = 9;
   texture_set(&(struct texture){.type = T_1D, .format = FMT_8_UNORM, .width = 8});
   box_run_text(&box, "image_load v10, v0, s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_1D unorm d16\n");
   assert_int_equal(box.vgpr[10][0], 0x2885);
}

/* Elements of 16 bytes of eight records lie together. OOB_SELECT 3 compares the index with NUM_RECORDS, which counts
 * records then, and the offset with the stride (Mesa's ac_descriptors.c, OOB_SELECT of GFX11). */
static void
test_swizzled_bounds(void **state)
{
   resources_fresh(true);
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[0][l] = l;
      box.vgpr[1][l] = l % 2 ? 44 : 48;
      box.vgpr[4][l] = l;
      box.vgpr[5][l] = 28;
      box.vgpr[6][l] = 0x1000000 + l;
   }
   buffer_set(FMT_32_FLOAT, 48, 40, 3, SELECT_XYZW);
   box.wave.sreg[V_SGPR + 1] |= 3u << 30; /* SWIZZLE_ENABLE: 16 bytes; INDEX_STRIDE is 8 */
   box_run_text(&box, "buffer_load_b32 v10, v[4:5], s[12:15], 0 idxen offen\n"
                      "buffer_load_b32 v11, v[0:1], s[12:15], 0 idxen offen\n"
                      "buffer_store_b32 v6, v[4:5], s[12:15], 0 idxen offen offset:4\n");
   for (unsigned l = 0; l < 64; l++) {
      uint32_t element = (l / 8 * 48 + 16) * 8 + l % 8 * 16; /* offsets 16 to 31 */
      uint32_t third = (l / 8 * 48 + 32) * 8 + l % 8 * 16;
      assert_int_equal(box.vgpr[10][l], l < 40 ? resources_dword(element + 12) : 0);
      assert_int_equal(box.vgpr[11][l], l < 40 && l % 2 ? resources_dword(third + 12) : 0);
      assert_int_equal(box.data[third / 4], l < 40 ? 0x1000000 + l : resources_dword(third));
   }
}

/* A V# without a format (RDNA3 ISA guide, 9.6): loads give 0, stores and atomics do nothing. */
static void
test_unbound(void **state)
{
   resources_fresh(true);
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[0][l] = l * 4;
   buffer_set(0, 0, 4096, 3, SELECT_XYZW);
   box_run_text(&box, "buffer_load_b64 v[10:11], v0, s[12:15], 0 offen\n"
                      "buffer_load_format_xy v[12:13], v0, s[12:15], 0 offen\n"
                      "tbuffer_load_format_x v14, v0, s[12:15], 0 format:[BUF_FMT_32_UINT] offen\n"
                      "buffer_store_b32 v1, v0, s[12:15], 0 offen\n"
                      "buffer_atomic_add_u32 v0, v0, s[12:15], 0 offen\n"
                      "s_buffer_load_b32 s20, s[12:15], 0x4\n");
   for (unsigned l = 0; l < 64; l++) {
      for (unsigned i = 10; i < 15; i++)
         assert_int_equal(box.vgpr[i][l], 0);
      assert_int_equal(box.data[l], resources_dword(l * 4));
   }
   assert_int_equal(box.wave.sreg[20], box.data[1]); /* scalar loads do without */
   buffer_set(0, 4, 64, 1, SELECT_XYZW);
   box.wave.sreg[V_SGPR + 3] |= 1 << 23; /* ADD_TID */
   box_run_text(&box, "buffer_load_b32 v10, off, s[12:15], 0\n");
   for (unsigned l = 0; l < 64; l++)
      assert_int_equal(box.vgpr[10][l], box.data[l]);
}

BOX_TESTS(cmocka_unit_test(test_buffer_load), cmocka_unit_test(test_buffer_bounds), cmocka_unit_test(test_buffer_store),
          cmocka_unit_test(test_buffer_lds), cmocka_unit_test(test_d16_rounding),
          cmocka_unit_test(test_swizzled_bounds), cmocka_unit_test(test_unbound))
