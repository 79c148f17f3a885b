/* SPDX-License-Identifier: MIT */
/* Names of builtin variables: as GLSL calls them, and HLSL's semantics where there are such. */
#include "symbols/builtins.h"

#include <stddef.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

static const struct builtin builtins[] = {
   {"gl_NumWorkGroups", SpvBuiltInNumWorkgroups, 3},
   {"gl_WorkGroupSize", SpvBuiltInWorkgroupSize, 3},
   {"gl_WorkGroupID", SpvBuiltInWorkgroupId, 3},
   {"gl_LocalInvocationID", SpvBuiltInLocalInvocationId, 3},
   {"gl_GlobalInvocationID", SpvBuiltInGlobalInvocationId, 3},
   {"gl_LocalInvocationIndex", SpvBuiltInLocalInvocationIndex, 1},
   {"gl_NumSubgroups", SpvBuiltInNumSubgroups, 1},
   {"gl_SubgroupID", SpvBuiltInSubgroupId, 1},
   {"gl_SubgroupSize", SpvBuiltInSubgroupSize, 1},
   {"gl_SubgroupInvocationID", SpvBuiltInSubgroupLocalInvocationId, 1},
   {"gl_SubgroupEqMask", SpvBuiltInSubgroupEqMask, 4},
   {"gl_SubgroupGeMask", SpvBuiltInSubgroupGeMask, 4},
   {"gl_SubgroupGtMask", SpvBuiltInSubgroupGtMask, 4},
   {"gl_SubgroupLeMask", SpvBuiltInSubgroupLeMask, 4},
   {"gl_SubgroupLtMask", SpvBuiltInSubgroupLtMask, 4},
   {"SV_GroupID", SpvBuiltInWorkgroupId, 3},
   {"SV_GroupThreadID", SpvBuiltInLocalInvocationId, 3},
   {"SV_DispatchThreadID", SpvBuiltInGlobalInvocationId, 3},
   {"SV_GroupIndex", SpvBuiltInLocalInvocationIndex, 1},
};
#define BUILTIN_COUNT (sizeof(builtins) / sizeof(builtins[0]))

const struct builtin *
builtin_by_name(const char *name)
{
   for (size_t i = 0; i < BUILTIN_COUNT; i++) {
      if (strcmp(builtins[i].name, name) == 0)
         return &builtins[i];
   }
   return NULL;
}

const struct builtin *
builtin_by_number(uint32_t number)
{
   for (size_t i = 0; i < BUILTIN_COUNT; i++) {
      if (builtins[i].number == number)
         return &builtins[i];
   }
   return NULL;
}
