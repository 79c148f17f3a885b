/* SPDX-License-Identifier: MIT */
/* How the rooms of symbols/ share a shader's tables. */
#ifndef HDB_SYMBOLS_PRIVATE_H
#define HDB_SYMBOLS_PRIVATE_H

#include "symbols/spirv.h"
#include "symbols/symbols.h"

/* An inlined call: a node of the tree whose root, call 0, is the entry point. */
struct symbols_call {
   uint32_t parent;
   uint64_t key;                /* tells the calls of one parent apart */
   struct hdb_position site;    /* of the call, in the parent; file NULL: unknown */
   const char *caller_function; /* the function the site is in */
   uint32_t spirv_offset;       /* of the call; 0: unknown */
};

struct symbols_location {
   const struct spirv_place *place; /* NULL: it has no line */
   uint32_t call;
   uint32_t spirv_offset;
};

struct symbols_pc {
   uint32_t pc;
   uint32_t location; /* an instruction without one takes that of the instruction before it */
   bool statement;    /* a line step may stop here */
};

struct hdb_symbols {
   const struct hdb_shader *shader;
   struct spirv_module module;
   bool has_lines;
   bool padded; /* statements begin with marked s_nops */
   bool shuffles_invocations;
   struct symbols_call *calls;
   size_t call_count;
   struct symbols_location *locations;
   struct symbols_pc *pcs;
   size_t pc_count;
   char **disk_texts;        /* by file; texts that the module lacks, once asked for */
   struct unit_table *table; /* types and variables, once asked for */
};

/* The table's entry for the instruction at or before `pc`; SIZE_MAX when the table is empty. */
size_t symbols_find_pc(const struct hdb_symbols *symbols, uint32_t pc);
/* NULL when the instruction has no line. */
const struct spirv_place *symbols_place(const struct hdb_symbols *symbols, size_t index);
bool symbols_same_line(const struct hdb_symbols *symbols, size_t a, size_t b);
uint32_t symbols_call_of(const struct hdb_symbols *symbols, size_t index);
uint32_t symbols_end_of(const struct hdb_symbols *symbols, size_t index);
bool symbols_has_quads(const struct hdb_shader *shader); /* whose module has been read before */
bool symbols_paths_match(const char *a, const char *b);
void symbols_free_texts(struct hdb_symbols *symbols);

#endif
