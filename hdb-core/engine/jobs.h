/* SPDX-License-Identifier: MIT */
/* Work that application threads hand over. Part of engine.h. */
#ifndef HDB_ENGINE_JOBS_H
#define HDB_ENGINE_JOBS_H

#include "hdb_core.h"

struct job {
   void (*run)(struct hdb_engine *engine, struct job *job);
   bool done; /* set by engine_finish_job, by run() or later */
   struct job *next;
};

void engine_post_job(struct hdb_engine *engine, struct job *job);
bool engine_run_job(struct hdb_engine *engine, struct job *job); /* waits; false: there is no engine's thread here */
bool engine_is_current(const struct hdb_engine *engine);         /* this is its thread */
void engine_finish_job(struct hdb_engine *engine, struct job *job);

#endif
