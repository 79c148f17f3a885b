// SPDX-License-Identifier: MIT
// What a wave can read about itself, in s40 and up.
   s_getreg_b32 s40, hwreg(HW_REG_HW_ID1)
   s_getreg_b32 s41, hwreg(HW_REG_HW_ID2)
   s_getreg_b32 s42, hwreg(HW_REG_FLAT_SCR_LO)
   s_getreg_b32 s43, hwreg(HW_REG_FLAT_SCR_HI)
   s_getreg_b32 s44, hwreg(HW_REG_GPR_ALLOC)
   s_getreg_b32 s45, hwreg(HW_REG_LDS_ALLOC)
   s_getreg_b32 s46, hwreg(28)
   s_endpgm
