/* SPDX-License-Identifier: MIT */
/*
 * hdb-helper: the one program of hdb that runs as root. It serves one process of the user who started it, puts
 * everything back, and ends when that process does. docs/security.md says what it is to keep apart.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helper.h"

static const char usage[] =
   "usage: hdb-helper --socket PATH [--pid PID] [--lifeline] [--all-vmids]\n"
   "  --socket PATH   where the debugged program finds it\n"
   "  --pid PID       serve this process only (default: the user's first that comes)\n"
   "  --lifeline      serve one process after another until standard input ends\n"
   "  --all-vmids     arm every VMID of the card, other people's as well; for kernels that reserve none\n"
   "  --debugfs DIR, --sysfs DIR   instead of /sys/kernel/debug/dri and /sys; when root itself is served\n";

/* In one write: the debugged program may be writing to the same terminal. */
int
complain(const char *format, ...)
{
   char line[1024];
   va_list args;
   va_start(args, format);
   vsnprintf(line, sizeof(line), format, args);
   va_end(args);
   dprintf(STDERR_FILENO, "hdb-helper: %s\n", line);
   return -1;
}

static bool
parse_number(const char *text, unsigned long most, unsigned long *number)
{
   char *end;
   errno = 0;
   *number = strtoul(text, &end, 10);
   return isdigit((unsigned char)*text) && !*end && !errno && *number <= most;
}

/* Who is to be served: whoever called sudo or pkexec, which set these. What is no user is not taken for root. */
static int
find_user(uid_t *user)
{
   static const char *const names[] = {"SUDO_UID", "PKEXEC_UID"};
   *user = getuid();
   for (size_t i = 0; i < sizeof(names) / sizeof(*names) && getuid() == 0; i++) {
      const char *text = getenv(names[i]);
      unsigned long uid;
      if (!text)
         continue;
      if (!parse_number(text, (uid_t)-2, &uid)) /* -1 stands for none */
         return complain("%s is \"%s\": no user", names[i], text);
      *user = (uid_t)uid;
      return 0;
   }
   return 0;
}

/* 0: it is none. */
static pid_t
parse_pid(const char *text)
{
   unsigned long pid;
   return parse_number(text, INT_MAX, &pid) ? (pid_t)pid : 0;
}

static int
parse(int argc, char **argv, struct helper_options *options)
{
   enum { SOCKET = 256, PID, LIFELINE, ALL_VMIDS, DEBUGFS, SYSFS, HELP };
   static const struct option names[] = {
      {"socket", required_argument, NULL, SOCKET},
      {"pid", required_argument, NULL, PID},
      {"lifeline", no_argument, NULL, LIFELINE},
      {"all-vmids", no_argument, NULL, ALL_VMIDS},
      {"debugfs", required_argument, NULL, DEBUGFS},
      {"sysfs", required_argument, NULL, SYSFS},
      {"help", no_argument, NULL, HELP},
      {NULL, 0, NULL, 0},
   };
   for (int option; (option = getopt_long(argc, argv, "", names, NULL)) != -1;) {
      switch (option) {
      case SOCKET:
         options->socket = optarg;
         break;
      case PID:
         options->pid = parse_pid(optarg);
         if (!options->pid)
            return complain("--pid %s: no process", optarg);
         break;
      case LIFELINE:
         options->lifeline = true;
         break;
      case ALL_VMIDS:
         options->all_vmids = true;
         break;
      case DEBUGFS:
         options->debugfs = optarg;
         break;
      case SYSFS:
         options->sysfs = optarg;
         break;
      case HELP:
         fputs(usage, stdout);
         exit(0);
      default:
         return -1;
      }
   }
   if (optind != argc || !options->socket) {
      fputs(usage, stderr);
      return -1;
   }
   if (!*options->socket) /* the kernel would make up a name that nobody knows */
      return complain("--socket wants a path");
   return 0;
}

/* With a lifeline one process after another: a debugged program may be several. */
static int
serve_all(const struct helper_options *options, int listener)
{
   struct helper_client client;
   int result;
   do {
      result = helper_accept(options, listener, &client);
      if (result <= 0)
         break;
      if (!options->lifeline) {
         helper_unlink(options);
         close(listener);
         return helper_serve(options, &client, -1);
      }
      result = helper_serve(options, &client, listener);
   } while (result <= 0);
   helper_unlink(options);
   return result < 0 ? -1 : 0;
}

/* SIGTERM is waited for (accept.c, guard.c): there is always something to be cleared away first. */
static void
block_end(void)
{
   sigset_t signals;
   sigemptyset(&signals);
   sigaddset(&signals, SIGTERM);
   sigprocmask(SIG_BLOCK, &signals, NULL);
}

int
main(int argc, char **argv)
{
   struct helper_options options = {0};
   if (parse(argc, argv, &options) < 0 || find_user(&options.user) < 0)
      return 2;
   if (geteuid() != 0)
      return complain("only root can open a card's files: sudo hdb-helper ..."), 1;
   /* Root opens what is there: files of somebody else's choice would be a way to read and write any. */
   if ((options.debugfs || options.sysfs) && options.user != 0)
      return complain("--debugfs and --sysfs are for root itself"), 2;
   if (options.all_vmids)
      complain("warning: shaders of every process on the card will enter the trap handler of the debugged one, and "
               "those of others crash there");
   signal(SIGPIPE, SIG_IGN);
   signal(SIGINT, SIG_IGN); /* meant for the debugger on the same terminal */
   signal(SIGQUIT, SIG_IGN);
   signal(SIGHUP, SIG_IGN);
   block_end();
   umask(077);

   int listener = helper_listen(&options);
   if (listener < 0)
      return 1;
   puts("ready");
   fflush(stdout);
   return serve_all(&options, listener) < 0;
}
