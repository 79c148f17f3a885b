/* SPDX-License-Identifier: MIT */
#include "debugfs/card.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* A file operation ends after so long whatever the process does (stopped in a debugger, say): until then whoever waits
 * for it can't be killed. */
#define ANSWER_MS 5000

static struct card *cards; /* sorted by number */

/* ---- the socket ---- */

int
card_listen(char name[128])
{
   int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
   if (fd < 0)
      return -errno;
   struct sockaddr_un address = {.sun_family = AF_UNIX};
   socklen_t size = sizeof(address);
   /* Without a path the kernel finds a free abstract name (unix(7), "Autobind feature"). */
   if (bind(fd, (struct sockaddr *)&address, sizeof(sa_family_t)) || listen(fd, 16) ||
       getsockname(fd, (struct sockaddr *)&address, &size)) {
      int error = -errno;
      close(fd);
      return error;
   }
   int length = (int)(size - offsetof(struct sockaddr_un, sun_path)) - 1;
   snprintf(name, 128, "@%.*s", length, address.sun_path + 1);
   return fd;
}

static int64_t
now_ms(void)
{
   struct timespec now;
   clock_gettime(CLOCK_MONOTONIC, &now);
   return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

static int
wait_for(int fd, short events, int64_t deadline)
{
   int64_t left = deadline - now_ms();
   struct pollfd pollfd = {.fd = fd, .events = events};
   int n = poll(&pollfd, 1, left > 0 ? (int)left : 0);
   return n < 0 ? (errno == EINTR ? 0 : -errno) : n == 0 ? -ETIMEDOUT : 0;
}

/* Moves `size` bytes in one direction; *done says how far it came. */
static int
transfer(int fd, void *data, size_t size, bool out, int64_t deadline, size_t *done)
{
   uint8_t *at = data;
   *done = 0;
   while (*done < size) {
      ssize_t n = out ? send(fd, at + *done, size - *done, MSG_NOSIGNAL | MSG_DONTWAIT)
                      : recv(fd, at + *done, size - *done, MSG_DONTWAIT);
      if (n > 0) {
         *done += (size_t)n;
         continue;
      }
      if (n == 0 || (errno != EAGAIN && errno != EINTR))
         return -EIO;
      int r = wait_for(fd, out ? POLLOUT : POLLIN, deadline);
      if (r)
         return r;
   }
   return 0;
}

/* As above; a message torn in the middle can't be mended, so that the connection ends with it. */
static int
transfer_whole(struct card *card, void *data, size_t size, bool out, int64_t deadline, bool torn)
{
   size_t done;
   int r = transfer(card->socket, data, size, out, deadline, &done);
   if (r == -EIO || (r && (done > 0 || torn)))
      card_hang_up(card);
   return r;
}

static int
skip(struct card *card, uint32_t size, int64_t deadline)
{
   uint8_t waste[4096];
   int r = 0;
   for (uint32_t part; size && !r; size -= part) {
      part = size < sizeof(waste) ? size : sizeof(waste);
      r = transfer_whole(card, waste, part, false, deadline, true);
   }
   return r;
}

/* Sends `in` after the request; up to `out_size` bytes of the reply's data go to `out`. */
static int
ask(struct card *card, struct debugfs_request *request, const void *in, size_t in_size, void *out, size_t out_size,
    struct debugfs_reply *reply)
{
   if (card->socket < 0)
      return -EIO;
   int64_t deadline = now_ms() + ANSWER_MS;
   request->sequence = ++card->sequence;
   int r = transfer_whole(card, request, sizeof(*request), true, deadline, false);
   if (!r)
      r = transfer_whole(card, (void *)in, in_size, true, deadline, true);
   while (!r) {
      r = transfer_whole(card, reply, sizeof(*reply), false, deadline, false);
      if (r)
         break;
      if (reply->sequence != request->sequence) { /* the answer to what was given up on */
         r = skip(card, reply->size, deadline);
         continue;
      }
      size_t wanted = reply->size < out_size ? reply->size : out_size;
      r = transfer_whole(card, out, wanted, false, deadline, true);
      if (!r)
         r = skip(card, reply->size - (uint32_t)wanted, deadline);
      return r ? r : reply->result;
   }
   return r;
}

int
card_registers(struct card *card, uint32_t flags, const struct debugfs_step *steps, uint32_t count, uint32_t *values,
               uint32_t value_count, bool *busy)
{
   struct debugfs_request request = {
      .operation = DEBUGFS_REGISTERS, .flags = flags, .size = count * (uint32_t)sizeof(*steps)};
   struct debugfs_reply reply = {0};
   int r = ask(card, &request, steps, request.size, values, value_count * sizeof(*values), &reply);
   if (busy)
      *busy = reply.busy;
   return r;
}

int
card_copy(struct card *card, enum debugfs_operation operation, uint32_t flags, uint64_t address, void *data,
          uint32_t size)
{
   struct debugfs_request request = {.operation = operation, .flags = flags, .address = address, .size = size};
   struct debugfs_reply reply;
   bool write = operation == DEBUGFS_VRAM_WRITE || operation == DEBUGFS_SYSTEM_WRITE;
   return ask(card, &request, data, write ? size : 0, data, write ? 0 : size, &reply);
}

int
card_reset(struct card *card)
{
   struct debugfs_request request = {.operation = DEBUGFS_RESET};
   struct debugfs_reply reply;
   return ask(card, &request, NULL, 0, NULL, 0, &reply);
}

/* ---- life ---- */

struct card *
card_list(void)
{
   return cards;
}

struct card *
card_by_number(uint32_t number)
{
   struct card *card = cards;
   while (card && card->number != number)
      card = card->next;
   return card;
}

struct card *
card_ref(struct card *card)
{
   card->refs++;
   return card;
}

void
card_unref(struct card *card)
{
   if (--card->refs == 0)
      free(card);
}

void
card_hang_up(struct card *card)
{
   if (card->socket < 0)
      return;
   close(card->socket);
   card->socket = -1;
   for (struct card **link = &cards; *link; link = &(*link)->next) {
      if (*link == card) {
         *link = card->next;
         card_unref(card);
         return;
      }
   }
}

void
card_hang_up_all(void)
{
   while (cards)
      card_hang_up(cards);
}

static void
read_command(struct card *card)
{
   char path[64];
   snprintf(path, sizeof(path), "/proc/%d/comm", card->pid);
   int fd = open(path, O_RDONLY | O_CLOEXEC);
   ssize_t n = fd < 0 ? 0 : read(fd, card->command, sizeof(card->command) - 1);
   if (fd >= 0)
      close(fd);
   card->command[n > 0 ? n : 0] = 0;
   card->command[strcspn(card->command, "\n")] = 0;
}

static unsigned
card_count(void)
{
   unsigned count = 0;
   for (const struct card *card = cards; card; card = card->next)
      count++;
   return count;
}

static void
add(struct card *card)
{
   struct card **link = &cards;
   while (*link && (*link)->number == card->number) {
      card->number++;
      link = &(*link)->next;
   }
   card->next = *link;
   *link = card;
}

void
card_accept(int listener)
{
   int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
   if (fd < 0)
      return;
   struct ucred peer;
   socklen_t size = sizeof(peer);
   struct debugfs_hello hello;
   size_t done;
   struct card *card = calloc(1, sizeof(*card));
   bool welcome = card && card_count() < CARDS_MAX && !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) &&
                  (peer.uid == geteuid() || geteuid() == 0) &&
                  !transfer(fd, &hello, sizeof(hello), false, now_ms() + 1000, &done);
   if (welcome && hello.version != DEBUGFS_VERSION) {
      fprintf(stderr, "vgpu-debugfs: process %d has a card of another version\n", peer.pid);
      welcome = false;
   }
   if (!welcome) {
      free(card);
      close(fd);
      return;
   }
   *card = (struct card){.refs = 1, .socket = fd, .pid = peer.pid, .uid = peer.uid, .vram_size = hello.vram_size};
   read_command(card);
   add(card);
}
