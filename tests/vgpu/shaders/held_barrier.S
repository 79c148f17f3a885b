// SPDX-License-Identifier: MIT
// s[0:1] buffer, s3 group size word. Wave 1 waits for word 0 before it comes to the barrier; wave 0 waits there.
   v_mov_b32 v1, 0
   v_mov_b32 v2, 1
   s_bfe_u32 s4, s3, 0x50014
   s_cmp_eq_u32 s4, 0
   s_cbranch_scc1 meet
poll:
   s_sleep 1
   s_load_b32 s5, s[0:1], 0 glc
   s_waitcnt lgkmcnt(0)
   s_cmp_eq_u32 s5, 0
   s_cbranch_scc1 poll
meet:
   s_barrier
   s_lshl_b32 s4, s4, 2
   v_mov_b32 v1, s4
   global_store_b32 v1, v2, s[0:1] offset:4
   s_endpgm
