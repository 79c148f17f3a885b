/* SPDX-License-Identifier: MIT */
/* What a workgroup may be: every size, every register, all of the LDS. Through the plain face. */
#include <string.h>

#include "wave_box.h"

#define RSRC2_USUAL (2 << 1 | 7 << 7 | 1 << 10) /* USER_SGPR, TGID_X/Y/Z, TG_SIZE */

static uint32_t buffer[1024 * 16];

struct code {
   uint32_t words[1024];
   unsigned count;
   bool wave32;
};

static void
assemble(struct code *code, bool wave32, const char *text)
{
   code->wave32 = wave32;
   code->count = box_assemble(text, !wave32, code->words, 1024);
}

static void
launch(const struct code *code, unsigned x, unsigned y, unsigned z, unsigned vgprs, unsigned lds)
{
   unsigned granule = code->wave32 ? 8 : 4;
   struct vgpu_dispatch dispatch = {
      .code = code->words,
      .code_size = code->count * 4,
      .workgroups = {1, 1, 1},
      .workgroup_size = {x, y, z},
      .argument = (uintptr_t)buffer,
      .rsrc1 = 0x602c0000 | ((vgprs + granule - 1) / granule - 1),
      .rsrc2 = RSRC2_USUAL | (lds + 511) / 512 << 15,
      .wave32 = code->wave32,
   };
   struct vgpu_fault fault;
   memset(buffer, 0, sizeof buffer);
   assert_int_equal(vgpu_run(box.gpu, &dispatch, &fault), 0);
}

/* Each thread counts itself at its id, those that the last wave has too many do not. The barrier is met by one wave
 * and by many. */
static void
test_sizes(void **state)
{
   for (unsigned wave32 = 0; wave32 < 2; wave32++) {
      struct code code;
      assemble(&code, wave32,
               "v_and_b32 v0, 0x3ff, v0\nv_lshlrev_b32 v0, 2, v0\nv_mov_b32 v2, 1\n"
               "global_atomic_add_u32 v0, v2, s[0:1]\ns_barrier\ns_endpgm\n");
      for (unsigned n = 1; n <= 1024; n++) {
         launch(&code, n, 1, 1, 8, 0);
         for (unsigned i = 0; i < 1024 + 64; i++)
            assert_int_equal(buffer[i], i < n);
      }
   }
}

/* Ids are packed into v0, ten bits each. */
static void
test_shapes(void **state)
{
   static const uint8_t shapes[][3] = {{3, 5, 7}, {1, 1, 20}, {1, 32, 1}, {16, 8, 8}, {2, 31, 16}};
   for (unsigned i = 0; i < 2 * sizeof shapes / sizeof shapes[0]; i++) {
      struct code code;
      assemble(&code, i & 1,
               "v_and_b32 v1, 0x3ff, v0\nv_bfe_u32 v2, v0, 10, 10\nv_bfe_u32 v3, v0, 20, 10\nv_lshlrev_b32 v3, 5, v3\n"
               "v_lshl_add_u32 v2, v2, 4, v1\nv_lshl_add_u32 v1, v3, 4, v2\nv_lshlrev_b32 v1, 2, v1\nv_mov_b32 v2, 1\n"
               "global_atomic_add_u32 v1, v2, s[0:1]\ns_endpgm\n");
      const uint8_t *shape = shapes[i / 2];
      launch(&code, shape[0], shape[1], shape[2], 8, 0);
      for (unsigned z = 0; z < 20; z++)
         for (unsigned y = 0; y < 32; y++)
            for (unsigned x = 0; x < 16; x++)
               assert_int_equal(buffer[(z * 32 + y) * 16 + x], x < shape[0] && y < shape[1] && z < shape[2]);
   }
}

/* v255 is there, and is not v0. */
static void
test_all_vgprs(void **state)
{
   for (unsigned wave32 = 0; wave32 < 2; wave32++) {
      struct code code;
      assemble(&code, wave32,
               "v_lshlrev_b32 v1, 2, v0\nv_add_nc_u32 v255, 7, v0\nv_mov_b32 v254, v255\n"
               "global_store_b32 v1, v254, s[0:1]\ns_endpgm\n");
      launch(&code, 100, 1, 1, 256, 0);
      for (unsigned i = 0; i < 100; i++)
         assert_int_equal(buffer[i], 7 + i);
   }
}

/* The last dword of 64 KiB, written by the last thread and read by the first. */
static void
test_all_lds(void **state)
{
   struct code code;
   assemble(&code, true,
            "v_lshlrev_b32 v1, 2, v0\nv_sub_nc_u32 v2, 0xfffc, v1\nds_store_b32 v2, v0\ns_waitcnt lgkmcnt(0)\n"
            "s_barrier\nv_add_nc_u32 v3, 0xf000, v1\nds_load_b32 v4, v3\ns_waitcnt lgkmcnt(0)\n"
            "global_store_b32 v1, v4, s[0:1]\ns_endpgm\n");
   launch(&code, 1024, 1, 1, 8, 65536);
   for (unsigned i = 0; i < 1024; i++)
      assert_int_equal(buffer[i], 1023 - i);
}

/* LDS comes in pieces of 1024 bytes, though it is asked for in 512: beyond them nothing is stored. */
static void
test_lds_granularity(void **state)
{
   struct code code;
   assemble(&code, true,
            "v_mov_b32 v1, 0x3fc\nv_mov_b32 v2, 0x400\nv_mov_b32 v3, 5\nds_store_b32 v1, v3\nds_store_b32 v2, v3\n"
            "ds_load_b32 v4, v1\nds_load_b32 v5, v2\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v0, 0\n"
            "global_store_b64 v0, v[4:5], s[0:1]\ns_endpgm\n");
   launch(&code, 1, 1, 1, 8, 512);
   assert_int_equal(buffer[0], 5);
   assert_int_equal(buffer[1], 0);
}

static int
setup(void **state)
{
   box_init(&box, VGPU_HOST_POINTERS);
   return 0;
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sizes),   cmocka_unit_test(test_shapes),          cmocka_unit_test(test_all_vgprs),
      cmocka_unit_test(test_all_lds), cmocka_unit_test(test_lds_granularity),
   };
   return cmocka_run_group_tests(tests, setup, box_teardown);
}
