// SPDX-License-Identifier: MIT
   v_mov_b32 v1, 0
   v_mov_b32 v2, 1
   s_sethalt 1
   global_store_b32 v1, v2, s[0:1]
   s_endpgm
