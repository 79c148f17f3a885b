/* SPDX-License-Identifier: MIT */
/* Stops: which of them are shown, all-stop, and the way on. */
#include "engine/engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dap/session.h"

/* How long the loop leaves clients and applications alone while a wave is stepped. The machine needs to be in its wait
 * then: it looks after the end of the wave and its barriers. */
#define STEP_WAIT_MS 2

/* ---- waves ---- */

struct hdb_wave *
engine_find_wave(struct hdb_engine *engine, json_int_t thread_id, struct hdb_device **device)
{
   for (*device = engine->devices; *device; *device = (*device)->next) {
      struct hdb_wave *wave = NULL;
      if ((*device)->machine && thread_id > 0 && thread_id <= UINT32_MAX)
         wave = hdb_machine_find_wave((*device)->machine, thread_id);
      if (wave)
         return wave;
   }
   return NULL;
}

bool
lane_is_active(const struct hdb_wave *wave, uint32_t lane)
{
   return lane < wave->wave_size && (wave->exec >> lane & 1);
}

static uint64_t
active_lanes(const struct hdb_wave *wave)
{
   return wave->wave_size == 32 ? wave->exec & UINT32_MAX : wave->exec;
}

void
format_exec(const struct hdb_wave *wave, char text[17])
{
   snprintf(text, 17, "%0*" PRIx64, wave->wave_size == 32 ? 8 : 16, active_lanes(wave));
}

const char *
cause_name(enum hdb_stop_cause cause)
{
   static const char *const names[] = {
      [HDB_STOP_ENTRY] = "entry", [HDB_STOP_BREAKPOINT] = "breakpoint",
      [HDB_STOP_STEP] = "step",   [HDB_STOP_HALT] = "pause",
      [HDB_STOP_TRAP] = "trap",   [HDB_STOP_FAULT] = "fault",
   };
   return names[cause];
}

static uint32_t
count_stopped(struct hdb_device *device)
{
   struct hdb_wave *const *waves;
   size_t count = hdb_machine_waves(device->machine, &waves);
   uint32_t stopped = 0;
   for (size_t i = 0; i < count; i++)
      stopped += waves[i]->run == HDB_WAVE_STOPPED;
   return stopped;
}

static struct hdb_wave *
first_stopped(struct hdb_device *device)
{
   struct hdb_wave *const *waves;
   size_t count = hdb_machine_waves(device->machine, &waves);
   for (size_t i = 0; i < count; i++) {
      if (waves[i]->run == HDB_WAVE_STOPPED)
         return waves[i];
   }
   return NULL;
}

/* Each wave that begins is counted once, so that the next dispatch's entry is told from this one's. */
static void
count_entries(struct hdb_device *device)
{
   struct hdb_wave *const *waves;
   size_t count = hdb_machine_waves(device->machine, &waves);
   uint32_t newest = device->last_entry;
   for (size_t i = 0; i < count; i++) {
      if (waves[i]->id <= device->last_entry)
         continue;
      if (waves[i]->cause == HDB_STOP_ENTRY)
         engine_count_entry(device, waves[i]->shader);
      if (waves[i]->id > newest)
         newest = waves[i]->id;
   }
   device->last_entry = newest;
}

/* ---- showing a stop ---- */

static json_t *
describe_stop(struct hdb_engine *engine, struct hdb_device *device, struct hdb_wave *wave)
{
   char exec[17], pc[32], instruction[128];
   struct hdb_position position = {0};
   struct dispatch *dispatch = engine_find_dispatch(device, wave->shader);
   bool located = wave->shader && engine_position(engine, wave->shader, wave->pc, &position);
   char *text = located ? engine_line_text(engine, wave->shader, &position) : NULL;
   format_exec(wave, exec);
   snprintf(pc, sizeof(pc), "0x%" PRIx64, wave->pc);
   if (engine_disassemble(device->machine, wave->wave_size, wave->pc, instruction, sizeof(instruction)) < 0)
      instruction[0] = 0;
   json_t *json = json_pack(
      "{s:s?, s:I, s:s?, s:I, s:I, s:s, s:I, s:I, s:I, s:I, s:s, s:s, s:s?}", "file", position.file, "line",
      (json_int_t)position.line, "text", text, "wave", (json_int_t)wave->id, "lane", (json_int_t)engine->focus_lane,
      "exec", exec, "active", (json_int_t)__builtin_popcountll(active_lanes(wave)), "waves",
      (json_int_t)(dispatch ? dispatch->waves : 0), "resident", (json_int_t)hdb_machine_resident_waves(device->machine),
      "stopped", (json_int_t)count_stopped(device), "pc", pc, "instruction", instruction, "dispatch",
      dispatch ? dispatch->name : NULL);
   if (wave->workgroup_known) {
      json_object_set_new(json, "workgroup",
                          json_pack("[I,I,I]", (json_int_t)wave->workgroup[0], (json_int_t)wave->workgroup[1],
                                    (json_int_t)wave->workgroup[2]));
      json_object_set_new(json, "index", json_integer(wave->index));
   }
   free(text);
   return json;
}

/* TRAPSTS (UMR register database, SQ_WAVE_TRAPSTS): EXCP 8:0, of which 8 is MEM_VIOL; ILLEGAL_INST 11. */
static char *
describe_exception(struct hdb_device *device, const struct hdb_wave *wave)
{
   uint64_t va;
   char *text;
   size_t size;
   FILE *out = open_memstream(&text, &size);
   if (!out)
      return NULL;
   if (wave->cause == HDB_STOP_TRAP)
      fprintf(out, "s_trap %u", wave->trap_id);
   else if (wave->trapsts & 1u << 11)
      fprintf(out, "illegal instruction");
   else if (wave->trapsts & 1u << 8 && !hdb_machine_fault_address(device->machine, &va))
      fprintf(out, "memory violation in the page at 0x%" PRIx64 ",", va);
   else
      fprintf(out, wave->trapsts & 1u << 8 ? "memory violation" : "exception");
   fprintf(out, " at pc 0x%" PRIx64, wave->pc);
   return fclose(out) ? NULL : text;
}

/* All-stop within the device's attached dispatches. The wave, or NULL if it has ended. */
struct hdb_wave *
engine_halt(struct hdb_engine *engine, struct hdb_device *device, struct hdb_wave *wave)
{
   uint32_t id = wave->id;
   engine->all_halted = hdb_machine_stop_all(device->machine) >= 0;
   count_entries(device);
   return hdb_machine_find_wave(device->machine, id);
}

void
engine_report_stop(struct hdb_engine *engine, struct hdb_device *device, struct hdb_wave *wave, const char *reason,
                   struct breakpoint *breakpoint)
{
   engine_abandon_step(engine);
   engine->pause_next = false;
   if (engine->focus_wave != wave->id || engine->stopped_last != device || !lane_is_active(wave, engine->focus_lane)) {
      uint64_t active = active_lanes(wave);
      engine->focus_lane = active ? __builtin_ctzll(active) : 0;
   }
   engine->stopped = engine->stopped_last = device;
   engine->focus_wave = wave->id;

   json_t *body = json_pack("{s:s, s:I, s:b, s:o}", "reason", reason, "threadId", (json_int_t)wave->id,
                            "allThreadsStopped", engine->all_halted, "hdb", describe_stop(engine, device, wave));
   if (breakpoint)
      json_object_set_new(body, "hitBreakpointIds", json_pack("[I]", (json_int_t)breakpoint->id));
   if (wave->cause == HDB_STOP_FAULT || wave->cause == HDB_STOP_TRAP) {
      char *text = describe_exception(device, wave);
      json_object_set_new(body, "description", json_string(text ? text : "exception"));
      json_object_set_new(body, "text", json_string(text ? text : "exception"));
      free(text);
   }
   session_send_event(engine->session, "stopped", body);
}

/* ---- which stops are shown ---- */

struct candidate {
   struct hdb_wave *wave;
   const char *reason;
   struct breakpoint *breakpoint;
   struct dispatch *entered;
   int rank;
};

static void
consider(struct hdb_engine *engine, struct hdb_device *device, struct hdb_wave *wave, struct candidate *best)
{
   struct candidate candidate = {.wave = wave};
   switch (wave->cause) {
   case HDB_STOP_FAULT:
      candidate.reason = "exception";
      candidate.rank = 4;
      break;
   case HDB_STOP_BREAKPOINT:
      candidate.breakpoint = engine_find_breakpoint(engine, wave->shader, wave->pc);
      candidate.reason = "breakpoint";
      candidate.rank = candidate.breakpoint ? 3 : 0;
      break;
   case HDB_STOP_TRAP:
      candidate.reason = "exception";
      candidate.rank = 2;
      break;
   case HDB_STOP_ENTRY:
      candidate.entered = engine_find_dispatch(device, wave->shader);
      candidate.reason = "entry";
      candidate.rank = candidate.entered && candidate.entered->attached && !candidate.entered->entry_shown;
      break;
   case HDB_STOP_STEP:
   case HDB_STOP_HALT:
      break;
   }
   if (candidate.rank > best->rank)
      *best = candidate;
}

/* A dispatch stops at its entry once; when no other one is to do so, its further waves need not either. */
static void
show_entry(struct hdb_device *device, struct dispatch *entered)
{
   struct hdb_engine *engine = device->engine;
   entered->entry_shown = true;
   for (size_t i = 0; i < engine->dispatch_count; i++) {
      const struct dispatch *dispatch = &engine->dispatches[i];
      if (dispatch->device == device && dispatch->state == DISPATCH_RUNNING && dispatch->attached &&
          !dispatch->entry_shown)
         return;
   }
   hdb_machine_set_entry_stops(device->machine, false);
}

bool
engine_report_waiting(struct hdb_engine *engine, struct hdb_device *device)
{
   struct candidate best = {0};
   struct hdb_wave *const *waves;
   size_t count = hdb_machine_waves(device->machine, &waves);
   for (size_t i = 0; i < count; i++) {
      if (waves[i]->run == HDB_WAVE_STOPPED)
         consider(engine, device, waves[i], &best);
   }
   if (!best.rank && (best.wave = first_stopped(device)))
      best.reason = best.wave->cause == HDB_STOP_ENTRY ? "entry" : "pause";
   if (!best.wave)
      return false;
   if (best.entered)
      show_entry(device, best.entered);
   engine_report_stop(engine, device, best.wave, best.reason, best.breakpoint);
   return true;
}

static void
show_stop(struct hdb_engine *engine, struct hdb_device *device)
{
   struct candidate best = {0};
   struct hdb_wave *const *waves;
   size_t count = hdb_machine_waves(device->machine, &waves);
   for (size_t i = 0; i < count; i++) {
      if (waves[i]->run == HDB_WAVE_STOPPED)
         consider(engine, device, waves[i], &best);
   }
   if (best.rank) {
      struct hdb_wave *wave = engine_halt(engine, device, best.wave);
      if (best.entered) /* after the halt: the waves that had yet to begin then stand at their entry, too */
         show_entry(device, best.entered);
      if (wave)
         engine_report_stop(engine, device, wave, best.reason, best.breakpoint);
   } else if (count_stopped(device)) {
      hdb_machine_resume_all(device->machine);
   }
}

void
engine_check_device(struct hdb_engine *engine, struct hdb_device *device)
{
   bool stepping = engine->step.active && engine->stopped == device;
   hdb_machine_wait(device->machine, stepping ? STEP_WAIT_MS : 0);
   count_entries(device);
   if (!engine->session) {
      if (count_stopped(device))
         hdb_machine_resume_all(device->machine);
   } else if (stepping) {
      engine_check_step(engine);
   } else if (!engine->stopped) {
      show_stop(engine, device);
   }
}

/* ---- the way on ---- */

void
engine_forget_stop(struct hdb_engine *engine)
{
   engine->stopped = NULL;
}

int
engine_continue(struct hdb_engine *engine)
{
   struct hdb_device *device = engine->stopped;
   if (!device)
      return -EINVAL;
   engine_abandon_step(engine);
   engine_forget_stop(engine);
   int result = hdb_machine_resume_all(device->machine);
   /* Waves of another device may have been waiting for their turn. */
   for (device = engine->devices; device && !engine->stopped; device = device->next) {
      if (device->machine && device->armed)
         engine_check_device(engine, device);
   }
   return result;
}

int
engine_pause(struct hdb_engine *engine, char **error)
{
   for (struct hdb_device *device = engine->devices; device; device = device->next) {
      if (!device->machine || !device->armed || (engine->stopped && engine->stopped != device))
         continue;
      engine->all_halted = hdb_machine_stop_all(device->machine) >= 0;
      count_entries(device);
      struct hdb_wave *wave = hdb_machine_find_wave(device->machine, engine->focus_wave);
      if (!wave || wave->run != HDB_WAVE_STOPPED)
         wave = first_stopped(device);
      if (wave) {
         engine_report_stop(engine, device, wave, "pause", NULL);
         return 0;
      }
      hdb_machine_resume_all(device->machine);
   }
   if (engine->stopped) {
      *error = strdup("no wave of an attached dispatch is running");
      return -ESRCH;
   }
   engine->pause_next = true;
   engine_say(engine, "no wave of an attached dispatch is running; the next dispatch will stop at its entry");
   return 0;
}
