// SPDX-License-Identifier: MIT
// A trap handler for tests. TMA: word 0 counts records, word 1 holds waves in the handler while it is 1, bit 0 of
// word 2 becomes MODE.TRAP_AFTER_INST; records of 32 bytes from offset 64: TTMP0, TTMP1, TRAPSTS, STATUS, HW_ID1,
// MODE, EXEC_LO, WAVE64. It clobbers v20 to v23. An s_trap is skipped.
   s_getreg_b32 ttmp12, hwreg(HW_REG_STATUS)
   s_waitcnt vmcnt(0) lgkmcnt(0)
   s_waitcnt_vscnt null, 0
   s_sendmsg_rtn_b64 ttmp[14:15], sendmsg(MSG_RTN_GET_TMA)
   s_waitcnt lgkmcnt(0)
   s_lshl_b64 ttmp[14:15], ttmp[14:15], 8
   s_mov_b64 ttmp[4:5], exec
   s_mov_b64 exec, 1
   v_mov_b32 v20, 0
   v_mov_b32 v21, 1
   global_atomic_add_u32 v21, v20, v21, ttmp[14:15] glc
   s_waitcnt vmcnt(0)
   v_lshlrev_b32 v21, 5, v21
   v_mov_b32 v22, ttmp0
   global_store_b32 v21, v22, ttmp[14:15] offset:64
   v_mov_b32 v22, ttmp1
   global_store_b32 v21, v22, ttmp[14:15] offset:68
   s_getreg_b32 ttmp2, hwreg(HW_REG_TRAPSTS)
   v_mov_b32 v22, ttmp2
   global_store_b32 v21, v22, ttmp[14:15] offset:72
   v_mov_b32 v22, ttmp12
   global_store_b32 v21, v22, ttmp[14:15] offset:76
   s_getreg_b32 ttmp2, hwreg(HW_REG_HW_ID1)
   v_mov_b32 v22, ttmp2
   global_store_b32 v21, v22, ttmp[14:15] offset:80
   s_getreg_b32 ttmp2, hwreg(HW_REG_MODE)
   v_mov_b32 v22, ttmp2
   global_store_b32 v21, v22, ttmp[14:15] offset:84
   v_mov_b32 v22, ttmp4
   global_store_b32 v21, v22, ttmp[14:15] offset:88
   s_getreg_b32 ttmp2, hwreg(28, 11, 1)
   v_mov_b32 v22, ttmp2
   global_store_b32 v21, v22, ttmp[14:15] offset:92
   s_waitcnt_vscnt null, 0
   s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS), 0
hold:
   s_load_b64 ttmp[2:3], ttmp[14:15], 4 glc
   s_waitcnt lgkmcnt(0)
   s_cmp_lg_u32 ttmp2, 1
   s_cbranch_scc1 go
   s_sleep 1
   s_branch hold
go:
   s_setreg_b32 hwreg(HW_REG_MODE, 11, 1), ttmp3
   s_bfe_u32 ttmp13, ttmp1, 0x80010
   s_cbranch_scc0 return
   s_add_u32 ttmp0, ttmp0, 4
   s_addc_u32 ttmp1, ttmp1, 0
return:
   s_and_b32 ttmp1, ttmp1, 0xffff
   s_icache_inv
   s_mov_b64 exec, ttmp[4:5]
   s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12
   s_rfe_b64 ttmp[0:1]
