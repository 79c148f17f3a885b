// SPDX-License-Identifier: MIT
   s_trap 5
   s_mov_b32 s20, 1
   s_nop 0
   s_sleep 1
   s_add_u32 s20, s20, 1
   s_endpgm
