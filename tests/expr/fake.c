/* SPDX-License-Identifier: MIT */
#include "fake.h"
#include "values/image.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "values/private.h"

#define LANES 32
#define VGPRS 8
#define SGPRS 16
#define MEMORY_SIZE 8192
#define LDS_SIZE 256
#define SCRATCH_SIZE 2048

static struct {
   uint32_t vgprs[VGPRS][64];
   uint32_t sgprs[128];
   uint8_t memory[MEMORY_SIZE];
   uint8_t lds[LDS_SIZE];
   uint8_t scratch[LANES][SCRATCH_SIZE];
   struct hdb_wave wave;
   struct hdb_shader shader;
   enum hdb_language language;
   unsigned memory_reads;
} fake;

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
   {.name = "%17", .type = &int_type, .storage = HDB_STORAGE_LOCAL, .workgroup_offset = 680},
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

/* ---- places ---- */

static int
fail(char **error, const char *why)
{
   *error = strdup(why);
   return -ENOENT;
}

/* (v1 - lane) / s4, and that where lanes are not odd: for others nobody knows. */
static const struct hdb_piece *
compute(bool half)
{
   static const struct hdb_computation v1 = {
      .kind = HDB_COMPUTATION_PIECE, .bits = 32, .piece = {.kind = HDB_PIECE_VGPR, .size = 4, .where = 1}};
   static const struct hdb_computation s4 = {
      .kind = HDB_COMPUTATION_PIECE, .bits = 32, .piece = {.kind = HDB_PIECE_SGPR, .size = 4, .where = 4}};
   static const struct hdb_computation one = {
      .kind = HDB_COMPUTATION_PIECE, .bits = 32, .piece = {.kind = HDB_PIECE_BYTES, .size = 4, .bytes = {1}}};
   static const struct hdb_computation lane = {.kind = HDB_COMPUTATION_BUILTIN, .bits = 32};
#define OPERATION(name, what_, bits_, ...)      \
   static const struct hdb_computation name = { \
      .kind = HDB_COMPUTATION_OPERATION,        \
      .bits = bits_,                            \
      .what = what_,                            \
      .from = 32,                               \
      .operands = {__VA_ARGS__}                 \
   }
   OPERATION(difference, SpvOpISub, 32, &v1, &lane);
   OPERATION(quotient, SpvOpUDiv, 32, &difference, &s4);
   OPERATION(odd, SpvOpBitwiseAnd, 32, &lane, &one);
   OPERATION(is_odd, SpvOpIEqual, 1, &odd, &one);
   OPERATION(selected, SpvOpSelect, 32, &is_odd, NULL, &quotient);
   static const struct hdb_piece all_piece = {.kind = HDB_PIECE_COMPUTED, .size = 4, .computation = &quotient};
   static const struct hdb_piece half_piece = {.kind = HDB_PIECE_COMPUTED, .size = 4, .computation = &selected};
   return half ? &half_piece : &all_piece;
}

static int
find_pieces(const char *name, struct hdb_place *place)
{
   if (strcmp(name, "computed") == 0 || strcmp(name, "half_computed") == 0) {
      *place = (struct hdb_place){.kind = HDB_PLACE_PIECES, .size = 4, .piece_count = 1};
      place->pieces = malloc(sizeof(*place->pieces));
      *place->pieces = *compute(name[0] == 'h');
      return 0;
   }
   static const struct hdb_piece split[] = {
      {.kind = HDB_PIECE_VGPR, .offset = 0, .size = 4, .where = 1},
      {.kind = HDB_PIECE_UNAVAILABLE, .offset = 4, .size = 4, .why = "optimized out"},
      {.kind = HDB_PIECE_LANE_MASK, .offset = 8, .size = 4, .where = 2},
   };
   static const struct hdb_piece scalar[] = {{.kind = HDB_PIECE_SGPR, .offset = 0, .size = 4, .where = 4}};
   bool is_split = strcmp(name, "split") == 0, is_twin = strcmp(name, "twin") == 0;
   place->kind = HDB_PLACE_PIECES;
   place->size = is_split ? 12 : 4;
   place->piece_count = is_split ? 3 : 1;
   place->pieces = malloc(sizeof(split));
   memcpy(place->pieces, is_split || is_twin ? split : scalar, is_split ? sizeof(split) : sizeof(scalar));
   return 0;
}

int
hdb_place_find(const struct hdb_context *context, const struct hdb_symbol *symbol, struct hdb_place *place,
               char **error)
{
   *place =
      (struct hdb_place){.kind = HDB_PLACE_SCRATCH, .address = symbol->workgroup_offset, .size = symbol->type->size};
   if (strcmp(symbol->name, "gone") == 0)
      return fail(error, "optimized out");
   if (strcmp(symbol->name, "split") == 0 || strcmp(symbol->name, "scalar") == 0 || strcmp(symbol->name, "twin") == 0 ||
       strstr(symbol->name, "computed"))
      return find_pieces(symbol->name, place);
   if (symbol->storage == HDB_STORAGE_WORKGROUP) {
      place->kind = HDB_PLACE_LDS;
   } else if (symbol->storage == HDB_STORAGE_PUSH_CONSTANT) {
      *place = (struct hdb_place){.kind = HDB_PLACE_MEMORY,
                                  .address = FAKE_MEMORY,
                                  .size = 32,
                                  .read_only = true,
                                  .object = strdup("the push constants")};
   } else if (symbol->storage == HDB_STORAGE_BUILTIN) {
      uint32_t id[3] = {context->lane, 0, 0};
      *place = (struct hdb_place){
         .kind = HDB_PLACE_BYTES, .size = sizeof(id), .read_only = true, .bytes = malloc(sizeof(id))};
      memcpy(place->bytes, id, sizeof(id));
   }
   return 0;
}

int
hdb_place_find_element(const struct hdb_context *context, const struct hdb_symbol *symbol, uint64_t element,
                       struct hdb_place *place, char **error)
{
   *place = (struct hdb_place){.kind = HDB_PLACE_MEMORY};
   if (symbol->storage == HDB_STORAGE_HANDLE && symbol->binding == 2)
      return fail(error, "image2D in set 0, binding 2");
   if (symbol->storage == HDB_STORAGE_BUFFER) {
      place->address = FAKE_MEMORY + 0x400;
      place->size = 4 + 6 * 4;
      place->object = strdup("buffer \"numbers\"");
      return 0;
   }
   if (element > 1)
      return fail(error, "not bound");
   if (symbol->storage == HDB_STORAGE_HANDLE)
      place->read_only = true; /* its descriptor; what it is of is made up below */
   place->address = FAKE_MEMORY + 0x600 + element * 0x100;
   place->size = 112;
   return 0;
}

uint64_t
hdb_place_count_elements(const struct hdb_context *context, const struct hdb_symbol *symbol, bool *exact)
{
   *exact = true;
   return 3;
}

/* ---- images: 8x4 texels, three levels, six layers, that say where they are ---- */

int
hdb_image_open(struct hdb_machine *machine, struct hdb_wave *wave, const uint32_t word[8], struct hdb_image **image,
               char **error)
{
   *image = (struct hdb_image *)&fake;
   return 0;
}

void
hdb_image_close(struct hdb_image *image)
{
}

void
hdb_image_count(const struct hdb_image *image, uint32_t *levels, uint32_t *layers)
{
   *levels = 3;
   *layers = 6;
}

void
hdb_image_size(const struct hdb_image *image, uint32_t level, uint32_t size[3])
{
   size[0] = 8 >> level;
   size[1] = 4 >> level;
   size[2] = 1;
}

int
hdb_image_read(struct hdb_image *image, const struct hdb_image_region *region, uint32_t *texels, char **error)
{
   if (region->level > 2 || region->layer > 5 || region->x >= 8 || region->y >= 4)
      return fail(error, "there is no such texel");
   memcpy(texels, (const uint32_t[]){region->x, region->y, region->layer, region->level}, 16);
   return 0;
}

int
builtin_derive(const struct hdb_context *context, uint32_t builtin, uint32_t value[4], uint32_t *count, char **error)
{
   value[0] = context->lane;
   *count = 1;
   return 0;
}

/* ---- the wave ---- */

int
hdb_wave_read_scalar(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t reg, uint32_t *value)
{
   if (reg >= 128)
      return -EINVAL;
   *value = fake.sgprs[reg];
   return 0;
}

int
hdb_wave_write_scalar(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t reg, uint32_t value)
{
   if (reg >= 128)
      return -EINVAL;
   fake.sgprs[reg] = value;
   return 0;
}

int
hdb_wave_read_vgpr(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t vgpr, uint32_t lanes[64])
{
   if (vgpr >= VGPRS)
      return -EINVAL;
   memcpy(lanes, fake.vgprs[vgpr], sizeof(fake.vgprs[vgpr]));
   return 0;
}

int
hdb_wave_write_vgpr(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t vgpr, uint32_t lane, uint32_t value)
{
   if (vgpr >= VGPRS || lane >= LANES)
      return -EINVAL;
   fake.vgprs[vgpr][lane] = value;
   return 0;
}

int
hdb_wave_set_pc(struct hdb_machine *machine, struct hdb_wave *wave, uint64_t pc)
{
   if (pc & 3 || pc - wave->shader->va >= wave->shader->exec_size)
      return -EINVAL;
   wave->pc = pc;
   return 0;
}

int
hdb_wave_set_scc(struct hdb_machine *machine, struct hdb_wave *wave, bool scc)
{
   wave->status = (wave->status & ~1u) | scc;
   return 0;
}

bool
hdb_machine_find_instruction(struct hdb_machine *machine, const struct hdb_shader *shader, uint32_t pc, uint32_t *start,
                             uint32_t *next)
{
   *start = pc & ~3u;
   *next = *start + 4;
   return pc < shader->exec_size;
}

static int
transfer(uint8_t *from, uint64_t size, uint64_t offset, void *data, size_t count, bool writes)
{
   if (offset > size || count > size - offset)
      return -EFAULT;
   memcpy(writes ? from + offset : data, writes ? data : from + offset, count);
   return 0;
}

int
hdb_wave_read_memory(struct hdb_machine *machine, struct hdb_wave *wave, uint64_t va, void *data, size_t size)
{
   fake.memory_reads++;
   return transfer(fake.memory, MEMORY_SIZE, va - FAKE_MEMORY, data, size, false);
}

int
hdb_wave_write_memory(struct hdb_machine *machine, struct hdb_wave *wave, uint64_t va, const void *data, size_t size)
{
   return transfer(fake.memory, MEMORY_SIZE, va - FAKE_MEMORY, (void *)data, size, true);
}

void
hdb_wave_hold_memory(struct hdb_machine *machine, const struct hdb_wave *wave)
{
}

void
hdb_wave_release_memory(struct hdb_machine *machine)
{
}

int
hdb_wave_read_lds(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t offset, void *data, size_t size)
{
   return transfer(fake.lds, LDS_SIZE, offset, data, size, false);
}

int
hdb_wave_write_lds(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t offset, const void *data, size_t size)
{
   return transfer(fake.lds, LDS_SIZE, offset, (void *)data, size, true);
}

int
hdb_wave_read_scratch(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t lane, uint32_t offset, void *data,
                      size_t size)
{
   return transfer(fake.scratch[lane], SCRATCH_SIZE, offset, data, size, false);
}

int
hdb_wave_write_scratch(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t lane, uint32_t offset,
                       const void *data, size_t size)
{
   return transfer(fake.scratch[lane], SCRATCH_SIZE, offset, (void *)data, size, true);
}

/* ---- values ---- */

static void
put(uint32_t lane, uint32_t offset, const void *data, size_t size)
{
   memcpy(fake.scratch[lane] + offset, data, size);
}

static void
fill_lane(uint32_t lane)
{
   int32_t acc = (int32_t)lane - 3, mode = 1, iv[2] = {7, -7}, seventeen = 17;
   float outer = lane * 0.5f, f = 1.5f, v[3] = {1, 2, 3}, w[3] = {0.5f, -1, 2}, v4[4] = {1, 2, 3, 4}, v2[2] = {3, 4};
   double d = 0.1;
   uint16_t h = 0x3e00, hv[2] = {0x3c00, 0xc000}, word = 65535; /* 1.5; 1, -2 */
   uint32_t u = 0xffffffff, flag = 1, bv[2] = {1, 0};
   int8_t small = -128;
   int64_t big = -9000000000;
   float m[12] = {1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 10, 0}, m23[6] = {1, 2, 3, 4, 5, 6};
   float blade[4] = {1, 2, 3, 0.25f}, pair[8] = {1, 1, 1, 10, 2, 2, 2, 20};
   put(lane, 0, &acc, 4);
   put(lane, 4, &outer, 4);
   put(lane, 8, &f, 4);
   put(lane, 16, &d, 8);
   put(lane, 24, &h, 2);
   put(lane, 28, &u, 4);
   put(lane, 32, &flag, 4);
   put(lane, 36, &small, 1);
   put(lane, 38, &word, 2);
   put(lane, 40, &big, 8);
   put(lane, 48, v, sizeof(v));
   put(lane, 60, w, sizeof(w));
   put(lane, 72, iv, sizeof(iv));
   put(lane, 80, bv, sizeof(bv));
   put(lane, 88, hv, sizeof(hv));
   put(lane, 96, m, sizeof(m));
   put(lane, 144, m23, sizeof(m23));
   put(lane, 176, blade, sizeof(blade));
   put(lane, 192, pair, sizeof(pair));
   put(lane, 224, &mode, 4);
   put(lane, 656, v4, sizeof(v4));
   put(lane, 672, v2, sizeof(v2));
   put(lane, 680, &seventeen, 4);
}

/* The push constants, a list of two nodes, a field of three blades, a buffer of floats, two blocks. */
static void
fill_memory(void)
{
   uint64_t constants[4] = {FAKE_MEMORY + 0x200, FAKE_MEMORY + 0x100, 42, 0xdead0000};
   uint64_t list[4] = {FAKE_MEMORY + 0x110, 1, 0, 2};
   uint32_t count = 3;
   float field[12] = {0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3};
   float values[6] = {10, 11, 12, 13, 14, 15};
   memcpy(fake.memory, constants, sizeof(constants));
   memcpy(fake.memory + 0x100, list, sizeof(list));
   memcpy(fake.memory + 0x200, &count, sizeof(count));
   memcpy(fake.memory + 0x210, field, sizeof(field));
   memcpy(fake.memory + 0x404, values, sizeof(values));
   for (uint32_t block = 0; block < 2; block++) {
      for (uint32_t i = 0; i < 9; i++) {
         float number = i + 1 + block * 100;
         memcpy(fake.memory + 0x600 + block * 0x100 + i / 3 * 16 + i % 3 * 4, &number, 4);
      }
      for (uint32_t i = 0; i < 4; i++) {
         float number = i + block * 10;
         memcpy(fake.memory + 0x600 + block * 0x100 + 48 + i * 16, &number, 4);
      }
   }
   for (uint32_t i = 0; i < 16; i++) {
      float number = i;
      memcpy(fake.lds + 64 + i * 4, &number, 4);
   }
}

unsigned
fake_memory_reads(void)
{
   return fake.memory_reads;
}

void
fake_set_language(enum hdb_language language)
{
   fake.language = language;
}

struct hdb_context
fake_context(void)
{
   static char some_symbols;
   memset(&fake, 0, sizeof(fake));
   fake.language = HDB_LANGUAGE_GLSL;
   fake.shader = (struct hdb_shader){.va = 0x2000, .exec_size = 64, .wave_size = LANES};
   fake.wave = (struct hdb_wave){
      .id = 7,
      .run = HDB_WAVE_STOPPED,
      .shader = &fake.shader,
      .pc = 0x2008,
      .exec = 0xffff00ff,
      .wave_size = LANES,
      .sgpr_count = SGPRS,
      .vgpr_count = VGPRS,
      .status = 1,
   };
   for (uint32_t reg = 0; reg < 128; reg++)
      fake.sgprs[reg] = 0x100 + reg;
   for (uint32_t reg = 0; reg < VGPRS; reg++) {
      for (uint32_t lane = 0; lane < 64; lane++)
         fake.vgprs[reg][lane] = reg * 0x1000 + lane;
   }
   fake.sgprs[2] = 0x25;
   for (uint32_t lane = 0; lane < LANES; lane++)
      fill_lane(lane);
   fill_memory();
   return (struct hdb_context){
      .machine = NULL, .wave = &fake.wave, .symbols = (struct hdb_symbols *)&some_symbols, .lane = 5};
}
