/* SPDX-License-Identifier: MIT */
/* The card afterwards is as it was before. */
#include "client.h"

static void
test_restore(void **state)
{
   struct client *client = claimed();
   assert_int_equal(arm(client), 0);
   assert_int_equal(client->saved.count, 5); /* each register once, as it was at first */
   assert_int_equal(ask(client, (struct hdb_helper_request){.op = HDB_HELPER_RESTORE}), 0);
   assert_int_equal(client->fake->last.reg, REG_SQ_SHADER_TMA_LO); /* the first one comes last */
   assert_untouched(client);
   saved_registers_kill_waves(&client->saved, &client->fake->card);
   assert_int_equal(client->fake->last.reg, REG_SQ_SHADER_TMA_LO);
   disconnect_client(client);
}

/* The client is gone in the middle of a stop. */
static void
test_abandoned(void **state)
{
   struct client *client = claimed();
   assert_int_equal(arm(client), 0);
   saved_registers_kill_waves(&client->saved, &client->fake->card);
   assert_int_equal(client->fake->last.reg, REG_SQ_CMD);
   assert_int_equal(client->fake->last.value, SQ_CMD_KILL | 1 << 4 | SQ_CMD_CHECK_VMID | OURS << 28);
   assert_int_equal(saved_registers_restore(&client->saved, &client->fake->card), 0);
   assert_untouched(client);
   disconnect_client(client);

   client = claimed(); /* somebody else has the VMID by then */
   assert_int_equal(arm(client), 0);
   fake_card_set_root(client->fake, OURS, 0x8001);
   client->fake->last.reg = 0;
   saved_registers_kill_waves(&client->saved, &client->fake->card);
   assert_int_equal(client->fake->last.reg, 0);
   disconnect_client(client);
}

/* Whatever access to the card fails, the request says so, and the registers can be put back. */
static void
test_failures(void **state)
{
   uint32_t needed = 0;
   for (uint32_t n = 1; needed == 0 || n <= needed; n++) {
      struct client *client = connect_client();
      client->fake->fail_from = n; /* and what follows: some reads are tried again in another way */
      client->fake->fail_to = UINT32_MAX;
      int error = try_claim(client, VA);
      error = error ? error : arm(client);
      error = error ? error : read_mem(client, VA, 16);
      error = error ? error : write_mem(client, VA_SYSTEM, "abcd", 4);
      error = error ? error : read_wave(client, 0, SQ_WAVE_STATUS);
      if (client->fake->operations < n) {
         assert_int_equal(error, 0);
         needed = n - 1;
      } else {
         assert_int_not_equal(error, 0);
      }
      client->fake->fail_to = 0;
      assert_int_equal(saved_registers_restore(&client->saved, &client->fake->card), 0);
      assert_untouched(client);
      disconnect_client(client);
   }
   assert_true(needed > 50);
}

/* One register that can't be put back does not keep the others from it, and is tried again. */
static void
test_failing_restore(void **state)
{
   struct client *client = claimed();
   assert_int_equal(arm(client), 0);
   client->fake->fail_from = client->fake->fail_to = client->fake->operations + 2;
   assert_int_equal(saved_registers_restore(&client->saved, &client->fake->card), -EIO);
   assert_int_equal(*fake_card_register(client->fake, OURS, REG_SPI_GDBG_PER_VMID_CNTL), 10);
   assert_int_equal(*fake_card_register(client->fake, OURS, REG_SQ_SHADER_TBA_LO), fake_card_initial(OURS, 0));
   assert_int_equal(client->saved.count, 1);
   assert_int_equal(saved_registers_restore(&client->saved, &client->fake->card), 0);
   assert_untouched(client);
   disconnect_client(client);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_restore),
      cmocka_unit_test(test_abandoned),
      cmocka_unit_test(test_failures),
      cmocka_unit_test(test_failing_restore),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
