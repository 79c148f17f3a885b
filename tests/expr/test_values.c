/* SPDX-License-Identifier: MIT */
/* What names, numbers and parts are, and how they are shown. */
#include "fixture.h"

#include <string.h>

static void
test_literals(void **state)
{
   static const struct expectation list[] = {
      {"1", "1", "int"},
      {"0x10", "16", "int"},
      {"017", "15", "int"},
      {"0xffffffff", "-1", "int"},
      {"0x7fffffff", "2147483647", "int"},
      {"0xffffffffu", "4294967295", "uint"},
      {"0xffffffffffffffffl", "-1", "int64_t"},
      {"0xffffs", "-1", "int16_t"},
      {"4294967295u == 0xffffffff", "true", "bool"},
      {"4294967296", "4294967296", "int64_t"},
      {"0xffff800000001000", "18446603336221200384", "uint64_t"},
      {"3u", "3", "uint"},
      {"3ul", "3", "uint64_t"},
      {"1.5", "1.5", "float"},
      {"1.", "1", "float"},
      {".25f", "0.25", "float"},
      {"1e-3", "0.001", "float"},
      {"0.1", "0.1", "float"},
      {"0.1lf", "0.1", "double"},
      {"float(0.1lf)", "0.1", "float"},
      {"double(0.1)", "0.10000000149011612", "double"},
      {"0.1hf", "0.1", "float16_t"},
      {"1e10", "1e+10", "float"},
      {"16777216.0", "16777216", "float"},
      {"100000.0", "100000", "float"},
      {"true", "true", "bool"},
      {"-inf", "-inf", "float"},
      {"nan", "nan", "float"},
      {0},
   };
   expect(*state, list);
}

static void
test_variables(void **state)
{
   static const struct expectation list[] = {
      {"acc", "2", "int"},
      {"f", "1.5", "float"},
      {"d", "0.1", "double"},
      {"h", "1.5", "float16_t"},
      {"u", "4294967295", "uint"},
      {"flag", "true", "bool"},
      {"small", "-128", "int8_t"},
      {"word", "65535", "uint16_t"},
      {"big", "-9000000000", "int64_t"},
      {"v", "(1, 2, 3)", "vec3"},
      {"bv", "(true, false)", "bvec2"},
      {"hv", "(1, -2)", "f16vec2"},
      {"m", "{[0] = (1, 2, 3), [1] = (4, 5, 6), [2] = (7, 8, 10)}", "mat3"},
      {"blade", "{root = (1, 2, 3), height = 0.25}", "Blade"},
      {"pair", "{{root = (1, 1, 1), height = 10}, {root = (2, 2, 2), height = 20}}", "Blade[2]"},
      {"mode", "MODE_ON", "Mode"},
      {"zeros", "{0 <repeats 100 times>}", "float[100]"},
      {"split", "{x = 4101, y = <optimized out>, z = true}", "Split"},
      {"gone", "<optimized out>", "Blade"},
      {"gone.root.x", "<optimized out>", "float"},
      {"scalar", "260", "int"},
      {"computed", "15", "int"}, /* 4096 / 260 */
      {"computed + scalar", "275", "int"},
      {"half_computed", "<optimized out>", "int"}, /* in lane 5 */
      {"%17", "17", "int"},
      {"int[3](4, 5, 6)", "{4, 5, 6}", "int[3]"},
      {"float[](1, 2)[1] + 1", "3", "float"},
      {"int[2](4, 5).length()", "2", "int"},
      {"int[2][2](int[2](1, 2), int[](3, 4))[1]", "{3, 4}", "int[2]"},
      {"Blade[2](blade, pair[1])", "{{root = (1, 2, 3), height = 0.25}, {root = (2, 2, 2), height = 20}}", "Blade[2]"},
      {"Blade(vec3(1, 2, 3), 0.25) == blade", "true", "bool"},
      {"pair == Blade[2](pair[0], pair[1])", "true", "bool"},
      {"pair != Blade[2](pair[1], pair[0])", "true", "bool"},
      {"blade == pair[0]", "false", "bool"},
      {"%17 %17", "0", "int"},
      {"%18", "17", "int"}, /* the one with that id, not that name */
      {"%19.z", "3", "float"},
      {"image", "<image2D in set 0, binding 2>", "image2D"},
      {"gl_LocalInvocationID", "(5, 0, 0)", "uvec3"},
      {"gl_GlobalInvocationID.x", "5", "uint"}, /* which the shader has not */
      {"gl_LocalInvocationIndex", "5", "uint"},
      {"SV_GroupIndex", "5", "uint"},
      {"pc.n", "42", "uint"},
      {"head", "0", "uint"},
      {"values", "{10, 11, 12, 13, 14, 15}", "float[]"},
      {"Values", "{head = 0, values = {10, 11, 12, 13, 14, 15}}", "Values"},
      {"values.length()", "6", "int"},
      {"pair.length()", "2", "int"},
      {"sizeof(Blade)", "16", "uint"},
      {"sizeof(pair)", "32", "uint"},
      {"sizeof(blocks[1].padded)", "64", "uint"},
      {"sizeof(blocks[1].padded[0])", "4", "uint"},
      {"blocks[1].padded", "{10, 11, 12, 13}", "float[4]"},
      {"blocks[0].rows", "{[0] = (1, 4, 7), [1] = (2, 5, 8), [2] = (3, 6, 9)}", "mat3"},
      {"blocks[0].rows[1]", "(2, 5, 8)", "vec3"},
      {"blocks[0].rows[1].yz", "(5, 8)", "vec2"},
      {"tile[2]", "{8, 9, 10, 11}", "float[4]"},
      {"lights", /* as many as the binding has */
       "{{rows = {[0] = (1, 4, 7), [1] = (2, 5, 8), [2] = (3, 6, 9)}, padded = {0, 1, 2, 3}}, {rows = {[0] = (101, "
       "104, "
       "107), [1] = (102, 105, 108), [2] = (103, 106, 109)}, padded = {10, 11, 12, 13}}, <not bound>}",
       "Block[]"},
      {"lights.length()", "3", "int"},
      {"sizeof(values)", "24", "uint"},
      {0},
   };
   expect(*state, list);
}

static void
test_parts(void **state)
{
   static const struct expectation list[] = {
      {"v.x", "1", "float"},
      {"v.zyx", "(3, 2, 1)", "vec3"},
      {"v.zyx.x", "3", "float"},
      {"v.zyx[1]", "2", "float"},
      {"v.rg", "(1, 2)", "vec2"},
      {"v.stp", "(1, 2, 3)", "vec3"},
      {"v.xxxx", "(1, 1, 1, 1)", "vec4"},
      {"v[1]", "2", "float"},
      {"m[1][2]", "6", "float"},
      {"m[2].xy", "(7, 8)", "vec2"},
      {"blade.root.y", "2", "float"},
      {"pair[1].height", "20", "float"},
      {"values[2:4]", "{12, 13, 14}", "float[3]"},
      {"tile[1:2]", "{{4, 5, 6, 7}, {8, 9, 10, 11}}", "float[2][4]"},
      {"values[1]@3", "{11, 12, 13}", "float[3]"},
      {"blocks[0].padded[1]@2", "{1, 2}", "float[2]"},
      {"*values@2", "{10, 11}", "float[2]"},
      {"values[acc + 1]", "13", "float"},
      {0},
   };
   expect(*state, list);
}

static void
test_pointers(void **state)
{
   static const struct expectation list[] = {
      {"pc.grass", "(Field *) 0x100200", "Field *"},
      {"pc.grass.count", "3", "uint"},
      {"pc.grass->count", "3", "uint"},
      {"(*pc.grass).data[1]", "{root = (1, 1, 1), height = 2}", "Blade"},
      {"*pc.grass.data@3",
       "{{root = (0, 0, 0), height = 1}, {root = (1, 1, 1), height = 2}, {root = (2, 2, 2), height = 3}}", "Blade[3]"},
      {"pc.grass.data[0:1]", "{{root = (0, 0, 0), height = 1}, {root = (1, 1, 1), height = 2}}", "Blade[2]"},
      {"pc.list.next.number", "2", "int"},
      {"pc.list->next->next", "(Node *) 0x0", "Node *"},
      {"*pc.list", "{next = (Node *) 0x100110, number = 1}", "Node"},
      {"pc.list[1].number", "2", "int"},
      {"(pc.list + 1)->number", "2", "int"},
      {"pc.list.next - pc.list", "1", "int64_t"},
      {"pc.list == pc.list.next", "false", "bool"},
      {"&pc.grass.data[1]", "(Blade *) 0x100220", "Blade *"},
      {"(&pc.grass.data[1])->height", "2", "float"},
      {"&values[1]", "(float *) 0x100408", "float *"},
      {"{float}0x100408", "11", "float"},
      {"{vec3}&values[1]", "(11, 12, 13)", "vec3"},
      {"{float}0x100408@2", "{11, 12}", "float[2]"},
      {"{Blade}(uint64_t(pc.grass) + 16)", "{root = (0, 0, 0), height = 1}", "Blade"},
      {"((Node *)0x100100)->number", "1", "int"},
      {"(uint64_t)(Node *)0xfffff000", "4294963200", "uint64_t"}, /* although an int, it is an address */
      {"((struct Node *)0x100100)->number", "1", "int"},
      {"Node(0x100110).number", "2", "int"},
      {"{float[2][3]}(&values[0])", "{{10, 11, 12}, {13, 14, 15}}", "float[2][3]"},
      {"*pc.bad", "<0xdead0000 is not mapped>", "Node"},
      /* A pointer to an element goes by the array's stride. */
      {"*blocks[1].padded@2", "{10, 11}", "float[2]"},
      {"*&blocks[1].padded[1]@2", "{11, 12}", "float[2]"},
      {"(&blocks[1].padded[0])[3]", "13", "float"},
      {"*(&blocks[1].padded[0] + 2)", "12", "float"},
      {0},
   };
   static const struct expectation refused[] = {
      {"pc.bad.number + 1", "0xdead0008 is not mapped", NULL},
      {"&v", "in the lane's scratch and has no address", NULL},
      {"&tile", "LDS", NULL},
      {"&(1 + 2)", "has no address", NULL},
      {"*v", "vec3 is no pointer", NULL},
      {"v->x", "vec3 is no pointer", NULL},
      {"pc.list * 2 + pc.grass.data", "Blade[] is no number", NULL},
      {"1 - pc.list", "only integers", NULL},
      {0},
   };
   expect(*state, list);
   expect_errors(*state, refused, 0);
}

/* Texels of the made-up image are where they are: x, y, layer, level. */
static void
test_images(void **state)
{
   static const struct expectation list[] = {
      {"imageLoad(texels, ivec3(5, 2, 4))", "(5, 2, 4, 0)", "uvec4"},
      {"imageLoad(texels, uvec3(gl_LocalInvocationID.x, 1, 0)).x + 1", "6", "uint"},
      {"texelFetch(texels, ivec3(1, 0, 3), 2).w", "2", "uint"},
      {"texels[ivec3(1, 2, 3)].yz", "(2, 3)", "uvec2"},
      {"texels.Load(ivec4(1, 2, 3, 1))", "(1, 2, 3, 1)", "uvec4"},
      {"imageSize(texels)", "(8, 4, 6)", "ivec3"},
      {"textureSize(texels, 1)", "(4, 2, 6)", "ivec3"},
      {"imageSize(cube)", "(8, 4)", "ivec2"},
      {"floatBitsToUint(imageLoad(cube, ivec3(0, 0, 5)).z)", "5", "uint"},
      {0},
   };
   static const struct expectation refused[] = {
      {"imageLoad(texels, ivec2(0))", "uimage2DArray has 3 coordinates, not 2", NULL},
      {"imageLoad(texels, vec3(0))", "whole numbers expected", NULL},
      {"imageLoad(texels, ivec3(-1, 0, 0))", "no such texel", NULL},
      {"imageLoad(texels, ivec3(8, 0, 0))", "no such texel", NULL},
      {"textureSize(texels, 3)", "3 levels", NULL},
      {"imageLoad(v, ivec2(0))", "vec3 is no image", NULL},
      {"imageLoad(image, ivec2(0))", "image2D in set 0", NULL},
      {"imageLoad(texels)", "takes 2 arguments", NULL},
      {"texture(cube, vec3(0))", "nothing is filtered here", NULL},
      {"texels[ivec3(0)] = uvec4(1)", "only variables and what is in memory can be set", NULL},
      {0},
   };
   expect(*state, list);
   expect_errors(*state, refused, 0);
}

static void
test_formats(void **state)
{
   static const struct expectation list[] = {
      {"/x u", "0xffffffff", NULL},
      {"/d u", "-1", NULL},
      {"/x acc", "0x2", NULL},
      {"/z acc", "0x00000002", NULL},
      {"/t 10", "1010", NULL},
      {"/o 8", "010", NULL},
      {"/c 65", "65 'A'", NULL},
      {"/c 10", "10 '\\012'", NULL},
      {"/x f", "0x3fc00000", NULL},
      {"/x v", "(0x3f800000, 0x40000000, 0x40400000)", NULL},
      {"/x blade", "{root = (0x3f800000, 0x40000000, 0x40400000), height = 0x3e800000}", NULL},
      {"/f 0x3fc00000", "1.5", NULL},
      {"/f $v1[5]", "5.747e-42", NULL},
      {"/x h", "0x3e00", NULL},
      {"/u small", "128", NULL},
      {"/x pc.list", "0x100100", NULL},
      {"/a pc.list", "0x100100", NULL},
      {"/d mode", "1", NULL},
      {"/x d", "0x3fb999999999999a", NULL},
      {0},
   };
   static const struct expectation refused[] = {
      {"/q 1", "no format /q", NULL},
      {"/xx 1", "no format /xx", NULL},
      {0},
   };
   expect(*state, list);
   expect_errors(*state, refused, 0);
}

static void
test_arrays(void **state)
{
   struct fixture *fixture = *state;
   static const struct expectation list[] = {
      {"zeros[3] = 1", "1", NULL},
      {"zeros", "{0, 0, 0, 1, 0 <repeats 96 times>}", NULL},
      {"zeros[90] = nan", "nan", NULL},
      {"zeros", "{0, 0, 0, 1, 0 <repeats 86 times>, nan, 0, 0, 0, 0, 0, 0, 0, 0, 0}", NULL},
      {0},
   };
   expect(fixture, list);
   /* 200 elements at most */
   struct hdb_expr_request request = request_of(fixture, "{uint}0x101000@300");
   struct hdb_expr_result result;
   char *error;
   for (uint32_t i = 0; i < 300; i++)
      assert_int_equal(hdb_wave_write_memory(NULL, NULL, FAKE_MEMORY + 0x1000 + 4 * i, &i, 4), 0);
   assert_int_equal(hdb_expr_evaluate(&request, &result, &error), 0);
   assert_non_null(strstr(result.value, ", 198, 199...}"));
   hdb_expr_result_finish(&result);
   /* or as many as are wanted */
   hdb_expr_store_set_elements(fixture->store, 3);
   assert_int_equal(hdb_expr_evaluate(&request, &result, &error), 0);
   assert_string_equal(result.value, "{0, 1, 2...}");
   hdb_expr_result_finish(&result);
   request.text = "tile";
   assert_int_equal(hdb_expr_evaluate(&request, &result, &error), 0);
   assert_string_equal(result.value, "{{0, 1, 2...}...}");
   hdb_expr_result_finish(&result);
   request.text = "{uint}0x101000@300";
   hdb_expr_store_set_elements(fixture->store, UINT32_MAX);
   assert_int_equal(hdb_expr_evaluate(&request, &result, &error), 0);
   assert_non_null(strstr(result.value, ", 298, 299}"));
   hdb_expr_result_finish(&result);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      TEST(literals), TEST(variables), TEST(parts), TEST(pointers), TEST(images), TEST(formats), TEST(arrays),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
