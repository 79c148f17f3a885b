/* SPDX-License-Identifier: MIT */
/* Names that the application gave to objects. */
#include <stdlib.h>
#include <string.h>

#include "layer.h"

struct layer_name {
   uint64_t object;
   char *text;
   UT_hash_handle hh;
};

static struct layer_name *
find(struct layer_device *device, uint64_t object)
{
   struct layer_name *name;
   HASH_FIND(hh, device->names, &object, sizeof(object), name);
   return name;
}

static void
drop(struct layer_device *device, struct layer_name *name)
{
   HASH_DEL(device->names, name);
   free(name->text);
   free(name);
}

const char *
layer_name_find(struct layer_device *device, uint64_t object)
{
   struct layer_name *name = find(device, object);
   return name ? name->text : NULL;
}

void
layer_name_set(struct layer_device *device, uint64_t object, const char *text)
{
   struct layer_name *name = find(device, object);
   if (name)
      drop(device, name);
   if (!text || !*text)
      return;
   name = calloc(1, sizeof(*name));
   char *copy = strdup(text);
   if (name && copy) {
      *name = (struct layer_name){.object = object, .text = copy};
      HASH_ADD(hh, device->names, object, sizeof(object), name);
      if (name->hh.tbl)
         return;
   }
   free(copy);
   free(name);
}

void
layer_names_finish(struct layer_device *device)
{
   struct layer_name *name, *next;
   HASH_ITER (hh, device->names, name, next)
      drop(device, name);
}
