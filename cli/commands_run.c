/* SPDX-License-Identifier: MIT */
/* run, continue, pause, step and its kin, wave, lane, workgroup. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

int
command_run(struct session *session, char *arguments)
{
   if (arguments[0])
      return error("run takes no arguments; they follow the program on hdb's command line");
   if (session->state == SESSION_RUNNING || session->state == SESSION_STOPPED)
      return error("the program is being run already");
   if (!session->program)
      return error("attached to a program that is not ours to start");
   session->ask = session->options.interactive && !session->breakpoints && session->options.frame < 0;
   if (session_start(session) < 0)
      return -1;
   session_wait(session);
   return 0;
}

static int
resume(struct session *session, const char *request, const char *granularity)
{
   if (need_stop(session) < 0)
      return -1;
   json_t *arguments = json_pack("{s:I}", "threadId", (json_int_t)session->thread);
   if (session->frame && strcmp(request, "stepOut") == 0) /* out of the frame that is looked at */
      json_object_set_new(arguments, "frameId", json_integer(session->frame));
   if (granularity)
      json_object_set_new(arguments, "granularity", json_string(granularity));
   session->state = SESSION_RUNNING;
   terminal_give();
   json_t *body = session_request(session, request, arguments);
   if (!body) {
      if (session->state == SESSION_RUNNING && session->connected)
         session->state = SESSION_STOPPED;
      return -1;
   }
   json_decref(body);
   session_wait(session);
   return 0;
}

/* `step 3` is three steps; a stop for another reason or the end of the program ends them. */
static int
repeat(struct session *session, char *arguments, const char *request, const char *granularity)
{
   uint64_t count = 1;
   if (arguments[0] && (!parse_unsigned(arguments, &count) || count == 0))
      return error("\"%s\" is no count", arguments);
   int result = resume(session, request, granularity);
   while (result == 0 && --count && session->state == SESSION_STOPPED && session->stepped)
      result = resume(session, request, granularity);
   return result;
}

int
command_continue(struct session *session, char *arguments)
{
   if (arguments[0])
      return error("continue takes no arguments");
   session_poll(session);
   if (session->state != SESSION_RUNNING)
      return resume(session, "continue", NULL);
   if (session->options.names_in_frames && session->frame_over && session->options.batch)
      return error("nothing is stopped, and the frame is over");
   session_wait(session);
   return 0;
}

int
command_pause(struct session *session, char *arguments)
{
   if (arguments[0])
      return error("pause takes no arguments");
   session_poll(session);
   if (session->state == SESSION_STOPPED)
      return error("the waves are stopped already");
   json_t *body = session_request(session, "pause", json_pack("{s:I}", "threadId", (json_int_t)session->thread));
   if (!body)
      return -1;
   json_decref(body);
   return 0;
}

int
command_step(struct session *session, char *arguments)
{
   return repeat(session, arguments, "stepIn", "line");
}

int
command_next(struct session *session, char *arguments)
{
   return repeat(session, arguments, "next", "line");
}

int
command_stepi(struct session *session, char *arguments)
{
   return repeat(session, arguments, "stepIn", "instruction");
}

int
command_finish(struct session *session, char *arguments)
{
   if (arguments[0])
      return error("finish takes no arguments");
   if (need_stop(session) < 0)
      return -1;
   note_returning(session);
   return resume(session, "stepOut", NULL);
}

/* `lane` negative: the first that is on. */
static int
choose_lane(struct session *session, int lane, bool *on)
{
   json_t *arguments = json_pack("{s:I}", "threadId", (json_int_t)session->thread);
   if (lane >= 0)
      json_object_set_new(arguments, "lane", json_integer(lane));
   json_t *body = session_request(session, "hdb/setLane", arguments);
   if (!body)
      return -1;
   session->lane = (unsigned)json_number(body, "lane");
   *on = json_is_true(json_object_get(body, "active"));
   json_decref(body);
   return 0;
}

int
command_wave(struct session *session, char *arguments)
{
   uint64_t number;
   bool on;
   int64_t before = session->thread;
   if (need_stop(session) < 0)
      return -1;
   if (arguments[0] && !parse_unsigned(arguments, &number))
      return error("\"%s\" is no wave's number; `info waves` lists them", arguments);
   if (arguments[0] && session_select(session, (int64_t)number) < 0)
      return -1;
   if (session->thread != before && choose_lane(session, -1, &on) < 0) { /* it runs */
      session_select(session, before);
      return -1;
   }
   printf("[wave %lld  lane %u]", (long long)session->thread, session->lane);
   if (session->line)
      printf("  %s:%u", session->file, session->line);
   printf("  pc 0x%llx\n", (unsigned long long)session->pc);
   return 0;
}

int
command_lane(struct session *session, char *arguments)
{
   uint64_t lane;
   bool on = true;
   if (need_stop(session) < 0)
      return -1;
   if (arguments[0] && (!parse_unsigned(arguments, &lane) || lane > 63))
      return error("\"%s\" is no lane; lanes are 0 to 63 (0 to 31 in wave32)", arguments);
   if (choose_lane(session, arguments[0] ? (int)lane : (int)session->lane, &on) < 0)
      return -1;
   printf("[lane %u%s]\n", session->lane, on ? "" : " (off)");
   return 0;
}

int
command_workgroup(struct session *session, char *arguments)
{
   long long x, y, z;
   json_t *filter = NULL;
   char rest;
   if (strcmp(arguments, "all") != 0) {
      if (sscanf(arguments, "%lld,%lld,%lld%c", &x, &y, &z, &rest) != 3 || x < 0 || y < 0 || z < 0 || x > UINT32_MAX ||
          y > UINT32_MAX || z > UINT32_MAX)
         return error("\"%s\" is no workgroup; workgroup X,Y,Z or workgroup all", arguments);
      filter = json_pack("[I, I, I]", (json_int_t)x, (json_int_t)y, (json_int_t)z);
   }
   json_decref(session->filter);
   session->filter = filter;
   printf("[stops in %s]\n", filter ? arguments : "every workgroup");
   session_poll(session);
   if (session_send_filter(session) < 0)
      return -1;
   return 0;
}
