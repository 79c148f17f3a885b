/* SPDX-License-Identifier: MIT */
#include "debugfs/serve.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cp/registers.h"
#include "debugfs/protocol.h"
#include "gpu.h"
#include "kmd/kmd.h"

static struct {
   struct vgpu *gpu; /* NULL: not served */
   int socket;
   pthread_t thread;
} server = {.socket = -1};

/* ---- the socket ---- */

static int
connect_to(const char *name)
{
   struct sockaddr_un address = {.sun_family = AF_UNIX};
   size_t length = strlen(name);
   if (length == 0 || length >= sizeof(address.sun_path))
      return -EINVAL;
   memcpy(address.sun_path, name, length);
   if (name[0] == '@')
      address.sun_path[0] = 0;

   int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
   if (fd < 0)
      return -errno;
   struct ucred peer;
   socklen_t size = sizeof(peer);
   int error = 0;
   if (connect(fd, (struct sockaddr *)&address, offsetof(struct sockaddr_un, sun_path) + length) ||
       getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
      error = -errno;
   else if (peer.uid != geteuid() && peer.uid != 0)
      error = -EPERM; /* whoever listens reads all of this process's memory that the card has */
   if (!error)
      return fd;
   close(fd);
   return error;
}

static bool
receive(void *data, size_t size)
{
   uint8_t *to = data;
   while (size) {
      ssize_t got = recv(server.socket, to, size, 0);
      if (got < 0 && errno == EINTR)
         continue;
      if (got <= 0)
         return false;
      to += got;
      size -= (size_t)got;
   }
   return true;
}

static bool
transmit(const void *data, size_t size)
{
   const uint8_t *from = data;
   while (size) {
      ssize_t sent = send(server.socket, from, size, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR)
         continue;
      if (sent <= 0)
         return false;
      from += sent;
      size -= (size_t)sent;
   }
   return true;
}

/* ---- requests ---- */

/* Where there is no register a bus access reads 0, and a write is lost. */
static void
take_step(struct vgpu *gpu, const struct debugfs_step *step, uint32_t *values)
{
   if (step->access == DEBUGFS_WRITE) {
      registers_write(gpu, NULL, step->address, step->value);
      return;
   }
   for (uint32_t i = 0; i < step->count; i++)
      if (registers_read(gpu, NULL, step->address + (step->access == DEBUGFS_READ ? 4 * i : 0), &values[i]))
         values[i] = 0;
}

static int
access_registers(struct vgpu *gpu, const struct debugfs_request *request, const struct debugfs_step *steps,
                 uint32_t *values, struct debugfs_reply *reply)
{
   uint32_t count = request->size / sizeof(*steps);
   uint64_t wanted = 0;
   for (uint32_t i = 0; i < count; i++)
      if (steps[i].access != DEBUGFS_WRITE)
         wanted += steps[i].count;
   if (wanted > DEBUGFS_MAX_PAYLOAD / 4)
      return -EINVAL;

   int r = cp_lock(gpu);
   if (r)
      return r;
   reply->size = 4 * (uint32_t)wanted;
   reply->busy = cp_is_busy(gpu);
   if (request->flags & DEBUGFS_IDLE_IS_OFF && !reply->busy) {
      memset(values, 0xff, reply->size);
      count = 0;
   }
   for (uint32_t i = 0; i < count; i++) {
      take_step(gpu, &steps[i], values);
      if (steps[i].access != DEBUGFS_WRITE)
         values += steps[i].count;
   }
   cp_unlock(gpu);
   return 0;
}

static bool
is_write(const struct debugfs_request *request)
{
   return request->operation == DEBUGFS_REGISTERS || request->operation == DEBUGFS_VRAM_WRITE ||
          request->operation == DEBUGFS_SYSTEM_WRITE;
}

/* `in` holds the request's data, `out` takes the reply's. */
static int
handle(struct vgpu *gpu, const struct debugfs_request *request, const void *in, void *out, struct debugfs_reply *reply)
{
   bool user_pages = !(request->flags & DEBUGFS_NO_USER_PAGES);
   int r;
   switch (request->operation) {
   case DEBUGFS_REGISTERS:
      return access_registers(gpu, request, in, out, reply);
   case DEBUGFS_VRAM_READ:
      r = vgpu_vram_read(gpu, request->address, out, request->size);
      break;
   case DEBUGFS_VRAM_WRITE:
      r = vgpu_vram_write(gpu, request->address, in, request->size);
      vgpu_wake(gpu); /* a wave may poll it */
      return r;
   case DEBUGFS_SYSTEM_READ:
      r = kmd_system_copy(gpu->kmd, request->address, out, request->size, false, user_pages);
      break;
   case DEBUGFS_SYSTEM_WRITE:
      r = kmd_system_copy(gpu->kmd, request->address, (void *)in, request->size, true, user_pages);
      vgpu_wake(gpu);
      return r;
   case DEBUGFS_RESET:
      return cp_reset(gpu);
   default:
      return -EOPNOTSUPP;
   }
   if (!r)
      reply->size = request->size;
   return r;
}

static void *
serve(void *argument)
{
   struct vgpu *gpu = argument;
   void *in = malloc(DEBUGFS_MAX_PAYLOAD), *out = malloc(DEBUGFS_MAX_PAYLOAD);
   struct debugfs_request request;
   while (in && out && receive(&request, sizeof(request))) {
      if (request.size > DEBUGFS_MAX_PAYLOAD || (is_write(&request) && !receive(in, request.size)))
         break;
      struct debugfs_reply reply = {.sequence = request.sequence};
      reply.result = handle(gpu, &request, in, out, &reply);
      if (!transmit(&reply, sizeof(reply)) || !transmit(out, reply.size))
         break;
   }
   free(in);
   free(out);
   shutdown(server.socket, SHUT_RDWR);
   return NULL;
}

/* ---- life ---- */

void
debugfs_serve(struct vgpu *gpu)
{
   const char *name = getenv(DEBUGFS_ENVIRONMENT);
   if (!name || !*name)
      return;
   int fd = connect_to(name);
   if (fd < 0) {
      vgpu_log(gpu, "%s=%s: %s; nobody will see this card's registers", DEBUGFS_ENVIRONMENT, name, strerror(-fd));
      return;
   }

   server.gpu = gpu;
   server.socket = fd;
   struct debugfs_hello hello = {.version = DEBUGFS_VERSION, .vram_size = gpu->vram_size};
   int error = transmit(&hello, sizeof(hello)) ? vgpu_thread_start(&server.thread, "vgpu-debugfs", serve, gpu) : -EIO;
   if (error) {
      vgpu_log(gpu, "%s=%s: %s", DEBUGFS_ENVIRONMENT, name, strerror(-error));
      close(fd);
      server.gpu = NULL;
      server.socket = -1;
      return;
   }
}

void
debugfs_stop(struct vgpu *gpu)
{
   if (server.gpu != gpu)
      return;
   shutdown(server.socket, SHUT_RDWR);
   pthread_join(server.thread, NULL);
   close(server.socket);
   server.gpu = NULL;
   server.socket = -1;
}

void
debugfs_forked(void)
{
   if (server.socket >= 0)
      close(server.socket);
   server.gpu = NULL;
   server.socket = -1;
}
