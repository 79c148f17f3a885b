/* SPDX-License-Identifier: MIT */
#include "target/helper_client.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* A file operation of the helper's that hangs must not hang the application. */
#define ANSWER_LIMIT_S 10

static int
give_up(struct hdb_helper_client *client, int error, const char *why)
{
   snprintf(client->problem, sizeof(client->problem), "hdb-helper %s%s%s; waves can't be stopped any more", why,
            error ? ": " : "", error ? strerror(error) : "");
   hdb_helper_disconnect(client);
   return -EIO;
}

void
hdb_helper_lost(struct hdb_helper_client *client)
{
   if (client->fd >= 0)
      give_up(client, 0, "is gone");
}

static int
send_request(struct hdb_helper_client *client, const struct hdb_helper_request *request, const void *extra, int fd)
{
   struct iovec parts[] = {{(void *)request, sizeof(*request)}, {(void *)extra, extra ? request->size : 0}};
   union {
      struct cmsghdr header;
      char space[CMSG_SPACE(sizeof(int))];
   } control = {0};
   struct msghdr message = {.msg_iov = parts, .msg_iovlen = extra ? 2 : 1};
   if (fd >= 0) {
      message.msg_control = &control;
      message.msg_controllen = sizeof(control);
      control.header =
         (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
      memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
   }
   ssize_t n;
   do
      n = sendmsg(client->fd, &message, MSG_NOSIGNAL);
   while (n < 0 && errno == EINTR);
   return n < 0 ? give_up(client, errno == EPIPE ? 0 : errno, errno == EPIPE ? "is gone" : "can't be asked") : 0;
}

/* How many bytes of data came with the reply, or a negative errno. */
static ssize_t
receive_reply(struct hdb_helper_client *client, struct hdb_helper_reply *reply, void *data, size_t size)
{
   struct iovec parts[] = {{reply, sizeof(*reply)}, {data, size}};
   struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
   ssize_t n;
   do
      n = recvmsg(client->fd, &message, 0);
   while (n < 0 && errno == EINTR);
   if (n == 0 || (n < 0 && errno == ECONNRESET))
      return give_up(client, 0, "is gone");
   if (n < 0)
      return errno == EAGAIN ? give_up(client, 0, "does not answer") : give_up(client, errno, "can't be heard");
   if ((size_t)n < sizeof(*reply) || message.msg_flags & MSG_TRUNC)
      return give_up(client, 0, "answers something else");
   return n - (ssize_t)sizeof(*reply);
}

int
hdb_helper_call(struct hdb_helper_client *client, const struct hdb_helper_request *request, const void *extra,
                uint32_t *value, void *data, size_t data_size)
{
   if (client->fd < 0)
      return -EIO;
   struct hdb_helper_reply reply;
   int error = send_request(client, request, extra, -1);
   if (error)
      return error;
   ssize_t n = receive_reply(client, &reply, data, data_size);
   if (n < 0)
      return (int)n;
   if (!reply.result && (size_t)n != data_size)
      return give_up(client, 0, "answers something else");
   if (value)
      *value = reply.value;
   return reply.result;
}

/* Nobody else is to be asked for memory of ours. */
static int
check_peer(struct hdb_helper_client *client)
{
   struct ucred peer;
   socklen_t size = sizeof(peer);
   if (getsockopt(client->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
      return give_up(client, errno, "can't be identified");
   return peer.uid == 0 || peer.uid == geteuid() ? 0 : give_up(client, 0, "is not root's");
}

static int
greet(struct hdb_helper_client *client, int drm_fd)
{
   struct hdb_helper_request hello = {.op = HDB_HELPER_HELLO, .reg = HDB_HELPER_MAGIC, .value = HDB_HELPER_VERSION};
   struct hdb_helper_reply reply;
   char text[sizeof(client->problem)] = "";
   int error = send_request(client, &hello, NULL, drm_fd);
   ssize_t n = error ? error : receive_reply(client, &reply, text, sizeof(text) - 1);
   if (n < 0)
      return (int)n;
   if (!reply.result)
      return 0;
   hdb_helper_disconnect(client);
   if (reply.result == -EPROTONOSUPPORT)
      snprintf(client->problem, sizeof(client->problem), "hdb-helper is of another version than this hdb");
   else if (*text)
      snprintf(client->problem, sizeof(client->problem), "%.*s", (int)n, text);
   else
      snprintf(client->problem, sizeof(client->problem), "hdb-helper refuses: %s", strerror(-reply.result));
   return reply.result;
}

int
hdb_helper_connect(struct hdb_helper_client *client, const char *path, int drm_fd)
{
   struct sockaddr_un address = {.sun_family = AF_UNIX};
   struct timeval limit = {.tv_sec = ANSWER_LIMIT_S};
   *client = (struct hdb_helper_client){.fd = -1};
   if (strlen(path) >= sizeof(address.sun_path))
      return -ENAMETOOLONG;
   strcpy(address.sun_path, path);
   client->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
   if (client->fd < 0)
      return -errno;
   setsockopt(client->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
   setsockopt(client->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
   if (connect(client->fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
      int error = -errno;
      hdb_helper_disconnect(client);
      snprintf(client->problem, sizeof(client->problem), "no hdb-helper at %s: %s", path, strerror(-error));
      return error;
   }
   int error = check_peer(client);
   return error ?: greet(client, drm_fd);
}

void
hdb_helper_disconnect(struct hdb_helper_client *client)
{
   if (client->fd >= 0)
      close(client->fd);
   client->fd = -1;
}
