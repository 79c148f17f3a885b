/* SPDX-License-Identifier: MIT */
/* The socket that debuggers connect to: PID.sock in $XDG_RUNTIME_DIR/hdb or, where there is no such variable, as in
 * containers, in /tmp/hdb-UID; for the same user only. */
#ifndef HDB_LISTEN_H
#define HDB_LISTEN_H

#include <stddef.h>

/* The folder of sockets. -ENOENT: it is not there yet, -EPERM: it is not ours alone; or another negative errno. */
int listen_find_folder(char *path, size_t path_size);
int listen_make_folder(char *path, size_t path_size); /* if it is not there yet */
/* Returns the listening descriptor and the socket's path, or a negative errno and in `path` what it was about. */
int listen_create(char *path, size_t path_size);
int listen_accept(int listen_fd); /* a connection of our own user; -1: none */

#endif
