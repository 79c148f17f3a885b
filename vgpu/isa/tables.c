/* SPDX-License-Identifier: MIT */
/* The descriptions of all instructions, made from the families' tables. */
#include "isa/table.h"

#define OP(opcode, name, d, a, b, c, flags) [opcode] = {#name, TYPE_##d, {TYPE_##a, TYPE_##b, TYPE_##c}, flags}

const struct isa_op isa_sop1[ISA_SOP1_OPS] = {
#define SOP1(opcode, name, d, a, ...) OP(opcode, name, d, a, NONE, NONE, 0),
#define SOP1_EXEC(opcode, name, type, ...) OP(opcode, name, type, type, NONE, NONE, 0),
#define SOP1_WREXEC SOP1_EXEC
#define SOP1_CONTROL(opcode, name, d, a, flags) OP(opcode, name, d, a, NONE, NONE, flags),
#include "isa/sop1.inc"
};

const struct isa_op isa_sop2[ISA_SOP2_OPS] = {
#define SOP2(opcode, name, d, a, b, ...) OP(opcode, name, d, a, b, NONE, 0),
#include "isa/sop2.inc"
};

const struct isa_op isa_sopc[ISA_SOPC_OPS] = {
#define SOPC(opcode, name, a, b, ...) OP(opcode, name, NONE, a, b, NONE, 0),
#include "isa/sopc.inc"
};

const struct isa_op isa_sopk[ISA_SOPK_OPS] = {
#define SOPK(opcode, name, d, ...) OP(opcode, name, d, IMM, NONE, NONE, 0),
#define SOPK_COMPARE SOPK
#define SOPK_CONTROL SOPK
#include "isa/sopk.inc"
};

const struct isa_op isa_sopp[ISA_SOPP_OPS] = {
#define SOPP(opcode, name, flags) OP(opcode, name, NONE, IMM, NONE, NONE, flags),
#define SOPP_HINT SOPP
#define SOPP_BRANCH(opcode, name, condition) SOPP(opcode, name, 0)
#define SOPP_NAME SOPP
#include "isa/sopp.inc"
};

const struct isa_op isa_smem[ISA_SMEM_OPS] = {
#define SMEM_LOAD(opcode, name, d) OP(opcode, name, d, B64, NONE, NONE, OP_LOAD),
#define SMEM_BUFFER(opcode, name, d) OP(opcode, name, d, B128, NONE, NONE, OP_LOAD),
#define SMEM_CACHE(opcode, name) OP(opcode, name, NONE, NONE, NONE, NONE, 0),
#define SMEM_PROBE(opcode, name, a) OP(opcode, name, IMM, a, NONE, NONE, 0),
#include "isa/smem.inc"
};

const struct isa_op isa_vop1[ISA_VOP1_OPS] = {
#define VOP1(opcode, name, d, a, flags, ...) OP(opcode, name, d, a, NONE, NONE, flags),
#define VOP1_WHOLE VOP1
#include "isa/vop1.inc"
};

const struct isa_op isa_vop2[ISA_VOP2_OPS] = {
#define VOP2(opcode, name, d, a, b, c, flags, ...) OP(opcode, name, d, a, b, c, flags),
#define VOP2_CARRY(opcode, name, d, a, b, c, flags, ...) OP(opcode, name, d, a, b, c, (flags) | OP_CARRY),
#include "isa/vop2.inc"
};

const struct isa_op isa_vopc[ISA_VOPC_OPS] = {
#define VOPC(opcode, name, a, b, flags, ...) \
   OP(opcode, v_cmp_##name, VCC, a, b, NONE, flags), OP(128 + opcode, v_cmpx_##name, NONE, a, b, NONE, flags),
#define VOPC_CLASS(opcode, name, a, b, ...) VOPC(opcode, name, a, b, OP_RAW)
#include "isa/vopc.inc"
};

const struct isa_op isa_vop3[ISA_VOP3_OPS] = {
#define VOP3(opcode, name, d, a, b, c, flags, ...) OP(opcode, name, d, a, b, c, flags),
#define VOP3_WHOLE VOP3
#define VOP3_CARRY(opcode, name, d, a, b, c, flags, ...) OP(opcode, name, d, a, b, c, (flags) | OP_CARRY),
#include "isa/vop3.inc"
};

const struct isa_op isa_vop3p[ISA_VOP3P_OPS] = {
#define VOP3P(opcode, name, d, a, b, c, flags, ...) OP(opcode, name, d, a, b, c, flags),
#define VOP3P_MIX(opcode, name, d, flags, ...) OP(opcode, name, d, MIX, MIX, MIX, (flags) | OP_MIX),
#define VOP3P_WHOLE VOP3P
#include "isa/vop3p.inc"
};

const struct isa_op isa_vopd[ISA_VOPD_OPS] = {
#define VOPD(opcode, name, a, b, c, ...) \
   OP(opcode, name, B32, a, b, c, opcode == 2 ? OP_FMAMK : opcode == 10 || opcode == 11 ? OP_MINMAX : 0),
#include "isa/vopd.inc"
};

const struct isa_op isa_vinterp[ISA_VINTERP_OPS] = {
#define VINTERP_NAME(opcode, name, d, a, b, c) OP(opcode, name, d, a, b, c, OP_CLAMP),
#include "isa/vinterp.inc"
};

const struct isa_op isa_ldsdir[ISA_LDSDIR_OPS] = {
#define LDSDIR_NAME(opcode, name) OP(opcode, name, B32, NONE, NONE, NONE, 0),
#include "isa/ldsdir.inc"
};

const struct isa_op isa_ds[ISA_DS_OPS] = {
#define DS_LOAD(opcode, name, d, ...) OP(opcode, name, d, B32, NONE, NONE, OP_LOAD),
#define DS_STORE(opcode, name, data, ...) OP(opcode, name, NONE, B32, data, NONE, OP_STORE),
#define DS_LOAD2(opcode, name, d, ...) OP(opcode, name, d, B32, NONE, NONE, OP_LOAD | OP_2ADDR),
#define DS_STORE2(opcode, name, data, ...) OP(opcode, name, NONE, B32, data, data, OP_STORE | OP_2ADDR),
#define DS_XCHG2(opcode, name, d, data, ...) OP(opcode, name, d, B32, data, data, OP_ATOMIC | OP_2ADDR),
#define DS_ATOMIC(opcode, name, d, data, second, ...) OP(opcode, name, d, B32, data, second, OP_ATOMIC),
#define DS_OTHER(opcode, name, d, address, data, flags) OP(opcode, name, d, address, data, NONE, flags),
#define DS_STACK DS_NAME
#define DS_NAME(opcode, name, d, address, data, second, flags) OP(opcode, name, d, address, data, second, flags),
#include "isa/ds.inc"
};

/* The families that share memory.inc differ in what their names begin with. */
#define MEMORY(opcode, name, d, data, flags) \
   [opcode] = {SEGMENT "_" #name, TYPE_##d, {TYPE_NONE, TYPE_##data, TYPE_NONE}, flags},
#define MEMORY_LOAD(opcode, name, d, ...) MEMORY(opcode, name, d, NONE, OP_LOAD)
#define MEMORY_STORE(opcode, name, data, ...) MEMORY(opcode, name, NONE, data, OP_STORE)
#define MEMORY_ATOMIC(opcode, name, d, data, ...) MEMORY(opcode, name, d, data, OP_ATOMIC)
#define MEMORY_ATOMIC_CSUB MEMORY_ATOMIC

const struct isa_op isa_global[ISA_FLAT_OPS] = {
#define SEGMENT "global"
#include "isa/memory.inc"
   MEMORY(ISA_GLOBAL_LOAD_ADDTID, load_addtid_b32, B32, NONE, OP_LOAD | OP_ADDTID)
      MEMORY(ISA_GLOBAL_STORE_ADDTID, store_addtid_b32, NONE, B32, OP_STORE | OP_ADDTID)
#undef SEGMENT
};

const struct isa_op isa_mubuf[ISA_MUBUF_OPS] = {
#define SEGMENT "buffer"
#include "isa/memory.inc"
#undef SEGMENT
#define MUBUF_FORMAT(opcode, name, data, flags) \
   [opcode] = {#name, TYPE_##data, {TYPE_NONE, TYPE_##data, TYPE_NONE}, flags},
#define MUBUF_FORMAT_LOAD(opcode, name, data, ...) MUBUF_FORMAT(opcode, name, data, OP_LOAD)
#define MUBUF_FORMAT_STORE(opcode, name, data, ...) MUBUF_FORMAT(opcode, name, data, OP_STORE)
#define MUBUF_LDS(opcode, name, ...) OP(opcode, name, NONE, NONE, NONE, NONE, OP_LOAD),
#define MUBUF_FORMAT_LDS MUBUF_LDS
#define MUBUF_CACHE(opcode, name) OP(opcode, name, NONE, NONE, NONE, NONE, 0),
#include "isa/mubuf.inc"
};

const struct isa_op isa_flat[ISA_FLAT_OPS] = {
#define SEGMENT "flat"
#undef MEMORY_ATOMIC_CSUB
#define MEMORY_ATOMIC_CSUB(...)
#include "isa/memory.inc"
#undef SEGMENT
};

const struct isa_op isa_scratch[ISA_FLAT_OPS] = {
#define SEGMENT "scratch"
#undef MEMORY_ATOMIC
#define MEMORY_ATOMIC(...)
#include "isa/memory.inc"
};

const struct isa_op isa_mtbuf[ISA_MTBUF_OPS] = {
#define MTBUF_LOAD MUBUF_FORMAT_LOAD
#define MTBUF_STORE MUBUF_FORMAT_STORE
#include "isa/mtbuf.inc"
};

const struct isa_op isa_mimg[ISA_MIMG_OPS] = {
#define MIMG_LOAD(opcode, name, ...) OP(opcode, name, B128, NONE, NONE, NONE, OP_LOAD),
#define MIMG_STORE(opcode, name, ...) OP(opcode, name, NONE, NONE, B128, NONE, OP_STORE),
#define MIMG_ATOMIC(opcode, name, ...) OP(opcode, name, B128, NONE, B128, NONE, OP_ATOMIC),
#define MIMG_OTHER MIMG_LOAD
#define MIMG_SAMPLE(opcode, name) OP(opcode, name, B128, NONE, NONE, NONE, OP_LOAD | OP_SAMPLER),
#define MIMG_BVH(opcode, name) OP(opcode, name, B128, NONE, NONE, NONE, OP_LOAD | OP_R128),
#include "isa/mimg.inc"
};

unsigned
isa_type_dwords(enum isa_type type)
{
   switch (type) {
   case TYPE_NONE:
   case TYPE_IMM:
      return 0;
   case TYPE_B64:
   case TYPE_U64:
   case TYPE_I64:
   case TYPE_F64:
      return 2;
   case TYPE_B96:
      return 3;
   case TYPE_B128:
      return 4;
   case TYPE_B256:
      return 8;
   case TYPE_B512:
      return 16;
   default:
      return 1;
   }
}

unsigned
isa_operand_dwords(const struct inst *inst, enum isa_type type)
{
   if (type == TYPE_MATRIX)
      return inst->flags & INST_WAVE64 ? 4 : 8;
   return isa_type_dwords(type);
}

bool
isa_type_is_float(enum isa_type type)
{
   switch (type) {
   case TYPE_F16:
   case TYPE_BF16:
   case TYPE_F32:
   case TYPE_F64:
   case TYPE_PF16:
   case TYPE_PBF16:
   case TYPE_MIX:
      return true;
   default:
      return false;
   }
}

/* Of the 16-bit kind, whose registers may be halves. */
bool
isa_type_is_half(enum isa_type type)
{
   return type == TYPE_VGPR16 || type == TYPE_B16 || type == TYPE_U16 || type == TYPE_I16 || type == TYPE_F16 ||
          type == TYPE_BF16;
}

static bool baseline_only;

void
isa_use_baseline(bool use)
{
   baseline_only = use;
}

static bool
has_v3(void)
{
   return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
}

const struct isa_valu *
isa_valu(bool wave64, bool exceptions)
{
   if (exceptions)
      return wave64 ? &isa_valu_64_exceptions : &isa_valu_32_exceptions;
   if (has_v3() && !baseline_only)
      return wave64 ? &isa_valu_64_v3 : &isa_valu_32_v3;
   return wave64 ? &isa_valu_64_v1 : &isa_valu_32_v1;
}
