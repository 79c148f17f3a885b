/* SPDX-License-Identifier: MIT */
/*
 * Two processes: one serves and needs little, the other waits for its end and then puts the card back, however it came
 * about. What is to be put back is in memory that they share.
 */
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helper.h"
#include "server.h"
#include "target/debugfs.h"

#define NOBODY 65534
#define GRACE_US 200000
#define PATIENCE_MS 2000
#define SEND_LIMIT_S 10 /* for a client that does not take its replies */

struct service {
   const struct helper_options *options;
   struct helper_client *client;
   struct hdb_debugfs files;
   struct server_card card;
   struct server server;
   uint8_t message[sizeof(struct hdb_helper_request) + HDB_HELPER_MAX_DATA];
   uint8_t reply[sizeof(struct hdb_helper_reply) + HDB_HELPER_MAX_DATA];
};

/* ---- the card ---- */

static int
read_register(void *user, const struct hdb_bank *bank, uint32_t reg, uint32_t *value)
{
   return hdb_debugfs_read_register(user, bank, reg, value);
}

static int
write_register(void *user, const struct hdb_bank *bank, uint32_t reg, uint32_t value)
{
   return hdb_debugfs_write_register(user, bank, reg, value);
}

static int
read_memory(void *user, bool system, uint64_t address, void *data, size_t size)
{
   return hdb_debugfs_read_memory(user, system, address, data, size);
}

static int
write_memory(void *user, bool system, uint64_t address, const void *data, size_t size)
{
   return hdb_debugfs_write_memory(user, system, address, data, size);
}

static bool
client_is_dead(const struct service *service)
{
   struct pollfd fd = {.fd = service->client->pidfd, .events = POLLIN};
   return poll(&fd, 1, 0) == 1;
}

/* A card that was unplugged, or a virtual one whose process has ended, has nothing to be put back. */
static bool
card_is_gone(const struct service *service)
{
   struct stat status;
   return fstat(service->files.regs2, &status) < 0 || status.st_nlink == 0;
}

/* A client that lives resumes its waves itself. It sees that nobody serves it, and needs a moment to take its traps out
 * of the code: without a trap handler they would be passed over. */
static void
put_back(struct service *service)
{
   struct saved_registers *saved = service->server.saved;
   service->files.bank_known = false; /* the other process may have chosen another */
   if (client_is_dead(service))
      saved_registers_kill_waves(saved, &service->card);
   else if (saved->armed)
      usleep(GRACE_US);
   int error = saved_registers_restore(saved, &service->card);
   if (error && !card_is_gone(service))
      complain("%u registers could not be put back: %s", saved->count, strerror(-error));
   if (saved->gfxoff_held) {
      service->files.holds_gfxoff = true;
      hdb_debugfs_hold_gfxoff(&service->files, false);
      saved->gfxoff_held = false;
   }
}

/* ---- the greeting ---- */

static void
answer(struct service *service, const struct hdb_helper_reply *reply, const char *text)
{
   struct iovec parts[] = {{(void *)reply, sizeof(*reply)}, {(void *)text, strlen(text)}};
   struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
   sendmsg(service->client->fd, &message, MSG_NOSIGNAL);
}

/* The card that the client has open. What is no device is a test's, and that may be only where the folders are. */
static int
open_card(struct service *service, int render_node, char *why, size_t size)
{
   const struct helper_options *options = service->options;
   struct stat status;
   bool device = render_node >= 0 && !fstat(render_node, &status) && S_ISCHR(status.st_mode);
   if (!device && !options->debugfs) {
      snprintf(why, size, "hdb-helper was shown no render node");
      return -EACCES;
   }
   struct hdb_card_place place;
   int error = hdb_card_place_find(device ? status.st_rdev : 0, options->debugfs, options->sysfs, &place, why, size);
   error = error ?: hdb_debugfs_open(&service->files, &place, why, size);
   if (error)
      return error;
   error = hdb_debugfs_hold_gfxoff(&service->files, true);
   service->server.saved->gfxoff_held = service->files.holds_gfxoff;
   if (error)
      snprintf(why, size, "GFXOFF can't be held off: %s", strerror(-error));
   return error;
}

static int
greet(struct service *service)
{
   char why[256] = "";
   struct hdb_helper_reply reply;
   int render_node;
   ssize_t n = helper_receive(service->client, service->message, sizeof(service->message), &render_node);
   if (n <= 0) {
      reply = (struct hdb_helper_reply){.result = n < 0 ? (int)n : -ECONNRESET};
   } else {
      server_handle(&service->server, service->message, n, service->reply);
      memcpy(&reply, service->reply, sizeof(reply));
   }
   if (!reply.result && !service->server.greeted)
      reply.result = -EPROTO;
   if (!reply.result)
      reply.result = open_card(service, render_node, why, sizeof(why));
   if (render_node >= 0)
      close(render_node);
   answer(service, &reply, why);
   if (reply.result && !service->options->lifeline) /* whoever holds that has the program's debugger to say it */
      complain("process %d is not served: %s", (int)service->client->pid, *why ? why : strerror(-reply.result));
   return reply.result ? -1 : 0;
}

/* ---- serving ---- */

/* False: the end. */
static bool
serve_message(struct service *service)
{
   int passed;
   ssize_t n = helper_receive(service->client, service->message, sizeof(service->message), &passed);
   if (passed >= 0)
      close(passed);
   if (n == 0)
      return false;
   size_t size = sizeof(struct hdb_helper_reply);
   if (n > 0) {
      size = server_handle(&service->server, service->message, n, service->reply);
   } else {
      struct hdb_helper_reply refusal = {.result = (int)n};
      memcpy(service->reply, &refusal, sizeof(refusal));
   }
   return send(service->client->fd, service->reply, size, MSG_NOSIGNAL) == (ssize_t)size;
}

/* All that it can do from now on is what its open files let it; root's own process keeps root's files besides. */
static int
drop_privileges(const struct service *service)
{
   struct __user_cap_header_struct version = {.version = _LINUX_CAPABILITY_VERSION_3};
   const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};
   if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0 || chdir("/") < 0)
      return -errno;
   if (service->options->user != 0 &&
       (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 || setresuid(NOBODY, NOBODY, NOBODY) < 0))
      return -errno;
   return syscall(SYS_capset, &version, none) < 0 ? -errno : 0;
}

static int
serve(struct service *service, int signals)
{
   struct timeval limit = {.tv_sec = SEND_LIMIT_S};
   setsockopt(service->client->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
   for (;;) {
      struct pollfd fds[] = {{.fd = service->client->fd, .events = POLLIN},
                             {.fd = service->client->pidfd, .events = POLLIN},
                             {.fd = signals, .events = POLLIN}};
      if (poll(fds, 3, -1) < 0 && errno != EINTR)
         return complain("can't wait: %s", strerror(errno));
      if (fds[1].revents || fds[2].revents || (fds[0].revents && !serve_message(service)))
         return 0;
   }
}

/* ---- the two processes ---- */

static void
run_server(struct service *service, pid_t guard)
{
   sigset_t signals;
   sigemptyset(&signals);
   sigaddset(&signals, SIGTERM);
   int fd = signalfd(-1, &signals, SFD_CLOEXEC);
   int error = drop_privileges(service);
   if (error || fd < 0)
      _exit((complain("can't give up root: %s", strerror(error ? -error : errno)), 1));
   prctl(PR_SET_PDEATHSIG, SIGTERM); /* without the guard it has to do it itself */
   if (getppid() != guard)
      raise(SIGTERM);
   int result = serve(service, fd);
   put_back(service); /* before the end, by which a client learns of it that has lost the guard */
   _exit(result < 0);
}

struct watch {
   pid_t server;
   int status;
   bool told_to_end;
   bool client_gone; /* the server should end soon; an access to a file that hangs keeps it from it */
   bool killed;
};

static void
tell_to_end(struct watch *watch)
{
   watch->told_to_end = true;
   kill(watch->server, SIGTERM);
}

static void
take_signal(struct watch *watch, int signals)
{
   struct signalfd_siginfo info;
   if (read(signals, &info, sizeof(info)) == sizeof(info) && info.ssi_signo == SIGTERM)
      tell_to_end(watch);
}

/* Waits for something to happen; false: the other process has ended. */
static bool
watch_server(struct service *service, struct watch *watch, int signals, int listener)
{
   bool impatient = (watch->client_gone || watch->told_to_end) && !watch->killed;
   struct pollfd fds[] = {{.fd = signals, .events = POLLIN},
                          {.fd = listener, .events = POLLIN},
                          {.fd = watch->client_gone ? -1 : service->client->fd},
                          {.fd = service->options->lifeline && !watch->told_to_end ? STDIN_FILENO : -1}};
   int ready = poll(fds, 4, impatient ? PATIENCE_MS : -1);
   if (fds[0].revents)
      take_signal(watch, signals);
   if (fds[3].revents)
      tell_to_end(watch);
   if (fds[1].revents)
      helper_turn_away(listener);
   watch->client_gone |= fds[2].revents & (POLLHUP | POLLERR);
   if (ready == 0 && impatient) {
      kill(watch->server, SIGKILL);
      watch->killed = true;
   }
   return waitpid(watch->server, &watch->status, WNOHANG) == 0;
}

static int
run_guard(struct service *service, int signals, int listener, pid_t server)
{
   struct watch watch = {.server = server};
   while (watch_server(service, &watch, signals, listener))
      continue;
   close(service->client->fd);
   put_back(service);
   close(service->client->pidfd);
   if (!WIFEXITED(watch.status) || WEXITSTATUS(watch.status))
      return complain("the serving process ended early");
   return watch.told_to_end;
}

static int
start_serving(struct service *service, int signals, int listener)
{
   if (greet(service) < 0) {
      put_back(service);
      close(service->client->fd);
      close(service->client->pidfd);
      return -1;
   }
   pid_t guard = getpid(), server = fork();
   if (server < 0) {
      put_back(service);
      return complain("can't fork: %s", strerror(errno));
   }
   if (server == 0) {
      if (listener >= 0)
         close(listener);
      run_server(service, guard);
   }
   return run_guard(service, signals, listener, server);
}

int
helper_serve(const struct helper_options *options, struct helper_client *client, int listener)
{
   struct service *service = calloc(1, sizeof(*service));
   struct saved_registers *saved =
      mmap(NULL, sizeof(*saved), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
   if (!service || saved == MAP_FAILED)
      return complain("out of memory");
   service->options = options;
   service->client = client;
   service->files = HDB_DEBUGFS_CLOSED;
   service->card = (struct server_card){read_register, write_register, read_memory, write_memory, &service->files};
   service->server = (struct server){.card = &service->card, .saved = saved, .all_vmids = options->all_vmids};

   sigset_t signals;
   sigemptyset(&signals);
   sigaddset(&signals, SIGTERM);
   sigaddset(&signals, SIGCHLD);
   sigprocmask(SIG_BLOCK, &signals, NULL);
   int fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
   int result = fd < 0 ? complain("can't wait for signals: %s", strerror(errno)) : start_serving(service, fd, listener);
   hdb_debugfs_close(&service->files);
   if (fd >= 0)
      close(fd);
   munmap(saved, sizeof(*saved));
   free(service);
   return result;
}
