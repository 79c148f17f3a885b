/* SPDX-License-Identifier: MIT */
/* Scalar instructions as text, and which printer is in charge of the others. */
#include "isa/print.h"

static void
put_name_of(struct text *text, const char *const *names, unsigned count, unsigned value)
{
   if (value < count && names[value])
      put(text, "%s", names[value]);
   else
      put(text, "%u", value);
}

/* hwreg(id, offset, size) */
static void
put_hwreg(struct text *text, unsigned imm)
{
   static const char *const names[] = {
      [1] = "HW_REG_MODE",
      [2] = "HW_REG_STATUS",
      [3] = "HW_REG_TRAPSTS",
      [5] = "HW_REG_GPR_ALLOC",
      [6] = "HW_REG_LDS_ALLOC",
      [7] = "HW_REG_IB_STS",
      [15] = "HW_REG_SH_MEM_BASES",
      [18] = "HW_REG_PERF_SNAPSHOT_PC_LO",
      [19] = "HW_REG_PERF_SNAPSHOT_PC_HI",
      [20] = "HW_REG_FLAT_SCR_LO",
      [21] = "HW_REG_FLAT_SCR_HI",
      [23] = "HW_REG_HW_ID1",
      [24] = "HW_REG_HW_ID2",
      [27] = "HW_REG_PERF_SNAPSHOT_DATA",
      [29] = "HW_REG_SHADER_CYCLES",
   };
   unsigned offset = imm >> 6 & 31, size = (imm >> 11 & 31) + 1;
   put(text, "hwreg(");
   put_name_of(text, names, sizeof names / sizeof names[0], imm & 63);
   if (offset || size != 32)
      put(text, ", %u, %u", offset, size);
   put(text, ")");
}

static void
put_message(struct text *text, unsigned imm)
{
   static const char *const names[] = {
      [1] = "MSG_INTERRUPT",
      [2] = "MSG_HS_TESSFACTOR",
      [3] = "MSG_DEALLOC_VGPRS",
      [5] = "MSG_STALL_WAVE_GEN",
      [6] = "MSG_HALT_WAVES",
      [9] = "MSG_GS_ALLOC_REQ",
      [0x80] = "MSG_RTN_GET_DOORBELL",
      [0x81] = "MSG_RTN_GET_DDID",
      [0x82] = "MSG_RTN_GET_TMA",
      [0x83] = "MSG_RTN_GET_REALTIME",
      [0x84] = "MSG_RTN_SAVE_WAVE",
      [0x85] = "MSG_RTN_GET_TBA",
      [0x86] = "MSG_RTN_GET_TBA_TO_PC",
   };
   unsigned id = imm & 0xff;
   if (id < sizeof names / sizeof names[0] && names[id])
      put(text, "sendmsg(%s)", names[id]);
   else if (imm >> 8)
      put(text, "%u", imm);
   else
      put(text, "sendmsg(%u, 0, 0)", id);
}

/* s_waitcnt: only counters that are waited for, all of them if none is. */
static void
put_waitcnt(struct text *text, unsigned imm)
{
   unsigned exp = imm & 7, lgkm = imm >> 4 & 63, vm = imm >> 10 & 63;
   bool all = exp == 7 && lgkm == 63 && vm == 63, any = false;
   const struct {
      const char *name;
      unsigned value, most;
   } counters[3] = {{"vmcnt", vm, 63}, {"expcnt", exp, 7}, {"lgkmcnt", lgkm, 63}};
   for (unsigned i = 0; i < 3; i++) {
      if (!all && counters[i].value == counters[i].most)
         continue;
      put(text, "%s%s(%u)", any ? " " : "", counters[i].name, counters[i].value);
      any = true;
   }
}

static void
put_delay_id(struct text *text, const char *what, unsigned id, bool *any)
{
   static const char *const names[] = {
      "NO_DEP",        "VALU_DEP_1",    "VALU_DEP_2",        "VALU_DEP_3",   "VALU_DEP_4",   "TRANS32_DEP_1",
      "TRANS32_DEP_2", "TRANS32_DEP_3", "FMA_ACCUM_CYCLE_1", "SALU_CYCLE_1", "SALU_CYCLE_2", "SALU_CYCLE_3",
   };
   if (!id)
      return;
   put(text, "%s%s(%s)", *any ? " | " : "", what,
       id < sizeof names / sizeof names[0] ? names[id] : "/* invalid instid value */");
   *any = true;
}

/* s_delay_alu: instid0 3:0, instskip 6:4, instid1 10:7. */
static void
put_delay(struct text *text, unsigned imm)
{
   static const char *const skips[] = {"SAME", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"};
   bool any = false;
   unsigned skip = imm >> 4 & 7;
   put_delay_id(text, "instid0", imm & 15, &any);
   if (skip) {
      put(text, "%sinstskip(%s)", any ? " | " : "", skip < 6 ? skips[skip] : "/* invalid instskip value */");
      any = true;
   }
   put_delay_id(text, "instid1", imm >> 7 & 15, &any);
   if (!any)
      put(text, "0");
}

/* s_waitcnt_depctr: fields that are not at their default; the bits between them must be set. */
static void
put_depctr(struct text *text, unsigned imm)
{
   static const struct {
      const char *name;
      unsigned shift, bits;
   } fields[] = {
      {"hold_cnt", 7, 1}, {"sa_sdst", 0, 1}, {"va_vdst", 12, 4}, {"va_sdst", 9, 3},
      {"va_ssrc", 8, 1},  {"va_vcc", 1, 1},  {"vm_vsrc", 2, 3},
   };
   unsigned known = 0;
   bool all_default = true, any = false;
   for (unsigned i = 0; i < 7; i++) {
      unsigned most = (1u << fields[i].bits) - 1;
      known |= most << fields[i].shift;
      all_default &= (imm >> fields[i].shift & most) == most;
   }
   if ((imm & ~known & 0xffff) || all_default) {
      put(text, "0x%x", imm);
      return;
   }
   for (unsigned i = 0; i < 7; i++) {
      unsigned most = (1u << fields[i].bits) - 1, value = imm >> fields[i].shift & most;
      if (value == most)
         continue;
      put(text, "%sdepctr_%s(%u)", any ? " " : "", fields[i].name, value);
      any = true;
   }
}

/* An immediate of 16 bits: in decimal if it looks like a small one, or in hexadecimal where LLVM always does so. */
static void
put_imm16(struct text *text, unsigned imm, bool hexadecimal)
{
   if (!hexadecimal && imm <= 64)
      put(text, "%u", imm);
   else
      put(text, "0x%x", imm);
}

static void
print_sopp(const struct inst *inst, struct text *text)
{
   unsigned imm = (uint16_t)inst->offset, opcode = inst->word[0] >> 16 & 0x7f;
   if (inst->op->flags & OP_NO_IMM)
      return;
   if (opcode == 48 && !imm) /* s_endpgm */
      return;
   put(text, " ");
   switch (opcode) {
   case 4:  /* s_set_inst_prefetch_distance */
   case 5:  /* s_clause */
   case 11: /* s_wait_event */
   case 17: /* s_round_mode */
   case 59: /* s_ttracedata_imm */
      put_imm16(text, imm, true);
      break;
   case 7:
      put_delay(text, imm);
      break;
   case 8:
      put_depctr(text, imm);
      break;
   case 9:
      put_waitcnt(text, imm);
      break;
   case 54:
   case 55:
      put_message(text, imm);
      break;
   default:
      if ((opcode >= 32 && opcode <= 42) || opcode == 48) /* branches, s_endpgm */
         put(text, "%u", imm);
      else
         put_imm16(text, imm, false);
      break;
   }
}

/* s_version: the generation in 6:0, what the code was made for in 15:13. */
static void
put_version(struct text *text, unsigned imm)
{
   static const char *const generations[] = {
      [0] = "UC_VERSION_GFX7", [4] = "UC_VERSION_GFX10", [6] = "UC_VERSION_GFX11"};
   static const char *const bits[] = {"UC_VERSION_W64_BIT", "UC_VERSION_W32_BIT", "UC_VERSION_MDP_BIT"};
   if (imm & 0x1f80 || !(imm & 0x7f)) {
      put_imm16(text, imm, true);
      return;
   }
   unsigned set = imm >> 13;
   for (unsigned left = set & (set - 1); left; left &= left - 1)
      put(text, "(");
   put_name_of(text, generations, sizeof generations / sizeof generations[0], imm & 0x7f);
   bool more = false;
   for (unsigned i = 0; i < 3; i++) {
      if (!(set >> i & 1))
         continue;
      put(text, "%s|%s", more ? ")" : "", bits[i]);
      more = true;
   }
}

static void
print_sopk(const struct inst *inst, struct text *text)
{
   unsigned imm = (uint16_t)inst->offset, opcode = inst->word[0] >> 23 & 0x1f;
   put(text, " ");
   switch (opcode) {
   case 1:
      put_version(text, imm);
      return;
   case 17:
      put_scalar(text, inst->dst, 1);
      put(text, ", ");
      put_hwreg(text, imm);
      return;
   case 18:
      put_hwreg(text, imm);
      put(text, ", ");
      put_scalar(text, inst->dst, 1);
      return;
   case 19:
      put_hwreg(text, imm);
      put(text, ", ");
      put_constant32(text, inst->literal);
      return;
   case 20: /* s_call_b64 and the subvector loops branch */
   case 22:
   case 23:
      put_scalar(text, inst->dst, isa_type_dwords(inst->op->dst));
      put(text, ", %u", imm);
      return;
   default:
      put_scalar(text, inst->dst, 1);
      put(text, ", ");
      put_imm16(text, imm, true);
      return;
   }
}

static void
print_scalar(const struct inst *inst, struct text *text)
{
   bool first = true;
   if (inst->op->dst != TYPE_NONE) {
      put_separator(text, &first);
      put_scalar(text, inst->dst, isa_type_dwords(inst->op->dst));
   }
   for (unsigned n = 0; n < 2; n++) {
      if (inst->op->src[n] == TYPE_NONE)
         continue;
      put_separator(text, &first);
      if (inst->op->src[n] == TYPE_IMM)
         put_message(text, (unsigned)inst->offset);
      else
         put_source(text, inst, n, inst->op->src[n]);
   }
}

static void
print_smem(const struct inst *inst, struct text *text)
{
   bool first = true;
   if (inst->op->src[0] == TYPE_NONE)
      return;
   put_separator(text, &first);
   if (inst->op->dst == TYPE_IMM)
      put_imm16(text, inst->dst, false);
   else
      put_scalar(text, inst->dst, isa_type_dwords(inst->op->dst));
   put_separator(text, &first);
   put_scalar(text, inst->src[0], isa_type_dwords(inst->op->src[0]));
   put_separator(text, &first);
   bool has_soffset = inst->src[1] != 124;
   if (has_soffset)
      put_scalar(text, inst->src[1], 1);
   if (has_soffset && inst->offset)
      put(text, " offset:");
   if (!has_soffset || inst->offset)
      put(text, inst->offset < 0 ? "-0x%x" : "0x%x", inst->offset < 0 ? -inst->offset : inst->offset);
   put_caching(text, inst);
}

int
isa_print(const struct inst *inst, uint64_t pc, char *buffer, size_t size)
{
   struct text text = {buffer, size, 0};
   if (size)
      buffer[0] = 0;
   if (!inst->op) {
      put(&text, ".long 0x%08x", inst->word[0]);
      return (int)text.length;
   }
   switch (inst->encoding) {
   case ISA_SOP1:
   case ISA_SOP2:
   case ISA_SOPC:
      put(&text, "%s", inst->op->name);
      print_scalar(inst, &text);
      break;
   case ISA_SOPK:
      put(&text, "%s", inst->op->name);
      print_sopk(inst, &text);
      break;
   case ISA_SOPP:
      put(&text, "%s", inst->op->name);
      print_sopp(inst, &text);
      break;
   case ISA_SMEM:
      put(&text, "%s", inst->op->name);
      print_smem(inst, &text);
      break;
   case ISA_DS:
   case ISA_FLAT:
   case ISA_GLOBAL:
   case ISA_SCRATCH:
   case ISA_MUBUF:
   case ISA_MTBUF:
      print_memory(inst, &text);
      break;
   case ISA_MIMG:
      print_image(inst, &text);
      break;
   case ISA_EXP: /* by its name alone */
      put(&text, "%s", inst->op->name);
      break;
   default:
      print_vector(inst, &text);
      break;
   }
   return (int)text.length;
}
