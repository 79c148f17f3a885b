/* SPDX-License-Identifier: MIT */
/* Stops, as they are found, shown and left again; and steps. Part of engine.h. */
#ifndef HDB_ENGINE_STOPS_H
#define HDB_ENGINE_STOPS_H

#include <jansson.h>

#include "hdb_core.h"
#include "stop/machine.h"
#include "symbols/symbols.h"

struct breakpoint;
struct dispatch;
struct card;
struct engine_shader;

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
   bool endless;    /* the wave runs on, in steps, because a register of it is watched */
   uint32_t lane;
};

/* stop.c */
void engine_check_card(struct hdb_engine *engine, struct card *card);
void engine_report_stop(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave, const char *reason,
                        struct breakpoint *breakpoint);
bool engine_holds_stop(const struct hdb_engine *engine); /* a callback left it so */
void engine_show_held_stop(struct hdb_engine *engine);   /* to a client that has come since */
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
/* All that the wave has hit, in the body of a stopped event; `shown` is what it is shown for. */
void engine_describe_hit(struct hdb_engine *engine, json_t *body, struct hdb_wave *wave,
                         const struct breakpoint *shown);
char *engine_describe_exception(struct card *card, const struct hdb_wave *wave); /* to be freed; may be NULL */

/* callbacks.c */
bool engine_is_watched(const struct hdb_engine *engine); /* somebody wants to know of stops */
/* The application's callbacks are told of a stop. True: they have answered, the client need not be told. */
bool engine_ask_callbacks(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave, const char *reason);
void engine_follow_answer(struct hdb_engine *engine);
void engine_tell_lost(struct hdb_engine *engine, struct hdb_device *device, const struct dispatch *dispatch);
/* NULL: it is about no device in particular. */
void engine_tell_message(struct hdb_engine *engine, const struct hdb_device *device, enum hdb_severity severity,
                         const char *text);

/* step.c */
/* `frame`: the one that HDB_STEP_OUT leaves, 0: the innermost. */
int engine_step(struct hdb_engine *engine, struct hdb_wave *wave, bool by_instruction, enum hdb_line_step kind,
                uint32_t frame, char **error);
void engine_step_on(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave); /* up to a stop, or its end */
void engine_check_step(struct hdb_engine *engine); /* after a wait: has the stepped wave arrived, or ended? */
void engine_abandon_step(struct hdb_engine *engine);

#endif
