/* SPDX-License-Identifier: MIT */
#include "fake_machine.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "stop/machine.h"
#include "target/target.h"
#include "vgpu.h"

#define MAX_WAVES 64
#define MAX_PLANTS 64
#define SGPRS 16
#define VGPRS 4

#define LDS_SIZE 256
#define SCRATCH_SIZE 256

struct fake_wave {
   struct hdb_wave wave;
   bool used, starting;
   uint32_t waits; /* that a step takes yet, with fake_slow_steps() */
   enum hdb_resume_how how;
   uint64_t low, high;
   uint32_t sgprs[128];
   uint32_t vgprs[VGPRS][64];
   uint8_t lds[LDS_SIZE];
   uint8_t scratch[64][SCRATCH_SIZE];
};

struct hdb_machine {
   int event;
};

static struct {
   pthread_mutex_t lock;
   struct hdb_machine machine;
   struct fake_wave waves[MAX_WAVES];
   struct hdb_wave *list[MAX_WAVES];
   uint32_t last_id;
   uint64_t plants[MAX_PLANTS];
   uint32_t plant_count;
   uint32_t armed;
   struct fake_watch watches[HDB_WATCHES];
   bool no_watches;
   bool entry_stops, held, hidden;
   uint32_t narrow_pc, fault_pc, branch_pc, branch_target;
   uint64_t narrow_exec;
   const struct hdb_shader *shader;
   const struct hdb_dispatch *dispatch;
   uint32_t slow;
} fake = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, .machine.event = -1};

static void
announce(void)
{
   uint64_t one = 1;
   if (fake.machine.event >= 0 && write(fake.machine.event, &one, sizeof(one)) < 0)
      abort();
}

static bool
is_planted(uint64_t va)
{
   for (uint32_t i = 0; i < fake.plant_count; i++) {
      if (fake.plants[i] == va)
         return true;
   }
   return false;
}

static void
stop(struct fake_wave *wave, enum hdb_stop_cause cause)
{
   wave->wave.run = HDB_WAVE_STOPPED;
   wave->wave.cause = cause;
   wave->wave.notice = HDB_STOP_NEW;
   wave->wave.judged = false;
   wave->wave.hit = 0;
   wave->wave.hit_lanes = 0;
   announce();
}

/* Runs a wave until something stops it. Called with the lock. */
static void
run(struct fake_wave *wave, enum hdb_resume_how how, uint64_t low, uint64_t high)
{
   const struct hdb_shader *shader = wave->wave.shader;
   bool first = true;
   wave->wave.run = HDB_WAVE_RUNNING;
   for (;; first = false) {
      uint32_t pc = wave->wave.pc - shader->va;
      if (pc >= shader->exec_size) {
         wave->used = false;
         announce();
         return;
      }
      if (fake.narrow_pc && pc == fake.narrow_pc)
         wave->wave.exec = fake.narrow_exec;
      if (!first && is_planted(wave->wave.pc)) {
         stop(wave, HDB_STOP_BREAKPOINT);
         return;
      }
      if (!first && (how == HDB_RESUME_STEP || (how == HDB_RESUME_STEP_RANGE && wave->wave.pc - low >= high - low))) {
         stop(wave, HDB_STOP_STEP);
         return;
      }
      if (fake.fault_pc && pc == fake.fault_pc) {
         wave->wave.trapsts = 1u << 8;
         stop(wave, HDB_STOP_FAULT);
         return;
      }
      bool branches = fake.branch_pc && pc == fake.branch_pc && wave->wave.workgroup[0] & 1;
      wave->wave.pc = branches ? shader->va + fake.branch_target : wave->wave.pc + 4;
   }
}

bool
fake_launch(const struct hdb_shader *shader, const struct hdb_dispatch *dispatch, uint32_t waves)
{
   pthread_mutex_lock(&fake.lock);
   fake.shader = shader;
   fake.dispatch = dispatch;
   bool stopped = false;
   for (uint32_t i = 0; i < MAX_WAVES && waves; i++) {
      struct fake_wave *wave = &fake.waves[i];
      if (wave->used)
         continue;
      waves--;
      *wave = (struct fake_wave){.used = true};
      wave->wave = (struct hdb_wave){
         .id = ++fake.last_id,
         .shader = shader,
         .pc = shader->va,
         .exec = UINT64_MAX,
         .wave_size = 64,
         .workgroup_known = true,
         .workgroup = {i, 0, 0},
         .sgpr_count = SGPRS,
         .vgpr_count = VGPRS,
      };
      wave->sgprs[126] = wave->sgprs[127] = UINT32_MAX;
      for (uint32_t k = 0; k < SGPRS; k++)
         wave->sgprs[k] = 0x100 + k;
      for (uint32_t k = 0; k < VGPRS * 64; k++)
         wave->vgprs[k / 64][k % 64] = 0x1000 * (k / 64) + k % 64;
      if (*dispatch->rsrc2_dword & 2 && fake.entry_stops)
         stop(wave, HDB_STOP_ENTRY);
      else if (*dispatch->rsrc2_dword & 1 && is_planted(shader->va))
         stop(wave, HDB_STOP_BREAKPOINT);
      else if (*dispatch->rsrc2_dword & 1)
         run(wave, HDB_RESUME_CONTINUE, 0, 0);
      else
         wave->used = false;
      stopped |= wave->used;
   }
   pthread_mutex_unlock(&fake.lock);
   return stopped;
}

void
fake_launch_more(uint32_t waves)
{
   fake_launch(fake.shader, fake.dispatch, waves);
}

void
fake_slow_steps(uint32_t waits)
{
   fake.slow = waits;
}

void
fake_narrow(uint32_t pc, uint64_t exec)
{
   fake.narrow_pc = pc;
   fake.narrow_exec = exec;
}

void
fake_fault(uint32_t pc)
{
   fake.fault_pc = pc;
}

void
fake_branch(uint32_t pc, uint32_t target)
{
   fake.branch_pc = pc;
   fake.branch_target = target;
}

void
fake_hide_memory(bool hide)
{
   fake.hidden = hide;
}

uint32_t
fake_running(void)
{
   uint32_t running = 0;
   pthread_mutex_lock(&fake.lock);
   for (uint32_t i = 0; i < MAX_WAVES; i++)
      running += fake.waves[i].used;
   pthread_mutex_unlock(&fake.lock);
   return running;
}

uint32_t
fake_plants(void)
{
   return fake.plant_count;
}

uint32_t
fake_armed(void)
{
   return fake.armed;
}

void
fake_reset(void)
{
   memset(fake.waves, 0, sizeof(fake.waves));
   fake.plant_count = fake.armed = fake.last_id = 0;
   memset(fake.watches, 0, sizeof(fake.watches));
   fake.no_watches = false;
   fake.narrow_pc = fake.fault_pc = fake.branch_pc = fake.slow = 0;
}

/* ---- target.h, hdb_driver.h and vgpu.h, as far as the engine calls them ---- */

static void
destroy_target(struct hdb_target *target)
{
}

int
hdb_target_vgpu_create(int drm_fd, struct hdb_target **target)
{
   static const struct hdb_target_ops ops = {.name = "fake", .destroy = destroy_target};
   static struct hdb_target fake_target = {.ops = &ops};
   *target = &fake_target;
   return 0;
}

bool
hdb_target_vgpu_is(struct hdb_target *target, int drm_fd)
{
   return true;
}

int
hdb_target_amdgpu_create(struct hdb_driver *driver, const struct hdb_amdgpu_options *options,
                         struct hdb_target **target)
{
   return -ENODEV;
}

bool
hdb_target_amdgpu_is(struct hdb_target *target, int drm_fd)
{
   return false;
}

void
hdb_target_amdgpu_set_driver(struct hdb_target *target, struct hdb_driver *driver)
{
}

struct hdb_driver *
fake_driver(void)
{
   static struct hdb_driver driver = {.version = HDB_DRIVER_VERSION, .virtual_gpu = true, .drm_fd = -1};
   return &driver;
}

int
vgpu_disassemble(const void *code, size_t size, uint32_t wave_size, uint64_t pc, char *text, size_t text_size)
{
   snprintf(text, text_size, "fake_%02x", (unsigned)(pc & 0xff));
   return size >= 4 ? 4 : -ENODATA;
}

/* There are no images. */
int
vgpu_image_open(const uint32_t descriptor[8], uint32_t gb_addr_config, struct vgpu_image **image, const char **why)
{
   *why = "no image";
   *image = NULL;
   return -ENOENT;
}

void
vgpu_image_close(struct vgpu_image *image)
{
}

const struct vgpu_image_info *
vgpu_image_info(const struct vgpu_image *image)
{
   return NULL;
}

void
vgpu_image_size(const struct vgpu_image *image, uint32_t level, uint32_t size[3])
{
}

int
vgpu_image_read(struct vgpu_image *image, uint32_t level, uint32_t layer, uint32_t x, uint32_t y, uint32_t width,
                uint32_t height, int (*read)(void *user, uint64_t va, void *data, size_t size), void *user,
                uint32_t *texels)
{
   return -ENOENT;
}

/* ---- machine.h ---- */

int
hdb_machine_create(struct hdb_driver *driver, struct hdb_target *target, struct hdb_machine **machine)
{
   fake.machine.event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
   *machine = &fake.machine;
   return 0;
}

void
hdb_machine_set_driver(struct hdb_machine *machine, struct hdb_driver *driver)
{
}

void
hdb_machine_share_wave_ids(struct hdb_machine *machine, uint32_t *counter)
{
}

void
hdb_machine_set_lockstep(struct hdb_machine *machine, bool on)
{
}

void
hdb_machine_forget_ended(struct hdb_machine *machine)
{
}

void
hdb_machine_destroy(struct hdb_machine *machine)
{
   if (!machine)
      return;
   hdb_machine_resume_all(machine);
   close(machine->event);
   machine->event = -1;
}

const char *
hdb_machine_problem(const struct hdb_machine *machine)
{
   return NULL;
}

void
hdb_machine_add_shader(struct hdb_machine *machine, const struct hdb_shader *shader)
{
}

void
hdb_machine_remove_shader(struct hdb_machine *machine, const struct hdb_shader *shader)
{
   fake.plant_count = 0; /* there is one shader */
}

int
hdb_machine_arm(struct hdb_machine *machine, const struct hdb_dispatch *dispatch, uint32_t flags)
{
   *dispatch->rsrc2_dword = 1 | (flags & HDB_ARM_STOP_AT_ENTRY ? 2 : 0);
   fake.entry_stops |= flags & HDB_ARM_STOP_AT_ENTRY;
   fake.armed++;
   return 0;
}

void
hdb_machine_disarm(struct hdb_machine *machine, const struct hdb_dispatch *dispatch)
{
   *dispatch->rsrc2_dword = 0;
   fake.armed--;
}

void
hdb_machine_use_entry_traps(struct hdb_machine *machine, bool use)
{
}

/* Of traps that the machine plants itself; the engine counts its own. */
bool
hdb_machine_has_plants(struct hdb_machine *machine, const struct hdb_shader *shader)
{
   return false;
}

void
hdb_machine_drop_entry_traps(struct hdb_machine *machine, const struct hdb_shader *shader)
{
}

void
hdb_machine_set_entry_stops(struct hdb_machine *machine, bool stop_at_entry)
{
   fake.entry_stops = stop_at_entry;
}

void
hdb_machine_set_workgroup_filter(struct hdb_machine *machine, const uint32_t workgroup[3])
{
}

int
hdb_machine_plant(struct hdb_machine *machine, const struct hdb_shader *shader, uint32_t pc)
{
   if (pc % 4 != 0 || fake.plant_count == MAX_PLANTS)
      return -EINVAL;
   pthread_mutex_lock(&fake.lock);
   fake.plants[fake.plant_count++] = shader->va + pc;
   pthread_mutex_unlock(&fake.lock);
   return 0;
}

void
hdb_machine_unplant(struct hdb_machine *machine, const struct hdb_shader *shader, uint32_t pc)
{
   pthread_mutex_lock(&fake.lock);
   for (uint32_t i = 0; i < fake.plant_count; i++) {
      if (fake.plants[i] == shader->va + pc) {
         fake.plants[i] = fake.plants[--fake.plant_count];
         break;
      }
   }
   pthread_mutex_unlock(&fake.lock);
}

int
hdb_machine_wait(struct hdb_machine *machine, int timeout_ms)
{
   uint64_t count;
   pthread_mutex_lock(&fake.lock);
   for (uint32_t i = 0; i < MAX_WAVES; i++) {
      struct fake_wave *wave = &fake.waves[i];
      if (wave->waits && --wave->waits == 0)
         run(wave, wave->how, wave->low, wave->high);
   }
   pthread_mutex_unlock(&fake.lock);
   return read(machine->event, &count, sizeof(count)) == sizeof(count);
}

int
hdb_machine_event_fd(struct hdb_machine *machine)
{
   return machine->event;
}

size_t
hdb_machine_waves(struct hdb_machine *machine, struct hdb_wave *const **waves)
{
   size_t count = 0;
   pthread_mutex_lock(&fake.lock);
   for (uint32_t i = 0; i < MAX_WAVES; i++) {
      if (fake.waves[i].used)
         fake.list[count++] = &fake.waves[i].wave;
   }
   pthread_mutex_unlock(&fake.lock);
   *waves = fake.list;
   return count;
}

static struct fake_wave *
find(struct hdb_wave *wave)
{
   return (struct fake_wave *)wave;
}

struct hdb_wave *
hdb_machine_find_wave(struct hdb_machine *machine, uint32_t id)
{
   for (uint32_t i = 0; i < MAX_WAVES; i++) {
      if (fake.waves[i].used && fake.waves[i].wave.id == id)
         return &fake.waves[i].wave;
   }
   return NULL;
}

int
hdb_machine_resident_waves(struct hdb_machine *machine)
{
   return fake_running();
}

int
hdb_machine_live_waves(struct hdb_machine *machine, struct hdb_live_wave *waves, int capacity)
{
   return -ENOTSUP;
}

int
hdb_machine_stop_all(struct hdb_machine *machine)
{
   return 0;
}

int
hdb_machine_set_watch(struct hdb_machine *machine, uint32_t watch, uint64_t va, uint64_t size, enum hdb_watch_mode mode)
{
   fake.watches[watch] = (struct fake_watch){va, size, mode};
   return fake.no_watches ? -ENOTCONN : 0;
}

void
hdb_machine_clear_watch(struct hdb_machine *machine, uint32_t watch)
{
   fake.watches[watch] = (struct fake_watch){0};
}

bool
hdb_machine_has_precise_watches(const struct hdb_machine *machine)
{
   return true;
}

int
hdb_machine_read_watched(struct hdb_machine *machine, const struct hdb_wave *wave, struct hdb_watched *watched)
{
   return -ENOTSUP;
}

struct fake_watch
fake_watch_at(uint32_t watch)
{
   return fake.watches[watch];
}

void
fake_refuse_watches(bool refuse)
{
   fake.no_watches = refuse;
}

int
hdb_wave_scratch_address(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t lane, uint32_t offset,
                         uint64_t *va)
{
   *va = 0x10000 + offset / 4 * 256 + lane * 4;
   return offset < SCRATCH_SIZE ? 0 : -EFAULT;
}

int
hdb_machine_fault_address(struct hdb_machine *machine, uint64_t *va)
{
   *va = 0x123000;
   return fake.fault_pc ? 0 : -ENOENT;
}

int
hdb_machine_resume(struct hdb_machine *machine, struct hdb_wave *wave, enum hdb_resume_how how, uint64_t low,
                   uint64_t high)
{
   if (wave->run != HDB_WAVE_STOPPED)
      return -EINVAL;
   pthread_mutex_lock(&fake.lock);
   struct fake_wave *found = find(wave);
   if (how != HDB_RESUME_CONTINUE && fake.slow) {
      found->waits = fake.slow;
      found->how = how;
      found->low = low;
      found->high = high;
      wave->run = HDB_WAVE_RUNNING;
   } else {
      run(found, how, low, high);
   }
   pthread_mutex_unlock(&fake.lock);
   return 0;
}

int
hdb_machine_resume_all(struct hdb_machine *machine)
{
   for (uint32_t i = 0; i < MAX_WAVES; i++) {
      if (fake.waves[i].used && fake.waves[i].wave.run == HDB_WAVE_STOPPED)
         hdb_machine_resume(machine, &fake.waves[i].wave, HDB_RESUME_CONTINUE, 0, 0);
   }
   return 0;
}

int
hdb_wave_read_scalar(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t reg, uint32_t *value)
{
   if (reg >= 128)
      return -EINVAL;
   *value = find(wave)->sgprs[reg];
   return 0;
}

int
hdb_wave_write_scalar(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t reg, uint32_t value)
{
   if (reg >= 128)
      return -EINVAL;
   find(wave)->sgprs[reg] = value;
   return 0;
}

int
hdb_wave_read_vgpr(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t vgpr, uint32_t lanes[64])
{
   if (vgpr >= VGPRS)
      return -EINVAL;
   memcpy(lanes, find(wave)->vgprs[vgpr], sizeof(find(wave)->vgprs[vgpr]));
   return 0;
}

int
hdb_wave_write_vgpr(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t vgpr, uint32_t lane, uint32_t value)
{
   if (vgpr >= VGPRS || lane >= 64)
      return -EINVAL;
   find(wave)->vgprs[vgpr][lane] = value;
   return 0;
}

bool
hdb_machine_find_instruction(struct hdb_machine *machine, const struct hdb_shader *shader, uint32_t pc, uint32_t *start,
                             uint32_t *next)
{
   *start = pc & ~3u;
   *next = *start + 4;
   return pc < shader->exec_size;
}

int
hdb_wave_set_scc(struct hdb_machine *machine, struct hdb_wave *wave, bool scc)
{
   wave->status = (wave->status & ~1u) | scc;
   return 0;
}

int
hdb_wave_set_pc(struct hdb_machine *machine, struct hdb_wave *wave, uint64_t pc)
{
   if (pc & 3 || pc - wave->shader->va >= wave->shader->exec_size)
      return -EINVAL;
   wave->pc = pc;
   wave->notice = HDB_STOP_SEEN;
   return 0;
}

/* The code is all the memory there is. */
static uint8_t *
memory_at(uint64_t va, size_t size)
{
   const struct hdb_shader *shader = fake.shader;
   if (!shader || va < shader->va || size > shader->code_size || va - shader->va > shader->code_size - size)
      return NULL;
   return (uint8_t *)shader->code + (va - shader->va);
}

int
hdb_machine_read_memory(struct hdb_machine *machine, uint64_t va, void *data, size_t size)
{
   const uint8_t *memory = memory_at(va, size);
   if (fake.hidden)
      return -ENOTCONN;
   if (!memory)
      return -EFAULT;
   memcpy(data, memory, size);
   return 0;
}

uint32_t
hdb_machine_address_config(struct hdb_machine *machine)
{
   return 0;
}

int
hdb_machine_write_memory(struct hdb_machine *machine, uint64_t va, const void *data, size_t size)
{
   uint8_t *memory = memory_at(va, size);
   if (fake.hidden)
      return -ENOTCONN;
   if (!memory)
      return -EFAULT;
   memcpy(memory, data, size);
   return 0;
}

static int
transfer(uint8_t *memory, size_t memory_size, uint64_t offset, void *data, size_t size, bool writes)
{
   if (offset > memory_size || size > memory_size - offset)
      return -EFAULT;
   memcpy(writes ? memory + offset : data, writes ? data : memory + offset, size);
   return 0;
}

int
hdb_wave_read_memory(struct hdb_machine *machine, struct hdb_wave *wave, uint64_t va, void *data, size_t size)
{
   return hdb_machine_read_memory(machine, va, data, size);
}

int
hdb_wave_write_memory(struct hdb_machine *machine, struct hdb_wave *wave, uint64_t va, const void *data, size_t size)
{
   return hdb_machine_write_memory(machine, va, data, size);
}

void
hdb_wave_hold_memory(struct hdb_machine *machine, const struct hdb_wave *wave)
{
}

void
hdb_wave_release_memory(struct hdb_machine *machine)
{
}

int
hdb_wave_read_lds(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t offset, void *data, size_t size)
{
   return transfer(find(wave)->lds, LDS_SIZE, offset, data, size, false);
}

int
hdb_wave_write_lds(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t offset, const void *data, size_t size)
{
   return transfer(find(wave)->lds, LDS_SIZE, offset, (void *)data, size, true);
}

int
hdb_wave_read_scratch(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t lane, uint32_t offset, void *data,
                      size_t size)
{
   return lane < 64 ? transfer(find(wave)->scratch[lane], SCRATCH_SIZE, offset, data, size, false) : -EINVAL;
}

int
hdb_wave_write_scratch(struct hdb_machine *machine, struct hdb_wave *wave, uint32_t lane, uint32_t offset,
                       const void *data, size_t size)
{
   return lane < 64 ? transfer(find(wave)->scratch[lane], SCRATCH_SIZE, offset, (void *)data, size, true) : -EINVAL;
}

void
hdb_machine_give_up(struct hdb_machine *machine)
{
}

/* ---- what a dispatch needs to run again ---- */

void
hdb_machine_launch_words(struct hdb_machine *machine, const struct hdb_dispatch *dispatch, uint32_t *rsrc2,
                         uint32_t *rsrc3)
{
   *rsrc2 = *dispatch->rsrc2_dword;
   *rsrc3 = *dispatch->rsrc3_dword;
}

int
hdb_machine_read_queue_register(struct hdb_machine *machine, const struct hdb_wave *wave, uint32_t reg, uint32_t *value)
{
   return -ENOTCONN;
}

int
hdb_machine_next_mapping(struct hdb_machine *machine, uint64_t va, struct hdb_mapping *mapping)
{
   return -ENOTSUP;
}

int
hdb_machine_collect_writes(struct hdb_machine *machine, bool on)
{
   return -ENOTSUP;
}

bool
hdb_machine_may_have_changed(struct hdb_machine *machine, uint64_t va, uint64_t size)
{
   return true;
}
