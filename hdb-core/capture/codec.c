/* SPDX-License-Identifier: MIT */
/* Contents of sections, put together and taken apart. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/format.h"

#define FIRST_CAPACITY 1024

uint32_t
capture_checksum(const struct capture_section *section, const void *contents, size_t size)
{
   XXH64_state_t state;
   XXH64_reset(&state, 0);
   XXH64_update(&state, &section->tag, sizeof(section->tag));
   XXH64_update(&state, &section->length, sizeof(section->length));
   XXH64_update(&state, contents, size);
   return (uint32_t)XXH64_digest(&state);
}

uint32_t
capture_page_checksum(const void *stored, size_t size)
{
   return (uint32_t)XXH64(stored, size, 0);
}

/* ---- blocks ---- */

void *
capture_add_block(struct capture_block **blocks, size_t size)
{
   struct capture_block *block = calloc(1, sizeof(*block) + size);
   if (!block)
      return NULL;
   block->next = *blocks;
   *blocks = block;
   return block->data;
}

static void *
add_block(struct codec *codec, size_t size)
{
   void *block = capture_add_block(codec->blocks, size);
   if (!block)
      codec->error = -ENOMEM;
   return block;
}

void
capture_free_blocks(struct capture_block *blocks)
{
   while (blocks) {
      struct capture_block *next = blocks->next;
      free(blocks);
      blocks = next;
   }
}

/* ---- bytes ---- */

static bool
make_room(struct codec *codec, size_t size)
{
   size_t capacity = codec->capacity ? codec->capacity : FIRST_CAPACITY;
   while (capacity - codec->position < size)
      capacity *= 2;
   if (capacity == codec->capacity)
      return true;
   uint8_t *data = realloc(codec->data, capacity);
   if (!data) {
      codec->error = -ENOMEM;
      return false;
   }
   codec->data = data;
   codec->capacity = capacity;
   return true;
}

void
codec_bytes(struct codec *codec, void *bytes, size_t size)
{
   if (codec->error || !size)
      return;
   if (codec->writes) {
      if (!make_room(codec, size))
         return;
      memcpy(codec->data + codec->position, bytes, size);
      codec->size = codec->position + size;
   } else {
      if (size > codec->size - codec->position) {
         codec->error = -EBADMSG;
         return;
      }
      memcpy(bytes, codec->data + codec->position, size);
   }
   codec->position += size;
}

/* A count that the rest of the contents can hold. */
static void
take_count(struct codec *codec, uint32_t *count, size_t item_bytes)
{
   codec_field(codec, *count);
   if (!codec->error && !codec->writes && *count > (codec->size - codec->position) / item_bytes)
      codec->error = -EBADMSG;
   if (codec->error && !codec->writes)
      *count = 0;
}

void
codec_blob(struct codec *codec, const void **data, uint32_t *size)
{
   take_count(codec, size, 1);
   if (!codec->writes)
      *data = *size ? add_block(codec, *size) : NULL;
   codec_bytes(codec, (void *)*data, *size);
}

void
codec_string(struct codec *codec, const char **string)
{
   uint32_t length = codec->writes && *string ? strlen(*string) : 0;
   take_count(codec, &length, 1);
   if (!codec->writes) {
      *string = length ? add_block(codec, (size_t)length + 1) : NULL;
      if (!*string) {
         *string = "";
         return;
      }
   }
   codec_bytes(codec, (char *)*string, length);
   for (char *at = (char *)*string; !codec->writes && length--; at++) { /* terminals obey */
      if ((unsigned char)*at < ' ' || *at == 0x7f)
         *at = '?';
   }
}

void
codec_array(struct codec *codec, const void **items, uint32_t *count, size_t item_size, size_t item_bytes,
            void (*item)(struct codec *codec, void *item))
{
   take_count(codec, count, item_bytes);
   if (!codec->writes) {
      *items = *count ? add_block(codec, *count * item_size) : NULL;
      if (!*items)
         *count = 0;
   }
   uint8_t *at = (uint8_t *)*items;
   for (uint32_t i = 0; i < *count && !codec->error; i++, at += item_size)
      item(codec, at);
}
