/* SPDX-License-Identifier: MIT */
/* Test helpers: tables as a driver makes them, and where variables are by them. */
#ifndef TEST_TABLES_H
#define TEST_TABLES_H

#include "variables.h"

#define MAX_ENTRIES 32

struct tables {
   const char *source;
   struct fixture fixture;
   struct hdb_variable variables[MAX_ENTRIES];
   struct hdb_value values[MAX_ENTRIES];
   struct hdb_specialization specialization;
};

/* ---- making tables ---- */

static inline void
begin(struct tables *tables, const char *directory, const char *name, const char *source)
{
   *tables = (struct tables){.source = source};
   tables->fixture.module = load_module(directory, name);
   tables->fixture.test = make_shader(&tables->fixture.module);
   struct hdb_shader *shader = &tables->fixture.test.shader;
   shader->variables = tables->variables;
   shader->values = tables->values;
   shader->specializations = &tables->specialization;
}

static inline int
compare_values(const void *a, const void *b)
{
   const struct hdb_value *x = a, *y = b;
   return (x->location > y->location) - (x->location < y->location);
}

static inline void
finish(struct tables *tables)
{
   char *error;
   qsort(tables->values, tables->fixture.test.shader.value_count, sizeof(tables->values[0]), compare_values);
   assert_int_equal(hdb_symbols_create(&tables->fixture.test.shader, &tables->fixture.symbols, &error), 0);
}

/* Byte offset of the n-th OpVariable of that name. */
static inline uint32_t
variable_named(const struct test_module *module, const char *name, unsigned n)
{
   for (uint32_t word = 5; word < module->size / 4; word += module->words[word] >> 16) {
      if ((module->words[word] & 0xffff) != SpvOpName || strcmp((const char *)&module->words[word + 2], name) != 0)
         continue;
      uint32_t offset;
      for (unsigned v = 0; (offset = find_opcode(module, SpvOpVariable, v, 0)); v++) {
         if (module->words[offset / 4 + 2] == module->words[word + 1] && n-- == 0)
            return offset;
      }
   }
   fail_msg("no variable %s", name);
   return 0;
}

static inline uint32_t
add_location(struct tables *tables, uint32_t offset, uint32_t inlined_at)
{
   uint32_t location = tables->fixture.test.shader.location_count++;
   tables->fixture.test.locations[location] = (struct hdb_location){offset, inlined_at};
   return location;
}

/* The location that the shader already has for an instruction. */
static inline uint32_t
location_of(const struct tables *tables, uint32_t offset)
{
   assert_int_not_equal(offset, 0);
   for (uint32_t i = 1; i < tables->fixture.test.shader.location_count; i++) {
      if (tables->fixture.test.locations[i].spirv_offset == offset)
         return i;
   }
   fail_msg("no location for offset %u", offset);
   return 0;
}

static inline void
put_in_scratch(struct tables *tables, const char *name, unsigned n, uint32_t inlined_at, uint32_t offset)
{
   uint32_t location = add_location(tables, variable_named(&tables->fixture.module, name, n), inlined_at);
   tables->variables[tables->fixture.test.shader.variable_count++] =
      (struct hdb_variable){HDB_VARIABLE_SCRATCH, location, offset};
}

static inline struct hdb_value *
put(struct tables *tables, uint32_t location, uint32_t merge, enum hdb_value_kind kind, uint32_t where)
{
   struct hdb_value *value = &tables->values[tables->fixture.test.shader.value_count++];
   *value = (struct hdb_value){
      .high = UINT32_MAX, .location = location, .merge = merge, .kind = kind, .bits = 32, .where = where};
   return value;
}

/* The result of the n-th instruction of an opcode. */
static inline struct hdb_value *
put_result(struct tables *tables, uint32_t opcode, unsigned n, enum hdb_value_kind kind, uint32_t where)
{
   return put(tables, location_of(tables, find_opcode(&tables->fixture.module, opcode, n, 0)), 0, kind, where);
}

/* ---- looking ---- */

static inline uint32_t
pc_of_line(const struct tables *tables, uint32_t line)
{
   uint32_t pcs[8], actual;
   assert_true(hdb_symbols_find_line(tables->fixture.symbols, tables->source, line, pcs, 8, &actual) > 0);
   assert_int_equal(actual, line);
   return pcs[0];
}

static inline struct hdb_piece
locate_symbol(const struct tables *tables, uint32_t pc, uint32_t frame, const struct hdb_symbol *symbol,
              uint32_t offset)
{
   struct hdb_piece pieces[8];
   size_t count = hdb_symbols_locate(tables->fixture.symbols, pc, frame, symbol, pieces, 8);
   uint32_t end = 0;
   struct hdb_piece found = {0};
   assert_in_range(count, 1, 8);
   for (size_t i = 0; i < count; i++) { /* from the start to the end, without gaps */
      assert_int_equal(pieces[i].offset, end);
      end += pieces[i].size;
      if (offset >= pieces[i].offset && offset < end)
         found = pieces[i];
   }
   assert_int_equal(end, symbol->type->size);
   return found;
}

static inline struct hdb_piece
locate(const struct tables *tables, uint32_t pc, uint32_t frame, const char *name, uint32_t offset)
{
   return locate_symbol(tables, pc, frame, find_local(&tables->fixture, pc, frame, name), offset);
}

static inline void
assert_place(const struct tables *tables, uint32_t pc, uint32_t frame, const char *name, uint32_t offset,
             enum hdb_piece_kind kind, uint32_t where)
{
   struct hdb_piece piece = locate(tables, pc, frame, name, offset);
   if (piece.kind != kind || piece.where != where)
      fail_msg("%s at pc %u, byte %u: kind %d, %u; expected kind %d, %u", name, pc, offset, piece.kind, piece.where,
               kind, where);
}

static inline void
assert_unavailable(const struct tables *tables, uint32_t pc, const char *name, uint32_t offset)
{
   struct hdb_piece piece = locate(tables, pc, 0, name, offset);
   if (piece.kind != HDB_PIECE_UNAVAILABLE)
      fail_msg("%s at pc %u, byte %u: kind %d, %u, though nothing says so", name, pc, offset, piece.kind, piece.where);
   assert_string_equal(piece.why, "optimized out");
}

static inline void
free_tables(struct tables *tables)
{
   free_fixture(&tables->fixture);
}

#endif
