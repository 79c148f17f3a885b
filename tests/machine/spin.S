/* SPDX-License-Identifier: MIT */
/*
 * Waits until flag is not 0, counting rounds, then does what it says.
 *
 *   s[0:1]: {uint64_t out, bad; uint32_t flag;}   s2: workgroup id X, s3: TG_SIZE   v0: thread id
 *   flag 1: out[0] += v1 of lane 0 (5 when nobody changes it); 2: reads from `bad`, then as 1; 3: s_trap 3, then as 1
 */
#include "program.inc"

   s_load_b128 s[4:7], s[0:1], 0x0
   v_mov_b32 v1, 5
   v_mov_b32 v2, 0
   v_mov_b32 v3, 77
   ds_store_b32 v2, v3 offset:16
   s_mov_b32 s8, 0
round:
   s_load_b32 s9, s[0:1], 0x10 glc
   s_add_u32 s8, s8, 1
   s_waitcnt lgkmcnt(0)
   s_cmp_eq_u32 s9, 0
   s_cbranch_scc1 round
   s_cmp_eq_u32 s9, 1
   s_cbranch_scc1 finish
   s_cmp_eq_u32 s9, 3
   s_cbranch_scc1 trap
   global_load_b32 v4, v2, s[6:7]
   s_waitcnt vmcnt(0)
   s_branch finish
trap:
   s_trap 3
finish:
   s_mov_b64 exec, 1
   global_atomic_add_u32 v2, v1, s[4:5]
   s_nop 0
   s_nop 0
   s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
   s_endpgm
