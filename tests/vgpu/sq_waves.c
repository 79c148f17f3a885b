/* SPDX-License-Identifier: MIT */
/* Scheduling: barriers, forward progress, sleep, several rings, messages, the instruction cache. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "cp/ring.h"
#include "sq_fixture.h"
#include "sq_shaders.h"

static void
test_barrier(void **state)
{
   uint64_t buffer = machine_alloc(&machine, 256);
   uint32_t *words = machine_host(&machine, buffer);
   struct launch launch = launch_of(load_shader(&machine, barrier), buffer);
   launch.rsrc2 |= 1 << 10;
   launch.group[0] = 256;
   for (uint32_t leaver = 0; leaver <= 4; leaver++) {
      memset(words, 0, 256);
      words[32] = leaver; /* 4: none */
      assert_int_equal(run(&machine, &launch), 0);
      for (uint32_t i = 0; i < 4; i++)
         assert_int_equal(words[16 + i], i == leaver ? 0 : 4);
   }
}

/* In a workgroup of one wave the barrier is no barrier. */
static void
test_barrier_of_one_wave(void **state)
{
   struct launch launch = launch_of(load_shader(&machine, step_barrier), 0);
   assert_int_equal(run(&machine, &launch), 0);
}

/* A workgroup that spins until another one, launched later, has run. */
static void
test_forward_progress(void **state)
{
   uint64_t buffer = machine_alloc(&machine, 256);
   struct launch launch = launch_of(load_shader(&machine, spin), buffer);
   launch.grid[0] = 4;
   assert_int_equal(run(&machine, &launch), 0);
   assert_int_equal(((uint32_t *)machine_host(&machine, buffer))[1], 1);
}

static uint64_t
thread_cpu_ns(struct machine *m)
{
   clockid_t clock;
   struct timespec time;
   assert_int_equal(pthread_getcpuclockid(m->gpu->cp->thread, &clock), 0);
   assert_int_equal(clock_gettime(clock, &time), 0);
   return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void
test_sleep_costs_nothing_and_wakes_quickly(void **state)
{
   uint64_t buffer = machine_alloc(&machine, 256);
   volatile uint32_t *words = machine_host(&machine, buffer);
   struct launch launch = launch_of(load_shader(&machine, echo), buffer);
   launch.grid[0] = 500;
   static struct commands commands; /* the teardown ends it when the test fails */
   commands_init(&commands, &machine);
   emit_dispatch(&commands, &launch);
   words[0] = 0;
   submit(&commands, CP_RING_COMPUTE0);
   assert_false(is_finished_within(&commands, 500)); /* all are launched, and the naps are long by now */
   assert_int_equal(machine.gpu->sq->queues[CP_RING_COMPUTE0].launched, 500);

   uint64_t cpu = thread_cpu_ns(&machine);
   nap_ms(500);
   cpu = thread_cpu_ns(&machine) - cpu;
   assert_in_range(cpu, 0, 100000000); /* a fifth of a core, in a build that is slow */

   /* The first of the five hundred answers soon; the best of several tries. */
   uint64_t best = ~UINT64_C(0);
   for (uint32_t i = 1; i < 20; i++) {
      nap_ms(20);
      uint64_t start = now_ns();
      words[0] = i;
      vgpu_wake(machine.gpu);
      while (words[1] != i && now_ns() - start < 1000000000)
         sched_yield();
      uint64_t took = now_ns() - start;
      assert_int_equal(words[1], i);
      if (took < best)
         best = took;
   }
   assert_in_range(best, 0, 10000000); /* the naps are longer by now, about 50 ms */
   words[0] = ~0u;
   vgpu_wake(machine.gpu);
   assert_int_equal(finish(&commands), 0);
}

/* Without vgpu_wake a polling wave sees the change by itself. */
static void
test_sleep_ends_by_itself(void **state)
{
   uint64_t buffer = machine_alloc(&machine, 256);
   volatile uint32_t *words = machine_host(&machine, buffer);
   struct launch launch = launch_of(load_shader(&machine, echo), buffer);
   struct commands commands;
   commands_init(&commands, &machine);
   emit_dispatch(&commands, &launch);
   submit(&commands, CP_RING_COMPUTE0);
   assert_false(is_finished_within(&commands, 100));
   words[0] = ~0u;
   assert_true(is_finished_within(&commands, 200));
}

/* Two rings with equal work get on alike; jobs of one ring run in order. */
static void
test_rings_alternate(void **state)
{
   enum { COUNT = 3000000 };
   struct commands job[2], second;
   uint64_t buffer[2];
   uint64_t code = load_shader(&machine, countdown);
   for (int i = 0; i < 2; i++) {
      buffer[i] = machine_alloc(&machine, 64);
      *(uint32_t *)machine_host(&machine, buffer[i]) = COUNT;
      struct launch launch = launch_of(code, buffer[i]);
      commands_init(&job[i], &machine);
      emit_dispatch(&job[i], &launch);
   }
   commands_init(&second, &machine);
   uint64_t start = now_ns();
   submit(&job[0], CP_RING_GFX);
   submit(&job[1], CP_RING_COMPUTE1);
   submit(&second, CP_RING_GFX);
   for (int i = 0; i < 2; i++) {
      assert_int_equal(finish(&job[i]), 0);
      assert_int_equal(((uint32_t *)machine_host(&machine, buffer[i]))[1], 1);
   }
   assert_int_equal(finish(&second), 0);
   assert_true(second.done_at > job[0].done_at);
   uint64_t first = job[0].done_at < job[1].done_at ? job[0].done_at : job[1].done_at;
   uint64_t last = job[0].done_at < job[1].done_at ? job[1].done_at : job[0].done_at;
   assert_true(first - start > (last - start) / 2);
}

static uint32_t interrupts, interrupt_data;

static void
count_interrupt(void *user, enum vgpu_interrupt source, uint32_t data)
{
   assert_ptr_equal(user, &machine);
   assert_int_equal(source, VGPU_INTERRUPT_MESSAGE);
   interrupt_data = data;
   interrupts++;
}

static void
see_status(void *user, const struct vgpu_wave_state *state)
{
   *(uint32_t *)user = state->status;
}

static void
test_messages(void **state)
{
   struct launch launch = launch_of(load_shader(&machine, messages), 0);
   launch.grid[0] = 3;
   struct commands commands;
   commands_init(&commands, &machine);
   emit_dispatch(&commands, &launch);
   uint32_t status = 0;
   commands.job.wave_ended = see_status;
   commands.job.wave_ended_user = &status;
   vgpu_set_interrupt_handler(machine.gpu, count_interrupt, &machine);
   interrupts = 0;
   submit(&commands, CP_RING_COMPUTE0);
   assert_int_equal(finish(&commands), 0);
   assert_int_equal(interrupts, 3);
   assert_int_equal(interrupt_data, 0x1234);
   assert_true(status & STATUS_NO_VGPRS);

   vgpu_set_interrupt_handler(machine.gpu, NULL, NULL);
   submit(&commands, CP_RING_COMPUTE0);
   assert_int_equal(finish(&commands), 0);
   assert_int_equal(interrupts, 3);
   for (int i = 0; i < SQ_WGPS; i++)
      for (int simd = 0; simd < SQ_SIMDS; simd++)
         assert_int_equal(machine.gpu->sq->wgps[i].vgprs_used[simd], 0);
}

/* Code that changes under the instruction cache is run as it was until ACQUIRE_MEM says otherwise. */
static void
test_instruction_cache(void **state)
{
   uint64_t buffer = machine_alloc(&machine, 64), code = load_shader(&machine, store);
   uint32_t *words = machine_host(&machine, code);
   volatile uint32_t *result = machine_host(&machine, buffer);
   struct launch launch = launch_of(code, buffer);
   assert_int_equal(run(&machine, &launch), 0);
   assert_int_equal(*result, 1);

   assert_int_equal(words[1], 0x7e040281); /* v_mov_b32 v2, 1 */
   words[1] = 0x7e040285;                  /* v_mov_b32 v2, 5 */
   *result = 0;
   assert_int_equal(run(&machine, &launch), 0);
   assert_int_equal(*result, 1);

   struct commands commands;
   commands_init(&commands, &machine);
   emit_packet(&commands, PM4_ACQUIRE_MEM, 7, 0, 0, 0, 0, 0, 0, 1 << 14); /* GL2_INV alone does not help */
   emit_dispatch(&commands, &launch);
   submit(&commands, CP_RING_COMPUTE0);
   assert_int_equal(finish(&commands), 0);
   assert_int_equal(*result, 1);

   commands_init(&commands, &machine);
   emit_packet(&commands, PM4_ACQUIRE_MEM, 7, 0, 0, 0, 0, 0, 0, 1); /* GLI_INV */
   emit_dispatch(&commands, &launch);
   submit(&commands, CP_RING_COMPUTE0);
   assert_int_equal(finish(&commands), 0);
   assert_int_equal(*result, 5);
}

/* Ten thousand dispatches in one command buffer of chained pieces, each with its own launch registers. */
static void
test_many_dispatches(void **state)
{
   enum { DISPATCHES = 10000, PER_PIECE = 100 };
   uint64_t buffer = machine_alloc(&machine, 64);
   struct launch launch = launch_of(load_shader(&machine, store), buffer);
   struct commands *pieces = calloc(2, sizeof(*pieces));
   commands_init(&pieces[0], &machine);
   emit_launch_state(&pieces[0], &launch);
   commands_init(&pieces[1], &machine);
   for (int i = 0; i < PER_PIECE; i++)
      emit_packet(&pieces[1], PM4_DISPATCH_DIRECT, 4, 1, 1, 1, INITIATOR_COMPUTE_SHADER_EN);
   for (int i = 0; i < DISPATCHES / PER_PIECE; i++)
      emit_packet(&pieces[0], PM4_INDIRECT_BUFFER, 3, (uint32_t)pieces[1].ib.va, (uint32_t)(pieces[1].ib.va >> 32),
                  pieces[1].ib.size);
   submit(&pieces[0], CP_RING_COMPUTE0);
   assert_int_equal(finish(&pieces[0]), 0);
   assert_int_equal(machine.gpu->sq->queues[CP_RING_COMPUTE0].ended, DISPATCHES);
   free(pieces);
}

/* ---- what goes wrong without a handler ---- */

static int
run_expecting(const struct launch *launch, struct commands *commands)
{
   commands_init(commands, &machine);
   emit_dispatch(commands, launch);
   emit_dispatch(commands, launch);
   submit(commands, CP_RING_COMPUTE0);
   int status = finish(commands);
   /* The card is empty again, and goes on. */
   for (int i = 0; i < SQ_WGPS; i++) {
      const struct wgp *wgp = &machine.gpu->sq->wgps[i];
      assert_int_equal(wgp->slots[0] | wgp->slots[1] | wgp->slots[2] | wgp->slots[3], 0);
      assert_int_equal(wgp->lds_used, 0);
   }
   uint64_t buffer = machine_alloc(&machine, 64);
   struct launch good = launch_of(load_shader(&machine, store), buffer);
   assert_int_equal(run(&machine, &good), 0);
   return status;
}

static void
test_memory_fault(void **state)
{
   struct commands commands;
   struct launch launch = launch_of(load_shader(&machine, load), UINT64_C(0x123456789010));
   launch.group[0] = 256;
   launch.rsrc2 |= 4 << 15;
   assert_int_equal(run_expecting(&launch, &commands), -ECANCELED);
   assert_int_equal(commands.fault.kind, VGPU_FAULT_MEMORY);
   assert_true(commands.fault.va == UINT64_C(0x123456789010));
   assert_false(commands.fault.write);
   assert_true(commands.fault.pc == launch.code + 8);
   assert_non_null(strstr(machine.log, "memory fault: read from 0x123456789010"));
   assert_non_null(strstr(machine.log, "dispatch 0 of the job, workgroup (0,0,0), wave "));
   assert_int_equal(read_register(&machine, NULL, REG_GCVM_L2_PROTECTION_FAULT_ADDR_LO), 0x23456789);
   uint32_t status = read_register(&machine, NULL, REG_GCVM_L2_PROTECTION_FAULT_STATUS);
   assert_int_equal(status >> 20 & 15, machine.vm.vmid);
   assert_int_equal(status >> 18 & 1, 0);

   launch = launch_of(load_shader(&machine, store), UINT64_C(0x123456789010));
   assert_int_equal(run_expecting(&launch, &commands), -ECANCELED);
   assert_true(commands.fault.write);
   assert_int_equal(read_register(&machine, NULL, REG_GCVM_L2_PROTECTION_FAULT_STATUS) >> 18 & 1, 1);

   launch = launch_of(UINT64_C(0x123456700000), 0); /* no code there */
   assert_int_equal(run_expecting(&launch, &commands), -ECANCELED);
   assert_non_null(strstr(machine.log, "instruction fetch from 0x123456700000"));
}

static void
test_illegal_instruction(void **state)
{
   struct commands commands;
   struct launch launch = launch_of(load_shader(&machine, illegal), 0);
   assert_int_equal(run_expecting(&launch, &commands), -ECANCELED);
   assert_int_equal(commands.fault.kind, VGPU_FAULT_ILLEGAL_INSTRUCTION);
   assert_true(commands.fault.pc == launch.code + 4);
   assert_non_null(strstr(machine.log, "illegal instruction: bf9f0000"));
}

static uint32_t fault_interrupts;

static void
count_fault(void *user, enum vgpu_interrupt source, uint32_t data)
{
   if (source == VGPU_INTERRUPT_FAULT && data == VGPU_FAULT_HANG)
      fault_interrupts++;
}

static void
test_hang(void **state)
{
   struct commands commands;
   struct launch launch = launch_of(load_shader(&machine, forever), 0);
   launch.grid[0] = 5;
   vgpu_set_interrupt_handler(machine.gpu, count_fault, NULL);
   uint64_t start = now_ns();
   assert_int_equal(run_expecting(&launch, &commands), -ETIME);
   uint64_t took = commands.done_at - start;
   assert_in_range(took, 900000000, 5000000000);
   assert_int_equal(commands.fault.kind, VGPU_FAULT_HANG);
   assert_true(commands.fault.pc == launch.code);
   assert_non_null(strstr(machine.log, "hang: "));
   assert_int_equal(fault_interrupts, 1);

   /* A barrier that one wave never reaches. */
   uint64_t buffer = machine_alloc(&machine, 64);
   launch = launch_of(load_shader(&machine, held_barrier), buffer);
   launch.rsrc2 |= 1 << 10;
   launch.group[0] = 128;
   assert_int_equal(run_expecting(&launch, &commands), -ETIME);

   /* Held time does not count. */
   launch = launch_of(load_shader(&machine, forever), 0);
   commands_init(&commands, &machine);
   emit_dispatch(&commands, &launch);
   vgpu_hold_time(machine.gpu, true);
   submit(&commands, CP_RING_COMPUTE0);
   assert_false(is_finished_within(&commands, 1800));
   vgpu_hold_time(machine.gpu, false);
   assert_int_equal(finish(&commands), -ETIME);
}

/* Work that goes on, but takes longer than the limit, is no hang. */
static void
test_long_work_is_no_hang(void **state)
{
   uint64_t buffer = machine_alloc(&machine, 64);
   *(uint32_t *)machine_host(&machine, buffer) = 1000000;
   struct launch launch = launch_of(load_shader(&machine, countdown), buffer);
   static struct commands commands; /* the teardown ends it */
   commands_init(&commands, &machine);
   emit_launch_state(&commands, &launch);
   for (int i = 0; i < 700; i++)
      emit_packet(&commands, PM4_DISPATCH_DIRECT, 4, 1, 1, 1, INITIATOR_COMPUTE_SHADER_EN);
   uint64_t start = now_ns();
   submit(&commands, CP_RING_COMPUTE0);
   while (!is_finished_within(&commands, 100) && now_ns() - start < 2500000000)
      ;
   assert_true(!commands.done || commands.status == 0);
}

int
main(void)
{
   setenv("HDB_VGPU_TIMEOUT_MS", "1000", 1);
   const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_barrier, setup, teardown),
      cmocka_unit_test_setup_teardown(test_barrier_of_one_wave, setup, teardown),
      cmocka_unit_test_setup_teardown(test_forward_progress, setup, teardown),
      cmocka_unit_test_setup_teardown(test_sleep_ends_by_itself, setup, teardown),
      cmocka_unit_test_setup_teardown(test_rings_alternate, setup, teardown),
      cmocka_unit_test_setup_teardown(test_messages, setup, teardown),
      cmocka_unit_test_setup_teardown(test_instruction_cache, setup, teardown),
      cmocka_unit_test_setup_teardown(test_many_dispatches, setup, teardown),
      cmocka_unit_test_setup_teardown(test_memory_fault, setup, teardown),
      cmocka_unit_test_setup_teardown(test_illegal_instruction, setup, teardown),
      cmocka_unit_test_setup_teardown(test_hang, setup, teardown),
      cmocka_unit_test_setup_teardown(test_long_work_is_no_hang, setup, teardown),
   };
   int failed = cmocka_run_group_tests(tests, NULL, NULL);
   setenv("HDB_VGPU_TIMEOUT_MS", "0", 1);
   const struct CMUnitTest untimed[] = {
      cmocka_unit_test_setup_teardown(test_sleep_costs_nothing_and_wakes_quickly, setup, teardown),
   };
   return failed + cmocka_run_group_tests(untimed, NULL, NULL);
}
