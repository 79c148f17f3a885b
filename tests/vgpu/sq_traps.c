/* SPDX-License-Identifier: MIT */
/* Traps, with a handler that writes down what it finds (shaders/handler.S), and the debug registers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sq_fixture.h"
#include "sq_shaders.h"

/* The handler's memory. */
static struct trap_memory {
   uint32_t count, hold, step, unused[13];
   struct record {
      uint32_t ttmp0, ttmp1, trapsts, status, hw_id1, mode, exec_lo, wave64;
   } record[1000];
} *volatile memory;

static int
setup_handler(void **state)
{
   setup(state);
   uint64_t va = machine_alloc(&machine, sizeof(struct trap_memory));
   memory = machine_host(&machine, va);
   install_handler(&machine, load_shader(&machine, handler), va);
   return 0;
}

static struct launch
trapping_launch(uint64_t code, uint64_t argument)
{
   struct launch launch = launch_of(code, argument);
   launch.rsrc2 |= RSRC2_TRAP_PRESENT;
   return launch;
}

static uint32_t s20;

static void
see_s20(void *user, const struct vgpu_wave_state *state)
{
   s20 = state->sgpr[20];
}

static int
run_seeing_s20(const struct launch *launch)
{
   struct commands commands;
   commands_init(&commands, &machine);
   commands.job.wave_ended = see_s20;
   emit_dispatch(&commands, launch);
   submit(&commands, CP_RING_COMPUTE0);
   return finish(&commands);
}

static void
check_record(uint32_t n, uint64_t pc, uint32_t ttmp1_high, uint32_t trapsts)
{
   const struct record *record = &memory->record[n];
   assert_int_equal(record->ttmp0, (uint32_t)pc);
   assert_int_equal(record->ttmp1, (pc >> 32 & 0xffff) | ttmp1_high << 16); /* 48 bits, unsigned */
   assert_int_equal(record->trapsts, trapsts);
   assert_true(record->status & STATUS_PRIV);
   assert_true(record->status & STATUS_TRAP_EN);
}

static void
test_s_trap(void **state)
{
   struct launch launch = trapping_launch(load_shader(&machine, traps), 0);
   assert_int_equal(run_seeing_s20(&launch), 0);
   assert_int_equal(memory->count, 1);
   check_record(0, launch.code, 5, 0);
   assert_int_equal(memory->record[0].exec_lo, ~0u);
   assert_int_equal(memory->record[0].wave64, 1);
   assert_int_equal(s20, 2);

   /* Without TRAP_PRESENT, and without a handler, it is a no-op. */
   launch.rsrc2 &= ~(uint32_t)RSRC2_TRAP_PRESENT;
   assert_int_equal(run_seeing_s20(&launch), 0);
   assert_int_equal(memory->count, 1);
   launch.rsrc2 |= RSRC2_TRAP_PRESENT;
   struct vgpu_bank bank = vmid_bank(&machine);
   uint32_t high = read_register(&machine, &bank, REG_SQ_SHADER_TBA_HI);
   write_register(&machine, &bank, REG_SQ_SHADER_TBA_HI, high & ~TBA_HI_TRAP_EN);
   assert_int_equal(run_seeing_s20(&launch), 0);
   assert_int_equal(memory->count, 1);
   write_register(&machine, &bank, REG_SQ_SHADER_TBA_HI, high);

   /* For a whole VMID. */
   launch.rsrc2 &= ~(uint32_t)RSRC2_TRAP_PRESENT;
   write_register(&machine, &bank, REG_SPI_GDBG_PER_VMID_CNTL, GDBG_TRAP_EN);
   launch.initiator |= INITIATOR_CS_W32_EN;
   launch.group[0] = 5;
   assert_int_equal(run_seeing_s20(&launch), 0);
   assert_int_equal(memory->count, 2);
   check_record(1, launch.code, 5, 0);
   assert_int_equal(memory->record[1].exec_lo, 0x1f);
   assert_int_equal(memory->record[1].wave64, 0);

   /* Another VMID's setting does not matter. */
   write_register(&machine, &bank, REG_SPI_GDBG_PER_VMID_CNTL, 0);
   bank.vmid++;
   write_register(&machine, &bank, REG_SPI_GDBG_PER_VMID_CNTL, GDBG_TRAP_EN);
   assert_int_equal(run_seeing_s20(&launch), 0);
   assert_int_equal(memory->count, 2);
}

static void
test_start_step_and_end(void **state)
{
   struct launch launch = trapping_launch(load_shader(&machine, traps), 0);
   launch.rsrc3 = RSRC3_TRAP_ON_START;
   launch.grid[0] = 7;
   assert_int_equal(run_seeing_s20(&launch), 0);
   uint32_t starts = 0;
   for (uint32_t i = 0; i < memory->count; i++)
      starts += memory->record[i].trapsts == TRAPSTS_WAVE_START;
   assert_int_equal(memory->count, 14);
   assert_int_equal(starts, 7);
   check_record(0, launch.code, 0, TRAPSTS_WAVE_START);

   /* A step after every instruction but the last, which is s_endpgm; an s_trap has its own stop instead. */
   memory->count = 0;
   memory->step = 1;
   launch.grid[0] = 1;
   launch.rsrc3 |= RSRC3_TRAP_ON_END;
   assert_int_equal(run_seeing_s20(&launch), 0);
   assert_int_equal(memory->count, 7);
   check_record(0, launch.code, 0, TRAPSTS_WAVE_START);
   check_record(1, launch.code, 5, 0);
   for (uint32_t i = 2; i < 6; i++)
      check_record(i, launch.code + 4 * i, 0, TRAPSTS_TRAP_AFTER_INST);
   check_record(6, launch.code + 20, 0, TRAPSTS_WAVE_END); /* at s_endpgm, which then ends the wave */
   assert_int_equal(memory->record[5].mode & (MODE_TRAP_AFTER_INST | MODE_WAVE_END),
                    MODE_TRAP_AFTER_INST | MODE_WAVE_END);
   assert_int_equal(memory->record[6].mode & MODE_WAVE_END, 0);
   assert_int_equal(s20, 2);
}

static void
test_faults_go_to_the_handler(void **state)
{
   struct launch launch = trapping_launch(load_shader(&machine, load), UINT64_C(0x123456789010));
   uint32_t size = shader_load_size / 4;
   assert_int_equal(run_seeing_s20(&launch), -ECANCELED); /* it has failed, but all of it ran */
   assert_int_equal(memory->count, 1);
   check_record(0, launch.code + 16, 0, TRAPSTS_MEM_VIOL); /* the instruction after the load of 8 bytes */
   assert_int_equal(s20, 7);
   assert_int_equal(size, 7);
   assert_int_equal(read_register(&machine, NULL, REG_GCVM_L2_PROTECTION_FAULT_ADDR_LO), 0x23456789);

   assert_non_null(strstr(machine.log, "memory fault: read from 0x123456789010"));
   machine.log[0] = 0;

   memory->count = 0;
   launch = trapping_launch(load_shader(&machine, illegal), 0);
   assert_int_equal(run_seeing_s20(&launch), 0);
   assert_int_equal(memory->count, 1);
   check_record(0, launch.code + 8, 0, TRAPSTS_ILLEGAL_INST);
   assert_int_equal(s20, 7);
   assert_string_equal(machine.log, "");
}

static void
command(uint32_t cmd, uint32_t data)
{
   struct vgpu_bank bank = vmid_bank(&machine);
   write_register(&machine, &bank, REG_SQ_CMD,
                  cmd | 1 << 4 /* broadcast */ | 1 << 7 /* CHECK_VMID */ | data << 8 | machine.vm.vmid << 28);
}

enum { SETHALT = 1, KILL = 3, TRAP = 5, SETFATALHALT = 7, SINGLE_STEP = 8 };

static void
test_host_trap(void **state)
{
   struct launch launch = trapping_launch(load_shader(&machine, forever), 0);
   launch.grid[0] = 3;
   struct commands commands;
   commands_init(&commands, &machine);
   emit_dispatch(&commands, &launch);
   submit(&commands, CP_RING_COMPUTE0);
   const struct sq_queue *queue = &machine.gpu->sq->queues[CP_RING_COMPUTE0];
   wait_until(__atomic_load_n(&queue->launched, __ATOMIC_RELAXED) == 3);
   command(TRAP, 0);
   wait_until(memory->count == 3);
   for (uint32_t i = 0; i < 3; i++)
      check_record(i, launch.code, 1 << 8, TRAPSTS_HOST_TRAP); /* HT, bit 24 */

   /* Held in the handler, polling: no hang, however long. */
   memory->hold = 1;
   command(TRAP, 0);
   wait_until(memory->count == 6);
   assert_false(is_finished_within(&commands, 1500));
   memory->hold = 0;
   vgpu_wake(machine.gpu);
   nap_ms(20);
   command(KILL, 0);
   assert_int_equal(finish(&commands), 0);
   assert_int_equal(memory->count, 6);

   /* Waves of another address space are left alone; without TRAP_EN nothing happens either. */
   launch.rsrc2 &= ~(uint32_t)RSRC2_TRAP_PRESENT;
   commands_init(&commands, &machine);
   emit_dispatch(&commands, &launch);
   submit(&commands, CP_RING_COMPUTE0);
   wait_until(__atomic_load_n(&queue->resident, __ATOMIC_RELAXED) == 3);
   struct vgpu_bank bank = vmid_bank(&machine);
   write_register(&machine, &bank, REG_SQ_CMD, KILL | 1 << 4 | 1 << 7 | (machine.vm.vmid + 1) << 28);
   command(TRAP, 0);
   assert_false(is_finished_within(&commands, 30));
   assert_int_equal(memory->count, 6);
   command(KILL, 0);
   assert_int_equal(finish(&commands), 0);
}

/* A wave that waits at a barrier can be trapped; it waits on afterwards. */
static void
test_host_trap_at_a_barrier(void **state)
{
   uint64_t buffer = machine_alloc(&machine, 64);
   volatile uint32_t *words = machine_host(&machine, buffer);
   struct launch launch = trapping_launch(load_shader(&machine, held_barrier), buffer);
   launch.rsrc2 |= 1 << 10;
   launch.group[0] = 128;
   struct commands commands;
   commands_init(&commands, &machine);
   emit_dispatch(&commands, &launch);
   submit(&commands, CP_RING_COMPUTE0);
   nap_ms(50); /* one is at the barrier, the other polls */
   for (uint32_t round = 1; round <= 3; round++) {
      command(TRAP, 0);
      wait_until(memory->count == 2 * round);
   }
   uint32_t waiting = 0;
   for (uint32_t i = 0; i < 6; i++)
      waiting += (memory->record[i].status & STATUS_IN_BARRIER) != 0;
   assert_int_equal(waiting, 3);
   assert_false(is_finished_within(&commands, 30));
   assert_int_equal(words[1] | words[2], 0);

   /* The barrier is satisfied while its waves are held in the handler; both go on. */
   memory->hold = 1;
   command(TRAP, 0);
   wait_until(memory->count == 8);
   words[0] = 1;
   memory->hold = 0;
   vgpu_wake(machine.gpu);
   assert_int_equal(finish(&commands), 0);
   assert_int_equal(words[1], 1);
   assert_int_equal(words[2], 1);
}

/* A step over s_barrier ends when the barrier is satisfied. */
static void
test_step_over_a_barrier(void **state)
{
   struct launch launch = trapping_launch(load_shader(&machine, step_barrier), 0);
   launch.group[0] = 128;
   launch.rsrc3 = RSRC3_TRAP_ON_START;
   memory->step = 1;
   assert_int_equal(run(&machine, &launch), 0);
   assert_int_equal(memory->count, 8); /* for each wave: start, and three instructions */
   uint32_t seen[4] = {0};
   for (uint32_t i = 0; i < 8; i++)
      seen[(memory->record[i].ttmp0 - (uint32_t)launch.code) / 4]++;
   assert_memory_equal(seen, ((uint32_t[]){2, 2, 2, 2}), 16);
   for (uint32_t i = 0; i < 8; i++)
      assert_false(memory->record[i].status & STATUS_IN_BARRIER);
}

static uint32_t
indirect(const struct vgpu_bank *bank, uint32_t slot, uint32_t lane, uint32_t index)
{
   write_register(&machine, bank, REG_SQ_IND_INDEX, slot | lane << 5 | index << 16);
   return read_register(&machine, bank, REG_SQ_IND_DATA);
}

static void
test_halt_and_look(void **state)
{
   uint64_t buffer = machine_alloc(&machine, 64);
   struct launch launch = trapping_launch(load_shader(&machine, halt), buffer);
   struct commands commands;
   commands_init(&commands, &machine);
   emit_dispatch(&commands, &launch);
   submit(&commands, CP_RING_COMPUTE0);

   struct vgpu_bank bank = wave_bank(0, 0, 0, 0);
   wait_until(indirect(&bank, 0, 0, 0x0b) == 1);     /* VALID_AND_IDLE */
   assert_int_equal(indirect(&bank, 0, 0, 0x0a), 1); /* ACTIVE */
   struct vgpu_bank empty = wave_bank(1, 0, 0, 0);
   assert_int_equal(indirect(&empty, 0, 0, 0x0a), 0);

   uint32_t status = indirect(&bank, 0, 0, 0x102);
   assert_int_equal(status & (STATUS_VALID | STATUS_HALT | STATUS_IDLE | STATUS_TRAP_EN | STATUS_PRIV),
                    STATUS_VALID | STATUS_HALT | STATUS_IDLE | STATUS_TRAP_EN);
   assert_int_equal(indirect(&bank, 0, 0, 0x108), (uint32_t)(launch.code + 12));
   assert_int_equal(indirect(&bank, 0, 0, 0x109), launch.code >> 32 & 0xffff);
   assert_int_equal(indirect(&bank, 0, 0, 0x101), 0x1c0);                      /* MODE */
   assert_int_equal(indirect(&bank, 0, 0, 0x117), 0);                          /* HW_ID1 */
   assert_int_equal(indirect(&bank, 0, 0, 0x118) >> 24 & 15, machine.vm.vmid); /* HW_ID2 */
   assert_int_equal(indirect(&bank, 0, 0, 0x11c) >> 11 & 1, 1);                /* IB_STS2.WAVE64 */
   assert_int_equal(indirect(&bank, 0, 0, 0x200), (uint32_t)buffer);           /* s0 */
   assert_int_equal(indirect(&bank, 0, 0, 0x27e), ~0u);                        /* EXEC_LO */
   assert_int_equal(indirect(&bank, 0, 37, 0x400), 37);                        /* v0 of lane 37 */

   /* AUTO_INCR counts registers; data can be written. */
   write_register(&machine, &bank, REG_SQ_IND_INDEX, 1 << 11 | 0x200u << 16);
   assert_int_equal(read_register(&machine, &bank, REG_SQ_IND_DATA), (uint32_t)buffer);
   assert_int_equal(read_register(&machine, &bank, REG_SQ_IND_DATA), (uint32_t)(buffer >> 32));
   write_register(&machine, &bank, REG_SQ_IND_INDEX, 0x402u << 16);
   write_register(&machine, &bank, REG_SQ_IND_DATA, 42); /* v2 of lane 0 */
   write_register(&machine, &bank, REG_SQ_IND_INDEX, 63 << 5 | 0x402u << 16);
   write_register(&machine, &bank, REG_SQ_IND_DATA, 43); /* of the last lane, whose store comes last */

   /* By hand as well. */
   write_register(&machine, NULL, REG_GRBM_GFX_INDEX, 0);
   write_register(&machine, NULL, REG_SQ_IND_INDEX, 0x27eu << 16);
   assert_int_equal(read_register(&machine, NULL, REG_SQ_IND_DATA), ~0u);

   /* A host trap wakes it into the handler, and it halts again after. */
   command(TRAP, 0);
   wait_until(memory->count == 1);
   check_record(0, launch.code + 12, 1 << 8, TRAPSTS_HOST_TRAP);
   wait_until(indirect(&bank, 0, 0, 0x0b) == 1);
   assert_false(is_finished_within(&commands, 20));

   /* One instruction, the store; then on. */
   command(SINGLE_STEP, 0);
   wait_until(indirect(&bank, 0, 0, 0x108) == (uint32_t)(launch.code + 20));
   assert_false(is_finished_within(&commands, 20));
   assert_int_equal(*(uint32_t *)machine_host(&machine, buffer), 43);
   command(SETHALT, 0);
   assert_int_equal(finish(&commands), 0);
   assert_int_equal(indirect(&bank, 0, 0, 0x0a), 0);
}

static void
test_halt_running_waves(void **state)
{
   struct launch launch = trapping_launch(load_shader(&machine, forever), 0);
   launch.grid[0] = 2;
   struct commands commands;
   commands_init(&commands, &machine);
   emit_dispatch(&commands, &launch);
   submit(&commands, CP_RING_GFX);
   struct vgpu_bank first = wave_bank(0, 0, 0, 0), second = wave_bank(1, 0, 0, 0);
   wait_until(indirect(&second, 0, 0, 0x0a) == 1);
   assert_int_equal(indirect(&second, 0, 0, 0x0b), 0);

   /* The second alone, as a single wave: the slot by WAVE_ID, the rest by GRBM_GFX_INDEX. */
   write_register(&machine, &second, REG_SQ_CMD, SETHALT | 1 << 8);
   assert_int_equal(indirect(&first, 0, 0, 0x0b), 0);
   assert_int_equal(indirect(&second, 0, 0, 0x0b), 1);
   /* All of ME 0, then of ME 1: there are none. */
   struct vgpu_bank all = vmid_bank(&machine);
   write_register(&machine, &all, REG_SQ_CMD, SETHALT | 4 << 4 | 0 << 8);
   assert_int_equal(indirect(&second, 0, 0, 0x0b), 0);
   all.me = 1;
   write_register(&machine, &all, REG_SQ_CMD, SETHALT | 4 << 4 | 1 << 8);
   assert_int_equal(indirect(&first, 0, 0, 0x0b), 0);

   /* FATAL_HALT holds in the handler as well. */
   memory->hold = 1;
   command(TRAP, 0);
   wait_until(memory->count == 2);
   assert_int_equal(indirect(&first, 0, 0, 0x0b), 0);
   command(SETFATALHALT, 1);
   assert_int_equal(indirect(&first, 0, 0, 0x0b), 1);
   assert_true(indirect(&first, 0, 0, 0x102) & STATUS_PRIV);
   memory->hold = 0;
   vgpu_wake(machine.gpu);
   nap_ms(20);
   assert_true(indirect(&first, 0, 0, 0x102) & STATUS_PRIV);
   command(SETFATALHALT, 0);
   wait_until(!(indirect(&first, 0, 0, 0x102) & STATUS_PRIV));
   command(KILL, 0);
   assert_int_equal(finish(&commands), 0);
}

static void
test_stalled_launches(void **state)
{
   uint64_t buffer = machine_alloc(&machine, 64);
   struct launch launch = trapping_launch(load_shader(&machine, store), buffer);
   struct vgpu_bank bank = vmid_bank(&machine);
   write_register(&machine, &bank, REG_SPI_GDBG_PER_VMID_CNTL, GDBG_STALL_VMID);
   struct commands commands;
   commands_init(&commands, &machine);
   emit_dispatch(&commands, &launch);
   submit(&commands, CP_RING_COMPUTE0);
   assert_false(is_finished_within(&commands, 1500)); /* longer than the hang limit */
   write_register(&machine, &bank, REG_SPI_GDBG_PER_VMID_CNTL, 0);
   assert_int_equal(finish(&commands), 0);

   /* All VMIDs at once. */
   write_register(&machine, NULL, REG_SPI_GDBG_WAVE_CNTL, GDBG_STALL_LAUNCH);
   submit(&commands, CP_RING_COMPUTE0);
   assert_false(is_finished_within(&commands, 30));
   write_register(&machine, NULL, REG_SPI_GDBG_WAVE_CNTL, 0);
   assert_int_equal(finish(&commands), 0);

   /* LAUNCH_MODE 1: halted from the start. */
   write_register(&machine, &bank, REG_SPI_GDBG_PER_VMID_CNTL, 1 << GDBG_LAUNCH_MODE_SHIFT);
   submit(&commands, CP_RING_COMPUTE0);
   assert_false(is_finished_within(&commands, 30));
   command(SETHALT, 0);
   assert_int_equal(finish(&commands), 0);
}

/* EXCP_EN of RSRC2, bits 30:24: division by zero is 26; DX10_CLAMP, RSRC1 21, suppresses all of them. Whoever reads
 * TRAPSTS finds what was raised in any case. */
static void
test_arithmetic_exceptions(void **state)
{
   struct launch launch = trapping_launch(load_shader(&machine, divide), 0);
   launch.rsrc2 |= 1 << 26;
   s20 = ~0u;
   assert_int_equal(run_seeing_s20(&launch), 0);
   assert_int_equal(memory->count, 0);
   assert_int_equal(s20, 0);

   launch.rsrc1 &= ~(1u << 21);
   assert_int_equal(run_seeing_s20(&launch), 0);
   assert_int_equal(memory->count, 1);
   check_record(0, launch.code + 8, 0, TRAPSTS_DIVIDE_BY_ZERO);
   assert_int_equal(s20, 0); /* the handler has cleared it */

   /* Not enabled; or enabled without TRAP_PRESENT. */
   launch.rsrc2 &= ~(1u << 26);
   s20 = 0;
   assert_int_equal(run_seeing_s20(&launch), 0);
   assert_int_equal(s20, TRAPSTS_DIVIDE_BY_ZERO);
   launch.rsrc2 = (launch.rsrc2 & ~(uint32_t)RSRC2_TRAP_PRESENT) | 1 << 26;
   assert_int_equal(run_seeing_s20(&launch), 0);
   assert_int_equal(memory->count, 1);
   assert_string_equal(machine.log, "");
}

/* A fault of the handler itself ends the job. */
static void
test_fault_in_the_handler(void **state)
{
   uint64_t va = load_shader(&machine, illegal);
   install_handler(&machine, va, 0);
   struct launch launch = trapping_launch(load_shader(&machine, traps), 0);
   assert_int_equal(run(&machine, &launch), -ECANCELED);
   assert_non_null(strstr(machine.log, "in the trap handler"));
}

int
main(void)
{
   setenv("HDB_VGPU_TIMEOUT_MS", "1000", 1);
   const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_s_trap, setup_handler, teardown),
      cmocka_unit_test_setup_teardown(test_start_step_and_end, setup_handler, teardown),
      cmocka_unit_test_setup_teardown(test_faults_go_to_the_handler, setup_handler, teardown),
      cmocka_unit_test_setup_teardown(test_host_trap, setup_handler, teardown),
      cmocka_unit_test_setup_teardown(test_host_trap_at_a_barrier, setup_handler, teardown),
      cmocka_unit_test_setup_teardown(test_step_over_a_barrier, setup_handler, teardown),
      cmocka_unit_test_setup_teardown(test_halt_and_look, setup_handler, teardown),
      cmocka_unit_test_setup_teardown(test_halt_running_waves, setup_handler, teardown),
      cmocka_unit_test_setup_teardown(test_stalled_launches, setup_handler, teardown),
      cmocka_unit_test_setup_teardown(test_arithmetic_exceptions, setup_handler, teardown),
      cmocka_unit_test_setup_teardown(test_fault_in_the_handler, setup_handler, teardown),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
