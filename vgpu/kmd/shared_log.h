/* SPDX-License-Identifier: MIT */
/*
 * A syncobj in memory that several processes have mapped: a log of the fences that were put into it, each of which is
 * signalled by the process (the member) that put it there. Entries have serial numbers from 1 on.
 *
 * A syncobj has a chain of fences: a fence that replaces all before begins one, a point of a timeline is added to it.
 * An entry has signalled when it and all before it in its chain have.
 */
#ifndef VGPU_SHARED_LOG_H
#define VGPU_SHARED_LOG_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { SHARED_LOG_ENTRIES = 16384 }; /* that have not signalled; untouched pages cost nothing */

struct shared_log_entry {
   uint64_t point; /* 0: no timeline */
   uint64_t chain; /* the serial that its chain begins with */
   uint32_t member;
   int32_t status; /* 1: not yet signalled; 0 or negative errno */
};

struct shared_log {
   pthread_mutex_t lock;
   uint32_t members; /* that have ever been; their numbers count from 1 */
   uint32_t bell;    /* what is written to the file to say that something has changed */
   uint64_t last;    /* the newest entry; 0: none */
   uint64_t done;    /* all up to this one have signalled */
   uint64_t chain;   /* the present one; beyond `last`: there is no fence */
   uint64_t reached; /* the last point of the present chain among those up to `done` */
   struct shared_log_entry entries[SHARED_LOG_ENTRIES];
};

void shared_log_init(struct shared_log *log); /* memory that is 0 */
uint32_t shared_log_join(struct shared_log *log);

/* A new entry that has not signalled; `replace`: it begins a chain. Its serial; 0: the log is full. */
uint64_t shared_log_append(struct shared_log *log, uint32_t member, bool replace, uint64_t point);
void shared_log_complete(struct shared_log *log, uint64_t serial, int status);
void shared_log_reset(struct shared_log *log); /* no fence */

/* The entry whose signal means that the point is reached, 0 in it that it has been; point 0: the whole chain. -EINVAL:
 * there is none yet. */
int shared_log_find(struct shared_log *log, uint64_t point, uint64_t *serial);
bool shared_log_is_done(struct shared_log *log, uint64_t serial, int *error);
uint64_t shared_log_last_point(struct shared_log *log, bool submitted);

/* Who is to signal the oldest entry at or after *serial that has not signalled; *serial becomes the one after it. 0:
 * there is none. */
uint32_t shared_log_next_pending(struct shared_log *log, uint64_t *serial);

/* Signals all that is left of a member that is gone. Whether there was any. */
bool shared_log_bury(struct shared_log *log, uint32_t member, int status);

#endif
