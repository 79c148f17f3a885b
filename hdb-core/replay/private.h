/* SPDX-License-Identifier: MIT */
#ifndef HDB_REPLAY_PRIVATE_H
#define HDB_REPLAY_PRIVATE_H

#include <stdio.h>

#include "capture/capture.h"
#include "hdb_core.h"
#include "replay/replay.h"
#include "vgpu.h"

/* ---- card.c: the virtual GPU through its kernel's face, as a driver that supports hdb ---- */

struct replay_buffer {
   uint64_t va, size;
   uint8_t *map;
   uint32_t handle;
};

struct replay_card {
   struct hdb_driver driver; /* must be first */
   struct vgpu *gpu;
   uint32_t context;
   uint64_t own_va; /* where memory that no capture knows of comes from; goes up */
};

enum replay_access { REPLAY_READ = 1 << 0, REPLAY_WRITE = 1 << 1, REPLAY_EXECUTE = 1 << 2, REPLAY_UNCACHED = 1 << 3 };

/* `memory`: bytes of the capture's. `own_va`: from there on nothing of it is mapped. */
int card_init(struct replay_card *card, uint64_t memory, uint64_t own_va, uint64_t seed);
void card_finish(struct replay_card *card);
int card_map(struct replay_card *card, uint64_t va, uint64_t size, uint32_t access, struct replay_buffer *buffer);
int card_alloc(struct replay_card *card, uint64_t size, uint32_t access, struct replay_buffer *buffer); /* own memory */
void card_unmap(struct replay_card *card, struct replay_buffer *buffer);
/* Addresses without memory: reads give 0, writes are dropped. */
int card_map_nothing(struct replay_card *card, uint64_t va, uint64_t size);
void card_unmap_nothing(struct replay_card *card, uint64_t va, uint64_t size);
/* Runs commands on a compute queue to their end. -EIO: they faulted or hung, the card's log says how. */
int card_run(struct replay_card *card, uint64_t va, uint32_t dwords);

/* ---- the replay ---- */

/* A page, or the part of it that lies in a range: what was loaded, and what it was seen to hold last. */
struct replay_page {
   uint32_t content; /* the capture's number */
   uint64_t hash;
   bool loaded;  /* both are known */
   bool changed; /* it holds something else than `content` */
};

struct replay_range {
   struct hdb_capture_range range;
   struct replay_buffer buffer; /* map NULL: without memory */
   struct replay_page *pages;   /* from the one that holds the first byte on */
};

struct replay_shader {
   const struct hdb_shader *captured;
   struct hdb_shader shader; /* as the engine knows it while it is `live` */
   bool there;               /* its code is in the state that is loaded */
   bool live;
};

struct replay_reach {
   uint64_t va, size;
};

struct replay {
   const struct hdb_replay_options *options;
   struct hdb_capture *capture;
   const struct hdb_capture_info *info;
   struct replay_card card;
   struct hdb_engine *engine;
   struct hdb_device *device;

   uint32_t state;              /* that memory was loaded with; HDB_CAPTURE_NO_STATE: none yet */
   struct replay_range *ranges; /* sorted */
   size_t range_count;
   struct replay_shader *shaders;

   struct replay_buffer commands;
   struct replay_buffer scratch;      /* the replay's own */
   uint32_t scratch_ring;             /* TMPRING_SIZE for it */
   bool scratch_captured;             /* the dispatch uses the one of the capture: */
   uint64_t scratch_va, scratch_size; /* size 0: there is none */

   struct replay_reach *reach;
   size_t reach_count;
};

/* memory.c */
uint64_t replay_memory_size(const struct replay *replay); /* bytes that the largest state has */
uint64_t replay_free_va(const struct replay *replay);     /* a large part of the address space that no state uses */
/* Makes memory what a state says, planted traps left alone. A negative errno with *error in one line. */
int replay_load(struct replay *replay, uint32_t state, char **error);
void replay_unload(struct replay *replay);
uint8_t *replay_map(const struct replay *replay, uint64_t va, uint64_t size); /* NULL: not all of it is in one range */

/* shaders.c */
void replay_remove_shaders(struct replay *replay, uint32_t state);         /* that are not there in a state */
void replay_remove_code(struct replay *replay, uint64_t va, uint64_t end); /* whose code is there */
void replay_add_shaders(struct replay *replay);                            /* that are in the state loaded */
const struct hdb_shader *replay_find_shader(const struct replay *replay, uint64_t id); /* live ones only */
/* The first shader whose code stands in [va, end), or NULL. */
const struct hdb_shader *replay_code_in(const struct replay *replay, uint64_t va, uint64_t end);

/* prints.c: before memory is changed, and when it has been */
void replay_forget_prints(struct replay *replay);
void replay_find_prints(struct replay *replay);

/* scratch.c: once its memory is loaded */
int replay_prepare_scratch(struct replay *replay, const struct hdb_capture_dispatch *dispatch,
                           const struct hdb_shader *shader);

/* launch.c: writes the commands; *rsrc2 and *rsrc3 are where these stand in them. The number of dwords. */
#define REPLAY_COMMANDS_SIZE 4096 /* bytes, more than there can be */
uint32_t replay_record(struct replay *replay, const struct hdb_capture_dispatch *dispatch,
                       const struct hdb_shader *shader, uint32_t **rsrc2, uint32_t **rsrc3);

/* reach.c: of memory as it is loaded */
void replay_find_reach(struct replay *replay, const struct hdb_capture_dispatch *dispatch);
bool replay_reaches(const struct replay *replay, uint64_t va);
void replay_forget_reach(struct replay *replay);

/* check.c */
struct replay_difference {
   uint64_t written; /* bytes that are not what they were */
   uint64_t wrong;   /* of these, what the capture does not have */
   uint64_t wrong_va;
   uint64_t lost; /* bytes that are what they were, and something else in the capture, where the dispatch reaches */
   uint64_t lost_va;
   uint64_t other; /* likewise, where it is not known to */
   uint64_t other_va, last_other_va;
   bool fence; /* what looks like the submission's was left out */
};
/* What has changed since the state that was loaded, against state `after`; HDB_CAPTURE_NO_STATE: against nothing. */
int replay_compare(struct replay *replay, uint32_t after, struct replay_difference *difference);

/* verdict.c */
void __attribute__((format(printf, 2, 3)))
replay_say(const struct hdb_capture_dispatch *dispatch, const char *format, ...);
const struct hdb_capture_object *replay_find_object(const struct replay *replay, uint64_t va); /* NULL: none is named */
/* Of a dispatch that has run to its end. `edited`: a debugger has changed something meanwhile. True: as captured. */
bool replay_judge(struct replay *replay, uint32_t index, bool edited);

#endif
