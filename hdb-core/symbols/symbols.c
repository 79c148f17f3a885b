/* SPDX-License-Identifier: MIT */
/* Joins the driver's location table with the lines of the SPIR-V. */
#include "symbols/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "symbols/unit.h"

/* Deeper chains of inlined calls than this are cut: a table whose chains don't end must not hang us. */
#define MAX_CALL_DEPTH 64

/* SOPP, opcode s_nop (RDNA3 ISA guide, 15.1.5); the low bits are the immediate, by which the driver marks the pads. */
#define STATEMENT_PAD (0xbf800000u | HDB_STATEMENT_PAD)

/* ---- calls ---- */

static int
intern_call(struct hdb_symbols *symbols, const struct symbols_call *call, uint32_t *index)
{
   for (size_t i = 1; i < symbols->call_count; i++) {
      if (symbols->calls[i].parent == call->parent && symbols->calls[i].key == call->key) {
         *index = i;
         return 0;
      }
   }
   struct symbols_call *added = array_append(symbols->calls, symbols->call_count);
   if (!added)
      return -ENOMEM;
   *added = *call;
   *index = symbols->call_count - 1;
   return 0;
}

static struct hdb_position
make_position(const struct hdb_symbols *symbols, uint32_t file, uint32_t line, uint32_t column)
{
   if (file == SPIRV_NONE || !line)
      return (struct hdb_position){0};
   return (struct hdb_position){.file = symbols->module.files[file].name, .line = line, .column = column};
}

static const char *
function_name(const struct hdb_symbols *symbols, uint32_t function)
{
   return function == SPIRV_NONE ? NULL : symbols->module.functions[function].name;
}

/* Calls inlined before the driver saw the module, outermost first. */
static int
enter_inlining(struct hdb_symbols *symbols, uint32_t inlining, uint32_t *call)
{
   uint32_t chain[MAX_CALL_DEPTH], depth = 0;
   for (; inlining != SPIRV_NONE && depth < MAX_CALL_DEPTH; inlining = symbols->module.inlinings[inlining].outer)
      chain[depth++] = inlining;
   while (depth-- > 0) {
      const struct spirv_inlining *site = &symbols->module.inlinings[chain[depth]];
      struct symbols_call inner = {
         .parent = *call,
         .key = chain[depth] | UINT64_C(1) << 32,
         .site = make_position(symbols, site->file, site->line, 0),
         .caller_function = function_name(symbols, site->function),
      };
      int result = intern_call(symbols, &inner, call);
      if (result)
         return result;
   }
   return 0;
}

/* The call that a location of the driver's table is in. */
static int
resolve_call(struct hdb_symbols *symbols, uint32_t location, uint32_t *call)
{
   const struct hdb_shader *shader = symbols->shader;
   uint32_t chain[MAX_CALL_DEPTH], depth = 0;
   for (uint32_t at = location; at && at < shader->location_count && depth < MAX_CALL_DEPTH;
        at = shader->locations[at].inlined_at)
      chain[depth++] = at;

   *call = 0;
   while (depth-- > 0) {
      uint32_t offset = shader->locations[chain[depth]].spirv_offset;
      const struct spirv_place *place = spirv_find_place(&symbols->module, offset);
      int result = place ? enter_inlining(symbols, place->inlining, call) : 0;
      if (result || depth == 0)
         return result;
      struct symbols_call inner = {.parent = *call, .key = offset, .spirv_offset = offset};
      if (place) {
         inner.site = make_position(symbols, place->file, place->line, place->column);
         inner.caller_function = function_name(symbols, place->function);
      }
      result = intern_call(symbols, &inner, call);
      if (result)
         return result;
   }
   return 0;
}

/* ---- tables ---- */

static int
build_locations(struct hdb_symbols *symbols)
{
   const struct hdb_shader *shader = symbols->shader;
   struct symbols_call *root = array_append(symbols->calls, symbols->call_count);
   symbols->locations = calloc(shader->location_count + 1, sizeof(*symbols->locations));
   if (!root || !symbols->locations)
      return -ENOMEM;
   *root = (struct symbols_call){0};
   for (uint32_t i = 1; i < shader->location_count; i++) {
      struct symbols_location *location = &symbols->locations[i];
      location->spirv_offset = shader->locations[i].spirv_offset;
      const struct spirv_place *place = spirv_find_place(&symbols->module, location->spirv_offset);
      if (!place)
         continue;
      if (place->file != SPIRV_NONE) {
         location->place = place;
         symbols->has_lines = true;
      }
      int result = resolve_call(symbols, i, &location->call);
      if (result)
         return result;
   }
   return 0;
}

/* Has a line or, where the module has none at all, a place. */
static bool
is_located(const struct hdb_symbols *symbols, const struct symbols_pc *pc)
{
   const struct symbols_location *location = &symbols->locations[pc->location];
   return symbols->has_lines ? location->place != NULL : location->spirv_offset != 0;
}

/* Instructions that are not located belong to the one before them; those of the prologue to the one behind it. */
static void
fill_gaps(struct hdb_symbols *symbols)
{
   uint32_t last = 0;
   for (size_t i = 0; i < symbols->pc_count && !last; i++) {
      if (is_located(symbols, &symbols->pcs[i]))
         last = symbols->pcs[i].location;
   }
   for (size_t i = 0; i < symbols->pc_count; i++) {
      if (is_located(symbols, &symbols->pcs[i]))
         last = symbols->pcs[i].location;
      else
         symbols->pcs[i].location = last;
   }
}

static bool
is_pad(const struct hdb_shader *shader, uint32_t pc)
{
   uint32_t word;
   if (!(shader->flags & HDB_SHADER_DEBUG_COMPILED) || !shader->code || pc > shader->exec_size - 4)
      return false;
   memcpy(&word, (const char *)shader->code + pc, sizeof(word));
   return word == STATEMENT_PAD;
}

/* What stands before the first statement of a debug build sets up the wave, and loads constants that the compiler moved
 * there from anywhere: it belongs to the statement that the shader begins with. */
static void
claim_prologue(struct hdb_symbols *symbols, bool *located)
{
   size_t first = 0;
   while (first < symbols->pc_count && !(located[first] && is_pad(symbols->shader, symbols->pcs[first].pc)))
      first++;
   for (size_t i = 0; i < first && first < symbols->pc_count; i++) {
      symbols->pcs[i].location = symbols->pcs[first].location;
      located[i] = false;
   }
}

/* Where line steps may stop: at the pads of a debug build, else at the first of the instructions of a SPIR-V
 * instruction by which a statement takes effect. */
static void
mark_statements(struct hdb_symbols *symbols, const bool *located)
{
   for (size_t i = 0; i < symbols->pc_count; i++) {
      struct symbols_pc *pc = &symbols->pcs[i];
      const struct symbols_location *location = &symbols->locations[pc->location];
      if (!location->place || !located[i])
         continue;
      if (symbols->padded)
         pc->statement = is_pad(symbols->shader, pc->pc);
      else if (symbols->shader->flags & HDB_SHADER_DEBUG_COMPILED)
         pc->statement = i == 0 || !symbols_same_line(symbols, i - 1, i);
      else
         pc->statement = (i == 0 || pc[-1].location != pc->location || !located[i - 1]) &&
                         spirv_is_key(&symbols->module, location->spirv_offset);
   }
}

static int
build_pcs(struct hdb_symbols *symbols)
{
   const struct hdb_shader *shader = symbols->shader;
   symbols->pcs = calloc(shader->pc_location_count + 1, sizeof(*symbols->pcs));
   bool *located = calloc(shader->pc_location_count + 1, sizeof(*located));
   if (!symbols->pcs || !located) {
      free(located);
      return -ENOMEM;
   }
   for (uint32_t i = 0; i < shader->pc_location_count; i++) {
      const struct hdb_pc_location *entry = &shader->pc_locations[i];
      if (i && entry->pc <= shader->pc_locations[i - 1].pc)
         break; /* not sorted: the rest is not to be trusted */
      uint32_t location = entry->location < shader->location_count ? entry->location : 0;
      located[i] = symbols->locations[location].place != NULL;
      symbols->pcs[symbols->pc_count++] = (struct symbols_pc){.pc = entry->pc, .location = location};
      symbols->padded |= located[i] && is_pad(shader, entry->pc);
   }
   if (symbols->has_lines)
      claim_prologue(symbols, located);
   fill_gaps(symbols);
   if (symbols->has_lines)
      mark_statements(symbols, located);
   free(located);
   return 0;
}

int
hdb_symbols_create(const struct hdb_shader *shader, struct hdb_symbols **out, char **error)
{
   *error = NULL;
   *out = NULL;
   struct hdb_symbols *symbols = calloc(1, sizeof(*symbols));
   if (!symbols)
      return -ENOMEM;
   symbols->shader = shader;
   int result = 0;
   if (shader->spirv)
      result = spirv_module_init(&symbols->module, shader->spirv, shader->spirv_size, error);
   if (!result)
      symbols->shuffles_invocations = symbols_has_quads(shader);
   if (!result)
      result = build_locations(symbols);
   if (!result)
      result = build_pcs(symbols);
   if (!result && symbols->module.file_count) {
      symbols->disk_texts = calloc(symbols->module.file_count, sizeof(*symbols->disk_texts));
      result = symbols->disk_texts ? 0 : -ENOMEM;
   }
   if (result) {
      hdb_symbols_destroy(symbols);
      return result;
   }
   *out = symbols;
   return 0;
}

void
hdb_symbols_destroy(struct hdb_symbols *symbols)
{
   if (!symbols)
      return;
   symbols_free_texts(symbols);
   unit_free_table(symbols);
   free(symbols->calls);
   free(symbols->locations);
   free(symbols->pcs);
   spirv_module_finish(&symbols->module);
   free(symbols);
}

/* ---- look-ups ---- */

size_t
symbols_find_pc(const struct hdb_symbols *symbols, uint32_t pc)
{
   size_t low = 0, high = symbols->pc_count;
   while (low < high) {
      size_t middle = (low + high) / 2;
      if (symbols->pcs[middle].pc <= pc)
         low = middle + 1;
      else
         high = middle;
   }
   if (!symbols->pc_count)
      return SIZE_MAX;
   return low ? low - 1 : 0;
}

const struct spirv_place *
symbols_place(const struct hdb_symbols *symbols, size_t index)
{
   return index < symbols->pc_count ? symbols->locations[symbols->pcs[index].location].place : NULL;
}

uint32_t
symbols_call_of(const struct hdb_symbols *symbols, size_t index)
{
   return symbols->locations[symbols->pcs[index].location].call;
}

uint32_t
symbols_end_of(const struct hdb_symbols *symbols, size_t index)
{
   return index + 1 < symbols->pc_count ? symbols->pcs[index + 1].pc : symbols->shader->exec_size;
}

bool
symbols_same_line(const struct hdb_symbols *symbols, size_t a, size_t b)
{
   const struct spirv_place *x = symbols_place(symbols, a), *y = symbols_place(symbols, b);
   return x && y && x->file == y->file && x->line == y->line &&
          symbols_call_of(symbols, a) == symbols_call_of(symbols, b);
}

bool
hdb_symbols_shuffles_invocations(const struct hdb_symbols *symbols)
{
   return symbols->shuffles_invocations;
}

bool
hdb_symbols_has_lines(const struct hdb_symbols *symbols)
{
   return symbols->has_lines;
}

bool
hdb_symbols_position(const struct hdb_symbols *symbols, uint32_t pc, struct hdb_position *position)
{
   const struct spirv_place *place = symbols_place(symbols, symbols_find_pc(symbols, pc));
   if (!place)
      return false;
   *position = make_position(symbols, place->file, place->line, place->column);
   return true;
}

size_t
hdb_symbols_frames(const struct hdb_symbols *symbols, uint32_t pc, struct hdb_frame *frames, size_t capacity)
{
   size_t index = symbols_find_pc(symbols, pc), count = 0;
   if (index >= symbols->pc_count)
      return 0;
   uint32_t offset = symbols->locations[symbols->pcs[index].location].spirv_offset;
   const struct spirv_place *place = spirv_find_place(&symbols->module, offset);
   if (!place)
      return 0;
   struct hdb_frame frame = {
      .position = make_position(symbols, place->file, place->line, place->column),
      .function = function_name(symbols, place->function),
      .spirv_offset = offset,
   };
   for (uint32_t call = symbols_call_of(symbols, index);; call = symbols->calls[call].parent) {
      if (count < capacity)
         frames[count] = frame;
      count++;
      if (!call)
         return count;
      const struct symbols_call *inlined = &symbols->calls[call];
      frame = (struct hdb_frame){inlined->site, inlined->caller_function, inlined->spirv_offset};
   }
}
