/* SPDX-License-Identifier: MIT */
/* Images and formatted buffers as instructions reach them, all linear; what tiling adds is tests/images's. */
#include <stdio.h>
#include <string.h>

#include "encodings.h"
#include "wave_box.h"

enum { T_SGPR = 4, V_SGPR = 12 };

/* What a T# says; fields of 0 mean the usual. */
struct texture {
   uint32_t type, format, width, height, depth_or_last, first_layer, pitch, levels, base_level, select;
   uint64_t offset; /* of the data */
   bool slices;
};

enum { T_1D = 8, T_2D = 9, T_3D = 10, T_2D_ARRAY = 13 };
enum { FMT_8_UNORM = 1, FMT_32_UINT = 20, FMT_32_FLOAT = 22, FMT_8_8_8_8_UNORM = 42, FMT_32_32_UINT = 48 };
enum {
   FMT_8_8_8_8_UINT = 46,
   FMT_8_8_8_8_SINT = 47,
   FMT_16_UINT = 11,
   FMT_16_16_16_16_FLOAT = 57,
   FMT_5_6_5_UNORM = 68
};

#define SELECT_XYZW (4 | 5 << 3 | 6 << 6 | 7 << 9)
#define SELECT_ZYXW (6 | 5 << 3 | 4 << 6 | 7 << 9)
#define SELECT_X001 (4 | 0 << 3 | 0 << 6 | 1 << 9)

static void
texture(const struct texture *t)
{
   uint32_t *word = &box.wave.sreg[T_SGPR], width = t->width - 1;
   uint64_t va = (BOX_DATA_VA & 0xffffffffffff) + t->offset;
   uint32_t depth = t->pitch ? t->pitch - 1 : t->depth_or_last;
   word[0] = (uint32_t)(va >> 8);
   word[1] = (uint32_t)(va >> 40) | (t->levels ? t->levels - 1 : 0) << 16 | t->format << 20 | width << 30;
   word[2] = width >> 2 | (t->height ? t->height - 1 : 0) << 14;
   word[3] = (t->select ? t->select : SELECT_XYZW) | t->base_level << 12 | (t->levels ? t->levels - 1 : 0) << 16 |
             t->type << 28;
   word[4] = depth | t->first_layer << 16;
   word[5] = t->slices;
   word[6] = word[7] = 0;
}

static void
buffer(uint32_t format, uint32_t stride, uint32_t records, uint32_t oob_select, uint32_t select)
{
   uint32_t *word = &box.wave.sreg[V_SGPR];
   word[0] = (uint32_t)BOX_DATA_VA;
   word[1] = ((uint32_t)(BOX_DATA_VA >> 32) & 0xffff) | stride << 16;
   word[2] = records;
   word[3] = select | format << 12 | oob_select << 28;
}

/* v0 = lane % 8, v1 = lane / 8: a square of 8 x 8 coordinates; the data counts up in bytes. */
static void
fresh(bool wave64)
{
   box_reset(&box, wave64);
   for (unsigned i = 0; i < BOX_DATA_SIZE; i++)
      ((uint8_t *)box.data)[i] = (uint8_t)(i * 7 + i / 256);
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[0][l] = l % 8;
      box.vgpr[1][l] = l / 8;
      box.vgpr[2][l] = box.vgpr[3][l] = 0;
   }
}

static uint8_t
byte_at(uint32_t offset)
{
   return ((uint8_t *)box.data)[offset];
}

static float
as_f32(uint32_t bits)
{
   float value;
   memcpy(&value, &bits, sizeof value);
   return value;
}

static void
test_load(void **state)
{
   for (unsigned size = 32; size <= 64; size += 32) {
      fresh(size == 64);
      texture(&(struct texture){.type = T_2D, .format = FMT_8_8_8_8_UNORM, .width = 7, .height = 6, .pitch = 64});
      box_run_text(&box, "image_load v[10:13], v[0:1], s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm\n"
                         "image_load v[14:15], v[0:1], s[4:11] dmask:0xa dim:SQ_RSRC_IMG_2D unorm\n");
      for (unsigned l = 0; l < size; l++) {
         bool inside = l % 8 < 7 && l / 8 < 6;
         for (unsigned i = 0; i < 4; i++) {
            float expected = inside ? (float)byte_at(l / 8 * 256 + l % 8 * 4 + i) / 255 : 0;
            assert_true(as_f32(box.vgpr[10 + i][l]) == expected);
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
   fresh(true);
   texture(&(struct texture){
      .type = T_2D, .format = FMT_8_UNORM, .width = 7, .height = 8, .pitch = 256, .select = SELECT_X001});
   box_run_text(&box, "image_load v[10:13], v[0:1], s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm\n");
   assert_true(as_f32(box.vgpr[10][9]) == (float)byte_at(257) / 255);
   assert_int_equal(box.vgpr[11][9], 0);
   assert_true(as_f32(box.vgpr[13][9]) == 1);
   assert_int_equal(box.vgpr[10][7], 0); /* x is 7 */
   assert_true(as_f32(box.vgpr[13][7]) == 1);

   fresh(true);
   texture(&(struct texture){.type = T_2D, .format = FMT_8_8_8_8_UINT, .width = 8, .height = 8, .select = SELECT_ZYXW});
   box_run_text(&box, "image_load v[10:13], v[0:1], s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm\n");
   assert_int_equal(box.vgpr[10][9], byte_at(256 + 4 + 2));
   assert_int_equal(box.vgpr[12][9], byte_at(256 + 4));
}

/* Addresses of 16 bits, addresses that do not follow each other, results of 16 bits. */
static void
test_operands(void **state)
{
   fresh(true);
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[5][l] = box.vgpr[0][l] | box.vgpr[1][l] << 16;
      box.vgpr[20][l] = box.vgpr[1][l];
   }
   texture(&(struct texture){.type = T_2D, .format = FMT_8_8_8_8_SINT, .width = 8, .height = 8});
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
   fresh(true);
   box.data[0] = 0x3f801fff; /* 1 and nearly a half of an ulp of a half float */
   texture(&(struct texture){.type = T_1D, .format = FMT_32_FLOAT, .width = 8});
   box_run_text(&box, "image_load v10, v0, s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_1D unorm d16\n");
   assert_int_equal(box.vgpr[10][0], 0x3c00);
   fresh(true);
   box.data[0] = 0x12345;
   texture(&(struct texture){.type = T_1D, .format = FMT_32_UINT, .width = 8});
   box_run_text(&box, "image_load v10, v0, s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_1D unorm d16\n");
   assert_int_equal(box.vgpr[10][0], 0xffff);
}

/* Levels lie from the smallest on, each row of them 256 bytes here: 8 levels of a 128 x 1 image. */
static void
test_levels(void **state)
{
   fresh(true);
   struct texture t = {.type = T_1D, .format = FMT_8_8_8_8_UINT, .width = 64, .levels = 7, .base_level = 1};
   texture(&t);
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[1][l] = 2; /* level 3: 8 texels, after levels 6, 5 and 4 */
   box_run_text(&box, "image_load_mip v10, v[0:1], s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_1D unorm\n"
                      "image_load v11, v0, s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_1D unorm\n");
   for (unsigned l = 0; l < 64; l++) {
      assert_int_equal(box.vgpr[10][l], byte_at(3 * 256 + l % 8 * 4));
      assert_int_equal(box.vgpr[11][l], byte_at(5 * 256 + l % 8 * 4));
   }
   fresh(true);
   texture(&t);
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
   fresh(true);
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[2][l] = l == 63 ? ~0u : l % 4;
   /* Layers 2 to 4; 4 rows of 256 bytes each. */
   texture(&(struct texture){
      .type = T_2D_ARRAY, .format = FMT_8_8_8_8_UINT, .width = 8, .height = 8, .first_layer = 2, .depth_or_last = 4});
   box_run_text(&box, "image_load v10, v[0:2], s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_2D_ARRAY unorm\n");
   for (unsigned l = 0; l < 64; l++) {
      uint32_t expected = l % 4 < 3 ? byte_at((2 + l % 4) * 2048 + l / 8 * 256 + l % 8 * 4) : 0;
      assert_int_equal(box.vgpr[10][l], expected);
   }
   /* Slices 1 and 2 of a 3D image, bound for writing. */
   fresh(true);
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[2][l] = l % 4 - 1;
   texture(&(struct texture){.type = T_3D,
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
   fresh(true);
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[5][l] = l;
      box.vgpr[6][l] = 300; /* more than there is room for */
   }
   texture(&(struct texture){.type = T_2D, .format = FMT_8_8_8_8_UINT, .width = 7, .height = 8, .select = SELECT_ZYXW});
   box_run_text(&box, "image_store v[5:6], v[0:1], s[4:11] dmask:0x9 dim:SQ_RSRC_IMG_2D unorm\n");
   for (unsigned l = 0; l < 64; l++) {
      uint32_t at = l / 8 * 256 + l % 8 * 4;
      if (l % 8 == 7)
         assert_int_equal(byte_at(at), (uint8_t)(at * 7 + at / 256)); /* as it was */
      else
         assert_int_equal(box.data[at / 4], l << 16 | 0xff000000);
   }
   fresh(true);
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[5][l] = 0x3c003800; /* 0.5 and 1 */
      box.vgpr[6][l] = 0xc0000000; /* 0 and -2 */
   }
   box.wave.mode |= 15; /* towards zero: not here */
   texture(&(struct texture){.type = T_2D, .format = FMT_8_8_8_8_UNORM, .width = 8, .height = 8});
   box_run_text(&box, "image_store v[5:6], v[0:1], s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm d16\n");
   assert_int_equal(box.data[64 + 3], 0x0000ff80);
}

/* Untyped: bits as they are. */
static void
test_untyped(void **state)
{
   fresh(true);
   box.data[0] = 0x8281807f;
   texture(&(struct texture){.type = T_1D, .format = FMT_8_8_8_8_UNORM, .width = 8});
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
   fresh(true);
   box.wave.sreg[SREG_EXEC_LO] = 3;
   box.wave.sreg[SREG_EXEC_HI] = 0;
   box.data[1] = memory;
   box.vgpr[0][0] = 1;
   box.vgpr[0][1] = 8; /* outside */
   box.vgpr[5][0] = box.vgpr[5][1] = source;
   box.vgpr[6][0] = box.vgpr[6][1] = compare;
   texture(&(struct texture){.type = T_1D, .format = FMT_32_UINT, .width = 8});
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

   fresh(true);
   box.data[2] = box.data[3] = ~0u; /* texel 1, of 64 bits */
   box.wave.sreg[SREG_EXEC_LO] = 1;
   box.wave.sreg[SREG_EXEC_HI] = 0;
   box.vgpr[0][0] = 1;
   box.vgpr[5][0] = 2;
   box.vgpr[6][0] = 7;
   texture(&(struct texture){.type = T_1D, .format = FMT_32_32_UINT, .width = 8});
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
   fresh(true);
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[0][l] = l;
   texture(&(struct texture){.type = T_2D_ARRAY,
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
   fresh(true);
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

#define PRT_OFFSET (16u << 20)

static void
test_residency(void **state)
{
   assert_int_equal(vm_map_prt(&box.vm, BOX_DATA_VA + PRT_OFFSET, 4096), 0);
   fresh(true);
   struct texture t = {.type = T_2D, .format = FMT_8_8_8_8_UINT, .width = 8, .height = 8, .offset = PRT_OFFSET};
   texture(&t);
   box_run_text(&box, "image_load v[10:14], v[0:1], s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm tfe\n"
                      "image_store v[0:1], v[0:1], s[4:11] dmask:0x3 dim:SQ_RSRC_IMG_2D unorm\n");
   assert_int_equal(box.wave.trapsts & TRAPSTS_MEM_VIOL, 0);
   assert_int_equal(box.vgpr[10][9], 0);
   assert_int_equal(box.vgpr[14][9], 1);
   t.offset = 0;
   texture(&t);
   box_run_text(&box, "image_load v[10:14], v[0:1], s[4:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm tfe\n");
   assert_int_equal(box.vgpr[10][9], byte_at(256 + 4));
   assert_int_equal(box.vgpr[14][9], 0);
}

static void
test_faults(void **state)
{
   fresh(true);
   texture(&(struct texture){.type = T_1D, .format = FMT_32_UINT, .width = 8, .offset = 32u << 20});
   assert_int_equal(box_run_text(&box, "image_load v10, v0, s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_1D unorm\n"), ISA_TRAP);
   assert_true(box.wave.trapsts & TRAPSTS_MEM_VIOL);
   assert_int_equal(box.wave.fault.va & 0xffffffffffff, (BOX_DATA_VA + (32u << 20)) & 0xffffffffffff);
   fresh(true);
   texture(&(struct texture){.type = T_1D, .format = FMT_32_UINT, .width = 8});
   box.wave.sreg[T_SGPR + 6] = 1 << 21; /* COMPRESSION_EN */
   assert_int_equal(box_run_text(&box, "image_load v10, v0, s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_1D unorm\n"), ISA_TRAP);
   assert_true(box.wave.trapsts & TRAPSTS_ILLEGAL_INST);
   fresh(true);
   texture(&(struct texture){.type = T_1D, .format = 205 /* YCBCR */, .width = 8});
   assert_int_equal(box_run_text(&box, "image_load v10, v0, s[4:11] dmask:0x1 dim:SQ_RSRC_IMG_1D unorm\n"), ISA_TRAP);
   assert_true(box.wave.trapsts & TRAPSTS_ILLEGAL_INST);
}

/* ---- formatted buffers ---- */

static void
test_buffer_load(void **state)
{
   fresh(true);
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[0][l] = l;
   buffer(FMT_8_8_8_8_UNORM, 4, 60, 0, SELECT_ZYXW);
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
         assert_true(as_f32(box.vgpr[10 + i][l]) == expected);
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
   fresh(true);
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[0][l] = l * 8;
   buffer(FMT_16_16_16_16_FLOAT, 0, 20, 3, SELECT_XYZW);
   box.data[4] = 0x3c003c00;
   box.data[2] = 0x3c003c00;
   box_run_text(&box, "buffer_load_format_xyzw v[10:13], v0, s[12:15], 0 offen\n");
   assert_true(as_f32(box.vgpr[10][1]) == 1);
   assert_int_equal(box.vgpr[10][2], 0); /* bytes 16 to 23 of 20 */
   fresh(true);
   buffer(FMT_8_UNORM, 1, 4, 1, SELECT_XYZW);
   box_run_text(&box, "buffer_load_format_xyzw v[10:13], v0, s[12:15], 0 idxen\n");
   assert_int_equal(box.vgpr[11][2], 0);
   assert_true(as_f32(box.vgpr[13][2]) == 1);
   assert_int_equal(box.vgpr[10][5], 0);
}

static void
test_buffer_store(void **state)
{
   fresh(true);
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[0][l] = l;
      box.vgpr[5][l] = 0x3f800000;
      box.vgpr[6][l] = 0x3f000000;
      box.vgpr[7][l] = 0x3c000000; /* 1, in the upper half */
   }
   box.wave.mode |= 15; /* towards zero: not here */
   buffer(FMT_8_8_8_8_UNORM, 4, 60, 0, SELECT_XYZW);
   box_run_text(&box, "buffer_store_format_xy v[5:6], v0, s[12:15], 0 idxen\n"
                      "buffer_store_d16_hi_format_x v7, v0, s[12:15], 0 idxen offset:512\n"
                      "tbuffer_store_format_x v5, v0, s[12:15], 0 format:[BUF_FMT_16_FLOAT] idxen offset:1024\n");
   for (unsigned l = 0; l < 60; l++)
      assert_int_equal(box.data[l], 0x000080ff);
   assert_int_not_equal(box.data[60], 0x000080ff);
   assert_int_not_equal(box.data[128], 0xff); /* the offset is beyond the record */
   fresh(true);
   box.vgpr[0][1] = 16;
   box.vgpr[5][1] = 0x3f800000;
   box.vgpr[7][1] = 0x3c000000;
   buffer(FMT_8_8_8_8_UNORM, 0, 4096, 3, SELECT_XYZW);
   box_run_text(&box, "buffer_store_d16_hi_format_x v7, v0, s[12:15], 0 offen offset:512\n"
                      "tbuffer_store_format_x v5, v0, s[12:15], 0 format:[BUF_FMT_16_FLOAT] offen offset:1024\n");
   assert_int_equal(box.data[(512 + 16) / 4], 0x000000ff);
   assert_int_equal(box.data[(1024 + 16) / 4] & 0xffff, 0x3c00);
}

static void
test_buffer_lds(void **state)
{
   fresh(true);
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[0][l] = l * 4;
   box.wave.sreg[SREG_M0] = 256;
   buffer(FMT_8_8_8_8_UINT, 0, 4096, 3, SELECT_XYZW);
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

/* A load with TFE says whether the page was there. */
static void
test_buffer_residency(void **state)
{
   fresh(true);
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[0][l] = l < 32 ? 0 : PRT_OFFSET;
   buffer(FMT_32_UINT, 0, ~0u, 3, SELECT_XYZW);
   box_run_text(&box, "buffer_load_b64 v[10:12], v0, s[12:15], 0 offen tfe\n"
                      "buffer_load_format_x v[14:15], v0, s[12:15], 0 offen tfe\n");
   assert_int_equal(box.vgpr[10][0], box.data[0]);
   assert_int_equal(box.vgpr[12][0], 0);
   assert_int_equal(box.vgpr[10][32], 0);
   assert_int_equal(box.vgpr[12][32], 1);
   assert_int_equal(box.vgpr[15][0], 0);
   assert_int_equal(box.vgpr[15][32], 1);
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
   fresh(true);
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
   fresh(true);
   texture(&(struct texture){.type = T_1D, .format = FMT_8_8_8_8_UINT, .width = 8});
   buffer(FMT_8_8_8_8_UINT, 4, 60, 0, SELECT_XYZW);
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

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_load),           cmocka_unit_test(test_select),
      cmocka_unit_test(test_operands),       cmocka_unit_test(test_d16),
      cmocka_unit_test(test_levels),         cmocka_unit_test(test_layers),
      cmocka_unit_test(test_store),          cmocka_unit_test(test_untyped),
      cmocka_unit_test(test_atomics),        cmocka_unit_test(test_resinfo),
      cmocka_unit_test(test_null),           cmocka_unit_test(test_residency),
      cmocka_unit_test(test_faults),         cmocka_unit_test(test_buffer_load),
      cmocka_unit_test(test_buffer_bounds),  cmocka_unit_test(test_buffer_store),
      cmocka_unit_test(test_buffer_lds),     cmocka_unit_test(test_buffer_residency),
      cmocka_unit_test(test_any_descriptor), cmocka_unit_test(test_late),
   };
   box_init(&box, 0);
   int result = cmocka_run_group_tests(tests, NULL, NULL);
   box_finish(&box);
   return result;
}
