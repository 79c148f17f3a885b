/* SPDX-License-Identifier: MIT */
/* Any bytes as a SPIR-V module, its instructions as machine code. */
#include <stdlib.h>
#include <string.h>

#include "symbols/breaks.h"
#include "symbols/prints.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_LOCATIONS 64
#define MAX_BREAKS 16

static void
look_at_breaks(struct hdb_symbols *symbols)
{
   struct hdb_break breaks[MAX_BREAKS];
   uint32_t pcs[8];
   size_t count = hdb_symbols_breaks(symbols, breaks, MAX_BREAKS);
   for (size_t i = 0; i < count; i++) {
      if (hdb_symbols_find_break(symbols, &breaks[i], pcs, 8) > 8)
         abort();
   }
}

static void
look_at_prints(const uint32_t *words, size_t count)
{
   struct hdb_prints prints;
   if (hdb_prints_init(&prints, words, count))
      return;
   for (size_t i = 0; i < prints.count; i++) {
      const struct hdb_print *print = &prints.prints[i];
      uint64_t dwords = 0;
      for (size_t n = 0; n < print->argument_count; n++)
         dwords += (uint64_t)print->arguments[n].components * (print->arguments[n].bits == 64 ? 2 : 1);
      if (hdb_prints_find(&prints, print->spirv_offset) != print ||
          (!print->error && (dwords != print->dwords || dwords > HDB_PRINT_MAX_DWORDS)))
         abort();
   }
   hdb_prints_finish(&prints);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
   struct hdb_location locations[MAX_LOCATIONS] = {{0, 0}};
   struct hdb_pc_location pcs[MAX_LOCATIONS];
   uint32_t *module = malloc(size ? size : 1), code[MAX_LOCATIONS] = {0};
   memcpy(module, data, size);
   for (uint32_t i = 0; i < MAX_LOCATIONS; i++) {
      locations[i].spirv_offset = i && size ? data[i % size] * 4 + i : 0;
      locations[i].inlined_at = i && size ? data[i * 7 % size] % MAX_LOCATIONS : 0;
      pcs[i] = (struct hdb_pc_location){.pc = 4 * i, .location = i};
   }
   struct hdb_shader shader = {
      .spirv = module,
      .spirv_size = size,
      .code = code,
      .exec_size = sizeof(code),
      .location_count = MAX_LOCATIONS,
      .pc_location_count = MAX_LOCATIONS,
      .locations = locations,
      .pc_locations = pcs,
      .flags = size && data[size - 1] & 1 ? HDB_SHADER_DEBUG_COMPILED : 0,
   };
   struct hdb_symbols *symbols;
   char *error;
   look_at_prints(module, size / 4);
   if (hdb_symbols_create(&shader, &symbols, &error) == 0) {
      struct hdb_frame frames[8];
      uint32_t low, high, found[8];
      const char *file = hdb_symbols_file_name(symbols, 0);
      for (uint32_t pc = 0; pc < shader.exec_size; pc += 4) {
         size_t text_size;
         if (hdb_symbols_frames(symbols, pc, frames, 8) && frames[0].position.file)
            hdb_symbols_line_text(symbols, frames[0].position.file, frames[0].position.line, &text_size);
         hdb_symbols_step_range(symbols, 0, HDB_STEP_OVER, pc, &low, &high);
         if (low > pc || high <= pc)
            abort();
      }
      if (file)
         hdb_symbols_find_line(symbols, file, 5, found, 8, &low);
      look_at_breaks(symbols);
      hdb_symbols_destroy(symbols);
   }
   free(error);
   free(module);
   return 0;
}
