/* SPDX-License-Identifier: MIT */
/* The functions by which a callback reads and changes what has stopped: struct hdb_stop_functions of hdb/hdb.h. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dap/inspection.h"
#include "engine/callbacks.h"
#include "values/image.h"
#include "values/resources.h"
#include "vgpu.h"

static int
refuse_null(const struct hdb_stop *facts)
{
   return facts ? stop_fail(stop_of(facts), -EINVAL, "an argument is NULL") : -EINVAL;
}

/* ---- waves ---- */

static int
list_waves(const struct hdb_stop *facts, const struct hdb_wave_info **list, uint32_t *list_count)
{
   if (!facts || !list || !list_count)
      return refuse_null(facts);
   struct stop *stop = stop_of(facts);
   struct hdb_wave *const *waves;
   hdb_machine_forget_ended(stop->card->machine);
   size_t count = hdb_machine_waves(stop->card->machine, &waves);
   struct hdb_wave_info *infos = stop_keep(stop, count * sizeof(*infos));
   if (!infos)
      return stop_fail(stop, -ENOMEM, "out of memory");
   for (size_t i = 0; i < count; i++) {
      const struct hdb_wave *wave = waves[i];
      const struct dispatch *dispatch = engine_dispatch_of(stop->engine, wave);
      struct hdb_position position = {0};
      if (wave->shader)
         engine_position(stop->engine, wave->shader, wave->pc, &position);
      infos[i] = (struct hdb_wave_info){
         .wave = wave->id,
         .stopped = wave->run == HDB_WAVE_STOPPED,
         .workgroup_known = wave->workgroup_known,
         .workgroup = {wave->workgroup[0], wave->workgroup[1], wave->workgroup[2]},
         .index = wave->index,
         .wave_size = wave->wave_size,
         .active_lanes = active_lanes(wave),
         .pc = wave->pc,
         .file = stop_keep_text(stop, position.file),
         .line = position.line,
         .dispatch = stop_keep_text(stop, dispatch ? dispatch->name : NULL),
      };
   }
   *list = infos;
   *list_count = (uint32_t)count;
   return 0;
}

static int
set_focus(const struct hdb_stop *facts, uint32_t number, uint32_t lane)
{
   if (!facts)
      return -EINVAL;
   struct stop *stop = stop_of(facts);
   struct hdb_wave *wave;
   int result = stop_find_lane(stop, number, &lane, &wave);
   if (result)
      return result;
   stop->engine->focus_wave = stop->facts.wave = wave->id;
   stop->engine->focus_lane = stop->engine->chosen_lane = stop->facts.lane = lane;
   return 0;
}

/* ---- expressions and registers ---- */

static struct hdb_expr_request
make_request(struct stop *stop, const struct hdb_context *context, const char *text)
{
   return (struct hdb_expr_request){
      .context = context, .store = inspection_store(stop->engine->inspection), .text = text};
}

static int
evaluate_in(struct stop *stop, struct hdb_wave *wave, uint32_t lane, const char *text, struct hdb_value_info *value)
{
   struct hdb_context context = engine_context(stop->engine, stop->card, wave, 0, lane);
   struct hdb_expr_request request = make_request(stop, &context, text);
   struct hdb_expr_result result;
   char *error = NULL, *end;
   int failed = hdb_expr_evaluate(&request, &result, &error);
   if (failed) {
      stop_fail(stop, failed, "%s", error ? error : strerror(-failed));
      free(error);
      return failed;
   }
   bool parts = result.named || result.indexed || result.pointer;
   *value = (struct hdb_value_info){
      .text = stop_keep_text(stop, result.value),
      .type = stop_keep_text(stop, result.type),
      .in_memory = result.in_memory,
      .address = result.address,
   };
   bool is_true = strcmp(result.value, "true") == 0, is_bool = is_true || strcmp(result.value, "false") == 0;
   value->number = is_bool ? is_true : strtod(result.value, &end);
   value->is_number = !parts && (is_bool || (end != result.value && !*end));
   hdb_expr_result_finish(&result);
   return value->text && value->type ? 0 : stop_fail(stop, -ENOMEM, "out of memory");
}

static int
evaluate(const struct hdb_stop *facts, uint32_t number, uint32_t lane, const char *text, struct hdb_value_info *value)
{
   if (!facts || !text || !value)
      return refuse_null(facts);
   struct stop *stop = stop_of(facts);
   struct hdb_wave *wave;
   int result = stop_find_lane(stop, number, &lane, &wave);
   return result ? result : evaluate_in(stop, wave, lane, text, value);
}

/* `$v7[lane]` or `$s4`: registers are expressions as well, and what may be done with them is known there. */
static int
register_expression(struct stop *stop, uint32_t lane, const char *name, char text[64])
{
   name += *name == '$';
   if (!hdb_expr_is_register(name) || strlen(name) > 32)
      return stop_fail(stop, -EINVAL, "\"%s\" is no register", name);
   bool vector = name[0] == 'v' && isdigit((unsigned char)name[1]);
   if (vector)
      snprintf(text, 64, "$%s[%u]", name, lane);
   else
      snprintf(text, 64, "$%s", name);
   return 0;
}

static int
read_register(const struct hdb_stop *facts, uint32_t number, uint32_t lane, const char *name, uint64_t *value)
{
   if (!facts || !name || !value)
      return refuse_null(facts);
   struct stop *stop = stop_of(facts);
   struct hdb_wave *wave;
   char text[64], expression[80];
   struct hdb_value_info info;
   int result = stop_find_lane(stop, number, &lane, &wave);
   result = result ? result : register_expression(stop, lane, name, text);
   if (result)
      return result;
   snprintf(expression, sizeof(expression), "/x %s", text);
   result = evaluate_in(stop, wave, lane, expression, &info);
   if (!result)
      *value = strtoull(info.text, NULL, 0);
   return result;
}

static int
write_register(const struct hdb_stop *facts, uint32_t number, uint32_t lane, const char *name, uint64_t value)
{
   if (!facts || !name)
      return refuse_null(facts);
   struct stop *stop = stop_of(facts);
   struct hdb_wave *wave;
   char text[64], expression[96];
   struct hdb_value_info info;
   int result = stop_find_lane(stop, number, &lane, &wave);
   result = result ? result : register_expression(stop, lane, name, text);
   if (result)
      return result;
   snprintf(expression, sizeof(expression), "%s = 0x%" PRIx64 "%s", text, value, value > UINT32_MAX ? "ul" : "u");
   return evaluate_in(stop, wave, lane, expression, &info);
}

/* ---- memory ---- */

static int
read_memory(const struct hdb_stop *facts, uint64_t address, void *data, size_t size)
{
   if (!facts || (!data && size))
      return refuse_null(facts);
   struct stop *stop = stop_of(facts);
   struct hdb_wave *wave;
   int result = stop_find_wave(stop, 0, &wave);
   result = result ? result : hdb_wave_read_memory(stop->card->machine, wave, address, data, size);
   return result ? stop_fail(stop, result, "0x%" PRIx64 " can't be read: %s", address, strerror(-result)) : 0;
}

static int
write_memory(const struct hdb_stop *facts, uint64_t address, const void *data, size_t size)
{
   if (!facts || (!data && size))
      return refuse_null(facts);
   struct stop *stop = stop_of(facts);
   struct hdb_wave *wave;
   int result = stop_find_wave(stop, 0, &wave);
   result = result ? result : hdb_wave_write_memory(stop->card->machine, wave, address, data, size);
   return result ? stop_fail(stop, result, "0x%" PRIx64 " can't be written: %s", address, strerror(-result)) : 0;
}

/* ---- what its dispatch was given ---- */

static const struct dispatch *
find_dispatch(struct stop *stop)
{
   struct hdb_wave *wave = hdb_machine_find_wave(stop->card->machine, stop->engine->focus_wave);
   const struct dispatch *dispatch = wave ? engine_dispatch_of(stop->engine, wave) : NULL;
   if (!dispatch || !dispatch->record)
      stop_fail(stop, -ENOENT, "the wave's dispatch is not known");
   return dispatch && dispatch->record ? dispatch : NULL;
}

static int
read_push_constants(const struct hdb_stop *facts, void *data, size_t *size)
{
   if (!facts || !size || (!data && *size))
      return refuse_null(facts);
   struct stop *stop = stop_of(facts);
   const struct dispatch *dispatch = find_dispatch(stop);
   if (!dispatch)
      return -ENOENT;
   size_t room = *size;
   *size = dispatch->record->push_constant_size;
   if (room < *size)
      return stop_fail(stop, -ENOSPC, "there are %zu bytes of push constants", *size);
   if (*size)
      memcpy(data, dispatch->record->push_constants, *size);
   return 0;
}

static int
list_resources(const struct hdb_stop *facts, const struct hdb_resource **resources, uint32_t *count)
{
   if (!facts || !resources || !count)
      return refuse_null(facts);
   struct stop *stop = stop_of(facts);
   struct hdb_wave *wave;
   const struct dispatch *dispatch = find_dispatch(stop);
   int result = dispatch && dispatch->device ? stop_find_wave(stop, 0, &wave) : -ENOENT;
   if (!result && !stop->resources.count)
      result = engine_list_resources(dispatch->device, wave, dispatch->record, &stop->resources);
   *resources = stop->resources.resources;
   *count = stop->resources.count;
   return result;
}

static void
make_floats(float *values, size_t count, bool is_signed)
{
   for (size_t i = 0; i < count; i++) {
      uint32_t bits;
      memcpy(&bits, &values[i], sizeof(bits));
      values[i] = is_signed ? (float)(int32_t)bits : (float)bits;
   }
}

/* By set, binding and element; the rest of `resource` may be of an earlier stop. */
static int
read_image(const struct hdb_stop *facts, const struct hdb_resource *resource, uint32_t level, uint32_t layer,
           float *rgba, size_t size)
{
   if (!facts || !resource || (!rgba && size))
      return refuse_null(facts);
   struct stop *stop = stop_of(facts);
   struct hdb_wave *wave;
   struct hdb_resource_source source;
   struct hdb_image *image = NULL;
   uint32_t word[8], extent[3];
   char *error = NULL;
   const struct dispatch *dispatch = find_dispatch(stop);
   int result = dispatch && dispatch->device ? stop_find_wave(stop, 0, &wave) : -ENOENT;
   result = result ? result : engine_resource_source(dispatch->device, wave, dispatch->record, &source);
   result =
      result ? result : hdb_resources_read_image(&source, resource->set, resource->binding, resource->element, word);
   result = result ? result : hdb_image_open(source.machine, wave, word, &image, &error);
   if (!result && level >= hdb_image_info(image)->levels)
      result = -ERANGE;
   if (!result) {
      hdb_image_size(image, level, extent);
      if (size / 16 < (size_t)extent[0] * extent[1])
         result = stop_fail(stop, -ENOSPC, "the level has %ux%u texels of 16 bytes", extent[0], extent[1]);
   }
   if (!result) {
      const struct hdb_image_region region = {.level = level, .layer = layer, .width = extent[0], .height = extent[1]};
      result = hdb_image_read(image, &region, (uint32_t *)rgba, &error);
   }
   if (!result && hdb_image_info(image)->is_integer)
      make_floats(rgba, (size_t)extent[0] * extent[1] * 4, hdb_image_info(image)->is_signed);
   hdb_image_close(image);
   if (result && result != -ENOSPC)
      stop_fail(stop, result, "%s", error ? error : "there is no such image, or level");
   free(error);
   return result;
}

const struct hdb_stop_functions stop_functions = {
   .list_waves = list_waves,
   .read_register = read_register,
   .write_register = write_register,
   .evaluate = evaluate,
   .read_memory = read_memory,
   .write_memory = write_memory,
   .list_resources = list_resources,
   .read_push_constants = read_push_constants,
   .read_image = read_image,
   .set_focus = set_focus,
};
