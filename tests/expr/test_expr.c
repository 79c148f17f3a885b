/* SPDX-License-Identifier: MIT */
/* Expressions and what they print, on a wave made by hand (fake.c has its values). What the numbers should be was
 * calculated apart, by hand or from the specifications. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

struct fixture {
   struct hdb_context context;
   struct hdb_expr_store *store;
};

static int
setup(void **state)
{
   static struct fixture fixture;
   fixture.context = fake_context();
   fixture.store = hdb_expr_store_create();
   *state = &fixture;
   return 0;
}

static int
teardown(void **state)
{
   struct fixture *fixture = *state;
   hdb_expr_store_destroy(fixture->store);
   return 0;
}

static struct hdb_expr_request
request_of(struct fixture *fixture, const char *text)
{
   return (struct hdb_expr_request){.context = &fixture->context, .store = fixture->store, .text = text};
}

struct expectation {
   const char *text, *expected, *type; /* type NULL: any */
};

static void
expect(struct fixture *fixture, const struct expectation *list)
{
   unsigned wrong = 0;
   for (; list->text; list++) {
      struct hdb_expr_request request = request_of(fixture, list->text);
      struct hdb_expr_result result;
      char *error;
      int code = hdb_expr_evaluate(&request, &result, &error);
      const char *value = code ? error : result.value;
      if (code || strcmp(value, list->expected) != 0 || (list->type && strcmp(result.type, list->type) != 0)) {
         print_error("%s: %s%s, a %s; %s, a %s expected\n", list->text, code ? "error: " : "", value,
                     code ? "" : result.type, list->expected, list->type ? list->type : "?");
         wrong++;
      }
      free(error);
      hdb_expr_result_finish(&result);
   }
   assert_int_equal(wrong, 0);
}

/* `expected` is part of the error. */
static void
expect_errors(struct fixture *fixture, const struct expectation *list, uint32_t flags)
{
   unsigned wrong = 0;
   for (; list->text; list++) {
      struct hdb_expr_request request = request_of(fixture, list->text);
      struct hdb_expr_result result;
      char *error;
      request.flags = flags;
      int code = hdb_expr_evaluate(&request, &result, &error);
      if (!code || !strstr(error, list->expected) || strchr(error, '\n')) {
         print_error("%s: %s%s; an error with \"%s\" expected\n", list->text, code ? "error: " : "",
                     code ? error : result.value, list->expected);
         wrong++;
      }
      free(error);
      hdb_expr_result_finish(&result);
   }
   assert_int_equal(wrong, 0);
}

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
      {"%17 %17", "0", "int"},
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
test_operators(void **state)
{
   static const struct expectation list[] = {
      {"1 + 2 * 3", "7", "int"},
      {"(1 + 2) * 3", "9", "int"},
      {"7 / 2", "3", "int"},
      {"-7 / 2", "-3", "int"},
      {"-7 % 2", "-1", "int"},
      {"7 / 2.0", "3.5", "float"},
      {"1 - 2u", "4294967295", "uint"},
      {"u + 1u", "0", "uint"},
      {"2147483647 + 1", "-2147483648", "int"},
      {"-2147483647 - 1", "-2147483648", "int"},
      {"(-2147483647 - 1) / -1", "-2147483648", "int"},
      {"(-2147483647 - 1) % -1", "0", "int"},
      {"big + 1", "-8999999999", "int64_t"},
      {"small - int8_t(1)", "127", "int8_t"},
      {"small - 1", "-129", "int"},
      {"h + h", "3", "float16_t"},
      {"h * 2.0", "3", "float"},
      {"d + 1", "1.1", "double"},
      {"f + d", "1.6", "double"},
      {"0.1 + 0.2", "0.3", "float"},
      {"16777216.0 + 1.0", "16777216", "float"},
      {"1 << 4 | 1", "17", "int"},
      {"-16 >> 2", "-4", "int"},
      {"0xfffffff0u >> 2", "1073741820", "uint"},
      {"~0", "-1", "int"},
      {"~0u", "4294967295", "uint"},
      {"!flag", "false", "bool"},
      {"1 < 2 && 2 < 1", "false", "bool"},
      {"false ^^ true", "true", "bool"},
      {"true || 1 / 0 > 0", "true", "bool"},
      {"nan == nan", "false", "bool"},
      {"nan != nan", "true", "bool"},
      {"1.0 / 0.0", "inf", "float"},
      {"acc > 1 ? 10 : 20", "10", "int"},
      {"acc > 2 ? 10 : 20", "20", "int"},
      {"v + w", "(1.5, 1, 5)", "vec3"},
      {"v * 2", "(2, 4, 6)", "vec3"},
      {"2 - v", "(1, 0, -1)", "vec3"},
      {"-v", "(-1, -2, -3)", "vec3"},
      {"v == v", "true", "bool"},
      {"v != w", "true", "bool"},
      {"v < w", "(false, false, false)", "bvec3"},
      {"iv % 4", "(3, -3)", "ivec2"},
      {"iv & 3", "(3, 1)", "ivec2"},
      {"m * v", "(30, 36, 45)", "vec3"},
      {"v * m", "(14, 32, 53)", "vec3"},
      {"m * m", "{[0] = (30, 36, 45), [1] = (66, 81, 102), [2] = (109, 134, 169)}", "mat3"},
      {"m * 2", "{[0] = (2, 4, 6), [1] = (8, 10, 12), [2] = (14, 16, 20)}", "mat3"},
      {"m23 * v2", "(19, 26, 33)", "vec3"},
      {"v * m23", "(14, 32)", "vec2"},
      {"m + m == m * 2", "true", "bool"},
      {0},
   };
   static const struct expectation refused[] = {
      {"1 / 0", "division by zero (column 3)", NULL},
      {"1 % 0", "division by zero", NULL},
      {"v + v2", "vectors of 3 and of 2 components", NULL},
      {"m * v2", "don't go together", NULL},
      {"f & 1", "only integers have bits", NULL},
      {"f << 1", "only integers can be shifted", NULL},
      {"~f", "only integers", NULL},
      {"v ? 1 : 2", "any() or all()", NULL},
      {"blade + 1", "Blade is no number", NULL},
      {"gone.height + 1", "optimized out", NULL},
      {"split.y * 2", "optimized out (column 7)", NULL},
      {0},
   };
   expect(*state, list);
   expect_errors(*state, refused, 0);
}

static void
test_hlsl(void **state)
{
   static const struct expectation list[] = {
      {"v == w", "(false, false, false)", "bool3"},
      {"float3(1, 2, 3) * 2", "(2, 4, 6)", "float3"},
      {"mul(m, v)", "(14, 32, 53)", "float3"}, /* its rows are the module's columns */
      {"mul(v, m)", "(30, 36, 45)", "float3"},
      {"m * m", "{[0] = (1, 4, 9), [1] = (16, 25, 36), [2] = (49, 64, 100)}", "float3x3"},
      {"m._m12", "6", "float"},
      {"m._23", "6", "float"},
      {"(float2)v", "(1, 2)", "float2"},
      {"float2x3(1, 2, 3, 4, 5, 6)", "{[0] = (1, 2, 3), [1] = (4, 5, 6)}", "float2x3"},
      {"asuint(1.5)", "1069547520", "uint"},
      {"saturate(f)", "1", "float"},
      {"fmod(-7.0, 2.0)", "-1", "float"},
      {"5.5 % 2", "1.5", "float"},
      {"0xffffffff", "4294967295", "uint"},
      {0},
   };
   fake_set_language(HDB_LANGUAGE_HLSL);
   expect(*state, list);
}

static void
test_constructors(void **state)
{
   static const struct expectation list[] = {
      {"vec3(1)", "(1, 1, 1)", "vec3"},
      {"vec4(v, 1)", "(1, 2, 3, 1)", "vec4"},
      {"vec2(v)", "(1, 2)", "vec2"},
      {"ivec3(v * 1.9)", "(1, 3, 5)", "ivec3"},
      {"mat2(2)", "{[0] = (2, 0), [1] = (0, 2)}", "mat2"},
      {"mat2(1, 2, 3, 4)", "{[0] = (1, 2), [1] = (3, 4)}", "mat2"},
      {"mat2(m)", "{[0] = (1, 2), [1] = (4, 5)}", "mat2"},
      {"mat4(mat2(5))[3]", "(0, 0, 0, 1)", "vec4"},
      {"dmat2x3(1)", "{[0] = (1, 0, 0), [1] = (0, 1, 0)}", "dmat2x3"},
      {"int(-1.9)", "-1", "int"},
      {"uint(-1.0)", "0", "uint"},
      {"int(1e20)", "2147483647", "int"},
      {"int(nan)", "0", "int"},
      {"bool(2)", "true", "bool"},
      {"float(true)", "1", "float"},
      {"(int)f", "1", "int"},
      {"(float)1 / 2", "0.5", "float"},
      {"(uint8_t)300", "44", "uint8_t"},
      {"(unsigned int)-1", "4294967295", "uint"},
      {"u64vec2(1)", "(1, 1)", "u64vec2"},
      {"float16_t(65520.0)", "inf", "float16_t"},
      {"float16_t(65519.0)", "65504", "float16_t"},
      {"float16_t(5.9604645e-8)", "6e-08", "float16_t"},
      {"Mode(-1)", "MODE_BACK", "Mode"},
      {"(Mode)5", "5", "Mode"},
      {0},
   };
   static const struct expectation refused[] = {
      {"vec3(1, 2)", "2 components given, there are 3", NULL},
      {"vec2(1, 2, 3)", "too many", NULL},
      {"vec3()", "needs arguments", NULL},
      {"Blade(1, 2)", "can't be made", NULL},
      {"(Blade)1", "{Blade}ADDRESS", NULL},
      {"(vec3)v2", "can't be cast", NULL},
      {0},
   };
   expect(*state, list);
   expect_errors(*state, refused, 0);
}

static void
test_functions(void **state)
{
   static const struct expectation list[] = {
      {"abs(-3)", "3", "int"},
      {"abs(w)", "(0.5, 1, 2)", "vec3"},
      {"sign(w)", "(1, -1, 1)", "vec3"},
      {"floor(-1.5)", "-2", "float"},
      {"fract(-1.25)", "0.75", "float"},
      {"mod(-7, 3)", "2", "float"},
      {"min(1, 2.5)", "1", "float"},
      {"max(v, 2)", "(2, 2, 3)", "vec3"},
      {"max(2, v)", "(2, 2, 3)", "vec3"},
      {"clamp(v, 1.5, 2.5)", "(1.5, 2, 2.5)", "vec3"},
      {"mix(1.0, 3.0, 0.25)", "1.5", "float"},
      {"mix(v, w, bvec3(true, false, true))", "(0.5, 2, 2)", "vec3"},
      {"step(2, v)", "(0, 1, 1)", "vec3"},
      {"smoothstep(0.0, 1.0, 0.25)", "0.15625", "float"},
      {"sqrt(2.0)", "1.4142135", "float"},
      {"sqrt(2.0lf)", "1.4142135623730951", "double"},
      {"inversesqrt(4.0)", "0.5", "float"},
      {"pow(2, 10)", "1024", "float"},
      {"exp2(3)", "8", "float"},
      {"log2(8)", "3", "float"},
      {"degrees(radians(180))", "180", "float"},
      {"atan(1.0, -1.0)", "2.3561945", "float"},
      {"length(v2)", "5", "float"},
      {"v2.length()", "2", "int"},
      {"v.xxyy.length()", "4", "int"},
      {"m23.length()", "2", "int"},
      {"distance(v2, vec2(0))", "5", "float"},
      {"dot(v, w)", "4.5", "float"},
      {"dot(iv, iv)", "98", "int"},
      {"cross(v, w)", "(7, -0.5, -2)", "vec3"},
      {"normalize(v2)", "(0.6, 0.8)", "vec2"},
      {"reflect(vec2(1, -1), vec2(0, 1))", "(1, 1)", "vec2"},
      {"transpose(m23)", "{[0] = (1, 4), [1] = (2, 5), [2] = (3, 6)}", "mat3x2"},
      {"determinant(m)", "-3", "float"},
      {"inverse(mat2(1, 2, 3, 4))", "{[0] = (-2, 1), [1] = (1.5, -0.5)}", "mat2"},
      {"matrixCompMult(m, m)[1]", "(16, 25, 36)", "vec3"},
      {"outerProduct(v2, v)", "{[0] = (3, 4), [1] = (6, 8), [2] = (9, 12)}", "mat3x2"},
      {"any(bv)", "true", "bool"},
      {"all(bv)", "false", "bool"},
      {"not(bv)", "(false, true)", "bvec2"},
      {"lessThan(v, w)", "(false, false, false)", "bvec3"},
      {"equal(v, vec3(1, 0, 3))", "(true, false, true)", "bvec3"},
      {"isnan(vec2(nan, 1))", "(true, false)", "bvec2"},
      {"isinf(-inf)", "true", "bool"},
      {"floatBitsToUint(1.0)", "1065353216", "uint"},
      {"uintBitsToFloat(0x7fc00000)", "nan", "float"},
      {"asint(-1.0)", "-1082130432", "int"},
      {"packHalf2x16(vec2(1, -2))", "3221240832", "uint"},
      {"unpackHalf2x16(0xc0003c00)", "(1, -2)", "vec2"},
      {"/x packUnorm4x8(vec4(0, 0.5, 1, 2))", "0xffff8000", "uint"},
      {"unpackSnorm4x8(0x80ff7f00)", "(0, 1, -0.007874016, -1)", "vec4"},
      {"/x packSnorm2x16(vec2(-1, 1))", "0x7fff8001", "uint"},
      {"unpackUnorm2x16(0xffff0000)", "(0, 1)", "vec2"},
      {"packDouble2x32(uvec2(0, 0x3ff00000))", "1", "double"},
      {"unpackDouble2x32(1.0lf)", "(0, 1072693248)", "uvec2"},
      {"values[nonuniformEXT(2)]", "12", "float"},
      {"bitCount(0xff)", "8", "int"},
      {"/x bitfieldReverse(1u)", "0x80000000", "uint"},
      {"findLSB(8)", "3", "int"},
      {"findMSB(-1)", "-1", "int"},
      {"findMSB(-16)", "3", "int"},
      {"findMSB(0x80000000u)", "31", "int"},
      {"findMSB(0x80000000)", "30", "int"},
      {"bitfieldExtract(-1, 4, 8)", "-1", "int"},
      {"bitfieldExtract(0xf0u, 4, 8)", "15", "uint"},
      {"/x bitfieldInsert(0u, 0xffu, 8, 4)", "0xf00", "uint"},
      {0},
   };
   static const struct expectation refused[] = {
      {"foo(1)", "no builtin function foo()", NULL},
      {"sqrt()", "takes 1 argument", NULL},
      {"clamp(1, 2)", "takes 3 arguments", NULL},
      {"cross(v2, v2)", "3 components", NULL},
      {"inverse(v)", "a square matrix", NULL},
      {"inverse(mat2(0))", "no inverse", NULL},
      {"bitfieldExtract(1, 30, 3)", "not within 32 bits", NULL},
      {"packHalf2x16(1.0)", "2 components", NULL},
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
test_assignment(void **state)
{
   static const struct expectation list[] = {
      {"f = 2", "2", "float"},
      {"f", "2", NULL},
      {"f += 0.5", "2.5", NULL},
      {"v.y = 9", "9", NULL},
      {"v", "(1, 9, 3)", NULL},
      {"v.xz = vec2(5, 6)", "(5, 6)", NULL},
      {"v.zx[1] = 7", "7", NULL},
      {"v", "(7, 9, 6)", NULL},
      {"v = w", "(0.5, -1, 2)", NULL},
      {"v *= 2", "(1, -2, 4)", NULL},
      {"v = 3", "(3, 3, 3)", NULL},
      {"m[1] = vec3(0)", "(0, 0, 0)", NULL},
      {"m[2][0] = -1", "-1", NULL},
      {"m", "{[0] = (1, 2, 3), [1] = (0, 0, 0), [2] = (-1, 8, 10)}", NULL},
      {"small = 300", "44", NULL},
      {"h = 0.1", "0.1", NULL},
      {"d = 1.0 / 3.0lf", "0.3333333333333333", NULL},
      {"flag = 0", "false", NULL},
      {"mode = -1", "MODE_BACK", NULL},
      {"blade = pair[1]", "{root = (2, 2, 2), height = 20}", NULL},
      {"pair[0].root.yx = v2", "(3, 4)", NULL},
      {"pair[0].root", "(4, 3, 1)", NULL},
      {"values[5] = 1.25", "1.25", NULL},
      {"values", "{10, 11, 12, 13, 14, 1.25}", NULL},
      {"pc.grass.data[2].height = acc", "2", NULL},
      {"pc.grass.data[2]", "{root = (2, 2, 2), height = 2}", NULL},
      {"{float}0x100404 = 99", "99", NULL},
      {"values[0]", "99", NULL},
      {"tile[3][3] = 0.5", "0.5", NULL},
      {"tile[3]", "{12, 13, 14, 0.5}", NULL},
      {"blocks[1].rows[0] = v2.xyx", "(3, 4, 3)", NULL},
      {"blocks[1].rows", "{[0] = (3, 4, 3), [1] = (102, 105, 108), [2] = (103, 106, 109)}", NULL},
      {"split.x = 1", "1", NULL},
      {"split.z = false", "false", NULL},
      {"split", "{x = 1, y = <optimized out>, z = false}", NULL},
      {"pc.list.next.next = pc.list", "(Node *) 0x100100", NULL},
      {"pc.list.next.next.next.number", "2", NULL},
      {0},
   };
   static const struct expectation refused[] = {
      {"gone = blade", "it can't be set: optimized out", NULL},
      {"gone.height = 1", "it can't be set: optimized out", NULL},
      {"split.y = 1", "optimized out", NULL},
      {"scalar = 1", "all lanes share it", NULL},
      {"computed = 1", "it is computed from others", NULL},
      {"pc.n = 1", "the push constants can't be set", NULL},
      {"gl_LocalInvocationID.x = 1", "can't be set", NULL},
      {"image = 1", "can't be set", NULL},
      {"1 = 2", "only variables", NULL},
      {"v = v2", "a vec2 can't be assigned to a vec3", NULL},
      {"blade = 1", "a int can't be assigned to a Blade", NULL},
      {"blade = v", "can't be assigned", NULL},
      {"f = blade", "Blade is no number", NULL},
      {"v.xx = v2", "a component would be set twice", NULL},
      {"v4.zyxz += 1", "a component would be set twice", NULL},
      {"values[6] = 1", "6 is out of range: there are 6 elements in buffer \"numbers\"", NULL},
      {"{float}0xdead0000 = 1", "not mapped", NULL},
      {0},
   };
   static const struct expectation pure[] = {{"f = 2", "nothing is changed by looking", NULL},
                                             {"1 + (f = 2)", "nothing is changed", NULL},
                                             {"$x = 1", "nothing is changed", NULL},
                                             {"$s1 = 1", "nothing is changed", NULL},
                                             {0}};
   expect(*state, list);
   expect_errors(*state, refused, 0);
   expect_errors(*state, pure, HDB_EXPR_PURE);
}

static void
test_registers(void **state)
{
   static const struct expectation list[] = {
      {"$s3", "0x103", NULL},
      {"/d $s3", "259", NULL},
      {"$s[4:6]", "{0x104, 0x105, 0x106}", NULL},
      {"$v1[5]", "0x1005", NULL},
      {"$v1[5] = 1.5", "1.5", NULL},
      {"$v1[5]", "0x3fc00000", NULL},
      {"/f $v1[5]", "1.5", NULL},
      {"$v1 + 1", "1069547521", NULL},
      {"uintBitsToFloat($v1)", "1.5", NULL},
      {"$s3 = -1", "0xffffffff", NULL},
      {"/u $s3", "4294967295", NULL},
      {"$s3 == 0xffffffff", "true", NULL},
      {"/x $pc | 0xffffffff", "0xffffffff", NULL},
      {"$exec", "0x17e", NULL},
      {"$exec = 0xf0", "0xf0", NULL},
      {"$vcc", "0x16a", NULL},
      {"$vcc_lo", "0x16a", NULL},
      {"$vcc_hi", "0x16b", NULL},
      {"$exec_lo = 0x17e", "0x17e", NULL},
      {"$exec", "0x17e", NULL},
      {"$exec_hi", "0x17f", NULL},
      {"$vcc_hi = 7", "0x7", NULL},
      {"$vcc_hi", "0x7", NULL},
      {"$vcc_lo = 1.0", "1", NULL},
      {"$vcc_lo", "0x3f800000", NULL},
      {"$m0", "0x17d", NULL},
      {"$pc", "0x2008", NULL},
      {"$pc = 0x2010", "0x2010", NULL},
      {"$scc", "1", NULL},
      {"$scc = 0", "0", NULL},
      {"$v0[3:5]", "{0x3, 0x4, 0x5}", NULL},
      {0},
   };
   static const struct expectation refused[] = {
      {"$v9", "VGPRs 0 to 7", NULL},
      {"$v1[32]", "lanes 0 to 31", NULL},
      {"$v1[-1]", "lanes 0 to 31", NULL},
      {"$s16", "SGPRs 0 to 15", NULL},
      {"$s[3:1]", "is no range", NULL},
      {"$v1 = 1", "which lane", NULL},
      {"$s[0:1] = 1", "one register", NULL},
      {"$s1 = 0x100000000", "32 bits", NULL},
      {"$exec = 0x100000000", "32 bits", NULL},
      {"$scc = 2", "0 or 1", NULL},
      {"$mode = 1", "can only be read", NULL},
      {"$vcc_lo = 0x100000000", "32 bits", NULL},
      {"$pc = 0x2002", "0x2002 is not the start of an instruction; the nearest are 0x2000 and 0x2004", NULL},
      {"$pc = 0", "0x0 is not in the wave's shader", NULL},
      {0},
   };
   expect(*state, list);
   expect_errors(*state, refused, 0);
}

static void
test_convenience(void **state)
{
   static const struct expectation list[] = {
      {"$nothing", "void", NULL},
      {"$x = 3", "3", "int"},
      {"$x + 1", "4", NULL},
      {"$x = pair[1]", "{root = (2, 2, 2), height = 20}", "Blade"},
      {"$x.root.y", "2", NULL},
      {"$y = $x", "{root = (2, 2, 2), height = 20}", NULL},
      {"$l = *pc.list", "{next = (Node *) 0x100110, number = 1}", "Node"},
      {"$l.next.number", "2", NULL},
      {"$x = $x.height + ($x = 5)", "25", NULL},
      {"$i = 0", "0", NULL},
      {"values[$i += 1]", "11", NULL},
      {"values[$i += 1]", "12", NULL},
      {0},
   };
   static const struct expectation refused[] = {
      {"$nothing + 1", "no register has this name, and nothing has been assigned to it (column 1)", NULL},
      {"$1 = 2", "history", NULL},
      {"$1", "no $1", NULL},
      {"$$", "history", NULL},
      {"$$q", "no register or variable", NULL},
      {0},
   };
   expect(*state, list);
   expect_errors(*state, refused, 0);
}

static void
test_history(void **state)
{
   struct fixture *fixture = *state;
   static const char *const texts[] = {"acc", "f", "gone", "v"};
   for (uint32_t i = 0; i < 4; i++) {
      struct hdb_expr_request request = request_of(fixture, texts[i]);
      struct hdb_expr_result result;
      char *error;
      request.flags = HDB_EXPR_RECORD;
      assert_int_equal(hdb_expr_evaluate(&request, &result, &error), 0);
      assert_int_equal(result.history, i + 1);
      hdb_expr_result_finish(&result);
   }
   static const struct expectation list[] = {
      {"$", "(1, 2, 3)", "vec3"}, {"$$", "<optimized out>", NULL}, {"$$2", "1.5", NULL},
      {"$1", "2", "int"},         {"$1 + $2", "3.5", NULL},        {0},
   };
   expect(fixture, list);
}

static void
test_errors(void **state)
{
   static const struct expectation refused[] = {
      {"", "a value expected at the end", NULL},
      {"1 +", "a value expected at the end (column 4)", NULL},
      {"1 2", "not understood: \"2\" (column 3)", NULL},
      {"(1", ") expected", NULL},
      {"v[1", "] expected", NULL},
      {"v.", "a member expected", NULL},
      {"v.q", "has no .q", NULL},
      {"v2.z", "has no .z", NULL},
      {"v.xyzzy", "has no .xyzzy", NULL},
      {"v.xr", "has no .xr", NULL},
      {"v[-1]", "-1 is out of range: there are 3 components", NULL},
      {"v.xy[2]", "2 is out of range: there are 2 components", NULL},
      {"tile[-1]", "-1 is out of range: there are 4 elements", NULL},
      {"f.length()", "float has no length()", NULL},
      {"v[3]", "3 is out of range: there are 3 components", NULL},
      {"m[3]", "there are 3 columns", NULL},
      {"pair[2]", "2 is out of range: there are 2 elements", NULL},
      {"pair[-1]", "-1 is out of range", NULL},
      {"pair[1.5]", "an integer expected", NULL},
      {"blade.x", "Blade has no member \"x\"", NULL},
      {"f.y", "float has no members", NULL},
      {"blocks[2].padded", "2 is out of range", NULL},
      {"blocks.padded", "has no members", NULL},
      {"nope", "no \"nope\" in this scope (column 1)", NULL},
      {"1 + nope", "(column 5)", NULL},
      {"#", "'#' has no meaning", NULL},
      {"\x01", "0x01", NULL},
      {"0x", "is no number", NULL},
      {"12abc", "\"12abc\" is no number", NULL},
      {"1e400", "does not fit a 32-bit float", NULL},
      {"99999999999999999999", "does not fit 64 bits", NULL},
      {"{nope}1", "a type expected", NULL},
      {"values[1:0]", "1 to 0 is no range", NULL},
      {"(1+2)@2", "only what is in memory", NULL},
      {"values[0]@0", "is no number of elements", NULL},
      {0},
   };
   expect_errors(*state, refused, 0);
}

/* Everything has an end: depth, length, memory, output. */
static void
test_limits(void **state)
{
   struct fixture *fixture = *state;
   static const char *const units[] = {"(",    "-",    "!",  "v[", "1+", "1?",   "{float}",
                                       "abs(", "1?1:", "f=", "*",  "&",  "$x=(", "(int)"};
   char text[6000];
   for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++) {
      for (size_t size = 100; size < sizeof(text); size += 1900) {
         size_t length = strlen(units[u]);
         for (size_t i = 0; i < size; i++)
            text[i] = units[u][i % length];
         text[size - size % length] = 0;
         strcat(text, "1");
         struct hdb_expr_request request = request_of(fixture, text);
         struct hdb_expr_result result;
         char *error;
         if (hdb_expr_evaluate(&request, &result, &error))
            assert_non_null(error);
         free(error);
         hdb_expr_result_finish(&result);
      }
   }
   struct hdb_expr_request request = request_of(fixture, "{int8_t}0x100800@2000000000");
   struct hdb_expr_result result;
   char *error;
   assert_int_equal(hdb_expr_evaluate(&request, &result, &error), 0);
   assert_true(strlen(result.value) < 100000);
   assert_non_null(strstr(result.value, "repeats"));
   hdb_expr_result_finish(&result);
   request.text = "$x = {Field}0x100200@1000000";
   assert_int_not_equal(hdb_expr_evaluate(&request, &result, &error), 0);
   assert_non_null(strstr(error, "too many to keep"));
   free(error);
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

/* ---- lanes ---- */

static void
test_lanes(void **state)
{
   struct fixture *fixture = *state;
   char *values[64], *error;
   struct hdb_expr_request request = request_of(fixture, "acc * 2");
   assert_int_equal(hdb_expr_lanes(&request, values, &error), 0);
   for (uint32_t lane = 0; lane < 64; lane++) {
      char expected[16];
      snprintf(expected, sizeof(expected), "%d", ((int)lane - 3) * 2);
      if (0xffff00ffu >> (lane & 31) & 1 && lane < 32)
         assert_string_equal(values[lane], expected);
      else
         assert_null(values[lane]);
      free(values[lane]);
   }
   request.text = "values[acc]"; /* out of range in some */
   assert_int_equal(hdb_expr_lanes(&request, values, &error), 0);
   assert_non_null(strstr(values[0], "out of range"));
   assert_string_equal(values[4], "11");
   for (uint32_t lane = 0; lane < 64; lane++)
      free(values[lane]);
   request.text = "nope";
   assert_int_not_equal(hdb_expr_lanes(&request, values, &error), 0);
   assert_non_null(strstr(error, "no \"nope\""));
   free(error);
   request.text = "f = 3";
   assert_int_not_equal(hdb_expr_lanes(&request, values, &error), 0);
   free(error);
}

static void
test_where(void **state)
{
   struct fixture *fixture = *state;
   uint64_t lanes;
   char *error;
   struct hdb_expr_request request = request_of(fixture, "acc > 2 && acc < 20");
   assert_int_equal(hdb_expr_where(&request, &lanes, &error), 0);
   assert_int_equal(lanes, 0x7f00c0);
   request.text = "v";
   assert_int_not_equal(hdb_expr_where(&request, &lanes, &error), 0);
   assert_non_null(strstr(error, "condition"));
   free(error);
}

static void
test_statistics(void **state)
{
   struct fixture *fixture = *state;
   struct hdb_expr_statistics statistics;
   char *error;
   struct hdb_expr_request request = request_of(fixture, "acc == 1 ? nan : acc == 2 ? inf : float(acc)");
   assert_int_equal(hdb_expr_statistics(&request, &statistics, &error), 0);
   assert_int_equal(statistics.components, 1);
   assert_int_equal(statistics.lanes, 24);
   assert_int_equal(statistics.of[0].nans, 1);
   assert_int_equal(statistics.of[0].infinities, 1);
   assert_int_equal(statistics.of[0].numbers, 23);
   assert_int_equal(statistics.of[0].distinct, 24);
   assert_string_equal(statistics.of[0].least, "-3");
   assert_string_equal(statistics.of[0].most, "inf");
   request.text = "vec2(acc, 1)";
   assert_int_equal(hdb_expr_statistics(&request, &statistics, &error), 0);
   assert_int_equal(statistics.components, 2);
   assert_string_equal(statistics.of[0].mean, "13.833333"); /* of -3..4 and 13..28 */
   assert_string_equal(statistics.of[0].most, "28");
   assert_int_equal(statistics.of[1].distinct, 1);
}

static void
test_all_lanes_set(void **state)
{
   struct fixture *fixture = *state;
   static const struct expectation all[] = {{"/lanes f = acc * 2", "4", NULL}, {0}};
   static const struct expectation other[] = {{"f", "34", NULL}, {0}};
   static const struct expectation off[] = {
      {"f", "1.5", NULL}, {"/lanes scalar = 77", "77", NULL}, {"scalar", "77", NULL}, {0}};
   static const struct expectation vector[] = {
      {"$v2[8:17]", "{0x2008, 0x2009, 0x200a, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x7, 0x7}", NULL}, {0}};
   expect(fixture, all);
   fixture->context.lane = 20;
   expect(fixture, other);
   fixture->context.lane = 9;
   expect(fixture, off);
   struct hdb_expr_request request = request_of(fixture, "/lanes $v2 = 7");
   struct hdb_expr_result result;
   char *error;
   assert_int_equal(hdb_expr_evaluate(&request, &result, &error), 0);
   hdb_expr_result_finish(&result);
   expect(fixture, vector);
}

/* ---- parts, types, addresses ---- */

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

/* Equal variables may be in one register. */
static void
test_sharers(void **state)
{
   static const struct expectation list[] = {
      {"split.x = 7", "twin", NULL}, {"twin = 8", "split", NULL}, {"split.z = false", "", NULL},
      {"f = 2", "", NULL},           {"twin + 1", "", NULL},      {0},
   };
   for (const struct expectation *e = list; e->text; e++) {
      struct hdb_expr_request request = request_of(*state, e->text);
      struct hdb_expr_result result;
      char *error;
      assert_int_equal(hdb_expr_evaluate(&request, &result, &error), 0);
      assert_string_equal(result.sharers ? result.sharers : "", e->expected);
      hdb_expr_result_finish(&result);
   }
}

/* What all lanes look at is read once, what each has of its own for each. */
static void
test_shared_objects(void **state)
{
   struct fixture *fixture = *state;
   struct hdb_expr_request request = request_of(fixture, "values");
   char *values[64], *error;
   unsigned before = fake_memory_reads();
   assert_int_equal(hdb_expr_lanes(&request, values, &error), 0);
   assert_int_equal(fake_memory_reads() - before, 1);
   for (unsigned lane = 0; lane < 64; lane++) {
      if (values[lane])
         assert_string_equal(values[lane], "{10, 11, 12, 13, 14, 15}");
      free(values[lane]);
   }
   request.text = "values[gl_LocalInvocationID.x % 2]";
   assert_int_equal(hdb_expr_lanes(&request, values, &error), 0);
   assert_string_equal(values[0], "10");
   assert_string_equal(values[1], "11");
   assert_string_equal(values[2], "10");
   for (unsigned lane = 0; lane < 64; lane++)
      free(values[lane]);
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

static void
test_running(void **state)
{
   struct fixture *fixture = *state;
   fixture->context.wave->run = HDB_WAVE_RUNNING;
   static const struct expectation refused[] = {{"f", "wave 7 is running", NULL}, {0}};
   expect_errors(fixture, refused, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)

int
main(void)
{
   const struct CMUnitTest tests[] = {
      TEST(literals),      TEST(variables), TEST(parts),          TEST(pointers),  TEST(images),
      TEST(operators),     TEST(hlsl),      TEST(constructors),   TEST(functions), TEST(formats),
      TEST(assignment),    TEST(registers), TEST(convenience),    TEST(history),   TEST(errors),
      TEST(limits),        TEST(arrays),    TEST(lanes),          TEST(where),     TEST(statistics),
      TEST(all_lanes_set), TEST(children),  TEST(root),           TEST(types),     TEST(addresses),
      TEST(completion),    TEST(running),   TEST(shared_objects), TEST(sharers),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
