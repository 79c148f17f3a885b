/* SPDX-License-Identifier: MIT */
/*
 * exit() in the middle of the engine's life: programs need not destroy their instance. What the client has yet to take
 * of log lines gets a moment to go out. The program ends in any case, and soon: its thread takes no lock here, since it
 * may have left one locked (a signal handler that calls exit()), and waits no longer than LIMIT_MS.
 */
#include "engine/engine.h"

#include <errno.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include "dap/session.h"

#define LIMIT_MS 2000

static _Atomic(struct hdb_engine *) living;
static sem_t left;

void
engine_watch_exit(struct hdb_engine *engine)
{
   sem_init(&left, 0, 0);
   living = engine;
}

void
engine_forget_exit(void)
{
   living = NULL;
}

static void
tell_rest(struct hdb_engine *engine)
{
   if (!engine->session)
      return;
   engine_read_prints(engine, true);
   log_tell_dropped(engine);
   engine_tell_hits(engine);
   session_drain(engine->session);
}

void
engine_leave(struct hdb_engine *engine)
{
   tell_rest(engine);
   sem_post(&left);
}

/* Behind what the program has left to atexit(). */
__attribute__((destructor)) static void
wait_for_engine(void)
{
   struct hdb_engine *engine = living;
   struct timespec deadline;
   if (!engine || getpid() != engine->pid)
      return;
   if (engine_is_current(engine)) { /* a callback of the application ends it */
      tell_rest(engine);
      return;
   }
   clock_gettime(CLOCK_MONOTONIC, &deadline);
   deadline.tv_sec += LIMIT_MS / 1000;
   engine->leaving = true;
   engine_wake(engine);
   while (sem_clockwait(&left, CLOCK_MONOTONIC, &deadline) < 0 && errno == EINTR)
      continue;
}
