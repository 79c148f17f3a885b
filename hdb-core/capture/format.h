/* SPDX-License-Identifier: MIT */
/* The file's sections (docs/capture-format.md), and the one description of their contents, for both directions. */
#ifndef HDB_CAPTURE_FORMAT_H
#define HDB_CAPTURE_FORMAT_H

#include "capture/capture.h"

#define CAPTURE_MAGIC "hdbcap\r\n"
#define CAPTURE_VERSION 1

struct capture_header {
   char magic[8];
   uint32_t version, page_size;
};

#define CAPTURE_TAG(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

enum capture_tag {
   CAPTURE_INFO = CAPTURE_TAG('I', 'N', 'F', 'O'),
   CAPTURE_SHADER = CAPTURE_TAG('S', 'H', 'D', 'R'),
   CAPTURE_OBJECTS = CAPTURE_TAG('O', 'B', 'J', 'S'),
   CAPTURE_MAP = CAPTURE_TAG('M', 'A', 'P', 'S'),
   CAPTURE_PAGES = CAPTURE_TAG('P', 'A', 'G', 'E'),
   CAPTURE_STATE = CAPTURE_TAG('S', 'T', 'A', 'T'),
   CAPTURE_DISPATCH = CAPTURE_TAG('D', 'I', 'S', 'P'),
   CAPTURE_AFTER = CAPTURE_TAG('L', 'A', 'S', 'T'),
   CAPTURE_SAID = CAPTURE_TAG('S', 'A', 'I', 'D'),
   CAPTURE_DONE = CAPTURE_TAG('D', 'O', 'N', 'E'),
};

struct capture_section {
   uint32_t tag, crc;
   uint64_t length;
};

#define CAPTURE_MAX_SECTION (256u << 20) /* of others than PAGE */

uint32_t capture_checksum(const struct capture_section *section, const void *contents, size_t size);

/* PAGE begins with a count and these; the section's checksum is for them alone, so that opening a file reads no pages.
 */
struct capture_stored_page {
   uint32_t size, checksum;
};

uint32_t capture_page_checksum(const void *stored, size_t size);

/* ---- contents ---- */

/* Memory that is freed all at once. */
struct capture_block {
   struct capture_block *next;
   max_align_t data[];
};

void capture_free_blocks(struct capture_block *blocks);

void *capture_add_block(struct capture_block **blocks, size_t size); /* zeroed; NULL: out of memory */

/* What the functions below do is either: append to `data`, or take from it into new blocks. */
struct codec {
   bool writes;
   int error; /* -ENOMEM, or -EBADMSG: the contents end too early. From then on nothing happens */
   uint8_t *data;
   size_t size, capacity, position; /* reading: only size and position */
   struct capture_block **blocks;
};

void codec_bytes(struct codec *codec, void *bytes, size_t size);

/* Numbers are as they stand in memory: the format's order is the host's. */
#define codec_field(codec, field) codec_bytes(codec, &(field), sizeof(field))

/* NULL and "" are the same in a file; "" comes back. */
void codec_string(struct codec *codec, const char **string);
void codec_blob(struct codec *codec, const void **data, uint32_t *size);
/* `item_bytes`: at least that many an element takes in the file. */
void codec_array(struct codec *codec, const void **items, uint32_t *count, size_t item_size, size_t item_bytes,
                 void (*item)(struct codec *codec, void *item));

struct capture_objects {
   uint32_t count;
   const struct hdb_capture_object *objects;
   uint64_t prints_va, prints_size; /* the ring that shaders print to; 0: there is none */
};

struct capture_map {
   uint32_t count;
   const struct hdb_capture_range *ranges;
};

struct capture_run {
   uint64_t first; /* address / HDB_CAPTURE_PAGE, of 48 bits */
   uint32_t count;
   const uint32_t *pages;
};

enum capture_state_kind { CAPTURE_BEFORE_DISPATCH, CAPTURE_AFTER_SUBMISSION };

struct capture_state {
   uint32_t kind; /* enum capture_state_kind */
   uint32_t count;
   const struct capture_run *runs;
};

struct capture_after {
   uint32_t state;
   uint32_t count;
   const uint32_t *dispatches; /* positions in the file */
};

struct capture_done {
   uint32_t dispatches, states, pages;
};

void codec_info(struct codec *codec, struct hdb_capture_info *info); /* program, device, writer, time */
void codec_shader(struct codec *codec, struct hdb_shader *shader);
void codec_objects(struct codec *codec, struct capture_objects *objects);
void codec_map(struct codec *codec, struct capture_map *map);
void codec_state(struct codec *codec, struct capture_state *state);
void codec_dispatch(struct codec *codec, struct hdb_capture_dispatch *dispatch);
void codec_after(struct codec *codec, struct capture_after *after);
void codec_done(struct codec *codec, struct capture_done *done);

#endif
