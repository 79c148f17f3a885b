/* SPDX-License-Identifier: MIT */
/*
 * A capture file, opened for reading: dispatches, what they need to run again, and the memory that they found
 * (docs/capture-format.md). Pages are read from the file and decompressed when they are asked for.
 *
 * Nothing in a file is trusted: counts, sizes and indices have been checked by the time that a function here returns
 * them, and what they point at is there. Not checked is what values mean to a GPU: addresses, registers, code.
 *
 * `int` results are 0 or a negative errno. A capture may be used by one thread at a time.
 */
#ifndef HDB_CAPTURE_H
#define HDB_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hdb/hdb_driver.h"

struct hdb_capture;

#define HDB_CAPTURE_PAGE (64 * 1024) /* memory is stored in pages of this size, aligned to it */

/* -EINVAL, -EBADMSG and so on with *error one line about it, to be freed. A file that was not written to its end opens,
 * with what is there (hdb_capture_info::complete). */
int hdb_capture_open(const char *path, struct hdb_capture **capture, char **error);
void hdb_capture_close(struct hdb_capture *capture);

struct hdb_capture_info {
   uint32_t version;    /* of the format */
   bool complete;       /* everything was written */
   const char *problem; /* if not, what is known of why, in one line */
   const char *note;    /* the last that was said while it was written: of what could not be captured */
   const char *program; /* its command line; "" as all strings here, if not known */
   const char *device;  /* the GPU's name, as the application saw it */
   const char *writer;  /* "hdb 0.1.0" */
   int64_t time;        /* seconds since 1970 */
   uint32_t shader_count, dispatch_count, state_count, object_count;
   uint32_t page_count;         /* different pages */
   uint64_t page_bytes_in_file; /* what they take there */
   uint64_t file_size;
   uint64_t prints_va, prints_size; /* the ring that shaders print to (hdb_driver.h); 0: there is none */
};

const struct hdb_capture_info *hdb_capture_info(const struct hdb_capture *capture);

/* As the driver told them, `id` too; `code` is as compiled, without traps. Those that no captured dispatch launches are
 * there if they were at the time: a stage of ray tracing is one. Valid until hdb_capture_close. */
const struct hdb_shader *hdb_capture_shader(const struct hdb_capture *capture, uint32_t index);
const struct hdb_shader *hdb_capture_find_shader(const struct hdb_capture *capture, uint64_t id);

/* A named buffer, image or acceleration structure. */
struct hdb_capture_object {
   const char *name; /* buffer "blades" */
   uint64_t va, size;
};

const struct hdb_capture_object *hdb_capture_object(const struct hdb_capture *capture, uint32_t index);

/* ---- dispatches ---- */

enum hdb_capture_dispatch_flags {
   HDB_CAPTURE_DID_NOT_RUN = 1 << 0, /* it was empty, was skipped by its condition, or never began: it has no state */
   HDB_CAPTURE_OVERLAPPED = 1 << 1,  /* others were running when it began: memory is as they had left it by then */
   HDB_CAPTURE_BEGUN_BEFORE = 1 << 2 /* waves of its own may have run before it was seen */
};

/* A register of the card as it stood when the dispatch began: `reg` as in target/registers.h. */
struct hdb_capture_register {
   uint32_t reg, value;
};

#define HDB_CAPTURE_NO_STATE UINT32_MAX

struct hdb_capture_dispatch {
   uint32_t number;      /* as the prompt showed it, from 0 in the program */
   uint32_t flags;       /* enum hdb_capture_dispatch_flags */
   const char *pipeline; /* the application's name, or "" */
   const char *program;  /* "blur.comp:main" */
   const char *label;    /* all labels around it in one text, "" without */
   const char *queue;
   /* Its pointers are NULL. The grid is as it turned out; INDIRECT and GENERATED are still set where it was so. */
   struct hdb_dispatch record;
   /* COMPUTE_* and TA_CS_BC_BASE_ADDR, without the debugger's own bits. Those that could not be read are not there, but
    * PGM_LO, PGM_HI, PGM_RSRC1..3 and, of one that ran, USER_DATA_n for as many as RSRC2 says always are. */
   uint32_t register_count;
   const struct hdb_capture_register *registers;
   uint32_t before; /* index of the state that it found */
   uint32_t after;  /* of that when its submission had finished (so had what came behind it there); or NO_STATE both */
   /* The labels around it, outermost first. Of a file that has but the one text: that. */
   uint32_t label_count;
   const char *const *labels;
};

bool hdb_capture_register(const struct hdb_capture_dispatch *dispatch, uint32_t reg, uint32_t *value);

const struct hdb_capture_dispatch *hdb_capture_dispatch(const struct hdb_capture *capture, uint32_t index);

/* ---- memory ---- */

/* A state is all memory that was mapped at a moment. They are numbered in the order that they were taken in. */

enum hdb_capture_range_flags {
   HDB_CAPTURE_READ = 1 << 0,
   HDB_CAPTURE_WRITE = 1 << 1,
   HDB_CAPTURE_EXECUTE = 1 << 2,
   HDB_CAPTURE_UNBACKED = 1 << 3 /* partially resident without memory: reads 0, drops writes; there are no pages */
};

struct hdb_capture_range {
   uint64_t va, size; /* canonical; multiples of 4096 */
   uint32_t flags;    /* enum hdb_capture_range_flags: what the GPU may do there */
   uint32_t mtype;    /* as in the page table entry: 0 NC, 1 RW, 2 CC, 3 UC */
};

/* Sorted by address, none overlaps another. */
size_t hdb_capture_ranges(const struct hdb_capture *capture, uint32_t state, const struct hdb_capture_range **ranges);

/* Which content the page of `va` has in a state: the same number is the same content, in all states and places of the
 * file. HDB_CAPTURE_NO_PAGE: nothing is mapped there, or it could not be read at the time. */
#define HDB_CAPTURE_NO_PAGE UINT32_MAX
uint32_t hdb_capture_page_of(const struct hdb_capture *capture, uint32_t state, uint64_t va);

/* The next page at or behind *va that is there in a state; false: no further one. *va is its first byte. */
bool hdb_capture_next_page(const struct hdb_capture *capture, uint32_t state, uint64_t *va, uint32_t *page);

/* All of a page; what is not mapped in it is 0. -EBADMSG: it is damaged. The last few stay decompressed. */
int hdb_capture_page(struct hdb_capture *capture, uint32_t page, const void **data);

/* -EFAULT: not all of it is there. */
int hdb_capture_read(struct hdb_capture *capture, uint32_t state, uint64_t va, void *data, size_t size);

#endif
