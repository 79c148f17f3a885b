/* SPDX-License-Identifier: MIT */
/* The socket that debuggers connect to: $XDG_RUNTIME_DIR/hdb/PID.sock, for the same user only. */
#ifndef HDB_LISTEN_H
#define HDB_LISTEN_H

#include <stddef.h>

/* Returns the listening descriptor and the socket's path, or a negative errno and in `path` what it was about; with
 * -ENXIO that is all there is to say. */
int listen_create(char *path, size_t path_size);
int listen_accept(int listen_fd); /* a connection of our own user; -1: none */

#endif
