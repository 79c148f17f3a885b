/* SPDX-License-Identifier: MIT */
/*
 * What the trap handler and the host share: the block that TMA points at and one slot for each wave slot of the card.
 * Used by handler.S (through the C preprocessor) and by C. All offsets are in bytes.
 */
#ifndef HDB_TRAP_LAYOUT_H
#define HDB_TRAP_LAYOUT_H

/* ---- trap ids (s_trap's simm16, 7:0) ---- */

#define TRAP_BREAKPOINT 1 /* planted; passed over where it does not matter */
#define TRAP_RETURN0 0xf0 /* ends a displaced instruction: go to its first return address */
#define TRAP_RETURN1 0xf1 /* ... to its second one: the branch was taken */
#define TRAP_HALT 0xf2    /* planted; always stops */
#define TRAP_ENTRY 0xf3   /* planted at a shader's first instruction, in place of TRAP_ON_START */

/* ---- the block at TMA ---- */

#define TMA_WANT 0x00        /* what stops a wave; bits below */
#define TMA_SLOTS 0x08       /* 64 bits: address of slot 0 */
#define TMA_DISPLACED 0x10   /* 64 bits: address of the displaced instructions, as a trap's PC shows it (48 bits) */
#define TMA_LAUNCH_STEP 0x18 /* where the search of the two tables begins, see FIND in handler.S */
#define TMA_PLANT_STEP 0x1c
#define TMA_FILTER_X 0x20 /* workgroup id */
#define TMA_FILTER_Y 0x24
#define TMA_FILTER_Z 0x28
#define TMA_RING_HEAD 0x30 /* entries ever written; counted up by waves with an atomic */
#define TMA_RING 0x1000
#define TMA_LAUNCHES 0x5000 /* sorted table: PC of a shader's first instruction -> where its launch SGPRs are */
#define TMA_PLANTS 0x15000  /* sorted table: PC of a planted trap -> where to go on behind it */
#define TMA_SIZE 0x25000

#define WANT_HALT_BIT 0        /* host traps and starting waves stop */
#define WANT_ENTRY_BIT 1       /* waves of dispatches armed for it stop at their first instruction */
#define WANT_FILTER_BIT 2      /* entry and breakpoints: only waves of the workgroup TMA_FILTER stop */
#define WANT_REFRESH_BIT 3     /* starting waves drop the instruction cache: code was planted while dispatches ran */
#define WANT_ENTRY_TRAPS_BIT 4 /* waves meet TRAP_ENTRY at their first instruction; host traps there come first */

#define TABLE_ENTRY_SIZE 16 /* 64 bits PC (48 bits used; all ones: unused), 64 bits value */
#define TABLE_CAPACITY 4096

/* Value in TMA_LAUNCHES. Low half: SGPR numbers of workgroup id X, Y, Z and of TG_SIZE, one a byte. High half: becomes
 * the upper bits of ttmp11, with NOTED_* saying which of the four are there. */
#define NOTED_X_BIT 8
#define NOTED_Y_BIT 9
#define NOTED_Z_BIT 10
#define NOTED_WAVE_BIT 11
#define NOTED_BREAKPOINT_BIT 12 /* a breakpoint is planted there, too: TRAP_ENTRY stops */
#define NOTED_FRESH_BIT 24      /* the wave has not stopped yet since it was launched */
#define NOTED_MAGIC 0x48000000  /* bits 31:25 */
#define NOTED_MAGIC_MASK 0xfe000000

/* A dispatch armed to stop at entry is marked by EXCP_EN's memory violation bit (COMPUTE_PGM_RSRC2 bit 14, which the
 * launch copies to MODE bit 20): memory violations can't be masked (RDNA3 ISA guide, 3.4.9), so that it has no other
 * meaning. */
#define MODE_ENTRY_MARK_BIT 20

#define RING_ENTRIES 4096 /* as many as there are slots: a wave is in the ring at most once */
#define RING_VALID_BIT 31 /* the rest is the slot's number */

/* ---- displaced instructions ---- */

#define DISPLACED_SIZE 64 /* one: its code, then two return addresses */
#define DISPLACED_RETURN 48
#define DISPLACED_CAPACITY 4096

/* ---- slots ---- */

/* Number of a slot, from HW_ID1: WAVE 3:0, SIMD 5:4, WGP 7:6, SA 8, SE 11:9. */
#define SLOT_COUNT 3072   /* Navi31: 6 SE x 2 SA x 4 WGP x 4 SIMD x 16 waves */
#define SLOT_HEADER 0x000 /* 32 dwords, H_* below */
#define SLOT_MAILBOX 0x080
#define SLOT_DATA 0x100  /* 32 dwords, to and from LDS and memory */
#define SLOT_SGPRS 0x200 /* s0..s105, VCC */
#define SLOT_VGPRS 0x400 /* 256 registers of 64 lanes, whatever the wave size */
#define SLOT_SIZE 0x10400

/* dwords of the header */
#define H_PC_LO 0
#define H_PC_HI 1 /* as trap entry left ttmp1: trap id 23:16, host trap 24 */
#define H_EXEC_LO 2
#define H_EXEC_HI 3
#define H_STATUS 4
#define H_TRAPSTS 5
#define H_MODE 6
#define H_M0 7
#define H_HW_ID1 8
#define H_HW_ID2 9
#define H_GPR_ALLOC 10
#define H_LDS_ALLOC 11
#define H_IB_STS 12
#define H_IB_STS2 13
#define H_FLAT_SCRATCH_LO 14
#define H_FLAT_SCRATCH_HI 15
#define H_TTMP 16 /* + n: TTMPn; 6..11 and 13 are meaningful */

/* the mailbox */
#define MAIL_COMMAND 0x80   /* written by the host: sequence << 8 | COMMAND_* */
#define MAIL_LANES 0x84     /* LDS and memory: mask of the dwords of SLOT_DATA */
#define MAIL_ADDRESS 0x88   /* 64 bits: LDS offset or address of dword 0 */
#define MAIL_DONE 0x90      /* written by the wave: the command it has carried out */
#define MAIL_RANGE_LOW 0xa0 /* 64 bits: first PC of the range being stepped, as a trap's PC shows it (48 bits) */
#define MAIL_RANGE_SIZE 0xa8
#define MAIL_RANGE_ON 0xac /* 0: a single step stops at every instruction */

#define COMMAND_RESUME 1
#define COMMAND_RESUME_VGPRS 2 /* ... and takes all VGPRs from the slot */
#define COMMAND_READ_LDS 3
#define COMMAND_WRITE_LDS 4
#define COMMAND_READ_MEMORY 5
#define COMMAND_WRITE_MEMORY 6
#define COMMAND_KILL 7

#endif
