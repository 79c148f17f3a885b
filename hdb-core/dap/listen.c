/* SPDX-License-Identifier: MIT */
#include "dap/listen.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Sockets of processes that were killed stay behind; nobody else can remove them. */
static void
remove_stale_sockets(const char *directory)
{
   DIR *entries = opendir(directory);
   struct dirent *entry;
   while (entries && (entry = readdir(entries))) {
      char *end;
      long pid = strtol(entry->d_name, &end, 10);
      if (pid > 0 && strcmp(end, ".sock") == 0 && kill(pid, 0) < 0 && errno == ESRCH)
         unlinkat(dirfd(entries), entry->d_name, 0);
   }
   if (entries)
      closedir(entries);
}

int
listen_find_folder(char *path, size_t size)
{
   const char *runtime = getenv("XDG_RUNTIME_DIR");
   struct stat status;
   int length = runtime && *runtime ? snprintf(path, size, "%s/hdb", runtime)
                                    : snprintf(path, size, "/tmp/hdb-%u", (unsigned)geteuid());
   if (length < 0 || (size_t)length >= size)
      return -ENAMETOOLONG;
   /* Somebody else's folder would let them put their socket in our place. */
   if (lstat(path, &status) < 0)
      return -errno;
   return S_ISDIR(status.st_mode) && status.st_uid == geteuid() && !(status.st_mode & 077) ? 0 : -EPERM;
}

int
listen_make_folder(char *path, size_t size)
{
   int result = listen_find_folder(path, size);
   if (result == -ENOENT)
      result = mkdir(path, 0700) < 0 && errno != EEXIST ? -errno : listen_find_folder(path, size);
   if (!result)
      remove_stale_sockets(path);
   return result;
}

int
listen_create(char *path, size_t path_size)
{
   struct sockaddr_un address = {.sun_family = AF_UNIX};
   int result = listen_make_folder(path, path_size);
   if (result)
      return result;
   size_t length = strlen(path);
   int added = snprintf(path + length, path_size - length, "/%d.sock", getpid());
   if (added < 0 || length + added >= path_size || length + added >= sizeof(address.sun_path))
      return -ENAMETOOLONG;
   memcpy(address.sun_path, path, length + added);

   int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
   if (fd < 0)
      return -errno;
   unlink(path); /* a process before us may have had our number */
   if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 || listen(fd, 4) < 0) {
      result = -errno;
      close(fd);
      return result;
   }
   return fd;
}

int
listen_accept(int listen_fd)
{
   struct ucred peer;
   socklen_t size = sizeof(peer);
   int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
   if (fd < 0)
      return -1;
   if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid())
      return fd;
   close(fd);
   return -1;
}
