/* SPDX-License-Identifier: MIT */
#include "engine/engine.h"

struct hdb_context
engine_context(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave, uint32_t frame, uint32_t lane)
{
   struct engine_shader *shader = wave->shader ? engine_find_shader(engine, wave->shader) : NULL;
   const struct dispatch *dispatch = engine_dispatch_of(engine, wave);
   return (struct hdb_context){
      .machine = card->machine,
      .wave = wave,
      .symbols = shader ? shader_symbols(shader) : NULL,
      .frame = frame,
      .lane = lane,
      .dispatch = dispatch ? dispatch->record : NULL,
      .objects = shader && shader->device->objects.at ? &shader->device->objects : NULL,
   };
}
