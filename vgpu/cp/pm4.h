/* SPDX-License-Identifier: MIT */
/* PM4 packets as on gfx11. A type-3 header: type 31:30, body dwords - 1 in 29:16, opcode 15:8, predicate 0. */
#ifndef VGPU_PM4_H
#define VGPU_PM4_H

#include <stdint.h>

#define PM4_TYPE3(opcode, count) (3u << 30 | ((count)-1) << 16 | (opcode) << 8)
#define PM4_NOP_HEADER 0xffff1000u /* count 0x3fff: a NOP that is its header alone */

enum pm4_opcode {
   PM4_NOP = 0x10,
   PM4_SET_BASE = 0x11,
   PM4_CLEAR_STATE = 0x12,
   PM4_DISPATCH_DIRECT = 0x15,
   PM4_DISPATCH_INDIRECT = 0x16,
   PM4_ATOMIC_MEM = 0x1e,
   PM4_SET_PREDICATION = 0x20,
   PM4_COND_EXEC = 0x22,
   PM4_DRAW_INDIRECT = 0x24,
   PM4_DRAW_INDEX_INDIRECT = 0x25,
   PM4_INDEX_BASE = 0x26,
   PM4_DRAW_INDEX_2 = 0x27,
   PM4_CONTEXT_CONTROL = 0x28,
   PM4_INDEX_TYPE = 0x2a,
   PM4_DRAW_INDIRECT_MULTI = 0x2c,
   PM4_DRAW_INDEX_AUTO = 0x2d,
   PM4_NUM_INSTANCES = 0x2f,
   PM4_DRAW_INDEX_OFFSET_2 = 0x35,
   PM4_WRITE_DATA = 0x37,
   PM4_DRAW_INDEX_INDIRECT_MULTI = 0x38,
   PM4_WAIT_REG_MEM = 0x3c,
   PM4_INDIRECT_BUFFER = 0x3f,
   PM4_COPY_DATA = 0x40,
   PM4_PFP_SYNC_ME = 0x42,
   PM4_EVENT_WRITE = 0x46,
   PM4_RELEASE_MEM = 0x49,
   PM4_DISPATCH_MESH_INDIRECT_MULTI = 0x4c,
   PM4_DISPATCH_TASKMESH_GFX = 0x4d,
   PM4_DISPATCH_MESH_DIRECT = 0x4e,
   PM4_DMA_DATA = 0x50,
   PM4_ACQUIRE_MEM = 0x58,
   PM4_REWIND = 0x59,
   PM4_LOAD_SH_REG_INDEX = 0x63,
   PM4_SET_CONFIG_REG = 0x68,
   PM4_SET_CONTEXT_REG = 0x69,
   PM4_SET_SH_REG = 0x76,
   PM4_SET_UCONFIG_REG = 0x79,
   PM4_SET_UCONFIG_REG_INDEX = 0x7a,
   PM4_SET_SH_REG_INDEX = 0x9b,
   PM4_EVENT_WRITE_ZPASS = 0xb1,
   PM4_SET_CONTEXT_REG_PAIRS_PACKED = 0xb9,
   PM4_SET_SH_REG_PAIRS_PACKED = 0xbb,
   PM4_SET_SH_REG_PAIRS_PACKED_N = 0xbd
};

/* Dwords after the header. */
uint32_t pm4_body_size(uint32_t header);

/* Of a packet's opcode, or "an unknown packet". */
const char *pm4_name(uint32_t header);

#endif
