/* SPDX-License-Identifier: MIT */
/* From text to tokens: those of GLSL and HLSL, and gdb's $ and @. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/private.h"

int
lexer_init(struct lexer *lexer, struct expr *expr, const char *text, uint32_t column)
{
   *lexer = (struct lexer){.expr = expr, .start = text - (column - 1), .at = text};
   return lexer_next(lexer);
}

static bool
is_name(char c)
{
   return isalnum((unsigned char)c) || c == '_';
}

/* Whether the token before this one ends an operand, so that an operator must follow. */
static bool
ends_operand(const struct token *token)
{
   switch (token->kind) {
   case TOKEN_NUMBER:
   case TOKEN_NAME:
   case TOKEN_DOLLAR:
      return true;
   case TOKEN_OPERATOR:
      return token->op == OP_CLOSE || token->op == OP_CLOSE_INDEX || token->op == OP_CLOSE_TYPE;
   default:
      return false;
   }
}

/* ---- numbers ---- */

static bool
take_suffix(struct token *token, const char *suffix)
{
   size_t length = strlen(suffix);
   if (strncasecmp(token->text + token->length, suffix, length) != 0 || is_name(token->text[token->length + length]))
      return false;
   token->length += length;
   return true;
}

/* Without a suffix it keeps all that is written, and is rounded when its value is taken: a double may be set to it. */
static int
lex_float(struct lexer *lexer, struct token *token)
{
   char *end;
   uint32_t bits = 0;
   token->number.f = strtod(token->text, &end);
   token->length = end - token->text;
   if (take_suffix(token, "lf") || take_suffix(token, "l"))
      bits = 64;
   else if (take_suffix(token, "hf") || take_suffix(token, "h"))
      bits = 16;
   else if (take_suffix(token, "f"))
      bits = 32;
   if (bits)
      token->number = number_wrap(HDB_TYPE_FLOAT, bits, token->number);
   else
      bits = isinf(number_wrap(HDB_TYPE_FLOAT, 32, token->number).f) ? 64 : 32; /* as integers that need them */
   token->type = expr_scalar_type(HDB_TYPE_FLOAT, bits);
   if (isinf(token->number.f))
      return expr_fail(lexer->expr, token->column, "%.*s does not fit a %u-bit float", (int)token->length, token->text,
                       bits);
   return 0;
}

static int
lex_integer(struct lexer *lexer, struct token *token, bool decimal)
{
   char *end;
   errno = 0;
   uint64_t number = strtoull(token->text, &end, 0);
   token->length = end - token->text;
   token->number.u = number;
   if (errno)
      return expr_fail(lexer->expr, token->column, "%.*s does not fit 64 bits", (int)token->length, token->text);
   bool is_unsigned = false, is_long = false, is_short = false;
   if (take_suffix(token, "ul") || take_suffix(token, "ull"))
      is_unsigned = is_long = true;
   else if (take_suffix(token, "us"))
      is_unsigned = is_short = true;
   else if (take_suffix(token, "u"))
      is_unsigned = true;
   else if (take_suffix(token, "l") || take_suffix(token, "ll"))
      is_long = true;
   else if (take_suffix(token, "s"))
      is_short = true;
   else if (take_suffix(token, "lf") || take_suffix(token, "f") || take_suffix(token, "hf") || take_suffix(token, "h"))
      return expr_fail(lexer->expr, token->column, "%.*s: a float has a point or an exponent", (int)token->length,
                       token->text);
   uint32_t bits = is_long ? 64 : is_short ? 16 : 32;
   uint64_t most = bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
   if (!is_unsigned && number > most / 2) {
      /* In GLSL a hexadecimal number may use the top bit, and is negative then ("The OpenGL Shading Language" 4.60.8,
       * 4.1.3: the bit pattern is kept), in HLSL it is unsigned; unlike there, what is too long gets more bits. */
      if (decimal && number <= INT64_MAX)
         bits = 64;
      else if (decimal || number > most || lexer->expr->language == HDB_LANGUAGE_HLSL)
         is_unsigned = true;
   }
   if (number > most && bits < 64)
      bits = 64;
   token->type = expr_scalar_type(is_unsigned ? HDB_TYPE_UINT : HDB_TYPE_INT, bits);
   token->number = number_wrap(token->type->kind, bits, token->number);
   return 0;
}

static int
lex_number(struct lexer *lexer, struct token *token)
{
   bool hexadecimal = token->text[0] == '0' && (token->text[1] == 'x' || token->text[1] == 'X');
   size_t digits = strspn(token->text, "0123456789");
   const char *behind = token->text + digits;
   bool exponent = (*behind == 'e' || *behind == 'E') &&
                   (isdigit((unsigned char)behind[1]) ||
                    ((behind[1] == '+' || behind[1] == '-') && isdigit((unsigned char)behind[2])));
   token->kind = TOKEN_NUMBER;
   int result = !hexadecimal && (*behind == '.' || exponent)
                   ? lex_float(lexer, token)
                   : lex_integer(lexer, token, !hexadecimal && token->text[0] != '0');
   if (!result && (is_name(token->text[token->length])))
      return expr_fail(lexer->expr, token->column, "\"%.*s\" is no number",
                       (int)(token->length + strspn(token->text + token->length, "0123456789abcdefghijklmnopqrstuvwxyz"
                                                                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")),
                       token->text);
   return result;
}

/* ---- the rest ---- */

static const struct {
   const char *text;
   enum operator op, compound;
} operators[] = {
   /* the longer ones first */
   {"<<=", OP_ASSIGN, OP_SHIFT_LEFT},
   {">>=", OP_ASSIGN, OP_SHIFT_RIGHT},
   {"<<", OP_SHIFT_LEFT, OP_NONE},
   {">>", OP_SHIFT_RIGHT, OP_NONE},
   {"<=", OP_LESS_EQUAL, OP_NONE},
   {">=", OP_GREATER_EQUAL, OP_NONE},
   {"==", OP_EQUAL, OP_NONE},
   {"!=", OP_NOT_EQUAL, OP_NONE},
   {"&&", OP_LOGICAL_AND, OP_NONE},
   {"||", OP_LOGICAL_OR, OP_NONE},
   {"^^", OP_LOGICAL_XOR, OP_NONE},
   {"->", OP_ARROW, OP_NONE},
   {"+=", OP_ASSIGN, OP_ADD},
   {"-=", OP_ASSIGN, OP_SUBTRACT},
   {"*=", OP_ASSIGN, OP_MULTIPLY},
   {"/=", OP_ASSIGN, OP_DIVIDE},
   {"%=", OP_ASSIGN, OP_MODULO},
   {"&=", OP_ASSIGN, OP_AND},
   {"|=", OP_ASSIGN, OP_OR},
   {"^=", OP_ASSIGN, OP_XOR},
   {"+", OP_ADD, OP_NONE},
   {"-", OP_SUBTRACT, OP_NONE},
   {"*", OP_MULTIPLY, OP_NONE},
   {"/", OP_DIVIDE, OP_NONE},
   {"%", OP_MODULO, OP_NONE},
   {"<", OP_LESS, OP_NONE},
   {">", OP_GREATER, OP_NONE},
   {"=", OP_ASSIGN, OP_NONE},
   {"&", OP_AND, OP_NONE},
   {"|", OP_OR, OP_NONE},
   {"^", OP_XOR, OP_NONE},
   {"!", OP_NOT, OP_NONE},
   {"~", OP_COMPLEMENT, OP_NONE},
   {"@", OP_AT, OP_NONE},
   {"?", OP_QUESTION, OP_NONE},
   {":", OP_COLON, OP_NONE},
   {",", OP_COMMA, OP_NONE},
   {".", OP_DOT, OP_NONE},
   {"(", OP_OPEN, OP_NONE},
   {")", OP_CLOSE, OP_NONE},
   {"[", OP_OPEN_INDEX, OP_NONE},
   {"]", OP_CLOSE_INDEX, OP_NONE},
   {"{", OP_OPEN_TYPE, OP_NONE},
   {"}", OP_CLOSE_TYPE, OP_NONE},
};

static int
lex_operator(struct lexer *lexer, struct token *token)
{
   for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
      size_t length = strlen(operators[i].text);
      if (strncmp(token->text, operators[i].text, length) != 0)
         continue;
      token->kind = TOKEN_OPERATOR;
      token->op = operators[i].op;
      token->compound = operators[i].compound;
      token->length = length;
      return 0;
   }
   if (isprint((unsigned char)*token->text))
      return expr_fail(lexer->expr, token->column, "'%c' has no meaning here", *token->text);
   return expr_fail(lexer->expr, token->column, "a character 0x%02x has no meaning here", (uint8_t)*token->text);
}

static size_t
name_length(const char *text)
{
   size_t length = 0;
   while (is_name(text[length]))
      length++;
   return length;
}

/* Of `%17`, what has no name in the module or has one that can't be written. */
static size_t
id_length(const char *text)
{
   return text[0] == '%' && isdigit((unsigned char)text[1]) ? 1 + strspn(text + 1, "0123456789") : 0;
}

bool
hdb_expr_is_name(const char *text)
{
   size_t length = isdigit((unsigned char)*text) ? 0 : name_length(text);
   if (!length)
      length = id_length(text);
   return length && !text[length];
}

int
lexer_next(struct lexer *lexer)
{
   bool operand = ends_operand(&lexer->token);
   while (isspace((unsigned char)*lexer->at))
      lexer->at++;
   struct token *token = &lexer->token;
   *token = (struct token){.text = lexer->at, .column = lexer->at - lexer->start + 1};
   char c = *token->text, next = c ? token->text[1] : 0;
   int result = 0;
   if (!c) {
      token->kind = TOKEN_END;
   } else if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)next) && !operand)) {
      result = lex_number(lexer, token);
   } else if (c == '$') {
      token->kind = TOKEN_DOLLAR;
      token->length = next == '$' ? 2 : 1;
      token->length += name_length(token->text + token->length);
   } else if (is_name(c)) {
      token->kind = TOKEN_NAME;
      token->length = name_length(token->text);
   } else if (id_length(token->text) && !operand) {
      token->kind = TOKEN_NAME;
      token->length = id_length(token->text);
   } else {
      result = lex_operator(lexer, token);
   }
   lexer->at += token->length;
   return result;
}
