/* SPDX-License-Identifier: MIT */
/*
 * Cards. The devices of a process that are on the same one share its address space and VMID there, whose trap handler
 * can be one only: they share the machine. The dispatch that a wave comes from says which of them it belongs to.
 */
#include "engine/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dap/listen.h"
#include "dap/session.h"

/* A virtual GPU is in this process; others are reached through the kernel's debugfs, which also a virtual one may have.
 */
static bool
is_virtual(const struct hdb_device *device)
{
   return device->driver->virtual_gpu && !device->engine->options.debugfs;
}

/* Where one that is started for this process has its socket (cli/helper.c): beside that for debuggers. NULL: nowhere.
 */
static const char *
find_later_helper(char *path, size_t size)
{
   char folder[100];
   if (listen_find_folder(folder, sizeof(folder)))
      return NULL;
   return snprintf(path, size, "%s/helper-%d.sock", folder, (int)getpid()) < (int)size ? path : NULL;
}

static int
create_target(struct hdb_device *device, struct hdb_target **target)
{
   const struct hdb_engine_options *options = &device->engine->options;
   if (is_virtual(device))
      return hdb_target_vgpu_create(device->driver->drm_fd, target);
   char later[128];
   struct hdb_amdgpu_options amdgpu = {
      .helper = options->helper ?: find_later_helper(later, sizeof(later)),
      .helper_is_to_come = !options->helper,
      .sysfs = options->sysfs,
      .second_level = options->second_level,
      .accept_short_timeout = options->accept_short_timeout,
   };
   return hdb_target_amdgpu_create(device->driver, &amdgpu, target);
}

static bool
is_card_of(const struct card *card, const struct hdb_device *device)
{
   int fd = device->driver->drm_fd;
   return is_virtual(device) ? hdb_target_vgpu_is(card->target, fd) : hdb_target_amdgpu_is(card->target, fd);
}

static int
open_card(struct hdb_device *device, struct card *card)
{
   struct hdb_engine *engine = device->engine;
   int result = create_target(device, &card->target);
   result = result ?: hdb_machine_create(device->driver, card->target, &card->machine);
   if (result) {
      hdb_target_destroy(card->target);
      return result;
   }
   hdb_machine_share_wave_ids(card->machine, &engine->last_wave_id);
   hdb_machine_use_entry_traps(card->machine, !is_virtual(device) && !engine->options.trap_on_start);
   if (engine->filtered)
      hdb_machine_set_workgroup_filter(card->machine, engine->filter);
   return 0;
}

static int
create_card(struct hdb_device *device)
{
   struct hdb_engine *engine = device->engine;
   struct card *card = calloc(1, sizeof(*card));
   if (!card)
      return -ENOMEM;
   int result = open_card(device, card);
   if (result) {
      free(card);
      return result;
   }
   card->next = engine->cards;
   engine->cards = device->card = card;
   return 0;
}

int
device_join_card(struct hdb_device *device)
{
   if (!device->driver)
      return 0;
   struct card *card = device->engine->cards;
   while (card && !is_card_of(card, device))
      card = card->next;
   device->card = card;
   int result = card ? 0 : create_card(device);
   if (result)
      return result;
   device->machine = device->card->machine;
   device->card->device_count++;
   return 0;
}

bool
card_is_armed(const struct hdb_engine *engine, const struct card *card)
{
   for (const struct hdb_device *device = engine->devices; device; device = device->next) {
      if (device->card == card && device->armed)
         return true;
   }
   return false;
}

/* ---- a further debugger ---- */

static void
close_card(struct hdb_engine *engine, struct card *card)
{
   if (engine->stopped_last == card)
      engine->stopped_last = NULL;
   engine_leave_watches(engine, card);
   hdb_machine_destroy(card->machine);
   hdb_target_destroy(card->target);
}

static struct hdb_device *
first_device(struct hdb_engine *engine, const struct card *card)
{
   struct hdb_device *device = engine->devices;
   while (device && device->card != card)
      device = device->next;
   return device;
}

/* As if nothing had been debugged there yet. */
static void
reopen_card(struct hdb_engine *engine, struct card *card)
{
   struct card fresh;
   if (open_card(first_device(engine, card), &fresh))
      return; /* it stays as it is */
   close_card(engine, card);
   card->target = fresh.target;
   card->machine = fresh.machine;
   card->lost = false;
   for (struct hdb_device *device = engine->devices; device; device = device->next) {
      if (device->card != card)
         continue;
      device->machine = card->machine;
      device->failure_said = false;
      for (size_t i = 0; i < device->shader_count; i++)
         hdb_machine_add_shader(card->machine, device->shaders[i]->shader);
   }
}

/* What is armed may be in the trap handler yet, and needs its memory. */
void
engine_reopen_cards(struct hdb_engine *engine)
{
   for (struct card *card = engine->cards; card; card = card->next) {
      if (!is_virtual(first_device(engine, card)) && !card_is_armed(engine, card))
         reopen_card(engine, card);
   }
}

void
engine_tell_lost_cards(struct hdb_engine *engine)
{
   for (struct card *card = engine->cards; card; card = card->next) {
      if (card->lost)
         engine_warn(engine, "%s: what ran when the GPU got out of reach has not ended yet; attach again when it has",
                     first_device(engine, card)->name);
   }
}

/* ---- the end of a device ---- */

static void
send_continued(struct hdb_engine *engine)
{
   if (engine->session)
      session_send_event(engine->session, "continued",
                         json_pack("{s:I, s:b}", "threadId", (json_int_t)engine->focus_wave, "allThreadsContinued", 1));
}

void
card_lose(struct hdb_engine *engine, struct card *card, int error)
{
   card->lost = true;
   const char *problem = hdb_machine_problem(card->machine);
   if (problem)
      engine_warn(engine, "%s: what was stopped runs on", problem);
   else if (error == -ENODATA)
      engine_warn(engine, "the card is powered down, its registers read as all ones: what was stopped runs on");
   else if (error == -ESTALE)
      engine_warn(engine, "the program's VMID has other page tables now: what was stopped runs on");
   else
      engine_warn(engine, "waves' registers can't be read any more (amdgpu_regs2: %s): what was stopped runs on",
                  strerror(-error));
   if (engine->stopped == card) {
      send_continued(engine);
      engine_abandon_step(engine);
      engine_forget_stop(engine);
   }
   hdb_machine_give_up(card->machine);
}

static bool
owns_wave(const struct hdb_device *device, const struct hdb_wave *wave)
{
   const struct dispatch *origin = engine_dispatch_of(device->engine, wave);
   return origin && origin->device == device;
}

static bool
is_shown(const struct hdb_device *device)
{
   const struct hdb_engine *engine = device->engine;
   if (engine->stopped != device->card)
      return false;
   const struct hdb_wave *wave = hdb_machine_find_wave(device->machine, engine->focus_wave);
   return device->card->device_count == 1 || (wave && owns_wave(device, wave));
}

static struct hdb_wave *
find_stopped(const struct hdb_device *device)
{
   struct hdb_wave *const *waves;
   size_t count = hdb_machine_waves(device->machine, &waves);
   for (size_t i = 0; i < count; i++) {
      if (waves[i]->run == HDB_WAVE_STOPPED && owns_wave(device, waves[i]))
         return waves[i];
   }
   return NULL;
}

/* A valid application destroys a device when nothing runs there any more; others are not to wait for ever. */
static void
release_waves(struct hdb_device *device)
{
   struct hdb_wave *wave;
   while ((wave = find_stopped(device)) && !hdb_machine_resume(device->machine, wave, HDB_RESUME_CONTINUE, 0, 0)) {
   }
}

static void
destroy_card(struct hdb_engine *engine, struct card *card)
{
   struct card **link = &engine->cards;
   while (*link != card)
      link = &(*link)->next;
   *link = card->next;
   close_card(engine, card);
   free(card);
}

/* What the others go on with: a driver, and the shaders that stay. */
static void
hand_over(struct card *card, const struct hdb_device *leaving)
{
   for (struct hdb_device *other = leaving->engine->devices; other; other = other->next) {
      if (other->card == card) {
         hdb_machine_set_driver(card->machine, other->driver);
         hdb_target_amdgpu_set_driver(card->target, other->driver);
      }
   }
   for (size_t i = 0; i < leaving->shader_count; i++)
      hdb_machine_remove_shader(card->machine, leaving->shaders[i]->shader);
}

void
device_leave_card(struct hdb_device *device)
{
   struct hdb_engine *engine = device->engine;
   struct card *card = device->card;
   if (!card)
      return;
   bool shown = is_shown(device);
   if (shown) {
      device_say(device, "the application destroyed %s: its waves run on", device->name);
      send_continued(engine);
   }
   if (--card->device_count == 0) {
      if (shown) {
         engine_abandon_step(engine);
         engine_forget_stop(engine);
      }
      destroy_card(engine, card);
      return;
   }
   release_waves(device);
   if (shown)
      engine_continue(engine);
   hand_over(card, device);
}
