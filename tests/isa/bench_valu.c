/* SPDX-License-Identifier: MIT */
/*
 * How fast the interpreter runs: one wave in a loop of instructions of a family. Prints million wave instructions a
 * second, the best of a few runs: what else the machine does only ever slows it down. "valu" is arithmetic as shaders
 * have it; the others show what each kind costs. Every second lane is on unless the name says otherwise.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "wave_box.h"

struct family {
   const char *name;
   bool wave32;
   const char
      *body; /* v0: lane * 4, v[2:3]: its address in memory, v10 and on: numbers, s[8:9]: memory, s[12:15]: V# */
};

static const struct family families[] = {
   {"valu", false,
    "v_fma_f32 v14, v14, v11, v12\nv_add_f32_e32 v15, v14, v13\nv_mul_f32_e32 v16, v15, v11\n"
    "v_fmac_f32_e32 v17, v16, v11\nv_add_nc_u32_e32 v18, v18, v19\nv_lshlrev_b32_e32 v20, 2, v18\n"
    "v_xor_b32_e32 v21, v20, v19\nv_fma_f32 v22, v17, s4, v15\nv_max_f32_e32 v23, v22, v16\n"
    "v_sub_f32_e32 v24, v23, v15\nv_cmp_lt_f32_e32 vcc, v24, v11\nv_cndmask_b32_e32 v25, v24, v23, vcc\n"
    "v_and_b32_e32 v26, 0xff, v21\nv_fma_f32 v27, v25, v11, v12\n"},
   {"f32", false, "v_add_f32 v14, v10, v11\nv_mul_f32 v15, v14, v12\nv_fma_f32 v16, v15, v11, v12\n"},
   {"f32_minmax", false, "v_max_f32 v14, v10, v11\nv_min_f32 v15, v14, v12\nv_med3_f32 v16, v15, v11, v12\n"},
   {"f32_round", false, "v_floor_f32 v14, v10\nv_trunc_f32 v15, v11\nv_fract_f32 v16, v12\nv_rndne_f32 v17, v12\n"},
   {"f32_modified", false, "v_add_f32_e64 v14, -v10, |v11|\nv_mul_f32_e64 v15, v14, v12 clamp\n"},
   {"f16", false, "v_add_f16 v14, v10, v11\nv_mul_f16 v15, v14, v12\nv_fma_f16 v16, v15, v11, v12\n"},
   {"packed_f16", false, "v_pk_add_f16 v14, v10, v11\nv_pk_mul_f16 v15, v14, v12\nv_pk_fma_f16 v16, v15, v11, v12\n"},
   {"mix", false, "v_fma_mix_f32 v14, v10, v11, v12 op_sel_hi:[1,0,0]\nv_fma_mixlo_f16 v15, v10, v11, v12\n"},
   {"f64", false,
    "v_add_f64 v[14:15], v[10:11], v[12:13]\nv_mul_f64 v[16:17], v[10:11], v[12:13]\n"
    "v_fma_f64 v[18:19], v[10:11], v[12:13], v[14:15]\n"},
   {"convert", false,
    "v_cvt_i32_f32 v14, v10\nv_cvt_f32_i32 v15, v14\nv_cvt_f16_f32 v16, v10\nv_cvt_f32_f16 v17, v16\n"
    "v_cvt_pk_rtz_f16_f32 v18, v10, v11\n"},
   {"transcendental", false, "v_rcp_f32 v14, v10\nv_rsq_f32 v15, v10\nv_exp_f32 v16, v10\nv_sin_f32 v17, v10\n"},
   {"int", false, "v_add_nc_u32 v14, v10, v11\nv_lshlrev_b32 v15, 2, v14\nv_and_or_b32 v16, v15, v11, v12\n"},
   {"int_multiply", false,
    "v_mul_lo_u32 v14, v10, v11\nv_mul_hi_u32 v15, v10, v11\nv_mad_u32_u24 v16, v10, v11, v12\n"},
   {"int16", false, "v_pk_add_u16 v14, v10, v11\nv_pk_mul_lo_u16 v15, v14, v11\nv_add_nc_u16 v16, v10, v11\n"},
   {"int64", false, "v_lshlrev_b64 v[14:15], 3, v[10:11]\nv_mad_u64_u32 v[16:17], null, v10, v11, v[12:13]\n"},
   {"carry", false, "v_add_co_u32 v14, vcc, v10, v11\nv_add_co_ci_u32 v15, vcc, v11, v12, vcc\n"},
   {"compare", false,
    "v_cmp_lt_f32 vcc, v10, v11\nv_cndmask_b32 v14, v10, v11, vcc\nv_cmp_gt_u32 s[10:11], v10, v11\n"},
   {"dot", false, "v_dot4_i32_iu8 v14, v10, v11, v12\nv_dot2_f32_f16 v15, v10, v11, v12\n"},
   {"wmma", true, "v_wmma_f32_16x16x16_f16 v[30:37], v[10:17], v[18:25], v[30:37]\n"},
   {"dual", true, "v_dual_fmac_f32 v14, v10, v11 :: v_dual_mul_f32 v15, v12, v13\n"},
   {"wave32", true, "v_add_f32 v14, v10, v11\nv_mul_f32 v15, v14, v12\nv_fma_f32 v16, v15, v11, v12\n"},
   {"dpp", false,
    "v_add_f32_dpp v14, v10, v11 row_shr:1 row_mask:0xf bank_mask:0xf\nv_mov_b32_dpp v15, v10 quad_perm:[1,0,3,2] "
    "row_mask:0xf bank_mask:0xf\n"},
   {"cross_lane", false,
    "v_readlane_b32 s5, v10, 3\nv_permlanex16_b32 v14, v10, s5, s4\nds_bpermute_b32 v15, v0, v10\n"},
   {"salu", false,
    "s_add_u32 s10, s10, s4\ns_lshl_b32 s11, s10, 2\ns_and_b64 s[16:17], s[8:9], vcc\ns_cmp_lt_u32 s10, s11\n"},
   {"smem", false, "s_load_b128 s[16:19], s[8:9], 0x40\ns_buffer_load_b32 s20, s[12:15], 0x10\ns_waitcnt lgkmcnt(0)\n"},
   {"lds", false, "ds_store_b32 v0, v10\nds_load_b32 v14, v0 offset:64\nds_load_b64 v[16:17], v0\n"},
   {"lds_atomic", false, "ds_add_u32 v0, v10\nds_max_rtn_u32 v14, v0, v10\n"},
   {"global", false,
    "global_load_b32 v14, v0, s[8:9]\nglobal_store_b32 v[2:3], v10, off offset:512\nglobal_load_b128 v[16:19], v[2:3], "
    "off\n"},
   {"global_full_exec", false, "global_load_b32 v14, v0, s[8:9]\nglobal_store_b32 v[2:3], v10, off offset:512\n"},
   {"global_atomic", false, "global_atomic_add_u32 v0, v10, s[8:9]\nglobal_atomic_max_u32 v14, v0, v10, s[8:9] glc\n"},
   {"buffer", false,
    "buffer_load_b32 v14, v0, s[12:15], 0 offen\nbuffer_store_b32 v10, v0, s[12:15], 0 offen offset:512\n"},
   {"scratch", false, "scratch_store_b32 off, v10, off offset:16\nscratch_load_b32 v14, off, off offset:16\n"},
};

#define BENCH_ROUNDS 20000
#define BENCH_SECONDS 0.05

/* The body a few times, so that the loop itself counts for little; the branch's target by hand, since llvm-mc's listing
 * leaves it to the linker. */
static unsigned
assemble_loop(const struct family *family, uint32_t *words, unsigned capacity)
{
   char text[4096] = "top:\n";
   size_t length = strlen(family->body), used = strlen(text);
   for (unsigned i = 0; i < 4 && used + length < sizeof text - 64; i++, used += length)
      strcpy(text + used, family->body);
   strcpy(text + used, "s_sub_u32 s6, s6, 1\ns_cbranch_scc0 top\n");
   unsigned count = box_assemble(text, !family->wave32, words, capacity);
   words[count - 1] = 0xbfa10000 | (uint16_t) - (int)count;
   return count;
}

static void
set_registers(bool wave32, uint64_t exec)
{
   struct wave *wave = &box.wave;
   box_reset(&box, !wave32);
   for (unsigned v = 0; v < BOX_VGPRS; v++) {
      for (unsigned l = 0; l < 64; l++) {
         float value = 0.5f + 0.001f * (float)(v + l);
         memcpy(&box.vgpr[v][l], &value, 4);
      }
   }
   for (unsigned l = 0; l < 64; l++) {
      uint64_t va = BOX_DATA_VA + l * 4;
      box.vgpr[0][l] = l * 4;
      box.vgpr[2][l] = (uint32_t)va;
      box.vgpr[3][l] = (uint32_t)(va >> 32);
   }
   wave->sreg[4] = 0x3f000000;
   wave->sreg[6] = BENCH_ROUNDS;
   wave->sreg[8] = (uint32_t)BOX_DATA_VA;
   wave->sreg[9] = (uint32_t)(BOX_DATA_VA >> 32);
   wave->sreg[12] = (uint32_t)BOX_DATA_VA;
   wave->sreg[13] = BOX_DATA_VA >> 32 & 0xffff;
   wave->sreg[14] = BOX_DATA_SIZE;
   wave->sreg[15] = 3u << 28 | 22 << 12; /* OOB_SELECT raw, 32_FLOAT */
   wave->sreg[SREG_EXEC_LO] = (uint32_t)exec;
   wave->sreg[SREG_EXEC_HI] = wave32 ? 0 : (uint32_t)(exec >> 32);
   wave->scratch_base = BOX_DATA_VA;
}

static double
now(void)
{
   struct timespec time;
   clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
   return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* 0 if it did not run to its end. */
static double
run(const struct family *family, const uint32_t *words, unsigned count, uint64_t exec)
{
   uint64_t executed = 0;
   double begin = now(), seconds;
   do {
      set_registers(family->wave32, exec);
      memcpy(box.code, words, count * 4);
      box.code[count] = 0xbfb00000;
      icache_invalidate(box.icache);
      enum isa_result result;
      do {
         uint32_t budget = 1u << 16, left = budget;
         result = wave_interpret(&box.wave, box.icache, &left);
         executed += budget - left;
      } while (result == ISA_NEXT);
      if (result != ISA_END)
         return 0;
      seconds = now() - begin;
   } while (seconds < BENCH_SECONDS);
   return (double)executed / seconds * 1e-6;
}

static void
report(const struct family *family, uint64_t exec, const char *suffix)
{
   uint32_t words[512];
   unsigned count = assemble_loop(family, words, 512);
   double most = 0;
   for (unsigned i = 0; i < 5; i++) {
      double rate = run(family, words, count, exec);
      most = rate > most ? rate : most;
   }
   printf("%s_minst_per_s%s %.1f\n", family->name, suffix, most);
}

int
main(int argc, char **argv)
{
   const uint64_t half = UINT64_C(0x5555555555555555), full = ~UINT64_C(0);
   box_init(&box, 0);
   for (unsigned i = 0; i < sizeof families / sizeof families[0]; i++) {
      const struct family *family = &families[i];
      if (argc > 1 && strcmp(argv[1], family->name))
         continue;
      report(family, strstr(family->name, "full_exec") ? full : half, "");
      if (i)
         continue;
      report(family, full, "_full_exec");
      isa_use_baseline(true);
      report(family, half, "_baseline");
      isa_use_baseline(false);
   }
   box_finish(&box);
   return 0;
}
