/* SPDX-License-Identifier: MIT */
/* Any bytes from a debugger, to an engine without devices: framing, JSON, every request's arguments. */
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dap/session.h"
#include "engine/engine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
   int sockets[2];
   struct hdb_engine engine = {
      .pid = getpid(),
      .lock = PTHREAD_MUTEX_INITIALIZER,
      .changed = PTHREAD_COND_INITIALIZER,
      .listen_fd = -1,
      .submits_end = &engine.submits,
      .jobs_end = &engine.jobs,
   };
   signal(SIGTERM, SIG_IGN); /* what a disconnect with terminateDebuggee sends */
   if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
      return 0;
   engine.session = session_create(&engine, sockets[0]);
   while (size && engine.session) {
      ssize_t sent = send(sockets[1], data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent > 0) {
         data += sent;
         size -= sent;
      }
      if (!session_process(engine.session))
         break;
   }
   engine_end_session(&engine);
   engine_free_dispatches(&engine);
   close(sockets[1]);
   return 0;
}
