/* SPDX-License-Identifier: MIT */
#include "sample_cases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "real.h"
#include "texel.h"

double
filter_error(unsigned format)
{
   return texel_format(format)->number == FLOAT ? 1e-4 : 4e-6;
}

/* ---- instructions -------------------------------------------------------------------------------------------------
 */

static unsigned
choose_format(struct random *random, const struct instance *instance)
{
   static const uint8_t floats[] = {1, 22, 29, 36, 42, 43, 57, 63, 66, 68, 69, 70, 71},
                        any[] = {20, 28, 42, 46, 47, 57, 61, 62, 63};
   const char *name = instance->op->name;
   if (has(name, "_c"))
      return 22;
   if (has(name, "gather") || has(name, "get_lod") || instance->d16)
      return floats[random_below(random, sizeof floats)];
   return random_chance(random, 60) ? floats[random_below(random, sizeof floats)]
                                    : any[random_below(random, sizeof any)];
}

static bool
may_have_a16(const char *name)
{
   return !has(name, "_b") && !has(name, "_c") && !has(name, "_d");
}

void
sample_choose(struct random *random, struct instance *instance)
{
   static const uint8_t dims[] = {DIM_1D, DIM_2D, DIM_2D, DIM_3D, DIM_1D_ARRAY, DIM_2D_ARRAY};
   const char *name = instance->op->name;
   bool gathers = has(name, "gather"), queries = has(name, "get_lod");
   do
      instance->dim = dims[random_below(random, 6)];
   while ((gathers && instance->dim != DIM_2D && instance->dim != DIM_2D_ARRAY) ||
          (has(name, "_c") && instance->dim == DIM_3D));
   instance->a16 = may_have_a16(name) && random_chance(random, 25);
   instance->d16 = !queries && random_chance(random, 20);
   instance->format = choose_format(random, instance);
   instance->dmask = queries           ? 1 + random_below(random, 3)
                     : gathers         ? 1u << random_below(random, has(name, "_c") ? 1 : 4)
                     : has(name, "_c") ? 1
                                       : 1 + random_below(random, 15);
   instance->dst = choose_vgpr(random, 0, 20);
   instance->resource = (unsigned)choose_sgpr(random, 0, 72, 4).value;
   instance->sampler = (unsigned)choose_sgpr(random, 80, 20, 4).value;
   unsigned data = gathers ? 4 : (unsigned)__builtin_popcount(instance->dmask);
   char address[64], registers[24];
   choose_address(random, instance, 26, sample_address_of(instance).dwords, address);
   data = instance->d16 ? (data + 1) / 2 : data;
   print_registers(registers, 'v', (unsigned)instance->dst.value, data);
   snprintf(instance->tail, sizeof instance->tail, " %s, %s, s[%u:%u], s[%u:%u] dmask:0x%x dim:SQ_RSRC_IMG_%s%s%s",
            registers, address, instance->resource, instance->resource + 7, instance->sampler, instance->sampler + 3,
            instance->dmask, dim_name(instance->dim), instance->a16 ? " a16" : "", instance->d16 ? " d16" : "");
}

/* ---- descriptors --------------------------------------------------------------------------------------------------
 */

/* Sizes are powers of two, so that coordinates and weights are exact. */
static struct texture
random_texture(struct random *random, const struct instance *instance)
{
   struct texture texture = {.base = PAGE, .dim = instance->dim, .format = instance->format, .depth = 1};
   bool flat = instance->dim == DIM_1D || instance->dim == DIM_1D_ARRAY;
   texture.width = 1u << random_below(random, 4);
   texture.height = flat ? 1 : 1u << random_below(random, 4);
   if (instance->dim == DIM_3D || instance->dim == DIM_2D_ARRAY)
      texture.height = 1u << random_below(random, 2);
   if (instance->dim == DIM_3D || dim_has_layers(instance->dim))
      texture.depth = 1u << random_below(random, 3);
   if (instance->dim != DIM_3D && texture.depth * texture.height <= 4) { /* a level less counts as a row */
      unsigned larger = texture.width > texture.height ? texture.width : texture.height;
      while (larger >> (texture.max_mip + 1) && texture.max_mip < 2)
         texture.max_mip++;
   }
   if (instance->dim == DIM_2D) {
      texture.max_mip = 0;
      unsigned larger = texture.width > texture.height ? texture.width : texture.height;
      while (larger >> (texture.max_mip + 1))
         texture.max_mip++;
   }
   texture.last_level = texture.max_mip;
   texture.pitch = texture_least_pitch(texture.format, texture.width);
   for (unsigned i = 0; i < 4; i++) {
      unsigned kind = random_below(random, 8);
      texture.select[i] = kind < 2 ? kind : 4 + random_below(random, texel_components(texture.format));
   }
   if (has(instance->op->name, "_c"))
      texture.select[0] = 4;
   return texture;
}

static struct sampler
random_sampler(struct random *random, const struct instance *instance, const struct texture *texture)
{
   static const uint8_t modes[] = {WRAP, MIRROR, CLAMP_LAST, MIRROR_ONCE_LAST, CLAMP_BORDER, MIRROR_ONCE_BORDER};
   bool integers = texel_is_integer(texture->format), zero = has(instance->op->name, "_lz");
   struct sampler sampler = {.compare = random_below(random, 8), .border = random_below(random, 3)};
   for (unsigned i = 0; i < 3; i++)
      sampler.address[i] = modes[random_below(random, 6)];
   sampler.linear_mag = !integers && random_chance(random, 60);
   sampler.linear_min = !integers && random_chance(random, 60);
   sampler.mip = (enum mip_filter)random_below(random, integers ? 2 : 3);
   if (has(instance->op->name, "get_lod")) /* without levels, what would it say? */
      sampler.mip = MIP_LINEAR;
   sampler.least_lod = zero || random_chance(random, 70) ? 0 : 64 * random_below(random, 8);
   sampler.greatest_lod = random_chance(random, 70) ? 15 * 256 : sampler.least_lod + 64 * random_below(random, 8);
   if (has(instance->op->name, "_b") || has(instance->op->name, "_d"))
      sampler.lod_bias = random_chance(random, 60) ? 0 : 256 * ((int)random_below(random, 5) - 2);
   if (!integers && !has(instance->op->name, "_c") && !has(instance->op->name, "gather") && random_chance(random, 20))
      sampler.reduction = 1 + random_below(random, 2);
   if (zero && texture->dim <= DIM_2D && random_chance(random, 25)) {
      sampler.unnormalized = true;
      sampler.mip = MIP_NONE;
      sampler.linear_min = sampler.linear_mag;
      for (unsigned i = 0; i < 3; i++)
         sampler.address[i] = random_chance(random, 50) ? CLAMP_LAST : CLAMP_BORDER;
   }
   return sampler;
}

/* ---- texels and addresses -----------------------------------------------------------------------------------------
 */

/* Floats in eighths, up to 8: no NaN, nothing that a filter could lose. */
static void
fill_texels(struct random *random, const struct instance *instance, struct machine *machine)
{
   unsigned size = texel_format(instance->format)->bits[0];
   if (texel_format(instance->format)->number != FLOAT)
      return;
   for (unsigned i = 0; i < MODEL_MEMORY; i += size / 8) {
      double number = ((int)random_below(random, 129) - 64) / 8.0;
      uint32_t value = (uint32_t)real_from_double(size == 32 ? F32 : F16, number, 0);
      memcpy(machine->memory + i, &value, size / 8);
   }
}

static void
set_float(const struct instance *instance, struct machine *machine, unsigned lane, int n, double number)
{
   if (n >= 0)
      machine->vgpr[instance->address[n]][lane] = (uint32_t)real_from_double(F32, number, 0);
}

static void
set_body(const struct instance *instance, const struct sample_address *address, struct machine *machine, unsigned lane,
         unsigned n, double number)
{
   if (!instance->a16) {
      set_float(instance, machine, lane, (int)(address->body + n), number);
      return;
   }
   uint32_t *to = &machine->vgpr[instance->address[address->body + n / 2]][lane];
   uint32_t half = (uint32_t)real_from_double(F16, number, 0);
   *to = n % 2 ? (*to & 0xffff) | half << 16 : (*to & 0xffff0000) | half;
}

/* In texels; a filter's weights, of which hardware has eight bits, and the choice of the nearest are beyond doubt, at
 * smaller levels, too. */
static double
random_position(struct random *random, const struct instance *instance, const struct texture *texture, unsigned size)
{
   int whole = (int)random_below(random, 4 * size) - (int)(3 * size / 2);
   double part = instance->a16 ? (1 + 2 * random_below(random, 4)) / 16.0 : (8 + random_below(random, 113)) / 256.0;
   if (texture->max_mip && !instance->a16)
      part = (1 + 2 * random_below(random, 8)) / 32.0;
   return whole + part + (random_chance(random, 50) ? 0.5 : 0);
}

static void
fill_quad(struct random *random, const struct instance *instance, const struct texture *texture,
          const struct sampler *sampler, struct machine *machine, unsigned quad)
{
   struct sample_address address = sample_address_of(instance);
   bool implicit = !address.zero && address.lod < 0 && address.gradient < 0;
   const unsigned sizes[3] = {texture->width, texture->height, texture->depth};
   unsigned axes = sample_axes(instance->dim), across = random_below(random, axes);
   double step = exp2((int)random_below(random, 5) - 1);
   for (unsigned axis = 0; axis < axes; axis++) {
      double first = random_position(random, instance, texture, sizes[axis]);
      for (unsigned i = 0; i < 4; i++) {
         double position = implicit ? first : random_position(random, instance, texture, sizes[axis]);
         if (implicit && axis == across)
            position += step * (i & 1);
         set_body(instance, &address, machine, quad + i, axis,
                  sampler->unnormalized ? position : position / sizes[axis]);
      }
   }
   for (unsigned i = 0; i < 4; i++) {
      unsigned lane = quad + i;
      if (dim_has_layers(instance->dim))
         set_body(instance, &address, machine, lane, axes,
                  (int)random_below(random, texture->depth + 2) - 1 + ((int)random_below(random, 3) - 1) / 4.0);
      if (address.lod >= 0)
         set_body(instance, &address, machine, lane, (unsigned)address.lod,
                  ((int)random_below(random, 8) - 2) + (random_chance(random, 50) ? 0.25 : 0.75));
      set_float(instance, machine, lane, address.bias, ((int)random_below(random, 16) - 4) / 2.0 + 0.25);
      set_float(instance, machine, lane, address.reference, ((int)random_below(random, 129) - 64) / 8.0);
      if (address.offset >= 0)
         machine->vgpr[instance->address[address.offset]][lane] =
            random_below(random, 64) | random_below(random, 64) << 8 | random_below(random, 64) << 16;
      for (unsigned n = 0; address.gradient >= 0 && n < 2 * axes; n++)
         set_float(instance, machine, lane, address.gradient + (int)n,
                   n == across || n == axes + across ? exp2((int)random_below(random, 5) - 1) / sizes[across] : 0);
   }
}

void
sample_prepare(struct random *random, const struct instance *instance, struct machine *machine)
{
   struct texture texture = random_texture(random, instance);
   struct sampler sampler = random_sampler(random, instance, &texture);
   machine->exec = machine->wave64 ? ~UINT64_C(0) : UINT32_MAX; /* gradients are taken between lanes */
   fill_texels(random, instance, machine);
   for (unsigned quad = 0; quad < 64; quad += 4)
      fill_quad(random, instance, &texture, &sampler, machine, quad);
   texture_encode(&texture, &machine->sgpr[instance->resource]);
   sampler_encode(&sampler, &machine->sgpr[instance->sampler]);
}

void
sample_describe(const struct instance *instance, const struct machine *machine, unsigned lane)
{
   struct texture texture = texture_decode(&machine->sgpr[instance->resource]);
   struct sampler sampler = sampler_decode(&machine->sgpr[instance->sampler]);
   printf(" %ux%ux%u levels %u format %u select %u%u%u%u; modes %u %u %u %s/%s mip %u lod %u..%u bias %d reduction %u"
          " border %u compare %u%s;",
          texture.width, texture.height, texture.depth, texture.max_mip + 1, texture.format, texture.select[0],
          texture.select[1], texture.select[2], texture.select[3], sampler.address[0], sampler.address[1],
          sampler.address[2], sampler.linear_mag ? "linear" : "point", sampler.linear_min ? "linear" : "point",
          sampler.mip, sampler.least_lod, sampler.greatest_lod, sampler.lod_bias, sampler.reduction, sampler.border,
          sampler.compare, sampler.unnormalized ? " unnormalized" : "");
   for (unsigned i = 0; i < sample_address_of(instance).dwords; i++) {
      uint32_t value = machine->vgpr[instance->address[i]][lane];
      float number;
      memcpy(&number, &value, 4);
      printf(" %x (%g)", value, number);
   }
}
