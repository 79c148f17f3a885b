// SPDX-License-Identifier: MIT
// Counts down from word 0, then sets word 1.
   s_load_b32 s4, s[0:1], 0
   s_waitcnt lgkmcnt(0)
again:
   s_sub_u32 s4, s4, 1
   s_cmp_lg_u32 s4, 0
   s_cbranch_scc1 again
   v_mov_b32 v1, 0
   v_mov_b32 v2, 1
   global_store_b32 v1, v2, s[0:1] offset:4
   s_endpgm
