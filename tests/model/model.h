/* SPDX-License-Identifier: MIT */
/*
 * A second opinion on what gfx1100 instructions do, written from the documents alone: the RDNA3 ISA guide (its text and
 * its pseudocode) and what has been measured on hardware. It knows no encodings (LLVM assembles its instructions) and
 * nothing of the interpreter that it judges.
 */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned __int128 bits; /* wide enough for any operand */
typedef __int128 wide;          /* and for any exact integer result */

/* ---- operands --------------------------------------------------------------------------------------------------- */

enum type {
   NONE,
   B16,
   U16,
   I16,
   F16,
   BF16,
   B32,
   U32,
   I32,
   F32,
   B64,
   U64,
   I64,
   F64,
   B96,
   B128,
   MASK,     /* a bit for each lane: VCC, EXEC or SGPRs */
   PK16,     /* two 16-bit integers */
   PKF16,    /* two f16 */
   MATRIX_8, /* a matrix in eight registers */
   MATRIX_4,
   MATRIX_2,
   MATRIX_C /* an accumulator: eight registers, in waves of 64 lanes four */
};

unsigned type_bits(enum type type);
bool type_is_float(enum type type);

enum operand_kind { NO_OPERAND, VGPR, SGPR, VCC, EXEC, M0, NULL_REGISTER, INLINE_INTEGER, INLINE_FLOAT, LITERAL };

struct operand {
   enum operand_kind kind;
   int32_t value; /* register number, inline integer, index of the inline float, or literal */
   bool high;     /* 32-bit encodings of 16-bit instructions: v0.h */
};

/* ---- instructions ----------------------------------------------------------------------------------------------- */

enum form { FORM_E32, FORM_E64, FORM_DPP16, FORM_DPP8, FORM_E64_DPP16, FORM_E64_DPP8, FORM_SCALAR, FORM_COUNT };

/* op.flags: which forms exist */
enum {
   VOP1 = 1 << 0, /* 32-bit encoding with one source, and the VOP3 encoding */
   VOP2 = 1 << 1, /* with two */
   VOPC = 1 << 2,
   VOP3 = 1 << 3, /* only the 64-bit encoding */
   VOP3P = 1 << 4,
   SCALAR = 1 << 5,
   NO_DPP = 1 << 6,
   NO_E64 = 1 << 7,
   FORMS = 0xff,

   CARRY_OUT = 1 << 8,
   CARRY_IN = 1 << 9,      /* reads VCC, in the VOP3 encoding a mask in SGPRs */
   ACCUMULATE = 1 << 10,   /* reads its destination */
   PACKED = 1 << 11,       /* done for each half of 32 bits */
   MIX = 1 << 12,          /* sources are f32 or a half: FMA_MIX */
   RAW = 1 << 13,          /* NEG and OP_SEL mean something else; the function looks itself */
   KEEP_DENORMS = 1 << 14, /* moves bits; MODE's denormal bits do not matter */
   READS_VCC = 1 << 15,
   WRITES_EXEC = 1 << 16,
   LITERAL_1 = 1 << 17, /* FMAMK: the second source is the literal */
   LITERAL_2 = 1 << 18, /* FMAAK: the third is */
   NO_CLAMP = 1 << 19,
   NO_OMOD = 1 << 20,
   KEEP_NAN = 1 << 21,        /* a NaN comes through bit by bit */
   FORCE_FLUSH = 1 << 22,     /* f32: denormals are zeros whatever MODE says */
   NEAREST = 1 << 23,         /* rounds to nearest even whatever MODE says */
   UNSURE_IN = 1 << 24,       /* no document says whether denormal inputs are flushed when MODE says so */
   UNSURE_OUT = 1 << 25,      /* nor results */
   CLAMPS = 1 << 26,          /* an integer result saturates when CLAMP is set */
   HIGH_RESULT = 1 << 27,     /* goes to bits 31:16 */
   FLOAT_PAIRS = 1 << 29,     /* RAW, but NEG and OP_SEL are those of packed floats */
   SIGNS = 1 << 30,           /* RAW: NEG says which sources are signed */
   IMMEDIATE = 1 << 28,       /* SOPK: the last source is 16 bits of the instruction */
   UNSURE_ROUNDING = 1u << 31 /* no document says how stores round */
};

struct instance;
struct machine;
struct mode;

/* One lane of one operation: what its function is given and what it answers. */
struct call {
   const struct op *op;
   const struct instance *instance;
   const struct mode *mode;
   const struct machine *machine; /* before */
   struct machine *after;         /* where the function writes if it is called for all lanes */
   bits s[3];                     /* sources; modifiers and flushed denormals are behind us */
   bits old;                      /* what the destination held */
   bool carry;                    /* in, and out; SCC for scalar instructions */
   uint64_t exec;                 /* in, and out (scalar instructions) */
   bool clamp;                    /* for integers; clamping floats is not the function's business */
   unsigned lane, half;
   bits d;
   /* Where hardware only approximates: the least and the greatest value that may come, else both are d. */
   bits low, high;
   bool approximate;
   bool unknown; /* documents and hardware disagree, or say nothing: anything may come */
};

struct op {
   const char *name;
   unsigned flags;
   enum type dst;
   enum type src[3];
   void (*lane)(struct call *call); /* or all lanes at once, in families that are no single lane's affair */
};

struct dpp {
   uint8_t select[8]; /* DPP8 */
   uint16_t control;
   uint8_t row_mask, bank_mask;
   bool bound_ctrl, fetch_inactive;
};

#define INSTANCE_WORDS 5

struct instance {
   const struct op *op;
   enum form form;
   bool wave64;
   struct operand dst, sdst, src[3], carry;
   uint8_t abs, neg; /* a bit for each source */
   uint8_t op_sel;   /* and bit 3 for the destination */
   uint8_t op_sel_hi, neg_hi;
   uint8_t omod; /* 1 *2, 2 *4, 3 /2 */
   bool clamp;
   struct dpp dpp;
   unsigned offset[2];
   /* Buffers and images: the first SGPRs of descriptors, and what the instruction says of data and addresses. */
   unsigned resource, sampler, format, dmask, dim;
   bool idxen, offen, a16, d16;
   uint8_t address[12]; /* images: the VGPR of each address dword */
   char tail[160];      /* what the text ends with, beyond operands and modifiers */
   char text[256];
   uint32_t word[INSTANCE_WORDS];
   /* VOPD: the second operation. */
   const struct op *op_y;
   struct operand dst_y, src_y[3];
   unsigned words; /* 0: LLVM would not have it */
};

/* ---- state ------------------------------------------------------------------------------------------------------ */

/* Fields of MODE (RDNA3 ISA guide, 3.4.2), and the readings of what the guide leaves open. */
struct mode {
   uint32_t raw;
   unsigned round_32, round_16_64; /* 0 nearest even, 1 up, 2 down, 3 toward zero */
   bool flush_in_32, flush_out_32, flush_in_16_64, flush_out_16_64;
   bool dx10_clamp, ieee, fp16_ovfl;
   bool omod_always;             /* operations that never yield denormals obey OMOD although MODE allows denormals */
   bool omod_underflow_positive; /* a scaled result too small to keep is +0, not a zero of its sign */
   bool nan_by_sign;             /* NaN to an integer is the greatest or least one */
   bool stores_nearest;          /* formatted stores round f32 to smaller floats to nearest even, not toward zero */
};

enum {
   READ_INPUTS_KEPT = 1 << 0,
   READ_RESULTS_KEPT = 1 << 1,
   READ_OMOD_ALWAYS = 1 << 2,
   READ_NAN_BY_SIGN = 1 << 3,
   READ_OMOD_UNDERFLOW_POSITIVE = 1 << 4,
   READ_STORES_NEAREST = 1 << 5,
   READINGS = 1 << 6
};

struct mode mode_decode(uint32_t raw, unsigned reading);

#define MODEL_VGPRS 64
#define MODEL_SGPRS 106
#define MODEL_LDS 4096
#define MODEL_MEMORY 4096
#define MODEL_TOLERANCES 256

/* What a result may be besides the one in the registers. */
struct tolerance {
   uint8_t vgpr, lane;
   bool upper; /* in bits 31:16 */
   bool any_nan, anything;
   enum type type;
   bits low, high;
};

struct machine {
   bool wave64;
   uint32_t vgpr[MODEL_VGPRS][64];
   uint32_t sgpr[MODEL_SGPRS];
   uint64_t vcc, exec;
   uint32_t m0, mode;
   uint32_t trapsts, trapsts_unknown; /* EXCP, and which bits of TRAPSTS may be anything; all: nothing is counted */
   bool scc;
   uint8_t lds[MODEL_LDS];
   uint8_t memory[MODEL_MEMORY];
   struct tolerance *tolerance; /* room for MODEL_TOLERANCES; or NULL */
   unsigned tolerances;
   uint64_t unknown_mask; /* lanes whose bits of the mask that was written may be anything */
};

static inline unsigned
lane_count(const struct machine *machine)
{
   return machine->wave64 ? 64 : 32;
}

static inline bool
lane_is_on(const struct machine *machine, unsigned lane)
{
   return machine->exec >> lane & 1;
}

/* ---- families --------------------------------------------------------------------------------------------------- */

struct random;

struct family {
   const char *name;
   const struct op *ops;
   size_t count;
   void (*execute)(const struct instance *instance, struct machine *machine, unsigned reading);
   /* Where any operands and any registers would not do: chosen after the random ones. Or NULL. */
   void (*choose)(struct random *random, struct instance *instance);
   void (*prepare)(struct random *random, const struct instance *instance, struct machine *machine);
   /* Says what else a lane's result came from. Or NULL. */
   void (*describe)(const struct instance *instance, const struct machine *machine, unsigned lane);
};

void valu_execute(const struct instance *instance, struct machine *machine, unsigned reading);
void salu_execute(const struct instance *instance, struct machine *machine, unsigned reading);

/* What a lane reads, DPP included, before modifiers. */
bits valu_source(const struct instance *instance, const struct machine *machine, unsigned s, unsigned lane);
bits operand_value(const struct operand *operand, enum type type, const struct machine *machine, unsigned lane);

/* What llvm-mc calls it, or something with the same operands. */
const char *assembler_name(const struct op *op);

/* Text for llvm-mc. */
void instance_print(struct instance *instance);

/* Fills in the words of each; one run of llvm-mc. */
void instances_assemble(struct instance *instances, size_t count, bool wave64);

#endif
