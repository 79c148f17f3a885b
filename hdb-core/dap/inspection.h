/* SPDX-License-Identifier: MIT */
/* What a client has been given references to: scopes, and values that have parts. They hold until a wave runs. */
#ifndef HDB_INSPECTION_H
#define HDB_INSPECTION_H

#include "dap/requests.h"
#include "expr/expression.h"

enum scope_kind {
   SCOPE_VALUE, /* not a scope: the parts of a value */
   SCOPE_LOCALS,
   SCOPE_ARGUMENTS,
   SCOPE_GLOBALS,
   SCOPE_WORKGROUP,
   SCOPE_RESOURCES,
   SCOPE_PUSH_CONSTANTS,
   SCOPE_CONSTANTS,
   SCOPE_REGISTERS,
   SCOPE_VECTOR_REGISTERS
};

struct handle {
   enum scope_kind kind;
   uint32_t wave, frame;
   uint32_t lane;                 /* of a value; a scope follows the focus */
   const struct hdb_symbol *root; /* see struct hdb_expr_request */
   char *expression;              /* of a value */
};

void inspection_destroy(struct inspection *inspection);
void inspection_forget_handles(struct inspection *inspection);
struct hdb_expr_store *inspection_store(struct inspection *inspection);

/* The reference that DAP knows it by; 0: there are too many. The expression is copied. */
json_int_t inspection_add(struct inspection *inspection, const struct handle *handle);
const struct handle *inspection_find(const struct inspection *inspection, json_int_t reference); /* NULL: none */

/* The engine's, made on first use; NULL: no memory. */
struct inspection *request_inspection(struct request *request);

/* ---- variables.c: values as DAP sees them ---- */

/* A DAP Variable. `expression` evaluates to it in the place of `place` (whose own kind and text do not matter); NULL:
 * no expression does, and `root` is meant. */
json_t *describe_variable(struct request *request, const struct handle *place, const char *name, const char *expression,
                          const struct hdb_expr_result *result);
struct hdb_context handle_context(struct request *request, struct card *card, struct hdb_wave *wave,
                                  const struct handle *handle);
/* The wave, card and handle that the request's variablesReference means; fails the request if they are no more. */
int need_handle(struct request *request, struct card **card, struct hdb_wave **wave, struct handle *handle);
/* Whether the client wants values in hexadecimal. */
bool wants_hex(const struct request *request);

/* ---- scope_symbols.c ---- */

/* Whether a scope has symbols of that storage. */
bool scope_has(enum scope_kind kind, const struct hdb_symbol *symbol);
/* The symbols in scope in a frame: an array to be freed. */
const struct hdb_symbol **list_symbols(const struct hdb_context *context, size_t *count);
/* What means that one of the list alone: its name or, where that means something else or can't be written, its id. To
 * be freed; NULL: no memory. */
char *symbol_spelling(const struct hdb_context *context, const struct hdb_symbol *const *symbols, size_t count,
                      const struct hdb_symbol *symbol);
/* What it is listed by: its name, "a (%17)" where the id is its spelling. To be freed; NULL: no memory. */
char *symbol_label(const struct hdb_context *context, const struct hdb_symbol *const *symbols, size_t count,
                   const struct hdb_symbol *symbol);

/* ---- where.c ---- */

/* Where a symbol's value is, in a few words: "scratch+16", "v7", "0xffff800000001000". To be freed; may be NULL. */
char *describe_where(const struct hdb_context *context, const struct hdb_symbol *symbol);

#endif
