/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>

#include "map.h"

void *
layer_map_find(struct layer_map *map, void *key)
{
   for (struct layer_map_block *block = &map->first; block;
        block = atomic_load_explicit(&block->next, memory_order_acquire)) {
      for (int i = 0; i < LAYER_MAP_SLOTS; i++) {
         if (atomic_load_explicit(&block->keys[i], memory_order_acquire) == key)
            return atomic_load_explicit(&block->values[i], memory_order_relaxed);
      }
   }
   return NULL;
}

/* The value is written before the key and withdrawn after it: a reader that sees the key sees its value. */
static void
set_slot(struct layer_map_block *block, int i, void *key, void *value)
{
   if (!key)
      atomic_store_explicit(&block->keys[i], NULL, memory_order_release);
   atomic_store_explicit(&block->values[i], value, memory_order_relaxed);
   if (key)
      atomic_store_explicit(&block->keys[i], key, memory_order_release);
}

int
layer_map_add(struct layer_map *map, void *key, void *value)
{
   int result = 0;
   pthread_mutex_lock(&map->lock);
   for (struct layer_map_block *block = &map->first;;) {
      for (int i = 0; i < LAYER_MAP_SLOTS; i++) {
         if (!atomic_load_explicit(&block->keys[i], memory_order_relaxed)) {
            set_slot(block, i, key, value);
            goto out;
         }
      }
      struct layer_map_block *next = atomic_load_explicit(&block->next, memory_order_relaxed);
      if (!next) {
         next = calloc(1, sizeof(*next));
         if (!next) {
            result = -ENOMEM;
            goto out;
         }
         atomic_store_explicit(&block->next, next, memory_order_release);
      }
      block = next;
   }
out:
   pthread_mutex_unlock(&map->lock);
   return result;
}

void
layer_map_remove(struct layer_map *map, void *key)
{
   pthread_mutex_lock(&map->lock);
   for (struct layer_map_block *block = &map->first; block; block = block->next) {
      for (int i = 0; i < LAYER_MAP_SLOTS; i++) {
         if (block->keys[i] == key)
            set_slot(block, i, NULL, NULL);
      }
   }
   pthread_mutex_unlock(&map->lock);
}
