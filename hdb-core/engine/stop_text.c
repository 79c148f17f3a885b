/* SPDX-License-Identifier: MIT */
/* Stops and waves as clients are told of them. */
#include "engine/engine.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine/watch.h"

/* ---- waves ---- */

bool
lane_is_active(const struct hdb_wave *wave, uint32_t lane)
{
   return lane < wave->wave_size && (wave->exec >> lane & 1);
}

uint64_t
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
      [HDB_STOP_ENTRY] = "entry", [HDB_STOP_BREAKPOINT] = "breakpoint", [HDB_STOP_STEP] = "step",
      [HDB_STOP_HALT] = "pause",  [HDB_STOP_WATCH] = "watch",           [HDB_STOP_TRAP] = "trap",
      [HDB_STOP_FAULT] = "fault",
   };
   return names[cause];
}

/* ---- stops ---- */

json_t *
engine_describe_stop(struct hdb_engine *engine, struct card *card, const struct hdb_wave *wave)
{
   char exec[17], pc[32], instruction[128];
   struct hdb_position position = {0};
   struct dispatch *dispatch = engine_dispatch_of(engine, wave);
   struct engine_shader *known = engine_find_shader(engine, wave->shader);
   bool located = wave->shader && engine_position(engine, wave->shader, wave->pc, &position);
   char *text = located ? engine_line_text(engine, wave->shader, &position) : NULL;
   format_exec(wave, exec);
   snprintf(pc, sizeof(pc), "0x%" PRIx64, wave->pc);
   if (engine_disassemble(card->machine, wave->wave_size, wave->pc, instruction, sizeof(instruction)) < 0)
      instruction[0] = 0;
   json_t *json =
      json_pack("{s:s?, s:I, s:I, s:s?, s:I, s:I, s:s, s:I, s:I, s:s, s:s, s:s?}", "file", position.file, "module",
                (json_int_t)(known ? shader_module(known) : 0), "line", (json_int_t)position.line, "text", text, "wave",
                (json_int_t)wave->id, "lane", (json_int_t)engine->focus_lane, "exec", exec, "active",
                (json_int_t)__builtin_popcountll(active_lanes(wave)), "stopped", (json_int_t)engine_count_stopped(card),
                "pc", pc, "instruction", instruction, "dispatch", dispatch ? dispatch->name : NULL);
   struct hdb_symbols *symbols = known ? shader_symbols(known) : NULL;
   const char *stage = symbols ? hdb_symbols_stage(symbols, wave->pc - wave->shader->va) : NULL;
   if (stage)
      json_object_set_new(json, "stage", json_string(stage));
   struct hdb_frame frame;
   if (symbols && hdb_symbols_frames(symbols, wave->pc - wave->shader->va, &frame, 1) && frame.spirv_offset)
      json_object_set_new(json, "spirvOffset", json_integer(frame.spirv_offset));
   int resident = hdb_machine_resident_waves(card->machine);
   if (resident >= 0) /* otherwise nothing tells */
      json_object_set_new(json, "resident", json_integer(resident));
   if (dispatch && dispatch->sized)
      json_object_set_new(json, "waves", json_integer(dispatch->waves));
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
char *
engine_describe_exception(struct card *card, const struct hdb_wave *wave)
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
   else if (wave->trapsts & 1u << 8 && !hdb_machine_fault_address(card->machine, &va))
      fprintf(out, "memory violation in the page at 0x%" PRIx64 ",", va);
   else
      fprintf(out, wave->trapsts & 1u << 8 ? "memory violation" : "exception");
   fprintf(out, " at pc 0x%" PRIx64, wave->pc);
   return fclose(out) ? NULL : text;
}

/* ---- what a wave has hit ---- */

static const char *
find_trouble(const struct hdb_engine *engine, const struct hdb_wave *wave, const struct breakpoint *breakpoint)
{
   const struct further_hit *further = NULL;
   while ((further = engine_next_further_hit(engine, wave, further))) {
      if (further->breakpoint == breakpoint->id)
         return further->trouble;
   }
   return NULL;
}

/* The client knows of none of the shader's own. */
static void
add_hit(struct hdb_engine *engine, struct hdb_wave *wave, const struct breakpoint *breakpoint, json_t *ids,
        json_t *watches)
{
   if (!breakpoint || breakpoint->kind == BREAKPOINT_OWN)
      return;
   json_array_append_new(ids, json_integer(breakpoint->id));
   json_t *watch = breakpoint->watch ? watch_describe_hit(engine, breakpoint->watch, wave) : NULL;
   const char *trouble = find_trouble(engine, wave, breakpoint);
   if (!watch)
      return;
   json_object_set_new(watch, "id", json_integer(breakpoint->id));
   if (trouble)
      json_object_set_new(watch, "trouble", json_string(trouble));
   json_array_append_new(watches, watch);
}

static void
describe_hits(struct hdb_engine *engine, json_t *body, struct hdb_wave *wave, const struct breakpoint *shown)
{
   json_t *ids = json_array(), *watches = json_array();
   add_hit(engine, wave, shown, ids, watches);
   const struct further_hit *further = NULL;
   while ((further = engine_next_further_hit(engine, wave, further))) {
      if (further->breakpoint != shown->id)
         add_hit(engine, wave, engine_breakpoint(engine, further->breakpoint), ids, watches);
   }
   if (json_array_size(ids))
      json_object_set(body, "hitBreakpointIds", ids);
   if (json_array_size(watches))
      json_object_set(json_object_get(body, "hdb"), "watches", watches);
   json_decref(ids);
   json_decref(watches);
}

void
engine_describe_hit(struct hdb_engine *engine, json_t *body, struct hdb_wave *wave, const struct breakpoint *breakpoint)
{
   const char *trouble = find_trouble(engine, wave, breakpoint);
   describe_hits(engine, body, wave, breakpoint);
   if (breakpoint->kind == BREAKPOINT_OWN) {
      json_object_set_new(body, "text", json_string("debug break"));
      json_object_set_new(body, "description", json_string("debug break"));
      return;
   }
   json_object_set_new(json_object_get(body, "hdb"), "hits", json_integer(breakpoint->hits));
   if (breakpoint->watch)
      watch_tell_hit(breakpoint->watch, wave, body);
   if (!trouble)
      return;
   json_object_set_new(body, "text", json_pack("s+", "error in the condition: ", trouble));
   json_object_set_new(body, "description", json_pack("s+", "error in the condition: ", trouble));
}
