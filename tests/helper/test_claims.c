/* SPDX-License-Identifier: MIT */
/* Who gets an address space of the card, and which. */
#include "client.h"

#include <string.h>

static void
test_greeting(void **state)
{
   struct client *client = connect_client();
   assert_int_equal(ask(client, CHALLENGE), -EPROTO);
   struct hdb_helper_request hello = HELLO;
   hello.value = HDB_HELPER_VERSION + 1;
   assert_int_equal(ask(client, hello), -EPROTONOSUPPORT);
   hello = HELLO;
   hello.reg ^= 1;
   assert_int_equal(ask(client, hello), -EPROTO);
   assert_int_equal(ask(client, HELLO), 0);
   assert_int_equal(ask(client, HELLO), -EPROTO);
   struct hdb_helper_reply reply;
   assert_int_equal(server_handle(&client->server, client->message, 3, client->reply), sizeof(reply));
   memcpy(&reply, client->reply, sizeof(reply));
   assert_int_equal(reply.result, -EINVAL);
   assert_int_equal(ask_with(client, CHALLENGE, "x", 1), -EINVAL);
   disconnect_client(client);
}

/* Without the nonce in an address space nothing of it is given; each nonce serves once. */
static void
test_claim(void **state)
{
   struct client *client = connect_client();
   assert_int_equal(ask(client, HELLO), 0);
   assert_int_equal(ask(client, CLAIM(VA)), -EPROTO);
   assert_int_equal(ask(client, CHALLENGE), 0);
   assert_int_equal(ask(client, CLAIM(VA)), -EACCES); /* it is not there */
   memcpy(client->fake->vram + OUR_PAGE, client->data, HDB_HELPER_NONCE_SIZE);
   assert_int_equal(ask(client, CLAIM(VA)), -EPROTO);
   assert_int_equal(read_reg(client, OURS, REG_SQ_SHADER_TBA_LO), -EACCES);
   assert_int_equal(read_mem(client, VA, 4), -EACCES);
   assert_int_equal(read_wave(client, 0, SQ_WAVE_ACTIVE), -EACCES);
   disconnect_client(client);

   client = connect_client();
   assert_int_equal(try_claim(client, VA_NOTHING), -EACCES);
   assert_int_equal(try_claim(client, 0x1234567812345678), -EPROTO);
   disconnect_client(client);

   client = claimed();
   assert_int_equal(ask(client, CHALLENGE), -EPROTO);
   assert_int_equal(ask(client, CLAIM(VA)), -EPROTO);
   disconnect_client(client);
}

/* The kernel has given the VMID to somebody else. */
static void
test_reassigned(void **state)
{
   struct client *client = claimed();
   assert_int_equal(write_reg(client, OURS, REG_SQ_SHADER_TBA_LO, 0x42), 0);
   fake_card_set_root(client->fake, OURS, 0x8001);
   assert_int_equal(read_mem(client, VA, 4), -ESTALE);
   assert_int_equal(write_reg(client, OURS, REG_SQ_SHADER_TBA_LO, 0x43), -ESTALE);
   assert_int_equal(read_wave(client, 0, SQ_WAVE_STATUS), -ESTALE);
   assert_int_equal(ask(client, (struct hdb_helper_request){.op = HDB_HELPER_RESTORE}), 0);
   assert_int_equal(*fake_card_register(client->fake, OURS, REG_SQ_SHADER_TBA_LO), fake_card_initial(OURS, 0));
   disconnect_client(client);
}

static void
test_all_vmids(void **state)
{
   struct client *client = claimed();
   client->server.all_vmids = true;
   assert_int_equal(arm(client), 0);
   for (uint32_t vmid = 1; vmid < 16; vmid++)
      assert_int_equal(*fake_card_register(client->fake, vmid, REG_SQ_SHADER_TBA_LO), 0x22);
   assert_int_equal(*fake_card_register(client->fake, 0, REG_SQ_SHADER_TBA_LO), fake_card_initial(0, 0));
   assert_int_equal(write_reg(client, OTHER, REG_SQ_SHADER_TBA_LO, 1), -EACCES);
   assert_int_equal(ask(client, (struct hdb_helper_request){.op = HDB_HELPER_RESTORE}), 0);
   assert_untouched(client);
   disconnect_client(client);
}

/* What the kernel has not reserved is granted to --all-vmids only, and followed to where the kernel moves it. */
static void
test_unreserved(void **state)
{
   const struct hdb_helper_request command = {.op = HDB_HELPER_WRITE_REGISTER,
                                              .reg = REG_SQ_CMD,
                                              .value = SQ_CMD_TRAP | SQ_CMD_BROADCAST | SQ_CMD_CHECK_VMID |
                                                       (uint32_t)OTHER << SQ_CMD_VMID_SHIFT,
                                              .vmid = OTHER,
                                              ALL};
   for (int all = 0; all <= 1; all++) {
      struct client *client = connect_client();
      client->server.all_vmids = all;
      assert_int_equal(ask(client, HELLO), 0);
      assert_int_equal(ask(client, CHALLENGE), 0);
      memcpy(client->fake->vram + OUR_PAGE + (VA & 0xfff), client->data, HDB_HELPER_NONCE_SIZE);
      struct hdb_helper_request unreserved = CLAIM(VA);
      unreserved.value = 1;
      assert_int_equal(ask(client, unreserved), all ? 0 : -EPERM);
      if (all) {
         uint64_t root = client->server.vm.root;
         assert_int_equal(ask(client, command), -EACCES);
         fake_card_set_root(client->fake, OURS, 0x8001);
         assert_int_equal(ask(client, command), -ESTALE); /* gone for now */
         fake_card_set_root(client->fake, OTHER, root);
         assert_int_equal(ask(client, command), 0);
         assert_int_equal(client->saved.vmid, OTHER);
         assert_int_equal(read_mem(client, VA, 4), -EACCES); /* by its number of before */
      }
      disconnect_client(client);
   }
}

static void
test_unknown(void **state)
{
   struct client *client = claimed();
   assert_int_equal(ask(client, (struct hdb_helper_request){.op = HDB_HELPER_OPS}), -ENOSYS);
   assert_int_equal(ask(client, (struct hdb_helper_request){.op = 0}), -ENOSYS);
   disconnect_client(client);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_greeting),  cmocka_unit_test(test_claim),      cmocka_unit_test(test_reassigned),
      cmocka_unit_test(test_all_vmids), cmocka_unit_test(test_unreserved), cmocka_unit_test(test_unknown),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
