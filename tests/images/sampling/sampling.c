/* SPDX-License-Identifier: MIT */
/*
 * Sampling on the virtual GPU against lavapipe: random samplers and images, every form of lookup, within the precision
 * that Vulkan asks for (subTexelPrecisionBits and mipmapPrecisionBits of 8). Coordinates keep clear of where rounding
 * decides: nearest texels and levels must then be the same.
 *
 *    sampling CASES SEED SHADERS
 *
 * HDB_TEST_DRIVER names the fork; without it, or without lavapipe, the test is skipped.
 */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "../device.h"
#include "../kernel.h"
#include "choose.h"

enum { MAX_BYTES = 1 << 20 };

struct side {
   struct gpu gpu;
   struct set set;
   struct buffer in, out;
   unsigned waves; /* sizes of wave that it has */
   VkPipeline pipelines[2][DIMENSIONS][KINDS];
};

static VkPipeline
create_pipeline(struct side *side, unsigned dimension, unsigned kind, uint32_t wave_size)
{
   static const char *const kinds[KINDS] = {"FLOAT", "UINT", "SHADOW"};
   char name[64];
   snprintf(name, sizeof name, "sampling-%u-%s", dimension + 1, kinds[kind]);
   return gpu_create_pipeline_of(&side->gpu, side->set.layout, gpu_create_module(&side->gpu, name), 0, wave_size, NULL);
}

static void
open_side(struct side *side, const char *path, unsigned waves, const uint32_t *wave_sizes)
{
   side->waves = waves;
   device_open(&side->gpu, path);
   kernel_init_set(&side->gpu, &side->set);
   buffer_init(&side->gpu, &side->in, LOOKUPS * sizeof(struct lookup), 0);
   buffer_init(&side->gpu, &side->out, LOOKUPS * 4 * sizeof(float), 0);
   for (unsigned w = 0; w < waves; w++)
      for (unsigned n = 0; n < DIMENSIONS * KINDS; n++)
         if (dimensions[n / KINDS].forms[n % KINDS])
            side->pipelines[w][n / KINDS][n % KINDS] = create_pipeline(side, n / KINDS, n % KINDS, wave_sizes[w]);
}

static void
close_side(struct side *side)
{
   for (unsigned w = 0; w < side->waves; w++)
      for (unsigned n = 0; n < DIMENSIONS * KINDS; n++)
         vkDestroyPipeline(side->gpu.device, side->pipelines[w][n / KINDS][n % KINDS], NULL);
   buffer_finish(&side->gpu, &side->in);
   buffer_finish(&side->gpu, &side->out);
   set_finish(&side->gpu, &side->set);
   gpu_close(&side->gpu);
}

static void
run_side(struct side *side, const struct test *test, unsigned turn, const uint8_t *data, float (*results)[LOOKUPS][4])
{
   struct gpu *gpu = &side->gpu;
   struct image image;
   VkSampler sampler;
   image_init(gpu, &image, &test->image, data);
   CALL(vkCreateSampler(gpu->device, &test->sampler, NULL, &sampler));
   memcpy(side->in.map, test->lookups, sizeof test->lookups);
   unsigned kind = test->texels->kind;
   for (uint32_t form = 0; form < FORMS; form++) {
      if (!(test->dimension->forms[kind] >> form & 1))
         continue;
      memset(side->out.map, 0xdb, LOOKUPS * 4 * sizeof(float));
      kernel_run(gpu, &side->set, side->pipelines[turn % side->waves][test->dimension - dimensions][kind], image.view,
                 sampler, &side->in, &side->out, &form, sizeof form, LOOKUPS / 64);
      memcpy(results[form], side->out.map, sizeof results[form]);
   }
   vkDestroySampler(gpu->device, sampler, NULL);
   image_finish(gpu, &image);
}

static bool
is_gather(unsigned form)
{
   return form >= FORM_GATHER && form <= 9 && form != 7;
}

/* Half a step of 1/256 in each of the weights, twice (both may round), of the values' range; and a LOD's. */
static float
tolerance(const struct test *test, unsigned form)
{
   const VkSamplerCreateInfo *sampler = &test->sampler;
   float range = test->texels->range, steps = 0;
   if (form == FORM_QUERY)
      return 1 / 128.0f;
   if (range < 1 && test->texels->kind == KIND_FLOAT)
      range = 1;
   bool gather = is_gather(form);
   if (sampler->minFilter == VK_FILTER_LINEAR && !gather && !test->reduction.reductionMode)
      steps += (float)test->dimension->axes;
   if (sampler->mipmapMode == VK_SAMPLER_MIPMAP_MODE_LINEAR && !gather)
      steps += 1;
   /* lavapipe's sRGB is a polynomial. */
   float decoding = test->image.format == VK_FORMAT_R8G8B8A8_SRGB ? 0.002f : 2e-5f;
   return range * steps / 256 + decoding;
}

static void
describe(const struct test *test, unsigned form, unsigned n)
{
   const VkSamplerCreateInfo *s = &test->sampler;
   const struct image_info *i = &test->image;
   const struct lookup *l = &test->lookups[n];
   printf("  %s, format %d, %ux%ux%u, %u layers, %u levels from %u, swizzle %d %d %d %d\n", test->dimension->name,
          i->format, i->width, i->height, i->depth, i->layers, i->levels, i->base_level, i->swizzle.r, i->swizzle.g,
          i->swizzle.b, i->swizzle.a);
   printf("  filter %d, mip %d, wraps %d %d %d, border %d, bias %g, LOD %g to %g, compare %d, reduction %d\n",
          s->minFilter, s->mipmapMode, s->addressModeU, s->addressModeV, s->addressModeW, s->borderColor, s->mipLodBias,
          s->minLod, s->maxLod, s->compareOp, test->reduction.reductionMode);
   printf("  form %u, lookup %u: at %g %g %g %g, dx %g %g %g, dy %g %g %g, lod %g, bias %g, reference %g\n", form, n,
          l->at[0], l->at[1], l->at[2], l->at[3], l->dx[0], l->dx[1], l->dx[2], l->dy[0], l->dy[1], l->dy[2], l->lod,
          l->bias, l->reference);
}

/* What lies beyond the corner of a cube is up to the implementation: one texel of a gather's four. */
static bool
is_corner(const struct test *test, unsigned n)
{
   const float *at = test->lookups[n].at;
   float size = (float)(test->image.width >> test->image.base_level);
   float longest = fmaxf(fabsf(at[0]), fmaxf(fabsf(at[1]), fabsf(at[2])));
   unsigned near = 0;
   for (unsigned i = 0; i < 3; i++)
      near += fabsf(at[i]) / longest >= 1 - 1 / size;
   return test->dimension->cube && near == 3;
}

/* Whether two results are as near to each other as Vulkan asks for. */
static bool
agree(const struct test *test, unsigned form, unsigned n, const float a[4], const float b[4])
{
   float limit = tolerance(test, form);
   if (is_gather(form) && is_corner(test, n))
      return true;
   /* The level that would be read: only lavapipe leaves out the sampler's limits. */
   bool limited = test->sampler.minLod > 0 || test->sampler.maxLod < VK_LOD_CLAMP_NONE;
   for (unsigned c = form == FORM_QUERY && limited ? 1 : 0; c < 4; c++)
      if (!(fabsf(a[c] - b[c]) <= limit))
         return false;
   return true;
}

static unsigned
compare(const struct test *test, float (*expected)[LOOKUPS][4], float (*got)[LOOKUPS][4], unsigned *shown)
{
   unsigned wrong = 0;
   for (unsigned form = 0; form < FORMS; form++) {
      if (!(test->dimension->forms[test->texels->kind] >> form & 1))
         continue;
      for (unsigned n = 0; n < LOOKUPS; n++) {
         const float *a = expected[form][n], *b = got[form][n];
         if (agree(test, form, n, a, b))
            continue;
         wrong++;
         if (*shown) {
            (*shown)--;
            printf("expected %g %g %g %g, got %g %g %g %g\n", a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]);
            describe(test, form, n);
         }
         break;
      }
   }
   return wrong;
}

int
main(int argc, char **argv)
{
   static struct side lavapipe, fork;
   static struct test test;
   static uint8_t data[MAX_BYTES];
   static float expected[FORMS][LOOKUPS][4], got[FORMS][LOOKUPS][4];
   if (argc != 4 || atoi(argv[1]) < 1) {
      fprintf(stderr, "usage: sampling CASES SEED SHADERS\n");
      return 2;
   }
   const char *lavapipe_path = "/usr/lib/x86_64-linux-gnu/libvulkan_lvp.so", *fork_path = getenv("HDB_TEST_DRIVER");
   if (!fork_path || access(lavapipe_path, R_OK) || access(fork_path, R_OK)) {
      fprintf(stderr, "no driver to test, or no lavapipe\n");
      return 77;
   }
   gpu_shaders = argv[3];
   open_side(&fork, fork_path, 2, (const uint32_t[]){32, 64});
   unsigned cases = (unsigned)atoi(argv[1]), wrong = 0, shown = 8;
   for (unsigned n = 0; n < cases; n++) {
      /* lavapipe compiles code for each sampler and keeps it as long as its device lives. */
      if (n % 200 == 0) {
         if (n)
            close_side(&lavapipe);
         open_side(&lavapipe, lavapipe_path, 1, (const uint32_t[]){0});
      }
      choose_test(&test, (uint32_t)atoi(argv[2]) * 1000003u + n + 1);
      size_t bytes = image_bytes(&test.image);
      CHECK(bytes <= sizeof data);
      choose_content(test.texels, data, bytes);
      run_side(&lavapipe, &test, n, data, expected);
      run_side(&fork, &test, n, data, got);
      wrong += compare(&test, expected, got, &shown) != 0;
   }
   printf("%u cases on %s and %s, %u of them differ\n", cases, lavapipe.gpu.properties.deviceName,
          fork.gpu.properties.deviceName, wrong);
   close_side(&lavapipe);
   close_side(&fork);
   return wrong != 0;
}
