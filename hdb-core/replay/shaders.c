/* SPDX-License-Identifier: MIT */
/* Which shaders the engine knows follows what stands in code memory: a place may have been another one's before. */
#include <stdlib.h>
#include <string.h>

#include "replay/private.h"

static bool
is_in_state(struct replay *replay, const struct hdb_shader *shader, uint32_t state)
{
   uint8_t *code = malloc(shader->code_size);
   bool same = code && hdb_capture_read(replay->capture, state, shader->va, code, shader->code_size) == 0 &&
               memcmp(code, shader->code, shader->code_size) == 0;
   free(code);
   return same;
}

/* The same pages in both states. */
static bool
is_unmoved(const struct replay *replay, const struct hdb_shader *shader, uint32_t a, uint32_t b)
{
   const uint64_t page = HDB_CAPTURE_PAGE;
   for (uint64_t va = shader->va & ~(page - 1); va < shader->va + shader->code_size; va += page) {
      if (hdb_capture_page_of(replay->capture, a, va) != hdb_capture_page_of(replay->capture, b, va))
         return false;
   }
   return true;
}

static void
remove_shader(struct replay *replay, struct replay_shader *shader)
{
   hdb_device_remove_shader(replay->device, &shader->shader);
   shader->live = false;
}

void
replay_remove_shaders(struct replay *replay, uint32_t state)
{
   for (uint32_t i = 0; i < replay->info->shader_count; i++) {
      struct replay_shader *shader = &replay->shaders[i];
      bool known = replay->state != HDB_CAPTURE_NO_STATE && is_unmoved(replay, shader->captured, replay->state, state);
      shader->there = known ? shader->there : is_in_state(replay, shader->captured, state);
      if (shader->live && !shader->there)
         remove_shader(replay, shader);
   }
}

void
replay_remove_code(struct replay *replay, uint64_t va, uint64_t end)
{
   for (uint32_t i = 0; i < replay->info->shader_count; i++) {
      struct replay_shader *shader = &replay->shaders[i];
      if (shader->live && shader->shader.va < end && va < shader->shader.va + shader->shader.code_size)
         remove_shader(replay, shader);
   }
}

void
replay_add_shaders(struct replay *replay)
{
   for (uint32_t i = 0; i < replay->info->shader_count; i++) {
      struct replay_shader *shader = &replay->shaders[i];
      uint8_t *code = replay_map(replay, shader->captured->va, shader->captured->code_size);
      if (shader->live || !shader->there || !code)
         continue;
      shader->shader = *shader->captured;
      shader->shader.code = code;
      shader->live = true;
      hdb_device_add_shader(replay->device, &shader->shader);
   }
}

const struct hdb_shader *
replay_find_shader(const struct replay *replay, uint64_t id)
{
   for (uint32_t i = 0; i < replay->info->shader_count; i++) {
      if (replay->shaders[i].live && replay->shaders[i].captured->id == id)
         return &replay->shaders[i].shader;
   }
   return NULL;
}

const struct hdb_shader *
replay_code_in(const struct replay *replay, uint64_t va, uint64_t end)
{
   const struct hdb_shader *first = NULL;
   for (uint32_t i = 0; i < replay->info->shader_count; i++) {
      const struct hdb_shader *shader = &replay->shaders[i].shader;
      if (replay->shaders[i].live && shader->va < end && va < shader->va + shader->code_size &&
          (!first || shader->va < first->va))
         first = shader;
   }
   return first;
}
