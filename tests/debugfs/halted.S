// SPDX-License-Identifier: MIT
// s[0:1] buffer. Halts with known registers; goes on to set word 0.
   s_mov_b32 s20, 0x1234
   s_mov_b32 s21, 0xabcd0000
   v_lshlrev_b32 v5, 4, v0
   v_or_b32 v6, 0x8000, v0
   s_mov_b32 m0, 0x77
   s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 7), 0x24
   s_cmp_eq_u32 s20, s20
   s_sethalt 1
   v_mov_b32 v1, 0
   v_mov_b32 v2, 1
   global_store_b32 v1, v2, s[0:1]
   s_endpgm
