/* SPDX-License-Identifier: MIT */
/* What stands in each kind of section, field by field. */
#include "capture/format.h"

/* An array of a struct with a pointer and a count; the least size in the file follows. */
#define ARRAY(codec, items, count, item_bytes, item) \
   codec_array(codec, (const void **)&(items), &(count), sizeof(*(items)), item_bytes, item)

void
codec_info(struct codec *codec, struct hdb_capture_info *info)
{
   codec_field(codec, info->time);
   codec_string(codec, &info->writer);
   codec_string(codec, &info->program);
   codec_string(codec, &info->device);
}

/* ---- shaders: the contract's order (hdb_driver.h) ---- */

static void
location(struct codec *codec, void *item)
{
   struct hdb_location *it = item;
   codec_field(codec, it->spirv_offset);
   codec_field(codec, it->inlined_at);
}

static void
pc_location(struct codec *codec, void *item)
{
   struct hdb_pc_location *it = item;
   codec_field(codec, it->pc);
   codec_field(codec, it->location);
   codec_field(codec, it->location_y);
}

static void
variable(struct codec *codec, void *item)
{
   struct hdb_variable *it = item;
   codec_field(codec, it->kind);
   codec_field(codec, it->location);
   codec_field(codec, it->offset);
}

static void
value(struct codec *codec, void *item)
{
   struct hdb_value *it = item;
   codec_field(codec, it->low);
   codec_field(codec, it->high);
   codec_field(codec, it->location);
   codec_field(codec, it->merge);
   codec_field(codec, it->component);
   codec_field(codec, it->kind);
   codec_field(codec, it->bits);
   codec_field(codec, it->where);
   codec_field(codec, it->byte);
   codec_field(codec, it->lane);
   codec_field(codec, it->constant);
}

static void
specialization(struct codec *codec, void *item)
{
   struct hdb_specialization *it = item;
   codec_field(codec, it->constant_id);
   codec_field(codec, it->size);
   codec_field(codec, it->value);
}

static void
binding(struct codec *codec, void *item)
{
   struct hdb_binding *it = item;
   codec_field(codec, it->set);
   codec_field(codec, it->binding);
   codec_field(codec, it->type);
   codec_field(codec, it->flags);
   codec_field(codec, it->count);
   codec_field(codec, it->offset);
   codec_field(codec, it->stride);
}

static void
user_sgprs(struct codec *codec, struct hdb_user_sgprs *it)
{
   codec_field(codec, it->descriptor_set);
   codec_field(codec, it->indirect_descriptor_sets);
   codec_field(codec, it->push_constants);
   codec_field(codec, it->inline_push_constants);
   codec_field(codec, it->grid_size);
   codec_field(codec, it->inline_push_constant_mask);
}

void
codec_shader(struct codec *codec, struct hdb_shader *shader)
{
   codec_field(codec, shader->id);
   codec_field(codec, shader->va);
   codec_blob(codec, (const void **)&shader->code, &shader->code_size);
   codec_field(codec, shader->exec_size);
   codec_field(codec, shader->flags);
   codec_field(codec, shader->wave_size);
   codec_field(codec, shader->workgroup_size);
   codec_field(codec, shader->rsrc1);
   codec_field(codec, shader->rsrc2);
   codec_field(codec, shader->rsrc3);
   codec_field(codec, shader->sgpr_count);
   codec_field(codec, shader->vgpr_count);
   codec_field(codec, shader->lds_size);
   codec_field(codec, shader->scratch_size_per_wave);
   user_sgprs(codec, &shader->user_sgprs);
   codec_string(codec, &shader->entry_point);
   codec_blob(codec, (const void **)&shader->spirv, &shader->spirv_size);
   ARRAY(codec, shader->locations, shader->location_count, 8, location);
   ARRAY(codec, shader->pc_locations, shader->pc_location_count, 12, pc_location);
   ARRAY(codec, shader->variables, shader->variable_count, 12, variable);
   ARRAY(codec, shader->values, shader->value_count, 34, value);
   ARRAY(codec, shader->specializations, shader->specialization_count, 16, specialization);
   ARRAY(codec, shader->bindings, shader->binding_count, 28, binding);
   codec_field(codec, shader->push_constant_size);
   codec_field(codec, shader->address_high);
}

/* ---- memory ---- */

static void
object(struct codec *codec, void *item)
{
   struct hdb_capture_object *it = item;
   codec_string(codec, &it->name);
   codec_field(codec, it->va);
   codec_field(codec, it->size);
}

void
codec_objects(struct codec *codec, struct capture_objects *objects)
{
   ARRAY(codec, objects->objects, objects->count, 20, object);
   if (codec->writes || codec->position < codec->size) { /* older files end here */
      codec_field(codec, objects->prints_va);
      codec_field(codec, objects->prints_size);
   }
}

static void
range(struct codec *codec, void *item)
{
   struct hdb_capture_range *it = item;
   codec_field(codec, it->va);
   codec_field(codec, it->size);
   codec_field(codec, it->flags);
   codec_field(codec, it->mtype);
}

void
codec_map(struct codec *codec, struct capture_map *map)
{
   ARRAY(codec, map->ranges, map->count, 24, range);
}

static void
number(struct codec *codec, void *item)
{
   codec_bytes(codec, item, sizeof(uint32_t));
}

static void
run(struct codec *codec, void *item)
{
   struct capture_run *it = item;
   codec_field(codec, it->first);
   ARRAY(codec, it->pages, it->count, 4, number);
}

void
codec_state(struct codec *codec, struct capture_state *state)
{
   codec_field(codec, state->kind);
   ARRAY(codec, state->runs, state->count, 12, run);
}

/* ---- dispatches ---- */

static void
record(struct codec *codec, struct hdb_dispatch *it)
{
   codec_field(codec, it->shader_id);
   codec_field(codec, it->pipeline);
   codec_field(codec, it->ordinal);
   codec_field(codec, it->flags);
   codec_field(codec, it->grid);
   codec_field(codec, it->base);
   codec_field(codec, it->indirect_va);
   codec_field(codec, it->condition_va);
   codec_field(codec, it->descriptor_set_va);
   codec_field(codec, it->push_constant_size);
   codec_field(codec, it->push_constants);
   codec_field(codec, it->dynamic_descriptor_count);
   codec_field(codec, it->dynamic_descriptors);
}

static void
hardware_register(struct codec *codec, void *item)
{
   struct hdb_capture_register *it = item;
   codec_field(codec, it->reg);
   codec_field(codec, it->value);
}

static void
string(struct codec *codec, void *item)
{
   codec_string(codec, item);
}

void
codec_dispatch(struct codec *codec, struct hdb_capture_dispatch *dispatch)
{
   codec_field(codec, dispatch->number);
   codec_field(codec, dispatch->flags);
   codec_string(codec, &dispatch->pipeline);
   codec_string(codec, &dispatch->program);
   codec_string(codec, &dispatch->label);
   codec_string(codec, &dispatch->queue);
   record(codec, &dispatch->record);
   ARRAY(codec, dispatch->registers, dispatch->register_count, 8, hardware_register);
   codec_field(codec, dispatch->before);
   if (codec->writes || codec->position < codec->size) /* older files end here */
      ARRAY(codec, dispatch->labels, dispatch->label_count, 4, string);
   if (codec->writes || codec->position < codec->size) /* and these here */
      codec_field(codec, dispatch->record.descriptor_set_size);
}

void
codec_after(struct codec *codec, struct capture_after *after)
{
   codec_field(codec, after->state);
   ARRAY(codec, after->dispatches, after->count, 4, number);
}

void
codec_done(struct codec *codec, struct capture_done *done)
{
   codec_field(codec, done->dispatches);
   codec_field(codec, done->states);
   codec_field(codec, done->pages);
}
