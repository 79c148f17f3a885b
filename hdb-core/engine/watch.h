/* SPDX-License-Identifier: MIT */
/* Watchpoints: what is watched, how the card does it, and what waves have done there. */
#ifndef HDB_WATCH_H
#define HDB_WATCH_H

#include "engine/engine.h"
#include "expr/expression.h"

enum watch_access { WATCH_READS = 1 << 0, WATCH_WRITES = 1 << 1 };

/* What a wave has done to it, until that is shown. Texts may be NULL: not known, or no memory. */
struct hdb_expr_store;
struct watch_hit {
   uint32_t wave;
   uint32_t period;
   enum watch_access access;
   bool found;                /* the instruction, in the wave's shader */
   bool which;                /* and the lanes that have done it */
   uint64_t pc;               /* of it */
   bool changed;              /* as far as is known */
   bool shared;               /* others have written, too, in an order that can't be told: old_text was there first */
   uint8_t *left;             /* by its instruction */
   char *old_text, *new_text; /* before and behind its instruction; the old one if it has changed */
   char *now_text;            /* when it was looked at, if that is something else */
};

struct watch {
   struct card *card; /* NULL: it is gone */
   enum watch_access access;
   char *expression; /* as it was typed */
   char *type;
   uint64_t size;
   bool in_register; /* of one wave, which is stepped; see watch_stepped.c */
   bool in_scratch;  /* of one lane; else in memory */
   uint64_t address; /* in scratch: from the start of the lane's */
   uint32_t wave, lane;
   uint64_t pc;        /* of the wave, when its register was last looked at */
   bool placed;        /* a register of the card sees it, or */
   char *failure;      /* why none does; NULL: that is not known */
   uint32_t registers; /* of the card: those that see it, a bit for each */
   uint64_t low, high; /* what is to be seen: memory from low up to high */
   uint32_t period;    /* goes up when waves run on */
   uint8_t *bytes;     /* when it began; NULL: they could not be read */
   char *text;         /* the same, as the debugger shows it */
   uint8_t *followed;  /* what each wave's own instruction has made of them since, as far as the card tells; or NULL */
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
/* Takes the texts and bytes over. */
void watch_set_value(struct watch *watch, uint8_t *bytes, char *text);
/* To be freed. NULL: they can't be read. */
uint8_t *watch_read(const struct watch *watch, struct hdb_wave *viewer);
/* What waves read there is `bytes`, up to hdb_wave_pretend_nothing. */
void watch_pretend(const struct watch *watch, const uint8_t *bytes);
/* Bytes as the type shows them; another shader may not know that. To be freed. */
char *watch_print(struct hdb_engine *engine, const struct watch *watch, struct hdb_wave *viewer, const uint8_t *bytes);

/* watch_hits.c */
/* The lanes that have done to it what is watched for; 0: this stop is not about it. Notes the hit. */
uint64_t watch_judge(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave, struct watch *watch);
/* What the wave's hit is described by; NULL: it has none. */
json_t *watch_describe_hit(struct hdb_engine *engine, const struct watch *watch, struct hdb_wave *wave);
void watch_tell_hit(const struct watch *watch, const struct hdb_wave *wave, json_t *body); /* in words */
/* What is watched as the wave's instruction has left it. NULL: that is not known. */
const uint8_t *watch_left_by(const struct watch *watch, const struct hdb_wave *wave);
/* Which of all that watches have seen it was, where the card tells; otherwise 0. */
uint64_t watch_order(struct card *card, const struct hdb_wave *wave);
void watch_note_hit(struct watch *watch, const struct watch_hit *hit); /* takes the texts over */
void watch_begin_period(struct watch *watch);                          /* waves run on: hits of those that did go */
void watch_forget_hits(struct watch *watch);

/* watch_stepped.c */
void watch_look_at_register(struct hdb_engine *engine, struct watch *watch);
uint64_t watch_judge_register(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave, struct watch *watch);

/* watch_access.c */
/* The active ones; all, where none is (any more): scalar instructions need none. */
uint64_t watch_possible_lanes(const struct hdb_wave *wave);
struct access {
   bool found; /* an instruction that touches it */
   uint64_t pc;
   enum watch_access kinds;
   uint64_t lanes;               /* that do so; all active ones, where its addresses are not known any more */
   bool which;                   /* they are known */
   bool elsewhere;               /* the instruction's addresses are known, and it touches something else */
   bool scratch;                 /* they are offsets in the lane's scratch */
   bool found_known, left_known; /* done.before, done.after are */
   struct hdb_watched done;
};
struct access watch_find_access(struct card *card, struct hdb_wave *wave, const struct watch *watch);
/* Each lane's bytes that are watched, from where they are in `from` to where they belong in `bytes`, which starts at
 * watch->address. Of several lanes' the last one's. */
void watch_overlay(const struct watch *watch, const struct access *access, const uint8_t from[64][16], uint8_t *bytes);

#endif
