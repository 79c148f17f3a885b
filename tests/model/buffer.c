/* SPDX-License-Identifier: MIT */
#include "buffer.h"

/* Table 47: BASE 47:0, STRIDE 61:48, SWIZZLE 63:62, NUM_RECORDS 95:64, DST_SEL 107:96, FORMAT 113:108 (118:108 in some
 * register databases), INDEX_STRIDE 118:117, ADD_TID 119, OOB_SELECT 125:124. */
void
buffer_encode(const struct buffer *buffer, uint32_t word[4])
{
   word[0] = (uint32_t)buffer->base;
   word[1] = (uint32_t)(buffer->base >> 32 & 0xffff) | buffer->stride << 16 | buffer->swizzle << 30;
   word[2] = buffer->records;
   word[3] =
      buffer->format << 12 | buffer->index_stride << 21 | (uint32_t)buffer->add_tid << 23 | buffer->oob_select << 28;
   for (unsigned i = 0; i < 4; i++)
      word[3] |= buffer->select[i] << 3 * i;
}

struct buffer
buffer_decode(const uint32_t word[4])
{
   struct buffer buffer = {.base = word[0] | (uint64_t)(int64_t)(int16_t)word[1] << 32,
                           .stride = word[1] >> 16 & 0x3fff,
                           .records = word[2],
                           .swizzle = word[1] >> 30,
                           .index_stride = word[3] >> 21 & 3,
                           .format = word[3] >> 12 & 0x3f,
                           .oob_select = word[3] >> 28 & 3,
                           .add_tid = word[3] >> 23 & 1};
   for (unsigned i = 0; i < 4; i++)
      buffer.select[i] = word[3] >> 3 * i & 7;
   return buffer;
}

static uint64_t
whole_index(const struct buffer *buffer, const struct buffer_place *place)
{
   return (place->indexed ? (uint64_t)place->index : 0) + (buffer->add_tid ? place->lane : 0);
}

/* Swizzling interleaves records: without an index it does nothing ("the behavior of bound checking and swizzling
 * changes depending on whether idxen is set", LLVM's IntrinsicsAMDGPU.td). */
static bool
is_swizzled(const struct buffer *buffer, const struct buffer_place *place)
{
   return buffer->swizzle && (place->indexed || buffer->add_tid);
}

/* Table 56 (RDNA4 guide, 9.4.1; Mesa's ac_descriptors.c has it for gfx11, too). */
bool
buffer_is_out(const struct buffer *buffer, const struct buffer_place *place, unsigned skip, unsigned bytes)
{
   uint64_t index = whole_index(buffer, place), end = (uint64_t)place->offset + skip + bytes;
   switch (buffer->oob_select) {
   case 0:
      return index >= buffer->records || end > buffer->stride;
   case 1:
      return index >= buffer->records;
   case 2:
      return buffer->records == 0;
   default:
      if (is_swizzled(buffer, place) && buffer->stride)
         return index >= buffer->records || end > buffer->stride;
      return end + place->soffset > buffer->records;
   }
}

uint64_t
buffer_address(const struct buffer *buffer, const struct buffer_place *place, unsigned skip)
{
   uint64_t index = whole_index(buffer, place), offset = (uint64_t)place->offset + skip;
   uint64_t base = buffer->base + place->soffset;
   if (!is_swizzled(buffer, place))
      return base + offset + buffer->stride * index;
   uint64_t index_stride = 8u << buffer->index_stride, element = buffer->swizzle == 1 ? 4 : 16;
   uint64_t index_msb = index / index_stride, index_lsb = index % index_stride;
   uint64_t offset_msb = offset / element, offset_lsb = offset % element;
   return base + (index_msb * buffer->stride + offset_msb * element) * index_stride + index_lsb * element + offset_lsb;
}
