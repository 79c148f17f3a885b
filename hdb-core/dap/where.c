/* SPDX-License-Identifier: MIT */
/* Where a value is, in a few words. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dap/inspection.h"

static void
print_scalar_name(FILE *out, uint32_t number)
{
   if (number == 106 || number == 107) /* RDNA3 ISA guide, 15.1: SSRC0 */
      fprintf(out, "vcc_%s", number == 106 ? "lo" : "hi");
   else if (number == 126 || number == 127)
      fprintf(out, "exec_%s", number == 126 ? "lo" : "hi");
   else if (number == 125)
      fprintf(out, "m0");
   else
      fprintf(out, "s%" PRIu32, number);
}

static void
print_piece(FILE *out, const struct hdb_piece *piece)
{
   switch (piece->kind) {
   case HDB_PIECE_UNAVAILABLE:
      fprintf(out, "<%s>", piece->why ? piece->why : "optimized out");
      return;
   case HDB_PIECE_SCRATCH:
      fprintf(out, "scratch+%" PRIu32, piece->where);
      return;
   case HDB_PIECE_VGPR:
      fprintf(out, "v%" PRIu32, piece->where);
      break;
   case HDB_PIECE_SGPR:
   case HDB_PIECE_LANE_MASK:
      print_scalar_name(out, piece->where);
      break;
   case HDB_PIECE_SCC:
      fprintf(out, "scc");
      return;
   case HDB_PIECE_VGPR_LANE:
      fprintf(out, "v%" PRIu32 "[%u]", piece->where, piece->byte);
      return;
   case HDB_PIECE_BYTES:
      fprintf(out, "constant");
      return;
   case HDB_PIECE_COMPUTED:
      fprintf(out, "computed");
      return;
   }
   if (piece->byte)
      fprintf(out, ".%u", piece->byte);
   if (piece->kind == HDB_PIECE_LANE_MASK)
      fprintf(out, " (a bit for each lane)");
}

#define MAX_PIECES 8

static void
print_place(FILE *out, const struct hdb_place *place, enum hdb_storage storage)
{
   switch (place->kind) {
   case HDB_PLACE_MEMORY:
      fprintf(out, "0x%" PRIx64, place->address);
      break;
   case HDB_PLACE_LDS:
      fprintf(out, "LDS+%" PRIu64, place->address);
      break;
   case HDB_PLACE_SCRATCH:
      fprintf(out, "scratch+%" PRIu64, place->address);
      break;
   case HDB_PLACE_BYTES:
      fprintf(out, storage == HDB_STORAGE_PUSH_CONSTANT ? "push constants" : "derived");
      return;
   case HDB_PLACE_PIECES:
      for (size_t i = 0; i < place->piece_count && i < MAX_PIECES; i++) {
         fputs(i ? ", " : "", out);
         print_piece(out, &place->pieces[i]);
      }
      if (place->piece_count > MAX_PIECES)
         fputs(", ...", out);
      break;
   }
   if (place->object)
      fprintf(out, ", %s", place->object);
   if (place->object && (storage == HDB_STORAGE_BUFFER || storage == HDB_STORAGE_UNIFORM))
      fprintf(out, ", %" PRIu64 " bytes", place->size);
}

char *
describe_where(const struct hdb_context *context, const struct hdb_symbol *symbol)
{
   struct hdb_place place;
   char *text = NULL, *error = NULL;
   size_t size;
   bool array = symbol->type->kind == HDB_TYPE_ARRAY &&
                (symbol->storage == HDB_STORAGE_BUFFER || symbol->storage == HDB_STORAGE_UNIFORM ||
                 symbol->storage == HDB_STORAGE_HANDLE);
   if (array) /* each element is somewhere else */
      return NULL;
   if (hdb_place_find(context, symbol, &place, &error)) {
      if (error && asprintf(&text, "<%s>", error) < 0)
         text = NULL;
      free(error);
      return text;
   }
   FILE *out = open_memstream(&text, &size);
   if (out)
      print_place(out, &place, symbol->storage);
   if (out && fclose(out)) {
      free(text);
      text = NULL;
   }
   free(error);
   hdb_place_finish(&place);
   return text;
}
