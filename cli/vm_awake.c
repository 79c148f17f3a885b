/* SPDX-License-Identifier: MIT */
/*
 * The card kept awake while `hdb vm` looks at it. The kernel counts who holds GFXOFF off, and does not notice that they
 * are gone: a process of its own holds it, and lets go when the other one ends, by whatever.
 */
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vm.h"

static void
hold(struct hdb_debugfs *files, int channel)
{
   sigset_t all;
   char byte;
   sigfillset(&all);
   sigprocmask(SIG_BLOCK, &all, NULL); /* ^C is for the other one */
   int result = hdb_debugfs_hold_gfxoff(files, true);
   if (send(channel, &result, sizeof(result), MSG_NOSIGNAL) == sizeof(result)) {
      while (read(channel, &byte, 1) > 0)
         continue;
   }
   hdb_debugfs_hold_gfxoff(files, false);
}

int
vm_keep_awake(struct hdb_debugfs *files, struct vm_awake *awake)
{
   int channel[2], result;
   if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) < 0)
      return -errno;
   awake->holder = fork();
   if (awake->holder == 0) {
      close(channel[0]);
      hold(files, channel[1]);
      _exit(0);
   }
   close(channel[1]);
   awake->channel = channel[0];
   if (awake->holder < 0)
      result = -EAGAIN;
   else if (read(channel[0], &result, sizeof(result)) != sizeof(result))
      result = -EIO;
   if (result < 0)
      vm_let_sleep(awake);
   return result;
}

void
vm_let_sleep(struct vm_awake *awake)
{
   close(awake->channel);
   if (awake->holder > 0)
      waitpid(awake->holder, NULL, 0);
}
