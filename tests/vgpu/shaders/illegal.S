// SPDX-License-Identifier: MIT
   s_nop 0
   s_code_end
   s_mov_b32 s20, 7
   s_endpgm
