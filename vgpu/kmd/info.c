/* SPDX-License-Identifier: MIT */
/*
 * AMDGPU_INFO: what the card says it is. A Navi31 (GC 11.0.0): 6 shader engines of 2 arrays of 4 workgroup processors,
 * which are 96 compute units; a graphics ring, without which user mode does not recognise the generation, and four
 * compute rings; no SDMA, no video.
 */
#include <drm.h>
#include <amdgpu_drm.h>
#include <errno.h>
#include <string.h>

#include "kmd/kmd.h"

#define GB_ADDR_CONFIG 0x263e /* dword address */

static int
reply(const struct drm_amdgpu_info *args, const void *data, size_t size)
{
   if (!args->return_pointer)
      return -EINVAL;
   memcpy((void *)args->return_pointer, data, args->return_size < size ? args->return_size : size);
   return 0;
}

static int
reply_u32(const struct drm_amdgpu_info *args, uint32_t value)
{
   return reply(args, &value, sizeof(value));
}

static int
reply_u64(const struct drm_amdgpu_info *args, uint64_t value)
{
   return reply(args, &value, sizeof(value));
}

static int
device(const struct drm_amdgpu_info *args)
{
   static const struct drm_amdgpu_info_device navi31 = {
      .device_id = 0x744c,
      .chip_rev = 0,
      .external_rev = 0x01,
      .pci_rev = 0, /* no such revision is sold: amdgpu.ids has no name for it */
      .family = AMDGPU_FAMILY_GC_11_0_0,
      .num_shader_engines = 6,
      .num_shader_arrays_per_engine = 2,
      .gpu_counter_freq = 100000,
      .max_engine_clock = 2371000,
      .max_memory_clock = 1249000,
      .cu_active_number = 96,
      /* Engine e, array a: [e % 4][e / 4 * 2 + a]. */
      .cu_bitmap = {{0xff, 0xff, 0xff, 0xff}, {0xff, 0xff, 0xff, 0xff}, {0xff, 0xff, 0, 0}, {0xff, 0xff, 0, 0}},
      .enabled_rb_pipes_mask = (1u << VGPU_RENDER_BACKENDS) - 1,
      .num_rb_pipes = VGPU_RENDER_BACKENDS,
      .num_hw_gfx_contexts = 8,
      .pcie_gen = 4,
      .ids_flags = AMDGPU_IDS_FLAGS_CONFORMANT_TRUNC_COORD,
      .virtual_address_offset = 0x200000,
      .virtual_address_max = 0x800000000000,
      .virtual_address_alignment = 4096,
      .pte_fragment_size = 2 << 20,
      .gart_page_size = 4096,
      .vram_type = AMDGPU_VRAM_TYPE_GDDR6,
      .vram_bit_width = 384,
      .wave_front_size = 32,
      .num_shader_visible_vgprs = 1536,
      .num_cu_per_sh = 8,
      .num_tcc_blocks = 24,
      .gs_vgt_table_depth = 32,
      .gs_prim_buffer_depth = 1792,
      .max_gs_waves_per_vgt = 32,
      .pcie_num_lanes = 16,
      .high_va_offset = 0xffff800000000000,
      .high_va_max = KMD_RESERVED_TRAP_START,
      .min_engine_clock = 500000,
      .min_memory_clock = 96000,
      .tcp_cache_size = 32,
      .num_sqc_per_wgp = 1,
      .sqc_data_cache_size = 16,
      .sqc_inst_cache_size = 32,
      .gl1c_cache_size = 256,
      .gl2c_cache_size = 6144,
      .mall_size = 96 << 20,
   };
   return reply(args, &navi31, sizeof(navi31));
}

static int
hw_ip(const struct drm_amdgpu_info *args)
{
   struct drm_amdgpu_info_hw_ip ip = {0};
   if (args->query_hw_ip.type >= AMDGPU_HW_IP_NUM)
      return -EINVAL;

   bool graphics = args->query_hw_ip.type == AMDGPU_HW_IP_GFX;
   bool compute = args->query_hw_ip.type == AMDGPU_HW_IP_COMPUTE;
   if ((graphics || compute) && args->query_hw_ip.ip_instance == 0) {
      ip.hw_ip_version_major = 11;
      ip.ib_start_alignment = 32;
      ip.ib_size_alignment = 32;
      ip.available_rings = (1 << (graphics ? KMD_GFX_RINGS : KMD_COMPUTE_RINGS)) - 1;
      ip.ip_discovery_version = 0x0b0000;
   }
   return reply(args, &ip, sizeof(ip));
}

static int
firmware(const struct drm_amdgpu_info *args)
{
   struct drm_amdgpu_info_firmware version = {.feature = 29};
   switch (args->query_fw.fw_type) {
   case AMDGPU_INFO_FW_GFX_ME:
      version.ver = 1486;
      break;
   case AMDGPU_INFO_FW_GFX_PFP:
      version.ver = 1525;
      break;
   case AMDGPU_INFO_FW_GFX_MEC:
      version.ver = 494;
      break;
   default:
      version.feature = 0; /* there is none */
   }
   return reply(args, &version, sizeof(version));
}

static struct drm_amdgpu_heap_info
heap_info(struct heap *heap)
{
   return (struct drm_amdgpu_heap_info){
      .total_heap_size = heap->size,
      .usable_heap_size = heap->size,
      .heap_usage = heap_used(heap),
      .max_allocation = heap->size / 4 * 3,
   };
}

static int
memory(struct kmd *kmd, const struct drm_amdgpu_info *args)
{
   struct drm_amdgpu_memory_info info = {
      .vram = heap_info(&kmd->gpu->vram),
      .cpu_accessible_vram = heap_info(&kmd->gpu->vram),
      .gtt = heap_info(&kmd->gpu->gtt),
   };
   return reply(args, &info, sizeof(info));
}

static int
vram_gtt(struct kmd *kmd, const struct drm_amdgpu_info *args)
{
   struct drm_amdgpu_info_vram_gtt info = {
      .vram_size = kmd->gpu->vram_size,
      .vram_cpu_accessible_size = kmd->gpu->vram_size,
      .gtt_size = kmd->gpu->gtt_size,
   };
   return reply(args, &info, sizeof(info));
}

static int
gds(struct kmd *kmd, const struct drm_amdgpu_info *args)
{
   struct drm_amdgpu_info_gds info = {
      .compute_partition_size = kmd->gds.size >> BO_ON_CHIP_SHIFT,
      .gds_total_size = kmd->gds.size >> BO_ON_CHIP_SHIFT,
      .gws_per_compute_partition = kmd->gws.size >> BO_ON_CHIP_SHIFT,
      .oa_per_compute_partition = kmd->oa.size >> BO_ON_CHIP_SHIFT,
   };
   return reply(args, &info, sizeof(info));
}

static int
read_register(const struct drm_amdgpu_info *args)
{
   if (args->read_mmr_reg.dword_offset != GB_ADDR_CONFIG || args->read_mmr_reg.count != 1)
      return -EFAULT; /* as for registers that the driver does not give out */
   return reply_u32(args, VGPU_GB_ADDR_CONFIG);
}

/* The last page fault. Its address is known to the page only; asking does not clear it. */
static int
gpuvm_fault(struct kmd *kmd, const struct drm_amdgpu_info *args)
{
   kmd_lock(kmd);
   struct drm_amdgpu_info_gpuvm_fault info = {
      .addr = kmd->last_fault_va & ~4095ull,
      .status = kmd->last_fault_status,
      .vmhub = AMDGPU_VMHUB_TYPE_GFX,
   };
   kmd_unlock(kmd);
   if (!info.status)
      info.addr = 0;
   return reply(args, &info, sizeof(info));
}

static int
sensor(const struct drm_amdgpu_info *args)
{
   switch (args->sensor_info.type) {
   case AMDGPU_INFO_SENSOR_GFX_SCLK:
   case AMDGPU_INFO_SENSOR_STABLE_PSTATE_GFX_SCLK:
   case AMDGPU_INFO_SENSOR_PEAK_PSTATE_GFX_SCLK:
      return reply_u32(args, 2371);
   case AMDGPU_INFO_SENSOR_GFX_MCLK:
   case AMDGPU_INFO_SENSOR_STABLE_PSTATE_GFX_MCLK:
   case AMDGPU_INFO_SENSOR_PEAK_PSTATE_GFX_MCLK:
      return reply_u32(args, 1249);
   default:
      return -EOPNOTSUPP; /* nothing to measure */
   }
}

int
kmd_info(struct kmd *kmd, void *data)
{
   const struct drm_amdgpu_info *args = data;

   switch (args->query) {
   case AMDGPU_INFO_ACCEL_WORKING:
      return reply_u32(args, 1);
   case AMDGPU_INFO_DEV_INFO:
      return device(args);
   case AMDGPU_INFO_HW_IP_INFO:
      return hw_ip(args);
   case AMDGPU_INFO_HW_IP_COUNT:
      return reply_u32(args, args->query_hw_ip.type <= AMDGPU_HW_IP_COMPUTE);
   case AMDGPU_INFO_FW_VERSION:
      return firmware(args);
   case AMDGPU_INFO_GDS_CONFIG:
      return gds(kmd, args);
   case AMDGPU_INFO_READ_MMR_REG:
      return read_register(args);
   case AMDGPU_INFO_MEMORY:
      return memory(kmd, args);
   case AMDGPU_INFO_VRAM_GTT:
      return vram_gtt(kmd, args);
   case AMDGPU_INFO_VRAM_USAGE:
   case AMDGPU_INFO_VIS_VRAM_USAGE:
      return reply_u64(args, heap_used(&kmd->gpu->vram));
   case AMDGPU_INFO_GTT_USAGE:
      return reply_u64(args, heap_used(&kmd->gpu->gtt));
   case AMDGPU_INFO_NUM_BYTES_MOVED:
   case AMDGPU_INFO_NUM_EVICTIONS:
   case AMDGPU_INFO_NUM_VRAM_CPU_PAGE_FAULTS:
      return reply_u64(args, 0);
   case AMDGPU_INFO_VRAM_LOST_COUNTER:
      return reply_u32(args, 0);
   case AMDGPU_INFO_TIMESTAMP:
      return reply_u64(args, vgpu_timestamp());
   case AMDGPU_INFO_GPUVM_FAULT:
      return gpuvm_fault(kmd, args);
   case AMDGPU_INFO_SENSOR:
      return sensor(args);
   case AMDGPU_INFO_VIDEO_CAPS:
   case AMDGPU_INFO_MAX_IBS: /* user mode has defaults */
      return -EINVAL;
   default:
      if (!kmd_report_once(kmd, KMD_REPORT_INFO, args->query))
         vgpu_log(kmd->gpu, "AMDGPU_INFO: query 0x%x is not supported", args->query);
      return -EINVAL;
   }
}
