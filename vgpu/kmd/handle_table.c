/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "kmd/kmd.h"

uint32_t
handle_table_add(struct handle_table *table, void *object)
{
   uint32_t handle = table->lowest_free ? table->lowest_free : 1;
   while (handle < table->capacity && table->object[handle])
      handle++;

   if (handle >= table->capacity) {
      uint32_t capacity = table->capacity ? table->capacity * 2 : 64;
      void **objects = realloc(table->object, capacity * sizeof(*objects));
      if (!objects)
         return 0;
      for (uint32_t i = table->capacity; i < capacity; i++)
         objects[i] = NULL;
      table->object = objects;
      table->capacity = capacity;
   }

   table->object[handle] = object;
   table->count++;
   table->lowest_free = handle + 1;
   return handle;
}

void *
handle_table_get(const struct handle_table *table, uint32_t handle)
{
   return handle && handle < table->capacity ? table->object[handle] : NULL;
}

void *
handle_table_remove(struct handle_table *table, uint32_t handle)
{
   void *object = handle_table_get(table, handle);
   if (object) {
      table->object[handle] = NULL;
      table->count--;
      if (handle < table->lowest_free)
         table->lowest_free = handle;
   }
   return object;
}

void
handle_table_finish(struct handle_table *table)
{
   free(table->object);
   *table = (struct handle_table){0};
}
