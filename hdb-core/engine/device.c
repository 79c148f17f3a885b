/* SPDX-License-Identifier: MIT */
/* Devices and their shaders. */
#include "engine/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

/* ---- devices ---- */

struct device_job {
   struct job job;
   struct hdb_device *device;
   int result;
};

static void
add_device(struct hdb_engine *engine, struct job *job)
{
   struct device_job *add = (struct device_job *)job;
   struct hdb_device *device = add->device;
   add->result = device_join_card(device);
   if (add->result) {
      free(device->name);
      free(device);
   } else {
      device->index = engine->device_count++;
      device->next = engine->devices;
      engine->devices = device;
   }
   engine_finish_job(engine, job);
}

int
hdb_engine_add_device(struct hdb_engine *engine, struct hdb_driver *driver, const char *device_name,
                      const struct hdb_object_source *objects, struct hdb_device **out)
{
   struct hdb_device *device = calloc(1, sizeof(*device));
   struct device_job job = {.job.run = add_device, .device = device};
   if (!device || !(device->name = strdup(device_name))) {
      free(device);
      return -ENOMEM;
   }
   device->engine = engine;
   device->driver = driver;
   if (objects)
      device->objects = *objects;
   if (!engine_run_job(engine, &job.job))
      return -ECHILD;
   *out = job.result ? NULL : device;
   return job.result;
}

void
device_destroy(struct hdb_device *device)
{
   struct hdb_engine *engine = device->engine;
   for (struct hdb_device **link = &engine->devices; *link; link = &(*link)->next) {
      if (*link == device) {
         *link = device->next;
         break;
      }
   }
   device_end_prints(device);
   device_free_prints(device);
   engine_capture_forget(engine, device);
   device_disarm(device);
   device_leave_card(device);
   engine_forget_device_dispatches(engine, device);
   for (size_t i = 0; i < device->shader_count; i++) {
      engine_unbind_shader(engine, device->shaders[i]);
      hdb_symbols_destroy(device->shaders[i]->symbols);
      free(device->shaders[i]);
   }
   free(device->shaders);
   free(device->name);
   free(device);
}

static void
remove_device(struct hdb_engine *engine, struct job *job)
{
   device_destroy(((struct device_job *)job)->device);
   engine_finish_job(engine, job);
}

void
hdb_engine_remove_device(struct hdb_device *device)
{
   struct device_job job = {.job.run = remove_device, .device = device};
   if (device)
      engine_run_job(device->engine, &job.job);
}

bool
hdb_device_wants_submissions(const struct hdb_device *device)
{
   return atomic_load_explicit(&device->engine->wanted, memory_order_relaxed);
}

/* ---- shaders ---- */

struct shader_job {
   struct job job;
   struct hdb_device *device;
   const struct hdb_shader *shader;
};

static void
add_shader(struct hdb_engine *engine, struct job *job)
{
   struct shader_job *add = (struct shader_job *)job;
   struct hdb_device *device = add->device;
   struct engine_shader *shader = calloc(1, sizeof(*shader));
   struct engine_shader **slot = shader ? array_append(device->shaders, device->shader_count) : NULL;
   if (slot) {
      *shader = (struct engine_shader){.device = device, .shader = add->shader};
      *slot = shader;
      if (device->machine)
         hdb_machine_add_shader(device->machine, add->shader);
      engine_bind_shader(engine, shader);
   } else {
      free(shader);
   }
   free(add);
}

void
hdb_device_add_shader(struct hdb_device *device, const struct hdb_shader *shader)
{
   /* The driver may hold locks that the engine's thread needs for memory of its own: don't wait. */
   struct shader_job *job = malloc(sizeof(*job));
   if (!job)
      return;
   *job = (struct shader_job){.job.run = add_shader, .device = device, .shader = shader};
   engine_post_job(device->engine, &job->job);
}

static void
remove_shader(struct hdb_engine *engine, struct job *job)
{
   struct shader_job *remove = (struct shader_job *)job;
   struct hdb_device *device = remove->device;
   device_read_prints(device, false);
   for (size_t i = 0; i < device->shader_count; i++) {
      struct engine_shader *shader = device->shaders[i];
      if (shader->shader != remove->shader)
         continue;
      engine_unbind_shader(engine, shader);
      if (device->machine)
         hdb_machine_remove_shader(device->machine, shader->shader);
      hdb_symbols_destroy(shader->symbols);
      free(shader);
      array_remove(device->shaders, device->shader_count, i);
      break;
   }
   engine_finish_job(engine, job);
}

void
hdb_device_remove_shader(struct hdb_device *device, const struct hdb_shader *shader)
{
   struct shader_job job = {.job.run = remove_shader, .device = device, .shader = shader};
   engine_run_job(device->engine, &job.job);
}

struct engine_shader *
device_find_shader(struct hdb_device *device, uint64_t id)
{
   for (size_t i = 0; i < device->shader_count; i++) {
      if (device->shaders[i]->shader->id == id)
         return device->shaders[i];
   }
   return NULL;
}

struct engine_shader *
engine_find_shader(struct hdb_engine *engine, const struct hdb_shader *shader)
{
   for (struct hdb_device *device = engine->devices; shader && device; device = device->next) {
      for (size_t i = 0; i < device->shader_count; i++) {
         if (device->shaders[i]->shader == shader)
            return device->shaders[i];
      }
   }
   return NULL;
}

/* FNV-1a, folded to the 31 bits that DAP has for the reference of a source. */
uint32_t
shader_module(struct engine_shader *shader)
{
   const uint8_t *bytes = (const uint8_t *)shader->shader->spirv;
   uint64_t hash = 0xcbf29ce484222325;
   if (shader->module || !bytes)
      return shader->module;
   for (uint32_t i = 0; i < shader->shader->spirv_size; i++)
      hash = (hash ^ bytes[i]) * 0x100000001b3;
   uint32_t folded = (hash ^ hash >> 31) & INT32_MAX;
   shader->module = folded ? folded : 1;
   return shader->module;
}

struct hdb_symbols *
shader_symbols(struct engine_shader *shader)
{
   char *error;
   if (shader->symbols || shader->unreadable)
      return shader->symbols;
   if (hdb_symbols_create(shader->shader, &shader->symbols, &error)) {
      shader->unreadable = true;
      device_warn(shader->device, "shader %s: %s", shader->shader->entry_point ? shader->shader->entry_point : "?",
                  error ? error : "out of memory");
      free(error);
   }
   return shader->symbols;
}

char *
shader_program(struct engine_shader *shader)
{
   struct hdb_symbols *symbols = shader_symbols(shader);
   const char *file = symbols ? hdb_symbols_file_name(symbols, 0) : NULL;
   const char *entry = shader->shader->entry_point ? shader->shader->entry_point : "main";
   const char *slash = file ? strrchr(file, '/') : NULL;
   char *name;
   if (!file)
      return strdup(entry);
   return asprintf(&name, "%s:%s", slash ? slash + 1 : file, entry) < 0 ? NULL : name;
}
