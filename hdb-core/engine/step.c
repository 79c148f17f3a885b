/* SPDX-License-Identifier: MIT */
/*
 * Steps of one wave while the others stand still. A line step is a range step, decided on the GPU, repeated until the
 * focus lane stands at a statement where the step may end.
 */
#include "engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dap/session.h"

void
engine_abandon_step(struct hdb_engine *engine)
{
   engine->step = (struct step){0};
}

/* Calls are known without lines, too. */
static struct hdb_symbols *
find_symbols(struct hdb_engine *engine, const struct hdb_wave *wave, enum hdb_line_step kind)
{
   struct engine_shader *shader = engine_find_shader(engine, wave->shader);
   struct hdb_symbols *symbols = shader ? shader_symbols(shader) : NULL;
   return symbols && (kind == HDB_STEP_OUT || hdb_symbols_has_lines(symbols)) ? symbols : NULL;
}

/* Whether all of the code that the wave has come to is part of the step: between the stages of ray tracing, and in
 * those that `next` leaves alone. */
static bool
runs_through(const struct step *step, const struct hdb_wave *wave, const struct hdb_symbols *symbols)
{
   return step->rays && wave->shader && (!symbols || step->stays || !lane_is_active(wave, step->lane));
}

static int
go_on(struct hdb_engine *engine, struct hdb_wave *wave)
{
   const struct step *step = &engine->step;
   struct hdb_machine *machine = engine->stopped->machine;
   struct hdb_symbols *symbols = step->by_instruction ? NULL : find_symbols(engine, wave, step->kind);
   uint32_t low = 0, high = wave->shader ? wave->shader->exec_size : 0;
   if (step->endless || engine_watches_steps(engine, engine->stopped, wave))
      return hdb_machine_resume(machine, wave, HDB_RESUME_STEP, 0, 0);
   if (symbols && wave->shader->id == step->shader_id)
      hdb_symbols_step_range(symbols, step->origin, step->kind, wave->pc - wave->shader->va, &low, &high);
   else if (step->by_instruction || !runs_through(step, wave, symbols))
      return hdb_machine_resume(machine, wave, HDB_RESUME_STEP, 0, 0);
   return hdb_machine_resume(machine, wave, HDB_RESUME_STEP_RANGE, wave->shader->va + low, wave->shader->va + high);
}

/* A stage that another one has called. */
static bool
is_called(const struct hdb_symbols *symbols, uint32_t pc)
{
   const char *stage = hdb_symbols_stage(symbols, pc);
   return stage && strcmp(stage, HDB_STAGE_RAYGEN) != 0;
}

static bool
is_outermost(const struct hdb_symbols *symbols, uint32_t pc, uint32_t frame)
{
   return hdb_symbols_frames(symbols, pc, NULL, 0) < frame + 2 && !is_called(symbols, pc);
}

int
engine_step(struct hdb_engine *engine, struct hdb_wave *wave, bool by_instruction, enum hdb_line_step kind,
            uint32_t frame, char **error)
{
   struct hdb_symbols *symbols = find_symbols(engine, wave, kind);
   const struct dispatch *dispatch = engine_dispatch_of(engine, wave);
   bool rays = dispatch && dispatch->rays;
   if (!symbols && !rays)
      by_instruction = true;
   if (kind == HDB_STEP_OUT && (!symbols || is_outermost(symbols, wave->pc - wave->shader->va, frame))) {
      *error = strdup("this is the outermost function");
      return -EINVAL;
   }
   /* Where the lane that is looked at is off, the step is that of the lanes that run. */
   uint64_t active = active_lanes(wave);
   bool on = lane_is_active(wave, engine->focus_lane) || !active;
   size_t frames = kind == HDB_STEP_OUT ? hdb_symbols_frames(symbols, wave->pc - wave->shader->va, NULL, 0) : 0;
   engine_abandon_step(engine);
   engine->step = (struct step){
      .active = true,
      .wave_id = wave->id,
      .by_instruction = by_instruction,
      .kind = kind,
      .rays = rays,
      .stays = kind == HDB_STEP_OVER && symbols && !is_called(symbols, wave->pc - wave->shader->va),
      .shader_id = wave->shader ? wave->shader->id : 0,
      .origin = wave->shader ? wave->pc - wave->shader->va : 0,
      .depth = frames > frame ? frames - frame - 1 : 0,
      .lane = on ? engine->focus_lane : (uint32_t)__builtin_ctzll(active),
   };
   engine_note_late(engine);
   /* A wave whose stop has yet to be shown stays, and engine_check_step shows that. */
   engine_refresh_watches(engine, engine->stopped);
   int result = wave->notice == HDB_STOP_SEEN ? go_on(engine, wave) : 0;
   if (result)
      engine_abandon_step(engine);
   return result;
}

void
engine_step_on(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave)
{
   engine->stopped = card;
   engine->step = (struct step){.active = true, .wave_id = wave->id, .endless = true, .lane = engine->focus_lane};
   if (go_on(engine, wave))
      engine_report_stop(engine, card, wave, "pause", NULL);
}

/* Out of a caller's frame it is one call after the other. */
static bool
is_out(struct step *step, const struct hdb_symbols *symbols, uint32_t pc)
{
   if (step->kind != HDB_STEP_OUT || hdb_symbols_frames(symbols, pc, NULL, 0) <= step->depth || !step->depth)
      return true;
   step->origin = pc;
   return false;
}

static bool
has_arrived(struct hdb_engine *engine, const struct hdb_wave *wave)
{
   struct step *step = &engine->step;
   struct hdb_symbols *symbols = find_symbols(engine, wave, step->kind);
   if (step->endless)
      return false;
   if (step->by_instruction || !wave->shader || (!step->rays && (!symbols || wave->shader->id != step->shader_id)))
      return true;
   if (!symbols)
      return false;
   if (wave->shader->id != step->shader_id)
      return !runs_through(step, wave, symbols) && hdb_symbols_is_statement(symbols, wave->pc - wave->shader->va);
   uint32_t pc = wave->pc - wave->shader->va;
   return lane_is_active(wave, step->lane) && hdb_symbols_ends_step(symbols, step->origin, step->kind, pc) &&
          is_out(step, symbols, pc);
}

/* The stepped wave is gone: show another one that is stopped, or let the rest run. */
static void
report_end(struct hdb_engine *engine)
{
   if (engine->step.endless) { /* nobody has asked for a step */
      engine_end_watches(engine);
      engine_continue(engine);
      return;
   }
   engine_say(engine, "wave %u ended", engine->step.wave_id);
   if (!engine_report_waiting(engine, engine->stopped))
      engine_continue(engine);
}

static void
step_further(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave)
{
   if (wave->cause == HDB_STOP_WATCH)
      engine_refresh_watches(engine, card);
   if (go_on(engine, wave))
      engine_report_stop(engine, card, wave, "step", NULL);
}

void
engine_check_step(struct hdb_engine *engine)
{
   struct card *card = engine->stopped;
   struct hdb_wave *wave = hdb_machine_find_wave(card->machine, engine->step.wave_id);
   if (!wave) {
      report_end(engine);
      return;
   }
   if (wave->run != HDB_WAVE_STOPPED) { /* others run while it waits in a barrier */
      engine_report_new(engine, card);
      return;
   }
   if (engine_report_unseen(engine, card, wave))
      return;
   struct breakpoint *breakpoint = engine_hit_of(engine, wave);
   bool stepped = wave->cause == HDB_STOP_STEP || wave->cause == HDB_STOP_WATCH; /* which has seen something else */
   if (breakpoint)
      engine_report_stop(engine, card, wave, breakpoint->watch ? "data breakpoint" : "breakpoint", breakpoint);
   else if (stepped && has_arrived(engine, wave))
      engine_report_stop(engine, card, wave, "step", NULL);
   else
      step_further(engine, card, wave);
}
