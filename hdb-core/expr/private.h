/* SPDX-License-Identifier: MIT */
/* What the parts of expr/ share: an evaluation, the tree it walks, and values. */
#ifndef HDB_EXPR_PRIVATE_H
#define HDB_EXPR_PRIVATE_H

#include "expr/expression.h"

/* An expression comes from outside, and the process is somebody else's: everything has an end. */
#define EXPR_MAX_TEXT 4096
#define EXPR_MAX_DEPTH 100         /* of the tree */
#define EXPR_MAX_MEMORY (8u << 20) /* of one evaluation */
#define EXPR_MAX_OBJECT (1u << 20) /* bytes of a value that is kept or copied */
#define EXPR_MAX_COMPONENTS 16     /* of a matrix */
#define EXPR_MAX_COUNT 0x7fffffff  /* elements of a slice */
#define EXPR_READ_AHEAD 1024
#define EXPR_MAX_LAYOUTS 16 /* of one struct */

/* ---- one evaluation: memory.c ---- */

struct expr_block;
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
   /* What was last read of an object: a stopped wave answers slowly. */
   const struct hdb_place *ahead;
   uint64_t ahead_offset, ahead_size;
   uint32_t ahead_lane;
   uint8_t ahead_bytes[EXPR_READ_AHEAD];
};

int expr_begin(struct expr *expr, const struct hdb_expr_request *request, char **error);
void expr_end(struct expr *expr);
void expr_find_symbols(struct expr *expr);
void *expr_allocate(struct expr *expr, size_t size); /* zeroed; NULL: the limit is reached, the error is set */
struct hdb_place *expr_add_place(struct expr *expr); /* empty; finished at the end */
char *expr_copy_text(struct expr *expr, const char *text, size_t length);
/* The error is of column `column` (from 1; 0: of no place). The first one stays. -EINVAL. */
int expr_fail(struct expr *expr, uint32_t column, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- the tree: lexer.c, parser.c ---- */

enum token_kind {
   TOKEN_END,
   TOKEN_NUMBER,
   TOKEN_NAME,   /* also "%17" */
   TOKEN_DOLLAR, /* "$", "$$2", "$v3"; the text is what follows the first $ */
   TOKEN_OPERATOR
};

enum operator{
   OP_NONE,
   OP_ADD,
   OP_SUBTRACT,
   OP_MULTIPLY,
   OP_DIVIDE,
   OP_MODULO,
   OP_SHIFT_LEFT,
   OP_SHIFT_RIGHT,
   OP_AND,
   OP_OR,
   OP_XOR,
   OP_EQUAL,
   OP_NOT_EQUAL,
   OP_LESS,
   OP_GREATER,
   OP_LESS_EQUAL,
   OP_GREATER_EQUAL,
   OP_LOGICAL_AND,
   OP_LOGICAL_OR,
   OP_LOGICAL_XOR,
   OP_NOT,
   OP_COMPLEMENT,
   OP_ASSIGN,
   OP_AT,
   OP_QUESTION,
   OP_COLON,
   OP_COMMA,
   OP_DOT,
   OP_ARROW,
   OP_OPEN,
   OP_CLOSE,
   OP_OPEN_INDEX,
   OP_CLOSE_INDEX,
   OP_OPEN_TYPE,
   OP_CLOSE_TYPE
};

union number {
   int64_t i;
   uint64_t u;
   double f;
};

struct token {
   enum token_kind kind;
   uint32_t column; /* from 1 */
   const char *text;
   size_t length;
   enum operator op;
   enum operator compound;      /* of an assignment like += */
   const struct hdb_type *type; /* of a number */
   union number number;
};

struct lexer {
   struct expr *expr;
   const char *start, *at;
   struct token token; /* the next one */
};

int lexer_init(struct lexer *lexer, struct expr *expr, const char *text, uint32_t column);
int lexer_next(struct lexer *lexer);

enum node_kind {
   NODE_NUMBER,
   NODE_NAME,
   NODE_DOLLAR,
   NODE_UNARY,
   NODE_BINARY,
   NODE_LOGICAL,
   NODE_CONDITIONAL, /* a ? b : c */
   NODE_ASSIGN,      /* a = b, a op= b */
   NODE_MEMBER,      /* a.name, a->name */
   NODE_INDEX,       /* a[b] */
   NODE_SLICE,       /* a[b:c] */
   NODE_REPEAT,      /* a@b */
   NODE_DEREFERENCE,
   NODE_ADDRESS,
   NODE_CAST,   /* (type)a */
   NODE_OBJECT, /* {type}a */
   NODE_CALL    /* name(arguments); a constructor if it has a type */
};

#define EXPR_MAX_ARGUMENTS 16

struct node {
   enum node_kind kind;
   enum operator op;
   uint32_t column, depth;
   const char *name;
   const struct hdb_type *type;
   union number number;
   struct node *a, *b, *c;
   struct node *arguments[EXPR_MAX_ARGUMENTS];
   uint32_t argument_count;
};

int expr_parse(struct expr *expr, const char *text, uint32_t column, struct node **tree);
const struct hdb_type *expr_parse_type(struct expr *expr, const char *text); /* "struct Blade *"; NULL: it is none */
bool expr_names_variable(struct expr *expr, const char *name);               /* which then is no type's */

/* ---- types: types.c ---- */

const struct hdb_type *expr_scalar_type(enum hdb_type_kind kind, uint32_t bits);
extern const struct hdb_type expr_register_type; /* 32 bits, shown in hexadecimal */
extern const struct hdb_type expr_pair_type;     /* 64 */
/* NULL: out of memory, the error is set. */
const struct hdb_type *expr_vector_type(struct expr *expr, const struct hdb_type *scalar, uint32_t count);
const struct hdb_type *expr_matrix_type(struct expr *expr, const struct hdb_type *scalar, uint32_t columns,
                                        uint32_t rows);
const struct hdb_type *expr_array_type(struct expr *expr, const struct hdb_type *element, uint32_t count,
                                       uint32_t stride);
/* `stride`: from one object to the next; 0: as they are packed. */
const struct hdb_type *expr_pointer_type(struct expr *expr, const struct hdb_type *element, uint32_t stride);
/* A type by its name in GLSL, HLSL or the shader. NULL: none, or (with an error) it has more than one layout. */
const struct hdb_type *expr_find_type(struct expr *expr, const char *name);
const struct hdb_type *expr_find_own_type(struct expr *expr, const char *name); /* of the language; NULL: none */
bool expr_is_numeric(const struct hdb_type *type); /* bool, int, uint, float, vectors and matrices of them */
bool expr_is_scalar(const struct hdb_type *type);
const char *expr_type_name(struct expr *expr, const struct hdb_type *type); /* "Blade *" */
/* A copy of a type, and all it refers to, that needs no symbols; allocates in `clone`. */
struct type_clone {
   const struct hdb_type **from, **to;
   size_t count;
   void **memory; /* to be freed */
   size_t memory_count;
};
const struct hdb_type *type_clone_add(struct type_clone *clone, const struct hdb_type *type); /* NULL: no memory */
void type_clone_finish(struct type_clone *clone);

/* ---- values: value.c ---- */

enum value_kind {
   VALUE_BYTES,      /* the value itself */
   VALUE_PLACE,      /* an object: in memory, LDS, scratch, registers */
   VALUE_BINDINGS,   /* an array of blocks or handles, each of which is somewhere else */
   VALUE_UNAVAILABLE /* `why` says so */
};

enum register_kind {
   REGISTER_NONE,
   REGISTER_SCALARS,
   REGISTER_VECTOR,
   REGISTER_PAIR,
   REGISTER_PC,
   REGISTER_SCC,
   REGISTER_MODE,
   REGISTER_STATUS
};

/* What an assignment sets, if the value is a register's. */
struct expr_register {
   enum register_kind kind;
   uint32_t first, count;
   int32_t lane; /* -1: all */
};

struct value {
   enum value_kind kind;
   const struct hdb_type *type;
   const uint8_t *bytes; /* VALUE_BYTES; as the type lays them out */
   size_t size;
   const struct hdb_place *place;   /* VALUE_PLACE */
   uint64_t offset;                 /* in it */
   uint32_t stride;                 /* from one component to the next; 0: as the type says */
   uint32_t spacing;                /* from one element to the next of the array that it is in; 0: it is in none */
   uint8_t swizzle[4];              /* components of the vector at `offset` that this one is made of */
   uint8_t swizzled;                /* how many; 0: not a swizzle */
   const struct hdb_symbol *symbol; /* VALUE_BINDINGS; and where the object begins, for messages */
   uint64_t element;                /* VALUE_BINDINGS: the first one */
   uint64_t count;                  /* VALUE_BINDINGS whose type has no length: how many there are, at most */
   bool uncounted;                  /* a descriptor set may have fewer than that */
   const char *why;
   struct expr_register reg;
};

/* A number, vector or matrix, ready for arithmetic: `columns` 1 and `rows` 1 to 4, or a matrix. */
struct numeric {
   enum hdb_type_kind kind; /* of the components: BOOL, INT, UINT, FLOAT */
   uint32_t bits;
   uint32_t rows, columns;
   bool matrix;
   union number at[EXPR_MAX_COMPONENTS]; /* column after column */
};

struct value value_from_bytes(const struct hdb_type *type, const void *bytes, size_t size);
struct value value_unavailable(const struct hdb_type *type, const char *why);
/* Part of a value. -ERANGE and the like: *why (of the evaluation's memory) says so; nothing else is set. */
int value_read(struct expr *expr, const struct value *value, uint64_t offset, void *data, size_t size,
               const char **why);
uint64_t value_room(const struct value *value);  /* bytes that its object has from its start on */
uint64_t value_count(const struct value *value); /* elements of an array */
int value_member(struct expr *expr, uint32_t column, const struct value *value, uint32_t member, struct value *out);
int value_element(struct expr *expr, uint32_t column, const struct value *value, uint64_t index, struct value *out);
int value_dereference(struct expr *expr, uint32_t column, const struct value *pointer, struct value *out);
int value_at(struct expr *expr, const struct hdb_type *type, uint64_t address, struct value *out);
int value_of_symbol(struct expr *expr, const struct hdb_symbol *symbol, struct value *out);
/* Elements `first` to `last` of an array, as one. */
int value_slice(struct expr *expr, uint32_t column, const struct value *value, uint64_t first, uint64_t last,
                struct value *out);
bool value_in_memory(const struct value *value, uint64_t *address);
int value_load(struct expr *expr, uint32_t column, const struct value *value, struct numeric *number);
int value_load_pointer(struct expr *expr, uint32_t column, const struct value *value, uint64_t *address);
int value_from_numeric(struct expr *expr, const struct numeric *number, struct value *out);
/* All of its bytes, for keeping. */
int value_copy(struct expr *expr, uint32_t column, const struct value *value, struct value *out);

/* ---- numbers: numeric.c, half.c ---- */

struct numeric numeric_scalar(enum hdb_type_kind kind, uint32_t bits);
uint64_t numeric_address(const struct numeric *number); /* which has no sign, however long it is */
static inline uint32_t
numeric_count(const struct numeric *number)
{
   return number->rows * number->columns;
}
union number number_decode(enum hdb_type_kind kind, uint32_t bits, const void *bytes);
void number_encode(enum hdb_type_kind kind, uint32_t bits, union number number, void *bytes);
/* As the conversions of the shading languages; out-of-range floats go to the nearest integer. */
union number number_convert(enum hdb_type_kind from, union number number, enum hdb_type_kind kind, uint32_t bits);
union number number_wrap(enum hdb_type_kind kind, uint32_t bits, union number number); /* rounds floats */
void numeric_convert(struct numeric *number, enum hdb_type_kind kind, uint32_t bits);
bool number_is_true(enum hdb_type_kind kind, union number number);
uint16_t half_from_double(double number);
double half_to_double(uint16_t half);

/* ---- operators.c, functions*.c ---- */

int numeric_unary(struct expr *expr, uint32_t column, enum operator op, struct numeric *number);
int numeric_binary(struct expr *expr, uint32_t column, enum operator op, const struct numeric *a,
                   const struct numeric *b, struct numeric *out);
/* Both get the type that the language gives to their sum, and a scalar the other's shape. */
int numeric_balance(struct expr *expr, uint32_t column, struct numeric *a, struct numeric *b);
void numeric_multiply(const struct numeric *a, const struct numeric *b, struct numeric *out); /* linear algebra */

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

/* A value of the type from arguments, as `vec3(a, b)`. construct.c */
int expr_construct(struct expr *expr, uint32_t column, const struct hdb_type *type, const struct numeric *arguments,
                   uint32_t count, struct value *out);
int expr_cast(struct expr *expr, uint32_t column, const struct hdb_type *type, const struct value *from,
              struct value *out);

/* ---- evaluate.c, registers.c, assign.c, store.c ---- */

int expr_evaluate_node(struct expr *expr, const struct node *node, struct value *out);
/* False: it is no such name. Else *result is how it went. */
bool expr_find_register(struct expr *expr, const struct node *node, struct value *out, int *result);
bool expr_find_builtin(struct expr *expr, const char *name, struct value *out, int *result); /* builtins.c */
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
int expr_evaluate_image_call(struct expr *expr, const struct node *node, struct value *out);
int expr_evaluate_texel(struct expr *expr, const struct node *node, const struct value *image, struct value *out);
/* members.c */
int expr_member(struct expr *expr, uint32_t column, const struct value *base, const char *name, struct value *out);
int register_element(struct expr *expr, uint32_t column, const struct value *value, uint64_t first, uint64_t last,
                     struct value *out);
int register_assign(struct expr *expr, uint32_t column, const struct expr_register *reg, const struct value *from);
int expr_assign(struct expr *expr, uint32_t column, const struct value *to, const struct value *from);
void store_begin(struct hdb_expr_store *store); /* before each evaluation */
uint32_t store_elements(const struct hdb_expr_store *store);
int store_find(struct expr *expr, uint32_t column, const char *name, struct value *out);
int store_set(struct expr *expr, uint32_t column, const char *name, const struct value *value);
int store_append(struct expr *expr, const struct value *value, uint32_t *number);

/* ---- print.c, print_number.c ---- */

#include <stdio.h>

/* `format`: 0, as the type says, or x d u f t o c a z. */
void print_number(FILE *out, const struct hdb_type *type, union number number, char format);
void print_float(FILE *out, uint32_t bits, double number); /* as few digits as give the same number back */
void print_value(struct expr *expr, FILE *out, const struct value *value, char format);
/* Takes "/x" off the front of *text; *lanes: "/lanes" was there. */
int take_format(struct expr *expr, const char **text, char *format, bool *lanes);
/* `blocks`: those that have it, where others have it otherwise; NULL: there is but one layout. */
void print_type(struct expr *expr, FILE *out, const struct hdb_type *type, const char *blocks);

#endif
