/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>

#include "addrlib/addrlib.h"

#include "addrlib/inc/addrinterface.h"
#include "addrlib/src/amdgpu_asic_addr.h"

#define ENGINE_ARCTICISLAND 0xd /* of all from gfx9 on: CIASICIDGFXENGINE_ARCTICISLAND, which no header defines */
#define NAVI31_EXTERNAL_REVISION 1

static void *ADDR_API
allocate(const ADDR_ALLOCSYSMEM_INPUT *input)
{
   return malloc(input->sizeInBytes);
}

static ADDR_E_RETURNCODE ADDR_API
release(const ADDR_FREESYSMEM_INPUT *input)
{
   free(input->pVirtAddr);
   return ADDR_OK;
}

static void *
create(uint32_t gb_addr_config)
{
   ADDR_CREATE_INPUT input = {
      .size = sizeof input,
      .chipEngine = ENGINE_ARCTICISLAND,
      .chipFamily = FAMILY_NV3,
      .chipRevision = NAVI31_EXTERNAL_REVISION,
      .callbacks = {.allocSysMem = allocate, .freeSysMem = release},
      .regValue = {.gbAddrConfig = gb_addr_config},
   };
   ADDR_CREATE_OUTPUT output = {.size = sizeof output};
   return AddrCreate(&input, &output) == ADDR_OK ? output.hLib : NULL;
}

static void
destroy(void *handle)
{
   AddrDestroy(handle);
}

static unsigned
log2_of(uint32_t value)
{
   return (unsigned)__builtin_ctz(value);
}

static AddrResourceType
resource_type(const struct surface *surface)
{
   return surface->dimension == 3 ? ADDR_RSRC_TEX_3D : surface->dimension == 1 ? ADDR_RSRC_TEX_1D : ADDR_RSRC_TEX_2D;
}

static int
layout(void *handle, const struct surface *surface, struct image_layout *layout)
{
   ADDR2_COMPUTE_SURFACE_INFO_INPUT input = {
      .size = sizeof input,
      .swizzleMode = (AddrSwizzleMode)surface->swizzle_mode,
      .resourceType = resource_type(surface),
      .bpp = surface->bytes * 8,
      .width = surface->width,
      .height = surface->height,
      .numSlices = surface->slices,
      .numMipLevels = surface->levels,
      .numSamples = surface->samples,
      .numFrags = surface->samples,
   };
   ADDR2_MIP_INFO level[LAYOUT_MAX_LEVELS] = {0};
   ADDR2_COMPUTE_SURFACE_INFO_OUTPUT output = {.size = sizeof output, .pMipInfo = level};
   if (Addr2ComputeSurfaceInfo(handle, &input, &output) != ADDR_OK)
      return -EINVAL;

   layout->block_width_log2 = (uint8_t)log2_of(output.blockWidth);
   layout->block_height_log2 = (uint8_t)log2_of(output.blockHeight);
   layout->block_depth_log2 = (uint8_t)log2_of(output.blockSlices);
   layout->block_log2 =
      (uint8_t)log2_of(output.blockWidth * output.blockHeight * output.blockSlices * surface->bytes * surface->samples);
   layout->slice_size = output.sliceSize * output.blockSlices;
   for (unsigned i = 0; i < surface->levels; i++) {
      bool in_tail = level[i].mipTailOffset != 0;
      layout->level[i] = (struct layout_level){
         .offset = level[i].macroBlockOffset,
         .pitch = level[i].pitch >> layout->block_width_log2,
         .tail_x = in_tail ? level[i].mipTailCoordX : 0,
         .tail_y = in_tail ? level[i].mipTailCoordY : 0,
      };
   }
   return 0;
}

static int
address(void *handle, const struct surface *surface, unsigned level, uint32_t x, uint32_t y, uint32_t z,
        unsigned sample, uint64_t *address)
{
   ADDR2_COMPUTE_SURFACE_ADDRFROMCOORD_INPUT input = {
      .size = sizeof input,
      .x = x,
      .y = y,
      .slice = z,
      .sample = sample,
      .mipId = level,
      .swizzleMode = (AddrSwizzleMode)surface->swizzle_mode,
      .resourceType = resource_type(surface),
      .bpp = surface->bytes * 8,
      .unalignedWidth = surface->width,
      .unalignedHeight = surface->height,
      .numSlices = surface->slices,
      .numMipLevels = surface->levels,
      .numSamples = surface->samples,
      .numFrags = surface->samples,
   };
   ADDR2_COMPUTE_SURFACE_ADDRFROMCOORD_OUTPUT output = {.size = sizeof output};
   if (Addr2ComputeSurfaceAddrFromCoord(handle, &input, &output) != ADDR_OK)
      return -EINVAL;
   *address = output.addr;
   return 0;
}

__attribute__((visibility("default"))) const struct addrlib_functions hdb_addrlib = {create, destroy, layout, address};
