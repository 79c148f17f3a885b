/* SPDX-License-Identifier: MIT */
/* The capture that is being written. */
#ifndef HDB_ENGINE_CAPTURE_H
#define HDB_ENGINE_CAPTURE_H

#include "engine/engine.h"

struct capture {
   struct hdb_capture_writer *writer;
   char *path;
   struct card *card; /* that the dispatches run on; NULL: none so far */
   bool selects;      /* dispatches are captured by a rule: */
   char *which;       /* that it selects, NULL: all */
   uint32_t left;     /* as many more */
   bool lone;         /* for the dispatches of one submission */
   bool ended;        /* no more are added */
   bool failed;       /* said; nothing is written any more */
   uint32_t count;    /* those that are */

   /* The rest of a dispatch that has been captured runs on without stopping: until its last workgroup begins, behind
    * which comes the next dispatch. */
   bool skips;
   uint32_t skipped; /* the dispatch's number */
   uint32_t last[3]; /* that workgroup */
};

/* capture_dispatch.c */
/* `wave` stands at its first instruction, all of the card are stopped. */
void capture_at_entry(struct hdb_engine *engine, struct dispatch *dispatch, struct hdb_wave *wave);
void capture_unrun(struct hdb_engine *engine, struct dispatch *dispatch); /* it has finished without a wave */

/* capture_memory.c */
/* All that is mapped. 0, or a negative errno: no state was written. */
int capture_write_state(struct capture *capture, struct hdb_machine *machine, bool after_submission, uint32_t *state);

#endif
