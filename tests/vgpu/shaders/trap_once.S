// SPDX-License-Identifier: MIT
// s[0:1] buffer. A trap, and whether SCC and EXEC outlive it: word 0 becomes 7.
   s_mov_b64 exec, 6
   s_cmp_eq_u32 s0, s0
   s_trap 5
   s_cselect_b32 s4, 1, 0
   s_add_u32 s4, s4, exec_lo
   v_mov_b32 v1, 0
   v_mov_b32 v2, s4
   global_store_b32 v1, v2, s[0:1]
   s_endpgm
