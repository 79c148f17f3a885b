/* SPDX-License-Identifier: MIT */
/*
 * Writing a capture file. What is given is copied, or compressed and written by threads of the writer's own, so that
 * the GPU need not wait for the disk. After an error nothing is written any more, what stands in the file stays
 * readable, and every call does nothing; hdb_capture_writer_error says so.
 */
#ifndef HDB_CAPTURE_WRITER_H
#define HDB_CAPTURE_WRITER_H

#include "capture/capture.h"

struct hdb_capture_writer;

/* An existing file is replaced. `info`: time, program, device, writer. Negative errno: it can't be made. */
int hdb_capture_writer_create(const char *path, const struct hdb_capture_info *info,
                              struct hdb_capture_writer **writer);
/* Writes what there is and closes the file. 0, or the negative errno of what has failed in all its time; the capture is
 * incomplete then. */
int hdb_capture_writer_destroy(struct hdb_capture_writer *writer);
int hdb_capture_writer_error(struct hdb_capture_writer *writer);

/* Once each, by id; `code` as it is to be in the file. */
bool hdb_capture_writer_has_shader(const struct hdb_capture_writer *writer, uint64_t id);
void hdb_capture_write_shader(struct hdb_capture_writer *writer, const struct hdb_shader *shader);
void hdb_capture_write_info(struct hdb_capture_writer *writer, const struct hdb_capture_info *info); /* once more */
/* Nothing, if they are those of the last time. */
void hdb_capture_write_objects(struct hdb_capture_writer *writer, const struct hdb_capture_object *objects,
                               uint32_t count, const struct hdb_memory *prints);
void hdb_capture_write_note(struct hdb_capture_writer *writer, const char *text);

/* A state: begin, then its pages by rising addresses, then end, which gives its index. What is neither put nor kept is
 * not there. */
void hdb_capture_begin_state(struct hdb_capture_writer *writer, const struct hdb_capture_range *ranges, size_t count);
/* `mapped`: a bit for each 4096 bytes of it that are. */
void hdb_capture_put_page(struct hdb_capture_writer *writer, uint64_t va, uint16_t mapped, const void *data);
/* It is as in the state before. False: it was not there, or something else of it was mapped. */
bool hdb_capture_keep_page(struct hdb_capture_writer *writer, uint64_t va, uint16_t mapped);
uint32_t hdb_capture_end_state(struct hdb_capture_writer *writer, bool after_submission);

/* `before` is set, `after` is not looked at. Gives its position in the file. */
uint32_t hdb_capture_write_dispatch(struct hdb_capture_writer *writer, const struct hdb_capture_dispatch *dispatch);
/* The state that these dispatches' submission has left. */
void hdb_capture_write_after(struct hdb_capture_writer *writer, uint32_t state, const uint32_t *positions,
                             uint32_t count);

/* All is there of what was begun so far: ends a complete file, but more may follow. It is in the file on return. */
void hdb_capture_write_done(struct hdb_capture_writer *writer);

#endif
