/* SPDX-License-Identifier: MIT */
#include "resource_box.h"

void
texture_set(const struct texture *t)
{
   uint32_t *word = &box.wave.sreg[T_SGPR], width = t->width - 1;
   uint64_t va = (BOX_DATA_VA & 0xffffffffffff) + t->offset;
   uint32_t depth = t->pitch ? t->pitch - 1 : t->depth_or_last;
   word[0] = (uint32_t)(va >> 8);
   word[1] = (uint32_t)(va >> 40) | (t->levels ? t->levels - 1 : 0) << 16 | t->format << 20 | width << 30;
   word[2] = width >> 2 | (t->height ? t->height - 1 : 0) << 14;
   word[3] = (t->select ? t->select : SELECT_XYZW) | t->base_level << 12 | (t->levels ? t->levels - 1 : 0) << 16 |
             t->type << 28;
   word[4] = depth | t->first_layer << 16;
   word[5] = t->slices;
   word[6] = word[7] = 0;
}

void
buffer_set(uint32_t format, uint32_t stride, uint32_t records, uint32_t oob_select, uint32_t select)
{
   uint32_t *word = &box.wave.sreg[V_SGPR];
   word[0] = (uint32_t)BOX_DATA_VA;
   word[1] = ((uint32_t)(BOX_DATA_VA >> 32) & 0xffff) | stride << 16;
   word[2] = records;
   word[3] = select | format << 12 | oob_select << 28;
}

static uint8_t
initial_byte(uint32_t offset)
{
   return (uint8_t)(offset * 7 + offset / 256);
}

void
resources_fresh(bool wave64)
{
   box_reset(&box, wave64);
   for (unsigned i = 0; i < BOX_DATA_SIZE; i++)
      ((uint8_t *)box.data)[i] = initial_byte(i);
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[0][l] = l % 8;
      box.vgpr[1][l] = l / 8;
      box.vgpr[2][l] = box.vgpr[3][l] = 0;
   }
}

uint8_t
byte_at(uint32_t offset)
{
   return ((uint8_t *)box.data)[offset];
}

void
prt_map(void)
{
   assert_int_equal(vm_map_prt(&box.vm, BOX_DATA_VA + PRT_OFFSET, 4096), 0);
}

uint32_t
resources_dword(uint32_t offset)
{
   return initial_byte(offset) | (uint32_t)initial_byte(offset + 1) << 8 | (uint32_t)initial_byte(offset + 2) << 16 |
          (uint32_t)initial_byte(offset + 3) << 24;
}
