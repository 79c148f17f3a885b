/* SPDX-License-Identifier: MIT */
/* capture: dispatches of the program that is debugged, into a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/capture.h"
#include "captures/captures.h"
#include "cli.h"

/* The program may be in another directory. NULL after a message. */
char *
absolute_path(const char *file)
{
   char *directory = file[0] == '/' ? NULL : getcwd(NULL, 0), *path = NULL;
   if (file[0] != '/' && !directory)
      error("where are we? the current directory has no name; give the whole path of %s", file);
   else if (asprintf(&path, "%s%s%s", directory ? directory : "", directory ? "/" : "", file) < 0)
      path = NULL;
   free(directory);
   return path;
}

/* The answer, or NULL after a message. `which` NULL: the dispatch that stands at its entry, or the next one. */
static json_t *
send_capture(struct session *session, const char *file, const char *which)
{
   char *path = absolute_path(file);
   if (!path)
      return NULL;
   json_t *body = session_request(session, "hdb/capture", json_pack("{s:s, s:s*}", "file", path, "which", which));
   free(path);
   return body;
}

void
session_send_capture(struct session *session)
{
   const struct session_options *options = &session->options;
   if (options->frame >= 0) {
      char *path = absolute_path(options->capture);
      if (path)
         session_send_trigger(session, "capture", options->frame, path, options->captured, NULL);
      free(path);
   } else {
      json_decref(send_capture(session, options->capture, options->captured ? options->captured : "*"));
   }
}

void
session_note_captured(struct session *session, json_t *body)
{
   session->captured = true;
   session->captured_all = json_is_true(json_object_get(body, "complete"));
   bool whole = session->captured_all && json_number(body, "dispatches");
   if (session->capturing && whole && strcmp(session->capturing, json_text(body, "file")) == 0) {
      free(session->capturing);
      session->capturing = NULL;
   }
}

/* One without dispatches is of no use to anybody. Devices stay. */
static bool
remove_file(const char *file)
{
   struct stat status;
   return lstat(file, &status) == 0 && S_ISREG(status.st_mode) && unlink(file) == 0;
}

/* What has come of the option, or of the command's last file if that is not known, once the program has ended; of a
 * frame that was told. -1: nothing, or not all of it. */
int
session_sum_up_capture(const struct session *session)
{
   const char *file = session->options.capture ? session->options.capture : session->capturing;
   struct hdb_capture *capture;
   char *problem = NULL;
   if (!file || hdb_capture_open(file, &capture, &problem) != 0) {
      free(problem);
      return file ? -1 : 0;
   }
   const struct hdb_capture_info *info = hdb_capture_info(capture);
   bool whole = info->complete && info->dispatch_count;
   bool removed = info->complete && !info->dispatch_count && remove_file(file);
   if (session->options.frame < 0) {
      printf("[%s has %u dispatch%s, ", file, info->dispatch_count, info->dispatch_count == 1 ? "" : "es");
      if (removed)
         printf("and is removed");
      else
         capture_print_size(info->file_size);
      if (!info->complete)
         printf("; not complete: %s", info->problem);
      else if (*info->note)
         printf("; %s", info->note);
      printf("]\n");
   }
   hdb_capture_close(capture);
   return whole ? 0 : -1;
}

static int
end_capture(struct session *session)
{
   session->options.capture = session->options.captured = NULL;
   free(session->capturing);
   session->capturing = NULL;
   json_t *body = session->connected ? session_request(session, "hdb/capture", json_pack("{s:b}", "end", 1)) : NULL;
   json_decref(body);
   return body || !session->connected ? 0 : -1;
}

/* capture FILE [N|NAME|label:GLOB|EXPRESSION] | capture end */
int
command_capture(struct session *session, char *arguments)
{
   session_poll(session);
   if (strcmp(arguments, "end") == 0)
      return end_capture(session);
   char *which = arguments + strcspn(arguments, " ");
   if (!*arguments)
      return error("capture to which file? capture FILE [N|NAME|label:GLOB|EXPRESSION]");
   if (*which)
      *which++ = '\0';
   which += strspn(which, " ");
   if (!session->connected) {
      free(session->typed_capture);
      session->typed_capture = strdup(arguments);
      free(session->typed_captured);
      session->typed_captured = strdup(*which ? which : "*");
      session->options.capture = session->typed_capture;
      session->options.captured = session->typed_captured;
      printf("Capturing to %s once the program runs.\n", arguments);
      return 0;
   }
   json_t *body = send_capture(session, arguments, *which ? which : NULL);
   if (!body)
      return -1;
   free(session->capturing);
   session->capturing = strdup(json_text(body, "file"));
   if (json_object_get(body, "dispatch"))
      printf("Captured dispatch %lld to %s; what it leaves follows when it has finished.\n",
             (long long)json_number(body, "dispatch"), json_text(body, "file"));
   else
      printf("Capturing %s to %s.\n", *which ? which : "the next dispatch", json_text(body, "file"));
   json_decref(body);
   return 0;
}
