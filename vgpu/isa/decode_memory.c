/* SPDX-License-Identifier: MIT */
/* DS, FLAT, MUBUF, MTBUF and MIMG (RDNA3 ISA guide, 15.6 to 15.9). Operands are checked by the kind of access. */
#include <errno.h>
#include <string.h>

#include "isa/decode.h"
#include "isa/mimg.h"

static int
check_vgprs(unsigned first, unsigned dwords)
{
   return first + dwords <= 256 ? 0 : -EINVAL;
}

/* ---- LDS ---- */

/* Fields of operands that an instruction does not have must be 0. */
int
decode_ds(struct inst *inst, size_t size)
{
   unsigned opcode = field(inst, 18, 8);
   inst->encoding = ISA_DS;
   inst->size = 8;
   if (size < 8)
      return -ENODATA;
   if (!(inst->op = LOOKUP(isa_ds, opcode)))
      return -EINVAL;
   inst->execute = execute_ds[opcode];
   inst->flags |= INST_VGPR | (field(inst, 17, 1) ? INST_GDS : 0);
   if (inst->op->flags & (inst->flags & INST_GDS ? OP_NO_GDS : OP_GDS_ONLY))
      return -EINVAL;
   inst->offset = (int32_t)field(inst, 0, 16);
   if (opcode == ISA_DS_NOP)
      TRY(unused_field(inst, field(inst, 0, 16)));
   inst->dst = (uint16_t)field(inst, 56, 8);
   if (inst->op->dst == TYPE_NONE)
      TRY(unused_field(inst, inst->dst));
   TRY(check_vgprs(inst->dst, isa_type_dwords(inst->op->dst)));
   for (unsigned n = 0; n < 3; n++) {
      unsigned vgpr = field(inst, 32 + 8 * n, 8);
      if (inst->op->src[n] == TYPE_NONE)
         TRY(unused_field(inst, vgpr));
      TRY(check_vgprs(vgpr, isa_type_dwords(inst->op->src[n])));
      inst->src[n] = (uint16_t)(SRC_VGPR0 + vgpr);
   }
   return 0;
}

/* ---- FLAT, GLOBAL, SCRATCH ---- */

static int
flat_operands(struct inst *inst, unsigned saddr)
{
   const struct isa_op *op = inst->op;
   bool has_vaddr = !(op->flags & OP_ADDTID);
   unsigned vaddr = inst->src[0] - SRC_VGPR0, data = inst->src[1] - SRC_VGPR0;
   bool returns = op->flags & OP_LOAD || (op->flags & OP_ATOMIC && inst->flags & INST_GLC);

   if (returns && check_vgprs(inst->dst, isa_type_dwords(op->dst)))
      return -EINVAL;
   if (op->src[1] != TYPE_NONE && check_vgprs(data, isa_type_dwords(op->src[1])))
      return -EINVAL;

   bool no_saddr = saddr == SRC_NULL;
   if (inst->encoding == ISA_SCRATCH) {
      if (saddr == 127) /* all but EXEC_HI */
         return -EINVAL;
   } else if (inst->flags & INST_OFFEN || (inst->encoding == ISA_FLAT && !no_saddr)) {
      return -EINVAL;
   } else if (inst->encoding == ISA_GLOBAL && !no_saddr) {
      struct inst pair = {0};
      if (decode_source(&pair, 0, saddr, TYPE_B64))
         return -EINVAL;
      saddr = pair.src[0];
   }
   /* Without SADDR the address is a pair of VGPRs. */
   if (inst->encoding != ISA_SCRATCH && has_vaddr && (no_saddr || inst->encoding == ISA_FLAT) && vaddr + 2 > 256)
      return -EINVAL;
   inst->src[2] = (uint16_t)saddr;
   return 0;
}

/* VADDR, VDATA and SADDR; what of them the text shows is the printer's business. */
int
decode_flat(struct inst *inst, size_t size)
{
   static const struct isa_op *const ops[3] = {isa_flat, isa_scratch, isa_global};
   static const isa_execute_fn *const functions[3] = {execute_flat, execute_scratch, execute_global};
   static const uint8_t encodings[3] = {ISA_FLAT, ISA_SCRATCH, ISA_GLOBAL};
   unsigned opcode = field(inst, 18, 7), segment = field(inst, 16, 2);
   inst->size = 8;
   if (segment > 2)
      return -EINVAL;
   if (size < 8)
      return -ENODATA;
   inst->encoding = encodings[segment];
   if (!(inst->op = lookup(ops[segment], ISA_FLAT_OPS, opcode)))
      return -EINVAL;
   inst->execute = functions[segment][opcode];
   inst->flags |= INST_VGPR | (field(inst, 13, 1) ? INST_DLC : 0) | (field(inst, 14, 1) ? INST_GLC : 0) |
                  (field(inst, 15, 1) ? INST_SLC : 0) | (field(inst, 55, 1) ? INST_OFFEN : 0);
   /* 13 bits, signed; FLAT has 12, unsigned. */
   inst->offset = segment == 0 ? (int32_t)field(inst, 0, 12) : (int32_t)(field(inst, 0, 13) << 19) >> 19;
   inst->src[0] = (uint16_t)(SRC_VGPR0 + field(inst, 32, 8));
   inst->src[1] = (uint16_t)(SRC_VGPR0 + field(inst, 40, 8));
   inst->dst = (uint16_t)field(inst, 56, 8);
   return flat_operands(inst, field(inst, 48, 7));
}

/* ---- buffers ---- */

static int
buffer_operands(struct inst *inst, unsigned vaddr, unsigned srsrc, unsigned soffset)
{
   const struct isa_op *op = inst->op;
   bool loads_lds = op->dst == TYPE_NONE && op->src[1] == TYPE_NONE && op->flags & OP_LOAD;
   if (op->dst == TYPE_NONE && op->src[1] == TYPE_NONE && !loads_lds) /* cache control */
      return inst->flags & (INST_GLC | INST_DLC | INST_TFE | INST_OFFEN | INST_IDXEN) ? -EINVAL : 0;
   unsigned data = isa_type_dwords(op->src[1] != TYPE_NONE ? op->src[1] : op->dst);
   if (inst->flags & INST_TFE && data)
      data++;
   unsigned addresses = !!(inst->flags & INST_OFFEN) + !!(inst->flags & INST_IDXEN);
   if (inst->dst + data > 256 || vaddr + addresses > 256)
      return -EINVAL;
   struct inst quad = {0};
   if (srsrc == SRC_NULL || soffset == SRC_LDS_DIRECT ||
       (inst->flags & INST_TFE && (inst->encoding == ISA_MTBUF || loads_lds || op->flags & OP_ATOMIC)))
      return -EINVAL;
   if (decode_source(&quad, 0, srsrc, TYPE_B128))
      return -EINVAL;
   inst->src[0] = (uint16_t)(SRC_VGPR0 + vaddr);
   inst->src[1] = quad.src[0];
   return decode_source(inst, 2, soffset, TYPE_B32);
}

int
decode_buffer(struct inst *inst, size_t size)
{
   bool typed = inst->word[0] >> 26 == 0x3a;
   unsigned opcode = typed ? field(inst, 15, 4) : field(inst, 18, 8);
   inst->encoding = typed ? ISA_MTBUF : ISA_MUBUF;
   inst->size = 8;
   if (size < 8)
      return -ENODATA;
   if (!(inst->op = typed ? LOOKUP(isa_mtbuf, opcode) : LOOKUP(isa_mubuf, opcode)))
      return -EINVAL;
   inst->execute = typed ? execute_mtbuf[opcode] : execute_mubuf[opcode];
   inst->flags |= INST_VGPR | (field(inst, 12, 1) ? INST_SLC : 0) | (field(inst, 13, 1) ? INST_DLC : 0) |
                  (field(inst, 14, 1) ? INST_GLC : 0) | (field(inst, 53, 1) ? INST_TFE : 0) |
                  (field(inst, 54, 1) ? INST_OFFEN : 0) | (field(inst, 55, 1) ? INST_IDXEN : 0);
   inst->offset = (int32_t)field(inst, 0, 12);
   if (typed)
      inst->opcode_x = (uint8_t)field(inst, 19, 7); /* format */
   inst->dst = (uint16_t)field(inst, 40, 8);
   bool has_operands = inst->op->src[1] != TYPE_NONE || inst->op->flags & OP_LOAD;
   if (has_operands && field(inst, 56, 8) == SRC_LITERAL)
      TRY(take_dword(inst, size, &inst->literal));
   return buffer_operands(inst, field(inst, 32, 8), field(inst, 48, 5) * 4, field(inst, 56, 8));
}

/* ---- images ---- */

/* What is not a choice: rays have everything fixed but A16, and D16 is for components that are converted. */
static bool
fields_allowed(const struct inst *inst, const struct mimg *mimg)
{
   const char *name = inst->op->name;
   if (inst->op->flags & OP_R128)
      return mimg->dim == 0 && mimg->dmask == 15 && mimg->unrm && mimg->r128 && !mimg->d16 && !mimg->tfe &&
             !mimg->lwe && !(inst->flags & (INST_GLC | INST_SLC | INST_DLC));
   bool converts = !(inst->op->flags & OP_ATOMIC) && !strstr(name, "_pck") && !strstr(name, "_get_");
   return converts || !mimg->d16;
}

static int
image_operands(struct inst *inst, unsigned srsrc, unsigned ssamp)
{
   struct inst operand = {0};
   bool samples = inst->op->flags & OP_SAMPLER;
   if (srsrc == SRC_NULL || decode_source(&operand, 0, srsrc, inst->op->flags & OP_R128 ? TYPE_B128 : TYPE_B256))
      return -EINVAL;
   inst->src[1] = operand.src[0];
   if (samples && (ssamp == SRC_NULL || decode_source(&operand, 1, ssamp, TYPE_B128)))
      return -EINVAL;
   inst->src[2] = samples ? operand.src[1] : SRC_NULL;

   struct mimg mimg;
   struct mimg_range range[MIMG_NSA_ADDRESSES];
   mimg_fields(inst, &mimg);
   if (unused_field(inst, (!samples && ssamp) || !fields_allowed(inst, &mimg)))
      return -EINVAL;
   if (mimg.vdata + mimg_data_count(inst, &mimg) > 256)
      return -EINVAL;
   for (unsigned n = mimg_address_ranges(inst, &mimg, range); n--;) {
      if (range[n].first + range[n].count > 256)
         return -EINVAL;
   }
   return 0;
}

/* NSA: a dword of further addresses. The fields are the semantics' business (mimg.h). */
int
decode_mimg(struct inst *inst, size_t size)
{
   unsigned opcode = field(inst, 18, 8);
   inst->encoding = ISA_MIMG;
   inst->size = field(inst, 0, 1) ? 12 : 8;
   if (!(inst->op = LOOKUP(isa_mimg, opcode)))
      return -EINVAL;
   if (size < inst->size)
      return -ENODATA;
   inst->execute = execute_mimg[opcode];
   inst->flags |= INST_VGPR | (field(inst, 12, 1) ? INST_SLC : 0) | (field(inst, 13, 1) ? INST_DLC : 0) |
                  (field(inst, 14, 1) ? INST_GLC : 0) | (field(inst, 53, 1) ? INST_TFE : 0);
   inst->dst = (uint16_t)field(inst, 40, 8);
   return image_operands(inst, field(inst, 48, 5) * 4, field(inst, 58, 5) * 4);
}
