/* SPDX-License-Identifier: MIT */
/* Texel buffers by their descriptors: texels as the shader would load them. */
#ifndef HDB_TEXELS_H
#define HDB_TEXELS_H

#include "stop/machine.h"

struct hdb_texel_buffer {
   uint64_t address;
   uint32_t stride, count;
   uint32_t components; /* that the format has */
   uint32_t word[4];    /* the V# */
};

/* On failure *error (to be freed) says why it is none. */
int hdb_texel_buffer_open(const uint32_t word[4], struct hdb_texel_buffer *buffer, char **error);

/* Four dwords each: floats, or integers of integer formats. -ERANGE: the buffer has fewer texels. `wave`: memory is
 * read as this stopped wave sees it. */
int hdb_texel_buffer_read(const struct hdb_texel_buffer *buffer, struct hdb_machine *machine, struct hdb_wave *wave,
                          uint64_t first, uint32_t count, uint32_t (*texels)[4], char **error);

#endif
