/* SPDX-License-Identifier: MIT */
/*
 * Expressions over a stopped wave, as they would be written in the shader: README.md has the language. Text in, text
 * out; nothing here outlives a call but a store.
 */
#ifndef HDB_EXPRESSION_H
#define HDB_EXPRESSION_H

#include <stdio.h>

#include "values/place.h"

/* What a client's expressions leave behind: convenience variables ($name) and the history ($1, $2, ...). */
struct hdb_expr_store;
struct hdb_expr_store *hdb_expr_store_create(void);
void hdb_expr_store_destroy(struct hdb_expr_store *store);
/* How many elements of arrays are printed at once. UINT32_MAX: as many as there are, up to a megabyte of text. */
#define HDB_EXPR_ELEMENTS 200
void hdb_expr_store_set_elements(struct hdb_expr_store *store, uint32_t elements);

enum hdb_expr_flags {
   HDB_EXPR_PURE = 1 << 0,   /* assignments are refused */
   HDB_EXPR_RECORD = 1 << 1, /* the value goes into the history */
   HDB_EXPR_HEX = 1 << 2     /* integers in hexadecimal, unless the text has a format of its own */
};

struct hdb_expr_request {
   const struct hdb_context *context;
   struct hdb_expr_store *store; /* NULL: none */
   const char *text;             /* [/x | /d | ... ] expression */
   uint32_t flags;
   const struct hdb_symbol *root; /* what its name means, even if a nearer one shadows it; NULL: as the scope says */
};

struct hdb_expr_result {
   char *value, *type;      /* to be freed */
   uint32_t history;        /* its number; 0: not recorded */
   uint64_t named, indexed; /* what it is made of: members, elements */
   bool pointer;            /* its one child is what it points at */
   bool in_memory;          /* at `address` */
   bool settable;
   bool assigned; /* the expression has changed something */
   char *sharers; /* to be freed: other variables of the same registers, which it has changed as well; NULL: none */
   uint64_t address;
};

void hdb_expr_result_finish(struct hdb_expr_result *result);

/* On failure *error (to be freed) is one line that says what is wrong, and where. */
int hdb_expr_evaluate(const struct hdb_expr_request *request, struct hdb_expr_result *result, char **error);

/* Whether `text` can name a variable in an expression: letters, digits and `_`, or an id of the module, "%17". */
bool hdb_expr_is_name(const char *text);

/* Whether $`name` is one register ("v3", of each lane; "exec_lo"), and not a variable of the user's. */
bool hdb_expr_is_register(const char *name);

/* The parts of a value, `start` on. `name` is as it is shown, `expression` evaluates to it. */
typedef void (*hdb_expr_child)(void *user, const char *name, const char *expression,
                               const struct hdb_expr_result *result);
int hdb_expr_children(const struct hdb_expr_request *request, uint64_t start, uint64_t count, hdb_expr_child add,
                      void *user, char **error);

/* The value as an address, or where what it names is: in GPU memory, or bytes from the start of LDS or scratch. */
int hdb_expr_locate(const struct hdb_expr_request *request, enum hdb_place_kind *kind, uint64_t *address, char **error);

/* The object that an expression names: in memory, LDS, scratch (from the start of the lane's) or registers. */
struct hdb_expr_object {
   bool is_register; /* by its own name; nothing else is known then */
   enum hdb_place_kind place;
   uint64_t address, size;
   char *type; /* to be freed */
};
int hdb_expr_find_object(const struct hdb_expr_request *request, struct hdb_expr_object *object, char **error);

/* As a conversion of printf's: vectors component by component, numbers converted, or their bits for o, x and p. */
struct hdb_expr_conversion {
   char flags[6];        /* of "-+ #0" */
   int width, precision; /* -1: none */
   char kind;            /* of "diouxXcpaAeEfFgG", or 's': as hdb_expr_evaluate shows it */
};
/* For each of the lanes text goes to its `out`: the value, or in angle brackets why it can't be shown. No conversion:
 * as it is shown. */
void hdb_expr_print(const struct hdb_expr_request *request, const struct hdb_expr_conversion *conversion,
                    uint64_t lanes, FILE *const out[64]);

/* A number of a shader's, from its bytes. */
void hdb_expr_print_scalar(enum hdb_type_kind kind, uint32_t bits, const void *bytes,
                           const struct hdb_expr_conversion *conversion, FILE *out);

/* Without a wave: whether the text is an expression that changes nothing, and what it names is there at `pc`. `symbols`
 * NULL: its form alone. */
int hdb_expr_check(struct hdb_symbols *symbols, const struct hdb_shader *shader, uint32_t pc, const char *text,
                   char **error);

/* A type, or an expression's, which need not have a value: its definition (several lines) and its name, to be freed. */
int hdb_expr_type(const struct hdb_expr_request *request, char **definition, char **name, char **error);

/* ---- all lanes at once: lanes.c ---- */

/* By lane; NULL: it is not active. Where an expression fails in a lane, the reason is its value; one that fails in all
 * of them fails. */
int hdb_expr_lanes(const struct hdb_expr_request *request, char *values[64], char **error);
/* The active lanes in which it is true. */
int hdb_expr_where(const struct hdb_expr_request *request, uint64_t *lanes, char **error);

struct hdb_expr_statistics {
   uint32_t components; /* 1: a scalar */
   struct hdb_expr_spread {
      char least[40], most[40], mean[40]; /* "" without numbers */
      uint32_t numbers, nans, infinities, distinct;
   } of[4];
   uint32_t lanes, unavailable;
};
int hdb_expr_statistics(const struct hdb_expr_request *request, struct hdb_expr_statistics *statistics, char **error);

/* The names in scope that begin with `prefix`, one after the other. */
void hdb_expr_complete(const struct hdb_context *context, const char *prefix, void (*add)(void *user, const char *name),
                       void *user);
/* The same behind a $: registers that have a name rather than a number, and variables of the debugger. */
void hdb_expr_complete_dollar(const struct hdb_expr_store *store, const char *prefix,
                              void (*add)(void *user, const char *name), void *user);

#endif
