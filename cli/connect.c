/* SPDX-License-Identifier: MIT */
/*
 * Where a session's connection comes from and how it ends. A program that we started may be many processes: each engine
 * in them offers itself over the launch channel; one at a time is debugged. A process that we attached to is the only
 * one.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "dap/listen.h"

/* From the end of a connection to the end of its process, which closes its descriptors first. One that becomes another
 * program by exec() does not end. */
#define GRACE_MS 300

static bool
is_readable(int fd, int timeout_ms)
{
   struct pollfd wanted = {.fd = fd, .events = POLLIN};
   return poll(&wanted, 1, timeout_ms) > 0;
}

static void
close_fd(int *fd)
{
   if (*fd >= 0)
      close(*fd);
   *fd = -1;
}

/* "1234 (saxpy)" */
static const char *
describe_process(pid_t pid)
{
   static char text[64];
   char path[32], name[32] = "";
   snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
   FILE *file = fopen(path, "re");
   if (file && fgets(name, sizeof(name), file))
      name[strcspn(name, "\n")] = '\0';
   if (file)
      fclose(file);
   snprintf(text, sizeof(text), *name ? "%d (%s)" : "%d", (int)pid, name);
   return text;
}

/* ---- the end ---- */

static void
forget_connection(struct session *session)
{
   dap_client_finish(&session->client);
   close_fd(&session->engine_pidfd);
   session->engine_pid = 0;
   session->connected = session->configured = false;
   for (struct breakpoint *b = session->breakpoints; b; b = b->next) {
      b->engine_id = 0;
      b->verified = false;
      if (b->message) {
         free(b->unmet);
         b->unmet = b->message;
      }
      free(b->shown);
      b->message = b->shown = NULL;
   }
}

static void
report_end(struct session *session, int status)
{
   if (WIFSIGNALED(status)) {
      session->exit_status = 128 + WTERMSIG(status);
      printf("[program killed by signal %d (%s)]\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
   } else {
      session->exit_status = WEXITSTATUS(status);
      printf("[program exited with code %d%s]\n", session->exit_status,
             session->engine_count ? "" : "; it created no Vulkan device under VK_LAYER_hdb");
   }
   fflush(stdout);
}

void
session_end(struct session *session)
{
   forget_connection(session);
   close_fd(&session->launch_fd);
   close_fd(&session->pidfd);
   if (session->pid) {
      int status = 0;
      while (waitpid(session->pid, &status, 0) < 0 && errno == EINTR)
         continue;
      session->pid = 0;
      report_end(session, status);
      session->unmet = breakpoints_report_unmet(session) || session->dropped;
      if (session->chosen)
         error("%s: no such dispatch came", session->chosen);
      if (session->options.frame >= 0 && !session->frame_came) {
         error("frame %lld never came", (long long)session->options.frame);
         session->unmet = true;
      }
   }
   session->state = SESSION_ENDED;
}

void
session_hung_up(struct session *session)
{
   pid_t pid = session->engine_pid;
   bool ended = is_readable(session->engine_pidfd, GRACE_MS);
   bool refused = session->refused;
   bool expected = terminal_is_lent() && session->state == SESSION_RUNNING; /* others have the terminal now */
   forget_connection(session);
   session->state = SESSION_RUNNING;
   if (session->pid ? pid != session->pid || !ended : !refused && !expected)
      printf("[process %d %s]\n", (int)pid, ended ? "has ended" : "has closed the connection");
   fflush(stdout);
   if (!session->pid || is_readable(session->pidfd, 0))
      session_end(session);
}

void
session_finish(struct session *session)
{
   free(session->typed_capture);
   free(session->typed_captured);
   free(session->capturing);
   free(session->chosen);
   if (session->pid) {
      if (session->connected)
         dap_client_request(&session->client, "disconnect", json_pack("{s:b}", "terminateDebuggee", 1));
      kill(-session->pid, SIGKILL);
      kill(session->pid, SIGKILL);
      waitpid(session->pid, NULL, 0);
   }
   forget_connection(session);
   close_fd(&session->launch_fd);
   close_fd(&session->pidfd);
   breakpoints_free(session);
   json_decref(session->sources);
   json_decref(session->filter);
   free(session->file);
   free(session->list_file);
}

/* ---- the beginning ---- */

static void
greet(struct session *session, int fd, pid_t pid)
{
   dap_client_init(&session->client, fd);
   session->engine_pid = pid;
   session->engine_pidfd = pid ? pidfd_open(pid, 0) : -1;
   session->engine_count++;
   session->connected = true;
   session->configured = session->refused = false;
   session->state = SESSION_RUNNING;
   dap_client_request(&session->client, "initialize",
                      json_pack("{s:s, s:s, s:b, s:b}", "clientID", "hdb", "adapterID", "hdb", "linesStartAt1", 1,
                                "columnsStartAt1", 1));
   json_t *attach = json_pack("{s:b}", "ask", session->ask);
   if (session->options.internal)
      json_object_set_new(attach, "internal", json_true());
   if (session->options.interactive)
      json_object_set_new(attach, "askInFrames", json_true());
   dap_client_request(&session->client, "attach", attach);
}

void
session_accept(struct session *session)
{
   pid_t pid;
   int fd = launch_accept(session->launch_fd, &pid);
   if (fd == -EPIPE) /* nobody holds the channel any more */
      close_fd(&session->launch_fd);
   if (fd < 0)
      return;
   if (session->connected && is_readable(session->engine_pidfd, 0))
      session_hung_up(session);
   if (session->state == SESSION_ENDED) {
      close(fd);
   } else if (session->connected) {
      close(fd);
      printf("[process %s uses Vulkan too; it runs without the debugger]\n", describe_process(pid));
   } else {
      if (session->engine_count || pid != session->pid)
         printf("[debugging process %s]\n", describe_process(pid));
      greet(session, fd, pid);
   }
   fflush(stdout);
}

int
session_start(struct session *session)
{
   session->start_error = launch_program(session->program, &session->options, &session->pid, &session->launch_fd);
   if (session->start_error)
      return -1;
   session->pidfd = pidfd_open(session->pid, 0);
   session->engine_count = 0;
   session->state = SESSION_RUNNING;
   return 0;
}

/* The number in NUMBER.sock at the end of a path, or 0. */
static pid_t
socket_owner(const char *path)
{
   const char *slash = strrchr(path, '/');
   char *end;
   long pid = strtol(slash ? slash + 1 : path, &end, 10);
   return pid > 0 && strcmp(end, ".sock") == 0 ? (pid_t)pid : 0;
}

static int
explain_no_connection(const char *path, int code)
{
   pid_t pid = socket_owner(path);
   bool gone = pid && kill(pid, 0) < 0 && errno == ESRCH;
   struct stat status;
   bool is_socket = lstat(path, &status) == 0 && S_ISSOCK(status.st_mode);
   if (gone && code == ECONNREFUSED && is_socket && unlink(path) == 0)
      return error("process %d has ended; the socket that it left behind, %s, is removed", (int)pid, path);
   if (gone && code == ENOENT)
      return error("there is no process %d", (int)pid);
   if (pid && code == ENOENT)
      return error("process %s has no device under VK_LAYER_hdb, or does not listen: there is no %s",
                   describe_process(pid), path);
   return error("can't connect to %s: %s", path, strerror(code));
}

/* Of a process, in a folder of ours; -1 after a message. */
static int
find_socket(char *path, size_t size, const char *pid)
{
   char folder[sizeof(((struct sockaddr_un *)0)->sun_path)];
   int result = listen_find_folder(folder, sizeof(folder));
   if (result && result != -ENOENT)
      return error("%s: %s; only a folder of our own is trusted", folder, strerror(-result));
   return snprintf(path, size, "%s/%s.sock", folder, pid) < (int)size ? 0 : error("%s: too long a name", folder);
}

static int
connect_to(const char *pid_or_path)
{
   struct sockaddr_un address = {.sun_family = AF_UNIX};
   uint64_t number;
   if (strncmp(pid_or_path, "fd:", 3) == 0 && parse_unsigned(pid_or_path + 3, &number)) {
      fcntl((int)number, F_SETFD, FD_CLOEXEC);
      return (int)number;
   }
   if (!parse_unsigned(pid_or_path, &number))
      snprintf(address.sun_path, sizeof(address.sun_path), "%s", pid_or_path);
   else if (find_socket(address.sun_path, sizeof(address.sun_path), pid_or_path) < 0)
      return -1;
   int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
   if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
      return fd;
   int code = errno;
   if (fd >= 0)
      close(fd);
   return explain_no_connection(address.sun_path, code);
}

/* The same; and whose engine that is, 0: nobody says. */
static int
connect_to_engine(const char *pid_or_path, pid_t *engine)
{
   struct ucred peer = {0};
   socklen_t size = sizeof(peer);
   int fd = connect_to(pid_or_path);
   if (fd >= 0)
      getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size);
   *engine = peer.pid;
   return fd;
}

int
session_reach(struct session *session, const char *pid_or_path)
{
   pid_t engine;
   int fd = connect_to_engine(pid_or_path, &engine);
   if (fd < 0)
      return -1;
   dap_client_init(&session->client, fd);
   session->engine_pid = engine;
   session->engine_pidfd = engine ? pidfd_open(engine, 0) : -1;
   session->connected = true;
   return 0;
}

int
session_connect(struct session *session, const char *pid_or_path)
{
   pid_t engine;
   int fd = connect_to_engine(pid_or_path, &engine);
   if (fd < 0)
      return -1;
   greet(session, fd, engine);
   while (session->connected && !session->configured && !interrupted)
      session_wait_once(session, -1);
   if (!session->configured)
      return -1;
   while (session->connected && session->holds && session->state == SESSION_RUNNING && !interrupted)
      session_wait_once(session, -1);
   helper_start_for(&session->options, engine);
   if (!session->stops && session->state == SESSION_RUNNING)
      printf(
         "[attached to process %s: its dispatches are listed, but nothing of it can be stopped or captured; it does "
         "not run on hdb's driver]\n",
         describe_process(engine));
   else if (!session->ask && session->state == SESSION_RUNNING)
      printf("[attached to process %s: what it submits from now on can be stopped, by breakpoint or by Ctrl-C or "
             "`pause`; what runs already can't]\n",
             describe_process(engine));
   fflush(stdout);
   return 0;
}
