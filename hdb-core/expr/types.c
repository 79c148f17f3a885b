/* SPDX-License-Identifier: MIT */
/* Types as an expression makes them: by name, or from others. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/private.h"

#define SCALAR(kind_, bits_, name_)                                                                 \
   {                                                                                                \
      .kind = HDB_TYPE_##kind_, .name = name_, .bits = bits_, .size = bits_ / 8, .align = bits_ / 8 \
   }

static const struct hdb_type scalars[] = {
   SCALAR(BOOL, 32, "bool"),   SCALAR(INT, 32, "int"),       SCALAR(UINT, 32, "uint"),
   SCALAR(FLOAT, 32, "float"), SCALAR(FLOAT, 64, "double"),  SCALAR(FLOAT, 16, "float16_t"),
   SCALAR(INT, 8, "int8_t"),   SCALAR(INT, 16, "int16_t"),   SCALAR(INT, 64, "int64_t"),
   SCALAR(UINT, 8, "uint8_t"), SCALAR(UINT, 16, "uint16_t"), SCALAR(UINT, 64, "uint64_t"),
};
#define SCALAR_COUNT (sizeof(scalars) / sizeof(scalars[0]))

static const struct hdb_type void_type = {.kind = HDB_TYPE_VOID, .name = "void"};
const struct hdb_type expr_register_type = SCALAR(UINT, 32, "uint");
const struct hdb_type expr_pair_type = SCALAR(UINT, 64, "uint64_t");

const struct hdb_type *
expr_scalar_type(enum hdb_type_kind kind, uint32_t bits)
{
   for (size_t i = 0; i < SCALAR_COUNT; i++) {
      if (scalars[i].kind == kind && (scalars[i].bits == bits || kind == HDB_TYPE_BOOL))
         return &scalars[i];
   }
   return &scalars[0];
}

bool
expr_is_scalar(const struct hdb_type *type)
{
   return type->kind >= HDB_TYPE_BOOL && type->kind <= HDB_TYPE_FLOAT &&
          (type->bits == 8 || type->bits == 16 || type->bits == 32 || type->bits == 64) &&
          !(type->kind == HDB_TYPE_FLOAT && type->bits == 8);
}

bool
expr_is_numeric(const struct hdb_type *type)
{
   if (type->kind == HDB_TYPE_MATRIX)
      return type->element && type->element->kind == HDB_TYPE_VECTOR && type->count >= 1 && type->count <= 4 &&
             expr_is_numeric(type->element);
   if (type->kind == HDB_TYPE_VECTOR)
      return type->element && type->count >= 1 && type->count <= 4 && expr_is_scalar(type->element);
   return expr_is_scalar(type);
}

/* ---- names ---- */

/* What stands before "vec2" and "mat2" in GLSL. */
static const struct {
   const char *prefix;
   enum hdb_type_kind kind;
   uint32_t bits;
} glsl_prefixes[] = {
   {"", HDB_TYPE_FLOAT, 32},    {"b", HDB_TYPE_BOOL, 32},    {"i", HDB_TYPE_INT, 32},    {"u", HDB_TYPE_UINT, 32},
   {"d", HDB_TYPE_FLOAT, 64},   {"f16", HDB_TYPE_FLOAT, 16}, {"i8", HDB_TYPE_INT, 8},    {"i16", HDB_TYPE_INT, 16},
   {"i64", HDB_TYPE_INT, 64},   {"u8", HDB_TYPE_UINT, 8},    {"u16", HDB_TYPE_UINT, 16}, {"u64", HDB_TYPE_UINT, 64},
   {"f32", HDB_TYPE_FLOAT, 32}, {"f64", HDB_TYPE_FLOAT, 64}, {"i32", HDB_TYPE_INT, 32},  {"u32", HDB_TYPE_UINT, 32},
};

/* Other names of scalars, which HLSL may put "2" and "3x4" behind. */
static const struct {
   const char *name;
   enum hdb_type_kind kind;
   uint32_t bits;
} scalar_names[] = {
   {"half", HDB_TYPE_FLOAT, 16},       {"float32_t", HDB_TYPE_FLOAT, 32}, {"float64_t", HDB_TYPE_FLOAT, 64},
   {"int32_t", HDB_TYPE_INT, 32},      {"uint32_t", HDB_TYPE_UINT, 32},   {"dword", HDB_TYPE_UINT, 32},
   {"min16float", HDB_TYPE_FLOAT, 32}, {"min16int", HDB_TYPE_INT, 32},    {"min16uint", HDB_TYPE_UINT, 32},
};

static const char *
glsl_prefix(const struct hdb_type *scalar)
{
   for (size_t i = 0; i < sizeof(glsl_prefixes) / sizeof(glsl_prefixes[0]); i++) {
      if (glsl_prefixes[i].kind == scalar->kind && glsl_prefixes[i].bits == scalar->bits)
         return glsl_prefixes[i].prefix;
   }
   return "";
}

/* The scalar that a name begins with, the longest one. */
static const struct hdb_type *
find_scalar(const char *name, size_t *length)
{
   const struct hdb_type *found = NULL;
   *length = 0;
   for (size_t i = 0; i < SCALAR_COUNT; i++) {
      size_t size = strlen(scalars[i].name);
      if (size > *length && strncmp(name, scalars[i].name, size) == 0) {
         found = &scalars[i];
         *length = size;
      }
   }
   for (size_t i = 0; i < sizeof(scalar_names) / sizeof(scalar_names[0]); i++) {
      size_t size = strlen(scalar_names[i].name);
      if (size > *length && strncmp(name, scalar_names[i].name, size) == 0) {
         found = expr_scalar_type(scalar_names[i].kind, scalar_names[i].bits);
         *length = size;
      }
   }
   return found;
}

static uint32_t
dimension(char c)
{
   return c >= '1' && c <= '4' ? c - '0' : 0;
}

/* "float", "float3", "float3x4": rows and columns; hdb_type's columns are the rows of HLSL. */
static const struct hdb_type *
find_hlsl_type(struct expr *expr, const char *name)
{
   size_t length;
   const struct hdb_type *scalar = find_scalar(name, &length);
   if (!scalar || !name[length])
      return scalar;
   uint32_t rows = dimension(name[length]);
   if (!rows)
      return NULL;
   if (!name[length + 1])
      return rows == 1 ? scalar : expr_vector_type(expr, scalar, rows);
   uint32_t columns = name[length + 1] == 'x' ? dimension(name[length + 2]) : 0;
   return columns && !name[length + 3] ? expr_matrix_type(expr, scalar, rows, columns) : NULL;
}

/* "vec3", "u64vec2", "mat3", "dmat2x3" */
static const struct hdb_type *
find_glsl_type(struct expr *expr, const char *name)
{
   for (size_t i = 0; i < sizeof(glsl_prefixes) / sizeof(glsl_prefixes[0]); i++) {
      size_t length = strlen(glsl_prefixes[i].prefix);
      if (strncmp(name, glsl_prefixes[i].prefix, length) != 0)
         continue;
      const char *rest = name + length;
      bool vector = strncmp(rest, "vec", 3) == 0, matrix = strncmp(rest, "mat", 3) == 0;
      uint32_t count = vector || matrix ? dimension(rest[3]) : 0;
      if (count < 2)
         continue;
      const struct hdb_type *scalar = expr_scalar_type(glsl_prefixes[i].kind, glsl_prefixes[i].bits);
      if (vector && !rest[4])
         return expr_vector_type(expr, scalar, count);
      if (!matrix || scalar->kind != HDB_TYPE_FLOAT)
         continue;
      if (!rest[4])
         return expr_matrix_type(expr, scalar, count, count);
      uint32_t rows = rest[4] == 'x' ? dimension(rest[5]) : 0;
      if (rows >= 2 && !rest[6])
         return expr_matrix_type(expr, scalar, count, rows);
   }
   return NULL;
}

const struct hdb_type *
expr_find_own_type(struct expr *expr, const char *name)
{
   const struct hdb_type *type = strcmp(name, "void") == 0 ? &void_type : find_hlsl_type(expr, name);
   return type ? type : find_glsl_type(expr, name);
}

/* Which of several is meant, nothing says. */
static bool
is_ambiguous(struct expr *expr, const char *name)
{
   struct hdb_struct_layout layouts[2];
   if (hdb_symbols_layouts(expr->context.symbols, name, layouts, 2) < 2)
      return false;
   expr_fail(expr, 0, "%s has %" PRIu64 " bytes in %s and %" PRIu64 " in %s; `ptype %s` shows its layouts", name,
             layouts[0].type->size, layouts[0].blocks, layouts[1].type->size, layouts[1].blocks, name);
   return true;
}

const struct hdb_type *
expr_find_type(struct expr *expr, const char *name)
{
   const struct hdb_type *type = expr_find_own_type(expr, name);
   if (!type && expr->context.symbols && !is_ambiguous(expr, name))
      type = hdb_symbols_find_type(expr->context.symbols, name, HDB_LAYOUT_DECORATED);
   return type;
}

/* ---- derived types, in the natural layout ---- */

static struct hdb_type *
make_type(struct expr *expr, enum hdb_type_kind kind, const struct hdb_type *element, uint32_t count, uint32_t stride)
{
   struct hdb_type *type = expr_allocate(expr, sizeof(*type));
   if (type)
      *type = (struct hdb_type){.kind = kind,
                                .element = element,
                                .count = count,
                                .stride = stride,
                                .size = (uint64_t)count * stride,
                                .align = element->align ? element->align : 1};
   return type;
}

static const char *
print_name(struct expr *expr, const char *a, const char *b, uint32_t rows, uint32_t columns)
{
   char text[64];
   int length = columns ? snprintf(text, sizeof(text), "%s%s%ux%u", a, b, rows, columns)
                        : snprintf(text, sizeof(text), "%s%s%u", a, b, rows);
   return expr_copy_text(expr, text, length);
}

const struct hdb_type *
expr_vector_type(struct expr *expr, const struct hdb_type *scalar, uint32_t count)
{
   struct hdb_type *type = make_type(expr, HDB_TYPE_VECTOR, scalar, count, scalar->size);
   if (!type)
      return NULL;
   type->name = expr->language == HDB_LANGUAGE_HLSL
                   ? print_name(expr, expr_scalar_type(scalar->kind, scalar->bits)->name, "", count, 0)
                   : print_name(expr, glsl_prefix(scalar), "vec", count, 0);
   return type->name ? type : NULL;
}

const struct hdb_type *
expr_matrix_type(struct expr *expr, const struct hdb_type *scalar, uint32_t columns, uint32_t rows)
{
   const struct hdb_type *column = expr_vector_type(expr, scalar, rows);
   struct hdb_type *type = column ? make_type(expr, HDB_TYPE_MATRIX, column, columns, column->size) : NULL;
   if (!type)
      return NULL;
   type->row_stride = scalar->size;
   type->name = expr->language == HDB_LANGUAGE_HLSL ? print_name(expr, scalar->name, "", columns, rows)
                : columns == rows                   ? print_name(expr, glsl_prefix(scalar), "mat", columns, 0)
                                                    : print_name(expr, glsl_prefix(scalar), "mat", columns, rows);
   return type->name ? type : NULL;
}

const struct hdb_type *
expr_array_type(struct expr *expr, const struct hdb_type *element, uint32_t count, uint32_t stride)
{
   struct hdb_type *type = make_type(expr, HDB_TYPE_ARRAY, element, count, stride);
   if (!type)
      return NULL;
   type->name = element->name;
   return type;
}

const struct hdb_type *
expr_pointer_type(struct expr *expr, const struct hdb_type *element, uint32_t stride)
{
   struct hdb_type *type = expr_allocate(expr, sizeof(*type));
   if (type)
      *type = (struct hdb_type){.kind = HDB_TYPE_POINTER,
                                .name = element->name,
                                .bits = 64,
                                .size = 8,
                                .align = 8,
                                .stride = stride,
                                .element = element};
   return type;
}

/* ---- as text ---- */

const char *
expr_type_name(struct expr *expr, const struct hdb_type *type)
{
   char dimensions[64] = "", stars[16] = "", text[320];
   size_t length = 0, pointers = 0;
   bool array = type->kind == HDB_TYPE_ARRAY;
   for (; type->kind == HDB_TYPE_ARRAY && type->element && length < sizeof(dimensions) - 16; type = type->element)
      length += type->count ? snprintf(dimensions + length, sizeof(dimensions) - length, "[%u]", type->count)
                            : snprintf(dimensions + length, sizeof(dimensions) - length, "[]");
   for (; type->kind == HDB_TYPE_POINTER && type->element && pointers < sizeof(stars) - 2; type = type->element)
      stars[pointers++] = '*';
   int size = snprintf(text, sizeof(text), "%s%s%s%s", type->name, pointers || (array && pointers) ? " " : "", stars,
                       dimensions);
   if (size >= (int)sizeof(text))
      size = sizeof(text) - 1;
   return expr_copy_text(expr, text, size);
}

/* ---- copies that need no symbols ---- */

#define CLONE_MAX_TYPES 1000

static void *
clone_memory(struct type_clone *clone, size_t size)
{
   void **grown = realloc(clone->memory, (clone->memory_count + 1) * sizeof(*grown));
   if (!grown)
      return NULL;
   clone->memory = grown;
   void *memory = calloc(1, size ? size : 1);
   if (memory)
      clone->memory[clone->memory_count++] = memory;
   return memory;
}

static const char *
clone_text(struct type_clone *clone, const char *text)
{
   char *copy = clone_memory(clone, strlen(text) + 1);
   return copy ? strcpy(copy, text) : NULL;
}

static const struct hdb_type *
find_clone(const struct type_clone *clone, const struct hdb_type *type)
{
   for (size_t i = 0; i < clone->count; i++) {
      if (clone->from[i] == type)
         return clone->to[i];
   }
   return NULL;
}

/* An entry for the type, before what it refers to is copied: types may refer to themselves. */
static struct hdb_type *
begin_clone(struct type_clone *clone, const struct hdb_type *type)
{
   const struct hdb_type **from = realloc(clone->from, (clone->count + 1) * sizeof(*from));
   if (from)
      clone->from = from;
   const struct hdb_type **to = realloc(clone->to, (clone->count + 1) * sizeof(*to));
   if (to)
      clone->to = to;
   struct hdb_type *copy = from && to ? clone_memory(clone, sizeof(*copy)) : NULL;
   if (!copy)
      return NULL;
   *copy = *type;
   clone->from[clone->count] = type;
   clone->to[clone->count++] = copy;
   return copy;
}

static bool
clone_members(struct type_clone *clone, struct hdb_type *copy)
{
   struct hdb_member *members = clone_memory(clone, copy->member_count * sizeof(*members));
   if (!members)
      return false;
   for (uint32_t i = 0; i < copy->member_count; i++) {
      members[i] = copy->members[i];
      members[i].name = clone_text(clone, copy->members[i].name);
      members[i].type = type_clone_add(clone, copy->members[i].type);
      if (!members[i].name || !members[i].type)
         return false;
   }
   copy->members = members;
   return true;
}

static bool
clone_enumerators(struct type_clone *clone, struct hdb_type *copy)
{
   struct hdb_enumerator *enumerators = clone_memory(clone, copy->enumerator_count * sizeof(*enumerators));
   if (!enumerators)
      return false;
   for (uint32_t i = 0; i < copy->enumerator_count; i++) {
      enumerators[i] = copy->enumerators[i];
      enumerators[i].name = clone_text(clone, copy->enumerators[i].name);
      if (!enumerators[i].name)
         return false;
   }
   copy->enumerators = enumerators;
   return true;
}

const struct hdb_type *
type_clone_add(struct type_clone *clone, const struct hdb_type *type)
{
   const struct hdb_type *known = find_clone(clone, type);
   if (known || type == &expr_register_type || type == &expr_pair_type)
      return known ? known : type;
   if (clone->count == CLONE_MAX_TYPES)
      return NULL;
   struct hdb_type *copy = begin_clone(clone, type);
   if (!copy || !(copy->name = clone_text(clone, type->name)))
      return NULL;
   if (type->element && !(copy->element = type_clone_add(clone, type->element)))
      return NULL;
   if (type->member_count && !clone_members(clone, copy))
      return NULL;
   if (type->enumerator_count && !clone_enumerators(clone, copy))
      return NULL;
   return copy;
}

void
type_clone_finish(struct type_clone *clone)
{
   for (size_t i = 0; i < clone->memory_count; i++)
      free(clone->memory[i]);
   free(clone->memory);
   free(clone->from);
   free(clone->to);
   *clone = (struct type_clone){0};
}
