/* SPDX-License-Identifier: MIT */
/* What is written of a dispatch: the shader's code and tables, launch registers, names, and what else was running. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "capture/writer.h"
#include "engine/capture.h"
#include "target/registers.h"

/* ---- code ---- */

static void
write_shader(struct capture *capture, struct engine_shader *known)
{
   struct hdb_shader copy = *known->shader;
   if (hdb_capture_writer_has_shader(capture->writer, copy.id))
      return;
   copy.code = malloc(copy.code_size);
   if (!copy.code)
      return;
   if (!known->device->machine || hdb_machine_read_memory(known->device->machine, copy.va, copy.code, copy.code_size))
      memcpy(copy.code, known->shader->code, copy.code_size);
   hdb_capture_write_shader(capture->writer, &copy);
   free(copy.code);
}

/* Any of them may be a stage that the dispatch jumps to. */
static void
write_shaders(struct capture *capture, const struct dispatch *dispatch)
{
   struct hdb_device *device = dispatch->device;
   for (size_t i = 0; i < device->shader_count; i++) {
      const struct hdb_shader *shader = device->shaders[i]->shader;
      if (shader->id == dispatch->shader_id || (dispatch->rays && !shader->workgroup_size[0]))
         write_shader(capture, device->shaders[i]);
   }
}

/* ---- registers ---- */

struct registers {
   struct hdb_capture_register all[64];
   uint32_t count;
};

static void
add_register(struct registers *registers, uint32_t reg, uint32_t value)
{
   for (uint32_t i = 0; i < registers->count; i++) {
      if (registers->all[i].reg == reg)
         return;
   }
   registers->all[registers->count++] = (struct hdb_capture_register){reg, value};
}

/* What traces rays has the vector registers of all its stages; those are compiled behind the prolog that is launched.
 * COMPUTE_PGM_RSRC1.VGPRS 5:0, in granules of 4 in waves of 64 lanes and of 8 in waves of 32 (UMR register database).
 */
static uint32_t
find_rsrc1(const struct hdb_shader *shader, const struct hdb_wave *wave)
{
   const uint32_t field = 0x3f, granule = shader->wave_size == 32 ? 8 : 4;
   if (!wave || !wave->vgpr_count)
      return shader->rsrc1;
   uint32_t vgprs = (wave->vgpr_count - 1) / granule;
   return vgprs > (shader->rsrc1 & field) && vgprs <= field ? (shader->rsrc1 & ~field) | vgprs : shader->rsrc1;
}

/* What the launch must have been, by what the driver has recorded. `wave`: one of it, or NULL. */
static void
add_known(struct registers *registers, const struct dispatch *dispatch, const struct hdb_shader *shader,
          const struct hdb_wave *wave)
{
   uint32_t rsrc2 = shader->rsrc2, rsrc3 = shader->rsrc3;
   if (dispatch->record->rsrc2_dword && dispatch->device->machine)
      hdb_machine_launch_words(dispatch->device->machine, dispatch->record, &rsrc2, &rsrc3);
   add_register(registers, REG_COMPUTE_PGM_LO, (uint32_t)(shader->va >> 8));
   add_register(registers, REG_COMPUTE_PGM_HI, (uint32_t)(shader->va >> 40) & 0xff);
   add_register(registers, REG_COMPUTE_PGM_RSRC1, find_rsrc1(shader, wave));
   add_register(registers, REG_COMPUTE_PGM_RSRC2, rsrc2);
   add_register(registers, REG_COMPUTE_PGM_RSRC3, rsrc3);
}

/* The wave has them as they were launched with. */
static void
add_user_data(struct registers *registers, struct hdb_machine *machine, struct hdb_wave *wave, uint32_t rsrc2)
{
   for (uint32_t i = 0; i < RSRC2_USER_SGPR(rsrc2) && i < COMPUTE_USER_DATA_COUNT; i++) {
      uint32_t value;
      if (!hdb_wave_read_scalar(machine, wave, i, &value))
         add_register(registers, REG_COMPUTE_USER_DATA(i), value);
   }
}

/* The rest only the queue has; if it is still at this dispatch. */
static void
add_queue(struct registers *registers, struct hdb_machine *machine, const struct hdb_wave *wave)
{
   static const uint32_t wanted[] = {
      REG_COMPUTE_DISPATCH_INITIATOR,
      REG_COMPUTE_DIM(0),
      REG_COMPUTE_DIM(1),
      REG_COMPUTE_DIM(2),
      REG_COMPUTE_START(0),
      REG_COMPUTE_START(1),
      REG_COMPUTE_START(2),
      REG_COMPUTE_NUM_THREAD(0),
      REG_COMPUTE_NUM_THREAD(1),
      REG_COMPUTE_NUM_THREAD(2),
      REG_COMPUTE_TMPRING_SIZE,
      REG_COMPUTE_DISPATCH_SCRATCH_BASE_LO,
      REG_COMPUTE_DISPATCH_SCRATCH_BASE_HI,
      REG_TA_CS_BC_BASE_ADDR,
      REG_TA_CS_BC_BASE_ADDR_HI,
   };
   uint32_t low, high;
   if (hdb_machine_read_queue_register(machine, wave, REG_COMPUTE_PGM_LO, &low) || low != registers->all[0].value ||
       hdb_machine_read_queue_register(machine, wave, REG_COMPUTE_PGM_HI, &high) || high != registers->all[1].value)
      return;
   for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
      uint32_t value;
      if (!hdb_machine_read_queue_register(machine, wave, wanted[i], &value))
         add_register(registers, wanted[i], value);
   }
}

/* ---- names ---- */

struct names {
   struct hdb_capture_object *all;
   uint32_t count;
};

static void
add_name(void *user, const char *name, uint64_t va, uint64_t size)
{
   struct names *names = user;
   size_t count = names->count;
   struct hdb_capture_object *object = array_append(names->all, count);
   if (!object)
      return;
   *object = (struct hdb_capture_object){.name = strdup(name), .va = va, .size = size};
   names->count++;
}

static void
write_objects(struct capture *capture, const struct hdb_device *device)
{
   struct names names = {0};
   if (device->objects.each)
      device->objects.each(device->objects.user, add_name, &names);
   hdb_capture_write_objects(capture->writer, names.all, names.count, &device->driver->prints);
   for (uint32_t i = 0; i < names.count; i++)
      free((char *)names.all[i].name);
   free(names.all);
}

/* ---- one dispatch ---- */

/* Others that are on the card by now, or waves of its own that have got further than to their entry. */
static uint32_t
find_overlaps(struct hdb_engine *engine, const struct dispatch *dispatch)
{
   struct hdb_machine *machine = dispatch->device->machine;
   struct hdb_wave *const *waves;
   size_t count = hdb_machine_waves(machine, &waves);
   uint32_t flags = 0;
   int own = 0;
   for (size_t i = 0; i < count; i++) {
      bool is_own = engine_dispatch_of(engine, waves[i]) == dispatch;
      own += is_own;
      if (!is_own)
         flags |= HDB_CAPTURE_OVERLAPPED;
      else if (waves[i]->run != HDB_WAVE_STOPPED || waves[i]->cause != HDB_STOP_ENTRY)
         flags |= HDB_CAPTURE_BEGUN_BEFORE;
   }
   return hdb_machine_resident_waves(machine) > own ? flags | HDB_CAPTURE_OVERLAPPED : flags;
}

/* Points at all labels around it, outermost first. NULL: out of memory. To be freed. */
static const char **
list_labels(const struct dispatch *dispatch)
{
   const char **labels = calloc(dispatch->label_count + 1, sizeof(*labels));
   const char *label = dispatch->labels;
   for (uint32_t i = 0; labels && i < dispatch->label_count; i++, label += strlen(label) + 1)
      labels[i] = label;
   return labels;
}

/* As one text, for readers that know no list of them: "frame > blur". To be freed. */
static char *
join_labels(const char *const *labels, uint32_t count)
{
   char *text = NULL;
   size_t size;
   FILE *stream = open_memstream(&text, &size);
   for (uint32_t i = 0; stream && i < count; i++)
      fprintf(stream, "%s%s", i ? " > " : "", labels[i]);
   if (stream)
      fclose(stream);
   return text;
}

static void
write_dispatch(struct hdb_engine *engine, struct dispatch *dispatch, struct registers *registers, uint32_t state,
               uint32_t flags)
{
   const char **labels = list_labels(dispatch);
   uint32_t label_count = labels ? dispatch->label_count : 0;
   char *text = join_labels(labels, label_count);
   struct hdb_capture_dispatch copy = {
      .number = dispatch->number,
      .flags = flags,
      .pipeline =
         dispatch->name && dispatch->program && strcmp(dispatch->name, dispatch->program) ? dispatch->name : "",
      .program = dispatch->program,
      .label = text,
      .queue = dispatch->queue,
      .record = *dispatch->record,
      .register_count = registers->count,
      .registers = registers->all,
      .before = state,
      .label_count = label_count,
      .labels = labels,
   };
   if (dispatch->indirect_va)
      copy.record.flags |= HDB_DISPATCH_INDIRECT;
   dispatch->capture_position = hdb_capture_write_dispatch(engine->capture->writer, &copy);
   free(text);
   free(labels);
   engine->capture->count += !(flags & HDB_CAPTURE_DID_NOT_RUN);
}

void
capture_at_entry(struct hdb_engine *engine, struct dispatch *dispatch, struct hdb_wave *wave)
{
   struct capture *capture = engine->capture;
   struct hdb_machine *machine = dispatch->device->machine;
   struct engine_shader *shader = device_find_shader(dispatch->device, dispatch->shader_id);
   struct registers registers = {0};
   uint32_t rsrc2 = 0, state;
   if (!shader || !dispatch->record)
      return;
   add_known(&registers, dispatch, shader->shader, wave);
   rsrc2 = registers.all[3].value;
   add_user_data(&registers, machine, wave, rsrc2);
   add_queue(&registers, machine, wave);
   uint32_t flags = find_overlaps(engine, dispatch);
   int result = capture_write_state(capture, machine, false, &state);
   if (result) {
      const char *why = hdb_machine_problem(machine);
      engine_tell(engine, "dispatch %u is not captured: what memory it has can't be told: %s", dispatch->number,
                  why ? why : strerror(-result));
      return;
   }
   write_shaders(capture, dispatch);
   write_objects(capture, dispatch->device);
   write_dispatch(engine, dispatch, &registers, state, flags);
}

/* One that had no wave. */
void
capture_unrun(struct hdb_engine *engine, struct dispatch *dispatch)
{
   struct engine_shader *shader = device_find_shader(dispatch->device, dispatch->shader_id);
   struct registers registers = {0};
   if (!shader || !dispatch->record)
      return;
   add_known(&registers, dispatch, shader->shader, NULL);
   write_shaders(engine->capture, dispatch);
   write_dispatch(engine, dispatch, &registers, HDB_CAPTURE_NO_STATE, HDB_CAPTURE_DID_NOT_RUN);
}
