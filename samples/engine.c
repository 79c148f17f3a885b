/* SPDX-License-Identifier: MIT */
/*
 * An engine that debugs itself: of a hundred dispatches it attaches to the one whose pipeline is called "boost", looks
 * at a buffer, a register and a variable of lane 5 there, changes that variable, and lets it run on. Without
 * VK_LAYER_hdb, or on a driver that hdb can't stop, nothing of that happens, and the sample's result says so.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common.h"
#include "engine.comp.h"
#include "hdb/hdb.h"

#define WORKGROUP 64
#define DISPATCHES 100
#define BOOSTED 41    /* which of them */
#define STORE_LINE 12 /* of engine.comp, where `sum` has its value */
#define LANE 5
#define MAGIC 1000000 /* what the sum is changed to */

struct debugging {
   uint32_t offers, stops, steps; /* how often the callbacks were called */
   bool attached, changed;
   bool nameless; /* a dispatch came whose pipeline has no name */
   bool wrong;    /* something was not as it should be; said */
   uint64_t first_register;
   char name[64];
};

static uint32_t
amount_of(uint32_t dispatch)
{
   return dispatch + 1;
}

/* ---- callbacks ---- */

static void
complain(struct debugging *debugging, const char *what, const char *why)
{
   fprintf(stderr, "engine: %s: %s\n", what, why ? why : "not as expected");
   debugging->wrong = true;
}

/* On the thread that submits: is this one of interest? */
static enum hdb_dispatch_answer
offered(const struct hdb_dispatch_info *dispatch, void *user)
{
   struct debugging *debugging = user;
   debugging->offers++;
   debugging->nameless |= !dispatch->pipeline_name;
   if (!dispatch->pipeline_name || strcmp(dispatch->pipeline_name, "boost") != 0 || !dispatch->attachable)
      return HDB_DISPATCH_SKIP;
   debugging->attached = true;
   return HDB_DISPATCH_ATTACH;
}

/* The buffer in binding 0, element LANE, as the GPU has it: all the dispatches before have added to it. */
static void
check_buffer(const struct hdb_stop *stop, struct debugging *debugging)
{
   const struct hdb_resource *resources;
   uint32_t count, value, wanted = LANE;
   for (uint32_t i = 0; i < BOOSTED; i++)
      wanted += amount_of(i);
   if (stop->functions->list_resources(stop, &resources, &count) || count != 1 ||
       resources[0].kind != HDB_RESOURCE_BUFFER || !resources[0].name || strcmp(resources[0].name, "Values") != 0)
      complain(debugging, "the buffer", stop->error);
   else if (stop->functions->read_memory(stop, resources[0].address + LANE * sizeof(value), &value, sizeof(value)))
      complain(debugging, "its memory", stop->error);
   else if (value != wanted)
      complain(debugging, "its value", NULL);
}

/* At the entry, v0 holds the invocation's number in its workgroup. */
static void
read_register(const struct hdb_stop *stop, struct debugging *debugging)
{
   if (stop->functions->read_register(stop, 0, LANE, "v0", &debugging->first_register))
      complain(debugging, "v0", stop->error);
   else if ((debugging->first_register & 0x3ff) != LANE)
      complain(debugging, "v0", NULL);
}

/* At the store: `sum` is what the shader has computed; from here on it is what we say. */
static void
change_variable(const struct hdb_stop *stop, struct debugging *debugging)
{
   struct hdb_value_info before, after;
   char assignment[32];
   snprintf(assignment, sizeof(assignment), "sum = %u", MAGIC);
   if (stop->functions->evaluate(stop, 0, LANE, "sum - values[i]", &before) ||
       stop->functions->evaluate(stop, 0, LANE, assignment, &after))
      complain(debugging, "sum", stop->error);
   else if (before.number != amount_of(BOOSTED) || after.number != MAGIC)
      complain(debugging, "sum", before.text);
   else
      debugging->changed = true;
}

/* On hdb's own thread, while the GPU's waves stand still. */
static enum hdb_stop_answer
stopped(const struct hdb_stop *stop, void *user)
{
   struct debugging *debugging = user;
   debugging->stops++;
   if (stop->reason == HDB_STOP_REASON_ENTRY) {
      snprintf(debugging->name, sizeof(debugging->name), "%s", stop->dispatch);
      check_buffer(stop, debugging);
      read_register(stop, debugging);
   }
   if (stop->file && stop->line == STORE_LINE) {
      change_variable(stop, debugging);
      return HDB_STOP_RESUME;
   }
   if (stop->line > STORE_LINE || debugging->steps > 10) {
      complain(debugging, "the store was not reached", stop->text);
      return HDB_STOP_RESUME;
   }
   debugging->steps++;
   return HDB_STOP_STEP_OVER;
}

static void
faulted(const struct hdb_fault_info *fault, void *user)
{
   complain(user, "fault", fault->text);
}

static void
said(const struct hdb_message_info *message, void *user)
{
   if (message->severity >= HDB_SEVERITY_WARNING)
      complain(user, "hdb", message->text);
}

static struct hdb_messenger *
create_messenger(const struct sample *sample, struct debugging *debugging)
{
   PFN_hdb_messenger_create create =
      (PFN_hdb_messenger_create)(void *)vkGetInstanceProcAddr(sample->instance, "hdb_messenger_create");
   struct hdb_messenger *messenger = NULL;
   const struct hdb_messenger_create_info info = {
      .sType = HDB_STRUCTURE_TYPE_MESSENGER_CREATE_INFO,
      .version = HDB_CALLBACKS_VERSION,
      .severities = HDB_SEVERITY_ALL,
      .reports = HDB_REPORT_ALL,
      .dispatch = offered,
      .stop = stopped,
      .fault = faulted,
      .message = said,
      .user = debugging,
   };
   if (create && create(sample->device, &info, &messenger))
      sample_fail(sample, "%s failed", "hdb_messenger_create");
   return messenger;
}

static void
destroy_messenger(const struct sample *sample, struct hdb_messenger *messenger)
{
   PFN_hdb_messenger_destroy destroy =
      (PFN_hdb_messenger_destroy)(void *)vkGetInstanceProcAddr(sample->instance, "hdb_messenger_destroy");
   if (destroy)
      destroy(sample->device, messenger);
}

/* ---- what it debugs ---- */

static void
init_kernel(struct sample_kernel *kernel, const struct sample *sample, const char *name)
{
   sample_kernel_init(kernel, sample,
                      &(struct sample_kernel_info){
                         .name = name,
                         .spirv = engine_spirv,
                         .spirv_size = sizeof(engine_spirv),
                         .buffer_count = 1,
                         .push_constant_size = sizeof(uint32_t),
                         .max_sets = 1,
                      });
}

static void
run(const struct sample *sample, const struct sample_buffer *buffer)
{
   struct sample_kernel move, boost;
   init_kernel(&move, sample, "move");
   init_kernel(&boost, sample, "boost");
   const struct sample_buffer *const buffers[] = {buffer};
   VkDescriptorSet move_set = sample_kernel_set(&move, sample, buffers);
   VkDescriptorSet boost_set = sample_kernel_set(&boost, sample, buffers);

   VkCommandBuffer commands = sample_begin(sample);
   for (uint32_t i = 0; i < DISPATCHES; i++) {
      uint32_t amount = amount_of(i);
      bool boosted = i == BOOSTED && sample->set_object_name;
      sample_dispatch(sample, commands, boosted ? &boost : &move, boosted ? boost_set : move_set, &amount,
                      sample->n / WORKGROUP, "frame");
      sample_barrier(commands);
   }
   sample_submit(sample, commands);
   sample_kernel_finish(&boost, sample);
   sample_kernel_finish(&move, sample);
}

int
main(int argc, char **argv)
{
   struct sample sample;
   struct debugging debugging = {0};
   sample_init(&sample, "engine", 4 * WORKGROUP, argc, argv);
   sample.n = (sample.n + WORKGROUP - 1) / WORKGROUP * WORKGROUP;
   struct hdb_messenger *messenger = create_messenger(&sample, &debugging);

   struct sample_buffer buffer;
   sample_buffer_init(&buffer, &sample, sample.n * sizeof(uint32_t));
   uint32_t *values = buffer.map;
   for (uint32_t i = 0; i < sample.n; i++)
      values[i] = i;
   run(&sample, &buffer);
   destroy_messenger(&sample, messenger);

   uint32_t added = 0, added_later = 0, right = 0;
   for (uint32_t i = 0; i < DISPATCHES; i++) {
      added += amount_of(i);
      added_later += i > BOOSTED ? amount_of(i) : 0;
   }
   for (uint32_t i = 0; i < sample.n; i++)
      right += values[i] == (i == LANE && debugging.changed ? MAGIC + added_later : i + added);
   if (debugging.attached)
      printf("engine: %s: v0 of lane %u is %" PRIu64 ", sum %s, %" PRIu32 " of %" PRIu32 " dispatches attached to\n",
             debugging.name, LANE, debugging.first_register, debugging.changed ? "changed" : "unchanged", 1u,
             debugging.offers);
   else if (debugging.nameless)
      printf(
         "engine: not debugged: its pipelines have no names; docs/callbacks.md says in which order layers must be\n");
   else
      printf("engine: not debugged\n");
   if (debugging.wrong || debugging.attached != debugging.changed)
      right = 0;

   sample_buffer_finish(&buffer, &sample);
   sample_finish(&sample);
   return sample_report(&sample, right, sample.n);
}
