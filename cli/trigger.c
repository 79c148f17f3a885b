/* SPDX-License-Identifier: MIT */
/* hdb trigger: a frame of a running program is stopped in, or captured, whoever debugs it. */
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"

/* What is captured in a frame may run long after its end. */
static bool
awaits_file(const struct session *session)
{
   return !session->frame_over || (!session->frame_empty && !session->captured);
}

/* Until the file is complete, as the only one who is told. */
static int
wait_for_capture(struct session *session)
{
   while (session->connected && awaits_file(session) && !interrupted)
      session_wait_once(session, -1);
   fflush(stdout);
   return !awaits_file(session) && !session->frame_empty && session->captured_all ? 0 : -1;
}

static int
capture(struct session *session)
{
   char *path = absolute_path(session->options.capture);
   bool alone = false;
   const struct session_options *options = &session->options;
   int result = path ? session_send_trigger(session, "capture", options->frame, path, options->captured, &alone) : -1;
   free(path);
   fflush(stdout);
   return result == 0 && alone ? wait_for_capture(session) : result;
}

int
trigger_pull(const struct session_options *options, const char *target, bool *nobody)
{
   struct session session;
   session_init(&session, options);
   *nobody = false;
   int result = session_reach(&session, target);
   if (result == 0 && options->capture) {
      result = capture(&session);
   } else if (result == 0) {
      session.quiet = true;
      *nobody = session_send_trigger(&session, "stop", options->frame, NULL, options->captured, NULL) < 0;
   }
   session_finish(&session);
   return result;
}
