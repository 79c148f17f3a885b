/* SPDX-License-Identifier: MIT */
/* What shaders say of their own accord, as long as there is a client: debugPrintfEXT is a log line, a debug break a
 * stop. */
#include "engine/engine.h"

#include <stdlib.h>

#include "symbols/prints.h"

#define MAX_PRINTS 256 /* of one shader */
#define MAX_PLACES 256 /* of one of these */

static void
bind_print(struct hdb_engine *engine, struct engine_shader *shader, const struct hdb_print *print)
{
   uint32_t pcs[MAX_PLACES];
   char *error = NULL;
   const char *what = print->format ? "debugPrintf" : "a debug break";
   size_t count = hdb_symbols_find_print(shader_symbols(shader), print, pcs, MAX_PLACES);
   struct log *log =
      print->format ? log_create_print(print->format, print->arguments, print->argument_count, &error) : NULL;
   if (!count)
      engine_say(engine, "shader %s: %s has no place of its own in the code", shader->shader->entry_point, what);
   else if (print->format && !log)
      engine_say(engine, "shader %s: debugPrintf: %s", shader->shader->entry_point, error ? error : "out of memory");
   struct breakpoint *breakpoint =
      count && !print->format == !log ? engine_add_breakpoint(engine, BREAKPOINT_PRINT, NULL, 0, 0) : NULL;
   free(error);
   if (!breakpoint) {
      log_destroy(log);
      return;
   }
   breakpoint->permanent = true;
   breakpoint->terms.log = log;
   for (size_t i = 0; i < count; i++)
      engine_add_place(breakpoint, shader, pcs[i]);
}

void
engine_bind_prints(struct hdb_engine *engine, struct engine_shader *shader)
{
   if (!engine->session || !shader->device->machine || !hdb_shader_prints(shader->shader) || !shader_symbols(shader))
      return;
   struct hdb_print *prints = calloc(MAX_PRINTS, sizeof(*prints));
   size_t count = prints ? hdb_symbols_prints(shader_symbols(shader), prints, MAX_PRINTS) : 0;
   for (size_t i = 0; i < count; i++)
      bind_print(engine, shader, &prints[i]);
   free(prints);
}

void
engine_bind_all_prints(struct hdb_engine *engine)
{
   for (struct hdb_device *device = engine->devices; device; device = device->next) {
      for (size_t i = 0; i < device->shader_count; i++)
         engine_bind_prints(engine, device->shaders[i]);
   }
}
