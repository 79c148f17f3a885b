/* SPDX-License-Identifier: MIT */
/*
 * vgpu --info: what the virtual card says it is, asked through its kernel interface as a driver asks, and what it
 * leaves out. Limits of waves, which drivers know rather than ask for, are those that the card launches by.
 */
#include <drm.h>
#include <amdgpu_drm.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "isa/table.h"
#include "sq/sq.h"
#include "vgpu.h"

static const char help[] =
   "NAME\n"
   "    vgpu - what the virtual GPU is\n"
   "\n"
   "SYNOPSIS\n"
   "    vgpu --info\n"
   "\n"
   "DESCRIPTION\n"
   "    --info                 print what the card reports through its kernel interface, the\n"
   "                           limits of its waves, and what it leaves out and why\n"
   "    --help                 this text\n"
   "\n"
   "    HDB_VGPU_STATS=1 makes any program that uses the card end with what the card did.\n"
   "    vgpu-run runs machine code on it.\n"
   "\n"
   "EXIT STATUS\n"
   "    0; 1 the card could not be created or does not answer, or standard output could not be\n"
   "    written; 2 wrong usage.\n";

/* ---- the kernel interface ---- */

static int
ask(struct vgpu *gpu, struct drm_amdgpu_info query, void *answer, uint32_t size)
{
   query.return_pointer = (uintptr_t)answer;
   query.return_size = size;
   return vgpu_ioctl(gpu, vgpu_fd(gpu), DRM_IOWR(DRM_COMMAND_BASE + DRM_AMDGPU_INFO, struct drm_amdgpu_info), &query);
}

#define FIELD "  %-16s "
#define MORE "                   "

static void
print_driver(struct vgpu *gpu)
{
   char name[64] = "", description[64] = "";
   struct drm_version version = {
      .name = name,
      .name_len = sizeof(name) - 1,
      .desc = description,
      .desc_len = sizeof(description) - 1,
   };
   if (vgpu_ioctl(gpu, vgpu_fd(gpu), DRM_IOCTL_VERSION, &version))
      return;
   printf("%s\n\nKernel interface\n" FIELD "%s %d.%d.%d\n", description, "driver", name, version.version_major,
          version.version_minor, version.version_patchlevel);

   static const struct {
      const char *name;
      uint64_t capability;
   } capabilities[] = {
      {"syncobj", DRM_CAP_SYNCOBJ},
      {"timeline syncobj", DRM_CAP_SYNCOBJ_TIMELINE},
      {"prime", DRM_CAP_PRIME},
      {"dumb buffers", DRM_CAP_DUMB_BUFFER},
   };
   printf(FIELD, "capabilities");
   for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++) {
      struct drm_get_cap cap = {.capability = capabilities[i].capability};
      bool has = !vgpu_ioctl(gpu, vgpu_fd(gpu), DRM_IOCTL_GET_CAP, &cap) && cap.value;
      printf("%s%s %s", i ? ", " : "", capabilities[i].name, has ? "yes" : "no");
   }
   printf("\n");
}

static void
print_rings(struct vgpu *gpu)
{
   static const char *const names[AMDGPU_HW_IP_NUM] = {
      [AMDGPU_HW_IP_GFX] = "graphics",  [AMDGPU_HW_IP_COMPUTE] = "compute",
      [AMDGPU_HW_IP_DMA] = "SDMA",      [AMDGPU_HW_IP_UVD] = "UVD",
      [AMDGPU_HW_IP_VCE] = "VCE",       [AMDGPU_HW_IP_UVD_ENC] = "UVD encode",
      [AMDGPU_HW_IP_VCN_DEC] = "VCN",   [AMDGPU_HW_IP_VCN_ENC] = "VCN encode",
      [AMDGPU_HW_IP_VCN_JPEG] = "JPEG", [AMDGPU_HW_IP_VPE] = "VPE",
   };
   const char *comma = "";
   printf(FIELD, "rings");
   for (uint32_t type = 0; type < AMDGPU_HW_IP_NUM; type++) {
      struct drm_amdgpu_info_hw_ip ip = {0};
      struct drm_amdgpu_info query = {.query = AMDGPU_INFO_HW_IP_INFO, .query_hw_ip.type = type};
      if (ask(gpu, query, &ip, sizeof(ip)) || !ip.available_rings)
         continue;
      printf("%s%d %s (version %u.%u)", comma, __builtin_popcount(ip.available_rings), names[type],
             ip.hw_ip_version_major, ip.hw_ip_version_minor);
      comma = ", ";
   }
   printf("\n" FIELD, "no rings");
   comma = "";
   for (uint32_t type = 0; type < AMDGPU_HW_IP_NUM; type++) {
      uint32_t count = 0;
      struct drm_amdgpu_info query = {.query = AMDGPU_INFO_HW_IP_COUNT, .query_hw_ip.type = type};
      if (!ask(gpu, query, &count, sizeof(count)) && count)
         continue;
      printf("%s%s", comma, names[type]);
      comma = ", ";
   }
   printf("\n");
}

static void
print_firmware(struct vgpu *gpu)
{
   static const struct {
      const char *name;
      uint32_t type;
   } blocks[] = {
      {"ME", AMDGPU_INFO_FW_GFX_ME},   {"PFP", AMDGPU_INFO_FW_GFX_PFP}, {"CE", AMDGPU_INFO_FW_GFX_CE},
      {"MEC", AMDGPU_INFO_FW_GFX_MEC}, {"RLC", AMDGPU_INFO_FW_GFX_RLC}, {"SMC", AMDGPU_INFO_FW_SMC},
      {"SDMA", AMDGPU_INFO_FW_SDMA},   {"VCN", AMDGPU_INFO_FW_VCN},     {"MES", AMDGPU_INFO_FW_MES},
   };
   const char *comma = "";
   printf(FIELD, "firmware claimed");
   for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
      struct drm_amdgpu_info_firmware version = {0};
      struct drm_amdgpu_info query = {.query = AMDGPU_INFO_FW_VERSION, .query_fw.fw_type = blocks[i].type};
      if (ask(gpu, query, &version, sizeof(version)) || !version.ver)
         continue;
      printf("%s%s %u (feature %u)", comma, blocks[i].name, version.ver, version.feature);
      comma = ", ";
   }
   printf("\n");
}

static void
print_chip(struct vgpu *gpu, const struct drm_amdgpu_info_device *device)
{
   uint32_t arrays = device->num_shader_engines * device->num_shader_arrays_per_engine;
   printf("\nChip\n" FIELD "0x%04x, revision 0x%02x; chip revision %u, external revision 0x%02x\n", "device id",
          device->device_id, device->pci_rev, device->chip_rev, device->external_rev);
   printf(FIELD "%u%s\n", "family", device->family,
          device->family == AMDGPU_FAMILY_GC_11_0_0 ? " (GC 11.0.0: Navi31, gfx1100)" : "");
   printf(FIELD "%u shader engines of %u arrays of %u compute units: %u of %u on, %u workgroup processors\n", "shaders",
          device->num_shader_engines, device->num_shader_arrays_per_engine, device->num_cu_per_sh,
          device->cu_active_number, arrays * device->num_cu_per_sh, device->cu_active_number / 2);
   printf(FIELD "%u pipes (mask 0x%x), %u hardware contexts\n", "render backends", device->num_rb_pipes,
          device->enabled_rb_pipes_mask, device->num_hw_gfx_contexts);
   printf(FIELD "engine %" PRIu64 " to %" PRIu64 " MHz, memory %" PRIu64 " to %" PRIu64 " MHz, counter %u kHz\n",
          "clocks", (uint64_t)device->min_engine_clock / 1000, (uint64_t)device->max_engine_clock / 1000,
          (uint64_t)device->min_memory_clock / 1000, (uint64_t)device->max_memory_clock / 1000,
          device->gpu_counter_freq);
   printf(FIELD "L0 %u KiB, scalar data %u KiB, instructions %u KiB, L1 %u KiB, L2 %u KiB in %u blocks, MALL %" PRIu64
                " MiB\n",
          "caches", device->tcp_cache_size, device->sqc_data_cache_size, device->sqc_inst_cache_size,
          device->gl1c_cache_size, device->gl2c_cache_size, device->num_tcc_blocks, (uint64_t)device->mall_size >> 20);
   printf(FIELD "generation %u, %u lanes\n", "PCIe", device->pcie_gen, device->pcie_num_lanes);
   printf(FIELD "integrated %s, preemption %s, TMZ %s, conformant truncation of coordinates %s\n", "flags",
          device->ids_flags & AMDGPU_IDS_FLAGS_FUSION ? "yes" : "no",
          device->ids_flags & AMDGPU_IDS_FLAGS_PREEMPTION ? "yes" : "no",
          device->ids_flags & AMDGPU_IDS_FLAGS_TMZ ? "yes" : "no",
          device->ids_flags & AMDGPU_IDS_FLAGS_CONFORMANT_TRUNC_COORD ? "yes" : "no");

   /* GB_ADDR_CONFIG (gfx11): NUM_PIPES 2:0, PIPE_INTERLEAVE_SIZE 5:3, MAX_COMPRESSED_FRAGS 7:6, NUM_PKRS 10:8, all of
    * them logarithms. UMR register database, gc_11_0_0. */
   uint32_t config;
   struct drm_amdgpu_info query = {.query = AMDGPU_INFO_READ_MMR_REG,
                                   .read_mmr_reg = {.dword_offset = 0x263e, .count = 1, .instance = ~0u}};
   if (!ask(gpu, query, &config, sizeof(config)))
      printf(FIELD "0x%x: %u pipes, interleave %u bytes, %u compressed fragments, %u packers\n", "GB_ADDR_CONFIG",
             config, 1u << (config & 7), 256u << (config >> 3 & 7), 1u << (config >> 6 & 3), 1u << (config >> 8 & 7));
}

static void
print_memory(struct vgpu *gpu, const struct drm_amdgpu_info_device *device)
{
   struct drm_amdgpu_memory_info memory = {0};
   struct drm_amdgpu_info query = {.query = AMDGPU_INFO_MEMORY};
   if (ask(gpu, query, &memory, sizeof(memory)))
      return;
   printf("\nMemory\n" FIELD "%" PRIu64 " MiB %s, %u bits; %" PRIu64 " MiB of it visible to the host\n", "VRAM",
          (uint64_t)memory.vram.total_heap_size >> 20,
          device->vram_type == AMDGPU_VRAM_TYPE_GDDR6 ? "GDDR6" : "of another type", device->vram_bit_width,
          (uint64_t)memory.cpu_accessible_vram.total_heap_size >> 20);
   printf(FIELD "%" PRIu64 " MiB\n", "GTT", (uint64_t)memory.gtt.total_heap_size >> 20);
   printf(FIELD "%" PRIu64 " MiB of VRAM, %" PRIu64 " MiB of GTT\n", "largest buffer",
          (uint64_t)memory.vram.max_allocation >> 20, (uint64_t)memory.gtt.max_allocation >> 20);
   printf(FIELD "0x%" PRIx64 " to 0x%" PRIx64 ", 0x%" PRIx64 " to 0x%" PRIx64 "\n", "addresses",
          (uint64_t)device->virtual_address_offset, (uint64_t)device->virtual_address_max,
          (uint64_t)device->high_va_offset, (uint64_t)device->high_va_max);
   printf(FIELD "%u bytes, fragments of %u KiB\n", "pages", device->gart_page_size, device->pte_fragment_size >> 10);
}

/* ---- waves ---- */

static void
print_waves(const struct drm_amdgpu_info_device *device)
{
   printf("\nWaves\n" FIELD "32 or 64 lanes, as the dispatch says; reported: %u\n", "wave size",
          device->wave_front_size);
   printf(FIELD "%u SIMDs of %u waves a workgroup processor, %u waves on the card\n", "slots", SQ_SIMDS, SQ_SLOTS,
          SQ_WGPS * SQ_SIMDS * SQ_SLOTS);
   printf(FIELD "up to %u threads and %u waves\n", "workgroup", SQ_MAX_WORKGROUP_WAVES * 32, SQ_MAX_WORKGROUP_WAVES);
   printf(FIELD "256 a wave, %u of 32 lanes a SIMD\n", "VGPRs", device->num_shader_visible_vgprs);
   printf(FIELD "%u a wave, VCC besides\n", "SGPRs", SREG_SGPR_COUNT);
   printf(FIELD "%u KiB a workgroup, %u KiB a workgroup processor\n", "LDS", SQ_LDS_PER_WORKGROUP >> 10,
          SQ_LDS_PER_WGP >> 10);
   printf(FIELD "up to %u bytes a wave\n", "scratch", SQ_MAX_SCRATCH_PER_WAVE);
}

/* ---- what is left out ---- */

/* Names a line as far as they fit. */
static unsigned
print_name(const char *name, unsigned column)
{
   if (column + strlen(name) + 1 > 118) {
      printf("\n    ");
      column = 4;
   }
   return column + (unsigned)printf(" %s", name);
}

static unsigned
print_without_semantics(const struct isa_op *ops, const isa_execute_fn *execute, unsigned count, unsigned column)
{
   for (unsigned i = 0; i < count; i++) {
      if (ops[i].name && !(execute && execute[i]))
         column = print_name(ops[i].name, column);
   }
   return column;
}

static void
print_illegal(void)
{
   const struct isa_valu *valu = isa_valu(false, false);
   const struct {
      const struct isa_op *ops;
      const isa_execute_fn *execute;
      unsigned count;
   } tables[] = {
      {isa_sop1, execute_sop1, ISA_SOP1_OPS},       {isa_sop2, execute_sop2, ISA_SOP2_OPS},
      {isa_sopc, execute_sopc, ISA_SOPC_OPS},       {isa_sopk, execute_sopk, ISA_SOPK_OPS},
      {isa_sopp, execute_sopp, ISA_SOPP_OPS},       {isa_smem, execute_smem, ISA_SMEM_OPS},
      {isa_vop1, valu->vop1, ISA_VOP1_OPS},         {isa_vop2, valu->vop2, ISA_VOP2_OPS},
      {isa_vopc, valu->vopc, ISA_VOPC_OPS},         {isa_vop3, valu->vop3, ISA_VOP3_OPS},
      {isa_vop3p, valu->vop3p, ISA_VOP3P_OPS},      {isa_vinterp, NULL, ISA_VINTERP_OPS},
      {isa_ldsdir, NULL, ISA_LDSDIR_OPS},           {isa_ds, execute_ds, ISA_DS_OPS},
      {isa_flat, execute_flat, ISA_FLAT_OPS},       {isa_global, execute_global, ISA_FLAT_OPS},
      {isa_scratch, execute_scratch, ISA_FLAT_OPS}, {isa_mubuf, execute_mubuf, ISA_MUBUF_OPS},
      {isa_mtbuf, execute_mtbuf, ISA_MTBUF_OPS},    {isa_mimg, execute_mimg, ISA_MIMG_OPS},
   };
   printf("  Instructions that are known but stop a wave as illegal:\n    ");
   unsigned column = print_name("exp", 4);
   for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
      column = print_without_semantics(tables[i].ops, tables[i].execute, tables[i].count, column);
   printf("\n");
}

static const char left_out[] =
   "\nLeft out\n"
   "  draws            no graphics pipeline: draw and mesh packets are skipped and named once in the log. The "
   "graphics\n" MORE "ring is there because drivers take a card's generation from it; it runs dispatches.\n"
   "  other packets    PM4 packets that compute does not need are skipped by their length and named once\n"
   "  SDMA, video      no rings: drivers copy, clear, scale and resolve by dispatches on the graphics and compute "
   "rings\n"
   "  exports, interpolation\n" MORE "only waves of a graphics pipeline have them\n"
   "  GDS, GWS, ordered append\n" MORE
   "can be owned, and packets read and write a job's part of the GDS; DS instructions with the\n" MORE
   "GDS bit stop as illegal\n"
   "  DCC, HTILE       compressed surfaces: an image instruction on one stops as illegal, and the log says why\n"
   "  timing           no cycles are modelled. Clocks above are claims; s_sendmsg_rtn_b64 MSG_RTN_GET_REALTIME is "
   "the\n" MORE "host's clock in units of 10 ns, SHADER_CYCLES the host's counter\n"
   "  counters         performance counters and thread trace: s_incperflevel, s_ttracedata do nothing\n"
   "  exceptions       arithmetic exceptions count where MODE.EXCP_EN enables one or the program reads TRAPSTS, "
   "and\n" MORE "DX10_CLAMP is 0; packed, dot and matrix instructions and atomics in memory raise none\n"
   "  address watch    its registers keep what is written to them; nothing watches\n"
   "  preemption       a job runs to its end; rings take turns. Context priorities are accepted and make no "
   "difference\n"
   "  reset            none is needed: a fault ends the job and makes its context guilty, no other\n"
   "  user queues      submissions go through the kernel interface\n"
   "  displays, sensors, RAS\n" MORE "there is nothing to show and nothing to measure but clocks\n";

static int
print_info(void)
{
   struct vgpu *gpu;
   int r = vgpu_create(NULL, &gpu);
   if (r) {
      fprintf(stderr, "vgpu: cannot create the virtual GPU: %s\n", strerror(-r));
      return 1;
   }
   struct drm_amdgpu_info_device device = {0};
   struct drm_amdgpu_info query = {.query = AMDGPU_INFO_DEV_INFO};
   r = ask(gpu, query, &device, sizeof(device));
   if (r) {
      fprintf(stderr, "vgpu: the virtual GPU does not answer: %s\n", strerror(errno));
   } else {
      print_driver(gpu);
      print_rings(gpu);
      print_firmware(gpu);
      print_chip(gpu, &device);
      print_memory(gpu, &device);
      print_waves(&device);
      fputs(left_out, stdout);
      print_illegal();
   }
   vgpu_destroy(gpu);
   return r ? 1 : 0;
}

static int
finish(int status)
{
   if (!fflush(stdout) && !ferror(stdout))
      return status;
   fprintf(stderr, "vgpu: standard output cannot be written\n");
   return 1;
}

int
main(int argc, char **argv)
{
   if (argc == 2 && !strcmp(argv[1], "--info"))
      return finish(print_info());
   if (argc == 2 && !strcmp(argv[1], "--help")) {
      fputs(help, stdout);
      return finish(0);
   }
   fprintf(stderr, "vgpu: --info is wanted (see --help)\n");
   return 2;
}
