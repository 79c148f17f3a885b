/* SPDX-License-Identifier: MIT */
/* Dispatches: those that were submitted, which of them are armed, captured, and which a wave comes from. Part of
 * engine.h. */
#ifndef HDB_ENGINE_DISPATCHES_H
#define HDB_ENGINE_DISPATCHES_H

#include <jansson.h>

#include "engine/jobs.h"
#include "stop/machine.h"

struct card;
struct breakpoint;
struct engine_shader;

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
   bool late;        /* that was wanted after it had been submitted */
   bool armed;       /* its planted traps work */
   uint32_t entries; /* waves that were seen */
   uint8_t *seen;    /* a bit for each of them; NULL: not noted */
   uint64_t token;
   uint32_t *rsrc2_dword;
   struct hdb_dispatch *record; /* its grid as far as it is known, INDIRECT: not yet */
   enum dispatch_capture capture;
   uint32_t capture_position; /* in the file, once taken */
   uint64_t capture_edits;    /* changes that debuggers had made by then */
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
   bool of_session;             /* the debugger wants it: not, once it has gone */
};

#define TRIGGER_KINDS 2 /* enum hdb_trigger */

enum frame_choice { FRAME_CHOOSES_NOTHING, FRAME_STOPS, FRAME_ASKS };

/* submit.c */
bool engine_can_stop(const struct hdb_engine *engine);      /* something, as far as there are devices */
void engine_warn_if_unstoppable(struct hdb_engine *engine); /* once to each client */

/* rays.c */
bool dispatch_traces_rays(const struct hdb_dispatch *record, const struct engine_shader *launched);
bool dispatch_runs_shader(const struct dispatch *dispatch, const struct hdb_shader *shader);
bool dispatch_has_plants(const struct dispatch *dispatch); /* in a shader that it may run */
void dispatch_begin_unarmed(const struct dispatch *dispatch);
void dispatch_end_unarmed(const struct dispatch *dispatch);
bool shader_runs_unarmed(const struct engine_shader *shader);

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
bool engine_dispatch_may_be_empty(const struct dispatch *dispatch); /* only the GPU knows */
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
/* What a new breakpoint names among dispatches that have been submitted already: attached to, or said that it's too
 * late. */
void engine_catch_submitted(struct hdb_engine *engine, struct breakpoint *breakpoint);
void engine_answer_offer(struct hdb_engine *engine, const char *answer, const char *which);

/* arm.c */
/* While a client is there everything is armed: what is submitted may be asked for later. */
void dispatch_arm(struct hdb_engine *engine, struct dispatch *dispatch, const struct hdb_offer *offer);
/* With the words of another one, that of which it is a further execution, it is armed too. */
void dispatch_share_words(struct dispatch *dispatch);
void dispatch_disarm(struct dispatch *dispatch);
bool dispatch_stop_at_entry(struct dispatch *dispatch); /* after all; false: it is not armed */
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
/* `path` NULL: PROGRAM-PID-frameN.hdbcap or, `frame` negative, PROGRAM-PID-N.hdbcap in the folder for captures. 0, or a
 * negative errno with *error, to be freed; -EBUSY: one is being written. */
int engine_begin_capture(struct hdb_engine *engine, const char *path, int64_t frame, char **error);
/* From now on `count` (0: all) of the dispatches that `which` selects (NULL: any) are captured. */
void engine_capture_matching(struct hdb_engine *engine, const char *which, uint32_t count);
const char *engine_capture_path(const struct hdb_engine *engine); /* of the one that is being written */
void engine_end_selected_capture(struct hdb_engine *engine);      /* whoever selected has gone */
bool engine_capture_selects(const struct hdb_engine *engine, const struct dispatch *dispatch);
/* This one, before it is armed; nothing without a capture. */
void engine_capture_dispatch(struct hdb_engine *engine, struct dispatch *dispatch);
/* It can't be, after all: says so, in the file, too. */
void engine_capture_refuse(struct hdb_engine *engine, struct dispatch *dispatch, const char *why);
void engine_capture_recheck(struct hdb_engine *engine); /* more has been submitted, and is about to be launched */
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

#endif
