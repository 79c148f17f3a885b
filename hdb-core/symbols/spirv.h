/* SPDX-License-Identifier: MIT */
/* What the debugger wants from a SPIR-V module: its files, and for every byte offset the place in them. */
#ifndef HDB_SPIRV_H
#define HDB_SPIRV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPIRV_NONE UINT32_MAX

struct spirv_file {
   const char *name; /* points into the module */
   char *text;       /* NULL: the module has none */
   size_t text_size;
};

struct spirv_function {
   char *name;          /* as in the source; NULL: unknown */
   uint32_t file, line; /* of its declaration; file SPIRV_NONE: unknown */
};

/* A call that a SPIR-V optimiser has inlined: the place of the call, and the inlining that the call itself is in. */
struct spirv_inlining {
   uint32_t file, line, function; /* SPIRV_NONE: unknown */
   uint32_t outer;                /* SPIRV_NONE: not inlined */
   uint32_t id, scope;            /* of its DebugInlinedAt, and of the scope of the call */
};

/* In force from `offset` (bytes) up to the next place. */
struct spirv_place {
   uint32_t offset;
   uint32_t file;         /* SPIRV_NONE: no line known */
   uint32_t line, column; /* from 1; column 0: unknown */
   uint32_t function;
   uint32_t inlining;
   uint32_t scope; /* id of the debug instruction of its scope; 0: none */
};

struct spirv_module {
   struct spirv_file *files;
   struct spirv_function *functions;
   struct spirv_inlining *inlinings;
   struct spirv_place *places; /* sorted by offset */
   uint32_t *keys;             /* sorted offsets of the instructions where a statement takes effect, see spirv_is_key */
   size_t file_count, function_count, inlining_count, place_count, key_count;
};

/* Several modules may stand one behind the other; offsets count from the first one's start, and what is found of them
 * is one. `words` must outlive it. -EINVAL: a module is malformed, *error says how (to be freed). -ENOMEM. */
int spirv_module_init(struct spirv_module *module, const uint32_t *words, size_t size, char **error);
void spirv_module_finish(struct spirv_module *module);

/* The place of the instruction at a byte offset, or NULL outside of functions. */
const struct spirv_place *spirv_find_place(const struct spirv_module *module, uint32_t offset);

/* Whether the instruction is a store, a terminator, a barrier, another side effect, or defines what a store stores. */
bool spirv_is_key(const struct spirv_module *module, uint32_t offset);

#endif
