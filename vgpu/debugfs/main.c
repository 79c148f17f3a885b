/* SPDX-License-Identifier: MIT */
/*
 * vgpu-debugfs DIR -- PROGRAM: runs PROGRAM, and shows what virtual GPUs it (and whatever it starts) has as the kernel
 * shows a real one under /sys/kernel/debug/dri. README.md has the manual.
 */
#define FUSE_USE_VERSION 35
#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "debugfs/card.h"
#include "debugfs/faults.h"
#include "debugfs/files.h"
#include "debugfs/tree.h"
#include "debugfs/watcher.h"

static const char usage[] =
   "usage: vgpu-debugfs [OPTION]... DIR -- PROGRAM [ARGUMENT]...\n"
   "Runs PROGRAM, with its virtual GPU's registers and memory as files under DIR while it runs.\n"
   "\n"
   "  --fault NAME                     a way in which kernels and cards misbehave:\n"
   "                                  ";
static const char usage_end[] =
   "\n"
   "  --inject FILE:OPERATION:N:KIND   makes the N-th (N-, N-M, *) open, read, write or ioctl\n"
   "                                   of FILE (or *) fail: KIND is fail, short, ones, hang,\n"
   "                                   eintr, eperm or the name of another error\n"
   "  --help\n"
   "\n"
   "The exit status is PROGRAM's; 128 + its signal; 127 if there is no PROGRAM, 126 if it can't be\n"
   "run, 125 if vgpu-debugfs itself fails.\n";

enum { NOT_SHOWN = 125, NOT_RUNNABLE, NOT_FOUND }; /* as env(1) and the shells have them */

static void
print_usage(FILE *to)
{
   fputs(usage, to);
   for (int i = 0; i < FAULT_COUNT; i++)
      fprintf(to, " %s", fault_name(i));
   fputs(usage_end, to);
}

/* ---- the program ---- */

static pid_t
start(char **argv, const sigset_t *signals)
{
   pid_t pid = fork();
   if (pid)
      return pid;
   sigprocmask(SIG_SETMASK, signals, NULL);
   execvp(argv[0], argv);
   int error = errno;
   fprintf(stderr, "vgpu-debugfs: %s: %s\n", argv[0], strerror(error));
   _exit(error == ENOENT || error == ENOTDIR ? NOT_FOUND : NOT_RUNNABLE);
}

/* What the terminal sends goes to the program anyway; what a process sends is passed on. */
static void
pass_on(int signals, pid_t program)
{
   struct signalfd_siginfo info;
   while (read(signals, &info, sizeof(info)) == sizeof(info))
      if (info.ssi_signo != SIGCHLD && info.ssi_code != SI_KERNEL)
         kill(program, (int)info.ssi_signo);
}

/* ---- the loop ---- */

static void
serve_tree(struct fuse_session *session)
{
   static struct fuse_buf buffer;
   int n = fuse_session_receive_buf(session, &buffer);
   if (n > 0)
      fuse_session_process_buf(session, &buffer);
}

/* Until the program has ended; its wait status. */
static int
loop(struct fuse_session *session, int listener, int signals, pid_t program)
{
   enum { TREE, LISTENER, SIGNALS, CARDS };
   for (;;) {
      int status;
      if (waitpid(program, &status, WNOHANG | WUNTRACED) == program) {
         if (!WIFSTOPPED(status))
            return status;
         /* The terminal's ^Z would have stopped both; see `blocked` in main. */
         if (WSTOPSIG(status) == SIGTSTP)
            kill(program, SIGCONT);
      }

      struct pollfd fds[CARDS + CARDS_MAX] = {
         [TREE] = {.fd = fuse_session_exited(session) ? -1 : fuse_session_fd(session), .events = POLLIN},
         [LISTENER] = {.fd = listener, .events = POLLIN},
         [SIGNALS] = {.fd = signals, .events = POLLIN},
      };
      nfds_t count = CARDS;
      for (struct card *card = card_list(); card; card = card->next)
         fds[count++] = (struct pollfd){.fd = card->socket, .events = POLLRDHUP};
      if (poll(fds, count, -1) < 0)
         continue;

      for (nfds_t i = CARDS; i < count; i++) {
         struct card *card = card_list();
         while (card && card->socket != fds[i].fd)
            card = card->next;
         if (card && fds[i].revents)
            card_hang_up(card);
      }
      if (fds[LISTENER].revents)
         card_accept(listener);
      if (fds[SIGNALS].revents)
         pass_on(signals, program);
      if (fds[TREE].revents)
         serve_tree(session);
   }
}

/* ---- the end ---- */

/* Files that are still open are to give EIO: a process stays for that until the last of them is closed. */
static void
linger(struct fuse_session *session, const sigset_t *signals)
{
   if (fork())
      return;
   setsid();
   sigprocmask(SIG_SETMASK, signals, NULL);
   int nothing = open("/dev/null", O_RDWR);
   for (int fd = 0; fd < 3; fd++)
      dup2(nothing, fd);
   struct pollfd tree = {.fd = fuse_session_fd(session), .events = POLLIN};
   while (!fuse_session_exited(session))
      if (poll(&tree, 1, -1) > 0)
         serve_tree(session);
   _exit(0);
}

/* ---- the command ---- */

static bool
parse(int argc, char **argv)
{
   static const struct option options[] = {
      {"fault", required_argument, NULL, 'f'},
      {"inject", required_argument, NULL, 'i'},
      {"help", no_argument, NULL, 'h'},
      {0},
   };
   for (int option; (option = getopt_long(argc, argv, "+", options, NULL)) != -1;) {
      switch (option) {
      case 'f':
         if (!fault_switch_on(optarg)) {
            fprintf(stderr, "vgpu-debugfs: --fault %s: there is no such fault\n", optarg);
            return false;
         }
         break;
      case 'i':
         if (!injection_add(optarg))
            return false;
         break;
      case 'h':
         print_usage(stdout);
         exit(0);
      default:
         return false;
      }
   }
   if (argc - optind < 3 || strcmp(argv[optind + 1], "--")) {
      print_usage(stderr);
      return false;
   }
   return true;
}

static int
complain(const char *what, int error)
{
   fprintf(stderr, "vgpu-debugfs: %s: %s\n", what, strerror(error));
   return NOT_SHOWN;
}

int
main(int argc, char **argv)
{
   char directory[PATH_MAX], address[128];
   if (!parse(argc, argv))
      return NOT_SHOWN;
   struct stat place;
   if (!realpath(argv[optind], directory) || stat(directory, &place))
      return complain(argv[optind], errno);
   if (!S_ISDIR(place.st_mode))
      return complain(argv[optind], ENOTDIR);
   char **program_argv = argv + optind + 2;

   sigset_t handled, old;
   sigemptyset(&handled);
   for (size_t i = 0; i < 5; i++)
      sigaddset(&handled, (const int[]){SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP}[i]);
   sigprocmask(SIG_BLOCK, &handled, &old);
   /* Blocked, not ignored: the program would inherit that. While this process is stopped, whoever waits for a file
    * operation could not be killed. */
   sigset_t blocked;
   sigemptyset(&blocked);
   sigaddset(&blocked, SIGPIPE);
   sigaddset(&blocked, SIGTSTP);
   sigprocmask(SIG_BLOCK, &blocked, NULL);
   int signals = signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);
   int listener = card_listen(address);
   if (signals < 0 || listener < 0)
      return complain("socket", signals < 0 ? errno : -listener);
   setenv(DEBUGFS_ENVIRONMENT, address, true);

   struct watcher watcher;
   int r = watcher_start(&watcher, directory);
   if (r)
      return complain("fork", -r);
   static struct fuse_session *session; /* lives as long as the process */
   session = tree_mount(directory);
   if (!session) {
      watcher_dismiss(&watcher);
      return NOT_SHOWN; /* libfuse has said why */
   }
   fcntl(fuse_session_fd(session), F_SETFL, O_NONBLOCK);

   pid_t program = start(program_argv, &old);
   int status = NOT_SHOWN << 8;
   if (program > 0)
      status = loop(session, listener, signals, program);
   else
      complain("fork", errno);

   card_hang_up_all();
   injection_end(); /* whatever is asked of a card that is gone has an answer */
   tree_answer_hung();
   unmount(directory);
   watcher_dismiss(&watcher);
   if (file_is_any_open() && !fuse_session_exited(session))
      linger(session, &old);
   return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
