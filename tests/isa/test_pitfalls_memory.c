/* SPDX-License-Identifier: MIT */
/* Corners of memory and LDS that emulators have got wrong, one test each. */
#include <string.h>

#include "isa/half.h"
#include "wave_box.h"

#define DATA_LO ((uint32_t)BOX_DATA_VA)
#define DATA_HI ((uint32_t)(BOX_DATA_VA >> 32))
#define F float_bits

static void
run(const char *text)
{
   assert_int_equal(box_run_text(&box, text), ISA_END);
}

/* v0 = lane * 4, v[2:3] its address in memory, s[0:1] memory; both memory and LDS count up from 1000. */
static void
fresh(bool wave64)
{
   box_reset(&box, wave64);
   for (unsigned i = 0; i < BOX_DATA_SIZE / 4; i++)
      box.data[i] = 1000 + i;
   for (uint32_t i = 0; i < BOX_LDS_SIZE / 4; i++)
      memcpy(box.lds + i * 4, &(uint32_t){1000 + i}, 4);
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[0][l] = l * 4;
      box.vgpr[2][l] = DATA_LO + l * 4;
      box.vgpr[3][l] = DATA_HI;
   }
   box.wave.sreg[0] = DATA_LO;
   box.wave.sreg[1] = DATA_HI;
}

static uint32_t
lds(unsigned offset)
{
   uint32_t value;
   memcpy(&value, box.lds + offset, 4);
   return value;
}

static void
set_lds(unsigned offset, uint32_t value)
{
   memcpy(box.lds + offset, &value, 4);
}

static void
test_d16_keeps_the_other_half(void **state)
{
   fresh(true);
   box.data[0] = 0x8182f3f4;
   run("global_load_d16_u8 v10, v0, s[0:1]\nglobal_load_d16_hi_i8 v11, v0, s[0:1]\n"
       "global_load_d16_hi_b16 v12, v0, s[0:1] offset:2\nglobal_store_d16_hi_b16 v0, v12, s[0:1]\n");
   assert_int_equal(box.vgpr[10][0], 0xdbdb00f4);
   assert_int_equal(box.vgpr[11][0], 0xfff4dbdb);
   assert_int_equal(box.vgpr[12][0], 0x8182dbdb);
   assert_int_equal(box.data[0], 0x81828182);
}

static void
test_load_to_absent_vgpr(void **state)
{
   fresh(true);
   box.wave.vgpr_count = 12;
   run("global_load_b128 v[10:13], v0, s[0:1]\nglobal_load_b32 v200, v0, s[0:1]\n");
   assert_int_equal(box.vgpr[10][0], 1000);
   assert_int_equal(box.vgpr[11][0], 1001);
   assert_int_equal(box.vgpr[12][0], 0xdbdbdbdb);
}

/* A store beyond LDS is dropped whole; a load of several dwords that reaches beyond it gives zeros. */
static void
test_lds_out_of_range(void **state)
{
   fresh(true);
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[4][l] = BOX_LDS_SIZE - 8;
   run("ds_load_b128 v[10:13], v4\nds_load_b64 v[14:15], v4\nds_store_b128 v4, v[20:23]\n");
   for (unsigned i = 0; i < 4; i++)
      assert_int_equal(box.vgpr[10 + i][5], 0);
   assert_int_equal(box.vgpr[14][5], 1000 + BOX_LDS_SIZE / 4 - 2);
   assert_int_equal(lds(BOX_LDS_SIZE - 8), 1000 + BOX_LDS_SIZE / 4 - 2);
}

static void
test_lds_addtid(void **state)
{
   fresh(true);
   box.wave.sreg[SREG_M0] = 0x40;
   run("ds_load_addtid_b32 v10 offset:8\nds_store_addtid_b32 v0 offset:2048\n");
   assert_int_equal(box.vgpr[10][3], 1000 + (0x48 + 12) / 4);
   assert_int_equal(lds(0x40 + 2048 + 20), 20);
}

static void
test_swizzle_patterns(void **state)
{
   fresh(true);
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[4][l] = l;
   run("ds_swizzle_b32 v10, v4 offset:0xe000\nds_swizzle_b32 v11, v4 offset:0xe001\nds_swizzle_b32 v12, v4 "
       "offset:0xe01f\n"
       "ds_swizzle_b32 v13, v4 offset:0xc020\nds_swizzle_b32 v14, v4 offset:swizzle(REVERSE,8)\n");
   assert_int_equal(box.vgpr[10][33], 32 + 16); /* bits reversed */
   assert_int_equal(box.vgpr[11][3], 13);       /* 3 reversed is 24: 24 >> 1 | 1 */
   assert_int_equal(box.vgpr[12][45], 45);
   assert_int_equal(box.vgpr[13][5], 6);
   assert_int_equal(box.vgpr[14][33], 38);
}

/* Lane numbers count within half a wave of 64. */
static void
test_bpermute_halves(void **state)
{
   fresh(true);
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[4][l] = l;
      box.vgpr[5][l] = 0x1000 + 4 * 40; /* high bits do not count */
   }
   run("ds_bpermute_b32 v10, v5, v4\nds_permute_b32 v11, v5, v4 offset:4\n");
   assert_int_equal(box.vgpr[10][3], 8);
   assert_int_equal(box.vgpr[10][35], 40);
   assert_int_equal(box.vgpr[11][9], 31); /* of several the highest lane wins */
   assert_int_equal(box.vgpr[11][41], 63);
   assert_int_equal(box.vgpr[11][8], 0);
}

/* Apertures go by the address before the offset is added, and count in both counters. */
static void
test_flat_aperture(void **state)
{
   fresh(true);
   box.wave.sh_mem_bases = 0x00010002;
   box.wave.scratch_base = BOX_DATA_VA + 0x4000;
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[4][l] = l < 32 ? 16 : 8;
      box.vgpr[5][l] = l < 32 ? 0x00010000 : 0x00020000;
   }
   run("flat_load_b32 v10, v[4:5] offset:4\n");
   assert_int_equal(box.vgpr[10][0], 1005);
   assert_int_equal(box.vgpr[10][33], 1000 + 0x1000 + 3 * 64 + 33);

   box.gpu->options.flags |= VGPU_LATE_LOADS;
   fresh(true);
   run("flat_load_b32 v10, v[2:3]\ns_getreg_b32 s10, hwreg(HW_REG_IB_STS)\ns_waitcnt vmcnt(0)\n"
       "s_getreg_b32 s11, hwreg(HW_REG_IB_STS)\ns_waitcnt lgkmcnt(0)\n");
   assert_int_equal(box.wave.sreg[10], 1 << 10 | 1 << 4);
   assert_int_equal(box.wave.sreg[11], 1 << 4);
   assert_int_equal(box.vgpr[10][9], 1009);
   box.gpu->options.flags = 0;
}

/* Dwords of the lanes lie side by side; SVE says whether VADDR counts. */
static void
test_scratch_swizzle(void **state)
{
   fresh(true);
   box.wave.scratch_base = BOX_DATA_VA;
   box.wave.sreg[4] = 8;
   run("scratch_store_b32 off, v0, s4 offset:4\nscratch_load_b32 v10, v0, off\nscratch_load_b32 v11, v0, s4 offset:-4\n"
       "scratch_load_b64 v[12:13], off, off offset:6\n");
   assert_int_equal(box.data[3 * 64 + 5], 20);
   assert_int_equal(box.vgpr[10][7], 1000 + 7 * 64 + 7);
   assert_int_equal(box.vgpr[11][7], 1000 + 8 * 64 + 7);
   uint32_t low = 1000 + 64 + 5, middle = 1000 + 2 * 64 + 5; /* unaligned: bytes of three dwords */
   assert_int_equal(box.vgpr[12][5], low >> 16 | middle << 16);
   assert_int_equal(box.vgpr[13][5], middle >> 16 | 20u << 16);
}

static void
test_float_atomics(void **state)
{
   fresh(true);
   box.wave.sreg[SREG_EXEC_LO] = 1;
   box.wave.sreg[SREG_EXEC_HI] = 0;
   box.wave.mode = 0x1f0;
   box.vgpr[4][0] = 0x00400000;
   box.data[0] = 0x00400000;
   set_lds(0, 0x00400000);
   run("global_atomic_add_f32 v0, v4, s[0:1]\nds_add_f32 v0, v4\n");
   assert_int_equal(box.data[0], 0); /* memory flushes denormals, LDS goes by MODE */
   assert_int_equal(lds(0), 0x00800000);

   fresh(true);
   box.wave.sreg[SREG_EXEC_LO] = 1;
   box.wave.sreg[SREG_EXEC_HI] = 0;
   box.wave.mode = 0x1ff; /* rounding towards 0 is not for atomics */
   box.vgpr[4][0] = F(0x1.8p-24f);
   box.data[0] = F(1);
   set_lds(0, F(1));
   run("global_atomic_add_f32 v0, v4, s[0:1]\nds_add_f32 v0, v4\n");
   assert_int_equal(box.data[0], F(0x1.000002p0f));
   assert_int_equal(lds(0), F(0x1.000002p0f));
}

static void
test_conditional_exchange(void **state)
{
   fresh(true);
   box.wave.sreg[SREG_EXEC_LO] = 1;
   box.wave.sreg[SREG_EXEC_HI] = 0;
   box.vgpr[0][0] = 20; /* the pair at 16 */
   box.vgpr[4][0] = 0x80000007;
   box.vgpr[5][0] = 9;
   run("ds_condxchg32_rtn_b64 v[10:11], v0, v[4:5]\n");
   assert_int_equal(box.vgpr[10][0], 1004);
   assert_int_equal(box.vgpr[11][0], 1005);
   assert_int_equal(lds(16), 7);
   assert_int_equal(lds(20), 1005);
}

/* Three nodes pushed and the fourth returned; then three popped, and what was last visited is no node. */
static void
test_node_stack(void **state)
{
   fresh(false);
   for (unsigned l = 0; l < 32; l++) {
      box.vgpr[4][l] = (8 + l) << 18; /* base: dword 8 + lane */
      box.vgpr[5][l] = ~0u;
      for (unsigned i = 0; i < 4; i++)
         box.vgpr[6 + i][l] = 100 * (i + 1) + l;
      for (unsigned i = 0; i < 4; i++)
         box.vgpr[12 + i][l] = ~0u;
   }
   run(
      "ds_bvh_stack_rtn_b32 v10, v4, v5, v[6:9] offset:4096\nds_bvh_stack_rtn_b32 v11, v4, v5, v[12:15] offset:4096\n"
      "ds_bvh_stack_rtn_b32 v20, v4, v5, v[12:15] offset:4096\nds_bvh_stack_rtn_b32 v21, v4, v9, v[6:9] offset:4096\n");
   assert_int_equal(box.vgpr[10][3], 403);
   assert_int_equal(box.vgpr[11][3], 303);
   assert_int_equal(box.vgpr[20][3], 203);
   assert_int_equal(box.vgpr[21][3], 303); /* pushed again, the fourth being the last visited */
   assert_int_equal(box.vgpr[4][3], (8 + 3) << 18 | 3);
   assert_int_equal(lds((8 + 3) * 4), 103);
}

/* No text shows it: a field that the instruction does not use. */
static void
test_unused_fields(void **state)
{
   fresh(true);
   const uint32_t add[] = {0xd8000000, 0x02000400}; /* ds_add_u32 v0, v4 with v2 as result */
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[4][l] = 1;
   assert_int_equal(box_run(&box, add, 2), ISA_END);
   assert_int_equal(lds(4), 1002);
   assert_int_equal(box.vgpr[2][1], DATA_LO + 4);
   struct inst inst;
   assert_int_equal(isa_decode(add, 8, true, &inst), -22);
}

BOX_TESTS(cmocka_unit_test(test_d16_keeps_the_other_half), cmocka_unit_test(test_load_to_absent_vgpr),
          cmocka_unit_test(test_lds_out_of_range), cmocka_unit_test(test_lds_addtid),
          cmocka_unit_test(test_swizzle_patterns), cmocka_unit_test(test_bpermute_halves),
          cmocka_unit_test(test_flat_aperture), cmocka_unit_test(test_scratch_swizzle),
          cmocka_unit_test(test_float_atomics), cmocka_unit_test(test_conditional_exchange),
          cmocka_unit_test(test_node_stack), cmocka_unit_test(test_unused_fields))
