/* SPDX-License-Identifier: MIT */
/* Buffers and handles: from set and binding to the descriptor in memory, and what it says. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "values/private.h"
#include "values/words.h"

static const struct hdb_binding *
find_binding(const struct hdb_shader *shader, const struct hdb_symbol *symbol)
{
   for (uint32_t i = 0; i < shader->binding_count; i++)
      if (shader->bindings[i].set == symbol->set && shader->bindings[i].binding == symbol->binding)
         return &shader->bindings[i];
   return NULL;
}

/* ---- variable counts ---- */

uint64_t
descriptor_bytes(const struct hdb_binding *binding, const struct hdb_dispatch *dispatch, bool *known)
{
   bool is_variable = binding->flags & HDB_BINDING_VARIABLE_COUNT;
   uint32_t size = is_variable && dispatch && binding->set < HDB_MAX_DESCRIPTOR_SETS
                      ? dispatch->descriptor_set_size[binding->set]
                      : 0;
   *known = !is_variable || size;
   if (!size)
      return (uint64_t)binding->count * binding->stride;
   return size > binding->offset ? size - binding->offset : 0;
}

uint32_t
descriptor_count(const struct hdb_binding *binding, const struct hdb_dispatch *dispatch, bool *known)
{
   uint64_t bytes = descriptor_bytes(binding, dispatch, known);
   if (binding->flags & HDB_BINDING_INLINE || !binding->stride)
      return binding->count;
   return bytes / binding->stride < binding->count ? bytes / binding->stride : binding->count;
}

/* ---- the descriptor's address ---- */

#define DYNAMIC_DESCRIPTOR_SIZE 16 /* they lie one behind the other */

static int
find_set(const struct hdb_context *context, uint32_t set, uint64_t *va, char **error)
{
   if (!context->dispatch)
      return place_fail(error, -ENOENT, "the wave's dispatch is not known");
   *va = set < HDB_MAX_DESCRIPTOR_SETS ? context->dispatch->descriptor_set_va[set] : 0;
   return *va ? 0 : place_fail(error, -ENOENT, "descriptor set %u is not bound", set);
}

static int
read_memory(const struct hdb_context *context, uint64_t va, void *data, size_t size, char **error)
{
   int result = hdb_wave_read_memory(context->machine, context->wave, va, data, size);
   if (result == -ENOTCONN)
      return place_fail(error, result, "its descriptor is in memory, which can't be reached without hdb-helper");
   if (result)
      return place_fail(error, result, "its descriptor at 0x%" PRIx64 " can't be read", va);
   return 0;
}

/* The first `size` bytes of a descriptor, and its address (0: dynamic ones have none). */
static int
read_descriptor(const struct hdb_context *context, const struct hdb_symbol *symbol, uint64_t element,
                const struct hdb_binding **binding, uint64_t *va, void *data, size_t size, char **error)
{
   uint64_t set_va;
   const struct hdb_binding *found = find_binding(context->wave->shader, symbol);
   if (!found)
      return place_fail(error, -ENOENT, "the pipeline's layout has no binding %u in set %u", symbol->binding,
                        symbol->set);
   *binding = found;
   if (found->flags & HDB_BINDING_EMBEDDED)
      return place_fail(error, -ENOENT, "embedded immutable sampler");
   bool known;
   uint32_t count = descriptor_count(found, context->dispatch, &known);
   if (element >= count)
      return place_fail(error, -ERANGE, "out of range: binding %u of set %u has %u descriptor%s", symbol->binding,
                        symbol->set, count, count == 1 ? "" : "s");
   if (found->flags & HDB_BINDING_DYNAMIC) {
      uint64_t index = (found->offset - context->wave->shader->push_constant_size) / DYNAMIC_DESCRIPTOR_SIZE + element;
      *va = 0;
      if (!context->dispatch)
         return place_fail(error, -ENOENT, "the wave's dispatch is not known");
      if (index >= context->dispatch->dynamic_descriptor_count)
         return place_fail(error, -ENOENT, "descriptor set %u is not bound", symbol->set);
      memcpy(data, context->dispatch->dynamic_descriptors[index], size);
      return 0;
   }
   int result = find_set(context, symbol->set, &set_va, error);
   if (result)
      return result;
   *va = set_va + found->offset + element * found->stride;
   return size ? read_memory(context, *va, data, size, error) : 0;
}

/* `buffer "blades"`, perhaps with ` + 256`, if the application has named it, else "the memory bound to NAME" */
static char *
name_object(const struct hdb_context *context, const struct hdb_symbol *symbol, uint64_t address)
{
   struct hdb_object object;
   char *name;
   if (!hdb_context_object_at(context, address, &object)) {
      if (address == object.va)
         return object.name;
      int length = asprintf(&name, "%s + %" PRIu64, object.name, address - object.va);
      free(object.name);
      return length < 0 ? NULL : name;
   }
   const char *block = symbol->block && *symbol->block ? symbol->block : symbol->name;
   return asprintf(&name, "the memory bound to %s", block) < 0 ? NULL : name;
}

/* How many descriptors there are is nowhere to be read: what lies behind them may be another set's. The shader that
 * goes there gets the same. */
static void
mark_uncounted(struct hdb_place *place, uint64_t element)
{
   char *name;
   if (asprintf(&name, "%s (element %" PRIu64 " of a variable count that is not known)",
                place->object ? place->object : "the memory", element) < 0)
      name = NULL;
   free(place->object);
   place->object = name;
}

uint64_t
hdb_place_count_elements(const struct hdb_context *context, const struct hdb_symbol *symbol, bool *exact)
{
   const struct hdb_binding *binding = context->wave->shader ? find_binding(context->wave->shader, symbol) : NULL;
   *exact = false;
   return binding ? descriptor_count(binding, context->dispatch, exact) : 0;
}

/* ---- buffers ---- */

int
descriptor_find_buffer(const struct hdb_context *context, const struct hdb_symbol *symbol, uint64_t element,
                       struct hdb_place *place, char **error)
{
   const struct hdb_binding *binding = find_binding(context->wave->shader, symbol);
   uint32_t word[4] = {0};
   uint64_t va;
   bool is_inline = binding && binding->flags & HDB_BINDING_INLINE, known;
   int result = read_descriptor(context, symbol, element, &binding, &va, word, is_inline ? 0 : sizeof(word), error);
   if (result)
      return result;
   if (is_inline) {
      *place = (struct hdb_place){
         .kind = HDB_PLACE_MEMORY, .address = va, .size = descriptor_bytes(binding, context->dispatch, &known)};
   } else {
      if (!words_is_buffer(word))
         return place_fail(error, -ENOENT, "null descriptor");
      *place = (struct hdb_place){
         .kind = HDB_PLACE_MEMORY, .address = words_buffer_address(word), .size = words_buffer_size(word)};
   }
   place->object = name_object(context, symbol, place->address);
   descriptor_count(binding, context->dispatch, &known);
   if (!known)
      mark_uncounted(place, element);
   return 0;
}

/* ---- handles ---- */

/* `image "albedo": 2D image...` if the application has named it */
static char *
name_handle(const struct hdb_context *context, uint64_t address, const char *text)
{
   struct hdb_object object;
   if (!address || hdb_context_object_at(context, address, &object))
      return strdup(text);
   char *name;
   if (asprintf(&name, "%s: %s", object.name, text) < 0)
      name = NULL;
   free(object.name);
   return name;
}

int
descriptor_find_handle(const struct hdb_context *context, const struct hdb_symbol *symbol, uint64_t element,
                       struct hdb_place *place, char **error)
{
   const struct hdb_binding *binding;
   uint32_t word[8] = {0}, sampler[4];
   uint64_t va, address = 0; /* of what it stands for */
   char text[256];
   int length = 0, result = read_descriptor(context, symbol, element, &binding, &va, word, 16, error);
   if (result)
      return result;
   if (binding->flags & HDB_BINDING_IMMUTABLE_SAMPLERS && binding->type == TYPE_SAMPLER)
      return place_fail(error, -ENOENT, "immutable sampler");
   uint64_t size = binding->stride < 64 ? binding->stride : 64;
   uint32_t type = descriptor_type(binding, word);
   switch (type) {
   case TYPE_SAMPLER:
      length = words_describe_sampler(word, text, sizeof(text));
      break;
   case TYPE_UNIFORM_TEXEL_BUFFER:
   case TYPE_STORAGE_TEXEL_BUFFER:
      address = words_buffer_address(word);
      length = words_describe_texel_buffer(word, text, sizeof(text));
      break;
   case TYPE_ACCELERATION_STRUCTURE:
      memcpy(&address, word, sizeof(address));
      length = address ? snprintf(text, sizeof(text), "acceleration structure at 0x%" PRIx64, address)
                       : snprintf(text, sizeof(text), "null descriptor");
      break;
   case TYPE_COMBINED_IMAGE_SAMPLER:
   case TYPE_SAMPLED_IMAGE:
   case TYPE_STORAGE_IMAGE:
   case TYPE_INPUT_ATTACHMENT:
      result = read_memory(context, va, word, sizeof(word), error);
      if (result)
         return result;
      address = words_image_address(word);
      length = words_describe_image(word, text, sizeof(text));
      if (type != TYPE_COMBINED_IMAGE_SAMPLER || binding->flags & HDB_BINDING_IMMUTABLE_SAMPLERS)
         break;
      result = read_memory(context, va + binding->stride - sizeof(sampler), sampler, sizeof(sampler), error);
      if (result)
         return result;
      length += snprintf(text + length, sizeof(text) - length, "; ");
      words_describe_sampler(sampler, text + length, sizeof(text) - length);
      break;
   case TYPE_MUTABLE:
      snprintf(text, sizeof(text), "null descriptor");
      break;
   default:
      address = words_buffer_address(word);
      snprintf(text, sizeof(text), "buffer of %" PRIu64 " bytes at 0x%" PRIx64, words_buffer_size(word), address);
   }
   *place = (struct hdb_place){.kind = HDB_PLACE_MEMORY, .address = va, .size = size, .read_only = true};
   place->object = name_handle(context, address, text);
   return place->object ? 0 : place_fail(error, -ENOMEM, "out of memory");
}
