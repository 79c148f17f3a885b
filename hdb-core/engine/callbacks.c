/* SPDX-License-Identifier: MIT */
/*
 * Stops and faults as the application's own callbacks see them, on the engine's thread. They come before the client.
 * What a callback answers is done on the loop's next turn: whoever reports a stop still uses it.
 */
#include "engine/callbacks.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dap/inspection.h"
#include "dap/session.h"

/* ---- what a stop keeps ---- */

struct kept {
   struct kept *next;
   max_align_t data[];
};

void *
stop_keep(struct stop *stop, size_t size)
{
   struct kept *kept = calloc(1, sizeof(*kept) + size);
   if (!kept)
      return NULL;
   kept->next = stop->kept;
   stop->kept = kept;
   return kept->data;
}

const char *
stop_keep_text(struct stop *stop, const char *text)
{
   size_t size = text ? strlen(text) + 1 : 0;
   char *copy = text ? stop_keep(stop, size) : NULL;
   return copy ? memcpy(copy, text, size) : NULL;
}

static void
finish(struct stop *stop)
{
   hdb_resource_list_finish(&stop->resources);
   while (stop->kept) {
      struct kept *next = stop->kept->next;
      free(stop->kept);
      stop->kept = next;
   }
   free(stop->failure);
}

int
stop_fail(struct stop *stop, int result, const char *format, ...)
{
   va_list args;
   va_start(args, format);
   free(stop->failure);
   if (vasprintf(&stop->failure, format, args) < 0)
      stop->failure = NULL;
   va_end(args);
   stop->facts.error = stop->failure ? stop->failure : strerror(-result);
   return result;
}

int
stop_find_wave(struct stop *stop, uint32_t number, struct hdb_wave **wave)
{
   number = number ? number : stop->engine->focus_wave;
   *wave = hdb_machine_find_wave(stop->card->machine, number);
   if (!*wave)
      return stop_fail(stop, -ESRCH, "no wave %u", number);
   return (*wave)->run == HDB_WAVE_STOPPED ? 0 : stop_fail(stop, -EBUSY, "wave %u is running", number);
}

int
stop_find_lane(struct stop *stop, uint32_t number, uint32_t *lane, struct hdb_wave **wave)
{
   int result = stop_find_wave(stop, number, wave);
   if (result)
      return result;
   if (*lane == HDB_LANE_FOCUS)
      *lane = focus_lane_of(stop->engine, stop->card, *wave);
   if (*lane >= (*wave)->wave_size)
      return stop_fail(stop, -EINVAL, "wave %u has lanes 0 to %u", (*wave)->id, (*wave)->wave_size - 1);
   return 0;
}

/* ---- asking ---- */

static enum hdb_stop_reason
reason_of(const char *name)
{
   static const struct {
      const char *name;
      enum hdb_stop_reason reason;
   } reasons[] = {
      {"entry", HDB_STOP_REASON_ENTRY},         {"breakpoint", HDB_STOP_REASON_BREAKPOINT},
      {"step", HDB_STOP_REASON_STEP},           {"data breakpoint", HDB_STOP_REASON_WATCHPOINT},
      {"exception", HDB_STOP_REASON_EXCEPTION},
   };
   for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
      if (strcmp(reasons[i].name, name) == 0)
         return reasons[i].reason;
   }
   return HDB_STOP_REASON_PAUSE;
}

static struct hdb_device *
device_of(struct hdb_engine *engine, struct card *card, const struct hdb_wave *wave)
{
   const struct dispatch *dispatch = engine_dispatch_of(engine, wave);
   if (dispatch && dispatch->device)
      return dispatch->device;
   struct engine_shader *shader = engine_find_shader(engine, wave->shader);
   struct hdb_device *device = shader ? shader->device : engine->devices;
   while (!shader && device && device->card != card)
      device = device->next;
   return device;
}

/* "breakpoint in saxpy at saxpy.comp:15" */
static const char *
describe(struct stop *stop, const char *reason, const struct hdb_wave *wave)
{
   char *text, *exception = NULL, where[64];
   if (stop->facts.reason == HDB_STOP_REASON_EXCEPTION)
      exception = engine_describe_exception(stop->card, wave);
   if (stop->facts.file)
      snprintf(where, sizeof(where), ":%u", stop->facts.line);
   else
      snprintf(where, sizeof(where), "0x%" PRIx64, wave->pc);
   const char *dispatch = stop->facts.dispatch;
   int length =
      asprintf(&text, "%s%s%s%s at %s%s", exception ? exception : reason, dispatch ? " in " : "",
               dispatch ? dispatch : "", exception ? "," : "", stop->facts.file ? stop->facts.file : "", where);
   const char *kept = length < 0 ? reason : stop_keep_text(stop, text);
   if (length >= 0)
      free(text);
   free(exception);
   return kept;
}

static void
init(struct stop *stop, struct hdb_engine *engine, struct card *card, const struct hdb_wave *wave, const char *reason)
{
   struct hdb_position position = {0};
   const struct dispatch *dispatch = engine_dispatch_of(engine, wave);
   if (wave->shader)
      engine_position(engine, wave->shader, wave->pc, &position);
   *stop = (struct stop){
      .facts =
         {
            .functions = &stop_functions,
            .reason = reason_of(reason),
            .wave = wave->id,
            .lane = engine->focus_lane,
            .pc = wave->pc,
            .line = position.line,
         },
      .engine = engine,
      .card = card,
   };
   stop->facts.file = stop_keep_text(stop, position.file);
   if (dispatch) {
      stop->facts.dispatch = stop_keep_text(stop, dispatch->name);
      stop->facts.dispatch_number = dispatch->number;
      stop->facts.label = stop_keep_text(stop, dispatch->label);
      stop->facts.queue = stop_keep_text(stop, dispatch->queue);
   }
   stop->facts.text = describe(stop, reason, wave);
}

static void
tell_fault(struct stop *stop, const struct hdb_observer *observer, struct hdb_device *device,
           const struct hdb_wave *wave)
{
   /* TRAPSTS.EXCP (UMR register database, SQ_WAVE_TRAPSTS): 8 is MEM_VIOL. */
   bool memory = wave->cause == HDB_STOP_FAULT && wave->trapsts & 1u << 8;
   struct hdb_fault_info fault = {
      .kind = memory ? HDB_FAULT_MEMORY : HDB_FAULT_INSTRUCTION,
      .text = stop->facts.text,
      .dispatch = stop->facts.dispatch,
   };
   fault.address_known = memory && !hdb_machine_fault_address(stop->card->machine, &fault.address);
   observer->faulted(device->objects.user, &fault);
}

bool
engine_ask_callbacks(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave, const char *reason)
{
   const struct hdb_observer *observer = engine->options.observer;
   struct hdb_device *device = device_of(engine, card, wave);
   bool has_client = hdb_engine_has_client(engine);
   engine->answer = HDB_STOP_PASS;
   if (observer && device) {
      struct stop stop;
      init(&stop, engine, card, wave, reason);
      if (stop.facts.reason == HDB_STOP_REASON_EXCEPTION)
         tell_fault(&stop, observer, device, wave);
      engine->answer = observer->stopped(device->objects.user, &stop.facts);
      if (has_client && engine->answer != HDB_STOP_PASS && engine->answer != HDB_STOP_HOLD)
         engine_say(engine, "%s: the application has answered", stop.facts.text);
      finish(&stop);
   }
   if (engine->answer == HDB_STOP_PASS && !has_client) /* there is nobody else */
      engine->answer = HDB_STOP_RESUME;
   engine->look_again |= engine->answer != HDB_STOP_PASS;
   return engine->answer != HDB_STOP_PASS && !(has_client && engine->answer == HDB_STOP_HOLD);
}

bool
engine_is_watched(const struct hdb_engine *engine)
{
   return engine->session || atomic_load(&engine->wanted) & WANTED_BY_CALLBACKS;
}

/* ---- doing what was answered ---- */

static void
step(struct hdb_engine *engine, struct card *card, enum hdb_stop_answer answer)
{
   static const enum hdb_line_step kinds[] = {
      [HDB_STOP_STEP_OVER] = HDB_STEP_OVER, [HDB_STOP_STEP_INTO] = HDB_STEP_INTO, [HDB_STOP_STEP_OUT] = HDB_STEP_OUT};
   bool by_instruction = answer == HDB_STOP_STEP_INSTRUCTION;
   struct hdb_wave *wave = hdb_machine_find_wave(card->machine, engine->focus_wave);
   char *error = NULL;
   int result = -ESRCH;
   if (wave)
      result = engine_step(engine, wave, by_instruction, by_instruction ? HDB_STEP_INTO : kinds[answer], 0, &error);
   if (result) {
      engine_say(engine, "no step: %s; the waves run on", error ? error : strerror(-result));
      engine_continue(engine);
   }
   free(error);
}

void
engine_follow_answer(struct hdb_engine *engine)
{
   enum hdb_stop_answer answer = engine->answer;
   struct card *card = engine->stopped;
   engine->answer = HDB_STOP_PASS;
   if (answer == HDB_STOP_PASS || answer == HDB_STOP_HOLD || !card)
      return;
   inspection_forget_handles(engine->inspection);
   if (answer >= HDB_STOP_STEP_OVER && answer <= HDB_STOP_STEP_INSTRUCTION)
      step(engine, card, answer);
   else
      engine_continue(engine);
}

/* ---- what else callbacks hear ---- */

void
engine_tell_lost(struct hdb_engine *engine, struct hdb_device *device, const struct dispatch *dispatch)
{
   const struct hdb_observer *observer = engine->options.observer;
   struct hdb_fault_info fault = {.kind = HDB_FAULT_DEVICE_LOST, .dispatch = dispatch->name};
   char *text;
   if (!observer || !(atomic_load(&engine->wanted) & WANTED_BY_CALLBACKS))
      return;
   fault.address_known = device->machine && !hdb_machine_fault_address(device->machine, &fault.address);
   int length = asprintf(&text, "the device was lost with dispatch %u (%s)", dispatch->number, dispatch->name);
   fault.text = length < 0 ? "the device was lost" : text;
   observer->faulted(device->objects.user, &fault);
   if (length >= 0)
      free(text);
}

/* Line by line. */
void
engine_tell_message(struct hdb_engine *engine, const struct hdb_device *device, enum hdb_severity severity,
                    const char *text)
{
   const struct hdb_observer *observer = engine->leaving ? NULL : engine->options.observer;
   char *lines = observer && atomic_load(&engine->wanted) & WANTED_BY_CALLBACKS ? strdup(text) : NULL, *next = lines;
   for (char *line = strsep(&next, "\n"); line; line = strsep(&next, "\n")) {
      if (next || *line || line == lines) /* what is behind the last line's end is none */
         observer->said(device ? device->objects.user : NULL,
                        &(struct hdb_message_info){.severity = severity, .text = line});
   }
   free(lines);
}

/* What was left standing for callbacks that are gone now. */
static void
let_go(struct hdb_engine *engine, struct job *job)
{
   if (!engine_is_watched(engine) && engine->stopped)
      engine_continue(engine);
   free(job);
}

bool
hdb_device_is_on_thread(const struct hdb_device *device)
{
   return engine_is_current(device->engine);
}

void
hdb_engine_set_observed(struct hdb_engine *engine, bool observed)
{
   struct job *job = observed ? NULL : calloc(1, sizeof(*job));
   engine_want(engine, WANTED_BY_CALLBACKS, observed);
   if (job) { /* not waited for: a callback may have destroyed its own messenger */
      job->run = let_go;
      engine_post_job(engine, job);
   }
}

/* ---- visits ---- */

struct visit_job {
   struct job job;
   struct hdb_device *device;
   hdb_stop_callback callback;
   void *user, *handle;
   int result;
};

static void
visit(struct hdb_engine *engine, struct job *job)
{
   struct visit_job *visit_job = (struct visit_job *)job;
   struct card *card = engine->stopped;
   struct hdb_wave *wave = card ? hdb_machine_find_wave(card->machine, engine->focus_wave) : NULL;
   visit_job->result = -ENOENT;
   if (wave && wave->run == HDB_WAVE_STOPPED && !engine->step.active && card == visit_job->device->card) {
      struct stop stop;
      init(&stop, engine, card, wave, cause_name(wave->cause));
      stop.facts.device = visit_job->handle;
      engine->answer = visit_job->callback(&stop.facts, visit_job->user);
      engine->look_again |= engine->answer != HDB_STOP_PASS;
      if (engine->session && engine->answer != HDB_STOP_PASS && engine->answer != HDB_STOP_HOLD)
         session_send_event(engine->session, "continued",
                            json_pack("{s:I, s:b}", "threadId", (json_int_t)wave->id, "allThreadsContinued", 1));
      finish(&stop);
      visit_job->result = 0;
   }
   engine_finish_job(engine, job);
}

int
hdb_device_visit_stop(struct hdb_device *device, void *handle, hdb_stop_callback callback, void *user)
{
   struct visit_job job = {
      .job.run = visit, .device = device, .callback = callback, .user = user, .handle = handle, .result = -ECHILD};
   if (engine_is_current(device->engine))
      return -EDEADLK;
   engine_run_job(device->engine, &job.job);
   return job.result;
}
