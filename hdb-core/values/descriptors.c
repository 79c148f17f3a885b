/* SPDX-License-Identifier: MIT */
/* Buffers and handles: from set and binding to the descriptor in memory, and what it says. V#, T# and S#: RDNA3 ISA
 * guide, tables "Buffer Resource Descriptor", "Image Resource Definition" and "Sampler Resource Definition". */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "values/private.h"

/* VkDescriptorType (Vulkan specification). */
enum {
   TYPE_SAMPLER = 0,
   TYPE_COMBINED_IMAGE_SAMPLER = 1,
   TYPE_SAMPLED_IMAGE = 2,
   TYPE_STORAGE_IMAGE = 3,
   TYPE_UNIFORM_TEXEL_BUFFER = 4,
   TYPE_STORAGE_TEXEL_BUFFER = 5,
   TYPE_INPUT_ATTACHMENT = 10,
   TYPE_ACCELERATION_STRUCTURE = 1000150000
};

static uint32_t
bits(const uint32_t *word, unsigned first, unsigned count)
{
   uint64_t pair = word[first / 32];
   if (first % 32 + count > 32)
      pair |= (uint64_t)word[first / 32 + 1] << 32;
   return pair >> first % 32 & ((1ull << count) - 1);
}

/* Addresses have 48 bits, sign-extended. */
static uint64_t
canonical(uint64_t address)
{
   return (uint64_t)((int64_t)(address << 16) >> 16);
}

static uint64_t
buffer_address(const uint32_t word[4])
{
   return canonical(word[0] | (uint64_t)bits(word, 32, 16) << 32);
}

static const struct hdb_binding *
find_binding(const struct hdb_shader *shader, const struct hdb_symbol *symbol)
{
   for (uint32_t i = 0; i < shader->binding_count; i++)
      if (shader->bindings[i].set == symbol->set && shader->bindings[i].binding == symbol->binding)
         return &shader->bindings[i];
   return NULL;
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
   if (element >= found->count)
      return place_fail(error, -ERANGE, "out of range: binding %u of set %u has %u descriptors", symbol->binding,
                        symbol->set, found->count);
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

/* How many descriptors the set was allocated with is nowhere to be read. What lies behind them may be another set's: it
 * can be looked at, but nothing is written through it. */
static void
guard_uncounted(struct hdb_place *place, uint64_t element)
{
   char *name;
   if (asprintf(&name, "%s (element %" PRIu64 " of a variable count that is not known)",
                place->object ? place->object : "the memory", element) < 0)
      name = NULL;
   free(place->object);
   place->object = name;
   place->read_only = true;
}

/* ---- buffers ---- */

int
descriptor_find_buffer(const struct hdb_context *context, const struct hdb_symbol *symbol, uint64_t element,
                       struct hdb_place *place, char **error)
{
   const struct hdb_binding *binding = find_binding(context->wave->shader, symbol);
   uint32_t word[4] = {0};
   uint64_t va;
   bool is_inline = binding && binding->flags & HDB_BINDING_INLINE;
   int result = read_descriptor(context, symbol, element, &binding, &va, word, is_inline ? 0 : sizeof(word), error);
   if (result)
      return result;
   if (is_inline) {
      *place = (struct hdb_place){.kind = HDB_PLACE_MEMORY, .address = va, .size = binding->stride};
   } else {
      uint64_t stride = bits(word, 48, 14), records = word[2];
      if (!bits(word, 108, 6)) /* FORMAT: a V# without one stands for nothing */
         return place_fail(error, -ENOENT, "null descriptor");
      *place = (struct hdb_place){
         .kind = HDB_PLACE_MEMORY, .address = buffer_address(word), .size = stride ? records * stride : records};
   }
   place->object = name_object(context, symbol, place->address);
   if (binding->flags & HDB_BINDING_VARIABLE_COUNT)
      guard_uncounted(place, element);
   return 0;
}

/* ---- handles ---- */

static const char *const image_types[16] = {
   [8] = "1D",        [9] = "2D",        [10] = "3D",      [11] = "cube",
   [12] = "1D array", [13] = "2D array", [14] = "2D MSAA", [15] = "2D MSAA array"};

static uint64_t
image_address(const uint32_t word[8])
{
   return canonical(((uint64_t)word[0] | (uint64_t)bits(word, 32, 8) << 32) << 8);
}

static int
describe_image(const uint32_t word[8], char *text, size_t size)
{
   uint32_t type = bits(word, 124, 4), depth = bits(word, 128, 13) + 1;
   if (!image_types[type])
      return snprintf(text, size, "null descriptor");
   uint32_t width = bits(word, 62, 14) + 1, height = bits(word, 78, 14) + 1;
   int length = snprintf(text, size, "%s image %ux%u", image_types[type], width, height);
   if (type == 10)
      length += snprintf(text + length, size - length, "x%u", depth);
   else if (type == 11 || type == 12 || type == 13 || type == 15)
      length += snprintf(text + length, size - length, ", layers %u to %u", bits(word, 144, 13), depth - 1);
   return length + snprintf(text + length, size - length, ", levels %u to %u, format %u, at 0x%" PRIx64,
                            bits(word, 108, 4), bits(word, 112, 4), bits(word, 52, 8), image_address(word));
}

static int
describe_sampler(const uint32_t word[4], char *text, size_t size)
{
   static const char *const clamps[8] = {"repeat",          "mirrored repeat",      "clamp to edge",
                                         "mirror to edge",  "clamp half to border", "mirror half to border",
                                         "clamp to border", "mirror to border"};
   static const char *const filters[4] = {"nearest", "linear", "anisotropic nearest", "anisotropic linear"};
   return snprintf(text, size, "sampler, magnify %s, minify %s, %s / %s / %s", filters[bits(word, 84, 2)],
                   filters[bits(word, 86, 2)], clamps[bits(word, 0, 3)], clamps[bits(word, 3, 3)],
                   clamps[bits(word, 6, 3)]);
}

static int
describe_texel_buffer(const uint32_t word[4], char *text, size_t size)
{
   uint64_t stride = bits(word, 48, 14);
   if (!bits(word, 108, 6))
      return snprintf(text, size, "null descriptor");
   return snprintf(text, size, "texel buffer of %u elements of %" PRIu64 " bytes, format %u, at 0x%" PRIx64, word[2],
                   stride, bits(word, 108, 6), buffer_address(word));
}

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
   switch (binding->type) {
   case TYPE_SAMPLER:
      length = describe_sampler(word, text, sizeof(text));
      break;
   case TYPE_UNIFORM_TEXEL_BUFFER:
   case TYPE_STORAGE_TEXEL_BUFFER:
      address = buffer_address(word);
      length = describe_texel_buffer(word, text, sizeof(text));
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
      address = image_address(word);
      length = describe_image(word, text, sizeof(text));
      if (binding->type != TYPE_COMBINED_IMAGE_SAMPLER || binding->flags & HDB_BINDING_IMMUTABLE_SAMPLERS)
         break;
      result = read_memory(context, va + binding->stride - sizeof(sampler), sampler, sizeof(sampler), error);
      if (result)
         return result;
      length += snprintf(text + length, sizeof(text) - length, "; ");
      describe_sampler(sampler, text + length, sizeof(text) - length);
      break;
   default:
      snprintf(text, sizeof(text), "descriptor at 0x%" PRIx64, va);
   }
   *place = (struct hdb_place){.kind = HDB_PLACE_MEMORY, .address = va, .size = size, .read_only = true};
   place->object = name_handle(context, address, text);
   return place->object ? 0 : place_fail(error, -ENOMEM, "out of memory");
}
