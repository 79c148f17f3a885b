/* SPDX-License-Identifier: MIT */
/* Waves that have not stopped, as registers show them. */
#include "fixture.h"

#include <errno.h>
#include <unistd.h>

#include "stop/private.h"

enum { CAPACITY = 64 };

static int
count_in_state(const struct hdb_live_wave *waves, int count, enum hdb_live_state state)
{
   int found = 0;
   for (int i = 0; i < count; i++)
      found += waves[i].state == state;
   return found;
}

static void
spinning(void **state)
{
   struct fixture f;
   struct hdb_live_wave waves[CAPACITY];
   setup_spin(&f, 64, 10);
   hdb_machine_arm(f.machine, &f.job->dispatch, 0);
   job_submit(f.card, f.job);
   assert_int_equal(stop_spinning(&f, 10), 10);
   assert_int_equal(hdb_machine_live_waves(f.machine, waves, CAPACITY), 0);

   /* One that runs is in its loop, in the slot that it stopped in. */
   struct hdb_wave *const *known;
   hdb_machine_waves(f.machine, &known);
   uint32_t slot = known[4]->slot, loop = find_word(f.shader, S_ADD_U32_S8_S8_1, 0);
   hdb_machine_resume(f.machine, known[4], HDB_RESUME_CONTINUE, 0, 0);
   int count = 0;
   for (int i = 0; i < 200; i++) { /* out of the handler, in the end */
      count = hdb_machine_live_waves(f.machine, waves, CAPACITY);
      if (count == 1 && waves[0].state == HDB_LIVE_RUNNING)
         break;
      usleep(1000);
   }
   assert_int_equal(count, 1);
   assert_int_equal(waves[0].state, HDB_LIVE_RUNNING);
   assert_int_equal(waves[0].slot, slot);
   assert_ptr_equal(waves[0].shader, f.shader);
   assert_in_range(waves[0].pc - f.shader->va, loop - 16, loop + 16);

   hdb_machine_resume_all(f.machine);
   for (int i = 0; i < 200 && count_in_state(waves, count, HDB_LIVE_RUNNING) < 10; i++) {
      count = hdb_machine_live_waves(f.machine, waves, CAPACITY);
      usleep(1000);
   }
   assert_int_equal(count_in_state(waves, count, HDB_LIVE_RUNNING), 10);
   assert_int_equal(hdb_machine_live_waves(f.machine, waves, 3), 10); /* there are more than asked for */
   set_flag(&f, 1);
   assert_true(job_wait(f.card, f.job, 5000));
   teardown(&f);
}

static void
unarmed(void **state)
{
   struct fixture f;
   struct hdb_live_wave waves[CAPACITY];
   setup_spin(&f, 32, 3);
   assert_int_equal(hdb_machine_live_waves(f.machine, waves, CAPACITY), -ENOTSUP); /* nothing is installed yet */
   hdb_machine_arm(f.machine, &f.job->dispatch, 0);
   hdb_machine_disarm(f.machine, &f.job->dispatch);
   job_submit(f.card, f.job);
   while (hdb_machine_resident_waves(f.machine) < 6)
      usleep(1000);
   assert_int_equal(hdb_machine_stop_all(f.machine), 0);
   int count = hdb_machine_live_waves(f.machine, waves, CAPACITY);
   assert_int_equal(count, 6);
   assert_int_equal(count_in_state(waves, count, HDB_LIVE_UNARMED), 6);
   for (int i = 0; i < count; i++)
      assert_ptr_equal(waves[i].shader, f.shader);
   hdb_machine_resume_all(f.machine);
   set_flag(&f, 1);
   assert_true(job_wait(f.card, f.job, 5000));
   teardown(&f);
}

/* Three of four wait in the barrier for the one that is stopped before it. */
static void
in_a_barrier(void **state)
{
   struct fixture f;
   struct hdb_live_wave waves[CAPACITY];
   setup(&f, reduce32, reduce32_size, 32, 128, TGID_X | TGID_Y | 1 << 9 | TG_SIZE, (uint32_t[]){1, 1, 1});
   uint32_t barrier = find_word(f.shader, S_BARRIER, 0);
   assert_int_equal(hdb_machine_plant(f.machine, f.shader, barrier), 0);
   hdb_machine_arm(f.machine, &f.job->dispatch, 0);
   job_submit(f.card, f.job);
   while (count_stopped(&f) < 4)
      assert_true(hdb_machine_wait(f.machine, 2000) >= 0);
   struct hdb_wave *const *known;
   assert_int_equal(hdb_machine_waves(f.machine, &known), 4);
   for (int i = 0; i < 3; i++)
      hdb_machine_resume(f.machine, known[i], HDB_RESUME_CONTINUE, 0, 0);
   int count = 0;
   for (int i = 0; i < 500 && count_in_state(waves, count, HDB_LIVE_BARRIER) < 3; i++) {
      count = hdb_machine_live_waves(f.machine, waves, CAPACITY);
      usleep(1000);
   }
   assert_int_equal(count_in_state(waves, count, HDB_LIVE_BARRIER), 3);
   hdb_machine_unplant(f.machine, f.shader, barrier);
   while (!job_is_done(f.card, f.job)) {
      hdb_machine_wait(f.machine, 1);
      hdb_machine_resume_all(f.machine);
   }
   teardown(&f);
}

/* ---- the VMID that a wave has ---- */

static uint32_t followed;

static int
follow(struct hdb_target *target, uint32_t vmid)
{
   followed = vmid;
   return 0;
}

/* HW_ID2 of a wave that stops tells another VMID than what was reserved: the machine follows where the target does. */
static void
another_vmid(void **state)
{
   for (int follows = 0; follows <= 1; follows++) {
      struct fixture f;
      setup_spin(&f, 64, 2);
      struct hdb_target_ops ops = *f.card->target->ops;
      if (follows)
         ops.note_vmid = follow;
      f.card->target->ops = &ops;
      hdb_machine_arm(f.machine, &f.job->dispatch, HDB_ARM_STOP_AT_ENTRY);
      uint32_t vmid = f.machine->trap.vmid;
      f.machine->trap.vmid = vmid + 1; /* as if that had been found */
      job_submit(f.card, f.job);
      int result = 1;
      while (result >= 0 && count_stopped(&f) < 2)
         result = hdb_machine_wait(f.machine, 2000);
      if (follows) {
         assert_int_equal(followed, vmid);
         assert_int_equal(f.machine->trap.vmid, vmid);
      } else {
         hdb_machine_wait(f.machine, 0);
         assert_int_equal(f.machine->failure, -EPERM);
         f.machine->trap.vmid = vmid;
         f.machine->failure = 0;
      }
      hdb_machine_resume_all(f.machine);
      set_flag(&f, 1);
      while (!job_is_done(f.card, f.job)) {
         hdb_machine_wait(f.machine, 1);
         hdb_machine_resume_all(f.machine);
      }
      hdb_machine_destroy(f.machine);
      f.machine = f.card->machine = NULL;
      teardown(&f);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(spinning),
      cmocka_unit_test(unarmed),
      cmocka_unit_test(in_a_barrier),
      cmocka_unit_test(another_vmid),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
