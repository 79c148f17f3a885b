/* SPDX-License-Identifier: MIT */
/*
 * Sampling (RDNA3 ISA guide, 10.2, 10.4 and 16.18). Addresses come in this order, those that an instruction does not
 * take left out: texel offsets, bias, reference, derivatives, coordinates, LOD or its clamp. With A16 the coordinates
 * and what follows are halfs, two a register; the bias has a register of its own; with G16 the derivatives are halfs,
 * each direction beginning a register.
 *
 * Without derivatives, LOD comes from quads: lanes 4n to 4n + 3 are the pixels of a square, whether EXEC has them or
 * not, and share the differences between the first and its neighbours.
 */
#include "image/sample.h"

#include <math.h>

#include "image/filter.h"
#include "image/lod.h"
#include "isa/half.h"
#include "isa/mimg.h"

enum {
   TAKES_OFFSET = 1 << 0,
   TAKES_BIAS = 1 << 1,
   TAKES_REFERENCE = 1 << 2,
   TAKES_DERIVATIVES = 1 << 3,
   HALF_DERIVATIVES = 1 << 4,
   TAKES_LOD = 1 << 5,
   TAKES_CLAMP = 1 << 6,
   LEVEL_ZERO = 1 << 7,
   GATHER = 1 << 8,
   GATHER_ROW = 1 << 9,
   QUERY_LOD = 1 << 10,
   SAMPLES = 1 << 11, /* so that no instruction has 0 */

   O = TAKES_OFFSET,
   B = TAKES_BIAS,
   C = TAKES_REFERENCE,
   D = TAKES_DERIVATIVES,
   G16 = TAKES_DERIVATIVES | HALF_DERIVATIVES,
   L = TAKES_LOD,
   CL = TAKES_CLAMP,
   LZ = LEVEL_ZERO
};

static const uint16_t forms[256] = {
   /* image_sample */
   [27] = SAMPLES,
   [28] = D,
   [29] = L,
   [30] = B,
   [31] = LZ,
   [32] = C,
   [33] = C | D,
   [34] = C | L,
   [35] = C | B,
   [36] = C | LZ,
   [37] = O,
   [38] = D | O,
   [39] = L | O,
   [40] = B | O,
   [41] = LZ | O,
   [42] = C | O,
   [43] = C | D | O,
   [44] = C | L | O,
   [45] = C | B | O,
   [46] = C | LZ | O,
   [57] = G16,
   [58] = C | G16,
   [59] = G16 | O,
   [60] = C | G16 | O,
   [64] = CL,
   [65] = D | CL,
   [66] = B | CL,
   [67] = C | CL,
   [68] = C | D | CL,
   [69] = C | B | CL,
   [70] = CL | O,
   [71] = D | CL | O,
   [72] = B | CL | O,
   [73] = C | CL | O,
   [74] = C | D | CL | O,
   [75] = C | B | CL | O,
   [84] = C | G16 | CL,
   [85] = G16 | CL | O,
   [86] = C | G16 | CL | O,
   [95] = G16 | CL,
   /* image_gather4 */
   [47] = GATHER,
   [48] = GATHER | L,
   [49] = GATHER | B,
   [50] = GATHER | LZ,
   [51] = GATHER | C,
   [52] = GATHER | C | LZ,
   [53] = GATHER | O,
   [54] = GATHER | LZ | O,
   [55] = GATHER | C | LZ | O,
   [96] = GATHER | CL,
   [97] = GATHER | B | CL,
   [98] = GATHER | C | CL,
   [99] = GATHER | C | L,
   [100] = GATHER | C | B,
   [101] = GATHER | C | B | CL,
   [144] = GATHER | GATHER_ROW,
   /* image_get_lod */
   [56] = QUERY_LOD,
};

/* Coordinates of each DIM, and how many of them are filtered; the rest is the layer, or slice and face of a cube. */
static const struct {
   uint8_t coordinates, axes;
} dims[8] = {{1, 1}, {2, 2}, {3, 3}, {3, 2}, {2, 1}, {3, 2}, {2, 2}, {3, 2}};

/* Where the components stand: dwords, and halfs from `body` on with A16. */
struct places {
   unsigned offset, bias, reference, derivatives, body, count;
};

static struct places
find_places(unsigned form, unsigned dim, bool a16)
{
   struct places at = {0};
   unsigned n = 0, axes = dims[dim].axes;
   at.offset = n;
   n += form & TAKES_OFFSET ? 1 : 0;
   at.bias = n;
   n += form & TAKES_BIAS ? 1 : 0;
   at.reference = n;
   n += form & TAKES_REFERENCE ? 1 : 0;
   at.derivatives = n;
   if (form & TAKES_DERIVATIVES)
      n += 2 * (form & HALF_DERIVATIVES ? (axes + 1) / 2 : axes);
   at.body = n;
   unsigned components = dims[dim].coordinates + (form & (TAKES_LOD | TAKES_CLAMP) ? 1u : 0);
   at.count = n + (a16 ? (components + 1) / 2 : components);
   return at;
}

struct sampling {
   struct wave *wave;
   const struct inst *inst;
   struct mimg mimg;
   unsigned form;
   struct places at;
   struct image image;
   struct sampler sampler;
   struct lookup lookup; /* as every lane's begins */
};

static float
body(const struct sampling *s, unsigned n, unsigned lane)
{
   if (s->mimg.a16)
      return from_half((uint16_t)mimg_address16(s->wave, &s->mimg, s->at.body, n, lane));
   return as_float(mimg_address32(s->wave, &s->mimg, s->at.body + n, lane));
}

static float
address(const struct sampling *s, unsigned n, unsigned lane)
{
   return as_float(mimg_address32(s->wave, &s->mimg, n, lane));
}

/* A cube's coordinates are 1 to 2 across a face (what v_cubesc and v_cubetc lead to). */
static float
coordinate(const struct sampling *s, unsigned axis, unsigned lane)
{
   return body(s, axis, lane) - (s->lookup.cube ? 1 : 0);
}

static struct gradient
find_gradient(const struct sampling *s, unsigned lane)
{
   struct gradient gradient = {{0}, {0}};
   unsigned axes = dims[s->mimg.dim].axes, quad = lane & ~3u;
   for (unsigned i = 0; i < axes; i++) {
      float here = coordinate(s, i, quad);
      if ((s->form & G16) == G16) {
         unsigned dwords = (axes + 1) / 2;
         gradient.dx[i] = from_half((uint16_t)mimg_address16(s->wave, &s->mimg, s->at.derivatives, i, lane));
         gradient.dy[i] = from_half((uint16_t)mimg_address16(s->wave, &s->mimg, s->at.derivatives + dwords, i, lane));
      } else if (s->form & TAKES_DERIVATIVES) {
         gradient.dx[i] = address(s, s->at.derivatives + i, lane);
         gradient.dy[i] = address(s, s->at.derivatives + axes + i, lane);
      } else {
         gradient.dx[i] = coordinate(s, i, quad + 1) - here;
         gradient.dy[i] = coordinate(s, i, quad + 2) - here;
      }
   }
   return gradient;
}

static struct lod
find_lod(const struct sampling *s, unsigned lane)
{
   float last = s->form & (TAKES_LOD | TAKES_CLAMP) ? body(s, dims[s->mimg.dim].coordinates, lane) : 0;
   float lod_clamp = s->form & TAKES_CLAMP ? last : 0;
   if (s->form & (TAKES_LOD | LEVEL_ZERO))
      return lod_explicit(&s->sampler, &s->image, s->form & TAKES_LOD ? last : 0, lod_clamp);
   float bias = 0;
   if (s->form & TAKES_BIAS)
      bias = s->mimg.a16 ? from_half((uint16_t)mimg_address16(s->wave, &s->mimg, s->at.bias, 0, lane))
                         : address(s, s->at.bias, lane);
   struct gradient gradient = find_gradient(s, lane);
   return lod_implicit(&s->sampler, &s->image, &gradient, dims[s->mimg.dim].axes, bias, lod_clamp);
}

/* To the nearest even; NaN is 0. */
static int32_t
to_integer(float value)
{
   return value != value ? 0 : value < -65536 ? -65536 : value > 65536 ? 65536 : (int32_t)nearbyintf(value);
}

static uint32_t
clamp_layer(int32_t layer, uint32_t count)
{
   return layer < 0 || !count ? 0 : (uint32_t)layer >= count ? count - 1 : (uint32_t)layer;
}

/* The layer: rounded and clamped. A cube's last coordinate is eight times the slice plus the face. */
static void
find_layer(const struct sampling *s, unsigned lane, struct lookup *lookup)
{
   const struct image *image = &s->image;
   unsigned axes = dims[s->mimg.dim].axes;
   bool layered = dims[s->mimg.dim].coordinates > axes;
   int32_t wanted = layered ? to_integer(body(s, axes, lane)) : 0;
   uint32_t layers = image->last_layer - image->first_layer + 1;
   lookup->layer = image->first_layer;
   if (lookup->cube) {
      lookup->face = wanted & 7;
      if (lookup->face > 5)
         lookup->face = 5;
      lookup->layer += 6 * clamp_layer(wanted >> 3, layers / 6);
   } else if (image->type == IMAGE_3D) {
      lookup->layer = 0;
      lookup->slice = (int32_t)(image->first_layer + clamp_layer(wanted, image->depth - image->first_layer));
   } else if (layered) {
      lookup->layer += clamp_layer(wanted, layers);
   }
}

static void
find_lookup(const struct sampling *s, unsigned lane, struct lookup *lookup)
{
   *lookup = s->lookup;
   for (unsigned i = 0; i < lookup->axes; i++)
      lookup->coordinate[i] = coordinate(s, i, lane);
   if (s->form & TAKES_OFFSET) {
      uint32_t packed = mimg_address32(s->wave, &s->mimg, s->at.offset, lane);
      for (unsigned i = 0; i < lookup->axes; i++)
         lookup->offset[i] = (int32_t)((packed >> 8 * i & 63) ^ 32) - 32;
   }
   if (s->form & TAKES_REFERENCE)
      lookup->reference = address(s, s->at.reference, lane);
   find_layer(s, lane, lookup);
}

/* One or two levels at one place. */
static bool
sample_levels(struct lookup *lookup, const float at[3], int lod, double weight, struct blend *blend)
{
   const struct sampler *sampler = lookup->sampler;
   bool bilinear = (lod <= 0 ? sampler->mag : sampler->min) & FILTER_BILINEAR;
   unsigned level[2], second;
   lod_levels(sampler, lookup->image, lod, level, &second);
   return filter_level(lookup, at, level[0], bilinear, weight * (256 - second) / 256, blend) &&
          (!second || filter_level(lookup, at, level[1], bilinear, weight * second / 256, blend));
}

/* Probes are spread evenly over the line (Vulkan 1.3, 16.6.2, texel anisotropic filtering). */
static bool
sample(struct lookup *lookup, const struct lod *lod, struct texel *texel)
{
   struct blend blend = {.any = false};
   for (unsigned n = 1; n <= lod->probes; n++) {
      float at[3];
      for (unsigned i = 0; i < 3; i++)
         at[i] = (float)(lookup->coordinate[i] + lod->line[i] * ((double)n / (lod->probes + 1) - 0.5));
      if (!sample_levels(lookup, lod->probes > 1 ? at : lookup->coordinate, lod->clamped, 1.0 / lod->probes, &blend))
         return false;
   }
   *texel = filter_result(lookup, &blend);
   return true;
}

/* What is not a component of the image stays a constant; a comparison's result takes the place of every component. */
static uint32_t
component(const struct sampling *s, const struct texel *texel, unsigned i)
{
   if (s->lookup.compare && s->image.select[i] == 1)
      return float_bits(1);
   return image_select(&s->image, texel, i);
}

static void
query_lod(const struct sampling *s, const struct lod *lod, unsigned lane, uint32_t (*data)[64])
{
   unsigned level[2], second;
   lod_levels(&s->sampler, &s->image, lod->clamped, level, &second);
   data[0][lane] = float_bits((float)(level[0] - s->image.first_level) + (float)second / LOD_ONE);
   data[1][lane] = float_bits((float)lod->raw / LOD_ONE);
}

static bool
gather(const struct sampling *s, struct lookup *lookup, const struct lod *lod, unsigned lane, uint32_t (*data)[64])
{
   struct texel texels[4];
   unsigned level[2], second, which = (unsigned)__builtin_ctz(s->mimg.dmask ? s->mimg.dmask : 1u);
   struct sampler nearest = s->sampler;
   if (nearest.mip == FILTER_LINEAR)
      nearest.mip = FILTER_POINT;
   /* Level 0 is the view's first whatever the sampler's least LOD is (Vulkan 1.3, 16.6.1: gathers read it). */
   lod_levels(&nearest, &s->image, s->form & LEVEL_ZERO ? 0 : lod->clamped, level, &second);
   if (!filter_gather(lookup, level[0], s->form & GATHER_ROW, texels))
      return false;
   for (unsigned i = 0; i < 4; i++)
      data[i][lane] = component(s, &texels[i], which);
   return true;
}

static bool
sample_lane(const struct sampling *s, unsigned lane, uint32_t (*data)[64], uint64_t *missing)
{
   struct lod lod = find_lod(s, lane);
   if (s->form & QUERY_LOD) {
      query_lod(s, &lod, lane, data);
      return true;
   }
   struct lookup lookup;
   find_lookup(s, lane, &lookup);
   if (s->form & GATHER) {
      if (!gather(s, &lookup, &lod, lane, data))
         return false;
   } else {
      struct texel texel;
      if (!sample(&lookup, &lod, &texel))
         return false;
      for (unsigned i = 0; i < 4; i++)
         data[i][lane] = component(s, &texel, i);
   }
   if (!lookup.resident)
      *missing |= UINT64_C(1) << lane;
   return true;
}

/* False: a fault was raised. */
static bool
begin(struct sampling *s)
{
   struct wave *wave = s->wave;
   mimg_fields(s->inst, &s->mimg);
   s->form = forms[s->mimg.opcode];
   s->at = find_places(s->form, s->mimg.dim, s->mimg.a16);
   uint32_t word[4];
   for (unsigned i = 0; i < 4; i++)
      word[i] = sreg_read(wave, s->mimg.ssamp + i);
   sampler_read(word, &s->sampler);
   s->sampler.unnormalized |= s->mimg.unrm;
   if (!image_read(wave, s->inst, s->mimg.srsrc, s->mimg.r128, &s->image))
      return false;
   if (!s->image.layout)
      return true;
   bool three = s->image.type == IMAGE_3D && s->mimg.dim == MIMG_3D;
   s->lookup = (struct lookup){
      .wave = wave,
      .inst = s->inst,
      .image = &s->image,
      .sampler = &s->sampler,
      .cube = s->mimg.dim == MIMG_CUBE && s->image.type == IMAGE_CUBE,
      .compare = s->form & TAKES_REFERENCE,
      .axes = three                        ? 3
              : dims[s->mimg.dim].axes > 2 ? 2
                                           : dims[s->mimg.dim].axes,
      .depth_from = s->image.select[0] >= 4 ? s->image.select[0] - 4u : 0,
      .resident = true,
   };
   return sampler_border_color(wave, s->inst, &s->sampler, &s->image, &s->lookup.border);
}

static enum mimg_result
result_kind(const struct sampling *s)
{
   if (s->form & QUERY_LOD)
      return MIMG_RAW;
   return s->lookup.compare ? MIMG_FLOAT : mimg_result_of(s->image.format);
}

enum isa_result
image_sample_execute(struct wave *wave, const struct inst *inst)
{
   struct sampling s = {.wave = wave, .inst = inst};
   uint32_t data[4][64] = {{0}};
   uint64_t missing = 0, lanes = active_lanes(wave);
   if (!begin(&s))
      return ISA_TRAP;
   if (s.image.layout) {
      for (uint64_t left = lanes; left; left &= left - 1)
         if (!sample_lane(&s, (unsigned)__builtin_ctzll(left), data, &missing))
            return ISA_TRAP;
   }
   mimg_return(wave, &s.mimg, lanes, result_kind(&s), s.form & GATHER ? 15 : s.mimg.dmask, (const uint32_t(*)[64])data,
               missing);
   return ISA_NEXT;
}
