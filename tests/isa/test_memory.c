/* SPDX-License-Identifier: MIT */
/* Memory and LDS as lanes reach them, faults, late loads and registers given up. */
#include <stdio.h>
#include <string.h>

#include "isa/hwreg.h"
#include "wave_box.h"

#define DATA_LO ((uint32_t)BOX_DATA_VA)
#define DATA_HI ((uint32_t)(BOX_DATA_VA >> 32))

/* v0 = lane * 4, v[2:3] = address of the lane's dword, s[0:1] = the data, memory counts up from 1000. */
static void
fresh(bool wave64)
{
   box_reset(&box, wave64);
   for (unsigned i = 0; i < BOX_DATA_SIZE / 4; i++)
      box.data[i] = 1000 + i;
   for (unsigned l = 0; l < 64; l++) {
      box.vgpr[0][l] = l * 4;
      box.vgpr[1][l] = 0xa0b0c000 + l;
      box.vgpr[2][l] = DATA_LO + l * 4;
      box.vgpr[3][l] = DATA_HI;
   }
   box.wave.sreg[0] = DATA_LO;
   box.wave.sreg[1] = DATA_HI;
}

static void
buffer(unsigned sgpr, uint32_t stride, uint32_t records, unsigned oob_select)
{
   box.wave.sreg[sgpr] = DATA_LO;
   box.wave.sreg[sgpr + 1] = (DATA_HI & 0xffff) | stride << 16;
   box.wave.sreg[sgpr + 2] = records;
   box.wave.sreg[sgpr + 3] = oob_select << 28 | 22 << 12; /* 32_FLOAT: any format at all */
}

static void
test_scalar_loads(void **state)
{
   fresh(true);
   buffer(4, 0, 16, 3);
   box_run_text(&box, "s_load_b32 s10, s[0:1], 0x8\ns_load_b128 s[12:15], s[0:1], 0x10\n"
                      "s_movk_i32 s20, 0x20\ns_load_b64 s[16:17], s[0:1], s20 offset:0x4\n"
                      "s_load_b32 s11, s[0:1], 0x3\n"
                      "s_buffer_load_b64 s[18:19], s[4:7], 0xc\ns_waitcnt lgkmcnt(0)\n");
   assert_int_equal(box.wave.sreg[10], 1002);
   assert_int_equal(box.wave.sreg[11], 1000); /* the lowest bits are dropped */
   assert_int_equal(box.wave.sreg[15], 1007);
   assert_int_equal(box.wave.sreg[16], 1009);
   assert_int_equal(box.wave.sreg[18], 1003);
   assert_int_equal(box.wave.sreg[19], 0); /* beyond the buffer */
}

static void
test_global(void **state)
{
   for (unsigned size = 32; size <= 64; size += 32) {
      fresh(size == 64);
      box.wave.sreg[SREG_EXEC_LO] = 0xfffffffe;
      box_run_text(&box, "global_load_b32 v10, v[2:3], off offset:4\n"
                         "global_load_b64 v[11:12], v0, s[0:1]\n"
                         "global_load_u8 v13, v0, s[0:1] offset:1\n"
                         "global_load_i8 v14, v0, s[0:1]\n"
                         "global_load_d16_hi_b16 v15, v0, s[0:1]\n"
                         "global_load_d16_u8 v16, v0, s[0:1]\n"
                         "global_store_b32 v0, v1, s[0:1] offset:1024\n"
                         "global_store_b16 v0, v1, s[0:1] offset:2048\n"
                         "global_load_addtid_b32 v17, s[0:1] offset:64\n"
                         "global_store_addtid_b32 v1, s[0:1] offset:3072\n"
                         "s_waitcnt vmcnt(0)\n");
      for (unsigned l = 1; l < size; l++) {
         assert_int_equal(box.vgpr[10][l], 1001 + l);
         assert_int_equal(box.vgpr[11][l], 1000 + l);
         assert_int_equal(box.vgpr[12][l], 1001 + l);
         assert_int_equal(box.vgpr[13][l], (1000 + l) >> 8);
         assert_int_equal((int32_t)box.vgpr[14][l], (int8_t)(1000 + l));
         assert_int_equal(box.vgpr[15][l], (1000 + l) << 16 | 0xdbdb);
         assert_int_equal(box.vgpr[16][l], 0xdbdb0000 | ((1000 + l) & 0xff));
         assert_int_equal(box.data[256 + l], 0xa0b0c000 + l);
         assert_int_equal(box.data[512 + l], ((1512 + l) & 0xffff0000) | 0xc000 | l);
         assert_int_equal(box.vgpr[17][l], 1016 + l);
         assert_int_equal(box.data[768 + l], 0xa0b0c000 + l);
      }
      assert_int_equal(box.vgpr[10][0], 0xdbdbdbdb);
      assert_int_equal(box.data[256], 1256);
      if (size == 32)
         assert_int_equal(box.vgpr[10][32], 0xdbdbdbdb);
   }
}

static void
test_wide(void **state)
{
   fresh(true);
   box_run_text(
      &box,
      "v_lshlrev_b32 v4, 2, v0\nglobal_load_b128 v[10:13], v4, s[0:1]\nglobal_load_b96 v[14:16], v4, s[0:1] offset:4\n"
      "global_store_b128 v4, v[10:13], s[0:1] offset:2048\nglobal_store_b96 v4, v[14:16], s[0:1] offset:4092\n");
   assert_int_equal(box.vgpr[13][63], 1000 + 63 * 4 + 3);
   assert_int_equal(box.vgpr[16][63], 1000 + 63 * 4 + 3);
   assert_int_equal(box.data[512 + 255], 1255);
   assert_int_equal(box.data[1023], 1001); /* across the end of a page */
   assert_int_equal(box.data[1025], 1003);
}

/* An access across pages, and one that is not aligned. */
static void
test_unaligned(void **state)
{
   fresh(true);
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[0][l] = 4096 - 33 + l;
   box_run_text(&box, "global_load_b32 v10, v0, s[0:1]\n");
   for (unsigned l = 0; l < 64; l++) {
      uint32_t value;
      memcpy(&value, (uint8_t *)box.data + 4096 - 33 + l, 4);
      assert_int_equal(box.vgpr[10][l], value);
   }
}

static void
test_atomics(void **state)
{
   fresh(true);
   box_run_text(&box,
                "v_mov_b32 v4, 0\nv_mov_b32 v5, 2\n"
                "global_atomic_add_u32 v10, v4, v5, s[0:1] glc\n" /* all lanes on one dword */
                "global_atomic_max_u32 v0, v1, s[0:1] offset:1024\n"
                "v_add_nc_u32 v6, 0x7d0, v5\nv_mov_b32 v7, 0x500\nv_lshrrev_b32 v9, 2, v0\nv_add_nc_u32 v7, v7, v9\n"
                "v_mov_b32 v6, 42\n"
                "global_atomic_cmpswap_b32 v11, v0, v[6:7], s[0:1] offset:1120 glc\n"
                "v_mov_b32 v13, 0\nv_mov_b32 v12, -1\n"
                "global_atomic_add_u64 v[14:15], v4, v[12:13], s[0:1] offset:8 glc\n"
                "global_atomic_inc_u32 v16, v4, v5, s[0:1] offset:16 glc\n"
                "v_mov_b32 v17, 1.0\nv_mov_b32 v18, 0x4000\n"
                "global_atomic_add_f32 v18, v17, s[0:1]\n");
   assert_int_equal(box.data[0], 1000 + 128);
   assert_int_equal(box.vgpr[10][0], 1000);
   assert_int_equal(box.vgpr[10][63], 1126);
   assert_int_equal(box.data[256 + 24], 0xa0b0c000 + 24); /* the larger one, and then not what was compared with */
   assert_int_equal(box.vgpr[11][0], 0xa0b0c000 + 24);
   assert_int_equal(box.data[280 + 40], 42); /* 1280 + 40 was there */
   assert_int_equal(box.vgpr[11][40], 1320);
   assert_int_equal(box.vgpr[14][1], 1001);
   assert_int_equal(box.vgpr[15][1], 1004);
   assert_int_equal(box.data[2], 1002 - 64);
   assert_int_equal(box.data[3], 1003 + 64);
   assert_int_equal(box.vgpr[16][0], 1004);
   assert_int_equal(box.vgpr[16][1], 0);
   assert_int_equal(box.vgpr[16][4], 0);
   float sum;
   memcpy(&sum, &box.data[0x1000], 4);
   assert_true(sum == 64.0f); /* 5096 is a denormal */
}

static void
test_buffers(void **state)
{
   fresh(true);
   buffer(4, 0, 40, 3); /* raw: ten dwords */
   buffer(8, 8, 3, 1);  /* records of 8 bytes */
   buffer(12, 8, 3, 0);
   box.wave.sreg[16] = 8;
   box_run_text(&box, "v_lshrrev_b32 v4, 2, v0\n"
                      "buffer_load_b32 v10, v0, s[4:7], 0 offen\n"
                      "buffer_load_b32 v11, v4, s[8:11], 0 idxen offset:4\n"
                      "buffer_load_b64 v[12:13], v0, s[4:7], 0 offen\n"
                      "buffer_load_b32 v14, v4, s[12:15], 0 idxen offset:8\n"
                      "buffer_load_b32 v15, off, s[4:7], s16 offset:4\n"
                      "buffer_store_b32 v1, v0, s[4:7], 0 offen\n"
                      "buffer_load_u16 v16, v4, s[8:11], 0 idxen offset:6\n"
                      "buffer_atomic_add_u32 v1, v0, s[4:7], 0 offen offset:32 glc\n");
   for (unsigned l = 0; l < 64; l++) {
      assert_int_equal(box.vgpr[10][l], l < 10 ? 1000 + l : 0);
      assert_int_equal(box.vgpr[11][l], l < 3 ? 1001 + l * 2 : 0);
      assert_int_equal(box.vgpr[12][l], l < 10 ? 1000 + l : 0);
      assert_int_equal(box.vgpr[13][l], l < 9 ? 1001 + l : 0);
      assert_int_equal(box.vgpr[14][l], 0); /* beyond the record */
      assert_int_equal(box.vgpr[15][l], 1003);
      assert_int_equal(box.vgpr[16][l], l < 3 ? 0xa0b0 : 0);
      if (l >= 2)
         assert_int_equal(box.vgpr[1][l], 0);
   }
   assert_int_equal(box.vgpr[1][0], 0xa0b0c008);
   assert_int_equal(box.data[8], 0xa0b0c008 + 0xa0b0c000);
   assert_int_equal(box.data[10], 1010);
   assert_int_equal(box.wave.trapsts, TRAPSTS_BUFFER_OOB);
}

/* VGPR and immediate make a 32-bit offset: -4 + 24 is 20, with the whole wave in bounds and with some of it. */
static void
test_buffer_offset_wraps(void **state)
{
   for (uint32_t records = 40; records <= 4096; records += 4056) {
      fresh(true);
      buffer(4, 0, records, 3);
      box_run_text(&box, "v_add_nc_u32 v4, -4, v0\nbuffer_load_b32 v10, v4, s[4:7], 0 offen offset:24\n"
                         "buffer_load_b32 v11, v4, s[4:7], 0 offen\n");
      assert_int_equal(box.vgpr[10][0], 1005);
      assert_int_equal(box.vgpr[10][4], 1009);
      assert_int_equal(box.vgpr[10][5], records == 40 ? 0 : 1010);
      assert_int_equal(box.vgpr[11][0], 0); /* 0xfffffffc */
      assert_int_equal(box.vgpr[11][1], 1000);
   }
}

static void
test_scratch(void **state)
{
   for (unsigned size = 32; size <= 64; size += 32) {
      fresh(size == 64);
      box.wave.scratch_base = BOX_DATA_VA + 4096;
      box.wave.scratch_stride = 16384;
      box.wave.sreg[4] = 8;
      box_run_text(&box, "scratch_store_b32 off, v1, s4\n"
                         "v_mov_b32 v4, 16\nscratch_store_b64 v4, v[0:1], off\n"
                         "scratch_load_b32 v10, v4, off offset:4\n"
                         "scratch_store_b8 off, v1, off offset:5\n"
                         "scratch_load_b64 v[12:13], off, off offset:6\n");
      for (unsigned l = 0; l < size; l++) {
         assert_int_equal(box.data[1024 + 2 * size + l], 0xa0b0c000 + l);
         assert_int_equal(box.data[1024 + 4 * size + l], l * 4);
         assert_int_equal(box.data[1024 + 5 * size + l], 0xa0b0c000 + l);
         assert_int_equal(box.vgpr[10][l], 0xa0b0c000 + l);
         assert_int_equal(box.data[1024 + size + l] >> 8 & 0xff, l & 0xff);
         uint32_t d[3] = {box.data[1024 + size + l], box.data[1024 + 2 * size + l], box.data[1024 + 3 * size + l]};
         uint32_t expected[2];
         memcpy(expected, (uint8_t *)d + 2, 8);
         assert_int_equal(box.vgpr[12][l], expected[0]);
         assert_int_equal(box.vgpr[13][l], expected[1]);
      }
   }
}

/* FLAT looks at each lane's address. */
static void
test_flat(void **state)
{
   fresh(true);
   box.wave.sh_mem_bases = 0x00010002;
   box.wave.scratch_base = BOX_DATA_VA + 4096;
   for (unsigned l = 0; l < 64; l++) {
      memcpy(box.lds + l * 4, &(uint32_t){7000 + l}, 4);
      box.data[1024 + 64 + l] = 9000 + l;
      if (l % 3 == 1) {
         box.vgpr[2][l] = l * 4;
         box.vgpr[3][l] = 0x00010000;
      } else if (l % 3 == 2) {
         box.vgpr[2][l] = 4;
         box.vgpr[3][l] = 0x00020000;
      }
   }
   box_run_text(&box, "flat_load_b32 v10, v[2:3]\nflat_store_b32 v[2:3], v1\ns_mov_b64 s[10:11], src_shared_base\n");
   for (unsigned l = 0; l < 64; l++) {
      uint32_t lds;
      memcpy(&lds, box.lds + l * 4, 4);
      assert_int_equal(box.vgpr[10][l], l % 3 == 0 ? 1000 + l : l % 3 == 1 ? 7000 + l : 9000 + l);
      assert_int_equal(l % 3 == 0 ? box.data[l] : l % 3 == 1 ? lds : box.data[1024 + 64 + l], 0xa0b0c000 + l);
   }
   assert_int_equal(box.wave.sreg[11], 0x00010000);
}

static void
test_lds(void **state)
{
   fresh(true);
   box.wave.sreg[SREG_M0] = 256;
   box_run_text(&box, "ds_store_b32 v0, v1\nds_load_b32 v10, v0\n"
                      "v_xor_b32 v4, 4, v0\nds_load_2addr_b32 v[12:13], v4 offset0:1 offset1:2\n"
                      "ds_store_2addr_stride64_b32 v0, v0, v1 offset0:1 offset1:2\n"
                      "ds_load_b32 v14, v0 offset:256\nds_load_u8 v15, v0 offset:512\n"
                      "v_mov_b32 v5, 0x400\nv_mov_b32 v6, 3\nds_add_rtn_u32 v16, v5, v6\n"
                      "v_mov_b32 v7, 0xffc\nds_load_b64 v[18:19], v7\n" /* half of it beyond the end: all of it is 0 */
                      "ds_load_addtid_b32 v20\nds_append v21 offset:1028\nds_load_b32 v22, v5 offset:4\n"
                      "s_waitcnt lgkmcnt(0)\n");
   for (unsigned l = 0; l < 64; l++) {
      assert_int_equal(box.vgpr[10][l], 0xa0b0c000 + l);
      if (l < 60)
         assert_int_equal(box.vgpr[12][l], 0xa0b0c000 + ((l ^ 1) + 1));
      assert_int_equal(box.vgpr[14][l], l * 4);
      assert_int_equal(box.vgpr[15][l], l);
      assert_int_equal(box.vgpr[18][l], 0);
      assert_int_equal(box.vgpr[20][l], l * 4);
      assert_int_equal(box.vgpr[21][l], 0);
   }
   assert_int_equal(box.vgpr[16][63], 63 * 3);
   uint32_t count; /* at M0 + 1028 */
   memcpy(&count, box.lds + 256 + 1028, 4);
   assert_int_equal(count, 64);
}

/* An index counted down: a negative address, brought back into LDS by the offset. */
static void
test_lds_negative(void **state)
{
   fresh(true);
   box_run_text(&box, "ds_store_b32 v0, v1\nv_sub_nc_u32 v4, 0, v0\nds_load_b32 v10, v4 offset:252\n"
                      "ds_load_2addr_b32 v[12:13], v4 offset0:63 offset1:64\n"
                      "ds_load_b32 v14, v4\n" /* of all lanes but the first beyond the end */
                      "v_mov_b32 v5, 3\nds_store_b32 v4, v5 offset:508\nds_load_b32 v15, v0 offset:256\n"
                      "s_waitcnt lgkmcnt(0)\n");
   for (unsigned l = 0; l < 64; l++) {
      assert_int_equal(box.vgpr[10][l], 0xa0b0c000 + (63 - l));
      assert_int_equal(box.vgpr[12][l], 0xa0b0c000 + (63 - l));
      if (l > 0)
         assert_int_equal(box.vgpr[13][l], 0xa0b0c000 + (64 - l));
      assert_int_equal(box.vgpr[14][l], l ? 0 : 0xa0b0c000);
      assert_int_equal(box.vgpr[15][l], 3);
   }
}

static void
test_lane_exchange(void **state)
{
   fresh(true);
   for (unsigned l = 0; l < 64; l++)
      box.vgpr[4][l] = l;
   box.wave.sreg[SREG_EXEC_HI] = 0x7fffffff;
   box_run_text(&box, "v_sub_nc_u32 v5, 0xfc, v0\nds_bpermute_b32 v10, v5, v4\nds_permute_b32 v11, v5, v4\n"
                      "ds_swizzle_b32 v12, v4 offset:swizzle(QUAD_PERM,3,2,1,0)\n"
                      "ds_swizzle_b32 v13, v4 offset:swizzle(SWAP,16)\n"
                      "ds_swizzle_b32 v14, v4 offset:swizzle(BROADCAST,8,5)\n");
   /* Within halves of 32 lanes; lane 63 is off. */
   assert_int_equal(box.vgpr[10][0], 31);
   assert_int_equal(box.vgpr[10][32], 0);
   assert_int_equal(box.vgpr[10][33], 62);
   assert_int_equal(box.vgpr[11][32], 0);
   assert_int_equal(box.vgpr[11][62], 33);
   assert_int_equal(box.vgpr[11][30], 1);
   assert_int_equal(box.vgpr[12][5], 6);
   assert_int_equal(box.vgpr[13][40], 56);
   assert_int_equal(box.vgpr[14][19], 21);
}

static void
test_faults(void **state)
{
   fresh(true);
   box.vgpr[2][5] = DATA_LO + BOX_DATA_SIZE;
   assert_int_equal(box_run_text(&box, "s_nop 0\nglobal_load_b32 v10, v[2:3], off\n"), ISA_TRAP);
   assert_int_equal(box.wave.trapsts, TRAPSTS_MEM_VIOL);
   assert_int_equal(box.wave.fault.va, BOX_DATA_VA + BOX_DATA_SIZE);
   assert_false(box.wave.fault.write);
   assert_int_equal(box.wave.fault.pc, BOX_CODE_VA + 4);
   assert_int_equal(box.wave.pc, BOX_CODE_VA + 12);
   assert_int_equal(box.vgpr[10][0], 0xdbdbdbdb);

   fresh(true);
   box.wave.sreg[0] = (uint32_t)BOX_CODE_VA; /* not writable */
   box.wave.sreg[1] = 0;
   assert_int_equal(box_run_text(&box, "global_store_b32 v0, v1, s[0:1]\n"), ISA_TRAP);
   assert_true(box.wave.fault.write);
   assert_int_equal(box.wave.fault.va, BOX_CODE_VA);

   fresh(true);
   box.wave.sreg[1] = 0;
   assert_int_equal(box_run_text(&box, "s_load_b64 s[10:11], s[0:1], 0x0\n"), ISA_TRAP);
   assert_int_equal(box.wave.sreg[10], 0xdbdbdbdb);
   /* Lanes that are off touch nothing. */
   fresh(true);
   box.vgpr[3][5] = 0x1234;
   box.wave.sreg[SREG_EXEC_LO] &= ~(1u << 5);
   assert_int_equal(box_run_text(&box, "global_load_b32 v10, v[2:3], off\n"), ISA_END);
}

/* With VGPU_LATE_LOADS data comes at the wait that asks for it, and not before. */
static void
test_late_loads(void **state)
{
   struct vgpu *gpu = box.gpu;
   gpu->options.flags |= VGPU_LATE_LOADS;
   fresh(true);
   box_run_text(&box, "global_load_b32 v10, v0, s[0:1]\nglobal_load_b32 v11, v0, s[0:1] offset:4\n"
                      "s_load_b32 s10, s[0:1], 0x0\nds_store_b32 v0, v1\nds_load_b32 v12, v0\n"
                      "global_store_b32 v0, v1, s[0:1] offset:1024\n"
                      "v_mov_b32 v20, v10\ns_mov_b32 s11, s10\ns_getreg_b32 s12, hwreg(HW_REG_IB_STS)\n"
                      "s_waitcnt vmcnt(1)\nv_mov_b32 v21, v10\nv_mov_b32 v22, v11\n"
                      "s_waitcnt lgkmcnt(1)\nv_mov_b32 v23, v12\n" /* a scalar load may be any of them */
                      "s_waitcnt lgkmcnt(0)\nv_mov_b32 v24, v12\ns_mov_b32 s13, s10\n"
                      "s_waitcnt_vscnt null, 0x0\ns_getreg_b32 s14, hwreg(HW_REG_IB_STS)\n");
   assert_int_equal(box.vgpr[20][0], 0xdbdbdbdb);
   assert_int_equal(box.wave.sreg[11], 0xdbdbdbdb);
   assert_int_equal(box.wave.sreg[12], 3 << 4 | 2 << 10 | 1u << 26);
   assert_int_equal(box.vgpr[21][0], 1000);
   assert_int_equal(box.vgpr[22][0], 0xdbdbdbdb);
   assert_int_equal(box.vgpr[23][0], 0xdbdbdbdb);
   assert_int_equal(box.vgpr[24][0], 0xa0b0c000);
   assert_int_equal(box.wave.sreg[13], 1000);
   assert_int_equal(box.wave.sreg[14], 1 << 10);
   assert_int_equal(box.vgpr[11][0], 1001); /* at the latest when the wave ends */
   assert_null(box.wave.pending);
   gpu->options.flags = 0;
}

/* Scalar loads come back in any order, but LDS instructions in theirs, whatever is outstanding besides. */
static void
test_late_loads_of_two_kinds(void **state)
{
   box.gpu->options.flags |= VGPU_LATE_LOADS;
   fresh(true);
   box_run_text(&box, "ds_store_b32 v0, v1\nds_load_b32 v10, v0\ns_load_b128 s[12:15], s[0:1], 0x0\n"
                      "ds_load_b32 v11, v0\n"
                      "s_waitcnt lgkmcnt(2)\nv_mov_b32 v20, v10\n"
                      "s_waitcnt lgkmcnt(1)\nv_mov_b32 v21, v10\nv_mov_b32 v22, v11\ns_mov_b32 s20, s15\n"
                      "s_waitcnt lgkmcnt(0)\nv_mov_b32 v23, v11\ns_mov_b32 s21, s15\n");
   assert_int_equal(box.vgpr[20][0], 0xdbdbdbdb);
   assert_int_equal(box.vgpr[21][0], 0xa0b0c000);
   assert_int_equal(box.vgpr[22][0], 0xdbdbdbdb);
   assert_int_equal(box.wave.sreg[20], 0xdbdbdbdb);
   assert_int_equal(box.vgpr[23][0], 0xa0b0c000);
   assert_int_equal(box.wave.sreg[21], 1003);
   box.gpu->options.flags = 0;
}

static void
test_dealloc(void **state)
{
   const char *text = "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)\ns_movk_i32 s10, 1\nv_mov_b32 v0, 0\n";
   fresh(true);
   assert_int_equal(box_run_text(&box, text), ISA_MESSAGE);
   assert_int_equal(box.wave.status & STATUS_NO_VGPRS, STATUS_NO_VGPRS);
   assert_int_equal(box_continue(&box), ISA_END);

   box.gpu->options.flags |= VGPU_CHECK_DEALLOC;
   fresh(true);
   assert_int_equal(box_run_text(&box, text), ISA_MESSAGE);
   assert_int_equal(box_continue(&box), ISA_TRAP);
   assert_true(box.wave.fault.deallocated_vgpr);
   assert_int_equal(box.wave.fault.pc, BOX_CODE_VA + 8);
   assert_int_equal(box.wave.sreg[10], 1);
   box.gpu->options.flags = 0;
}

BOX_TESTS(cmocka_unit_test(test_scalar_loads), cmocka_unit_test(test_global), cmocka_unit_test(test_wide),
          cmocka_unit_test(test_unaligned), cmocka_unit_test(test_atomics), cmocka_unit_test(test_buffers),
          cmocka_unit_test(test_buffer_offset_wraps), cmocka_unit_test(test_scratch), cmocka_unit_test(test_flat),
          cmocka_unit_test(test_lds), cmocka_unit_test(test_lds_negative), cmocka_unit_test(test_lane_exchange),
          cmocka_unit_test(test_faults), cmocka_unit_test(test_late_loads),
          cmocka_unit_test(test_late_loads_of_two_kinds), cmocka_unit_test(test_dealloc))
