/* SPDX-License-Identifier: MIT */
/* Dispatches: the list of them, the question about one, and the frames that they are chosen from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* ---- a dispatch ---- */

static void
print_vector(FILE *out, json_t *vector)
{
   for (size_t i = 0; i < json_array_size(vector); i++)
      fprintf(out, "%s%lld", i ? "x" : "", json_integer_value(json_array_get(vector, i)));
}

static void
print_grid(FILE *out, json_t *dispatch)
{
   json_t *grid = json_object_get(dispatch, "grid");
   if (json_is_true(json_object_get(dispatch, "generated")))
      fprintf(out, "generated");
   else if (!json_is_array(grid))
      fprintf(out, "indirect");
   else
      print_vector(out, grid);
}

/* "frame" > "blur" */
static void
print_labels(FILE *out, json_t *dispatch)
{
   size_t index;
   json_t *label;
   json_array_foreach (json_object_get(dispatch, "labels"), index, label)
      fprintf(out, "%s\"%s\"", index ? " > " : "  ", json_string_value(label));
}

/* The program, where the application has named the pipeline after something else. */
static void
print_program(FILE *out, json_t *dispatch)
{
   const char *program = json_text(dispatch, "program");
   if (*program && strcmp(program, json_text(dispatch, "name")) != 0)
      fprintf(out, "  %s", program);
}

static void
print_dispatch(json_t *dispatch)
{
   printf("%-5lld %s%-28s ", (long long)json_number(dispatch, "number"),
          json_is_true(json_object_get(dispatch, "attached")) ? "*" : " ", json_text(dispatch, "name"));
   print_grid(stdout, dispatch);
   printf(" groups of ");
   print_vector(stdout, json_object_get(dispatch, "workgroup"));
   print_labels(stdout, dispatch);
   print_program(stdout, dispatch);
   printf("  %s  %s%s\n", json_text(dispatch, "queue"), json_text(dispatch, "state"),
          json_is_true(json_object_get(dispatch, "internal")) ? "  internal" : "");
}

/* ---- the list ---- */

enum { ALL_FRAMES = -1, FRAME_STOPPED_IN = -2 };

/* Of a frame. FRAME_STOPPED_IN is all where none is. */
static int
list(struct session *session, int64_t frame)
{
   json_t *body = session_request(session, "hdb/dispatches", NULL), *dispatch;
   size_t index;
   if (!body)
      return -1;
   json_t *stopped_in = json_object_get(body, "frame");
   if (frame == FRAME_STOPPED_IN && stopped_in)
      printf("frame %lld:\n", json_integer_value(stopped_in));
   if (frame == FRAME_STOPPED_IN)
      frame = stopped_in ? json_integer_value(stopped_in) : ALL_FRAMES;
   size_t shown = 0;
   json_array_foreach (json_object_get(body, "dispatches"), index, dispatch) {
      if (frame != ALL_FRAMES && json_number(dispatch, "frame") != frame)
         continue;
      print_dispatch(dispatch);
      shown++;
   }
   if (!shown && frame == ALL_FRAMES)
      printf("no dispatches\n");
   else if (!shown)
      printf("no dispatches of frame %lld are known\n", (long long)frame);
   json_decref(body);
   return 0;
}

int
info_dispatches(struct session *session, char *arguments)
{
   uint64_t frame;
   session_poll(session);
   if (session->state == SESSION_ENDED || session->state == SESSION_IDLE)
      return need_stop(session);
   if (!*arguments)
      return list(session, FRAME_STOPPED_IN);
   if (strcmp(arguments, "all") == 0)
      return list(session, ALL_FRAMES);
   if (!parse_unsigned(arguments, &frame) || frame > UINT32_MAX)
      return error("\"%s\" is no frame; info dispatches, info dispatches FRAME or info dispatches all", arguments);
   return list(session, (int64_t)frame);
}

/* ---- the question ---- */

static char *
format_question(json_t *offer)
{
   char *question = NULL;
   size_t size;
   FILE *out = open_memstream(&question, &size);
   if (!out)
      return NULL;
   json_int_t threads = 1;
   for (size_t i = 0; i < 3; i++)
      threads *= json_integer_value(json_array_get(json_object_get(offer, "workgroup"), i));
   fprintf(out, "dispatch %lld of %lld  %s  ", (long long)json_number(offer, "number"),
           (long long)json_number(offer, "of"), json_text(offer, "name"));
   print_grid(out, offer);
   fprintf(out, " groups of %lld", threads);
   print_labels(out, offer);
   print_program(out, offer);
   fprintf(out, "  attach? [y/N/a/q/c/l/?]");
   fclose(out);
   return question;
}

static void
explain(bool in_frame)
{
   const char *range = in_frame ? "of this frame" : "from here on";
   printf("y: stop at this dispatch's entry   n: not this one (default)   a: this and all that follow%s\n"
          "q: none %s, ask no more   c: choose them by number, name, label:GLOB or an expression\n"
          "l: list those that are known by now   the program waits for the answer\n",
          in_frame ? " in this frame" : "", range);
}

/* In a frame its end tells what has come of the choice. */
static void
note_choice(struct session *session, const char *which, bool in_frame)
{
   free(session->chosen);
   session->chosen = in_frame ? NULL : strdup(which);
}

static json_t *
ask_to_attach(struct session *session, json_t *offer, const char *question)
{
   bool in_frame = json_is_true(json_object_get(offer, "inFrame"));
   char which[256];
   for (;;) {
      switch (terminal_ask(question, "yes no all quit choose list ?")) {
      case 'y':
         return json_pack("{s:s}", "answer", "yes");
      case 'a':
         return json_pack("{s:s}", "answer", "all");
      case 'q':
         return json_pack("{s:s}", "answer", "none");
      case 'c':
         terminal_read("which?", which, sizeof(which));
         if (!*which)
            break;
         note_choice(session, which, in_frame);
         return json_pack("{s:s, s:s}", "answer", "which", "which", which);
      case 'l':
         list(session, in_frame ? json_number(offer, "frame") : ALL_FRAMES);
         break;
      case '?':
         explain(in_frame);
         break;
      default:
         return json_pack("{s:s}", "answer", "no");
      }
   }
}

json_t *
prompt_offer(struct session *session, json_t *offer)
{
   char *question = session->options.interactive ? format_question(offer) : NULL;
   if (!question)
      return json_pack("{s:s}", "answer", "none");
   json_t *answer = terminal_take(session->client.fd) < 0 ? json_pack("{s:s}", "answer", "no")
                                                          : ask_to_attach(session, offer, question);
   if (session->state == SESSION_RUNNING)
      terminal_give();
   free(question);
   return answer;
}

/* ---- frames ---- */

int
session_send_trigger(struct session *session, const char *kind, int64_t frame, const char *file, const char *which,
                     bool *alone)
{
   json_t *arguments = json_pack("{s:s, s:s*, s:s*, s:b}", "kind", kind, "file", file, "which", which, "namesInFrames",
                                 session->options.names_in_frames);
   if (frame >= 0)
      json_object_set_new(arguments, "frame", json_integer(frame));
   json_t *body = session_request(session, "hdb/trigger", arguments);
   if (!body)
      return -1;
   bool told = json_is_true(json_object_get(body, "told"));
   printf("[frame %lld is to be %s%s]\n", (long long)json_number(body, "frame"),
          strcmp(kind, "stop") == 0 ? "stopped in" : "captured", told ? "" : "; its debugger is told what comes of it");
   if (alone)
      *alone = told;
   json_decref(body);
   return 0;
}

/* trigger [FRAME] | trigger capture FILE [FRAME] */
int
command_trigger(struct session *session, char *arguments)
{
   uint64_t frame = 0;
   char *file = NULL, *path = NULL;
   session_poll(session);
   if (strncmp(arguments, "capture", 7) == 0 && (arguments[7] == ' ' || !arguments[7])) {
      file = arguments + 7 + strspn(arguments + 7, " ");
      arguments = file + strcspn(file, " ");
      if (*arguments)
         *arguments++ = '\0';
      if (!*file)
         return error("capture to which file? trigger capture FILE [FRAME]");
   }
   if (*arguments && (!parse_unsigned(arguments, &frame) || frame > UINT32_MAX))
      return error("\"%s\" is no frame; trigger [FRAME] or trigger capture FILE [FRAME]", arguments);
   if (file && !(path = absolute_path(file)))
      return -1;
   int result =
      session_send_trigger(session, file ? "capture" : "stop", *arguments ? (int64_t)frame : -1, path, NULL, NULL);
   free(path);
   if (result < 0)
      return -1;
   if (session->state != SESSION_RUNNING) { /* in a frame, perhaps, whose end is still to come */
      session->awaits_capture = file != NULL;
      return 0;
   }
   session->frame_over = false;
   session->awaits_frame = true;
   session_wait(session);
   if (session->state != SESSION_STOPPED)
      session->awaits_frame = false;
   return 0;
}

void
session_note_frame(struct session *session, json_t *body)
{
   session->frame_came = true;
   bool stop = strcmp(json_text(body, "kind"), "stop") == 0;
   const char *state = json_text(body, "state");
   if (stop)
      session->in_frame = strcmp(state, "finished") != 0;
   if (strcmp(state, "begun") == 0)
      session->frame_over = false;
   if (strcmp(state, "begun") == 0 && !stop)
      session->captured = false;
   if (strcmp(state, "finished") == 0)
      session->frame_over = true;
   if (strcmp(state, "over") != 0 || (stop && json_number(body, "chosen"))) /* stops come yet */
      return;
   session->in_frame &= !stop;
   session->awaits_capture &= stop;
   session->frame_over |= !session->in_frame;
   session->frame_empty = !json_number(body, "chosen");
   if (stop)
      list(session, json_number(body, "frame"));
}
