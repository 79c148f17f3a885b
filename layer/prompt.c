/* SPDX-License-Identifier: MIT */
/*
 * `hdb attach` on the controlling terminal, for a program that was started with the layer but not by `hdb run`. It runs
 * in a process group of its own, which it puts into the terminal's foreground while it asks or shows its prompt: Ctrl-C
 * reaches hdb then, not the program. It gives the terminal back itself, but it may be killed, and the program may end
 * while hdb shows its prompt. Its grandparent is the program but its parent is not: the program's wait() never sees it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "layer.h"

#define CLIENT_FD 3

static struct {
   _Atomic(pid_t) group; /* hdb's; 0: no prompt has been started */
   bool has_modes;
   struct termios modes; /* of the terminal when it was the program's */
} prompt;

/* HDB_CLI, else the hdb next to the layer in its build tree, else the one in PATH. */
static void
find_hdb(char path[PATH_MAX])
{
   const char *given = getenv("HDB_CLI");
   Dl_info info;
   if (given && *given) {
      snprintf(path, PATH_MAX, "%s", given);
      return;
   }
   if (dladdr(&layer_inert, &info) && info.dli_fname) {
      const char *slash = strrchr(info.dli_fname, '/');
      int length = slash ? (int)(slash - info.dli_fname) : 0;
      int n = slash ? snprintf(path, PATH_MAX, "%.*s/../cli/hdb", length, info.dli_fname) : -1;
      if (n > 0 && n < PATH_MAX && !access(path, X_OK))
         return;
   }
   snprintf(path, PATH_MAX, "hdb");
}

static void
reset_signals(void)
{
   sigset_t none;
   sigemptyset(&none);
   for (int i = 1; i < NSIG; i++)
      signal(i, SIG_DFL);
   sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In the new process, which shares nothing with the program's threads: only calls that are safe after fork(). */
static _Noreturn void
exec_hdb(const char *path, int tty, int client, char **environment)
{
   static const char *const arguments[] = {"hdb", "attach", "--ask", "fd:3", NULL};
   static const char message[] = "hdb: can't start the prompt: no hdb in PATH or HDB_CLI\n";
   reset_signals();
   setpgid(0, 0);
   /* Out of the way of 0 to 3 first: the program may have closed its standard descriptors. */
   tty = fcntl(tty, F_DUPFD, CLIENT_FD + 1);
   client = fcntl(client, F_DUPFD, CLIENT_FD + 1);
   if (tty < 0 || client < 0 || dup2(tty, 0) < 0 || dup2(tty, 1) < 0 || dup2(tty, 2) < 0 || dup2(client, CLIENT_FD) < 0)
      _exit(127);
   closefrom(CLIENT_FD + 1);
   execvpe(path, (char *const *)arguments, environment);
   _exit(write(2, message, sizeof(message) - 1) < 0 ? 126 : 127);
}

/* The environment for hdb: the program's, and which process group to give the terminal back to. */
static char **
make_environment(char group_variable[48], pid_t group)
{
   size_t count = 0;
   while (environ[count])
      count++;
   char **environment = calloc(count + 2, sizeof(*environment));
   if (!environment)
      return NULL;
   memcpy(environment, environ, count * sizeof(*environment));
   snprintf(group_variable, 48, "HDB_TERMINAL_PGRP=%d", (int)group);
   environment[count] = group_variable;
   return environment;
}

/* hdb as a grandchild: its process id, or a negative errno. */
static pid_t
spawn(int tty, int client, pid_t group)
{
   char path[PATH_MAX], group_variable[48];
   int report[2];
   pid_t hdb = -EAGAIN;
   find_hdb(path);
   char **environment = make_environment(group_variable, group);
   if (!environment || pipe2(report, O_CLOEXEC) < 0) {
      free(environment);
      return -ENOMEM;
   }
   pid_t child = fork();
   if (child == 0) {
      pid_t grandchild = fork();
      if (grandchild == 0)
         exec_hdb(path, tty, client, environment);
      _exit(write(report[1], &grandchild, sizeof(grandchild)) != sizeof(grandchild));
   }
   free(environment);
   close(report[1]);
   while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
      continue;
   if (read(report[0], &hdb, sizeof(hdb)) != sizeof(hdb) || hdb < 0)
      hdb = -EAGAIN;
   close(report[0]);
   return hdb;
}

int
layer_prompt_start(void)
{
   int sockets[2];
   int tty = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
   if (tty < 0)
      return -errno;
   /* A program in the background leaves the terminal to the one in the foreground. */
   pid_t group = tcgetpgrp(tty);
   if (group != getpgrp() || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) < 0) {
      close(tty);
      return -ENOTTY;
   }
   prompt.has_modes = tcgetattr(tty, &prompt.modes) == 0;
   pid_t hdb = spawn(tty, sockets[1], group);
   close(sockets[1]);
   close(tty);
   if (hdb < 0) {
      close(sockets[0]);
      return hdb;
   }
   atomic_store(&prompt.group, hdb);
   return sockets[0];
}

void
layer_prompt_end(void)
{
   pid_t hdb = atomic_load(&prompt.group);
   int tty = hdb && !layer_inert ? open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
   if (tty < 0)
      return;
   sigset_t background, mask; /* a background group may not touch the terminal otherwise */
   sigemptyset(&background);
   sigaddset(&background, SIGTTOU);
   pthread_sigmask(SIG_BLOCK, &background, &mask);
   if (tcgetpgrp(tty) == hdb) {
      if (prompt.has_modes)
         tcsetattr(tty, TCSADRAIN, &prompt.modes);
      tcsetpgrp(tty, getpgrp());
   }
   pthread_sigmask(SIG_SETMASK, &mask, NULL);
   close(tty);
}

/* At exit() hdb may show its prompt still; what the shell runs next needs the terminal at once. */
__attribute__((destructor)) static void
end_prompt_at_exit(void)
{
   layer_prompt_end();
}
