/* SPDX-License-Identifier: MIT */
/* Texels of buffers: imageLoad(), texelFetch(), HLSL's buffer[i], and how many there are. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "expr/private.h"
#include "values/texels.h"

bool
expr_is_texel_buffer(const struct value *value)
{
   return value->type->kind == HDB_TYPE_OPAQUE && strstr(value->type->name, "Buffer");
}

static int
fail(struct expr *expr, uint32_t column, char *error)
{
   int result = expr_fail(expr, column, "%s", error ? error : "the buffer can't be read");
   free(error);
   return result;
}

static int
open_buffer(struct expr *expr, uint32_t column, const struct value *value, struct hdb_texel_buffer *buffer)
{
   uint32_t word[4];
   const char *why;
   char *error = NULL;
   if (value->kind == VALUE_UNAVAILABLE)
      return expr_fail(expr, column, "%s", value->why);
   if (value_read(expr, value, 0, word, sizeof(word), &why))
      return expr_fail(expr, column, "%s", why);
   return hdb_texel_buffer_open(word, buffer, &error) ? fail(expr, column, error) : 0;
}

/* Of its components, as the type is called: "uimageBuffer", "RWBuffer<int>". */
static enum hdb_type_kind
component_kind(const char *name)
{
   if (name[0] == 'u' || strstr(name, "<uint"))
      return HDB_TYPE_UINT;
   return (name[0] == 'i' && name[1] != 'm') || strstr(name, "<int") ? HDB_TYPE_INT : HDB_TYPE_FLOAT;
}

static const struct hdb_type *
texel_type(struct expr *expr, const struct value *value, uint32_t components)
{
   const struct hdb_type *scalar = expr_scalar_type(component_kind(value->type->name), 32);
   return components == 1 ? scalar : expr_vector_type(expr, scalar, components);
}

/* That the format has; any four if that can't be read. */
static uint32_t
count_components(struct expr *expr, const struct value *value)
{
   struct hdb_texel_buffer buffer;
   uint32_t word[4];
   const char *why;
   char *error = NULL;
   bool open = value->kind != VALUE_UNAVAILABLE && !value_read(expr, value, 0, word, sizeof(word), &why) &&
               !hdb_texel_buffer_open(word, &buffer, &error);
   free(error);
   return open ? buffer.components : 4;
}

/* `components`: those that are wanted, 0: those that the format has. */
static int
load(struct expr *expr, uint32_t column, const struct value *value, int64_t first, uint32_t count, uint32_t components,
     uint8_t **bytes, const struct hdb_type **type)
{
   struct hdb_texel_buffer buffer;
   char *error = NULL;
   int result = open_buffer(expr, column, value, &buffer);
   if (result)
      return result;
   uint32_t(*texels)[4] = expr_allocate(expr, (size_t)count * sizeof(*texels));
   if (!texels)
      return -ENOMEM;
   result = hdb_texel_buffer_read(&buffer, expr->context.machine, expr->context.wave,
                                  first < 0 ? UINT64_MAX : (uint64_t)first, count, texels, &error);
   if (result)
      return fail(expr, column, error);
   components = components ? components : buffer.components;
   *bytes = (uint8_t *)texels;
   for (uint32_t i = 0; i < count; i++)
      memmove(*bytes + (size_t)i * components * 4, texels[i], components * 4);
   *type = texel_type(expr, value, components);
   return *type ? 0 : -ENOMEM;
}

int
expr_load_buffer_texel(struct expr *expr, uint32_t column, const struct value *value, int64_t index,
                       uint32_t components, struct value *out)
{
   uint8_t *bytes = NULL;
   const struct hdb_type *type = NULL;
   if (expr->type_only) {
      type = texel_type(expr, value, components ? components : count_components(expr, value));
      *out = value_unavailable(type, "only its type is asked for");
      return type ? 0 : -ENOMEM;
   }
   int result = load(expr, column, value, index, 1, components, &bytes, &type);
   if (!result)
      *out = value_from_bytes(type, bytes, type->size);
   return result;
}

int
expr_load_buffer_texels(struct expr *expr, uint32_t column, const struct value *value, int64_t first, int64_t last,
                        struct value *out)
{
   uint8_t *bytes = NULL;
   const struct hdb_type *type = NULL;
   if (last - first >= EXPR_MAX_OBJECT / 16)
      return expr_fail(expr, column, "%u texels at once are the most", EXPR_MAX_OBJECT / 16);
   uint32_t count = (uint32_t)(last - first + 1);
   int result = load(expr, column, value, first, count, 0, &bytes, &type);
   if (result)
      return result;
   const struct hdb_type *array = expr_array_type(expr, type, count, type->size);
   if (!array)
      return -ENOMEM;
   *out = value_from_bytes(array, bytes, (size_t)count * type->size);
   return 0;
}

int
expr_count_buffer_texels(struct expr *expr, uint32_t column, const struct value *value, struct value *out)
{
   struct hdb_texel_buffer buffer;
   struct numeric number = numeric_scalar(HDB_TYPE_INT, 32);
   int result = open_buffer(expr, column, value, &buffer);
   if (result)
      return result;
   number.at[0].i = buffer.count;
   return value_from_numeric(expr, &number, out);
}

int
expr_find_buffer_texels(struct expr *expr, const struct value *value, uint64_t *address)
{
   struct hdb_texel_buffer buffer;
   int result = open_buffer(expr, 0, value, &buffer);
   *address = result ? 0 : buffer.address;
   return result;
}
