/* SPDX-License-Identifier: MIT */
/*
 * Every way to go somewhere else, and every length of instruction: for traps planted anywhere.
 *
 *   s[0:1]: {uint64_t in, out;}   s2: workgroup id X   v0: thread id (workgroups of 64)
 *   out[i] = in[i] * 3 + 3080 + 5 * (i & 1 ? 7 : 11) + 100
 */
#include "program.inc"

   s_load_b128 s[4:7], s[0:1], 0x0
   v_and_b32 v0, 0x3ff, v0
   s_lshl_b32 s2, s2, 6
   v_or_b32 v1, s2, v0
   v_lshlrev_b32 v2, 2, v1
   s_waitcnt lgkmcnt(0)
   s_clause 1
   global_load_b32 v3, v2, s[4:5]
   global_load_b32 v4, v2, s[4:5]

   /* s_getpc and s_setpc */
   s_getpc_b64 s[8:9]
here:
   s_add_u32 s8, s8, there - here
   s_addc_u32 s9, s9, 0
   s_setpc_b64 s[8:9]
   s_endpgm
double:                                                 /* s20 = 2 * s20 */
   s_add_u32 s20, s20, s20
   s_setpc_b64 s[10:11]
there:
   /* s_call and s_swappc: 3080 = 385 * 2^3 */
   s_movk_i32 s20, 385
   s_call_b64 s[10:11], double
   s_getpc_b64 s[12:13]
base:
   s_sub_u32 s12, s12, base - double
   s_subb_u32 s13, s13, 0
   s_swappc_b64 s[10:11], s[12:13]
   s_call_b64 s[10:11], double

   /* branches taken and not */
   s_mov_b32 s14, 5
   v_mov_b32 v5, 0
again:
   v_add_nc_u32 v5, 1, v5
   s_sub_u32 s14, s14, 1
   s_cmp_eq_u32 s14, 0
   s_cbranch_scc0 again
   s_cbranch_scc1 out
   v_mov_b32 v5, 0x12345678
out:
   s_branch further
   s_endpgm
further:
   /* a literal behind a VOP3, VCC branches, one-sided if */
   v_and_b32 v6, 1, v1
   v_mov_b32 v7, 11
   v_cmp_eq_u32 VCC, 1, v6
   s_cbranch_vccz none
   s_mov_mask MASK(16), EXEC
   s_and_mask EXEC, EXEC, VCC
   v_mov_b32 v7, 7
   s_mov_mask EXEC, MASK(16)
none:
   v_mul_lo_u32 v7, v7, v5
   s_waitcnt vmcnt(0)
   v_add_nc_u32 v3, v3, v4
   v_sub_nc_u32 v8, v3, v4
   v_add3_u32 v3, v3, v8, 0x64                          /* VOP3 and a literal: 12 bytes */
   v_add3_u32 v3, v3, s20, v7
   global_store_b32 v2, v3, s[6:7]
   END
