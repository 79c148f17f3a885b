/* SPDX-License-Identifier: MIT */
/* Declarations and the lines of their scopes in sources, counted by eye. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbols/source_scopes.h"

struct expected {
   const char *name;
   uint32_t line, last_line;
};

static void
check(const char *text, const struct expected *expected, size_t expected_count)
{
   struct source_declaration *list;
   size_t count;
   /* A copy without a nul, so that sanitizers see a byte too many. */
   size_t size = strlen(text);
   char *copy = malloc(size + 1);
   memcpy(copy, text, size);
   copy = realloc(copy, size ? size : 1);
   assert_int_equal(source_find_declarations(copy, size, &list, &count), 0);
   for (size_t i = 0; i < count && i < expected_count; i++) {
      if (list[i].length != strlen(expected[i].name) || memcmp(list[i].name, expected[i].name, list[i].length) != 0 ||
          list[i].line != expected[i].line || list[i].last_line != expected[i].last_line)
         fail_msg("%s: %u..%u, not %.*s: %u..%u", expected[i].name, expected[i].line, expected[i].last_line,
                  (int)list[i].length, list[i].name, list[i].line, list[i].last_line);
   }
   assert_int_equal(count, expected_count);
   free(list);
   free(copy);
}

#define CHECK(text, ...)                               \
   check(text, (const struct expected[]){__VA_ARGS__}, \
         sizeof((const struct expected[]){__VA_ARGS__}) / sizeof(struct expected))

static void
test_blocks(void **state)
{
   CHECK("void main()\n{\n   int a = 1;\n   {\n      float b;\n   }\n   a = b;\n}\n", {"a", 3, 8}, {"b", 5, 6});
   CHECK("void f(int p) { vec3 v = vec3(p); }\nvoid g() { int v; }", {"v", 1, 1}, {"v", 2, 2});
   CHECK("void main() {\n  if (x > 1) {\n int a = 2; } else {\n int a = 3;\n }\n}\n", {"a", 3, 3}, {"a", 4, 5});
   CHECK("void main() {\n switch (x) {\n case 1: int a = x ? 1 : 2;\n default:\n float b;\n }\n}\n", {"a", 3, 6},
         {"b", 5, 6});
}

static void
test_loops(void **state)
{
   CHECK("void main() {\n for (int i = 0; i < 4; i++) {\n  float t;\n }\n int j;\n}\n", {"i", 2, 4}, {"t", 3, 4},
         {"j", 5, 6});
   CHECK("void main() {\n for (int i = 0, n = f(1, 2); i < n; i++)\n  v[i] = i;\n int j;\n}\n", {"i", 2, 3},
         {"n", 2, 3}, {"j", 4, 5});
   CHECK("void main() {\n for (int i = 0; i < 4; i++)\n  for (int k = 0; k < 4; k++) {\n   a += k;\n  }\n b = 1;\n}\n",
         {"i", 2, 5}, {"k", 3, 5});
   CHECK("void main() {\n [unroll] for (uint i = 0; i < 4; ++i) { x++; }\n}\n", {"i", 2, 2});
   CHECK("void main() {\n do {\n int a = 1;\n } while (a > b);\n while (c) { int d; }\n}\n", {"a", 3, 4}, {"d", 5, 5});
}

static void
test_declarators(void **state)
{
   CHECK("void main() {\n float a = f(x, y), b, c[2] = { 1, 2 }, d;\n float[3] e;\n const precise vec2 g = vec2(0);\n}",
         {"a", 2, 5}, {"b", 2, 5}, {"c", 2, 5}, {"d", 2, 5}, {"e", 3, 5}, {"g", 4, 5});
   CHECK("void main() {\n vector<float, 3> v = 0;\n Blade blade = blades[i];\n}", {"v", 2, 4}, {"blade", 3, 4});
   /* Nothing is declared here. */
   check("int global;\nvoid main() {\n a = 1; b.x = c[d]; f(e, g); h = i > j; k ? l : m; return n; x == y; z[1];\n}",
         NULL, 0);
}

static void
test_comments(void **state)
{
   CHECK("void main() {\n// int a; {\n/* { int b;\n */ int c;\n#define D { int d; \\\n {\n int e;\n}", {"c", 4, 8},
         {"e", 7, 8});
}

static void
test_not_understood(void **state)
{
   static const char *const texts[] = {
      "#line 7\nvoid main() { int a; }",
      "void main() {\n#ifdef X\n if (a) {\n#else\n if (b) {\n#endif\n int c; } }",
      "void main() { int a; ",
      "void main() { int a; } }",
      "void main() { f((a); int b; }",
      "void main() { a); int b; }",
      "/*",
      "",
   };
   for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
      check(texts[i], NULL, 0);
}

static void
test_part_stores(void **state)
{
   static const char text[] = "void set(inout float a, out vec2 b) { a = 1; }\n"
                              "float get(in float outer) { return outer; }\n"
                              "void main() {\n"
                              "   v = w; v.x == 1; s.v.x = 1; vv.x = 1; x = v.y; x = -v.x; // v.x = 1\n"
                              "   v.x = 1;\n"
                              "   v [i + f(v.x)] . y += 1; /* v.x = 1;\n"
                              "   v.x = 1; */ v.xy *= m;\n"
                              "   ++v.x; v[1]--;\n"
                              "   v.x <<= 1; x = v.x <= 1 ? v.y != 2 : v.x >= 1;\n"
                              "   get(v.x); set(x, v.xy);\n"
                              "#define M v.x = 1;\n"
                              "   if (v.x > 1) set((v.x), v);\n"
                              "}";
   static const uint32_t expected[] = {5, 6, 7, 8, 8, 9, 10};
   uint32_t lines[8];
   size_t size = sizeof(text) - 1;
   char *copy = malloc(size);
   memcpy(copy, text, size);
   assert_int_equal(source_find_part_stores(copy, size, "v", lines, 8), 7);
   assert_memory_equal(lines, expected, sizeof(expected));
   assert_int_equal(source_find_part_stores(copy, size, "v", lines, 1), 7);
   for (size_t end = 0; end < size; end++) { /* cut anywhere, it is read to there */
      char *head = malloc(end + !end);
      memcpy(head, text, end);
      assert_in_range(source_find_part_stores(head, end, "v", lines, 8), 0, 8);
      free(head);
   }
   free(copy);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blocks),   cmocka_unit_test(test_loops),          cmocka_unit_test(test_declarators),
      cmocka_unit_test(test_comments), cmocka_unit_test(test_not_understood), cmocka_unit_test(test_part_stores),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
