/* SPDX-License-Identifier: MIT */
/* Which of several variables of one name is meant, line by line, where modules and lines do not tell of all scopes: in
 * shadowing.comp each has a type of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "variables.h"

static const char *directory;

static void
check(const char *module)
{
   static const struct {
      uint32_t line;
      const char *type; /* of `a`; NULL: it may be either of two */
   } expected[] = {
      {9, "uint"},   {10, "uint"}, {12, "int"}, {13, "float"}, {16, "int"}, /* a macro declares it */
      {18, NULL}, /* the loop's is not used any more, the outer one not yet: a brace could stand on either side */
      {19, "float"}, {20, "int"},  {21, NULL},
   };
   struct fixture fixture;
   init_fixture(&fixture, directory, module, HDB_SHADER_DEBUG_COMPILED);
   for (size_t k = 0; k < sizeof(expected) / sizeof(expected[0]); k++) {
      char file[] = "shadowing.comp";
      uint32_t line = expected[k].line, pc, actual;
      assert_true(hdb_symbols_find_line(fixture.symbols, file, line, &pc, 1, &actual) > 0);
      assert_int_equal(actual, line);
      const struct hdb_symbol *a = find_local(&fixture, pc, 0, "a"),
                              *rival = hdb_symbols_rival(fixture.symbols, pc, 0, a);
      if (!rival != !!expected[k].type)
         fail_msg("%s: on line %u, a %s", module, line, rival ? "may be either of two" : "is one alone");
      if (expected[k].type && strcmp(a->type->name, expected[k].type) != 0)
         fail_msg("%s: on line %u, a is the %s", module, line, a->type->name);
      assert_null(hdb_symbols_rival(fixture.symbols, pc, 0, find_local(&fixture, pc, 0, "c")));
   }
   free_fixture(&fixture);
}

static void
test_namesakes(void **state)
{
   check("shadowing.gVS.spv");
   check("shadowing.g.spv");
}

int
main(int argc, char **argv)
{
   const struct CMUnitTest tests[] = {cmocka_unit_test(test_namesakes)};
   directory = argv[1];
   return cmocka_run_group_tests(tests, NULL, NULL);
}
