/* SPDX-License-Identifier: MIT */
/* Breakpoints: bound to every shader they concern, pending until one comes. */
#include "engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "dap/session.h"
#include "engine/watch.h"

/* ---- places ---- */

/* A trap in a wave with TRAP_PRESENT off is passed over, and with it the instruction that it stands for. Only a pad is
 * no loss. */
bool
engine_may_plant(struct engine_shader *shader, uint32_t pc)
{
   struct hdb_symbols *symbols = shader_symbols(shader);
   return !shader_runs_unarmed(shader) || (symbols && hdb_symbols_is_pad(symbols, pc));
}

static int
plant(struct breakpoint_place *place)
{
   if (place->planted || !engine_may_plant(place->shader, place->pc))
      return 0;
   int result = hdb_machine_plant(place->shader->device->machine, place->shader->shader, place->pc);
   place->planted = result == 0;
   return result;
}

static void
release_place(struct breakpoint_place *place)
{
   if (place->planted)
      hdb_machine_unplant(place->shader->device->machine, place->shader->shader, place->pc);
   place->shader->plants--;
}

/* What keeps all waves of a device from being stopped is said once, in full. */
static void
note_failure(struct breakpoint *breakpoint, struct engine_shader *shader, const char *place, int result)
{
   struct hdb_device *device = shader->device;
   bool of_device = hdb_machine_problem(device->machine);
   const char *why = device_describe_failure(device, result);
   if (!of_device || !device->failure_said)
      device_warn(device, "breakpoint %u: no trap at %s: %s", breakpoint->id, place, why);
   device->failure_said |= of_device;
   snprintf(breakpoint->failure, sizeof(breakpoint->failure), "%s", of_device ? "waves can't be stopped" : why);
}

static int
add_place(struct breakpoint *breakpoint, struct engine_shader *shader, uint32_t pc, uint32_t line)
{
   struct breakpoint_place place = {.shader = shader, .line = line, .pc = pc};
   int result = plant(&place);
   if (result)
      return result;
   struct breakpoint_place *added = array_append(breakpoint->places, breakpoint->place_count);
   if (!added)
      return 0;
   *added = place;
   shader->plants++;
   return 0;
}

int
engine_add_place(struct breakpoint *breakpoint, struct engine_shader *shader, uint32_t pc)
{
   return add_place(breakpoint, shader, pc, 0);
}

/* ---- changes ---- */

static void
announce_change(struct hdb_engine *engine, struct breakpoint *breakpoint)
{
   char before[sizeof(breakpoint->message)];
   bool waited = breakpoint->waits;
   memcpy(before, breakpoint->message, sizeof(before));
   breakpoint_update_message(breakpoint);
   if (engine->session && breakpoint->kind != BREAKPOINT_OWN &&
       (strcmp(before, breakpoint->message) != 0 || waited != breakpoint->waits))
      session_send_event(
         engine->session, "breakpoint",
         json_pack("{s:s, s:o}", "reason", "changed", "breakpoint", engine_describe_breakpoint(breakpoint)));
}

/* ---- binding ---- */

#define MAX_PLACES 256 /* of one line in one shader: unrolled loops */

static void
bind_line(struct hdb_engine *engine, struct breakpoint *breakpoint, struct engine_shader *shader)
{
   struct hdb_symbols *symbols = shader_symbols(shader);
   uint32_t pcs[MAX_PLACES], actual;
   if (!symbols || (breakpoint->module && breakpoint->module != shader_module(shader)))
      return;
   size_t count = hdb_symbols_find_line(symbols, breakpoint->name, breakpoint->line, pcs, MAX_PLACES, &actual);
   breakpoint->codeless |= !count && actual;
   for (size_t i = 0; i < count && i < MAX_PLACES; i++) {
      int result = add_place(breakpoint, shader, pcs[i], actual);
      if (result) {
         char place[128];
         snprintf(place, sizeof(place), "%s+0x%x", shader->shader->entry_point ?: "main", pcs[i]);
         note_failure(breakpoint, shader, place, result);
      }
   }
}

static bool
splits_instruction(struct engine_shader *shader, uint64_t address, uint64_t *before, uint64_t *behind)
{
   uint64_t va = shader->shader->va;
   uint32_t pc = address - va, start, next;
   if (address < va || address >= va + shader->shader->exec_size ||
       !hdb_machine_find_instruction(shader->device->machine, shader->shader, pc, &start, &next) || start == pc)
      return false;
   *before = va + start;
   *behind = va + next;
   return true;
}

static void
bind_address(struct hdb_engine *engine, struct breakpoint *breakpoint, struct engine_shader *shader)
{
   uint64_t va = shader->shader->va;
   if (breakpoint->address < va || breakpoint->address >= va + shader->shader->exec_size ||
       splits_instruction(shader, breakpoint->address, &breakpoint->before, &breakpoint->behind))
      return;
   int result = add_place(breakpoint, shader, breakpoint->address - va, 0);
   if (result) {
      char place[32];
      snprintf(place, sizeof(place), "0x%llx", (unsigned long long)breakpoint->address);
      note_failure(breakpoint, shader, place, result);
   }
}

static void
bind(struct hdb_engine *engine, struct breakpoint *breakpoint, struct engine_shader *shader)
{
   bool internal = shader->shader->flags & HDB_SHADER_INTERNAL;
   if (!shader->device->machine || (internal && !engine->internal))
      return;
   if (breakpoint->kind == BREAKPOINT_SOURCE)
      bind_line(engine, breakpoint, shader);
   else if (breakpoint->kind == BREAKPOINT_INSTRUCTION)
      bind_address(engine, breakpoint, shader);
}

bool
engine_splits_instruction(struct hdb_engine *engine, uint64_t address, uint64_t *before, uint64_t *behind)
{
   for (struct hdb_device *device = engine->devices; device; device = device->next) {
      for (size_t i = 0; device->machine && i < device->shader_count; i++) {
         if (splits_instruction(device->shaders[i], address, before, behind))
            return true;
      }
   }
   return false;
}

void
engine_bind_breakpoint(struct hdb_engine *engine, struct breakpoint *breakpoint)
{
   for (struct hdb_device *device = engine->devices; device; device = device->next) {
      for (size_t i = 0; i < device->shader_count; i++)
         bind(engine, breakpoint, device->shaders[i]);
   }
   breakpoint_update_message(breakpoint);
}

void
engine_bind_shader(struct hdb_engine *engine, struct engine_shader *shader)
{
   for (size_t i = 0; i < engine->breakpoint_count; i++) {
      bind(engine, engine->breakpoints[i], shader);
      announce_change(engine, engine->breakpoints[i]);
   }
   engine_bind_breaks(engine, shader);
}

/* The shader goes: its traps are the machine's to forget. */
void
engine_unbind_shader(struct hdb_engine *engine, struct engine_shader *shader)
{
   for (size_t i = 0; i < engine->breakpoint_count; i++) {
      struct breakpoint *breakpoint = engine->breakpoints[i];
      size_t kept = 0;
      for (size_t j = 0; j < breakpoint->place_count; j++) {
         if (breakpoint->places[j].shader != shader)
            breakpoint->places[kept++] = breakpoint->places[j];
      }
      breakpoint->place_count = kept;
      breakpoint->forgotten = breakpoint->kind == BREAKPOINT_OWN && !kept;
      announce_change(engine, breakpoint);
   }
   engine_end_breakpoints(engine);
}

void
engine_plant_pending(struct engine_shader *shader)
{
   struct hdb_engine *engine = shader->device->engine;
   for (size_t i = 0; i < engine->breakpoint_count; i++) {
      struct breakpoint *breakpoint = engine->breakpoints[i];
      bool concerned = false;
      for (size_t j = 0; j < breakpoint->place_count; j++) {
         if (breakpoint->places[j].shader != shader)
            continue;
         plant(&breakpoint->places[j]);
         concerned = true;
      }
      if (concerned)
         announce_change(engine, breakpoint);
   }
}

void
engine_unplant_unsafe(struct engine_shader *shader)
{
   struct hdb_engine *engine = shader->device->engine;
   struct hdb_symbols *symbols = shader->plants ? shader_symbols(shader) : NULL;
   if (shader->device->machine && !engine_may_plant(shader, 0))
      hdb_machine_drop_entry_traps(shader->device->machine, shader->shader);
   for (size_t i = 0; shader->plants && i < engine->breakpoint_count; i++) {
      struct breakpoint *breakpoint = engine->breakpoints[i];
      for (size_t j = 0; j < breakpoint->place_count; j++) {
         struct breakpoint_place *place = &breakpoint->places[j];
         if (place->shader != shader || !place->planted || (symbols && hdb_symbols_is_pad(symbols, place->pc)))
            continue;
         hdb_machine_unplant(shader->device->machine, shader->shader, place->pc);
         place->planted = false;
      }
   }
}

/* ---- the list ---- */

struct breakpoint *
engine_add_breakpoint(struct hdb_engine *engine, enum breakpoint_kind kind, const char *name, uint32_t line,
                      uint64_t address)
{
   struct breakpoint *breakpoint = calloc(1, sizeof(*breakpoint));
   struct breakpoint **slot = breakpoint ? array_append(engine->breakpoints, engine->breakpoint_count) : NULL;
   if (!slot) {
      free(breakpoint);
      return NULL;
   }
   *slot = breakpoint;
   *breakpoint = (struct breakpoint){
      .id = ++engine->last_breakpoint_id,
      .kind = kind,
      .name = strdup(name ? name : ""),
      .line = line,
      .address = address,
   };
   breakpoint_update_message(breakpoint);
   return breakpoint;
}

static void
free_breakpoint(struct breakpoint *breakpoint)
{
   for (size_t i = 0; i < breakpoint->place_count; i++)
      release_place(&breakpoint->places[i]);
   breakpoint_free_terms(breakpoint);
   watch_destroy(breakpoint->watch);
   free(breakpoint->places);
   free(breakpoint->name);
   free(breakpoint);
}

void
engine_begin_breakpoints(struct hdb_engine *engine, enum breakpoint_kind kind, const char *file, uint32_t module)
{
   for (size_t i = 0; i < engine->breakpoint_count; i++) {
      struct breakpoint *breakpoint = engine->breakpoints[i];
      breakpoint->forgotten = breakpoint->kind == kind && !breakpoint->permanent &&
                              (!file || (breakpoint->module == module && strcmp(breakpoint->name, file) == 0));
   }
}

struct breakpoint *
engine_keep_breakpoint(struct hdb_engine *engine, enum breakpoint_kind kind, const char *name, uint32_t line,
                       uint32_t module, uint64_t address)
{
   for (size_t i = 0; i < engine->breakpoint_count; i++) {
      struct breakpoint *breakpoint = engine->breakpoints[i];
      if (!breakpoint->forgotten || breakpoint->kind != kind || breakpoint->line != line ||
          breakpoint->module != module || breakpoint->address != address ||
          strcmp(breakpoint->name, name ? name : "") != 0)
         continue;
      breakpoint->forgotten = false;
      return breakpoint;
   }
   return NULL;
}

void
engine_end_breakpoints(struct hdb_engine *engine)
{
   size_t kept = 0;
   for (size_t i = 0; i < engine->breakpoint_count; i++) {
      if (engine->breakpoints[i]->forgotten)
         free_breakpoint(engine->breakpoints[i]);
      else
         engine->breakpoints[kept++] = engine->breakpoints[i];
   }
   engine->breakpoint_count = kept;
   engine_update_watches(engine);
}

void
engine_remove_all_breakpoints(struct hdb_engine *engine)
{
   for (size_t i = 0; i < engine->breakpoint_count; i++)
      free_breakpoint(engine->breakpoints[i]);
   free(engine->breakpoints);
   engine->breakpoints = NULL;
   engine->breakpoint_count = 0;
   engine_forget_further_hits(engine);
   engine_update_watches(engine);
}

struct breakpoint *
engine_breakpoint(struct hdb_engine *engine, uint32_t id)
{
   for (size_t i = 0; i < engine->breakpoint_count; i++) {
      if (engine->breakpoints[i]->id == id)
         return engine->breakpoints[i];
   }
   return NULL;
}

bool
engine_stands_at(const struct breakpoint *breakpoint, const struct hdb_wave *wave)
{
   for (size_t i = 0; i < breakpoint->place_count; i++) {
      const struct breakpoint_place *place = &breakpoint->places[i];
      if (place->shader->shader == wave->shader && wave->shader->va + place->pc == wave->pc)
         return true;
   }
   return false;
}

/* ---- names of dispatches ---- */

bool
breakpoint_names_dispatch(const struct breakpoint *breakpoint, const struct dispatch *dispatch)
{
   const char *condition = breakpoint->terms.condition;
   return breakpoint->kind == BREAKPOINT_FUNCTION && selector_matches(breakpoint->name, dispatch) &&
          (!condition || selector_meets(condition, dispatch));
}

bool
engine_names_dispatch(const struct hdb_engine *engine, const struct dispatch *dispatch)
{
   for (size_t i = 0; i < engine->breakpoint_count; i++) {
      if (breakpoint_names_dispatch(engine->breakpoints[i], dispatch))
         return true;
   }
   return false;
}

void
engine_note_named(struct hdb_engine *engine, const struct dispatch *dispatch)
{
   for (size_t i = 0; i < engine->breakpoint_count; i++) {
      struct breakpoint *breakpoint = engine->breakpoints[i];
      if (!breakpoint_names_dispatch(breakpoint, dispatch))
         continue;
      breakpoint->matched = true;
      announce_change(engine, breakpoint);
   }
}
