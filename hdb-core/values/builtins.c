/* SPDX-License-Identifier: MIT */
/* Builtin variables of compute shaders, from what is known of the wave and its dispatch. The hardware numbers a
 * workgroup's invocations with x fastest, and packs them into waves in that order. */
#include <errno.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "values/private.h"

/* Of the lane, in the workgroup. */
static uint32_t
invocation_index(const struct hdb_context *context)
{
   return context->wave->index * context->wave->wave_size + context->lane;
}

static void
invocation_id(const struct hdb_context *context, uint32_t id[3])
{
   const uint32_t *size = context->wave->shader->workgroup_size;
   uint32_t index = invocation_index(context);
   id[0] = index % size[0];
   id[1] = index / size[0] % size[1];
   id[2] = index / size[0] / size[1];
}

/* gl_SubgroupEqMask and its kin: four dwords. */
static void
lane_mask(const struct hdb_context *context, uint32_t builtin, uint32_t mask[4])
{
   uint64_t bit = 1ull << context->lane, below = bit - 1, value = bit;
   uint64_t all = context->wave->wave_size == 64 ? ~0ull : (1ull << context->wave->wave_size) - 1;
   if (builtin == SpvBuiltInSubgroupGeMask)
      value = ~below;
   else if (builtin == SpvBuiltInSubgroupGtMask)
      value = ~below & ~bit;
   else if (builtin == SpvBuiltInSubgroupLeMask)
      value = below | bit;
   else if (builtin == SpvBuiltInSubgroupLtMask)
      value = below;
   value &= all;
   mask[0] = (uint32_t)value;
   mask[1] = value >> 32;
   mask[2] = mask[3] = 0;
}

/* Up to four dwords; 0: derived from other things than these. */
static uint32_t
derive(const struct hdb_context *context, uint32_t builtin, uint32_t value[4])
{
   const struct hdb_wave *wave = context->wave;
   const uint32_t *size = wave->shader->workgroup_size;
   uint32_t invocations = size[0] * size[1] * size[2], id[3];
   invocation_id(context, id);
   switch (builtin) {
   case SpvBuiltInWorkgroupId:
      memcpy(value, wave->workgroup, sizeof(wave->workgroup));
      return 3;
   case SpvBuiltInWorkgroupSize:
      memcpy(value, size, 3 * sizeof(*size));
      return 3;
   case SpvBuiltInLocalInvocationId:
      memcpy(value, id, sizeof(id));
      return 3;
   case SpvBuiltInGlobalInvocationId:
      for (int i = 0; i < 3; i++)
         value[i] = wave->workgroup[i] * size[i] + id[i];
      return 3;
   case SpvBuiltInLocalInvocationIndex:
      value[0] = invocation_index(context);
      return 1;
   case SpvBuiltInSubgroupId:
      value[0] = wave->index;
      return 1;
   case SpvBuiltInNumSubgroups:
      value[0] = (invocations + wave->wave_size - 1) / wave->wave_size;
      return 1;
   case SpvBuiltInSubgroupSize:
      value[0] = wave->wave_size;
      return 1;
   case SpvBuiltInSubgroupLocalInvocationId:
      value[0] = context->lane;
      return 1;
   case SpvBuiltInSubgroupEqMask:
   case SpvBuiltInSubgroupGeMask:
   case SpvBuiltInSubgroupGtMask:
   case SpvBuiltInSubgroupLeMask:
   case SpvBuiltInSubgroupLtMask:
      lane_mask(context, builtin, value);
      return 4;
   case SpvBuiltInDeviceIndex:
      value[0] = 0;
      return 1;
   default:
      return 0;
   }
}

static bool
needs_workgroup(uint32_t builtin)
{
   switch (builtin) {
   case SpvBuiltInWorkgroupSize:
   case SpvBuiltInNumSubgroups:
   case SpvBuiltInSubgroupSize:
   case SpvBuiltInSubgroupLocalInvocationId:
   case SpvBuiltInDeviceIndex:
      return false;
   default:
      return true;
   }
}

static bool
depends_on_order(uint32_t builtin)
{
   return builtin == SpvBuiltInLocalInvocationId || builtin == SpvBuiltInGlobalInvocationId ||
          builtin == SpvBuiltInLocalInvocationIndex;
}

int
builtin_derive(const struct hdb_context *context, uint32_t builtin, uint32_t value[4], uint32_t *count, char **error)
{
   const struct hdb_wave *wave = context->wave;
   const struct hdb_dispatch *dispatch = context->dispatch;
   const uint32_t *size = wave->shader->workgroup_size;
   *count = 0;
   if (builtin == SpvBuiltInNumWorkgroups) {
      if (!dispatch || dispatch->flags & (HDB_DISPATCH_INDIRECT | HDB_DISPATCH_GENERATED))
         return place_fail(error, -ENOENT, "the size of the dispatch is not known");
      memcpy(value, dispatch->grid, sizeof(dispatch->grid));
      *count = 3;
   } else if (!size[0] || !size[1] || !size[2]) {
      return place_fail(error, -ENOENT, "not known in a stage of ray tracing");
   } else if (needs_workgroup(builtin) && !wave->workgroup_known) {
      return place_fail(error, -ENOENT, "the wave's workgroup is not known");
   } else if (depends_on_order(builtin) && context->symbols && hdb_symbols_shuffles_invocations(context->symbols)) {
      return place_fail(error, -ENOENT, "invocations are in quads here, their order is the driver's");
   } else {
      *count = derive(context, builtin, value);
   }
   return *count ? 0 : place_fail(error, -ENOENT, "no builtin that hdb can derive");
}

int
builtin_find(const struct hdb_context *context, const struct hdb_symbol *symbol, struct hdb_place *place, char **error)
{
   uint32_t value[4], count;
   int result = builtin_derive(context, symbol->builtin, value, &count, error);
   if (result)
      return result;
   uint64_t bytes = symbol->type->size < count * 4 ? symbol->type->size : count * 4;
   return place_from_bytes(place, value, bytes) ? place_fail(error, -ENOMEM, "out of memory") : 0;
}
