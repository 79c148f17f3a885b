/* SPDX-License-Identifier: MIT */
/* What shaders print: prints.c. */
#ifndef HDB_ENGINE_PRINTS_H
#define HDB_ENGINE_PRINTS_H

#include <stdbool.h>

struct hdb_device;
struct hdb_engine;

/* Who wants to know of it. */
enum listener { LISTENER_CLIENT = 1 << 0, LISTENER_CALLBACKS = 1 << 1 };

void engine_listen_to_prints(struct hdb_engine *engine, enum listener by, bool on);
/* What has been printed so far; `past`: also what is behind a line that a wave has not finished. */
void engine_read_prints(struct hdb_engine *engine, bool past);
bool device_read_prints(struct hdb_device *device, bool past); /* true: there was some */
/* Once no wave writes any more: reads what is whole, and tells how much was not. */
void device_end_prints(struct hdb_device *device);
void device_free_prints(struct hdb_device *device);
/* Reads what is there; for how long the loop may sleep until the next look, -1: there is nothing to look at. */
int engine_prints_timeout(struct hdb_engine *engine);

#endif
