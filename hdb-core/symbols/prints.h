/* SPDX-License-Identifier: MIT */
/* What a shader says of its own accord: NonSemantic.DebugPrintf and NonSemantic.DebugBreak. */
#ifndef HDB_PRINTS_H
#define HDB_PRINTS_H

#include "symbols/symbols.h"

#define HDB_MAX_PRINT_ARGUMENTS 32

struct hdb_print {
   const char *format;                             /* as printf's; NULL: it is a break */
   const char *arguments[HDB_MAX_PRINT_ARGUMENTS]; /* expressions, in the shader's language as far as it has names */
   size_t argument_count;
   uint32_t spirv_offset, block; /* of the instruction, and of the label in front of it */
};

/* Whether a module has any: a look at its imports. */
bool hdb_shader_prints(const struct hdb_shader *shader);
/* All of them, up to `capacity`; how many. What they point at lives as long as the symbols. */
size_t hdb_symbols_prints(struct hdb_symbols *symbols, struct hdb_print *prints, size_t capacity);
/* Where a wave comes by at that: at the last statement of its block that begins in front of it, wherever that has been
 * inlined. 0: there is none, or the shader was compiled as shipped. */
size_t hdb_symbols_find_print(const struct hdb_symbols *symbols, const struct hdb_print *print, uint32_t *pcs,
                              size_t capacity);

#endif
