/* SPDX-License-Identifier: MIT */
/* Which memory is granted, and what is told of it. */
#include "client.h"

#include <string.h>

static void
test_memory(void **state)
{
   struct client *client = claimed();
   uint8_t text[] = "hdb-helper";
   memcpy(client->fake->vram + OTHER_PAGE, "not for everybody", 17);
   assert_int_equal(write_mem(client, VA + 0x101, text, sizeof(text)), 0);
   assert_memory_equal(client->fake->vram + OUR_PAGE + 0x101, text, sizeof(text));
   assert_int_equal(write_mem(client, VA_SYSTEM, text, sizeof(text)), 0);
   assert_memory_equal(client->fake->system, text, sizeof(text));
   assert_int_equal(read_mem(client, VA + 0x102, 9), 0);
   assert_int_equal(client->data_size, 9);
   assert_memory_equal(client->data, text + 1, 9);
   assert_int_equal(read_mem(client, VA, 0x3000), 0); /* three pages, in three places */
   assert_memory_equal(client->data + 0x2000, text, sizeof(text));

   assert_int_equal(write_mem(client, VA_READ_ONLY, text, 1), -EACCES);
   uint8_t before[16];
   memcpy(before, client->fake->vram + OUR_PAGE + 0xff8, 8);
   assert_int_equal(write_mem(client, VA_READ_ONLY - 8, text, sizeof(text)), -EACCES); /* not even its first half */
   assert_memory_equal(client->fake->vram + OUR_PAGE + 0xff8, before, 8);
   assert_int_equal(read_mem(client, VA_NOTHING, 4), -EFAULT);
   assert_int_equal(read_mem(client, VA_NOTHING - 4, 8), -EFAULT);
   assert_int_equal(write_mem(client, VA_NOTHING, text, 4), -EFAULT);
   assert_int_equal(client->data_size, 0);

   assert_int_equal(read_mem(client, VA, 0), -EINVAL);
   assert_int_equal(read_mem(client, VA, HDB_HELPER_MAX_DATA + 1), -EINVAL);
   assert_int_equal(read_mem(client, VA, UINT32_MAX), -EINVAL);
   assert_int_equal(read_mem(client, UINT64_MAX - 3, 16), -EINVAL);
   struct hdb_helper_request request = {.op = HDB_HELPER_WRITE_MEMORY, .vmid = OURS, .address = VA, .size = 8};
   assert_int_equal(ask_with(client, request, text, 4), -EINVAL);
   assert_int_equal(ask_with(client, request, text, 9), -EINVAL);
   request.vmid = OTHER;
   assert_int_equal(ask_with(client, request, text, 8), -EACCES);
   request.op = HDB_HELPER_READ_MEMORY;
   assert_int_equal(ask(client, request), -EACCES);
   request.vmid = 0;
   assert_int_equal(ask(client, request), -EACCES);
   disconnect_client(client);
}

static int
get_access(struct client *client, uint32_t vmid, uint64_t va)
{
   return ask(client, (struct hdb_helper_request){.op = HDB_HELPER_GET_ACCESS, .vmid = vmid, .address = va});
}

static void
test_access(void **state)
{
   struct client *client = claimed();
   assert_int_equal(get_access(client, OURS, VA + 0x10), 0);
   assert_int_equal(client->value, HDB_ACCESS_READ | HDB_ACCESS_WRITE);
   assert_int_equal(get_access(client, OURS, VA_READ_ONLY), 0);
   assert_int_equal(client->value, HDB_ACCESS_READ);
   assert_int_equal(get_access(client, OURS, VA_NOTHING), -EFAULT);
   assert_int_equal(get_access(client, OTHER, VA), -EACCES);
   assert_int_equal(get_access(client, 0, VA), -EACCES);
   disconnect_client(client);
}

static struct hdb_helper_run
get_run(struct client *client, uint64_t va)
{
   struct hdb_helper_run run;
   assert_int_equal(ask(client, (struct hdb_helper_request){.op = HDB_HELPER_GET_RUN, .vmid = OURS, .address = va}), 0);
   assert_int_equal(client->data_size, sizeof(run));
   memcpy(&run, client->data, sizeof(run));
   return run;
}

static void
check_run(struct client *client, uint64_t va, uint64_t start, uint64_t end, bool mapped, uint32_t access)
{
   struct hdb_helper_run run = get_run(client, va);
   assert_int_equal(run.va, start);
   assert_int_equal(run.va + run.size, end);
   assert_int_equal(run.mapped, mapped);
   assert_int_equal(run.backed, mapped);
   assert_int_equal(run.access, access);
   assert_int_equal(run.mtype, 0);
}

/* Runs are of what the client may read anyway, and of no one else's. */
static void
test_runs(void **state)
{
   const uint32_t all = HDB_ACCESS_READ | HDB_ACCESS_WRITE;
   struct client *client = claimed();
   check_run(client, 0, 0, VA - (UINT64_C(0xffff) << 48), false, 0);
   check_run(client, VA + 0x123, VA, VA_READ_ONLY, true, all);
   check_run(client, VA_READ_ONLY, VA_READ_ONLY, VA_SYSTEM, true, HDB_ACCESS_READ);
   check_run(client, VA_SYSTEM, VA_SYSTEM, VA_NOTHING, true, all);
   check_run(client, VA_NOTHING, VA_NOTHING, 0, false, 0);
   assert_true(client->fake->operations < 100);
   const uint32_t others[] = {0, OTHER};
   for (int i = 0; i < 2; i++) {
      struct hdb_helper_request request = {.op = HDB_HELPER_GET_RUN, .vmid = others[i], .address = VA};
      assert_int_equal(ask(client, request), -EACCES);
      assert_int_equal(client->data_size, 0);
   }
   disconnect_client(client);
}

/* Tables that lead to themselves for ever are looked at for a while. */
static void
test_endless_run(void **state)
{
   struct client *client = claimed();
   const uint64_t loop = 0x1000 | HDB_PTE_VALID | HDB_PTE_READ;
   for (uint32_t i = 0; i < 512; i++)
      memcpy(client->fake->vram + 0x1000 + 8 * i, &loop, sizeof(loop));
   struct hdb_helper_run run = get_run(client, 0);
   assert_int_equal(run.size, 4096 * UINT64_C(4096));
   disconnect_client(client);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_access),
      cmocka_unit_test(test_runs),
      cmocka_unit_test(test_endless_run),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
