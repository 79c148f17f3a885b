/* SPDX-License-Identifier: MIT */
/* The engine's thread: one poll loop over the client, the jobs of application threads and the devices. */
#include "engine/engine.h"

#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "dap/session.h"
#include "thread.h"

/* How often a machine is looked at that cannot wake us. */
#define POLL_INTERVAL_MS 2

#define MAX_POLLED 64

/* Enough for JSON nested as deep as jansson allows, and no more: the application may count its memory. */
#define STACK_SIZE (1 << 20)

/* ---- messages ---- */

static void
say(struct hdb_engine *engine, const struct hdb_device *device, enum hdb_severity severity, const char *format,
    va_list args)
{
   char *text;
   if (!engine_is_watched(engine) || vasprintf(&text, format, args) < 0)
      return;
   if (engine->session)
      session_send_event(engine->session, "output",
                         json_pack("{s:s, s:s+}", "category", "console", "output", text, "\n"));
   engine_tell_message(engine, device, severity, text);
   free(text);
}

void
engine_say(struct hdb_engine *engine, const char *format, ...)
{
   va_list args;
   va_start(args, format);
   say(engine, NULL, HDB_SEVERITY_INFO, format, args);
   va_end(args);
}

void
engine_warn(struct hdb_engine *engine, const char *format, ...)
{
   va_list args;
   va_start(args, format);
   say(engine, NULL, HDB_SEVERITY_WARNING, format, args);
   va_end(args);
}

void
device_say(struct hdb_device *device, const char *format, ...)
{
   va_list args;
   va_start(args, format);
   say(device->engine, device, HDB_SEVERITY_INFO, format, args);
   va_end(args);
}

void
device_warn(struct hdb_device *device, const char *format, ...)
{
   va_list args;
   va_start(args, format);
   say(device->engine, device, HDB_SEVERITY_WARNING, format, args);
   va_end(args);
}

void
engine_tell(struct hdb_engine *engine, const char *format, ...)
{
   char *text;
   va_list args;
   va_start(args, format);
   int length = vasprintf(&text, format, args);
   va_end(args);
   if (length < 0)
      return;
   if (engine_is_watched(engine))
      engine_say(engine, "%s", text);
   else
      fprintf(stderr, "hdb: %s\n", text);
   free(text);
}

/* ---- jobs ---- */

void
engine_wake(const struct hdb_engine *engine)
{
   uint64_t one = 1;
   if (write(engine->wake_fd, &one, sizeof(one)) < 0) {
      /* the counter is full: the thread will wake up anyway */
   }
}

static bool
is_inert(const struct hdb_engine *engine)
{
   return getpid() != engine->pid; /* a forked child has no engine's thread */
}

/* initial-exec: an access allocates nothing. */
static _Thread_local const struct hdb_engine *current __attribute__((tls_model("initial-exec")));

bool
engine_is_current(const struct hdb_engine *engine)
{
   return current == engine;
}

void
engine_finish_job(struct hdb_engine *engine, struct job *job)
{
   pthread_mutex_lock(&engine->lock);
   job->done = true;
   pthread_cond_broadcast(&engine->changed);
   pthread_mutex_unlock(&engine->lock);
}

void
engine_post_job(struct hdb_engine *engine, struct job *job)
{
   pthread_mutex_lock(&engine->lock);
   job->next = NULL;
   *engine->jobs_end = job;
   engine->jobs_end = &job->next;
   pthread_mutex_unlock(&engine->lock);
   engine_wake(engine);
}

bool
engine_run_job(struct hdb_engine *engine, struct job *job)
{
   if (is_inert(engine))
      return false;
   if (engine_is_current(engine)) { /* a callback of the application calls Vulkan */
      job->run(engine, job);
      return true;
   }
   engine_post_job(engine, job);
   pthread_mutex_lock(&engine->lock);
   while (!job->done)
      pthread_cond_wait(&engine->changed, &engine->lock);
   pthread_mutex_unlock(&engine->lock);
   return true;
}

/* Those that there are: more may come without end, and waves wait, too. */
static void
run_jobs(struct hdb_engine *engine)
{
   pthread_mutex_lock(&engine->lock);
   struct job *job = engine->jobs;
   engine->jobs = NULL;
   engine->jobs_end = &engine->jobs;
   pthread_mutex_unlock(&engine->lock);
   while (job) {
      struct job *next = job->next; /* a job that is done may be gone */
      job->run(engine, job);
      engine_follow_answer(engine); /* before the next one is told of the same stop */
      job = next;
   }
}

void
engine_set_ready(struct hdb_engine *engine)
{
   pthread_mutex_lock(&engine->lock);
   engine->ready = true;
   pthread_cond_broadcast(&engine->changed);
   pthread_mutex_unlock(&engine->lock);
}

/* ---- the loop ---- */

static void
loop_once(struct hdb_engine *engine)
{
   struct pollfd fds[MAX_POLLED] = {{.fd = engine->wake_fd, .events = POLLIN},
                                    {.fd = engine->listen_fd, .events = POLLIN},
                                    {.fd = -1, .events = POLLIN},
                                    {.fd = -1, .events = POLLIN}};
   nfds_t count = 4;
   int timeout = engine->step.active || engine->look_again ? 0 : -1; /* the machine waits for a stepped wave */
   engine->look_again = false;
   if (engine->session) {
      fds[2].fd = session_fd(engine->session);
      if (session_wants_to_write(engine->session))
         fds[2].events |= POLLOUT;
   }
   if (engine->refused)
      fds[3].fd = session_fd(engine->refused);
   for (struct card *card = engine->cards; card; card = card->next) {
      if (!card_is_armed(engine, card))
         continue;
      int fd = hdb_machine_event_fd(card->machine);
      if (fd >= 0 && count < MAX_POLLED)
         fds[count++] = (struct pollfd){.fd = fd, .events = POLLIN};
      else if (timeout < 0)
         timeout = POLL_INTERVAL_MS;
   }

   int prints_timeout = engine_prints_timeout(engine);
   if (timeout < 0 || (prints_timeout >= 0 && prints_timeout < timeout))
      timeout = prints_timeout;

   if (poll(fds, count, timeout) < 0 && errno != EINTR)
      timeout = 0;
   if (fds[0].revents) {
      uint64_t value;
      if (read(engine->wake_fd, &value, sizeof(value)) < 0) {
         /* somebody else's wake-up was taken along */
      }
   }
   run_jobs(engine);
   if (atomic_exchange(&engine->leaving, false))
      engine_leave(engine);
   engine_follow_answer(engine);
   for (struct card *card = engine->cards; card; card = card->next) {
      if (card_is_armed(engine, card))
         engine_check_card(engine, card);
   }
   if (fds[3].revents && !session_process(engine->refused)) {
      session_destroy(engine->refused);
      engine->refused = NULL;
   }
   if (fds[2].revents && engine->session && !session_process(engine->session))
      engine_end_session(engine);
   /* Behind the end of a session: the next client may have come since. */
   if (fds[1].revents && engine->listen_fd >= 0)
      engine_accept_client(engine);
}

static void *
run_thread(void *argument)
{
   struct hdb_engine *engine = argument;
   /* Numbers are read and written as shaders and clients do, whatever locale the application has. */
   locale_t c_locale = newlocale(LC_ALL_MASK, "C", NULL);
   if (c_locale)
      uselocale(c_locale);
   current = engine;
   if (engine->options.client_fd >= 0)
      engine->session = session_create(engine, engine->options.client_fd);
   if (!engine->session)
      engine_set_ready(engine);
   for (;;) {
      pthread_mutex_lock(&engine->lock);
      bool quit = engine->quit;
      pthread_mutex_unlock(&engine->lock);
      if (quit)
         break;
      loop_once(engine);
   }
   engine_abandon_capture(engine);
   engine_read_prints(engine, true);
   if (engine->session) {
      log_tell_dropped(engine);
      engine_tell_hits(engine);
      session_send_event(engine->session, "terminated", NULL);
   }
   engine_end_session(engine);
   session_destroy(engine->refused);
   run_jobs(engine);
   while (engine->devices)
      device_destroy(engine->devices);
   uselocale(LC_GLOBAL_LOCALE);
   if (c_locale)
      freelocale(c_locale);
   return NULL;
}

/* ---- creation ---- */

static void
free_engine(struct hdb_engine *engine)
{
   engine_stop_listening(engine);
   if (engine->wake_fd >= 0)
      close(engine->wake_fd);
   pthread_mutex_destroy(&engine->lock);
   pthread_cond_destroy(&engine->changed);
   engine_free_dispatches(engine);
   free((char *)engine->options.break_at);
   free((char *)engine->options.attach_to);
   free((char *)engine->options.helper);
   free((char *)engine->options.sysfs);
   free((char *)engine->options.second_level);
   free(engine);
}

int
hdb_engine_create(const struct hdb_engine_options *options, struct hdb_engine **out)
{
   struct hdb_engine *engine = calloc(1, sizeof(*engine));
   if (!engine)
      return -ENOMEM;
   engine->options = *options;
   engine->options.break_at = options->break_at ? strdup(options->break_at) : NULL;
   engine->options.attach_to = options->attach_to ? strdup(options->attach_to) : NULL;
   engine->options.helper = options->helper ? strdup(options->helper) : NULL;
   engine->options.sysfs = options->sysfs ? strdup(options->sysfs) : NULL;
   engine->options.second_level = options->second_level ? strdup(options->second_level) : NULL;
   engine->pid = getpid();
   engine->listen_fd = -1;
   engine->stop_frame = UINT32_MAX;
   engine_check_names(options->attach_to);
   engine->jobs_end = &engine->jobs;
   engine->submits_end = &engine->submits;
   pthread_mutex_init(&engine->lock, NULL);
   pthread_cond_init(&engine->changed, NULL);
   engine->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
   if (engine->wake_fd < 0) {
      int result = -errno;
      free_engine(engine);
      return result;
   }
   if (options->listen)
      engine_listen(engine);
   int result = hdb_thread_start(&engine->thread, "hdb", STACK_SIZE, run_thread, engine);
   if (result) {
      free_engine(engine);
      return result;
   }
   pthread_mutex_lock(&engine->lock);
   while (!engine->ready)
      pthread_cond_wait(&engine->changed, &engine->lock);
   pthread_mutex_unlock(&engine->lock);
   engine_watch_exit(engine);
   *out = engine;
   return 0;
}

void
hdb_engine_destroy(struct hdb_engine *engine)
{
   if (!engine || is_inert(engine))
      return;
   engine_forget_exit();
   pthread_mutex_lock(&engine->lock);
   engine->quit = true;
   pthread_mutex_unlock(&engine->lock);
   engine_wake(engine);
   pthread_join(engine->thread, NULL);
   free_engine(engine);
}
