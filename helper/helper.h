/* SPDX-License-Identifier: MIT */
#ifndef HELPER_HELPER_H
#define HELPER_HELPER_H

#include <stdarg.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "target/helper_protocol.h"

struct helper_options {
   const char *socket;
   uid_t user; /* whom it serves */
   pid_t pid;  /* which process of theirs; 0: the first that comes */
   bool lifeline;
   bool all_vmids;
   const char *debugfs, *sysfs; /* NULL: the kernel's */
};

/* The process that is served. */
struct helper_client {
   int fd;    /* the connection */
   int pidfd; /* its own end is noticed also if a child of it has the connection, too */
   pid_t pid;
};

int complain(const char *format, ...) __attribute__((format(printf, 1, 2))); /* one line on standard error; -1 */

/* accept.c */
int helper_listen(const struct helper_options *options);
/* Somebody who has said something: 1; 0: nobody came before the lifeline's end or SIGTERM, which is blocked; -1 after a
 * message. Those who may not are told so, and sent away. */
int helper_accept(const struct helper_options *options, int listener, struct helper_client *client);
void helper_turn_away(int listener); /* one that comes while another is served */
void helper_unlink(const struct helper_options *options);

/* One message of the client's own, and the descriptor that came along in *passed (-1: none). Its size; 0: the
 * connection has ended; -EACCES: somebody else has sent it; -EMSGSIZE: it did not fit. */
ssize_t helper_receive(const struct helper_client *client, void *message, size_t size, int *passed);

/* guard.c: serves until the client's end, puts the card back. `listener`: who else comes is turned away; -1: nobody
 * can. 0; 1: it was told to end; -1 after a message. */
int helper_serve(const struct helper_options *options, struct helper_client *client, int listener);

#endif
