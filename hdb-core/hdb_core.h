/* SPDX-License-Identifier: MIT */
/*
 * libhdb-core as the layer sees it: one engine for each process, one device for each VkDevice. The engine has a thread
 * of its own and is the DAP server; the layer tells it of shaders and submissions.
 */
#ifndef HDB_CORE_H
#define HDB_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hdb/hdb_driver.h"

struct hdb_engine;
struct hdb_device;

struct hdb_engine_options {
   int client_fd;              /* a connected DAP client (a socketpair from `hdb run`), or -1 */
   bool listen;                /* also on $XDG_RUNTIME_DIR/hdb/PID.sock, same user only */
   bool listen_asked;          /* the user asked for it: say so if it can't be */
   bool ask;                   /* offer every dispatch to the client (else only those that a breakpoint names) */
   bool internal;              /* the driver's own dispatches are shown and counted, too */
   bool optimized;             /* shaders are compiled as shipped */
   const char *break_at;       /* comma list of FILE:LINE, or NULL */
   const char *attach_to;      /* comma list of N, NAME or label:GLOB, or NULL */
   bool debugfs;               /* a virtual GPU, too, is debugged as a Radeon card is */
   const char *helper;         /* the socket of hdb-helper, for Radeon cards; NULL: there is none */
   const char *sysfs;          /* NULL: /sys */
   const char *second_level;   /* how the kernel lets a process set a trap handler; NULL: it does not */
   bool accept_short_timeout;  /* stop waves of a Radeon card although the kernel resets it soon */
   void (*client_ended)(void); /* or NULL; on the engine's thread, before what waited for the client runs on */
};

/* Starts the engine's thread, signals blocked. With a client_fd it returns only when the client has sent
 * configurationDone or gone. Engines are created once a process; destroy joins the thread. */
int hdb_engine_create(const struct hdb_engine_options *options, struct hdb_engine **engine);
void hdb_engine_destroy(struct hdb_engine *engine);
const char *hdb_engine_socket_path(struct hdb_engine *engine); /* NULL: not listening */
bool hdb_engine_has_client(struct hdb_engine *engine);

/* An object in GPU memory that the application has named. */
struct hdb_object {
   char *name; /* buffer "blades"; to be freed */
   uint64_t va, size;
};

/* Where they are: answers on the engine's thread which one an address is in, or -ENOENT. */
struct hdb_object_source {
   int (*at)(void *user, uint64_t va, struct hdb_object *object);
   void *user;
};

/* `driver` NULL: a driver without the fork; dispatches can't be attached to, said once. `objects` NULL: none known. */
int hdb_engine_add_device(struct hdb_engine *engine, struct hdb_driver *driver, const char *device_name,
                          const struct hdb_object_source *objects, struct hdb_device **device);
void hdb_engine_remove_device(struct hdb_device *device); /* resumes and disarms whatever is left */

/* From struct hdb_driver_link's callbacks. */
void hdb_device_add_shader(struct hdb_device *device, const struct hdb_shader *shader);
void hdb_device_remove_shader(struct hdb_device *device, const struct hdb_shader *shader);

/* A dispatch about to be submitted, as the layer knows it. */
struct hdb_offer {
   struct hdb_dispatch record;
   const char *pipeline_name; /* debug-utils name, or NULL */
   const char *label;         /* innermost debug-utils label, or NULL */
   const char *queue_name;    /* debug-utils name or "queue 0.1", never NULL */
   bool armed_elsewhere;      /* its command buffer is pending: can't be armed now */
};

/* Whether a submission must be shown to the engine at all: false when no debugger is connected, waiting or asked for.
 * Cheap; from any thread. */
bool hdb_device_wants_submissions(const struct hdb_device *device);

/* Before the submission, with no lock held: decides (breakpoints, names, the user's answer: may block), arms what was
 * chosen. Returns a token to be given to hdb_device_completed once the GPU has finished the submission, or 0 if nothing
 * was armed. Tokens are given back exactly once. */
enum hdb_outcome {
   HDB_OUTCOME_FINISHED,
   HDB_OUTCOME_LOST,         /* the device was lost; what became of the dispatches is unknown */
   HDB_OUTCOME_NOT_SUBMITTED /* the driver refused */
};

uint64_t hdb_device_submit(struct hdb_device *device, struct hdb_offer *offers, size_t count);
void hdb_device_completed(struct hdb_device *device, uint64_t token, enum hdb_outcome outcome);

#endif
