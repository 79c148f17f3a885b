/* SPDX-License-Identifier: MIT */
/*
 * The trap handler, gfx11. One binary for wave32 and wave64.
 *
 * Scalar tier: decides, without a VGPR and without the host, whether a trap matters; about 30 instructions.
 * Full tier (`stop`): saves the wave into its slot, makes itself known through the ring and obeys the mailbox.
 *
 * Trap entry sets ttmp0 (PC 31:0) and ttmp1 (PC 47:32 in 15:0, trap id 23:16, host trap 24), and saves nothing else
 * (RDNA3 ISA guide, chapter 4). Free are ttmp2..5, 12, 14 and 15. ttmp8..11 hold what SPI puts there when its TTMP setup
 * is on: the workgroup id and, in ttmp11 5:0, the wave's number in the workgroup; with it off (graphics VMIDs)
 * `wave_start` fills them in. ttmp6, 7 and 13 are SPI's and left alone.
 *
 *   ttmp12     STATUS at entry, for its SCC
 *   ttmp14:15  address of the TMA block
 *
 * SCC is live in user code and nearly every SALU instruction writes it, so STATUS is read first and SCC is put back last.
 * Only that one bit of STATUS is written: everything else in it belongs to the hardware, SPI_PRIO not the least.
 *
 * With SECOND_LEVEL the kernel's own handler has come first (Linux, cwsr_trap_handler_gfx10.asm): it has read STATUS into
 * ttmp12 and the address into ttmp14:15, and clobbered no more than ttmp2..5, SCC and ttmp11's bit 23.
 *
 * MUTATION_* make well-known mistakes, to prove that the tests see them.
 */
#include "layout.h"

/* hwreg 28 has no name in LLVM for gfx11. */
#define HW_REG_IB_STS2       28
#define WAVE64_BIT           11

/* STATUS, MODE and TRAPSTS (UMR register database) */
#define NO_VGPRS_BIT         24
#define MODE_STEP_BIT        11     /* TRAP_AFTER_INST */
#define WAVE_START_BIT       17
#define TRAP_AFTER_INST_BIT  20
#define FAULTS               0x7980 /* memory violation 8, illegal instruction 11, address watch 7 and 14:12 */

/* the second operand of s_bfe */
#define FIELD(offset, width) ((offset) | (width) << 16)

/* EXCP 8:7, then SAVECTX..EXCP_HI 14:10; the sticky arithmetic flags 6:0 and BUFFER_OOB are the program's. */
.macro CLEAR_FAULTS
   s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 7, 2), 0
   s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 10, 5), 0
.endm

/* HOST_TRAP, WAVESTART, WAVE_END, PERF_SNAPSHOT, TRAP_AFTER_INST */
.macro CLEAR_EVENTS
   s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 16, 5), 0
.endm

/* What the host has planted, or taken out, is seen from here on. */
.macro REFETCH
#ifndef MUTATION_NO_ICACHE_INV
   s_icache_inv
#endif
.endm

/* Number of the wave's slot in \number; \id and \tmp are clobbered. */
.macro SLOT_NUMBER number, id, tmp
   s_getreg_b32 \id, hwreg(HW_REG_HW_ID1)
   s_bfe_u32 \tmp, \id, FIELD(18, 3)                   /* SE */
   s_bfe_u32 \number, \id, FIELD(16, 1)                /* SA */
   s_lshl1_add_u32 \tmp, \tmp, \number
   s_bfe_u32 \number, \id, FIELD(8, 4)                 /* WGP, SIMD */
   s_lshl4_add_u32 \tmp, \tmp, \number
   s_and_b32 \id, \id, 15                              /* WAVE */
   s_lshl4_add_u32 \number, \tmp, \id
.endm

/* Address of the wave's slot in ttmp[2:3]; clobbers ttmp4, ttmp5. */
.macro SLOT_ADDRESS
   SLOT_NUMBER ttmp5, ttmp4, ttmp2
   s_load_b64 ttmp[2:3], ttmp[14:15], TMA_SLOTS glc
   s_mul_i32 ttmp5, ttmp5, SLOT_SIZE
   s_waitcnt lgkmcnt(0)
   s_add_u32 ttmp2, ttmp2, ttmp5
   s_addc_u32 ttmp3, ttmp3, 0
.endm

/*
 * Looks the PC (ttmp1 31:16 clear) up in a sorted table; ttmp[4:5] = its value, or jumps to \missing. Clobbers ttmp2,
 * ttmp3. TMA holds the step to begin with: half the number of entries, rounded up to a power of two, in bytes. Entries
 * behind the last are all ones, which no PC is.
 *
 * The host may be changing the table. A search that goes astray misses, and the host will decide. An entry is changed
 * by making its PC all ones, then setting the value, then the PC; so a value read between two equal PCs belongs to it.
 */
.macro FIND table, step, missing
   s_load_b32 ttmp3, ttmp[14:15], \step glc
   s_mov_b32 ttmp2, 0
   s_waitcnt lgkmcnt(0)
1:
   s_cmp_lt_u32 ttmp3, TABLE_ENTRY_SIZE
   s_cbranch_scc1 2f
   s_add_u32 ttmp2, ttmp2, ttmp3
   s_load_b64 ttmp[4:5], ttmp[14:15], ttmp2 offset:\table glc
   s_waitcnt lgkmcnt(0)
   s_sub_u32 ttmp4, ttmp0, ttmp4
   s_subb_u32 ttmp5, ttmp1, ttmp5                      /* SCC: PC < entry */
   s_cselect_b32 ttmp4, ttmp3, 0
   s_sub_u32 ttmp2, ttmp2, ttmp4
   s_lshr_b32 ttmp3, ttmp3, 1
   s_branch 1b
2:
   s_load_b64 ttmp[4:5], ttmp[14:15], ttmp2 offset:\table glc
   s_waitcnt lgkmcnt(0)
   s_cmp_lg_u64 ttmp[4:5], ttmp[0:1]
   s_cbranch_scc1 \missing
   s_load_b64 ttmp[4:5], ttmp[14:15], ttmp2 offset:\table+8 glc
   s_waitcnt lgkmcnt(0)
   s_load_b64 ttmp[2:3], ttmp[14:15], ttmp2 offset:\table glc
   s_waitcnt lgkmcnt(0)
   s_cmp_lg_u64 ttmp[2:3], ttmp[0:1]
   s_cbranch_scc1 \missing
.endm

/* Jumps to \skip unless the wave's workgroup is wanted. ttmp2: TMA_WANT. Clobbers ttmp2..5. */
.macro FILTER skip
   s_bitcmp1_b32 ttmp2, WANT_FILTER_BIT
   s_cbranch_scc0 1f
   s_load_b64 ttmp[2:3], ttmp[14:15], TMA_FILTER_X glc
   s_load_b32 ttmp4, ttmp[14:15], TMA_FILTER_Z glc
   s_waitcnt lgkmcnt(0)
   s_cmp_lg_u32 ttmp8, ttmp2
   s_cbranch_scc1 \skip
   s_cmp_lg_u32 ttmp9, ttmp3
   s_cbranch_scc1 \skip
   s_cmp_lg_u32 ttmp10, ttmp4
   s_cbranch_scc1 \skip
1:
.endm

/* \out = the launch SGPR whose number is byte \n of ttmp4, or 0 if bit \noted of ttmp5 says that it isn't there. */
.macro NOTE out, n, noted
   s_bfe_u32 m0, ttmp4, FIELD(8 * \n, 8)
   s_movrels_b32 \out, s0
   s_bitcmp1_b32 ttmp5, \noted
   s_cselect_b32 \out, \out, 0
.endm

.text
.p2align 8
handler:
#ifdef MUTATION_STATUS_LATE
   s_bfe_u32 ttmp3, ttmp1, FIELD(16, 8)
#endif
#ifdef SECOND_LEVEL
   s_getreg_b32 ttmp2, hwreg(HW_REG_TRAPSTS)
#else
   s_getreg_b32 ttmp12, hwreg(HW_REG_STATUS)
   s_sendmsg_rtn_b64 ttmp[14:15], sendmsg(MSG_RTN_GET_TMA)
   s_getreg_b32 ttmp2, hwreg(HW_REG_TRAPSTS)
   s_waitcnt lgkmcnt(0)
   s_lshl_b64 ttmp[14:15], ttmp[14:15], 24             /* the message gives bits 47:8; make it canonical */
   s_ashr_i64 ttmp[14:15], ttmp[14:15], 16
#endif
   s_bitcmp1_b32 ttmp2, WAVE_START_BIT
   s_cbranch_scc1 wave_start
   s_bfe_u32 ttmp3, ttmp1, FIELD(16, 8)                /* SCC: not 0 */
   s_cbranch_scc1 trap_instruction
   s_and_b32 ttmp3, ttmp2, FAULTS
   s_cbranch_scc1 stop
   s_bitcmp1_b32 ttmp1, 24
   s_cbranch_scc1 host_trap
   s_bitcmp1_b32 ttmp2, TRAP_AFTER_INST_BIT
   s_cbranch_scc1 single_step
   s_branch stop

/* ---- a wave is about to run its first instruction, by TRAP_ON_START or at a TRAP_ENTRY ---- */
wave_start:
   s_and_b32 ttmp1, ttmp1, 0xffff
   s_mov_b32 ttmp8, 0
   s_mov_b32 ttmp9, 0
   s_mov_b32 ttmp10, 0
   s_mov_b32 ttmp11, 0
   FIND TMA_LAUNCHES, TMA_LAUNCH_STEP, started
   s_mov_b32 ttmp2, m0
   NOTE ttmp8, 0, NOTED_X_BIT
   NOTE ttmp9, 1, NOTED_Y_BIT
   NOTE ttmp10, 2, NOTED_Z_BIT
   NOTE ttmp11, 3, NOTED_WAVE_BIT
   s_mov_b32 m0, ttmp2
   s_bfe_u32 ttmp11, ttmp11, FIELD(20, 5)              /* TG_SIZE: number of the wave */
   s_or_b32 ttmp11, ttmp11, ttmp5
started:
   s_load_b32 ttmp2, ttmp[14:15], TMA_WANT glc
   s_waitcnt lgkmcnt(0)
   s_bitcmp1_b32 ttmp2, WANT_REFRESH_BIT
   s_cbranch_scc0 1f
   REFETCH
1:
   s_bitcmp1_b32 ttmp2, WANT_HALT_BIT
   s_cbranch_scc1 start_wanted
   s_bitcmp1_b32 ttmp11, NOTED_BREAKPOINT_BIT
   s_cbranch_scc1 start_filter
   s_bitcmp1_b32 ttmp2, WANT_ENTRY_BIT
   s_cbranch_scc0 start_unwanted
   s_getreg_b32 ttmp3, hwreg(HW_REG_MODE, MODE_ENTRY_MARK_BIT, 1)
   s_cmp_eq_u32 ttmp3, 0
   s_cbranch_scc1 start_unwanted
start_filter:
   FILTER start_unwanted
start_wanted:
   s_getreg_b32 ttmp3, hwreg(HW_REG_TRAPSTS, WAVE_START_BIT, 1)
   s_cmp_lg_u32 ttmp3, 0
   s_cbranch_scc1 stop
   s_or_b32 ttmp1, ttmp1, TRAP_ENTRY << 16
   s_branch stop
start_unwanted:
   s_getreg_b32 ttmp3, hwreg(HW_REG_TRAPSTS, WAVE_START_BIT, 1)
   s_cmp_lg_u32 ttmp3, 0
   s_cbranch_scc1 leave
   s_branch pass

/* ---- SQ_CMD TRAP: stop, or see what has been planted ---- */
host_trap:
   REFETCH
   s_load_b32 ttmp3, ttmp[14:15], TMA_WANT glc
   s_waitcnt lgkmcnt(0)
   s_bitcmp1_b32 ttmp3, WANT_HALT_BIT
   s_cbranch_scc1 halted
   s_bitcmp1_b32 ttmp2, TRAP_AFTER_INST_BIT
   s_cbranch_scc0 leave

/* ---- MODE.TRAP_AFTER_INST: stop, unless still inside the range being stepped. Jumped to with EXEC=0, go on. ---- */
single_step:
   s_and_b32 ttmp1, ttmp1, 0xffff
   s_load_b64 ttmp[4:5], ttmp[14:15], TMA_DISPLACED glc
   s_waitcnt lgkmcnt(0)
   s_sub_u32 ttmp4, ttmp0, ttmp4
   s_subb_u32 ttmp5, ttmp1, ttmp5
   s_cmp_lg_u32 ttmp5, 0
   s_cbranch_scc1 1f
   s_cmp_lt_u32 ttmp4, DISPLACED_SIZE * DISPLACED_CAPACITY
   s_cbranch_scc1 leave                                /* its TRAP_RETURN comes next and brings us back here */
1:
   SLOT_ADDRESS
   s_load_b64 ttmp[4:5], ttmp[2:3], MAIL_RANGE_LOW glc
   s_load_b64 ttmp[2:3], ttmp[2:3], MAIL_RANGE_SIZE glc
   s_waitcnt lgkmcnt(0)
   s_cmp_eq_u32 ttmp3, 0
   s_cbranch_scc1 stop
   s_cmp_eq_u64 exec, 0
   s_cbranch_scc1 leave
   s_sub_u32 ttmp4, ttmp0, ttmp4
   s_subb_u32 ttmp5, ttmp1, ttmp5
   s_cmp_lg_u32 ttmp5, 0
   s_cbranch_scc1 stop
   s_cmp_lt_u32 ttmp4, ttmp2
   s_cbranch_scc1 leave
   s_branch stop

/* One that is about to meet TRAP_ENTRY has met it: the host will lead the wave past it. */
halted:
   s_bitcmp1_b32 ttmp3, WANT_ENTRY_TRAPS_BIT
   s_cbranch_scc0 stop
   s_and_b32 ttmp1, ttmp1, 0xffff
   FIND TMA_LAUNCHES, TMA_LAUNCH_STEP, stop
   s_branch wave_start

/* ---- s_trap; ttmp3 is its id ---- */
trap_instruction:
   s_cmp_eq_u32 ttmp3, TRAP_BREAKPOINT
   s_cbranch_scc1 planted
   s_cmp_eq_u32 ttmp3, TRAP_ENTRY
   s_cbranch_scc1 wave_start
   s_cmp_eq_u32 ttmp3, TRAP_RETURN0
   s_cbranch_scc1 displaced_end
   s_cmp_lg_u32 ttmp3, TRAP_RETURN1
   s_cbranch_scc1 stop

/* The end of a displaced instruction: its return addresses stand at the end of its 64 bytes. */
displaced_end:
   s_and_b32 ttmp3, ttmp3, 1
   s_lshl_b32 ttmp3, ttmp3, 3
   s_and_b32 ttmp4, ttmp0, ~(DISPLACED_SIZE - 1)
   s_and_b32 ttmp5, ttmp1, 0xffff
   s_bfe_i64 ttmp[4:5], ttmp[4:5], FIELD(0, 48)
   s_load_b64 ttmp[0:1], ttmp[4:5], ttmp3 offset:DISPLACED_RETURN glc
   s_getreg_b32 ttmp2, hwreg(HW_REG_MODE, MODE_STEP_BIT, 1)
   s_waitcnt lgkmcnt(0)
   s_cmp_lg_u32 ttmp2, 0
   s_cbranch_scc1 single_step
   s_branch leave

planted:
   s_bitcmp1_b32 ttmp12, NO_VGPRS_BIT
   s_cbranch_scc1 pass
   s_cmp_eq_u64 exec, 0                                /* no lane is there */
   s_cbranch_scc1 pass
   s_load_b32 ttmp2, ttmp[14:15], TMA_WANT glc
   s_waitcnt lgkmcnt(0)
   FILTER pass
   s_branch stop
pass:
   s_and_b32 ttmp1, ttmp1, 0xffff
   FIND TMA_PLANTS, TMA_PLANT_STEP, not_planted
   s_mov_b64 ttmp[0:1], ttmp[4:5]
   s_branch leave
not_planted:                                           /* the program's own, or removed just now */
   s_or_b32 ttmp1, ttmp1, TRAP_BREAKPOINT << 16
   s_branch stop

leave:
   CLEAR_EVENTS
return:
#ifdef MUTATION_SCC_AFTER_STATUS
   s_setreg_b32 hwreg(HW_REG_STATUS, 0, 1), ttmp12
   s_and_b32 ttmp1, ttmp1, 0xffff
#else
   s_and_b32 ttmp1, ttmp1, 0xffff
   s_setreg_b32 hwreg(HW_REG_STATUS, 0, 1), ttmp12
#endif
   s_rfe_b64 ttmp[0:1]

/* Past MSG_DEALLOC_VGPRS there is nothing to save with: let the wave end. */
no_vgprs:
   s_setreg_imm32_b32 hwreg(HW_REG_MODE, MODE_STEP_BIT, 1), 0
   CLEAR_FAULTS
   s_bfe_u32 ttmp3, ttmp1, FIELD(16, 8)
   s_cbranch_scc0 leave
   s_and_b32 ttmp1, ttmp1, 0xffff
   s_add_u32 ttmp0, ttmp0, 4                           /* step over the s_trap */
   s_addc_u32 ttmp1, ttmp1, 0
   s_branch leave

/* ---- full tier ---- */
stop:
#ifndef MUTATION_NO_VGPRS_UNTESTED
   s_bitcmp1_b32 ttmp12, NO_VGPRS_BIT
   s_cbranch_scc1 no_vgprs
#endif
   /* Loads under way would land in registers while these are saved, or after. */
#ifndef MUTATION_NO_WAIT_AT_ENTRY
   s_waitcnt vmcnt(0) & expcnt(0) & lgkmcnt(0)
   s_waitcnt_vscnt null, 0
#endif
   s_waitcnt_depctr 0
   SLOT_ADDRESS

   /* addtid stores need no address VGPR, so that v0 can go first. From then on v0 carries scalars, one in each lane. */
   s_mov_b64 ttmp[4:5], exec
#ifndef MUTATION_EXEC_AS_IS
   s_mov_b64 exec, -1
#endif
   global_store_addtid_b32 v0, ttmp[2:3] offset:SLOT_VGPRS
   s_waitcnt_depctr depctr_vm_vsrc(0)
   s_mov_b32 exec_hi, 0                                /* 32 lanes in both wave sizes: rows of 128 bytes */
.set row, 0
.rept 4
.set lane, 0
.rept 32
.if row * 32 + lane < 106
   v_writelane_b32 v0, s[row * 32 + lane], lane
.endif
.set lane, lane + 1
.endr
.if row == 3
   v_writelane_b32 v0, vcc_lo, 106 - 96
   v_writelane_b32 v0, vcc_hi, 107 - 96
.endif
   global_store_addtid_b32 v0, ttmp[2:3] offset:SLOT_SGPRS + row * 128
   s_waitcnt_depctr depctr_vm_vsrc(0)
.set row, row + 1
.endr

   /* Now the SGPRs are free. */
.macro HEADER n, value
   v_writelane_b32 v0, \value, \n
.endm
.macro HEADER_HWREG n, name
   s_getreg_b32 s0, hwreg(\name)
   v_writelane_b32 v0, s0, \n
.endm
   HEADER H_PC_LO, ttmp0
   HEADER H_PC_HI, ttmp1
   HEADER H_EXEC_LO, ttmp4
   HEADER H_EXEC_HI, ttmp5
   HEADER H_STATUS, ttmp12
   HEADER_HWREG H_TRAPSTS, HW_REG_TRAPSTS
   HEADER_HWREG H_MODE, HW_REG_MODE
   HEADER H_M0, m0
   HEADER_HWREG H_HW_ID1, HW_REG_HW_ID1
   HEADER_HWREG H_HW_ID2, HW_REG_HW_ID2
   HEADER_HWREG H_GPR_ALLOC, HW_REG_GPR_ALLOC
   HEADER_HWREG H_LDS_ALLOC, HW_REG_LDS_ALLOC
   HEADER_HWREG H_IB_STS, HW_REG_IB_STS
   HEADER_HWREG H_IB_STS2, HW_REG_IB_STS2
   HEADER_HWREG H_FLAT_SCRATCH_LO, HW_REG_FLAT_SCR_LO
   HEADER_HWREG H_FLAT_SCRATCH_HI, HW_REG_FLAT_SCR_HI
.irp n, 6, 7, 8, 9, 10, 11, 13
   HEADER H_TTMP + \n, ttmp\n
.endr
   global_store_addtid_b32 v0, ttmp[2:3] offset:SLOT_HEADER
   s_bitset0_b32 ttmp11, NOTED_FRESH_BIT

   /* GPR_ALLOC.VGPR_SIZE 19:12 counts granules of 4 VGPRs in wave64, 8 in wave32. */
#ifndef MUTATION_EXEC_AS_IS
   s_mov_b32 exec_hi, -1
#endif
   s_getreg_b32 s0, hwreg(HW_REG_GPR_ALLOC, 12, 8)
   s_add_u32 s0, s0, 1
#ifdef MUTATION_GRANULE_4
   s_mov_b32 s1, 1
#else
   s_getreg_b32 s1, hwreg(HW_REG_IB_STS2, WAVE64_BIT, 1)
#endif
   s_sub_u32 s1, 3, s1
   s_lshl_b32 s0, s0, s1                               /* VGPRs of the wave; stays here */

   /* Offsets are 13 bits signed: 16 VGPRs of 256 bytes from one base. */
.macro FOR_VGPRS access, first, done
   s_add_u32 s2, ttmp2, SLOT_VGPRS
   s_addc_u32 s3, ttmp3, 0
.set vgpr, \first
.rept 256 - \first
.if vgpr % 4 == 0 && vgpr
   s_cmp_le_u32 s0, vgpr
   s_cbranch_scc1 \done
.endif
.if vgpr % 16 == 0 && vgpr
   s_add_u32 s2, s2, 4096
   s_addc_u32 s3, s3, 0
.endif
   \access v[vgpr], s[2:3] offset:(vgpr % 16) * 256
.set vgpr, vgpr + 1
.endr
.endm
   FOR_VGPRS global_store_addtid_b32, 1, saved
saved:
#ifndef MUTATION_TRAPSTS_KEPT
   CLEAR_FAULTS
   CLEAR_EVENTS
#endif
   s_load_b32 s4, ttmp[2:3], MAIL_COMMAND glc          /* the last command of whoever was here before */
   s_waitcnt lgkmcnt(0)
   s_waitcnt_vscnt null, 0

   /* Only what is complete is made known: an entry of the ring, then an interrupt. v0 and v1 are saved. */
   SLOT_NUMBER s5, s6, s7
   s_mov_b64 exec, 1
   v_mov_b32 v0, TMA_RING_HEAD
   v_mov_b32 v1, 1
   global_atomic_add_u32 v1, v0, v1, ttmp[14:15] glc
   s_bitset1_b32 s5, RING_VALID_BIT
   v_mov_b32 v0, s5
   s_waitcnt vmcnt(0)
   v_and_b32 v1, RING_ENTRIES - 1, v1
   v_lshlrev_b32 v1, 2, v1
   v_add_nc_u32 v1, TMA_RING, v1
   global_store_b32 v1, v0, ttmp[14:15]
   s_waitcnt_vscnt null, 0
   s_mov_b32 m0, s5
   s_sendmsg sendmsg(MSG_INTERRUPT)

/* ---- stopped: obey the mailbox ---- */
poll:
   s_sleep 8
   s_dcache_inv
   s_load_b32 s5, ttmp[2:3], MAIL_COMMAND glc
   s_waitcnt lgkmcnt(0)
   s_cmp_eq_u32 s5, s4
   s_cbranch_scc1 poll
   s_mov_b32 s4, s5
   s_and_b32 s5, s5, 0xff
   s_cmp_eq_u32 s5, COMMAND_RESUME
   s_cbranch_scc1 resume
   s_cmp_eq_u32 s5, COMMAND_RESUME_VGPRS
   s_cbranch_scc1 resume_vgprs
   s_cmp_eq_u32 s5, COMMAND_KILL
   s_cbranch_scc1 kill

   /* The others move up to 32 dwords between SLOT_DATA (v1, by lane) and LDS or memory (at v0). */
   s_load_b32 s6, ttmp[2:3], MAIL_LANES glc
   s_load_b64 s[8:9], ttmp[2:3], MAIL_ADDRESS glc
   s_mov_b64 exec, -1
   v_mbcnt_lo_u32_b32 v0, -1, 0
   v_lshlrev_b32 v0, 2, v0
   s_waitcnt lgkmcnt(0)
   s_mov_b32 exec_lo, s6
   s_mov_b32 exec_hi, 0
   s_cmp_eq_u32 s5, COMMAND_READ_LDS
   s_cbranch_scc1 read_lds
   s_cmp_eq_u32 s5, COMMAND_READ_MEMORY
   s_cbranch_scc1 read_memory
   global_load_addtid_b32 v1, ttmp[2:3] offset:SLOT_DATA glc slc dlc
   s_waitcnt vmcnt(0)
   s_cmp_eq_u32 s5, COMMAND_WRITE_LDS
   s_cbranch_scc1 write_lds
   s_cmp_lg_u32 s5, COMMAND_WRITE_MEMORY
   s_cbranch_scc1 done
   global_store_b32 v0, v1, s[8:9]
   s_branch done
write_lds:
   v_add_nc_u32 v0, s8, v0
   ds_store_b32 v0, v1
   s_branch done
read_lds:
   v_add_nc_u32 v0, s8, v0
   ds_load_b32 v1, v0
   s_waitcnt lgkmcnt(0)
   global_store_addtid_b32 v1, ttmp[2:3] offset:SLOT_DATA
   s_branch done
read_memory:
   global_load_b32 v1, v0, s[8:9] glc slc dlc
   s_waitcnt vmcnt(0)
   global_store_addtid_b32 v1, ttmp[2:3] offset:SLOT_DATA
done:
   s_waitcnt lgkmcnt(0)
   s_waitcnt_vscnt null, 0
   s_mov_b64 exec, 1
   v_mov_b32 v0, MAIL_DONE
   v_mov_b32 v1, s4
   global_store_b32 v0, v1, ttmp[2:3]
   s_waitcnt_vscnt null, 0
   s_sendmsg sendmsg(MSG_INTERRUPT)
   s_branch poll

kill:
   s_endpgm

/* ---- go on: v0 and v1 were clobbered, and all SGPRs are cheap ---- */
resume_vgprs:
#ifdef MUTATION_EXEC_BEFORE_VGPRS
   s_load_b64 ttmp[4:5], ttmp[2:3], SLOT_HEADER + 4 * H_EXEC_LO glc
   s_waitcnt lgkmcnt(0)
   s_mov_b64 exec, ttmp[4:5]
#else
   s_mov_b64 exec, -1
#endif
   FOR_VGPRS global_load_addtid_b32, 0, resume_scalars
   s_branch resume_scalars
resume:
#ifdef MUTATION_EXEC_BEFORE_VGPRS
   s_load_b64 ttmp[4:5], ttmp[2:3], SLOT_HEADER + 4 * H_EXEC_LO glc
   s_waitcnt lgkmcnt(0)
   s_mov_b64 exec, ttmp[4:5]
#else
   s_mov_b64 exec, -1
#endif
   global_load_addtid_b32 v0, ttmp[2:3] offset:SLOT_VGPRS
   global_load_addtid_b32 v1, ttmp[2:3] offset:SLOT_VGPRS + 256
resume_scalars:
   CLEAR_FAULTS                                        /* an address watch has seen what was read for the host */
   REFETCH
   s_load_b64 ttmp[0:1], ttmp[2:3], SLOT_HEADER + 4 * H_PC_LO glc
   s_load_b64 ttmp[4:5], ttmp[2:3], SLOT_HEADER + 4 * H_EXEC_LO glc
   s_load_b32 ttmp12, ttmp[2:3], SLOT_HEADER + 4 * H_STATUS glc
   s_load_b64 ttmp[14:15], ttmp[2:3], SLOT_HEADER + 4 * H_MODE glc /* and M0 */
   s_load_b512 s[0:15], ttmp[2:3], SLOT_SGPRS glc
   s_load_b512 s[16:31], ttmp[2:3], SLOT_SGPRS + 0x40 glc
   s_load_b512 s[32:47], ttmp[2:3], SLOT_SGPRS + 0x80 glc
   s_load_b512 s[48:63], ttmp[2:3], SLOT_SGPRS + 0xc0 glc
   s_load_b512 s[64:79], ttmp[2:3], SLOT_SGPRS + 0x100 glc
   s_load_b512 s[80:95], ttmp[2:3], SLOT_SGPRS + 0x140 glc
   s_load_b256 s[96:103], ttmp[2:3], SLOT_SGPRS + 0x180 glc
   s_load_b64 s[104:105], ttmp[2:3], SLOT_SGPRS + 0x1a0 glc
   s_load_b64 vcc, ttmp[2:3], SLOT_SGPRS + 0x1a8 glc
#ifndef MUTATION_NO_WAIT_FOR_SGPRS
   s_waitcnt lgkmcnt(0)
#endif
#ifndef MUTATION_NO_WAIT_FOR_VGPRS
   s_waitcnt vmcnt(0)
#endif
   s_setreg_b32 hwreg(HW_REG_MODE), ttmp14
   s_mov_b32 m0, ttmp15
   s_mov_b64 exec, ttmp[4:5]
   s_mov_b64 vcc, vcc                                  /* VCCZ is not restored by the load */
   s_branch return

/* Instruction prefetch runs past the end. */
.rept 64
   s_code_end
.endr
