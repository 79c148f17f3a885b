/* SPDX-License-Identifier: MIT */
/* image_bvh_intersect_ray and image_bvh64_intersect_ray on nodes made by hand. */
#include <math.h>
#include <string.h>

#include "isa/half.h"
#include "wave_box.h"

enum { DESCRIPTOR = 4 }; /* SGPRs */
enum { TRIANGLE = 0, BOX16 = 4, BOX32 = 5 };
enum { CLOSEST, LARGEST, MIDPOINT, UNSORTED };

/* Bits: image/bvh.c. `nodes` of 64 bytes at the start of the box's data. */
static void
bind(unsigned heuristic, unsigned grow, unsigned nodes, bool barycentrics)
{
   uint64_t base = BOX_DATA_VA >> 8 & 0xffffffffff;
   uint32_t *word = &box.wave.sreg[DESCRIPTOR];
   word[0] = (uint32_t)base;
   word[1] = (uint32_t)(base >> 32) | grow << 23 | (heuristic == UNSORTED ? 0 : heuristic << 21 | 1u << 31);
   word[2] = nodes - 1;
   word[3] = (barycentrics ? 1u << 24 : 0) | 8u << 28;
}

static void
fresh(void)
{
   box_reset(&box, true);
   bind(CLOSEST, 0, 16, true);
}

static void
set(unsigned vgpr, unsigned lane, float value)
{
   box.vgpr[vgpr][lane] = float_bits(value);
}

/* v4 the pointer, v5 the extent, v[6:8], v[9:11], v[12:14] */
static void
aim(unsigned lane, uint32_t pointer, float extent, const float origin[3], const float direction[3])
{
   box.vgpr[4][lane] = pointer;
   set(5, lane, extent);
   for (unsigned i = 0; i < 3; i++) {
      set(6 + i, lane, origin[i]);
      set(9 + i, lane, direction[i]);
      set(12 + i, lane, 1 / direction[i]);
   }
}

#define INTERSECT "image_bvh_intersect_ray v[0:3], [v4, v5, v[6:8], v[9:11], v[12:14]], s[4:7]\n"

static void
run(const char *text)
{
   assert_int_equal(box_run_text(&box, text), ISA_END);
}

static float
got(unsigned vgpr, unsigned lane)
{
   return as_float(box.vgpr[vgpr][lane]);
}

static void
expect_children(unsigned lane, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
   assert_int_equal(box.vgpr[0][lane], a);
   assert_int_equal(box.vgpr[1][lane], b);
   assert_int_equal(box.vgpr[2][lane], c);
   assert_int_equal(box.vgpr[3][lane], d);
}

/* Boxes along x: [6, 7], [2, 3], [4, 20], and one above the rays. */
static const float boxes[4][2][3] = {
   {{6, -1, -1}, {7, 1, 1}},
   {{2, -1, -1}, {3, 1, 1}},
   {{4, -1, -1}, {20, 1, 1}},
   {{2, 5, -1}, {3, 6, 1}},
};
static const uint32_t pointers[4] = {0x108, 0x110, 0x118, 0x120};

static void
put_boxes(unsigned node, bool halfs)
{
   uint32_t *at = box.data + node * 16;
   memcpy(at, pointers, sizeof pointers);
   for (unsigned n = 0; n < 24; n++) {
      float value = boxes[n / 6][n / 3 % 2][n % 3];
      if (halfs)
         ((uint16_t *)(at + 4))[n] = to_half(value, ROUND_NEAREST_EVEN);
      else
         at[4 + n] = float_bits(value);
   }
}

static void
test_boxes(void **state)
{
   static const float origin[3] = {0, 0, 0}, right[3] = {1, 0, 0}, left[3] = {-1, 0, 0}, inside[3] = {5, 0, 0};
   for (unsigned halfs = 0; halfs < 2; halfs++) {
      uint32_t kind = halfs ? BOX16 : BOX32, miss = 0xffffffff;
      fresh();
      put_boxes(2, halfs);
      for (unsigned l = 0; l < 64; l++)
         aim(l, 2 << 3 | kind, 100, origin, right);
      aim(1, 2 << 3 | kind, 5, origin, right);   /* too short for the first */
      aim(2, 2 << 3 | kind, 100, origin, left);  /* away from all */
      aim(3, 2 << 3 | kind, 100, inside, right); /* inside the third, past the second */
      aim(4, 2 << 3 | kind, 100, inside, left);
      run(INTERSECT);
      expect_children(0, pointers[1], pointers[2], pointers[0], miss);
      expect_children(1, pointers[1], pointers[2], miss, miss);
      expect_children(2, miss, miss, miss, miss);
      expect_children(3, pointers[2], pointers[0], miss, miss);
      expect_children(4, pointers[2], pointers[1], miss, miss);
      bind(LARGEST, 0, 16, true); /* lengths 1, 1, 16: equal keys keep the network's order */
      run(INTERSECT);
      assert_int_equal(box.vgpr[0][0], pointers[2]);
      bind(MIDPOINT, 0, 16, true); /* 6.5, 2.5, 12 */
      run(INTERSECT);
      expect_children(0, pointers[1], pointers[0], pointers[2], miss);
      bind(UNSORTED, 0, 16, true);
      run(INTERSECT);
      expect_children(0, pointers[0], pointers[1], pointers[2], miss);
   }
}

/* Boxes that are not there have NaN for bounds; those that are flat are hit. */
static void
test_odd_boxes(void **state)
{
   static const float origin[3] = {0, 0, 0}, right[3] = {1, 0, 0};
   fresh();
   put_boxes(2, false);
   box.data[2 * 16 + 4] = 0x7fc00000;                                /* the first */
   box.data[2 * 16 + 4 + 9] = box.data[2 * 16 + 4 + 6];              /* the second: 2 to 2 */
   box.data[2 * 16 + 4 + 12] = float_bits(nextafterf(20, INFINITY)); /* the third: an ulp inside out */
   for (unsigned l = 0; l < 64; l++)
      aim(l, 2 << 3 | BOX32, 100, origin, right);
   run(INTERSECT);
   expect_children(0, pointers[1], 0xffffffff, 0xffffffff, 0xffffffff);
   bind(CLOSEST, 6, 16, true); /* grown, it is hit */
   run(INTERSECT);
   expect_children(0, pointers[1], pointers[2], 0xffffffff, 0xffffffff);
}

static void
put_triangle(unsigned node, const float vertices[5][3], uint32_t id)
{
   memcpy(box.data + node * 16, vertices, 60);
   box.data[node * 16 + 15] = id;
}

/* In the plane z = 4: t is 4, weights as areas. The denominator is -det (-edge1 x edge2 . direction): its sign tells
 * the side. */
static void
test_triangle(void **state)
{
   static const float vertices[5][3] = {{0, 0, 4}, {4, 0, 4}, {0, 4, 4}, {4, 4, 4}, {0, 8, 4}};
   static const float forward[3] = {0, 0, 1}, backward[3] = {0, 0, -1};
   fresh();
   put_triangle(1, vertices, 9 | 9 << 8 | 9 << 16 | 9u << 24);
   for (unsigned l = 0; l < 64; l++)
      aim(l, 1 << 3, 100, (float[]){1, 2, 0}, forward);
   aim(1, 1 << 3, 100, (float[]){1, 2, 8}, backward);
   aim(2, 1 << 3, 100, (float[]){3, 3, 0}, forward);     /* beyond the edge of the first, within the second */
   aim(3, 1 << 3, 100, (float[]){1, 2, 8}, forward);     /* behind */
   aim(4, 1 << 3 | 1, 100, (float[]){3, 3, 0}, forward); /* vertices 1, 3, 2 */
   aim(5, 1 << 3 | 2, 100, (float[]){1, 5, 0}, forward); /* vertices 2, 3, 4 */
   aim(6, 1 << 3, 100, (float[]){2, 2, 0}, forward);     /* on the edge that both share */
   aim(7, 1 << 3 | 1, 100, (float[]){2, 2, 0}, forward);
   aim(8, 1 << 3, 100, (float[]){1, 2, 0}, (float[]){1, 0, 0}); /* along the plane */
   run(INTERSECT);
   /* u = x / 4, v = y / 4 */
   assert_true(got(0, 0) / got(1, 0) == 4 && got(2, 0) / got(1, 0) == 0.25f && got(3, 0) / got(1, 0) == 0.5f);
   assert_true(got(0, 1) / got(1, 1) == 4 && got(2, 1) / got(1, 1) == 0.25f && got(3, 1) / got(1, 1) == 0.5f);
   assert_true(got(1, 0) == -16 && got(1, 1) == 16);
   static const unsigned missed[] = {2, 3, 8};
   for (unsigned i = 0; i < 3; i++)
      assert_true(got(0, missed[i]) == INFINITY && got(1, missed[i]) == 1);
   assert_true(got(0, 4) / got(1, 4) == 4 && got(0, 5) / got(1, 5) == 4);
   assert_true(got(0, 6) / got(1, 6) == 4 && got(0, 7) / got(1, 7) == 4);
   /* Which weights are returned: here J first, then that of the first vertex. */
   box.data[16 + 15] = 2 | 0 << 2;
   run(INTERSECT);
   assert_true(got(2, 0) / got(1, 0) == 0.5f && got(3, 0) / got(1, 0) == 0.25f);
   /* Or the dword itself and whether the triangle was hit. */
   bind(CLOSEST, 0, 16, false);
   box.data[16 + 15] = 12345;
   run(INTERSECT);
   assert_true(box.vgpr[2][0] == 12345 && box.vgpr[3][0] == 1);
   assert_true(box.vgpr[2][2] == 12345 && box.vgpr[3][2] == 0);
}

/* 64-bit pointers, registers in a row, and directions as halfs (in the lower halves). */
static void
test_addresses(void **state)
{
   static const float origin[3] = {0, 0, 0}, right[3] = {1, 0, 0};
   fresh();
   put_boxes(2, false);
   for (unsigned l = 0; l < 64; l++) {
      aim(l, 0, 100, origin, right);
      uint32_t *source[] = {&box.vgpr[20][l], &box.vgpr[21][l]};
      *source[0] = 2 << 3 | BOX32;
      *source[1] = 0;
      for (unsigned i = 0; i < 10; i++)
         box.vgpr[22 + i][l] = box.vgpr[5 + i][l];
      for (unsigned i = 0; i < 3; i++)
         box.vgpr[40 + i][l] =
            to_half(right[i], ROUND_NEAREST_EVEN) | (uint32_t)to_half(1 / right[i], ROUND_NEAREST_EVEN) << 16;
   }
   static const char *const forms[] = {
      "image_bvh64_intersect_ray v[0:3], [v[20:21], v5, v[6:8], v[9:11], v[12:14]], s[4:7]\n",
      "image_bvh64_intersect_ray v[0:3], v[20:31], s[4:7]\n",
      "image_bvh_intersect_ray v[0:3], [v20, v5, v[6:8], v[40:42]], s[4:7] a16\n",
      "image_bvh64_intersect_ray v[0:3], [v[20:21], v5, v[6:8], v[40:42]], s[4:7] a16\n",
   };
   for (unsigned i = 0; i < 4; i++) {
      run(forms[i]);
      expect_children(0, pointers[1], pointers[2], pointers[0], 0xffffffff);
   }
   /* A pointer of 64 bits without a base: the whole address space, as RADV binds it. */
   memset(&box.wave.sreg[DESCRIPTOR], 0, 16);
   box.wave.sreg[DESCRIPTOR + 1] = 1u << 31;
   box.wave.sreg[DESCRIPTOR + 2] = ~0u;
   box.wave.sreg[DESCRIPTOR + 3] = 0x3ff | 1u << 24 | 8u << 28;
   uint64_t pointer = ((BOX_DATA_VA + 128) >> 3 & ((UINT64_C(1) << 45) - 1)) | BOX32;
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[20][l] = (uint32_t)pointer;
      box.vgpr[21][l] = (uint32_t)(pointer >> 32);
   }
   run(forms[0]);
   expect_children(0, pointers[1], pointers[2], pointers[0], 0xffffffff);
}

/* Beyond the end, and nodes of the user's own, have no children; flags are refused, other memory faults. */
static void
test_limits(void **state)
{
   static const float origin[3] = {0, 0, 0}, right[3] = {1, 0, 0};
   fresh();
   bind(CLOSEST, 0, 3, true);
   put_boxes(2, false);
   for (unsigned l = 0; l < 64; l++)
      aim(l, 2 << 3 | BOX32, 100, origin, right); /* needs nodes 2 and 3 */
   aim(1, 1 << 3 | 6, 100, origin, right);
   aim(2, 3 << 3 | 0, 100, origin, right);
   box.wave.sreg[SREG_EXEC_LO] = 7;
   box.wave.sreg[SREG_EXEC_HI] = 0;
   box.wave.exec_dirty = true;
   run(INTERSECT);
   for (unsigned l = 0; l < 3; l++)
      expect_children(l, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff);
   assert_int_equal(box.vgpr[0][3], 0xdbdbdbdb);

   bind(CLOSEST, 0, 1u << 20, true);
   aim(0, BOX_DATA_SIZE >> 3 | BOX32, 100, origin, right);
   assert_int_equal(box_run_text(&box, INTERSECT), ISA_TRAP);
   assert_int_equal(box.wave.fault.cause, TRAPSTS_MEM_VIOL);
   bind(CLOSEST, 0, 16, true);
   box.wave.sreg[DESCRIPTOR + 3] |= 1 << 23;
   assert_int_equal(box_run_text(&box, INTERSECT), ISA_TRAP);
   assert_int_equal(box.wave.fault.cause, TRAPSTS_ILLEGAL_INST);
}

BOX_TESTS(cmocka_unit_test(test_boxes), cmocka_unit_test(test_odd_boxes), cmocka_unit_test(test_triangle),
          cmocka_unit_test(test_addresses), cmocka_unit_test(test_limits))
