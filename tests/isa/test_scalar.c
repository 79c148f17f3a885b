/* SPDX-License-Identifier: MIT */
/* Scalar instructions with values computed by hand, control flow, hardware registers and traps. */
#include <stdio.h>
#include <string.h>

#include "isa/hwreg.h"
#include "wave_box.h"

struct line {
   const char *text; /* writes s10 (and s11) from s0..s5 */
   uint32_t s[6];
   bool scc;
   uint32_t low, high;
   bool scc_after;
};

#define OLD 0xdbdbdbdb

static const struct line lines[] = {
   {"s_mov_b32 s10, s0", {7}, true, 7, OLD, true},
   {"s_mov_b64 s[10:11], s[0:1]", {7, 8}, false, 7, 8, false},
   {"s_mov_b64 s[10:11], -2", {0}, false, 0xfffffffe, 0xffffffff, false},
   {"s_mov_b64 s[10:11], 0x80000000", {0}, false, 0x80000000, 0, false},
   {"s_cmov_b32 s10, s0", {7}, false, OLD, OLD, false},
   {"s_cmov_b32 s10, s0", {7}, true, 7, OLD, true},
   {"s_add_u32 s10, s0, s1", {0xffffffff, 1}, false, 0, OLD, true},
   {"s_sub_u32 s10, s0, s1", {1, 2}, false, 0xffffffff, OLD, true},
   {"s_add_i32 s10, s0, s1", {0x7fffffff, 1}, false, 0x80000000, OLD, true},
   {"s_add_i32 s10, s0, s1", {0xffffffff, 1}, false, 0, OLD, false},
   {"s_sub_i32 s10, s0, s1", {0x80000000, 1}, false, 0x7fffffff, OLD, true},
   {"s_addc_u32 s10, s0, s1", {0xffffffff, 0}, true, 0, OLD, true},
   {"s_subb_u32 s10, s0, s1", {5, 5}, true, 0xffffffff, OLD, true},
   {"s_absdiff_i32 s10, s0, s1", {3, 10}, false, 7, OLD, true},
   {"s_lshl_b32 s10, s0, s1", {1, 33}, false, 2, OLD, true},
   {"s_lshl_b64 s[10:11], s[0:1], 36", {0x12345678, 0}, false, 0, 0x23456780, true},
   {"s_lshr_b32 s10, s0, 31", {0x80000000}, false, 1, OLD, true},
   {"s_lshr_b64 s[10:11], s[0:1], 4", {0, 1}, false, 0x10000000, 0, true},
   {"s_ashr_i32 s10, s0, 31", {0x80000000}, false, 0xffffffff, OLD, true},
   {"s_ashr_i64 s[10:11], s[0:1], 32", {0, 0x80000000}, false, 0x80000000, 0xffffffff, true},
   {"s_lshl2_add_u32 s10, s0, s1", {0x40000001, 3}, false, 7, OLD, true},
   {"s_min_i32 s10, s0, s1", {0xffffffff, 1}, false, 0xffffffff, OLD, true},
   {"s_min_u32 s10, s0, s1", {0xffffffff, 1}, true, 1, OLD, false},
   {"s_max_i32 s10, s0, s1", {0xffffffff, 1}, true, 1, OLD, false},
   {"s_max_u32 s10, s0, s1", {5, 5}, false, 5, OLD, true},
   {"s_and_b32 s10, s0, s1", {0xf0, 0x0f}, true, 0, OLD, false},
   {"s_and_not1_b64 s[10:11], s[0:1], s[2:3]", {0xff, 0xff, 0x0f, 0xff}, false, 0xf0, 0, true},
   {"s_nand_b32 s10, s0, s1", {0xffffffff, 0xffffffff}, true, 0, OLD, false},
   {"s_xnor_b32 s10, s0, s1", {0xff, 0xf0}, false, 0xfffffff0, OLD, true},
   {"s_or_not1_b32 s10, s0, s1", {1, 0xfffffff0}, false, 0xf, OLD, true},
   {"s_bfe_u32 s10, s0, 0x80004", {0xabcdef12}, false, 0xf1, OLD, true},
   {"s_bfe_i32 s10, s0, 0x80004", {0xabcdef12}, false, 0xfffffff1, OLD, true},
   {"s_bfe_u64 s[10:11], s[0:1], 0x240004", {0xabcdef12, 0x1234567f}, false, 0xfabcdef1, 7, true},
   {"s_bfe_i64 s[10:11], s[0:1], 0x80000", {0x80, 0}, false, 0xffffff80, 0xffffffff, true},
   {"s_bfm_b32 s10, 4, 8", {0}, true, 0xf00, OLD, true},
   {"s_bfm_b64 s[10:11], 8, 28", {0}, false, 0xf0000000, 0xf, false},
   {"s_mul_i32 s10, s0, s1", {0xffffffff, 3}, false, 0xfffffffd, OLD, false},
   {"s_mul_hi_u32 s10, s0, s1", {0xffffffff, 3}, false, 2, OLD, false},
   {"s_mul_hi_i32 s10, s0, s1", {0xffffffff, 3}, false, 0xffffffff, OLD, false},
   {"s_cselect_b32 s10, s0, s1", {1, 2}, true, 1, OLD, true},
   {"s_cselect_b64 s[10:11], s[0:1], s[2:3]", {1, 2, 3, 4}, false, 3, 4, false},
   {"s_pack_lh_b32_b16 s10, s0, s1", {0x11112222, 0x33334444}, false, 0x33332222, OLD, false},
   {"s_pack_hl_b32_b16 s10, s0, s1", {0x11112222, 0x33334444}, false, 0x44441111, OLD, false},
   {"s_brev_b32 s10, s0", {1}, false, 0x80000000, OLD, false},
   {"s_brev_b64 s[10:11], s[0:1]", {1, 0}, false, 0, 0x80000000, false},
   {"s_ctz_i32_b64 s10, s[0:1]", {0, 4}, false, 34, OLD, false},
   {"s_clz_i32_u32 s10, s0", {0}, false, 0xffffffff, OLD, false},
   {"s_cls_i32 s10, s0", {0xff000000}, false, 8, OLD, false},
   {"s_sext_i32_i8 s10, s0", {0x1280}, false, 0xffffff80, OLD, false},
   {"s_bitset1_b32 s10, s0", {2}, false, OLD | 4, OLD, false},
   {"s_bitreplicate_b64_b32 s[10:11], s0", {0x80000001}, false, 3, 0xc0000000, false},
   {"s_abs_i32 s10, s0", {0xfffffffe}, false, 2, OLD, true},
   {"s_bcnt1_i32_b64 s10, s[0:1]", {0xff, 0xf}, false, 12, OLD, true},
   {"s_quadmask_b32 s10, s0", {0x0010f001}, false, 0x29, OLD, true},
   {"s_wqm_b32 s10, s0", {0x00100008}, false, 0x00f0000f, OLD, true},
   {"s_not_b32 s10, s0", {0xffffffff}, true, 0, OLD, false},
   {"s_movk_i32 s10, 0x8000", {0}, false, 0xffff8000, OLD, false},
   {"s_mulk_i32 s10, 2", {0}, false, 0xb7b7b7b6, OLD, false},
   {"s_addk_i32 s10, -1", {0}, true, OLD - 1, OLD, false},
   {"s_cmp_lt_i32 s0, s1", {0xffffffff, 1}, false, OLD, OLD, true},
   {"s_cmp_lt_u32 s0, s1", {0xffffffff, 1}, true, OLD, OLD, false},
   {"s_cmp_lg_u64 s[0:1], s[2:3]", {1, 2, 1, 3}, false, OLD, OLD, true},
   {"s_bitcmp1_b32 s0, 4", {0x10}, false, OLD, OLD, true},
   {"s_bitcmp0_b64 s[0:1], 36", {0, 0x10}, true, OLD, OLD, false},
   {"s_cmpk_ge_u32 s0, 0xffff", {0xffff}, false, OLD, OLD, true},
   {"s_cmpk_lt_i32 s0, -1", {0xfffffffe}, false, OLD, OLD, true},
   {"s_mov_b32 s10, src_scc", {0}, true, 1, OLD, true},
   {"s_mov_b32 s10, null", {0}, true, 0, OLD, true},
   {"s_add_u32 null, s0, 1", {0xffffffff}, false, OLD, OLD, true},
};

static void
test_lines(void **state)
{
   static uint32_t words[1024];
   static char text[8192];
   size_t used = 0, count_of_lines = sizeof lines / sizeof lines[0];
   for (size_t i = 0; i < count_of_lines; i++)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s\ns_endpgm\n", lines[i].text);
   unsigned count = box_assemble(text, true, words, 1024), at = 0;
   for (size_t i = 0; i < count_of_lines; i++) {
      unsigned begin = at;
      while (words[at] != 0xbfb00000)
         at++;
      box_reset(&box, true);
      memcpy(box.wave.sreg, lines[i].s, sizeof lines[i].s);
      box.wave.scc = lines[i].scc;
      if (box_run(&box, words + begin, at - begin) != ISA_END)
         fail_msg("\"%s\" did not run to the end", lines[i].text);
      if (box.wave.sreg[10] != lines[i].low || box.wave.sreg[11] != lines[i].high || box.wave.scc != lines[i].scc_after)
         fail_msg("\"%s\": %08x %08x scc %d instead of %08x %08x scc %d", lines[i].text, box.wave.sreg[11],
                  box.wave.sreg[10], box.wave.scc, lines[i].high, lines[i].low, lines[i].scc_after);
      assert_int_equal(box.wave.sreg[SREG_NULL], 0);
      at++;
   }
   assert_int_equal(at, count);
}

static void
test_saveexec(void **state)
{
   box_reset(&box, true);
   box.wave.sreg[0] = 0x0000ffff;
   box.wave.sreg[1] = 0;
   box.wave.sreg[SREG_EXEC_LO] = 0xff00ff00;
   box_run_text(&box, "s_and_saveexec_b64 s[10:11], s[0:1]\n");
   assert_int_equal(box.wave.sreg[10], 0xff00ff00);
   assert_int_equal(box.wave.sreg[11], 0xffffffff);
   assert_int_equal(box.wave.sreg[SREG_EXEC_LO], 0x0000ff00);
   assert_int_equal(box.wave.sreg[SREG_EXEC_HI], 0);
   assert_true(box.wave.scc);
   box_run_text(&box, "s_and_not1_wrexec_b64 s[10:11], s[0:1]\n");
   assert_int_equal(box.wave.sreg[10], 0x00ff);
   assert_int_equal(box.wave.sreg[SREG_EXEC_LO], 0x00ff);

   /* Half a mask: the other half is another register in waves of 32. */
   box_reset(&box, false);
   box.wave.sreg[SREG_EXEC_HI] = 0x12345678;
   box.wave.sreg[0] = 0;
   box_run_text(&box, "s_and_saveexec_b32 s10, s0\ns_getreg_b32 s12, hwreg(HW_REG_STATUS, 9, 1)\n");
   assert_int_equal(box.wave.sreg[SREG_EXEC_HI], 0x12345678);
   assert_int_equal(box.wave.sreg[12], 1);
}

static void
test_branches(void **state)
{
   /* s_cbranch_scc1 +1 over an s_movk; a loop; a call and its return. */
   const uint32_t words[] = {
      0xbf068080, /* s_cmp_eq_u32 0, 0 */
      0xbfa20001, /* s_cbranch_scc1 1 */
      0xb00a0001, /* s_movk_i32 s10, 1 */
      0xb00b0003, /* s_movk_i32 s11, 3 */
      0x808b810b, /* s_sub_u32 s11, s11, 1 */
      0xbf070b80, /* s_cmp_lg_u32 0, s11 */
      0xbfa2fffd, /* s_cbranch_scc1 -3 */
      0xba0c0001, /* s_call_b64 s[12:13], 1 */
      0xbfb00000, /* s_endpgm */
      0xb00e0007, /* s_movk_i32 s14, 7 */
      0xbe80480c, /* s_setpc_b64 s[12:13] */
   };
   box_reset(&box, true);
   assert_int_equal(box_run(&box, words, sizeof words / 4), ISA_END);
   assert_int_equal(box.wave.sreg[10], OLD);
   assert_int_equal(box.wave.sreg[11], 0);
   assert_int_equal(box.wave.sreg[12], BOX_CODE_VA + 32);
   assert_int_equal(box.wave.sreg[14], 7);
   assert_int_equal(box.wave.pc, BOX_CODE_VA + 36);

   box_reset(&box, true);
   box_run_text(&box, "s_getpc_b64 s[10:11]\n");
   assert_int_equal(box.wave.sreg[10], BOX_CODE_VA + 4);
}

static void
test_hwregs(void **state)
{
   box_reset(&box, true);
   box.wave.status = STATUS_TRAP_EN | STATUS_VALID;
   box.wave.scc = true;
   box.wave.sreg[SREG_VCC_LO] = box.wave.sreg[SREG_VCC_HI] = 0;
   box.wave.hw_id1 = 0x12345;
   box_run_text(&box, "s_getreg_b32 s10, hwreg(HW_REG_STATUS)\ns_getreg_b32 s11, hwreg(HW_REG_GPR_ALLOC)\n"
                      "s_getreg_b32 s12, hwreg(28, 11, 1)\ns_getreg_b32 s13, hwreg(HW_REG_HW_ID1, 4, 8)\n"
                      "s_getreg_b32 s14, hwreg(HW_REG_LDS_ALLOC, 12, 9)\n"
                      "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0xf\ns_getreg_b32 s15, hwreg(HW_REG_MODE)\n"
                      "s_setreg_imm32_b32 hwreg(HW_REG_STATUS, 13, 1), 1\n");
   assert_int_equal(box.wave.sreg[10], STATUS_TRAP_EN | STATUS_VALID | STATUS_SCC | STATUS_VCCZ);
   assert_int_equal(box.wave.sreg[11], (BOX_VGPRS / 4 - 1) << 12);
   assert_int_equal(box.wave.sreg[12], 1);
   assert_int_equal(box.wave.sreg[13], 0x34);
   assert_int_equal(box.wave.sreg[14], BOX_LDS_SIZE / 512);
   assert_int_equal(box.wave.sreg[15], 0x1f0);
   assert_int_equal(box.wave.status & STATUS_HALT, 0); /* not without PRIV */

   box_reset(&box, false);
   box_run_text(&box, "s_getreg_b32 s10, hwreg(28)\ns_getreg_b32 s11, hwreg(HW_REG_GPR_ALLOC)\n"
                      "s_round_mode 0x5\ns_denorm_mode 0x3\n");
   assert_int_equal(box.wave.sreg[10], 0);
   assert_int_equal(box.wave.sreg[11], (BOX_VGPRS / 8 - 1) << 12);
   assert_int_equal(box.wave.mode, 0x135);
}

/* TTMPs exist in the trap handler only; a dropped write leaves SCC alone, too. */
static void
test_ttmps(void **state)
{
   box_reset(&box, true);
   box.wave.scc = false;
   box_run_text(&box, "s_mov_b32 s10, ttmp3\ns_add_u32 ttmp3, -1, 1\n");
   assert_int_equal(box.wave.sreg[10], 0);
   assert_int_equal(box.wave.sreg[SREG_TTMP0 + 3], OLD);
   assert_false(box.wave.scc);
   box.wave.priv = true;
   box_run_text(&box, "s_mov_b32 s10, ttmp3\ns_add_u32 ttmp3, -1, 1\n");
   assert_int_equal(box.wave.sreg[10], OLD);
   assert_int_equal(box.wave.sreg[SREG_TTMP0 + 3], 0);
   assert_true(box.wave.scc);
}

static void
test_trap(void **state)
{
   const char *text = "s_nop 0\ns_trap 3\ns_movk_i32 s10, 1\n";
   /* No handler, or in it: a no-op. */
   box_reset(&box, true);
   assert_int_equal(box_run_text(&box, text), ISA_END);
   assert_int_equal(box.wave.sreg[10], 1);
   box_reset(&box, true);
   box.wave.status = STATUS_TRAP_EN;
   box.wave.priv = true;
   assert_int_equal(box_run_text(&box, text), ISA_END);
   /* Otherwise the saved pc is the s_trap's own. */
   box_reset(&box, true);
   box.wave.status = STATUS_TRAP_EN;
   assert_int_equal(box_run_text(&box, text), ISA_TRAP);
   assert_int_equal(box.wave.trap_id, 3);
   assert_int_equal(box.wave.pc, BOX_CODE_VA + 4);
   assert_int_equal(box.wave.trapsts, 0);
}

static void
test_return_from_trap(void **state)
{
   box_reset(&box, true);
   box.wave.priv = true;
   box.wave.sreg[SREG_TTMP0] = (uint32_t)BOX_CODE_VA + 0x100;
   box.wave.sreg[SREG_TTMP0 + 1] = 0;
   assert_int_equal(box_run_text(&box, "s_rfe_b64 ttmp[0:1]\n"), ISA_NEXT);
   assert_false(box.wave.priv);
   assert_int_equal(box.wave.pc, BOX_CODE_VA + 0x100);

   box_reset(&box, true);
   assert_int_equal(box_run_text(&box, "s_rfe_b64 s[0:1]\n"), ISA_TRAP);
   assert_int_equal(box.wave.trapsts, TRAPSTS_ILLEGAL_INST);

   /* 48 bits of pc are sign-extended. */
   box_reset(&box, true);
   box.wave.sreg[0] = 0;
   box.wave.sreg[1] = 0x8000;
   assert_int_equal(box_run_text(&box, "s_setpc_b64 s[0:1]\n"), ISA_TRAP);
   assert_int_equal(box.wave.fault.va, BOX_DATA_VA);
   assert_true(box.wave.fault.execute);
   assert_int_equal(box.wave.trapsts, TRAPSTS_MEM_VIOL);
}

static void
test_illegal(void **state)
{
   const uint32_t words[] = {0xbf800000, 0xffffffff, 0xbf800000};
   box_reset(&box, true);
   assert_int_equal(box_run(&box, words, 3), ISA_TRAP);
   assert_int_equal(box.wave.trapsts, TRAPSTS_ILLEGAL_INST);
   assert_int_equal(box.wave.fault.pc, BOX_CODE_VA + 4);
   assert_int_equal(box.wave.pc, BOX_CODE_VA + 8);
   /* Known by name, without semantics. */
   box_reset(&box, true);
   assert_int_equal(box_run_text(&box, "image_load v[0:3], v[0:1], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D\n"), ISA_TRAP);
   assert_int_equal(box.wave.trapsts, TRAPSTS_ILLEGAL_INST);
   assert_int_equal(box.wave.pc, BOX_CODE_VA + 8);
}

static void
test_leaving(void **state)
{
   box_reset(&box, true);
   assert_int_equal(box_run_text(&box, "s_sleep 3\ns_barrier\ns_sendmsg sendmsg(MSG_INTERRUPT)\ns_sethalt 1\n"
                                       "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 11, 1), 1\n"),
                    ISA_SLEEP);
   assert_int_equal(box.wave.sleep_clocks, 192);
   assert_int_equal(box.wave.pc, BOX_CODE_VA + 4);
   assert_int_equal(box_continue(&box), ISA_BARRIER);
   assert_int_equal(box.wave.pc, BOX_CODE_VA + 8);
   assert_int_equal(box_continue(&box), ISA_MESSAGE);
   assert_int_equal(box.wave.message, 1);
   assert_int_equal(box_continue(&box), ISA_HALT);
   assert_int_equal(box.wave.status, STATUS_HALT);
   assert_int_equal(box_continue(&box), ISA_NEXT); /* the scheduler must see TRAP_AFTER_INST */
   assert_int_equal(box.wave.pc, BOX_CODE_VA + 24);
   assert_int_equal(box_continue(&box), ISA_END);
}

static void
test_budget(void **state)
{
   box_reset(&box, true);
   const uint32_t words[] = {0xbfa0ffff}; /* s_branch to itself */
   memcpy(box.code, words, 4);
   icache_invalidate(box.icache);
   uint32_t budget = 1000;
   assert_int_equal(wave_interpret(&box.wave, box.icache, &budget), ISA_NEXT);
   assert_int_equal(budget, 0);
   assert_int_equal(box.wave.pc, BOX_CODE_VA);
}

/* The instruction cache does not see writes to memory until it is told to. */
static void
test_icache(void **state)
{
   box_reset(&box, true);
   box_run_text(&box, "s_movk_i32 s10, 1\n");
   box.code[0] = 0xb00a0002; /* s_movk_i32 s10, 2 */
   box.wave.pc = BOX_CODE_VA;
   box_continue(&box);
   assert_int_equal(box.wave.sreg[10], 1);
   icache_invalidate(box.icache);
   box.wave.pc = BOX_CODE_VA;
   box_continue(&box);
   assert_int_equal(box.wave.sreg[10], 2);

   /* By the wave itself, into the line it runs from. */
   box_reset(&box, true);
   box_run_text(&box, "s_movk_i32 s10, 1\ns_endpgm\ns_icache_inv\ns_branch 65532\n");
   box.code[0] = 0xb00a0002;
   box.wave.pc = BOX_CODE_VA + 8;
   assert_int_equal(box_continue(&box), ISA_END);
   assert_int_equal(box.wave.sreg[10], 2);

   /* A change of mappings. */
   box.code[0] = 0xb00a0003;
   assert_int_equal(vm_unmap(&box.vm, BOX_CODE_VA + BOX_CODE_SIZE - 4096, 4096), 0);
   box.wave.pc = BOX_CODE_VA;
   box_continue(&box);
   assert_int_equal(box.wave.sreg[10], 3);
   assert_int_equal(vm_map(&box.vm, BOX_CODE_VA + BOX_CODE_SIZE - 4096, 4096,
                           (uintptr_t)box.code + BOX_CODE_SIZE - 4096, true, VM_READ | VM_EXECUTE, 0),
                    0);
}

/* Instructions that begin in one line of the cache and end in the next, or in a page that is not there. */
static void
test_crossing(void **state)
{
   box_reset(&box, true);
   box.code[31] = 0xbe8a00ff; /* s_mov_b32 s10, 0x12345678 */
   box.code[32] = 0x12345678;
   box.code[33] = 0xbfb00000;
   icache_invalidate(box.icache);
   box.wave.pc = BOX_CODE_VA + 31 * 4;
   assert_int_equal(box_continue(&box), ISA_END);
   assert_int_equal(box.wave.sreg[10], 0x12345678);

   box.code[BOX_CODE_SIZE / 4 - 1] = 0xbe8a00ff;
   icache_invalidate(box.icache);
   box.wave.pc = BOX_CODE_VA + BOX_CODE_SIZE - 4;
   assert_int_equal(box_continue(&box), ISA_TRAP);
   assert_int_equal(box.wave.trapsts, TRAPSTS_MEM_VIOL);
   assert_int_equal(box.wave.fault.va, BOX_CODE_VA + BOX_CODE_SIZE);
   assert_true(box.wave.fault.execute);
}

BOX_TESTS(cmocka_unit_test(test_lines), cmocka_unit_test(test_saveexec), cmocka_unit_test(test_branches),
          cmocka_unit_test(test_hwregs), cmocka_unit_test(test_ttmps), cmocka_unit_test(test_trap),
          cmocka_unit_test(test_illegal), cmocka_unit_test(test_return_from_trap), cmocka_unit_test(test_leaving),
          cmocka_unit_test(test_budget), cmocka_unit_test(test_icache), cmocka_unit_test(test_crossing))
