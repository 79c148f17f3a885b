/* SPDX-License-Identifier: MIT */
/* What HDB_VGPU_STATS=1 counts apart in the trap handler, and the report of a card that is still running. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sq_fixture.h"
#include "sq_shaders.h"
#include "stats.h"

static int
setup_counting(void **state)
{
   setenv("HDB_VGPU_STATS", "1", 1);
   setup(state);
   unsetenv("HDB_VGPU_STATS");
   return 0;
}

static void
check_instructions(const uint64_t have[STATS_FAMILIES], const uint64_t want[STATS_FAMILIES])
{
   for (int i = 0; i < STATS_FAMILIES; i++)
      assert_int_equal(have[i], want[i]);
}

/* Counted by hand in shaders/traps.S and shaders/handler.S: the s_trap is the program's, the s_rfe the handler's. */
static void
test_handler(void **state)
{
   uint64_t va = machine_alloc(&machine, 4096);
   install_handler(&machine, load_shader(&machine, handler), va);
   struct launch launch = launch_of(load_shader(&machine, traps), 0);
   launch.rsrc2 |= RSRC2_TRAP_PRESENT;
   assert_int_equal(run(&machine, &launch), 0);

   const struct stats *stats = machine.gpu->stats;
   assert_int_equal(stats->jobs, 1);
   assert_int_equal(stats->dispatches, 1);
   assert_int_equal(stats->workgroups, 1);
   assert_int_equal(stats->waves, 1);
   assert_int_equal(stats->threads, 64);
   check_instructions(stats->program.instructions, (uint64_t[STATS_FAMILIES]){[STATS_SALU] = 2, [STATS_CONTROL] = 4});
   check_instructions(stats->handler.instructions, (uint64_t[STATS_FAMILIES]){
                                                      [STATS_SALU] = 17,
                                                      [STATS_SMEM] = 1,
                                                      [STATS_VALU] = 11,
                                                      [STATS_GLOBAL] = 9,
                                                      [STATS_BRANCH] = 3,
                                                      [STATS_MESSAGE] = 1,
                                                      [STATS_CONTROL] = 7,
                                                   });
   for (int memory = 0; memory < STATS_MEMORIES; memory++) {
      const uint64_t *row = stats->handler.traffic[memory];
      assert_int_equal(row[STATS_READ], memory == STATS_SCALAR_MEMORY ? 8 : 0);
      assert_int_equal(row[STATS_WRITTEN], memory == STATS_GLOBAL_MEMORY ? 8 * 4 : 0);
      assert_int_equal(row[STATS_ATOMICS], memory == STATS_GLOBAL_MEMORY ? 1 : 0);
      for (int direction = 0; direction < STATS_DIRECTIONS; direction++)
         assert_int_equal(stats->program.traffic[memory][direction], 0);
   }
}

/* Busy is from a job's begin to its end, less the time that is held; so is the handler's part of it. */
static void
test_time(void **state)
{
   uint64_t va = machine_alloc(&machine, 4096);
   volatile uint32_t *memory = machine_host(&machine, va);
   install_handler(&machine, load_shader(&machine, handler), va);
   struct launch launch = launch_of(load_shader(&machine, traps), 0);
   launch.rsrc2 |= RSRC2_TRAP_PRESENT;
   struct commands commands;
   commands_init(&commands, &machine);
   emit_dispatch(&commands, &launch);

   memory[1] = 1; /* the wave stays in the handler */
   uint64_t begin = now_ns();
   submit(&commands, CP_RING_COMPUTE0);
   wait_until(memory[0] == 1);
   nap_ms(50);
   vgpu_hold_time(machine.gpu, true);
   nap_ms(200);
   vgpu_hold_time(machine.gpu, false);
   memory[1] = 0;
   assert_int_equal(finish(&commands), 0);
   uint64_t elapsed = now_ns() - begin;

   const struct stats *stats = machine.gpu->stats;
   assert_int_equal(stats->busy_rings, 0);
   assert_in_range(stats->busy_ns, 50000000, elapsed - 200000000);
   assert_in_range(stats->program.ns, 1, stats->busy_ns);
   assert_in_range(stats->handler.ns, 1, stats->busy_ns - stats->program.ns);
}

/* What runs while time is held is counted, but takes no time. */
static void
test_held_time(void **state)
{
   uint64_t va = machine_alloc(&machine, 4096);
   install_handler(&machine, load_shader(&machine, handler), va);
   struct launch launch = launch_of(load_shader(&machine, traps), 0);
   launch.rsrc2 |= RSRC2_TRAP_PRESENT;
   vgpu_hold_time(machine.gpu, true);
   assert_int_equal(run(&machine, &launch), 0);

   const struct stats *stats = machine.gpu->stats;
   assert_int_equal(stats->handler.instructions[STATS_SMEM], 1);
   assert_int_equal(stats->busy_ns, 0);
   assert_int_equal(stats->program.ns, 0);
   assert_int_equal(stats->handler.ns, 0);
   vgpu_hold_time(machine.gpu, false);
}

/* A process that ends while a wave runs for ever. */
static void
test_exit(void **state)
{
   int output[2];
   assert_int_equal(pipe(output), 0);
   pid_t child = fork();
   if (child == 0) {
      alarm(20);
      dup2(output[1], STDERR_FILENO);
      setup_counting(NULL);
      struct launch launch = launch_of(load_shader(&machine, forever), 0);
      struct commands commands;
      commands_init(&commands, &machine);
      emit_dispatch(&commands, &launch);
      submit(&commands, CP_RING_COMPUTE0);
      wait_until(__atomic_load_n(&machine.gpu->stats->program.ns, __ATOMIC_RELAXED));
      exit(0);
   }
   close(output[1]);
   char text[4096];
   size_t length = 0;
   ssize_t n;
   while (length < sizeof(text) - 1 && (n = read(output[0], text + length, sizeof(text) - 1 - length)) > 0)
      length += (size_t)n;
   text[length] = 0;
   close(output[0]);
   int status;
   assert_int_equal(waitpid(child, &status, 0), child);
   assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
   assert_non_null(strstr(text, "  jobs 1, dispatches 1, workgroups 1, waves 1, threads 64\n"));
   assert_non_null(strstr(text, "    branch "));
   assert_null(strstr(text, "busy 0.000000 s"));
   assert_null(strstr(strstr(text, "hdb-vgpu: statistics") + 1, "hdb-vgpu: statistics"));
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_handler, setup_counting, teardown),
      cmocka_unit_test_setup_teardown(test_time, setup_counting, teardown),
      cmocka_unit_test_setup_teardown(test_held_time, setup_counting, teardown),
      cmocka_unit_test(test_exit),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
