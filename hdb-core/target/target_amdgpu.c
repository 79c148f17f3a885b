/* SPDX-License-Identifier: MIT */
/*
 * A card of the amdgpu kernel driver as a device to be debugged. What takes root is asked of hdb-helper
 * (helper_client.h), and only once something is to be debugged.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <amdgpu_drm.h>

#include "hdb/hdb_driver.h"
#include "target/helper_client.h"
#include "target/kernel.h"
#include "target/mappings.h"
#include "target/registers.h"
#include "target/second_level.h"
#include "target/target.h"

#define POLL_MS 2 /* debugfs has no interrupts: the ring of stopped waves is looked at that often */
#define BUSY_ATTEMPTS 10
#define BUSY_PAUSE_US 20000
#define STOP_LIMIT_S 600 /* a stop that is shorter than that is of no use */

struct target_amdgpu {
   struct hdb_target target;
   struct hdb_driver *driver;
   int drm_fd;   /* the driver's, again: it has the same address space */
   dev_t device; /* of the render node */
   ino_t inode;
   char *helper;
   bool helper_named; /* by the user, or who started the program */
   char *second_level_word;
   enum hdb_second_level second_level; /* in force */
   struct hdb_mappings mappings;
   pthread_mutex_t lock; /* a request and its reply */
   struct hdb_helper_client client;
   bool unfit;             /* can't be debugged at all */
   struct timespec failed; /* as made_at() of the helper that could not find the VMID */
   char problem[256];
   bool reserved; /* the VMID */
   bool claimed;
   uint32_t vmid;
   uint32_t wave_index; /* SQ_IND_INDEX; each thread of a target writes it and reads SQ_IND_DATA in turn */
   int event;
};

static struct target_amdgpu *
target_amdgpu(struct hdb_target *target)
{
   return (struct target_amdgpu *)target;
}

static int
fail(struct target_amdgpu *self, int error, const char *what)
{
   snprintf(self->problem, sizeof(self->problem), "%s: %s", what, strerror(-error));
   return error;
}

static const char *
problem(const struct hdb_target *target)
{
   const struct target_amdgpu *self = (const struct target_amdgpu *)target;
   return *self->problem ? self->problem : *self->client.problem ? self->client.problem : NULL;
}

/* ---- the helper ---- */

static int
call(struct target_amdgpu *self, const struct hdb_helper_request *request, const void *extra, uint32_t *value,
     void *data, size_t size)
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
      return fail(self, error, "hdb-helper has no challenge");
   error = self->driver->alloc_memory(self->driver, 4096, HDB_MEMORY_UNCACHED, &memory);
   if (error)
      return fail(self, error, "no GPU memory for hdb");
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
   return error ? fail(self, error, why) : 0;
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
   return error ? fail(self, error, "a first job on the card failed") : prove(self);
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

static int
get_vmid(struct hdb_target *target, uint32_t *vmid)
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
static int
note_vmid(struct hdb_target *target, uint32_t vmid)
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
   return call(self, &request, NULL, value, NULL, 0);
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
   return call(self, &request, NULL, NULL, NULL, 0);
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
      error = call(target_amdgpu(target), &request, NULL, NULL, (uint8_t *)data + done, part);
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
      error = call(target_amdgpu(target), &request, (const uint8_t *)data + done, NULL, NULL, 0);
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
   return call(self, &request, NULL, access, NULL, 0);
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

/* ---- the trap handler ---- */

static void
remove_trap(struct hdb_target *target, uint32_t vmid)
{
   struct hdb_helper_request request = {.op = HDB_HELPER_RESTORE};
   call(target_amdgpu(target), &request, NULL, NULL, NULL, 0);
}

/* The kernel lets no wave of a graphics VMID trap (gfx_v11_0.c: TRAP_EN for compute VMIDs only). */
static int
enable_traps(struct target_amdgpu *self, uint32_t vmid)
{
   struct hdb_bank bank = {.vmid = vmid, .se = HDB_BROADCAST, .sa = HDB_BROADCAST, .instance = HDB_BROADCAST};
   uint32_t control;
   int error = read_register(&self->target, &bank, REG_SPI_GDBG_PER_VMID_CNTL, &control);
   return error ?: write_register(&self->target, &bank, REG_SPI_GDBG_PER_VMID_CNTL, control | GDBG_TRAP_EN);
}

/* A card that drops writes would let every trap be passed over, and nobody would know why nothing stops. */
static int
check_trap(struct target_amdgpu *self, uint32_t vmid, uint64_t tba, uint64_t tma)
{
   struct hdb_bank bank = {.vmid = vmid, .se = HDB_BROADCAST, .sa = HDB_BROADCAST, .instance = HDB_BROADCAST};
   const struct {
      const char *name;
      uint32_t reg, mask, value;
   } expected[] = {
      {"SQ_SHADER_TMA_LO", REG_SQ_SHADER_TMA_LO, ~0u, tma >> 8},
      {"SQ_SHADER_TMA_HI", REG_SQ_SHADER_TMA_HI, 0xff, tma >> 40 & 0xff},
      {"SQ_SHADER_TBA_LO", REG_SQ_SHADER_TBA_LO, ~0u, tba >> 8},
      {"SQ_SHADER_TBA_HI", REG_SQ_SHADER_TBA_HI, TBA_HI_TRAP_EN | 0xff, (tba >> 40 & 0xff) | TBA_HI_TRAP_EN},
      {"SPI_GDBG_PER_VMID_CNTL", REG_SPI_GDBG_PER_VMID_CNTL, GDBG_TRAP_EN, GDBG_TRAP_EN},
   };
   for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
      uint32_t value;
      int error = read_register(&self->target, &bank, expected[i].reg, &value);
      if (error)
         return error;
      if ((value & expected[i].mask) == expected[i].value)
         continue;
      snprintf(self->problem, sizeof(self->problem),
               "the card does not keep what is written to its registers (%s is 0x%x, not 0x%x)", expected[i].name,
               (unsigned)value, (unsigned)expected[i].value);
      return -EIO;
   }
   return 0;
}

static int
install_trap(struct hdb_target *target, uint32_t vmid, uint64_t tba, uint64_t tma)
{
   struct target_amdgpu *self = target_amdgpu(target);
   self->problem[0] = '\0';
   int error = hdb_target_point_trap(target, vmid, tba, tma);
   error = error ?: enable_traps(self, vmid);
   error = error ?: check_trap(self, vmid, tba, tma);
   if (error)
      remove_trap(target, vmid);
   return error;
}

/* The kernel's own handler calls ours; it has enabled traps for all that it has set one up for. */
static int
set_second_level(struct hdb_target *target, uint64_t tba, uint64_t tba_size, uint64_t tma, uint64_t tma_size)
{
   struct target_amdgpu *self = target_amdgpu(target);
   if (self->unfit)
      return -ENOTSUP;
   self->second_level = hdb_second_level_set(self->drm_fd, self->second_level_word, tba, tba_size, tma, tma_size);
   return self->second_level ? 0 : -ENOTSUP;
}

static int
clear_second_level(struct hdb_target *target)
{
   struct target_amdgpu *self = target_amdgpu(target);
   return hdb_second_level_clear(self->drm_fd, self->second_level);
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
   .get_vmid = get_vmid,
   .note_vmid = note_vmid,
   .install_trap = install_trap,
   .remove_trap = remove_trap,
   .set_second_level = set_second_level,
   .clear_second_level = clear_second_level,
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
      fail(self, error, "the kernel does not say what card this is");
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
