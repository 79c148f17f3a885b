/* SPDX-License-Identifier: MIT */
#include "kmd/shared_log.h"

#include <errno.h>

enum { PENDING = 1 };

/* Whoever died with the lock left at worst an entry that he would have signalled: it is buried with him. */
static void
lock(struct shared_log *log)
{
   if (pthread_mutex_lock(&log->lock) == EOWNERDEAD)
      pthread_mutex_consistent(&log->lock);
}

static void
unlock(struct shared_log *log)
{
   pthread_mutex_unlock(&log->lock);
}

static struct shared_log_entry *
at(struct shared_log *log, uint64_t serial)
{
   return &log->entries[serial % SHARED_LOG_ENTRIES];
}

void
shared_log_init(struct shared_log *log)
{
   pthread_mutexattr_t attributes;
   pthread_mutexattr_init(&attributes);
   pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
   pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
   pthread_mutex_init(&log->lock, &attributes);
   pthread_mutexattr_destroy(&attributes);
   log->chain = 1;
}

uint32_t
shared_log_join(struct shared_log *log)
{
   lock(log);
   uint32_t member = ++log->members;
   unlock(log);
   return member;
}

uint64_t
shared_log_append(struct shared_log *log, uint32_t member, bool replace, uint64_t point)
{
   uint64_t serial = 0;
   lock(log);
   if (log->last - log->done < SHARED_LOG_ENTRIES) {
      serial = log->last + 1;
      if (replace) {
         log->chain = serial;
         log->reached = 0;
      }
      *at(log, serial) = (struct shared_log_entry){point, log->chain, member, PENDING};
      log->last = serial;
   }
   unlock(log);
   return serial;
}

static void
advance(struct shared_log *log)
{
   while (log->done < log->last && at(log, log->done + 1)->status != PENDING) {
      log->done++;
      if (log->done >= log->chain && at(log, log->done)->point > log->reached)
         log->reached = at(log, log->done)->point;
   }
}

void
shared_log_complete(struct shared_log *log, uint64_t serial, int status)
{
   lock(log);
   at(log, serial)->status = status;
   advance(log);
   unlock(log);
}

void
shared_log_reset(struct shared_log *log)
{
   lock(log);
   log->chain = log->last + 1;
   log->reached = 0;
   unlock(log);
}

/* The first entry of the chain that may not have signalled. */
static uint64_t
first_of(const struct shared_log *log, uint64_t chain)
{
   return chain > log->done ? chain : log->done + 1;
}

/* The present chain's, if one before it holds `done` up. */
static uint64_t
reached(struct shared_log *log)
{
   uint64_t point = log->reached;
   for (uint64_t i = first_of(log, log->chain); i <= log->last && at(log, i)->status != PENDING; i++)
      point = at(log, i)->point > point ? at(log, i)->point : point;
   return point;
}

int
shared_log_find(struct shared_log *log, uint64_t point, uint64_t *serial)
{
   int r = 0;
   lock(log);
   if (log->chain > log->last) {
      r = -EINVAL;
   } else if (!point) {
      *serial = log->last;
   } else if (reached(log) >= point) {
      *serial = 0;
   } else {
      uint64_t i = first_of(log, log->chain);
      while (i <= log->last && at(log, i)->point < point)
         i++;
      *serial = i;
      r = i <= log->last ? 0 : -EINVAL;
   }
   unlock(log);
   return r;
}

bool
shared_log_is_done(struct shared_log *log, uint64_t serial, int *error)
{
   lock(log);
   bool done = true;
   *error = 0;
   if (log->last - serial < SHARED_LOG_ENTRIES) { /* else it is long gone */
      for (uint64_t i = first_of(log, at(log, serial)->chain); i <= serial && done; i++)
         done = at(log, i)->status != PENDING;
      if (done)
         *error = at(log, serial)->status;
   }
   unlock(log);
   return done;
}

uint64_t
shared_log_last_point(struct shared_log *log, bool submitted)
{
   lock(log);
   uint64_t point = log->chain > log->last ? 0 : submitted ? at(log, log->last)->point : reached(log);
   unlock(log);
   return point;
}

uint32_t
shared_log_next_pending(struct shared_log *log, uint64_t *serial)
{
   uint32_t member = 0;
   lock(log);
   for (uint64_t i = first_of(log, *serial); i <= log->last && !member; i++) {
      if (at(log, i)->status == PENDING)
         member = at(log, i)->member;
      *serial = i + 1;
   }
   unlock(log);
   return member;
}

bool
shared_log_bury(struct shared_log *log, uint32_t member, int status)
{
   bool any = false;
   lock(log);
   for (uint64_t i = log->done + 1; i <= log->last; i++) {
      if (at(log, i)->status == PENDING && at(log, i)->member == member) {
         at(log, i)->status = status;
         any = true;
      }
   }
   advance(log);
   unlock(log);
   return any;
}
