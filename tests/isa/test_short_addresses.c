/* SPDX-License-Identifier: MIT */
/*
 * Addresses of 16 bits: A16 packs coordinates with LOD or clamp, G16 the derivatives of each direction, and a bias has
 * a register of its own (RDNA3 ISA guide, 10.2). Whatever an instruction returns for numbers that a half can hold it
 * must return for those halfs.
 */
#include <stdio.h>
#include <string.h>

#include "texture_box.h"

struct dim {
   const char *name;
   unsigned type, coordinates, axes;
};

static const struct dim dims[] = {
   {"1D", IMAGE_1D, 1, 1},
   {"2D", IMAGE_2D, 2, 2},
   {"3D", IMAGE_3D, 3, 3},
   {"CUBE", IMAGE_CUBE, 3, 2},
   {"1D_ARRAY", IMAGE_1D_ARRAY, 2, 1},
   {"2D_ARRAY", IMAGE_2D_ARRAY, 3, 2},
};

/* Suffixes in the order of what they take; all that compute has, one by one and together. */
static const char *const samples[] = {"",       "_o",     "_b",     "_c",      "_l",      "_cl",       "_d",
                                      "_lz",    "_c_l",   "_c_b",   "_c_d",    "_c_lz_o", "_b_cl",     "_d_cl",
                                      "_b_o",   "_c_d_o", "_c_cl",  "_c_b_cl", "_c_d_cl", "_c_d_cl_o", "_d_cl_o",
                                      "_c_b_o", "_l_o",   "_c_l_o", "_b_cl_o", "_c_cl_o", "_c_b_cl_o"};
static const char *const gathers[] = {"", "_lz", "_c_lz", "_lz_o", "_b", "_l", "_c_b_cl", "_c_l"};

static bool
takes(const char *suffix, const char *part)
{
   const char *at = strstr(suffix, part);
   size_t length = strlen(part);
   return at && (!at[length] || at[length] == '_');
}

/* The addresses of one instruction, in a wave's registers from v4 on. */
struct addresses {
   unsigned next; /* register */
   bool high;     /* its upper half is free */
};

/* Lanes of a quad are a texel apart. */
static void
whole(struct addresses *to, const float *value)
{
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[to->next][l] = float_bits(value[l]);
   to->next++;
   to->high = false;
}

static void
half(struct addresses *to, const float *value)
{
   unsigned vgpr = to->high ? to->next - 1 : to->next++;
   for (unsigned l = 0; l < 64; l++) {
      uint32_t bits = to_half(value[l], ROUND_NEAREST_EVEN);
      assert_true(from_half((uint16_t)bits) == value[l]);
      box.vgpr[vgpr][l] = to->high ? (box.vgpr[vgpr][l] & 0xffff) | bits << 16 : bits | 0xbeef0000;
   }
   to->high = !to->high;
}

static void
put(struct addresses *to, bool short_ones, const float *value)
{
   if (short_ones)
      half(to, value);
   else
      whole(to, value);
}

static void
same(float *values, float value)
{
   for (unsigned l = 0; l < 64; l++)
      values[l] = value;
}

/* Eighths of the image; cubes want 1 to 2. Layers, slices and faces: 1. */
static void
coordinate(const struct dim *dim, unsigned axis, float *values)
{
   if (axis >= dim->axes) {
      same(values, 1);
      return;
   }
   for (unsigned l = 0; l < 64; l++) {
      unsigned step = axis == 0 ? l & 1 : axis == 1 ? l >> 1 & 1 : 0;
      values[l] = (float)(l / 4 % 8) / 16 + (float)axis / 8 + (float)step / 8 + (dim->type == IMAGE_CUBE ? 1.0625f : 0);
   }
}

static unsigned
set_addresses(const struct dim *dim, const char *suffix, bool a16, bool g16)
{
   struct addresses to = {4, false};
   float values[64];
   if (takes(suffix, "_o")) {
      for (unsigned l = 0; l < 64; l++)
         box.vgpr[to.next][l] = 1 | 63 << 8 | 1 << 16;
      to.next++;
   }
   if (takes(suffix, "_b")) {
      same(values, 0.75f);
      put(&to, a16, values);
      to.high = false;
   }
   if (takes(suffix, "_c")) {
      same(values, 3.5f); /* whole in every case */
      whole(&to, values);
   }
   for (unsigned direction = 0; direction < 2 && takes(suffix, "_d"); direction++) {
      for (unsigned i = 0; i < dim->axes; i++) {
         same(values, i == direction ? 0.25f : 0.03125f);
         put(&to, g16, values);
      }
      to.high = false;
   }
   for (unsigned i = 0; i < dim->coordinates; i++) {
      coordinate(dim, i, values);
      put(&to, a16, values);
   }
   if (takes(suffix, "_l") || takes(suffix, "_cl")) {
      same(values, 1.25f);
      put(&to, a16, values);
   }
   return to.next - 4;
}

static void
fresh(const struct dim *dim)
{
   const struct view view = {dim->type, FORMAT_32_FLOAT, 8, 8, 7, 4, 0, SELECT_X001, 0, 0};
   view_fresh(&view);
   if (dim->type == IMAGE_CUBE)
      box.wave.sreg[TEXTURE + 4] = 5;
   if (dim->type == IMAGE_1D || dim->type == IMAGE_2D)
      box.wave.sreg[TEXTURE + 4] = 0;
   for (unsigned i = 0; i < BOX_DATA_SIZE / 4; i++)
      box.data[i] = float_bits((float)(i * 37 % 64) / 8);
   sampler_set(2, 1, 2);
   box.wave.sreg[SAMPLER] |= 1 << 12;
}

static void
run(const struct dim *dim, const char *operation, const char *suffix, bool a16, bool g16, unsigned results,
    uint32_t (*result)[64])
{
   char text[160], addresses[16];
   fresh(dim);
   unsigned count = set_addresses(dim, suffix, a16, g16);
   snprintf(addresses, sizeof addresses, count > 1 ? "v[4:%u]" : "v4", 3 + count);
   snprintf(text, sizeof text, "image_%s%s%s %s, %s, s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_%s%s\n", operation,
            suffix, g16 ? "_g16" : "", results > 1 ? "v[20:23]" : "v20", addresses, dim->name, a16 ? " a16" : "");
   box_look(text);
   memcpy(result, box.vgpr[20], results * sizeof *result);
}

static void
compare(const struct dim *dim, const char *operation, const char *suffix, unsigned results)
{
   uint32_t expected[4][64], got[4][64];
   run(dim, operation, suffix, false, false, results, expected);
   for (unsigned forms = 1; forms < 4; forms++) {
      bool a16 = forms & 1, g16 = forms & 2;
      if (g16 && !takes(suffix, "_d"))
         continue;
      run(dim, operation, suffix, a16, g16, results, got);
      if (memcmp(expected, got, results * sizeof *got))
         fail_msg("%s%s of %s, a16 %d, g16 %d: lane 0 has %x, not %x", operation, suffix, dim->name, a16, g16,
                  got[0][0], expected[0][0]);
   }
}

/* All of them in 3D, which has the most addresses; some of them elsewhere. */
static void
test_samples(void **state)
{
   for (unsigned d = 0; d < sizeof dims / sizeof *dims; d++)
      for (unsigned n = 0; n < sizeof samples / sizeof *samples; n++)
         if (dims[d].axes == 3 || n % 4 == d % 4)
            compare(&dims[d], "sample", samples[n], 1);
}

static void
test_gathers(void **state)
{
   for (unsigned n = 0; n < sizeof gathers / sizeof *gathers; n++) {
      compare(&dims[1], "gather4", gathers[n], 4);
      compare(&dims[3], "gather4", gathers[n], 4);
      compare(&dims[5], "gather4", gathers[n], 4);
   }
}

BOX_TESTS(cmocka_unit_test(test_samples), cmocka_unit_test(test_gathers))
