/* SPDX-License-Identifier: MIT */
#include "image/layout.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "addrlib/addrlib.h"

enum {
   LAYOUTS = 256,      /* kept; a surface has one place among them */
   SWIZZLE_MODES = 32, /* of the T# */
   ELEMENT_SIZES = 5,  /* 1 to 16 bytes */
   SAMPLE_COUNTS = 5,  /* 1 to 16 */
   LARGEST = 1 << 14,  /* coordinates the T# has room for */
   LARGEST_SLICES = 1 << 13,
   LINEAR_PITCH = 256 /* bytes a row is aligned to */
};

/* Derived from addrlib once. */
struct layout_cache {
   uint32_t gb_addr_config; /* pipes and interleave, which layouts depend on */
   const struct addrlib_functions *addrlib;
   void *handle;
   bool loaded; /* or it was tried */
   struct layout_swizzle *swizzle[SWIZZLE_MODES][ELEMENT_SIZES][3][SAMPLE_COUNTS];
   struct image_layout layout[LAYOUTS];
};

struct layout_cache *
layout_cache_create(uint32_t gb_addr_config)
{
   struct layout_cache *cache = calloc(1, sizeof *cache);
   if (cache)
      cache->gb_addr_config = gb_addr_config;
   return cache;
}

void
layout_cache_destroy(struct layout_cache *cache)
{
   if (!cache)
      return;
   struct layout_swizzle **swizzle = &cache->swizzle[0][0][0][0];
   for (unsigned i = 0; i < sizeof cache->swizzle / sizeof *swizzle; i++)
      free(swizzle[i]);
   if (cache->handle)
      cache->addrlib->destroy(cache->handle);
   free(cache);
}

/* From the directory that this library lies in, or (not installed) one below, or wherever the loader finds it. */
static void *
open_addrlib(void)
{
   static const char *const below[] = {"", "addrlib/"};
   Dl_info self;
   if (dladdr((const void *)layout_get, &self) && self.dli_fname) {
      const char *slash = strrchr(self.dli_fname, '/');
      int directory = slash ? (int)(slash - self.dli_fname) + 1 : 0;
      for (unsigned i = 0; i < 2; i++) {
         char path[PATH_MAX];
         int length = snprintf(path, sizeof path, "%.*s%s%s", directory, self.dli_fname, below[i], ADDRLIB_SONAME);
         void *library = length < (int)sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
         if (library)
            return library;
      }
   }
   return dlopen(ADDRLIB_SONAME, RTLD_NOW | RTLD_LOCAL);
}

static bool
load_addrlib(struct layout_cache *cache)
{
   if (!cache->loaded) {
      cache->loaded = true;
      void *library = open_addrlib(); /* never closed: other cards may use it */
      cache->addrlib = library ? dlsym(library, ADDRLIB_SYMBOL) : NULL;
      cache->handle = cache->addrlib ? cache->addrlib->create(cache->gb_addr_config) : NULL;
   }
   return cache->handle != NULL;
}

/* A surface so large that every bit of a coordinate can be set by itself. */
static struct surface
largest(const struct surface *surface)
{
   struct surface large = *surface;
   large.width = large.height = LARGEST;
   large.slices = LARGEST_SLICES;
   large.levels = 1;
   return large;
}

/* The bits that coordinate bit (x, y, z, sample) contributes within its block. */
static bool
contribution(struct layout_cache *cache, const struct image_layout *layout, uint32_t x, uint32_t y, uint32_t z,
             unsigned sample, uint32_t *bits)
{
   uint64_t address;
   if (cache->addrlib->address(cache->handle, &layout->surface, 0, x, y, z, sample, &address))
      return false;
   *bits = (uint32_t)address & ((1u << layout->block_log2) - 1);
   return true;
}

/* XOR of the contributions of the bits of `value`. */
static uint32_t
combine(const uint32_t *bits, unsigned value)
{
   uint32_t result = 0;
   for (unsigned i = 0; value >> i; i++)
      result ^= value >> i & 1 ? bits[i] : 0;
   return result;
}

static bool
derive_swizzle(struct layout_cache *cache, const struct surface *surface, struct layout_swizzle *swizzle)
{
   struct image_layout layout = {.surface = largest(surface)};
   uint32_t x[16] = {0}, y[16] = {0}, z[16] = {0}, sample[4] = {0};
   bool good = !cache->addrlib->layout(cache->handle, &layout.surface, &layout);
   for (unsigned i = 0; i < 14 && good; i++) {
      good = contribution(cache, &layout, 1u << i, 0, 0, 0, &x[i]) &&
             contribution(cache, &layout, 0, 1u << i, 0, 0, &y[i]) &&
             (1 << i >= LARGEST_SLICES || contribution(cache, &layout, 0, 0, 1u << i, 0, &z[i])) &&
             (1u << i >= surface->samples || contribution(cache, &layout, 0, 0, 0, 1u << i, &sample[i]));
   }
   for (unsigned i = 0; i < 256; i++) {
      for (unsigned byte = 0; byte < 2; byte++) {
         swizzle->x[byte][i] = combine(x + 8 * byte, i);
         swizzle->y[byte][i] = combine(y + 8 * byte, i);
         swizzle->z[byte][i] = combine(z + 8 * byte, i);
      }
   }
   for (unsigned i = 0; i < 16; i++)
      swizzle->sample[i] = combine(sample, i);
   return good;
}

static const struct layout_swizzle *
swizzle_get(struct layout_cache *cache, const struct surface *surface)
{
   struct layout_swizzle **swizzle = &cache->swizzle[surface->swizzle_mode][__builtin_ctz(surface->bytes)]
                                                    [surface->dimension - 1][__builtin_ctz(surface->samples)];
   if (*swizzle)
      return *swizzle;
   struct layout_swizzle *made = malloc(sizeof *made);
   if (made && !derive_swizzle(cache, surface, made)) {
      free(made);
      made = NULL;
   }
   return *swizzle = made;
}

/* Levels from the smallest on; rows are aligned. */
static void
linear_layout(struct image_layout *layout)
{
   const struct surface *surface = &layout->surface;
   uint64_t end = 0;
   for (unsigned i = surface->levels; i-- > 0;) {
      /* Levels are rounded up here, although down where their size counts. */
      uint32_t width = (surface->width + (1u << i) - 1) >> i, height = (surface->height + (1u << i) - 1) >> i;
      uint32_t row = (surface->pitch ? surface->pitch : width) * surface->bytes;
      uint32_t pitch = (row + LINEAR_PITCH - 1) / LINEAR_PITCH * LINEAR_PITCH;
      layout->level[i] = (struct layout_level){.offset = end, .pitch = pitch};
      end += (uint64_t)pitch * height;
   }
   layout->slice_size = end;
}

static bool
same_surface(const struct surface *a, const struct surface *b)
{
   return !memcmp(a, b, sizeof *a); /* words without gaps */
}

static unsigned
place(const struct surface *surface)
{
   uint32_t word[sizeof *surface / 4], hash = 0x811c9dc5;
   memcpy(word, surface, sizeof word);
   for (unsigned i = 0; i < sizeof word / sizeof *word; i++)
      hash = (hash ^ word[i]) * 0x01000193;
   return (hash ^ hash >> 16) % LAYOUTS;
}

const struct image_layout *
layout_get(struct layout_cache *cache, const struct surface *surface, const char **why)
{
   struct image_layout *layout = &cache->layout[place(surface)];
   if (same_surface(&layout->surface, surface))
      return layout;

   *layout = (struct image_layout){.surface = *surface};
   if (surface->swizzle_mode == 0 && surface->samples == 1) {
      linear_layout(layout);
      return layout;
   }
   *why = "a tiled image, for which " ADDRLIB_SONAME " is needed; it is not beside this library";
   if (load_addrlib(cache)) {
      *why = "an image whose tiling the hardware does not have";
      bool possible = !(surface->bytes & (surface->bytes - 1)) && surface->samples < 1 << SAMPLE_COUNTS;
      layout->swizzle = possible ? swizzle_get(cache, surface) : NULL;
      if (layout->swizzle && !cache->addrlib->layout(cache->handle, surface, layout))
         return layout;
   }
   layout->surface = (struct surface){0};
   return NULL;
}
