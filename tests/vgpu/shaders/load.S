// SPDX-License-Identifier: MIT
// s[0:1] address to read; s4 tells that the wave went on.
   v_mov_b32 v1, 0
   s_nop 0
   global_load_b32 v2, v1, s[0:1]
   s_waitcnt vmcnt(0)
   s_mov_b32 s20, 7
   s_endpgm
