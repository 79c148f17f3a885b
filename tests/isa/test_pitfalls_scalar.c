/* SPDX-License-Identifier: MIT */
/* Corners of the scalar side that emulators have got wrong, one test each. */
#include "isa/hwreg.h"
#include "wave_box.h"

#define DATA_LO ((uint32_t)BOX_DATA_VA)
#define DATA_HI ((uint32_t)(BOX_DATA_VA >> 32))

static void
run(const char *text)
{
   assert_int_equal(box_run_text(&box, text), ISA_END);
}

static void
test_pc_alignment(void **state)
{
   box_reset(&box, true);
   box.wave.sreg[0] = (uint32_t)BOX_CODE_VA + 8 + 3; /* the instruction after the next, and a bit */
   box.wave.sreg[1] = 0;
   run("s_setpc_b64 s[0:1]\ns_mov_b32 s10, 1\ns_mov_b32 s11, 2\n");
   assert_int_equal(box.wave.sreg[10], 0xdbdbdbdb);
   assert_int_equal(box.wave.sreg[11], 2);
}

static void
test_getpc_is_next(void **state)
{
   box_reset(&box, true);
   run("s_nop 0\ns_getpc_b64 s[10:11]\n");
   assert_int_equal(box.wave.sreg[10], BOX_CODE_VA + 8);
   assert_int_equal(box.wave.sreg[11], 0);
}

static void
test_sgpr_out_of_range(void **state)
{
   box_reset(&box, true);
   box.wave.sreg[SREG_M0] = 100;
   box.wave.sreg[110] = 0x1234; /* where s10 + 100 would be */
   run("s_movrels_b32 s20, s10\ns_movreld_b32 s10, 77\n");
   assert_int_equal(box.wave.sreg[20], 0);
   assert_int_equal(box.wave.sreg[110], 0x1234);
}

/* LLVM writes no odd pair; bits of it are masked. */
static void
test_pair_alignment(void **state)
{
   box_reset(&box, true);
   box.wave.sreg[2] = 11;
   box.wave.sreg[3] = 12;
   const uint32_t move = 0xbe800100 | 11 << 16 | 3; /* s_mov_b64 s[11:12], s[3:4] */
   assert_int_equal(box_run(&box, &move, 1), ISA_END);
   assert_int_equal(box.wave.sreg[10], 11);
   assert_int_equal(box.wave.sreg[11], 12);
   assert_int_equal(box.wave.sreg[12], 0xdbdbdbdb);
}

static void
test_ttmp_in_user_mode(void **state)
{
   box_reset(&box, true);
   box.wave.sreg[SREG_TTMP0] = 5;
   box.wave.scc = true;
   run("s_mov_b32 s10, ttmp0\ns_and_b32 ttmp0, 0, 0\n");
   assert_int_equal(box.wave.sreg[10], 0);
   assert_int_equal(box.wave.sreg[SREG_TTMP0], 5);
   assert_true(box.wave.scc); /* a dropped write leaves it alone */
}

static void
test_s102_is_an_sgpr(void **state)
{
   box_reset(&box, true);
   run("s_mov_b32 s102, 1\ns_mov_b32 s103, 2\ns_add_u32 s10, s102, s103\n");
   assert_int_equal(box.wave.sreg[10], 3);
}

static void
test_reserved_selectors(void **state)
{
   const uint32_t reserved[] = {0xbe8000d1 /* 209 */, 0xbe8000e8 /* 232 */, 0xbe8000f9 /* 249 */, 0xbe8000fe /* 254 */};
   for (unsigned i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
      box_reset(&box, true);
      assert_int_equal(box_run(&box, &reserved[i], 1), ISA_TRAP);
      assert_int_equal(box.wave.trapsts, TRAPSTS_ILLEGAL_INST);
   }
}

static void
test_literal_of_64_bits(void **state)
{
   box_reset(&box, true);
   run("s_mov_b64 s[10:11], 0x80000000\ns_ashr_i64 s[12:13], 0x80000000, 4\ns_lshr_b64 s[14:15], 0x80000000, 4\n"
       "v_add_f64 v[10:11], 0x3ff00000, v[2:3]\n");
   assert_int_equal(box.wave.sreg[11], 0);
   assert_int_equal(box.wave.sreg[12], 0xf8000000);
   assert_int_equal(box.wave.sreg[13], 0xffffffff);
   assert_int_equal(box.wave.sreg[14], 0x08000000);
   assert_int_equal(box.wave.sreg[15], 0);

   box_reset(&box, true);
   box.vgpr[2][0] = box.vgpr[3][0] = 0;
   run("v_add_f64 v[10:11], 0x3ff00000, v[2:3]\n");
   assert_int_equal(box.vgpr[10][0], 0);
   assert_int_equal(box.vgpr[11][0], 0x3ff00000);
}

/* The result is gone, SCC is not. */
static void
test_write_to_null(void **state)
{
   box_reset(&box, true);
   run("s_add_u32 null, -1, 1\ns_mov_b32 s10, null\n");
   assert_true(box.wave.scc);
   assert_int_equal(box.wave.sreg[10], 0);
}

static void
test_code_end_is_illegal(void **state)
{
   box_reset(&box, true);
   assert_int_equal(box_run_text(&box, "s_code_end\n"), ISA_TRAP);
   assert_int_equal(box.wave.trapsts, TRAPSTS_ILLEGAL_INST);
}

static void
test_hwreg_numbers(void **state)
{
   box_reset(&box, true);
   box.wave.hw_id1 = 0x1234;
   box.wave.hw_id2 = 0x5678;
   box.wave.sh_mem_bases = 0x00010002;
   run("s_getreg_b32 s10, hwreg(23, 0, 32)\ns_getreg_b32 s11, hwreg(24, 0, 32)\ns_getreg_b32 s12, hwreg(1, 0, 32)\n"
       "s_getreg_b32 s13, hwreg(15, 16, 16)\ns_getreg_b32 s14, hwreg(13, 0, 32)\ns_getreg_b32 s15, hwreg(1, 8, 1)\n"
       "s_getreg_b32 s16, hwreg(28, 11, 1)\n");
   assert_int_equal(box.wave.sreg[10], 0x1234);
   assert_int_equal(box.wave.sreg[11], 0x5678);
   assert_int_equal(box.wave.sreg[12], BOX_MODE);
   assert_int_equal(box.wave.sreg[13], 1);
   assert_int_equal(box.wave.sreg[14], 0); /* there is none of that number */
   assert_int_equal(box.wave.sreg[15], 1);
   assert_int_equal(box.wave.sreg[16], 1); /* a wave of 64 */
}

/* EXECZ and VCCZ follow their registers; in waves of 32 the upper halves are registers like others. */
static void
test_live_zero_bits(void **state)
{
   box_reset(&box, false);
   box.wave.sreg[SREG_VCC_HI] = 1;
   run("s_mov_b32 vcc_lo, 0\ns_mov_b32 exec_lo, 0\ns_cbranch_vccnz 1\ns_mov_b32 s10, 1\ns_cbranch_execnz 1\n"
       "s_mov_b32 s11, 1\ns_getreg_b32 s12, hwreg(HW_REG_STATUS, 9, 2)\n");
   assert_int_equal(box.wave.sreg[10], 1);
   assert_int_equal(box.wave.sreg[11], 1);
   assert_int_equal(box.wave.sreg[12], 3);
}

/* Only time passes. */
static void
test_hints(void **state)
{
   box_reset(&box, true);
   struct wave before = box.wave;
   run("s_clause 0x3\ns_delay_alu instid0(VALU_DEP_1)\ns_waitcnt_depctr 0xfffe\ns_set_inst_prefetch_distance 0x3\n"
       "s_wakeup\ns_setprio 2\ns_wait_event 0\n");
   assert_memory_equal(box.wave.sreg, before.sreg, sizeof before.sreg);
   assert_int_equal(box.wave.mode, before.mode);
   assert_int_equal(box.wave.status, before.status);
}

static void
test_smem_addresses(void **state)
{
   box_reset(&box, true);
   for (unsigned i = 0; i < 64; i++)
      box.data[i] = 100 + i;
   box.wave.sreg[0] = DATA_LO + 8 + 3; /* the lowest bits do not count */
   box.wave.sreg[1] = DATA_HI;
   box.wave.sreg[4] = 10;
   box.wave.sreg[SREG_M0] = 4;
   run("s_load_b32 s10, s[0:1], -0x8\ns_load_b64 s[12:13], s[0:1], s4 offset:0x4\ns_load_b32 s14, s[0:1], m0\n");
   assert_int_equal(box.wave.sreg[10], 100);
   assert_int_equal(box.wave.sreg[12], 105);
   assert_int_equal(box.wave.sreg[13], 106);
   assert_int_equal(box.wave.sreg[14], 103);
}

/* Dwords beyond the buffer read 0, those within do not. */
static void
test_smem_buffer_bounds(void **state)
{
   box_reset(&box, true);
   for (unsigned i = 0; i < 64; i++)
      box.data[i] = 100 + i;
   uint32_t *v = &box.wave.sreg[0];
   v[0] = DATA_LO;
   v[1] = DATA_HI & 0xffff;
   v[2] = 12;
   v[3] = 0;
   run("s_buffer_load_b128 s[12:15], s[0:3], 0x4\ns_buffer_load_b32 s16, s[0:3], 0xc\n");
   assert_int_equal(box.wave.sreg[12], 101);
   assert_int_equal(box.wave.sreg[13], 102);
   assert_int_equal(box.wave.sreg[14], 0);
   assert_int_equal(box.wave.sreg[15], 0);
   assert_int_equal(box.wave.sreg[16], 0);

   v[2] = 10; /* a dword counts by its beginning */
   run("s_buffer_load_b64 s[12:13], s[0:3], 0x8\n");
   assert_int_equal(box.wave.sreg[12], 102);
   assert_int_equal(box.wave.sreg[13], 0);

   v[1] |= 8 << 16; /* records of 8 bytes */
   v[2] = 2;
   run("s_buffer_load_b64 s[12:13], s[0:3], 0xc\n");
   assert_int_equal(box.wave.sreg[12], 103);
   assert_int_equal(box.wave.sreg[13], 0);
}

static void
test_smem_null(void **state)
{
   box_reset(&box, true);
   box.data[1] = 77;
   box.wave.sreg[0] = DATA_LO;
   box.wave.sreg[1] = DATA_HI;
   run("s_load_b64 null, s[0:1], null\ns_load_b32 s10, s[0:1], 0x4\n");
   assert_int_equal(box.wave.sreg[SREG_NULL], 0);
   assert_int_equal(box.wave.sreg[10], 77);
}

/* A load of several dwords counts twice in LGKMcnt, one of a dword once. */
static void
test_smem_counts(void **state)
{
   box.gpu->options.flags |= VGPU_LATE_LOADS;
   box_reset(&box, true);
   box.wave.sreg[0] = DATA_LO;
   box.wave.sreg[1] = DATA_HI;
   run("s_load_b32 s10, s[0:1], 0x0\ns_getreg_b32 s20, hwreg(HW_REG_IB_STS, 4, 6)\n"
       "s_load_b64 s[12:13], s[0:1], 0x0\ns_getreg_b32 s21, hwreg(HW_REG_IB_STS, 4, 6)\n"
       "s_waitcnt lgkmcnt(0)\ns_getreg_b32 s22, hwreg(HW_REG_IB_STS, 4, 6)\n");
   assert_int_equal(box.wave.sreg[20], 1);
   assert_int_equal(box.wave.sreg[21], 3);
   assert_int_equal(box.wave.sreg[22], 0);
   box.gpu->options.flags = 0;
}

static void
test_realtime(void **state)
{
   box_reset(&box, true);
   run("s_sendmsg_rtn_b64 s[10:11], sendmsg(MSG_RTN_GET_REALTIME)\ns_waitcnt lgkmcnt(0)\n"
       "s_sendmsg_rtn_b64 s[12:13], sendmsg(MSG_RTN_GET_REALTIME)\ns_waitcnt lgkmcnt(0)\n");
   uint64_t first = box.wave.sreg[10] | (uint64_t)box.wave.sreg[11] << 32;
   uint64_t second = box.wave.sreg[12] | (uint64_t)box.wave.sreg[13] << 32;
   assert_true(first && second >= first);
}

/* The lower half of a wave, then the upper; a half that is off is left out. */
static void
test_subvector_loop(void **state)
{
   static const char *const text = "s_mov_b32 s11, 0\ns_subvector_loop_begin s10, 3\nv_add_nc_u32 v10, 1, v10\n"
                                   "s_add_u32 s11, s11, 1\ns_subvector_loop_end s10, 0xfffd\n";
   const struct {
      uint32_t low, high, passes;
   } cases[] = {{~0u, ~0u, 2}, {0xf, 0, 1}, {0, 0xf0, 1}, {0, 0, 0}};
   for (unsigned i = 0; i < 4; i++) {
      box_reset(&box, true);
      box.wave.sreg[SREG_EXEC_LO] = cases[i].low;
      box.wave.sreg[SREG_EXEC_HI] = cases[i].high;
      run(text);
      assert_int_equal(box.wave.sreg[11], cases[i].passes);
      assert_int_equal(box.wave.sreg[SREG_EXEC_LO], cases[i].low);
      assert_int_equal(box.wave.sreg[SREG_EXEC_HI], cases[i].high);
      for (unsigned l = 0; l < 64; l++) {
         bool on = (l < 32 ? cases[i].low : cases[i].high) >> (l & 31) & 1;
         assert_int_equal(box.vgpr[10][l], 0xdbdbdbdb + on);
      }
   }
}

BOX_TESTS(cmocka_unit_test(test_pc_alignment), cmocka_unit_test(test_getpc_is_next),
          cmocka_unit_test(test_sgpr_out_of_range), cmocka_unit_test(test_pair_alignment),
          cmocka_unit_test(test_ttmp_in_user_mode), cmocka_unit_test(test_s102_is_an_sgpr),
          cmocka_unit_test(test_reserved_selectors), cmocka_unit_test(test_literal_of_64_bits),
          cmocka_unit_test(test_write_to_null), cmocka_unit_test(test_code_end_is_illegal),
          cmocka_unit_test(test_hwreg_numbers), cmocka_unit_test(test_live_zero_bits), cmocka_unit_test(test_hints),
          cmocka_unit_test(test_smem_addresses), cmocka_unit_test(test_smem_buffer_bounds),
          cmocka_unit_test(test_smem_null), cmocka_unit_test(test_smem_counts), cmocka_unit_test(test_realtime),
          cmocka_unit_test(test_subvector_loop))
