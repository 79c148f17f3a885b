/* SPDX-License-Identifier: MIT */
#include "choose.h"

#include <math.h>
#include <string.h>

#include "../random.h"

const struct dimension dimensions[DIMENSIONS] = {
   {"1D", VK_IMAGE_VIEW_TYPE_1D, 1, false, false, {0x1c8f, 0x148f, 0x000f}},
   {"2D", VK_IMAGE_VIEW_TYPE_2D, 2, false, false, {0x1fff, 0x17ff, 0x059f}},
   {"3D", VK_IMAGE_VIEW_TYPE_3D, 3, false, false, {0x1c8f, 0x148f, 0}},
   {"cube", VK_IMAGE_VIEW_TYPE_CUBE, 2, true, false, {0x087f, 0x007f, 0x001b}},
   {"1D array", VK_IMAGE_VIEW_TYPE_1D_ARRAY, 1, false, true, {0x188f, 0x108f, 0x000f}},
   {"2D array", VK_IMAGE_VIEW_TYPE_2D_ARRAY, 2, false, true, {0x1bff, 0x13ff, 0x0119}},
   {"cube array", VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, 2, true, true, {0x087f, 0x007f, 0x0011}},
};

static const struct texels formats[] = {
   {VK_FORMAT_R8G8B8A8_UNORM, KIND_FLOAT, 4, RANDOM_BYTES, 1},
   {VK_FORMAT_B8G8R8A8_UNORM, KIND_FLOAT, 4, RANDOM_BYTES, 1},
   {VK_FORMAT_R8G8B8A8_SNORM, KIND_FLOAT, 4, RANDOM_BYTES, 2},
   {VK_FORMAT_R8G8B8A8_SRGB, KIND_FLOAT, 4, RANDOM_BYTES, 1},
   {VK_FORMAT_R8_UNORM, KIND_FLOAT, 1, RANDOM_BYTES, 1},
   {VK_FORMAT_R16G16_UNORM, KIND_FLOAT, 4, RANDOM_BYTES, 1},
   {VK_FORMAT_A2B10G10R10_UNORM_PACK32, KIND_FLOAT, 4, RANDOM_BYTES, 1},
   {VK_FORMAT_R16G16B16A16_SFLOAT, KIND_FLOAT, 8, RANDOM_HALFS, 2},
   {VK_FORMAT_R32_SFLOAT, KIND_FLOAT, 4, RANDOM_FLOATS, 2},
   {VK_FORMAT_R32G32B32A32_SFLOAT, KIND_FLOAT, 16, RANDOM_FLOATS, 2},
   {VK_FORMAT_R8G8B8A8_UINT, KIND_UINT, 4, RANDOM_BYTES, 0},
   {VK_FORMAT_R32G32_UINT, KIND_UINT, 8, RANDOM_BYTES, 0},
   {VK_FORMAT_D32_SFLOAT, KIND_SHADOW, 4, EIGHTHS, 1},
   {VK_FORMAT_D16_UNORM, KIND_SHADOW, 2, EIGHTHS_16, 1},
};

/* Away from the middle and both ends of 0 to 1. */
static float
random_fraction(void)
{
   float fraction = random_between(0.1f, 0.4f);
   return random_below(2) ? fraction : fraction + 0.5f;
}

void
choose_content(const struct texels *texels, uint8_t *data, size_t bytes)
{
   for (size_t i = 0; i < bytes; i++)
      data[i] = (uint8_t)random_below(256);
   if (texels->content == RANDOM_HALFS)
      for (size_t i = 0; i < bytes / 2; i++)
         ((uint16_t *)data)[i] = (uint16_t)(random_below(2) << 15 | random_below(0x3c00));
   if (texels->content == RANDOM_FLOATS || texels->content == EIGHTHS)
      for (size_t i = 0; i < bytes / 4; i++)
         ((float *)data)[i] = texels->content == EIGHTHS ? (float)random_below(9) / 8 : random_between(-1, 1);
   if (texels->content == EIGHTHS_16)
      for (size_t i = 0; i < bytes / 2; i++)
         ((uint16_t *)data)[i] = (uint16_t)(random_below(9) * 65535 / 8);
}

static void
choose_image(struct test *test)
{
   const struct dimension *dimension = test->dimension;
   bool odd = random_below(4) == 0; /* sizes that are no powers of two have one level */
   struct image_info *image = &test->image;
   *image = (struct image_info){
      .type = dimension->type,
      .format = test->texels->format,
      .width = odd ? (dimension->cube ? 8 : 1) + random_below(24) : 8u << random_below(3),
      .height = 1,
      .depth = 1,
      .layers = dimension->array ? 1 + random_below(4) : 1,
      .levels = odd ? 1 : 4,
      .texel_bytes = test->texels->bytes,
      .block = 1,
   };
   if (dimension->axes > 1)
      image->height = dimension->cube ? image->width : odd ? 1 + random_below(31) : 8u << random_below(3);
   if (dimension->axes > 2)
      image->depth = odd ? 1 + random_below(9) : 8;
   if (dimension->cube)
      image->layers *= 6;
   image->base_level = odd ? 0 : random_below(2);
}

static void
choose_sampler(struct test *test)
{
   static const VkSamplerAddressMode wraps[] = {
      VK_SAMPLER_ADDRESS_MODE_REPEAT, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
      VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE};
   bool integer = test->texels->kind == KIND_UINT, shadow = test->texels->kind == KIND_SHADOW;
   VkFilter filter = integer || random_below(2) ? VK_FILTER_NEAREST : VK_FILTER_LINEAR;
   VkSamplerCreateInfo *sampler = &test->sampler;
   *sampler = (VkSamplerCreateInfo){
      .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
      .magFilter = filter,
      .minFilter = filter,
      .mipmapMode = !integer && random_below(2) ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST,
      .addressModeU = wraps[random_below(5)],
      .addressModeV = wraps[random_below(5)],
      .addressModeW = wraps[random_below(5)],
      .mipLodBias = random_below(2) ? 0 : (float)(2 * random_below(16) + 1) / 16 - 1, /* no halves */
      .compareEnable = shadow,
      .compareOp = (VkCompareOp)random_below(8),
      .minLod = random_below(2) ? 0 : 0.25f * (float)random_below(8) + 0.125f,
      .maxLod = VK_LOD_CLAMP_NONE,
      .borderColor = (VkBorderColor)(2 * random_below(3) + (integer ? 1 : 0)),
   };
   if (random_below(2))
      sampler->maxLod = sampler->minLod + 0.25f * (float)random_below(8) + 0.0625f; /* no halves */
   if (!shadow && random_below(3) == 0) {
      test->border = (VkSamplerCustomBorderColorCreateInfoEXT){
         .sType = VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT, .format = test->image.format};
      for (unsigned i = 0; i < 4; i++) {
         if (integer)
            test->border.customBorderColor.uint32[i] = random_below(256);
         else
            test->border.customBorderColor.float32[i] = (float)random_below(256) / 255;
      }
      sampler->borderColor = integer ? VK_BORDER_COLOR_INT_CUSTOM_EXT : VK_BORDER_COLOR_FLOAT_CUSTOM_EXT;
      sampler->pNext = &test->border;
   }
   if (!integer && !shadow && random_below(4) == 0) {
      test->reduction = (VkSamplerReductionModeCreateInfo){
         .sType = VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO,
         .pNext = sampler->pNext,
         .reductionMode = random_below(2) ? VK_SAMPLER_REDUCTION_MODE_MIN : VK_SAMPLER_REDUCTION_MODE_MAX,
      };
      sampler->pNext = &test->reduction;
      sampler->mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST; /* a level of no weight would count for one of them */
   }
   bool has_border = sampler->addressModeU == VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER ||
                     sampler->addressModeV == VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER ||
                     sampler->addressModeW == VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
   VkComponentSwizzle *swizzle = &test->image.swizzle.r;
   for (unsigned i = 0; i < 4 && !has_border && !shadow; i++) /* a border's is not defined */
      swizzle[i] = (VkComponentSwizzle)random_below(7);
}

/* Vulkan 1.3, 16.5.4, table of cube map faces: where x, y and the outside of a face point. */
static void
to_direction(unsigned face, float x, float y, float outside, float direction[4])
{
   static const struct {
      int axis, sign;
   } axes[6][3] = {
      {{2, -1}, {1, -1}, {0, 1}}, {{2, 1}, {1, -1}, {0, -1}}, {{0, 1}, {2, 1}, {1, 1}},
      {{0, 1}, {2, -1}, {1, -1}}, {{0, 1}, {1, -1}, {2, 1}},  {{0, -1}, {1, -1}, {2, -1}},
   };
   const float local[3] = {x, y, outside};
   for (unsigned i = 0; i < 3; i++)
      direction[axes[face][i].axis] = (float)axes[face][i].sign * local[i];
}

/* A quad: its pixels are 2^k texels of the view's first level apart, in x and y. */
static void
choose_quad(struct test *test, unsigned first)
{
   const struct image_info *image = &test->image;
   const struct dimension *dimension = test->dimension;
   uint32_t size[3] = {image->width >> image->base_level, image->height >> image->base_level,
                       image->depth >> image->base_level};
   bool cube = dimension->cube;
   int power = cube ? (int)random_below(2) : (int)random_below(6) - 1;
   float texels = exp2f((float)power), start[3] = {0}, layer = 0;
   unsigned face = random_below(6);
   for (unsigned i = 0; i < dimension->axes; i++) {
      uint32_t span = size[i] ? size[i] : 1;
      start[i] =
         cube ? (float)random_below(span > 4 ? span - 4 : 1) : (float)random_below(4 * span) - 1.5f * (float)span;
      start[i] = floorf(start[i]) + random_fraction();
   }
   if (dimension->array)
      layer = (float)random_below(cube ? image->layers / 6 + 2 : image->layers + 2) - 1 + random_between(-0.4f, 0.4f);

   for (unsigned n = 0; n < 4; n++) {
      struct lookup *lookup = &test->lookups[first + n];
      float step[2] = {n & 1 ? texels : 0, n & 2 ? texels : 0}, at[3] = {0};
      memset(lookup, 0, sizeof *lookup);
      /* With one axis the second direction changes nothing. */
      for (unsigned i = 0; i < dimension->axes; i++)
         at[i] = (start[i] + (i < 2 ? step[i] : 0)) / (float)size[i];
      float along[2] = {texels / (float)size[0], dimension->axes > 1 ? texels / (float)size[1] : 0};
      if (cube) {
         to_direction(face, 2 * at[0] - 1, 2 * at[1] - 1, 1, lookup->at);
         to_direction(face, 2 * along[0], 0, 0, lookup->dx);
         to_direction(face, 0, 2 * along[1], 0, lookup->dy);
      } else {
         memcpy(lookup->at, at, sizeof at);
         lookup->dx[0] = along[0];
         lookup->dy[1] = along[1];
      }
      lookup->at[3] = layer;
      /* Levels keep clear of halves, sampler's bias included. */
      lookup->lod = (float)random_below(6) - 1 + random_fraction() - test->sampler.mipLodBias;
      lookup->bias = (float)random_below(4) - 2 + random_fraction() - test->sampler.mipLodBias;
      lookup->reference = (float)random_below(9) / 8;
   }
   for (unsigned n = 1; n < 4; n++) /* one LOD for the quad */
      test->lookups[first + n].bias = test->lookups[first].bias;
}

void
choose_test(struct test *test, uint32_t seed)
{
   random_seed(seed);
   memset(test, 0, sizeof *test);
   do {
      test->dimension = &dimensions[random_below(DIMENSIONS)];
      test->texels = &formats[random_below(sizeof formats / sizeof *formats)];
   } while (!test->dimension->forms[test->texels->kind]);
   choose_image(test);
   choose_sampler(test);
   for (unsigned n = 0; n < LOOKUPS; n += 4)
      choose_quad(test, n);
}
