/* SPDX-License-Identifier: MIT */
/* A DAP client and an application for tests: the one on the test's thread, the other on a thread of its own. */
#ifndef TEST_CLIENT_H
#define TEST_CLIENT_H

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>

#include "dap/stream.h"
#include "hdb_core.h"
#include "symbols/module.h"

struct client {
   struct stream stream;
   int seq;
   json_t *events; /* received and not yet asked for */
   const char *answer;
   unsigned offers;
};

/* What the application does: dispatches of one shader, one after the other. */
struct application {
   pthread_t thread;
   struct hdb_engine_options options;
   struct test_module module;
   struct test_shader shader;
   struct hdb_variable variables[16]; /* every local is in scratch, four bytes after the one before */
   unsigned dispatches, waves;
   const char *pipeline_name, *label;
   enum hdb_outcome outcome; /* of its dispatches */
   bool indirect;            /* their size is in memory that can't be read */
   bool unsupported;         /* the driver knows nothing of hdb */
   bool elsewhere;           /* another submission of the first one still runs, unarmed */
   bool armed[8];            /* whether the n-th one was */
   bool enters[8];           /* and is to stop at its entry */
   pthread_mutex_t lock;
   pthread_cond_t changed;
   bool hold; /* the GPU: nothing begins until it is let go */
   unsigned submitted;
};

struct client client_create(int fd);
void client_finish(struct client *client);
json_t *client_request(struct client *client, const char *command, json_t *arguments); /* the body; fails on refusal */
char *client_refused(struct client *client, const char *command, json_t *arguments);   /* the message; to be freed */
json_t *client_event(struct client *client, const char *name); /* the next of that name; the body */
void client_ended(struct client *client);                      /* expects the end of the connection */
void client_start(struct client *client, bool ask);            /* initialize and attach */

void application_start(struct application *application, const char *directory, const char *module, int client_fd);
void application_let_go(struct application *application);
void application_wait_submitted(struct application *application, unsigned count);
void application_join(struct application *application);

#endif
