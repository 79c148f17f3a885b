/* SPDX-License-Identifier: MIT */
/* Free ranges of physical memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "vm/heap.h"

#define PAGE 4096ull

static void
first_fit_low_and_high(void **state)
{
   struct heap heap;
   uint64_t a, b, c;
   assert_int_equal(heap_init(&heap, 100 * PAGE), 0);
   assert_int_equal(heap_alloc(&heap, PAGE, PAGE, false, &a), 0);
   assert_int_equal(a, 0);
   assert_int_equal(heap_alloc(&heap, PAGE, PAGE, true, &b), 0);
   assert_int_equal(b, 99 * PAGE);
   assert_int_equal(heap_alloc(&heap, 16 * PAGE, 16 * PAGE, false, &c), 0);
   assert_int_equal(c, 16 * PAGE);
   assert_int_equal(heap_used(&heap), 18 * PAGE);
   assert_int_equal(heap_alloc(&heap, 99 * PAGE, PAGE, false, &a), -ENOMEM);
   heap_finish(&heap);
}

static void
neighbours_join_when_freed(void **state)
{
   enum { COUNT = 300 };
   struct heap heap;
   uint64_t start[COUNT], whole;
   assert_int_equal(heap_init(&heap, COUNT * PAGE), 0);
   for (int i = 0; i < COUNT; i++)
      assert_int_equal(heap_alloc(&heap, PAGE, PAGE, false, &start[i]), 0);
   assert_int_equal(heap_alloc(&heap, PAGE, PAGE, false, &whole), -ENOMEM);

   for (int i = 0; i < COUNT; i += 2) /* as many holes as there can be */
      heap_free(&heap, start[i], PAGE);
   assert_int_equal(heap.count, COUNT / 2);
   assert_int_equal(heap_alloc(&heap, 2 * PAGE, PAGE, false, &whole), -ENOMEM);
   for (int i = 1; i < COUNT; i += 2)
      heap_free(&heap, start[i], PAGE);
   assert_int_equal(heap.count, 1);
   assert_int_equal(heap_alloc(&heap, COUNT * PAGE, PAGE, false, &whole), 0);
   assert_int_equal(whole, 0);
   heap_finish(&heap);
}

/* Against a plain map of pages, for many random sizes and alignments. */
static void
nothing_is_given_twice(void **state)
{
   enum { PAGES = 512, LIVE = 64 };
   struct heap heap;
   struct {
      uint64_t start, size;
   } live[LIVE] = {0};
   uint8_t taken[PAGES] = {0};
   uint64_t used = 0;

   srand(1);
   assert_int_equal(heap_init(&heap, PAGES * PAGE), 0);
   for (int round = 0; round < 20000; round++) {
      int slot = rand() % LIVE;
      if (live[slot].size) {
         for (uint64_t page = 0; page < live[slot].size / PAGE; page++)
            taken[live[slot].start / PAGE + page] = 0;
         heap_free(&heap, live[slot].start, live[slot].size);
         used -= live[slot].size;
         live[slot].size = 0;
         continue;
      }
      uint64_t size = (1 + rand() % 16) * PAGE, alignment = PAGE << rand() % 5, start;
      if (heap_alloc(&heap, size, alignment, rand() & 1, &start))
         continue;
      assert_int_equal(start % alignment, 0);
      assert_true(start + size <= PAGES * PAGE);
      for (uint64_t page = 0; page < size / PAGE; page++)
         assert_int_equal(taken[start / PAGE + page]++, 0);
      live[slot].start = start;
      live[slot].size = size;
      used += size;
      assert_int_equal(heap_used(&heap), used);
   }
   heap_finish(&heap);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_fit_low_and_high),
      cmocka_unit_test(neighbours_join_when_freed),
      cmocka_unit_test(nothing_is_given_twice),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
