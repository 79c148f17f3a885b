/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "checks.h"

extern const uint32_t hdb_trap_handler[];
extern const size_t hdb_trap_handler_size;

static const struct handler handler = {"handler", hdb_trap_handler, &hdb_trap_handler_size};

static void
expect_passed(const struct check_result *result, const char *name)
{
   if (!check_passed(result)) {
      check_print(stderr, name, result);
      fail();
   }
}

static void
steps(void **state)
{
   struct check_result result;
   for (int program = CHECK_LOOP; program <= CHECK_REDUCE; program++)
      for (uint32_t wave_size = 32; wave_size <= 64; wave_size += 32) {
         check_steps(&handler, program, wave_size, &result);
         expect_passed(&result, __func__);
         assert_true(result.stops > 500);
         print_message("program %d, wave%u: %llu stops\n", program, wave_size, (unsigned long long)result.stops);
      }
}

static void
host_traps(void **state)
{
   struct check_result result;
   uint64_t traps = 0, stops = 0;
   for (uint32_t seed = 0; seed < 3; seed++)
      for (int program = CHECK_LOOP; program <= CHECK_REDUCE; program++)
         for (uint32_t wave_size = 32; wave_size <= 64; wave_size += 32) {
            check_host_traps(&handler, program, wave_size, seed, &result);
            expect_passed(&result, __func__);
            traps += result.traps;
            stops += result.stops;
         }
   print_message("%llu traps, %llu stops\n", (unsigned long long)traps, (unsigned long long)stops);
   assert_true(stops > 100);
   assert_true(traps > stops);
}

static void
breakpoint(void **state)
{
   struct check_result result;
   for (uint32_t wave_size = 32; wave_size <= 64; wave_size += 32) {
      check_breakpoint(&handler, wave_size, &result);
      expect_passed(&result, __func__);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps),
      cmocka_unit_test(host_traps),
      cmocka_unit_test(breakpoint),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
