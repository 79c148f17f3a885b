/* SPDX-License-Identifier: MIT */
/* Image loads, stores and atomics of linear images, and what they say about themselves. RDNA3 ISA guide, 10.2, 10.4. */
#include <stdio.h>
#include <string.h>

#include "families.h"
#include "generate.h"
#include "texture.h"
#include "memory.h"
#include "real.h"
#include "texel.h"
#include "texel_cases.h"

static struct texture
image_of(const struct call *call)
{
   return texture_decode(&call->machine->sgpr[call->instance->resource]);
}

/* "For image opcodes with no sampler, all VGPR address values are taken as uint"; LOAD_MIP's level comes last. */
static bool
find_texel(const struct call *call, const struct texture *image, unsigned lane, uint8_t **texel)
{
   uint32_t coordinate[3] = {0};
   for (unsigned i = 0; i < dim_coordinates(image->dim); i++)
      coordinate[i] = address_number(call->instance, call->machine, lane, i);
   if (!texture_contains(image, 0, coordinate))
      return false;
   *texel = call->after->memory + (image->base - PAGE) + texture_offset(image, 0, coordinate);
   return true;
}

/* ---- loads --------------------------------------------------------------------------------------------------------
 */

static void
return_component(const struct call *call, unsigned lane, unsigned i, uint32_t value, bool unsure)
{
   bool d16 = call->instance->d16, upper = d16 && i % 2, nan = !texel_is_integer(call->instance->format);
   enum type type = d16 ? F16 : F32;
   unsigned vgpr = (unsigned)call->instance->dst.value + (d16 ? i / 2 : i);
   put_component(call, vgpr, lane, d16, upper, value);
   if (unsure)
      allow_anything(call, vgpr, lane, type, upper);
   else if (texel_format(call->instance->format)->number == SRGB && value) /* how exact it is, is not told */
      allow_range(call, vgpr, lane, type, upper, value - 64, value + 64);
   else if (nan && real_is_nan(type, value))
      allow_any_nan(call, vgpr, lane, type, upper);
}

/* Outside of the image everything is 0; of a component that DST_SEL makes 1, or that the format has not, it is not
 * told. Neither is it, with D16, of the half that an odd number of components leaves over. */
static void
load(struct call *call)
{
   const struct instance *instance = call->instance;
   struct texture image = image_of(call);
   uint32_t one = texel_is_integer(image.format) ? 1 : instance->d16 ? 0x3c00 : 0x3f800000;
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      uint8_t *texel = NULL;
      unsigned returned = 0;
      if (!lane_is_on(call->machine, lane))
         continue;
      bool inside = find_texel(call, &image, lane, &texel);
      for (unsigned i = 0; i < 4; i++) {
         unsigned select = image.select[i], c = select - 4;
         bool present = select >= 4 && c < texel_components(image.format);
         uint32_t value = !inside       ? 0
                          : select == 1 ? one
                          : present ? texel_decode(image.format, c, texel_field(image.format, texel, c), instance->d16)
                                    : 0;
         if (instance->dmask >> i & 1)
            return_component(call, lane, returned++, value, (!inside && select == 1) || (select == 7 && !present));
      }
      if (instance->d16 && returned % 2)
         allow_anything(call, (unsigned)instance->dst.value + returned / 2, lane, F16, true);
   }
}

/* ---- stores and atomics -------------------------------------------------------------------------------------------
 */

/* "Missing components get 0". */
static void
store(struct call *call)
{
   const struct instance *instance = call->instance;
   struct texture image = image_of(call);
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      uint8_t *texel;
      unsigned sent = 0;
      if (!lane_is_on(call->machine, lane) || !find_texel(call, &image, lane, &texel))
         continue;
      for (unsigned c = 0; c < 4; c++) {
         uint32_t value = 0;
         if (instance->dmask >> c & 1) {
            value = call->machine->vgpr[(unsigned)instance->dst.value + (instance->d16 ? sent / 2 : sent)][lane];
            value = instance->d16 ? value >> (sent % 2 ? 16 : 0) & 0xffff : value;
            sent++;
         }
         if (c < texel_components(image.format))
            texel_set_field(image.format, texel, c,
                            texel_encode(image.format, c, value, instance->d16, call->mode->stores_nearest ? 0 : 3));
      }
   }
}

/* image_atomic_smin is buffer_atomic_min_i32, or of 64 bits if DMASK says so. */
static const struct {
   const char *name, *of_32, *of_64;
} atomics[] = {
   {"image_atomic_swap", "atomic_swap_b32", "atomic_swap_b64"},
   {"image_atomic_cmpswap", "atomic_cmpswap_b32", "atomic_cmpswap_b64"},
   {"image_atomic_add", "atomic_add_u32", "atomic_add_u64"},
   {"image_atomic_sub", "atomic_sub_u32", "atomic_sub_u64"},
   {"image_atomic_smin", "atomic_min_i32", "atomic_min_i64"},
   {"image_atomic_umin", "atomic_min_u32", "atomic_min_u64"},
   {"image_atomic_smax", "atomic_max_i32", "atomic_max_i64"},
   {"image_atomic_umax", "atomic_max_u32", "atomic_max_u64"},
   {"image_atomic_and", "atomic_and_b32", "atomic_and_b64"},
   {"image_atomic_or", "atomic_or_b32", "atomic_or_b64"},
   {"image_atomic_xor", "atomic_xor_b32", "atomic_xor_b64"},
   {"image_atomic_inc", "atomic_inc_u32", "atomic_inc_u64"},
   {"image_atomic_dec", "atomic_dec_u32", "atomic_dec_u64"},
};

static void
atomic(struct call *call)
{
   const struct instance *instance = call->instance;
   struct texture image = image_of(call);
   unsigned bytes = texel_bytes(image.format), dwords = (unsigned)__builtin_popcount(instance->dmask);
   struct op named = *call->op;
   for (unsigned i = 0; i < sizeof atomics / sizeof atomics[0]; i++) {
      if (!strcmp(atomics[i].name, call->op->name))
         named.name = bytes == 8 ? atomics[i].of_64 : atomics[i].of_32;
   }
   struct call as_buffer = *call;
   as_buffer.op = &named;
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      uint8_t *texel;
      bits old = 0;
      if (!lane_is_on(call->machine, lane))
         continue;
      if (find_texel(call, &image, lane, &texel))
         old =
            atomic_memory(&as_buffer, read_dwords(call->machine, (unsigned)instance->dst.value, lane, dwords), texel);
      if (has(instance->tail, "glc"))
         write_dwords(call, lane, old, bytes);
   }
}

/* Width, height, depth (of 3D; of others it is not told) and levels. */
static void
resource_info(struct call *call)
{
   const struct instance *instance = call->instance;
   struct texture image = image_of(call);
   const uint32_t info[4] = {image.width, image.height, image.depth, 1};
   for (unsigned lane = 0; lane < lane_count(call->machine); lane++) {
      unsigned vgpr = (unsigned)instance->dst.value;
      for (unsigned i = 0; lane_is_on(call->machine, lane) && i < 4; i++) {
         if (!(instance->dmask >> i & 1))
            continue;
         call->after->vgpr[vgpr][lane] = info[i];
         if ((i == 1 && image.dim != DIM_2D && image.dim != DIM_3D) || (i == 2 && image.dim != DIM_3D))
            allow_anything(call, vgpr, lane, U32, false);
         vgpr++;
      }
   }
}

#define ATOMIC(name)                                     \
   {                                                     \
      "image_atomic_" name, SCALAR, NONE, {NONE}, atomic \
   }

static const struct op ops[] = {
   {"image_load", SCALAR, NONE, {NONE}, load},
   {"image_load_mip", SCALAR, NONE, {NONE}, load},
   {"image_store", SCALAR | UNSURE_ROUNDING, NONE, {NONE}, store},
   {"image_store_mip", SCALAR | UNSURE_ROUNDING, NONE, {NONE}, store},
   {"image_get_resinfo", SCALAR, NONE, {NONE}, resource_info},
   ATOMIC("swap"),
   ATOMIC("cmpswap"),
   ATOMIC("add"),
   ATOMIC("sub"),
   ATOMIC("smin"),
   ATOMIC("umin"),
   ATOMIC("smax"),
   ATOMIC("umax"),
   ATOMIC("and"),
   ATOMIC("or"),
   ATOMIC("xor"),
   ATOMIC("inc"),
   ATOMIC("dec"),
};

/* ---- cases ------------------------------------------------------------------------------------------------------ */

/* What both buffers and images can be of: no scaled integers, nothing of 12 bytes. */
static unsigned
choose_format(struct random *random, const struct instance *instance)
{
   const char *name = instance->op->name;
   unsigned format;
   if (has(name, "atomic"))
      return 20 + random_below(random, 2) + (instance->dmask == (has(name, "cmpswap") ? 15u : 3u) ? 28 : 0);
   do
      format = 1 + random_below(random, (has(name, "load") && !instance->d16 ? IMAGE_FORMATS : BUFFER_FORMATS) - 1);
   while (texel_format(format)->number == USCALED || texel_format(format)->number == SSCALED ||
          texel_bytes(format) == 12 ||
          (instance->d16 && texel_is_integer(format) && texel_format(format)->bits[0] == 32));
   return format;
}

static void
choose(struct random *random, struct instance *instance)
{
   const char *name = instance->op->name;
   static const uint8_t dims[] = {DIM_1D, DIM_2D, DIM_2D, DIM_3D, DIM_1D_ARRAY, DIM_2D_ARRAY};
   bool is_atomic = has(name, "atomic"), info = has(name, "resinfo"), store = has(name, "store");
   instance->dim = dims[random_below(random, 6)];
   instance->a16 = !info && random_chance(random, 30);
   instance->d16 = !is_atomic && !info && random_chance(random, 30);
   instance->dmask = is_atomic                ? (has(name, "cmpswap") ? 3 : 1)
                     : instance->d16 && store ? (2u << random_below(random, 4)) - 1
                                              : 1 + random_below(random, 15);
   if (is_atomic && random_chance(random, 40))
      instance->dmask = instance->dmask == 1 ? 3 : 15;
   instance->format = choose_format(random, instance);
   instance->dst = choose_vgpr(random, 0, 24);
   instance->resource = (unsigned)choose_sgpr(random, 0, 96, 4).value;
   unsigned numbers = info ? 1 : dim_coordinates(instance->dim) + has(name, "_mip");
   unsigned data = (unsigned)__builtin_popcount(instance->dmask);
   char address[64], registers[24];
   choose_address(random, instance, 30, instance->a16 ? (numbers + 1) / 2 : numbers, address);
   data = instance->d16 ? (data + 1) / 2 : data;
   print_registers(registers, 'v', (unsigned)instance->dst.value, data);
   snprintf(instance->tail, sizeof instance->tail, " %s, %s, s[%u:%u] dmask:0x%x dim:SQ_RSRC_IMG_%s unorm%s%s%s",
            registers, address, instance->resource, instance->resource + 7, instance->dmask, dim_name(instance->dim),
            is_atomic && random_chance(random, 60) ? " glc" : "", instance->a16 ? " a16" : "",
            instance->d16 ? " d16" : "");
}

static struct texture
random_image(struct random *random, const struct instance *instance)
{
   unsigned bytes = texel_bytes(instance->format), rows = 256 / bytes;
   struct texture image = {.base = PAGE, .dim = instance->dim, .format = instance->format, .depth = 1};
   image.width = 1 + random_below(random, instance->dim == DIM_1D ? 4096 / bytes : rows);
   image.height = instance->dim == DIM_2D ? 1 + random_below(random, 8) : 1 + random_below(random, 4);
   if (instance->dim == DIM_1D || instance->dim == DIM_1D_ARRAY)
      image.height = 1;
   image.pitch = texture_least_pitch(image.format, image.width);
   if (instance->dim == DIM_2D && random_chance(random, 30))
      image.pitch += rows;
   if (instance->dim == DIM_3D)
      image.depth = 1 + random_below(random, 4);
   if (dim_has_layers(instance->dim)) {
      image.first_layer = random_below(random, 2);
      image.depth = 1 + random_below(random, 3);
   }
   for (unsigned i = 0; i < 4; i++) {
      unsigned kind = random_below(random, 8);
      image.select[i] =
         has(instance->op->name, "store") || has(instance->op->name, "atomic") || kind > 1 ? 4 + i : kind;
      if (kind > 5 && has(instance->op->name, "load"))
         image.select[i] = 4 + random_below(random, texel_components(image.format));
   }
   return image;
}

/* Each lane has a texel of its own, or one outside. */
static void
choose_coordinates(struct random *random, const struct instance *instance, const struct texture *image,
                   struct machine *machine, unsigned lane)
{
   unsigned n = lane, axes = dim_coordinates(instance->dim), layer = axes - 1;
   unsigned sizes[3] = {image->width, image->dim == DIM_1D_ARRAY ? image->depth : image->height, image->depth};
   unsigned strange = random_chance(random, 10) ? random_below(random, axes) : 3;
   for (unsigned i = 0; i < axes; i++) {
      uint32_t value = i < layer ? n % sizes[i] : n; /* the last one overflows */
      n /= sizes[i];
      if (i == strange)
         value = random_chance(random, 50) ? UINT32_MAX - random_below(random, 3) : sizes[i] + random_below(random, 3);
      set_address_number(instance, machine, lane, i, value);
   }
   if (has(instance->op->name, "_mip"))
      set_address_number(instance, machine, lane, axes, 0);
}

static void
prepare(struct random *random, const struct instance *instance, struct machine *machine)
{
   struct texture image = random_image(random, instance);
   if (has(instance->op->name, "store"))
      texel_fill(random, instance, machine);
   texture_encode(&image, &machine->sgpr[instance->resource]);
   for (unsigned lane = 0; lane < 64; lane++) {
      if (has(instance->op->name, "resinfo"))
         machine->vgpr[instance->address[0]][lane] = 0;
      else
         choose_coordinates(random, instance, &image, machine, lane);
   }
}

static void
describe(const struct instance *instance, const struct machine *machine, unsigned lane)
{
   struct texture image = texture_decode(&machine->sgpr[instance->resource]);
   printf(" %ux%ux%u pitch %u layer %u format %u select %u%u%u%u;", image.width, image.height, image.depth, image.pitch,
          image.first_layer, image.format, image.select[0], image.select[1], image.select[2], image.select[3]);
   for (unsigned i = 0; i < dim_coordinates(instance->dim); i++)
      printf(" %x", address_number(instance, machine, lane, i));
}

const struct family image_family = {
   .name = "image",
   .ops = ops,
   .count = sizeof ops / sizeof ops[0],
   .execute = whole_execute,
   .choose = choose,
   .prepare = prepare,
   .describe = describe,
};
