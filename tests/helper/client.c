/* SPDX-License-Identifier: MIT */
#include "client.h"

#include <stdlib.h>
#include <string.h>

int
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

int
ask(struct client *client, struct hdb_helper_request request)
{
   return ask_with(client, request, NULL, 0);
}

int
read_reg(struct client *client, uint32_t vmid, uint32_t reg)
{
   return ask(client, (struct hdb_helper_request){.op = HDB_HELPER_READ_REGISTER, .reg = reg, .vmid = vmid, ALL});
}

int
write_reg(struct client *client, uint32_t vmid, uint32_t reg, uint32_t value)
{
   return ask(client, (struct hdb_helper_request){
                         .op = HDB_HELPER_WRITE_REGISTER, .reg = reg, .value = value, .vmid = vmid, ALL});
}

int
read_wave(struct client *client, uint32_t wave, uint32_t index)
{
   return ask(client, (struct hdb_helper_request){.op = HDB_HELPER_READ_WAVE, .value = wave | index << 16});
}

int
read_mem(struct client *client, uint64_t va, uint32_t size)
{
   return ask(client,
              (struct hdb_helper_request){.op = HDB_HELPER_READ_MEMORY, .vmid = OURS, .address = va, .size = size});
}

int
write_mem(struct client *client, uint64_t va, const void *data, uint32_t size)
{
   struct hdb_helper_request request = {.op = HDB_HELPER_WRITE_MEMORY, .vmid = OURS, .address = va, .size = size};
   return ask_with(client, request, data, size);
}

struct client *
connect_client(void)
{
   struct client *client = calloc(1, sizeof(*client));
   client->fake = fake_card_create();
   client->server = (struct server){.card = &client->fake->card, .saved = &client->saved};
   return client;
}

int
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

struct client *
claimed(void)
{
   struct client *client = connect_client();
   assert_int_equal(try_claim(client, VA), 0);
   assert_int_equal(client->value, OURS);
   return client;
}

void
disconnect_client(struct client *client)
{
   free(client->fake);
   free(client);
}

int
arm(struct client *client)
{
   int error = write_reg(client, OURS, REG_SQ_SHADER_TMA_LO, 0x11);
   error = error ? error : write_reg(client, OURS, REG_SQ_SHADER_TBA_LO, 0x22);
   error = error ? error : write_reg(client, OURS, REG_SQ_SHADER_TBA_HI, 0x80000000);
   error = error ? error : write_reg(client, OURS, REG_SPI_GDBG_PER_VMID_CNTL, 8);
   error = error ? error : write_reg(client, OURS, REG_SPI_GDBG_PER_VMID_CNTL, 10);
   return error ? error : write_reg(client, OURS, REG_TCP_WATCH_CNTL(3), WATCH_CNTL_VALID | OURS << 24);
}

void
assert_untouched(struct client *client)
{
   struct fake_card *fresh = fake_card_create();
   assert_memory_equal(client->fake->banked, fresh->banked, sizeof(fresh->banked));
   assert_int_equal(*fake_card_register(client->fake, 0, REG_TCP_WATCH_CNTL(3)), 0);
   free(fresh);
}
