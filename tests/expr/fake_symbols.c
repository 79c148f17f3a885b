/* SPDX-License-Identifier: MIT */
/* The variables of the wave, of every kind of type. */
#include "fake_state.h"

#include <string.h>

/* ---- types ---- */

#define SCALAR(variable, kind_, bits_, name_) \
   static const struct hdb_type variable = {  \
      .kind = HDB_TYPE_##kind_, .name = name_, .bits = bits_, .size = (bits_) / 8, .align = (bits_) / 8}
SCALAR(float_type, FLOAT, 32, "float");
SCALAR(double_type, FLOAT, 64, "double");
SCALAR(half_type, FLOAT, 16, "float16_t");
SCALAR(int_type, INT, 32, "int");
SCALAR(int8_type, INT, 8, "int8_t");
SCALAR(int64_type, INT, 64, "int64_t");
SCALAR(uint_type, UINT, 32, "uint");
SCALAR(uint16_type, UINT, 16, "uint16_t");
SCALAR(bool_type, BOOL, 32, "bool");

#define VECTOR(variable, scalar, count_, stride_, name_)                  \
   static const struct hdb_type variable = {.kind = HDB_TYPE_VECTOR,      \
                                            .name = name_,                \
                                            .count = count_,              \
                                            .stride = stride_,            \
                                            .size = (count_) * (stride_), \
                                            .align = stride_,             \
                                            .element = &scalar}
VECTOR(vec2_type, float_type, 2, 4, "vec2");
VECTOR(vec3_type, float_type, 3, 4, "vec3");
VECTOR(vec4_type, float_type, 4, 4, "vec4");
VECTOR(uvec3_type, uint_type, 3, 4, "uvec3");
VECTOR(ivec2_type, int_type, 2, 4, "ivec2");
VECTOR(bvec2_type, bool_type, 2, 4, "bvec2");
VECTOR(f16vec2_type, half_type, 2, 2, "f16vec2");

static const struct hdb_type mat3_type = {.kind = HDB_TYPE_MATRIX,
                                          .name = "mat3",
                                          .count = 3,
                                          .stride = 16,
                                          .row_stride = 4,
                                          .size = 48,
                                          .align = 16,
                                          .element = &vec3_type};
static const struct hdb_type mat2x3_type = {.kind = HDB_TYPE_MATRIX,
                                            .name = "mat2x3",
                                            .count = 2,
                                            .stride = 12,
                                            .row_stride = 4,
                                            .size = 24,
                                            .align = 4,
                                            .element = &vec3_type};
/* Row-major: the components of a column are 16 bytes apart. */
static const struct hdb_type rows_type = {.kind = HDB_TYPE_MATRIX,
                                          .name = "mat3",
                                          .count = 3,
                                          .stride = 4,
                                          .row_stride = 16,
                                          .size = 48,
                                          .align = 16,
                                          .element = &vec3_type};

static const struct hdb_enumerator mode_enumerators[] = {{"MODE_OFF", 0}, {"MODE_ON", 1}, {"MODE_BACK", -1}};
static const struct hdb_type mode_type = {.kind = HDB_TYPE_INT,
                                          .name = "Mode",
                                          .bits = 32,
                                          .size = 4,
                                          .align = 4,
                                          .enumerators = mode_enumerators,
                                          .enumerator_count = 3};

static const struct hdb_type scale_type = {/* a typedef */
                                           .kind = HDB_TYPE_FLOAT,
                                           .name = "Scale",
                                           .bits = 32,
                                           .size = 4,
                                           .align = 4};

static const struct hdb_member blade_members[] = {{"root", &vec3_type, 0, false}, {"height", &float_type, 12, false}};
static const struct hdb_type blade_type = {
   .kind = HDB_TYPE_STRUCT, .name = "Blade", .size = 16, .align = 4, .members = blade_members, .member_count = 2};

#define ARRAY(variable, element_, count_, stride_)                                  \
   static const struct hdb_type variable = {.kind = HDB_TYPE_ARRAY,                 \
                                            .name = "array",                        \
                                            .count = count_,                        \
                                            .stride = stride_,                      \
                                            .size = (uint64_t)(count_) * (stride_), \
                                            .align = 4,                             \
                                            .element = &element_}
ARRAY(blades_type, blade_type, 0, 16);
ARRAY(pair_type, blade_type, 2, 16);
ARRAY(floats_type, float_type, 0, 4);
ARRAY(hundred_type, float_type, 100, 4);
ARRAY(row_type, float_type, 4, 4);
ARRAY(tile_type, row_type, 4, 16);
ARRAY(padded_type, float_type, 4, 16); /* as std140 has them */

static const struct hdb_member field_members[] = {{"count", &uint_type, 0, false}, {"data", &blades_type, 16, false}};
static const struct hdb_type field_type = {
   .kind = HDB_TYPE_STRUCT, .name = "Field", .size = 16, .align = 4, .members = field_members, .member_count = 2};
static const struct hdb_type field_pointer = {
   .kind = HDB_TYPE_POINTER, .name = "Field *", .bits = 64, .size = 8, .align = 8, .element = &field_type};

/* A list, which refers to itself. */
extern const struct hdb_type node_pointer;
static const struct hdb_member node_members[] = {{"next", &node_pointer, 0, false}, {"number", &int_type, 8, false}};
static const struct hdb_type node_type = {
   .kind = HDB_TYPE_STRUCT, .name = "Node", .size = 16, .align = 8, .members = node_members, .member_count = 2};
const struct hdb_type node_pointer = {
   .kind = HDB_TYPE_POINTER, .name = "Node *", .bits = 64, .size = 8, .align = 8, .element = &node_type};

static const struct hdb_member constants_members[] = {{"grass", &field_pointer, 0, false},
                                                      {"list", &node_pointer, 8, false},
                                                      {"n", &uint_type, 16, false},
                                                      {"bad", &node_pointer, 24, false}};
static const struct hdb_type constants_type = {.kind = HDB_TYPE_STRUCT,
                                               .name = "Constants",
                                               .size = 32,
                                               .align = 8,
                                               .members = constants_members,
                                               .member_count = 4};

static const struct hdb_member values_members[] = {{"head", &uint_type, 0, false}, {"values", &floats_type, 4, false}};
static const struct hdb_type values_type = {
   .kind = HDB_TYPE_STRUCT, .name = "Values", .size = 4, .align = 4, .members = values_members, .member_count = 2};
static const struct hdb_member block_members[] = {{"rows", &rows_type, 0, false}, {"padded", &padded_type, 48, false}};
static const struct hdb_type block_type = {
   .kind = HDB_TYPE_STRUCT, .name = "Block", .size = 112, .align = 16, .members = block_members, .member_count = 2};
static const struct hdb_type blocks_type = {
   .kind = HDB_TYPE_ARRAY, .name = "Block", .count = 2, .element = &block_type};
static const struct hdb_type lights_type = {.kind = HDB_TYPE_ARRAY, .name = "Block", .element = &block_type};
static const struct hdb_member split_members[] = {
   {"x", &int_type, 0, false}, {"y", &float_type, 4, false}, {"z", &bool_type, 8, false}};
static const struct hdb_type split_type = {
   .kind = HDB_TYPE_STRUCT, .name = "Split", .size = 12, .align = 4, .members = split_members, .member_count = 3};
static const struct hdb_type texels_type = {.kind = HDB_TYPE_OPAQUE, .name = "uimage2DArray"};
static const struct hdb_type cube_type = {.kind = HDB_TYPE_OPAQUE, .name = "samplerCube"};
static const struct hdb_type image_type = {.kind = HDB_TYPE_OPAQUE, .name = "image2D"};

/* ---- symbols ---- */

/* `workgroup_offset` serves as the scratch offset, too. */
static const struct hdb_symbol symbols[] = {
   {.name = "acc", .type = &int_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 0, .scope = 2}, /* shadows */
   {.name = "acc", .type = &float_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 4, .scope = 1},
   {.name = "f", .type = &float_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 8},
   {.name = "scaled", .type = &scale_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 8},
   {.name = "d", .type = &double_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 16},
   {.name = "h", .type = &half_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 24},
   {.name = "u", .type = &uint_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 28},
   {.name = "flag", .type = &bool_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 32},
   {.name = "small", .type = &int8_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 36},
   {.name = "word", .type = &uint16_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 38},
   {.name = "big", .type = &int64_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 40},
   {.name = "v", .type = &vec3_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 48},
   {.name = "w", .type = &vec3_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 60},
   {.name = "iv", .type = &ivec2_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 72},
   {.name = "bv", .type = &bvec2_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 80},
   {.name = "hv", .type = &f16vec2_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 88},
   {.name = "m", .type = &mat3_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 96},
   {.name = "m23", .type = &mat2x3_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 144},
   {.name = "blade", .type = &blade_type, .storage = HDB_STORAGE_PARAMETER, .workgroup_offset = 176},
   {.name = "pair", .type = &pair_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 192},
   {.name = "mode", .type = &mode_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 224},
   {.name = "zeros", .type = &hundred_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 256},
   {.name = "v4", .type = &vec4_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 656},
   {.name = "v2", .type = &vec2_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 672},
   {.name = "split", .type = &split_type, .storage = HDB_STORAGE_LOCAL},
   {.name = "scalar", .type = &int_type, .storage = HDB_STORAGE_LOCAL},
   {.name = "twin", .type = &int_type, .storage = HDB_STORAGE_LOCAL}, /* in the register of split.x */
   {.name = "gone", .type = &blade_type, .storage = HDB_STORAGE_LOCAL},
   {.name = "computed", .type = &int_type, .storage = HDB_STORAGE_LOCAL},
   {.name = "half_computed", .type = &int_type, .storage = HDB_STORAGE_LOCAL},
   {.name = "%17", .id = 17, .type = &int_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 680},
   {.name = "v.x", .id = 18, .type = &int_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 680},
   {.name = "%18", .id = 19, .type = &vec3_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 48},
   {.name = "tile", .type = &tile_type, .storage = HDB_STORAGE_WORKGROUP, .workgroup_offset = 64},
   {.name = "pc", .type = &constants_type, .storage = HDB_STORAGE_PUSH_CONSTANT},
   {.name = "Values", .type = &values_type, .storage = HDB_STORAGE_BUFFER, .anonymous = true, .block = "Values"},
   {.name = "blocks", .type = &blocks_type, .storage = HDB_STORAGE_UNIFORM, .binding = 1, .block = "Block"},
   {.name = "lights", .type = &lights_type, .storage = HDB_STORAGE_UNIFORM, .binding = 3, .block = "Block"},
   {.name = "texels", .type = &texels_type, .storage = HDB_STORAGE_HANDLE, .binding = 4},
   {.name = "cube", .type = &cube_type, .storage = HDB_STORAGE_HANDLE, .binding = 4},
   {.name = "image", .type = &image_type, .storage = HDB_STORAGE_HANDLE, .binding = 2},
   {.name = "gl_LocalInvocationID", .type = &uvec3_type, .storage = HDB_STORAGE_BUILTIN},
};
#define SYMBOLS (sizeof(symbols) / sizeof(symbols[0]))

size_t
hdb_symbols_variables(struct hdb_symbols *of, uint32_t pc, uint32_t frame, const struct hdb_symbol **list,
                      size_t capacity)
{
   for (size_t i = 0; i < capacity && i < SYMBOLS; i++)
      list[i] = &symbols[i];
   return SYMBOLS;
}

const struct hdb_symbol *
hdb_symbols_rival(struct hdb_symbols *of, uint32_t pc, uint32_t frame, const struct hdb_symbol *symbol)
{
   return NULL;
}

size_t
hdb_symbols_locate(struct hdb_symbols *of, uint32_t pc, uint32_t frame, const struct hdb_symbol *symbol,
                   struct hdb_piece *pieces, size_t capacity)
{
   return 0;
}

const struct hdb_type *
hdb_symbols_find_type(struct hdb_symbols *of, const char *name, enum hdb_layout layout)
{
   static const struct hdb_type *const types[] = {&blade_type, &field_type, &node_type, &mode_type, &constants_type};
   for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
      if (strcmp(types[i]->name, name) == 0)
         return types[i];
   }
   return NULL;
}

size_t
hdb_symbols_layouts(struct hdb_symbols *of, const char *name, struct hdb_struct_layout *list, size_t capacity)
{
   return 0;
}

enum hdb_language
hdb_symbols_language(const struct hdb_symbols *of)
{
   return fake.language;
}
