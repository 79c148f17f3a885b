/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "array.h"
#include "stop/private.h"
#include "target/registers.h"
#include "target/target.h"

#define POLL_MS 1          /* while a step is under way: the end of a wave makes no interrupt */
#define LEAVE_LIMIT_MS 500 /* for waves to leave the trap handler when the debugger goes */

int64_t
machine_now_ms(void)
{
   struct timespec time;
   clock_gettime(CLOCK_MONOTONIC, &time);
   return time.tv_sec * 1000ll + time.tv_nsec / 1000000;
}

struct hdb_bank
machine_vmid_bank(const struct hdb_machine *machine)
{
   return (struct hdb_bank){
      .vmid = machine->trap.vmid,
      .se = HDB_BROADCAST,
      .sa = HDB_BROADCAST,
      .instance = HDB_BROADCAST,
   };
}

int
hdb_machine_create(struct hdb_driver *driver, struct hdb_target *target, struct hdb_machine **out)
{
   struct hdb_machine *machine = calloc(1, sizeof(*machine));
   if (!machine)
      return -ENOMEM;
   machine->driver = driver;
   machine->target = target;
   machine->last_wave_id = &machine->own_wave_id;
   pthread_mutex_init(&machine->lock, NULL);
   *out = machine;
   return 0;
}

void
hdb_machine_set_driver(struct hdb_machine *machine, struct hdb_driver *driver)
{
   machine->driver = machine->trap.driver = driver;
}

void
hdb_machine_share_wave_ids(struct hdb_machine *machine, uint32_t *counter)
{
   machine->last_wave_id = counter;
}

const char *
hdb_machine_problem(const struct hdb_machine *machine)
{
   size_t size;
   return hdb_trap_handler_code(&size) ? machine->target->ops->problem(machine->target)
                                       : "no trap handler: built without LLVM";
}

int
machine_find_vmid(struct hdb_machine *machine)
{
   if (machine->vmid_known)
      return 0;
   int error = machine->target->ops->get_vmid(machine->target, &machine->trap.vmid);
   machine->vmid_known = !error;
   return error;
}

static int
install(struct hdb_machine *machine, const uint32_t *code, size_t size, bool second_level)
{
   int error = hdb_trap_install(&machine->trap, machine->driver, machine->target, code, size, second_level);
   if (error)
      return error;
   machine->installed = true;
   if (machine->filtered)
      hdb_trap_set_filter(&machine->trap, machine->filter);
   return 0;
}

int
machine_install(struct hdb_machine *machine)
{
   if (machine->given_up)
      return -EIO;
   if (machine->installed)
      return 0;
   size_t size;
   const uint32_t *code = hdb_trap_second_level_code(&size);
   if (code && !install(machine, code, size, true)) {
      machine_find_vmid(machine); /* more can be done where there is a way to registers, too */
      return 0;
   }
   code = hdb_trap_handler_code(&size);
   return code ? machine_install_code(machine, code, size) : -ENOTSUP;
}

int
machine_install_code(struct hdb_machine *machine, const uint32_t *code, size_t size)
{
   int error = machine_find_vmid(machine);
   return error ?: install(machine, code, size, false);
}

/* ---- shaders ---- */

struct shader *
machine_find_shader(struct hdb_machine *machine, const struct hdb_shader *info)
{
   for (size_t i = 0; i < machine->shader_count; i++)
      if (machine->shaders[i]->info == info)
         return machine->shaders[i];
   return NULL;
}

struct shader *
machine_shader_at(struct hdb_machine *machine, uint64_t va)
{
   for (size_t i = 0; i < machine->shader_count; i++)
      if (va - machine->shaders[i]->info->va < machine->shaders[i]->info->exec_size)
         return machine->shaders[i];
   return NULL;
}

void
hdb_machine_add_shader(struct hdb_machine *machine, const struct hdb_shader *info)
{
   struct shader *shader = calloc(1, sizeof(*shader));
   pthread_mutex_lock(&machine->lock);
   struct shader **place = shader ? array_append(machine->shaders, machine->shader_count) : NULL;
   if (place) {
      shader->info = info;
      *place = shader;
   } else {
      free(shader); /* such a shader can't be armed */
   }
   pthread_mutex_unlock(&machine->lock);
}

static void
destroy_shader(struct hdb_machine *machine, struct shader *shader)
{
   if (shader->launch_noted)
      hdb_trap_table_unset(&machine->trap, &machine->trap.launches, hdb_trap_pc(shader->info->va));
   shader_forget_plants(machine, shader);
   free(shader->pcs);
   free(shader);
}

void
hdb_machine_remove_shader(struct hdb_machine *machine, const struct hdb_shader *info)
{
   pthread_mutex_lock(&machine->lock);
   for (size_t i = 0; i < machine->shader_count; i++)
      if (machine->shaders[i]->info == info) {
         destroy_shader(machine, machine->shaders[i]);
         array_remove(machine->shaders, machine->shader_count, i);
         break;
      }
   for (size_t i = 0; i < machine->wave_count; i++)
      if (machine->waves[i]->wave.shader == info)
         machine->waves[i]->wave.shader = NULL;
   if (machine->barrier.shader == info)
      machine->barrier.shader = NULL;
   pthread_mutex_unlock(&machine->lock);
}

/* ---- waves ---- */

static bool
is_stepping(const struct hdb_machine *machine)
{
   for (size_t i = 0; i < machine->wave_count; i++)
      if (machine->waves[i]->stepping)
         return true;
   return false;
}

/* 1: something to show. */
static int
look(struct hdb_machine *machine)
{
   if (!machine->installed || !machine_is_settled(machine))
      return 0;
   bool any = machine_take_reports(machine);
   if (any)
      machine_finish_barrier(machine);
   if (!machine->stopped_count || machine->barrier.active) /* what was of no interest runs on */
      machine_release(machine);
   return any;
}

int
hdb_machine_wait(struct hdb_machine *machine, int timeout_ms)
{
   int64_t deadline = timeout_ms < 0 ? INT64_MAX : machine_now_ms() + timeout_ms;
   int ready = 0;
   if (timeout_ms == 0) /* takes the event that a poll on the descriptor has seen; what it announced is looked at now */
      ready = machine->target->ops->wait_interrupt(machine->target, 0);
   for (;;) {
      if (look(machine))
         return 1;
      if (ready < 0)
         return ready;
      if (machine->failure && !machine->given_up)
         return machine->failure;
      if (atomic_exchange(&machine->wait_interrupted, false))
         return 0;
      bool stepping = is_stepping(machine);
      int64_t left = deadline - machine_now_ms();
      if (left <= 0)
         return machine->installed && machine_reap(machine) > 0;
      int64_t longest = stepping ? POLL_MS : 60000;
      ready = machine->target->ops->wait_interrupt(machine->target, left < longest ? left : longest);
      if (!ready && stepping) {
         if (look(machine) || machine_reap(machine) || machine_check_barrier(machine))
            return 1;
      }
   }
}

int
hdb_machine_event_fd(struct hdb_machine *machine)
{
   return machine->target->ops->event_fd(machine->target);
}

void
hdb_machine_interrupt_wait(struct hdb_machine *machine)
{
   atomic_store(&machine->wait_interrupted, true);
   machine->target->ops->wake(machine->target);
}

size_t
hdb_machine_waves(struct hdb_machine *machine, struct hdb_wave *const **waves)
{
   *waves = (struct hdb_wave *const *)machine->waves; /* struct hdb_wave is the first member */
   return machine->wave_count;
}

struct hdb_wave *
hdb_machine_find_wave(struct hdb_machine *machine, uint32_t id)
{
   for (size_t i = 0; i < machine->wave_count; i++)
      if (machine->waves[i]->wave.id == id)
         return &machine->waves[i]->wave;
   return NULL;
}

/* ---- the end ---- */

static bool
any_in_handler(struct hdb_machine *machine)
{
   for (uint32_t slot = 0; slot < SLOT_COUNT; slot++) {
      struct machine_wave *wave = machine->in_slot[slot];
      if (wave && machine_read_wave(machine, slot, SQ_WAVE_STATUS) & STATUS_PRIV)
         return true;
   }
   return false;
}

/* Lets every wave go on, and waits for them to be out of the handler. */
static void
leave_handler(struct hdb_machine *machine)
{
   int64_t deadline = machine_now_ms() + LEAVE_LIMIT_MS;
   do {
      machine_take_reports(machine);
      hdb_machine_resume_all(machine);
      machine->target->ops->wait_interrupt(machine->target, 1);
   } while ((any_in_handler(machine) || machine->stopped_count) && machine_now_ms() < deadline);
}

/* No wave is to stop any more, and those that have are let go. */
static void
let_go(struct hdb_machine *machine)
{
   hdb_trap_want(&machine->trap, WANT_ENTRY_BIT, false);
   hdb_trap_want(&machine->trap, WANT_HALT_BIT, false);
   pthread_mutex_lock(&machine->lock);
   for (size_t i = 0; i < machine->shader_count; i++)
      shader_restore_code(machine->shaders[i]);
   pthread_mutex_unlock(&machine->lock);
   for (uint32_t watch = 0; watch < HDB_WATCHES; watch++)
      hdb_machine_clear_watch(machine, watch);
   machine_host_trap(machine);
   machine_disarm_all(machine);
   leave_handler(machine);
}

void
hdb_machine_give_up(struct hdb_machine *machine)
{
   if (machine->installed && !machine->given_up)
      let_go(machine);
   for (size_t i = machine->wave_count; i-- > 0;) { /* what becomes of them can't be known */
      if (machine->waves[i]->wave.run != HDB_WAVE_STOPPED)
         machine_end_wave(machine, machine->waves[i]);
   }
   machine->given_up = true;
}

void
hdb_machine_destroy(struct hdb_machine *machine)
{
   if (!machine)
      return;
   if (machine->installed)
      let_go(machine);
   while (machine->wave_count)
      machine_end_wave(machine, machine->waves[0]);
   for (size_t i = 0; i < machine->shader_count; i++)
      destroy_shader(machine, machine->shaders[i]);
   if (machine->installed)
      hdb_trap_remove(&machine->trap);
   free(machine->held);
   free(machine->waves);
   free(machine->shaders);
   pthread_mutex_destroy(&machine->lock);
   free(machine);
}
