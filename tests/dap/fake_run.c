/* SPDX-License-Identifier: MIT */
/* How the machine runs its waves, and what a test may ask of it. */
#include "fake_state.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fake_state fake = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, .machine.event = -1};

struct wave_contents *
wave_contents_of(struct hdb_wave *wave)
{
   return &((struct fake_wave *)wave)->contents;
}

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
   wave->wave.hit_lanes = wave->wave.hit_order = 0;
   announce();
}

void
fake_run(struct fake_wave *wave, enum hdb_resume_how how, uint64_t low, uint64_t high)
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
      wave->contents.sgprs[126] = wave->contents.sgprs[127] = UINT32_MAX;
      for (uint32_t k = 0; k < SGPRS; k++)
         wave->contents.sgprs[k] = 0x100 + k;
      for (uint32_t k = 0; k < VGPRS * 64; k++)
         wave->contents.vgprs[k / 64][k % 64] = 0x1000 * (k / 64) + k % 64;
      if (*dispatch->rsrc2_dword & 2 && fake.entry_stops)
         stop(wave, HDB_STOP_ENTRY);
      else if (*dispatch->rsrc2_dword & 1 && is_planted(shader->va))
         stop(wave, HDB_STOP_BREAKPOINT);
      else if (*dispatch->rsrc2_dword & 1)
         fake_run(wave, HDB_RESUME_CONTINUE, 0, 0);
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

struct hdb_driver *
fake_driver(void)
{
   static struct hdb_driver driver = {.version = HDB_DRIVER_VERSION, .virtual_gpu = true, .drm_fd = -1};
   return &driver;
}
