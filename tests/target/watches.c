/* SPDX-License-Identifier: MIT */
/*
 * Address watches: which waves of loop.S trap, where, and that no others do. With HDB_HELPER set the card is reached
 * by debugfs and hdb-helper, otherwise directly.
 *
 * loop.S has 100 threads in a workgroup; thread i loads in[i] twice, and stores out[i] once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "card.h"
#include "target/registers.h"

#define PROGRAM(name)            \
   extern const uint32_t name[]; \
   extern const size_t name##_size;
PROGRAM(loop32)
PROGRAM(loop64)
PROGRAM(spin64)

enum { COUNT = 1000, PER_GROUP = 100, IN = 4096, OUT = 8192, DATA_SIZE = 16384 };
enum { LOAD = 0xdc520000, STORE = 0xdc6a0000 }; /* global_load_b32 and global_store_b32 with an SGPR pair, no offset */

static struct card *card;
static struct hdb_target *target;
static struct hdb_machine *machine;
static uint32_t vmid;
static bool on_the_road;

static uint32_t wave_size;
static uint64_t last_order;
static struct program *program;
static struct buffer data;
static struct job *job;

static uint32_t *
at(uint32_t offset)
{
   return (uint32_t *)((uint8_t *)data.map + offset);
}

static void
begin(uint32_t size)
{
   wave_size = size;
   program = program_create(card, &(struct program_options){
                                     .code = size == 64 ? loop64 : loop32,
                                     .code_size = size == 64 ? loop64_size : loop32_size,
                                     .wave_size = size,
                                     .workgroup_size = {PER_GROUP, 1, 1},
                                     .vgprs = 16,
                                     .launch_sgprs = 1 << 7, /* TGID_X */
                                  });
   data = card_alloc(card, DATA_SIZE, false);
   uint64_t pointers[] = {data.va + IN, data.va + OUT};
   memcpy(at(0), pointers, sizeof(pointers));
   *at(16) = COUNT;
   for (uint32_t i = 0; i < COUNT; i++)
      at(IN)[i] = i * 3;
   job = job_create(card, program, (uint32_t[]){COUNT / PER_GROUP, 1, 1}, data.va);
   assert_int_equal(hdb_machine_arm(machine, &job->dispatch, 0), 0);
}

static void
end(void)
{
   for (uint32_t watch = 0; watch < HDB_WATCHES; watch++)
      assert_int_equal(hdb_target_clear_watch(target, vmid, watch), 0);
   job_destroy(card, job);
   program_destroy(card, program);
   card_free(card, &data);
}

/* As loop.S has it; a scalar sum of its own adds 8 + 0xfffffff7. */
static uint32_t
expected(uint32_t i)
{
   uint32_t v5 = ((i & 3) + 1) * i;
   v5 = i >= 64 ? (v5 + 1000) ^ 0x55 : v5;
   return (i % PER_GROUP < 50 ? v5 : 7) + 2 * (i * 3) + 0xfffffff7 + 8 + 33;
}

static uint64_t
behind(uint32_t opcode, uint32_t n)
{
   const uint32_t *code = program->shader.code;
   for (uint32_t i = 0; i < program->shader.exec_size / 4; i++) {
      if (code[i] == opcode && n-- == 0)
         return program->shader.va + i * 4 + 8;
   }
   fail_msg("no such instruction");
   return 0;
}

/* What lanes have found and left, where the card notes it: OUT was 0, IN stays. */
static void
check_values(const struct hdb_wave *wave, uint32_t opcode)
{
   struct hdb_watched done;
   int result = hdb_machine_read_watched(machine, wave, &done);
   if (on_the_road) {
      assert_int_equal(result, -ENOTSUP);
      return;
   }
   assert_int_equal(result, 0);
   assert_true(done.values);
   assert_int_not_equal(done.order, last_order); /* waves may be looked at in another one */
   last_order = done.order;
   for (uint64_t lanes = done.lanes; lanes; lanes &= lanes - 1) {
      uint32_t lane = __builtin_ctzll(lanes), before, after;
      uint32_t i = (done.va[lane] - data.va - (opcode == STORE ? OUT : IN)) / 4;
      memcpy(&before, done.before[lane], sizeof(before));
      memcpy(&after, done.after[lane], sizeof(after));
      assert_int_equal(done.bytes[lane], 4);
      assert_int_equal(before, opcode == STORE ? 0 : i * 3);
      assert_int_equal(after, opcode == STORE ? expected(i) : i * 3);
   }
}

/* Runs the dispatch; the number of stops, all by this watch and behind the opcode's occurrences by turns. */
static uint32_t
count_stops(uint32_t watch, uint32_t opcode, uint32_t occurrences)
{
   uint32_t stops = 0;
   memset(at(OUT), 0, 4096);
   job_submit(card, job);
   while (card_wait_stop(card, job)) {
      struct hdb_wave *wave = card_first_stopped(card);
      assert_int_equal(wave->trapsts & TRAPSTS_FAULTS, TRAPSTS_ADDR_WATCH(watch));
      bool found = false;
      for (uint32_t n = 0; n < occurrences; n++)
         found |= wave->pc == behind(opcode, n);
      assert_true(found);
      check_values(wave, opcode);
      stops++;
      assert_int_equal(hdb_machine_resume(machine, wave, HDB_RESUME_CONTINUE, 0, 0), 0);
   }
   for (uint32_t i = 0; i < COUNT; i++)
      assert_int_equal(at(OUT)[i], expected(i));
   return stops;
}

/* Threads 128..159 are in waves of threads 100..131 and 132..163, or of 100..163; 128..191 in one wave more. */
static void
stores(void **state)
{
   for (uint32_t size = 32; size <= 64; size += 32) {
      begin(size);
      uint64_t va = data.va + OUT + 128 * 4;
      assert_int_equal(count_stops(0, STORE, 1), 0);
      for (uint32_t watch = 0; watch < HDB_WATCHES; watch++) {
         assert_int_equal(hdb_target_set_watch(target, vmid, watch, va, 128, HDB_WATCH_NONREAD), 0);
         assert_int_equal(count_stops(watch, STORE, 1), 64 / size);
         assert_int_equal(hdb_target_set_watch(target, vmid, watch, va, 256, HDB_WATCH_ALL), 0);
         assert_int_equal(count_stops(watch, STORE, 1), 64 / size + 1);
         assert_int_equal(hdb_target_set_watch(target, vmid, watch, va, 128, HDB_WATCH_READ), 0);
         assert_int_equal(count_stops(watch, STORE, 1), 0);
         assert_int_equal(hdb_target_set_watch(target, vmid, watch, va, 128, HDB_WATCH_ATOMIC), 0);
         assert_int_equal(count_stops(watch, STORE, 1), 0);
         assert_int_equal(hdb_target_clear_watch(target, vmid, watch), 0);
      }
      end();
   }
}

static void
loads(void **state)
{
   for (uint32_t size = 32; size <= 64; size += 32) {
      begin(size);
      assert_int_equal(hdb_target_set_watch(target, vmid, 1, data.va + IN + 128 * 4, 128, HDB_WATCH_READ), 0);
      assert_int_equal(count_stops(1, LOAD, 2), 2 * (64 / size));
      assert_int_equal(hdb_target_set_watch(target, vmid, 1, data.va + IN, 4096, HDB_WATCH_ALL), 0);
      assert_int_equal(count_stops(1, LOAD, 2), 2 * (COUNT / PER_GROUP) * (size == 64 ? 2 : 4));
      end();
   }
}

/* The store is done when the wave stops. What the handler then reads for the debugger passes the watch too, and must
 * not be taken for the program's. */
static void
one_store(void **state)
{
   begin(32);
   assert_int_equal(hdb_target_set_watch(target, vmid, 3, data.va + OUT + 768, 128, HDB_WATCH_ALL), 0);
   job_submit(card, job);
   assert_true(card_wait_stop(card, job));
   struct hdb_wave *wave = card_first_stopped(card);
   assert_true(wave->workgroup_known);
   uint32_t thread = wave->workgroup[0] * PER_GROUP + wave->index * 32, value; /* 164, 196 or 200 */
   thread = thread < 192 ? 192 : thread;
   assert_int_equal(hdb_wave_read_memory(machine, wave, data.va + OUT + thread * 4, &value, 4), 0);
   assert_int_equal(value, expected(thread));
   uint32_t id = wave->id;
   assert_int_equal(hdb_machine_resume(machine, wave, HDB_RESUME_STEP, 0, 0), 0);
   while ((wave = hdb_machine_find_wave(machine, id)) && wave->run != HDB_WAVE_STOPPED)
      assert_true(hdb_machine_wait(machine, 2000) >= 0);
   assert_non_null(wave);
   assert_int_equal(wave->cause, HDB_STOP_STEP);
   assert_int_equal(wave->trapsts & TRAPSTS_FAULTS, 0);
   hdb_target_clear_watch(target, vmid, 3);
   hdb_machine_resume_all(machine);
   while (card_wait_stop(card, job))
      hdb_machine_resume_all(machine);
   end();
}

/* spin.S: one lane of each of three waves adds 5 to a sum, after scalar loads of its arguments. */
static uint32_t
count_atomics(uint64_t va, enum hdb_watch_mode mode)
{
   uint32_t stops = 0;
   assert_int_equal(hdb_target_set_watch(target, vmid, 1, va, 128, mode), 0);
   *at(OUT) = 0;
   job_submit(card, job);
   while (card_wait_stop(card, job)) {
      struct hdb_wave *wave = card_first_stopped(card);
      assert_int_equal(wave->trapsts & TRAPSTS_FAULTS, TRAPSTS_ADDR_WATCH(1));
      stops++;
      assert_int_equal(hdb_machine_resume(machine, wave, HDB_RESUME_CONTINUE, 0, 0), 0);
   }
   assert_int_equal(*at(OUT), 3 * 5);
   return stops;
}

static void
atomics(void **state)
{
   program = program_create(card, &(struct program_options){
                                     .code = spin64,
                                     .code_size = spin64_size,
                                     .wave_size = 64,
                                     .workgroup_size = {64, 1, 1},
                                     .vgprs = 16,
                                     .lds_size = 512,
                                     .launch_sgprs = 1 << 7 | 1 << 10, /* TGID_X, TG_SIZE */
                                  });
   data = card_alloc(card, DATA_SIZE, false);
   uint64_t out = data.va + OUT;
   memcpy(at(0), &out, sizeof(out));
   *at(16) = 1; /* don't spin */
   job = job_create(card, program, (uint32_t[]){3, 1, 1}, data.va);
   assert_int_equal(hdb_machine_arm(machine, &job->dispatch, 0), 0);
   assert_int_equal(count_atomics(out, HDB_WATCH_ATOMIC), 3);
   assert_int_equal(count_atomics(out, HDB_WATCH_NONREAD), 3);
   assert_int_equal(count_atomics(out, HDB_WATCH_ALL), 3);
   assert_int_equal(count_atomics(out, HDB_WATCH_READ), 0);
   assert_int_equal(count_atomics(data.va, HDB_WATCH_ALL), 0);
   end();
}

static void
others(void **state)
{
   begin(32);
   uint64_t va = data.va + OUT;
   int result = hdb_target_set_watch(target, vmid + 1, 0, va, 4096, HDB_WATCH_ALL);
   assert_int_equal(result, on_the_road ? -EACCES : 0);
   assert_int_equal(count_stops(0, STORE, 1), 0);
   assert_int_equal(hdb_target_set_watch(target, vmid, 0, va ^ 1ull << 40, 4096, HDB_WATCH_ALL), 0);
   assert_int_equal(count_stops(0, STORE, 1), 0);
   end();
}

int
main(void)
{
   card = card_of_process();
   struct hdb_amdgpu_options options = {.helper = getenv("HDB_HELPER"), .sysfs = getenv("HDB_SYSFS")};
   on_the_road = options.helper;
   int error = on_the_road ? hdb_target_amdgpu_create(&card->driver, &options, &target)
                           : hdb_target_vgpu_create(card->driver.drm_fd, &target);
   error = error ?: hdb_machine_create(&card->driver, target, &machine);
   error = error ?: target->ops->get_vmid(target, &vmid);
   if (error)
      fail_msg("%s", strerror(-error));
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(stores),  cmocka_unit_test(loads),  cmocka_unit_test(one_store),
      cmocka_unit_test(atomics), cmocka_unit_test(others),
   };
   card->target = target;
   card->machine = machine;
   int result = cmocka_run_group_tests(tests, NULL, NULL);
   hdb_machine_destroy(machine);
   hdb_target_destroy(target);
   return result;
}
