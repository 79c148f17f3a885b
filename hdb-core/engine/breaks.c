/* SPDX-License-Identifier: MIT */
/* Where shaders stop of their own accord, as long as there is a client. */
#include "engine/engine.h"

#include <stdlib.h>

#include "symbols/breaks.h"

#define MAX_BREAKS 256 /* of one shader */
#define MAX_PLACES 256 /* of one of these */

static void
bind_break(struct hdb_engine *engine, struct engine_shader *shader, const struct hdb_break *position)
{
   uint32_t pcs[MAX_PLACES];
   size_t count = hdb_symbols_find_break(shader_symbols(shader), position, pcs, MAX_PLACES);
   if (!count)
      device_say(shader->device, "shader %s: a debug break has no place of its own in the code",
                 shader->shader->entry_point);
   struct breakpoint *breakpoint = count ? engine_add_breakpoint(engine, BREAKPOINT_OWN, NULL, 0, 0) : NULL;
   if (!breakpoint)
      return;
   breakpoint->permanent = true;
   for (size_t i = 0; i < count; i++)
      engine_add_place(breakpoint, shader, pcs[i]);
}

void
engine_bind_breaks(struct hdb_engine *engine, struct engine_shader *shader)
{
   if (!engine->session || !shader->device->machine || !hdb_shader_breaks(shader->shader) || !shader_symbols(shader))
      return;
   struct hdb_break *breaks = calloc(MAX_BREAKS, sizeof(*breaks));
   size_t count = breaks ? hdb_symbols_breaks(shader_symbols(shader), breaks, MAX_BREAKS) : 0;
   for (size_t i = 0; i < count; i++)
      bind_break(engine, shader, &breaks[i]);
   free(breaks);
}

void
engine_bind_all_breaks(struct hdb_engine *engine)
{
   for (struct hdb_device *device = engine->devices; device; device = device->next) {
      for (size_t i = 0; i < device->shader_count; i++)
         engine_bind_breaks(engine, device->shaders[i]);
   }
}
