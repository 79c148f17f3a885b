/* SPDX-License-Identifier: MIT */
/* Clients: the socket that they come to, what begins with a session, and what its end leaves behind: nothing. */
#include "engine/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dap/inspection.h"
#include "dap/listen.h"
#include "dap/session.h"

/* ---- the socket ---- */

/* The socket must not outlive the process; exit() without hdb_engine_destroy is common. */
static char exit_path[sizeof(((struct hdb_engine *)0)->socket_path)];
static pid_t exit_pid;

static void
remove_socket_at_exit(void)
{
   if (exit_path[0] && getpid() == exit_pid)
      unlink(exit_path);
   exit_path[0] = 0;
}

void
engine_listen(struct hdb_engine *engine)
{
   static bool registered;
   int fd = listen_create(engine->socket_path, sizeof(engine->socket_path));
   if (fd < 0) {
      if (engine->options.listen_asked)
         fprintf(stderr, "hdb: not listening for debuggers: %s: %s\n", engine->socket_path, strerror(-fd));
      engine->socket_path[0] = 0;
      return;
   }
   engine->listen_fd = fd;
   exit_pid = engine->pid;
   memcpy(exit_path, engine->socket_path, sizeof(exit_path));
   if (!registered)
      atexit(remove_socket_at_exit);
   registered = true;
}

void
engine_stop_listening(struct hdb_engine *engine)
{
   if (engine->listen_fd >= 0)
      close(engine->listen_fd);
   engine->listen_fd = -1;
   remove_socket_at_exit();
}

void
engine_accept_client(struct hdb_engine *engine)
{
   int fd = listen_accept(engine->listen_fd);
   if (fd < 0)
      return;
   if (!engine->session) {
      engine_reopen_cards(engine);
      engine->session = session_create(engine, fd);
      return;
   }
   session_destroy(engine->refused);
   engine->refused = session_create(engine, fd);
}

const char *
hdb_engine_socket_path(struct hdb_engine *engine)
{
   return engine->socket_path[0] ? engine->socket_path : NULL;
}

/* ---- sessions ---- */

void
engine_want(struct hdb_engine *engine, enum wanted_by by, bool on)
{
   if (on)
      atomic_fetch_or(&engine->wanted, by);
   else
      atomic_fetch_and(&engine->wanted, ~by);
}

static void
update_has_client(struct hdb_engine *engine)
{
   bool has_client = engine->session && session_is_configured(engine->session);
   engine_want(engine, WANTED_BY_CLIENT, has_client);
   engine_listen_to_prints(engine, LISTENER_CLIENT, has_client);
}

bool
hdb_engine_has_client(struct hdb_engine *engine)
{
   return atomic_load(&engine->wanted) & WANTED_BY_CLIENT;
}

/* Calls add(item) for each item of a comma list. */
static void
for_each_item(struct hdb_engine *engine, const char *list, void (*add)(struct hdb_engine *engine, const char *item))
{
   char *copy = list ? strdup(list) : NULL, *rest = copy, *item;
   while (rest && (item = strsep(&rest, ","))) {
      if (*item)
         add(engine, item);
   }
   free(copy);
}

static void
add_line(struct hdb_engine *engine, const char *item)
{
   char *file = strdup(item), *colon = file ? strrchr(file, ':') : NULL, *end;
   unsigned long line = colon ? strtoul(colon + 1, &end, 10) : 0;
   if (!line || *end) {
      engine_say(engine, "break_at: \"%s\" is not FILE:LINE", item);
   } else {
      *colon = 0;
      struct breakpoint *breakpoint = engine_add_breakpoint(engine, BREAKPOINT_SOURCE, file, line, 0);
      if (breakpoint) {
         breakpoint->permanent = true;
         engine_bind_breakpoint(engine, breakpoint);
      }
   }
   free(file);
}

void
engine_check_names(const char *list)
{
   char *copy = list ? strdup(list) : NULL, *rest = copy, *item, *error;
   while (rest && (item = strsep(&rest, ","))) {
      if (*item && selector_check(item, &error)) {
         fprintf(stderr, "hdb: attach: %s: %s\n", item, error ? error : "out of memory");
         free(error);
      }
   }
   free(copy);
}

static void
add_name(struct hdb_engine *engine, const char *item)
{
   struct breakpoint *breakpoint = engine_add_breakpoint(engine, BREAKPOINT_FUNCTION, item, 0, 0);
   if (breakpoint)
      breakpoint->permanent = true;
}

void
engine_begin_session(struct hdb_engine *engine)
{
   for_each_item(engine, engine->options.break_at, add_line);
   for_each_item(engine, engine->options.attach_to, add_name);
   engine_bind_all_breaks(engine);
   update_has_client(engine);
   engine_tell_lost_cards(engine);
   engine_show_held_stop(engine);
   engine_set_ready(engine);
}

void
engine_end_session(struct hdb_engine *engine)
{
   if (!engine->session)
      return;
   session_destroy(engine->session);
   engine->session = NULL;
   inspection_destroy(engine->inspection);
   engine->inspection = NULL;
   if (engine->options.client_ended)
      engine->options.client_ended();
   update_has_client(engine);
   engine->ask = engine->ask_in_frames = engine->names_in_frames = engine->pause_next = engine->filtered = false;
   engine_drop_trigger(engine, HDB_TRIGGER_STOP);
   if (engine->triggers[HDB_TRIGGER_CAPTURE].of_session && !engine->triggers[HDB_TRIGGER_CAPTURE].begun)
      engine_drop_trigger(engine, HDB_TRIGGER_CAPTURE);
   engine_end_selected_capture(engine);
   engine_abandon_step(engine);
   engine_remove_all_breakpoints(engine);
   engine_forget_stop(engine);
   engine_apply_filter(engine);
   for (struct card *card = engine->cards; card; card = card->next) {
      engine_capture_entries(engine, card);
      hdb_machine_resume_all(card->machine);
   }
   for (struct hdb_device *device = engine->devices; device; device = device->next)
      device->failure_said = false; /* the next one is told, too */
   engine->offer_seq = 0;
   engine_continue_submits(engine);
   engine_set_ready(engine);
}
