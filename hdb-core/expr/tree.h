/* SPDX-License-Identifier: MIT */
/* Text as tokens, and tokens as a tree: lexer.c, parser.c. Part of private.h. */
#ifndef HDB_EXPR_TREE_H
#define HDB_EXPR_TREE_H

#include <stddef.h>

#include "expr/number.h"

struct expr;

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
   const struct expr_name *meaning; /* NODE_NAME */
   struct node *a, *b, *c;
   struct node *arguments[EXPR_MAX_ARGUMENTS];
   uint32_t argument_count;
};

int expr_parse(struct expr *expr, const char *text, uint32_t column, struct node **tree);
const struct hdb_type *expr_parse_type(struct expr *expr, const char *text); /* "struct Blade *"; NULL: it is none */

#endif
