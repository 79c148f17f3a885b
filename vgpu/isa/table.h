/* SPDX-License-Identifier: MIT */
/*
 * The tables. Each family is a file of lines
 *
 *    FAMILY(opcode, name, destination, source types, flags, semantics)
 *
 * included once for the descriptions (tables.c) and once for each way of executing it. The semantics are C statements
 * over the operands A, B, C (typed values of one lane, or of the wave for scalar instructions) that set D. Lines with
 * the suffix _NAME have no semantics: they decode and print, and trap when executed.
 */
#ifndef VGPU_ISA_TABLE_H
#define VGPU_ISA_TABLE_H

#include "isa/isa.h"

/* Operand types. The letter says how literals widen and which inline constants are meant, the number the bits. */
enum isa_type {
   TYPE_NONE,
   TYPE_B16,
   TYPE_U16,
   TYPE_I16,
   TYPE_F16,
   TYPE_BF16,
   TYPE_B32,
   TYPE_U32,
   TYPE_I32,
   TYPE_F32,
   TYPE_B64,
   TYPE_U64,
   TYPE_I64,
   TYPE_F64,
   TYPE_P16,  /* two integers of 16 bits */
   TYPE_PF16, /* two halfs */
   TYPE_PBF16,
   TYPE_P8, /* four or eight small integers */
   TYPE_B96,
   TYPE_B128,
   TYPE_B256,
   TYPE_B512,
   TYPE_MASK, /* a bit a lane, in an SGPR or a pair of them by the wave's size */
   TYPE_VCC,  /* the same, always VCC in the 32-bit encoding */
   TYPE_SREG, /* an SGPR whose index is the operand (lane selects, v_readlane's result) */
   TYPE_TIED, /* source that is the destination register, F32, F16 or PF16 */
   TYPE_TIED16,
   TYPE_TIEDP16,
   TYPE_LITERAL, /* the K of v_fmamk and v_fmaak */
   TYPE_LITERAL16,
   TYPE_VGPR,   /* 32 bits, a VGPR and nothing else */
   TYPE_VGPR16, /* half of one */
   TYPE_MATRIX, /* four registers in waves of 64, eight in waves of 32 */
   TYPE_MIX,    /* a float, or a half of a register, as op_sel_hi says */
   TYPE_IMM     /* not a register: simm16 */
};

/* Flags */
enum {
   /* the vector ALU */
   OP_CLAMP = 1 << 0,          /* VOP3 may clamp */
   OP_OMOD = 1 << 1,           /* and multiply its result */
   OP_SEL = 1 << 2,            /* op_sel selects halves */
   OP_MODS = 1 << 3,           /* the encoding has room for abs and neg although this is no floating point */
   OP_SEXT = 1 << 4,           /* neg of an integer source is written sext() */
   OP_NO_E64 = 1 << 5,         /* no 64-bit encoding */
   OP_NO_DPP = 1 << 6,         /* no DPP */
   OP_NO_SUFFIX = 1 << 7,      /* LLVM writes no _e32 */
   OP_CARRY = 1 << 8,          /* writes a lane mask besides its result (VOP3SD) */
   OP_TRUE16 = 1 << 9,         /* LLVM writes halves of registers */
   OP_MIX = 1 << 10,           /* v_fma_mix */
   OP_FMAMK = 1 << 11,         /* VOPD: the literal comes before the last source */
   OP_HIGH_RESULT = 1 << 12,   /* the result goes to the upper half */
   OP_WMMA = 1 << 13,          /* matrices: sources are VGPRs, the third may be a constant */
   OP_OWN_DENORMALS = 1 << 27, /* the semantics see to denormals */
   OP_OWN_MODE = 1 << 28,      /* transcendental: rounds to nearest, floats without denormals, whatever MODE says */
   OP_MINMAX = 1 << 29,        /* MODE.IEEE makes a signalling NaN win */
   OP_RAW = 1 << 30,           /* looks at the bits of its floating point sources: denormals stay */
   /* scalar */
   OP_NO_CONSTANT = 1 << 14, /* the source must be a register */
   OP_NO_IMM = 1 << 15,      /* SOPP whose immediate is 0 */
   /* memory */
   OP_LOAD = 1 << 16,
   OP_STORE = 1 << 17,
   OP_ATOMIC = 1 << 18,
   OP_2ADDR = 1 << 19,
   OP_ADDTID = 1 << 20,
   OP_SWIZZLE = 1 << 21, /* offset is a pattern */
   OP_GDS_ONLY = 1 << 22,
   OP_NO_GDS = 1 << 23,
   OP_SAMPLER = 1 << 24, /* MIMG with an S# */
   OP_R128 = 1 << 25     /* MIMG whose T# is four SGPRs */
};

/* How the bytes that a load has read become registers. */
enum { UNSIGNED, SIGNED };
enum { WHOLE, LOW_HALF, HIGH_HALF };

#define OP_FLOAT (OP_CLAMP | OP_OMOD)

struct isa_op {
   const char *name;
   uint8_t dst, src[3]; /* enum isa_type */
   uint32_t flags;
};

unsigned isa_type_dwords(enum isa_type type); /* registers of 32 bits */
unsigned isa_operand_dwords(const struct inst *inst, enum isa_type type);
bool isa_type_is_float(enum isa_type type); /* abs and neg make sense */
bool isa_type_is_half(enum isa_type type);  /* 16 bits, so that op_sel may choose a half */

enum {
   ISA_SOP1_OPS = 128,
   ISA_SOP2_OPS = 64,
   ISA_SOPC_OPS = 64,
   ISA_SOPK_OPS = 32,
   ISA_SOPP_OPS = 64,
   ISA_S_SETREG_IMM32 = 19,
   ISA_SMEM_OPS = 64,
   ISA_VOP1_OPS = 128,
   ISA_VOP2_OPS = 64,
   ISA_VOPC_OPS = 256,
   ISA_VOP3_OPS = 1024, /* from 512; below are the others' */
   ISA_VOP3P_OPS = 128,
   ISA_VOPD_OPS = 32,
   ISA_VINTERP_OPS = 8,
   ISA_LDSDIR_OPS = 2,
   ISA_EXP_OPS = 1,
   ISA_DS_NOP = 20,
   ISA_DS_OPS = 256,
   ISA_FLAT_OPS = 128,
   ISA_GLOBAL_LOAD_ADDTID = 40,
   ISA_GLOBAL_STORE_ADDTID = 41,
   ISA_MUBUF_OPS = 128,
   ISA_MTBUF_OPS = 16,
   ISA_MIMG_OPS = 256
};

/* Descriptions; entries without a name are no instructions. */
extern const struct isa_op isa_sop1[ISA_SOP1_OPS], isa_sop2[ISA_SOP2_OPS], isa_sopc[ISA_SOPC_OPS],
   isa_sopk[ISA_SOPK_OPS], isa_sopp[ISA_SOPP_OPS], isa_smem[ISA_SMEM_OPS], isa_vop1[ISA_VOP1_OPS],
   isa_vop2[ISA_VOP2_OPS], isa_vopc[ISA_VOPC_OPS], isa_vop3[ISA_VOP3_OPS], isa_vop3p[ISA_VOP3P_OPS],
   isa_vopd[ISA_VOPD_OPS], isa_vinterp[ISA_VINTERP_OPS], isa_ldsdir[ISA_LDSDIR_OPS], isa_ds[ISA_DS_OPS],
   isa_flat[ISA_FLAT_OPS], isa_global[ISA_FLAT_OPS], isa_scratch[ISA_FLAT_OPS], isa_mubuf[ISA_MUBUF_OPS],
   isa_mtbuf[ISA_MTBUF_OPS], isa_mimg[ISA_MIMG_OPS];

/* How to execute them; NULL: no semantics. */
extern const isa_execute_fn execute_sop1[ISA_SOP1_OPS], execute_sop2[ISA_SOP2_OPS], execute_sopc[ISA_SOPC_OPS],
   execute_sopk[ISA_SOPK_OPS], execute_sopp[ISA_SOPP_OPS], execute_smem[ISA_SMEM_OPS], execute_ds[ISA_DS_OPS],
   execute_flat[ISA_FLAT_OPS], execute_global[ISA_FLAT_OPS], execute_scratch[ISA_FLAT_OPS],
   execute_mubuf[ISA_MUBUF_OPS], execute_mtbuf[ISA_MTBUF_OPS], execute_mimg[ISA_MIMG_OPS];

/* The vector ALU, compiled for each wave size and CPU level. */
struct isa_valu {
   isa_execute_fn vop1[ISA_VOP1_OPS], vop2[ISA_VOP2_OPS], vopc[ISA_VOPC_OPS], vop3[ISA_VOP3_OPS], vop3p[ISA_VOP3P_OPS],
      vopd;
};
extern const struct isa_valu isa_valu_32_v1, isa_valu_64_v1, isa_valu_32_v3, isa_valu_64_v3;
extern const struct isa_valu isa_valu_32_exceptions, isa_valu_64_exceptions; /* TRAPSTS.EXCP counts */

/* For tests: decode for any x86-64, whatever this CPU can do. */
void isa_use_baseline(bool use);

/* The one for this CPU. */
const struct isa_valu *isa_valu(bool wave64, bool exceptions);

#endif
