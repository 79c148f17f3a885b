/* SPDX-License-Identifier: MIT */
/* Types, constants and global variables, as the rules of std140, std430, scalar and natural layout have them by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "variables.h"

static const char *directory;

/* ---- layouts ---- */

static const struct hdb_type *
member(const struct hdb_type *type, const char *name, uint32_t offset)
{
   assert_int_equal(type->kind, HDB_TYPE_STRUCT);
   for (uint32_t m = 0; m < type->member_count; m++) {
      if (strcmp(type->members[m].name, name) == 0) {
         if (type->members[m].offset != offset)
            fail_msg("%s.%s is at %u, expected %u", type->name, name, type->members[m].offset, offset);
         return type->members[m].type;
      }
   }
   fail_msg("%s has no member %s", type->name, name);
   return NULL;
}

static void
check(const struct hdb_type *type, const char *name, uint64_t size, uint32_t stride)
{
   assert_string_equal(type->name, name);
   assert_int_equal(type->size, size);
   assert_int_equal(type->stride, stride);
}

static void
check_inner(const struct hdb_type *inner, uint32_t b)
{
   check(member(inner, "a", 0), "float", 4, 0);
   check(member(inner, "b", b), "vec3", 12, 4);
   assert_string_equal(inner->name, "Inner");
}

static void
check_layouts(const char *name)
{
   struct fixture fixture;
   init_fixture(&fixture, directory, name, 0);
   const struct hdb_symbol *u140 = find_global(&fixture, "u140"), *b430 = find_global(&fixture, "b430");
   const struct hdb_symbol *scalar = find_global(&fixture, "Scalar");
   const struct hdb_type *type = u140->type;

   assert_int_equal(u140->storage, HDB_STORAGE_UNIFORM);
   assert_string_equal(u140->block, "Std140");
   check(member(type, "f", 0), "float", 4, 0);
   check(member(type, "v3", 16), "vec3", 12, 4);
   check(member(type, "tail", 28), "float", 4, 0);
   check(member(type, "array", 32), "float[3]", 36, 16);
   const struct hdb_type *matrix = member(type, "m", 80), *rows = member(type, "rows", 128);
   check(matrix, "mat3x2", 40, 16);
   assert_int_equal(matrix->row_stride, 4);
   assert_int_equal(matrix->element->stride, 4);
   check(rows, "mat3x2", 28, 4);
   assert_int_equal(rows->row_stride, 16);
   assert_int_equal(rows->element->stride, 16);
   assert_int_equal(rows->element->size, 20);
   const struct hdb_type *inner = member(type, "inner", 160);
   assert_int_equal(inner->stride, 32);
   check_inner(inner->element, 16);
   const struct hdb_type *many = member(type, "many", 224);
   check(many, "mat2x4[2]", 120, 64);
   assert_int_equal(many->element->row_stride, 16);
   member(type, "flag", 352);
   assert_int_equal(type->size, 356);

   assert_int_equal(b430->storage, HDB_STORAGE_BUFFER);
   assert_int_equal(b430->set, 1);
   assert_int_equal(b430->binding, 4);
   assert_int_equal(b430->type->kind, HDB_TYPE_ARRAY);
   assert_int_equal(b430->type->count, 2);
   type = b430->type->element;
   check(member(type, "array", 28), "float[3]", 12, 4);
   check(member(type, "m", 40), "mat3x2", 24, 8);
   check_inner(member(type, "inner", 64)->element, 16);
   const struct hdb_type *last = member(type, "last", 128);
   check(last, "vec3[]", 0, 16);
   assert_int_equal(last->count, 0);

   assert_true(scalar->anonymous);
   type = scalar->type;
   check(member(type, "h", 0), "float16_t", 2, 0);
   check(member(type, "c", 2), "int8_t[3]", 3, 1);
   check(member(type, "d", 8), "double", 8, 0);
   check(member(type, "s", 16), "u16vec3", 6, 2);
   check(member(type, "big", 24), "int64_t", 8, 0);
   check_inner(member(type, "inner", 32), 4);
   free_fixture(&fixture);
}

static void
test_layouts(void **state)
{
   check_layouts("types.gVS.spv");
   check_layouts("types.g.spv");
}

/* The driver's own layout: nothing is padded to 16 bytes, a bool has four. */
static void
test_natural_layout(void **state)
{
   struct fixture fixture;
   init_fixture(&fixture, directory, "types.gVS.spv", 0);
   const struct hdb_symbol *tile = find_global(&fixture, "tile"), *basis = find_global(&fixture, "basis");
   assert_int_equal(tile->storage, HDB_STORAGE_WORKGROUP);
   assert_int_equal(tile->type->count, 11); /* COUNT * 2 + 1 */
   check(tile->type, "Inner[11]", 11 * 16, 16);
   check_inner(tile->type->element, 4);
   assert_int_equal(basis->storage, HDB_STORAGE_PRIVATE);
   check(basis->type, "mat3", 36, 12);

   uint32_t pc = find_pc(&fixture, SpvOpImageRead, 0);
   const struct hdb_symbol *leaves = find_local(&fixture, pc, 0, "leaves"), *wide = find_local(&fixture, pc, 0, "wide");
   check(leaves->type, "Leaf[2]", 24, 12);
   const struct hdb_type *on = member(leaves->type->element, "on", 8);
   check(on, "bool", 4, 0);
   assert_int_equal(on->kind, HDB_TYPE_BOOL);
   check(wide->type, "double[5]", 40, 8);
   check(find_local(&fixture, pc, 0, "halves")->type, "f16vec3", 6, 2);
   free_fixture(&fixture);
}

static void
test_pointers(void **state)
{
   struct fixture fixture;
   init_fixture(&fixture, directory, "types.gVS.spv", 0);
   const struct hdb_symbol *push = find_global(&fixture, "push");
   assert_int_equal(push->storage, HDB_STORAGE_PUSH_CONSTANT);
   const struct hdb_type *head = member(push->type, "head", 0);
   assert_int_equal(head->kind, HDB_TYPE_POINTER);
   assert_string_equal(head->name, "Node *");
   member(push->type, "n", 8);
   const struct hdb_type *node = head->element, *next = member(node, "next", 0);
   assert_ptr_equal(next->element, node); /* a list */
   member(node, "value", 8);
   check(member(node, "data", 16), "vec2[]", 0, 8);
   assert_int_equal(head->stride, 32); /* as aligned as the reference is declared, not the struct */
   free_fixture(&fixture);
}

static void
test_handles(void **state)
{
   static const struct {
      const char *name, *type;
      uint32_t binding;
   } handles[] = {{"shadows", "sampler2DArrayShadow", 0}, {"voxels", "uimage3D", 1}};
   struct fixture fixture;
   init_fixture(&fixture, directory, "types.g.spv", 0);
   for (size_t i = 0; i < sizeof(handles) / sizeof(handles[0]); i++) {
      const struct hdb_symbol *symbol = find_global(&fixture, handles[i].name);
      assert_int_equal(symbol->storage, HDB_STORAGE_HANDLE);
      assert_int_equal(symbol->type->kind, HDB_TYPE_OPAQUE);
      assert_string_equal(symbol->type->name, handles[i].type);
      assert_int_equal(symbol->set, 3);
      assert_int_equal(symbol->binding, handles[i].binding);
   }
   const struct hdb_symbol *id = find_global(&fixture, "gl_LocalInvocationID");
   assert_int_equal(id->storage, HDB_STORAGE_BUILTIN);
   assert_int_equal(id->builtin, SpvBuiltInLocalInvocationId);
   assert_string_equal(id->type->name, "uvec3");
   free_fixture(&fixture);
}

/* As HLSL has them: rows of a matrix are its first index, cbuffers have no name, buffers hold what they are of. */
static void
test_hlsl(void **state)
{
   struct fixture fixture;
   init_fixture(&fixture, directory, "names.gVS.spv", 0);
   assert_int_equal(hdb_symbols_language(fixture.symbols), HDB_LANGUAGE_HLSL);
   const struct hdb_symbol *camera = find_global(&fixture, "Camera"), *blades = find_global(&fixture, "blades");
   assert_int_equal(camera->storage, HDB_STORAGE_UNIFORM);
   assert_true(camera->anonymous);
   assert_int_equal(camera->binding, 1);
   const struct hdb_type *view = member(camera->type, "view", 0), *rows = member(camera->type, "rows", 128);
   check(view, "float4x3", 48, 4); /* three columns of 16 bytes, which SPIR-V calls rows */
   assert_int_equal(view->row_stride, 16);
   check(rows, "float2x3", 28, 16);
   assert_int_equal(rows->row_stride, 4);
   check(member(camera->type, "weights", 64), "float[4]", 52, 16);

   assert_int_equal(blades->storage, HDB_STORAGE_BUFFER);
   assert_false(blades->anonymous);
   assert_int_equal(blades->type->member_count, 1);
   check(blades->type->members[0].type, "Blade[]", 0, 16);
   check(member(blades->type->members[0].type->element, "position", 0), "float3", 12, 4);
   assert_string_equal(find_global(&fixture, "colour")->type->name, "Texture2D<float4>");
   assert_string_equal(find_global(&fixture, "linear_sampler")->type->name, "SamplerState");
   assert_int_equal(find_global(&fixture, "tile")->storage, HDB_STORAGE_WORKGROUP);

   uint32_t pc = find_pc(&fixture, SpvOpImageSampleExplicitLod, 0);
   check(find_local(&fixture, pc, 0, "flags")->type, "bool2", 8, 4);
   assert_null(find_symbol(&fixture, pc, 0, "byteAddrTemp")); /* glslang's own */
   free_fixture(&fixture);
}

/* ---- the compiler's own reflection ---- */

/* glslang's reflection: "Std140.m: offset 80, type 8b67, ...". It leaves names of members' members out. */
static void
test_reflection(void **state)
{
   struct fixture fixture;
   char path[4096], line[512];
   unsigned compared = 0;
   init_fixture(&fixture, directory, "types.g.spv", 0);
   snprintf(path, sizeof(path), "%s/types.reflection", directory);
   FILE *file = fopen(path, "r");
   assert_non_null(file);
   while (fgets(line, sizeof(line), file)) {
      char block[64], name[64];
      unsigned offset, stride;
      if (sscanf(line, "%63[A-Za-z0-9_].%63[A-Za-z0-9_]: offset %u", block, name, &offset) != 3)
         continue;
      const struct hdb_type *type = hdb_symbols_find_type(fixture.symbols, block, HDB_LAYOUT_DECORATED);
      if (!type)
         continue;
      const struct hdb_type *found = member(type, name, offset);
      const char *text = strstr(line, "arrayStride ");
      if (text && sscanf(text, "arrayStride %u", &stride) == 1)
         assert_int_equal(found->stride, stride);
      compared++;
   }
   fclose(file);
   assert_true(compared >= 8);
   free_fixture(&fixture);
}

/* ---- constants ---- */

static uint32_t
word_of(const struct fixture *fixture, const char *name)
{
   struct hdb_piece piece;
   uint32_t word;
   const struct hdb_symbol *symbol = find_global(fixture, name);
   assert_int_equal(hdb_symbols_locate(fixture->symbols, 0, 0, symbol, &piece, 1), 1);
   assert_int_equal(piece.kind, HDB_PIECE_BYTES);
   assert_int_equal(piece.size, 4);
   memcpy(&word, piece.bytes, 4);
   return word;
}

static void
test_constants(void **state)
{
   struct fixture fixture;
   init_fixture(&fixture, directory, "types.gVS.spv", 0);
   const struct hdb_symbol *scale = find_global(&fixture, "SCALE");
   assert_int_equal(scale->storage, HDB_STORAGE_CONSTANT);
   assert_int_equal(scale->constant_id, 3);
   assert_int_equal(word_of(&fixture, "COUNT"), 5);
   assert_int_equal(word_of(&fixture, "FLAG"), 1);
   assert_int_equal(word_of(&fixture, "SCALE"), 0x3e800000);

   const struct hdb_symbol *size = find_global(&fixture, "gl_WorkGroupSize");
   struct hdb_piece pieces[3];
   assert_int_equal(hdb_symbols_locate(fixture.symbols, 0, 0, size, pieces, 3), 3);
   assert_int_equal(pieces[0].bytes[0], 32);
   assert_int_equal(pieces[1].bytes[0], 1);
   assert_int_equal(pieces[1].offset, 4);
   free_fixture(&fixture);
}

/* ---- types by name ---- */

static void
test_type_names(void **state)
{
   static const struct {
      const char *name;
      enum hdb_type_kind kind;
      uint64_t size;
   } names[] = {
      {"float", HDB_TYPE_FLOAT, 4},    {"uint64_t", HDB_TYPE_UINT, 8},    {"vec3", HDB_TYPE_VECTOR, 12},
      {"u16vec2", HDB_TYPE_VECTOR, 4}, {"dmat4x3", HDB_TYPE_MATRIX, 96},  {"mat2", HDB_TYPE_MATRIX, 16},
      {"float4", HDB_TYPE_VECTOR, 16}, {"float3x4", HDB_TYPE_MATRIX, 48}, {"bvec2", HDB_TYPE_VECTOR, 8},
      {"f16vec3", HDB_TYPE_VECTOR, 6},
   };
   static const char *const wrong[] = {"", "x", "vec", "vec1", "vec5", "vec2x2", "void3", "mat", "Inner2", "float1"};
   struct fixture fixture;
   init_fixture(&fixture, directory, "types.g.spv", 0);
   for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
      const struct hdb_type *type = hdb_symbols_find_type(fixture.symbols, names[i].name, HDB_LAYOUT_NATURAL);
      if (!type || type->kind != names[i].kind || type->size != names[i].size)
         fail_msg("%s is wrong", names[i].name);
   }
   for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
      if (hdb_symbols_find_type(fixture.symbols, wrong[i], HDB_LAYOUT_NATURAL))
         fail_msg("\"%s\" is a type", wrong[i]);
   }
   check_inner(hdb_symbols_find_type(fixture.symbols, "Inner", HDB_LAYOUT_NATURAL), 4);
   assert_int_equal(hdb_symbols_find_type(fixture.symbols, "Std430", HDB_LAYOUT_DECORATED)->size, 128);
   const struct hdb_type *vector =
      hdb_symbols_vector_type(fixture.symbols, hdb_symbols_find_type(fixture.symbols, "int", HDB_LAYOUT_NATURAL), 3);
   check(vector, "ivec3", 12, 4);
   check(hdb_symbols_array_type(fixture.symbols, vector, 7), "ivec3[7]", 84, 12);
   size_t count = 0;
   while (hdb_symbols_type(fixture.symbols, count))
      count++;
   assert_true(count >= 6);
   assert_int_equal(hdb_symbols_language(fixture.symbols), HDB_LANGUAGE_GLSL);
   free_fixture(&fixture);
}

int
main(int argc, char **argv)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_layouts),   cmocka_unit_test(test_natural_layout), cmocka_unit_test(test_pointers),
      cmocka_unit_test(test_handles),   cmocka_unit_test(test_hlsl),           cmocka_unit_test(test_reflection),
      cmocka_unit_test(test_constants), cmocka_unit_test(test_type_names),
   };
   directory = argc > 1 ? argv[1] : ".";
   return cmocka_run_group_tests(tests, NULL, NULL);
}
