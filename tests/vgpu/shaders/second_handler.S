// SPDX-License-Identifier: MIT
// A second-level trap handler for tests: the kernel's has put TMA into ttmp[14:15] and STATUS into ttmp12. Counts in word
// 0; TTMP0, TTMP1, TTMP12 and TTMP11 of the last trap follow. It clobbers v20 to v22. An s_trap is skipped.
   s_mov_b64 ttmp[4:5], exec
   s_mov_b64 exec, 1
   v_mov_b32 v20, 0
   v_mov_b32 v21, 1
   global_atomic_add_u32 v20, v21, ttmp[14:15]
   v_mov_b32 v21, ttmp0
   global_store_b32 v20, v21, ttmp[14:15] offset:4
   v_mov_b32 v21, ttmp1
   global_store_b32 v20, v21, ttmp[14:15] offset:8
   v_mov_b32 v21, ttmp12
   global_store_b32 v20, v21, ttmp[14:15] offset:12
   v_mov_b32 v21, ttmp11
   global_store_b32 v20, v21, ttmp[14:15] offset:16
   s_waitcnt_vscnt null, 0
   s_bfe_u32 ttmp2, ttmp1, 0x80010
   s_cbranch_scc0 return
   s_add_u32 ttmp0, ttmp0, 4
   s_addc_u32 ttmp1, ttmp1, 0
return:
   s_and_b32 ttmp1, ttmp1, 0xffff
   s_mov_b64 exec, ttmp[4:5]
   s_setreg_b32 hwreg(HW_REG_STATUS, 0, 1), ttmp12
   s_rfe_b64 ttmp[0:1]
