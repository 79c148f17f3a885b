/* SPDX-License-Identifier: MIT */
/* info: waves, registers, line (what else there is, is with its kin). */
#include <stdio.h>
#include <string.h>

#include "cli.h"

/* Those that have not stopped, as the card's registers show them. */
static void
print_live_waves(json_t *body)
{
   size_t index;
   json_t *wave, *list = json_object_get(body, "live");
   long long count = json_number(body, "liveCount");
   if (count)
      printf("not stopped, on the GPU: %lld\n", count);
   json_array_foreach (list, index, wave) {
      json_t *place = json_object_get(wave, "place");
      printf("  se %lld sa %lld wgp %lld simd %lld wave %-2lld  ", json_integer_value(json_array_get(place, 0)),
             json_integer_value(json_array_get(place, 1)), json_integer_value(json_array_get(place, 2)),
             json_integer_value(json_array_get(place, 3)), json_integer_value(json_array_get(place, 4)));
      if (json_number(wave, "line"))
         printf("%s:%lld  ", json_text(wave, "file"), (long long)json_number(wave, "line"));
      printf("%s  %s\n", json_text(wave, "pc"), json_text(wave, "state"));
   }
   if ((size_t)count > json_array_size(list))
      printf("  ...\n");
}

static int
info_waves(struct session *session, char *arguments)
{
   (void)arguments;
   if (need_stop(session) < 0)
      return -1;
   json_t *body = session_request(session, "hdb/waves", NULL);
   if (!body)
      return -1;
   size_t index;
   json_t *wave;
   printf("  wave  workgroup      in it  state      exec              where\n");
   json_array_foreach (json_object_get(body, "waves"), index, wave) {
      char group[40] = "?";
      json_t *id = json_object_get(wave, "workgroup");
      if (json_array_size(id) == 3)
         snprintf(group, sizeof(group), "%lld,%lld,%lld", json_integer_value(json_array_get(id, 0)),
                  json_integer_value(json_array_get(id, 1)), json_integer_value(json_array_get(id, 2)));
      printf("%s %-5lld %-14s %-6lld %-10s %-16s  ", json_number(wave, "id") == session->thread ? "*" : " ",
             (long long)json_number(wave, "id"), group, (long long)json_number(wave, "index"), json_text(wave, "state"),
             json_text(wave, "exec"));
      if (json_number(wave, "line"))
         printf("%s:%lld", json_text(wave, "file"), (long long)json_number(wave, "line"));
      else
         printf("%s", json_text(wave, "pc"));
      printf("%s%s\n", *json_text(wave, "cause") ? "  " : "", json_text(wave, "cause"));
   }
   print_live_waves(body);
   json_decref(body);
   return 0;
}

#define PER_ROW 8

/* Registers of one kind in rows of eight; rows that hold nothing but zeros are left out, as most of them do. */
static void
print_rows(json_t *items, size_t first, const char *prefix, const char *(*value)(json_t *item, unsigned lane),
           unsigned lane)
{
   size_t count = json_array_size(items) - first;
   for (size_t row = 0; row < count; row += PER_ROW) {
      bool used = false;
      for (size_t i = row; i < row + PER_ROW && i < count; i++)
         used |= strcmp(value(json_array_get(items, first + i), lane), "0x0") != 0;
      if (!used)
         continue;
      printf("%s%-4zu", prefix, row);
      for (size_t i = row; i < row + PER_ROW && i < count; i++)
         printf(" %-10s", value(json_array_get(items, first + i), lane));
      printf("\n");
   }
}

static const char *
scalar_value(json_t *item, unsigned lane)
{
   (void)lane;
   return json_text(item, "value");
}

static const char *
lane_value(json_t *item, unsigned lane)
{
   const char *text = json_string_value(json_array_get(json_object_get(item, "lanes"), lane));
   return text ? text : "-";
}

/* One of them; of a vector register, what the lane that is looked at has. */
static int
info_register(struct session *session, const char *name)
{
   json_t *body =
      session_request(session, "hdb/registers", json_pack("{s:I}", "threadId", (json_int_t)session->thread));
   if (!body)
      return -1;
   static const char *const kinds[] = {"registers", "vgprs"};
   const char *value = NULL;
   size_t index;
   json_t *item;
   for (size_t kind = 0; kind < 2; kind++) {
      json_array_foreach (json_object_get(body, kinds[kind]), index, item) {
         if (strcmp(json_text(item, "name"), name) == 0)
            value = kind ? lane_value(item, session->lane) : scalar_value(item, 0);
      }
   }
   if (value)
      printf("%s %s\n", name, value);
   int result = value ? 0 : error("no register \"%s\"", name);
   json_decref(body);
   return result;
}

static int
info_registers(struct session *session, char *arguments)
{
   if (need_stop(session) < 0)
      return -1;
   if (*arguments)
      return info_register(session, arguments + (*arguments == '$'));
   json_t *body =
      session_request(session, "hdb/registers", json_pack("{s:I}", "threadId", (json_int_t)session->thread));
   if (!body)
      return -1;
   json_t *scalars = json_object_get(body, "registers");
   size_t index = 0;
   for (; index < json_array_size(scalars) && strcmp(json_text(json_array_get(scalars, index), "name"), "s0");
        index++) {
      json_t *item = json_array_get(scalars, index);
      printf("%s%s %s", index ? "  " : "", json_text(item, "name"), json_text(item, "value"));
   }
   printf("\n");
   print_rows(scalars, index, "s", scalar_value, 0);
   printf("lane %u:\n", session->lane);
   print_rows(json_object_get(body, "vgprs"), 0, "v", lane_value, session->lane);
   printf("(rows of zeros are left out)\n");
   json_decref(body);
   return 0;
}

static int
info_line(struct session *session, char *arguments)
{
   uint64_t line;
   char *colon = strrchr(arguments, ':');
   json_t *request;
   if (need_stop(session) < 0)
      return -1;
   if (colon && colon == arguments)
      return error("no file in front of the colon; info line FILE:LINE");
   if (!arguments[0]) {
      request = json_pack("{s:I}", "threadId", (json_int_t)session->thread);
   } else if (colon && parse_unsigned(colon + 1, &line)) {
      *colon = '\0';
      request = json_pack("{s:s, s:I}", "file", arguments, "line", (json_int_t)line);
   } else if (parse_unsigned(arguments, &line) && session->file) {
      request = json_pack("{s:s, s:I, s:I}", "file", session->file, "line", (json_int_t)line, "module",
                          (json_int_t)session->module);
   } else {
      return error("\"%s\" is no line; info line, info line LINE or info line FILE:LINE", arguments);
   }
   json_t *body = session_request(session, "hdb/line", request);
   if (!body)
      return -1;
   if (!json_array_size(json_object_get(body, "places"))) {
      error("no code at %s:%lld", json_text(body, "file"), (long long)json_number(body, "line"));
      json_decref(body);
      return -1;
   }
   printf("%s:%lld", json_text(body, "file"), (long long)json_number(body, "line"));
   if (*json_text(body, "text"))
      printf("\t%s", json_text(body, "text"));
   printf("\n");
   size_t index;
   json_t *place;
   json_array_foreach (json_object_get(body, "places"), index, place)
      printf("   %s to %s  in %s\n", json_text(place, "low"), json_text(place, "high"), json_text(place, "shader"));
   json_decref(body);
   return 0;
}

static const struct {
   const char *name;
   int (*show)(struct session *session, char *arguments);
} subjects[] = {
   {"args", info_args},
   {"breakpoints", info_breakpoints},
   {"watchpoints", info_watchpoints},
   {"dispatches", info_dispatches},
   {"display", info_display},
   {"frame", info_frame},
   {"line", info_line},
   {"locals", info_locals},
   {"pushconstants", info_push_constants},
   {"registers", info_registers},
   {"resources", info_resources},
   {"scope", info_scope},
   {"types", info_types},
   {"variables", info_variables},
   {"waves", info_waves},
};

const char *
info_subject(size_t index)
{
   return index < sizeof(subjects) / sizeof(subjects[0]) ? subjects[index].name : NULL;
}

int
command_info(struct session *session, char *arguments)
{
   size_t length = strcspn(arguments, " \t");
   char *rest = arguments + length + strspn(arguments + length, " \t");
   for (size_t i = 0; length && i < sizeof(subjects) / sizeof(subjects[0]); i++) {
      if (strncmp(subjects[i].name, arguments, length) == 0)
         return subjects[i].show(session, rest);
   }
   return error(
      "info args, breakpoints, dispatches, display, frame, line, locals, pushconstants, registers, resources, "
      "scope, types, variables, watchpoints or waves");
}
