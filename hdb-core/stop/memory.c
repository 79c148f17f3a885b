/* SPDX-License-Identifier: MIT */
/* Memory of the debugged address space, with planted traps out of sight. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stop/private.h"
#include "target/kernel.h"
#include "target/target.h"

static bool
overlaps_code(const struct shader *shader, uint64_t va, size_t size)
{
   uint64_t code = shader->info->va;
   return va < code ? size > code - va : va - code < shader->info->exec_size;
}

bool
machine_is_code(struct hdb_machine *machine, uint64_t va, size_t size)
{
   bool found = false;
   pthread_mutex_lock(&machine->lock);
   for (size_t i = 0; i < machine->shader_count && !found; i++)
      found = overlaps_code(machine->shaders[i], va, size);
   pthread_mutex_unlock(&machine->lock);
   return found;
}

static void
hide_plant(const struct shader *shader, const struct plant *plant, uint64_t va, uint8_t *data, size_t size)
{
   uint64_t start = shader->info->va + plant->pc;
   for (int i = 0; i < 4; i++)
      if (start + i - va < size)
         data[start + i - va] = plant->original >> 8 * i;
}

int
machine_get_access(struct hdb_machine *machine, uint64_t va, size_t size, uint32_t *access)
{
   uint64_t pages = size ? ((va + size - 1) >> 12) - (va >> 12) + 1 : 0;
   int error = 0;
   *access = HDB_ACCESS_READ | HDB_ACCESS_WRITE;
   if (size && va + size - 1 < va)
      return -EFAULT;
   machine_find_vmid(machine);
   if (machine->given_up)
      return -ENOTCONN;
   for (uint64_t i = 0; i < pages && !error; i++) {
      uint32_t of_page = 0;
      error =
         machine->target->ops->get_access(machine->target, machine->trap.vmid, (va & ~4095ull) + i * 4096, &of_page);
      *access &= of_page;
   }
   return error;
}

/* Code, which the driver has mapped for the CPU. */
static bool
transfer_code(struct hdb_machine *machine, uint64_t va, void *data, size_t size, bool writes)
{
   pthread_mutex_lock(&machine->lock);
   const struct shader *shader = machine_shader_at(machine, va);
   bool known = shader && size <= shader->info->exec_size - (va - shader->info->va);
   if (known) {
      uint8_t *code = (uint8_t *)shader->info->code + (va - shader->info->va);
      memcpy(writes ? code : data, writes ? data : code, size);
   }
   pthread_mutex_unlock(&machine->lock);
   return known;
}

static struct hdb_wave *
any_stopped(struct hdb_machine *machine)
{
   for (size_t i = 0; i < machine->wave_count; i++) {
      if (machine->waves[i]->wave.run == HDB_WAVE_STOPPED)
         return &machine->waves[i]->wave;
   }
   return NULL;
}

/* Where there is no way to page tables: by the CPU, or by a wave that is stopped. */
static int
transfer_without_tables(struct hdb_machine *machine, uint64_t va, void *data, size_t size, bool writes)
{
   if (transfer_code(machine, va, data, size, writes))
      return 0;
   struct hdb_wave *wave = machine->given_up ? NULL : any_stopped(machine);
   return wave ? wave_transfer_allowed(machine, wave, va, data, size, writes) : -ENOTCONN;
}

int
hdb_machine_read_memory(struct hdb_machine *machine, uint64_t va, void *data, size_t size)
{
   bool tables = !machine_find_vmid(machine) && !machine->given_up;
   int error = tables ? machine->target->ops->read_memory(machine->target, machine->trap.vmid, va, data, size)
                      : transfer_without_tables(machine, va, data, size, false);
   pthread_mutex_lock(&machine->lock);
   for (size_t i = 0; i < machine->shader_count && !error; i++) {
      const struct shader *shader = machine->shaders[i];
      for (size_t j = 0; j < shader->plant_count && overlaps_code(shader, va, size); j++)
         if (plant_is_in_force(&shader->plants[j]))
            hide_plant(shader, &shader->plants[j], va, data, size);
   }
   pthread_mutex_unlock(&machine->lock);
   return error;
}

/* Code with traps in it can't be changed: their displaced copies would not follow. */
int
hdb_machine_write_memory(struct hdb_machine *machine, uint64_t va, const void *data, size_t size)
{
   bool tables = !machine_find_vmid(machine) && !machine->given_up;
   uint32_t access;
   int error = tables ? machine_get_access(machine, va, size, &access) : 0; /* all of it is written, or nothing */
   if (error)
      return error;
   machine_forget_held(machine);
   pthread_mutex_lock(&machine->lock);
   for (size_t i = 0; i < machine->shader_count; i++) {
      struct shader *shader = machine->shaders[i];
      if (!overlaps_code(shader, va, size))
         continue;
      if (shader->plant_count) {
         error = -EBUSY;
         continue;
      }
      free(shader->pcs);
      shader->pcs = NULL;
      shader->pc_count = 0;
   }
   pthread_mutex_unlock(&machine->lock);
   if (error)
      return error;
   machine->edits++;
   return tables ? machine->target->ops->write_memory(machine->target, machine->trap.vmid, va, data, size)
                 : transfer_without_tables(machine, va, (void *)data, size, true);
}

uint64_t
hdb_machine_count_edits(const struct hdb_machine *machine)
{
   return machine->edits;
}

uint32_t
hdb_machine_address_config(struct hdb_machine *machine)
{
   uint32_t config = 0;
   return hdb_kernel_get_address_config(machine->driver->drm_fd, &config) ? 0 : config;
}
