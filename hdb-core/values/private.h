/* SPDX-License-Identifier: MIT */
#ifndef HDB_VALUES_PRIVATE_H
#define HDB_VALUES_PRIVATE_H

#include "values/place.h"

/* Sets *error (to be freed) and returns `result`. */
int place_fail(char **error, int result, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A place that is a copy of `size` bytes. */
int place_from_bytes(struct hdb_place *place, const void *bytes, size_t size);

/* pieces.c: [offset, offset + size) of an object in pieces */
int pieces_transfer(const struct hdb_context *context, const struct hdb_place *place, uint64_t offset, void *data,
                    size_t size, bool writes, char **error);

/* descriptors.c */
int descriptor_find_buffer(const struct hdb_context *context, const struct hdb_symbol *symbol, uint64_t element,
                           struct hdb_place *place, char **error);
int descriptor_find_handle(const struct hdb_context *context, const struct hdb_symbol *symbol, uint64_t element,
                           struct hdb_place *place, char **error);

/* A scalar that is computed, by its bits. -ENOENT: a part of it is not known in this lane. */
int computed_read(const struct hdb_context *context, const struct hdb_computation *computation, uint64_t *value,
                  char **error);

/* builtins.c: what no register needs to hold */
int builtin_derive(const struct hdb_context *context, uint32_t builtin, uint32_t value[4], uint32_t *count,
                   char **error); /* dwords, up to four */
int builtin_find(const struct hdb_context *context, const struct hdb_symbol *symbol, struct hdb_place *place,
                 char **error);

#endif
