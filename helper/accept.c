/* SPDX-License-Identifier: MIT */
/* Who may talk to the helper: one process, of one user. The kernel says who is at the other end. */
#include "helper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define PREDECESSOR_LIMIT_MS 2000
#define PAUSE_MS 20

/* Whatever else has that name stays. */
static int
unlink_socket(const char *path)
{
   struct stat status;
   if (lstat(path, &status) < 0)
      return -errno;
   if (!S_ISSOCK(status.st_mode))
      return -EEXIST;
   return unlink(path) < 0 ? -errno : 0;
}

/* A helper that was killed leaves its socket behind. 0, or an errno. */
static int
bind_anew(int listener, const struct sockaddr_un *address)
{
   if (!bind(listener, (const struct sockaddr *)address, sizeof(*address)))
      return 0;
   int error = errno, fd = error == EADDRINUSE ? socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0) : -1;
   bool dead = fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 && errno == ECONNREFUSED;
   if (fd >= 0)
      close(fd);
   if (!dead)
      return error;
   int gone = unlink_socket(address->sun_path);
   if (gone < 0)
      return -gone;
   return bind(listener, (const struct sockaddr *)address, sizeof(*address)) < 0 ? errno : 0;
}

/* One that a debugger has just left puts the card back first. */
static int
bind_after_predecessor(int listener, const struct sockaddr_un *address)
{
   int error = bind_anew(listener, address);
   for (int waited = 0; error == EADDRINUSE && waited < PREDECESSOR_LIMIT_MS; waited += PAUSE_MS) {
      usleep(PAUSE_MS * 1000);
      error = bind_anew(listener, address);
   }
   return error;
}

/* The socket is made as the user would: where the user may, and in the user's name. */
int
helper_listen(const struct helper_options *options)
{
   struct sockaddr_un address = {.sun_family = AF_UNIX};
   if (strlen(options->socket) >= sizeof(address.sun_path))
      return complain("%s is too long a name for a socket", options->socket);
   strcpy(address.sun_path, options->socket);
   int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
   int on = 1; /* inherited by what is accepted, so that not even the first message comes without its sender */
   if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) < 0)
      return complain("can't make a socket: %s", strerror(errno));
   bool other = options->user != geteuid();
   if (other && seteuid(options->user) < 0)
      return complain("can't act as user %u: %s", (unsigned)options->user, strerror(errno));
   int error = bind_after_predecessor(listener, &address);
   if (other && seteuid(0) < 0)
      return complain("can't act as root again: %s", strerror(errno));
   if (error || listen(listener, 4) < 0)
      return complain("can't listen on %s: %s", options->socket, strerror(error ? error : errno));
   return listener;
}

void
helper_unlink(const struct helper_options *options)
{
   bool other = options->user != geteuid();
   if (!other || !seteuid(options->user))
      unlink_socket(options->socket);
   if (other && seteuid(0) < 0)
      complain("can't act as root again: %s", strerror(errno));
}

static void
refuse(int fd, int error, const char *text)
{
   struct hdb_helper_reply reply = {.result = error};
   char message[sizeof(reply) + 128];
   memcpy(message, &reply, sizeof(reply));
   size_t length = strnlen(text, 128);
   memcpy(message + sizeof(reply), text, length);
   send(fd, message, sizeof(reply) + length, MSG_NOSIGNAL | MSG_DONTWAIT);
   close(fd);
}

/* Whether it may stay; if not, it was told. */
static bool
admit(const struct helper_options *options, int fd, struct helper_client *client)
{
   struct ucred peer;
   socklen_t size = sizeof(peer);
   if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.uid != options->user) {
      refuse(fd, -EACCES, "hdb-helper serves another user");
      return false;
   }
   if (options->pid && peer.pid != options->pid) {
      refuse(fd, -EACCES, "hdb-helper serves another process");
      return false;
   }
   int pidfd = (int)syscall(SYS_pidfd_open, peer.pid, 0);
   if (pidfd < 0) {
      refuse(fd, -ESRCH, "hdb-helper can't watch the process");
      return false;
   }
   *client = (struct helper_client){.fd = fd, .pidfd = pidfd, .pid = peer.pid};
   return true;
}

/* ---- those that have not said anything yet ---- */

#define WAITING 8
#define SILENCE_LIMIT_MS 2000

struct waiting {
   struct helper_client client;
   int64_t since_ms;
};

static int64_t
now_ms(void)
{
   struct timespec time;
   clock_gettime(CLOCK_MONOTONIC, &time);
   return time.tv_sec * 1000ll + time.tv_nsec / 1000000;
}

static void
dismiss(struct waiting *waiting, size_t *count, size_t i, int error, const char *text)
{
   close(waiting[i].client.pidfd);
   refuse(waiting[i].client.fd, error, text);
   waiting[i] = waiting[--*count];
}

/* Whoever stays silent keeps nobody else from being served. */
static void
welcome(const struct helper_options *options, int listener, struct waiting *waiting, size_t *count)
{
   int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
   if (fd < 0)
      return;
   if (*count == WAITING)
      refuse(fd, -EBUSY, "too many processes at once ask for hdb-helper");
   else if (admit(options, fd, &waiting[*count].client))
      waiting[(*count)++].since_ms = now_ms();
}

static void
drop_silent(struct waiting *waiting, size_t *count)
{
   for (size_t i = *count; i-- > 0;) {
      if (now_ms() - waiting[i].since_ms >= SILENCE_LIMIT_MS)
         dismiss(waiting, count, i, -ETIMEDOUT, "hdb-helper was told nothing");
   }
}

/* The index of one that has spoken, or -1. Those that have gone are forgotten. */
static ptrdiff_t
find_speaker(struct waiting *waiting, size_t *count)
{
   for (size_t i = *count; i-- > 0;) {
      char byte;
      ssize_t n = recv(waiting[i].client.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
      if (n > 0)
         return (ptrdiff_t)i;
      if (n == 0 || (errno != EAGAIN && errno != EINTR))
         dismiss(waiting, count, i, -ECONNRESET, "");
   }
   return -1;
}

int
helper_accept(const struct helper_options *options, int listener, struct helper_client *client)
{
   struct waiting waiting[WAITING];
   size_t count = 0;
   int result = -1;
   sigset_t ends;
   sigemptyset(&ends);
   sigaddset(&ends, SIGTERM);
   int signals = signalfd(-1, &ends, SFD_CLOEXEC);
   if (signals < 0)
      return complain("can't wait for signals: %s", strerror(errno));
   while (result < 0) {
      enum { LISTENER, LIFELINE, SIGNALS, SILENT };
      struct pollfd fds[SILENT + WAITING] = {
         [LISTENER] = {.fd = listener, .events = POLLIN},
         [LIFELINE] = {.fd = options->lifeline ? STDIN_FILENO : -1},
         [SIGNALS] = {.fd = signals, .events = POLLIN},
      };
      for (size_t i = 0; i < count; i++)
         fds[SILENT + i] = (struct pollfd){.fd = waiting[i].client.fd, .events = POLLIN};
      if (poll(fds, SILENT + count, count ? SILENCE_LIMIT_MS : -1) < 0 && errno != EINTR) {
         complain("can't wait: %s", strerror(errno));
         break;
      }
      welcome(options, listener, waiting, &count);
      ptrdiff_t speaker = find_speaker(waiting, &count);
      if (speaker >= 0) {
         *client = waiting[speaker].client;
         waiting[speaker] = waiting[--count];
         result = 1;
      } else if (fds[LIFELINE].revents || fds[SIGNALS].revents) {
         result = 0;
      }
      drop_silent(waiting, &count);
   }
   while (count)
      dismiss(waiting, &count, 0, -EBUSY, "hdb-helper serves another process");
   close(signals);
   return result;
}

void
helper_turn_away(int listener)
{
   int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
   if (fd >= 0)
      refuse(fd, -EBUSY, "hdb-helper serves another process");
}

/* Everything that came in a control message, whatever it is, is taken in or closed. */
static pid_t
take_control(struct msghdr *message, int *passed)
{
   pid_t sender = 0;
   for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
      if (header->cmsg_level != SOL_SOCKET)
         continue;
      if (header->cmsg_type == SCM_CREDENTIALS) {
         struct ucred credentials;
         memcpy(&credentials, CMSG_DATA(header), sizeof(credentials));
         sender = credentials.pid;
      } else if (header->cmsg_type == SCM_RIGHTS) {
         size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
         for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(header) + i * sizeof(fd), sizeof(fd));
            if (*passed >= 0)
               close(*passed);
            *passed = fd;
         }
      }
   }
   return sender;
}

ssize_t
helper_receive(const struct helper_client *client, void *data, size_t size, int *passed)
{
   union {
      struct cmsghdr header;
      char space[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(4 * sizeof(int))];
   } control;
   struct iovec part = {data, size};
   struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
   *passed = -1;
   ssize_t n;
   do
      n = recvmsg(client->fd, &message, MSG_CMSG_CLOEXEC);
   while (n < 0 && errno == EINTR);
   if (n < 0)
      return 0; /* no more than ended */
   pid_t sender = take_control(&message, passed);
   if (n == 0)
      return 0;
   if (sender != client->pid)
      return -EACCES;
   return message.msg_flags & MSG_TRUNC ? -EMSGSIZE : n;
}
