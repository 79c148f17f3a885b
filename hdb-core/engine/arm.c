/* SPDX-License-Identifier: MIT */
/*
 * Arming: the trap bits in the launch words of dispatches while they run. Words belong to a place in a command buffer:
 * what is submitted again, or executed twice, shares them.
 */
#include "engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void
release_words(struct hdb_device *device, struct armed_words *words)
{
   if (--words->references)
      return;
   hdb_machine_disarm(device->machine, &words->record);
   HASH_DEL(device->armed, words);
   free(words);
}

static struct armed_words *
find_words(const struct dispatch *dispatch)
{
   struct armed_words *words;
   HASH_FIND_PTR(dispatch->device->armed, &dispatch->rsrc2_dword, words);
   return words;
}

bool
dispatch_stops_waves(const struct dispatch *dispatch)
{
   const struct armed_words *words = dispatch->armed ? find_words(dispatch) : NULL;
   return words && words->flags & HDB_ARM_STOP_AT_ENTRY;
}

const char *
device_describe_failure(const struct hdb_device *device, int result)
{
   const char *problem = device->machine ? hdb_machine_problem(device->machine) : NULL;
   return problem ? problem : strerror(-result);
}

static void
raise_words(struct hdb_device *device, struct armed_words *words, uint32_t flags)
{
   words->flags |= flags;
   hdb_machine_rearm(device->machine, &words->record, words->flags);
}

/* Words that an earlier submission has armed and still holds are shared, but stay as they are: its waves would be taken
 * for this one's. */
static int
acquire_words(struct hdb_device *device, const struct hdb_offer *offer, uint32_t flags, uint64_t token)
{
   struct armed_words *words;
   uint32_t *key = offer->record.rsrc2_dword;
   HASH_FIND_PTR(device->armed, &key, words);
   if (words && words->token == token && (flags & ~words->flags))
      raise_words(device, words, flags);
   if (words) {
      words->references++;
      if (flags & HDB_ARM_STOP_AT_ENTRY) /* they may have been switched off after the earlier one's last entry */
         hdb_machine_set_entry_stops(device->machine, true);
      return 0;
   }
   if (!key)
      return -ENXIO;
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

void
device_disarm(struct hdb_device *device)
{
   struct armed_words *words, *next;
   HASH_ITER (hh, device->armed, words, next) {
      hdb_machine_disarm(device->machine, &words->record);
      HASH_DEL(device->armed, words);
      free(words);
   }
}

/* Its dispatches run on as they were launched, or will be: with trap bits or without. */
static void
forget_dispatch(struct dispatch *dispatch)
{
   dispatch->armed = false;
   dispatch->rsrc2_dword = NULL;
   dispatch_begin_unarmed(dispatch);
}

struct forget_job {
   struct job job;
   struct hdb_device *device;
   const void *commands;
};

static void
forget_commands(struct hdb_engine *engine, struct job *job)
{
   struct forget_job *forget = (struct forget_job *)job;
   struct armed_words *words, *next;
   HASH_ITER (hh, forget->device->armed, words, next) {
      if (words->record.command_buffer != forget->commands)
         continue;
      hdb_machine_forget(forget->device->machine, &words->record);
      for (size_t i = 0; i < engine->dispatch_count; i++) {
         struct dispatch *dispatch = &engine->dispatches[i];
         if (dispatch->device == forget->device && dispatch->armed && dispatch->state == DISPATCH_SUBMITTED &&
             dispatch->rsrc2_dword == words->rsrc2_dword)
            forget_dispatch(dispatch);
      }
      HASH_DEL(forget->device->armed, words);
      free(words);
   }
   engine_finish_job(engine, job);
}

void
hdb_device_forget_commands(struct hdb_device *device, const void *commands)
{
   struct forget_job job = {.job.run = forget_commands, .device = device, .commands = commands};
   engine_run_job(device->engine, &job.job);
}

static uint32_t
arm_flags(const struct dispatch *dispatch, bool enters)
{
   struct engine_shader *launched = device_find_shader(dispatch->device, dispatch->shader_id);
   return (enters ? HDB_ARM_STOP_AT_ENTRY : 0) | (launched && !engine_may_plant(launched, 0) ? HDB_ARM_NO_PLANT : 0);
}

void
dispatch_arm(struct hdb_engine *engine, struct dispatch *dispatch, const struct hdb_offer *offer)
{
   struct hdb_device *device = dispatch->device;
   if (!device->machine)
      return;
   bool enters = dispatch->attached || engine_captures_at_entry(dispatch);
   bool awaited = enters || dispatch_has_plants(dispatch) || engine_watches_card(engine, device->card);
   if (awaited || engine->session) { /* somebody may yet want to stop it, when it has been submitted */
      int result = acquire_words(device, offer, arm_flags(dispatch, enters), dispatch->token);
      dispatch->armed = result == 0;
      if (enters && dispatch->armed && !dispatch_stops_waves(dispatch))
         result = -EBUSY;
      if (result == -EBUSY && dispatch->attached) {
         device_warn(device,
                     "dispatch %u: its command buffer is still running; it can be attached to at its next submission",
                     dispatch->number);
      } else if (result == -ENXIO && (dispatch->attached || (awaited && !device->preprocessed_said))) {
         device_warn(device, "dispatch %u (%s) can't be attached to: the commands that launch it were preprocessed",
                     dispatch->number, dispatch->name);
         device->preprocessed_said = true;
      } else if (result && result != -EBUSY && result != -ENXIO && awaited && !device->failure_said) {
         device_warn(device, "dispatch %u can't be attached to: %s", dispatch->number,
                     device_describe_failure(device, result));
         device->failure_said = true;
      }
      dispatch->attached &= result == 0;
      if (engine_captures_at_entry(dispatch) && !dispatch_stops_waves(dispatch))
         engine_capture_refuse(engine, dispatch,
                               result == -ENXIO   ? "the commands that launch it were preprocessed"
                               : result == -EBUSY ? "its command buffer is still running"
                                                  : device_describe_failure(device, result));
      if (dispatch->attached && engine_dispatch_is_empty(dispatch))
         device_say(device, "dispatch %u (%s) is empty: %ux%ux%u workgroups, and nothing in it stops", dispatch->number,
                    dispatch->name, dispatch->grid[0], dispatch->grid[1], dispatch->grid[2]);
      engine_check_dispatch_filter(engine, dispatch);
   }
}

void
dispatch_share_words(struct dispatch *dispatch)
{
   struct armed_words *words = dispatch->armed ? NULL : find_words(dispatch);
   if (words) {
      words->references++;
      dispatch->armed = true;
   }
   if (!dispatch->armed && dispatch->device->machine)
      dispatch_begin_unarmed(dispatch);
}

void
dispatch_disarm(struct dispatch *dispatch)
{
   struct armed_words *words = dispatch->armed ? find_words(dispatch) : NULL;
   if (words)
      release_words(dispatch->device, words);
   if (!dispatch->armed)
      dispatch_end_unarmed(dispatch);
}

bool
dispatch_stop_at_entry(struct dispatch *dispatch)
{
   struct armed_words *words = dispatch->armed ? find_words(dispatch) : NULL;
   if (words)
      raise_words(dispatch->device, words, HDB_ARM_STOP_AT_ENTRY);
   return words;
}
