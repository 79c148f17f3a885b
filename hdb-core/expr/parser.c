/* SPDX-License-Identifier: MIT */
/* From tokens to a tree, by precedence: that of C and the shading languages, and `@` where gdb has it. */
#include <errno.h>
#include <string.h>

#include "expr/private.h"

struct parser {
   struct lexer lexer;
   struct expr *expr;
   uint32_t depth; /* of what is being parsed */
};

static struct node *parse_assignment(struct parser *parser);
static struct node *parse_unary(struct parser *parser);

/* ---- nodes ---- */

static void
note_depth(struct node *node, const struct node *child)
{
   if (child && child->depth >= node->depth)
      node->depth = child->depth + 1;
}

static struct node *
make_node(struct parser *parser, enum node_kind kind, uint32_t column, struct node *a, struct node *b, struct node *c)
{
   struct node *node = expr_allocate(parser->expr, sizeof(*node));
   if (!node)
      return NULL;
   *node = (struct node){.kind = kind, .column = column, .a = a, .b = b, .c = c};
   note_depth(node, a);
   note_depth(node, b);
   note_depth(node, c);
   if (node->depth > EXPR_MAX_DEPTH) {
      expr_fail(parser->expr, column, "the expression is nested too deeply");
      return NULL;
   }
   return node;
}

static bool
is_operator(const struct parser *parser, enum operator op)
{
   return parser->lexer.token.kind == TOKEN_OPERATOR && parser->lexer.token.op == op;
}

static bool
advance(struct parser *parser)
{
   return lexer_next(&parser->lexer) == 0;
}

/* What stands where something else was wanted. */
static struct node *
unexpected(struct parser *parser, const char *wanted)
{
   const struct token *token = &parser->lexer.token;
   if (token->kind == TOKEN_END)
      expr_fail(parser->expr, token->column, "%s expected at the end", wanted);
   else
      expr_fail(parser->expr, token->column, "%s expected at \"%.24s\"", wanted, token->text);
   return NULL;
}

static bool
expect(struct parser *parser, enum operator op, const char *text)
{
   if (!is_operator(parser, op)) {
      unexpected(parser, text);
      return false;
   }
   return advance(parser);
}

static char *
token_text(struct parser *parser, size_t skip)
{
   const struct token *token = &parser->lexer.token;
   return expr_copy_text(parser->expr, token->text + skip, token->length - skip);
}

/* ---- types ---- */

/* A type's name, and a `*` for each pointer. NULL without an error: what stands there is no type. */
static const struct hdb_type *
parse_type(struct parser *parser)
{
   if (parser->lexer.token.kind != TOKEN_NAME)
      return NULL;
   char *name = token_text(parser, 0);
   if (!name)
      return NULL;
   if (strcmp(name, "unsigned") == 0) {
      struct lexer ahead = parser->lexer;
      if (lexer_next(&ahead))
         return NULL;
      if (ahead.token.kind == TOKEN_NAME && ahead.token.length == 3 && strncmp(ahead.token.text, "int", 3) == 0)
         parser->lexer = ahead;
      name = "uint";
   } else if (expr_names_variable(parser->expr, name)) {
      return NULL;
   }
   if ((strcmp(name, "struct") == 0 || strcmp(name, "enum") == 0) &&
       (!advance(parser) || parser->lexer.token.kind != TOKEN_NAME || !(name = token_text(parser, 0))))
      return NULL;
   const struct hdb_type *type = expr_find_type(parser->expr, name);
   if (!type || !advance(parser))
      return NULL;
   while (type && is_operator(parser, OP_MULTIPLY)) {
      type = expr_pointer_type(parser->expr, type, 0);
      if (!advance(parser))
         return NULL;
   }
   return type;
}

/* ---- operands ---- */

static struct node *
parse_arguments(struct parser *parser, struct node *call)
{
   if (!expect(parser, OP_OPEN, "("))
      return NULL;
   while (!is_operator(parser, OP_CLOSE)) {
      if (call->argument_count == EXPR_MAX_ARGUMENTS) {
         expr_fail(parser->expr, call->column, "%s has too many arguments", call->name);
         return NULL;
      }
      struct node *argument = parse_assignment(parser);
      if (!argument)
         return NULL;
      call->arguments[call->argument_count++] = argument;
      note_depth(call, argument);
      if (is_operator(parser, OP_COMMA) ? !advance(parser) : !is_operator(parser, OP_CLOSE))
         return is_operator(parser, OP_COMMA) ? NULL : unexpected(parser, ", or )");
   }
   if (call->depth > EXPR_MAX_DEPTH) {
      expr_fail(parser->expr, call->column, "the expression is nested too deeply");
      return NULL;
   }
   return advance(parser) ? call : NULL;
}

static const struct hdb_type *parse_dimensions(struct parser *parser, const struct hdb_type *type, bool open);

/* float[2](a, b), float[](a, b): behind the type's name. */
static struct node *
parse_array(struct parser *parser, struct node *node, const struct hdb_type *element)
{
   node->kind = NODE_CALL;
   node->type = parse_dimensions(parser, element, true);
   if (!node->type)
      return NULL;
   return is_operator(parser, OP_OPEN) ? parse_arguments(parser, node) : unexpected(parser, "(");
}

static struct node *
parse_name(struct parser *parser)
{
   struct node *node = make_node(parser, NODE_NAME, parser->lexer.token.column, NULL, NULL, NULL);
   if (!node || !(node->name = token_text(parser, 0)) || !advance(parser))
      return NULL;
   if (is_operator(parser, OP_OPEN_INDEX) && !expr_names_variable(parser->expr, node->name)) {
      const struct hdb_type *element = expr_find_type(parser->expr, node->name);
      if (element || *parser->expr->error)
         return element ? parse_array(parser, node, element) : NULL;
   }
   if (!is_operator(parser, OP_OPEN)) {
      struct expr_name *meaning = expr_allocate(parser->expr, sizeof(*meaning));
      if (meaning)
         expr_look_up(parser->expr, node->name, meaning);
      node->meaning = meaning;
      return meaning ? node : NULL;
   }
   node->kind = NODE_CALL;
   node->type = expr_find_type(parser->expr, node->name);
   return parse_arguments(parser, node);
}

/* (type)a, or an expression in parentheses. */
static struct node *
parse_parentheses(struct parser *parser)
{
   uint32_t column = parser->lexer.token.column;
   if (!advance(parser))
      return NULL;
   struct lexer before = parser->lexer;
   const struct hdb_type *type = parse_type(parser);
   if (*parser->expr->error)
      return NULL;
   if (type && is_operator(parser, OP_CLOSE)) {
      if (!advance(parser))
         return NULL;
      struct node *operand = parse_unary(parser);
      struct node *cast = operand ? make_node(parser, NODE_CAST, column, operand, NULL, NULL) : NULL;
      if (cast)
         cast->type = type;
      return cast;
   }
   parser->lexer = before;
   struct node *node = parse_assignment(parser);
   return node && expect(parser, OP_CLOSE, ")") ? node : NULL;
}

#define MAX_DIMENSIONS 4

/* What may follow a type in braces, and that of a constructor: [2][3]; `open`: the first may be []. */
static const struct hdb_type *
parse_dimensions(struct parser *parser, const struct hdb_type *type, bool open)
{
   const struct token *token = &parser->lexer.token;
   uint32_t counts[MAX_DIMENSIONS], dimensions = 0;
   while (is_operator(parser, OP_OPEN_INDEX)) {
      if (!advance(parser))
         return NULL;
      if (is_operator(parser, OP_CLOSE_INDEX) && open && !dimensions) {
         counts[dimensions++] = 0;
         if (!advance(parser))
            return NULL;
         continue;
      }
      bool good = token->kind == TOKEN_NUMBER && token->type->kind != HDB_TYPE_FLOAT && token->number.u &&
                  token->number.u <= EXPR_MAX_COUNT && dimensions < MAX_DIMENSIONS;
      if (!good) {
         unexpected(parser, "a number of elements");
         return NULL;
      }
      counts[dimensions++] = (uint32_t)token->number.u;
      if (!advance(parser) || !expect(parser, OP_CLOSE_INDEX, "]"))
         return NULL;
   }
   while (type && dimensions) {
      uint64_t align = type->align ? type->align : 1, stride = (type->size + align - 1) / align * align;
      if (!stride || stride > UINT32_MAX) {
         expr_fail(parser->expr, token->column, "an array of these has no size that can be shown");
         return NULL;
      }
      type = expr_array_type(parser->expr, type, counts[--dimensions], (uint32_t)stride);
   }
   return type;
}

/* {type}address */
static struct node *
parse_object(struct parser *parser)
{
   uint32_t column = parser->lexer.token.column;
   if (!advance(parser))
      return NULL;
   const struct hdb_type *type = parse_type(parser);
   if (!type)
      return unexpected(parser, "a type");
   type = parse_dimensions(parser, type, false);
   if (!type)
      return NULL;
   if (!expect(parser, OP_CLOSE_TYPE, "}"))
      return NULL;
   struct node *operand = parse_unary(parser);
   struct node *node = operand ? make_node(parser, NODE_OBJECT, column, operand, NULL, NULL) : NULL;
   if (node)
      node->type = type;
   return node;
}

static struct node *
parse_operand(struct parser *parser)
{
   const struct token *token = &parser->lexer.token;
   struct node *node;
   switch (token->kind) {
   case TOKEN_NUMBER:
      node = make_node(parser, NODE_NUMBER, token->column, NULL, NULL, NULL);
      if (node) {
         node->type = token->type;
         node->number = token->number;
      }
      return node && advance(parser) ? node : NULL;
   case TOKEN_NAME:
      return parse_name(parser);
   case TOKEN_DOLLAR:
      node = make_node(parser, NODE_DOLLAR, token->column, NULL, NULL, NULL);
      return node && (node->name = token_text(parser, 1)) && advance(parser) ? node : NULL;
   case TOKEN_OPERATOR:
      if (token->op == OP_OPEN)
         return parse_parentheses(parser);
      if (token->op == OP_OPEN_TYPE)
         return parse_object(parser);
      break;
   default:
      break;
   }
   return unexpected(parser, "a value");
}

static struct node *
parse_index(struct parser *parser, struct node *base)
{
   uint32_t column = parser->lexer.token.column;
   if (!advance(parser))
      return NULL;
   struct node *first = parse_assignment(parser), *last = NULL;
   if (first && is_operator(parser, OP_COLON)) {
      if (!advance(parser))
         return NULL;
      last = parse_assignment(parser);
      if (!last)
         return NULL;
   }
   if (!first || !expect(parser, OP_CLOSE_INDEX, "]"))
      return NULL;
   return make_node(parser, last ? NODE_SLICE : NODE_INDEX, column, base, first, last);
}

/* Also `x.length()`, and HLSL's `texture.Load(at)`. */
static struct node *
parse_member(struct parser *parser, struct node *base)
{
   enum operator op = parser->lexer.token.op;
   if (!advance(parser))
      return NULL;
   if (parser->lexer.token.kind != TOKEN_NAME)
      return unexpected(parser, "a member");
   struct node *node = make_node(parser, NODE_MEMBER, parser->lexer.token.column, base, NULL, NULL);
   if (!node || !(node->name = token_text(parser, 0)) || !advance(parser))
      return NULL;
   node->op = op;
   bool method = strcmp(node->name, "length") == 0 || strcmp(node->name, "Load") == 0;
   if (op != OP_DOT || !method || !is_operator(parser, OP_OPEN))
      return node;
   node->kind = NODE_CALL;
   node->arguments[node->argument_count++] = base;
   return parse_arguments(parser, node);
}

static struct node *
parse_postfix(struct parser *parser)
{
   struct node *node = parse_operand(parser);
   while (node && parser->lexer.token.kind == TOKEN_OPERATOR) {
      if (is_operator(parser, OP_OPEN_INDEX))
         node = parse_index(parser, node);
      else if (is_operator(parser, OP_DOT) || is_operator(parser, OP_ARROW))
         node = parse_member(parser, node);
      else
         break;
   }
   return node;
}

/* ---- operators ---- */

static struct node *
parse_prefixed(struct parser *parser)
{
   const struct token *token = &parser->lexer.token;
   enum operator op = token->kind == TOKEN_OPERATOR ? token->op : OP_NONE;
   uint32_t column = token->column;
   enum node_kind kind = NODE_UNARY;
   switch (op) {
   case OP_MULTIPLY:
      kind = NODE_DEREFERENCE;
      break;
   case OP_AND:
      kind = NODE_ADDRESS;
      break;
   case OP_ADD:
   case OP_SUBTRACT:
   case OP_NOT:
   case OP_COMPLEMENT:
      break;
   default:
      return parse_postfix(parser);
   }
   if (!advance(parser))
      return NULL;
   struct node *operand = parse_unary(parser);
   struct node *node = operand ? make_node(parser, kind, column, operand, NULL, NULL) : NULL;
   if (node)
      node->op = op;
   return node;
}

/* Everything that nests comes through here. */
static struct node *
parse_unary(struct parser *parser)
{
   if (parser->depth == EXPR_MAX_DEPTH) {
      expr_fail(parser->expr, parser->lexer.token.column, "the expression is nested too deeply");
      return NULL;
   }
   parser->depth++;
   struct node *node = parse_prefixed(parser);
   parser->depth--;
   return node;
}

static unsigned
precedence(const struct token *token)
{
   if (token->kind != TOKEN_OPERATOR)
      return 0;
   switch (token->op) {
   case OP_MULTIPLY:
   case OP_DIVIDE:
   case OP_MODULO:
      return 12;
   case OP_ADD:
   case OP_SUBTRACT:
      return 11;
   case OP_AT:
      return 10;
   case OP_SHIFT_LEFT:
   case OP_SHIFT_RIGHT:
      return 9;
   case OP_LESS:
   case OP_GREATER:
   case OP_LESS_EQUAL:
   case OP_GREATER_EQUAL:
      return 8;
   case OP_EQUAL:
   case OP_NOT_EQUAL:
      return 7;
   case OP_AND:
      return 6;
   case OP_XOR:
      return 5;
   case OP_OR:
      return 4;
   case OP_LOGICAL_AND:
      return 3;
   case OP_LOGICAL_XOR:
      return 2;
   case OP_LOGICAL_OR:
      return 1;
   default:
      return 0;
   }
}

static enum node_kind binary_kind(enum operator op)
{
   switch (op) {
   case OP_AT:
      return NODE_REPEAT;
   case OP_LOGICAL_AND:
   case OP_LOGICAL_OR:
   case OP_LOGICAL_XOR:
      return NODE_LOGICAL;
   default:
      return NODE_BINARY;
   }
}

/* Operators of at least this precedence; all of them associate to the left. */
static struct node *
parse_binary(struct parser *parser, unsigned least)
{
   struct node *left = parse_unary(parser);
   while (left) {
      struct token token = parser->lexer.token;
      unsigned level = precedence(&token);
      if (!level || level < least)
         return left;
      if (!advance(parser))
         return NULL;
      struct node *right = parse_binary(parser, level + 1);
      left = right ? make_node(parser, binary_kind(token.op), token.column, left, right, NULL) : NULL;
      if (left)
         left->op = token.op;
   }
   return NULL;
}

static struct node *
parse_conditional(struct parser *parser)
{
   struct node *condition = parse_binary(parser, 1);
   if (!condition || !is_operator(parser, OP_QUESTION))
      return condition;
   uint32_t column = parser->lexer.token.column;
   struct node *yes = advance(parser) ? parse_assignment(parser) : NULL;
   if (!yes || !expect(parser, OP_COLON, ":"))
      return NULL;
   struct node *no = parse_assignment(parser);
   return no ? make_node(parser, NODE_CONDITIONAL, column, condition, yes, no) : NULL;
}

static struct node *
parse_to_right(struct parser *parser)
{
   struct node *left = parse_conditional(parser);
   if (!left || !is_operator(parser, OP_ASSIGN))
      return left;
   struct token token = parser->lexer.token;
   struct node *right = advance(parser) ? parse_assignment(parser) : NULL;
   struct node *node = right ? make_node(parser, NODE_ASSIGN, token.column, left, right, NULL) : NULL;
   if (node)
      node->op = token.compound;
   return node;
}

static struct node *
parse_assignment(struct parser *parser)
{
   if (parser->depth == EXPR_MAX_DEPTH) {
      expr_fail(parser->expr, parser->lexer.token.column, "the expression is nested too deeply");
      return NULL;
   }
   parser->depth++;
   struct node *node = parse_to_right(parser);
   parser->depth--;
   return node;
}

const struct hdb_type *
expr_parse_type(struct expr *expr, const char *text)
{
   struct parser parser = {.expr = expr};
   if (strnlen(text, EXPR_MAX_TEXT + 1) > EXPR_MAX_TEXT || lexer_init(&parser.lexer, expr, text, 1))
      return NULL;
   const struct hdb_type *type = parse_type(&parser);
   type = type ? parse_dimensions(&parser, type, false) : NULL;
   return type && parser.lexer.token.kind == TOKEN_END ? type : NULL;
}

int
expr_parse(struct expr *expr, const char *text, uint32_t column, struct node **tree)
{
   struct parser parser = {.expr = expr};
   if (strnlen(text, EXPR_MAX_TEXT + 1) > EXPR_MAX_TEXT)
      return expr_fail(expr, 0, "the expression is longer than %u characters", EXPR_MAX_TEXT);
   *tree = lexer_init(&parser.lexer, expr, text, column) ? NULL : parse_assignment(&parser);
   if (*tree && parser.lexer.token.kind != TOKEN_END) {
      const struct token *token = &parser.lexer.token;
      return expr_fail(expr, token->column, "not understood: \"%.24s\"", token->text);
   }
   return *tree ? 0 : expr_fail(expr, 0, "not understood");
}
