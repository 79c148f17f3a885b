/* SPDX-License-Identifier: MIT */
/* Starting the debugged program: environment, process group, the channel that the engines in it find us by. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli.h"
#include "paths.h"

/* Puts `value` in front of what the variable holds. */
static void
prepend(const char *name, const char *value, const char *separator)
{
   const char *old = getenv(name);
   char *text;
   if (!old || !*old) {
      setenv(name, value, 1);
   } else if (!strstr(old, value) && asprintf(&text, "%s%s%s", value, separator, old) > 0) {
      setenv(name, text, 1);
      free(text);
   }
}

/* The build tree's manifests when this hdb runs from the build tree; an installed one leaves it to the loader. */
static void
set_search_paths(void)
{
   char self[PATH_MAX];
   ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
   if (n <= 0)
      return;
   self[n] = '\0';
   if (strncmp(self, HDB_BUILD_ROOT "/", strlen(HDB_BUILD_ROOT "/")) != 0)
      return;
   /* VK_LAYER_PATH replaces the standard folders; VK_ADD_LAYER_PATH adds to them, but not once the other is set. */
   prepend(getenv("VK_LAYER_PATH") ? "VK_LAYER_PATH" : "VK_ADD_LAYER_PATH", HDB_BUILD_LAYER_DIR, ":");
   if (!getenv("VK_DRIVER_FILES") && !getenv("VK_ICD_FILENAMES") && access(HDB_BUILD_DRIVER_MANIFEST, R_OK) == 0)
      setenv("VK_DRIVER_FILES", HDB_BUILD_DRIVER_MANIFEST, 1);
}

static void
set_environment(const struct session_options *options, int channel, const char *helper)
{
   char number[16];
   snprintf(number, sizeof(number), "%d", channel);
   setenv("HDB_CLIENT_FD", number, 1);
   if (helper)
      setenv("HDB_HELPER", helper, 1);
   if (options->gpu)
      setenv("HDB_GPU", options->gpu, 1);
   if (options->compile)
      setenv("VK_HDB_COMPILE", options->compile, 1);
   setenv("VK_HDB_LISTEN", "no", 0); /* its debugger is this one */
   prepend("VK_INSTANCE_LAYERS", "VK_LAYER_hdb", ":");
   set_search_paths();
}

/* In the child; reports through `report` if exec fails, which closes it otherwise. */
static void
run_child(char **program, const struct session_options *options, int channel, const char *helper, int report)
{
   setpgid(0, 0);
   signal(SIGINT, SIG_DFL);
   signal(SIGPIPE, SIG_DFL);
   if (!options->keep_stdin) {
      int null = open("/dev/null", O_RDONLY);
      if (null >= 0) {
         dup2(null, STDIN_FILENO);
         close(null);
      }
   }
   set_environment(options, channel, helper);
   execvp(program[0], program);
   int code = errno;
   if (write(report, &code, sizeof(code)) < 0)
      _exit(127);
   _exit(127);
}

int
launch_program(char **program, const struct session_options *options, pid_t *pid, int *channel)
{
   int sockets[2], report[2];
   if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
      return error("can't make a socket: %s", strerror(errno));
   if (pipe2(report, O_CLOEXEC) < 0) {
      close(sockets[0]);
      close(sockets[1]);
      return error("can't make a pipe: %s", strerror(errno));
   }
   char *helper = helper_start(options);
   pid_t child = fork();
   if (child == 0) {
      fcntl(sockets[1], F_SETFD, 0);
      run_child(program, options, sockets[1], helper, report[1]);
   }
   int saved = errno;
   free(helper);
   close(sockets[1]);
   close(report[1]);
   int code = 0;
   bool failed = child < 0 || read(report[0], &code, sizeof(code)) == sizeof(code);
   close(report[0]);
   if (failed) {
      close(sockets[0]);
      error("can't run %s: %s", program[0], strerror(child < 0 ? saved : code));
      return child < 0 || !code ? -EAGAIN : -code;
   }
   *pid = child;
   *channel = sockets[0];
   return 0;
}

int
launch_accept(int channel, pid_t *pid)
{
   char text[16];
   union {
      struct cmsghdr header;
      char space[CMSG_SPACE(sizeof(int))];
   } control;
   struct iovec data = {.iov_base = text, .iov_len = sizeof(text)};
   struct msghdr message = {
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
   ssize_t n = recvmsg(channel, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
   if (n < 0)
      return -errno;
   if (n == 0)
      return -EPIPE;
   struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
   if (!rights || rights->cmsg_type != SCM_RIGHTS || rights->cmsg_len != CMSG_LEN(sizeof(int)))
      return -EPROTO;
   int fd;
   memcpy(&fd, CMSG_DATA(rights), sizeof(fd));
   struct ucred peer = {0};
   socklen_t size = sizeof(peer);
   getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size); /* who made the connection, in our numbers */
   *pid = peer.pid;
   return fd;
}
