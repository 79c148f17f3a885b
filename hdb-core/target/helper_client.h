/* SPDX-License-Identifier: MIT */
/* The debugged process's end of the connection to hdb-helper. */
#ifndef HDB_HELPER_CLIENT_H
#define HDB_HELPER_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "target/helper_protocol.h"
#include "target/target.h"

struct hdb_helper_client {
   int fd;            /* -1: not connected */
   char problem[256]; /* a line for people, once something is wrong with the helper itself; else empty */
};

/* Greets the helper with the card's render node. */
int hdb_helper_connect(struct hdb_helper_client *client, const char *path, int drm_fd);
void hdb_helper_disconnect(struct hdb_helper_client *client);
void hdb_helper_lost(struct hdb_helper_client *client); /* it has closed the connection */

/* One request and its reply. `extra`: what follows the request (request->size bytes for a WRITE_MEMORY), or NULL;
 * `data`: where exactly `data_size` bytes of a good reply's go. Once the helper is gone or does not answer, all give
 * -EIO. */
int hdb_helper_call(struct hdb_helper_client *client, const struct hdb_helper_request *request, const void *extra,
                    uint32_t *value, void *data, size_t data_size);

/* helper_mappings.c: as next_mapping of a target. `end`: what lies from there on is left out. */
int hdb_helper_next_mapping(struct hdb_helper_client *client, uint32_t vmid, uint64_t va, uint64_t end,
                            struct hdb_mapping *mapping);

#endif
