/* SPDX-License-Identifier: MIT */
/*
 * Whatever decodes is executed once on random registers, with memory and LDS within reach now and then. Nothing may
 * crash, and what an instruction must not touch has to stay: NULL, other registers' allocation, lanes that are off.
 */
#include <string.h>

#include "encodings.h"
#include "wave_box.h"

static struct random values = {987654321};

static void
randomise(bool wave64)
{
   struct wave *wave = &box.wave;
   box_reset(&box, wave64);
   for (unsigned v = 0; v < BOX_VGPRS; v++) {
      for (unsigned l = 0; l < 64; l++) {
         unsigned kind = random_bits(&values, 3);
         box.vgpr[v][l] = kind < 4    ? random_bits(&values, 32)
                          : kind == 4 ? random_bits(&values, 12)
                          : kind == 5 ? (uint32_t)(BOX_DATA_VA >> 32)
                                      : 0x7f800000 | random_bits(&values, 2) << 20;
      }
   }
   for (unsigned i = 0; i < SREG_COUNT; i++)
      wave->sreg[i] = i == SREG_NULL ? 0 : i & 1 ? (uint32_t)(BOX_DATA_VA >> 32) : random_bits(&values, 14);
   wave->scc = random_bits(&values, 1);
   wave->priv = random_bits(&values, 1);
   wave->mode = random_bits(&values, 10);
   wave->reads_exceptions = random_bits(&values, 1);
   wave->sh_mem_bases = 0x00010002;
   wave->scratch_base = BOX_DATA_VA;
   wave->status = STATUS_TRAP_EN | STATUS_VALID;
}

struct tally {
   bool wave64;
   unsigned ran, trapped;
};

static void
run_once(void *user, const struct encoding *encoding)
{
   struct tally *tally = user;
   struct inst inst;
   if (isa_decode(encoding->word, sizeof encoding->word, tally->wave64, &inst))
      return;
   randomise(tally->wave64);
   uint32_t(*before)[64] = box.vgpr;
   uint32_t off = box.vgpr[BOX_VGPRS - 1][63];
   box.wave.sreg[SREG_EXEC_HI] &= 0x7fffffff; /* lane 63 is off */
   memcpy(box.code, encoding->word, sizeof encoding->word);
   icache_invalidate(box.icache);
   uint32_t budget = 1;
   enum isa_result result = wave_interpret(&box.wave, box.icache, &budget);
   tally->ran++;
   tally->trapped += result == ISA_TRAP;
   assert_int_equal(budget, 0);
   assert_int_equal(box.wave.sreg[SREG_NULL], 0);
   assert_ptr_equal(box.wave.vgpr, before);
   assert_int_equal(box.wave.vgpr_count, BOX_VGPRS);
   assert_int_equal(box.wave.pc & 3, 0);
   bool writes_any_lane = inst.op && (strstr(inst.op->name, "v_writelane"));
   if (!writes_any_lane)
      assert_int_equal(box.vgpr[BOX_VGPRS - 1][63], off);
}

static void
test_anything(void **state)
{
   for (unsigned wave64 = 0; wave64 < 2; wave64++) {
      struct tally tally = {.wave64 = wave64};
      struct random random = {4711 + wave64};
      encodings_each(&random, 12, run_once, &tally);
      print_message("%u executed, %u of them trapped\n", tally.ran, tally.trapped);
      assert_true(tally.ran > 5000);
      assert_true(tally.trapped < tally.ran / 2);
   }
}

BOX_TESTS(cmocka_unit_test(test_anything))
