/* SPDX-License-Identifier: MIT */
/* Breakpoints of all kinds, and what waves have to meet there. Part of engine.h. */
#ifndef HDB_ENGINE_BREAKPOINTS_H
#define HDB_ENGINE_BREAKPOINTS_H

#include <inttypes.h>
#include <jansson.h>

#include "hdb_core.h"
#include "stop/machine.h"

struct dispatch;
struct log;
struct watch;
struct card;
struct engine_shader;

enum breakpoint_kind {
   BREAKPOINT_SOURCE,
   BREAKPOINT_FUNCTION,
   BREAKPOINT_INSTRUCTION,
   BREAKPOINT_DATA,
   BREAKPOINT_OWN /* the shader's: a debug break */
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
   struct watch *watch; /* BREAKPOINT_DATA */
   bool forgotten;      /* while all of a kind are set anew: not named again so far */
};

/* What a stopped wave has hit beyond the breakpoint that it is shown for, and of each why its condition could not be
 * evaluated (NULL: it could). */
struct further_hit {
   uint32_t wave, breakpoint;
   char *trouble;
};

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
bool breakpoint_names_dispatch(const struct breakpoint *breakpoint, const struct dispatch *dispatch);
bool engine_names_dispatch(const struct hdb_engine *engine, const struct dispatch *dispatch);
void engine_note_named(struct hdb_engine *engine, const struct dispatch *dispatch); /* in those that name it */

/* hits.c */
/* What the waves that have stopped since the last time have hit; after each wait. */
void engine_judge_hits(struct hdb_engine *engine, struct card *card);
void engine_tell_hits(struct hdb_engine *engine); /* how many there were, at the end */
/* The breakpoint that a stopped wave is to be shown for, if it is still there. */
struct breakpoint *engine_hit_of(struct hdb_engine *engine, const struct hdb_wave *wave);
void engine_forget_further_hits(struct hdb_engine *engine);
/* From one (NULL: none) to the wave's next; NULL: there is no more. */
const struct further_hit *engine_next_further_hit(const struct hdb_engine *engine, const struct hdb_wave *wave,
                                                  const struct further_hit *last);

/* watch_registers.c */
void engine_update_watches(struct hdb_engine *engine); /* the cards' registers: after each change of what is watched */
bool engine_watches_card(const struct hdb_engine *engine, const struct card *card); /* every dispatch is to be armed */
void engine_end_watches(struct hdb_engine *engine); /* of variables whose waves have ended; those go */
void engine_leave_watches(struct hdb_engine *engine, const struct card *card); /* it goes */
void engine_refresh_watches(struct hdb_engine *engine, struct card *card);     /* before waves run on: what was set */

/* watch_stepped.c */
/* Whether a register of the wave is watched; and a stopped wave of which that is so. */
bool engine_watches_steps(const struct hdb_engine *engine, const struct card *card, const struct hdb_wave *wave);
struct hdb_wave *engine_find_stepped(struct hdb_engine *engine, struct card *card);

/* terms.c */
/* NULL or empty: none. Takes the log over unless it fails: -EINVAL, one of the conditions can't be, *error (to be
 * freed) says why. The breakpoint is bound before: names are looked up where it is. */
int breakpoint_set_terms(struct breakpoint *breakpoint, const char *condition, const char *hit_condition,
                         struct log *log, char **error);
void breakpoint_free_terms(struct breakpoint *breakpoint);
bool breakpoint_counts_hit(const struct breakpoint *breakpoint); /* the last one */

int engine_add_place(struct breakpoint *breakpoint, struct engine_shader *shader, uint32_t pc);

/* breaks.c */
void engine_bind_breaks(struct hdb_engine *engine, struct engine_shader *shader); /* while there is a client */
void engine_bind_all_breaks(struct hdb_engine *engine);

/* log.c */
/* A line with expressions in braces, as DAP has it; or a format as printf's and an expression for each conversion.
 * NULL: *error (to be freed) says why. */
struct log *log_create(const char *message, char **error);
struct log *log_create_format(const char *format, const char *const *expressions, size_t count, char **error);
void log_destroy(struct log *log);
/* Written for each of the lanes of a stopped wave. */
void log_tell_dropped(struct hdb_engine *engine); /* before a stop, and at the end */
/* A line, without a line feed at its end, that stands for `lines` of them: for one, or for what was dropped. */
void log_send(const struct hdb_device *device, const char *line, uint64_t lines);
void log_write(struct hdb_engine *engine, struct card *card, struct hdb_wave *wave, uint64_t lanes,
               const struct log *log);

/* breakpoint_text.c */
void breakpoint_update_message(struct breakpoint *breakpoint);           /* and whether it is verified or waits */
json_t *engine_describe_breakpoint(const struct breakpoint *breakpoint); /* a DAP Breakpoint */

#endif
