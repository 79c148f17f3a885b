/* SPDX-License-Identifier: MIT */
/* Memory of the debugged address space, with planted traps out of sight. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stop/private.h"
#include "target/target.h"

static bool
overlaps_code(const struct shader *shader, uint64_t va, size_t size)
{
   return va < shader->info->va + shader->info->exec_size && va + size > shader->info->va;
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

/* Where there is no way to page tables (-ENOTCONN), at least code: the driver has it mapped for the CPU. */
static int
read_known(struct hdb_machine *machine, uint64_t va, void *data, size_t size)
{
   int error = -ENOTCONN;
   pthread_mutex_lock(&machine->lock);
   const struct shader *shader = machine_shader_at(machine, va);
   if (shader && size <= shader->info->exec_size - (va - shader->info->va)) {
      memcpy(data, (const uint8_t *)shader->info->code + (va - shader->info->va), size);
      error = 0;
   }
   pthread_mutex_unlock(&machine->lock);
   return error;
}

int
hdb_machine_read_memory(struct hdb_machine *machine, uint64_t va, void *data, size_t size)
{
   int error = machine_find_vmid(machine) || machine->given_up
                  ? read_known(machine, va, data, size)
                  : machine->target->ops->read_memory(machine->target, machine->trap.vmid, va, data, size);
   if (error)
      return error;
   pthread_mutex_lock(&machine->lock);
   for (size_t i = 0; i < machine->shader_count; i++) {
      const struct shader *shader = machine->shaders[i];
      for (size_t j = 0; j < shader->plant_count && overlaps_code(shader, va, size); j++)
         if (plant_is_in_force(&shader->plants[j]))
            hide_plant(shader, &shader->plants[j], va, data, size);
   }
   pthread_mutex_unlock(&machine->lock);
   return 0;
}

/* Code with traps in it can't be changed: their displaced copies would not follow. */
int
hdb_machine_write_memory(struct hdb_machine *machine, uint64_t va, const void *data, size_t size)
{
   if (machine_find_vmid(machine) || machine->given_up)
      return -ENOTCONN;
   int error = 0;
   pthread_mutex_lock(&machine->lock);
   for (size_t i = 0; i < machine->shader_count; i++) {
      struct shader *shader = machine->shaders[i];
      if (!overlaps_code(shader, va, size))
         continue;
      if (shader->plant_count)
         error = -EBUSY;
      free(shader->pcs);
      shader->pcs = NULL;
      shader->pc_count = 0;
   }
   error = error ?: machine->target->ops->write_memory(machine->target, machine->trap.vmid, va, data, size);
   pthread_mutex_unlock(&machine->lock);
   return error;
}
