/* SPDX-License-Identifier: MIT */
/* The gfx1100 instruction set: one table per encoding family, from which decoder, printer and interpreter derive. */
#ifndef VGPU_ISA_H
#define VGPU_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wave;
struct inst;
struct isa_op;

enum isa_encoding {
   ISA_SOP1,
   ISA_SOP2,
   ISA_SOPC,
   ISA_SOPK,
   ISA_SOPP,
   ISA_SMEM,
   ISA_VOP1,
   ISA_VOP2,
   ISA_VOPC,
   ISA_VOP3,
   ISA_VOP3SD,
   ISA_VOP3P,
   ISA_VOPD,
   ISA_VINTERP,
   ISA_LDSDIR,
   ISA_DS,
   ISA_FLAT,
   ISA_GLOBAL,
   ISA_SCRATCH,
   ISA_MUBUF,
   ISA_MTBUF,
   ISA_MIMG,
   ISA_EXP,
   ISA_ENCODINGS
};

/* How a wave goes on after an instruction. Anything but NEXT and JUMP leaves the interpreter's loop. */
enum isa_result {
   ISA_NEXT,    /* pc goes to the following instruction (the interpreter does that) */
   ISA_JUMP,    /* the instruction has set wave->pc */
   ISA_LEAVE,   /* as JUMP, but the scheduler must look at the wave first; wave_interpret returns it as ISA_NEXT */
   ISA_TRAP,    /* s_trap, or a fault that was recorded in the wave: enter the handler or stop, see sq/trap.c */
   ISA_BARRIER, /* waits for its workgroup; pc is the following instruction */
   ISA_SLEEP,   /* s_sleep: wave->sleep_clocks says how long */
   ISA_HALT,    /* s_sethalt */
   ISA_MESSAGE, /* s_sendmsg that the scheduler must act on; wave->message */
   ISA_END      /* s_endpgm */
};

typedef enum isa_result (*isa_execute_fn)(struct wave *wave, const struct inst *inst);

/* Operand selectors beyond the registers (RDNA3 ISA guide, 15.2, table of SRC0). */
enum {
   SRC_INTEGER_0 = 128, /* ..192: 0 to 64 */
   SRC_MINUS_1 = 193,   /* ..208: -1 to -16 */
   SRC_DPP8 = 233,
   SRC_DPP8_FI = 234,
   SRC_SHARED_BASE = 235,
   SRC_SHARED_LIMIT = 236,
   SRC_PRIVATE_BASE = 237,
   SRC_PRIVATE_LIMIT = 238,
   SRC_POPS_EXITING_WAVE_ID = 239,
   SRC_HALF = 240, /* ..247: 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0 */
   SRC_INV_2PI = 248,
   SRC_DPP16 = 250,
   SRC_VCCZ = 251,
   SRC_EXECZ = 252,
   SRC_SCC = 253,
   SRC_LDS_DIRECT = 254,
   SRC_LITERAL = 255,
   SRC_VGPR0 = 256
};

/* inst.flags */
enum {
   INST_WAVE64 = 1 << 0,   /* decoded for waves of 64 lanes */
   INST_VGPR = 1 << 1,     /* reads or writes VGPRs */
   INST_MODIFIED = 1 << 2, /* abs, neg, op_sel, omod, clamp or DPP stands in the way of the plain form */
   INST_E64 = 1 << 3,      /* 64-bit encoding of what has a 32-bit one */
   INST_DPP8 = 1 << 4,
   INST_DPP16 = 1 << 5,
   INST_CLAMP = 1 << 6,
   INST_FI = 1 << 7,         /* DPP: lanes that are off may be read */
   INST_BOUND_CTRL = 1 << 8, /* DPP: what lies outside reads as 0 */
   INST_GLC = 1 << 9,
   INST_SLC = 1 << 10,
   INST_DLC = 1 << 11,
   INST_OFFEN = 1 << 12, /* MUBUF; SVE of SCRATCH */
   INST_IDXEN = 1 << 13,
   INST_GDS = 1 << 14,
   INST_TFE = 1 << 15
};

/* A decoded instruction, as kept by the decode cache. */
struct inst {
   isa_execute_fn execute; /* for the wave size it was decoded for; never NULL */
   const struct isa_op *op;
   uint8_t encoding; /* enum isa_encoding */
   uint8_t size;     /* bytes, literal and DPP dwords included */
   uint16_t flags;
   uint32_t word[5]; /* raw */
   uint32_t literal;
   /* Operands: selectors as in the manual (0..127 scalar, 128..255 constants, 256.. VGPR). */
   uint16_t dst, sdst, src[3];
   int32_t offset;    /* immediate of scalar instructions, offset of memory instructions */
   uint64_t value[3]; /* what a constant operand stands for */
   /* VALU modifiers, a bit for each source; op_sel bit 3 is the destination. */
   uint8_t abs, neg, op_sel;
   union {
      uint8_t omod;      /* VOP3: 1 *2, 2 *4, 3 /2 */
      uint8_t op_sel_hi; /* VOP3P; its neg_hi is `abs` */
   };
   uint32_t dpp; /* the DPP dword */
   /* VOPD: the second operation. */
   const struct isa_op *op_y;
   uint16_t dst_y, src_y[2];
   uint8_t opcode_x, opcode_y;
   bool exceptions; /* what arithmetic raises counts (TRAPSTS.EXCP) */
   bool lenient;    /* decoded as hardware does: fields that the instruction does not use may hold anything */
};

/* 0: *inst filled in for waves of 32 or 64 lanes. -EINVAL: not a gfx1100 instruction. -ENODATA: cut off. */
int isa_decode(const void *code, size_t size, bool wave64, struct inst *inst);

/* The same for execution: fields that an instruction does not use are not looked at, whereas text, which has no way to
 * show them, wants them 0. `exceptions`: for waves that look at what arithmetic raises. */
int isa_decode_lenient(const void *code, size_t size, bool wave64, bool exceptions, struct inst *inst);

/* LLVM's spelling. Returns the length. */
int isa_print(const struct inst *inst, uint64_t pc, char *text, size_t text_size);

/* For messages: the words of the instruction at `code` and its name where it is known, also when it cannot be
 * executed: "d5010004 04020702 (v_example_f32)". */
void isa_describe(const void *code, size_t size, bool wave64, char *text, size_t text_size);

/* What is executed in place of an instruction that is unknown or has no semantics: raises ILLEGAL_INST. */
enum isa_result isa_illegal(struct wave *wave, const struct inst *inst);

#endif
