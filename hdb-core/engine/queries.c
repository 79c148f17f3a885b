/* SPDX-License-Identifier: MIT */
/* What the application's dispatch callbacks ask, on threads of its own. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "values/resources.h"

struct query_job {
   struct job job;
   struct hdb_device *device;
   uint64_t shader_id, va;
   struct hdb_shader_info *info;
   const struct hdb_dispatch *record;
   struct hdb_resource_list *list;
   void *data;
   size_t size;
   int result;
};

static int
ask(struct query_job *query, void (*run)(struct hdb_engine *engine, struct job *job))
{
   query->job.run = run;
   return engine_run_job(query->device->engine, &query->job) ? query->result : -ECHILD;
}

/* ---- shaders ---- */

static void
describe_shader(struct hdb_engine *engine, struct job *job)
{
   struct query_job *query = (struct query_job *)job;
   struct engine_shader *shader = device_find_shader(query->device, query->shader_id);
   query->result = shader ? 0 : -ENOENT;
   if (shader) {
      struct hdb_symbols *symbols = shader_symbols(shader);
      const char *file = symbols ? hdb_symbols_file_name(symbols, 0) : NULL, *entry = shader->shader->entry_point;
      *query->info = (struct hdb_shader_info){
         .program = shader_program(shader),
         .file = file ? strdup(file) : NULL,
         .entry_point = entry ? strdup(entry) : NULL,
         .wave_size = shader->shader->wave_size,
         .debug_compiled = shader->shader->flags & HDB_SHADER_DEBUG_COMPILED,
      };
      memcpy(query->info->workgroup, shader->shader->workgroup_size, sizeof(query->info->workgroup));
   }
   engine_finish_job(engine, job);
}

int
hdb_device_describe_shader(struct hdb_device *device, uint64_t shader_id, struct hdb_shader_info *info)
{
   return ask(&(struct query_job){.device = device, .shader_id = shader_id, .info = info}, describe_shader);
}

void
hdb_shader_info_finish(struct hdb_shader_info *info)
{
   free((char *)info->program);
   free((char *)info->file);
   free((char *)info->entry_point);
   *info = (struct hdb_shader_info){0};
}

/* ---- resources and memory ---- */

static void
list_resources(struct hdb_engine *engine, struct job *job)
{
   struct query_job *query = (struct query_job *)job;
   query->result = engine_list_resources(query->device, NULL, query->record, query->list);
   engine_finish_job(engine, job);
}

int
engine_resource_source(struct hdb_device *device, struct hdb_wave *wave, const struct hdb_dispatch *record,
                       struct hdb_resource_source *source)
{
   struct engine_shader *shader = device_find_shader(device, record->shader_id);
   if (!shader)
      return -ENOENT;
   *source = (struct hdb_resource_source){
      .machine = device->machine,
      .wave = wave,
      .shader = shader->shader,
      .dispatch = record,
      .symbols = shader_symbols(shader),
      .objects = device->objects.at ? &device->objects : NULL,
   };
   return 0;
}

int
engine_list_resources(struct hdb_device *device, struct hdb_wave *wave, const struct hdb_dispatch *record,
                      struct hdb_resource_list *list)
{
   struct hdb_resource_source source;
   int result = engine_resource_source(device, wave, record, &source);
   return result ? result : hdb_resources_list(&source, list);
}

int
hdb_device_list_resources(struct hdb_device *device, const struct hdb_dispatch *record, struct hdb_resource_list *list)
{
   return ask(&(struct query_job){.device = device, .record = record, .list = list}, list_resources);
}

static void
read_memory(struct hdb_engine *engine, struct job *job)
{
   struct query_job *query = (struct query_job *)job;
   query->result = query->device->machine
                      ? hdb_machine_read_memory(query->device->machine, query->va, query->data, query->size)
                      : -ENOTSUP;
   engine_finish_job(engine, job);
}

int
hdb_device_read_memory(struct hdb_device *device, uint64_t va, void *data, size_t size)
{
   return ask(&(struct query_job){.device = device, .va = va, .data = data, .size = size}, read_memory);
}

static void
count_edits(struct hdb_engine *engine, struct job *job)
{
   struct query_job *query = (struct query_job *)job;
   *(uint64_t *)query->data = query->device->machine ? hdb_machine_count_edits(query->device->machine) : 0;
   engine_finish_job(engine, job);
}

uint64_t
hdb_device_count_edits(struct hdb_device *device)
{
   uint64_t count = 0;
   ask(&(struct query_job){.device = device, .data = &count}, count_edits);
   return count;
}
