/* SPDX-License-Identifier: MIT */
/* Image instructions without a sampler: loads, stores, atomics, queries (RDNA3 ISA guide, chapter 10 and 16.16). */
#include "image/image.h"

#include <string.h>

#include "image/layout.h"
#include "image/sample.h"
#include "isa/half.h"
#include "isa/memory.h"
#include "isa/mimg.h"
#include "isa/pending.h"

enum { BASE, MIP }; /* the first level of the view, or one that the last address names */

enum conversion { CONVERTED, UNSIGNED_BITS, SIGNED_BITS };

/* What an instruction works on, and where its lanes are. */
struct image_access {
   struct mimg mimg;
   struct image image;
   uint64_t lanes;
   bool mip;
};

struct position {
   unsigned level;
   int32_t x, y, z;
   uint32_t layer;
   unsigned sample;
};

static bool
image_access(struct wave *wave, const struct inst *inst, bool mip, struct image_access *access)
{
   mimg_fields(inst, &access->mimg);
   access->lanes = active_lanes(wave);
   access->mip = mip;
   return image_read(wave, inst, access->mimg.srsrc, access->mimg.r128, &access->image);
}

/* The addresses are coordinates, then slice or face, then sample, then level (RDNA3 ISA guide, 10.2.1). */
static struct position
position_of(const struct wave *wave, const struct image_access *access, unsigned lane)
{
   static const uint8_t coordinates[] = {1, 2, 3, 3, 1, 2, 2, 2};
   const struct mimg *mimg = &access->mimg;
   const struct image *image = &access->image;
   uint32_t address[6];
   for (unsigned n = 0; n < 6; n++)
      address[n] = mimg->a16 ? mimg_address16(wave, mimg, 0, n, lane) : mimg_address32(wave, mimg, n, lane);

   bool array = mimg->dim == MIMG_1D_ARRAY || mimg->dim == MIMG_2D_ARRAY || mimg->dim == MIMG_2D_MSAA_ARRAY;
   bool multisampled = mimg->dim == MIMG_2D_MSAA || mimg->dim == MIMG_2D_MSAA_ARRAY;
   unsigned count = coordinates[mimg->dim];
   uint32_t slice = count == 3 ? address[2] : 0;
   struct position at = {.x = (int32_t)address[0], .y = count > 1 ? (int32_t)address[1] : 0};
   if (array)
      slice = address[count++];
   if (multisampled)
      at.sample = address[count++];
   uint32_t level = access->mip ? address[count] : 0;
   at.level = level < LAYOUT_MAX_LEVELS ? image->first_level + level : ~0u;
   if (image->type == IMAGE_3D)
      at.z = (int32_t)(slice + image->first_layer);
   else
      at.layer = image->first_layer + slice;
   return at;
}

static bool
contains(const struct image *image, const struct position *at)
{
   return image_contains(image, at->level, at->x, at->y, at->z, at->layer, at->sample);
}

static unsigned
next_lane(uint64_t *lanes)
{
   unsigned lane = (unsigned)__builtin_ctzll(*lanes);
   *lanes &= *lanes - 1;
   return lane;
}

/* ---- loads ---- */

static enum isa_result
load(struct wave *wave, const struct inst *inst, bool mip, enum conversion conversion)
{
   struct image_access access;
   if (!image_access(wave, inst, mip, &access))
      return ISA_TRAP;
   struct format raw;
   if (conversion != CONVERTED && access.image.format) {
      raw = *access.image.format;
      raw.kind = conversion == SIGNED_BITS ? FORMAT_SINT : FORMAT_BITS;
      access.image.format = &raw;
   }
   uint32_t data[4][64] = {{0}};
   uint64_t missing = 0;
   for (uint64_t left = access.lanes; left;) {
      unsigned lane = next_lane(&left);
      struct position at = position_of(wave, &access, lane);
      struct texel texel;
      bool resident = true;
      if (!image_fetch(wave, inst, &access.image, at.level, at.x, at.y, at.z, at.layer, at.sample, &texel, &resident))
         return ISA_TRAP;
      missing |= (uint64_t)!resident << lane;
      for (unsigned i = 0; i < 4; i++)
         data[i][lane] = conversion == CONVERTED ? image_select(&access.image, &texel, i) : texel.component[i];
   }
   mimg_return(wave, &access.mimg, access.lanes, mimg_result_of(access.image.format), access.mimg.dmask,
               (const uint32_t(*)[64])data, missing);
   return ISA_NEXT;
}

/* Four samples of the component that DMASK names. */
static enum isa_result
four_samples(struct wave *wave, const struct inst *inst)
{
   struct image_access access;
   if (!image_access(wave, inst, false, &access))
      return ISA_TRAP;
   unsigned component = access.mimg.dmask ? (unsigned)__builtin_ctz(access.mimg.dmask) : 0;
   uint32_t data[4][64] = {{0}};
   uint64_t missing = 0;
   for (uint64_t left = access.lanes; left;) {
      unsigned lane = next_lane(&left);
      struct position at = position_of(wave, &access, lane);
      for (unsigned i = 0; i < 4; i++) {
         struct texel texel;
         bool resident = true;
         if (!image_fetch(wave, inst, &access.image, at.level, at.x, at.y, at.z, at.layer, at.sample + i, &texel,
                          &resident))
            return ISA_TRAP;
         missing |= (uint64_t)!resident << lane;
         data[i][lane] = image_select(&access.image, &texel, component);
      }
   }
   mimg_return(wave, &access.mimg, access.lanes, mimg_result_of(access.image.format), 15, (const uint32_t(*)[64])data,
               missing);
   return ISA_NEXT;
}

/* ---- stores ---- */

/* Component i of VDATA: those that DMASK leaves out are 0. */
static uint32_t
stored_component(const struct wave *wave, const struct image_access *access, unsigned i, unsigned lane)
{
   const struct mimg *mimg = &access->mimg;
   unsigned mask = mimg->dmask ? mimg->dmask : 1;
   if (!(mask >> i & 1))
      return 0;
   unsigned n = (unsigned)__builtin_popcount(mask & ((1u << i) - 1));
   if (!mimg->d16)
      return vgpr_source(wave, mimg->vdata + n)[lane];
   uint16_t half = (uint16_t)(vgpr_source(wave, mimg->vdata + n / 2)[lane] >> (n & 1 ? 16 : 0));
   return mimg_widened(half, mimg_result_of(access->image.format));
}

static enum isa_result
store(struct wave *wave, const struct inst *inst, bool mip, enum conversion conversion)
{
   struct image_access access;
   if (!image_access(wave, inst, mip, &access))
      return ISA_TRAP;
   struct format raw;
   if (conversion != CONVERTED && access.image.format) {
      raw = *access.image.format;
      raw.kind = FORMAT_BITS;
      access.image.format = &raw;
   }
   if (access.image.format && !format_can_encode(access.image.format))
      return isa_illegal(wave, inst);
   for (uint64_t left = access.lanes; left;) {
      unsigned lane = next_lane(&left);
      struct position at = position_of(wave, &access, lane);
      if (!contains(&access.image, &at))
         continue;
      uint32_t data[4];
      for (unsigned i = 0; i < 4; i++)
         data[i] = stored_component(wave, &access, i, lane);
      if (!image_put(wave, inst, &access.image, at.level, at.x, at.y, at.z, at.layer, at.sample, data))
         return ISA_TRAP;
   }
   store_count(wave, false);
   return ISA_NEXT;
}

/* ---- atomics ---- */

/* The registers say how wide it is: one (DMASK 1) or two (3) of them; twice as many if there is one to compare with. */
static enum isa_result
atomic(struct wave *wave, const struct inst *inst, enum atomic_operation operation)
{
   struct image_access access;
   if (!image_access(wave, inst, false, &access))
      return ISA_TRAP;
   unsigned registers = (unsigned)__builtin_popcount(access.mimg.dmask), vdata = access.mimg.vdata;
   bool wide = registers > (operation == ATOMIC_CMPSWAP ? 2 : 1);
   struct lane_access memory = {.stride = 4};
   uint64_t missing = 0;
   for (uint64_t left = access.lanes; left;) {
      unsigned lane = next_lane(&left);
      struct position at = position_of(wave, &access, lane);
      if (!contains(&access.image, &at) || access.image.format->bytes != (wide ? 8 : 4))
         continue;
      memory.lanes |= UINT64_C(1) << lane;
      memory.va[lane] = image_address(&access.image, at.level, at.x, at.y, at.z, at.layer, at.sample);
      bool prt;
      memory_at(wave, memory.va[lane], VM_READ | VM_WRITE, &prt);
      missing |= (uint64_t)prt << lane;
   }
   uint32_t data[4][64] = {{0}};
   if (!lanes_atomic(wave, inst, &memory, operation, wide, vdata, vdata + (wide ? 2 : 1), data))
      return ISA_TRAP;
   if (inst->flags & INST_GLC)
      mimg_return(wave, &access.mimg, access.lanes, MIMG_RAW, wide ? 3 : 1, (const uint32_t(*)[64])data, missing);
   else
      store_count(wave, false);
   return ISA_NEXT;
}

/* ---- queries ---- */

/* Width, height, depth or layers, levels; of the level that the address names. 1D arrays have their layers second. */
static enum isa_result
get_resinfo(struct wave *wave, const struct inst *inst)
{
   struct image_access access;
   if (!image_access(wave, inst, false, &access))
      return ISA_TRAP;
   const struct image *image = &access.image;
   uint32_t data[4][64] = {{0}}, layers = image->last_layer - image->first_layer + 1;
   for (uint64_t left = access.lanes; left && image->layout;) {
      unsigned lane = next_lane(&left);
      uint32_t address = mimg_address32(wave, &access.mimg, 0, lane),
               level = access.mimg.a16 ? address & 0xffff : address;
      uint32_t size[3];
      data[3][lane] = image->last_level - image->first_level + 1;
      if (level > image->last_level - image->first_level)
         continue;
      image_level_size(image, image->first_level + level, size);
      if (image->slices)
         size[2] -= image->first_layer;
      data[0][lane] = size[0];
      data[1][lane] = image->type == IMAGE_1D_ARRAY ? layers : size[1];
      data[2][lane] = image->type == IMAGE_3D ? size[2] : layers;
   }
   mimg_return(wave, &access.mimg, access.lanes, MIMG_UINT, access.mimg.dmask, (const uint32_t(*)[64])data, 0);
   return ISA_NEXT;
}

/* ---- the table ---- */

static enum isa_result
msaa_load(struct wave *wave, const struct inst *inst)
{
   mimg_leave_mode();
   return mimg_enter_mode(wave, four_samples(wave, inst));
}

static enum isa_result
sample(struct wave *wave, const struct inst *inst)
{
   mimg_leave_mode();
   return mimg_enter_mode(wave, image_sample_execute(wave, inst));
}

static enum isa_result
test_rays(struct wave *wave, const struct inst *inst)
{
   mimg_leave_mode();
   return mimg_enter_mode(wave, image_bvh_execute(wave, inst));
}

#define MIMG_LOAD(opcode, name, mip, conversion)                           \
   static enum isa_result name(struct wave *wave, const struct inst *inst) \
   {                                                                       \
      mimg_leave_mode();                                                   \
      return mimg_enter_mode(wave, load(wave, inst, mip, conversion));     \
   }
#define MIMG_STORE(opcode, name, mip, conversion)                          \
   static enum isa_result name(struct wave *wave, const struct inst *inst) \
   {                                                                       \
      mimg_leave_mode();                                                   \
      return mimg_enter_mode(wave, store(wave, inst, mip, conversion));    \
   }
#define MIMG_ATOMIC(opcode, name, operation)                               \
   static enum isa_result name(struct wave *wave, const struct inst *inst) \
   {                                                                       \
      return atomic(wave, inst, ATOMIC_##operation);                       \
   }
#define MIMG_OTHER(...)
#define MIMG_SAMPLE(...)
#define MIMG_BVH(...)
#include "isa/mimg.inc"
#undef MIMG_LOAD
#undef MIMG_STORE
#undef MIMG_ATOMIC
#undef MIMG_OTHER
#undef MIMG_SAMPLE
#undef MIMG_BVH

const isa_execute_fn execute_mimg[ISA_MIMG_OPS] = {
#define MIMG_LOAD(opcode, name, ...) [opcode] = name,
#define MIMG_STORE MIMG_LOAD
#define MIMG_ATOMIC MIMG_LOAD
#define MIMG_OTHER(opcode, name, function) [opcode] = function,
#define MIMG_SAMPLE(opcode, name) [opcode] = sample,
#define MIMG_BVH(opcode, name) [opcode] = test_rays,
#include "isa/mimg.inc"
};
