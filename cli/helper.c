/* SPDX-License-Identifier: MIT */
/* Starting hdb-helper, which does as root what the debugged program may not do itself. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "dap/listen.h"
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

struct request {
   const char *as_root; /* the program that makes it root's; NULL: it is already */
   char *helper, *socket;
   pid_t pid; /* of the only process to be served; 0: any */
   bool all_vmids;
};

static void
run_helper(const struct request *request, int lifeline, int report)
{
   char *arguments[12], pid[16];
   size_t count = 0;
   snprintf(pid, sizeof(pid), "%d", (int)request->pid);
   if (request->as_root)
      arguments[count++] = (char *)request->as_root;
   arguments[count++] = request->helper;
   arguments[count++] = "--lifeline";
   arguments[count++] = "--socket";
   arguments[count++] = request->socket;
   if (request->pid) {
      arguments[count++] = "--pid";
      arguments[count++] = pid;
   }
   if (request->all_vmids)
      arguments[count++] = "--all-vmids";
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
   return ((gpu && !strcmp(gpu, "amdgpu")) || (target && !strcmp(target, "amdgpu")));
}

static bool
is_in_path(const char *program)
{
   const char *path = getenv("PATH");
   char *copy = path ? strdup(path) : NULL, *save, *name;
   bool found = false;
   for (char *folder = copy ? strtok_r(copy, ":", &save) : NULL; folder && !found;
        folder = strtok_r(NULL, ":", &save)) {
      if (asprintf(&name, "%s/%s", folder, program) > 0) {
         found = !access(name, X_OK);
         free(name);
      }
   }
   free(copy);
   return found;
}

static bool
has_terminal(void)
{
   int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
   if (fd >= 0)
      close(fd);
   return fd >= 0;
}

/* The end of the pipe that keeps the helper waiting, or -1. */
static int
start(const struct request *request)
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
         run_helper(request, in[0], out[1]);
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

/* sudo asks on the terminal; without one only rules that want no password help, and then pkexec asks on the desktop. */
static int
start_as_root(struct request *request)
{
   static const char *const programs[] = {"sudo", "pkexec"};
   bool tried = false;
   if (geteuid() == 0)
      return start(request);
   for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]) && !(tried && has_terminal()); i++) {
      if (!is_in_path(programs[i]))
         continue;
      request->as_root = programs[i];
      tried = true;
      int lifeline = start(request);
      if (lifeline >= 0)
         return lifeline;
   }
   return tried ? -1 : error("hdb-helper has to be root's, and neither sudo nor pkexec is there");
}

/* Beside the sockets that debuggers connect to. To be freed; NULL after a message. */
static char *
name_socket(pid_t pid)
{
   char folder[PATH_MAX], *socket;
   int result = listen_make_folder(folder, sizeof(folder));
   if (result)
      error("no socket for hdb-helper in %s: %s", folder, strerror(-result));
   return result || asprintf(&socket, "%s/helper-%d.sock", folder, (int)pid) < 0 ? NULL : socket;
}

/* One at a time. Takes the socket's name; -1 after a message. */
static int
start_helper(const struct session_options *options, char *socket, pid_t pid)
{
   static int lifeline = -1;
   if (lifeline >= 0)
      close(lifeline);
   struct request request = {.helper = find_helper(), .socket = socket, .pid = pid, .all_vmids = options->all_vmids};
   lifeline = request.helper && socket ? start_as_root(&request) : -1;
   free(request.helper);
   if (lifeline < 0)
      error("hdb-helper could not be started: the program runs, but waves of a Radeon card can't be stopped");
   return lifeline < 0 ? -1 : 0;
}

char *
helper_start(const struct session_options *options)
{
   if (!is_wanted(options) || getenv("HDB_HELPER"))
      return NULL;
   char *socket = name_socket(getpid());
   if (start_helper(options, socket, 0) == 0)
      return socket;
   free(socket);
   return NULL;
}

/* It looks for one beside its own socket (engine/card.c), unless it was told of another. */
void
helper_start_for(const struct session_options *options, pid_t pid)
{
   if (!is_wanted(options) || getenv("HDB_HELPER"))
      return;
   char *socket = name_socket(pid);
   start_helper(options, socket, pid);
   free(socket);
}
