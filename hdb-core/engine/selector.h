/* SPDX-License-Identifier: MIT */
/* Dispatches are chosen by number, name, label:GLOB or an expression. */
#ifndef ENGINE_SELECTOR_H
#define ENGINE_SELECTOR_H

#include <stdbool.h>

struct dispatch;

int selector_check(const char *text, char **error); /* 0, or a negative errno with *error, to be freed */
bool selector_is_expression(const char *text);
bool selector_matches(const char *text, const struct dispatch *dispatch);

#endif
