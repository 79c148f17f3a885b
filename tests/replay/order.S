/* SPDX-License-Identifier: MIT */
/*
 * Each wave works for a while, longer with an odd number, and then takes the next place of a list for its number.
 *
 *   s[0:1]: {uint32_t *count; uint32_t *list;}   s2: workgroup id   workgroups of one wave
 */
   s_load_b128 s[8:11], s[0:1], 0x0
   s_movk_i32 s3, 300
   s_bitcmp1_b32 s2, 0
   s_cbranch_scc0 work
   s_movk_i32 s3, 900
work:
   s_sub_u32 s3, s3, 1
   s_cmp_lg_u32 s3, 0
   s_cbranch_scc1 work
   s_waitcnt lgkmcnt(0)
   v_mov_b32 v1, 0
   v_mov_b32 v2, 1
   s_mov_b32 exec_lo, 1
   s_mov_b32 exec_hi, 0
   global_atomic_add_u32 v3, v1, v2, s[8:9] glc
   v_mov_b32 v4, s2
   s_waitcnt vmcnt(0)
   v_lshlrev_b32 v3, 2, v3
   global_store_b32 v3, v4, s[10:11]
   s_nop 0
   s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
   s_endpgm
