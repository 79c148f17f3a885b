/* SPDX-License-Identifier: MIT */
/*
 * How the rooms of engine/ and dap/ share the engine. Everything here is touched on the engine's thread alone, except
 * for the jobs (under the lock) and the atomics.
 */
#ifndef HDB_ENGINE_H
#define HDB_ENGINE_H

#include <inttypes.h>
#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <uthash.h>

#include "engine/breakpoints.h"
#include "engine/dispatches.h"
#include "engine/jobs.h"
#include "engine/prints.h"
#include "engine/selector.h"
#include "engine/stops.h"
#include "hdb_core.h"
#include "stop/machine.h"
#include "symbols/symbols.h"
#include "target/target.h"
#include "values/place.h"

struct inspection;
struct session;

/* ---- cards and devices ---- */

/* What a watch register of the card is set to. */
struct watch_range {
   uint64_t va, size;
   enum hdb_watch_mode mode;
};

/* What the process's devices on one card share: they have one address space there, and so one trap handler. */
struct card {
   struct hdb_target *target;
   struct hdb_machine *machine;
   uint32_t device_count;
   bool lost; /* out of reach: nothing stops on it any more */
   struct watch_range watched[HDB_WATCHES];
   uint32_t watched_count;
   struct card *next;
};

struct engine_shader {
   struct hdb_device *device;
   const struct hdb_shader *shader;
   struct hdb_symbols *symbols; /* made on first use, see shader_symbols */
   bool unreadable;             /* the module could not be read; said once */
   bool warned;                 /* that its debug information has gaps */
   uint32_t module;             /* see shader_module; 0: not asked for yet */
   uint32_t plants;             /* places of breakpoints, planted or waiting to be */
   uint32_t unarmed;            /* dispatches of it that may be running with TRAP_PRESENT off */
};

/* Launch words that hold trap bits for at least one submission. */
struct armed_words {
   uint32_t *rsrc2_dword; /* the key */
   struct hdb_dispatch record;
   uint32_t flags; /* enum hdb_arm_flags */
   uint32_t references;
   uint64_t token; /* of the submission that armed them */
   UT_hash_handle hh;
};

struct hdb_device {
   struct hdb_engine *engine;
   uint32_t index;
   char *name;
   struct hdb_driver *driver; /* NULL: without support */
   struct hdb_object_source objects;
   struct card *card;           /* NULL: can't be attached to */
   struct hdb_machine *machine; /* the card's */
   struct engine_shader **shaders;
   size_t shader_count;
   struct armed_words *armed;
   uint32_t unarmed_rays;              /* dispatches that trace rays and may be running with TRAP_PRESENT off */
   bool failure_said;                  /* arming failed; said once */
   bool preprocessed_said;             /* a shader with breakpoints is launched by preprocessed commands; said once */
   struct print_module *print_modules; /* of shaders that have printed */
   size_t print_module_count;
   uint32_t dropped_prints; /* as the ring has counted when they were last told */
   bool strange_print_said; /* one of a shader without SPIR-V has come; said once */
   bool reading_prints;
   struct hdb_device *next;
};

enum wanted_by {
   WANTED_BY_CLIENT = 1 << 0, /* one that is configured */
   WANTED_BY_FRAME = 1 << 1,  /* that is to be captured */
   WANTED_BY_CALLBACKS = 1 << 2,
   WANTED_BY_CAPTURE = 1 << 3 /* that selects dispatches */
};

struct hdb_engine {
   struct hdb_engine_options options;
   pid_t pid;
   pthread_t thread;
   pthread_mutex_t lock;
   pthread_cond_t changed;
   int wake_fd;
   struct job *jobs, **jobs_end;
   bool quit;
   atomic_bool leaving; /* the process exits */
   bool ready;          /* hdb_engine_create may return */
   atomic_uint wanted;  /* enum wanted_by, bits: submissions are of interest */
   atomic_bool frames_wanted;
   atomic_uint listeners;       /* enum listener, bits */
   atomic_bool prints_expected; /* something has been submitted, or waited for */
   int print_interval;          /* milliseconds from one look at the rings to the next */

   int listen_fd;
   char socket_path[128]; /* empty: not listening */
   struct session *session;
   struct session *refused; /* came while another was there: its first request is answered with an error */

   struct card *cards;
   struct hdb_device *devices;
   uint32_t device_count;

   struct dispatch *dispatches;
   size_t dispatch_count;
   uint32_t dispatches_seen;
   uint64_t last_token;
   struct submit_job *submits, **submits_end; /* waiting for answers, in order */
   int offer_seq;                             /* of the unanswered hdb/offer request; 0: none */
   bool ask;                                  /* at each dispatch */
   bool ask_in_frames;   /* the client chooses among the dispatches of a frame that is stopped in */
   uint32_t stop_frame;  /* the last one that was stopped in; UINT32_MAX: none */
   bool names_in_frames; /* function breakpoints hold only in a frame that is stopped in */
   struct frame_trigger triggers[TRIGGER_KINDS];
   bool stop_frame_runs; /* it has ended, but not all of its dispatches have */
   bool internal;        /* the driver's own dispatches count */
   bool pause_next;      /* a pause found no wave to stop: the next dispatch stops at its entry */

   struct breakpoint **breakpoints;
   size_t breakpoint_count;
   uint32_t last_breakpoint_id;
   struct further_hit *further_hits; /* of stopped waves */
   size_t further_hit_count;
   uint64_t last_hit_order;
   uint64_t dropped_lines; /* of the log, since the client last took some */

   struct card *stopped; /* NULL: all run */
   struct card *stopped_last;
   bool look_again; /* stops may be waiting for their turn to be shown */
   bool all_halted;
   uint32_t last_wave_id; /* waves are numbered through all cards */
   uint32_t focus_wave, focus_lane;
   uint32_t shown_wave;  /* that the stop was shown for, whichever the user has chosen since */
   uint32_t chosen_lane; /* by the user, or with the wave; focus_lane is another where a stop finds it off */
   struct step step;     /* on `stopped` */

   struct capture *capture; /* that is being written; NULL: none */
   atomic_uint captured;    /* dispatches that are to be in it, and have not finished */
   uint32_t captures_begun;

   enum hdb_stop_answer answer; /* of the application's callbacks to the last stop, to be followed */

   struct inspection *inspection; /* what the client looks at: dap/inspection.h; NULL: nothing yet */

   bool filtered; /* stops in one workgroup only */
   uint32_t filter[3];
};

/* engine.c */
void engine_set_ready(struct hdb_engine *engine);
void engine_wake(const struct hdb_engine *engine);
void engine_want(struct hdb_engine *engine, enum wanted_by by, bool on);

/* exit.c */
void engine_watch_exit(struct hdb_engine *engine);
void engine_forget_exit(void);
void engine_leave(struct hdb_engine *engine); /* on its thread, when it is `leaving` */

/* clients.c */
void engine_check_names(const char *list); /* of dispatches, with commas: says what is wrong with them */
void engine_listen(struct hdb_engine *engine);
void engine_stop_listening(struct hdb_engine *engine);
void engine_accept_client(struct hdb_engine *engine);
void engine_begin_session(struct hdb_engine *engine); /* the client has sent configurationDone */
void engine_end_session(struct hdb_engine *engine);   /* resumes everything, removes every trap */

/* device.c */
struct engine_shader *device_find_shader(struct hdb_device *device, uint64_t id);
struct engine_shader *engine_find_shader(struct hdb_engine *engine, const struct hdb_shader *shader);
struct hdb_symbols *shader_symbols(struct engine_shader *shader); /* NULL: cannot be read */
char *shader_program(struct engine_shader *shader);               /* "blur.comp:main", to be freed */
/* A number for the shader's SPIR-V, the same in each process and for each pipeline made from it. 0: it has none. */
uint32_t shader_module(struct engine_shader *shader);
void device_destroy(struct hdb_device *device);

/* card.c */
int device_join_card(struct hdb_device *device); /* a driver without support, and what no target is for, has none */
/* Out of reach from now on, after that error of hdb_machine_wait: its waves run on. */
void card_lose(struct hdb_engine *engine, struct card *card, int error);
/* For a further debugger: the hdb-helper of the last one goes with it. */
void engine_reopen_cards(struct hdb_engine *engine);
void engine_tell_lost_cards(struct hdb_engine *engine); /* those that could not be */
void device_leave_card(struct hdb_device *device);      /* once out of the engine's list; its waves run on */
/* With a dispatch of any of its devices. */
bool card_is_armed(const struct hdb_engine *engine, const struct card *card);

/* queries.c */
struct hdb_resource_source;
int engine_resource_source(struct hdb_device *device, struct hdb_wave *wave, const struct hdb_dispatch *record,
                           struct hdb_resource_source *source); /* -ENOENT */
int engine_list_resources(struct hdb_device *device, struct hdb_wave *wave, const struct hdb_dispatch *record,
                          struct hdb_resource_list *list);

/* context.c */
/* What expressions about a stopped wave are evaluated in. Valid until it runs. */
struct hdb_context engine_context(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave, uint32_t frame,
                                  uint32_t lane);

/* code.c */
/* The instruction at `va` as text; its size in bytes, or a negative errno. */
int engine_disassemble(struct hdb_machine *machine, uint32_t wave_size, uint64_t va, char *text, size_t size);
bool engine_position(struct hdb_engine *engine, const struct hdb_shader *shader, uint64_t va,
                     struct hdb_position *position);
char *engine_line_text(struct hdb_engine *engine, const struct hdb_shader *shader,
                       const struct hdb_position *position); /* to be freed; NULL: none */

/* Lines for the user: in the client's console, and to callbacks that want them. */
void engine_say(struct hdb_engine *engine, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same of what could not be done. */
void engine_warn(struct hdb_engine *engine, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same about one device: to callbacks that are for it, and for all. */
void device_say(struct hdb_device *device, const char *format, ...) __attribute__((format(printf, 2, 3)));
void device_warn(struct hdb_device *device, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Likewise, but on standard error where nobody is connected: answers to what was asked for by a key or a callback. */
void engine_tell(struct hdb_engine *engine, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
