/* SPDX-License-Identifier: MIT */
/* The location table that the fork reports of a compute shader, copied while the shader lives. */
#ifndef TESTS_MESA_TABLE_H
#define TESTS_MESA_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "driver.h"

struct table {
   uint32_t flags, exec_size;
   uint32_t *code;
   uint32_t location_count, pc_location_count;
   struct hdb_location *locations;
   struct hdb_pc_location *pc_locations;
   uint32_t variable_count, value_count;
   struct hdb_variable *variables;
   struct hdb_value *values;
};

/* Contents of a pipeline cache. */
struct cache {
   void *data;
   size_t size;
};

/* Compiles on a device of its own, made with these flags of enum hdb_driver_link_flags. `cache` holds what the pipeline
 * cache begins with, and afterwards what it ended with. If it is not empty, the shader must come from it. */
struct table table_compile(struct driver *driver, const struct spirv *spirv, uint32_t flags, uint32_t wave_size,
                           struct cache *cache);
void table_free(struct table *table);
bool table_equal(const struct table *a, const struct table *b);

/* Calls `check` for each shader in each way of compiling it: for waves of 32 and 64, optimised and for debugging; on a
 * card without hardware. False: there is no fork. */
bool table_check_shaders(int count, char **paths,
                         void (*check)(struct driver *driver, const char *path, uint32_t flags, uint32_t wave_size));

#endif
