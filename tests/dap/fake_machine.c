/* SPDX-License-Identifier: MIT */
/* stop/machine.h: what is planted, which waves there are, and how they are resumed. */
#include "fake_state.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

int
hdb_machine_create(struct hdb_driver *driver, struct hdb_target *target, struct hdb_machine **machine)
{
   fake.machine.event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
   *machine = &fake.machine;
   return 0;
}

/* As the machine does: what is launched meanwhile is not among its waves before it waits again. */
static void
note_waves(void)
{
   pthread_mutex_lock(&fake.lock);
   for (uint32_t i = 0; i < MAX_WAVES; i++)
      fake.waves[i].known = fake.waves[i].used;
   pthread_mutex_unlock(&fake.lock);
}

void
hdb_machine_destroy(struct hdb_machine *machine)
{
   if (!machine)
      return;
   note_waves();
   hdb_machine_resume_all(machine);
   close(machine->event);
   machine->event = -1;
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
hdb_machine_forget(struct hdb_machine *machine, const struct hdb_dispatch *dispatch)
{
   fake.armed--;
}

void
hdb_machine_rearm(struct hdb_machine *machine, const struct hdb_dispatch *dispatch, uint32_t flags)
{
   *dispatch->rsrc2_dword = 1 | (flags & HDB_ARM_STOP_AT_ENTRY ? 2 : 0);
   fake.entry_stops |= flags & HDB_ARM_STOP_AT_ENTRY;
}

void
hdb_machine_disarm(struct hdb_machine *machine, const struct hdb_dispatch *dispatch)
{
   *dispatch->rsrc2_dword = 0;
   fake.armed--;
}

void
hdb_machine_set_entry_stops(struct hdb_machine *machine, bool stop_at_entry)
{
   fake.entry_stops = stop_at_entry;
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
         fake_run(wave, wave->how, wave->low, wave->high);
   }
   bool event = read(machine->event, &count, sizeof(count)) == sizeof(count);
   note_waves();
   pthread_mutex_unlock(&fake.lock);
   return event;
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
      if (fake.waves[i].used && fake.waves[i].known)
         fake.list[count++] = &fake.waves[i].wave;
   }
   pthread_mutex_unlock(&fake.lock);
   *waves = fake.list;
   return count;
}

struct hdb_wave *
hdb_machine_find_wave(struct hdb_machine *machine, uint32_t id)
{
   for (uint32_t i = 0; i < MAX_WAVES; i++) {
      if (fake.waves[i].used && fake.waves[i].known && fake.waves[i].wave.id == id)
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
   struct fake_wave *found = (struct fake_wave *)wave;
   if (how != HDB_RESUME_CONTINUE && fake.slow) {
      found->waits = fake.slow;
      found->how = how;
      found->low = low;
      found->high = high;
      wave->run = HDB_WAVE_RUNNING;
   } else {
      fake_run(found, how, low, high);
   }
   pthread_mutex_unlock(&fake.lock);
   return 0;
}

int
hdb_machine_resume_all(struct hdb_machine *machine)
{
   for (uint32_t i = 0; i < MAX_WAVES; i++) {
      if (fake.waves[i].used && fake.waves[i].known && fake.waves[i].wave.run == HDB_WAVE_STOPPED)
         hdb_machine_resume(machine, &fake.waves[i].wave, HDB_RESUME_CONTINUE, 0, 0);
   }
   return 0;
}

void
hdb_machine_launch_words(struct hdb_machine *machine, const struct hdb_dispatch *dispatch, uint32_t *rsrc2,
                         uint32_t *rsrc3)
{
   *rsrc2 = *dispatch->rsrc2_dword;
   *rsrc3 = *dispatch->rsrc3_dword;
}
