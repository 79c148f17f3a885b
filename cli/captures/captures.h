/* SPDX-License-Identifier: MIT */
/* hdb capture info|extract|diff. */
#ifndef CLI_CAPTURES_H
#define CLI_CAPTURES_H

#include "capture/capture.h"

/* All: 0, or -1 after a message. */
int capture_info(struct hdb_capture *capture);
int capture_extract(struct hdb_capture *capture, const char *directory);
/* `b` NULL: what the dispatches of `a` have changed. 1: there are differences; or a negative errno, of which nothing
 * has been said. */
int capture_diff(struct hdb_capture *a, struct hdb_capture *b, bool all);

void capture_print_size(uint64_t bytes);

#endif
