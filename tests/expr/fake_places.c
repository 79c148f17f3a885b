/* SPDX-License-Identifier: MIT */
/* Where the variables are, and what the images hold. */
#include "fake_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "values/image.h"
#include "values/private.h"
#include "values/texels.h"

static int
fail(char **error, const char *why)
{
   *error = strdup(why);
   return -ENOENT;
}

/* (v1 - lane) / s4, and that where lanes are not odd: for others nobody knows. */
static const struct hdb_piece *
compute(bool half)
{
   static const struct hdb_computation v1 = {
      .kind = HDB_COMPUTATION_PIECE, .bits = 32, .piece = {.kind = HDB_PIECE_VGPR, .size = 4, .where = 1}};
   static const struct hdb_computation s4 = {
      .kind = HDB_COMPUTATION_PIECE, .bits = 32, .piece = {.kind = HDB_PIECE_SGPR, .size = 4, .where = 4}};
   static const struct hdb_computation one = {
      .kind = HDB_COMPUTATION_PIECE, .bits = 32, .piece = {.kind = HDB_PIECE_BYTES, .size = 4, .bytes = {1}}};
   static const struct hdb_computation lane = {.kind = HDB_COMPUTATION_BUILTIN, .bits = 32};
#define OPERATION(name, what_, bits_, ...)      \
   static const struct hdb_computation name = { \
      .kind = HDB_COMPUTATION_OPERATION,        \
      .bits = bits_,                            \
      .what = what_,                            \
      .from = 32,                               \
      .operands = {__VA_ARGS__}                 \
   }
   OPERATION(difference, SpvOpISub, 32, &v1, &lane);
   OPERATION(quotient, SpvOpUDiv, 32, &difference, &s4);
   OPERATION(odd, SpvOpBitwiseAnd, 32, &lane, &one);
   OPERATION(is_odd, SpvOpIEqual, 1, &odd, &one);
   OPERATION(selected, SpvOpSelect, 32, &is_odd, NULL, &quotient);
   static const struct hdb_piece all_piece = {.kind = HDB_PIECE_COMPUTED, .size = 4, .computation = &quotient};
   static const struct hdb_piece half_piece = {.kind = HDB_PIECE_COMPUTED, .size = 4, .computation = &selected};
   return half ? &half_piece : &all_piece;
}

static int
find_pieces(const char *name, struct hdb_place *place)
{
   if (strcmp(name, "computed") == 0 || strcmp(name, "half_computed") == 0) {
      *place = (struct hdb_place){.kind = HDB_PLACE_PIECES, .size = 4, .piece_count = 1};
      place->pieces = malloc(sizeof(*place->pieces));
      *place->pieces = *compute(name[0] == 'h');
      return 0;
   }
   static const struct hdb_piece split[] = {
      {.kind = HDB_PIECE_VGPR, .offset = 0, .size = 4, .where = 1},
      {.kind = HDB_PIECE_UNAVAILABLE, .offset = 4, .size = 4, .why = "optimized out"},
      {.kind = HDB_PIECE_LANE_MASK, .offset = 8, .size = 4, .where = 2},
   };
   static const struct hdb_piece scalar[] = {{.kind = HDB_PIECE_SGPR, .offset = 0, .size = 4, .where = 4}};
   bool is_split = strcmp(name, "split") == 0, is_twin = strcmp(name, "twin") == 0;
   place->kind = HDB_PLACE_PIECES;
   place->size = is_split ? 12 : 4;
   place->piece_count = is_split ? 3 : 1;
   place->pieces = malloc(sizeof(split));
   memcpy(place->pieces, is_split || is_twin ? split : scalar, is_split ? sizeof(split) : sizeof(scalar));
   return 0;
}

int
hdb_place_find(const struct hdb_context *context, const struct hdb_symbol *symbol, struct hdb_place *place,
               char **error)
{
   fake.look_ups++;
   *place =
      (struct hdb_place){.kind = HDB_PLACE_SCRATCH, .address = symbol->workgroup_offset, .size = symbol->type->size};
   if (strcmp(symbol->name, "gone") == 0)
      return fail(error, "optimized out");
   if (strcmp(symbol->name, "split") == 0 || strcmp(symbol->name, "scalar") == 0 || strcmp(symbol->name, "twin") == 0 ||
       strstr(symbol->name, "computed"))
      return find_pieces(symbol->name, place);
   if (symbol->storage == HDB_STORAGE_WORKGROUP) {
      place->kind = HDB_PLACE_LDS;
   } else if (symbol->storage == HDB_STORAGE_PUSH_CONSTANT) {
      *place = (struct hdb_place){.kind = HDB_PLACE_MEMORY,
                                  .address = FAKE_MEMORY,
                                  .size = 32,
                                  .read_only = true,
                                  .object = strdup("the push constants")};
   } else if (symbol->storage == HDB_STORAGE_BUILTIN) {
      uint32_t id[3] = {context->lane, 0, 0};
      *place = (struct hdb_place){
         .kind = HDB_PLACE_BYTES, .size = sizeof(id), .read_only = true, .bytes = malloc(sizeof(id))};
      memcpy(place->bytes, id, sizeof(id));
   }
   return 0;
}

int
hdb_place_find_element(const struct hdb_context *context, const struct hdb_symbol *symbol, uint64_t element,
                       struct hdb_place *place, char **error)
{
   fake.look_ups++;
   *place = (struct hdb_place){.kind = HDB_PLACE_MEMORY};
   if (symbol->storage == HDB_STORAGE_HANDLE && symbol->binding == 2)
      return fail(error, "image2D in set 0, binding 2");
   if (symbol->storage == HDB_STORAGE_BUFFER) {
      place->address = FAKE_MEMORY + 0x400;
      place->size = 4 + 6 * 4;
      place->object = strdup("buffer \"numbers\"");
      return 0;
   }
   if (element > 1)
      return fail(error, "not bound");
   if (symbol->storage == HDB_STORAGE_HANDLE)
      place->read_only = true; /* its descriptor; what it is of is made up below */
   place->address = FAKE_MEMORY + 0x600 + element * 0x100;
   place->size = 112;
   return 0;
}

uint64_t
hdb_place_count_elements(const struct hdb_context *context, const struct hdb_symbol *symbol, bool *exact)
{
   *exact = true;
   return 3;
}

/* ---- images: 8x4 texels, three levels, six layers, that say where they are ---- */

int
hdb_image_open(struct hdb_machine *machine, struct hdb_wave *wave, const uint32_t word[8], struct hdb_image **image,
               char **error)
{
   *image = (struct hdb_image *)&fake;
   return 0;
}

void
hdb_image_close(struct hdb_image *image)
{
}

void
hdb_image_count(const struct hdb_image *image, uint32_t *levels, uint32_t *layers)
{
   *levels = 3;
   *layers = 6;
}

void
hdb_image_size(const struct hdb_image *image, uint32_t level, uint32_t size[3])
{
   size[0] = 8 >> level;
   size[1] = 4 >> level;
   size[2] = 1;
}

int
hdb_image_read(struct hdb_image *image, const struct hdb_image_region *region, uint32_t *texels, char **error)
{
   if (region->level > 2 || region->layer > 5 || region->x >= 8 || region->y >= 4)
      return fail(error, "there is no such texel");
   memcpy(texels, (const uint32_t[]){region->x, region->y, region->layer, region->level}, 16);
   return 0;
}

int
hdb_texel_buffer_open(const uint32_t word[4], struct hdb_texel_buffer *buffer, char **error)
{
   return fail(error, "there is no texel buffer");
}

int
hdb_texel_buffer_read(const struct hdb_texel_buffer *buffer, struct hdb_machine *machine, struct hdb_wave *wave,
                      uint64_t first, uint32_t count, uint32_t (*texels)[4], char **error)
{
   return fail(error, "there is no such texel");
}

int
builtin_derive(const struct hdb_context *context, uint32_t builtin, uint32_t value[4], uint32_t *count, char **error)
{
   value[0] = context->lane;
   *count = 1;
   return 0;
}
