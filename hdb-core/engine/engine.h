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

#include "engine/selector.h"
#include "hdb_core.h"
#include "stop/machine.h"
#include "symbols/symbols.h"
#include "target/target.h"
#include "values/place.h"

struct inspection;
struct log;
struct session;
struct watch;

/* ---- work that application threads hand over ---- */

struct job {
   void (*run)(struct hdb_engine *engine, struct job *job);
   bool done; /* set by engine_finish_job, by run() or later */
   struct job *next;
};

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
   uint32_t unarmed_rays;  /* dispatches that trace rays and may be running with TRAP_PRESENT off */
   bool failure_said;      /* arming failed; said once */
   bool preprocessed_said; /* a shader with breakpoints is launched by preprocessed commands; said once */
   struct hdb_device *next;
};

/* ---- dispatches and submissions ---- */

/* What its submission has come to. What it does itself meanwhile, see engine_describe_state. */
enum dispatch_state { DISPATCH_SUBMITTED, DISPATCH_FINISHED, DISPATCH_LOST };

enum dispatch_capture { CAPTURE_NONE, CAPTURE_WANTED, CAPTURE_TAKEN };

/* One that was submitted while a debugger was connected. */
struct dispatch {
   uint32_t number;
   struct hdb_device *device;
   uint64_t shader_id;
   bool rays;        /* it traces rays: `shader_id` is the prolog, see rays.c */
   bool internal;    /* the driver's own */
   bool generated;   /* one or any number of dispatches, made on the GPU */
   bool conditional; /* skipped if the dword at condition_va is zero or, if inverted, is not */
   bool inverted;
   uint64_t condition_va;
   char *name;    /* that the application gave to the pipeline, else the program's */
   char *program; /* "blur.comp:main" */
   char *file;    /* as the module spells it; NULL: not known */
   char *entry;   /* NULL: not known */
   char *label, *queue;
   char *labels; /* all around it, outermost first, each with its NUL byte */
   uint32_t label_count;
   uint32_t frame;
   uint32_t base[3], workgroup[3], wave_size;
   bool sized;       /* the two that follow are known; for an indirect one only once a wave of it was seen */
   uint32_t grid[3]; /* workgroups, from `base` on */
   uint32_t waves;
   uint64_t indirect_va; /* of the grid in GPU memory; 0: not indirect */
   enum dispatch_state state;
   bool attached;    /* it may stop at its entry: a catch names it, or it is */
   bool asked_for;   /* by an answer or a pause */
   bool entry_shown; /* and has done so */
   bool armed;       /* its planted traps work */
   uint32_t entries; /* waves that were seen */
   uint8_t *seen;    /* a bit for each of them; NULL: not noted */
   uint64_t token;
   uint32_t *rsrc2_dword;
   struct hdb_dispatch *record; /* its grid as far as it is known, INDIRECT: not yet */
   enum dispatch_capture capture;
   uint32_t capture_position; /* in the file, once taken */
};

/* A hdb_device_submit in progress, suspended while an offer is unanswered. */
struct submit_job {
   struct job job;
   struct hdb_device *device;
   struct hdb_offer *offers;
   size_t count, next; /* next one to decide upon */
   size_t *dispatches; /* by offer: index into the engine's; SIZE_MAX: not counted */
   uint64_t token;
   bool unasked; /* it comes from the engine's own thread, which can't wait for an answer */
   struct submit_job *next_submit;
};

/* ---- frames ---- */

/* A frame that something is to be done in: wanted, then begun with its first submission, then over. */
struct frame_trigger {
   bool wanted, begun;
   uint32_t frame;              /* until it has begun: the first that will do */
   uint32_t dispatches, chosen; /* of it so far; those that stop, or are captured */
   char *file;                  /* of a capture; NULL: none was named */
   char *which;                 /* selects those that stop or are captured; NULL: nobody has said */
};

#define TRIGGER_KINDS 2 /* enum hdb_trigger */

enum frame_choice { FRAME_CHOOSES_NOTHING, FRAME_STOPS, FRAME_ASKS };

/* ---- breakpoints ---- */

enum breakpoint_kind {
   BREAKPOINT_SOURCE,
   BREAKPOINT_FUNCTION,
   BREAKPOINT_INSTRUCTION,
   BREAKPOINT_DATA,
   BREAKPOINT_PRINT /* the shader's own */
};

struct breakpoint_place {
   struct engine_shader *shader;
   uint32_t pc;
   uint32_t line; /* that the place belongs to: the breakpoint's, or the one that it was moved to */
   bool planted;  /* not yet: an unarmed dispatch of the shader may be running */
};

/* Which of the hits of a breakpoint count: all, from a number on, up to one, one alone, every so many. */
enum hit_rule { HITS_ALL, HITS_AT_LEAST, HITS_AT_MOST, HITS_EQUAL, HITS_EVERY };

/* What a wave that comes to a breakpoint has to meet, and what becomes of it then. */
struct breakpoint_terms {
   char *condition; /* in the shader's language, of any active lane; NULL: none */
   enum hit_rule rule;
   uint64_t number; /* of the rule */
   struct log *log; /* is written, and the wave runs on; NULL: it stops */
};

struct breakpoint {
   uint32_t id;
   enum breakpoint_kind kind;
   bool permanent; /* from the engine's options: no client replaces it */
   char *name;     /* the file, or what a function breakpoint names */
   uint32_t line;
   uint32_t module;   /* only shaders of this one, see shader_module; 0: all */
   bool waits;        /* for a shader with this file or address, or a dispatch of that name */
   bool matched;      /* a dispatch of that name has come */
   bool codeless;     /* a shader has the file, but no code in the line's function */
   char failure[160]; /* why a place that it has can't be trapped at; empty: nothing failed */
   uint64_t address;
   uint64_t before, behind; /* the nearest instructions, if the address is inside of one; else 0 */
   struct breakpoint_place *places;
   size_t place_count;
   char message[256];
   bool verified;
   struct breakpoint_terms terms;
   uint64_t hits;       /* waves that came there and met the condition */
   char *trouble;       /* why the condition could not be evaluated at the last hit; NULL: it could */
   struct watch *watch; /* BREAKPOINT_DATA */
   bool forgotten;      /* while all of a kind are set anew: not named again so far */
};

/* ---- stops ---- */

struct step {
   bool active;
   uint32_t wave_id;
   bool by_instruction;
   enum hdb_line_step kind;
   bool rays;  /* it may lead to other stages of ray tracing */
   bool stays; /* but ends in this one */
   uint64_t shader_id;
   uint32_t origin; /* pc where it began */
   size_t depth;    /* HDB_STEP_OUT: ends with no more frames than these */
   uint32_t lane;
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
   bool ready;         /* hdb_engine_create may return */
   atomic_uint wanted; /* enum wanted_by, bits: submissions are of interest */
   atomic_bool frames_wanted;

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
void engine_post_job(struct hdb_engine *engine, struct job *job);
bool engine_run_job(struct hdb_engine *engine, struct job *job); /* waits; false: there is no engine's thread here */
bool engine_is_current(const struct hdb_engine *engine);         /* this is its thread */
void engine_finish_job(struct hdb_engine *engine, struct job *job);
void engine_set_ready(struct hdb_engine *engine);
void engine_want(struct hdb_engine *engine, enum wanted_by by, bool on);

/* clients.c */
/* submit.c */
bool engine_can_stop(const struct hdb_engine *engine);      /* something, as far as there are devices */
void engine_warn_if_unstoppable(struct hdb_engine *engine); /* once to each client */
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

/* rays.c */
bool dispatch_traces_rays(const struct hdb_dispatch *record, const struct engine_shader *launched);
bool dispatch_runs_shader(const struct dispatch *dispatch, const struct hdb_shader *shader);
bool dispatch_has_plants(const struct dispatch *dispatch); /* in a shader that it may run */
void dispatch_begin_unarmed(const struct dispatch *dispatch);
void dispatch_end_unarmed(const struct dispatch *dispatch);
bool shader_runs_unarmed(const struct engine_shader *shader);

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

/* dispatches.c */
bool engine_add_dispatch(struct hdb_engine *engine, const struct submit_job *submit, const struct hdb_offer *offer);
void engine_trim_history(struct hdb_engine *engine);
size_t engine_find_token(const struct hdb_engine *engine, uint64_t token); /* the first dispatch of that submission */
void engine_forget_device_dispatches(struct hdb_engine *engine, const struct hdb_device *device);
void engine_free_dispatches(struct hdb_engine *engine);
/* Says of a dispatch, or of each that runs, when none of its workgroups passes the filter. */
void engine_check_dispatch_filter(struct hdb_engine *engine, const struct dispatch *dispatch);
void engine_check_filter(struct hdb_engine *engine);
void engine_apply_filter(struct hdb_engine *engine); /* to what the machines stop */
uint32_t engine_waves_per_workgroup(const struct dispatch *dispatch);
void engine_size_dispatch(struct dispatch *dispatch, const uint32_t grid[3]);
bool engine_dispatch_is_empty(const struct dispatch *dispatch);
/* A finished indirect one that was to stop at its entry, and of which surely no wave came there. */
bool engine_dispatch_went_unseen(const struct hdb_engine *engine, const struct dispatch *dispatch);
json_t *engine_describe_dispatch(const struct hdb_engine *engine, const struct dispatch *dispatch);
json_t *engine_describe_grid(const struct hdb_engine *engine, const struct dispatch *dispatch); /* null: not known */
/* In a word, as far as can be told on any device: by the waves that have been seen. */
const char *engine_describe_state(const struct hdb_engine *engine, const struct dispatch *dispatch);

/* origins.c */
void engine_note_origins(struct hdb_engine *engine, struct card *card); /* of the waves that are new; after each wait */
struct dispatch *engine_dispatch_of(struct hdb_engine *engine, const struct hdb_wave *wave); /* NULL: none known */
void engine_correct_origins(struct hdb_engine *engine, struct dispatch *finished);
bool engine_dispatch_has_waves(const struct dispatch *dispatch); /* that are known and have not been seen to end */

/* submit.c */
void engine_continue_submits(struct hdb_engine *engine);
void engine_answer_offer(struct hdb_engine *engine, const char *answer, const char *which);
/* Whether its waves stop at their entry: also one that is not attached to, with the launch words of one that is. */
bool dispatch_stops_waves(const struct dispatch *dispatch);
void device_disarm(struct hdb_device *device);                                    /* every launch word */
const char *device_describe_failure(const struct hdb_device *device, int result); /* of arming or planting */

/* frames.c */
/* `frame` -1: the next one. 0, or a negative errno with *error, to be freed. */
int engine_trigger(struct hdb_engine *engine, enum hdb_trigger kind, int64_t frame, const char *file, const char *which,
                   char **error);
void engine_begin_frames(struct hdb_engine *engine, uint32_t frame); /* a submission of that one has come */
void engine_drop_trigger(struct hdb_engine *engine, enum hdb_trigger kind);
void engine_count_in_frames(struct hdb_engine *engine, const struct dispatch *dispatch);
bool engine_holds_names(const struct hdb_engine *engine, const struct dispatch *dispatch);
void engine_check_stop_frame(struct hdb_engine *engine); /* when dispatches have finished: is that all of it? */
bool engine_is_in_stop_frame(struct hdb_engine *engine, uint32_t *frame);
enum frame_choice engine_choose_in_frame(const struct hdb_engine *engine, const struct dispatch *dispatch);
bool engine_captures_in_frame(const struct hdb_engine *engine, const struct dispatch *dispatch);
void engine_ask_no_more(struct hdb_engine *engine, const struct dispatch *dispatch, const char *which);
void engine_note_chosen(struct hdb_engine *engine, enum hdb_trigger kind, const struct dispatch *dispatch);

/* capture.c */
/* `path` NULL: PROGRAM-PID-N.hdbcap. 0, or a negative errno with *error, to be freed; -EBUSY: one is being written. */
int engine_begin_capture(struct hdb_engine *engine, const char *path, char **error);
/* From now on `count` (0: all) of the dispatches that `which` selects (NULL: any) are captured. */
void engine_capture_matching(struct hdb_engine *engine, const char *which, uint32_t count);
const char *engine_capture_path(const struct hdb_engine *engine); /* of the one that is being written */
void engine_end_selected_capture(struct hdb_engine *engine);      /* whoever selected has gone */
bool engine_capture_selects(const struct hdb_engine *engine, const struct dispatch *dispatch);
/* This one, before it is armed; nothing without a capture. */
void engine_capture_dispatch(struct hdb_engine *engine, struct dispatch *dispatch);
/* It can't be, after all: says so, in the file, too. */
void engine_capture_refuse(struct hdb_engine *engine, struct dispatch *dispatch, const char *why);
void engine_capture_forget(struct hdb_engine *engine, const struct hdb_device *device); /* it is destroyed */
/* Of what the application's callbacks ask for: a file of its own, up to the end of a submission. */
void engine_begin_lone_capture(struct hdb_engine *engine);
void engine_end_lone_capture(struct hdb_engine *engine);
void engine_end_capture(struct hdb_engine *engine); /* no more are added; the file is done when these have finished */
void engine_abandon_capture(struct hdb_engine *engine);                    /* now, with what it has */
bool engine_captures_at_entry(const struct dispatch *dispatch);            /* its waves are to stop there */
void engine_capture_entries(struct hdb_engine *engine, struct card *card); /* after each wait */
void engine_capture_finished(struct hdb_engine *engine, struct hdb_device *device, uint64_t token,
                             enum hdb_outcome outcome); /* a submission, before its dispatches are */
/* The workgroup that alone is to stop, while what comes before it is of no interest. NULL: no such time. */
const uint32_t *engine_capture_filter(const struct hdb_engine *engine, const struct card *card);
bool engine_is_capturing(const struct hdb_engine *engine,
                         const struct card *card); /* dispatches that have yet to begin */

/* breakpoints.c */
#define SPLIT_INSTRUCTION \
   "0x%" PRIx64 " is not the start of an instruction; the nearest are 0x%" PRIx64 " and 0x%" PRIx64
struct breakpoint *engine_add_breakpoint(struct hdb_engine *engine, enum breakpoint_kind kind, const char *name,
                                         uint32_t line, uint64_t address);
/* All of a kind, for source breakpoints those of one file (and module), are set anew: those that are named again stay,
 * with their numbers and hits, the client's others go. */
void engine_begin_breakpoints(struct hdb_engine *engine, enum breakpoint_kind kind, const char *file, uint32_t module);
struct breakpoint *engine_keep_breakpoint(struct hdb_engine *engine, enum breakpoint_kind kind, const char *name,
                                          uint32_t line, uint32_t module, uint64_t address); /* NULL: a new one */
void engine_end_breakpoints(struct hdb_engine *engine);
/* Whether an instruction of a shader is around the address, but does not start there. The nearest that do: */
bool engine_splits_instruction(struct hdb_engine *engine, uint64_t address, uint64_t *before, uint64_t *behind);
void engine_remove_all_breakpoints(struct hdb_engine *engine);
void engine_bind_breakpoint(struct hdb_engine *engine, struct breakpoint *breakpoint); /* to what is there already */
void engine_bind_shader(struct hdb_engine *engine, struct engine_shader *shader);      /* a new one */
void engine_unbind_shader(struct hdb_engine *engine, struct engine_shader *shader);
void engine_plant_pending(struct engine_shader *shader);
bool engine_may_plant(struct engine_shader *shader, uint32_t pc); /* no wave would trip over a trap there */
void engine_unplant_unsafe(struct engine_shader *shader); /* what dispatches that can't be armed would trip over */
struct breakpoint *engine_breakpoint(struct hdb_engine *engine, uint32_t id); /* NULL: it is gone */
bool engine_stands_at(const struct breakpoint *breakpoint, const struct hdb_wave *wave);
bool engine_names_dispatch(const struct hdb_engine *engine, const struct dispatch *dispatch);
void engine_note_named(struct hdb_engine *engine, const struct dispatch *dispatch); /* in those that name it */

/* hits.c */
/* What the waves that have stopped since the last time have hit; after each wait. */
void engine_judge_hits(struct hdb_engine *engine, struct card *card);
void engine_tell_hits(struct hdb_engine *engine); /* how many there were, at the end */
/* The breakpoint that a stopped wave is to be shown for, if it is still there. */
struct breakpoint *engine_hit_of(struct hdb_engine *engine, const struct hdb_wave *wave);

/* watch_registers.c */
void engine_update_watches(struct hdb_engine *engine); /* the cards' registers: after each change of what is watched */
bool engine_watches_card(const struct hdb_engine *engine, const struct card *card); /* every dispatch is to be armed */
void engine_end_watches(struct hdb_engine *engine); /* of variables whose waves have ended; those go */
void engine_leave_watches(struct hdb_engine *engine, const struct card *card); /* it goes */
void engine_refresh_watches(struct hdb_engine *engine, struct card *card);     /* before waves run on: what was set */

/* terms.c */
/* NULL or empty: none. Takes the log over unless it fails: -EINVAL, the hit condition is none, *error (to be freed)
 * says so. */
int breakpoint_set_terms(struct breakpoint *breakpoint, const char *condition, const char *hit_condition,
                         struct log *log, char **error);
void breakpoint_free_terms(struct breakpoint *breakpoint);
bool breakpoint_counts_hit(const struct breakpoint *breakpoint); /* the last one */

int engine_add_place(struct breakpoint *breakpoint, struct engine_shader *shader, uint32_t pc);

/* prints.c */
void engine_bind_prints(struct hdb_engine *engine, struct engine_shader *shader); /* while there is a client */
void engine_bind_all_prints(struct hdb_engine *engine);

/* log.c */
/* A line with expressions in braces, as DAP has it; or a format as printf's and an expression for each conversion.
 * NULL: *error (to be freed) says why. */
struct log *log_create(const char *message, char **error);
struct log *log_create_format(const char *format, const char *const *expressions, size_t count, char **error);
/* The same for a shader's own debugPrintf: a line of each lane. */
struct log *log_create_print(const char *format, const char *const *expressions, size_t count, char **error);
void log_destroy(struct log *log);
/* Written for each of the lanes of a stopped wave. */
void log_tell_dropped(struct hdb_engine *engine); /* before a stop, and at the end */
void log_write(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave, uint64_t lanes,
               const struct log *log);

/* breakpoint_text.c */
void breakpoint_update_message(struct breakpoint *breakpoint);           /* and whether it is verified or waits */
json_t *engine_describe_breakpoint(const struct breakpoint *breakpoint); /* a DAP Breakpoint */

/* stop.c */
void engine_check_card(struct hdb_engine *engine, struct card *card);
void engine_report_stop(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave, const char *reason,
                        struct breakpoint *breakpoint);
void engine_show_held_stop(struct hdb_engine *engine); /* to a client that has come since */
/* During a stop: waves that came to the same place since belong to it, other stops are pending. */
void engine_note_late(struct hdb_engine *engine);
/* Shows why a wave has stopped; false: that is of no interest, or has been shown. */
bool engine_report_unseen(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave);
bool engine_passes_filter(const struct hdb_engine *engine, const struct hdb_wave *wave);
/* Whether its entry is still to be shown: the stops of its waves stay on. */
bool engine_stops_at_entry(const struct hdb_engine *engine, const struct dispatch *dispatch);
/* Halts the card's waves for a stop that is new, not pending, and shows it; false: there is none. */
bool engine_report_new(struct hdb_engine *engine, struct card *card);
/* Shows a wave of the card that is stopped, and why it is; false: none is. */
bool engine_report_waiting(struct hdb_engine *engine, struct card *card);
int engine_continue(struct hdb_engine *engine); /* or, on the loop's next turn, shows a pending stop instead */
int engine_pause(struct hdb_engine *engine, char **error);
void engine_forget_stop(struct hdb_engine *engine);
struct hdb_wave *engine_find_wave(struct hdb_engine *engine, json_int_t thread_id, struct card **card);
uint32_t engine_count_stopped(struct card *card);

/* stop_text.c */
uint64_t active_lanes(const struct hdb_wave *wave); /* a bit for each */
bool lane_is_active(const struct hdb_wave *wave, uint32_t lane);
void format_exec(const struct hdb_wave *wave, char text[17]);
const char *cause_name(enum hdb_stop_cause cause);
json_t *engine_describe_stop(struct hdb_engine *engine, struct card *card, const struct hdb_wave *wave);
char *engine_describe_exception(struct card *card, const struct hdb_wave *wave); /* to be freed; may be NULL */

/* queries.c */
struct hdb_resource_source;
int engine_resource_source(struct hdb_device *device, struct hdb_wave *wave, const struct hdb_dispatch *record,
                           struct hdb_resource_source *source); /* -ENOENT */
int engine_list_resources(struct hdb_device *device, struct hdb_wave *wave, const struct hdb_dispatch *record,
                          struct hdb_resource_list *list);

/* callbacks.c */
bool engine_is_watched(const struct hdb_engine *engine); /* somebody wants to know of stops */
/* The application's callbacks are told of a stop. True: they have answered, the client need not be told. */
bool engine_ask_callbacks(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave, const char *reason);
void engine_follow_answer(struct hdb_engine *engine);
void engine_tell_lost(struct hdb_engine *engine, struct hdb_device *device, const struct dispatch *dispatch);
void engine_tell_message(struct hdb_engine *engine, enum hdb_severity severity, const char *text);

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

/* step.c */
/* `frame`: the one that HDB_STEP_OUT leaves, 0: the innermost. */
int engine_step(struct hdb_engine *engine, struct hdb_wave *wave, bool by_instruction, enum hdb_line_step kind,
                uint32_t frame, char **error);
void engine_check_step(struct hdb_engine *engine); /* after a wait: has the stepped wave arrived, or ended? */
void engine_abandon_step(struct hdb_engine *engine);

/* Likewise, but on standard error where nobody is connected: answers to what was asked for by a key or a callback. */
void engine_tell(struct hdb_engine *engine, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Lines for the user: in the client's console, and to callbacks that want them. */
void engine_say(struct hdb_engine *engine, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same of what could not be done. */
void engine_warn(struct hdb_engine *engine, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
