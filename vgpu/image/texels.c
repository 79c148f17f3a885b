/* SPDX-License-Identifier: MIT */
/* Texels of buffers from outside, by their descriptors: vgpu_texel_decode of vgpu.h. */
#include <errno.h>

#include "gpu.h"
#include "image/format.h"

/* V#: FORMAT 113:108, DST_SEL_X 98:96 to DST_SEL_W 107:105. RDNA3 ISA guide, "Buffer Resource Descriptor". */
int
vgpu_texel_decode(const uint32_t descriptor[4], const uint8_t element[16], uint32_t texel[4])
{
   const struct format *format = format_get(descriptor[3] >> 12 & 63);
   struct texel decoded;
   if (!format || (format->packing != PACKING_FIELDS && format->packing != PACKING_SHARED_EXPONENT))
      return -EINVAL;
   format_decode(format, element, 0, 0, &decoded);
   for (unsigned i = 0; i < 4; i++)
      texel[i] = format_select(format, descriptor[3] >> 3 * i & 7, &decoded);
   return format->components;
}
