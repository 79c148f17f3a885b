/* SPDX-License-Identifier: MIT */
/*
 * What hdb-helper grants, apart from how it is reached: requests in, replies out, registers and memory through
 * callbacks. Nothing in here trusts a request.
 */
#ifndef HELPER_SERVER_H
#define HELPER_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target/helper_protocol.h"
#include "target/registers.h"
#include "target/target.h"
#include "vm/page_table.h"

/* The card: debugfs, or a test's. Results are 0 or a negative errno. */
struct server_card {
   int (*read_register)(void *user, const struct hdb_bank *bank, uint32_t reg, uint32_t *value);
   int (*write_register)(void *user, const struct hdb_bank *bank, uint32_t reg, uint32_t value);
   hdb_vm_read read_memory;
   hdb_vm_write write_memory;
   void *user;
};

/* Registers as they were before the first change, in the order of the changes. It lies in memory that outlives the
 * process which serves: see guard.c. An entry is complete before it counts. */
#define SAVED_CAPACITY 128
struct saved_registers {
   uint32_t count;
   struct saved_register {
      uint32_t vmid, reg, value;
   } registers[SAVED_CAPACITY];
   bool gfxoff_held;
   bool armed;    /* waves of the VMID may be in the trap handler ... */
   uint32_t vmid; /* ... that is, as long as it is the one with these page tables */
   uint64_t root;
};

/* What tells address spaces apart: where the VMID's page tables are. */
int server_read_root(const struct server_card *card, uint32_t vmid, uint64_t *root);

/* Puts them all back, the last one changed first; goes on after an error and returns the first. */
int saved_registers_restore(struct saved_registers *saved, const struct server_card *card);

/* Waves that nobody is left to resume would keep the GPU until the kernel resets it: ends them, if the VMID is still
 * theirs. */
void saved_registers_kill_waves(struct saved_registers *saved, const struct server_card *card);

struct server {
   const struct server_card *card;
   struct saved_registers *saved;
   bool all_vmids; /* arm whatever VMID the kernel may give the process */
   bool greeted;
   bool challenged;
   uint8_t nonce[HDB_HELPER_NONCE_SIZE];
   bool claimed;
   struct hdb_vm vm; /* of the client */
};

/* Handles one message of `size` bytes. The reply, with the size it returns, is at most a struct hdb_helper_reply and
 * HDB_HELPER_MAX_DATA. A HELLO is accepted as it is: who may send one is for the caller to know. */
size_t server_handle(struct server *server, const void *message, size_t size, void *reply);

/* allow.c: -EPERM: not on the list, or not so. -EACCES: another VMID's. `value` is what is to be written. */
int server_check_read(const struct server *server, const struct hdb_helper_request *request);
int server_check_write(const struct server *server, const struct hdb_helper_request *request);
bool server_register_is_banked(uint32_t reg);   /* a copy for each VMID */
bool server_register_is_restored(uint32_t reg); /* keeps what is written, unlike a command */

#endif
