/* SPDX-License-Identifier: MIT */
/*
 * Sum of 128 dwords in LDS, a tree of seven barriers.
 *
 *   s[0:1]: {uint64_t in, out;}   s[2:4]: workgroup id, s5: TG_SIZE   v0: thread id (workgroups of 128)
 *   The workgroup's number is y * 4 + x.
 */
#include "program.inc"

   s_load_b128 s[8:11], s[0:1], 0x0
   v_and_b32 v0, 0x3ff, v0
   s_lshl_b32 s3, s3, 2
   s_add_u32 s2, s2, s3
   s_lshl_b32 s3, s2, 7
   v_add_nc_u32 v1, s3, v0
   v_lshlrev_b32 v1, 2, v1
   v_lshlrev_b32 v2, 2, v0
   s_waitcnt lgkmcnt(0)
   global_load_b32 v3, v1, s[8:9]
   s_movk_i32 s6, 64
   s_waitcnt vmcnt(0)
   ds_store_b32 v2, v3
tree:
   s_waitcnt lgkmcnt(0)
   s_barrier
   v_cmp_gt_u32 VCC, s6, v0
   s_and_saveexec_mask MASK(12), VCC
   s_cbranch_execz skip
   v_lshl_add_u32 v4, s6, 2, v2
   ds_load_b32 v5, v4
   ds_load_b32 v3, v2
   s_waitcnt lgkmcnt(0)
   v_add_nc_u32 v3, v3, v5
   ds_store_b32 v2, v3
skip:
   s_mov_mask EXEC, MASK(12)
   s_lshr_b32 s6, s6, 1
   s_cbranch_scc1 tree

   v_cmpx_eq_u32 0, v0
   s_cbranch_execz done
   s_lshl_b32 s2, s2, 2
   v_mov_b32 v6, s2
   global_store_b32 v6, v3, s[10:11]
done:
   END
