/* SPDX-License-Identifier: MIT */
/* Our way to an address against addrlib's, for every kind of surface there is. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "addrlib/addrlib.h"
#include "gpu.h"

static struct layout_cache *cache;
static const struct addrlib_functions *addrlib;
static void *handle;
static uint32_t seed = 1;

static uint32_t
below(uint32_t limit)
{
   seed = seed * 1664525 + 1013904223;
   return (uint32_t)((uint64_t)(seed >> 4) * limit >> 28);
}

static uint32_t
minified(uint32_t size, unsigned level)
{
   return size >> level ? size >> level : 1;
}

/* How many of a surface's elements were compared; 0: there is no such surface. */
static unsigned
check(const struct surface *surface)
{
   const char *why = "";
   struct image_layout from_addrlib;
   uint64_t first;
   bool exists =
      !addrlib->layout(handle, surface, &from_addrlib) && !addrlib->address(handle, surface, 0, 0, 0, 0, 0, &first);
   const struct image_layout *layout = layout_get(cache, surface, &why);
   if (exists != (layout != NULL))
      fail_msg("mode %u, %u bytes, %uD, %ux%ux%u, %u levels, %u samples: %s", surface->swizzle_mode, surface->bytes,
               surface->dimension, surface->width, surface->height, surface->slices, surface->levels, surface->samples,
               exists ? why : "there is no such surface");
   if (!exists)
      return 0;
   unsigned checked = 0;
   for (unsigned level = 0; level < surface->levels; level++) {
      uint32_t depth = surface->dimension == 3 ? minified(surface->slices, level) : surface->slices;
      for (unsigned i = 0; i < 32; i++) {
         uint32_t x = below(minified(surface->width, level)), y = below(minified(surface->height, level));
         uint32_t z = below(depth), sample = below(surface->samples);
         uint64_t theirs;
         assert_int_equal(addrlib->address(handle, surface, level, x, y, z, sample, &theirs), 0);
         uint64_t ours = layout_address(layout, 0, level, x, y, z, sample);
         if (ours != theirs)
            fail_msg("mode %u, %u bytes, %uD, %ux%ux%u, %u levels, %u samples: level %u (%u, %u, %u) sample %u lies at "
                     "0x%llx, not 0x%llx",
                     surface->swizzle_mode, surface->bytes, surface->dimension, surface->width, surface->height,
                     surface->slices, surface->levels, surface->samples, level, x, y, z, sample,
                     (unsigned long long)theirs, (unsigned long long)ours);
         checked++;
      }
   }
   return checked;
}

static unsigned
levels_of(uint32_t width, uint32_t height, uint32_t depth)
{
   uint32_t largest = width > height ? width : height;
   largest = largest > depth ? largest : depth;
   return 32 - (unsigned)__builtin_clz(largest);
}

static unsigned
check_sizes(struct surface surface)
{
   static const uint32_t sizes[][3] = {{1, 1, 1},     {7, 5, 3},     {64, 64, 1},   {256, 256, 6},
                                       {100, 30, 17}, {333, 127, 2}, {1000, 9, 33}, {37, 700, 5}};
   unsigned checked = 0;
   for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      surface.width = sizes[i][0];
      surface.height = surface.dimension == 1 ? 1 : sizes[i][1];
      surface.slices = sizes[i][2];
      surface.levels = 1;
      checked += check(&surface);
      if (surface.samples > 1)
         continue;
      surface.levels = levels_of(surface.width, surface.height, surface.dimension == 3 ? surface.slices : 1);
      checked += check(&surface);
   }
   return checked;
}

/* All that gfx11 has; by the number that the T# gives them. */
static void
test_all_surfaces(void **state)
{
   unsigned checked[32][4] = {{0}};
   for (uint32_t mode = 0; mode < 32; mode++) {
      for (uint32_t dimension = 1; dimension <= 3; dimension++) {
         for (uint32_t bytes = 1; bytes <= 16; bytes *= 2) {
            for (uint32_t samples = 1; samples <= (dimension == 2 ? 8u : 1u); samples *= 2)
               checked[mode][samples > 1 ? 0 : dimension] += check_sizes(
                  (struct surface){.swizzle_mode = mode, .dimension = dimension, .bytes = bytes, .samples = samples});
         }
      }
   }
   static const struct {
      uint8_t mode;
      bool flat, solid, multisampled;
   } known[] = {
      {0, true, true, false},   /* linear */
      {2, true, false, false},  /* 256B_D */
      {5, false, true, false},  /* 4KB_S */
      {6, true, false, false},  /* 4KB_D */
      {9, false, true, false},  /* 64KB_S */
      {10, true, false, false}, /* 64KB_D */
      {17, false, true, false}, /* 64KB_S_T */
      {18, true, false, false}, /* 64KB_D_T */
      {21, false, true, false}, /* 4KB_S_X */
      {22, true, false, false}, /* 4KB_D_X */
      {24, true, true, true},   /* 64KB_Z_X */
      {25, false, true, false}, /* 64KB_S_X */
      {26, true, true, false},  /* 64KB_D_X */
      {27, true, true, true},   /* 64KB_R_X */
      {28, true, true, true},   /* 256KB_Z_X */
      {29, false, true, false}, /* 256KB_S_X */
      {30, true, false, false}, /* 256KB_D_X */
      {31, true, true, true},   /* 256KB_R_X */
   };
   for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
      const unsigned *of = checked[known[i].mode];
      printf("mode %2u: %u 1D, %u 2D, %u 3D, %u multisampled\n", known[i].mode, of[1], of[2], of[3], of[0]);
      assert_true(of[2] || !known[i].flat);
      assert_true(of[3] || !known[i].solid);
      assert_true(of[0] || !known[i].multisampled);
   }
}

/* The bits of the base below a block's size are XORed in. */
static void
test_tile_swizzle(void **state)
{
   const char *why = "";
   struct surface surface = {.swizzle_mode = 27,
                             .dimension = 2,
                             .bytes = 4,
                             .width = 300,
                             .height = 300,
                             .slices = 2,
                             .levels = 1,
                             .samples = 1};
   const struct image_layout *layout = layout_get(cache, &surface, &why);
   assert_non_null(layout);
   uint64_t plain = layout_address(layout, 0x12340000, 0, 130, 200, 1, 0);
   assert_int_equal(layout_address(layout, 0x12340000 | 0x2c00, 0, 130, 200, 1, 0), plain ^ 0x2c00);
}

/* A linear surface with a pitch of its own, and one of three dwords an element. */
static void
test_linear(void **state)
{
   const char *why = "";
   struct surface surface = {
      .dimension = 2, .bytes = 4, .width = 100, .height = 10, .slices = 1, .levels = 1, .samples = 1, .pitch = 192};
   assert_int_equal(layout_address(layout_get(cache, &surface, &why), 0x1000, 0, 3, 2, 0, 0),
                    0x1000 + (2 * 192 + 3) * 4);
   surface.pitch = 0;
   assert_int_equal(layout_address(layout_get(cache, &surface, &why), 0x1000, 0, 3, 2, 0, 0),
                    0x1000 + (2 * 128 + 3) * 4);
   surface.bytes = 12;
   assert_int_equal(layout_address(layout_get(cache, &surface, &why), 0, 0, 3, 2, 0, 0), 2 * 1280 + 3 * 12);
}

int
main(void)
{
   void *library = dlopen(ADDRLIB_SONAME, RTLD_NOW);
   addrlib = library ? dlsym(library, ADDRLIB_SYMBOL) : NULL;
   if (!addrlib) {
      printf("1..0 # SKIP no " ADDRLIB_SONAME "\n");
      return 77;
   }
   handle = addrlib->create(VGPU_GB_ADDR_CONFIG);
   cache = layout_cache_create(VGPU_GB_ADDR_CONFIG);
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_surfaces),
      cmocka_unit_test(test_tile_swizzle),
      cmocka_unit_test(test_linear),
   };
   int result = handle && cache ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
   layout_cache_destroy(cache);
   addrlib->destroy(handle);
   return result;
}
