/* SPDX-License-Identifier: MIT */
/*
 * Any messages to hdb-helper, by a client that has its VMID and by one that has not. Whatever they are, no register of
 * another VMID changes, nor any that is not on the list; no memory of another process does, nor page tables.
 */
#include <stdlib.h>
#include <string.h>

#include "fake_card.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t reply[sizeof(struct hdb_helper_reply) + HDB_HELPER_MAX_DATA];

static void
send_one(struct server *server, struct hdb_helper_request request)
{
   server_handle(server, &request, sizeof(request), reply);
}

static void
claim(struct server *server, struct fake_card *fake)
{
   send_one(server,
            (struct hdb_helper_request){.op = HDB_HELPER_HELLO, .reg = HDB_HELPER_MAGIC, .value = HDB_HELPER_VERSION});
   send_one(server, (struct hdb_helper_request){.op = HDB_HELPER_CHALLENGE});
   memcpy(fake->vram + OUR_PAGE, reply + sizeof(struct hdb_helper_reply), HDB_HELPER_NONCE_SIZE);
   send_one(server, (struct hdb_helper_request){.op = HDB_HELPER_CLAIM, .address = VA});
   if (!server->claimed)
      abort();
}

static void
must_equal(const void *a, const void *b, size_t size)
{
   if (memcmp(a, b, size))
      abort();
}

/* The offsets that may differ: SQ_IND_INDEX, SQ_CMD, the watches. */
static bool
may_change(uint32_t offset)
{
   return offset == 0x1118 || offset == 0x111b || (offset >= 0x2048 && offset < 0x2048 + 12);
}

static void
check(const struct fake_card *fake, const struct fake_card *before)
{
   for (uint32_t vmid = 0; vmid < 16; vmid++) {
      if (vmid != OURS)
         must_equal(fake->banked[vmid], before->banked[vmid], sizeof(fake->banked[vmid]));
   }
   for (uint32_t i = 0; i < 0x3000; i++) {
      if (!may_change(i) && fake->registers[0][i] != before->registers[0][i])
         abort();
   }
   must_equal(fake->registers[1], before->registers[1], sizeof(fake->registers[1]));
   must_equal(fake->vram, before->vram, OUR_PAGE);
   must_equal(fake->vram + OUR_PAGE + 0x1000, before->vram + OUR_PAGE + 0x1000, VRAM_SIZE - OUR_PAGE - 0x1000);
   must_equal(fake->system + 0x1000, before->system + 0x1000, 0x1000);
}

/* A byte for the length of each message, in units of 4; the rest of the input is the messages. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
   struct fake_card *fake = fake_card_create(), *before = malloc(sizeof(*before));
   struct saved_registers *saved = calloc(1, sizeof(*saved));
   struct server server = {.card = &fake->card, .saved = saved};
   if (!before || !saved)
      abort();
   if (size && *data & 1)
      claim(&server, fake);
   memcpy(before, fake, sizeof(*before));
   for (size_t at = 1; at < size;) {
      size_t length = 4 * (size_t)data[at++];
      if (length > size - at)
         length = size - at;
      size_t replied = server_handle(&server, data + at, length, reply);
      if (replied < sizeof(struct hdb_helper_reply) || replied > sizeof(reply))
         abort();
      at += length;
   }
   check(fake, before);
   if (saved_registers_restore(saved, &fake->card))
      abort();
   must_equal(fake->banked, before->banked, sizeof(fake->banked));
   free(saved);
   free(before);
   free(fake);
   return 0;
}
