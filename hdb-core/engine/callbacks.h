/* SPDX-License-Identifier: MIT */
/* A stop as the application's callbacks have it (hdb/hdb.h): what its functions share. */
#ifndef HDB_CALLBACKS_H
#define HDB_CALLBACKS_H

#include "engine/engine.h"
#include "hdb/hdb.h"

struct kept;

struct stop {
   struct hdb_stop facts; /* first: it is what the callbacks are given */
   struct hdb_engine *engine;
   struct card *card;
   struct kept *kept; /* what was returned lives until the callback returns */
   char *failure;     /* facts.error */
   struct hdb_resource_list resources;
};

static inline struct stop *
stop_of(const struct hdb_stop *facts)
{
   return (struct stop *)facts;
}

/* Zeroed, or NULL; and a copy of a string (NULL: of none). */
void *stop_keep(struct stop *stop, size_t size);
const char *stop_keep_text(struct stop *stop, const char *text);

/* Notes what was wrong. Returns `result`. */
int stop_fail(struct stop *stop, int result, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* As hdb.h numbers waves and lanes; -ESRCH, -EINVAL. */
int stop_find_wave(struct stop *stop, uint32_t number, struct hdb_wave **wave);
int stop_find_lane(struct stop *stop, uint32_t number, uint32_t *lane, struct hdb_wave **wave);

/* callback_values.c */
extern const struct hdb_stop_functions stop_functions;

#endif
