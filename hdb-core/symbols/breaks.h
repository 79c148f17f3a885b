/* SPDX-License-Identifier: MIT */
/* Where a shader stops of its own accord: NonSemantic.DebugBreak. */
#ifndef HDB_BREAKS_H
#define HDB_BREAKS_H

#include "symbols/symbols.h"

struct hdb_break {
   uint32_t spirv_offset, block; /* of the instruction, and of the label in front of it */
};

/* Whether a module has any: a look at its imports. */
bool hdb_shader_breaks(const struct hdb_shader *shader);
/* All of them, up to `capacity`; how many. */
size_t hdb_symbols_breaks(struct hdb_symbols *symbols, struct hdb_break *breaks, size_t capacity);
/* Where a wave comes by at that: at the last statement of its block that begins in front of it, wherever that has been
 * inlined. 0: there is none, or the shader was compiled as shipped. */
size_t hdb_symbols_find_break(const struct hdb_symbols *symbols, const struct hdb_break *position, uint32_t *pcs,
                              size_t capacity);

#endif
