/* SPDX-License-Identifier: MIT */
/* The end of a writer that is at the file: sections in a queue, and the threads that compress and write them. */
#ifndef HDB_CAPTURE_OUTPUT_H
#define HDB_CAPTURE_OUTPUT_H

#include "capture/format.h"

struct capture_output;

/* Pages that are compressed and written together. */
#define CAPTURE_BATCH 16

int capture_output_create(const char *path, struct capture_output **output);
/* Waits until all is written. 0, or the error that ended it. */
int capture_output_destroy(struct capture_output *output);
int capture_output_error(struct capture_output *output);
void capture_output_sync(struct capture_output *output); /* waits until all is in the file that was given so far */

/* Takes over the encoded contents. May wait for the disk. */
void capture_output_section(struct capture_output *output, uint32_t tag, struct codec *contents);
/* Takes over `pages`, malloc'ed: `count` of HDB_CAPTURE_PAGE bytes each. */
void capture_output_pages(struct capture_output *output, void *pages, uint32_t count);

#endif
