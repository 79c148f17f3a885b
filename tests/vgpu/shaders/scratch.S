// SPDX-License-Identifier: MIT
// s[0:1] buffer, s2 workgroup. Each wave leaves its workgroup's number in its scratch, lets others do the same, and
// stores what it finds there.
   v_mov_b32 v1, s2
   scratch_store_b32 off, v1, off
   s_waitcnt_vscnt null, 0
   s_movk_i32 s4, 3000
again:
   s_sub_u32 s4, s4, 1
   s_cmp_lg_u32 s4, 0
   s_cbranch_scc1 again
   scratch_load_b32 v2, off, off
   s_waitcnt vmcnt(0)
   v_lshlrev_b32 v3, 2, v0
   s_lshl_b32 s5, s2, 8
   v_add_nc_u32 v3, s5, v3
   global_store_b32 v3, v2, s[0:1]
   s_endpgm
