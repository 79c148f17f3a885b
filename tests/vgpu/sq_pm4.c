/* SPDX-License-Identifier: MIT */
/* Packets that need no shader. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sq_fixture.h"

static uint32_t
word_at(uint64_t va)
{
   return *(uint32_t *)machine_host(&machine, va);
}

static void
emit_write_data(struct commands *commands, uint64_t va, uint32_t value)
{
   emit_packet(commands, PM4_WRITE_DATA, 4, 5 << 8, (uint32_t)va, (uint32_t)(va >> 32), value);
}

static void
test_write_data(void **state)
{
   struct commands c;
   uint64_t to = machine_alloc(&machine, 64);
   commands_init(&c, &machine);
   emit_packet(&c, PM4_WRITE_DATA, 6, 5 << 8, (uint32_t)to, (uint32_t)(to >> 32), 1, 2, 3);
   emit_packet(&c, PM4_WRITE_DATA, 5, 5 << 8 | 1 << 16, (uint32_t)(to + 32), (uint32_t)(to >> 32), 4,
               5); /* one address */
   emit(&c, PM4_NOP_HEADER);
   emit(&c, 0x80000000); /* type 2 */
   emit_write_data(&c, to + 48, 7);
   submit(&c, CP_RING_GFX);
   assert_int_equal(finish(&c), 0);
   assert_memory_equal(machine_host(&machine, to), ((uint32_t[]){1, 2, 3, 0, 0, 0, 0, 0, 5, 0, 0, 0, 7}), 52);
}

static void
test_copy_data(void **state)
{
   struct commands c;
   uint64_t to = machine_alloc(&machine, 64), from = machine_alloc(&machine, 8);
   *(uint64_t *)machine_host(&machine, from) = UINT64_C(0x123456789abcdef0);
   commands_init(&c, &machine);
   emit_packet(&c, PM4_COPY_DATA, 5, 5 | 5 << 8, 0xabcd, 0, (uint32_t)to, (uint32_t)(to >> 32)); /* immediate */
   emit_packet(&c, PM4_COPY_DATA, 5, 1 | 5 << 8 | 1 << 16, (uint32_t)from, (uint32_t)(from >> 32), (uint32_t)(to + 8),
               (uint32_t)(to >> 32)); /* memory, 64 bits */
   set_sh(&c, REG_COMPUTE_USER_DATA_0, 77);
   emit_packet(&c, PM4_COPY_DATA, 5, 0 | 5 << 8, REG_COMPUTE_USER_DATA_0 / 4, 0, (uint32_t)(to + 16),
               (uint32_t)(to >> 32)); /* register */
   emit_packet(&c, PM4_COPY_DATA, 5, 9 | 5 << 8 | 1 << 16, 0, 0, (uint32_t)(to + 24), (uint32_t)(to >> 32)); /* clock */
   uint64_t before = now_ns() / 10;
   submit(&c, CP_RING_COMPUTE1);
   assert_int_equal(finish(&c), 0);
   uint64_t after = now_ns() / 10;
   const uint64_t *result = machine_host(&machine, to);
   assert_int_equal(result[0], 0xabcd);
   assert_true(result[1] == UINT64_C(0x123456789abcdef0));
   assert_int_equal(result[2], 77);
   assert_in_range(result[3], before, after);
}

static void
test_dma_data(void **state)
{
   struct commands c;
   uint64_t to = machine_alloc(&machine, 16384), from = machine_alloc(&machine, 16384);
   uint8_t *source = machine_host(&machine, from), *target = machine_host(&machine, to);
   for (int i = 0; i < 16384; i++)
      source[i] = (uint8_t)(i * 7 + i / 256);
   commands_init(&c, &machine);
   /* A copy over page boundaries, from TC_L2 to TC_L2 as RADV says it; a fill; a prefetch from nowhere. */
   emit_packet(&c, PM4_DMA_DATA, 6, 3 << 29 | 3 << 20 | 1u << 31, (uint32_t)(from + 3), (uint32_t)(from >> 32),
               (uint32_t)(to + 5), (uint32_t)(to >> 32), 9000);
   emit_packet(&c, PM4_DMA_DATA, 6, 2 << 29 | 3 << 20, 0x01020304, 0, (uint32_t)(to + 12000), (uint32_t)(to >> 32), 40);
   emit_packet(&c, PM4_DMA_DATA, 6, 2 << 20, 0x1000, 0, 0x1000, 0, 4096);
   submit(&c, CP_RING_COMPUTE0);
   assert_int_equal(finish(&c), 0);
   assert_memory_equal(target + 5, source + 3, 9000);
   assert_int_equal(target[4] | target[9005], 0);
   for (int i = 0; i < 40; i++)
      assert_int_equal(target[12000 + i], 4 - i % 4);
   assert_int_equal(target[12040], 0);
}

static void
test_wait_reg_mem_yields_and_wakes(void **state)
{
   struct commands waiter, other;
   uint64_t flag = machine_alloc(&machine, 4), result = machine_alloc(&machine, 4);
   commands_init(&waiter, &machine);
   emit_packet(&waiter, PM4_WAIT_REG_MEM, 6, 5 | 1 << 4, (uint32_t)flag, (uint32_t)(flag >> 32), 3, 0xff, 4); /* >= */
   emit_write_data(&waiter, result, 1);
   submit(&waiter, CP_RING_COMPUTE0);
   assert_false(is_finished_within(&waiter, 50));

   /* Another ring goes on meanwhile. */
   commands_init(&other, &machine);
   emit_write_data(&other, flag, 2);
   submit(&other, CP_RING_COMPUTE1);
   assert_int_equal(finish(&other), 0);
   assert_false(is_finished_within(&waiter, 20));
   assert_int_equal(word_at(result), 0);

   /* By the back-off alone... */
   __atomic_store_n((uint32_t *)machine_host(&machine, flag), 0x103, __ATOMIC_RELEASE);
   assert_true(is_finished_within(&waiter, 1000));
   assert_int_equal(word_at(result), 1);

   /* ... and at once when told: the best of several tries, on a busy machine. */
   uint64_t best = ~UINT64_C(0);
   for (int i = 0; i < 25; i++) {
      *(uint32_t *)machine_host(&machine, flag) = 0;
      submit(&waiter, CP_RING_COMPUTE0);
      assert_false(is_finished_within(&waiter, 30));
      uint64_t start = now_ns();
      __atomic_store_n((uint32_t *)machine_host(&machine, flag), 3, __ATOMIC_RELEASE);
      vgpu_wake(machine.gpu);
      assert_int_equal(finish(&waiter), 0);
      if (waiter.done_at - start < best)
         best = waiter.done_at - start;
   }
   assert_in_range(best, 0, 500000);
}

static void
test_cond_exec_and_predication(void **state)
{
   struct commands c;
   uint64_t yes = machine_alloc(&machine, 8), no = machine_alloc(&machine, 8), to = machine_alloc(&machine, 64);
   *(uint32_t *)machine_host(&machine, yes) = 1;
   commands_init(&c, &machine);
   emit_packet(&c, PM4_COND_EXEC, 4, (uint32_t)no, (uint32_t)(no >> 32), 0, 5);
   emit_write_data(&c, to, 1);
   emit_packet(&c, PM4_COND_EXEC, 4, (uint32_t)yes, (uint32_t)(yes >> 32), 0, 5);
   emit_write_data(&c, to + 4, 1);
   struct {
      uint64_t va;
      uint32_t visible;
      uint32_t expected;
   } cases[] = {{yes, 1, 1}, {yes, 0, 0}, {no, 1, 0}, {no, 0, 1}};
   for (uint32_t i = 0; i < 4; i++) {
      emit_packet(&c, PM4_SET_PREDICATION, 3, 4 << 16 | cases[i].visible << 8, (uint32_t)cases[i].va,
                  (uint32_t)(cases[i].va >> 32));
      emit_write_data(&c, to + 8 + 4 * i, 1);
      c.dword[c.ib.size - 5] |= 1; /* predicated */
   }
   emit_packet(&c, PM4_SET_PREDICATION, 3, 0, 0, 0);
   emit_write_data(&c, to + 24, 1);
   c.dword[c.ib.size - 5] |= 1;
   submit(&c, CP_RING_GFX);
   assert_int_equal(finish(&c), 0);
   assert_int_equal(word_at(to), 0);
   assert_int_equal(word_at(to + 4), 1);
   for (uint32_t i = 0; i < 4; i++)
      assert_int_equal(word_at(to + 8 + 4 * i), cases[i].expected);
   assert_int_equal(word_at(to + 24), 1);
}

static void
emit_indirect_buffer(struct commands *commands, const struct commands *to, uint32_t flags)
{
   emit_packet(commands, PM4_INDIRECT_BUFFER, 3, (uint32_t)to->ib.va, (uint32_t)(to->ib.va >> 32), to->ib.size | flags);
}

static void
test_indirect_buffers(void **state)
{
   struct commands called, chained, c;
   uint64_t to = machine_alloc(&machine, 64);
   commands_init(&called, &machine);
   emit_write_data(&called, to, 1);
   commands_init(&chained, &machine);
   emit_write_data(&chained, to + 8, 1);
   commands_init(&c, &machine);
   emit_indirect_buffer(&c, &called, 0); /* comes back */
   emit_write_data(&c, to + 4, 1);
   emit_indirect_buffer(&c, &chained, 1 << 20 | 1 << 23); /* does not */
   emit_write_data(&c, to + 12, 1);
   submit(&c, CP_RING_GFX);
   assert_int_equal(finish(&c), 0);
   assert_memory_equal(machine_host(&machine, to), ((uint32_t[]){1, 1, 1, 0}), 16);
}

/* Commands that patch what follows them are seen: nothing is read ahead. */
static void
test_self_modification(void **state)
{
   struct commands c;
   uint64_t to = machine_alloc(&machine, 4);
   commands_init(&c, &machine);
   emit_write_data(&c, c.ib.va + 4 * 9, 99); /* the value below */
   emit_write_data(&c, to, 1);
   submit(&c, CP_RING_COMPUTE0);
   assert_int_equal(finish(&c), 0);
   assert_int_equal(word_at(to), 99);
}

static void
emit_atomic(struct commands *commands, uint32_t op, uint64_t va, uint64_t data, uint64_t expected)
{
   emit_packet(commands, PM4_ATOMIC_MEM, 8, op, (uint32_t)va, (uint32_t)(va >> 32), (uint32_t)data,
               (uint32_t)(data >> 32), (uint32_t)expected, (uint32_t)(expected >> 32), 10);
}

static void
test_atomic_mem(void **state)
{
   struct commands c;
   uint64_t to = machine_alloc(&machine, 64);
   int32_t *words = machine_host(&machine, to);
   words[0] = 10;
   words[1] = -5;
   *(uint64_t *)(words + 2) = 1;
   commands_init(&c, &machine);
   emit_atomic(&c, 80, to, 3, 0);               /* SUB_32 */
   emit_atomic(&c, 83, to + 4, 3, 0);           /* SMAX_32 */
   emit_atomic(&c, 112, to + 8, 2, 0);          /* SUB_64 */
   emit_atomic(&c, 72, to + 16, 5, 1);          /* CMPSWAP_32: not equal */
   emit_atomic(&c, 72, to + 16, 6, 0);          /* equal */
   emit_atomic(&c, 8 | 1 << 8, to + 20, 1, 42); /* CMPSWAP_RTN_32 in a loop: waits */
   submit(&c, CP_RING_COMPUTE2);
   assert_false(is_finished_within(&c, 30));
   __atomic_store_n(&words[5], 42, __ATOMIC_RELEASE);
   vgpu_wake(machine.gpu);
   assert_int_equal(finish(&c), 0);
   assert_int_equal(words[0], 7);
   assert_int_equal(words[1], 3);
   assert_true(*(uint64_t *)(words + 2) == ~UINT64_C(0));
   assert_int_equal(words[4], 6);
   assert_int_equal(words[5], 1);
}

static void
test_release_mem(void **state)
{
   struct commands c;
   uint64_t to = machine_alloc(&machine, 64);
   commands_init(&c, &machine);
   for (uint32_t sel = 0; sel < 4; sel++)
      emit_packet(&c, PM4_RELEASE_MEM, 7, 40 | 5 << 8, sel << 29, (uint32_t)(to + 8 * sel), (uint32_t)(to >> 32), 0x11,
                  0x22, 0);
   submit(&c, CP_RING_COMPUTE0);
   assert_int_equal(finish(&c), 0);
   const uint64_t *result = machine_host(&machine, to);
   assert_int_equal(result[0], 0);
   assert_int_equal(result[1], 0x11);
   assert_true(result[2] == UINT64_C(0x2200000011));
   assert_in_range(result[3], 1, now_ns() / 10);
}

/* The graphics ring samples 14 counters, a compute ring the one that it has. */
static void
test_pipeline_statistics(void **state)
{
   for (int compute = 0; compute < 2; compute++) {
      struct commands c;
      uint64_t to = machine_alloc(&machine, 128);
      uint64_t *counters = machine_host(&machine, to);
      memset(counters, 0xee, 128);
      commands_init(&c, &machine);
      emit_packet(&c, PM4_EVENT_WRITE, 3, 30 | 2 << 8, (uint32_t)to, (uint32_t)(to >> 32));
      submit(&c, compute ? CP_RING_COMPUTE0 : CP_RING_GFX);
      assert_int_equal(finish(&c), 0);
      const int count = compute ? 1 : 14;
      assert_true(counters[count - 1] == 0);
      assert_true(counters[count] == UINT64_C(0xeeeeeeeeeeeeeeee));
   }
}

/* 24 render backends, each with a beginning and an end; a packet writes one of the two. Whoever waits for a query looks
 * at bit 63. */
static void
test_occlusion_query(void **state)
{
   struct commands c;
   uint64_t to = machine_alloc(&machine, 25 * 16), end = to + 8;
   uint64_t *counts = machine_host(&machine, to);
   memset(counts, 0xee, 25 * 16);
   commands_init(&c, &machine);
   emit_packet(&c, PM4_EVENT_WRITE_ZPASS, 2, (uint32_t)to, (uint32_t)(to >> 32));
   submit(&c, CP_RING_GFX);
   assert_int_equal(finish(&c), 0);
   for (int i = 0; i < 25; i++) {
      assert_true(counts[2 * i] == (i < 24 ? UINT64_C(1) << 63 : UINT64_C(0xeeeeeeeeeeeeeeee)));
      assert_true(counts[2 * i + 1] == UINT64_C(0xeeeeeeeeeeeeeeee));
   }
   commands_init(&c, &machine);
   emit_packet(&c, PM4_EVENT_WRITE, 3, 57 | 1 << 8, (uint32_t)end, (uint32_t)(end >> 32));
   submit(&c, CP_RING_GFX);
   assert_int_equal(finish(&c), 0);
   for (int i = 0; i < 25; i++)
      assert_true(counts[2 * i + 1] == (i < 24 ? UINT64_C(1) << 63 : UINT64_C(0xeeeeeeeeeeeeeeee)));
}

static void
test_registers_by_packet(void **state)
{
   struct commands c;
   uint64_t from = machine_alloc(&machine, 16);
   memcpy(machine_host(&machine, from), (uint32_t[]){5, 6, 7}, 12);
   commands_init(&c, &machine);
   emit_packet(&c, PM4_LOAD_SH_REG_INDEX, 4, (uint32_t)from, (uint32_t)(from >> 32),
               (REG_COMPUTE_USER_DATA_0 + 8 - REG_SH_BASE) / 4, 3);
   emit_packet(&c, PM4_SET_UCONFIG_REG, 3, (0x30d00 - REG_UCONFIG_BASE) / 4, 0x1234, 0x5678);
   /* The index in the upper half is no part of the register's number. */
   emit_packet(&c, PM4_SET_SH_REG_INDEX, 2, 3u << 28 | (REG_COMPUTE_USER_DATA_0 - REG_SH_BASE) / 4, 4);
   emit_packet(&c, PM4_SET_SH_REG_PAIRS_PACKED, 4, 2,
               (REG_COMPUTE_USER_DATA_0 + 40 - REG_SH_BASE) / 4 | (REG_COMPUTE_USER_DATA_0 + 44 - REG_SH_BASE) / 4
                                                                     << 16,
               10, 11);
   submit(&c, CP_RING_COMPUTE3);
   assert_int_equal(finish(&c), 0);
   struct vgpu_bank bank = {.me = 1, .pipe = 3};
   uint32_t expected[] = {4, 0, 5, 6, 7, 0, 0, 0, 0, 0, 10, 11};
   for (int i = 0; i < 12; i++)
      assert_int_equal(read_register(&machine, &bank, REG_COMPUTE_USER_DATA_0 + 4 * i), expected[i]);
   assert_int_equal(read_register(&machine, &bank, 0x30d04), 0x5678);
   bank.pipe = 2; /* another queue has its own */
   assert_int_equal(read_register(&machine, &bank, REG_COMPUTE_USER_DATA_0), 0);
}

static void
test_unknown_packets_are_named_once(void **state)
{
   struct commands c;
   uint64_t to = machine_alloc(&machine, 4);
   commands_init(&c, &machine);
   for (int i = 0; i < 3; i++) {
      emit_packet(&c, 0x99, 3, 1, 2, 3);
      emit_packet(&c, PM4_DRAW_INDEX_AUTO, 2, 3, 0);
   }
   emit_write_data(&c, to, 1);
   submit(&c, CP_RING_GFX);
   assert_int_equal(finish(&c), 0);
   assert_int_equal(word_at(to), 1);
   const char *unknown = strstr(machine.log, "opcode 0x99"), *draw = strstr(machine.log, "DRAW_INDEX_AUTO");
   assert_non_null(unknown);
   assert_non_null(draw);
   assert_null(strstr(unknown + 1, "opcode 0x99"));
   char where[64];
   snprintf(where, sizeof(where), "at 0x%" PRIx64 " on the graphics ring", c.ib.va);
   assert_non_null(strstr(unknown, where));
   assert_null(strstr(draw + 1, "DRAW_INDEX_AUTO"));
}

static void
test_packet_over_the_end(void **state)
{
   struct commands c;
   commands_init(&c, &machine);
   emit(&c, PM4_TYPE3(PM4_WRITE_DATA, 100));
   submit(&c, CP_RING_COMPUTE0);
   assert_int_equal(finish(&c), 0);
   assert_non_null(strstr(machine.log, "runs over the end"));
}

static void
test_fault_of_the_command_processor(void **state)
{
   struct commands bad, good;
   uint64_t to = machine_alloc(&machine, 4);
   commands_init(&bad, &machine);
   emit_write_data(&bad, UINT64_C(0x123456789000), 1);
   commands_init(&good, &machine);
   emit_write_data(&good, to, 1);
   submit(&bad, CP_RING_COMPUTE0);
   submit(&good, CP_RING_COMPUTE0);
   assert_int_equal(finish(&bad), -ECANCELED);
   assert_int_equal(bad.fault.kind, VGPU_FAULT_MEMORY);
   assert_true(bad.fault.va == UINT64_C(0x123456789000));
   assert_true(bad.fault.write);
   assert_non_null(strstr(machine.log, "WRITE_DATA"));
   assert_int_equal(finish(&good), 0); /* the ring goes on */
   assert_int_equal(word_at(to), 1);

   assert_int_equal(read_register(&machine, NULL, REG_GCVM_L2_PROTECTION_FAULT_ADDR_LO), 0x23456789);
   assert_int_equal(read_register(&machine, NULL, REG_GCVM_L2_PROTECTION_FAULT_ADDR_HI), 0x1);
   uint32_t status = read_register(&machine, NULL, REG_GCVM_L2_PROTECTION_FAULT_STATUS);
   assert_int_equal(status >> 20 & 15, machine.vm.vmid);
   assert_int_equal(status >> 18 & 1, 1);
}

static void
test_endless_chain_is_a_hang(void **state)
{
   struct commands c;
   commands_init(&c, &machine);
   emit_packet(&c, PM4_INDIRECT_BUFFER, 3, (uint32_t)c.ib.va, (uint32_t)(c.ib.va >> 32), 4 | 1 << 20);
   submit(&c, CP_RING_COMPUTE0);
   assert_int_equal(finish(&c), -ETIME);
   assert_int_equal(c.fault.kind, VGPU_FAULT_HANG);
}

int
main(void)
{
   setenv("HDB_VGPU_TIMEOUT_MS", "1500", 1);
   const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_write_data, setup, teardown),
      cmocka_unit_test_setup_teardown(test_copy_data, setup, teardown),
      cmocka_unit_test_setup_teardown(test_dma_data, setup, teardown),
      cmocka_unit_test_setup_teardown(test_wait_reg_mem_yields_and_wakes, setup, teardown),
      cmocka_unit_test_setup_teardown(test_cond_exec_and_predication, setup, teardown),
      cmocka_unit_test_setup_teardown(test_indirect_buffers, setup, teardown),
      cmocka_unit_test_setup_teardown(test_self_modification, setup, teardown),
      cmocka_unit_test_setup_teardown(test_atomic_mem, setup, teardown),
      cmocka_unit_test_setup_teardown(test_release_mem, setup, teardown),
      cmocka_unit_test_setup_teardown(test_registers_by_packet, setup, teardown),
      cmocka_unit_test_setup_teardown(test_pipeline_statistics, setup, teardown),
      cmocka_unit_test_setup_teardown(test_occlusion_query, setup, teardown),
      cmocka_unit_test_setup_teardown(test_unknown_packets_are_named_once, setup, teardown),
      cmocka_unit_test_setup_teardown(test_packet_over_the_end, setup, teardown),
      cmocka_unit_test_setup_teardown(test_fault_of_the_command_processor, setup, teardown),
      cmocka_unit_test_setup_teardown(test_endless_chain_is_a_hang, setup, teardown),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
