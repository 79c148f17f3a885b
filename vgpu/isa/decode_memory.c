/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "isa/decode.h"
#include "isa/mimg.h"

/* How many VGPRs at src[1] or dst an access uses. */
static int
check_data(const struct inst *inst, unsigned first, enum isa_type type)
{
   return first + isa_type_dwords(type) <= 256 ? 0 : -EINVAL;
}

int
decode_flat_operands(struct inst *inst, unsigned saddr)
{
   const struct isa_op *op = inst->op;
   bool has_vaddr = !(op->flags & OP_ADDTID);
   unsigned vaddr = inst->src[0] - SRC_VGPR0, data = inst->src[1] - SRC_VGPR0;
   bool returns = op->flags & OP_LOAD || (op->flags & OP_ATOMIC && inst->flags & INST_GLC);

   if (returns && check_data(inst, inst->dst, op->dst))
      return -EINVAL;
   if (op->src[1] != TYPE_NONE && check_data(inst, data, op->src[1]))
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

int
decode_buffer_operands(struct inst *inst, unsigned vaddr, unsigned srsrc, unsigned soffset)
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

int
decode_image_operands(struct inst *inst, unsigned srsrc, unsigned ssamp)
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
