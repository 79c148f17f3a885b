/* SPDX-License-Identifier: MIT */
/*
 * A card of the amdgpu kernel driver as a device to be debugged. What takes root is asked of hdb-helper
 * (helper_client.h), and only once something is to be debugged.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <amdgpu_drm.h>

#include "target/kernel.h"
#include "target/registers.h"
#include "target/target_amdgpu.h"

#define POLL_MS 2        /* debugfs has no interrupts: the ring of stopped waves is looked at that often */
#define STOP_LIMIT_S 600 /* a stop that is shorter than that is of no use */

static const char *
problem(const struct hdb_target *target)
{
   const struct target_amdgpu *self = (const struct target_amdgpu *)target;
   return *self->problem ? self->problem : *self->client.problem ? self->client.problem : NULL;
}

/* ---- registers ---- */

static struct hdb_helper_request
register_request(uint32_t op, struct target_amdgpu *self, const struct hdb_bank *bank, uint32_t reg, uint32_t value)
{
   return (struct hdb_helper_request){
      .op = op,
      .reg = reg,
      .value = value,
      .vmid = bank->vmid ? bank->vmid : self->vmid,
      .se = bank->se,
      .sa = bank->sa,
      .instance = bank->instance,
   };
}

static int
read_register(struct hdb_target *target, const struct hdb_bank *bank, uint32_t reg, uint32_t *value)
{
   struct target_amdgpu *self = target_amdgpu(target);
   bool wave = reg == REG_SQ_IND_DATA;
   struct hdb_helper_request request = register_request(wave ? HDB_HELPER_READ_WAVE : HDB_HELPER_READ_REGISTER, self,
                                                        bank, reg, wave ? self->wave_index : 0);
   *value = 0;
   return hdb_amdgpu_call(self, &request, NULL, value, NULL, 0);
}

/* The helper writes the index itself, just before it reads, and checks whose wave it is. */
static int
write_register(struct hdb_target *target, const struct hdb_bank *bank, uint32_t reg, uint32_t value)
{
   struct target_amdgpu *self = target_amdgpu(target);
   if (reg == REG_SQ_IND_INDEX) {
      self->wave_index = value;
      return 0;
   }
   struct hdb_helper_request request = register_request(HDB_HELPER_WRITE_REGISTER, self, bank, reg, value);
   return hdb_amdgpu_call(self, &request, NULL, NULL, NULL, 0);
}

/* ---- memory ---- */

/* Physical memory is not a program's to look at. */
static int
read_vram(struct hdb_target *target, uint64_t address, void *data, size_t size)
{
   return -EACCES;
}

static int
write_vram(struct hdb_target *target, uint64_t address, const void *data, size_t size)
{
   return -EACCES;
}

static size_t
part_of(size_t size)
{
   return size < HDB_HELPER_MAX_DATA ? size : HDB_HELPER_MAX_DATA;
}

static int
read_memory(struct hdb_target *target, uint32_t vmid, uint64_t va, void *data, size_t size)
{
   int error = 0;
   for (size_t done = 0, part; done < size && !error; done += part) {
      part = part_of(size - done);
      struct hdb_helper_request request = {
         .op = HDB_HELPER_READ_MEMORY, .vmid = vmid, .address = va + done, .size = (uint32_t)part};
      error = hdb_amdgpu_call(target_amdgpu(target), &request, NULL, NULL, (uint8_t *)data + done, part);
   }
   return error;
}

static int
write_memory(struct hdb_target *target, uint32_t vmid, uint64_t va, const void *data, size_t size)
{
   int error = 0;
   for (size_t done = 0, part; done < size && !error; done += part) {
      part = part_of(size - done);
      struct hdb_helper_request request = {
         .op = HDB_HELPER_WRITE_MEMORY, .vmid = vmid, .address = va + done, .size = (uint32_t)part};
      error = hdb_amdgpu_call(target_amdgpu(target), &request, (const uint8_t *)data + done, NULL, NULL, 0);
   }
   return error;
}

/* Without the helper at least what the process has mapped itself is known. */
static int
get_own_access(struct target_amdgpu *self, uint64_t va, uint32_t *access)
{
   int error = self->second_level ? hdb_mappings_get_access(&self->mappings, self->drm_fd, va, access) : -ENOTSUP;
   return error == -ENOTSUP ? -ENOTCONN : error;
}

static int
get_access(struct hdb_target *target, uint32_t vmid, uint64_t va, uint32_t *access)
{
   struct target_amdgpu *self = target_amdgpu(target);
   if (!self->claimed)
      return get_own_access(self, va, access);
   struct hdb_helper_request request = {.op = HDB_HELPER_GET_ACCESS, .vmid = vmid, .address = va};
   *access = 0;
   return hdb_amdgpu_call(self, &request, NULL, access, NULL, 0);
}

/* The kernel's own buffers at the end of every address space are none of the program's. Without the helper the kernel
 * would tell where buffers are; but then memory can be read by stopped waves only, far too slowly for all of it, and
 * not at all once there are none. */
static int
next_mapping(struct hdb_target *target, uint32_t vmid, uint64_t va, struct hdb_mapping *mapping)
{
   struct target_amdgpu *self = target_amdgpu(target);
   uint64_t end;
   int error = hdb_kernel_get_va_end(self->drm_fd, &end);
   if (error)
      return error;
   pthread_mutex_lock(&self->lock);
   error = self->claimed ? hdb_helper_next_mapping(&self->client, vmid, va, end, mapping) : -ENOTCONN;
   pthread_mutex_unlock(&self->lock);
   return error;
}

/* ---- waiting ---- */

/* The helper speaks only when it is asked: there is something to read when it has gone. */
static int
check_helper(struct target_amdgpu *self, short revents)
{
   pthread_mutex_lock(&self->lock);
   if (revents)
      hdb_helper_lost(&self->client);
   bool lost = self->claimed && self->client.fd < 0;
   pthread_mutex_unlock(&self->lock);
   return lost ? -EIO : 0;
}

static int
wait_interrupt(struct hdb_target *target, int timeout_ms)
{
   struct target_amdgpu *self = target_amdgpu(target);
   bool look = timeout_ms < 0 || timeout_ms > POLL_MS;
   struct pollfd fds[] = {{.fd = self->event, .events = POLLIN}, {.fd = self->client.fd, .events = POLLIN}};
   int ready = poll(fds, 2, look ? POLL_MS : timeout_ms);
   if (ready < 0)
      return errno == EINTR ? 0 : -errno;
   int error = check_helper(self, fds[1].revents);
   if (error)
      return error;
   uint64_t count;
   bool woken = fds[0].revents && read(self->event, &count, sizeof(count)) == sizeof(count);
   return look || woken;
}

static int
event_fd(struct hdb_target *target)
{
   return -1;
}

static void
wake(struct hdb_target *target)
{
   uint64_t one = 1;
   ssize_t written = write(target_amdgpu(target)->event, &one, sizeof(one));
   (void)written; /* fails only when it is signalled already */
}

/* The kernel's clock can't be held: lockup_timeout has to be long enough. */
static void
hold_time(struct hdb_target *target, bool hold)
{
}

/* ---- life ---- */

static void
close_all(struct target_amdgpu *self)
{
   if (self->drm_fd >= 0)
      close(self->drm_fd);
   if (self->event >= 0)
      close(self->event);
   free(self->helper);
   free(self->second_level_word);
   free(self);
}

static void
destroy(struct hdb_target *target)
{
   struct target_amdgpu *self = target_amdgpu(target);
   hdb_helper_disconnect(&self->client); /* which puts the card back */
   if (self->reserved)
      hdb_kernel_unreserve_vmid(self->drm_fd);
   pthread_mutex_destroy(&self->lock);
   close_all(self);
}

static const struct hdb_target_ops ops = {
   .name = "amdgpu",
   .problem = problem,
   .read_register = read_register,
   .write_register = write_register,
   .read_vram = read_vram,
   .write_vram = write_vram,
   .read_memory = read_memory,
   .write_memory = write_memory,
   .get_access = get_access,
   .next_mapping = next_mapping,
   .get_vmid = hdb_amdgpu_get_vmid,
   .note_vmid = hdb_amdgpu_note_vmid,
   .install_trap = hdb_amdgpu_install_trap,
   .remove_trap = hdb_amdgpu_remove_trap,
   .set_second_level = hdb_amdgpu_set_second_level,
   .clear_second_level = hdb_amdgpu_clear_second_level,
   .wait_interrupt = wait_interrupt,
   .event_fd = event_fd,
   .wake = wake,
   .hold_time = hold_time,
   .destroy = destroy,
};

/* What can be said without any privilege. */
static void
check_fitness(struct target_amdgpu *self, const struct hdb_amdgpu_options *options)
{
   uint32_t family;
   int error = hdb_kernel_get_family(self->drm_fd, &family);
   self->unfit = true;
   if (error) {
      hdb_amdgpu_fail(self, error, "the kernel does not say what card this is");
   } else if (family != AMDGPU_FAMILY_GC_11_0_0 && family != AMDGPU_FAMILY_GC_11_0_1) {
      snprintf(self->problem, sizeof(self->problem),
               "hdb stops waves of RDNA3 (gfx11.0) only, and this card is of another family (%u)", family);
   } else if (options->second_level && *options->second_level && !hdb_second_level_is_word(options->second_level)) {
      snprintf(self->problem, sizeof(self->problem), "HDB_L2_TRAP=%s: it is vm, cwsr, cwsr-0x20 or probe",
               options->second_level);
   } else if (!options->accept_short_timeout && !hdb_kernel_waits(options->sysfs, STOP_LIMIT_S)) {
      snprintf(self->problem, sizeof(self->problem),
               "the kernel would reset the GPU in the middle of a stop: boot with amdgpu.lockup_timeout=%u000,%u000 or "
               "more (VK_HDB_SHORT_TIMEOUT=accept goes on all the same)",
               STOP_LIMIT_S, STOP_LIMIT_S);
   } else {
      self->unfit = false;
   }
}

int
hdb_target_amdgpu_create(struct hdb_driver *driver, const struct hdb_amdgpu_options *options,
                         struct hdb_target **target)
{
   struct stat status;
   if (fstat(driver->drm_fd, &status) < 0)
      return -errno;
   struct target_amdgpu *self = calloc(1, sizeof(*self));
   if (!self)
      return -ENOMEM;
   self->target.ops = &ops;
   self->driver = driver;
   self->device = status.st_rdev ? status.st_rdev : status.st_dev;
   self->inode = status.st_rdev ? 0 : status.st_ino;
   self->client.fd = -1;
   self->helper = options->helper ? strdup(options->helper) : NULL;
   self->helper_named = !options->helper_is_to_come;
   self->second_level_word = options->second_level ? strdup(options->second_level) : NULL;
   self->drm_fd = fcntl(driver->drm_fd, F_DUPFD_CLOEXEC, 3);
   self->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
   if (self->drm_fd < 0 || self->event < 0 || (options->helper && !self->helper)) {
      close_all(self);
      return -ENOMEM;
   }
   pthread_mutex_init(&self->lock, NULL);
   check_fitness(self, options);
   *target = &self->target;
   return 0;
}

void
hdb_target_amdgpu_set_driver(struct hdb_target *target, struct hdb_driver *driver)
{
   if (target->ops == &ops)
      target_amdgpu(target)->driver = driver;
}

bool
hdb_target_amdgpu_is(struct hdb_target *target, int drm_fd)
{
   struct stat status;
   if (target->ops != &ops || fstat(drm_fd, &status) < 0)
      return false;
   const struct target_amdgpu *self = target_amdgpu(target);
   return status.st_rdev ? self->device == status.st_rdev
                         : self->device == status.st_dev && self->inode == status.st_ino;
}
