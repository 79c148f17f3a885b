/* SPDX-License-Identifier: MIT */
/* What hdb-helper grants and refuses, on a card that is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake_card.h"

struct client {
   struct fake_card *fake;
   struct saved_registers saved;
   struct server server;
   uint32_t value;
   uint8_t message[sizeof(struct hdb_helper_request) + HDB_HELPER_MAX_DATA + 8];
   uint8_t reply[sizeof(struct hdb_helper_reply) + HDB_HELPER_MAX_DATA];
   uint8_t *data; /* of the reply */
   size_t data_size;
};

static int
ask_with(struct client *client, struct hdb_helper_request request, const void *extra, size_t extra_size)
{
   struct hdb_helper_reply reply;
   memcpy(client->message, &request, sizeof(request));
   if (extra_size)
      memcpy(client->message + sizeof(request), extra, extra_size);
   client->data_size =
      server_handle(&client->server, client->message, sizeof(request) + extra_size, client->reply) - sizeof(reply);
   memcpy(&reply, client->reply, sizeof(reply));
   client->data = client->reply + sizeof(reply);
   client->value = reply.value;
   return reply.result;
}

static int
ask(struct client *client, struct hdb_helper_request request)
{
   return ask_with(client, request, NULL, 0);
}

#define HELLO \
   ((struct hdb_helper_request){.op = HDB_HELPER_HELLO, .reg = HDB_HELPER_MAGIC, .value = HDB_HELPER_VERSION})
#define CHALLENGE ((struct hdb_helper_request){.op = HDB_HELPER_CHALLENGE})
#define CLAIM(va) ((struct hdb_helper_request){.op = HDB_HELPER_CLAIM, .address = (va)})
#define ALL .se = HDB_BROADCAST, .sa = HDB_BROADCAST, .instance = HDB_BROADCAST

static int
read_reg(struct client *client, uint32_t vmid, uint32_t reg)
{
   return ask(client, (struct hdb_helper_request){.op = HDB_HELPER_READ_REGISTER, .reg = reg, .vmid = vmid, ALL});
}

static int
write_reg(struct client *client, uint32_t vmid, uint32_t reg, uint32_t value)
{
   return ask(client, (struct hdb_helper_request){
                         .op = HDB_HELPER_WRITE_REGISTER, .reg = reg, .value = value, .vmid = vmid, ALL});
}

static int
read_wave(struct client *client, uint32_t wave, uint32_t index)
{
   return ask(client, (struct hdb_helper_request){.op = HDB_HELPER_READ_WAVE, .value = wave | index << 16});
}

static int
read_mem(struct client *client, uint64_t va, uint32_t size)
{
   return ask(client,
              (struct hdb_helper_request){.op = HDB_HELPER_READ_MEMORY, .vmid = OURS, .address = va, .size = size});
}

static int
write_mem(struct client *client, uint64_t va, const void *data, uint32_t size)
{
   struct hdb_helper_request request = {.op = HDB_HELPER_WRITE_MEMORY, .vmid = OURS, .address = va, .size = size};
   return ask_with(client, request, data, size);
}

static struct client *
connect_client(void)
{
   struct client *client = calloc(1, sizeof(*client));
   client->fake = fake_card_create();
   client->server = (struct server){.card = &client->fake->card, .saved = &client->saved};
   return client;
}

static int
try_claim(struct client *client, uint64_t va)
{
   int error = ask(client, HELLO);
   error = error ? error : ask(client, CHALLENGE);
   if (error)
      return error;
   assert_int_equal(client->data_size, HDB_HELPER_NONCE_SIZE);
   memcpy(client->fake->vram + OUR_PAGE + (VA & 0xfff), client->data, HDB_HELPER_NONCE_SIZE);
   return ask(client, CLAIM(va));
}

static struct client *
claimed(void)
{
   struct client *client = connect_client();
   assert_int_equal(try_claim(client, VA), 0);
   assert_int_equal(client->value, OURS);
   return client;
}

static void
disconnect_client(struct client *client)
{
   free(client->fake);
   free(client);
}

/* ---- who is it? ---- */

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

/* ---- registers ---- */

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

/* ---- memory ---- */

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

static void
test_unknown(void **state)
{
   struct client *client = claimed();
   assert_int_equal(ask(client, (struct hdb_helper_request){.op = HDB_HELPER_OPS}), -ENOSYS);
   assert_int_equal(ask(client, (struct hdb_helper_request){.op = 0}), -ENOSYS);
   disconnect_client(client);
}

/* ---- the card as it was ---- */

static int
arm(struct client *client)
{
   int error = write_reg(client, OURS, REG_SQ_SHADER_TMA_LO, 0x11);
   error = error ? error : write_reg(client, OURS, REG_SQ_SHADER_TBA_LO, 0x22);
   error = error ? error : write_reg(client, OURS, REG_SQ_SHADER_TBA_HI, 0x80000000);
   error = error ? error : write_reg(client, OURS, REG_SPI_GDBG_PER_VMID_CNTL, 8);
   error = error ? error : write_reg(client, OURS, REG_SPI_GDBG_PER_VMID_CNTL, 10);
   return error ? error : write_reg(client, OURS, REG_TCP_WATCH_CNTL(3), WATCH_CNTL_VALID | OURS << 24);
}

static void
assert_untouched(struct client *client)
{
   struct fake_card *fresh = fake_card_create();
   assert_memory_equal(client->fake->banked, fresh->banked, sizeof(fresh->banked));
   assert_int_equal(*fake_card_register(client->fake, 0, REG_TCP_WATCH_CNTL(3)), 0);
   free(fresh);
}

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
      cmocka_unit_test(test_greeting),        cmocka_unit_test(test_claim),      cmocka_unit_test(test_reassigned),
      cmocka_unit_test(test_registers),       cmocka_unit_test(test_commands),   cmocka_unit_test(test_waves),
      cmocka_unit_test(test_watches),         cmocka_unit_test(test_faults),     cmocka_unit_test(test_memory),
      cmocka_unit_test(test_access),          cmocka_unit_test(test_runs),       cmocka_unit_test(test_endless_run),
      cmocka_unit_test(test_unknown),         cmocka_unit_test(test_restore),    cmocka_unit_test(test_abandoned),
      cmocka_unit_test(test_stall),           cmocka_unit_test(test_stale),      cmocka_unit_test(test_stale_watches),
      cmocka_unit_test(test_all_vmids),       cmocka_unit_test(test_unreserved), cmocka_unit_test(test_failures),
      cmocka_unit_test(test_failing_restore),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
