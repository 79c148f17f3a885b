/* SPDX-License-Identifier: MIT */
/* Watchpoints: what is watched, how the card does it, and what waves have done there. */
#ifndef HDB_WATCH_H
#define HDB_WATCH_H

#include "engine/engine.h"
#include "expr/expression.h"

enum watch_access { WATCH_READS = 1 << 0, WATCH_WRITES = 1 << 1 };

/* What a wave has done to it, until that is shown. */
struct hdb_expr_store;
struct watch_hit {
   uint32_t wave;
   enum watch_access access;
   bool found;                /* the instruction, in the wave's shader */
   bool which;                /* and the lanes that have done it */
   uint64_t pc;               /* of it */
   char *old_text, *new_text; /* the same if nothing has changed; may be NULL: no memory */
};

struct watch {
   struct card *card; /* NULL: it is gone */
   enum watch_access access;
   char *expression; /* as it was typed */
   char *type;
   uint64_t size;
   bool in_scratch;  /* of one lane; else in memory */
   uint64_t address; /* in scratch: from the start of the lane's */
   uint32_t wave, lane;
   bool placed;        /* a register of the card sees it, or */
   char *failure;      /* why none does; NULL: that is not known */
   uint32_t registers; /* of the card: those that see it, a bit for each */
   uint64_t low, high; /* what is to be seen: memory from low up to high */
   uint8_t *bytes;     /* when last looked at; NULL: they could not be read */
   char *text;         /* the same, as the debugger shows it */
   struct watch_hit *hits;
   size_t hit_count;
};

/* watch.c */
/* What a DAP dataId says: see watch_name. NULL: nothing, *error (to be freed) says so. */
struct watch *watch_create(struct hdb_engine *engine, const char *data_id, enum watch_access access, char **error);
void watch_destroy(struct watch *watch);
/* The dataId of an expression at a stopped wave, to be freed. NULL: *error (to be freed) says why it can't be watched.
 */
char *watch_name(const struct hdb_context *context, struct hdb_expr_store *store, const char *expression, char **error);
/* The lanes that have done to it what is watched for; 0: this stop is not about it. Notes the hit. */
uint64_t watch_judge(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave, struct watch *watch);
const struct watch_hit *watch_hit_by(const struct watch *watch, const struct hdb_wave *wave); /* NULL: none */
void watch_describe_hit(struct hdb_engine *engine, const struct watch *watch, struct hdb_wave *wave, json_t *body);

/* watch_access.c */
struct access {
   bool found; /* an instruction that touches it */
   uint64_t pc;
   enum watch_access kinds;
   uint64_t lanes; /* that do so; all active ones, where its addresses are not known any more */
   bool which;     /* they are known */
   bool elsewhere; /* the instruction's addresses are known, and it touches something else */
};
struct access watch_find_access(struct card *card, struct hdb_wave *wave, const struct watch *watch);

#endif
