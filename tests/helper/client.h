/* SPDX-License-Identifier: MIT */
/* Somebody who asks hdb-helper, on a card that is none. */
#ifndef TESTS_HELPER_CLIENT_H
#define TESTS_HELPER_CLIENT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

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

#define HELLO \
   ((struct hdb_helper_request){.op = HDB_HELPER_HELLO, .reg = HDB_HELPER_MAGIC, .value = HDB_HELPER_VERSION})
#define CHALLENGE ((struct hdb_helper_request){.op = HDB_HELPER_CHALLENGE})
#define CLAIM(va) ((struct hdb_helper_request){.op = HDB_HELPER_CLAIM, .address = (va)})
#define ALL .se = HDB_BROADCAST, .sa = HDB_BROADCAST, .instance = HDB_BROADCAST

struct client *connect_client(void);
struct client *claimed(void); /* with an address space, OURS */
void disconnect_client(struct client *client);

/* A request, what follows it, and the reply: its result, and the rest in `client`. */
int ask_with(struct client *client, struct hdb_helper_request request, const void *extra, size_t extra_size);
int ask(struct client *client, struct hdb_helper_request request);

int try_claim(struct client *client, uint64_t va); /* from the greeting on, with the nonce at VA */
int read_reg(struct client *client, uint32_t vmid, uint32_t reg);
int write_reg(struct client *client, uint32_t vmid, uint32_t reg, uint32_t value);
int read_wave(struct client *client, uint32_t wave, uint32_t index);
int read_mem(struct client *client, uint64_t va, uint32_t size);
int write_mem(struct client *client, uint64_t va, const void *data, uint32_t size);

int arm(struct client *client); /* as a debugger does that attaches */
void assert_untouched(struct client *client);

#endif
