/* SPDX-License-Identifier: MIT */
/* Submissions: which dispatches are attached to, and the trap bits in their launch words while they run. */
#include "engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "dap/session.h"

/* Finished dispatches are remembered up to this many. */
#define MAX_HISTORY 16384

/* ---- the list of dispatches ---- */

static void
free_dispatch(struct dispatch *dispatch)
{
   free(dispatch->name);
   free(dispatch->program);
   free(dispatch->label);
   free(dispatch->queue);
}

static void
trim_history(struct hdb_engine *engine)
{
   size_t dropped = 0;
   if (engine->dispatch_count < MAX_HISTORY || engine->submits)
      return;
   while (dropped < engine->dispatch_count && engine->dispatches[dropped].state != DISPATCH_RUNNING)
      free_dispatch(&engine->dispatches[dropped++]);
   engine->dispatch_count -= dropped;
   memmove(engine->dispatches, engine->dispatches + dropped, engine->dispatch_count * sizeof(*engine->dispatches));
}

static char *
name_program(struct engine_shader *shader)
{
   char *name = NULL;
   if (!shader)
      return strdup("unknown shader");
   const char *entry = shader->shader->entry_point ? shader->shader->entry_point : "main";
   struct hdb_symbols *symbols = shader_symbols(shader);
   const char *file = symbols ? hdb_symbols_file_name(symbols, 0) : NULL;
   if (!file)
      return strdup(entry);
   const char *slash = strrchr(file, '/');
   return asprintf(&name, "%s:%s", slash ? slash + 1 : file, entry) < 0 ? NULL : name;
}

static uint32_t
count_waves(const struct hdb_dispatch *record, const struct hdb_shader *shader)
{
   if ((record->flags & HDB_DISPATCH_INDIRECT) || !shader->wave_size)
      return 0;
   uint64_t threads = (uint64_t)shader->workgroup_size[0] * shader->workgroup_size[1] * shader->workgroup_size[2];
   uint64_t groups = (uint64_t)record->grid[0] * record->grid[1] * record->grid[2];
   uint64_t waves = groups * ((threads + shader->wave_size - 1) / shader->wave_size);
   return waves > UINT32_MAX ? UINT32_MAX : waves;
}

static bool
add_dispatch(struct hdb_engine *engine, struct submit_job *submit, const struct hdb_offer *offer)
{
   struct engine_shader *shader = device_find_shader(submit->device, offer->record.shader_id);
   struct dispatch *dispatch = array_append(engine->dispatches, engine->dispatch_count);
   if (!dispatch)
      return false;
   *dispatch = (struct dispatch){
      .number = engine->dispatches_seen++,
      .device = submit->device,
      .shader_id = offer->record.shader_id,
      .program = name_program(shader),
      .label = offer->label ? strdup(offer->label) : NULL,
      .queue = strdup(offer->queue_name),
      .token = submit->token,
      .rsrc2_dword = offer->record.rsrc2_dword,
      .state = DISPATCH_RUNNING,
   };
   dispatch->name = offer->pipeline_name && *offer->pipeline_name ? strdup(offer->pipeline_name)
                    : dispatch->program                           ? strdup(dispatch->program)
                                                                  : NULL;
   memcpy(dispatch->grid, offer->record.grid, sizeof(dispatch->grid));
   if (shader) {
      memcpy(dispatch->workgroup, shader->shader->workgroup_size, sizeof(dispatch->workgroup));
      dispatch->waves = count_waves(&offer->record, shader->shader);
   }
   return true;
}

struct dispatch *
engine_find_dispatch(struct hdb_device *device, const struct hdb_shader *shader)
{
   struct hdb_engine *engine = device->engine;
   struct dispatch *first = NULL, *begun = NULL;
   for (size_t i = 0; shader && i < engine->dispatch_count; i++) {
      struct dispatch *dispatch = &engine->dispatches[i];
      if (dispatch->device != device || dispatch->shader_id != shader->id || dispatch->state != DISPATCH_RUNNING ||
          !dispatch->armed)
         continue;
      if (!first)
         first = dispatch;
      if (dispatch->entries)
         begun = dispatch;
   }
   return begun ? begun : first;
}

struct dispatch *
engine_count_entry(struct hdb_device *device, const struct hdb_shader *shader)
{
   struct hdb_engine *engine = device->engine;
   struct dispatch *last = NULL;
   for (size_t i = 0; shader && i < engine->dispatch_count; i++) {
      struct dispatch *dispatch = &engine->dispatches[i];
      if (dispatch->device != device || dispatch->shader_id != shader->id || dispatch->state != DISPATCH_RUNNING ||
          !dispatch->attached)
         continue;
      last = dispatch;
      /* Dispatches of one shader begin in order; once all waves of one have begun, the next one's turn has come. */
      if (!dispatch->waves || dispatch->entries < dispatch->waves)
         break;
   }
   if (last)
      last->entries++;
   return last;
}

/* Tokens rise along the list. */
static size_t
find_token(const struct hdb_engine *engine, uint64_t token)
{
   size_t low = 0, high = engine->dispatch_count;
   while (low < high) {
      size_t middle = (low + high) / 2;
      if (engine->dispatches[middle].token < token)
         low = middle + 1;
      else
         high = middle;
   }
   return low;
}

/* ---- launch words ---- */

static void
release_words(struct hdb_device *device, struct armed_words *words)
{
   if (--words->references)
      return;
   hdb_machine_disarm(device->machine, &words->record);
   HASH_DEL(device->armed, words);
   free(words);
}

static const char *
describe_failure(const struct hdb_device *device, int result)
{
   const char *problem = hdb_machine_problem(device->machine);
   return problem ? problem : strerror(-result);
}

/* Words that an earlier submission has armed and still holds are shared; they can't be changed while it runs. */
static int
acquire_words(struct hdb_device *device, const struct hdb_offer *offer, uint32_t flags, uint64_t token)
{
   struct armed_words *words;
   uint32_t *key = offer->record.rsrc2_dword;
   HASH_FIND_PTR(device->armed, &key, words);
   if (words && words->token == token && (flags & ~words->flags)) {
      hdb_machine_disarm(device->machine, &words->record);
      words->flags |= flags;
      int result = hdb_machine_arm(device->machine, &words->record, words->flags);
      if (result)
         return result;
   }
   if (words) {
      words->references++;
      return 0;
   }
   if (offer->armed_elsewhere)
      return -EBUSY;
   words = malloc(sizeof(*words));
   if (!words)
      return -ENOMEM;
   *words = (struct armed_words){
      .rsrc2_dword = key, .record = offer->record, .flags = flags, .references = 1, .token = token};
   int result = hdb_machine_arm(device->machine, &words->record, flags);
   if (result) {
      free(words);
      return result;
   }
   HASH_ADD_PTR(device->armed, rsrc2_dword, words);
   return 0;
}

static void
check_filter(struct hdb_engine *engine, const struct dispatch *dispatch)
{
   const uint32_t *filter = engine->filter, *grid = dispatch->grid;
   bool known = grid[0] && grid[1] && grid[2]; /* indirect ones are not */
   if (engine->filtered && dispatch->armed && known &&
       (filter[0] >= grid[0] || filter[1] >= grid[1] || filter[2] >= grid[2]))
      engine_say(engine, "dispatch %u has no workgroup %u,%u,%u: it has %ux%ux%u, and nothing in it stops",
                 dispatch->number, filter[0], filter[1], filter[2], grid[0], grid[1], grid[2]);
}

void
engine_check_filter(struct hdb_engine *engine)
{
   for (size_t i = 0; i < engine->dispatch_count; i++) {
      if (engine->dispatches[i].state == DISPATCH_RUNNING)
         check_filter(engine, &engine->dispatches[i]);
   }
}

static void
arm_dispatch(struct hdb_engine *engine, struct dispatch *dispatch, const struct hdb_offer *offer)
{
   struct hdb_device *device = dispatch->device;
   struct engine_shader *shader = device_find_shader(device, dispatch->shader_id);
   if (!device->machine)
      return;
   if (dispatch->attached || (shader && shader->plants)) {
      int result = acquire_words(device, offer, dispatch->attached ? HDB_ARM_STOP_AT_ENTRY : 0, dispatch->token);
      dispatch->armed = result == 0;
      if (result == -EBUSY && dispatch->attached) {
         engine_say(engine,
                    "dispatch %u: its command buffer is still running; it can be attached to at its next submission",
                    dispatch->number);
      } else if (result && result != -EBUSY && !device->failure_said) {
         engine_say(engine, "dispatch %u can't be attached to: %s", dispatch->number, describe_failure(device, result));
         device->failure_said = true;
      }
      dispatch->attached &= dispatch->armed;
      check_filter(engine, dispatch);
   }
   if (!dispatch->armed && shader)
      shader->unarmed++;
}

/* ---- decisions ---- */

static void
send_offer(struct hdb_engine *engine, const struct dispatch *dispatch)
{
   json_t *arguments =
      json_pack("{s:I, s:I, s:s?, s:[I,I,I], s:[I,I,I], s:s?, s:s?}", "number", (json_int_t)dispatch->number, "of",
                (json_int_t)engine->dispatches_seen, "name", dispatch->name, "grid", (json_int_t)dispatch->grid[0],
                (json_int_t)dispatch->grid[1], (json_int_t)dispatch->grid[2], "workgroup",
                (json_int_t)dispatch->workgroup[0], (json_int_t)dispatch->workgroup[1],
                (json_int_t)dispatch->workgroup[2], "label", dispatch->label, "queue", dispatch->queue);
   engine->offer_seq = session_send_request(engine->session, "hdb/offer", arguments);
}

static void
refuse_device(struct hdb_engine *engine, struct hdb_device *device)
{
   if (!device->failure_said)
      engine_say(engine, "%s: %s; its dispatches are listed, but can't be attached to", device->name,
                 device->driver ? "only the virtual GPU can be debugged" : "hdb has no link to its driver");
   device->failure_said = true;
}

/* True when everything about the submission is decided. */
static bool
decide(struct hdb_engine *engine, struct submit_job *submit)
{
   for (; submit->next < submit->count; submit->next++) {
      if (submit->dispatches[submit->next] == SIZE_MAX || !engine->session)
         continue;
      struct dispatch *dispatch = &engine->dispatches[submit->dispatches[submit->next]];
      const struct hdb_offer *offer = &submit->offers[submit->next];
      bool wanted = engine->attach_all || engine->pause_next || engine_names_dispatch(engine, offer, dispatch);
      if (!submit->device->machine) {
         if (wanted || engine->ask)
            refuse_device(engine, submit->device);
      } else if (wanted) {
         dispatch->attached = true;
         engine->pause_next = false;
      } else if (engine->ask) {
         send_offer(engine, dispatch);
         return false;
      }
   }
   return true;
}

static void
finish_submit(struct hdb_engine *engine, struct submit_job *submit)
{
   bool any = false;
   for (size_t i = 0; i < submit->count; i++) {
      if (submit->dispatches[i] == SIZE_MAX)
         continue;
      arm_dispatch(engine, &engine->dispatches[submit->dispatches[i]], &submit->offers[i]);
      any = true;
   }
   if (!any)
      submit->token = 0;
   free(submit->dispatches);
   engine_finish_job(engine, &submit->job);
}

void
engine_continue_submits(struct hdb_engine *engine)
{
   while (engine->submits && !engine->offer_seq) {
      struct submit_job *submit = engine->submits;
      if (!decide(engine, submit))
         return;
      engine->submits = submit->next_submit;
      if (!engine->submits)
         engine->submits_end = &engine->submits;
      finish_submit(engine, submit);
   }
}

void
engine_answer_offer(struct hdb_engine *engine, const char *answer)
{
   struct submit_job *submit = engine->submits;
   engine->offer_seq = 0;
   if (!submit)
      return;
   bool all = strcmp(answer, "all") == 0;
   if (all || strcmp(answer, "yes") == 0)
      engine->dispatches[submit->dispatches[submit->next]].attached = true;
   if (all)
      engine->attach_all = true;
   if (all || strcmp(answer, "none") == 0)
      engine->ask = false;
   submit->next++;
   engine_continue_submits(engine);
}

/* ---- from the layer ---- */

static void
begin_submit(struct hdb_engine *engine, struct job *job)
{
   struct submit_job *submit = (struct submit_job *)job;
   trim_history(engine);
   submit->token = ++engine->last_token;
   submit->dispatches = calloc(submit->count, sizeof(*submit->dispatches));
   if (!submit->dispatches) {
      submit->token = 0;
      engine_finish_job(engine, job);
      return;
   }
   for (size_t i = 0; i < submit->count; i++) {
      bool counted =
         !(submit->offers[i].record.flags & HDB_DISPATCH_INTERNAL) && add_dispatch(engine, submit, &submit->offers[i]);
      submit->dispatches[i] = counted ? engine->dispatch_count - 1 : SIZE_MAX;
   }
   *engine->submits_end = submit;
   engine->submits_end = &submit->next_submit;
   engine_continue_submits(engine);
}

uint64_t
hdb_device_submit(struct hdb_device *device, struct hdb_offer *offers, size_t count)
{
   struct submit_job job = {.job.run = begin_submit, .device = device, .offers = offers, .count = count};
   if (!count || !hdb_device_wants_submissions(device) || !engine_run_job(device->engine, &job.job))
      return 0;
   return job.token;
}

struct completed_job {
   struct job job;
   struct hdb_device *device;
   uint64_t token;
   enum hdb_outcome outcome;
};

/* Semaphores and queues let dispatches begin in another order than they were submitted in. One that finishes without
 * having been seen to begin was taken for another of that shader, which has yet to begin and to stop at its entry. */
static void
correct_entries(struct hdb_engine *engine, struct dispatch *finished)
{
   if (!finished->attached || finished->entry_shown || finished->entries || !finished->waves)
      return;
   for (size_t i = 0; i < engine->dispatch_count; i++) {
      struct dispatch *other = &engine->dispatches[i];
      if (other->device == finished->device && other->shader_id == finished->shader_id &&
          other->state == DISPATCH_RUNNING && other->attached && other->entries >= finished->waves) {
         other->entries -= finished->waves;
         finished->entries = finished->waves;
         finished->entry_shown = other->entry_shown;
         other->entry_shown = false;
         return;
      }
   }
}

static void
finish_dispatch(struct hdb_engine *engine, struct dispatch *dispatch, enum hdb_outcome outcome)
{
   static const char *const ends[] = {
      [HDB_OUTCOME_FINISHED] = "finished",
      [HDB_OUTCOME_LOST] = "was lost with the device",
      [HDB_OUTCOME_NOT_SUBMITTED] = "was not submitted: the driver refused",
   };
   struct hdb_device *device = dispatch->device;
   struct engine_shader *shader = device_find_shader(device, dispatch->shader_id);
   dispatch->state = outcome == HDB_OUTCOME_FINISHED ? DISPATCH_FINISHED : DISPATCH_LOST;
   correct_entries(engine, dispatch);
   if (dispatch->armed) {
      struct armed_words *words;
      HASH_FIND_PTR(device->armed, &dispatch->rsrc2_dword, words);
      if (words)
         release_words(device, words);
   } else if (shader && shader->unarmed && --shader->unarmed == 0) {
      engine_plant_pending(shader);
   }
   if (dispatch->attached)
      engine_say(engine, "dispatch %u (%s) %s", dispatch->number, dispatch->name, ends[outcome]);
}

static void
complete(struct hdb_engine *engine, struct job *job)
{
   struct completed_job *completed = (struct completed_job *)job;
   for (size_t i = find_token(engine, completed->token);
        i < engine->dispatch_count && engine->dispatches[i].token == completed->token; i++) {
      if (engine->dispatches[i].device == completed->device && engine->dispatches[i].state == DISPATCH_RUNNING)
         finish_dispatch(engine, &engine->dispatches[i], completed->outcome);
   }
   if (completed->device->machine)
      hdb_machine_forget_ended(completed->device->machine);
   engine_finish_job(engine, job);
}

void
hdb_device_completed(struct hdb_device *device, uint64_t token, enum hdb_outcome outcome)
{
   struct completed_job job = {.job.run = complete, .device = device, .token = token, .outcome = outcome};
   if (token)
      engine_run_job(device->engine, &job.job);
}

void
engine_forget_dispatches(struct hdb_engine *engine, struct hdb_device *device)
{
   struct armed_words *words, *next;
   if (device) {
      HASH_ITER (hh, device->armed, words, next) {
         hdb_machine_disarm(device->machine, &words->record);
         HASH_DEL(device->armed, words);
         free(words);
      }
   }
   for (size_t i = 0; i < engine->dispatch_count; i++) {
      struct dispatch *dispatch = &engine->dispatches[i];
      if (!device) {
         free_dispatch(dispatch);
      } else if (dispatch->device == device) {
         dispatch->device = NULL;
         dispatch->state = DISPATCH_FINISHED;
      }
   }
   if (!device) {
      free(engine->dispatches);
      engine->dispatches = NULL;
      engine->dispatch_count = 0;
   }
}
