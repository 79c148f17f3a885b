// SPDX-License-Identifier: MIT
// s[0:1] buffer, s2 workgroup. The first workgroup spins until the last of four has set word 0, then sets word 1.
   v_mov_b32 v1, 0
   v_mov_b32 v2, 1
   s_cmp_eq_u32 s2, 0
   s_cbranch_scc1 wait
   s_cmp_lg_u32 s2, 3
   s_cbranch_scc1 wait
   global_store_b32 v1, v2, s[0:1]
   s_endpgm
wait:
   s_load_b32 s4, s[0:1], 0 glc
   s_waitcnt lgkmcnt(0)
   s_cmp_eq_u32 s4, 0
   s_cbranch_scc1 wait
   global_store_b32 v1, v2, s[0:1] offset:4
   s_endpgm
