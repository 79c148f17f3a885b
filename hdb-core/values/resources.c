/* SPDX-License-Identifier: MIT */
#include "values/resources.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "values/private.h"
#include "values/words.h"

#define DYNAMIC_DESCRIPTOR_SIZE 16 /* they lie one behind the other */
#define SAMPLER_WORD 8             /* where the S# of a combined image sampler is put, behind the T# */

/* ---- lists ---- */

struct listing {
   const struct hdb_resource_source *source;
   struct hdb_resource_list *list;
   bool failed; /* out of memory */
};

/* Takes over what malloc gave; NULL stays NULL. */
static const char *
take_text(struct listing *listing, char *text)
{
   char **slot = text ? array_append(listing->list->texts, listing->list->text_count) : NULL;
   if (slot)
      return *slot = text;
   listing->failed |= text != NULL;
   free(text);
   return NULL;
}

static const char *
copy_text(struct listing *listing, const char *text)
{
   return text ? take_text(listing, strdup(text)) : NULL;
}

void
hdb_resource_list_finish(struct hdb_resource_list *list)
{
   for (size_t i = 0; i < list->text_count; i++)
      free(list->texts[i]);
   free(list->texts);
   free(list->resources);
   *list = (struct hdb_resource_list){0};
}

static const char *
name_object(struct listing *listing, uint64_t address)
{
   const struct hdb_object_source *objects = listing->source->objects;
   struct hdb_object object;
   if (!objects || !address || objects->at(objects->user, address, &object))
      return NULL;
   return take_text(listing, object.name);
}

/* ---- descriptors ---- */

static int
read_memory(const struct hdb_resource_source *source, uint64_t va, void *data, size_t size)
{
   return source->wave ? hdb_wave_read_memory(source->machine, source->wave, va, data, size)
                       : hdb_machine_read_memory(source->machine, va, data, size);
}

/* Up to `size` bytes of an element's descriptor; what there is less of is left as it was. */
static int
read_descriptor(const struct hdb_resource_source *source, const struct hdb_binding *binding, uint32_t element,
                uint64_t *va, void *data, size_t size)
{
   const struct hdb_dispatch *dispatch = source->dispatch;
   if (binding->flags & HDB_BINDING_DYNAMIC) {
      uint64_t index = (binding->offset - source->shader->push_constant_size) / DYNAMIC_DESCRIPTOR_SIZE + element;
      if (index >= dispatch->dynamic_descriptor_count)
         return -ENOENT;
      *va = 0;
      memcpy(data, dispatch->dynamic_descriptors[index], DYNAMIC_DESCRIPTOR_SIZE);
      return 0;
   }
   uint64_t set = binding->set < HDB_MAX_DESCRIPTOR_SETS ? dispatch->descriptor_set_va[binding->set] : 0;
   if (!set)
      return -ENOENT;
   *va = set + binding->offset + (uint64_t)element * binding->stride;
   return read_memory(source, *va, data, size < binding->stride ? size : binding->stride);
}

static bool
is_image(uint32_t type)
{
   return type == TYPE_COMBINED_IMAGE_SAMPLER || type == TYPE_SAMPLED_IMAGE || type == TYPE_STORAGE_IMAGE ||
          type == TYPE_INPUT_ATTACHMENT;
}

static void
fill_image(struct listing *listing, const struct hdb_binding *binding, const uint32_t *word,
           struct hdb_resource *resource, char *text, size_t size)
{
   char format[64];
   int length = words_describe_image(word, text, size);
   resource->kind = words_is_image(word) ? HDB_RESOURCE_IMAGE : HDB_RESOURCE_NULL;
   if (resource->kind == HDB_RESOURCE_NULL)
      return;
   resource->address = words_image_address(word);
   words_image_size(word, &resource->width, &resource->height, &resource->depth, &resource->layers, &resource->levels);
   words_image_format(word, format);
   resource->format = copy_text(listing, format);
   if (binding->type == TYPE_COMBINED_IMAGE_SAMPLER && !(binding->flags & HDB_BINDING_IMMUTABLE_SAMPLERS)) {
      length += snprintf(text + length, size - length, "; ");
      words_describe_sampler(word + SAMPLER_WORD, text + length, size - length);
   }
}

static void
fill(struct listing *listing, const struct hdb_binding *binding, uint32_t type, const uint32_t *word, uint64_t va,
     struct hdb_resource *resource, char *text, size_t size)
{
   switch (type) {
   case TYPE_SAMPLER:
      resource->kind = HDB_RESOURCE_SAMPLER;
      words_describe_sampler(word, text, size);
      return;
   case TYPE_ACCELERATION_STRUCTURE:
      memcpy(&resource->address, word, sizeof(resource->address));
      resource->kind = resource->address ? HDB_RESOURCE_ACCELERATION_STRUCTURE : HDB_RESOURCE_NULL;
      snprintf(text, size, resource->address ? "acceleration structure at 0x%" PRIx64 : "null descriptor",
               resource->address);
      return;
   case TYPE_UNIFORM_TEXEL_BUFFER:
   case TYPE_STORAGE_TEXEL_BUFFER:
      words_describe_texel_buffer(word, text, size);
      resource->format = copy_text(listing, words_format_name(word_bits(word, 108, 6)));
      break;
   default:
      if (is_image(type)) {
         fill_image(listing, binding, word, resource, text, size);
         return;
      }
   }
   bool texels = type == TYPE_UNIFORM_TEXEL_BUFFER || type == TYPE_STORAGE_TEXEL_BUFFER;
   bool is_inline = binding->flags & HDB_BINDING_INLINE, known;
   resource->kind = texels ? HDB_RESOURCE_TEXEL_BUFFER : HDB_RESOURCE_BUFFER;
   if (!is_inline && !words_is_buffer(word)) {
      resource->kind = HDB_RESOURCE_NULL;
      snprintf(text, size, "null descriptor");
      return;
   }
   resource->address = is_inline ? va : words_buffer_address(word);
   resource->size = is_inline ? descriptor_bytes(binding, listing->source->dispatch, &known) : words_buffer_size(word);
   if (!texels)
      snprintf(text, size, "%s of %" PRIu64 " bytes at 0x%" PRIx64, is_inline ? "inline uniform block" : "buffer",
               resource->size, resource->address);
}

/* ---- names ---- */

#define MAX_SYMBOLS 256

/* What the module declares of resources. */
static size_t
find_declared(struct hdb_symbols *from, const struct hdb_symbol *symbols[MAX_SYMBOLS])
{
   size_t count = from ? hdb_symbols_variables(from, 0, 0, symbols, MAX_SYMBOLS) : 0, found = 0;
   for (size_t i = 0; i < count && i < MAX_SYMBOLS; i++) {
      enum hdb_storage storage = symbols[i]->storage;
      if (storage == HDB_STORAGE_BUFFER || storage == HDB_STORAGE_UNIFORM || storage == HDB_STORAGE_HANDLE)
         symbols[found++] = symbols[i];
   }
   return found;
}

static const char *
name_symbol(const struct hdb_symbol *symbol)
{
   return symbol->anonymous && symbol->block ? symbol->block : symbol->name;
}

/* Of the variables that are a binding's, those that can be meant for a descriptor of that type. */
static size_t
name_descriptor(struct hdb_symbols *from, const struct hdb_binding *binding, uint32_t element, uint32_t type,
                const char *names[HDB_MAX_NAMES])
{
   const struct hdb_symbol *symbols[MAX_SYMBOLS];
   size_t count = find_declared(from, symbols), named = 0;
   for (size_t i = 0; i < count && named < HDB_MAX_NAMES; i++) {
      if (symbols[i]->set == binding->set && symbols[i]->binding == binding->binding &&
          descriptor_suits(binding, element, type, symbols[i]))
         names[named++] = name_symbol(symbols[i]);
   }
   return named;
}

/* ---- the whole ---- */

static void
append(struct listing *listing, const struct hdb_resource *resource)
{
   struct hdb_resource *slot = array_append(listing->list->resources, listing->list->count);
   if (slot)
      *slot = *resource;
   listing->failed |= !slot;
}

static void
add(struct listing *listing, const struct hdb_binding *binding, uint32_t element)
{
   const char *names[HDB_MAX_NAMES];
   uint32_t word[SAMPLER_WORD + 4] = {0}, type = binding->type;
   uint64_t va = 0;
   char text[512] = "";
   struct hdb_resource resource = {
      .set = binding->set, .binding = binding->binding, .element = element, .kind = HDB_RESOURCE_UNREADABLE};
   int result = read_descriptor(listing->source, binding, element, &va, word, 32);
   if (!result && binding->type == TYPE_COMBINED_IMAGE_SAMPLER)
      result = read_memory(listing->source, va + binding->stride - 16, word + SAMPLER_WORD, 16);
   if (binding->flags & HDB_BINDING_EMBEDDED ||
       (binding->type == TYPE_SAMPLER && binding->flags & HDB_BINDING_IMMUTABLE_SAMPLERS)) {
      resource.kind = HDB_RESOURCE_SAMPLER;
      snprintf(text, sizeof(text), "immutable sampler");
   } else if (result == -ENOENT) {
      snprintf(text, sizeof(text), "descriptor set %u is not bound", binding->set);
   } else if (result) {
      snprintf(text, sizeof(text), "its descriptor at 0x%" PRIx64 " can't be read: %s", va, strerror(-result));
   } else {
      type = descriptor_type(binding, word);
      fill(listing, binding, type, word, va, &resource, text, sizeof(text));
   }
   if (resource.kind == HDB_RESOURCE_NULL && element)
      return;
   if (name_descriptor(listing->source->symbols, binding, element, type, names))
      resource.name = copy_text(listing, names[0]);
   resource.description = copy_text(listing, text);
   resource.object = name_object(listing, resource.address);
   append(listing, &resource);
}

static int
compare_bindings(const void *a, const void *b)
{
   const struct hdb_symbol *one = *(const struct hdb_symbol *const *)a, *other = *(const struct hdb_symbol *const *)b;
   if (one->set != other->set)
      return one->set < other->set ? -1 : 1;
   return (one->binding > other->binding) - (one->binding < other->binding);
}

/* Where no memory can be read: what the shader is to be given. */
static void
list_declared(struct listing *listing)
{
   const struct hdb_symbol *symbols[MAX_SYMBOLS];
   size_t count = find_declared(listing->source->symbols, symbols);
   qsort(symbols, count, sizeof(*symbols), compare_bindings);
   for (size_t i = 0; i < count && !listing->failed; i++) {
      const struct hdb_symbol *symbol = symbols[i];
      const char *what = symbol->storage == HDB_STORAGE_BUFFER    ? "storage buffer"
                         : symbol->storage == HDB_STORAGE_UNIFORM ? "uniform buffer"
                                                                  : symbol->type->name;
      char text[512];
      snprintf(text, sizeof(text), "%s; what is bound is out of the debugger's reach", what);
      append(listing, &(struct hdb_resource){.set = symbol->set,
                                             .binding = symbol->binding,
                                             .kind = HDB_RESOURCE_UNREADABLE,
                                             .name = copy_text(listing, name_symbol(symbol)),
                                             .description = copy_text(listing, text)});
   }
}

int
hdb_resources_list(const struct hdb_resource_source *source, struct hdb_resource_list *list)
{
   struct listing listing = {.source = source, .list = list};
   *list = (struct hdb_resource_list){0};
   if (!source->machine)
      list_declared(&listing);
   for (uint32_t i = 0; source->machine && i < source->shader->binding_count && !listing.failed; i++) {
      const struct hdb_binding *binding = &source->shader->bindings[i];
      bool known;
      uint32_t before = list->count, elements = descriptor_count(binding, source->dispatch, &known);
      /* A set that can't be read can't be so in each element again. */
      for (uint32_t element = 0; element < elements && list->count - before < HDB_MAX_LISTED; element++) {
         add(&listing, binding, element);
         if (list->count && list->resources[list->count - 1].kind == HDB_RESOURCE_UNREADABLE)
            break;
      }
   }
   if (!listing.failed)
      return 0;
   hdb_resource_list_finish(list);
   return -ENOMEM;
}

static const struct hdb_binding *
find_binding(const struct hdb_shader *shader, uint32_t set, uint32_t number)
{
   for (uint32_t i = 0; i < shader->binding_count; i++) {
      if (shader->bindings[i].set == set && shader->bindings[i].binding == number)
         return &shader->bindings[i];
   }
   return NULL;
}

size_t
hdb_resources_name(const struct hdb_resource_source *source, const struct hdb_resource *resource,
                   const char *names[HDB_MAX_NAMES])
{
   const struct hdb_binding *binding = find_binding(source->shader, resource->set, resource->binding);
   uint32_t word[4] = {0};
   uint64_t va;
   if (!source->machine || !binding)
      return 0;
   bool read = !read_descriptor(source, binding, resource->element, &va, word, sizeof(word));
   uint32_t type = read ? descriptor_type(binding, word) : binding->type;
   return name_descriptor(source->symbols, binding, resource->element, type, names);
}

int
hdb_resources_read_image(const struct hdb_resource_source *source, uint32_t set, uint32_t number, uint32_t element,
                         uint32_t word[8])
{
   const struct hdb_binding *binding = find_binding(source->shader, set, number);
   uint64_t va;
   if (!binding || element >= binding->count)
      return -ENOENT;
   memset(word, 0, 32);
   int result = read_descriptor(source, binding, element, &va, word, 32);
   if (result)
      return result;
   return is_image(descriptor_type(binding, word)) && words_is_image(word) ? 0 : -ENOENT;
}
