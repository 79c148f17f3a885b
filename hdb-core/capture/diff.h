/* SPDX-License-Identifier: MIT */
/* Where two states of memory differ, of one capture or of two. */
#ifndef HDB_CAPTURE_DIFF_H
#define HDB_CAPTURE_DIFF_H

#include "capture/capture.h"

/* Bytes [va, va + size) differ, or are there in one of them only: then the other pointer is NULL. */
typedef void (*hdb_capture_difference)(void *user, uint64_t va, uint64_t size, const uint8_t *a, const uint8_t *b);

/* By rising addresses; differences less than 16 bytes apart, within a page, are one. 0, or -EBADMSG and so on. */
int hdb_capture_diff(struct hdb_capture *a, uint32_t state_a, struct hdb_capture *b, uint32_t state_b,
                     hdb_capture_difference difference, void *user);

#endif
