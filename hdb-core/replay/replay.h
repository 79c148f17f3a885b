/* SPDX-License-Identifier: MIT */
/*
 * Replaying a capture: its memory and dispatches on a virtual GPU in this process, under an engine of its own, so that
 * a debugger sees what it would have seen in the program.
 */
#ifndef HDB_REPLAY_H
#define HDB_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

struct hdb_replay_options {
   const char *path;
   bool one;        /* only the dispatch `number` */
   uint32_t number; /* as the program counted it */
   uint64_t seed;   /* of the order in which waves run; 0: that in which they are launched */
   int client_fd;   /* a connected DAP client, or -1 */
};

enum hdb_replay_result {
   HDB_REPLAY_EQUAL,    /* whatever the file has of the end of a dispatch came out again */
   HDB_REPLAY_DIFFERENT /* or something did not, or could not be run; standard output says what */
};

/* Runs to the end, saying on standard output what became of each dispatch. An enum hdb_replay_result, or a negative
 * errno with *error one line about it, to be freed: nothing has been run. */
int hdb_replay_run(const struct hdb_replay_options *options, char **error);

#endif
