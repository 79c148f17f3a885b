// SPDX-License-Identifier: MIT
// s[0:1] buffer, s2 workgroup, s3 group size word. Each wave sets its flag, after more work the higher its number;
// behind the barrier it adds up the flags of all four. The wave that word 32 names ends before the barrier.
   s_bfe_u32 s4, s3, 0x50014
   s_load_b32 s7, s[0:1], 128
   s_lshl_b32 s5, s4, 2
   s_lshl_b32 s6, s4, 12
   s_add_u32 s6, s6, 1
work:
   s_sub_u32 s6, s6, 1
   s_cmp_lg_u32 s6, 0
   s_cbranch_scc1 work
   v_mov_b32 v1, s5
   v_mov_b32 v2, 1
   global_store_b32 v1, v2, s[0:1]
   s_waitcnt_vscnt null, 0
   s_waitcnt lgkmcnt(0)
   s_cmp_eq_u32 s4, s7
   s_cbranch_scc1 leave
   s_barrier
   s_load_b128 s[8:11], s[0:1], 0 glc
   s_waitcnt lgkmcnt(0)
   s_add_u32 s8, s8, s9
   s_add_u32 s8, s8, s10
   s_add_u32 s8, s8, s11
   v_mov_b32 v2, s8
   global_store_b32 v1, v2, s[0:1] offset:64
leave:
   s_endpgm
