/* SPDX-License-Identifier: MIT */
/*
 * The kernel's first-level trap handler, as far as this card needs it: it hands over to the second level that user mode
 * has set, or ends the trap where there is none. (What amdgpu's does besides is to save the context of compute waves.)
 *
 * What both levels agree on (Linux, cwsr_trap_handler_gfx10.asm): memory at TMA holds the second level's TBA at 0, its
 * TMA at 8 and, at 0x10, whether a debugger is attached. The second level finds STATUS as at entry, without SPI_PRIO, in
 * ttmp12, its TMA in ttmp14:15, and the debugger's flag in ttmp11 bit 23; ttmp2..5 and SCC are clobbered.
 */
#define SPI_PRIO          0x6 /* STATUS 2:1 */
#define HALT_BIT          13
#define MEM_VIOL_BIT      8   /* of TRAPSTS */
#define DEBUGGER_BIT      23  /* of ttmp11 */
#define TRAP_ID           16 | 8 << 16 /* ttmp1 23:16 */
#define SECOND_TBA        0x0
#define SECOND_TMA        0x8
#define DEBUGGER_ATTACHED 0x10

.text
.p2align 8
   s_getreg_b32 ttmp12, hwreg(HW_REG_STATUS)
   s_and_not1_b32 ttmp12, ttmp12, SPI_PRIO
   s_sendmsg_rtn_b64 ttmp[14:15], sendmsg(MSG_RTN_GET_TMA)
   s_waitcnt lgkmcnt(0)
   s_lshl_b64 ttmp[14:15], ttmp[14:15], 24                     /* the message gives bits 47:8; make it canonical */
   s_ashr_i64 ttmp[14:15], ttmp[14:15], 16

   s_load_b32 ttmp2, ttmp[14:15], DEBUGGER_ATTACHED glc
   s_waitcnt lgkmcnt(0)
   s_lshl_b32 ttmp2, ttmp2, DEBUGGER_BIT
   s_bitset0_b32 ttmp11, DEBUGGER_BIT
   s_or_b32 ttmp11, ttmp11, ttmp2

   s_load_b64 ttmp[2:3], ttmp[14:15], SECOND_TBA glc
   s_waitcnt lgkmcnt(0)
   s_load_b64 ttmp[14:15], ttmp[14:15], SECOND_TMA glc
   s_waitcnt lgkmcnt(0)
   s_cmp_eq_u64 ttmp[2:3], 0
   s_cbranch_scc1 no_second_level
   s_setpc_b64 ttmp[2:3]

no_second_level:
   s_bfe_u32 ttmp2, ttmp1, TRAP_ID                             /* SCC: not 0 */
   s_cbranch_scc1 trap_instruction
   s_getreg_b32 ttmp2, hwreg(HW_REG_TRAPSTS)
   s_bitcmp1_b32 ttmp2, MEM_VIOL_BIT
   s_cbranch_scc0 leave
   s_bitset1_b32 ttmp12, HALT_BIT                              /* the instruction would only raise it again */
   s_branch leave

trap_instruction:
   s_add_u32 ttmp0, ttmp0, 4
   s_addc_u32 ttmp1, ttmp1, 0

leave:
   s_and_b32 ttmp1, ttmp1, 0xffff
   s_mov_b64 exec, exec                                        /* EXECZ and VCCZ can't be written */
   s_mov_b64 vcc, vcc
   s_lshr_b32 ttmp2, ttmp12, 3                                 /* STATUS but for SPI_PRIO, SCC last */
   s_setreg_b32 hwreg(HW_REG_STATUS, 3, 29), ttmp2
   s_setreg_b32 hwreg(HW_REG_STATUS, 0, 1), ttmp12
   s_rfe_b64 ttmp[0:1]

/* Instruction prefetch runs past the end. */
.rept 64
   s_code_end
.endr
