/* SPDX-License-Identifier: MIT */
/* Conversions by hand: formats that lavapipe does not have, and the ends of ranges. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "image/format.h"

static uint32_t
bits_of(float value)
{
   uint32_t bits;
   memcpy(&bits, &value, sizeof bits);
   return bits;
}

static float
component(const struct texel *texel, unsigned i)
{
   float value;
   memcpy(&value, &texel->component[i], sizeof value);
   return value;
}

static struct texel
decode(unsigned number, uint64_t element)
{
   struct texel texel;
   uint64_t bytes[2] = {element, 0};
   format_decode(format_get(number), bytes, 0, 0, &texel);
   return texel;
}

static float
first(struct texel texel)
{
   return component(&texel, 0);
}

static uint64_t
encode(unsigned number, float x, float y, float z, float w)
{
   struct texel texel = {{bits_of(x), bits_of(y), bits_of(z), bits_of(w)}};
   uint64_t bytes[2] = {0};
   format_encode(format_get(number), &texel, bytes);
   return bytes[0];
}

static uint64_t
encode_integers(unsigned number, uint32_t x, uint32_t y)
{
   struct texel texel = {{x, y, x, y}};
   uint64_t bytes[2] = {0};
   format_encode(format_get(number), &texel, bytes);
   return bytes[0];
}

/* The names list fields from the most significant one: X is in the lowest bits. */
static void
test_packed(void **state)
{
   struct texel texel = decode(68, 0xf800 | 21); /* 5_6_5 */
   assert_true(component(&texel, 0) == 21.0f / 31 && component(&texel, 1) == 0 && component(&texel, 2) == 1);
   assert_true(component(&texel, 3) == 1); /* there is none */
   texel = decode(69, 0x8000 | 3 << 5);    /* 1_5_5_5 */
   assert_true(component(&texel, 0) == 0 && component(&texel, 1) == 3.0f / 31 && component(&texel, 3) == 1);
   texel = decode(70, 1 | 31 << 11); /* 5_5_5_1 */
   assert_true(component(&texel, 0) == 1 && component(&texel, 1) == 0 && component(&texel, 3) == 1);
   texel = decode(71, 0x4321);
   for (unsigned i = 0; i < 4; i++)
      assert_true(component(&texel, i) == (float)(i + 1) / 15);
   texel = decode(36, 0xc0000000 | 1023); /* 2_10_10_10 */
   assert_true(component(&texel, 0) == 1 && component(&texel, 1) == 0 && component(&texel, 3) == 1);
   texel = decode(32, 3 | 1023u << 22); /* 10_10_10_2 */
   assert_true(component(&texel, 0) == 1 && component(&texel, 1) == 0 && component(&texel, 3) == 1);
   assert_int_equal(encode(68, 21.0f / 31, 0, 1, 1), 0xf800 | 21);
   assert_int_equal(encode(71, 1.0f / 15, 2.0f / 15, 3.0f / 15, 4.0f / 15), 0x4321);
   assert_int_equal(encode(70, 1, 0, 0, 1), 1 | 31 << 11);
   for (unsigned number = 68; number <= 71; number++) {
      for (uint32_t element = 0; element < 0x10000; element++) {
         struct texel all = decode(number, element);
         uint64_t back = encode(number, component(&all, 0), component(&all, 1), component(&all, 2), component(&all, 3));
         assert_int_equal(back, element);
      }
   }
}

static void
test_ranges(void **state)
{
   assert_int_equal(encode(1, NAN, 0, 0, 0), 0);
   assert_int_equal(encode(1, 2, 0, 0, 0), 255);
   assert_int_equal(encode(1, -1, 0, 0, 0), 0);
   assert_int_equal(encode(1, 0.5f, 0, 0, 0), 128); /* 127.5: to the even one */
   assert_int_equal(encode(2, -1, 0, 0, 0), 0x81);
   assert_int_equal(encode(2, -5, 0, 0, 0), 0x81);
   assert_int_equal(encode(2, NAN, 0, 0, 0), 0);
   assert_true(first(decode(2, 0x80)) == -1);
   assert_int_equal(encode(3, 255.9f, 0, 0, 0), 255); /* USCALED */
   assert_int_equal(encode(4, -300, 0, 0, 0), 0x80);  /* SSCALED */
   assert_int_equal(encode_integers(5, 300, 0), 255);
   assert_int_equal(encode_integers(6, (uint32_t)-300, 0), 0x80);
   assert_int_equal(encode_integers(20, 0xfedcba98, 0), 0xfedcba98);
   assert_int_equal(encode_integers(21, 0xfedcba98, 0), 0xfedcba98);
   assert_int_equal(decode(21, 0xfedcba98).component[0], 0xfedcba98);
   assert_int_equal(decode(6, 0x80).component[0], 0xffffff80);
   assert_int_equal(decode(6, 0x80).component[3], 1);
}

static void
test_floats(void **state)
{
   assert_int_equal(encode(13, 1.0009f, 0, 0, 0), 0x3c00); /* towards zero */
   assert_int_equal(encode(13, 65536, 0, 0, 0), 0x7bff);
   assert_int_equal(encode(13, -INFINITY, 0, 0, 0), 0xfc00);
   assert_int_equal(encode(30, 1, 2, 0.5f, 0), 0x3c0 | 0x400 << 11 | 0x1c0u << 22);
   assert_int_equal(encode(30, -1, -INFINITY, INFINITY, 0), 0x3e0u << 22);
   struct texel texel = decode(30, 0x3c0 | 0x400 << 11 | 0x1c0u << 22);
   assert_true(component(&texel, 0) == 1 && component(&texel, 1) == 2 && component(&texel, 2) == 0.5f);
   assert_true(component(&texel, 3) == 1);
   /* Shared exponent: 1, 0.5 and 0.25 with the exponent of 1. */
   assert_int_equal(encode(67, 1, 0.5f, 0.25f, 0), 256 | 128 << 9 | 64 << 18 | 16u << 27);
   assert_int_equal(encode(67, 1e9f, -1, NAN, 0), 511 | 31u << 27);
   texel = decode(67, 256 | 128 << 9 | 64 << 18 | 16u << 27);
   assert_true(component(&texel, 0) == 1 && component(&texel, 1) == 0.5f && component(&texel, 2) == 0.25f);
}

static void
test_srgb(void **state)
{
   struct texel texel = decode(66, 0x80ff0a80);
   assert_true(fabsf(component(&texel, 0) - 0.2158605f) < 1e-6f);
   assert_true(fabsf(component(&texel, 1) - 10 / 255.0f / 12.92f) < 1e-7f);
   assert_true(component(&texel, 2) == 1);
   assert_true(component(&texel, 3) == 128.0f / 255); /* alpha is linear */
   for (unsigned i = 0; i < 256; i++)
      assert_int_equal(encode(64, first(decode(64, i)), 0, 0, 0), i);
}

/* Two texels of four bytes. */
static void
test_pairs(void **state)
{
   static const uint8_t bytes[] = {51, 102, 153, 204};
   struct texel texel;
   format_decode(format_get(82), bytes, 1, 0, &texel); /* R G0 B G1 */
   assert_true(component(&texel, 0) == 51.0f / 255 && component(&texel, 1) == 204.0f / 255);
   assert_true(component(&texel, 2) == 153.0f / 255);
   format_decode(format_get(86), bytes, 0, 0, &texel); /* G0 R G1 B */
   assert_true(component(&texel, 0) == 102.0f / 255 && component(&texel, 1) == 51.0f / 255);
   assert_true(component(&texel, 2) == 204.0f / 255);
}

/* Depth with stencil. */
static void
test_depth(void **state)
{
   struct texel texel = decode(76, 0x7fffffff); /* 8_24 */
   assert_true(component(&texel, 0) == 1 && component(&texel, 1) == 127.0f / 255);
   assert_int_equal(decode(77, 0x7f000001).component[1], 0x7f);
   texel = decode(81, 0x3f800000 | UINT64_C(0x42) << 32); /* X24_8_32 */
   assert_true(component(&texel, 0) == 1);
   assert_int_equal(texel.component[1], 0x42);
}

static void
test_unknown(void **state)
{
   assert_null(format_get(0));
   assert_null(format_get(100));
   assert_null(format_get(205));
   assert_null(format_get(255));
   assert_non_null(format_get(122));
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_packed),  cmocka_unit_test(test_ranges), cmocka_unit_test(test_floats),
      cmocka_unit_test(test_srgb),    cmocka_unit_test(test_pairs),  cmocka_unit_test(test_depth),
      cmocka_unit_test(test_unknown),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
