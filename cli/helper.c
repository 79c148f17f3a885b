/* SPDX-License-Identifier: MIT */
/* Starting hdb-helper, which does as root what the debugged program may not do itself, before the program. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "paths.h"

/* Beside this hdb: in the build tree in a folder of its own. */
static char *
find_helper(void)
{
   char self[PATH_MAX], *path = NULL;
   ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
   if (n <= 0)
      return NULL;
   self[n] = '\0';
   if (!strncmp(self, HDB_BUILD_ROOT "/", strlen(HDB_BUILD_ROOT "/")))
      return strdup(HDB_BUILD_ROOT "/helper/hdb-helper");
   *strrchr(self, '/') = '\0';
   return asprintf(&path, "%s/hdb-helper", self) < 0 ? NULL : path;
}

/* Where a virtual card's files are, for tests: only root may say so. */
static size_t
add_folder(char **arguments, size_t count, const char *option, const char *variable)
{
   char *folder = getenv(variable);
   if (folder && *folder) {
      arguments[count++] = (char *)option;
      arguments[count++] = folder;
   }
   return count;
}

static void
run_helper(char *helper, char *socket, int lifeline, int report)
{
   char *arguments[10];
   size_t count = 0;
   if (geteuid() != 0)
      arguments[count++] = "sudo";
   arguments[count++] = helper;
   arguments[count++] = "--lifeline";
   arguments[count++] = "--socket";
   arguments[count++] = socket;
   count = add_folder(arguments, count, "--debugfs", "HDB_DEBUGFS");
   count = add_folder(arguments, count, "--sysfs", "HDB_SYSFS");
   arguments[count] = NULL;
   dup2(lifeline, STDIN_FILENO);
   dup2(report, STDOUT_FILENO);
   execvp(arguments[0], arguments);
   error("can't run %s: %s", arguments[0], strerror(errno));
   _exit(127);
}

/* Whether it says that it is there; if not, it has said why. */
static bool
is_ready(int report)
{
   char line[16];
   size_t length = 0;
   while (length < sizeof(line) && !memchr(line, '\n', length)) {
      ssize_t n = read(report, line + length, sizeof(line) - length);
      if (n <= 0)
         return false;
      length += n;
   }
   return length >= 6 && !memcmp(line, "ready\n", 6);
}

static bool
is_wanted(const struct session_options *options)
{
   const char *gpu = options->gpu ? options->gpu : getenv("HDB_GPU"), *target = getenv("HDB_TARGET");
   return !getenv("HDB_HELPER") && ((gpu && !strcmp(gpu, "amdgpu")) || (target && !strcmp(target, "amdgpu")));
}

/* The end of the pipe that keeps the helper waiting, or -1. */
static int
start(char *helper, char *socket)
{
   int in[2], out[2];
   if (pipe2(in, O_CLOEXEC) < 0)
      return -1;
   if (pipe2(out, O_CLOEXEC) < 0) {
      close(in[0]);
      close(in[1]);
      return -1;
   }
   pid_t child = fork();
   if (child == 0) { /* the program is to be hdb's only child */
      if (fork() == 0)
         run_helper(helper, socket, in[0], out[1]);
      _exit(0);
   }
   close(in[0]);
   close(out[1]);
   if (child > 0)
      waitpid(child, NULL, 0);
   bool ready = child > 0 && is_ready(out[0]);
   close(out[0]);
   if (!ready)
      close(in[1]);
   return ready ? in[1] : -1;
}

char *
helper_start(const struct session_options *options)
{
   static int lifeline = -1;
   if (!is_wanted(options))
      return NULL;
   if (lifeline >= 0)
      close(lifeline);
   const char *folder = getenv("XDG_RUNTIME_DIR");
   char *helper = find_helper(), *socket;
   if (asprintf(&socket, "%s/hdb-helper-%d.sock", folder && *folder ? folder : "/tmp", (int)getpid()) < 0)
      socket = NULL;
   lifeline = helper && socket ? start(helper, socket) : -1;
   free(helper);
   if (lifeline >= 0)
      return socket;
   free(socket);
   error("hdb-helper could not be started: the program runs, but waves of a Radeon card can't be stopped");
   return NULL;
}
