/* SPDX-License-Identifier: MIT */
/*
 * Which dispatches somebody means: a number, a name, label:GLOB, or an expression over what is known of a dispatch,
 * such as `grid.x > 64 && label == "blur*"`. There are whole numbers (truth is 0 or 1, as in C) and texts; texts are
 * compared with patterns. What is not known, as the grid of an indirect dispatch, makes what depends on it unknown, and
 * a dispatch of which the expression is unknown is not meant.
 *
 * An expression is evaluated while it is read. That is as quick as walking through a tree of it would be, and it is
 * checked by the same code.
 */
#include "engine/engine.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 64 /* of parentheses and `!` */
#define MAX_TEXT 256

/* ---- what is known of a dispatch ---- */

enum kind { NUMBER, TEXT };

struct value {
   enum kind kind;
   bool known;
   int64_t number;
   const char *texts; /* one behind the other, each with its NUL byte */
   uint32_t text_count;
   bool is_pattern; /* written in the expression */
};

static struct value
number(int64_t n)
{
   return (struct value){.kind = NUMBER, .known = true, .number = n};
}

static struct value
text(const char *string)
{
   return (struct value){.kind = TEXT, .known = string, .texts = string, .text_count = string != NULL};
}

static const char *const axes = "xyz";

/* `member`: 0 to 2, or -1 for the product of all. */
static struct value
size(const uint32_t *values, bool known, int member)
{
   if (!known)
      return (struct value){.kind = NUMBER};
   return number(member >= 0 ? values[member] : (int64_t)values[0] * values[1] * values[2]);
}

/* False: there is no such property. */
static bool
get_property(const struct dispatch *dispatch, const char *name, int member, struct value *value)
{
   bool compiled = dispatch->workgroup[0];
   if (!strcmp(name, "grid"))
      *value = size(dispatch->grid, dispatch->sized, member);
   else if (!strcmp(name, "workgroup"))
      *value = size(dispatch->workgroup, compiled, member);
   else if (member >= 0)
      return false;
   else if (!strcmp(name, "number"))
      *value = number(dispatch->number);
   else if (!strcmp(name, "frame"))
      *value = number(dispatch->frame);
   else if (!strcmp(name, "waves"))
      *value = dispatch->sized && compiled ? number(dispatch->waves) : (struct value){.kind = NUMBER};
   else if (!strcmp(name, "indirect"))
      *value = number(dispatch->indirect_va || dispatch->generated);
   else if (!strcmp(name, "internal"))
      *value = number(dispatch->internal);
   else if (!strcmp(name, "name") || !strcmp(name, "pipeline"))
      *value = text(dispatch->name);
   else if (!strcmp(name, "file"))
      *value = text(dispatch->file);
   else if (!strcmp(name, "entry"))
      *value = text(dispatch->entry);
   else if (!strcmp(name, "queue"))
      *value = text(dispatch->queue);
   else if (!strcmp(name, "label"))
      *value =
         (struct value){.kind = TEXT, .known = true, .texts = dispatch->labels, .text_count = dispatch->label_count};
   else
      return false;
   return true;
}

#define PROPERTIES \
   "number, frame, name, pipeline, file, entry, label, queue, grid, workgroup (.x, .y, .z), waves, indirect, internal"

/* ---- reading ---- */

struct reader {
   const struct dispatch *dispatch;
   const char *at;
   unsigned depth;
   char pattern[MAX_TEXT]; /* one is enough: it stands on one side of a comparison */
   char *error;            /* the first; NULL: none */
   bool failed;
};

__attribute__((format(printf, 2, 3))) static struct value
fail(struct reader *reader, const char *format, ...)
{
   if (!reader->failed) {
      va_list args;
      va_start(args, format);
      if (vasprintf(&reader->error, format, args) < 0)
         reader->error = NULL;
      va_end(args);
   }
   reader->failed = true;
   return (struct value){.kind = NUMBER};
}

static void
skip_blanks(struct reader *reader)
{
   while (isspace((unsigned char)*reader->at))
      reader->at++;
}

static bool
take(struct reader *reader, const char *token)
{
   skip_blanks(reader);
   size_t length = strlen(token);
   if (strncmp(reader->at, token, length) != 0)
      return false;
   reader->at += length;
   return true;
}

static struct value
expect_number(struct reader *reader, struct value value)
{
   return value.kind == NUMBER ? value : fail(reader, "a text where a number is expected; texts take == and !=");
}

static struct value read_or(struct reader *reader);

static struct value
read_pattern(struct reader *reader)
{
   size_t length = strcspn(reader->at, "\"");
   if (reader->at[length] != '"')
      return fail(reader, "a text does not end");
   if (length >= sizeof(reader->pattern))
      return fail(reader, "a text is too long");
   memcpy(reader->pattern, reader->at, length);
   reader->pattern[length] = '\0';
   reader->at += length + 1;
   struct value value = text(reader->pattern);
   value.is_pattern = true;
   return value;
}

static struct value
read_property(struct reader *reader)
{
   char name[32];
   size_t length = 0;
   const char *start = reader->at;
   while (isalnum((unsigned char)*reader->at) || *reader->at == '_')
      reader->at++;
   length = (size_t)(reader->at - start);
   snprintf(name, sizeof(name), "%.*s", (int)length, start);
   int member = -1;
   if (reader->at[0] == '.' && reader->at[1] && strchr(axes, reader->at[1]) && !isalnum((unsigned char)reader->at[2])) {
      member = (int)(strchr(axes, reader->at[1]) - axes);
      reader->at += 2;
   }
   struct value value;
   if (length >= sizeof(name) || !get_property(reader->dispatch, name, member, &value))
      return fail(reader, "dispatches have no \"%.*s\"; they have " PROPERTIES, (int)(reader->at - start), start);
   return value;
}

static struct value
read_primary(struct reader *reader)
{
   skip_blanks(reader);
   if (take(reader, "(")) {
      struct value value = read_or(reader);
      return take(reader, ")") ? value : fail(reader, "a ) is missing");
   }
   if (take(reader, "\""))
      return read_pattern(reader);
   if (isdigit((unsigned char)*reader->at)) {
      char *end;
      errno = 0;
      unsigned long long n = strtoull(reader->at, &end, 0);
      if (errno || n > INT64_MAX || isalnum((unsigned char)*end))
         return fail(reader, "\"%.20s\" is no number", reader->at);
      reader->at = end;
      return number((int64_t)n);
   }
   if (isalpha((unsigned char)*reader->at))
      return read_property(reader);
   return *reader->at ? fail(reader, "a value is expected at \"%.20s\"", reader->at)
                      : fail(reader, "the expression ends too early");
}

static struct value
read_unary(struct reader *reader)
{
   if (++reader->depth > MAX_DEPTH)
      return fail(reader, "the expression is too deep");
   struct value value;
   skip_blanks(reader);
   if (reader->at[0] == '!' && reader->at[1] != '=') {
      reader->at++;
      value = expect_number(reader, read_unary(reader));
      value.number = !value.number;
   } else if (reader->at[0] == '-') {
      reader->at++;
      value = expect_number(reader, read_unary(reader));
      value.number = (int64_t) - (uint64_t)value.number;
   } else {
      value = read_primary(reader);
   }
   reader->depth--;
   return value;
}

/* Wraps around as the dispatch's own arithmetic would. */
static int64_t
calculate(char op, int64_t a, int64_t b, bool *known)
{
   switch (op) {
   case '*':
      return (int64_t)((uint64_t)a * (uint64_t)b);
   case '+':
      return (int64_t)((uint64_t)a + (uint64_t)b);
   case '-':
      return (int64_t)((uint64_t)a - (uint64_t)b);
   default:
      if (b == 0 || (a == INT64_MIN && b == -1)) {
         *known = false;
         return 0;
      }
      return op == '/' ? a / b : a % b;
   }
}

static struct value
read_chain(struct reader *reader, const char *operators, struct value (*read_operand)(struct reader *reader))
{
   struct value left = read_operand(reader);
   for (;;) {
      skip_blanks(reader);
      char op = *reader->at;
      if (!op || !strchr(operators, op) || reader->failed)
         return left;
      reader->at++;
      struct value right = expect_number(reader, read_operand(reader));
      left = expect_number(reader, left);
      left.known &= right.known;
      left.number = left.known ? calculate(op, left.number, right.number, &left.known) : 0;
   }
}

static struct value
read_product(struct reader *reader)
{
   return read_chain(reader, "*/%", read_unary);
}

static struct value
read_sum(struct reader *reader)
{
   return read_chain(reader, "+-", read_product);
}

/* Whether any of the texts is as the pattern says. */
static bool
any_matches(struct value texts, const char *pattern)
{
   const char *string = texts.texts;
   for (uint32_t i = 0; i < texts.text_count; i++, string += strlen(string) + 1) {
      if (fnmatch(pattern, string, 0) == 0)
         return true;
   }
   return false;
}

static struct value
compare_texts(struct reader *reader, const char *op, struct value left, struct value right)
{
   if (left.kind != right.kind || left.is_pattern == right.is_pattern)
      return fail(reader, "a text is compared with a pattern in \"\"");
   if (strcmp(op, "==") != 0 && strcmp(op, "!=") != 0)
      return fail(reader, "texts take == and !=, not %s", op);
   struct value texts = left.is_pattern ? right : left;
   bool same = any_matches(texts, reader->pattern);
   struct value value = number(same == (op[0] == '='));
   value.known = texts.known;
   return value;
}

static bool
compare_numbers(const char *op, int64_t a, int64_t b)
{
   switch (op[0]) {
   case '=':
      return a == b;
   case '!':
      return a != b;
   case '<':
      return op[1] ? a <= b : a < b;
   default:
      return op[1] ? a >= b : a > b;
   }
}

static struct value
read_comparison(struct reader *reader)
{
   static const char *const operators[] = {"==", "!=", "<=", ">=", "<", ">"};
   struct value left = read_sum(reader);
   for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]) && !reader->failed; i++) {
      if (!take(reader, operators[i]))
         continue;
      struct value right = read_sum(reader);
      if (reader->failed)
         return right;
      if (left.kind == TEXT || right.kind == TEXT)
         return compare_texts(reader, operators[i], left, right);
      struct value value = number(compare_numbers(operators[i], left.number, right.number));
      value.known = left.known && right.known;
      return value;
   }
   return left;
}

/* Known as soon as one side decides. */
static struct value
read_and(struct reader *reader)
{
   struct value left = read_comparison(reader);
   while (!reader->failed && take(reader, "&&")) {
      struct value right = expect_number(reader, read_comparison(reader));
      left = expect_number(reader, left);
      bool no = (left.known && !left.number) || (right.known && !right.number);
      left = (struct value){.kind = NUMBER, .known = no || (left.known && right.known), .number = !no};
   }
   return left;
}

static struct value
read_or(struct reader *reader)
{
   struct value left = read_and(reader);
   while (!reader->failed && take(reader, "||")) {
      struct value right = expect_number(reader, read_and(reader));
      left = expect_number(reader, left);
      bool yes = (left.known && left.number) || (right.known && right.number);
      left = (struct value){.kind = NUMBER, .known = yes || (left.known && right.known), .number = yes};
   }
   return left;
}

static bool
evaluate(const char *expression, const struct dispatch *dispatch, char **error)
{
   struct reader reader = {.dispatch = dispatch, .at = expression};
   struct value value = expect_number(&reader, read_or(&reader));
   skip_blanks(&reader);
   if (!reader.failed && *reader.at)
      fail(&reader, "\"%.20s\" is one thing too many", reader.at);
   *error = reader.error;
   return !reader.failed && value.known && value.number;
}

/* ---- selectors ---- */

static bool
is_number(const char *selector)
{
   return *selector && !selector[strspn(selector, "0123456789")];
}

/* Names of pipelines may hold anything. What begins with a property, or a number or text, and compares is taken for an
 * expression, and so is what no name begins with: a text in quotes, or nothing but signs; and `indirect` or `internal`
 * alone. */
bool
selector_is_expression(const char *selector)
{
   char name[32];
   const char *start = selector + strspn(selector, " (!-");
   size_t length = strspn(start, "abcdefghijklmnopqrstuvwxyz"), digits = strspn(start, "0123456789");
   if (*start == '"' || (!*start && start != selector))
      return true;
   if (digits && strchr(" =<>!+-*/%)", start[digits]) && start[digits])
      return strpbrk(start + digits, "=<>!&|");
   if (length >= sizeof(name))
      return false;
   snprintf(name, sizeof(name), "%.*s", (int)length, start);
   struct value value;
   bool begins = get_property(&(struct dispatch){0}, name, -1, &value);
   bool is_truth = !strcmp(selector, "indirect") || !strcmp(selector, "internal"); /* which say something alone */
   return begins && (start != selector || is_truth || strpbrk(start + length, "=<>!&|"));
}

int
selector_check_condition(const char *text, char **error)
{
   evaluate(text, &(struct dispatch){0}, error);
   return *error ? -EINVAL : 0;
}

int
selector_check(const char *selector, char **error)
{
   *error = NULL;
   return selector_is_expression(selector) ? selector_check_condition(selector, error) : 0;
}

static bool
names(const char *name, const struct dispatch *dispatch)
{
   return (dispatch->name && fnmatch(name, dispatch->name, 0) == 0) ||
          (dispatch->entry && fnmatch(name, dispatch->entry, 0) == 0) ||
          (dispatch->program && fnmatch(name, dispatch->program, 0) == 0);
}

/* "blur.comp:main" may be named by each of its halves, too. */
static bool
names_file(const char *name, const struct dispatch *dispatch)
{
   const char *colon = dispatch->program ? strrchr(dispatch->program, ':') : NULL;
   size_t length = strlen(name);
   return colon && (size_t)(colon - dispatch->program) == length && strncmp(name, dispatch->program, length) == 0;
}

bool
selector_meets(const char *condition, const struct dispatch *dispatch)
{
   char *error;
   bool meets = evaluate(condition, dispatch, &error);
   free(error);
   return meets;
}

bool
selector_matches(const char *selector, const struct dispatch *dispatch)
{
   if (is_number(selector))
      return strtoul(selector, NULL, 10) == dispatch->number;
   if (strncmp(selector, "label:", 6) == 0)
      return any_matches((struct value){.texts = dispatch->labels, .text_count = dispatch->label_count}, selector + 6);
   if (!selector_is_expression(selector))
      return names(selector, dispatch) || names_file(selector, dispatch);
   return selector_meets(selector, dispatch);
}
