/* SPDX-License-Identifier: MIT */
/* Sampling, gathering and LOD queries of linear images. RDNA3 ISA guide, 10.3 and 10.4. */
#include <math.h>
#include <string.h>

#include "families.h"
#include "memory.h"
#include "real.h"
#include "sample_cases.h"
#include "texel.h"

/* ---- addresses ----------------------------------------------------------------------------------------------------
 */

/* "{ offset } { bias } { z-compare } { derivative } { body }" */
struct sample_address
sample_address_of(const struct instance *instance)
{
   const char *name = instance->op->name;
   struct sample_address address = {.gathers = has(name, "gather"), .queries = has(name, "get_lod")};
   unsigned dwords = 0, axes = sample_axes(instance->dim);
   address.offset = has(name, "_o") ? (int)dwords++ : -1;
   address.bias = has(name, "_b") ? (int)dwords++ : -1;
   address.reference = has(name, "_c") ? (int)dwords++ : -1;
   address.gradient = has(name, "_d") ? (int)dwords : -1;
   dwords += has(name, "_d") ? 2 * axes : 0;
   address.body = dwords;
   address.numbers = dim_coordinates(instance->dim);
   bool zero = has(name, "_lz");
   address.lod = has(name, "_l") && !zero && !address.queries ? (int)address.numbers++ : -1;
   address.zero = zero;
   address.dwords = dwords + (instance->a16 ? (address.numbers + 1) / 2 : address.numbers);
   return address;
}

unsigned
sample_axes(enum image_dim dim)
{
   return dim_coordinates(dim) - dim_has_layers(dim);
}

static double
float_dword(const struct call *call, unsigned lane, unsigned n)
{
   float number;
   memcpy(&number, &call->machine->vgpr[call->instance->address[n]][lane], 4);
   return number;
}

static double
body_number(const struct call *call, const struct sample_address *address, unsigned lane, unsigned n)
{
   if (!call->instance->a16)
      return float_dword(call, lane, address->body + n);
   uint32_t pair = call->machine->vgpr[call->instance->address[address->body + n / 2]][lane];
   mpfr_t x;
   mpfr_init2(x, 53);
   real_get(x, F16, pair >> (n % 2 ? 16 : 0) & 0xffff);
   double number = mpfr_get_d(x, MPFR_RNDN);
   mpfr_clear(x);
   return number;
}

/* ---- level of detail ----------------------------------------------------------------------------------------------
 */

/* d/dh and d/dv of an axis: given, or between the lanes of a quad. */
static double
gradient(const struct call *call, const struct sample_address *address, unsigned lane, unsigned axis, bool vertical)
{
   if (address->gradient >= 0)
      return float_dword(call, lane,
                         (unsigned)address->gradient + axis + (vertical ? sample_axes(call->instance->dim) : 0));
   unsigned step = vertical ? 2 : 1, from = lane & ~step;
   return body_number(call, address, from | step, axis) - body_number(call, address, from, axis);
}

/* log2 of the longer of the two gradients, in texels of the base level (Vulkan, 16.5.7). */
static double
implicit_lod(const struct call *call, const struct sample_address *address, const struct texture *texture,
             unsigned lane)
{
   const unsigned sizes[3] = {texture->width, texture->height, texture->depth};
   double longest = 0;
   for (unsigned vertical = 0; vertical < 2; vertical++) {
      double sum = 0;
      for (unsigned axis = 0; axis < sample_axes(texture->dim); axis++) {
         double part = gradient(call, address, lane, axis, vertical) * sizes[axis];
         sum += part * part;
      }
      longest = fmax(longest, sqrt(sum));
   }
   return log2(longest);
}

static struct sample
sample_of(const struct call *call, const struct sample_address *address, const struct texture *texture, unsigned lane)
{
   struct sample sample = {.compares = address->reference >= 0};
   for (unsigned i = 0; i < dim_coordinates(texture->dim); i++)
      sample.coordinate[i] = body_number(call, address, lane, i);
   if (address->offset >= 0) { /* "6-bit signed integers: X=[5:0], Y=[13:8], Z=[21:16]" */
      uint32_t packed = call->machine->vgpr[call->instance->address[address->offset]][lane];
      for (unsigned axis = 0; axis < 3; axis++)
         sample.offset[axis] = (int32_t)(packed << (26 - 8 * axis)) >> 26;
   }
   if (sample.compares)
      sample.reference = float_dword(call, lane, (unsigned)address->reference);
   sample.lod = address->zero       ? 0
                : address->lod >= 0 ? body_number(call, address, lane, (unsigned)address->lod)
                                    : implicit_lod(call, address, texture, lane);
   if (address->bias >= 0)
      sample.lod += float_dword(call, lane, (unsigned)address->bias);
   return sample;
}

/* ---- results ------------------------------------------------------------------------------------------------------
 */

static void
return_number(const struct call *call, unsigned lane, unsigned i, double number, double error)
{
   bool d16 = call->instance->d16;
   enum type type = d16 ? F16 : F32;
   unsigned vgpr = (unsigned)call->instance->dst.value + (d16 ? i / 2 : i);
   put_component(call, vgpr, lane, d16, i % 2, (uint32_t)real_from_double(type, number, 0));
   if (error > 0 || d16)
      allow_range(call, vgpr, lane, type, d16 && i % 2, (uint32_t)real_from_double(type, number - error, 2),
                  (uint32_t)real_from_double(type, number + error, 1));
}

static void
return_integer(const struct call *call, unsigned lane, unsigned i, uint32_t value)
{
   bool d16 = call->instance->d16;
   put_component(call, (unsigned)call->instance->dst.value + (d16 ? i / 2 : i), lane, d16, i % 2, value);
}

/* One texel counts and its format is one of integers: as it is. */
static uint32_t
single_integer(const struct sampler *sampler, const struct texels *texels, const struct sample *sample, unsigned c)
{
   uint32_t level;
   int32_t texel[3] = {0};
   if (!sample_single(sampler, texels, sample, &level, texel) || !address_texel(sampler, texels->texture, level, texel))
      return (uint32_t)border_value(sampler, c);
   uint32_t coordinate[3] = {(uint32_t)texel[0], (uint32_t)texel[1], (uint32_t)texel[2]};
   const uint8_t *from = texels->memory + texture_offset(texels->texture, level, coordinate);
   return texel_decode(texels->texture->format, c, texel_field(texels->texture->format, from, c), false);
}

static void
return_samples(const struct call *call, const struct sampler *sampler, const struct texels *texels,
               const struct sample *sample, unsigned lane)
{
   const struct texture *texture = texels->texture;
   unsigned returned = 0;
   for (unsigned i = 0; i < 4; i++) {
      unsigned select = texture->select[i];
      if (!(call->instance->dmask >> i & 1))
         continue;
      if (texel_is_integer(texture->format))
         return_integer(call, lane, returned++,
                        select < 4 ? select : single_integer(sampler, texels, sample, select - 4));
      else if (select < 4)
         return_number(call, lane, returned++, select, 0);
      else
         return_number(call, lane, returned++, sample_filtered(sampler, texels, sample, select - 4),
                       filter_error(texture->format));
   }
   if (call->instance->d16 && returned % 2)
      allow_anything(call, (unsigned)call->instance->dst.value + returned / 2, lane, F16, true);
}

/* DMASK names the one component. */
static void
return_gathered(const struct call *call, const struct sampler *sampler, const struct texels *texels,
                const struct sample *sample, unsigned lane)
{
   unsigned select = texels->texture->select[__builtin_ctz(call->instance->dmask)];
   double numbers[4] = {select, select, select, select};
   if (select >= 4)
      sample_gather(sampler, texels, sample, select - 4, numbers);
   for (unsigned i = 0; i < 4; i++)
      return_number(call, lane, i, numbers[i], select < 4 ? 0 : filter_error(texels->texture->format));
}

/* The LOD as it would be used, and as it was computed; hardware has eight bits behind the point. */
static void
return_lod(const struct call *call, const struct sampler *sampler, const struct texture *texture,
           const struct sample *sample, unsigned lane)
{
   double clamped = fmin(sampler_lod(sampler, sample->lod), texture->last_level - texture->base_level);
   const double lods[2] = {fmax(clamped, 0), sample->lod + sampler->lod_bias / 256.0};
   for (unsigned i = 0, returned = 0; i < 2; i++) {
      if (call->instance->dmask >> i & 1)
         return_number(call, lane, returned++, lods[i], 1 / 256.0);
   }
}

static void
sample(struct call *call)
{
   const struct instance *instance = call->instance;
   struct texture texture = texture_decode(&call->machine->sgpr[instance->resource]);
   struct sampler sampler = sampler_decode(&call->machine->sgpr[instance->sampler]);
   struct texels texels = {&texture, call->machine->memory + (texture.base - PAGE)};
   struct sample_address address = sample_address_of(instance);
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      if (!lane_is_on(call->machine, lane))
         continue;
      struct sample one = sample_of(call, &address, &texture, lane);
      if (address.queries)
         return_lod(call, &sampler, &texture, &one, lane);
      else if (address.gathers)
         return_gathered(call, &sampler, &texels, &one, lane);
      else
         return_samples(call, &sampler, &texels, &one, lane);
   }
}

#define OP(name)                                  \
   {                                              \
      "image_" name, SCALAR, NONE, {NONE}, sample \
   }

static const struct op ops[] = {
   OP("sample"),     OP("sample_l"),     OP("sample_lz"),     OP("sample_b"),     OP("sample_d"),
   OP("sample_o"),   OP("sample_l_o"),   OP("sample_lz_o"),   OP("sample_b_o"),   OP("sample_d_o"),
   OP("sample_c"),   OP("sample_c_l"),   OP("sample_c_lz"),   OP("sample_c_b"),   OP("sample_c_d"),
   OP("sample_c_o"), OP("sample_c_l_o"), OP("sample_c_lz_o"), OP("sample_c_b_o"), OP("sample_c_d_o"),
   OP("gather4_lz"), OP("gather4_l"),    OP("gather4_lz_o"),  OP("gather4_c_lz"), OP("gather4_c_lz_o"),
   OP("get_lod"),
};

const struct family sample_family = {
   .name = "sample",
   .ops = ops,
   .count = sizeof ops / sizeof ops[0],
   .execute = whole_execute,
   .choose = sample_choose,
   .prepare = sample_prepare,
   .describe = sample_describe,
};
