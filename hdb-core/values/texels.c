/* SPDX-License-Identifier: MIT */
#include "values/texels.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "values/private.h"
#include "values/words.h"
#include "vgpu.h"

int
hdb_texel_buffer_open(const uint32_t word[4], struct hdb_texel_buffer *buffer, char **error)
{
   if (!(word[0] | word[1] | word[2] | word[3]))
      return place_fail(error, -ENOENT, "null descriptor");
   *buffer = (struct hdb_texel_buffer){
      .address = words_buffer_address(word), .stride = word_bits(word, 48, 14), .count = word[2]};
   memcpy(buffer->word, word, sizeof(buffer->word));
   /* A V# has TYPE (bits 127:126) 0. */
   if (word_bits(word, 126, 2) || !buffer->stride)
      return place_fail(error, -EINVAL, "what is bound is no texel buffer");
   uint32_t texel[4];
   int components = vgpu_texel_decode(word, (const uint8_t[16]){0}, texel);
   if (components < 0)
      return place_fail(error, components, "its format is none that is read here");
   buffer->components = (uint32_t)components;
   return 0;
}

int
hdb_texel_buffer_read(const struct hdb_texel_buffer *buffer, struct hdb_machine *machine, struct hdb_wave *wave,
                      uint64_t first, uint32_t count, uint32_t (*texels)[4], char **error)
{
   uint8_t element[16] = {0};
   size_t size = buffer->stride < sizeof(element) ? buffer->stride : sizeof(element);
   if (first >= buffer->count || count > buffer->count - first)
      return place_fail(error, -ERANGE, "the buffer has %u texel%s", buffer->count, buffer->count == 1 ? "" : "s");
   for (uint32_t i = 0; i < count; i++) {
      uint64_t va = buffer->address + (first + i) * buffer->stride;
      int result = hdb_wave_read_memory(machine, wave, va, element, size);
      if (result)
         return place_fail(error, result, "its memory at 0x%" PRIx64 " can't be read: %s", va, strerror(-result));
      vgpu_texel_decode(buffer->word, element, texels[i]);
   }
   return 0;
}
