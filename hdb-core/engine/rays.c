/* SPDX-License-Identifier: MIT */
/*
 * Ray tracing. The dispatch launches a shader of the driver's, the prolog, which jumps to the stages. To which of the
 * device's stages is for tables in GPU memory to say: it may be any.
 */
#include "engine/engine.h"

static bool
is_stage(const struct hdb_shader *shader)
{
   return !shader->workgroup_size[0];
}

bool
dispatch_traces_rays(const struct hdb_dispatch *record, const struct engine_shader *launched)
{
   return launched && launched->shader->flags & HDB_SHADER_INTERNAL && !(record->flags & HDB_DISPATCH_INTERNAL);
}

bool
dispatch_runs_shader(const struct dispatch *dispatch, const struct hdb_shader *shader)
{
   return dispatch->shader_id == shader->id || (dispatch->rays && is_stage(shader));
}

bool
dispatch_has_plants(const struct dispatch *dispatch)
{
   const struct hdb_device *device = dispatch->device;
   const struct engine_shader *launched = device_find_shader(dispatch->device, dispatch->shader_id);
   bool any = launched && (launched->plants || hdb_machine_has_plants(device->machine, launched->shader));
   for (size_t i = 0; dispatch->rays && i < device->shader_count; i++)
      any |= device->shaders[i]->plants && is_stage(device->shaders[i]->shader);
   return any;
}

/* ---- dispatches that run with TRAP_PRESENT off ---- */

bool
shader_runs_unarmed(const struct engine_shader *shader)
{
   return shader->unarmed || (is_stage(shader->shader) && shader->device->unarmed_rays);
}

void
dispatch_begin_unarmed(const struct dispatch *dispatch)
{
   struct engine_shader *launched = device_find_shader(dispatch->device, dispatch->shader_id);
   if (!launched)
      return;
   launched->unarmed++;
   engine_unplant_unsafe(launched);
   if (!dispatch->rays)
      return;
   struct hdb_device *device = dispatch->device;
   device->unarmed_rays++;
   for (size_t i = 0; i < device->shader_count; i++) {
      if (is_stage(device->shaders[i]->shader))
         engine_unplant_unsafe(device->shaders[i]);
   }
}

void
dispatch_end_unarmed(const struct dispatch *dispatch)
{
   struct hdb_device *device = dispatch->device;
   struct engine_shader *launched = device_find_shader(device, dispatch->shader_id);
   if (launched && launched->unarmed && --launched->unarmed == 0)
      engine_plant_pending(launched);
   if (!dispatch->rays || !device->unarmed_rays || --device->unarmed_rays)
      return;
   for (size_t i = 0; i < device->shader_count; i++) {
      if (is_stage(device->shaders[i]->shader))
         engine_plant_pending(device->shaders[i]);
   }
}
