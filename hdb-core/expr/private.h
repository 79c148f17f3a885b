/* SPDX-License-Identifier: MIT */
/* What the parts of expr/ share: an evaluation, the tree it walks, and values. */
#ifndef HDB_EXPR_PRIVATE_H
#define HDB_EXPR_PRIVATE_H

#include <stdio.h>

#include "expr/expression.h"
#include "expr/number.h"
#include "expr/tree.h"
#include "expr/value.h"

/* An expression comes from outside, and the process is somebody else's: everything has an end. */
#define EXPR_MAX_TEXT 4096
#define EXPR_MAX_DEPTH 100         /* of the tree */
#define EXPR_MAX_MEMORY (8u << 20) /* of one evaluation */
#define EXPR_MAX_OBJECT (1u << 20) /* bytes of a value that is kept or copied */
#define EXPR_MAX_COUNT 0x7fffffff  /* elements of a slice */
#define EXPR_MAX_LAYOUTS 16        /* of one struct */

/* ---- one evaluation: memory.c ---- */

struct expr_block;
struct expr_object;
struct expr_place;

struct expr {
   struct hdb_context context; /* its lane changes */
   struct hdb_expr_store *store;
   const struct hdb_symbol *root;
   bool pure;      /* nothing may be changed */
   bool type_only; /* what can't be read stands in its type's place */
   bool assigned;
   const char *sharers; /* other variables that were where one was set, "a, b"; NULL: none */
   enum hdb_language language;
   char **error;
   const struct hdb_symbol **symbols; /* in scope, after expr_find_symbols */
   size_t symbol_count;
   struct expr_block *blocks; /* freed at the end, as the places are */
   size_t memory;
   struct expr_place *places;
   struct expr_object *objects; /* see objects.c */
};

/* What has been allocated so far. */
struct expr_mark {
   struct expr_block *block;
   size_t used, memory;
   struct expr_place *places;
};

int expr_begin(struct expr *expr, const struct hdb_expr_request *request, char **error);
void expr_end(struct expr *expr);
struct expr_mark expr_mark(const struct expr *expr);
void expr_return_to(struct expr *expr, const struct expr_mark *mark); /* frees what was allocated since */
void expr_find_symbols(struct expr *expr);
void *expr_allocate(struct expr *expr, size_t size); /* zeroed; NULL: the limit is reached, the error is set */
struct hdb_place *expr_add_place(struct expr *expr); /* empty; finished at the end */
char *expr_copy_text(struct expr *expr, const char *text, size_t length);
/* The error is of column `column` (from 1; 0: of no place). The first one stays. -EINVAL. */
int expr_fail(struct expr *expr, uint32_t column, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- operators.c, functions*.c ---- */

int numeric_unary(struct expr *expr, uint32_t column, enum operator op, struct numeric *number);
int numeric_binary(struct expr *expr, uint32_t column, enum operator op, const struct numeric *a,
                   const struct numeric *b, struct numeric *out);
/* Both get the type that the language gives to their sum, and a scalar the other's shape. */
int numeric_balance(struct expr *expr, uint32_t column, struct numeric *a, struct numeric *b);

struct call {
   struct expr *expr;
   uint32_t column;
   const char *name;
   struct numeric *arguments;
   uint32_t count;
   struct numeric *out;
};

struct function {
   const char *name;
   uint32_t least, most; /* arguments */
   int (*run)(struct call *call);
};

const struct function *function_find(const char *name);
extern const struct function component_functions[], geometric_functions[], bit_functions[]; /* end with an empty name */
double function_saturate(double x);
void numeric_make_float(struct numeric *number); /* as the shading languages do with integer arguments */
int call_fail(struct call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- names.c, objects.c ---- */

enum expr_name_kind {
   NAME_UNKNOWN,
   NAME_SYMBOL,
   NAME_MEMBER, /* of a block without a name */
   NAME_CONSTANT,
   NAME_BLOCK, /* by its own name, where its variable has another */
   NAME_BUILTIN
};

struct expr_name {
   enum expr_name_kind kind;
   const struct hdb_symbol *symbol, *rival; /* unknown, with a rival: it may be either */
   uint32_t member;
   struct numeric constant;
};

void expr_look_up(struct expr *expr, const char *name, struct expr_name *out);
int expr_fail_unknown(struct expr *expr, const struct node *name);
bool expr_names_variable(struct expr *expr, const char *name); /* which then is no type's */
/* *why NULL: at *place; else why it is nowhere. Both are the evaluation's. */
int expr_find_object(struct expr *expr, const struct hdb_symbol *symbol, uint64_t element,
                     const struct hdb_place **place, const char **why);
void expr_forget_objects(struct expr *expr);

/* ---- evaluate.c, registers.c, assign.c, store.c ---- */

int expr_evaluate_node(struct expr *expr, const struct node *node, struct value *out);
/* False: it is no such name. Else *result is how it went. */
bool expr_find_register(struct expr *expr, const struct node *node, struct value *out, int *result);
void registers_complete(const char *prefix, void (*add)(void *user, const char *name), void *user);
/* elements.c */
int expr_evaluate_element(struct expr *expr, const struct node *node, struct value *out);
int expr_evaluate_slice(struct expr *expr, const struct node *node, struct value *out);
int expr_evaluate_repeat(struct expr *expr, const struct node *node, struct value *out);
int expr_evaluate_dereference(struct expr *expr, const struct node *node, struct value *out);
int expr_evaluate_address(struct expr *expr, const struct node *node, struct value *out);
int expr_evaluate_object(struct expr *expr, const struct node *node, struct value *out);
uint64_t expr_pointer_step(const struct hdb_type *pointer); /* from one object to the next, in bytes */
int expr_offset_pointer(struct expr *expr, uint32_t column, const struct value *pointer, int64_t count,
                        struct value *out);
/* images.c. -ENOTSUP: it is no function of images */
bool expr_is_image_function(const char *name);
int expr_evaluate_image_call(struct expr *expr, const struct node *node, struct value *out);
int expr_evaluate_texel(struct expr *expr, const struct node *node, const struct value *image, struct value *out);
/* texel_buffers.c. `components`: of a texel; 0: those that the format has */
bool expr_is_texel_buffer(const struct value *value);
int expr_load_buffer_texel(struct expr *expr, uint32_t column, const struct value *value, int64_t index,
                           uint32_t components, struct value *out);
int expr_load_buffer_texels(struct expr *expr, uint32_t column, const struct value *value, int64_t first, int64_t last,
                            struct value *out);
int expr_find_buffer_texels(struct expr *expr, const struct value *value, uint64_t *address);
int expr_count_buffer_texels(struct expr *expr, uint32_t column, const struct value *value, struct value *out);
/* members.c */
int expr_member(struct expr *expr, uint32_t column, const struct value *base, const char *name, struct value *out);
int register_element(struct expr *expr, uint32_t column, const struct value *value, uint64_t first, uint64_t last,
                     struct value *out);
int register_assign(struct expr *expr, uint32_t column, const struct expr_register *reg, const struct value *from);
int expr_assign(struct expr *expr, uint32_t column, const struct value *to, const struct value *from);
int expr_write_bytes(struct expr *expr, uint32_t column, const struct value *to, const void *data, size_t size);
void store_begin(struct hdb_expr_store *store); /* before each evaluation */
uint32_t store_elements(const struct hdb_expr_store *store);
int store_find(struct expr *expr, uint32_t column, const char *name, struct value *out);
int store_set(struct expr *expr, uint32_t column, const char *name, const struct value *value);
int store_append(struct expr *expr, const struct value *value, uint32_t *number);

/* ---- print.c, print_number.c ---- */

/* `format`: 0, as the type says, or x d u f t o c a z. */
void print_number(FILE *out, const struct hdb_type *type, union number number, char format);
void print_value(struct expr *expr, FILE *out, const struct value *value, char format);
/* format.c. `conversion` NULL: as print_value. */
int print_converted(struct expr *expr, FILE *out, const struct hdb_expr_conversion *conversion, uint32_t column,
                    const struct value *value, char format);
/* Takes "/x" off the front of *text; *lanes: "/lanes" was there. */
int take_format(struct expr *expr, const char **text, char *format, bool *lanes);
/* `blocks`: those that have it, where others have it otherwise; NULL: there is but one layout. */
void print_type(struct expr *expr, FILE *out, const struct hdb_type *type, const char *blocks);

#endif
