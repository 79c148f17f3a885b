/* SPDX-License-Identifier: MIT */
/* What people see of a stop, and small helpers for reading messages. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

/* In one write, if there is memory: the program may be writing to the same terminal. */
int
error(const char *format, ...)
{
   char *text;
   va_list arguments;
   fflush(stdout);
   va_start(arguments, format);
   if (vasprintf(&text, format, arguments) < 0)
      text = NULL;
   va_end(arguments);
   dprintf(STDERR_FILENO, "hdb: %s\n", text ? text : "out of memory");
   free(text);
   return -1;
}

const char *
json_text(json_t *object, const char *key)
{
   const char *text = json_string_value(json_object_get(object, key));
   return text ? text : "";
}

int64_t
json_number(json_t *object, const char *key)
{
   return json_integer_value(json_object_get(object, key));
}

bool
parse_unsigned(const char *text, uint64_t *value)
{
   if (text[0] < '0' || text[0] > '9')
      return false;
   bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
   char *end;
   errno = 0;
   *value = strtoull(text, &end, hex ? 16 : 10);
   return *end == '\0' && errno == 0;
}

int
need_stop(struct session *session)
{
   session_poll(session);
   if (session->state == SESSION_STOPPED)
      return 0;
   return error(session->state == SESSION_IDLE ? "the program is not being run; `run` starts it"
                : session->state == SESSION_RUNNING
                   ? "nothing is stopped; `continue` waits for a stop, `pause` makes one"
                   : "nothing is stopped");
}

static const struct breakpoint *
find_hit(struct session *session, const json_t *id)
{
   for (struct breakpoint *b = session->breakpoints; id && b; b = b->next) {
      if (b->engine_id == json_integer_value(id))
         return b;
   }
   return NULL;
}

/* All that the wave has hit, breakpoints first as they fit in a line. False: nothing that is known here. */
static bool
show_hits(struct session *session, json_t *body)
{
   json_t *ids = json_object_get(body, "hitBreakpointIds"),
          *watches = json_object_get(json_object_get(body, "hdb"), "watches");
   bool any = false, watched = false;
   for (size_t i = 0; i < json_array_size(watches); i++) {
      json_t *watch = json_array_get(watches, i);
      const struct breakpoint *b = find_hit(session, json_object_get(watch, "id"));
      if (b)
         show_watch(session, b, watch);
      watched |= b != NULL;
   }
   for (size_t i = 0; i < json_array_size(ids); i++) {
      const struct breakpoint *b = find_hit(session, json_array_get(ids, i));
      if (!b || b->kind == BREAKPOINT_WATCH)
         continue;
      printf("%s%s %d", any ? ", " : watched ? "\n" : "", breakpoint_kind_name(b), b->number);
      any = true;
   }
   if (watched && !any)
      printf("Stopped");
   return watched || any;
}

static void
show_reason(struct session *session, json_t *body)
{
   const char *reason = json_text(body, "reason"), *text = json_text(body, "text");
   if (show_hits(session, body))
      text = json_object_get(json_object_get(body, "hdb"), "watches") ? "" : text;
   else if (strcmp(reason, "breakpoint") == 0)
      printf("Breakpoint");
   else if (strcmp(reason, "entry") == 0)
      printf("Entry of dispatch");
   else if (strcmp(reason, "step") == 0)
      printf("Step");
   else if (strcmp(reason, "pause") == 0)
      printf("Paused");
   else if (strcmp(reason, "exception") == 0)
      printf("Exception");
   else
      printf("%s", reason);
   if (*text)
      printf(": %s", text);
}

static bool
lane_is_on(json_t *stop, unsigned lane)
{
   return lane < 64 && strtoull(json_text(stop, "exec"), NULL, 16) >> lane & 1;
}

void
show_stop(struct session *session, json_t *body)
{
   json_t *stop = json_object_get(body, "hdb");
   json_t *group = json_object_get(stop, "workgroup");
   long long active = json_number(stop, "active");
   show_reason(session, body);
   if (*json_text(stop, "dispatch"))
      printf(", %s", json_text(stop, "dispatch"));
   if (*json_text(stop, "stage"))
      printf(" (%s)", json_text(stop, "stage"));
   if (session->line)
      printf(" at %s:%u\n", session->file, session->line);
   else
      printf(" at %s\n", json_text(stop, "pc"));
   if (json_is_string(json_object_get(stop, "text")))
      printf("%u\t%s\n", session->line, json_text(stop, "text"));
   else if (session->line)
      printf("%u\t(neither the module nor the disk has the text of %s:%u)\n", session->line, session->file,
             session->line);
   if (!json_is_string(json_object_get(stop, "text")))
      printf("=> %s\n", json_text(stop, "instruction"));
   if (json_array_size(group) == 3)
      printf("workgroup %lld,%lld,%lld  ", json_integer_value(json_array_get(group, 0)),
             json_integer_value(json_array_get(group, 1)), json_integer_value(json_array_get(group, 2)));
   else
      printf("workgroup unknown  ");
   printf("wave %lld  lane %u%s  %lld active %s  ", (long long)json_number(stop, "wave"), session->lane,
          lane_is_on(stop, session->lane) ? "" : " (off)", active, active == 1 ? "lane" : "lanes");
   if (json_is_integer(json_object_get(stop, "waves"))) {
      long long waves = json_number(stop, "waves");
      printf("1 of %lld %s, ", waves, waves == 1 ? "wave" : "waves");
   }
   if (json_object_get(stop, "resident"))
      printf("%lld resident, ", (long long)json_number(stop, "resident"));
   printf("%lld stopped\n", (long long)json_number(stop, "stopped"));
   fflush(stdout);
}

void
show_line(struct session *session)
{
   const char *text = session->file ? source_text(session, session->file) : NULL;
   for (unsigned line = 1; text && *text && line < session->line; line++) {
      text += strcspn(text, "\n");
      text += *text == '\n';
   }
   if (text)
      printf("%u\t%.*s\n", session->line, (int)strcspn(text, "\n"), text);
}
