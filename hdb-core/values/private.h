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

/* descriptors.c: how many bytes of the set are a binding's, and how many descriptors that are; not known: at most, a
 * set may have fewer of a variable count (which descriptor buffers do not tell). The dispatch may be NULL. */
uint64_t descriptor_bytes(const struct hdb_binding *binding, const struct hdb_dispatch *dispatch, bool *known);
uint32_t descriptor_count(const struct hdb_binding *binding, const struct hdb_dispatch *dispatch, bool *known);
int descriptor_find_buffer(const struct hdb_context *context, const struct hdb_symbol *symbol, uint64_t element,
                           struct hdb_place *place, char **error);
int descriptor_find_handle(const struct hdb_context *context, const struct hdb_symbol *symbol, uint64_t element,
                           struct hdb_place *place, char **error);

/* descriptor_types.c: of what VkDescriptorType a descriptor is, by its first four words where the binding is mutable;
 * TYPE_MUTABLE: it is null. And whether a variable of that binding can be meant for that element. */
uint32_t descriptor_type(const struct hdb_binding *binding, const uint32_t *word);
bool descriptor_suits(const struct hdb_binding *binding, uint32_t element, uint32_t type,
                      const struct hdb_symbol *symbol);

/* A scalar that is computed, by its bits. -ENOENT: a part of it is not known in this lane. */
int computed_read(const struct hdb_context *context, const struct hdb_computation *computation, uint64_t *value,
                  char **error);

/* builtins.c: what no register needs to hold */
int builtin_derive(const struct hdb_context *context, uint32_t builtin, uint32_t value[4], uint32_t *count,
                   char **error); /* dwords, up to four */
int builtin_find(const struct hdb_context *context, const struct hdb_symbol *symbol, struct hdb_place *place,
                 char **error);

#endif
