/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include <amdgpu_drm.h>

#include "stop/private.h"

/* ---- stopping and stepping ---- */

static void
stop_all_and_resume(void **state)
{
   for (uint32_t wave_size = 32; wave_size <= 64; wave_size += 32) {
      struct fixture f;
      setup_spin(&f, wave_size, 10);
      uint32_t per_group = 64 / wave_size;
      hdb_machine_arm(f.machine, &f.job->dispatch, 0);
      job_submit(f.card, f.job);
      assert_int_equal(stop_spinning(&f, 10 * per_group), 10 * per_group);
      assert_int_equal(hdb_machine_resident_waves(f.machine), 10 * per_group);
      assert_int_equal(count_stopped(&f), 10 * per_group);
      struct hdb_wave *const *waves;
      size_t count = hdb_machine_waves(f.machine, &waves);
      for (size_t i = 0; i < count; i++) {
         assert_int_equal(waves[i]->cause, HDB_STOP_HALT);
         assert_int_equal(waves[i]->workgroup[0], i / per_group); /* sorted */
         assert_int_equal(waves[i]->index, i % per_group);
      }
      /* One of them counts on, the others don't move. */
      uint32_t before, after, id = waves[3]->id;
      hdb_wave_read_scalar(f.machine, waves[3], 8, &before);
      for (int i = 0; i < 20; i++) {
         hdb_machine_resume(f.machine, hdb_machine_find_wave(f.machine, id), HDB_RESUME_STEP, 0, 0);
         assert_int_equal(hdb_machine_wait(f.machine, 1000), 1);
         assert_int_equal(hdb_machine_find_wave(f.machine, id)->cause, HDB_STOP_STEP);
      }
      hdb_wave_read_scalar(f.machine, hdb_machine_find_wave(f.machine, id), 8, &after);
      assert_int_equal(after - before, 4); /* five instructions a round */
      set_flag(&f, 1);
      hdb_machine_resume_all(f.machine);
      assert_true(job_wait(f.card, f.job, 5000));
      assert_int_equal(*at(&f, OUTPUT), 10 * per_group * 5);
      hdb_machine_wait(f.machine, 0);
      assert_int_equal(hdb_machine_waves(f.machine, &waves), 0);
      assert_int_equal(hdb_machine_resident_waves(f.machine), 0);
      teardown(&f);
   }
}

static void
range_steps_stay_on_the_gpu(void **state)
{
   struct fixture f;
   setup_branches(&f, 64);
   hdb_machine_arm(f.machine, &f.job->dispatch, HDB_ARM_STOP_AT_ENTRY);
   hdb_machine_set_workgroup_filter(f.machine, (uint32_t[]){1, 0, 0});
   job_submit(f.card, f.job);
   struct hdb_wave *wave = wait_stop(&f);
   /* Over the loop of five rounds, from inside it, to the instruction behind. */
   uint64_t low = f.shader->va + find_word(f.shader, 0x4a0a0a81, 0); /* v_add_nc_u32 v5, 1, v5, as LLVM commutes it */
   uint64_t high = low + 4 * 4;
   hdb_machine_resume(f.machine, wave, HDB_RESUME_STEP_RANGE, f.shader->va, low);
   wave = wait_stop(&f);
   while (wave->pc != low) { /* s_setpc and s_call leave and enter the range's code anew */
      hdb_machine_resume(f.machine, wave, HDB_RESUME_STEP, 0, 0);
      wave = wait_stop(&f);
   }
   uint32_t lanes[64];
   hdb_machine_resume(f.machine, wave, HDB_RESUME_STEP_RANGE, low, high);
   wave = wait_stop(&f);
   assert_int_equal(wave->cause, HDB_STOP_STEP);
   assert_true(wave->pc >= high);
   hdb_wave_read_vgpr(f.machine, wave, 5, lanes);
   assert_int_equal(lanes[17], 5);
   hdb_machine_resume_all(f.machine);
   check_branches(&f);
   teardown(&f);
}

static void
end_of_a_stepped_wave(void **state)
{
   struct fixture f;
   setup_spin(&f, 64, 1);
   set_flag(&f, 1);
   hdb_machine_arm(f.machine, &f.job->dispatch, HDB_ARM_STOP_AT_ENTRY);
   job_submit(f.card, f.job);
   uint32_t id = wait_stop(&f)->id, steps = 0;
   struct hdb_wave *wave;
   while ((wave = hdb_machine_find_wave(f.machine, id))) {
      assert_int_equal(wave->run, HDB_WAVE_STOPPED);
      hdb_machine_resume(f.machine, wave, HDB_RESUME_STEP, 0, 0);
      assert_int_equal(hdb_machine_wait(f.machine, 1000), 1);
      steps++;
   }
   assert_true(steps > 15 && steps < 40);
   assert_true(job_wait(f.card, f.job, 1000));
   teardown(&f);
}

static void
stepping_over_a_barrier(void **state)
{
   for (uint32_t wave_size = 32; wave_size <= 64; wave_size += 32) {
      struct fixture f;
      uint32_t launch = TGID_X | TGID_Y | 1 << 9 | TG_SIZE;
      if (wave_size == 64)
         setup(&f, reduce64, reduce64_size, 64, 128, launch, (uint32_t[]){2, 1, 1});
      else
         setup(&f, reduce32, reduce32_size, 32, 128, launch, (uint32_t[]){2, 1, 1});
      hdb_machine_arm(f.machine, &f.job->dispatch, HDB_ARM_STOP_AT_ENTRY);
      job_submit(f.card, f.job);
      wait_stop(&f);
      hdb_machine_stop_all(f.machine);
      uint64_t behind = f.shader->va + find_word(f.shader, S_BARRIER, 0) + 4;
      struct hdb_wave *const *waves;
      hdb_machine_waves(f.machine, &waves);
      uint32_t id = waves[1]->id;
      struct hdb_wave *wave;
      do {
         wave = hdb_machine_find_wave(f.machine, id);
         hdb_machine_resume(f.machine, wave, HDB_RESUME_STEP, 0, 0);
         assert_int_equal(hdb_machine_wait(f.machine, 2000), 1);
         wave = hdb_machine_find_wave(f.machine, id);
         assert_int_equal(wave->run, HDB_WAVE_STOPPED);
      } while (wave->pc != behind);
      size_t count = hdb_machine_waves(f.machine, &waves);
      for (size_t i = 0; i < count; i++)
         if (waves[i]->workgroup[0] == wave->workgroup[0]) {
            assert_int_equal(waves[i]->run, HDB_WAVE_STOPPED);
            assert_int_equal(waves[i]->pc, behind);
         } else {
            assert_int_equal(waves[i]->pc, f.shader->va);
         }
      assert_false(hdb_machine_has_plants(f.machine, f.shader));
      hdb_machine_set_entry_stops(f.machine, false);
      hdb_machine_resume_all(f.machine);
      assert_true(job_wait(f.card, f.job, 5000));
      for (uint32_t group = 0; group < 2; group++) {
         uint32_t sum = 0;
         for (uint32_t i = 0; i < 128; i++)
            sum += (group * 128 + i) * 77;
         assert_int_equal(at(&f, OUTPUT)[group], sum);
      }
      teardown(&f);
   }
}

/* ---- state ---- */

static void
edits_take_effect(void **state)
{
   struct fixture f;
   setup_spin(&f, 32, 1);
   hdb_machine_arm(f.machine, &f.job->dispatch, 0);
   job_submit(f.card, f.job);
   stop_spinning(&f, 2);
   struct hdb_wave *const *waves;
   hdb_machine_waves(f.machine, &waves);
   assert_int_equal(hdb_wave_write_vgpr(f.machine, waves[0], 1, 0, 1000), 0);
   assert_int_equal(hdb_wave_write_vgpr(f.machine, waves[1], 1, 0, 200), 0);
   assert_int_equal(hdb_wave_write_vgpr(f.machine, waves[1], 1, 32, 7), -EINVAL);
   assert_int_equal(hdb_wave_write_vgpr(f.machine, waves[1], 16, 0, 7), -EINVAL);
   assert_int_equal(hdb_wave_write_scalar(f.machine, waves[0], 105, 0xabcd), 0);
   assert_int_equal(hdb_wave_write_scalar(f.machine, waves[0], 107, 0x107), 0);
   assert_int_equal(hdb_wave_write_scalar(f.machine, waves[0], 125, 0x125), 0);
   assert_int_equal(hdb_wave_write_scalar(f.machine, waves[0], 108, 0), -EINVAL);
   uint32_t id = waves[0]->id, value;
   hdb_machine_resume(f.machine, waves[0], HDB_RESUME_STEP, 0, 0);
   assert_int_equal(hdb_machine_wait(f.machine, 1000), 1);
   struct hdb_wave *wave = hdb_machine_find_wave(f.machine, id);
   hdb_wave_read_scalar(f.machine, wave, 105, &value);
   assert_int_equal(value, 0xabcd);
   hdb_wave_read_scalar(f.machine, wave, 107, &value);
   assert_int_equal(value, 0x107);
   hdb_wave_read_scalar(f.machine, wave, 125, &value);
   assert_int_equal(value, 0x125);

   /* s8 counts on from what was written; the pc goes where it was set */
   hdb_wave_write_scalar(f.machine, wave, 8, 5000);
   hdb_wave_set_pc(f.machine, wave, f.shader->va + find_word(f.shader, S_ADD_U32_S8_S8_1, 0));
   hdb_machine_resume(f.machine, wave, HDB_RESUME_STEP, 0, 0);
   assert_int_equal(hdb_machine_wait(f.machine, 1000), 1);
   wave = hdb_machine_find_wave(f.machine, id);
   hdb_wave_read_scalar(f.machine, wave, 8, &value);
   assert_int_equal(value, 5001);
   set_flag(&f, 1);
   hdb_machine_resume_all(f.machine);
   assert_true(job_wait(f.card, f.job, 2000));
   assert_int_equal(*at(&f, OUTPUT), 1200);
   teardown(&f);
}

/* What passes the end of memory, or of the address space: by a wave it would be a fault. Nothing of it is written. */
static void
check_ranges(struct fixture *f, struct hdb_wave *wave)
{
   const struct {
      uint64_t va;
      size_t size;
   } ranges[] = {{UINT64_MAX - 2, 16},         {UINT64_MAX, 1},
                 {UINT64_MAX - 4095, 4096},    {f->data.va, (size_t)1 << 60},
                 {f->data.va, SIZE_MAX},       {f->data.va, -(size_t)f->data.va},
                 {f->data.va, SIZE_MAX - 126}, {f->data.va, f->data.size + ((size_t)1 << 32)}};
   uint8_t bytes[16] = {0xa5, 0xa5, 0xa5, 0xa5};
   uint32_t before = *at(f, 0);
   hdb_wave_hold_memory(f->machine, wave);
   assert_int_equal(hdb_wave_read_memory(f->machine, wave, f->data.va, bytes, 4), 0);
   for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
      assert_int_equal(hdb_wave_read_memory(f->machine, wave, ranges[i].va, bytes, ranges[i].size), -EFAULT);
      assert_int_equal(hdb_wave_write_memory(f->machine, wave, ranges[i].va, bytes, ranges[i].size), -EFAULT);
      assert_int_equal(hdb_machine_write_memory(f->machine, ranges[i].va, bytes, ranges[i].size), -EFAULT);
   }
   hdb_wave_release_memory(f->machine);
   assert_int_equal(*at(f, 0), before);
}

static void
lds_and_memory_through_a_wave(void **state)
{
   for (uint32_t wave_size = 32; wave_size <= 64; wave_size += 32) {
      struct fixture f;
      setup_spin(&f, wave_size, 1);
      hdb_machine_arm(f.machine, &f.job->dispatch, 0);
      job_submit(f.card, f.job);
      stop_spinning(&f, 64 / wave_size);
      struct hdb_wave *wave = card_first_stopped(f.card);
      uint32_t value = 0, state_before[128], state_after[128];
      for (uint32_t i = 0; i < 16; i++)
         hdb_wave_read_vgpr(f.machine, wave, i, state_before);
      assert_int_equal(hdb_wave_read_lds(f.machine, wave, 16, &value, 4), 0);
      assert_int_equal(value, 77);
      uint8_t pattern[300], back[300];
      for (int i = 0; i < 300; i++)
         pattern[i] = i * 7;
      assert_int_equal(hdb_wave_write_lds(f.machine, wave, 21, pattern, sizeof(pattern)), 0);
      assert_int_equal(hdb_wave_read_lds(f.machine, wave, 21, back, sizeof(back)), 0);
      assert_memory_equal(pattern, back, sizeof(back));
      assert_int_equal(hdb_wave_read_lds(f.machine, wave, 16, &value, 4), 0);
      assert_int_equal(value, 77);
      assert_int_equal(hdb_wave_read_lds(f.machine, wave, 5000, &value, 4), -EFAULT);

      assert_int_equal(hdb_wave_write_memory(f.machine, wave, f.data.va + OUTPUT + 103, pattern, sizeof(pattern)), 0);
      assert_memory_equal((uint8_t *)at(&f, OUTPUT) + 103, pattern, sizeof(pattern));
      assert_int_equal(hdb_wave_read_memory(f.machine, wave, f.data.va + OUTPUT + 101, back, 200), 0);
      assert_memory_equal(back + 2, pattern, 198);
      assert_int_equal(hdb_wave_read_memory(f.machine, wave, 0xffff8007deadb000, back, 4), -EFAULT);
      check_ranges(&f, wave);
      assert_int_equal(hdb_machine_write_memory(f.machine, f.data.va + 16, &(uint32_t){1}, 4), 0);
      hdb_wave_read_vgpr(f.machine, wave, 15, state_after);
      assert_memory_equal(state_before, state_after, wave_size * 4);
      hdb_machine_resume_all(f.machine);
      assert_true(job_wait(f.card, f.job, 2000));
      assert_int_equal(*at(&f, OUTPUT), 64 / wave_size * 5);
      teardown(&f);
   }
}

/* The same memory at a second address, without permission to write. */
static uint64_t
map_again(struct fixture *f, uint32_t operation)
{
   struct drm_amdgpu_gem_va va = {
      .handle = f->data.handle,
      .operation = operation,
      .flags = AMDGPU_VM_PAGE_READABLE,
      .va_address = 0x500000000,
      .map_size = f->data.size,
   };
   assert_int_equal(vgpu_ioctl(f->card->gpu, vgpu_fd(f->card->gpu), DRM_IOCTL_AMDGPU_GEM_VA, &va), 0);
   return va.va_address;
}

/* The trap handler's store would fault there, and the job would be lost with it. */
static void
what_the_gpu_may_not_write(void **state)
{
   struct fixture f;
   uint32_t value = 0, code;
   setup_spin(&f, 32, 1);
   hdb_machine_arm(f.machine, &f.job->dispatch, 0);
   uint64_t read_only = map_again(&f, AMDGPU_VA_OP_MAP);
   job_submit(f.card, f.job);
   stop_spinning(&f, 2);
   struct hdb_wave *wave = card_first_stopped(f.card);
   assert_int_equal(hdb_wave_write_memory(f.machine, wave, read_only + OUTPUT + 0x400, &(uint32_t){77}, 4), 0);
   assert_int_equal(*at(&f, OUTPUT + 0x400), 77);
   assert_int_equal(hdb_wave_read_memory(f.machine, wave, read_only + OUTPUT + 0x400, &value, 4), 0);
   assert_int_equal(value, 77);

   assert_int_equal(hdb_machine_plant(f.machine, f.shader, 0), 0); /* in memory that the GPU may write */
   assert_int_equal(hdb_wave_read_memory(f.machine, wave, f.shader->va, &code, 4), 0);
   assert_int_equal(hdb_wave_write_memory(f.machine, wave, f.shader->va, &code, 4), -EBUSY);
   hdb_machine_unplant(f.machine, f.shader, 0);

   assert_int_equal(hdb_machine_write_memory(f.machine, f.data.va + 16, &(uint32_t){1}, 4), 0);
   hdb_machine_resume_all(f.machine);
   assert_true(job_wait(f.card, f.job, 2000));
   assert_int_equal(*at(&f, OUTPUT), 2 * 5);
   map_again(&f, AMDGPU_VA_OP_UNMAP);
   teardown(&f);
}

static void
own_traps_and_faults(void **state)
{
   struct fixture f;
   setup_spin(&f, 64, 1);
   hdb_machine_arm(f.machine, &f.job->dispatch, 0);
   set_flag(&f, 3);
   job_submit(f.card, f.job);
   struct hdb_wave *wave = wait_stop(&f);
   assert_int_equal(wave->cause, HDB_STOP_TRAP);
   assert_int_equal(wave->trap_id, 3);
   assert_int_equal(wave->pc, f.shader->va + find_word(f.shader, S_TRAP3, 0));
   assert_int_equal(hdb_machine_plant(f.machine, f.shader, find_word(f.shader, S_TRAP3, 0)), -ENOTSUP);
   uint64_t pc = wave->pc;
   hdb_machine_resume(f.machine, wave, HDB_RESUME_STEP, 0, 0);
   wave = wait_stop(&f);
   assert_int_equal(wave->pc, pc + 4);
   assert_int_equal(wave->cause, HDB_STOP_STEP);
   hdb_machine_resume_all(f.machine);
   assert_true(job_wait(f.card, f.job, 2000));
   assert_int_equal(*at(&f, OUTPUT), 5);

   set_flag(&f, 2);
   job_submit(f.card, f.job);
   wave = wait_stop(&f);
   assert_int_equal(wave->cause, HDB_STOP_FAULT);
   assert_true(wave->trapsts & 1 << 8);
   uint64_t va = 0;
   assert_int_equal(hdb_machine_fault_address(f.machine, &va), 0);
   assert_int_equal(va, 0xffff8007deadb000);
   hdb_machine_resume_all(f.machine);
   assert_int_equal(job_result(f.card, f.job, 2000), -ECANCELED); /* it has failed, but all of it ran */
   assert_int_equal(*at(&f, OUTPUT), 10);
   teardown(&f);
}

static void
kill_a_wave(void **state)
{
   struct fixture f;
   setup_spin(&f, 64, 3);
   hdb_machine_arm(f.machine, &f.job->dispatch, HDB_ARM_STOP_AT_ENTRY);
   job_submit(f.card, f.job);
   uint32_t id = wait_stop(&f)->id;
   hdb_machine_set_entry_stops(f.machine, false);
   assert_int_equal(hdb_machine_kill(f.machine, hdb_machine_find_wave(f.machine, id)), 0);
   assert_null(hdb_machine_find_wave(f.machine, id));
   set_flag(&f, 1);
   hdb_machine_resume_all(f.machine);
   while (card_wait_stop(f.card, f.job))
      hdb_machine_resume_all(f.machine);
   assert_int_equal(*at(&f, OUTPUT), 10);
   teardown(&f);
}

/* ---- the end ---- */

static void
destroyed_while_stopped(void **state)
{
   struct fixture f;
   setup_branches(&f, 32);
   uint32_t planted;
   plant_everywhere(&f, &planted);
   hdb_machine_arm(f.machine, &f.job->dispatch, HDB_ARM_STOP_AT_ENTRY);
   job_submit(f.card, f.job);
   for (int i = 0; i < 10; i++)
      hdb_machine_resume(f.machine, wait_stop(&f), HDB_RESUME_CONTINUE, 0, 0);
   wait_stop(&f);
   hdb_machine_destroy(f.machine);
   f.card->machine = NULL;
   assert_memory_equal(f.shader->code, branches32, f.shader->exec_size);
   check_branches(&f);
   job_submit(f.card, f.job);
   check_branches(&f);
   teardown(&f);
}

static void *
interrupt_later(void *machine)
{
   usleep(20000);
   hdb_machine_interrupt_wait(machine);
   return NULL;
}

static void
wait_can_be_interrupted(void **state)
{
   struct fixture f;
   setup_spin(&f, 64, 1);
   pthread_t thread;
   pthread_create(&thread, NULL, interrupt_later, f.machine);
   int64_t start = machine_now_ms();
   assert_int_equal(hdb_machine_wait(f.machine, 10000), 0);
   assert_true(machine_now_ms() - start < 5000);
   pthread_join(thread, NULL);
   assert_int_equal(hdb_machine_wait(f.machine, 10), 0);
   teardown(&f);
}

/* What has stopped before the card goes over to lockstep, and has not been looked at, is not forgotten. */
static void
lockstep_finds_stops(void **state)
{
   struct fixture f;
   setup_spin(&f, 64, 2);
   set_flag(&f, 1);
   hdb_machine_arm(f.machine, &f.job->dispatch, HDB_ARM_STOP_AT_ENTRY);
   job_submit(f.card, f.job);
   assert_int_equal(f.card->target->ops->wait_interrupt(f.card->target, 2000), 1);
   hdb_machine_set_lockstep(f.machine, true);
   assert_int_equal(wait_stop(&f)->cause, HDB_STOP_ENTRY);
   hdb_machine_set_entry_stops(f.machine, false);
   hdb_machine_resume_all(f.machine);
   assert_true(job_wait(f.card, f.job, 2000));
   teardown(&f);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(stop_all_and_resume),
      cmocka_unit_test(range_steps_stay_on_the_gpu),
      cmocka_unit_test(end_of_a_stepped_wave),
      cmocka_unit_test(stepping_over_a_barrier),
      cmocka_unit_test(edits_take_effect),
      cmocka_unit_test(lds_and_memory_through_a_wave),
      cmocka_unit_test(what_the_gpu_may_not_write),
      cmocka_unit_test(own_traps_and_faults),
      cmocka_unit_test(kill_a_wave),
      cmocka_unit_test(destroyed_while_stopped),
      cmocka_unit_test(wait_can_be_interrupted),
      cmocka_unit_test(lockstep_finds_stops),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
