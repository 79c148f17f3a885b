/* SPDX-License-Identifier: MIT */
/* What else is asked of an expression: its parts, type, address, completions. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
note_child(void *user, const char *name, const char *expression, const struct hdb_expr_result *result)
{
   FILE *out = user;
   fprintf(out, "%s|%s|%s|%s\n", name, expression, result->value, result->type);
}

static void
expect_children(struct fixture *fixture, const char *text, uint64_t start, uint64_t count, const char *expected)
{
   struct hdb_expr_request request = request_of(fixture, text);
   char *listed, *error;
   size_t size;
   FILE *out = open_memstream(&listed, &size);
   assert_int_equal(hdb_expr_children(&request, start, count, note_child, out, &error), 0);
   fclose(out);
   assert_string_equal(listed, expected);
   free(listed);
}

static void
test_children(void **state)
{
   expect_children(*state, "blade", 0, 100, "root|blade.root|(1, 2, 3)|vec3\nheight|blade.height|0.25|float\n");
   expect_children(*state, "blade.root", 1, 1, "y|blade.root.y|2|float\n");
   expect_children(*state, "values", 4, 10, "[4]|values[4]|14|float\n[5]|values[5]|15|float\n");
   expect_children(*state, "pc.list", 0, 10, "*pc.list|*pc.list|{next = (Node *) 0x100110, number = 1}|Node\n");
   expect_children(*state, "*pc.list", 1, 1, "number|(*pc.list).number|1|int\n");
   expect_children(*state, "m", 2, 1, "[2]|m[2]|(7, 8, 10)|vec3\n");
   expect_children(*state, "lights", 2, 10, "[2]|lights[2]|<not bound>|Block\n");
   expect_children(*state, "f", 0, 10, "");
   expect_children(*state, "gone", 0, 10, "");
   expect_children(*state, "/x iv", 0, 1, "x|iv.x|0x7|int\n");
   expect_children(*state, "v + w", 0, 1, "x|(v + w).x|1.5|float\n");
}

/* A shadowed variable is reached by its symbol. */
static void
test_root(void **state)
{
   struct fixture *fixture = *state;
   const struct hdb_symbol *symbols[2];
   struct hdb_expr_result result;
   char *error;
   assert_true(hdb_symbols_variables(NULL, 0, 0, symbols, 2) > 2);
   struct hdb_expr_request request = request_of(fixture, "acc");
   request.root = symbols[1];
   assert_int_equal(hdb_expr_evaluate(&request, &result, &error), 0);
   assert_string_equal(result.value, "2.5");
   hdb_expr_result_finish(&result);
}

static void
test_types(void **state)
{
   static const struct expectation list[] = {
      {"Blade", "struct Blade { // 16 bytes\n   vec3 root; // at 0\n   float height; // at 12\n}", NULL},
      {"pair", "struct Blade { // 16 bytes\n   vec3 root; // at 0\n   float height; // at 12\n}[2]", NULL},
      {"pc.list", "struct Node { // 16 bytes\n   Node *next; // at 0\n   int number; // at 8\n} *", NULL},
      {"mode", "enum Mode {\n   MODE_OFF = 0,\n   MODE_ON = 1,\n   MODE_BACK = -1,\n}", NULL},
      {"Values", "struct Values { // 4 bytes\n   uint head; // at 0\n   float values[]; // at 4\n}", NULL},
      {"v + 1", "vec3", "vec3"},
      {"struct Blade *", "struct Blade { // 16 bytes\n   vec3 root; // at 0\n   float height; // at 12\n} *",
       "Blade *"},
      {"vec2[3]", "vec2[3]", "vec2[3]"},
      {"scaled", "float", "Scale"},
      {"imageLoad(image, ivec2(0))", "vec4", "vec4"},
      {"scaled * 2", "float", "float"},
      {"Constants",
       "struct Constants { // 32 bytes\n   Field *grass; // at 0\n   Node *list; // at 8\n   uint n; // at 16\n   Node "
       "*bad; // at 24\n}",
       "Constants"},
      /* What has no value has a type. */
      {"gone.height * 2", "float", "float"},
      {"7 / pc.bad.number", "int", "int"},
      {"gone.root.xy", "vec2", "vec2"},
      {"pair[7].root", "vec3", "vec3"},
      {0},
   };
   struct fixture *fixture = *state;
   for (const struct expectation *e = list; e->text; e++) {
      struct hdb_expr_request request = request_of(fixture, e->text);
      char *definition, *name, *error;
      assert_int_equal(hdb_expr_type(&request, &definition, &name, &error), 0);
      assert_string_equal(definition, e->expected);
      if (e->type)
         assert_string_equal(name, e->type);
      free(definition);
      free(name);
   }
}

static void
test_addresses(void **state)
{
   static const struct {
      const char *text;
      uint64_t address;
      enum hdb_place_kind kind;
   } list[] = {
      {"0x1234", 0x1234, HDB_PLACE_MEMORY},
      {"$pc", 0x2008, HDB_PLACE_MEMORY},
      {"$s[4:5]", 0x10500000104, HDB_PLACE_MEMORY},
      {"pc.list", 0x100100, HDB_PLACE_MEMORY},
      {"values", 0x100404, HDB_PLACE_MEMORY},
      {"&values[2]", 0x10040c, HDB_PLACE_MEMORY},
      {"pc.grass.data[1]", 0x100220, HDB_PLACE_MEMORY},
      {"tile", 64, HDB_PLACE_LDS},
      {"&tile", 64, HDB_PLACE_LDS},
      {"&tile[1][2]", 64 + 16 + 8, HDB_PLACE_LDS},
      {"&pair[1].height", 192 + 16 + 12, HDB_PLACE_SCRATCH},
   };
   struct fixture *fixture = *state;
   enum hdb_place_kind kind;
   uint64_t address;
   char *error;
   for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
      struct hdb_expr_request request = request_of(fixture, list[i].text);
      assert_int_equal(hdb_expr_locate(&request, &kind, &address, &error), 0);
      assert_int_equal(address, list[i].address);
      assert_int_equal(kind, list[i].kind);
   }
   static const struct expectation refused[] = {
      {"$s[2:5]", "two registers", NULL},
      {"f", "float is no address", NULL},
      {"&split.x", "in registers or scratch and has no address", NULL},
      {"&(1 + 2)", "has no address", NULL},
   };
   for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
      struct hdb_expr_request request = request_of(fixture, refused[i].text);
      assert_int_not_equal(hdb_expr_locate(&request, &kind, &address, &error), 0);
      assert_non_null(strstr(error, refused[i].expected));
      free(error);
   }
}

static void
note_name(void *user, const char *name)
{
   fprintf(user, "%s ", name);
}

static void
test_completion(void **state)
{
   struct fixture *fixture = *state;
   char *listed;
   size_t size;
   FILE *out = open_memstream(&listed, &size);
   hdb_expr_complete(&fixture->context, "v", note_name, out);
   fclose(out);
   assert_string_equal(listed, "v v4 v2 values ");
   free(listed);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      TEST(children), TEST(root), TEST(types), TEST(addresses), TEST(completion),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
