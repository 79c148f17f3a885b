/* SPDX-License-Identifier: MIT */
#include "debugfs/watcher.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

void
unmount(const char *directory)
{
   if (!umount2(directory, MNT_DETACH) || errno != EPERM)
      return;
   pid_t pid = fork();
   if (pid == 0) {
      execlp("fusermount3", "fusermount3", "-u", "-z", "-q", directory, NULL);
      _exit(127);
   }
   waitpid(pid, NULL, 0);
}

static void
watch(int pipe, const char *directory)
{
   setsid(); /* out of reach of the terminal's signals */
   sigset_t all;
   sigfillset(&all);
   sigprocmask(SIG_SETMASK, &all, NULL);
   char dismissed;
   if (read(pipe, &dismissed, 1) != 1)
      unmount(directory);
   _exit(0);
}

int
watcher_start(struct watcher *watcher, const char *directory)
{
   int ends[2];
   if (pipe2(ends, O_CLOEXEC))
      return -errno;
   watcher->pid = fork();
   if (watcher->pid < 0) {
      int error = -errno;
      close(ends[0]);
      close(ends[1]);
      return error;
   }
   if (watcher->pid == 0) {
      close(ends[1]);
      watch(ends[0], directory);
   }
   close(ends[0]);
   watcher->pipe = ends[1];
   return 0;
}

void
watcher_dismiss(struct watcher *watcher)
{
   ssize_t n = write(watcher->pipe, "", 1); /* it may have been killed */
   (void)n;
   close(watcher->pipe);
   waitpid(watcher->pid, NULL, 0);
}
