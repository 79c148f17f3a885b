/* SPDX-License-Identifier: MIT */
/* Texels: imageLoad(), texelFetch() and their sizes, as the shader would get them. Nothing is filtered. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "expr/private.h"
#include "values/image.h"

#define IMAGE_WORDS 8 /* of a T# */

/* What an image is, by the name of its type: "uimage2DArray", "Texture2D<float4>". */
struct shape {
   uint32_t sizes;       /* dimensions that it has a size in */
   uint32_t coordinates; /* with the layer */
   bool arrayed, multisampled;
   enum hdb_type_kind kind; /* of its components */
};

static bool
read_shape(const char *name, struct shape *shape)
{
   bool cube = strstr(name, "Cube") != NULL;
   *shape = (struct shape){.kind = HDB_TYPE_FLOAT};
   shape->sizes = cube || strstr(name, "2D") ? 2 : strstr(name, "1D") ? 1 : strstr(name, "3D") ? 3 : 0;
   shape->arrayed = strstr(name, "Array") != NULL;
   shape->multisampled = strstr(name, "MS") != NULL;
   shape->coordinates = shape->sizes + (shape->arrayed || cube);
   if (name[0] == 'u' || strstr(name, "<uint"))
      shape->kind = HDB_TYPE_UINT;
   else if ((name[0] == 'i' && name[1] != 'm') || strstr(name, "<int"))
      shape->kind = HDB_TYPE_INT;
   return shape->sizes != 0 && !strstr(name, "64");
}

/* An error of the image's, in the expression's words. */
static int
fail(struct expr *expr, uint32_t column, char *error)
{
   int result = expr_fail(expr, column, "%s", error ? error : "the image can't be read");
   free(error);
   return result;
}

static int
open_image(struct expr *expr, uint32_t column, const struct value *value, struct shape *shape, struct hdb_image **image)
{
   uint32_t word[IMAGE_WORDS];
   const char *why;
   char *error = NULL;
   if (value->type->kind != HDB_TYPE_OPAQUE || !read_shape(value->type->name, shape))
      return expr_fail(expr, column, "%s is no image that can be read here", expr_type_name(expr, value->type) ?: "it");
   if (value->kind == VALUE_UNAVAILABLE)
      return expr_fail(expr, column, "%s", value->why);
   if (value_read(expr, value, 0, word, sizeof(word), &why))
      return expr_fail(expr, column, "%s", why);
   if (hdb_image_open(expr->context.machine, expr->context.wave, word, image, &error))
      return fail(expr, column, error);
   return 0;
}

static int
load_integers(struct expr *expr, const struct node *node, struct numeric *number)
{
   struct value value;
   int result = expr_evaluate_node(expr, node, &value);
   result = result ?: value_load(expr, node->column, &value, number);
   if (!result && (number->matrix || (number->kind != HDB_TYPE_INT && number->kind != HDB_TYPE_UINT)))
      result = expr_fail(expr, node->column, "whole numbers expected");
   return result;
}

/* imageLoad() and texelFetch() give four components, HLSL's Load() the same. */
static int
load_from_buffer(struct expr *expr, const struct node *node, const struct value *buffer, const struct numeric *at,
                 struct value *out)
{
   if (node->argument_count > 2)
      return expr_fail(expr, node->column, "%s() takes 2 arguments of a buffer", node->name);
   if (at->rows != 1)
      return expr_fail(expr, node->column, "%s has 1 coordinate, not %u", buffer->type->name, at->rows);
   return expr_load_buffer_texel(expr, node->column, buffer, at->at[0].i, 4, out);
}

static int
make_texel(struct expr *expr, const struct shape *shape, const uint32_t texel[4], struct value *out)
{
   struct numeric number = numeric_scalar(shape->kind, 32);
   number.rows = 4;
   for (int i = 0; i < 4; i++)
      number.at[i] = number_decode(shape->kind, 32, &texel[i]);
   return value_from_numeric(expr, &number, out);
}

/* Coordinates that are negative are outside of any image. */
static uint32_t
coordinate(const struct numeric *at, uint32_t index)
{
   return at->at[index].i < 0 || at->at[index].i > UINT32_MAX ? UINT32_MAX : (uint32_t)at->at[index].i;
}

/* `level` NULL: behind the coordinates, if there is one more of them. */
static int
load_texel(struct expr *expr, uint32_t column, const struct value *value, const struct numeric *at,
           const struct numeric *level, struct value *out)
{
   struct hdb_image *image;
   struct shape shape;
   uint32_t texel[4] = {0};
   char *error = NULL;
   if (expr->type_only && value->type->kind == HDB_TYPE_OPAQUE && read_shape(value->type->name, &shape))
      return make_texel(expr, &shape, texel, out);
   int result = open_image(expr, column, value, &shape, &image);
   if (result)
      return result;
   bool more = !level && at->rows == shape.coordinates + 1;
   uint32_t last = level ? coordinate(level, 0) : more ? coordinate(at, shape.coordinates) : 0;
   struct hdb_image_region region = {
      .level = shape.multisampled ? 0 : last,
      .layer = shape.coordinates > 1 && (shape.sizes == 3 || shape.coordinates > shape.sizes)
                  ? coordinate(at, shape.coordinates - 1)
                  : 0,
      .x = coordinate(at, 0),
      .y = shape.sizes > 1 ? coordinate(at, 1) : 0,
      .width = 1,
      .height = 1,
   };
   if (at->rows != shape.coordinates && !more)
      result = expr_fail(expr, column, "%s has %u coordinate%s, not %u", value->type->name, shape.coordinates,
                         shape.coordinates == 1 ? "" : "s", at->rows);
   else if (shape.multisampled && last)
      result = expr_fail(expr, column, "of several samples, only number 0 can be read");
   else if (hdb_image_read(image, &region, texel, &error))
      result = fail(expr, column, error);
   else
      result = make_texel(expr, &shape, texel, out);
   hdb_image_close(image);
   return result;
}

static int
give_size(struct expr *expr, uint32_t column, const struct value *value, const struct numeric *level, struct value *out)
{
   struct hdb_image *image;
   struct shape shape;
   uint32_t size[3] = {0}, layers, levels;
   int result = open_image(expr, column, value, &shape, &image);
   if (result)
      return result;
   hdb_image_count(image, &levels, &layers);
   uint32_t wanted = level ? coordinate(level, 0) : 0;
   if (wanted < levels)
      hdb_image_size(image, wanted, size);
   hdb_image_close(image);
   if (wanted >= levels)
      return expr_fail(expr, column, "the image has %u level%s", levels, levels == 1 ? "" : "s");
   struct numeric number = numeric_scalar(HDB_TYPE_INT, 32);
   bool cube = strstr(value->type->name, "Cube") != NULL;
   for (number.rows = 0; number.rows < shape.sizes; number.rows++)
      number.at[number.rows].i = size[number.rows];
   if (shape.arrayed)
      number.at[number.rows++].i = cube ? layers / 6 : layers;
   return value_from_numeric(expr, &number, out);
}

struct image_call {
   const char *name;
   uint32_t least, most; /* arguments */
   bool size;
};

static const struct image_call *
find_call(const char *name)
{
   static const struct image_call calls[] = {
      {"imageLoad", 2, 3, false}, {"texelFetch", 2, 3, false}, {"Load", 2, 3, false},
      {"imageSize", 1, 1, true},  {"textureSize", 1, 2, true},
   };
   for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
      if (strcmp(calls[i].name, name) == 0)
         return &calls[i];
   }
   return NULL;
}

bool
expr_is_image_function(const char *name)
{
   return find_call(name);
}

int
expr_evaluate_image_call(struct expr *expr, const struct node *node, struct value *out)
{
   const struct image_call *call = find_call(node->name);
   if (!call && strncmp(node->name, "texture", strlen("texture")) == 0)
      return expr_fail(expr, node->column, "%s(): nothing is filtered here; texelFetch() reads texels", node->name);
   if (!call)
      return -ENOTSUP;
   if (node->argument_count < call->least || node->argument_count > call->most)
      return expr_fail(expr, node->column, "%s() takes %u argument%s", node->name, call->least,
                       call->least == 1 ? "" : "s");
   struct value image;
   struct numeric numbers[2];
   int result = expr_evaluate_node(expr, node->arguments[0], &image);
   for (uint32_t k = 1; !result && k < node->argument_count; k++)
      result = load_integers(expr, node->arguments[k], &numbers[k - 1]);
   if (result)
      return result;
   bool buffer = expr_is_texel_buffer(&image);
   if (buffer && call->size)
      return expr_count_buffer_texels(expr, node->column, &image, out);
   if (buffer)
      return load_from_buffer(expr, node, &image, &numbers[0], out);
   if (node->argument_count < 3 && strcmp(call->name, "texelFetch") == 0)
      return expr_fail(expr, node->column, "texelFetch() takes 3 arguments; of a buffer, 2");
   if (call->size)
      return give_size(expr, node->column, &image, node->argument_count > 1 ? &numbers[0] : NULL, out);
   return load_texel(expr, node->column, &image, &numbers[0], node->argument_count > 2 ? &numbers[1] : NULL, out);
}

int
expr_evaluate_texel(struct expr *expr, const struct node *node, const struct value *image, struct value *out)
{
   struct numeric at;
   int result = load_integers(expr, node->b, &at);
   return result ? result : load_texel(expr, node->column, image, &at, NULL, out);
}
