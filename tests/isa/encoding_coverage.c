/* SPDX-License-Identifier: MIT */
/* That the random encodings have reached everything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "encoding_line.h"

/* Parts of the text: every modifier, every kind of operand. */
static const char *const parts[] = {
   "_e32 ",
   "_e64 ",
   "_dpp ",
   "_e64_dpp ",
   " :: ",
   /* operands */
   " s1",
   " s[",
   " v1",
   " v[",
   " vcc",
   "vcc_lo",
   "vcc_hi",
   "exec_lo",
   "exec_hi",
   " exec",
   "ttmp",
   " m0",
   " null",
   "src_scc",
   "src_shared_base",
   "src_shared_limit",
   "src_private_base",
   "src_private_limit",
   " 0x",
   " 64",
   " -1",
   " -16",
   " 0.5",
   " -0.5",
   " 1.0",
   " -1.0",
   " 2.0",
   " -2.0",
   " 4.0",
   " -4.0",
   "0.15915494",
   "0.15915494309189532",
   " off",
   /* the vector ALU */
   " clamp",
   " mul:2",
   " mul:4",
   " div:2",
   "neg(",
   " -v",
   " -s",
   "|v",
   "|s",
   "-|v",
   "sext(",
   " op_sel:[",
   " op_sel_hi:[",
   " neg_lo:[",
   " neg_hi:[",
   " dpp8:[",
   " fi:1",
   " quad_perm:[",
   " row_shl:",
   " row_shr:",
   " row_ror:",
   " row_mirror",
   " row_half_mirror",
   " row_share:",
   " row_xmask:",
   " row_mask:0x",
   " bank_mask:0x",
   " bound_ctrl:1",
   " wait_exp:",
   " wait_vdst:",
   "attr1",
   /* scalar */
   "hwreg(HW_REG_MODE",
   "hwreg(HW_REG_HW_ID1, ",
   "sendmsg(MSG_",
   "sendmsg(MSG_RTN_",
   "vmcnt(",
   "lgkmcnt(",
   "expcnt(",
   "depctr_",
   "instid0(",
   "instskip(",
   "instid1(",
   /* memory */
   " offset:",
   " offset:-",
   " offset:0x",
   " offset0:",
   " offset1:",
   " gds",
   " glc",
   " slc",
   " dlc",
   " tfe",
   " idxen",
   " offen",
   " idxen offen",
   " format:[BUF_FMT_",
   " format:1",
   "swizzle(QUAD_PERM,",
   "swizzle(BITMASK_PERM,",
   "swizzle(SWAP,",
   "swizzle(REVERSE,",
   "swizzle(BROADCAST,",
   /* images */
   " dmask:0x",
   " dim:SQ_RSRC_IMG_1D ",
   " dim:SQ_RSRC_IMG_2D ",
   " dim:SQ_RSRC_IMG_3D ",
   " dim:SQ_RSRC_IMG_CUBE ",
   " dim:SQ_RSRC_IMG_1D_ARRAY ",
   " dim:SQ_RSRC_IMG_2D_ARRAY ",
   " dim:SQ_RSRC_IMG_2D_MSAA ",
   " dim:SQ_RSRC_IMG_2D_MSAA_ARRAY ",
   ", [v",
   " unorm",
   " r128",
   " a16",
   " lwe",
   " d16",
};
enum { PARTS = sizeof parts / sizeof parts[0], LEAST = 1 };

static const struct {
   const struct isa_op *ops;
   unsigned count;
} tables[] = {
   {isa_sop1, ISA_SOP1_OPS},       {isa_sop2, ISA_SOP2_OPS},     {isa_sopc, ISA_SOPC_OPS},   {isa_sopk, ISA_SOPK_OPS},
   {isa_sopp, ISA_SOPP_OPS},       {isa_smem, ISA_SMEM_OPS},     {isa_vop1, ISA_VOP1_OPS},   {isa_vop2, ISA_VOP2_OPS},
   {isa_vopc, ISA_VOPC_OPS},       {isa_vop3, ISA_VOP3_OPS},     {isa_vop3p, ISA_VOP3P_OPS}, {isa_vopd, ISA_VOPD_OPS},
   {isa_vinterp, ISA_VINTERP_OPS}, {isa_ldsdir, ISA_LDSDIR_OPS}, {isa_ds, ISA_DS_OPS},       {isa_flat, ISA_FLAT_OPS},
   {isa_global, ISA_FLAT_OPS},     {isa_scratch, ISA_FLAT_OPS},  {isa_mubuf, ISA_MUBUF_OPS}, {isa_mtbuf, ISA_MTBUF_OPS},
   {isa_mimg, ISA_MIMG_OPS},
};
enum { TABLES = sizeof tables / sizeof tables[0] };

struct coverage {
   unsigned part[PARTS];
   unsigned op[TABLES][ISA_VOP3_OPS];
};

struct coverage *
coverage_create(void)
{
   return calloc(1, sizeof(struct coverage));
}

void
coverage_destroy(struct coverage *coverage)
{
   free(coverage);
}

static void
count_op(struct coverage *coverage, const struct isa_op *op)
{
   for (unsigned t = 0; op && t < TABLES; t++) {
      if (op >= tables[t].ops && op < tables[t].ops + tables[t].count)
         coverage->op[t][op - tables[t].ops]++;
   }
}

void
coverage_add(struct coverage *coverage, const struct line *line)
{
   count_op(coverage, line->inst.op);
   count_op(coverage, line->inst.op_y);
   char text[TEXT + 1];
   snprintf(text, sizeof text, "%s ", line->ours); /* so that any modifier ends in a space */
   for (unsigned p = 0; p < PARTS; p++)
      coverage->part[p] += strstr(text, parts[p]) != NULL;
}

/* Whether anything is missing; waves of 64 have no VOPD and no matrices of eight registers, LLVM no v_swap_b16. */
bool
coverage_has_gaps(const struct coverage *coverage, bool wave64)
{
   bool gaps = false;
   for (unsigned p = 0; p < PARTS; p++) {
      if (coverage->part[p] >= LEAST || (wave64 && !strcmp(parts[p], " :: ")))
         continue;
      print_error("\"%s\": %u times\n", parts[p], coverage->part[p]);
      gaps = true;
   }
   for (unsigned t = 0; t < TABLES; t++) {
      for (unsigned i = 0; i < tables[t].count; i++) {
         const char *name = tables[t].ops[i].name;
         if (!name || coverage->op[t][i] >= LEAST || (wave64 && tables[t].ops == isa_vopd) ||
             !strcmp(name, "v_swap_b16"))
            continue;
         print_error("%s: %u times\n", name, coverage->op[t][i]);
         gaps = true;
      }
   }
   return gaps;
}
