// SPDX-License-Identifier: MIT
   v_mov_b32 v1, 0
   v_rcp_f32 v2, v1
   s_nop 0
   s_getreg_b32 s20, hwreg(HW_REG_TRAPSTS, 0, 7)
   s_endpgm
