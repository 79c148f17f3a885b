/* SPDX-License-Identifier: MIT */
/*
 * Arming: the trap bits of a recorded dispatch's launch words. TRAP_PRESENT makes the wave's TRAP_EN, TRAP_ON_START
 * sends it through the handler's thin tier, which notes the workgroup id while it is still in its launch SGPRs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "stop/private.h"
#include "target/registers.h"

/*
 * The launch writes workgroup id X, Y, Z and TG_SIZE behind the user SGPRs, those enabled, in this order. One that
 * comes behind all enabled ones can be enabled without moving any; its SGPR held garbage before.
 */
static uint32_t
with_launch_sgprs(uint32_t rsrc2)
{
   for (int i = 3; i >= 0 && !(rsrc2 & RSRC2_TGID_X_EN << i); i--)
      rsrc2 |= RSRC2_TGID_X_EN << i;
   return rsrc2;
}

/* A value for TMA_LAUNCHES. */
static uint64_t
launch_info(uint32_t rsrc2)
{
   uint32_t sgpr = RSRC2_USER_SGPR(rsrc2);
   uint32_t numbers = 0, noted = NOTED_MAGIC | 1u << NOTED_FRESH_BIT;
   for (int i = 0; i < 4; i++)
      if (rsrc2 & RSRC2_TGID_X_EN << i) {
         numbers |= sgpr++ << 8 * i;
         noted |= 1u << (NOTED_X_BIT + i);
      }
   return numbers | (uint64_t)noted << 32;
}

static struct armed_dispatch *
find_armed(struct hdb_machine *machine, const struct hdb_dispatch *dispatch)
{
   for (size_t i = 0; i < machine->armed_count; i++)
      if (machine->armed[i].rsrc2 == dispatch->rsrc2_dword)
         return &machine->armed[i];
   return NULL;
}

static struct shader *
find_shader_by_id(struct hdb_machine *machine, uint64_t id)
{
   for (size_t i = 0; i < machine->shader_count; i++)
      if (machine->shaders[i]->info->id == id)
         return machine->shaders[i];
   return NULL;
}

int
machine_note_launch(struct hdb_machine *machine, struct shader *shader)
{
   const struct plant *plant = shader_plant_at(shader, 0);
   uint64_t info = launch_info(shader->rsrc2);
   if (plant && plant->count[PLANT_ENTRY] && plant->count[PLANT_BREAKPOINT])
      info |= 1ull << (32 + NOTED_BREAKPOINT_BIT);
   return hdb_trap_table_set(&machine->trap, &machine->trap.launches, hdb_trap_pc(shader->info->va), info);
}

static int
note_shader(struct hdb_machine *machine, struct shader *shader, const struct hdb_dispatch *dispatch, uint32_t rsrc2)
{
   if (!shader->launch_noted) {
      shader->rsrc2 = rsrc2;
      int error = machine_note_launch(machine, shader);
      if (error)
         return error;
      shader->launch_noted = true;
   }
   for (int i = 0; i < 3; i++) {
      bool flat = !(dispatch->flags & HDB_DISPATCH_INDIRECT) && dispatch->grid[i] == 1 && !dispatch->base[i];
      shader->flat[i] = flat && (shader->flat[i] || !shader->armed);
   }
   shader->armed++;
   return 0;
}

static void
write_words(const struct armed_dispatch *armed, uint32_t flags)
{
   uint32_t rsrc2 = with_launch_sgprs(armed->old_rsrc2) | RSRC2_TRAP_PRESENT | RSRC2_EXCP_EN_ADDR_WATCH;
   if (flags & HDB_ARM_STOP_AT_ENTRY)
      rsrc2 |= RSRC2_EXCP_EN_MEM_VIOL; /* the mark MODE_ENTRY_MARK_BIT */
   *armed->rsrc2 = rsrc2;
   *armed->rsrc3 = armed->old_rsrc3 | (armed->entry_trap ? 0 : RSRC3_TRAP_ON_START);
}

static int
arm_locked(struct hdb_machine *machine, const struct hdb_dispatch *dispatch, uint32_t flags)
{
   struct shader *shader = find_shader_by_id(machine, dispatch->shader_id);
   if (!shader)
      return -ENOENT;
   struct armed_dispatch *armed = find_armed(machine, dispatch);
   if (!armed) {
      uint32_t old_rsrc2 = *dispatch->rsrc2_dword, old_rsrc3 = *dispatch->rsrc3_dword;
      armed = array_append(machine->armed, machine->armed_count);
      if (!armed)
         return -ENOMEM;
      int error = note_shader(machine, shader, dispatch, with_launch_sgprs(old_rsrc2));
      if (error) {
         machine->armed_count--;
         return error;
      }
      bool plants = machine->entry_traps && !(flags & HDB_ARM_NO_PLANT);
      *armed = (struct armed_dispatch){
         .rsrc2 = dispatch->rsrc2_dword,
         .rsrc3 = dispatch->rsrc3_dword,
         .old_rsrc2 = old_rsrc2,
         .old_rsrc3 = old_rsrc3,
         .shader_id = dispatch->shader_id,
         .entry_trap = plants && !machine_plant_trap(machine, shader, 0, PLANT_ENTRY),
      };
   }
   armed->count++;
   write_words(armed, flags);
   return 0;
}

int
hdb_machine_arm(struct hdb_machine *machine, const struct hdb_dispatch *dispatch, uint32_t flags)
{
   int error = machine_install(machine);
   if (error)
      return error;
   pthread_mutex_lock(&machine->lock);
   error = arm_locked(machine, dispatch, flags);
   pthread_mutex_unlock(&machine->lock);
   if (!error && flags & HDB_ARM_STOP_AT_ENTRY)
      hdb_trap_want(&machine->trap, WANT_ENTRY_BIT, true);
   if (!error)
      hdb_trap_want(&machine->trap, WANT_ENTRY_TRAPS_BIT, machine->entry_traps);
   return error;
}

void
hdb_machine_rearm(struct hdb_machine *machine, const struct hdb_dispatch *dispatch, uint32_t flags)
{
   const struct armed_dispatch *armed = find_armed(machine, dispatch);
   if (!armed)
      return;
   write_words(armed, flags);
   if (flags & HDB_ARM_STOP_AT_ENTRY)
      hdb_trap_want(&machine->trap, WANT_ENTRY_BIT, true);
}

void
hdb_machine_drop_entry_traps(struct hdb_machine *machine, const struct hdb_shader *info)
{
   pthread_mutex_lock(&machine->lock);
   struct shader *shader = machine_find_shader(machine, info);
   for (size_t i = 0; shader && i < machine->armed_count; i++) {
      struct armed_dispatch *armed = &machine->armed[i];
      if (armed->shader_id != info->id || !armed->entry_trap)
         continue;
      machine_unplant_trap(machine, shader, 0, PLANT_ENTRY);
      armed->entry_trap = false;
   }
   pthread_mutex_unlock(&machine->lock);
}

static void
restore_words(const struct armed_dispatch *armed)
{
   *armed->rsrc2 = armed->old_rsrc2;
   *armed->rsrc3 = armed->old_rsrc3;
}

static void
remove_armed(struct hdb_machine *machine, struct armed_dispatch *armed)
{
   pthread_mutex_lock(&machine->lock);
   struct shader *shader = find_shader_by_id(machine, armed->shader_id);
   if (shader) {
      shader->armed--;
      if (armed->entry_trap)
         machine_unplant_trap(machine, shader, 0, PLANT_ENTRY);
   }
   pthread_mutex_unlock(&machine->lock);
   array_remove(machine->armed, machine->armed_count, (size_t)(armed - machine->armed));
   if (!machine->armed_count)
      hdb_trap_want(&machine->trap, WANT_REFRESH_BIT, false); /* the next job drops the cache by itself */
}

void
hdb_machine_disarm(struct hdb_machine *machine, const struct hdb_dispatch *dispatch)
{
   struct armed_dispatch *armed = find_armed(machine, dispatch);
   if (!armed || --armed->count)
      return;
   restore_words(armed);
   remove_armed(machine, armed);
}

void
hdb_machine_forget(struct hdb_machine *machine, const struct hdb_dispatch *dispatch)
{
   struct armed_dispatch *armed = find_armed(machine, dispatch);
   if (armed)
      remove_armed(machine, armed);
}

void
machine_disarm_all(struct hdb_machine *machine)
{
   for (size_t i = 0; i < machine->armed_count; i++)
      restore_words(&machine->armed[i]);
   free(machine->armed);
   machine->armed = NULL;
   machine->armed_count = 0;
}

void
hdb_machine_use_entry_traps(struct hdb_machine *machine, bool use)
{
   machine->entry_traps = use;
}

void
hdb_machine_set_entry_stops(struct hdb_machine *machine, bool stop)
{
   if (machine->installed)
      hdb_trap_want(&machine->trap, WANT_ENTRY_BIT, stop);
}

void
hdb_machine_set_workgroup_filter(struct hdb_machine *machine, const uint32_t workgroup[3])
{
   machine->filtered = workgroup;
   if (workgroup)
      memcpy(machine->filter, workgroup, sizeof(machine->filter));
   if (machine->installed)
      hdb_trap_set_filter(&machine->trap, workgroup);
}
