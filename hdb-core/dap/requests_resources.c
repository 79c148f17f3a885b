/* SPDX-License-Identifier: MIT */
/* Requests of hdb's own about what a dispatch can reach, stopped or not: see docs/protocol.md. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dap/base64.h"
#include "dap/requests.h"
#include "values/image.h"
#include "values/resources.h"
#include "vgpu.h"

#define MAX_PIXELS (1u << 22) /* in one answer */

/* ---- which dispatch ---- */

static struct dispatch *
find_number(struct hdb_engine *engine, json_int_t number)
{
   for (size_t i = 0; i < engine->dispatch_count; i++) {
      if (engine->dispatches[i].number == number)
         return &engine->dispatches[i];
   }
   return NULL;
}

/* By its number, else that of the stopped wave that threadId or frameId names. */
static int
need_dispatch(struct request *request, struct dispatch **dispatch, struct hdb_resource_source *source)
{
   json_int_t number = get_integer(request->arguments, "dispatch", -1);
   struct hdb_wave *wave = NULL;
   if (number >= 0) {
      *dispatch = find_number(request->engine, number);
      if (!*dispatch)
         return request_fail(request, "no dispatch %lld is remembered", (long long)number);
   } else {
      struct card *card;
      uint32_t frame;
      int result = need_frame(request, &card, &wave, &frame);
      if (result)
         return result;
      *dispatch = engine_dispatch_of(request->engine, wave);
      if (!*dispatch)
         return request_fail(request, "it is not known of which dispatch wave %u is", wave->id);
   }
   struct hdb_device *device = (*dispatch)->device;
   if (!device || !(*dispatch)->record || engine_resource_source(device, wave, (*dispatch)->record, source))
      return request_fail(request, "nothing is known of what dispatch %u was given%s", (*dispatch)->number,
                          device ? "" : ": its device is gone");
   return 0;
}

/* ---- the list ---- */

static json_t *
describe_resource(const struct hdb_resource_source *source, const struct hdb_resource *resource)
{
   static const char *const kinds[] = {
      [HDB_RESOURCE_BUFFER] = "buffer",
      [HDB_RESOURCE_TEXEL_BUFFER] = "texel buffer",
      [HDB_RESOURCE_IMAGE] = "image",
      [HDB_RESOURCE_SAMPLER] = "sampler",
      [HDB_RESOURCE_ACCELERATION_STRUCTURE] = "acceleration structure",
      [HDB_RESOURCE_NULL] = "null",
      [HDB_RESOURCE_UNREADABLE] = "unreadable",
   };
   json_t *json =
      json_pack("{s:I, s:I, s:I, s:s, s:s?, s:s?, s:s?}", "set", (json_int_t)resource->set, "binding",
                (json_int_t)resource->binding, "element", (json_int_t)resource->element, "kind", kinds[resource->kind],
                "name", resource->name, "object", resource->object, "description", resource->description);
   const char *names[HDB_MAX_NAMES];
   size_t count = hdb_resources_name(source, resource, names);
   json_object_set_new(json, "names", json_array());
   for (size_t i = 0; i < count; i++)
      json_array_append_new(json_object_get(json, "names"), json_string(names[i]));
   if (resource->address)
      json_object_set_new(json, "address", json_hex(resource->address));
   if (resource->size)
      json_object_set_new(json, "size", json_integer((json_int_t)resource->size));
   if (resource->kind == HDB_RESOURCE_IMAGE)
      json_object_update_new(json, json_pack("{s:I, s:I, s:I, s:I, s:I, s:s?}", "width", (json_int_t)resource->width,
                                             "height", (json_int_t)resource->height, "depth",
                                             (json_int_t)resource->depth, "layers", (json_int_t)resource->layers,
                                             "levels", (json_int_t)resource->levels, "format", resource->format));
   return json;
}

/* Those that the pipeline was given values for, by the names in the module. */
static json_t *
describe_specializations(const struct hdb_resource_source *source)
{
   json_t *list = json_array();
   const struct hdb_symbol *symbols[256];
   size_t count = source->symbols ? hdb_symbols_variables(source->symbols, 0, 0, symbols, 256) : 0;
   for (uint32_t i = 0; i < source->shader->specialization_count; i++) {
      const struct hdb_specialization *given = &source->shader->specializations[i];
      const char *name = NULL;
      for (size_t k = 0; k < count && k < 256; k++) {
         if (symbols[k]->storage == HDB_STORAGE_CONSTANT && symbols[k]->constant_id == given->constant_id)
            name = symbols[k]->name;
      }
      json_array_append_new(list, json_pack("{s:I, s:s?, s:I, s:o}", "id", (json_int_t)given->constant_id, "name", name,
                                            "size", (json_int_t)given->size, "value", json_hex(given->value)));
   }
   return list;
}

int
handle_hdb_resources(struct request *request)
{
   struct dispatch *dispatch;
   struct hdb_resource_source source;
   struct hdb_resource_list list;
   int result = need_dispatch(request, &dispatch, &source);
   result = result ? result : hdb_resources_list(&source, &list);
   if (result)
      return result;
   json_t *resources = json_array();
   for (uint32_t i = 0; i < list.count; i++)
      json_array_append_new(resources, describe_resource(&source, &list.resources[i]));
   hdb_resource_list_finish(&list);
   char *constants = base64_encode(source.dispatch->push_constants, source.dispatch->push_constant_size);
   request->body = json_pack("{s:I, s:s?, s:s?, s:o, s:o, s:s}", "dispatch", (json_int_t)dispatch->number, "name",
                             dispatch->name, "program", dispatch->program, "resources", resources, "specializations",
                             describe_specializations(&source), "pushConstants", constants ? constants : "");
   free(constants);
   return request->body ? 0 : -ENOMEM;
}

/* ---- images ---- */

/* `text`, up to `length`, is a name of the resource in the shader. */
static bool
is_named(const struct hdb_resource_source *source, const struct hdb_resource *resource, const char *text, size_t length)
{
   const char *names[HDB_MAX_NAMES];
   size_t count = hdb_resources_name(source, resource, names);
   if (!count && resource->name)
      names[count++] = resource->name;
   for (size_t i = 0; i < count; i++) {
      if (strlen(names[i]) == length && strncmp(names[i], text, length) == 0)
         return true;
   }
   return false;
}

/* `text` is NAME, NAME[N], the application's own name, or SET.BINDING with or without [N]. */
static bool
is_meant(const struct hdb_resource_source *source, const struct hdb_resource *resource, const char *text)
{
   char number[64], quoted[256];
   size_t length = strcspn(text, "[");
   uint32_t element = 0;
   if (text[length] && sscanf(text + length, "[%u]", &element) != 1)
      return false;
   snprintf(number, sizeof(number), "%u.%u", resource->set, resource->binding);
   snprintf(quoted, sizeof(quoted), "\"%s\"", text);
   bool by_object = resource->object && strstr(resource->object, quoted);
   bool by_number = strlen(number) == length && strncmp(number, text, length) == 0;
   return by_object || (resource->element == element && (by_number || is_named(source, resource, text, length)));
}

static int
find_image(struct request *request, const struct hdb_resource_source *source, const struct hdb_resource_list *list,
           const char *text, const struct hdb_resource **found)
{
   *found = NULL;
   for (uint32_t i = 0; i < list->count && !*found; i++) {
      if (is_meant(source, &list->resources[i], text))
         *found = &list->resources[i];
   }
   if (!*found)
      return request_fail(request, "the dispatch has no image \"%s\"", text);
   if ((*found)->kind == HDB_RESOURCE_UNREADABLE)
      return request_fail(request, "\"%s\" can't be looked at: %s", text, (*found)->description);
   if ((*found)->kind != HDB_RESOURCE_IMAGE)
      return request_fail(request, "\"%s\" is no image: %s", text, (*found)->description);
   return 0;
}

static int
get_range(struct request *request, double range[2], bool *given)
{
   json_t *json = json_object_get(request->arguments, "range");
   *given = json && !json_is_null(json);
   if (!*given)
      return 0;
   json_t *low = json_array_get(json, 0), *high = json_array_get(json, 1);
   if (json_array_size(json) != 2 || !json_is_number(low) || !json_is_number(high))
      return request_fail(request, "range: [low, high] expected");
   range[0] = json_number_value(low);
   range[1] = json_number_value(high);
   return 0;
}

static int
give_rows(struct request *request, struct hdb_image *image, const struct hdb_resource *resource)
{
   const json_t *arguments = request->arguments;
   const struct vgpu_image_info *info = hdb_image_info(image);
   json_int_t level = get_integer(arguments, "level", 0), layer = get_integer(arguments, "layer", 0),
              first = get_integer(arguments, "firstRow", 0), rows = get_integer(arguments, "rows", 0);
   uint32_t size[3];
   double range[2];
   bool has_range;
   int result = get_range(request, range, &has_range);
   if (result)
      return result;
   if (level < 0 || level >= info->levels)
      return request_fail(request, "the image has level%s 0 to %u", info->levels == 1 ? "" : "s", info->levels - 1);
   hdb_image_size(image, (uint32_t)level, size);
   if (rows <= 0)
      rows = size[1] - first;
   if (layer < 0 || layer > UINT32_MAX || first < 0 || first + rows > size[1] || rows * size[0] > MAX_PIXELS)
      return request_fail(request, "level %lld has %u rows, and %u pixels are the most in one answer", (long long)level,
                          size[1], MAX_PIXELS);
   const struct hdb_image_region region = {
      .level = level, .layer = layer, .y = first, .width = size[0], .height = rows};
   size_t bytes = (size_t)region.width * region.height * 4;
   uint8_t *pixels = malloc(bytes ? bytes : 1);
   char *text = NULL;
   result = pixels ? hdb_image_read_pixels(image, &region, has_range ? range : NULL, pixels, &request->error) : -ENOMEM;
   if (!result && !(text = base64_encode(pixels, bytes)))
      result = -ENOMEM;
   if (!result)
      request->body =
         json_pack("{s:I, s:I, s:I, s:I, s:s, s:s?, s:s?, s:b, s:s}", "width", (json_int_t)size[0], "height",
                   (json_int_t)size[1], "firstRow", first, "rows", rows, "description", resource->description, "object",
                   resource->object, "format", resource->format, "integer", info->is_integer, "data", text);
   free(text);
   free(pixels);
   return result;
}

int
handle_hdb_image(struct request *request)
{
   struct dispatch *dispatch;
   struct hdb_resource_source source;
   struct hdb_resource_list list;
   const struct hdb_resource *resource;
   struct hdb_image *image = NULL;
   uint32_t word[8];
   const char *text = get_string(request->arguments, "image");
   if (!text)
      return request_fail(request, "image: a string expected");
   int result = need_dispatch(request, &dispatch, &source);
   result = result ? result : hdb_resources_list(&source, &list);
   if (result)
      return result;
   result = find_image(request, &source, &list, text, &resource);
   if (!result)
      result = hdb_resources_read_image(&source, resource->set, resource->binding, resource->element, word);
   if (!result)
      result = hdb_image_open(source.machine, source.wave, word, &image, &request->error);
   if (!result)
      result = give_rows(request, image, resource);
   hdb_image_close(image);
   hdb_resource_list_finish(&list);
   return result;
}
