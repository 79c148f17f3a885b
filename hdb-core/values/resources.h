/* SPDX-License-Identifier: MIT */
/* What a dispatch can reach: the descriptors of its sets, by binding. No wave is needed, only its record. */
#ifndef HDB_RESOURCES_H
#define HDB_RESOURCES_H

#include "hdb_core.h"
#include "stop/machine.h"
#include "symbols/variables.h"

struct hdb_resource_source {
   struct hdb_machine *machine; /* NULL: memory is out of reach */
   struct hdb_wave *wave;       /* memory is read as this stopped wave sees it; NULL: from outside */
   const struct hdb_shader *shader;
   const struct hdb_dispatch *dispatch;
   struct hdb_symbols *symbols;             /* NULL: nothing has a name */
   const struct hdb_object_source *objects; /* NULL: none are named */
};

/* In order of set, binding and element. Of arrays of descriptors, those that are null are left out, and what is behind
 * the first HDB_MAX_LISTED that are not. Without a machine, all that the module declares, unreadable. 0 or -ENOMEM. */
#define HDB_MAX_LISTED 256
int hdb_resources_list(const struct hdb_resource_source *source, struct hdb_resource_list *list);

/* The variables of the shader that a resource is bound to: of one binding there may be several. */
#define HDB_MAX_NAMES 64
size_t hdb_resources_name(const struct hdb_resource_source *source, const struct hdb_resource *resource,
                          const char *names[HDB_MAX_NAMES]);

/* The words of an image's descriptor: a T#. -ENOENT: it is no image. */
int hdb_resources_read_image(const struct hdb_resource_source *source, uint32_t set, uint32_t binding, uint32_t element,
                             uint32_t word[8]);

#endif
