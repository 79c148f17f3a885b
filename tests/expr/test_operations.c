/* SPDX-License-Identifier: MIT */
/* Operators, constructors and functions. */
#include "fixture.h"

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
      {"Blade(1, 2)", "a int is no vec3", NULL},
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

int
main(void)
{
   const struct CMUnitTest tests[] = {
      TEST(operators),
      TEST(hlsl),
      TEST(constructors),
      TEST(functions),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
