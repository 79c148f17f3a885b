/* SPDX-License-Identifier: MIT */
/* MIMG as text (RDNA3 ISA guide, 15.7). */
#include "isa/mimg.h"
#include "isa/print.h"

static void
put_addresses(struct text *text, const struct inst *inst, const struct mimg *mimg)
{
   struct mimg_range range[MIMG_NSA_ADDRESSES];
   unsigned ranges = mimg_address_ranges(inst, mimg, range);
   put(text, "%s", mimg->nsa ? "[" : "");
   for (unsigned n = 0; n < ranges; n++) {
      put(text, n ? ", " : "");
      put_vgprs(text, range[n].first, range[n].count);
   }
   put(text, "%s", mimg->nsa ? "]" : "");
}

void
print_image(const struct inst *inst, struct text *text)
{
   static const char *const dims[] = {"1D", "2D", "3D", "CUBE", "1D_ARRAY", "2D_ARRAY", "2D_MSAA", "2D_MSAA_ARRAY"};
   struct mimg mimg;
   mimg_fields(inst, &mimg);
   bool rays = inst->op->flags & OP_R128;
   put(text, "%s ", inst->op->name);
   put_vgprs(text, mimg.vdata, mimg_data_count(inst, &mimg));
   put(text, ", ");
   put_addresses(text, inst, &mimg);
   put(text, ", ");
   put_scalar(text, inst->src[1], rays ? 4 : 8);
   if (inst->op->flags & OP_SAMPLER) {
      put(text, ", ");
      put_scalar(text, inst->src[2], 4);
   }
   if (!rays) {
      if (mimg.dmask)
         put(text, " dmask:0x%x", mimg.dmask);
      put(text, " dim:SQ_RSRC_IMG_%s%s", dims[mimg.dim], mimg.unrm ? " unorm" : "");
      put_caching(text, inst);
   }
   put(text, "%s%s%s%s%s", mimg.r128 && !rays ? " r128" : "", mimg.a16 ? " a16" : "", mimg.tfe ? " tfe" : "",
       mimg.lwe ? " lwe" : "", mimg.d16 ? " d16" : "");
}
