/* SPDX-License-Identifier: MIT */
/*
 * The launch channel: a SOCK_SEQPACKET socket that `hdb run` gives to the program it starts, named by HDB_CLIENT_FD and
 * inherited by all of the program's processes. Each engine sends one end of a connection of its own over it, so that
 * processes one after another and beside each other never talk into one connection.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "hdb_core.h"

/* The descriptor may have been closed by a process in between and stand for anything by now. */
static bool
is_channel(int fd)
{
   int type = 0, domain = 0;
   socklen_t size = sizeof(int);
   return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 &&
          getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && type == SOCK_SEQPACKET && domain == AF_UNIX;
}

int
hdb_channel_find(void)
{
   const char *text = getenv("HDB_CLIENT_FD");
   if (!text)
      return -1;
   char *end;
   long fd = strtol(text, &end, 10);
   if (end != text && !*end && fd >= 0 && fd <= INT_MAX && is_channel((int)fd))
      return (int)fd;
   fprintf(stderr,
           "hdb: HDB_CLIENT_FD is '%s', which is not a channel to `hdb run` (did a process in between close it?); "
           "process %d runs without the debugger\n",
           text, (int)getpid());
   return -1;
}

/* See unix(7), SCM_RIGHTS. The packet's text is for people who trace it; the receiver learns who is there from
 * SO_PEERCRED of the connection. Never blocks: hdb may be busy or gone. */
static int
send_descriptor(int channel, int fd)
{
   static const char text[] = "engine";
   union {
      struct cmsghdr header;
      char space[CMSG_SPACE(sizeof(int))];
   } control = {0};
   struct iovec data = {.iov_base = (void *)text, .iov_len = sizeof(text) - 1};
   struct msghdr message = {
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
   struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
   rights->cmsg_level = SOL_SOCKET;
   rights->cmsg_type = SCM_RIGHTS;
   rights->cmsg_len = CMSG_LEN(sizeof(int));
   memcpy(CMSG_DATA(rights), &fd, sizeof(fd));
   ssize_t sent;
   do {
      sent = sendmsg(channel, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
   } while (sent < 0 && errno == EINTR);
   return sent < 0 ? -errno : 0;
}

int
hdb_channel_connect(int channel)
{
   int sockets[2];
   int result = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) < 0 ? -errno : 0;
   if (result == 0) {
      result = send_descriptor(channel, sockets[1]);
      close(sockets[1]);
      if (result == 0)
         return sockets[0];
      close(sockets[0]);
   }
   fprintf(stderr, "hdb: can't reach the debugger: %s; process %d runs without it\n", strerror(-result), (int)getpid());
   return result;
}
