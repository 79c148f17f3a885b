/* SPDX-License-Identifier: MIT */
/*
 * Loads modules from anywhere and asks for everything in them: no crash, and what is not understood is counted.
 *
 * usage: load FILE.spv...   (without arguments, the names come line by line on standard input)
 */
#include <errno.h>

#include "module.h"
#include "symbols/variables.h"

#define MAX_STOPS 32 /* of one module */
#define MAX_SYMBOLS 1024
#define MAX_PIECES 64

static struct {
   size_t modules, refused, symbols, types, unknown_types, unknown_debug;
} total;

/* An "instruction" for each one of the functions, as nothing was inlined. */
static struct hdb_shader
make_stops(const struct test_module *module, struct hdb_location *locations, struct hdb_pc_location *pcs)
{
   struct hdb_shader shader = {
      .spirv = module->words,
      .spirv_size = module->size,
      .locations = locations,
      .pc_locations = pcs,
      .location_count = 1,
      .entry_point = "main",
   };
   bool inside = false;
   uint32_t count = module->size / 4;
   for (uint32_t word = 5; word < count && module->words[word] >> 16; word += module->words[word] >> 16) {
      uint32_t opcode = module->words[word] & 0xffff;
      if (opcode == SpvOpFunction || opcode == SpvOpFunctionEnd)
         inside = opcode == SpvOpFunction;
      if (!inside || opcode == SpvOpFunction || opcode == SpvOpLabel || opcode == SpvOpVariable ||
          opcode == SpvOpExtInst)
         continue;
      uint32_t location = shader.location_count++, i = shader.pc_location_count++;
      locations[location] = (struct hdb_location){.spirv_offset = word * 4};
      pcs[i] = (struct hdb_pc_location){.pc = 4 * i, .location = location};
   }
   shader.exec_size = 4 * shader.pc_location_count;
   return shader;
}

static void
look(struct hdb_symbols *symbols, uint32_t pc, bool count_them)
{
   static const struct hdb_symbol *list[MAX_SYMBOLS];
   struct hdb_piece pieces[MAX_PIECES];
   size_t count = hdb_symbols_variables(symbols, pc, 0, list, MAX_SYMBOLS);
   for (size_t i = 0; i < count && i < MAX_SYMBOLS; i++) {
      hdb_symbols_locate(symbols, pc, 0, list[i], pieces, MAX_PIECES);
      if (count_them)
         total.unknown_types += strcmp(list[i]->type->name, "?") == 0;
   }
   total.symbols += count_them ? count : 0;
}

static void
load(const char *path)
{
   struct test_module module = load_module("", path);
   struct hdb_location *locations = calloc(module.size / 4 + 2, sizeof(*locations));
   struct hdb_pc_location *pcs = calloc(module.size / 4 + 1, sizeof(*pcs));
   struct hdb_shader shader = make_stops(&module, locations, pcs);
   struct hdb_symbols *symbols;
   char *error;
   total.modules++;
   if (hdb_symbols_create(&shader, &symbols, &error) == 0) {
      for (uint32_t i = 0; i < shader.pc_location_count; i += 1 + shader.pc_location_count / MAX_STOPS)
         look(symbols, pcs[i].pc, i == 0);
      for (size_t i = 0; hdb_symbols_type(symbols, i); i++)
         total.types++;
      total.unknown_debug += hdb_symbols_unknown_debug_instructions(symbols);
      hdb_symbols_destroy(symbols);
   } else {
      printf("%s: %s\n", path, error ? error : "out of memory");
      total.refused++;
   }
   free(error);
   free(locations);
   free(pcs);
   free(module.words);
}

int
main(int argc, char **argv)
{
   char line[4096];
   for (int i = 1; i < argc; i++)
      load(argv[i]);
   while (argc == 1 && fgets(line, sizeof(line), stdin)) {
      line[strcspn(line, "\n")] = 0;
      load(line);
   }
   printf("%zu modules, %zu refused; %zu variables, %zu of unknown type; %zu types; %zu unknown debug instructions\n",
          total.modules, total.refused, total.symbols, total.unknown_types, total.types, total.unknown_debug);
   return total.refused || total.unknown_debug;
}
