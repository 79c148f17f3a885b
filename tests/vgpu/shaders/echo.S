// SPDX-License-Identifier: MIT
// s[0:1] buffer. Copies word 0 to word 1 whenever it changes, sleeping in between, until it is ~0.
   s_mov_b32 s5, 0
poll:
   s_sleep 1
   s_load_b32 s4, s[0:1], 0 glc
   s_waitcnt lgkmcnt(0)
   s_cmp_eq_u32 s4, s5
   s_cbranch_scc1 poll
   s_mov_b32 s5, s4
   v_mov_b32 v1, s5
   v_mov_b32 v2, 0
   global_store_b32 v2, v1, s[0:1] offset:4
   s_cmp_lg_u32 s5, -1
   s_cbranch_scc1 poll
   s_endpgm
