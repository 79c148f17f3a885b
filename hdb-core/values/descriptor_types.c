/* SPDX-License-Identifier: MIT */
/* What a descriptor is, and for which variables: of bindings that are mutable (VK_EXT_mutable_descriptor_type), it says
 * itself. */
#include <string.h>

#include "values/private.h"
#include "values/words.h"

/* What a variable is declared as; TYPE_MUTABLE: it can't be told. Names of types: symbols/type_names.c. */
static uint32_t
declared_type(const struct hdb_symbol *symbol)
{
   const struct hdb_type *type = symbol->type;
   if (symbol->storage == HDB_STORAGE_BUFFER || symbol->storage == HDB_STORAGE_UNIFORM)
      return TYPE_STORAGE_BUFFER;
   while (type->kind == HDB_TYPE_ARRAY && type->element)
      type = type->element;
   if (strcmp(type->name, "sampler") == 0 || strcmp(type->name, "SamplerState") == 0)
      return TYPE_SAMPLER;
   if (strstr(type->name, "Buffer"))
      return TYPE_STORAGE_TEXEL_BUFFER;
   return strstr(type->name, "image") || strstr(type->name, "exture") ? TYPE_STORAGE_IMAGE : TYPE_MUTABLE;
}

/*
 * RDNA3 ISA guide, "Buffer Resource Descriptor", "Image Resource Definition", "Sampler Resource Definition": bits 127
 * and 126 are 0 in a V#, whose format (bits 113:108) is not, and whose elements have a stride if they are texels; bit
 * 127 is 1 in a T#. An S# has nothing in bits 125:108; with a border colour that sets bit 127, it has no swizzle as
 * images have one, unless the colour is the application's own.
 */
uint32_t
descriptor_type(const struct hdb_binding *binding, const uint32_t *word)
{
   if (binding->type != TYPE_MUTABLE)
      return binding->type;
   if (!(word[0] | word[1] | word[2] | word[3]))
      return TYPE_MUTABLE;
   if (word_bits(word, 127, 1) && word_bits(word, 96, 12))
      return TYPE_STORAGE_IMAGE;
   if (words_is_buffer(word))
      return word_bits(word, 48, 14) ? TYPE_STORAGE_TEXEL_BUFFER : TYPE_STORAGE_BUFFER;
   return TYPE_SAMPLER;
}

/* Descriptors that a variable is declared to have: of arrays of arrays, all; 0: any number. */
static uint64_t
declared_count(const struct hdb_symbol *symbol)
{
   uint64_t count = 1;
   for (const struct hdb_type *type = symbol->type; type && type->kind == HDB_TYPE_ARRAY; type = type->element)
      count *= type->count;
   return count;
}

bool
descriptor_suits(const struct hdb_binding *binding, uint32_t element, uint32_t type, const struct hdb_symbol *symbol)
{
   uint64_t count = declared_count(symbol);
   if (count && element >= count)
      return false;
   if (binding->type != TYPE_MUTABLE || type == TYPE_MUTABLE)
      return true;
   uint32_t declared = declared_type(symbol);
   return declared == TYPE_MUTABLE || declared == type;
}
