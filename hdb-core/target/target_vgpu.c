/* SPDX-License-Identifier: MIT */
/* The virtual GPU as a device to be debugged: its hardware's face, in this process. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "target/registers.h"
#include "target/target.h"
#include "vgpu.h"

struct target_vgpu {
   struct hdb_target target;
   struct vgpu *gpu;
   int event; /* eventfd: an interrupt, or wake */
   struct target_vgpu *next;
};

/* Navi31's, as its discovery table has it (kernel headers, navi31's ip offsets). */
static const uint32_t gc_base[GC_SEGMENTS] = {0x1260, 0xa000};

/* The devices of a process share its one card: an interrupt is for all of them. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct target_vgpu *targets;

static struct target_vgpu *
target_vgpu(struct hdb_target *target)
{
   return (struct target_vgpu *)target;
}

static void
signal_event(struct target_vgpu *self)
{
   uint64_t one = 1;
   ssize_t written = write(self->event, &one, sizeof(one)); /* fails only when it is signalled 2^64 - 2 times over */
   (void)written;
}

static struct vgpu_bank
vgpu_bank(const struct hdb_bank *bank)
{
   return (struct vgpu_bank){
      .me = bank->me,
      .pipe = bank->pipe,
      .queue = bank->queue,
      .vmid = bank->vmid,
      .se = bank->se,
      .sa = bank->sa,
      .instance = bank->instance,
   };
}

static const char *
problem(const struct hdb_target *target)
{
   return NULL;
}

static int
read_register(struct hdb_target *target, const struct hdb_bank *bank, uint32_t reg, uint32_t *value)
{
   struct vgpu_bank selected = vgpu_bank(bank);
   return vgpu_register_read(target_vgpu(target)->gpu, &selected, hdb_register_address(gc_base, reg), value);
}

static int
write_register(struct hdb_target *target, const struct hdb_bank *bank, uint32_t reg, uint32_t value)
{
   struct vgpu_bank selected = vgpu_bank(bank);
   return vgpu_register_write(target_vgpu(target)->gpu, &selected, hdb_register_address(gc_base, reg), value);
}

static int
read_watched(struct hdb_target *target, const struct hdb_bank *bank, uint32_t wave, struct hdb_watched *watched)
{
   struct vgpu_bank selected = vgpu_bank(bank);
   struct vgpu_watched seen;
   int error = vgpu_watched_read(target_vgpu(target)->gpu, &selected, wave, &seen);
   if (error)
      return error;
   *watched =
      (struct hdb_watched){.lanes = seen.lanes, .stride = seen.stride, .values = seen.values, .order = seen.order};
   memcpy(watched->va, seen.va, sizeof(watched->va));
   memcpy(watched->bytes, seen.bytes, sizeof(watched->bytes));
   memcpy(watched->before, seen.before, sizeof(watched->before));
   memcpy(watched->after, seen.after, sizeof(watched->after));
   return 0;
}

static int
read_vram(struct hdb_target *target, uint64_t address, void *data, size_t size)
{
   return vgpu_vram_read(target_vgpu(target)->gpu, address, data, size);
}

static int
write_vram(struct hdb_target *target, uint64_t address, const void *data, size_t size)
{
   return vgpu_vram_write(target_vgpu(target)->gpu, address, data, size);
}

static int
read_memory(struct hdb_target *target, uint32_t vmid, uint64_t va, void *data, size_t size)
{
   return vgpu_memory_read(target_vgpu(target)->gpu, vmid, va, data, size);
}

static int
write_memory(struct hdb_target *target, uint32_t vmid, uint64_t va, const void *data, size_t size)
{
   return vgpu_memory_write(target_vgpu(target)->gpu, vmid, va, data, size);
}

static int
get_access(struct hdb_target *target, uint32_t vmid, uint64_t va, uint32_t *access)
{
   uint32_t allowed = 0;
   int error = vgpu_memory_access(target_vgpu(target)->gpu, vmid, va, &allowed);
   *access = (allowed & VGPU_ACCESS_READ ? HDB_ACCESS_READ : 0) | (allowed & VGPU_ACCESS_WRITE ? HDB_ACCESS_WRITE : 0);
   return error;
}

static int
next_mapping(struct hdb_target *target, uint32_t vmid, uint64_t va, struct hdb_mapping *mapping)
{
   struct vgpu_mapping found = {0};
   int error = vgpu_memory_next(target_vgpu(target)->gpu, vmid, va, &found);
   *mapping = (struct hdb_mapping){
      .va = found.va,
      .size = found.size,
      .access = (found.access & VGPU_ACCESS_READ ? HDB_ACCESS_READ : 0) |
                (found.access & VGPU_ACCESS_WRITE ? HDB_ACCESS_WRITE : 0) |
                (found.access & VGPU_ACCESS_EXECUTE ? HDB_ACCESS_EXECUTE : 0),
      .mtype = found.mtype,
      .backed = found.backed,
   };
   return error;
}

static int
collect_writes(struct hdb_target *target, bool on)
{
   return vgpu_collect_writes(target_vgpu(target)->gpu, on);
}

static bool
may_have_changed(struct hdb_target *target, uint32_t vmid, uint64_t va, uint64_t size)
{
   return vgpu_memory_may_have_changed(target_vgpu(target)->gpu, vmid, va, size);
}

static int
get_vmid(struct hdb_target *target, uint32_t *vmid)
{
   return vgpu_reserve_vmid(target_vgpu(target)->gpu, vmid);
}

/* It has one VMID for all that the process does. */
static int
note_vmid(struct hdb_target *target, uint32_t vmid)
{
   return -EPERM;
}

/* This card's registers are at hand. */
static int
set_second_level(struct hdb_target *target, uint64_t tba, uint64_t tba_size, uint64_t tma, uint64_t tma_size)
{
   return -ENOTSUP;
}

static int
clear_second_level(struct hdb_target *target)
{
   return -ENOTSUP;
}

static int
wait_interrupt(struct hdb_target *target, int timeout_ms)
{
   struct target_vgpu *self = target_vgpu(target);
   struct pollfd pollfd = {.fd = self->event, .events = POLLIN};
   int ready = poll(&pollfd, 1, timeout_ms);
   if (ready < 0)
      return errno == EINTR ? 0 : -errno;
   uint64_t count;
   return ready && read(self->event, &count, sizeof(count)) == sizeof(count);
}

static int
event_fd(struct hdb_target *target)
{
   return target_vgpu(target)->event;
}

static void
wake(struct hdb_target *target)
{
   struct target_vgpu *self = target_vgpu(target);
   signal_event(self);
   vgpu_wake(self->gpu);
}

static void
hold_time(struct hdb_target *target, bool hold)
{
   vgpu_hold_time(target_vgpu(target)->gpu, hold);
}

static bool
is_settled(struct hdb_target *target)
{
   return vgpu_is_settled(target_vgpu(target)->gpu);
}

static void
release(struct hdb_target *target)
{
   vgpu_release(target_vgpu(target)->gpu);
}

static void
set_lockstep(struct hdb_target *target, bool on)
{
   vgpu_set_lockstep(target_vgpu(target)->gpu, on, 0);
}

static void
interrupt(void *gpu, enum vgpu_interrupt source, uint32_t data)
{
   pthread_mutex_lock(&lock);
   for (struct target_vgpu *target = targets; target; target = target->next) {
      if (target->gpu == gpu)
         signal_event(target);
   }
   pthread_mutex_unlock(&lock);
}

static void
destroy(struct hdb_target *target)
{
   struct target_vgpu *self = target_vgpu(target);
   pthread_mutex_lock(&lock);
   struct target_vgpu **place = &targets;
   while (*place != self)
      place = &(*place)->next;
   *place = self->next;
   pthread_mutex_unlock(&lock);
   vgpu_release(self->gpu);
   close(self->event);
   free(self);
}

static const struct hdb_target_ops ops = {
   .name = "virtual gfx1100",
   .problem = problem,
   .read_register = read_register,
   .write_register = write_register,
   .read_vram = read_vram,
   .write_vram = write_vram,
   .read_memory = read_memory,
   .write_memory = write_memory,
   .get_access = get_access,
   .next_mapping = next_mapping,
   .collect_writes = collect_writes,
   .may_have_changed = may_have_changed,
   .get_vmid = get_vmid,
   .note_vmid = note_vmid,
   .install_trap = hdb_target_point_trap,
   .remove_trap = hdb_target_unpoint_trap,
   .set_second_level = set_second_level,
   .clear_second_level = clear_second_level,
   .wait_interrupt = wait_interrupt,
   .event_fd = event_fd,
   .wake = wake,
   .holds_launches = true, /* by a card that ends with the program */
   .precise_watches = true,
   .coherent = true,
   .read_watched = read_watched,
   .hold_time = hold_time,
   .is_settled = is_settled,
   .release = release,
   .set_lockstep = set_lockstep,
   .destroy = destroy,
};

int
hdb_target_vgpu_create(int drm_fd, struct hdb_target **target)
{
   struct vgpu *gpu = vgpu_from_fd(drm_fd);
   if (!gpu)
      return -ENODEV;
   struct target_vgpu *self = calloc(1, sizeof(*self));
   if (!self)
      return -ENOMEM;
   self->target.ops = &ops;
   self->gpu = gpu;
   self->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
   if (self->event < 0) {
      int error = -errno;
      free(self);
      return error;
   }
   pthread_mutex_lock(&lock);
   self->next = targets;
   targets = self;
   pthread_mutex_unlock(&lock);
   vgpu_set_interrupt_handler(gpu, interrupt, gpu); /* stays: without targets it does nothing */
   *target = &self->target;
   return 0;
}

bool
hdb_target_vgpu_is(struct hdb_target *target, int drm_fd)
{
   return target->ops == &ops && target_vgpu(target)->gpu == vgpu_from_fd(drm_fd);
}
