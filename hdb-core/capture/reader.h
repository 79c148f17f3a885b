/* SPDX-License-Identifier: MIT */
/* An open capture, as the reader's files share it. */
#ifndef HDB_CAPTURE_READER_H
#define HDB_CAPTURE_READER_H

#include <uthash.h>
#include <zstd.h>

#include "capture/format.h"

/* Where a page's contents stand in the file. */
struct stored_page {
   uint64_t offset;
   struct capture_stored_page stored;
};

/* From a state on a place has this page; HDB_CAPTURE_NO_PAGE: none any more. */
struct page_change {
   uint32_t place; /* address / HDB_CAPTURE_PAGE, of 48 bits */
   uint32_t state;
   uint32_t page;
};

struct read_state {
   uint32_t kind;
   uint32_t map; /* index */
};

struct read_shader {
   struct hdb_shader shader;
   UT_hash_handle hh;
};

#define CACHED_PAGES 16

struct cached_page {
   uint32_t page;
   uint64_t used;
   uint8_t *data;
};

struct hdb_capture {
   int fd;
   struct hdb_capture_info info;
   char problem[160];
   struct capture_block *blocks; /* what was taken from sections */

   const struct hdb_shader **shaders; /* counts are in `info` */
   struct read_shader *by_id;
   struct hdb_capture_dispatch **dispatches;
   struct capture_objects objects;
   struct capture_map *maps;
   size_t map_count;
   struct read_state *states;
   struct page_change *changes; /* sorted once all are there */
   size_t change_count;
   struct stored_page *pages;

   ZSTD_DCtx *context;
   uint8_t *compressed;
   struct cached_page cache[CACHED_PAGES];
   uint64_t clock;
};

/* Adds a section's contents. 0, -ENOMEM, or -EBADMSG: they make no sense. */
int capture_take_section(struct hdb_capture *capture, uint32_t tag, struct codec *codec);
/* All of [offset, offset + size) of the file. */
int capture_read_file(const struct hdb_capture *capture, uint64_t offset, void *data, size_t size);
void capture_sort_changes(struct hdb_capture *capture);

#endif
