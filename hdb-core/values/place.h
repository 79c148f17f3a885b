/* SPDX-License-Identifier: MIT */
/* Objects of a shader in a stopped wave: reading and writing their bytes, lane by lane, wherever they are. */
#ifndef HDB_PLACE_H
#define HDB_PLACE_H

#include "hdb_core.h"
#include "stop/machine.h"
#include "symbols/variables.h"

/* What an expression is evaluated in. */
struct hdb_context {
   struct hdb_machine *machine;
   struct hdb_wave *wave;
   struct hdb_symbols *symbols; /* NULL: the wave's shader has none, registers are all there is */
   uint32_t frame;              /* 0: innermost */
   uint32_t lane;
   bool all_lanes; /* what is written to `lane` is written to every active lane, one after the other */
   const struct hdb_dispatch *dispatch;     /* as recorded; NULL: not known */
   const struct hdb_object_source *objects; /* NULL: none are named */
};

enum hdb_place_kind {
   HDB_PLACE_MEMORY,  /* GPU virtual address */
   HDB_PLACE_LDS,     /* bytes from the start of the workgroup's */
   HDB_PLACE_SCRATCH, /* bytes from the start of the lane's */
   HDB_PLACE_PIECES,  /* registers and the like; offset in the variable */
   HDB_PLACE_BYTES    /* the value itself, which is nowhere */
};

struct hdb_place {
   enum hdb_place_kind kind;
   uint64_t address;
   uint64_t size; /* bytes of the object that it is in, from `address` on; reading beyond them is -ERANGE */
   bool read_only;
   struct hdb_piece *pieces; /* to be freed by hdb_place_finish */
   size_t piece_count;
   uint8_t *bytes; /* the same */
   char *object;   /* what it is in, for messages: "buffer \"blades\"", or NULL */
};

void hdb_place_finish(struct hdb_place *place);

/* The named object that an address is in, or -ENOENT. */
int hdb_context_object_at(const struct hdb_context *context, uint64_t va, struct hdb_object *object);

/* Where a symbol is. -ENOENT: nowhere; *error (to be freed) says why, in a word or two: "optimized out", "not bound".
 */
int hdb_place_find(const struct hdb_context *context, const struct hdb_symbol *symbol, struct hdb_place *place,
                   char **error);
/* The same for an element of an array of blocks or handles (descriptor arrays, bindless). */
int hdb_place_find_element(const struct hdb_context *context, const struct hdb_symbol *symbol, uint64_t element,
                           struct hdb_place *place, char **error);

/* How many of them the binding has; not exact: a set may have fewer (variable counts). 0: there is no such binding. */
uint64_t hdb_place_count_elements(const struct hdb_context *context, const struct hdb_symbol *symbol, bool *exact);

/* `offset` counts from the place's address. Data are those of context->lane. -ERANGE, -EFAULT, -ENOENT (a piece is
 * unavailable); *error (to be freed) says what. Writing takes effect in that lane alone where the place has lanes. */
int hdb_place_read(const struct hdb_context *context, const struct hdb_place *place, uint64_t offset, void *data,
                   size_t size, char **error);
int hdb_place_write(const struct hdb_context *context, const struct hdb_place *place, uint64_t offset, const void *data,
                    size_t size, char **error);

#endif
