/* SPDX-License-Identifier: MIT */
/* Base64 (RFC 4648, section 4), in which DAP carries memory. */
#ifndef HDB_BASE64_H
#define HDB_BASE64_H

#include <stddef.h>

char *base64_encode(const void *data, size_t size); /* to be freed; NULL: out of memory */
/* Returns the number of bytes written to `data`, which holds 3/4 of the text; -1: malformed. */
long base64_decode(const char *text, size_t length, void *data);

#endif
