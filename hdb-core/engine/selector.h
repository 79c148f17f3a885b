/* SPDX-License-Identifier: MIT */
/* Dispatches are chosen by number, name, label:GLOB or an expression. */
#ifndef ENGINE_SELECTOR_H
#define ENGINE_SELECTOR_H

#include <stdbool.h>

struct dispatch;

int selector_check(const char *text, char **error); /* 0, or a negative errno with *error, to be freed */
bool selector_is_expression(const char *text);
/* A condition is an expression, whatever it looks like. */
int selector_check_condition(const char *text, char **error);
bool selector_meets(const char *condition, const struct dispatch *dispatch);
bool selector_matches(const char *text, const struct dispatch *dispatch);

#endif
