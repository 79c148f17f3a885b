/* SPDX-License-Identifier: MIT */
/* What messengers are told: dispatches on the submitting thread, stops, faults and lines on the engine's. */
#include <errno.h>
#include <stdlib.h>

#include "callbacks.h"

/* ---- dispatches ---- */

struct dispatch {
   struct hdb_dispatch_info info; /* first: it is what callbacks are given */
   struct layer_device *device;
   const struct hdb_offer *offer;
   struct hdb_shader_info shader; /* once it was asked for */
   struct hdb_resource_list resources;
   bool has_shader, has_resources;
};

static struct dispatch *
dispatch_of(const struct hdb_dispatch_info *info)
{
   return (struct dispatch *)info;
}

static int
describe_shader(const struct hdb_dispatch_info *info, const struct hdb_shader_info **shader)
{
   struct dispatch *dispatch = dispatch_of(info);
   if (!info || !shader)
      return -EINVAL;
   if (!dispatch->has_shader) {
      int result =
         hdb_device_describe_shader(dispatch->device->core, dispatch->offer->record.shader_id, &dispatch->shader);
      if (result)
         return result;
      dispatch->has_shader = true;
   }
   *shader = &dispatch->shader;
   return 0;
}

static int
list_resources(const struct hdb_dispatch_info *info, const struct hdb_resource **resources, uint32_t *count)
{
   struct dispatch *dispatch = dispatch_of(info);
   if (!info || !resources || !count)
      return -EINVAL;
   if (!dispatch->has_resources) {
      int result = hdb_device_list_resources(dispatch->device->core, &dispatch->offer->record, &dispatch->resources);
      if (result)
         return result;
      dispatch->has_resources = true;
   }
   *resources = dispatch->resources.resources;
   *count = dispatch->resources.count;
   return 0;
}

static int
read_memory(const struct hdb_dispatch_info *info, uint64_t address, void *data, size_t size)
{
   if (!info || (!data && size))
      return -EINVAL;
   return hdb_device_read_memory(dispatch_of(info)->device->core, address, data, size);
}

static const struct hdb_dispatch_functions dispatch_functions = {
   .describe_shader = describe_shader,
   .list_resources = list_resources,
   .read_memory = read_memory,
};

static enum hdb_dispatch_answer
offer(struct layer_device *device, struct layer_queue *queue, const struct hdb_offer *offer)
{
   const struct hdb_dispatch *record = &offer->record;
   const char **labels = calloc(offer->label_count + 1, sizeof(*labels));
   const char *label = offer->labels;
   for (uint32_t i = 0; labels && i < offer->label_count; i++, label += strlen(label) + 1)
      labels[i] = label;
   struct dispatch dispatch = {
      .info =
         {
            .functions = &dispatch_functions,
            .device = device->handle,
            .queue = queue->handle,
            .command_buffer = record->command_buffer,
            .pipeline = record->pipeline,
            .pipeline_name = offer->pipeline_name,
            .queue_name = offer->queue_name,
            .labels = labels,
            .label_count = labels ? offer->label_count : 0,
            .indirect = record->flags & HDB_DISPATCH_INDIRECT,
            .generated = record->flags & HDB_DISPATCH_GENERATED,
            .attachable = device->driver && record->rsrc2_dword && !offer->armed_elsewhere,
            .push_constants = record->push_constants,
            .push_constant_size = record->push_constant_size,
         },
      .device = device,
      .offer = offer,
   };
   memcpy(dispatch.info.base, record->base, sizeof(dispatch.info.base));
   if (!dispatch.info.indirect && !dispatch.info.generated)
      memcpy(dispatch.info.grid, record->grid, sizeof(dispatch.info.grid));

   struct layer_call call;
   enum hdb_dispatch_answer answer = HDB_DISPATCH_PASS;
   layer_call_begin(&call, device, HDB_REPORT_DISPATCH, HDB_SEVERITY_VERBOSE);
   while (call.messenger && answer == HDB_DISPATCH_PASS) {
      answer = call.messenger->info.dispatch(&dispatch.info, call.messenger->info.user);
      layer_call_next(&call);
   }
   layer_call_end(&call);
   hdb_shader_info_finish(&dispatch.shader);
   hdb_resource_list_finish(&dispatch.resources);
   free(labels);
   return answer;
}

void
layer_callbacks_offer(struct layer_device *device, struct layer_queue *queue, struct layer_offers *offers)
{
   if (hdb_device_is_on_thread(device->core) || !layer_callbacks_exist())
      return;
   for (size_t i = 0; i < offers->count; i++) {
      if (!(offers->offers[i].record.flags & HDB_DISPATCH_INTERNAL))
         offers->offers[i].answer = offer(device, queue, &offers->offers[i]);
   }
}

/* ---- stops, faults, lines ---- */

static enum hdb_stop_answer
stopped(void *user, struct hdb_stop *stop)
{
   struct layer_device *device = user;
   struct layer_call call;
   enum hdb_stop_answer answer = HDB_STOP_PASS;
   stop->device = device->handle;
   layer_messengers_tell(device->instance, "hdb-stop", stop->text);
   layer_call_begin(&call, device, HDB_REPORT_STOP, HDB_SEVERITY_INFO);
   while (call.messenger && answer == HDB_STOP_PASS) {
      answer = call.messenger->info.stop(stop, call.messenger->info.user);
      layer_call_next(&call);
   }
   layer_call_end(&call);
   return answer;
}

static void
faulted(void *user, struct hdb_fault_info *fault)
{
   struct layer_device *device = user;
   struct layer_call call;
   fault->device = device->handle;
   layer_call_begin(&call, device, HDB_REPORT_FAULT, HDB_SEVERITY_ERROR);
   for (; call.messenger; layer_call_next(&call))
      call.messenger->info.fault(fault, call.messenger->info.user);
   layer_call_end(&call);
}

static void
said(void *user, struct hdb_message_info *message)
{
   struct layer_device *device = user;
   struct layer_call call;
   message->device = device ? device->handle : NULL;
   layer_call_begin(&call, device, HDB_REPORT_MESSAGE, message->severity);
   for (; call.messenger; layer_call_next(&call))
      call.messenger->info.message(message, call.messenger->info.user);
   layer_call_end(&call);
}

static void
printed(void *user, const char *line)
{
   layer_messengers_tell(((struct layer_device *)user)->instance, "hdb-print", line);
}

const struct hdb_observer layer_observer = {.stopped = stopped, .faulted = faulted, .said = said, .printed = printed};
