/* SPDX-License-Identifier: MIT */
/* The application's callbacks (hdb/hdb.h): who has them, and calling each in turn. */
#ifndef LAYER_CALLBACKS_H
#define LAYER_CALLBACKS_H

#include "layer.h"

struct hdb_messenger {
   struct hdb_messenger_create_info info;
   struct layer_instance *instance; /* it is called for all of the instance's devices, or NULL */
   struct layer_device *device;     /* or for this one */
   uint32_t busy;                   /* calls of its callbacks that have not returned */
   bool dead;                       /* not called any more, and freed once it is not busy */
   struct hdb_messenger *next;
};

/* The messengers that want a kind of report of a device, one after the other, each busy meanwhile. Calls are nested
 * where a callback calls Vulkan. */
struct layer_call {
   struct layer_device *device; /* NULL: the report is about the process */
   uint32_t report, severity;
   struct hdb_messenger *messenger; /* whose turn it is; NULL: no more */
   struct layer_call *outer;
};

void layer_call_begin(struct layer_call *call, struct layer_device *device, uint32_t report, uint32_t severity);
void layer_call_next(struct layer_call *call);
void layer_call_end(struct layer_call *call); /* before the last one's turn, or after it */

#endif
