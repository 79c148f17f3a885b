/* SPDX-License-Identifier: MIT */
/* Threads in the application's process. */
#ifndef HDB_THREAD_H
#define HDB_THREAD_H

#include <pthread.h>
#include <signal.h>

/* The application's signals are for its own threads: this one takes none. 0, or a negative errno. */
static inline int
hdb_thread_start(pthread_t *thread, const char *name, size_t stack_size, void *(*run)(void *user), void *user)
{
   pthread_attr_t attributes;
   sigset_t all, old;
   pthread_attr_init(&attributes);
   pthread_attr_setstacksize(&attributes, stack_size);
   sigfillset(&all);
   pthread_sigmask(SIG_SETMASK, &all, &old);
   int result = pthread_create(thread, &attributes, run, user);
   pthread_sigmask(SIG_SETMASK, &old, NULL);
   pthread_attr_destroy(&attributes);
   if (!result)
      pthread_setname_np(*thread, name);
   return -result;
}

#endif
