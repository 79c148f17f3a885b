/* SPDX-License-Identifier: MIT */
/*
 * Where local variables are declared, and where their scope ends, read from the source.
 *
 * glslang declares a variable in the debug information where it is used first, knows no scope for `for` and none at all
 * with OpName alone. Two loops' `i` could not be told apart. This reader knows just enough of GLSL and HLSL to find
 * declarations and the braces around them.
 */
#include "symbols/source_scopes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

#define MAX_SCOPES 128

enum scope_kind {
   SCOPE_BRACES,
   SCOPE_FOR /* from its parenthesis to the end of its statement */
};

struct scope {
   enum scope_kind kind;
   size_t first; /* of the declarations in it */
};

enum token_kind { TOKEN_NONE, TOKEN_NAME, TOKEN_NUMBER, TOKEN_SIGN };

struct token {
   enum token_kind kind;
   const char *text;
   size_t length;
};

struct reader {
   const char *at, *end;
   uint32_t line;
   bool understood;
   struct scope scopes[MAX_SCOPES];
   unsigned depth;
   int parentheses;
   int for_parenthesis; /* depth of parentheses in a `for`'s header; 0: in none */
   int initializers;    /* braces around values, which count as parentheses, too */
   struct token previous;
   bool starts;   /* the next token begins a statement */
   bool declares; /* the statement is a declaration */
   bool computes; /* an expression has begun in it */
   struct source_declaration *list;
   size_t count;
};

/* ---- tokens ---- */

static bool
is_name_start(char c)
{
   return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool
is_digit(char c)
{
   return c >= '0' && c <= '9';
}

static void
skip_line(struct reader *reader)
{
   while (reader->at < reader->end && *reader->at != '\n') {
      if (*reader->at == '\\' && reader->at + 1 < reader->end && reader->at[1] == '\n') {
         reader->line++;
         reader->at++;
      }
      reader->at++;
   }
}

static void
skip_comment(struct reader *reader)
{
   for (reader->at += 2; reader->at < reader->end; reader->at++) {
      if (*reader->at == '\n')
         reader->line++;
      if (*reader->at == '*' && reader->at + 1 < reader->end && reader->at[1] == '/') {
         reader->at += 2;
         return;
      }
   }
}

/* A #line gives the lines other numbers than they have here. */
static void
skip_directive(struct reader *reader)
{
   const char *word = reader->at + 1;
   while (word < reader->end && (*word == ' ' || *word == '\t'))
      word++;
   if (reader->end - word >= 4 && memcmp(word, "line", 4) == 0)
      reader->understood = false;
   skip_line(reader);
}

static bool
skip_blanks(struct reader *reader)
{
   while (reader->at < reader->end) {
      char c = *reader->at, next = reader->at + 1 < reader->end ? reader->at[1] : 0;
      if (c == '\n') {
         reader->line++;
         reader->at++;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\\') {
         reader->at++;
      } else if (c == '/' && next == '/') {
         skip_line(reader);
      } else if (c == '/' && next == '*') {
         skip_comment(reader);
      } else if (c == '#') {
         skip_directive(reader);
      } else {
         return true;
      }
   }
   return false;
}

static bool
read_token(struct reader *reader, struct token *token)
{
   if (!skip_blanks(reader))
      return false;
   *token = (struct token){TOKEN_SIGN, reader->at, 1};
   if (is_name_start(*reader->at))
      token->kind = TOKEN_NAME;
   else if (is_digit(*reader->at))
      token->kind = TOKEN_NUMBER;
   reader->at++;
   while (token->kind != TOKEN_SIGN && reader->at < reader->end &&
          (is_name_start(*reader->at) || is_digit(*reader->at) || (token->kind == TOKEN_NUMBER && *reader->at == '.')))
      reader->at++;
   token->length = reader->at - token->text;
   return true;
}

static bool
is_word(const struct token *token, const char *word)
{
   return token->kind == TOKEN_NAME && token->length == strlen(word) && memcmp(token->text, word, token->length) == 0;
}

static bool
is_sign(const struct token *token, char sign)
{
   return token->kind == TOKEN_SIGN && *token->text == sign;
}

static bool
is_statement_word(const struct token *token)
{
   static const char *const words[] = {"return", "else",  "do",  "case",   "default", "break", "continue",
                                       "if",     "while", "for", "switch", "discard", "goto"};
   for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
      if (is_word(token, words[i]))
         return true;
   }
   return false;
}

/* ---- scopes ---- */

static void
push_scope(struct reader *reader, enum scope_kind kind)
{
   if (reader->depth == MAX_SCOPES) {
      reader->understood = false;
      return;
   }
   reader->scopes[reader->depth++] = (struct scope){kind, reader->count};
}

static void
pop_scope(struct reader *reader)
{
   if (!reader->depth) {
      reader->understood = false;
      return;
   }
   const struct scope *scope = &reader->scopes[--reader->depth];
   for (size_t i = scope->first; i < reader->count; i++) {
      if (!reader->list[i].last_line)
         reader->list[i].last_line = reader->line;
   }
}

/* The statement that `for`s govern has ended. */
static void
pop_loops(struct reader *reader)
{
   while (reader->depth && reader->scopes[reader->depth - 1].kind == SCOPE_FOR)
      pop_scope(reader);
}

static void
begin_statement(struct reader *reader)
{
   reader->starts = true;
   reader->declares = reader->computes = false;
}

/* ---- declarations ---- */

/* What may follow a declared name: its value, its size, its semantic or register, the next one, the end. */
static bool
ends_declarator(struct reader *reader)
{
   struct reader ahead = *reader;
   if (!skip_blanks(&ahead) || !strchr("=;,[:", *ahead.at))
      return false;
   return *ahead.at != '=' || ahead.at + 1 >= ahead.end || ahead.at[1] != '=';
}

/* Whether the token declares a variable: a type stands before it, or it goes on a list of declarations. */
static bool
is_declaration(struct reader *reader, const struct token *token)
{
   const struct token *previous = &reader->previous;
   if (token->kind != TOKEN_NAME || reader->starts || reader->parentheses != reader->for_parenthesis || !reader->depth)
      return false;
   bool typed = !reader->computes && ((previous->kind == TOKEN_NAME && !is_statement_word(previous)) ||
                                      is_sign(previous, ']') || is_sign(previous, '>'));
   bool listed = reader->declares && is_sign(previous, ',');
   return (typed || listed) && ends_declarator(reader);
}

static int
declare(struct reader *reader, const struct token *token)
{
   struct source_declaration *added = array_append(reader->list, reader->count);
   if (!added)
      return -ENOMEM;
   *added = (struct source_declaration){
      .name = token->text,
      .length = token->length,
      .line = reader->line,
      .depth = reader->depth,
   };
   reader->declares = true;
   return 0;
}

static void
read_sign(struct reader *reader, char sign)
{
   switch (sign) {
   case '{':
      if (reader->parentheses || is_sign(&reader->previous, '=')) {
         reader->parentheses++;
         reader->initializers++;
         break;
      }
      push_scope(reader, SCOPE_BRACES);
      begin_statement(reader);
      break;
   case '}':
      if (reader->initializers) {
         reader->initializers--;
         reader->parentheses--;
         break;
      }
      pop_loops(reader);
      pop_scope(reader);
      pop_loops(reader);
      begin_statement(reader);
      break;
   case '(':
      reader->parentheses++;
      if (is_word(&reader->previous, "for")) {
         push_scope(reader, SCOPE_FOR);
         reader->for_parenthesis = reader->parentheses;
         begin_statement(reader);
      }
      break;
   case ')':
      if (reader->parentheses == reader->for_parenthesis && reader->for_parenthesis) {
         reader->for_parenthesis = 0;
         begin_statement(reader);
      }
      reader->understood &= reader->parentheses-- > 0;
      break;
   case ';':
      if (reader->parentheses == 0)
         pop_loops(reader);
      begin_statement(reader);
      break;
   case ':':
      if (!reader->declares)
         begin_statement(reader); /* a label; in a conditional expression nothing is declared either way */
      break;
   case '=':
      reader->computes = true;
      break;
   case ',':
      reader->computes &= !reader->declares;
      break;
   }
}

static int
read_source(struct reader *reader)
{
   struct token token;
   while (reader->understood && read_token(reader, &token)) {
      int result = is_declaration(reader, &token) ? declare(reader, &token) : 0;
      if (result)
         return result;
      reader->starts = false;
      if (token.kind == TOKEN_SIGN)
         read_sign(reader, *token.text);
      else if (is_statement_word(&token))
         begin_statement(reader);
      reader->previous = token;
   }
   reader->understood &= reader->depth == 0 && reader->parentheses == 0;
   return 0;
}

int
source_find_declarations(const char *text, size_t size, struct source_declaration **declarations, size_t *count)
{
   struct reader reader = {.at = text, .end = text + size, .line = 1, .understood = true};
   begin_statement(&reader);
   int result = read_source(&reader);
   if (result || !reader.understood) {
      free(reader.list);
      reader.list = NULL;
      reader.count = 0;
   }
   *declarations = reader.list;
   *count = reader.count;
   return result;
}
