/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <errno.h>
#include <unistd.h>

#include "target/registers.h"
#include "trap/layout.h"

/* ---- arming ---- */

static void
arming_restores_words(void **state)
{
   struct fixture f;
   setup_branches(&f, 64);
   uint32_t rsrc2 = *f.job->dispatch.rsrc2_dword, rsrc3 = *f.job->dispatch.rsrc3_dword;
   assert_null(hdb_machine_problem(f.machine));
   assert_int_equal(hdb_machine_arm(f.machine, &f.job->dispatch, HDB_ARM_STOP_AT_ENTRY), 0);
   assert_int_equal(hdb_machine_arm(f.machine, &f.job->dispatch, 0), 0);
   assert_true(*f.job->dispatch.rsrc2_dword & RSRC2_TRAP_PRESENT);
   assert_true(*f.job->dispatch.rsrc3_dword & RSRC3_TRAP_ON_START);
   hdb_machine_disarm(f.machine, &f.job->dispatch);
   assert_true(*f.job->dispatch.rsrc2_dword & RSRC2_TRAP_PRESENT);
   hdb_machine_disarm(f.machine, &f.job->dispatch);
   assert_int_equal(*f.job->dispatch.rsrc2_dword, rsrc2);
   assert_int_equal(*f.job->dispatch.rsrc3_dword, rsrc3);
   hdb_machine_disarm(f.machine, &f.job->dispatch);
   job_submit(f.card, f.job);
   check_branches(&f);
   assert_int_equal(hdb_machine_wait(f.machine, 0), 0);

   struct hdb_dispatch unknown = f.job->dispatch;
   unknown.shader_id = 12345678;
   assert_int_equal(hdb_machine_arm(f.machine, &unknown, 0), -ENOENT);
   teardown(&f);
}

/* Where waves would pass over a trap, none is planted; where some begin to run that would, it is taken out. */
static void
entry_traps_give_way(void **state)
{
   struct fixture f;
   setup_branches(&f, 64);
   hdb_machine_use_entry_traps(f.machine, true);
   uint32_t first = *(uint32_t *)f.shader->code;
   hdb_machine_arm(f.machine, &f.job->dispatch, HDB_ARM_STOP_AT_ENTRY | HDB_ARM_NO_PLANT);
   assert_int_equal(*(uint32_t *)f.shader->code, first);
   assert_true(*f.job->dispatch.rsrc3_dword & RSRC3_TRAP_ON_START);
   job_submit(f.card, f.job);
   uint32_t stops = 0;
   while (card_wait_stop(f.card, f.job)) {
      assert_int_equal(card_first_stopped(f.card)->cause, HDB_STOP_ENTRY);
      hdb_machine_resume(f.machine, card_first_stopped(f.card), HDB_RESUME_CONTINUE, 0, 0);
      stops++;
   }
   assert_int_equal(stops, 4);
   check_branches(&f);
   hdb_machine_disarm(f.machine, &f.job->dispatch);

   hdb_machine_arm(f.machine, &f.job->dispatch, HDB_ARM_STOP_AT_ENTRY);
   assert_int_equal(*(uint32_t *)f.shader->code, 0xbf900000 | TRAP_ENTRY);
   assert_false(*f.job->dispatch.rsrc3_dword & RSRC3_TRAP_ON_START);
   assert_true(hdb_machine_has_plants(f.machine, f.shader));
   hdb_machine_drop_entry_traps(f.machine, f.shader);
   assert_int_equal(*(uint32_t *)f.shader->code, first);
   assert_false(hdb_machine_has_plants(f.machine, f.shader));
   job_submit(f.card, f.job);
   assert_false(card_wait_stop(f.card, f.job));
   check_branches(&f);
   hdb_machine_disarm(f.machine, &f.job->dispatch); /* and nothing more to take out */
   assert_int_equal(*(uint32_t *)f.shader->code, first);
   teardown(&f);
}

/* A host trap that comes before the first instruction comes before the trap there. */
static void
halts_name_their_workgroup(void **state)
{
   uint32_t early = 0;
   for (int i = 0; i < 60; i++) {
      struct fixture f;
      setup_spin(&f, 64, 40);
      hdb_machine_use_entry_traps(f.machine, true);
      hdb_machine_arm(f.machine, &f.job->dispatch, 0);
      job_submit(f.card, f.job);
      while (hdb_machine_resident_waves(f.machine) == 0)
         continue;
      usleep(i * 5);
      assert_true(hdb_machine_stop_all(f.machine) >= 0);
      struct hdb_wave *const *waves;
      size_t count = hdb_machine_waves(f.machine, &waves);
      for (size_t w = 0; w < count; w++) {
         assert_true(waves[w]->workgroup_known);
         assert_true(waves[w]->workgroup[0] < 40);
         early += waves[w]->pc == f.shader->va;
      }
      set_flag(&f, 1);
      while (!job_is_done(f.card, f.job)) {
         hdb_machine_wait(f.machine, 1);
         hdb_machine_resume_all(f.machine);
      }
      assert_int_equal(*at(&f, OUTPUT), 40 * 5);
      teardown(&f);
   }
   assert_true(early > 0);
}

static void
entry_stops_name_their_workgroup(void **state)
{
   /* by TRAP_ON_START, then by a planted trap */
   for (int i = 0; i < 4; i++) {
      struct fixture f;
      uint32_t wave_size = i % 2 ? 64 : 32;
      bool entry_traps = i / 2;
      setup_branches(&f, wave_size);
      hdb_machine_use_entry_traps(f.machine, entry_traps);
      hdb_machine_arm(f.machine, &f.job->dispatch, HDB_ARM_STOP_AT_ENTRY);
      job_submit(f.card, f.job);
      bool seen[4][2] = {0};
      uint32_t stops = 0;
      while (card_wait_stop(f.card, f.job)) {
         struct hdb_wave *wave = card_first_stopped(f.card);
         assert_int_equal(wave->cause, HDB_STOP_ENTRY);
         assert_ptr_equal(wave->shader, f.shader);
         assert_int_equal(wave->pc, f.shader->va);
         assert_int_equal(wave->wave_size, wave_size);
         assert_true(wave->workgroup_known);
         assert_true(wave->workgroup[0] < 4 && !wave->workgroup[1] && !wave->workgroup[2] && wave->index < 2);
         assert_false(seen[wave->workgroup[0]][wave->index]);
         seen[wave->workgroup[0]][wave->index] = true;
         stops++;
         hdb_machine_resume(f.machine, wave, HDB_RESUME_CONTINUE, 0, 0);
      }
      assert_int_equal(stops, 4 * 64 / wave_size);
      check_branches(&f);
      assert_int_equal(hdb_machine_has_plants(f.machine, f.shader), entry_traps);
      hdb_machine_disarm(f.machine, &f.job->dispatch);
      assert_false(hdb_machine_has_plants(f.machine, f.shader));
      assert_int_equal(*f.job->dispatch.rsrc3_dword, 0);
      job_submit(f.card, f.job);
      check_branches(&f);
      teardown(&f);
   }
}

/* A breakpoint at the first instruction, where a TRAP_ENTRY stands already. */
static void
breakpoint_at_a_planted_entry(void **state)
{
   struct fixture f;
   setup_branches(&f, 32);
   hdb_machine_use_entry_traps(f.machine, true);
   hdb_machine_set_workgroup_filter(f.machine, (uint32_t[]){3, 0, 0});
   hdb_machine_arm(f.machine, &f.job->dispatch, 0);
   for (int planted = 0; planted < 2; planted++) {
      if (planted)
         assert_int_equal(hdb_machine_plant(f.machine, f.shader, 0), 0);
      job_submit(f.card, f.job);
      uint32_t stops = 0;
      while (card_wait_stop(f.card, f.job)) {
         struct hdb_wave *wave = card_first_stopped(f.card);
         assert_int_equal(wave->cause, HDB_STOP_BREAKPOINT);
         assert_int_equal(wave->workgroup[0], 3);
         stops++;
         hdb_machine_resume(f.machine, wave, HDB_RESUME_CONTINUE, 0, 0);
      }
      assert_int_equal(stops, planted ? 2 : 0);
      check_branches(&f);
   }
   hdb_machine_unplant(f.machine, f.shader, 0);
   job_submit(f.card, f.job);
   check_branches(&f);
   assert_int_equal(hdb_machine_wait(f.machine, 0), 0);
   teardown(&f);
}

static void
filter_stops_one_workgroup(void **state)
{
   struct fixture f;
   setup_branches(&f, 32);
   hdb_machine_use_entry_traps(f.machine, *state);
   hdb_machine_set_workgroup_filter(f.machine, (uint32_t[]){2, 0, 0});
   hdb_machine_arm(f.machine, &f.job->dispatch, HDB_ARM_STOP_AT_ENTRY);
   assert_int_equal(hdb_machine_plant(f.machine, f.shader, 0x10), 0);
   job_submit(f.card, f.job);
   uint32_t entries = 0, breakpoints = 0;
   while (card_wait_stop(f.card, f.job)) {
      struct hdb_wave *wave = card_first_stopped(f.card);
      assert_int_equal(wave->workgroup[0], 2);
      entries += wave->cause == HDB_STOP_ENTRY;
      breakpoints += wave->cause == HDB_STOP_BREAKPOINT;
      hdb_machine_resume(f.machine, wave, HDB_RESUME_CONTINUE, 0, 0);
   }
   assert_int_equal(entries, 2);
   assert_int_equal(breakpoints, 2);
   check_branches(&f);
   teardown(&f);
}

/* The handler finds the right one of many shaders. */
static void
many_shaders(void **state)
{
   enum { COUNT = 37 };
   struct fixture f;
   setup_branches(&f, 64);
   struct program *programs[COUNT];
   struct job *jobs[COUNT];
   for (int i = 0; i < COUNT; i++) {
      programs[i] = program_create(f.card, &(struct program_options){
                                              .code = branches64,
                                              .code_size = branches64_size,
                                              .wave_size = 64,
                                              .workgroup_size = {64, 1, 1},
                                              .vgprs = 16,
                                              .launch_sgprs = TGID_X | (i % 2 ? TG_SIZE : 0),
                                           });
      jobs[i] = job_create(f.card, programs[i], (uint32_t[]){4, 1, 1}, f.data.va);
      assert_int_equal(hdb_machine_arm(f.machine, &jobs[i]->dispatch, HDB_ARM_STOP_AT_ENTRY), 0);
      assert_int_equal(hdb_machine_plant(f.machine, &programs[i]->shader, 0x10), 0);
   }
   for (int i = 0; i < COUNT; i++) {
      hdb_machine_set_workgroup_filter(f.machine, (uint32_t[]){i % 4, 0, 0});
      job_submit(f.card, jobs[i]);
      uint32_t stops = 0;
      while (card_wait_stop(f.card, jobs[i])) {
         struct hdb_wave *wave = card_first_stopped(f.card);
         assert_ptr_equal(wave->shader, &programs[i]->shader);
         assert_true(wave->workgroup_known);
         assert_int_equal(wave->workgroup[0], i % 4);
         stops++;
         hdb_machine_resume(f.machine, wave, HDB_RESUME_CONTINUE, 0, 0);
      }
      assert_int_equal(stops, 2);
      f.job->sequence = jobs[i]->sequence;
      check_branches(&f);
      hdb_machine_disarm(f.machine, &jobs[i]->dispatch);
      job_destroy(f.card, jobs[i]);
      program_destroy(f.card, programs[i]);
   }
   teardown(&f);
}

/* ---- planting ---- */

static void
unplant_everywhere(struct fixture *f)
{
   for (uint32_t pc = 0; pc < f->shader->exec_size; pc += 4)
      hdb_machine_unplant(f->machine, f->shader, pc);
}

static void
traps_everywhere_are_passed(void **state)
{
   for (uint32_t wave_size = 32; wave_size <= 64; wave_size += 32) {
      struct fixture f;
      uint32_t planted;
      setup_branches(&f, wave_size);
      hdb_machine_use_entry_traps(f.machine, *state);
      assert_false(hdb_machine_has_plants(f.machine, f.shader));
      plant_everywhere(&f, &planted);
      assert_int_equal(planted, 51);
      assert_true(hdb_machine_has_plants(f.machine, f.shader));

      /* on the GPU, because of the filter */
      hdb_machine_set_workgroup_filter(f.machine, (uint32_t[]){99, 0, 0});
      hdb_machine_arm(f.machine, &f.job->dispatch, 0);
      job_submit(f.card, f.job);
      check_branches(&f);
      assert_int_equal(hdb_machine_wait(f.machine, 0), 0);

      /* through the host */
      hdb_machine_set_workgroup_filter(f.machine, NULL);
      job_submit(f.card, f.job);
      uint32_t stops = 0;
      while (card_wait_stop(f.card, f.job)) {
         struct hdb_wave *wave = card_first_stopped(f.card);
         assert_int_equal(wave->cause, HDB_STOP_BREAKPOINT);
         stops++;
         hdb_machine_resume(f.machine, wave, HDB_RESUME_CONTINUE, 0, 0);
      }
      check_branches(&f);
      assert_int_equal(stops, 67 * 4 * 64 / wave_size); /* all that it runs, but the s_endpgm after dealloc */

      /* and step by step: the same places */
      job_submit(f.card, f.job);
      uint32_t steps = 0;
      while (card_wait_stop(f.card, f.job)) {
         struct hdb_wave *wave = card_first_stopped(f.card);
         assert_true(wave->pc - f.shader->va < f.shader->exec_size);
         assert_int_equal(wave->cause, wave->pc == f.shader->va ? HDB_STOP_BREAKPOINT : HDB_STOP_STEP);
         steps++;
         hdb_machine_resume(f.machine, wave, HDB_RESUME_STEP, 0, 0);
      }
      check_branches(&f);
      assert_true(steps >= stops);

      unplant_everywhere(&f);
      hdb_machine_disarm(f.machine, &f.job->dispatch);
      assert_false(hdb_machine_has_plants(f.machine, f.shader));
      assert_memory_equal(f.shader->code, wave_size == 64 ? branches64 : branches32, f.shader->exec_size);
      job_submit(f.card, f.job);
      check_branches(&f);
      teardown(&f);
   }
}

static void
plants_are_counted_and_hidden(void **state)
{
   struct fixture f;
   setup_branches(&f, 64);
   uint32_t *code = f.shader->code;
   uint32_t original = code[4], word;
   assert_int_equal(hdb_machine_plant(f.machine, f.shader, 0x10), 0);
   assert_int_equal(hdb_machine_plant(f.machine, f.shader, 0x10), 0);
   assert_int_equal(code[4], S_TRAP1);
   assert_int_equal(hdb_machine_read_memory(f.machine, f.shader->va + 0x10, &word, 4), 0);
   assert_int_equal(word, original);
   assert_int_equal(hdb_machine_read_memory(f.machine, f.shader->va + 0x12, &word, 2), 0);
   assert_int_equal((uint16_t)word, original >> 16);
   assert_int_equal(hdb_machine_write_memory(f.machine, f.shader->va + 0x20, &word, 4), -EBUSY);
   assert_int_equal(hdb_machine_read_memory(f.machine, 0xffff8007deadb000, &word, 4), -EFAULT);
   hdb_machine_unplant(f.machine, f.shader, 0x10);
   assert_int_equal(code[4], S_TRAP1);
   hdb_machine_unplant(f.machine, f.shader, 0x10);
   assert_int_equal(code[4], original);
   hdb_machine_unplant(f.machine, f.shader, 0x10);
   assert_int_equal(code[4], original);
   assert_int_equal(hdb_machine_plant(f.machine, f.shader, 4), -EINVAL); /* inside the first instruction */
   teardown(&f);
}

/* A clause of two: its s_clause is out of force as long as a trap is behind it, and out of sight. */
static void
clauses_are_opened(void **state)
{
   struct fixture f;
   setup_branches(&f, 64);
   uint32_t *code = f.shader->code, clause = find_word(f.shader, S_CLAUSE_1, 0), i = clause / 4, word;
   assert_int_equal(hdb_machine_plant(f.machine, f.shader, clause + 20), 0); /* behind it */
   assert_int_equal(code[i], S_CLAUSE_1);
   assert_int_equal(hdb_machine_plant(f.machine, f.shader, clause + 12), 0);
   assert_int_equal(code[i], S_NOP);
   assert_int_equal(code[i + 3], S_TRAP1);
   assert_int_equal(hdb_machine_read_memory(f.machine, f.shader->va + clause, &word, 4), 0);
   assert_int_equal(word, S_CLAUSE_1);

   hdb_machine_arm(f.machine, &f.job->dispatch, 0);
   job_submit(f.card, f.job);
   uint32_t stops[2] = {0};
   while (card_wait_stop(f.card, f.job)) {
      struct hdb_wave *wave = card_first_stopped(f.card);
      uint64_t behind = wave->pc - f.shader->va - clause;
      assert_true(behind == 12 || behind == 20);
      stops[behind == 20]++;
      hdb_machine_resume(f.machine, wave, HDB_RESUME_CONTINUE, 0, 0);
   }
   assert_int_equal(stops[0], 4);
   assert_int_equal(stops[1], 4);
   check_branches(&f);
   hdb_machine_disarm(f.machine, &f.job->dispatch);

   assert_int_equal(hdb_machine_plant(f.machine, f.shader, clause), 0);
   assert_int_equal(hdb_machine_plant(f.machine, f.shader, clause + 4), 0);
   assert_int_equal(code[i], S_TRAP1);
   hdb_machine_unplant(f.machine, f.shader, clause);
   hdb_machine_unplant(f.machine, f.shader, clause + 12);
   assert_int_equal(code[i], S_NOP);
   hdb_machine_unplant(f.machine, f.shader, clause + 4);
   assert_int_equal(code[i], S_CLAUSE_1);
   hdb_machine_unplant(f.machine, f.shader, clause + 20);
   assert_memory_equal(f.shader->code, branches64, f.shader->exec_size);

   /* With all traps at once. */
   assert_int_equal(hdb_machine_plant(f.machine, f.shader, clause + 12), 0);
   assert_int_equal(hdb_machine_plant(f.machine, f.shader, clause), 0);
   hdb_machine_give_up(f.machine);
   assert_memory_equal(f.shader->code, branches64, f.shader->exec_size);
   teardown(&f);
}

/* Waves that run have the code in their instruction cache: a host trap makes them look again. */
static void
plant_under_running_waves(void **state)
{
   struct fixture f;
   setup_spin(&f, 64, 6);
   uint32_t loop = find_word(f.shader, S_ADD_U32_S8_S8_1, 0);
   hdb_machine_arm(f.machine, &f.job->dispatch, 0);
   job_submit(f.card, f.job);
   usleep(5000);
   assert_int_equal(hdb_machine_plant(f.machine, f.shader, loop), 0);
   for (int i = 0; i < 50; i++) {
      struct hdb_wave *wave = wait_stop(&f);
      assert_int_equal(wave->cause, HDB_STOP_BREAKPOINT);
      assert_int_equal(wave->pc, f.shader->va + loop);
      hdb_machine_resume(f.machine, wave, HDB_RESUME_CONTINUE, 0, 0);
   }
   hdb_machine_unplant(f.machine, f.shader, loop);
   set_flag(&f, 1);
   while (card_wait_stop(f.card, f.job))
      hdb_machine_resume_all(f.machine);
   assert_true(job_wait(f.card, f.job, 2000));
   assert_int_equal(*at(&f, OUTPUT), 6 * 5);
   teardown(&f);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(arming_restores_words),
      cmocka_unit_test(entry_stops_name_their_workgroup),
      cmocka_unit_test(entry_traps_give_way),
      cmocka_unit_test(halts_name_their_workgroup),
      cmocka_unit_test(breakpoint_at_a_planted_entry),
      cmocka_unit_test(filter_stops_one_workgroup),
      cmocka_unit_test_prestate(filter_stops_one_workgroup, "entry traps"),
      cmocka_unit_test(many_shaders),
      cmocka_unit_test(traps_everywhere_are_passed),
      cmocka_unit_test_prestate(traps_everywhere_are_passed, "entry traps"),
      cmocka_unit_test(plants_are_counted_and_hidden),
      cmocka_unit_test(clauses_are_opened),
      cmocka_unit_test(plant_under_running_waves),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
