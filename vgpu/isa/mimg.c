/* SPDX-License-Identifier: MIT */
#include "isa/mimg.h"

#include <string.h>

#include "isa/half.h"
#include "isa/pending.h"
#include "isa/table.h"

void
mimg_fields(const struct inst *inst, struct mimg *mimg)
{
   uint32_t lo = inst->word[0], hi = inst->word[1], nsa = inst->word[2];
   *mimg = (struct mimg){
      .nsa = lo & 1,
      .dim = lo >> 2 & 7,
      .unrm = lo >> 7 & 1,
      .dmask = lo >> 8 & 15,
      .r128 = lo >> 15 & 1,
      .a16 = lo >> 16 & 1,
      .d16 = lo >> 17 & 1,
      .opcode = (uint8_t)(lo >> 18),
      .vdata = (uint8_t)(hi >> 8),
      .srsrc = (uint8_t)((hi >> 16 & 31) * 4),
      .tfe = hi >> 21 & 1,
      .lwe = hi >> 22 & 1,
      .ssamp = (uint8_t)((hi >> 26 & 31) * 4),
   };
   uint8_t vaddr = (uint8_t)hi;
   for (unsigned n = 0; n < MIMG_MAX_ADDRESSES; n++) {
      if (!mimg->nsa || n == 0)
         mimg->address[n] = (uint8_t)(vaddr + n);
      else if (n < MIMG_NSA_ADDRESSES)
         mimg->address[n] = (uint8_t)(nsa >> 8 * (n - 1));
      else
         mimg->address[n] = (uint8_t)(mimg->address[MIMG_NSA_ADDRESSES - 1] + n - (MIMG_NSA_ADDRESSES - 1));
   }
}

/* Whether the name has that part, as image_sample_c_d_cl_o has _c, _d, _cl and _o. */
static bool
has_part(const char *name, const char *part)
{
   size_t length = strlen(part);
   for (const char *at = strstr(name, part); at; at = strstr(at + 1, part)) {
      if (at[length] == '_' || !at[length])
         return true;
   }
   return false;
}

/* Dwords of addresses: offset, bias and reference one each; gradients, which G16 packs by direction; coordinates with
 * LOD, clamp or level, which A16 packs (RDNA3 ISA guide, 10.2). */
static unsigned
address_count(const struct inst *inst, const struct mimg *mimg)
{
   static const uint8_t coordinates[] = {1, 2, 3, 3, 2, 3, 3, 4}, gradients[] = {1, 2, 3, 2, 1, 2, 2, 2};
   const char *name = inst->op->name;
   if (!strcmp(name, "image_get_resinfo")) /* the level alone */
      return 1;
   unsigned packed = coordinates[mimg->dim], whole = 0;
   if (inst->op->flags & OP_SAMPLER) {
      unsigned each = gradients[mimg->dim];
      packed += has_part(name, "_l") || has_part(name, "_cl");
      whole = (unsigned)has_part(name, "_o") + has_part(name, "_b") + has_part(name, "_c");
      if (has_part(name, "_d"))
         whole += 2 * (has_part(name, "_g16") ? (each + 1) / 2 : each);
   } else {
      packed += has_part(name, "_mip");
   }
   return whole + (mimg->a16 ? (packed + 1) / 2 : packed);
}

unsigned
mimg_address_ranges(const struct inst *inst, const struct mimg *mimg, struct mimg_range range[MIMG_NSA_ADDRESSES])
{
   bool rays = inst->op->flags & OP_R128;
   /* Rays: the node, how far, then origin, direction and its inverse, the last two of which A16 packs into three dwords
    * (RDNA3 ISA guide, 10.9.2). */
   unsigned node = strstr(inst->op->name, "bvh64") ? 2 : 1, vectors = mimg->a16 ? 2 : 3;
   unsigned count = rays ? node + 1 + 3 * vectors : address_count(inst, mimg);
   unsigned ranges = !mimg->nsa ? 1 : rays ? 2 + vectors : count > MIMG_NSA_ADDRESSES ? MIMG_NSA_ADDRESSES : count;
   for (unsigned n = 0; n < ranges; n++) {
      range[n] = (struct mimg_range){mimg->address[n], rays && n >= 2 ? 3 : 1};
      if (n == 0 && rays)
         range[n].count = node;
      else if (n == MIMG_NSA_ADDRESSES - 1 && !rays)
         range[n].count = count - n;
   }
   if (!mimg->nsa)
      range[0].count = count;
   return ranges;
}

unsigned
mimg_data_count(const struct inst *inst, const struct mimg *mimg)
{
   const char *name = inst->op->name;
   if (inst->op->flags & OP_R128)
      return 4;
   unsigned components = (unsigned)__builtin_popcount(mimg->dmask);
   unsigned count = strstr(name, "gather4") || strstr(name, "msaa_load") ? 4 : components ? components : 1;
   return (mimg->d16 ? (count + 1) / 2 : count) + mimg->tfe;
}

enum mimg_result
mimg_result_of(const struct format *format)
{
   if (!format || format->kind == FORMAT_FLOAT)
      return MIMG_FLOAT;
   if (!format_is_integer(format))
      return MIMG_NORMALIZED;
   return format->kind == FORMAT_SINT ? MIMG_SINT : MIMG_UINT;
}

/* RDNA3 ISA guide, 9.3.1: conversion of float32 to float16 uses truncation, that of other formats rounds to the nearest
 * even. */
uint16_t
mimg_half(uint32_t value, enum mimg_result result)
{
   int32_t number = (int32_t)value;
   switch (result) {
   case MIMG_FLOAT:
      return to_half_rtz(as_float(value));
   case MIMG_NORMALIZED:
      return to_half(as_float(value), ROUND_NEAREST_EVEN);
   case MIMG_SINT:
      return (uint16_t)(number > INT16_MAX ? INT16_MAX : number < INT16_MIN ? INT16_MIN : number);
   default:
      return (uint16_t)(value > UINT16_MAX ? UINT16_MAX : value);
   }
}

uint32_t
mimg_widened(uint16_t half, enum mimg_result result)
{
   switch (result) {
   case MIMG_FLOAT:
   case MIMG_NORMALIZED:
      return float_bits(from_half(half));
   case MIMG_SINT:
      return (uint32_t)(int32_t)(int16_t)half;
   default:
      return half;
   }
}

void
mimg_return(struct wave *wave, const struct mimg *mimg, uint64_t lanes, enum mimg_result result, unsigned mask,
            const uint32_t (*data)[64], uint64_t missing)
{
   bool halves = mimg->d16 && result != MIMG_RAW;
   uint32_t rows[5][64] = {{0}};
   unsigned count = 0;
   for (unsigned i = 0, n = 0; i < 4; i++) {
      if (!((mask ? mask : 1) >> i & 1))
         continue;
      for (unsigned l = 0; l < 64; l++) {
         if (halves)
            rows[n / 2][l] |= (uint32_t)mimg_half(data[i][l], result) << (n & 1 ? 16 : 0);
         else
            rows[n][l] = data[i][l];
      }
      n++;
      count = halves ? (n + 1) / 2 : n;
   }
   if (mimg->tfe || mimg->lwe) {
      for (unsigned l = 0; l < 64; l++)
         rows[count][l] = missing >> l & 1;
      count++;
   }
   vgprs_land(wave, COUNT_VM, mimg->vdata, count, lanes, 0, (const uint32_t(*)[64])rows);
}
