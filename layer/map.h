/* SPDX-License-Identifier: MIT */
/*
 * From the loader's dispatch table to the layer's object. The first word of every dispatchable handle points at the
 * table of its instance or device; it is all that a layer may look at, and all it needs.
 *
 * Looking up takes no lock, since every vkQueueSubmit does it. That is safe because an application may not use a
 * handle while its device is being destroyed: a slot that matches belongs to a live object.
 */
#ifndef LAYER_MAP_H
#define LAYER_MAP_H

#include <pthread.h>
#include <stdatomic.h>

#define LAYER_MAP_SLOTS 8

struct layer_map_block {
   _Atomic(void *) keys[LAYER_MAP_SLOTS];
   _Atomic(void *) values[LAYER_MAP_SLOTS];
   _Atomic(struct layer_map_block *) next; /* blocks are never freed: readers hold no lock */
};

struct layer_map {
   pthread_mutex_t lock; /* of writers */
   struct layer_map_block first;
};

#define LAYER_MAP_INITIALIZER           \
   {                                    \
      .lock = PTHREAD_MUTEX_INITIALIZER \
   }

int layer_map_add(struct layer_map *map, void *key, void *value); /* 0 or -ENOMEM */
void layer_map_remove(struct layer_map *map, void *key);
void *layer_map_find(struct layer_map *map, void *key); /* NULL if there is none */

#endif
