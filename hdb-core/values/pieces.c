/* SPDX-License-Identifier: MIT */
/* Objects in pieces: registers, lanes of masks, scratch, constants. */
#include <errno.h>
#include <string.h>

#include "values/private.h"

/* Bytes `byte` on of a register file that begins at register `where`. */
static int
transfer_registers(const struct hdb_context *context, const struct hdb_piece *piece, uint32_t byte, uint8_t *data,
                   size_t size, bool writes)
{
   bool vector = piece->kind == HDB_PIECE_VGPR;
   while (size) {
      uint32_t reg = piece->where + byte / 4, shift = byte % 4, lanes[64], word;
      size_t taken = size < 4 - shift ? size : 4 - shift;
      int error = vector ? hdb_wave_read_vgpr(context->machine, context->wave, reg, lanes)
                         : hdb_wave_read_scalar(context->machine, context->wave, reg, &word);
      if (error)
         return error;
      if (vector)
         word = lanes[context->lane];
      if (writes) {
         memcpy((uint8_t *)&word + shift, data, taken);
         error = vector ? hdb_wave_write_vgpr(context->machine, context->wave, reg, context->lane, word)
                        : hdb_wave_write_scalar(context->machine, context->wave, reg, word);
         if (error)
            return error;
      } else {
         memcpy(data, (uint8_t *)&word + shift, taken);
      }
      data += taken;
      byte += taken;
      size -= taken;
   }
   return 0;
}

/* A bool in memory has four bytes, 0 or 1. */
static int
transfer_mask(const struct hdb_context *context, const struct hdb_piece *piece, uint32_t *value, bool writes)
{
   uint32_t reg = piece->where + context->lane / 32, bit = 1u << context->lane % 32, mask;
   int error = hdb_wave_read_scalar(context->machine, context->wave, reg, &mask);
   if (error)
      return error;
   if (!writes) {
      *value = (mask & bit) != 0;
      return 0;
   }
   return hdb_wave_write_scalar(context->machine, context->wave, reg, *value ? mask | bit : mask & ~bit);
}

static int
transfer_spilled(const struct hdb_context *context, const struct hdb_piece *piece, uint32_t *value, bool writes)
{
   uint32_t lanes[64];
   if (writes)
      return hdb_wave_write_vgpr(context->machine, context->wave, piece->where, piece->byte, *value);
   int error = hdb_wave_read_vgpr(context->machine, context->wave, piece->where, lanes);
   if (!error)
      *value = lanes[piece->byte % 64];
   return error;
}

/* Part of a piece whose value is a dword as a whole. */
static int
transfer_dword(const struct hdb_context *context, const struct hdb_piece *piece, uint32_t from, uint8_t *data,
               size_t size, bool writes)
{
   uint32_t word = 0;
   int error = 0;
   if (piece->kind == HDB_PIECE_LANE_MASK)
      error = transfer_mask(context, piece, &word, false);
   else if (piece->kind == HDB_PIECE_SCC)
      word = context->wave->status & 1; /* STATUS.SCC */
   else
      error = transfer_spilled(context, piece, &word, false);
   if (error || !writes) {
      memcpy(data, (uint8_t *)&word + from, size);
      return error;
   }
   memcpy((uint8_t *)&word + from, data, size);
   if (piece->kind == HDB_PIECE_LANE_MASK)
      return transfer_mask(context, piece, &word, true);
   if (piece->kind == HDB_PIECE_SCC)
      return hdb_wave_set_scc(context->machine, context->wave, word != 0);
   return transfer_spilled(context, piece, &word, true);
}

static int
transfer_computed(const struct hdb_context *context, const struct hdb_piece *piece, uint32_t from, uint8_t *data,
                  size_t size, bool writes, char **error)
{
   uint64_t value;
   if (writes)
      return place_fail(error, -EROFS, "it is computed from others, nothing holds it that could be set");
   int result = computed_read(context, piece->computation, &value, error);
   if (!result)
      memcpy(data, (uint8_t *)&value + from, size);
   return result;
}

/* What all lanes share can't be set for one of them. */
static bool
is_shared(const struct hdb_piece *piece)
{
   return piece->kind == HDB_PIECE_SGPR || piece->kind == HDB_PIECE_SCC || piece->kind == HDB_PIECE_VGPR_LANE;
}

static int
transfer_piece(const struct hdb_context *context, const struct hdb_piece *piece, uint32_t from, uint8_t *data,
               size_t size, bool writes, char **error)
{
   int result = 0;
   if (writes && is_shared(piece) && !context->all_lanes)
      return place_fail(error, -EINVAL, "all lanes share it in a scalar register; it can be set for all of them only");
   switch (piece->kind) {
   case HDB_PIECE_UNAVAILABLE:
      return place_fail(error, -ENOENT, "%s", piece->why ? piece->why : "optimized out");
   case HDB_PIECE_BYTES:
      if (writes)
         return place_fail(error, -EROFS, "it is a constant here");
      memcpy(data, piece->bytes + from, size);
      break;
   case HDB_PIECE_COMPUTED:
      return transfer_computed(context, piece, from, data, size, writes, error);
   case HDB_PIECE_SCRATCH:
      result =
         writes
            ? hdb_wave_write_scratch(context->machine, context->wave, context->lane, piece->where + from, data, size)
            : hdb_wave_read_scratch(context->machine, context->wave, context->lane, piece->where + from, data, size);
      break;
   case HDB_PIECE_VGPR:
   case HDB_PIECE_SGPR:
      result = transfer_registers(context, piece, piece->byte + from, data, size, writes);
      break;
   case HDB_PIECE_LANE_MASK:
   case HDB_PIECE_SCC:
   case HDB_PIECE_VGPR_LANE:
      result = transfer_dword(context, piece, from, data, size, writes);
      break;
   }
   return result ? place_fail(error, result, "%s", strerror(-result)) : 0;
}

int
pieces_transfer(const struct hdb_context *context, const struct hdb_place *place, uint64_t offset, void *data,
                size_t size, bool writes, char **error)
{
   uint64_t end = offset + size;
   if (!writes)
      memset(data, 0, size); /* what lies between pieces is padding */
   for (size_t i = 0; i < place->piece_count; i++) {
      const struct hdb_piece *piece = &place->pieces[i];
      uint64_t low = piece->offset > offset ? piece->offset : offset;
      uint64_t high = (uint64_t)piece->offset + piece->size;
      if (high > end)
         high = end;
      if (low >= high)
         continue;
      int result = transfer_piece(context, piece, low - piece->offset, (uint8_t *)data + (low - offset), high - low,
                                  writes, error);
      if (result)
         return result;
   }
   return 0;
}
