/* SPDX-License-Identifier: MIT */
/* Which VMID of the card is the program's, and that hdb-helper grants it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target/kernel.h"
#include "target/target_amdgpu.h"

#define BUSY_ATTEMPTS 10
#define BUSY_PAUSE_US 20000

int
hdb_amdgpu_fail(struct target_amdgpu *self, int error, const char *what)
{
   snprintf(self->problem, sizeof(self->problem), "%s: %s", what, strerror(-error));
   return error;
}

int
hdb_amdgpu_call(struct target_amdgpu *self, const struct hdb_helper_request *request, const void *extra,
                uint32_t *value, void *data, size_t size)
{
   pthread_mutex_lock(&self->lock);
   int result = self->claimed ? hdb_helper_call(&self->client, request, extra, value, data, size) : -ENOTCONN;
   pthread_mutex_unlock(&self->lock);
   return result;
}

/* The nonce has to be in GPU memory of ours while the helper looks for it. */
static int
prove(struct target_amdgpu *self)
{
   struct hdb_memory memory;
   uint8_t nonce[HDB_HELPER_NONCE_SIZE];
   struct hdb_helper_request challenge = {.op = HDB_HELPER_CHALLENGE};
   int error = hdb_helper_call(&self->client, &challenge, NULL, NULL, nonce, sizeof(nonce));
   if (error)
      return hdb_amdgpu_fail(self, error, "hdb-helper has no challenge");
   error = self->driver->alloc_memory(self->driver, 4096, HDB_MEMORY_UNCACHED, &memory);
   if (error)
      return hdb_amdgpu_fail(self, error, "no GPU memory for hdb");
   memcpy(memory.map, nonce, sizeof(nonce));
   __atomic_thread_fence(__ATOMIC_SEQ_CST);
   struct hdb_helper_request claim = {.op = HDB_HELPER_CLAIM, .address = memory.va, .value = !self->reserved};
   error = hdb_helper_call(&self->client, &claim, NULL, &self->vmid, NULL, 0);
   memset(memory.map, 0, sizeof(nonce));
   self->driver->free_memory(self->driver, &memory);
   const char *why =
      error == -EACCES       ? "the program's address space was not found on the card"
      : error == -EPERM      ? "the kernel reserves no VMID for the program (see --all-vmids of `hdb run`, attach)"
      : error == -ENODATA    ? "the card is powered down, its registers read as all ones"
      : error == -EOPNOTSUPP ? "the kernel is too old, its amdgpu_regs2 can't choose a VMID (version 2 of the ioctl)"
      : error == -EINTR      ? "hdb-helper's look at the program's address space is interrupted again and again"
                             : "hdb-helper can't look for the program's address space";
   return error ? hdb_amdgpu_fail(self, error, why) : 0;
}

/* Another process of the program may have ended just now, and the helper not have noticed yet. */
static int
connect_helper(struct target_amdgpu *self)
{
   int error = -EBUSY;
   for (int attempt = 0; error == -EBUSY && attempt < BUSY_ATTEMPTS; attempt++) {
      if (attempt)
         usleep(BUSY_PAUSE_US);
      error = hdb_helper_connect(&self->client, self->helper, self->drm_fd);
   }
   return error;
}

/* The kernel tells nobody which VMID it is, and gives it its page tables with the next job. That job comes behind those
 * under way, and can wait long once waves are stopped: what has failed is not tried again with the same helper. */
static int
find_vmid(struct target_amdgpu *self)
{
   self->reserved = !hdb_kernel_reserve_vmid(self->drm_fd);
   int error = hdb_kernel_run_nothing(self->driver, self->drm_fd);
   return error ? hdb_amdgpu_fail(self, error, "a first job on the card failed") : prove(self);
}

/* When its socket was, by which helpers are told apart; 0: there is none. */
static struct timespec
made_at(const struct target_amdgpu *self)
{
   struct stat status = {0};
   return self->helper && !stat(self->helper, &status) ? status.st_mtim : (struct timespec){0};
}

static bool
has_failed(const struct target_amdgpu *self)
{
   struct timespec made = made_at(self);
   return made.tv_sec && made.tv_sec == self->failed.tv_sec && made.tv_nsec == self->failed.tv_nsec;
}

static int
claim_vmid(struct target_amdgpu *self)
{
   if (self->unfit || has_failed(self))
      return -ENOTSUP;
   self->problem[0] = '\0';
   int error = self->helper ? connect_helper(self) : -ENOENT;
   if (error == -ENOENT && !self->helper_named) {
      snprintf(self->problem, sizeof(self->problem),
               "registers of a Radeon card need hdb-helper: start the program by `hdb run`, or attach by `hdb attach "
               "--gpu amdgpu`");
      return -ENOTCONN;
   }
   if (error)
      return error;
   error = find_vmid(self);
   if (error) {
      self->failed = made_at(self);
      hdb_helper_disconnect(&self->client);
   }
   return error;
}

int
hdb_amdgpu_get_vmid(struct hdb_target *target, uint32_t *vmid)
{
   struct target_amdgpu *self = target_amdgpu(target);
   pthread_mutex_lock(&self->lock);
   int error = self->claimed ? 0 : claim_vmid(self);
   self->claimed |= !error;
   *vmid = self->vmid;
   pthread_mutex_unlock(&self->lock);
   return error;
}

/* What HW_ID2 of a stopped wave says. A reserved VMID does not change. */
int
hdb_amdgpu_note_vmid(struct hdb_target *target, uint32_t vmid)
{
   struct target_amdgpu *self = target_amdgpu(target);
   if (self->reserved) {
      snprintf(self->problem, sizeof(self->problem),
               "a wave of the program has VMID %u, and the kernel had reserved %u for it", vmid, self->vmid);
      return -EPERM;
   }
   self->vmid = vmid;
   return 0;
}
