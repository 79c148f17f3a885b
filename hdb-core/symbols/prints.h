/* SPDX-License-Identifier: MIT */
/* What a module prints, NonSemantic.DebugPrintf: formats, and what the values are that the GPU gives (hdb_driver.h). */
#ifndef HDB_PRINTS_H
#define HDB_PRINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/types.h"

/* A scalar or a vector. */
struct hdb_print_argument {
   enum hdb_type_kind kind; /* BOOL, INT, UINT, FLOAT; an address is a UINT */
   uint32_t bits, components;
};

struct hdb_print {
   uint32_t spirv_offset; /* from the start of the module */
   char *format;
   struct hdb_print_argument *arguments;
   size_t argument_count;
   uint32_t dwords; /* of one lane's values */
   char *error;     /* why it can't be printed; NULL: it can */
};

/* Of one module, sorted by offset. */
struct hdb_prints {
   struct hdb_print *prints;
   size_t count;
};

/* Whether any of the modules in there prints: a look at their imports. */
bool hdb_module_prints(const uint32_t *words, size_t count);
/* Of the first module; what is damaged has as many as can be read. 0, or -ENOMEM. */
int hdb_prints_init(struct hdb_prints *prints, const uint32_t *words, size_t count);
void hdb_prints_finish(struct hdb_prints *prints);
const struct hdb_print *hdb_prints_find(const struct hdb_prints *prints, uint32_t spirv_offset);

#endif
