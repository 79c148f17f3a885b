/* SPDX-License-Identifier: MIT */
/*
 * Reads in[i], and writes a value made of it with everything that a careless trap handler loses: SCC from one scalar
 * instruction to the next, VCC, M0, partial and zero EXEC, loads that are under way while other work is done.
 *
 *   s[0:1]: {uint64_t in, out; uint32_t n;}   s2: workgroup id X   v0: thread id (workgroups of 100)
 */
#include "program.inc"

   s_load_b128 s[4:7], s[0:1], 0x0
   s_load_b32 s3, s[0:1], 0x10
   v_and_b32 v0, 0x3ff, v0
   s_mul_i32 s2, s2, 100
   v_add_nc_u32 v1, s2, v0
   s_waitcnt lgkmcnt(0)
   v_cmpx_gt_u32 s3, v1
   s_cbranch_execz done

   v_lshlrev_b32 v2, 2, v1
   global_load_b32 v3, v2, s[4:5]
   global_load_b32 v9, v2, s[4:5]

   /* 64-bit sum with carries, counted by SCC: nine times 0xffffffff */
   s_mov_b32 s8, 9
   s_mov_b32 s10, 0
   s_mov_b32 s11, 0
sum:
   s_add_u32 s10, s10, -1
   s_addc_u32 s11, s11, 0
   s_sub_u32 s8, s8, 1
   s_cmp_lg_u32 s8, 0
   s_cbranch_scc1 sum                                  /* s11:s10 = 8:fffffff7 */

   /* a different number of rounds in each lane: ends with EXEC=0 */
   s_mov_mask MASK(12), EXEC
   v_and_b32 v4, 3, v1
   v_mov_b32 v5, 0
rounds:
   v_add_nc_u32 v5, v5, v1
   v_subrev_nc_u32 v4, 1, v4
   v_cmp_le_i32 VCC, 0, v4
   s_and_mask EXEC, EXEC, VCC
   s_cbranch_execnz rounds
   s_nop 0
   s_mov_mask EXEC, MASK(12)                           /* v5 = ((i & 3) + 1) * i */

   /* one-sided if; no lane enters in waves whose ids are below 64 */
   v_cmp_le_u32 VCC, 64, v1
   s_and_saveexec_mask MASK(14), VCC
   v_add_nc_u32 v5, 1000, v5
   v_xor_b32 v5, 0x55, v5
   s_mov_mask EXEC, MASK(14)

   /* VCC and M0 over some distance */
   v_cmp_gt_u32 VCC, 50, v0
   s_mov_b32 m0, 3
   s_nop 0
   s_mov_b32 s16, 0
   s_mov_b32 s17, 11
   s_mov_b32 s18, 22
   s_mov_b32 s19, 33
   s_movrels_b32 s20, s16                              /* s19 = 33 */
   v_cndmask_b32 v6, 7, v5, VCC

   s_waitcnt vmcnt(0)
   v_add_nc_u32 v6, v6, v3
   v_add_nc_u32 v6, v6, v9
   v_add_nc_u32 v6, s10, v6
   v_add_nc_u32 v6, s11, v6
   v_add_nc_u32 v6, s20, v6
   global_store_b32 v2, v6, s[6:7]
done:
   END
