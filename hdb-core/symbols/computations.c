/* SPDX-License-Identifier: MIT */
/* Computations, each kept once. */
#include "symbols/unit.h"
#include "symbols/variables.h"

#include <string.h>

#define MAX_SIZE 256 /* computations in a computation: for every lane, all are carried out */

struct unit_computation {
   struct hdb_computation computation; /* comes first: it is what others see */
   struct unit_computation *next;
   uint32_t size;
};

static bool
equal(const struct hdb_computation *a, const struct hdb_computation *b)
{
   return a->kind == b->kind && a->bits == b->bits && a->what == b->what && a->number == b->number &&
          a->from == b->from && memcmp(a->operands, b->operands, sizeof(a->operands)) == 0 &&
          a->piece.kind == b->piece.kind && a->piece.size == b->piece.size && a->piece.where == b->piece.where &&
          a->piece.byte == b->piece.byte && memcmp(a->piece.bytes, b->piece.bytes, sizeof(a->piece.bytes)) == 0;
}

static size_t
hash(const struct hdb_computation *computation)
{
   uint64_t hash = computation->kind * 31u + computation->what;
   hash = hash * 31 + computation->number;
   hash = hash * 31 + computation->piece.where;
   hash = hash * 31 + computation->piece.bytes[0];
   for (int i = 0; i < 3; i++)
      hash = hash * 31 + (uintptr_t)computation->operands[i] / sizeof(void *);
   return (hash ^ hash >> 8) % UNIT_COMPUTATION_LISTS;
}

const struct hdb_computation *
symbols_keep_computation(struct hdb_symbols *symbols, const struct hdb_computation *computation)
{
   struct unit_computation **list = &symbols->table->computations[hash(computation)];
   uint32_t size = 1;
   for (struct unit_computation *kept = *list; kept; kept = kept->next) {
      if (equal(&kept->computation, computation))
         return &kept->computation;
   }
   for (int i = 0; i < 3; i++) {
      if (computation->operands[i])
         size += ((const struct unit_computation *)computation->operands[i])->size;
   }
   struct unit_computation *added = size <= MAX_SIZE ? unit_alloc(symbols, sizeof(*added)) : NULL;
   if (!added)
      return NULL;
   *added = (struct unit_computation){*computation, *list, size};
   *list = added;
   return &added->computation;
}
