/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_core.h"
#include "hdb_core.h"

#define EXPORT __attribute__((visibility("default")))
#define MAX_TOKENS 4096

struct hdb_engine {
   int unused;
};

struct hdb_device {
   int unused;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fake_notes notes;
static struct hdb_object_source source; /* of the last device */
static uint8_t completions[MAX_TOKENS];

EXPORT void
fake_core_notes(struct fake_notes *copy)
{
   pthread_mutex_lock(&lock);
   *copy = notes;
   pthread_mutex_unlock(&lock);
}

EXPORT void
fake_core_forget_offers(void)
{
   pthread_mutex_lock(&lock);
   notes.offer_count = 0;
   pthread_mutex_unlock(&lock);
}

EXPORT int
fake_core_object_at(uint64_t va, struct hdb_object *object)
{
   return source.at(source.user, va, object);
}

int
hdb_engine_create(const struct hdb_engine_options *options, struct hdb_engine **engine)
{
   static struct hdb_engine the_engine;
   notes.engines++;
   *engine = &the_engine;
   return 0;
}

const char *
hdb_engine_socket_path(struct hdb_engine *engine)
{
   return NULL;
}

bool
hdb_device_captures(const struct hdb_device *device)
{
   return false;
}

int
hdb_engine_trigger(struct hdb_engine *engine, enum hdb_trigger kind, const char *file)
{
   return 0;
}

bool
hdb_engine_wants_frames(const struct hdb_engine *engine)
{
   return true;
}

void
hdb_engine_end_frame(struct hdb_engine *engine, uint32_t frame)
{
   pthread_mutex_lock(&lock);
   notes.frames_ended++;
   notes.last_frame = frame;
   pthread_mutex_unlock(&lock);
}

int
hdb_engine_add_device(struct hdb_engine *engine, struct hdb_driver *driver, const char *name,
                      const struct hdb_object_source *objects, struct hdb_device **device)
{
   pthread_mutex_lock(&lock);
   notes.devices++;
   notes.has_driver = driver;
   source = *objects;
   pthread_mutex_unlock(&lock);
   *device = calloc(1, sizeof(**device));
   return 0;
}

void
hdb_engine_remove_device(struct hdb_device *device)
{
   pthread_mutex_lock(&lock);
   notes.devices_removed++;
   pthread_mutex_unlock(&lock);
   free(device);
}

void
hdb_device_add_shader(struct hdb_device *device, const struct hdb_shader *shader)
{
}

void
hdb_device_remove_shader(struct hdb_device *device, const struct hdb_shader *shader)
{
}

bool
hdb_device_wants_submissions(const struct hdb_device *device)
{
   return true;
}

static void
note_text(char to[FAKE_TEXT_SIZE], const char *text)
{
   snprintf(to, FAKE_TEXT_SIZE, "%s", text ? text : "");
}

static void
note_labels(char to[FAKE_TEXT_SIZE], const struct hdb_offer *offer)
{
   const char *label = offer->labels;
   size_t used = 0;
   for (uint32_t i = 0; i < offer->label_count && used < FAKE_TEXT_SIZE; i++, label += strlen(label) + 1)
      used += (size_t)snprintf(to + used, FAKE_TEXT_SIZE - used, "%s%s", i ? ">" : "", label);
}

uint64_t
hdb_device_submit(struct hdb_device *device, struct hdb_offer *offers, size_t count)
{
   pthread_mutex_lock(&lock);
   uint64_t token = ++notes.tokens;
   for (size_t i = 0; i < count; i++) {
      const struct hdb_offer *offer = &offers[i];
      size_t place = notes.offer_count++;
      if (place >= sizeof(notes.offers) / sizeof(notes.offers[0]))
         continue;
      struct fake_offer *note = &notes.offers[place];
      *note = (struct fake_offer){
         .token = token,
         .ordinal = offer->record.ordinal,
         .frame = offer->frame,
         .grid = {offer->record.grid[0], offer->record.grid[1], offer->record.grid[2]},
         .armed_elsewhere = offer->armed_elsewhere,
         .has_registers = offer->record.rsrc2_dword && offer->record.rsrc3_dword,
      };
      note_text(note->pipeline_name, offer->pipeline_name);
      note_text(note->label, offer->label);
      note_labels(note->labels, offer);
      note_text(note->queue_name, offer->queue_name);
   }
   pthread_mutex_unlock(&lock);
   return token;
}

void
hdb_device_completed(struct hdb_device *device, uint64_t token, enum hdb_outcome outcome)
{
   pthread_mutex_lock(&lock);
   notes.completed++;
   if (token < MAX_TOKENS && ++completions[token] > 1)
      notes.completed_twice++;
   pthread_mutex_unlock(&lock);
}

void
hdb_device_forget_commands(struct hdb_device *device, const void *commands)
{
}

/* ---- for callbacks: there are none ---- */

void
hdb_engine_set_listened(struct hdb_engine *engine, bool listened)
{
}

bool
hdb_device_expect_prints(struct hdb_device *device)
{
   return false;
}

void
hdb_device_deliver_prints(struct hdb_device *device)
{
}

void
hdb_engine_set_observed(struct hdb_engine *engine, bool observed)
{
}

bool
hdb_device_is_on_thread(const struct hdb_device *device)
{
   return false;
}

int
hdb_device_visit_stop(struct hdb_device *device, void *handle, hdb_stop_callback callback, void *user)
{
   return -ENOENT;
}

int
hdb_device_describe_shader(struct hdb_device *device, uint64_t shader_id, struct hdb_shader_info *info)
{
   return -ENOENT;
}

void
hdb_shader_info_finish(struct hdb_shader_info *info)
{
}

int
hdb_device_list_resources(struct hdb_device *device, const struct hdb_dispatch *record, struct hdb_resource_list *list)
{
   return -ENOENT;
}

void
hdb_resource_list_finish(struct hdb_resource_list *list)
{
}

int
hdb_device_read_memory(struct hdb_device *device, uint64_t va, void *data, size_t size)
{
   return -EFAULT;
}
