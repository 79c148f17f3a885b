/* SPDX-License-Identifier: MIT */
/* Where in its module a frame of the (inlined) call stack stands, by the numbers of hdb_symbols_frames. */
#include "symbols/unit.h"

/* An instruction without a location belongs to the one before it, that of the prologue to the one behind it. */
static uint32_t
location_at(const struct hdb_symbols *symbols, uint32_t pc)
{
   size_t index = symbols_find_pc(symbols, pc);
   if (index >= symbols->pc_count)
      return 0;
   for (size_t i = index + 1; i-- > 0;) {
      if (symbols->locations[symbols->pcs[i].location].spirv_offset)
         return symbols->pcs[i].location;
   }
   for (size_t i = index; i < symbols->pc_count; i++) {
      if (symbols->locations[symbols->pcs[i].location].spirv_offset)
         return symbols->pcs[i].location;
   }
   return 0;
}

/* The innermost frame of a location of the driver's; `place` NULL: outside of functions. */
static bool
enter_location(struct hdb_symbols *symbols, uint32_t location, struct unit_frame *frame,
               const struct spirv_place **place)
{
   uint32_t offset = symbols->locations[location].spirv_offset;
   *frame = (struct unit_frame){.location = location};
   frame->unit = unit_at(symbols, offset, &frame->word);
   *place = spirv_find_place(&symbols->module, offset);
   if (!frame->unit || !*place)
      return false;
   frame->scope = (*place)->scope;
   frame->file = (*place)->file;
   frame->line = (*place)->line;
   if ((*place)->inlining != SPIRV_NONE)
      frame->inlined_at = symbols->module.inlinings[(*place)->inlining].id;
   return true;
}

bool
unit_find_frame(struct hdb_symbols *symbols, uint32_t pc, uint32_t number, struct unit_frame *frame)
{
   uint32_t location = location_at(symbols, pc);
   for (uint32_t depth = 0; location && depth < UNIT_MAX_DEPTH; depth++) {
      const struct spirv_place *place;
      if (!enter_location(symbols, location, frame, &place))
         return false;
      if (number-- == 0)
         return true;
      /* Calls inlined before the driver saw the module: other scopes, at the same instruction. */
      uint32_t inlining = place->inlining;
      for (; inlining != SPIRV_NONE; inlining = symbols->module.inlinings[inlining].outer) {
         const struct spirv_inlining *call = &symbols->module.inlinings[inlining];
         frame->scope = call->scope;
         frame->file = call->file;
         frame->line = call->line;
         frame->inlined_at = call->outer == SPIRV_NONE ? 0 : symbols->module.inlinings[call->outer].id;
         if (number-- == 0)
            return true;
      }
      location = symbols->shader->locations[location].inlined_at;
      if (location >= symbols->shader->location_count)
         return false;
   }
   return false;
}

bool
unit_caller(struct hdb_symbols *symbols, const struct unit_frame *frame, struct unit_frame *caller)
{
   const struct spirv_place *place;
   uint32_t location = symbols->shader->locations[frame->location].inlined_at;
   return location && location < symbols->shader->location_count && enter_location(symbols, location, caller, &place);
}

/* Two locations are in one call if the same calls lead to them; the table may hold a call more than once. */
bool
unit_same_call(const struct hdb_symbols *symbols, uint32_t a, uint32_t b)
{
   const struct hdb_shader *shader = symbols->shader;
   for (uint32_t depth = 0; depth < UNIT_MAX_DEPTH; depth++) {
      if (a >= shader->location_count || b >= shader->location_count)
         return false;
      a = shader->locations[a].inlined_at;
      b = shader->locations[b].inlined_at;
      if (a == b)
         return true;
      if (!a || !b || a >= shader->location_count || b >= shader->location_count ||
          shader->locations[a].spirv_offset != shader->locations[b].spirv_offset)
         return false;
   }
   return false;
}
