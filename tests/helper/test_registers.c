/* SPDX-License-Identifier: MIT */
/* Which registers and waves are granted, and what is cleared of a helper that was killed. */
#include "client.h"

#include <string.h>

static void
test_registers(void **state)
{
   struct client *client = claimed();
   assert_int_equal(read_reg(client, OURS, REG_SQ_SHADER_TMA_HI), 0);
   assert_int_equal(client->value, 0x100 * OURS + 3);
   assert_int_equal(write_reg(client, OURS, REG_SQ_SHADER_TMA_HI, 7), 0);
   assert_int_equal(*fake_card_register(client->fake, OURS, REG_SQ_SHADER_TMA_HI), 7);

   /* another VMID's */
   const uint32_t banked[] = {REG_SQ_SHADER_TBA_LO, REG_SQ_SHADER_TBA_HI, REG_SQ_SHADER_TMA_LO, REG_SQ_SHADER_TMA_HI,
                              REG_SPI_GDBG_PER_VMID_CNTL};
   for (int i = 0; i < 5; i++) {
      assert_int_equal(read_reg(client, OTHER, banked[i]), -EACCES);
      assert_int_equal(write_reg(client, OTHER, banked[i], 0), -EACCES);
      assert_int_equal(write_reg(client, 0, banked[i], 0), -EACCES);
      assert_int_equal(write_reg(client, 99, banked[i], 0), -EACCES);
      assert_int_equal(*fake_card_register(client->fake, OTHER, banked[i]), fake_card_initial(OTHER, i));
   }

   /* off the list: page tables, queues, bank selectors, no registers at all */
   const uint32_t others[] = {GC_REGISTER(0, 0x1688), GC_REGISTER(0, 0x16f3),     GC_REGISTER(0, 0x1fac),
                              GC_REGISTER(1, 0x900),  GC_REGISTER(1, 0x2200),     GC_REGISTER(0, 0x16bc),
                              GC_REGISTER(2, 0),      GC_REGISTER(255, 0xffffff), REG_SQ_IND_INDEX,
                              REG_SQ_IND_DATA};
   for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
      assert_int_equal(read_reg(client, OURS, others[i]), -EPERM);
      assert_int_equal(write_reg(client, OURS, others[i], 0), -EPERM);
   }
   /* one SIMD's copy of what is set for all */
   struct hdb_helper_request one = {
      .op = HDB_HELPER_WRITE_REGISTER, .reg = REG_SPI_GDBG_PER_VMID_CNTL, .vmid = OURS, .sa = HDB_BROADCAST};
   assert_int_equal(ask(client, one), -EPERM);
   disconnect_client(client);
}

/* Launches that nobody might be left to let go. */
static void
test_stall(void **state)
{
   struct client *client = claimed();
   assert_int_equal(write_reg(client, OURS, REG_SPI_GDBG_PER_VMID_CNTL, GDBG_TRAP_EN), 0);
   assert_int_equal(write_reg(client, OURS, REG_SPI_GDBG_PER_VMID_CNTL, GDBG_TRAP_EN | GDBG_STALL_VMID), -EPERM);
   assert_int_equal(*fake_card_register(client->fake, OURS, REG_SPI_GDBG_PER_VMID_CNTL), GDBG_TRAP_EN);
   disconnect_client(client);
}

/* What a helper that was killed has left is cleared, and not put back; a handler of the kernel's own stays. */
static void
test_stale(void **state)
{
   static const struct {
      uint32_t before[5], after[5];
   } cases[] = {
      {{0x1000010, 0x80000080, 0x1000020, 0x80, 0x109}, {0, 0, 0, 0, 0x100}},
      {{0, 0, 0, 0, 9}, {0, 0, 0, 0, 0}},
      {{0xffffbf00, 0x800000ff, 0xffffbf18, 0xff, 9}, {0xffffbf00, 0x800000ff, 0xffffbf18, 0xff, 8}},
      {{0xffffbeff, 0x800000ff, 0x20, 0xff, 8}, {0}},
   };
   for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
      struct client *client = connect_client();
      memcpy(client->fake->banked[OURS], cases[i].before, sizeof(cases[i].before));
      assert_int_equal(try_claim(client, VA), 0);
      assert_memory_equal(client->fake->banked[OURS], cases[i].after, sizeof(cases[i].after));
      assert_int_equal(write_reg(client, OURS, REG_SQ_SHADER_TBA_HI, 0x80000012), 0);
      assert_int_equal(write_reg(client, OURS, REG_SPI_GDBG_PER_VMID_CNTL, 8), 0);
      assert_int_equal(saved_registers_restore(&client->saved, &client->fake->card), 0);
      assert_memory_equal(client->fake->banked[OURS], cases[i].after, sizeof(cases[i].after));
      for (uint32_t j = 0; j < 5; j++)
         assert_int_equal(client->fake->banked[OTHER][j], fake_card_initial(OTHER, j));
      disconnect_client(client);
   }
}

/* Only those of the VMID that is served: others' may be in use. */
static void
test_stale_watches(void **state)
{
   struct client *client = connect_client();
   uint32_t *control[4];
   for (uint32_t i = 0; i < 4; i++) {
      control[i] = fake_card_register(client->fake, 0, REG_TCP_WATCH_CNTL(i));
      *control[i] = (i == 2 ? OTHER : OURS) << 24 | 0x7fffff | 2u << 29 | (uint32_t)(i != 3) << 31;
   }
   uint32_t others = *control[2], off = *control[3];
   assert_int_equal(try_claim(client, VA), 0);
   assert_int_equal(*control[0], 0);
   assert_int_equal(*control[1], 0);
   assert_int_equal(*control[2], others);
   assert_int_equal(*control[3], off);
   disconnect_client(client);
}

static void
test_commands(void **state)
{
   struct client *client = claimed();
   uint32_t check = SQ_CMD_CHECK_VMID | OURS << 28;
   assert_int_equal(write_reg(client, OURS, REG_SQ_CMD, 5 | 1 << 4 | check), 0);
   assert_int_equal(client->fake->last.value, 5 | 1 << 4 | check);
   assert_int_equal(write_reg(client, OURS, REG_SQ_CMD, 5 | 1 << 4 | OURS << 28), -EPERM);
   assert_int_equal(write_reg(client, OURS, REG_SQ_CMD, 5 | 1 << 4 | SQ_CMD_CHECK_VMID | OTHER << 28), -EACCES);
   assert_int_equal(write_reg(client, OURS, REG_SQ_CMD, 2 | 1 << 4 | check), -EPERM); /* SAVECTX */
   assert_int_equal(write_reg(client, OURS, REG_SQ_CMD, 7 | 1 << 4 | check), -EPERM); /* SETFATALHALT */
   assert_int_equal(read_reg(client, OURS, REG_SQ_CMD), -EPERM);
   assert_int_equal(client->saved.count, 0); /* commands are not put back */
   disconnect_client(client);
}

static void
test_waves(void **state)
{
   struct client *client = claimed();
   assert_int_equal(read_wave(client, 0, SQ_WAVE_STATUS), 0);
   assert_int_equal(client->value, 0x1000);
   assert_int_equal(read_wave(client, 1, SQ_WAVE_STATUS), -EACCES);
   assert_int_equal(client->value, 0);
   assert_int_equal(read_wave(client, 1, 0x200), -EACCES); /* s0 */
   assert_int_equal(read_wave(client, 7, SQ_WAVE_PC_LO), -EACCES);
   assert_int_equal(read_wave(client, 1, SQ_WAVE_HW_ID2), 0);
   assert_int_equal(client->value, OTHER << 24);
   assert_int_equal(read_wave(client, 0, SQ_WAVE_ACTIVE), 0);
   assert_int_equal(client->value, 3);
   assert_int_equal(read_wave(client, 1 << 11, SQ_WAVE_STATUS), -EINVAL); /* AUTO_INCR */
   struct hdb_helper_request everywhere = {.op = HDB_HELPER_READ_WAVE, .value = SQ_WAVE_ACTIVE << 16, ALL};
   assert_int_equal(ask(client, everywhere), -EINVAL);
   disconnect_client(client);
}

static void
test_watches(void **state)
{
   struct client *client = claimed();
   *fake_card_register(client->fake, 0, REG_TCP_WATCH_CNTL(1)) = WATCH_CNTL_VALID | OTHER << 24;
   assert_int_equal(write_reg(client, OURS, REG_TCP_WATCH_ADDR_L(0), 0x1000), 0);
   assert_int_equal(write_reg(client, OURS, REG_TCP_WATCH_CNTL(0), WATCH_CNTL_VALID | OURS << 24), 0);
   assert_int_equal(write_reg(client, OURS, REG_TCP_WATCH_CNTL(2), WATCH_CNTL_VALID | OTHER << 24), -EACCES);
   assert_int_equal(write_reg(client, OURS, REG_TCP_WATCH_ADDR_L(1), 0x1000), -EACCES);
   assert_int_equal(read_reg(client, OURS, REG_TCP_WATCH_ADDR_L(1)), -EACCES);
   assert_int_equal(write_reg(client, OURS, REG_TCP_WATCH_ADDR_H(HDB_WATCHES), 0), -EPERM);
   disconnect_client(client);
}

static void
test_faults(void **state)
{
   struct client *client = claimed();
   *fake_card_register(client->fake, 0, REG_GCVM_L2_PROTECTION_FAULT_STATUS) = 1 | OURS << 20;
   *fake_card_register(client->fake, 0, REG_GCVM_L2_PROTECTION_FAULT_ADDR_LO) = 0x1234;
   assert_int_equal(read_reg(client, OURS, REG_GCVM_L2_PROTECTION_FAULT_ADDR_LO), 0);
   assert_int_equal(client->value, 0x1234);
   *fake_card_register(client->fake, 0, REG_GCVM_L2_PROTECTION_FAULT_STATUS) = 1 | OTHER << 20;
   assert_int_equal(read_reg(client, OURS, REG_GCVM_L2_PROTECTION_FAULT_ADDR_LO), -EACCES);
   assert_int_equal(write_reg(client, OURS, REG_GCVM_L2_PROTECTION_FAULT_STATUS, 0), -EPERM);
   disconnect_client(client);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_registers),     cmocka_unit_test(test_stall),    cmocka_unit_test(test_stale),
      cmocka_unit_test(test_stale_watches), cmocka_unit_test(test_commands), cmocka_unit_test(test_waves),
      cmocka_unit_test(test_watches),       cmocka_unit_test(test_faults),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
