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

#include "hdb/hdb.h"
#include "hdb/hdb_driver.h"

struct hdb_engine;
struct hdb_device;

/* Who has the application's own callbacks (hdb/hdb.h). On the engine's thread; `device` is the user of the device's
 * struct hdb_object_source. */
struct hdb_observer {
   enum hdb_stop_answer (*stopped)(void *device, struct hdb_stop *stop);
   void (*faulted)(void *device, struct hdb_fault_info *fault);
   void (*said)(void *device, struct hdb_message_info *message); /* NULL: of none in particular */
   void (*printed)(void *device, const char *line);              /* by a shader: debugPrintfEXT; `said` as well */
};

struct hdb_engine_options {
   int client_fd;              /* a connected DAP client (a socketpair from `hdb run`), or -1 */
   bool listen;                /* also on a socket for the same user only: dap/listen.h */
   bool listen_asked;          /* the user asked for it: say so if it can't be */
   bool ask;                   /* offer every dispatch to the client (else only those that a breakpoint names) */
   bool internal;              /* the driver's own dispatches are shown and counted, too */
   bool optimized;             /* shaders are compiled as shipped */
   const char *break_at;       /* comma list of FILE:LINE, or NULL */
   const char *attach_to;      /* comma list of N, NAME or label:GLOB, or NULL */
   const char *capture_folder; /* for captures that nobody names; NULL: the working directory */
   bool debugfs;               /* a virtual GPU, too, is debugged as a Radeon card is */
   const char *helper;         /* the socket of hdb-helper, for Radeon cards; NULL: there is none */
   const char *sysfs;          /* NULL: /sys */
   const char *second_level;   /* how the kernel lets a process set a trap handler; NULL: it does not */
   bool accept_short_timeout;  /* stop waves of a Radeon card although the kernel resets it soon */
   bool trap_on_start;         /* stop them at entry by TRAP_ON_START, not by a trap in their code */
   void (*client_ended)(void); /* or NULL; on the engine's thread, before what waited for the client runs on */
   const struct hdb_observer *observer; /* NULL: none */
   /* From any thread. The first frame that has not begun, NULL: none are counted; and whether the program shows frames,
    * so that `ask` is for those that are stopped in. */
   uint32_t (*next_frame)(void);
   bool (*shows_frames)(void);
};

/* The way to `hdb run`. */
int hdb_channel_find(void);           /* HDB_CLIENT_FD, or -1 */
int hdb_channel_connect(int channel); /* an engine's own connection, or a negative errno, which has been said */

/* Starts the engine's thread, signals blocked. With a client_fd it returns only when the client has sent
 * configurationDone or gone. Engines are created once a process; destroy joins the thread. */
int hdb_engine_create(const struct hdb_engine_options *options, struct hdb_engine **engine);
void hdb_engine_destroy(struct hdb_engine *engine);
const char *hdb_engine_socket_path(struct hdb_engine *engine); /* NULL: not listening */
bool hdb_engine_has_client(struct hdb_engine *engine);

/* Whether the observer has somebody to tell. From any thread. */
void hdb_engine_set_observed(struct hdb_engine *engine, bool observed);

/* Whether it has somebody to tell what shaders print. From any thread. */
void hdb_engine_set_listened(struct hdb_engine *engine, bool listened);

/* ---- frames: whoever counts them (hdb_engine_options.next_frame) numbers the offers by them and tells their ends ----
 */

/* The next frame is to be stopped in, or captured. From any thread. 0, or a negative errno after a line on standard
 * error or in the debugger that says why not. `file` NULL: as the engine names captures. */
int hdb_engine_trigger(struct hdb_engine *engine, enum hdb_trigger kind, const char *file);
/* Whether some frame is waited for, so that its end must be told. Cheap; from any thread. */
bool hdb_engine_wants_frames(const struct hdb_engine *engine);
void hdb_engine_end_frame(struct hdb_engine *engine, uint32_t frame);

/* ---- devices ---- */

/* An object in GPU memory that the application has named. */
struct hdb_object {
   char *name; /* buffer "blades"; to be freed */
   uint64_t va, size;
};

/* Where they are: answers on the engine's thread which one an address is in, or -ENOENT. */
struct hdb_object_source {
   int (*at)(void *user, uint64_t va, struct hdb_object *object);
   /* All of them, likewise. NULL: can't be listed. */
   void (*each)(void *user, void (*visit)(void *visitor, const char *name, uint64_t va, uint64_t size), void *visitor);
   void *user;
};

/* `driver` NULL: a driver without the fork; dispatches can't be attached to, said once. `objects` NULL: none known. */
int hdb_engine_add_device(struct hdb_engine *engine, struct hdb_driver *driver, const char *device_name,
                          const struct hdb_object_source *objects, struct hdb_device **device);
void hdb_engine_remove_device(struct hdb_device *device); /* resumes and disarms whatever is left */

/* From struct hdb_driver_link's callbacks. */
void hdb_device_add_shader(struct hdb_device *device, const struct hdb_shader *shader);
void hdb_device_remove_shader(struct hdb_device *device, const struct hdb_shader *shader);

/* Before each submission, once there is hdb_driver.prints: what it prints will be read, if somebody listens: true. */
bool hdb_device_expect_prints(struct hdb_device *device);
/* The driver's ring is this one from now on: for drivers whose memory comes and goes. */
void hdb_device_set_prints(struct hdb_device *device, const struct hdb_memory *ring);
/* Behind a wait for the GPU: returns when what has been printed so far is told. */
void hdb_device_deliver_prints(struct hdb_device *device);

bool hdb_device_is_on_thread(const struct hdb_device *device); /* this is the engine's */
/* PFN_hdb_stop_visit. `handle`: struct hdb_stop's device. */
int hdb_device_visit_stop(struct hdb_device *device, void *handle, hdb_stop_callback callback, void *user);

/* A dispatch about to be submitted, as the layer knows it. */
struct hdb_offer {
   struct hdb_dispatch record;
   const char *pipeline_name; /* debug-utils name, or NULL */
   const char *label;         /* innermost debug-utils label, or NULL */
   const char *labels;        /* all around it, outermost first, each with its NUL byte */
   uint32_t label_count;
   uint32_t frame;
   const uint32_t *number; /* that the dispatch had in the program, when a capture is replayed; NULL: the next one */
   const char *queue_name; /* debug-utils name or "queue 0.1", never NULL */
   bool armed_elsewhere;   /* its command buffer is pending: can't be armed now */
   enum hdb_dispatch_answer answer; /* of the application's callbacks */
};

/* What callbacks ask about it. From any thread. */
struct hdb_resource_list {
   struct hdb_resource *resources;
   uint32_t count;
   char **texts; /* that they point at */
   size_t text_count;
};

int hdb_device_describe_shader(struct hdb_device *device, uint64_t shader_id, struct hdb_shader_info *info);
void hdb_shader_info_finish(struct hdb_shader_info *info);
int hdb_device_list_resources(struct hdb_device *device, const struct hdb_dispatch *record,
                              struct hdb_resource_list *list);
void hdb_resource_list_finish(struct hdb_resource_list *list);
int hdb_device_read_memory(struct hdb_device *device, uint64_t va, void *data, size_t size);
/* How often a debugger has changed waves or memory there so far. */
uint64_t hdb_device_count_edits(struct hdb_device *device);

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

/* Whether a capture has dispatches of the device that have not finished: their memory is then looked at once more when
 * they are completed, and is better left alone until then. From any thread but the engine's, where it is false. */
bool hdb_device_captures(const struct hdb_device *device);

uint64_t hdb_device_submit(struct hdb_device *device, struct hdb_offer *offers, size_t count);
void hdb_device_completed(struct hdb_device *device, uint64_t token, enum hdb_outcome outcome);

/* The application frees or changes a command buffer that the GPU has not finished. That is not allowed, but what was
 * armed in it must not be touched from then on. */
void hdb_device_forget_commands(struct hdb_device *device, const void *commands);

#endif
