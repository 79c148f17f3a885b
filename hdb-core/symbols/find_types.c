/* SPDX-License-Identifier: MIT */
/* Types by name, and types that expressions make. */
#include "symbols/unit.h"

#include <string.h>

/* Named types of the debug information (enums, typedefs, classes) come with the variables that have them. */
static const struct hdb_type *
find_overlay(const struct hdb_symbols *symbols, const char *name)
{
   for (size_t i = 0; i < symbols->table->overlay_count; i++) {
      const struct hdb_type *type = unit_overlay_type(symbols->table, i);
      if (type->kind != HDB_TYPE_OPAQUE && strcmp(type->name, name) == 0)
         return type;
   }
   return NULL;
}

/* ---- the language's own ---- */

static const struct hdb_type scalars[] = {
   {.kind = HDB_TYPE_BOOL, .name = "bool", .bits = 32, .size = 4, .align = 4, .scalars = 1},
   {.kind = HDB_TYPE_INT, .name = "int", .bits = 32, .size = 4, .align = 4, .scalars = 1},
   {.kind = HDB_TYPE_UINT, .name = "uint", .bits = 32, .size = 4, .align = 4, .scalars = 1},
   {.kind = HDB_TYPE_FLOAT, .name = "float", .bits = 32, .size = 4, .align = 4, .scalars = 1},
   {.kind = HDB_TYPE_FLOAT, .name = "double", .bits = 64, .size = 8, .align = 8, .scalars = 1},
   {.kind = HDB_TYPE_FLOAT, .name = "float16_t", .bits = 16, .size = 2, .align = 2, .scalars = 1},
   {.kind = HDB_TYPE_FLOAT, .name = "half", .bits = 16, .size = 2, .align = 2, .scalars = 1},
   {.kind = HDB_TYPE_INT, .name = "int8_t", .bits = 8, .size = 1, .align = 1, .scalars = 1},
   {.kind = HDB_TYPE_UINT, .name = "uint8_t", .bits = 8, .size = 1, .align = 1, .scalars = 1},
   {.kind = HDB_TYPE_INT, .name = "int16_t", .bits = 16, .size = 2, .align = 2, .scalars = 1},
   {.kind = HDB_TYPE_UINT, .name = "uint16_t", .bits = 16, .size = 2, .align = 2, .scalars = 1},
   {.kind = HDB_TYPE_INT, .name = "int64_t", .bits = 64, .size = 8, .align = 8, .scalars = 1},
   {.kind = HDB_TYPE_UINT, .name = "uint64_t", .bits = 64, .size = 8, .align = 8, .scalars = 1},
   {.kind = HDB_TYPE_FLOAT, .name = "float32_t", .bits = 32, .size = 4, .align = 4, .scalars = 1},
   {.kind = HDB_TYPE_FLOAT, .name = "float64_t", .bits = 64, .size = 8, .align = 8, .scalars = 1},
   {.kind = HDB_TYPE_INT, .name = "int32_t", .bits = 32, .size = 4, .align = 4, .scalars = 1},
   {.kind = HDB_TYPE_UINT, .name = "uint32_t", .bits = 32, .size = 4, .align = 4, .scalars = 1},
   {.kind = HDB_TYPE_UINT, .name = "dword", .bits = 32, .size = 4, .align = 4, .scalars = 1},
   {.kind = HDB_TYPE_VOID, .name = "void", .align = 1},
};

static const struct hdb_type *
find_scalar(const char *name, size_t length)
{
   for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++) {
      if (strlen(scalars[i].name) == length && memcmp(scalars[i].name, name, length) == 0)
         return &scalars[i];
   }
   return NULL;
}

static const struct hdb_type *
make(struct hdb_symbols *symbols, enum hdb_type_kind kind, const struct hdb_type *element, uint32_t count)
{
   struct unit_table *table = unit_table(symbols);
   struct hdb_type *type = table ? unit_alloc(symbols, sizeof(*type)) : NULL;
   if (!type)
      return &unit_unknown_type;
   uint32_t align = element->align ? element->align : 1;
   uint64_t stride = (element->size + align - 1) / align * align;
   *type = (struct hdb_type){
      .kind = kind,
      .element = element,
      .count = count,
      .bits = kind == HDB_TYPE_ARRAY ? 0 : element->bits,
      .stride = stride > UINT32_MAX ? UINT32_MAX : stride,
      .row_stride = kind == HDB_TYPE_MATRIX ? element->stride : 0,
   };
   unit_lay_out(type);
   type->name = unit_type_name(symbols, hdb_symbols_language(symbols), type);
   return type;
}

/* GLSL: "uvec3", "dmat4x3". HLSL: "uint3", "double4x3". counts[1] is 0 of vectors. */
static const struct hdb_type *
parse_composite(const char *name, uint32_t counts[2])
{
   static const struct {
      const char *prefix, *scalar;
   } prefixes[] = {
      {"vec", "float"},        {"mat", "float"},      {"ivec", "int"},        {"uvec", "uint"},
      {"bvec", "bool"},        {"dvec", "double"},    {"dmat", "double"},     {"f16vec", "float16_t"},
      {"f16mat", "float16_t"}, {"i8vec", "int8_t"},   {"u8vec", "uint8_t"},   {"i16vec", "int16_t"},
      {"u16vec", "uint16_t"},  {"i64vec", "int64_t"}, {"u64vec", "uint64_t"}, {"f32vec", "float"},
      {"f64vec", "double"},    {"i32vec", "int"},     {"u32vec", "uint"},
   };
   size_t length = strlen(name), digits = 0;
   counts[1] = 0;
   if (length > 2 && name[length - 2] == 'x' && name[length - 1] >= '2' && name[length - 1] <= '4') {
      counts[1] = name[length - 1] - '0';
      digits = 2;
   }
   if (length <= digits || name[length - digits - 1] < '1' || name[length - digits - 1] > '4')
      return NULL;
   counts[0] = name[length - digits - 1] - '0';
   length -= digits + 1;
   const struct hdb_type *scalar = find_scalar(name, length);
   for (size_t i = 0; !scalar && i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
      if (strlen(prefixes[i].prefix) != length || memcmp(prefixes[i].prefix, name, length) != 0)
         continue;
      scalar = find_scalar(prefixes[i].scalar, strlen(prefixes[i].scalar));
      bool matrix = length >= 3 && memcmp(name + length - 3, "mat", 3) == 0;
      if (matrix && !counts[1])
         counts[1] = counts[0];
      if (!matrix && counts[1])
         return NULL;
   }
   return scalar && scalar->kind != HDB_TYPE_VOID && counts[0] >= 2 ? scalar : NULL;
}

static const struct hdb_type *
find_composite(struct hdb_symbols *symbols, const char *name)
{
   uint32_t counts[2];
   const struct hdb_type *scalar = parse_composite(name, counts);
   if (!scalar)
      return NULL;
   if (!counts[1])
      return make(symbols, HDB_TYPE_VECTOR, scalar, counts[0]);
   return make(symbols, HDB_TYPE_MATRIX, make(symbols, HDB_TYPE_VECTOR, scalar, counts[1]), counts[0]);
}

bool
unit_is_own_type(const char *name)
{
   uint32_t counts[2];
   return find_scalar(name, strlen(name)) || parse_composite(name, counts);
}

const struct hdb_type *
hdb_symbols_find_type(struct hdb_symbols *symbols, const char *name, enum hdb_layout layout)
{
   struct unit_table *table = unit_table(symbols);
   const struct hdb_type *found = NULL;
   for (size_t u = 0; table && u < table->unit_count && !found; u++)
      found = unit_find_struct(&table->units[u], name, layout);
   if (!found && table)
      found = find_overlay(symbols, name);
   if (!found)
      found = find_scalar(name, strlen(name));
   return found ? found : find_composite(symbols, name);
}

const struct hdb_type *
hdb_symbols_vector_type(struct hdb_symbols *symbols, const struct hdb_type *scalar, uint32_t count)
{
   return make(symbols, HDB_TYPE_VECTOR, scalar, count);
}

const struct hdb_type *
hdb_symbols_array_type(struct hdb_symbols *symbols, const struct hdb_type *element, uint32_t count)
{
   return make(symbols, HDB_TYPE_ARRAY, element, count);
}
